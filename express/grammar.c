#include "express/grammar.h"

const char *compare_text(Compare compare) {
    static const char *const text[] = {"==", "!=", "<", "<=", ">", ">="};
    return text[compare];
}

static bool compare(Compare op, int32_t a, int32_t b) {
    switch (op) {
    case COMPARE_EQ:
        return a == b;
    case COMPARE_NE:
        return a != b;
    case COMPARE_LT:
        return a < b;
    case COMPARE_LE:
        return a <= b;
    case COMPARE_GT:
        return a > b;
    default:
        return a >= b;
    }
}

static bool holds(const GrammarAtom *atom, const Instance *x, int32_t j) {
    int32_t token = x->tokens[j], i = x->position;
    switch (atom->kind) {
    case ATOM_TRUE:
        return true;
    case ATOM_FALSE:
        return false;
    case ATOM_TOKEN_QUERY:
        return compare(atom->compare, token, x->tokens[i]);
    case ATOM_TOKEN:
        return compare(atom->compare, token, atom->number);
    case ATOM_INDEX_QUERY:
        return compare(atom->compare, j, i + atom->number);
    case ATOM_INDEX:
        return compare(atom->compare, j, atom->number);
    default:
        return j % 2 == atom->number;
    }
}

uint32_t atom_mask(const GrammarAtom *atom, const Task *task, const Instance *x) {
    uint32_t mask = 0;
    (void)task;
    for (int32_t j = 0; j < x->length; j++) mask |= (uint32_t)holds(atom, x, j) << j;
    return mask;
}

uint32_t selector_mask(const Selector *s, const Task *task, const Instance *x) {
    uint32_t a = atom_mask(&s->atoms[0], task, x);
    if (s->join == SELECTOR_ATOM) return a;
    uint32_t b = atom_mask(&s->atoms[1], task, x);
    return s->join == SELECTOR_AND ? a & b : a | b;
}

uint32_t value_over(const GrammarValue *value, uint32_t mask, const Task *task, const Instance *x) {
    uint32_t sum = 0, width = 0;
    (void)task;
    for (uint32_t rest = mask; rest; rest &= rest - 1, width++) {
        uint32_t j = (uint32_t)__builtin_ctz(rest);
        switch (value->kind) {
        case VALUE_IS_TOKEN:
            sum += x->tokens[j] == value->token;
            break;
        case VALUE_TOKENS:
            sum += x->tokens[j];
            break;
        case VALUE_INDICES:
            sum += j;
            break;
        case VALUE_PARITY:
            sum += j % 2;
            break;
        case VALUE_WIDTH:
            break;
        }
    }
    if (value->kind == VALUE_WIDTH) return width << 16 | 1;
    if (!width) return UINT32_MAX;
    uint32_t a = sum, b = width;
    while (b) {
        uint32_t r = a % b;
        a = b;
        b = r;
    }
    return sum / a << 16 | width / a;
}

uint32_t aggregate_value(const Aggregate *aggregate, const Task *task, const Instance *x) {
    return value_over(&aggregate->value, selector_mask(&aggregate->selector, task, x), task, x);
}

static void compares(GrammarAtom *atoms, size_t *count, int kind, int32_t number) {
    for (int op = 0; op < COMPARES; op++) {
        atoms[*count].kind = (unsigned)kind;
        atoms[*count].compare = (Compare)op;
        atoms[(*count)++].number = number;
    }
}

size_t grammar_list_atoms(Arena *arena, const Task *task, uint32_t length, bool absolute,
                          GrammarAtom **list) {
    size_t count = 0;
    GrammarAtom *atoms = *list =
        ARENA_ARRAY(arena, 4 + COMPARES * (1 + task->symbols + 4 + length), GrammarAtom);
    atoms[count++] = (GrammarAtom){.kind = ATOM_TRUE};
    atoms[count++] = (GrammarAtom){.kind = ATOM_FALSE};
    compares(atoms, &count, ATOM_TOKEN_QUERY, 0);
    for (uint32_t c = 0; c < task->symbols; c++) compares(atoms, &count, ATOM_TOKEN, (int32_t)c);
    static const int32_t shifts[] = {0, -1, 1, -2};
    for (int k = 0; k < 4; k++) compares(atoms, &count, ATOM_INDEX_QUERY, shifts[k]);
    if (!absolute) return count;
    for (uint32_t c = 0; c < length; c++) compares(atoms, &count, ATOM_INDEX, (int32_t)c);
    for (int32_t p = 0; p < 2; p++)
        atoms[count++] = (GrammarAtom){.kind = ATOM_PARITY, .number = p};
    return count;
}

size_t grammar_list_values(Arena *arena, const Task *task, bool absolute, GrammarValue **list) {
    size_t count = 0;
    GrammarValue *values = *list = ARENA_ARRAY(arena, task->symbols + 4, GrammarValue);
    values[count++] = (GrammarValue){.kind = VALUE_WIDTH};
    for (uint32_t c = 0; c < task->symbols; c++)
        values[count++] = (GrammarValue){.kind = VALUE_IS_TOKEN, .token = (int32_t)c};
    if (task->symbols > 2) values[count++] = (GrammarValue){.kind = VALUE_TOKENS};
    if (!absolute) return count;
    values[count++] = (GrammarValue){.kind = VALUE_INDICES};
    values[count++] = (GrammarValue){.kind = VALUE_PARITY};
    return count;
}
