/* Running layers on every instance: what they bring decides the label, or they are refused. */
#include "express/verify/layer.h"

#include "express/verify/field.h"
#include "express/verify/grammar.h"

#include "base/random.h"
#include "base/table.h"

#include <stdio.h>
#include <string.h>

/* A head of class average or unique as tables.  Literals as numbers: 0 is the sink, else
 * position * symbols + token + 1. */
typedef struct Head {
    const uint32_t **orders; /* by key: average: the literals selected, a bit each; unique: the
                                place of each literal in the order, 0 if it has none */
    uint32_t **values;       /* average: of each value the literals that have 1, a bit each */
} Head;

typedef struct Layer {
    Check *check;
    const Certificate *certificate;
    Domain *domain;
    size_t literals; /* of the domain */
    Head *heads;
    GrammarHead *grammar;
    size_t width; /* fractions an instance */
    /* What the heads bring, `width` fractions behind the key, and the label that it had. */
    uint32_t *rows;
    size_t row_size, row_count, row_room;
    Table table;
    RaspSop answer; /* of check->answer */
    RaspAtom *input;
} Layer;

static uint32_t divisor(uint32_t a, uint32_t b) {
    while (b) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

Fraction fraction_of(uint32_t above, uint32_t below) {
    if (below == 0) return (Fraction){0, 0};
    uint32_t g = divisor(above, below);
    return (Fraction){above / g, below / g};
}

/* --- reading ---------------------------------------------------------------------------- */

static bool read_literal(const Layer *s, const json_t *value, uint32_t *literal) {
    int32_t position;
    uint32_t token;
    if (!certificate_literal(s->check, s->certificate, value, true, &position, &token))
        return false;
    *literal =
        position < 0 ? 0 : (uint32_t)position * (uint32_t)s->certificate->symbols + token + 1;
    return true;
}

static void put_bit(uint32_t *bits, uint32_t k) {
    bits[k / 32] |= (uint32_t)1 << k % 32;
}

static bool has_bit(const uint32_t *bits, uint32_t k) {
    return bits[k / 32] >> k % 32 & 1;
}

/* A set of literals. */
static uint32_t *read_set(Layer *s, const json_t *list) {
    uint32_t literal;
    uint32_t *set = ARENA_ARRAY(s->check->arena, s->literals / 32 + 1, uint32_t);
    if (!json_is_array(list)) {
        refuse(s->check, "expected a list of literals in the layer");
        return NULL;
    }
    for (size_t k = 0; k < json_array_size(list); k++) {
        if (!read_literal(s, json_array_get(list, k), &literal)) return NULL;
        put_bit(set, literal);
    }
    return set;
}

/* A list of distinct literals: the place of each, from 1. */
static uint32_t *read_order(Layer *s, const json_t *list) {
    uint32_t literal;
    char shown[80];
    uint32_t *places = ARENA_ARRAY(s->check->arena, s->literals, uint32_t);
    if (!json_is_array(list)) {
        refuse(s->check, "expected a list of literals in the layer");
        return NULL;
    }
    for (size_t k = 0; k < json_array_size(list); k++) {
        if (!read_literal(s, json_array_get(list, k), &literal)) return NULL;
        if (places[literal]) {
            refuse(s->check, "an order of the layer has %s twice",
                   json_show(json_array_get(list, k), shown));
            return NULL;
        }
        places[literal] = (uint32_t)k + 1;
    }
    return places;
}

/* "select" or "orders": of each key that is named its literals. */
static bool read_keys(Layer *s, const json_t *list, Head *head) {
    const Certificate *c = s->certificate;
    bool unique = c->class == CLASS_UNIQUE;
    char shown[80];
    head->orders = ARENA_ARRAY(s->check->arena, s->literals, const uint32_t *);
    for (size_t k = 0; k < json_array_size(list); k++) {
        int32_t position;
        uint32_t token;
        const json_t *entry = json_array_get(list, k), *key = json_object_get(entry, "key");
        if (!certificate_literal(s->check, c, key, false, &position, &token)) return false;
        const uint32_t **order = &head->orders[(size_t)position * c->symbols + token];
        if (*order)
            return refuse(s->check, "a head of the layer has the key %s twice",
                          json_show(key, shown));
        *order = (unique ? read_order : read_set)(s, json_object_get(entry, "literals"));
        if (!*order) return false;
    }
    return true;
}

static bool read_values(Layer *s, const json_t *head, Head *into) {
    const Certificate *c = s->certificate;
    const json_t *values = field(s->check, head, "a head of the layer", "values", FIELD_LIST);
    if (!values) return false;
    if (json_array_size(values) != c->values)
        return refuse(s->check, "expected %zu values in a head of the layer, found %zu", c->values,
                      json_array_size(values));
    into->values = ARENA_ARRAY(s->check->arena, c->values, uint32_t *);
    for (size_t m = 0; m < c->values; m++)
        if (!(into->values[m] = read_set(s, json_array_get(values, m)))) return false;
    return true;
}

static bool read_heads(Layer *s) {
    const Certificate *c = s->certificate;
    bool unique = c->class == CLASS_UNIQUE;
    const json_t *list = field(s->check, c->layer, "the layer", "heads", FIELD_LIST);
    if (!list) return false;
    if (json_array_size(list) != c->heads)
        return refuse(s->check, "expected %zu heads in the layer, found %zu", c->heads,
                      json_array_size(list));
    s->heads = ARENA_ARRAY(s->check->arena, c->heads, Head);
    for (size_t h = 0; h < c->heads; h++) {
        const json_t *head = json_array_get(list, h);
        const json_t *keys =
            field(s->check, head, "a head of the layer", unique ? "orders" : "select", FIELD_LIST);
        if (!keys || !read_keys(s, keys, &s->heads[h]) ||
            (!unique && !read_values(s, head, &s->heads[h])))
            return false;
    }
    return true;
}

/* --- what heads bring ------------------------------------------------------------------- */

/* Literal p of an input. */
static uint32_t literal_at(const Layer *s, const uint32_t *tokens, size_t p) {
    return p == 0 ? 0 : (uint32_t)((p - 1) * s->certificate->symbols) + tokens[p - 1] + 1;
}

static void bring_averages(const Layer *s, const Head *head, const uint32_t *selected,
                           const uint32_t *tokens, size_t length, Fraction *out) {
    for (size_t m = 0; m < s->certificate->values; m++) {
        uint32_t ones = 0, width = 0;
        for (size_t p = 0; selected && p <= length; p++) {
            uint32_t literal = literal_at(s, tokens, p);
            if (!has_bit(selected, literal)) continue;
            width++;
            ones += has_bit(head->values[m], literal);
        }
        out[m] = fraction_of(ones, width);
    }
}

/* The first of the order that is present, else the sink. */
static Fraction bring_first(const Layer *s, const uint32_t *places, const uint32_t *tokens,
                            size_t length) {
    uint32_t best = UINT32_MAX;
    Fraction out = {0, 0};
    for (size_t p = 0; places && p <= length; p++) {
        uint32_t place = places[literal_at(s, tokens, p)];
        if (place == 0 || place >= best) continue;
        best = place;
        out = p == 0 ? (Fraction){0, 0} : (Fraction){(uint32_t)p, tokens[p - 1] + 1};
    }
    return out;
}

static void bring(const Layer *s, const uint32_t *tokens, size_t length, size_t i, Fraction *out) {
    const Certificate *c = s->certificate;
    for (size_t h = 0; h < c->heads; h++) {
        if (s->grammar) {
            out[h] = grammar_head(&s->grammar[h], tokens, length, i);
            continue;
        }
        const uint32_t *order = s->heads[h].orders[i * c->symbols + tokens[i]];
        if (c->class == CLASS_UNIQUE)
            out[h] = bring_first(s, order, tokens, length);
        else
            bring_averages(s, &s->heads[h], order, tokens, length, out + h * c->values);
    }
}

/* --- all instances ---------------------------------------------------------------------- */

static uint64_t row_hash(const uint32_t *row, size_t size) {
    uint64_t hash = size;
    for (size_t k = 0; k < size; k++) hash = random_mix(hash ^ row[k]);
    return hash;
}

static void grow_table(Layer *s) {
    size_t size = 2 * s->table.size;
    table_free(&s->table, s->check->arena);
    s->table = table_new(s->check->arena, size / 2);
    for (size_t r = 0; r < s->row_count; r++) {
        size_t at = table_start(&s->table, row_hash(s->rows + r * s->row_size, s->row_size - 1));
        while (table_entry(&s->table, at) != TABLE_NONE) at = table_next(&s->table, at);
        table_put(&s->table, at, r);
    }
}

/* The row that is the same but for the label, or the new one itself. */
static const uint32_t *same_row(Layer *s) {
    const uint32_t *row = s->rows + s->row_count * s->row_size;
    size_t bytes = (s->row_size - 1) * sizeof *row;
    if (table_full(&s->table, s->row_count)) grow_table(s);
    size_t at = table_start(&s->table, row_hash(row, s->row_size - 1));
    for (uint32_t k; (k = table_entry(&s->table, at)) != TABLE_NONE;
         at = table_next(&s->table, at)) {
        const uint32_t *other = s->rows + k * s->row_size;
        if (memcmp(other, row, bytes) == 0) return other;
    }
    table_put(&s->table, at, s->row_count++);
    return row;
}

static bool judge(Layer *s, const uint32_t *tokens, size_t length, size_t i, uint32_t label) {
    char input[120], a[80], b[80];
    size_t need = (s->row_count + 1) * s->row_size;
    s->rows = BLOCK_GROW(s->check->arena, s->rows, &s->row_room, need);
    uint32_t *row = s->rows + s->row_count * s->row_size;
    row[0] = (uint32_t)i;
    row[1] = tokens[i];
    bring(s, tokens, length, i, (Fraction *)(row + 2));
    row[s->row_size - 1] = label;
    const uint32_t *same = same_row(s);
    if (same[s->row_size - 1] == label) return true;
    return refuse(s->check,
                  "the layer brings the same for %s at position %zu, whose label is %s, and for an "
                  "instance with the label %s",
                  domain_show(s->domain, tokens, length, input), i,
                  atom_show_json(domain_label(s->domain, label), a),
                  atom_show_json(domain_label(s->domain, same[s->row_size - 1]), b));
}

/* The program that is said to do it, on the same input. */
static bool ask_answer(Layer *s, const uint32_t *tokens, size_t length, const uint32_t *labels) {
    bool failed;
    char input[120], a[80], b[80];
    for (size_t i = 0; i < length; i++) s->input[i] = s->certificate->alphabet[tokens[i]];
    const RaspSequence *values =
        domain_run(s->check, s->check->answer, &s->answer, s->input, length, &failed);
    domain_show(s->domain, tokens, length, input);
    if (!values) return refuse(s->check, "the program found fails on the input %s", input);
    for (size_t i = 0; i < length; i++) {
        RaspAtom found = rasp_sequence_at(values, i);
        if (labels[i] != LABEL_NONE && domain_number(s->domain, found) != labels[i])
            return refuse(s->check,
                          "expected %s from the program found on %s at position %zu, found %s",
                          atom_show_json(domain_label(s->domain, labels[i]), a), input, i,
                          atom_show_json(found, b));
    }
    return true;
}

static bool visit(void *context, const uint32_t *tokens, size_t length, const uint32_t *labels) {
    Layer *s = context;
    if (s->grammar && length > GRAMMAR_LONGEST)
        return refuse(s->check, "expected inputs of at most %d tokens, found %zu", GRAMMAR_LONGEST,
                      length);
    for (size_t i = 0; i < length; i++)
        if (labels[i] != LABEL_NONE && !judge(s, tokens, length, i, labels[i])) return false;
    return !s->check->answer || ask_answer(s, tokens, length, labels);
}

/* The program found must be of one layer. */
static bool open_answer(Layer *s) {
    RaspError error;
    Check *check = s->check;
    const json_t *source = s->certificate->source;
    if (!source) return true;
    if (!domain_program(check, source, "the program found", &check->answer, &s->answer))
        return false;
    const RaspLayers *layers = rasp_program_layers(check->answer, &s->answer, &error);
    if (!layers) return refuse_for(check, "the program found", &error);
    if (layers->count <= 1) return true;
    return refuse(check, "expected a program of one attention layer, found one of %u",
                  layers->count);
}

bool layer_holds(Check *check, const Certificate *c, Domain *domain, size_t *total) {
    Layer s = {.check = check, .certificate = c, .domain = domain};
    bool grammar = c->class == CLASS_RELATIVE || c->class == CLASS_ABSOLUTE;
    if (c->class >= CLASS_NO_POSITIONS)
        return refuse(check, "the class '%s' only ever says no", c->class_name);
    if (!c->layer) return refuse(check, "the certificate has no field 'layer', expected an object");
    s.literals = 1 + c->max_length * c->symbols;
    if (grammar ? !(s.grammar = grammar_heads(check, c)) : !read_heads(&s)) return false;
    s.width = c->heads * (c->class == CLASS_AVERAGE ? c->values : 1);
    s.row_size = 2 + 2 * s.width + 1;
    s.table = table_new(check->arena, 1024);
    s.input = ARENA_ARRAY(check->arena, c->max_length, RaspAtom);
    return open_answer(&s) && domain_each(domain, visit, &s, total);
}
