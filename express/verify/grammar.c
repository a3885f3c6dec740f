/* The two grammars: their aggregates, and the proof that none will do. */
#include "express/verify/grammar.h"

#include "express/verify/field.h"

#include <stdio.h>
#include <string.h>

static const char *const compare_signs[] = {
    [EQUAL] = "==",   [NOT_EQUAL] = "!=", [LESS] = "<",
    [AT_MOST] = "<=", [GREATER] = ">",    [AT_LEAST] = ">=",
};

enum { LEAST_SHIFT = -2, MOST_SHIFT = 1 };

static bool holds(Compare compare, int64_t a, int64_t b) {
    switch (compare) {
    case EQUAL:
        return a == b;
    case NOT_EQUAL:
        return a != b;
    case LESS:
        return a < b;
    case AT_MOST:
        return a <= b;
    case GREATER:
        return a > b;
    default:
        return a >= b;
    }
}

/* --- what there is ---------------------------------------------------------------------- */

GrammarAtom *grammar_atoms(Check *check, const Certificate *c, size_t *count) {
    bool absolute = c->class == CLASS_ABSOLUTE;
    size_t shifts = MOST_SHIFT - LEAST_SHIFT + 1;
    size_t most = 4 + COMPARES * (1 + c->symbols + shifts + c->max_length);
    GrammarAtom *atoms = ARENA_ARRAY(check->arena, most, GrammarAtom);
    size_t n = 0;
    for (int32_t k = 0; k < 2; k++) atoms[n++] = (GrammarAtom){ATOM_CONSTANT, EQUAL, k};
    for (int op = 0; op < COMPARES; op++) {
        Compare compare = (Compare)op;
        atoms[n++] = (GrammarAtom){ATOM_TOKEN_QUERY, compare, 0};
        for (int32_t t = 0; t < (int32_t)c->symbols; t++)
            atoms[n++] = (GrammarAtom){ATOM_TOKEN, compare, t};
        for (int32_t d = LEAST_SHIFT; d <= MOST_SHIFT; d++)
            atoms[n++] = (GrammarAtom){ATOM_INDEX_QUERY, compare, d};
        for (int32_t i = 0; absolute && i < (int32_t)c->max_length; i++)
            atoms[n++] = (GrammarAtom){ATOM_INDEX, compare, i};
    }
    for (int32_t k = 0; absolute && k < 2; k++) atoms[n++] = (GrammarAtom){ATOM_PARITY, EQUAL, k};
    *count = n;
    return atoms;
}

GrammarValue *grammar_values(Check *check, const Certificate *c, size_t *count) {
    GrammarValue *values = ARENA_ARRAY(check->arena, c->symbols + 4, GrammarValue);
    size_t n = 0;
    for (uint32_t t = 0; t < c->symbols; t++) values[n++] = (GrammarValue){VALUE_TOKEN, t};
    values[n++] = (GrammarValue){VALUE_TOKENS, 0};
    values[n++] = (GrammarValue){VALUE_WIDTH, 0};
    if (c->class == CLASS_ABSOLUTE) {
        values[n++] = (GrammarValue){VALUE_INDICES, 0};
        values[n++] = (GrammarValue){VALUE_PARITY, 0};
    }
    *count = n;
    return values;
}

/* --- on an input ------------------------------------------------------------------------ */

static bool selects(const GrammarAtom *a, const uint32_t *tokens, size_t query, size_t key) {
    switch (a->kind) {
    case ATOM_CONSTANT:
        return a->number != 0;
    case ATOM_TOKEN_QUERY:
        return holds(a->compare, tokens[key], tokens[query]);
    case ATOM_TOKEN:
        return holds(a->compare, tokens[key], a->number);
    case ATOM_INDEX_QUERY:
        return holds(a->compare, (int64_t)key, (int64_t)query + a->number);
    case ATOM_INDEX:
        return holds(a->compare, (int64_t)key, a->number);
    case ATOM_PARITY:
        return (int32_t)(key % 2) == a->number;
    }
    return false;
}

uint64_t grammar_row(const GrammarAtom *atom, const uint32_t *tokens, size_t length, size_t query) {
    uint64_t row = 0;
    for (size_t k = 0; k < length; k++) row |= (uint64_t)selects(atom, tokens, query, k) << k;
    return row;
}

Fraction grammar_bring(GrammarValue value, const uint32_t *tokens, uint64_t row) {
    uint32_t sum = 0, width = 0;
    for (; row; row &= row - 1) {
        uint32_t k = (uint32_t)__builtin_ctzll(row);
        width++;
        if (value.kind == VALUE_TOKEN) sum += tokens[k] == value.token;
        if (value.kind == VALUE_TOKENS) sum += tokens[k];
        if (value.kind == VALUE_INDICES) sum += k;
        if (value.kind == VALUE_PARITY) sum += k % 2;
    }
    return value.kind == VALUE_WIDTH ? (Fraction){width, 1} : fraction_of(sum, width);
}

Fraction grammar_head(const GrammarHead *head, const uint32_t *tokens, size_t length,
                      size_t query) {
    uint64_t row = grammar_row(&head->atoms[0], tokens, length, query);
    if (head->join == JOIN_AND) row &= grammar_row(&head->atoms[1], tokens, length, query);
    if (head->join == JOIN_OR) row |= grammar_row(&head->atoms[1], tokens, length, query);
    return grammar_bring(head->value, tokens, row);
}

