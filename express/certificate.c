#include "express/certificate.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PAIRS = 512 };

typedef struct Certificate {
    json_t *root, *instances;
    const Task *task;
    Arena *arena;
    uint32_t *numbers; /* [instance] its place in the file + 1 */
    size_t count;      /* of instances in the file */
    uint32_t length;
} Certificate;

/* --- pieces ------------------------------------------------------------------------------------
 */

static json_t *atom_json(RaspAtom atom) {
    switch (atom.kind) {
    case RASP_BOOL:
        return json_boolean(atom.as.b);
    case RASP_INT:
        return json_integer(atom.as.i);
    case RASP_STRING:
        return json_stringn(atom.as.s.text, atom.as.s.length);
    default: {
        char text[64];
        json_t *real = json_real(atom.as.f);
        if (real) return real;
        rasp_atom_text(atom, RASP_JSON, text, sizeof text); /* "inf" and the like, in quotes */
        return json_loads(text, JSON_DECODE_ANY, NULL);
    }
    }
}

static json_t *text_or_null(const char *text) {
    return text ? json_string(text) : json_null();
}

static json_t *input_json(const Task *task, const Instance *x) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < x->length; i++)
        json_array_append_new(list, atom_json(task->alphabet[x->tokens[i]]));
    return list;
}

static void set(Certificate *c, const char *key, json_t *value) {
    json_object_set_new(c->root, key, value);
}

/* The instance's number in the file; new ones are added. */
static json_t *instance_json(Certificate *c, uint32_t e) {
    const Instance *x = &c->task->instances[e];
    if (!c->numbers[e]) {
        json_t *object = json_object();
        json_object_set_new(object, "input", input_json(c->task, x));
        json_object_set_new(object, "position", json_integer(x->position));
        json_object_set_new(object, "label", atom_json(c->task->labels[x->label]));
        json_array_append_new(c->instances, object);
        c->numbers[e] = (uint32_t)++c->count;
    }
    return json_integer(c->numbers[e] - 1);
}

static json_t *pairs_json(Certificate *c, const Pairs *pairs) {
    json_t *list = json_array();
    for (size_t k = 0; k < pairs->count; k++) {
        json_t *pair = json_array();
        json_array_append_new(pair, instance_json(c, pairs->at[k].x));
        json_array_append_new(pair, instance_json(c, pairs->at[k].y));
        json_array_append_new(list, pair);
    }
    return list;
}

static json_t *numbers_json(Certificate *c, const uint32_t *list, size_t count) {
    json_t *array = json_array();
    for (size_t k = 0; k < count; k++) json_array_append_new(array, instance_json(c, list[k]));
    return array;
}

/* --- the task ------------------------------------------------------------------------------------
 */

/* The lines of a task's file again: one an input, with null where there is no instance. */
static json_t *lines_json(const Task *task, size_t count) {
    json_t *lines = json_array();
    for (size_t e = 0; e < count;) {
        const Instance *x = &task->instances[e];
        json_t *line = json_object(), *labels = json_array();
        json_object_set_new(line, "input", input_json(task, x));
        bool only_last = x->position == x->length - 1;
        RaspAtom last = task->labels[x->label];
        for (uint32_t i = 0; i < x->length; i++)
            if (e < count && task->instances[e].input == x->input &&
                task->instances[e].position == i)
                json_array_append_new(labels, atom_json(task->labels[task->instances[e++].label]));
            else
                json_array_append_new(labels, json_null());
        json_object_set_new(line, "output", only_last ? atom_json(last) : json_incref(labels));
        json_decref(labels);
        json_array_append_new(lines, line);
    }
    return lines;
}

static void describe_task(Certificate *c, const Origin *origin) {
    const Task *task = c->task;
    json_t *alphabet = json_array();
    for (uint32_t k = 0; k < task->symbols; k++)
        json_array_append_new(alphabet, atom_json(task->alphabet[k]));
    set(c, "max_length", json_integer(c->length));
    set(c, "alphabet", alphabet);
    set(c, "last", json_boolean(task->last));
    set(c, "first", task->first < 0 ? json_null() : atom_json(task->alphabet[task->first]));
    set(c, "where", text_or_null(origin->where));
    set(c, "total", json_integer((json_int_t)task->until[c->length]));
    if (!origin->source) {
        set(c, "task", lines_json(task, task->until[c->length]));
        return;
    }
    json_t *program = json_object();
    json_object_set_new(program, "name", text_or_null(origin->name));
    json_object_set_new(program, "source", json_string(origin->source));
    if (origin->file_count) {
        json_t *files = json_array();
        for (size_t k = 0; k < origin->file_count; k++)
            json_array_append_new(files, json_pack("{s:s,s:s}", "path", origin->files[k].path,
                                                   "text", origin->files[k].text));
        json_object_set_new(program, "files", files);
    }
    json_object_set_new(program, "sop", text_or_null(origin->sop));
    json_object_set_new(program, "expression", text_or_null(origin->expression));
    set(c, "program", program);
}

