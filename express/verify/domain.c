/* Labels: from the naive interpreter, or from a task's lines. */
#include "express/verify/domain.h"

#include "express/verify/field.h"

#include "base/random.h"
#include "base/table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Line { /* of a task; labels as domain_labels gives them */
    const uint32_t *tokens;
    size_t length;
    uint32_t *labels;
} Line;

struct Domain {
    Check *check;
    const Certificate *certificate;
    RaspSop sop, where;
    RaspAtom *input; /* max_length */
    RaspAtom *labels;
    size_t label_count, label_room;
    Table label_table;
    Line *lines;
    size_t line_count;
    Table line_table;
    size_t longest; /* line */
    bool *occurs;   /* of a token: in a line */
};

/* --- labels as numbers ------------------------------------------------------------------ */

static uint64_t text_hash(const char *text, size_t length) {
    uint64_t hash = length;
    for (size_t k = 0; k < length; k++) hash = random_mix(hash + (unsigned char)text[k] + 1);
    return hash;
}

/* Equal numbers of all kinds have equal hashes. */
static uint64_t atom_hash(RaspAtom atom) {
    double number = 0;
    uint64_t bits;
    if (atom.kind == RASP_STRING) return text_hash(atom.as.s.text, atom.as.s.length);
    if (atom.kind == RASP_BOOL) number = atom.as.b;
    if (atom.kind == RASP_INT) number = (double)atom.as.i;
    if (atom.kind == RASP_FLOAT) number = atom.as.f;
    if (number == 0) number = 0; /* and not -0 */
    if (isnan(number)) return 1;
    memcpy(&bits, &number, sizeof bits);
    return random_mix(bits);
}

static uint64_t label_hash(const void *labels, uint32_t k) {
    return atom_hash(((const RaspAtom *)labels)[k]);
}

uint32_t domain_number(Domain *d, RaspAtom value) {
    Arena *arena = d->check->arena;
    if (table_full(&d->label_table, d->label_count))
        table_grow(&d->label_table, arena, d->label_count, label_hash, d->labels);
    size_t at = table_start(&d->label_table, atom_hash(value));
    for (uint32_t k; (k = table_entry(&d->label_table, at)) != TABLE_NONE;
         at = table_next(&d->label_table, at))
        if (rasp_atom_equal(d->labels[k], value) || rasp_atom_same(d->labels[k], value)) return k;
    if (value.kind == RASP_STRING)
        value.as.s.text = arena_text(arena, value.as.s.text, value.as.s.length);
    d->labels = BLOCK_GROW(arena, d->labels, &d->label_room, d->label_count + 1);
    d->labels[d->label_count] = value;
    table_put(&d->label_table, at, d->label_count);
    return (uint32_t)d->label_count++;
}

RaspAtom domain_label(const Domain *d, uint32_t label) {
    return d->labels[label];
}

/* --- programs --------------------------------------------------------------------------- */

/* Only what the certificate brings can be loaded. */
static int read_file(void *context, const char *path, char **text, size_t *length) {
    size_t k;
    json_t *file;
    json_array_foreach((json_t *)context, k, file) {
        const json_t *name = json_object_get(file, "path"), *said = json_object_get(file, "text");
        if (!json_is_string(name) || !json_is_string(said)) continue;
        if (strcmp(json_string_value(name), path) != 0) continue;
        *length = json_string_length(said);
        *text = malloc(*length + 1);
        if (!*text) return ENOMEM;
        memcpy(*text, json_string_value(said), *length + 1);
        return 0;
    }
    return ENOENT;
}

static bool choose_sop(Check *check, const json_t *object, const char *what, RaspProgram *program,
                       RaspSop *sop) {
    RaspError error;
    const json_t *name, *expression;
    if (!field_maybe(check, object, what, "sop", FIELD_TEXT, &name) ||
        !field_maybe(check, object, what, "expression", FIELD_TEXT, &expression))
        return false;
    if (name && expression)
        return refuse(check, "expected 'sop' or 'expression' in %s, found both", what);
    if (expression ? rasp_program_expression(program, json_string_value(expression), sop, &error)
                   : rasp_program_sop(program, name ? json_string_value(name) : NULL, sop, &error))
        return true;
    return refuse_for(check, what, &error);
}

