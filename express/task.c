#include "express/task.h"

#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_INSTANCES = 4000000 };

struct Oracle {
    RaspProgram *program;
    RaspSop sops[2]; /* the task, and the condition */
    size_t count;
};

/* --- labels ----------------------------------------------------------------------------- */

static RaspAtom keep(Task *task, RaspAtom label) {
    if (label.kind == RASP_STRING)
        label.as.s.text = arena_text(task->arena, label.as.s.text, label.as.s.length);
    return label;
}

/* Equal numbers of all kinds have equal hashes; so have all NaNs. */
static uint64_t atom_hash(RaspAtom atom) {
    double number = atom.kind == RASP_BOOL  ? atom.as.b
                    : atom.kind == RASP_INT ? (double)atom.as.i
                                            : atom.as.f;
    uint64_t hash = 0;
    if (atom.kind == RASP_STRING) {
        for (size_t k = 0; k < atom.as.s.length; k++)
            hash = random_mix(hash + (unsigned char)atom.as.s.text[k] + 1);
        return hash;
    }
    if (number == 0 || isnan(number)) return number == 0;
    memcpy(&hash, &number, sizeof hash);
    return random_mix(hash);
}

static uint64_t label_hash(const void *labels, uint32_t label) {
    return atom_hash(((const RaspAtom *)labels)[label]);
}

uint32_t task_label(Task *task, RaspAtom label) {
    Table *index = &task->label_index;
    if (!index->size) *index = table_new(task->arena, 16);
    if (table_full(index, task->label_count))
        table_grow(index, task->arena, task->label_count, label_hash, task->labels);
    size_t at = table_start(index, atom_hash(label));
    for (uint32_t k; (k = table_entry(index, at)) != TABLE_NONE; at = table_next(index, at))
        if (rasp_atom_equal(task->labels[k], label) || rasp_atom_same(task->labels[k], label))
            return k;
    table_put(index, at, task->label_count);
    task->labels = arena_grow(task->arena, task->labels, &task->label_room, task->label_count + 1,
                              sizeof *task->labels);
    task->labels[task->label_count] = keep(task, label);
    return (uint32_t)task->label_count++;
}

/* --- inputs in their order -------------------------------------------------------------- */

void task_first(const Task *task, uint8_t *tokens, uint32_t length) {
    memset(tokens, 0, length);
    if (task->first >= 0) tokens[0] = (uint8_t)task->first;
}

bool task_next(const Task *task, uint8_t *tokens, uint32_t length) {
    uint32_t fixed = task->first >= 0;
    for (uint32_t i = length; i-- > fixed;) {
        if (++tokens[i] < task->symbols) return true;
        tokens[i] = 0;
    }
    return false;
}

/* --- labels from a program -------------------------------------------------------------- */

typedef enum Asked { ASKED, ASKED_NOTHING, ASKED_BROKEN } Asked;

static bool inside(const RaspSequence *where) {
    for (size_t i = 0; i < rasp_sequence_length(where); i++) {
        RaspAtom value = rasp_sequence_at(where, i);
        if (value.kind != RASP_BOOL || !value.as.b) return false;
    }
    return true;
}

/* Runs one input; *run is for rasp_run_free. */
static Asked run_input(Task *task, const uint8_t *tokens, uint32_t length, RaspRun **run,
                       const RaspSequence **values, RaspError *error) {
    RaspAtom atoms[TASK_LONGEST];
    const Oracle *o = task->oracle;
    for (uint32_t i = 0; i < length; i++) atoms[i] = task->alphabet[tokens[i]];
    RaspInput input = {.tokens = atoms, .count = length};
    RaspRunOptions options = {.threads = 1};
    *run = rasp_run_new(o->program, &input, o->sops, o->count, &options, error);
    if (!*run) return ASKED_BROKEN;
    if (o->count > 1) {
        const RaspSequence *where = rasp_run_sequence(*run, 1, error);
        if (!where || !inside(where)) {
            task->outside++;
            return ASKED_NOTHING;
        }
    }
    *values = rasp_run_sequence(*run, 0, error);
    if (*values) return ASKED;
    task->failed += error->status == RASP_FAILED;
    return error->status == RASP_FAILED ? ASKED_NOTHING : ASKED_BROKEN;
}

int64_t task_ask(Task *task, const uint8_t *tokens, uint32_t length, uint32_t position) {
    RaspRun *run = NULL;
    RaspError error;
    const RaspSequence *values;
    int64_t label = -1;
    uint32_t outside = task->outside, failed = task->failed;
    if (run_input(task, tokens, length, &run, &values, &error) == ASKED)
        label = task_label(task, rasp_sequence_at(values, position));
    task->outside = outside;
    task->failed = failed;
    rasp_run_free(run);
    return label;
}

static void add(Task *task, const uint8_t *tokens, uint32_t length, uint32_t position,
                RaspAtom label, size_t *count) {
    task->instances =
        arena_grow(task->arena, task->instances, &task->room, *count + 1, sizeof *task->instances);
    task->instances[(*count)++] = (Instance){.tokens = tokens,
                                             .input = task->inputs,
                                             .label = task_label(task, label),
                                             .length = (uint8_t)length,
                                             .position = (uint8_t)position};
}