/* --- no
 * -------------------------------------------------------------------------------------------- */

static bool prove(Certificate *c, const Query *q, const Witness *w, Limits *limits) {
    char *cnf, *proof;
    bool done = witness_prove(c->arena, c->task, q->kind, w->heads, w->values, limits, &w->pairs,
                              &cnf, &proof);
    if (done) {
        set(c, "cnf", json_string(cnf));
        set(c, "proof", json_string(proof));
    }
    free(cnf);
    free(proof);
    return done;
}

static bool write_no(Certificate *c, const Query *q, const Witness *w, Limits *limits) {
    bool counts = q->kind == CLASS_NO_POSITIONS || q->kind == CLASS_WINDOW;
    set(c, "verdict", json_string("no"));
    if (!counts) set(c, "heads", w->heads ? json_integer(w->heads) : json_null());
    if (q->kind == CLASS_AVERAGE) set(c, "values", json_integer(w->values));
    if (q->kind == CLASS_NO_POSITIONS) set(c, "mask", json_string("causal"));
    if (q->kind == CLASS_WINDOW) set(c, "distance", json_integer(q->distance));
    if (w->stuck) {
        set(c, "stuck", numbers_json(c, w->stuck, w->stuck_count));
        return true;
    }
    if (w->pairs.count > MOST_PAIRS) return false;
    set(c, "pairs", pairs_json(c, &w->pairs));
    return (q->kind != CLASS_AVERAGE && q->kind != CLASS_UNIQUE) || prove(c, q, w, limits);
}

static void write_bits(Certificate *c, const Verdict *v) {
    json_t *part = json_array();
    const Instance *x = &c->task->instances[v->rows[0]];
    for (uint32_t i = 0, taken = 0; taken < v->part; i++)
        if (i != x->position) json_array_append_new(part, json_integer(i)), taken++;
    set(c, "verdict", json_string("no"));
    set(c, "bits", json_integer(v->bits - 1));
    set(c, "part", part);
    set(c, "rows", numbers_json(c, v->rows, v->row_count));
}

/* --- yes
 * -------------------------------------------------------------------------------------------- */

static json_t *place_json(const Task *task, uint32_t key) {
    json_t *place = json_array();
    json_array_append_new(place, json_integer(key / task->symbols));
    json_array_append_new(place, atom_json(task->alphabet[key % task->symbols]));
    return place;
}

static json_t *literal_json(const Task *task, uint32_t literal) {
    if (literal) return place_json(task, literal - 1);
    json_t *sink = json_array();
    json_array_append_new(sink, json_integer(-1));
    return sink;
}

static json_t *average_json(const Task *task, const Layer *layer, unsigned h) {
    json_t *head = json_object(), *select = json_array(), *values = json_array();
    for (uint32_t key = 0; key < layer->keys; key++) {
        json_t *row = json_object(), *literals = json_array();
        for (uint32_t l = 0; l < layer->literals; l++)
            if (*layer_selects(layer, h, key, l))
                json_array_append_new(literals, literal_json(task, l));
        json_object_set_new(row, "key", place_json(task, key));
        json_object_set_new(row, "literals", literals);
        json_array_append_new(select, row);
    }
    for (unsigned m = 0; m < layer->values; m++) {
        json_t *ones = json_array();
        for (uint32_t l = 0; l < layer->literals; l++)
            if (*layer_value(layer, h, m, l)) json_array_append_new(ones, literal_json(task, l));
        json_array_append_new(values, ones);
    }
    json_object_set_new(head, "select", select);
    json_object_set_new(head, "values", values);
    return head;
}

static json_t *unique_json(const Task *task, const Layer *layer, unsigned h) {
    json_t *head = json_object(), *orders = json_array();
    for (uint32_t key = 0; key < layer->keys; key++) {
        const Order *order = &layer->orders[(size_t)h * layer->keys + key];
        json_t *row = json_object(), *literals = json_array();
        for (uint32_t k = 0; k < order->count; k++)
            json_array_append_new(literals, literal_json(task, order->literals[k]));
        json_object_set_new(row, "key", place_json(task, key));
        json_object_set_new(row, "literals", literals);
        json_array_append_new(orders, row);
    }
    json_object_set_new(head, "orders", orders);
    return head;
}