bool domain_program(Check *check, const json_t *object, const char *what, RaspProgram **program,
                    RaspSop *sop) {
    RaspError error;
    RaspConfig config = check->config;
    const json_t *name, *source, *files;
    if (!(source = field(check, object, what, "source", FIELD_TEXT)) ||
        !field_maybe(check, object, what, "name", FIELD_TEXT, &name) ||
        !field_maybe(check, object, what, "files", FIELD_LIST, &files))
        return false;
    config.read = read_file;
    config.read_context = (void *)files;
    config.report = NULL;
    RaspSource text = {.path = name ? json_string_value(name) : "program",
                       .text = json_string_value(source),
                       .length = json_string_length(source)};
    *program = rasp_program_load(&text, &config, &error);
    if (!*program) return refuse_for(check, what, &error);
    return choose_sop(check, object, what, *program, sop);
}

const RaspSequence *domain_run(Check *check, RaspProgram *program, const RaspSop *sop,
                               const RaspAtom *tokens, size_t length, bool *failed) {
    static const RaspRunOptions naive = {.plan = RASP_PLAN_NAIVE, .threads = 1};
    RaspError error;
    RaspInput input = {.tokens = tokens, .count = length};
    *failed = false;
    rasp_run_free(check->run);
    check->run = rasp_run_new(program, &input, sop, 1, &naive, &error);
    const RaspSequence *values = check->run ? rasp_run_sequence(check->run, 0, &error) : NULL;
    if (values) return values;
    *failed = error.status < RASP_OUT_OF_MEMORY;
    if (!*failed) refuse_for(check, "while running the program", &error);
    return NULL;
}

/* --- a program's labels ----------------------------------------------------------------- */

static bool truth(RaspAtom atom) {
    switch (atom.kind) {
    case RASP_BOOL:
        return atom.as.b;
    case RASP_INT:
        return atom.as.i != 0;
    case RASP_FLOAT:
        return atom.as.f != 0;
    case RASP_STRING:
        break;
    }
    return atom.as.s.length != 0;
}

/* Is `where` true at every position? */
static bool accepts(Domain *d, size_t length, bool *accepted) {
    *accepted = true;
    if (!d->certificate->where) return true;
    const RaspSequence *values =
        domain_run(d->check, d->check->program, &d->where, d->input, length, accepted);
    if (!values) {
        bool failed = *accepted;
        *accepted = false;
        return failed;
    }
    *accepted = true;
    for (size_t i = 0; *accepted && i < length; i++) *accepted = truth(rasp_sequence_at(values, i));
    return true;
}

static bool program_labels(Domain *d, const uint32_t *tokens, size_t length, uint32_t *labels) {
    bool accepted, failed;
    const Certificate *c = d->certificate;
    for (size_t i = 0; i < length; i++) d->input[i] = c->alphabet[tokens[i]];
    if (!accepts(d, length, &accepted)) return false;
    if (!accepted) return true;
    const RaspSequence *values =
        domain_run(d->check, d->check->program, &d->sop, d->input, length, &failed);
    if (!values) return failed;
    for (size_t i = c->last ? length - 1 : 0; i < length; i++)
        labels[i] = domain_number(d, rasp_sequence_at(values, i));
    return true;
}

/* --- a task's labels -------------------------------------------------------------------- */

static uint64_t tokens_hash(const uint32_t *tokens, size_t length) {
    uint64_t hash = length;
    for (size_t k = 0; k < length; k++) hash = random_mix(hash ^ tokens[k]);
    return hash;
}

static const Line *find_line(const Domain *d, const uint32_t *tokens, size_t length, size_t *at) {
    *at = table_start(&d->line_table, tokens_hash(tokens, length));
    for (uint32_t k; (k = table_entry(&d->line_table, *at)) != TABLE_NONE;
         *at = table_next(&d->line_table, *at)) {
        const Line *line = &d->lines[k];
        if (line->length == length && memcmp(line->tokens, tokens, length * sizeof *tokens) == 0)
            return line;
    }
    return NULL;
}

