#include "compile/values/sums.h"

#include "compile/values/numbers.h"
#include "compile/values/values_private.h"

#include <stdlib.h>

enum {
    FEW_PAIRS = 40000, /* of a width and a sum: there is a table for them */
    MANY_SUMS = 1 << 16,
    MOST_ROWS_SUMMED = 1 << 22 /* keys of rows that are added up one by one */
};
static const double LARGEST = 0x1p50;

/* The least and the greatest value at each context. */
typedef struct Ends {
    const int64_t *least, *most;
} Ends;

/* --- conditions ------------------------------------------------------------------------- */

/* mean * width, either way round. */
static bool is_product(const Graph *graph, const Node *node, NodeId *mean, NodeId *width) {
    if (node->kind != NODE_MAP || node->op != OP_MUL) return false;
    int at = graph_node(graph, node->arg[0])->kind == NODE_AGGREGATE ? 0 : 1;
    *mean = node->arg[at], *width = node->arg[1 - at];
    return graph_node(graph, *mean)->kind == NODE_AGGREGATE;
}

/* Whole numbers of this size, no bools; *step divides all their differences. */
static bool all_whole(const NodeValues *v, double most, int64_t *step) {
    *step = 0;
    for (uint32_t k = 0; k < v->count; k++) {
        if (v->kinds[k] & (IS_BOOL | IS_STRING) || !number_is_exact(v->levels[k])) return false;
        double x = atom_double(v->levels[k]);
        if (x != trunc(x) || !(fabs(x) <= most)) return false;
        int64_t a = *step, b = llabs((int64_t)x - (int64_t)atom_double(v->levels[0]));
        while (b) {
            int64_t rest = a % b;
            a = b, b = rest;
        }
        *step = a;
    }
    return v->count > 1;
}

/* Is the s-op everywhere the number of keys that the row selects? */
static bool counts_keys(Values *values, NodeId width, const SelectorFacts *facts) {
    const NodeValues *w = values_of(values, width);
    if (!facts->never_empty || !w) return false;
    for (uint32_t c = 0; c < domain_contexts(values->domain); c++) {
        uint32_t count;
        const uint32_t *member = sets_get(values->sets, w->sets[c], &count);
        if (facts->least[c] != facts->most[c] || count != 1) return false;
        if (w->kinds[*member] & (IS_BOOL | IS_STRING)) return false;
        if (atom_double(w->levels[*member]) != facts->most[c]) return false;
    }
    return true;
}

/* --- ranges ----------------------------------------------------------------------------- */

static Ends find_ends(Values *values, const NodeValues *v, Arena *arena) {
    uint32_t contexts = domain_contexts(values->domain);
    int64_t *least = ARENA_ARRAY(arena, contexts, int64_t);
    int64_t *most = ARENA_ARRAY(arena, contexts, int64_t);
    TupleMap *seen = tuple_map_new(arena, 1);
    for (uint32_t c = 0; c < contexts; c++) {
        bool found;
        uint32_t count, *first = tuple_map_at(seen, &v->sets[c], &found);
        if (found) {
            least[c] = least[*first], most[c] = most[*first];
            continue;
        }
        *first = c;
        const uint32_t *member = sets_get(values->sets, v->sets[c], &count);
        for (uint32_t k = 0; k < count; k++) {
            int64_t x = (int64_t)atom_double(v->levels[member[k]]);
            if (k == 0 || x < least[c]) least[c] = x;
            if (k == 0 || x > most[c]) most[c] = x;
        }
    }
    return (Ends){least, most};
}

static void include(SumLine *line, double least, double most) {
    if (!(fabs(least) < LARGEST && fabs(most) < LARGEST)) least = -LARGEST, most = LARGEST;
    if (line->width == 0 || least < (double)line->least) line->least = (int64_t)least;
    if (line->width == 0 || most > (double)line->most) line->most = (int64_t)most;
}

/* Of all rows with keys among those of an input of length n: by the least and the greatest value
 * of any; where it is known which they are, of each. */
