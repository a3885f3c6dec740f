#include "interp/exec/plan.h"

#include <math.h>
#include <string.h>

/* Is the column NaN anywhere? */
static bool column_has_nan(const Column *column) {
    size_t count = column->constant ? 1 : column->length;
    if (column->form == COLUMN_FLOAT)
        for (size_t i = 0; i < count; i++)
            if (isnan(column->floats[i])) return true;
    if (column->form == COLUMN_ATOM)
        for (size_t i = 0; i < count; i++)
            if (column->atoms[i].kind == ATOM_FLOAT && isnan(column->atoms[i].f)) return true;
    return false;
}

/* --- the formula as a table --------------------------------------------------------------- */

enum {
    MAX_PARTS = 64,  /* steps of the formula above its variables */
    MAX_TABLE = 1024 /* assignments of outcomes to the variables */
};

/* A step of the formula that is a variable, a value that depends on nothing, or above such. */
typedef struct Part {
    size_t step;
    int variable; /* or -1 */
    size_t a, b;  /* and, or, not: parts */
} Part;

/* The formula as a function of its variables: one row an assignment, the first variable
 * slowest. */
typedef struct Planner {
    Formula *formula;
    Plan *plan;
    Part part[MAX_PARTS]; /* from the last step down */
    size_t part_count;
    size_t size[PLAN_MAX_VARIABLES + 1]; /* rows below a choice of the first k outcomes */
    int table[MAX_TABLE];
    long effort; /* expansions that may still be tried */
} Planner;

static int outcome_count(const Variable *variable) {
    return variable->kind != VARIABLE_PAIR ? 2 : variable->unordered ? 4 : 3;
}

static bool same_pair(const FormulaStep *a, const FormulaStep *b) {
    return a->key == b->key && a->query == b->query;
}

/* The variable that the step reads, which may be a new one; -1: no more room. */
static int variable_of(Planner *planner, size_t step, VariableKind kind) {
    Plan *plan = planner->plan;
    const FormulaStep *steps = planner->formula->steps;
    for (size_t v = 0; v < plan->variable_count; v++) {
        const Variable *variable = &plan->variable[v];
        if (variable->kind != kind) continue;
        if (kind == VARIABLE_PAIR ? same_pair(&steps[variable->step], &steps[step])
                                  : variable->step == step)
            return (int)v;
    }
    if (plan->variable_count == PLAN_MAX_VARIABLES) return -1;
    bool unordered = kind == VARIABLE_PAIR &&
                     (column_has_nan(steps[step].keys) || column_has_nan(steps[step].queries));
    plan->variable[plan->variable_count] =
        (Variable){.kind = kind, .unordered = unordered, .step = step};
    return (int)plan->variable_count++;
}

/* The part of the step, which may be a new one; parts stay in descending order of steps.
 * false: too many. */
static bool add_part(Planner *planner, size_t step) {
    size_t k = planner->part_count;
    while (k > 0 && planner->part[k - 1].step < step) k--;
    if (k > 0 && planner->part[k - 1].step == step) return true;
    if (planner->part_count == MAX_PARTS) return false;
    memmove(planner->part + k + 1, planner->part + k,
            (planner->part_count++ - k) * sizeof *planner->part);
    planner->part[k] = (Part){.step = step, .variable = -1};
    return true;
}

static size_t part_of(const Planner *planner, size_t step) {
    size_t k = 0;
    while (planner->part[k].step != step) k++;
    return k;
}

/* From the last step down: the largest parts that depend on the key alone or on the query
 * alone are predicates, comparisons of both are pairs.  false: too many. */
static bool find_variables(Planner *planner) {
    const Formula *formula = planner->formula;
    if (!add_part(planner, formula->count - 1)) return false;
    for (size_t k = 0; k < planner->part_count; k++) {
        Part *part = &planner->part[k];
        const FormulaStep *step = &formula->steps[part->step];
        if (step->reach == 0) continue;
        bool pair = step->reach == (REACH_KEY | REACH_QUERY);
        if (pair && step->kind != NODE_SELECT) {
            if (!add_part(planner, step->a) || !add_part(planner, step->b)) return false;
            continue;
        }
        VariableKind kind = pair                       ? VARIABLE_PAIR
                            : step->reach == REACH_KEY ? VARIABLE_KEY
                                                       : VARIABLE_QUERY;
        part->variable = variable_of(planner, part->step, kind);
        if (part->variable < 0) return false;
    }
    for (size_t k = 0; k < planner->part_count; k++) {
        Part *part = &planner->part[k];
        const FormulaStep *step = &formula->steps[part->step];
        if (part->variable >= 0 || step->reach == 0) continue;
        part->a = part_of(planner, step->a);
        part->b = part_of(planner, step->b);
    }
    return true;
}