static bool add_input(Task *task, const uint8_t *tokens, uint32_t length, size_t *count,
                      RaspError *error) {
    RaspRun *run = NULL;
    const RaspSequence *values;
    Asked asked = run_input(task, tokens, length, &run, &values, error);
    if (asked == ASKED) {
        const uint8_t *kept =
            (const uint8_t *)arena_text(task->arena, (const char *)tokens, length);
        for (uint32_t i = task->last ? length - 1 : 0; i < length; i++)
            add(task, kept, length, i, rasp_sequence_at(values, i), count);
        task->inputs++;
    }
    rasp_run_free(run);
    return asked != ASKED_BROKEN;
}

static bool too_many(uint32_t length, RaspError *error) {
    *error = (RaspError){.status = RASP_FAILED};
    snprintf(error->text, sizeof error->text,
             "more than %d instances at length %u: lower --max-length or take fewer tokens "
             "(--alphabet)",
             MOST_INSTANCES, length);
    return false;
}

static bool extend_by_one(Task *task, RaspError *error) {
    uint8_t tokens[TASK_LONGEST];
    uint32_t length = task->length + 1;
    size_t count = task->until[task->length];
    double inputs = 1;
    for (uint32_t i = task->first >= 0; i < length; i++) inputs *= task->symbols;
    if (length > TASK_LONGEST || inputs * (task->last ? 1 : length) > MOST_INSTANCES)
        return too_many(length, error);
    task_first(task, tokens, length);
    do {
        budget_poll(arena_budget(task->arena));
        if (!add_input(task, tokens, length, &count, error)) return false;
    } while (task_next(task, tokens, length));
    task->until[length] = count;
    task->length = length;
    return true;
}

bool task_extend(Task *task, uint32_t length, RaspError *error) {
    while (task->length < length) {
        if (!task->oracle) {
            *error = (RaspError){.status = RASP_WRONG_USE};
            snprintf(error->text, sizeof error->text, "the task has no inputs longer than %u",
                     task->length);
            return false;
        }
        if (!extend_by_one(task, error)) return false;
    }
    return true;
}

Task *task_of_program(Arena *arena, RaspProgram *program, const RaspSop *sop, const RaspSop *where,
                      const RaspAtom *alphabet, uint32_t symbols, int32_t first, bool last) {
    Task *task = ARENA_NEW(arena, Task);
    *task = (Task){.arena = arena,
                   .alphabet = alphabet,
                   .symbols = symbols,
                   .last = last,
                   .first = first,
                   .oracle = ARENA_NEW(arena, Oracle)};
    *task->oracle = (Oracle){.program = program, .sops = {*sop}, .count = where ? 2 : 1};
    if (where) task->oracle->sops[1] = *where;
    return task;
}

/* --- texts ------------------------------------------------------------------------------ */

static const char *atom_text(Arena *arena, RaspAtom atom, RaspStyle style) {
    size_t size = rasp_atom_text(atom, style, NULL, 0) + 1;
    char *text = arena_alloc(arena, size);
    rasp_atom_text(atom, style, text, size);
    return text;
}

const char *task_token_text(const Task *task, uint32_t token) {
    return atom_text(task->arena, task->alphabet[token], RASP_PLAIN);
}

const char *task_label_text(const Task *task, uint32_t label) {
    return atom_text(task->arena, task->labels[label], RASP_PLAIN);
}

static bool single_characters(const Task *task) {
    for (uint32_t k = 0; k < task->symbols; k++) {
        const RaspAtom *a = &task->alphabet[k];
        if (a->kind != RASP_STRING || a->as.s.length == 0) return false;
        size_t chars = 0;
        for (size_t at = 0; at < a->as.s.length; at++)
            chars += ((unsigned char)a->as.s.text[at] & 0xC0) != 0x80;
        if (chars != 1) return false;
    }
    return true;
}

const char *task_alphabet_text(const Task *task) {
    bool plain = single_characters(task);
    const char *text = "";
    for (uint32_t k = 0; k < task->symbols; k++)
        plain &= !strpbrk(task_token_text(task, k), " \t\"[@");
    for (uint32_t k = 0; k < task->symbols; k++) {
        const char *token =
            atom_text(task->arena, task->alphabet[k], plain ? RASP_PLAIN : RASP_JSON);
        if (strpbrk(token, " \t")) return NULL;
        text = arena_format(task->arena, "%s%s%s", text, k && !plain ? "," : "", token);
    }
    return plain ? text : arena_format(task->arena, "[%s]", text);
}

const char *task_input_text(const Task *task, const Instance *x) {
    char *text = NULL;
    size_t size;
    bool plain = single_characters(task);
    FILE *out = open_memstream(&text, &size);
    if (!out) budget_stop(arena_budget(task->arena), BUDGET_OUT_OF_MEMORY);
    if (!plain) fputc('[', out);
    for (uint32_t i = 0; i < x->length; i++)
        fprintf(
            out, "%s%s", i && !plain ? ", " : "",
            atom_text(task->arena, task->alphabet[x->tokens[i]], plain ? RASP_PLAIN : RASP_JSON));
    if (!plain) fputc(']', out);
    fclose(out);
    const char *kept = arena_text(task->arena, text, size);
    free(text);
    return kept;
}