static bool read_label(Domain *d, size_t k, const json_t *value, uint32_t *label) {
    RaspAtom atom;
    if (json_is_null(value)) return true;
    if (!json_atom(value, &atom)) return refuse(d->check, "line %zu of the task has no label", k);
    *label = domain_number(d, atom);
    return true;
}

/* One label is that of the last position, a list has one for each. */
static bool read_output(Domain *d, size_t k, const json_t *output, Line *line) {
    bool last = d->certificate->last, list = json_is_array(output);
    line->labels = ARENA_ARRAY(d->check->arena, line->length, uint32_t);
    for (size_t i = 0; i < line->length; i++) line->labels[i] = LABEL_NONE;
    if (!output) return refuse(d->check, "line %zu of the task has no field 'output'", k);
    if (list && json_array_size(output) != line->length)
        return refuse(d->check, "expected %zu labels in line %zu of the task, found %zu",
                      line->length, k, json_array_size(output));
    if (!list && !last && !json_is_null(output))
        return refuse(d->check, "expected a list of labels in line %zu of the task", k);
    for (size_t i = last ? line->length - 1 : 0; i < line->length; i++)
        if (!read_label(d, k, list ? json_array_get(output, i) : output, &line->labels[i]))
            return false;
    return true;
}

static bool read_line(Domain *d, size_t k, const json_t *value) {
    Line line;
    size_t at;
    uint32_t *tokens;
    char what[40];
    const Certificate *c = d->certificate;
    snprintf(what, sizeof what, "line %zu of the task", k);
    const json_t *input = field(d->check, value, what, "input", FIELD_LIST);
    if (!input) return false;
    line.length = json_array_size(input);
    /* What is not of the domain may be there all the same. */
    if (line.length == 0 || line.length > c->max_length ||
        !certificate_tokens(d->check, c, input, &tokens, &line.length) ||
        (c->first >= 0 && tokens[0] != (uint32_t)c->first))
        return true;
    line.tokens = tokens;
    if (find_line(d, tokens, line.length, &at)) return refuse(d->check, "%s is there twice", what);
    if (!read_output(d, k, json_object_get(value, "output"), &line)) return false;
    if (line.length > d->longest) d->longest = line.length;
    for (size_t i = 0; i < line.length; i++) d->occurs[tokens[i]] = true;
    d->lines[d->line_count] = line;
    table_put(&d->line_table, at, d->line_count++);
    return true;
}

/* A task knows no other tokens and lengths than its lines have. */
static bool check_extent(Domain *d) {
    char shown[80];
    const Certificate *c = d->certificate;
    if (d->longest != c->max_length)
        return refuse(d->check, "expected max_length %zu, that of the task's lines, found %zu",
                      d->longest, c->max_length);
    for (size_t t = 0; t < c->symbols; t++)
        if (!d->occurs[t])
            return refuse(d->check, "the token %s of the alphabet is in no line of the task",
                          atom_show_json(c->alphabet[t], shown));
    return true;
}

static bool read_task(Domain *d) {
    size_t count = json_array_size(d->certificate->task);
    d->occurs = ARENA_ARRAY(d->check->arena, d->certificate->symbols, bool);
    d->lines = ARENA_ARRAY(d->check->arena, count + 1, Line);
    d->line_table = table_new(d->check->arena, count + 1);
    for (size_t k = 0; k < count; k++)
        if (!read_line(d, k, json_array_get(d->certificate->task, k))) return false;
    return check_extent(d);
}

/* --- the domain ------------------------------------------------------------------------- */

static bool open_program(Domain *d) {
    RaspError error;
    Check *check = d->check;
    const Certificate *c = d->certificate;
    for (size_t k = 1; k < c->symbols; k++)
        if (c->alphabet[k].kind != c->alphabet[0].kind)
            return refuse(check, "expected tokens of one kind in the alphabet of a program");
    if (!domain_program(check, c->program, "the program", &check->program, &d->sop)) return false;
    return !c->where || rasp_program_expression(check->program, c->where, &d->where, &error) ||
           refuse_for(check, "'where'", &error);
}

