#include "compile/values/position_rows.h"

#include "compile/values/numbers.h"
#include "compile/values/values_private.h"

#include <math.h>

/* One comparison, in inputs of the length at hand. */
typedef struct Line {
    const NodeValues *key, *query;
    const double *key_number, *query_number; /* by level; NaN: it is no number */
    unsigned holds;
    double *number;       /* of the keys, by position */
    signed char goes;     /* up 1, down -1, or neither 0 */
    uint32_t below, upto; /* keys before the query's place, and before what is behind it */
} Line;

typedef struct Part {
    const Literals *literals;
    Line *line; /* by literal */
    bool scanned;
} Part;

struct PositionRows {
    Values *values;
    Part *part;
    uint32_t parts;
    uint32_t length; /* lines are of this one; 0: of none */
    uint32_t *cut;   /* where a comparison of the row at hand may change */
    uint32_t cuts;
    Stretch *stretch, *scanned; /* of the row at hand */
};

static const double *level_numbers(const NodeValues *v, Arena *arena) {
    double *number = ARENA_ARRAY(arena, v->count, double);
    for (uint32_t k = 0; k < v->count; k++)
        number[k] = number_is_exact(v->levels[k]) ? atom_double(v->levels[k]) : NAN;
    return number;
}

PositionRows *position_rows_new(Values *values, const Literals *selectors, uint32_t count,
                                Arena *arena) {
    PositionRows *r = ARENA_NEW(arena, PositionRows);
    size_t longest = values->domain->max_length, lines = 0;
    *r = (PositionRows){.values = values, .parts = count};
    r->part = ARENA_ARRAY(arena, count, Part);
    for (uint32_t p = 0; p < count; p++) {
        const Literals *literals = &selectors[p];
        Line *line = ARENA_ARRAY(arena, literals->count, Line);
        for (uint32_t k = 0; k < literals->count; k++) {
            const Node *node = graph_node(values->graph, literals->select[k]);
            const NodeValues *key = &values->entry[node->arg[0]]->values;
            const NodeValues *query = &values->entry[node->arg[1]]->values;
            line[k] = (Line){.key = key,
                             .query = query,
                             .key_number = level_numbers(key, arena),
                             .query_number = level_numbers(query, arena),
                             .holds = ops[node->op].holds,
                             .number = ARENA_ARRAY(arena, longest, double)};
        }
        r->part[p] = (Part){literals, line, false};
        lines += literals->count;
    }
    r->cut = ARENA_ARRAY(arena, 2 * lines + 2, uint32_t);
    r->stretch = ARENA_ARRAY(arena, 2 * lines + 1, Stretch);
    r->scanned = ARENA_ARRAY(arena, longest, Stretch);
    return r;
}

/* The number that stands in a context; NaN where there is none. */
static double number_at(const PositionRows *r, const NodeValues *v, const double *number,
                        uint32_t context) {
    uint32_t count;
    const uint32_t *member = sets_get(r->values->sets, v->sets[context], &count);
    return count ? number[member[0]] : NAN;
}

static void prepare_line(const PositionRows *r, Line *line, uint32_t n) {
    bool up = true, down = true;
    for (uint32_t j = 0; j < n; j++) {
        double x = number_at(r, line->key, line->key_number, context_of(n, j));
        line->number[j] = x;
        up &= j == 0 ? x == x : line->number[j - 1] <= x;
        down &= j == 0 ? x == x : line->number[j - 1] >= x;
    }
    line->goes = up ? 1 : down ? -1 : 0;
}

static void prepare(PositionRows *r, uint32_t n) {
    for (uint32_t p = 0; p < r->parts; p++) {
        Part *part = &r->part[p];
        part->scanned = false;
        for (uint32_t k = 0; k < part->literals->count; k++) {
            prepare_line(r, &part->line[k], n);
            part->scanned |= part->line[k].goes == 0;
        }
    }
    r->length = n;
}

/* How many keys stand before the query; with those that are equal to it, or without. */
static uint32_t keys_before(const Line *line, uint32_t n, double query, bool equal) {
    uint32_t low = 0, high = n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        double x = line->number[middle];
        bool before = line->goes > 0 ? x < query : x > query;
        if (before || (equal && x == query))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void add_cut(PositionRows *r, uint32_t cut) {
    uint32_t k = r->cuts;
    while (k > 0 && r->cut[k - 1] > cut) k--;
    if (k > 0 && r->cut[k - 1] == cut) return;
    for (uint32_t m = r->cuts++; m > k; m--) r->cut[m] = r->cut[m - 1];
    r->cut[k] = cut;
}

/* False: a query is no number. */
static bool place_queries(PositionRows *r, const Part *part, uint32_t n, uint32_t i) {
    for (uint32_t k = 0; k < part->literals->count; k++) {
        Line *line = &part->line[k];
        double query = number_at(r, line->query, line->query_number, context_of(n, i));
        if (query != query) return false;
        line->below = keys_before(line, n, query, false);
        line->upto = keys_before(line, n, query, true);
        add_cut(r, line->below);
        add_cut(r, line->upto);
    }
    return true;
}

static bool holds_at(const Part *part, uint32_t j) {
    bool holds[MAX_LITERALS];
    for (uint32_t k = 0; k < part->literals->count; k++) {
        const Line *line = &part->line[k];
        Outcome before = line->goes > 0 ? OUTCOME_LESS : OUTCOME_GREATER;
        Outcome behind = line->goes > 0 ? OUTCOME_GREATER : OUTCOME_LESS;
        unsigned outcome = j < line->below ? before : j < line->upto ? OUTCOME_EQUAL : behind;
        holds[k] = (line->holds & outcome) != 0;
    }
    return literals_hold(part->literals, holds);
}

static void add_stretch(Stretch *list, uint32_t *count, uint32_t first, uint32_t last) {
    if (*count && list[*count - 1].last == first)
        list[*count - 1].last = last;
    else
        list[(*count)++] = (Stretch){first, last};
}

/* Does a selector that is not known by stretches hold? */
static bool scan_at(const PositionRows *r, const bool *scanned, uint32_t n, uint32_t j,
                    uint32_t i) {
    for (uint32_t p = 0; p < r->parts; p++)
        if (scanned[p] && positional_cell(r->values, r->part[p].literals, n, j, i) != 1)
            return false;
    return true;
}

const Stretch *position_rows_at(PositionRows *r, uint32_t n, uint32_t i, uint32_t *count,
                                double *work) {
    bool scanned[MAX_LITERALS], any = false;
    uint32_t found = 0, kept = 0;
    double looked_at = 1;
    if (r->length != n) prepare(r, n);
    r->cut[0] = 0, r->cut[1] = n, r->cuts = 2;
    for (uint32_t p = 0; p < r->parts; p++) {
        scanned[p] = r->part[p].scanned || !place_queries(r, &r->part[p], n, i);
        any |= scanned[p];
    }
    for (uint32_t c = 0; c + 1 < r->cuts; c++) {
        bool holds = true;
        for (uint32_t p = 0; p < r->parts && holds; p++)
            holds = scanned[p] || holds_at(&r->part[p], r->cut[c]);
        if (holds) add_stretch(r->stretch, &found, r->cut[c], r->cut[c + 1]);
    }
    for (uint32_t s = 0; any && s < found; s++)
        for (uint32_t j = r->stretch[s].first; j < r->stretch[s].last; j++, looked_at++)
            if (scan_at(r, scanned, n, j, i)) add_stretch(r->scanned, &kept, j, j + 1);
    if (work) *work += looked_at;
    *count = any ? kept : found;
    return any ? r->scanned : r->stretch;
}