static json_t *atom_of_grammar(const Task *task, const GrammarAtom *a) {
    const char *op = compare_text(a->compare);
    switch (a->kind) {
    case ATOM_TRUE:
        return json_pack("[s]", "true");
    case ATOM_FALSE:
        return json_pack("[s]", "false");
    case ATOM_TOKEN_QUERY:
        return json_pack("[sss]", "tokens", op, "query");
    case ATOM_TOKEN:
        return json_pack("[ssso]", "tokens", op, "token", atom_json(task->alphabet[a->number]));
    case ATOM_INDEX_QUERY:
        return json_pack("[sssi]", "indices", op, "query", a->number);
    case ATOM_INDEX:
        return json_pack("[sssi]", "indices", op, "index", a->number);
    default:
        return json_pack("[si]", "parity", a->number);
    }
}

static json_t *value_of_grammar(const Task *task, const GrammarValue *v) {
    static const char *const names[] = {[VALUE_TOKENS] = "tokens",
                                        [VALUE_WIDTH] = "width",
                                        [VALUE_INDICES] = "indices",
                                        [VALUE_PARITY] = "parity"};
    if (v->kind == VALUE_IS_TOKEN)
        return json_pack("[so]", "token", atom_json(task->alphabet[v->token]));
    return json_pack("[s]", names[v->kind]);
}

static json_t *grammar_json(const Task *task, const Aggregate *a) {
    const Selector *s = &a->selector;
    json_t *selector = atom_of_grammar(task, &s->atoms[0]);
    if (s->join != SELECTOR_ATOM)
        selector = json_pack("{s:s,s:[oo]}", "op", s->join == SELECTOR_AND ? "and" : "or", "atoms",
                             selector, atom_of_grammar(task, &s->atoms[1]));
    return json_pack("{s:o,s:o}", "selector", selector, "value", value_of_grammar(task, &a->value));
}

static void write_yes(Certificate *c, const Query *q, const Layer *layer, const Emitted *e) {
    json_t *heads = json_array(), *object = json_object();
    for (unsigned h = 0; h < layer->heads; h++)
        json_array_append_new(heads, layer->kind == CLASS_AVERAGE ? average_json(c->task, layer, h)
                                     : layer->kind == CLASS_UNIQUE
                                         ? unique_json(c->task, layer, h)
                                         : grammar_json(c->task, &layer->aggregates[h]));
    json_object_set_new(object, "heads", heads);
    set(c, "verdict", json_string("yes"));
    set(c, "heads", json_integer(layer->heads));
    if (q->kind == CLASS_AVERAGE) set(c, "values", json_integer(layer->values));
    set(c, "layer", object);
    if (e && e->source && e->checked)
        set(c, "source", json_pack("{s:s,s:s}", "source", e->source, "sop", "answer"));
}

/* --- the file
 * ----------------------------------------------------------------------------------------- */

static bool fail(RaspError *error, const char *text) {
    *error = (RaspError){.status = RASP_FAILED};
    snprintf(error->text, sizeof error->text, "%s", text);
    return false;
}

static bool fill(Certificate *c, const Query *q, const Verdict *v, const Emitted *emitted,
                 Limits *limits, RaspError *error) {
    if (q->kind == CLASS_BITS) {
        if (v->bits == 0) return fail(error, "a layer need not carry any bits: nothing to certify");
        write_bits(c, v);
    } else if (v->witness) {
        if (!write_no(c, q, v->witness, limits))
            return fail(error,
                        "no proof within the limits (--time-limit, --max-memory, 512 pairs)");
    } else if (v->layer) {
        write_yes(c, q, v->layer, emitted);
    } else {
        return fail(error, "the class has no witness and no layer: nothing to certify");
    }
    return true;
}

bool certificate_write(FILE *out, Arena *arena, const Task *task, const Origin *origin,
                       const Query *q, const Verdict *v, const Emitted *emitted, Limits *limits,
                       RaspError *error) {
    bool no = v->witness && q->kind != CLASS_BITS;
    Certificate c = {.root = json_object(),
                     .instances = json_array(),
                     .task = task,
                     .arena = arena,
                     .length = no ? v->witness->length : v->length};
    c.numbers = ARENA_ARRAY(arena, task->until[task->length] + 1, uint32_t);
    set(&c, "format", json_string("rasp-express/1"));
    set(&c, "class", json_string(class_name((int)q->kind)));
    describe_task(&c, origin);
    bool fine = fill(&c, q, v, emitted, limits, error);
    set(&c, "instances", c.instances);
    if (fine && json_dumpf(c.root, out, JSON_INDENT(1) | JSON_ENSURE_ASCII) != 0)
        fine = fail(error, "out of memory");
    if (fine) fputc('\n', out);
    json_decref(c.root);
    return fine;
}
