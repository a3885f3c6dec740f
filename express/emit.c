#include "express/emit.h"

#include "base/random.h"
#include "base/table.h"
#include "express/emit_heads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the last table
 * --------------------------------------------------------------------------------- */

/* Do the kept columns determine the labels? */
static bool determined(const Heads *b) {
    Arena *scratch = arena_child(b->arena);
    size_t kept = 0;
    for (size_t c = 0; c < b->column_count; c++) kept += b->columns[c].kept;
    int32_t *rows = ARENA_BLOCK(scratch, b->count * kept * 2 + 1, int32_t), *to = rows;
    Table table = table_new(scratch, b->count + 1);
    uint32_t *first = ARENA_BLOCK(scratch, b->count + 1, uint32_t), groups = 0;
    bool fine = true;
    for (uint32_t e = 0; e < b->count && fine; e++) {
        const int32_t *row = to;
        uint64_t hash = 7;
        for (size_t c = 0; c < b->column_count; c++) {
            const Column *column = &b->columns[c];
            if (!column->kept) continue;
            *to++ = column->over[e];
            *to++ = column->under[e];
            hash = random_mix(hash ^ (uint64_t)(column->over[e] + 1) << 32 ^
                              (uint64_t)column->under[e]);
        }
        size_t at = table_start(&table, hash);
        uint32_t k;
        for (; (k = table_entry(&table, at)) != TABLE_NONE; at = table_next(&table, at))
            if (memcmp(&rows[first[k] * kept * 2], row, kept * 2 * sizeof *row) == 0) break;
        if (k == TABLE_NONE) {
            first[groups] = e;
            table_put(&table, at, groups++);
        } else {
            fine = b->task->instances[first[k]].label == b->task->instances[e].label;
        }
    }
    arena_free(scratch);
    return fine;
}

static void lowest_terms(const Heads *b) {
    for (size_t c = 0; c < b->column_count; c++)
        for (size_t e = 0; e < b->count; e++) {
            int32_t p = abs(b->columns[c].over[e]), q = b->columns[c].under[e];
            while (q) {
                int32_t rest = p % q;
                p = q;
                q = rest;
            }
            b->columns[c].over[e] /= p;
            b->columns[c].under[e] /= p;
        }
}

/* Columns that nothing needs: the position first, so that a program without it carries further. */
static void drop_columns(Heads *b) {
    for (size_t k = 0; k < b->column_count; k++) {
        size_t c = k == 0 ? 1 : k == 1 ? 0 : b->column_count + 1 - k;
        b->columns[c].kept = false;
        b->columns[c].kept = !determined(b);
    }
}

typedef struct Fraction {
    int32_t over, under;
} Fraction;

static int by_value(const void *a, const void *b) {
    const Fraction *p = a, *q = b;
    int64_t left = (int64_t)p->over * q->under, right = (int64_t)q->over * p->under;
    return (left > right) - (left < right);
}

/* The column's different values, sorted, and each instance's number among them. */
static Feature feature_of(const Heads *b, const Column *c, uint32_t *cells, size_t stride) {
    Fraction *list = ARENA_ARRAY(b->arena, b->count + 1, Fraction);
    uint32_t count = 0;
    for (size_t e = 0; e < b->count; e++) list[e] = (Fraction){c->over[e], c->under[e]};
    qsort(list, b->count, sizeof *list, by_value);
    for (size_t e = 0; e < b->count; e++)
        if (count == 0 || by_value(&list[count - 1], &list[e]) != 0) list[count++] = list[e];
    Feature f = {.name = c->name, .count = count, .ordered = !c->symbols};
    f.texts = ARENA_ARRAY(b->arena, count + 1, const char *);
    for (uint32_t k = 0; k < count; k++)
        f.texts[k] = c->symbols ? c->symbols[list[k].over]
                     : list[k].under == 1
                         ? arena_format(b->arena, "%d", list[k].over)
                         : arena_format(b->arena, "%d/%d", list[k].over, list[k].under);
    for (size_t e = 0; e < b->count; e++) {
        Fraction wanted = {c->over[e], c->under[e]};
        Fraction *at = bsearch(&wanted, list, count, sizeof *list, by_value);
        cells[e * stride] = (uint32_t)(at - list);
    }
    return f;
}