/* --- a layer's text --------------------------------------------------------------------- */

static const char *word_at(const json_t *list, size_t k) {
    const char *word = json_string_value(json_array_get(list, k));
    return word ? word : "";
}

static bool read_number(const Certificate *c, const json_t *value, GrammarAtom *a) {
    int64_t least = 0, most = 1, number;
    if (a->kind == ATOM_TOKEN) {
        a->number = (int32_t)certificate_token(c, value);
        return a->number >= 0;
    }
    if (a->kind == ATOM_INDEX_QUERY) least = LEAST_SHIFT, most = MOST_SHIFT;
    if (a->kind == ATOM_INDEX) most = (int64_t)c->max_length - 1;
    bool fine = json_number_within(value, least, most, &number);
    a->number = fine ? (int32_t)number : 0;
    return fine;
}

static bool parse_atom(const Certificate *c, const json_t *list, GrammarAtom *a) {
    static const struct {
        const char *word, *other;
        size_t size;
        AtomKind kind;
    } forms[] = {
        {"true", "", 1, ATOM_CONSTANT},
        {"false", "", 1, ATOM_CONSTANT},
        {"tokens", "query", 3, ATOM_TOKEN_QUERY},
        {"tokens", "token", 4, ATOM_TOKEN},
        {"indices", "query", 4, ATOM_INDEX_QUERY},
        {"indices", "index", 4, ATOM_INDEX},
        {"parity", "", 2, ATOM_PARITY},
    };
    *a = (GrammarAtom){.compare = COMPARES};
    size_t size = json_array_size(list), form = 0, forms_count = sizeof forms / sizeof *forms;
    for (; form < forms_count; form++)
        if (size == forms[form].size && strcmp(word_at(list, 0), forms[form].word) == 0 &&
            strcmp(size > 2 ? word_at(list, 2) : "", forms[form].other) == 0)
            break;
    if (form == forms_count) return false;
    a->kind = forms[form].kind;
    a->number = form == 0; /* true */
    if (a->kind >= ATOM_INDEX && c->class != CLASS_ABSOLUTE) return false;
    if (size < 3) return size == 1 || read_number(c, json_array_get(list, 1), a);
    for (int op = 0; op < COMPARES; op++)
        if (strcmp(word_at(list, 1), compare_signs[op]) == 0) a->compare = (Compare)op;
    return a->compare != COMPARES && (size == 3 || read_number(c, json_array_get(list, 3), a));
}

static bool read_atom(Check *check, const Certificate *c, const json_t *list, GrammarAtom *a) {
    char shown[80];
    return parse_atom(c, list, a) || refuse(check, "expected an atom of the grammar '%s', found %s",
                                            c->class_name, json_show(list, shown));
}

static bool read_selector(Check *check, const Certificate *c, const json_t *value,
                          GrammarHead *head) {
    const json_t *op, *atoms;
    if (!json_is_object(value)) return read_atom(check, c, value, &head->atoms[0]);
    if (!(op = field(check, value, "a selector", "op", FIELD_TEXT)) ||
        !(atoms = field(check, value, "a selector", "atoms", FIELD_LIST)))
        return false;
    head->join = strcmp(json_string_value(op), "and") == 0 ? JOIN_AND : JOIN_OR;
    if (head->join == JOIN_OR && strcmp(json_string_value(op), "or") != 0)
        return refuse(check, "expected 'and' or 'or' in a selector, found '%.60s'",
                      json_string_value(op));
    if (json_array_size(atoms) != 2)
        return refuse(check, "expected two atoms in a selector, found %zu", json_array_size(atoms));
    return read_atom(check, c, json_array_get(atoms, 0), &head->atoms[0]) &&
           read_atom(check, c, json_array_get(atoms, 1), &head->atoms[1]);
}

static bool read_value(Check *check, const Certificate *c, const json_t *list, GrammarValue *v) {
    static const char *const names[] = {"token", "tokens", "width", "indices", "parity"};
    char shown[80];
    bool absolute = c->class == CLASS_ABSOLUTE;
    for (int kind = 0; kind < (absolute ? 5 : 3); kind++) {
        bool one = kind == (int)VALUE_TOKEN;
        if (json_array_size(list) != 1u + one || strcmp(word_at(list, 0), names[kind]) != 0)
            continue;
        ptrdiff_t token = one ? certificate_token(c, json_array_get(list, 1)) : 0;
        if (token < 0) break;
        *v = (GrammarValue){(ValueKind)kind, (uint32_t)token};
        return true;
    }
    return refuse(check, "expected a value of the grammar '%s', found %s", c->class_name,
                  json_show(list, shown));
}

GrammarHead *grammar_heads(Check *check, const Certificate *c) {
    const json_t *list = field(check, c->layer, "the layer", "heads", FIELD_LIST);
    if (!list) return NULL;
    if (json_array_size(list) != c->heads) {
        refuse(check, "expected %zu heads in the layer, found %zu", c->heads,
               json_array_size(list));
        return NULL;
    }
    GrammarHead *heads = ARENA_ARRAY(check->arena, c->heads, GrammarHead);
    for (size_t h = 0; h < c->heads; h++) {
        const json_t *head = json_array_get(list, h);
        if (!read_selector(check, c, json_object_get(head, "selector"), &heads[h]) ||
            !read_value(check, c, json_object_get(head, "value"), &heads[h].value))
            return NULL;
    }
    return heads;
}