typedef struct Summing {
    Values *values;
    const SelectorFacts *facts;
    Literals literals;
    bool certain; /* which keys a row selects */
    Ends ends;
    SumLine *line; /* by width */
} Summing;

static void sum_row(const Summing *s, uint32_t n, uint32_t i, double *least, double *most) {
    *least = *most = 0;
    for (uint32_t j = 0; j < n; j++) {
        uint32_t c = context_of(n, j);
        if (!s->facts->everything && positional_cell(s->values, &s->literals, n, j, i) != 1)
            continue;
        *least += (double)s->ends.least[c], *most += (double)s->ends.most[c];
    }
}

static void sum_length(const Summing *s, uint32_t n) {
    uint32_t first = context_of(n, 0);
    int64_t least = s->ends.least[first], most = s->ends.most[first];
    bool alike = true;
    for (uint32_t j = 1; j < n; j++) {
        alike &= s->ends.least[first + j] == least && s->ends.most[first + j] == most;
        if (s->ends.least[first + j] < least) least = s->ends.least[first + j];
        if (s->ends.most[first + j] > most) most = s->ends.most[first + j];
    }
    for (uint32_t i = 0; i < (s->facts->everything ? 1 : n); i++) {
        uint32_t width = s->facts->most[first + i];
        double low = (double)width * (double)least, high = (double)width * (double)most;
        if (!alike && s->certain) sum_row(s, n, i, &low, &high);
        include(&s->line[width], low, high);
        s->line[width].width = width;
    }
}

/* --- the sum of a product --------------------------------------------------------------- */

static bool find_lines(Values *values, NodeId selector, const NodeValues *v, WholeSum *sum) {
    uint32_t longest = values->domain->max_length;
    Arena *scratch = arena_child(values->arena);
    Summing s = {.values = values,
                 .facts = values_selector(values, selector),
                 .literals = selector_literals(values->graph, selector, scratch),
                 .ends = find_ends(values, v, scratch),
                 .line = ARENA_ARRAY(scratch, (size_t)longest + 1, SumLine)};
    double cells = (double)longest * longest * longest / 6;
    s.certain = s.facts->everything ||
                (cells <= MOST_ROWS_SUMMED && literals_positional(values, &s.literals));
    for (uint32_t n = 1; n <= longest; n++) {
        budget_poll(arena_budget(values->arena));
        sum_length(&s, n);
    }
    SumLine *line = ARENA_ARRAY(values->arena, (size_t)longest + 1, SumLine);
    double pairs = 0;
    for (uint32_t w = 1; w <= longest; w++) {
        if (s.line[w].width == 0) continue;
        line[sum->lines] = s.line[w];
        if (!sum->lines || s.line[w].least < sum->least) sum->least = s.line[w].least;
        if (!sum->lines || s.line[w].most > sum->most) sum->most = s.line[w].most;
        pairs += (double)(s.line[w].most - s.line[w].least) / (double)sum->step + 1;
        sum->lines++;
    }
    sum->line = line;
    double sums = ((double)sum->most - (double)sum->least) / (double)sum->step + 1;
    sum->many = sums > MANY_SUMS || sums > values->level_limit;
    arena_free(scratch);
    return pairs > FEW_PAIRS && fabs((double)sum->least) < LARGEST &&
           fabs((double)sum->most) < LARGEST;
}

static bool find_sum(Values *values, NodeId product, WholeSum *sum) {
    Node node = *graph_node(values->graph, product);
    if (values->runs || !is_product(values->graph, &node, &sum->mean, &sum->width)) return false;
    NodeId selector = graph_node(values->graph, sum->mean)->arg[0];
    const SelectorFacts *facts = values_selector(values, selector);
    const NodeValues *v = values_of(values, graph_node(values->graph, sum->mean)->arg[1]);
    double most = 0x1p53 / values->domain->max_length; /* what is added up here is exact */
    return facts && v && all_whole(v, most, &sum->step) && counts_keys(values, sum->width, facts) &&
           !values_moves(values, sum->mean) && find_lines(values, selector, v, sum);
}