/* Labels as RASP writes them; NULL: one cannot be written. */
static const char **leaves_of(const Heads *b) {
    const Task *task = b->task;
    const char **leaves = ARENA_ARRAY(b->arena, task->label_count + 1, const char *);
    for (uint32_t k = 0; k < task->label_count; k++) {
        const char *text = task_label_text(task, k);
        bool is_text = task->labels[k].kind == RASP_STRING;
        bool is_float = task->labels[k].kind == RASP_FLOAT;
        if (is_text ? strpbrk(text, "\"\n\r") != NULL : is_float && strpbrk(text, "einf"))
            return NULL;
        leaves[k] = is_text ? arena_format(b->arena, "\"%s\"", text) : text;
    }
    return leaves;
}

/* A column that is the label already, at every instance. */
static bool is_label(const Heads *b, const Column *c) {
    if (!c->kept || c->symbols) return false;
    for (size_t e = 0; e < b->count; e++) {
        RaspAtom label = b->task->labels[b->task->instances[e].label];
        if (label.kind != RASP_INT && label.kind != RASP_FLOAT) return false;
        if (!rasp_atom_equal(label, rasp_float((double)c->over[e] / c->under[e]))) return false;
    }
    return true;
}

static const char *table_text(Heads *b, const char **leaves) {
    size_t kept = 0, at = 0;
    for (size_t c = 0; c < b->column_count; c++) {
        if (is_label(b, &b->columns[c])) return b->columns[c].name;
        kept += b->columns[c].kept;
    }
    Feature *features = ARENA_ARRAY(b->arena, kept + 1, Feature);
    uint32_t *cells = ARENA_ARRAY(b->arena, b->count * kept + 1, uint32_t);
    uint32_t *labels = ARENA_ARRAY(b->arena, b->count + 1, uint32_t);
    for (size_t e = 0; e < b->count; e++) labels[e] = b->task->instances[e].label;
    for (size_t c = 0; c < b->column_count; c++) {
        if (!b->columns[c].kept) continue;
        features[at] = feature_of(b, &b->columns[c], &cells[at], kept);
        at++;
    }
    Tree tree = {b->arena, b->out, &b->names,
                 features, kept,   cells,
                 labels,   leaves, (uint32_t)b->task->label_count};
    return tree_text(&tree, b->count);
}

/* --- the text
 * ----------------------------------------------------------------------------------------- */

static void key_columns(Heads *b) {
    Column *token = heads_add(b, "tokens", NULL);
    token->symbols = ARENA_ARRAY(b->arena, b->task->symbols, const char *);
    for (uint32_t k = 0; k < b->task->symbols; k++)
        token->symbols[k] = token_literal(b->arena, b->task, k);
    for (size_t e = 0; e < b->count; e++)
        token->over[e] = b->task->instances[e].tokens[b->task->instances[e].position];
    Column *index = heads_add(b, "indices", NULL);
    for (size_t e = 0; e < b->count; e++) index->over[e] = b->task->instances[e].position;
}

/* The heads' columns, and the table over those that are needed. */
static const char *columns_text(Heads *b, const char **leaves) {
    key_columns(b);
    heads_columns(b);
    lowest_terms(b);
    drop_columns(b);
    for (size_t c = 0; c < b->column_count; c++)
        if (b->columns[c].kept && b->columns[c].definition)
            fprintf(b->out, "%s = %s;\n", b->columns[c].name, b->columns[c].definition);
    return table_text(b, leaves);
}

/* Is it a label, and no s-op? */
static bool text_is_constant(const Heads *b, const char **leaves, const char *text) {
    for (uint32_t k = 0; k < b->task->label_count; k++)
        if (text == leaves[k]) return true;
    return false;
}

static bool write_source(Heads *b, Emitted *e) {
    const char **leaves = leaves_of(b);
    if (!leaves || !heads_writable(b)) {
        e->problem = "a token or a label that RASP has no text for";
        return false;
    }
    const char *text = heads_list(b, leaves);
    if (!text) text = columns_text(b, leaves);
    e->rule = b->rule ? b->rule : "no head: token and position are enough";
    bool is_constant = text_is_constant(b, leaves, text);
    fprintf(b->out, is_constant ? "answer = (%s if indices >= 0 else %s);\n" : "answer = %s;\n",
            text, text);
    return true;
}