/* Predicates first: the cheapest to tell apart.  Keeps the order otherwise. */
static void sort_variables(Planner *planner) {
    Plan *plan = planner->plan;
    Variable sorted[PLAN_MAX_VARIABLES];
    int to[PLAN_MAX_VARIABLES];
    size_t count = 0;
    for (int pair = 0; pair < 2; pair++)
        for (size_t v = 0; v < plan->variable_count; v++)
            if ((plan->variable[v].kind == VARIABLE_PAIR) == pair) {
                to[v] = (int)count;
                sorted[count++] = plan->variable[v];
            }
    memcpy(plan->variable, sorted, count * sizeof *sorted);
    for (size_t k = 0; k < planner->part_count; k++)
        if (planner->part[k].variable >= 0)
            planner->part[k].variable = to[planner->part[k].variable];
}

/* Arguments come behind their parts. */
static bool evaluate(const Planner *planner, const unsigned *outcome) {
    bool value[MAX_PARTS];
    for (size_t k = planner->part_count; k-- > 0;) {
        const Part *part = &planner->part[k];
        const FormulaStep *step = &planner->formula->steps[part->step];
        int v = part->variable;
        if (step->reach == 0)
            value[k] = planner->formula->cell[part->step];
        else if (v >= 0)
            value[k] = planner->plan->variable[v].kind == VARIABLE_PAIR
                           ? (ops[step->op].holds & outcome[v]) != 0
                           : outcome[v] == OUTCOME_TRUE;
        else
            value[k] = step->kind == NODE_AND  ? value[part->a] && value[part->b]
                       : step->kind == NODE_OR ? value[part->a] || value[part->b]
                                               : !value[part->a];
    }
    return value[0];
}

/* false: the table would be too large. */
static bool fill_table(Planner *planner) {
    const Plan *plan = planner->plan;
    size_t *size = planner->size;
    size[plan->variable_count] = 1;
    for (size_t v = plan->variable_count; v-- > 0;)
        size[v] = size[v + 1] * (size_t)outcome_count(&plan->variable[v]);
    if (size[0] > MAX_TABLE) return false;
    for (size_t row = 0; row < size[0]; row++) {
        unsigned outcome[PLAN_MAX_VARIABLES] = {0};
        for (size_t v = 0; v < plan->variable_count; v++)
            outcome[v] = 1u << (row % size[v] / size[v + 1]);
        planner->table[row] = evaluate(planner, outcome);
    }
    return true;
}

/* --- the table as a sum of terms ---------------------------------------------------------- */

typedef struct TermList {
    size_t count;
    double cost;
    PlanTerm term[PLAN_MAX_TERMS];
} TermList;

#define IMPOSSIBLE 1e9

static bool is_order_mask(const Variable *variable, unsigned mask) {
    return variable->kind == VARIABLE_PAIR && mask != OUTCOME_ANY && mask != OUTCOME_EQUAL;
}

/* Measured at n = 10^6, in passes: equality costs a hash or a table, one order a binary
 * search in its group, two an offline dominance count. */
static double term_cost(const Planner *planner, const uint8_t *mask) {
    const Plan *plan = planner->plan;
    NodeId ordered[PLAN_MAX_VARIABLES];
    size_t orders = 0, equalities = 0;
    for (size_t v = 0; v < plan->variable_count; v++) {
        const Variable *variable = &plan->variable[v];
        NodeId key = planner->formula->steps[variable->step].key;
        equalities += variable->kind == VARIABLE_PAIR && mask[v] == OUTCOME_EQUAL;
        if (!is_order_mask(variable, mask[v])) continue;
        size_t k = 0;
        while (k < orders && ordered[k] != key) k++;
        if (k == orders) ordered[orders++] = key;
    }
    static const double order_cost[] = {1, 3, PLAN_TWO_ORDERS};
    return orders > 2 ? IMPOSSIBLE : order_cost[orders] + 2 * (double)equalities;
}

static void append(TermList *to, const TermList *from) {
    if (to->count + from->count > PLAN_MAX_TERMS) {
        to->cost = IMPOSSIBLE;
        return;
    }
    memcpy(to->term + to->count, from->term, from->count * sizeof *from->term);
    to->count += from->count;
    to->cost += from->cost;
}

static bool is_zero(const int *table, size_t size) {
    for (size_t k = 0; k < size; k++)
        if (table[k]) return false;
    return true;
}

/* The outcomes of one variable, by what they leave of the function: outcomes with the same
 * rest are one class.  A mask must be an interval of ranks, so {less, greater} is two. */
typedef struct Classes {
    size_t count;
    uint8_t mask[4];
    const int *rest[4];
} Classes;