static const WholeSum *sum_of_product(Values *values, NodeId product) {
    Entry *entry = values_entry(values, product);
    if (entry->sum_known) return entry->sum;
    WholeSum sum = {.lines = 0};
    bool found = find_sum(values, product, &sum);
    entry->sum_known = true;
    if (!found) return NULL;
    WholeSum *kept = ARENA_NEW(values->arena, WholeSum);
    *kept = sum;
    values_entry(values, sum.mean)->summed = true;
    return entry->sum = kept;
}

const WholeSum *values_whole_sum(Values *values, NodeId node) {
    const Node *n = graph_node(values->graph, node);
    if (n->kind != NODE_MAP || n->op != OP_ROUND) return NULL;
    const WholeSum *sum = sum_of_product(values, n->arg[0]);
    values_entry(values, node)->sum_source = sum != NULL;
    return sum;
}

bool values_sum_product(Values *values, NodeId node) {
    return sum_of_product(values, node) != NULL;
}

static void list_bounds(const NodeValues *v, double *least, double *most) {
    *least = *most = 0;
    for (uint32_t k = 0; k < v->count; k++) {
        double x = atom_double(v->levels[k]);
        *least = k ? fmin(*least, x) : x;
        *most = k ? fmax(*most, x) : x;
    }
}

/* One of them is not listed. */
static bool unlisted_addends(Values *values, const Node *node, double *least, double *most) {
    double low[2], high[2];
    bool unlisted = false;
    if (node->kind != NODE_MAP || node->op != OP_ADD) return false;
    for (int k = 0; k < 2; k++) unlisted = unlisted || values_entry(values, node->arg[k])->summed;
    for (int k = 0; k < 2 && unlisted; k++) {
        if (values_unlisted(values, node->arg[k], &low[k], &high[k])) continue;
        const NodeValues *v = values_of(values, node->arg[k]);
        if (!v || !values_numeric(v)) return false;
        list_bounds(v, &low[k], &high[k]);
    }
    if (unlisted) *least = low[0] + low[1], *most = high[0] + high[1];
    return unlisted;
}

bool values_unlisted(Values *values, NodeId node, double *least, double *most) {
    const Node n = *graph_node(values->graph, node);
    const WholeSum *sum = values_whole_sum(values, node);
    *least = *most = 0;
    if (sum && sum->many) {
        *least = (double)sum->least, *most = (double)sum->most;
        return true;
    }
    if (!values_entry(values, node)->summed) return unlisted_addends(values, &n, least, most);
    list_bounds(values_of(values, n.arg[1]), least, most);
    return true;
}

/* --- the sum's own values --------------------------------------------------------------- */

/* The line's sums, of those of one residue: that of its width times any value. */
static bool list_line(Values *values, NodeId node, const SumLine *line, int64_t step, SetId *set) {
    uint32_t count = 0, most = (uint32_t)((line->most - line->least) / step) + 1;
    uint32_t *member = ARENA_ARRAY(values->arena, most, uint32_t);
    for (int64_t x = line->least; x <= line->most; x += step) {
        member[count] = entry_level(values, node, atom_int(x));
        if (member[count++] == UINT32_MAX) return false;
    }
    *set = sets_add(values->sets, member, count);
    return true;
}

bool values_compute_sum(Values *values, NodeId node, Entry *entry) {
    const WholeSum *sum = values_whole_sum(values, node);
    double size = ((double)sum->most - (double)sum->least) / (double)sum->step + 1;
    if (size > values->level_limit)
        return values_too_large(values, node, "values", size, values->level_limit);
    NodeId selector = graph_node(values->graph, sum->mean)->arg[0];
    const SelectorFacts *facts = values_selector(values, selector);
    SetId *set = ARENA_ARRAY(values->arena, values->domain->max_length + 1, SetId);
    for (uint32_t k = 0; k < sum->lines; k++) {
        budget_poll(arena_budget(values->arena));
        if (!list_line(values, node, &sum->line[k], sum->step, &set[sum->line[k].width]))
            return false;
    }
    for (uint32_t c = 0; c < domain_contexts(values->domain); c++)
        entry->sets[c] = set[facts->most[c]];
    return true;
}