/* What the layer was found for, so that `rasp compile` and `rasp check` ask no more of it. */
static void write_domain(FILE *out, const Task *task, uint32_t length) {
    const char *alphabet = task_alphabet_text(task);
    if (!alphabet) return;
    fprintf(out, "# rasp: alphabet=%s max-length=%u", alphabet, length);
    if (task->first >= 0) fprintf(out, " first=%s", task_token_text(task, (uint32_t)task->first));
    fputc('\n', out);
}

static void write_program(Arena *arena, const Task *task, const Layer *layer, uint32_t length,
                          size_t count, Emitted *e) {
    char *text = NULL;
    size_t size;
    Heads b = {.arena = arena, .task = task, .layer = layer, .count = count};
    b.out = open_memstream(&text, &size);
    if (!b.out) budget_stop(arena_budget(arena), BUDGET_OUT_OF_MEMORY);
    write_domain(b.out, task, length);
    bool fine = write_source(&b, e);
    fclose(b.out);
    if (fine) e->source = arena_text(arena, text, size);
    free(text);
}

/* --- checks
 * ------------------------------------------------------------------------------------------- */

static const RaspSequence *run_answer(RaspProgram *program, const Task *task, const uint8_t *tokens,
                                      uint32_t length, RaspRun **run) {
    RaspAtom atoms[TASK_LONGEST];
    RaspSop sop;
    RaspError error;
    RaspRunOptions options = {.threads = 1};
    *run = NULL;
    if (!rasp_program_sop(program, NULL, &sop, &error)) return NULL;
    for (uint32_t i = 0; i < length; i++) atoms[i] = task->alphabet[tokens[i]];
    *run = rasp_run_new(program, &(RaspInput){.tokens = atoms, .count = length}, &sop, 1, &options,
                        &error);
    return *run ? rasp_run_sequence(*run, 0, &error) : NULL;
}

/* The interpreter against every label. */
static bool check(RaspProgram *program, const Task *task, size_t count) {
    RaspRun *run = NULL;
    const RaspSequence *values = NULL;
    bool fine = true;
    for (size_t e = 0; e < count && fine; e++) {
        const Instance *x = &task->instances[e];
        if (e == 0 || x->tokens != task->instances[e - 1].tokens) {
            budget_poll(arena_budget(task->arena));
            rasp_run_free(run);
            values = run_answer(program, task, x->tokens, x->length, &run);
        }
        fine = values &&
               rasp_atom_equal(rasp_sequence_at(values, x->position), task->labels[x->label]);
    }
    rasp_run_free(run);
    return fine;
}

static void compile(RaspProgram *program, Arena *arena, const Task *task, uint32_t length,
                    const Limits *limits, Emitted *e) {
    RaspError error;
    RaspSop sop;
    RaspCertificate certificate;
    RaspTarget target = {
        .tokens = task->alphabet, .token_count = task->symbols, .max_length = length};
    double left = limits->until - limits_now();
    /* In half seconds, so that a message about it is the same in each run. */
    target.time_limit = limits->until > 0 ? (left > 0.5 ? ceil(2 * left) / 2 : 0.5) : 0;
    RaspModel *model = rasp_program_sop(program, NULL, &sop, &error)
                           ? rasp_compile(program, &sop, 1, &target, &error)
                           : NULL;
    if (!model || !rasp_model_certificate(model, &certificate)) {
        e->problem = arena_format(arena, "%s", error.text);
        rasp_model_free(model);
        return;
    }
    const RaspModelInfo *info = rasp_model_info(model);
    e->certified = certificate.holds && info->attention_layers <= 1;
    e->error = certificate.error;
    e->layers = info->attention_layers;
    e->heads = info->heads;
    e->parameters = info->parameters;
    if (!e->certified) e->problem = "its model has more than one attention layer";
    rasp_model_free(model);
}

/* --- how far it carries
 * ------------------------------------------------------------------------------ */

enum { CARRY_INPUTS = 1500 };