static Classes classify(const Planner *planner, const int *table, size_t v, bool split) {
    const Variable *variable = &planner->plan->variable[v];
    size_t size = planner->size[v + 1];
    Classes classes = {0};
    for (int o = 0; o < outcome_count(variable); o++) {
        const int *rest = table + (size_t)o * size;
        size_t c = 0;
        while (c < classes.count && memcmp(classes.rest[c], rest, size * sizeof *rest) != 0) c++;
        bool gap = variable->kind == VARIABLE_PAIR && (1 << o) == OUTCOME_GREATER &&
                   c < classes.count && classes.mask[c] == OUTCOME_LESS;
        if (split && gap) c = classes.count;
        if (c == classes.count) classes.rest[classes.count++] = rest;
        classes.mask[c] |= (uint8_t)(1 << o);
    }
    return classes;
}

static void expand(Planner *planner, const int *table, size_t v, uint8_t *mask, TermList *out);

/* rest[c] - base, under the class's mask. */
static void expand_class(Planner *planner, const Classes *classes, size_t c, const int *base,
                         size_t v, uint8_t *mask, TermList *out) {
    int difference[MAX_TABLE];
    size_t size = planner->size[v + 1];
    for (size_t k = 0; k < size; k++) difference[k] = classes->rest[c][k] - (base ? base[k] : 0);
    TermList list;
    mask[v] = classes->mask[c];
    expand(planner, difference, v + 1, mask, &list);
    append(out, &list);
}

/* Every class by itself. */
static void expand_partition(Planner *planner, const int *table, size_t v, uint8_t *mask,
                             TermList *out) {
    Classes classes = classify(planner, table, v, true);
    *out = (TermList){0};
    for (size_t c = 0; c < classes.count; c++)
        expand_class(planner, &classes, c, NULL, v, mask, out);
}

/* The base's rest everywhere, and elsewhere what differs from it. */
static void expand_base(Planner *planner, const int *table, size_t v, const int *base,
                        uint8_t *mask, TermList *out) {
    mask[v] = OUTCOME_ANY;
    expand(planner, base, v + 1, mask, out);
    Classes classes = classify(planner, table, v, true);
    for (size_t c = 0; c < classes.count && out->cost < IMPOSSIBLE; c++)
        if (memcmp(classes.rest[c], base, planner->size[v + 1] * sizeof *base) != 0)
            expand_class(planner, &classes, c, base, v, mask, out);
}

static void expand_leaf(const Planner *planner, int weight, const uint8_t *mask, TermList *out) {
    double subtracting = weight < 0 ? 0.1 : 0; /* a little worse: a single slice needs no sums */
    *out = (TermList){.count = 1, .cost = term_cost(planner, mask) + subtracting};
    out->term[0].weight = weight;
    memcpy(out->term[0].mask, mask, planner->plan->variable_count);
}

/* The cheapest sum of terms that is `table`, a function of the variables from v on, below the
 * masks chosen for the ones before. */
static void expand(Planner *planner, const int *table, size_t v, uint8_t *mask, TermList *out) {
    *out = (TermList){0};
    if (is_zero(table, planner->size[v])) return;
    if (v == planner->plan->variable_count) {
        expand_leaf(planner, table[0], mask, out);
        return;
    }
    Classes classes = classify(planner, table, v, false);
    const Variable *variable = &planner->plan->variable[v];
    /* A mask never holds the unordered outcome, so its rest must be the base; with a single
     * class there is nothing to tell apart. */
    if (classes.count == 1 || variable->unordered) {
        const int *base = table + (size_t)(outcome_count(variable) - 1) * planner->size[v + 1];
        expand_base(planner, table, v, base, mask, out);
        return;
    }
    expand_partition(planner, table, v, mask, out);
    for (size_t c = 0; c < classes.count && planner->effort-- > 0; c++) {
        TermList list;
        expand_base(planner, table, v, classes.rest[c], mask, &list);
        if (list.cost < out->cost) *out = list;
    }
}

/* Terms with the same masks are one. */
static void merge_terms(TermList *list) {
    size_t count = 0;
    for (size_t k = 0; k < list->count; k++) {
        size_t m = 0;
        while (m < count &&
               memcmp(list->term[m].mask, list->term[k].mask, sizeof list->term[k].mask) != 0)
            m++;
        if (m == count)
            list->term[count++] = list->term[k];
        else
            list->term[m].weight += list->term[k].weight;
    }
    list->count = 0;
    for (size_t k = 0; k < count; k++)
        if (list->term[k].weight) list->term[list->count++] = list->term[k];
}

bool plan_make(Formula *formula, Plan *plan) {
    *plan = (Plan){0};
    Planner planner = {.formula = formula, .plan = plan, .effort = 1000};
    if (!find_variables(&planner)) return false;
    sort_variables(&planner);
    formula_cell(formula, 0, 0); /* for the steps that depend on nothing */
    if (!fill_table(&planner)) return false;
    TermList list;
    uint8_t mask[PLAN_MAX_VARIABLES] = {0};
    expand(&planner, planner.table, 0, mask, &list);
    if (list.cost >= IMPOSSIBLE) return false;
    merge_terms(&list);
    memcpy(plan->term, list.term, list.count * sizeof *list.term);
    plan->term_count = list.count;
    plan->cost = list.cost;
    return true;
}