Domain *domain_open(Check *check, const Certificate *c) {
    Domain *d = ARENA_NEW(check->arena, Domain);
    d->check = check;
    d->certificate = c;
    d->input = ARENA_ARRAY(check->arena, c->max_length, RaspAtom);
    d->label_table = table_new(check->arena, 16);
    return (c->task ? read_task(d) : open_program(d)) ? d : NULL;
}

bool domain_labels(Domain *d, const uint32_t *tokens, size_t length, uint32_t *labels) {
    size_t at;
    budget_poll(&d->check->budget);
    for (size_t i = 0; i < length; i++) labels[i] = LABEL_NONE;
    if (!d->certificate->task) return program_labels(d, tokens, length, labels);
    const Line *line = find_line(d, tokens, length, &at);
    if (line) memcpy(labels, line->labels, length * sizeof *labels);
    return true;
}

bool domain_check(Domain *d, Certificate *c) {
    char said[80], shown[80], input[120];
    uint32_t *labels = ARENA_ARRAY(d->check->arena, c->max_length, uint32_t);
    for (size_t k = 0; k < c->instance_count; k++) {
        Instance *instance = &c->instances[k];
        if (!domain_labels(d, instance->tokens, instance->length, labels)) return false;
        instance->label = labels[instance->position];
        domain_show(d, instance->tokens, instance->length, input);
        if (instance->label == LABEL_NONE)
            return refuse(d->check, "instance %zu, %s at position %u, is none of the task's", k,
                          input, instance->position);
        RaspAtom value = domain_label(d, instance->label);
        RaspAtom written;
        if (!json_says(instance->said, value) &&
            !(json_atom(instance->said, &written) && rasp_atom_equal(written, value)))
            return refuse(d->check,
                          "expected the label %s of instance %zu, %s at position %u, found %s",
                          atom_show_json(value, shown), k, input, instance->position,
                          json_show(instance->said, said));
    }
    return true;
}

/* The next input of the same length, in the alphabet's order; false behind the last. */
static bool next_input(const Certificate *c, uint32_t *tokens, size_t length) {
    size_t fixed = c->first >= 0;
    for (size_t i = length; i-- > fixed;) {
        if (++tokens[i] < c->symbols) return true;
        tokens[i] = 0;
    }
    return false;
}

static bool visit_input(Domain *d, const uint32_t *tokens, size_t length, uint32_t *labels,
                        DomainVisit *visit, void *context, size_t *total) {
    size_t count = 0;
    if (!domain_labels(d, tokens, length, labels)) return false;
    for (size_t i = 0; i < length; i++) count += labels[i] != LABEL_NONE;
    *total += count;
    return count == 0 || !visit || visit(context, tokens, length, labels);
}

bool domain_each(Domain *d, DomainVisit *visit, void *context, size_t *total) {
    const Certificate *c = d->certificate;
    uint32_t *tokens = ARENA_ARRAY(d->check->arena, c->max_length, uint32_t);
    uint32_t *labels = ARENA_ARRAY(d->check->arena, c->max_length, uint32_t);
    *total = 0;
    for (size_t k = 0; k < d->line_count; k++)
        if (!visit_input(d, d->lines[k].tokens, d->lines[k].length, labels, visit, context, total))
            return false;
    for (size_t length = 1; !c->task && length <= c->max_length; length++) {
        memset(tokens, 0, length * sizeof *tokens);
        if (c->first >= 0) tokens[0] = (uint32_t)c->first;
        do
            if (!visit_input(d, tokens, length, labels, visit, context, total)) return false;
        while (next_input(c, tokens, length));
    }
    return true;
}

const char *domain_show(const Domain *d, const uint32_t *tokens, size_t length, char text[120]) {
    size_t used = 0;
    for (size_t i = 0; i < length; i++) {
        char token[80];
        if (rasp_atom_text(d->certificate->alphabet[tokens[i]], RASP_PLAIN, token, 80) >= 80 ||
            used + strlen(token) > 100) {
            strcpy(text + used, "...");
            return text;
        }
        used += (size_t)sprintf(text + used, "%s%s", i ? " " : "", token);
    }
    return text;
}