/* One input; true: fine. */
static bool carries(RaspProgram *program, Task *task, const uint8_t *tokens, uint32_t length,
                    Carry *c) {
    RaspRun *run;
    const RaspSequence *values = run_answer(program, task, tokens, length, &run);
    bool fine = true;
    for (uint32_t i = task->last ? length - 1 : 0; i < length && fine; i++) {
        int64_t label = task_ask(task, tokens, length, i);
        if (label < 0) break;
        RaspAtom wanted = task->labels[label];
        fine = values && rasp_atom_equal(rasp_sequence_at(values, i), wanted);
        if (fine) continue;
        Instance x = {.tokens = tokens, .length = (uint8_t)length, .position = (uint8_t)i};
        char found[128] = "an error";
        if (values) rasp_atom_text(rasp_sequence_at(values, i), RASP_PLAIN, found, sizeof found);
        *c = (Carry){.length = length,
                     .input = task_input_text(task, &x),
                     .position = i,
                     .expected = task_label_text(task, (uint32_t)label),
                     .found = arena_format(task->arena, "%s", found)};
    }
    rasp_run_free(run);
    return fine;
}

/* Of one length; without a fault it counts if none was left out for want of time. */
static void carries_length(RaspProgram *program, Task *task, uint32_t length, Limits *limits,
                           Carry *c) {
    uint8_t tokens[TASK_LONGEST];
    double inputs = 1;
    Random random = {.state = length};
    for (uint32_t i = task->first >= 0; i < length; i++) inputs *= task->symbols;
    bool sampled = inputs > CARRY_INPUTS, more = true;
    task_first(task, tokens, length);
    for (int k = 0; k < CARRY_INPUTS && more; k++) {
        if (limits_reached(limits)) return;
        for (uint32_t i = task->first >= 0; i < length && sampled; i++)
            tokens[i] = (uint8_t)random_below(&random, task->symbols);
        if (!carries(program, task, tokens, length, c)) return;
        more = sampled || task_next(task, tokens, length);
    }
    c->tried = length;
    c->sampled |= sampled;
}

static void carry(RaspProgram *program, Task *task, uint32_t length, Limits *limits, Emitted *e) {
    Carry *c = &e->carry;
    for (uint32_t n = length + 1; n <= length + 3 && n <= TASK_LONGEST; n++) {
        carries_length(program, task, n, limits, c);
        if (c->tried != n) break;
    }
    e->carried = c->length || c->tried;
}

/* --- all
 * -----------------------------------------------------------------------------------------------
 */

/* A grammar's program with no more heads, if there is one: it is easier to read. */
static const Layer *readable(Arena *arena, const Task *task, const Layer *layer, uint32_t length,
                             Limits *limits, const char **grammar) {
    for (int absolute = 0; absolute < 2 && layer->kind == CLASS_AVERAGE; absolute++) {
        Cover cover;
        if (layer->heads > 2 || task->until[length] > 20000 || limits_reached(limits)) break;
        cover_decide(arena, task, length, absolute, true, layer->heads, limits, &cover);
        if (!cover.least) continue;
        Layer *found =
            layer_new(arena, absolute ? CLASS_ABSOLUTE : CLASS_RELATIVE, cover.least, 1, 0, 0);
        found->aggregates = cover.aggregates;
        *grammar = absolute ? "absolute" : "relative";
        return found;
    }
    *grammar = layer->kind == CLASS_RELATIVE   ? "relative"
               : layer->kind == CLASS_ABSOLUTE ? "absolute"
                                               : "free";
    return layer;
}

const Emitted *emit_layer(Arena *arena, Task *task, const Verdict *v, const Query *q,
                          Limits *limits) {
    Emitted *e = ARENA_NEW(arena, Emitted);
    RaspError error;
    const Layer *layer = readable(arena, task, v->layer, v->length, limits, &e->grammar);
    (void)q;
    if (layer->kind == CLASS_AVERAGE) layer_simplify(v->layer, task, v->instances, limits);
    write_program(arena, task, layer, v->length, v->instances, e);
    if (!e->source) return e;
    RaspSource source = {.name = "express", .text = e->source, .length = strlen(e->source)};
    RaspProgram *program = rasp_program_load(&source, NULL, &error);
    if (!program) {
        e->problem = arena_format(arena, "%s", error.text);
        return e;
    }
    e->checked = check(program, task, v->instances);
    if (!e->checked) e->problem = "the interpreter gives another answer";
    if (e->checked && task->oracle) carry(program, task, v->length, limits, e);
    if (e->checked) compile(program, arena, task, v->length, limits, e);
    rasp_program_free(program);
    return e;
}
