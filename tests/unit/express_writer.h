/* Certificates about tiny tasks, written by a second program: clauses by plain loops over the
 * words of docs/express-certificates.md, layers from the search through all of them. */
#ifndef TESTS_EXPRESS_WRITER_H
#define TESTS_EXPRESS_WRITER_H

#include "tests/unit/express_tasks.h"

typedef struct TinyPairs {
    int count, at[20000][2]; /* instances of the task */
} TinyPairs;

/* Every conflict: of one key, or of all (-1). */
UNUSED static TinyPairs *all_pairs(const Tiny *t, int key) {
    TinyPairs *pairs = calloc(1, sizeof *pairs);
    for (int a = 0; a < t->count; a++)
        for (int b = 0; b < a; b++) {
            const TinyInstance *x = &t->at[a], *y = &t->at[b];
            if (tiny_key(t, x) != tiny_key(t, y) || x->label == y->label) continue;
            if (key >= 0 && tiny_key(t, x) != key) continue;
            pairs->at[pairs->count][0] = a;
            pairs->at[pairs->count++][1] = b;
        }
    return pairs;
}

/* --- class average ---------------------------------------------------------------------- */

enum { MOST_KEYS = 3 * LONGEST, NODES = 2000 };

/* Variables by name, 0: not made yet. */
typedef struct AverageNames {
    const Tiny *t;
    Formula *f;
    int values[2][2][MOST_LITERALS], select[2][MOST_KEYS][MOST_LITERALS];
    int terms[2][2][2][MOST_KEYS][MOST_LITERALS];
    struct {
        int sort, length, word[LONGEST + 1], at[LONGEST + 2];
    } counters[NODES];
    int counter_count;
} AverageNames;

static int new_variable(Formula *f) {
    assert_true(f->variables + 1 < MOST_VARIABLES);
    return ++f->variables;
}

static int value_variable(AverageNames *n, int h, int m, int l) {
    int *v = &n->values[h][m][l];
    if (*v) return *v;
    *v = new_variable(n->f);
    if (l == 0) ADD(n->f, -*v);
    return *v;
}

static int select_variable(AverageNames *n, int h, int key, int l) {
    int *v = &n->select[h][key][l];
    if (!*v) *v = new_variable(n->f);
    return *v;
}

static int term_variable(AverageNames *n, int ones, int h, int m, int key, int l) {
    int *v = &n->terms[ones][h][m][key][l];
    if (*v) return *v;
    int s = select_variable(n, h, key, l), value = value_variable(n, h, m, l);
    *v = new_variable(n->f);
    if (!ones) value = -value;
    ADD(n->f, -*v, s);
    ADD(n->f, -*v, value);
    ADD(n->f, *v, -s, -value);
    return *v;
}

/* Drops zeros. */
static void add_known(Formula *f, int a, int b, int c) {
    int literals[3], count = 0;
    if (a) literals[count++] = a;
    if (b) literals[count++] = b;
    if (c) literals[count++] = c;
    formula_add(f, literals, count);
}

/* at[j] of the result: at least j of the first p literals. */
static const int *counter(AverageNames *n, int ones, int h, int m, const TinyInstance *x, int p) {
    int key = tiny_key(n->t, x), sort = ((ones * 2 + h) * 2 + m) * MOST_KEYS + key;
    int word[LONGEST + 1] = {0};
    for (int k = 0; k < p; k++) word[k] = tiny_literal(n->t, x, k);
    for (int k = 0; k < n->counter_count; k++)
        if (n->counters[k].sort == sort && n->counters[k].length == p &&
            memcmp(n->counters[k].word, word, sizeof word) == 0)
            return n->counters[k].at;
    int at[LONGEST + 2] = {0};
    if (p == 1) {
        at[1] = term_variable(n, ones, h, m, key, 0);
    } else {
        const int *less = counter(n, ones, h, m, x, p - 1);
        int t = term_variable(n, ones, h, m, key, word[p - 1]);
        for (int j = 1; j <= p; j++) {
            at[j] = new_variable(n->f);
            if (j < p) ADD(n->f, at[j], -less[j]);
            add_known(n->f, at[j], j > 1 ? -less[j - 1] : 0, -t);
            if (j > 1) add_known(n->f, -at[j], j < p ? less[j] : 0, less[j - 1]);
            add_known(n->f, -at[j], j < p ? less[j] : 0, t);
        }
    }
    assert_true(n->counter_count < NODES);
    n->counters[n->counter_count].sort = sort;
    n->counters[n->counter_count].length = p;
    memcpy(n->counters[n->counter_count].word, word, sizeof word);
    memcpy(n->counters[n->counter_count].at, at, sizeof at);
    return n->counters[n->counter_count++].at;
}

static void add_ratios(Formula *f, int d, const int *c[4], int p, int q) {
    for (int s = 1; s <= p; s++)
        for (int z = 1; s + z <= p; z++)
            for (int t = 1; t <= q; t++)
                for (int w = 1; t + w <= q; w++)
                    if (s * w == t * z)
                        ADD(f, -d, -c[0][s], c[0][s + 1], -c[1][z], c[1][z + 1], -c[2][t],
                            c[2][t + 1], -c[3][w], c[3][w + 1]);
}

UNUSED static Formula *average_formula(const Tiny *t, const TinyPairs *pairs, int heads,
                                       int values) {
    AverageNames *n = calloc(1, sizeof *n);
    Formula *f = n->f = calloc(1, sizeof *f);
    n->t = t;
    for (int j = 0; j < pairs->count; j++) {
        int all[4], count = 0;
        const TinyInstance *x = &t->at[pairs->at[j][0]], *y = &t->at[pairs->at[j][1]];
        int p = x->length + 1, q = y->length + 1;
        for (int h = 0; h < heads; h++)
            for (int m = 0; m < values; m++) {
                if (h + m > j) continue;
                const int *c[4] = {counter(n, 1, h, m, x, p), counter(n, 0, h, m, x, p),
                                   counter(n, 1, h, m, y, q), counter(n, 0, h, m, y, q)};
                int d = all[count++] = new_variable(f);
                ADD(f, -d, c[0][1], c[1][1], c[2][1], c[3][1]);
                ADD(f, -d, -c[0][1], c[1][1], -c[2][1], c[3][1]);
                ADD(f, -d, c[0][1], -c[1][1], c[2][1], -c[3][1]);
                add_ratios(f, d, c, p, q);
            }
        formula_add(f, all, count);
    }
    free(n);
    return f;
}

/* --- class unique ----------------------------------------------------------------------- */

typedef struct UniqueNames {
    const Tiny *t;
    Formula *f;
    int before[2][MOST_LITERALS][MOST_LITERALS]; /* negative where the second comes first */
    int pick[2][MOST_INSTANCES][MOST_LITERALS];
} UniqueNames;

/* The literals but its own, in order. */
static int other_literals(const Tiny *t, const TinyInstance *x, int *list) {
    int count = 0;
    for (int p = 0; p <= x->length; p++)
        if (p != x->position + 1) list[count++] = tiny_literal(t, x, p);
    return count;
}

static void make_orders(UniqueNames *n, const TinyPairs *pairs, int heads) {
    bool used[MOST_LITERALS] = {false};
    int list[MOST_LITERALS], literals[MOST_LITERALS], count = 0;
    for (int j = 0; j < 2 * pairs->count; j++)
        for (int k = other_literals(n->t, &n->t->at[pairs->at[j / 2][j % 2]], list); k-- > 0;)
            used[list[k]] = true;
    for (int l = 0; l < MOST_LITERALS; l++)
        if (used[l]) literals[count++] = l;
    for (int h = 0; h < heads; h++)
        for (int a = 0; a < count; a++)
            for (int b = a + 1; b < count; b++) {
                int v = new_variable(n->f);
                n->before[h][literals[a]][literals[b]] = v;
                n->before[h][literals[b]][literals[a]] = -v;
            }
    for (int h = 0; h < heads; h++)
        for (int a = 0; a < count; a++)
            for (int b = a + 1; b < count; b++)
                for (int c = b + 1; c < count; c++) {
                    int(*o)[MOST_LITERALS] = n->before[h];
                    int ab = o[literals[a]][literals[b]], bc = o[literals[b]][literals[c]];
                    int ac = o[literals[a]][literals[c]];
                    ADD(n->f, -ab, -bc, ac);
                    ADD(n->f, ab, bc, -ac);
                }
}

static void make_picks(UniqueNames *n, int h, int x) {
    int list[MOST_LITERALS], clause[MOST_LITERALS], size;
    int count = other_literals(n->t, &n->t->at[x], list), *pick = n->pick[h][x];
    if (pick[0]) return; /* the sink's */
    for (int k = 0; k < count; k++) {
        int v = pick[list[k]] = new_variable(n->f);
        for (int o = 0; o < count; o++)
            if (o != k) ADD(n->f, -v, n->before[h][list[k]][list[o]]);
        clause[0] = v;
        size = 1;
        for (int o = 0; o < count; o++)
            if (o != k) clause[size++] = -n->before[h][list[k]][list[o]];
        formula_add(n->f, clause, size);
    }
    for (int k = 0; k < count; k++) clause[k] = pick[list[k]];
    formula_add(n->f, clause, count);
}

UNUSED static Formula *unique_formula(const Tiny *t, const TinyPairs *pairs, int heads) {
    UniqueNames *n = calloc(1, sizeof *n);
    Formula *f = n->f = calloc(1, sizeof *f);
    n->t = t;
    make_orders(n, pairs, heads);
    for (int j = 0; j < pairs->count; j++) {
        int all[2], count = 0, x = pairs->at[j][0], y = pairs->at[j][1];
        for (int h = 0; h < heads && h <= j; h++) {
            make_picks(n, h, x);
            make_picks(n, h, y);
            int d = all[count++] = new_variable(f);
            for (int l = 0; l < MOST_LITERALS; l++)
                if (n->pick[h][x][l] && n->pick[h][y][l])
                    ADD(f, -d, -n->pick[h][x][l], -n->pick[h][y][l]);
        }
        formula_add(f, all, count);
    }
    free(n);
    return f;
}

UNUSED static char *formula_text(const Formula *f) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "p cnf %d %d\n", f->variables, f->count);
    for (int k = 0; k < f->count; k++) {
        for (const int *l = f->clause[k]; *l; l++) fprintf(out, "%d ", *l);
        fputs("0\n", out);
    }
    fclose(out);
    return text;
}

/* --- the certificate -------------------------------------------------------------------- */

static json_t *tokens_json(const TinyInstance *x) {
    json_t *list = json_array();
    for (int k = 0; k < x->length; k++)
        json_array_append_new(list, json_string(tiny_tokens[x->x[k]]));
    return list;
}

/* The lines of the task: its instances are in the order of their inputs. */
static json_t *task_json(const Tiny *t) {
    json_t *lines = json_array();
    for (int k = 0; k < t->count;) {
        const TinyInstance *x = &t->at[k];
        json_t *output = json_array();
        for (int i = 0; i < (t->last ? 1 : x->length); i++)
            json_array_append_new(output, json_integer(t->at[k++].label));
        if (t->last) {
            json_t *label = json_incref(json_array_get(output, 0));
            json_decref(output);
            output = label;
        }
        json_array_append_new(lines,
                              json_pack("{s:o, s:o}", "input", tokens_json(x), "output", output));
    }
    return lines;
}

UNUSED static json_t *head_json(const Tiny *t, const char *class, int heads, int values,
                                const char *verdict) {
    json_t *alphabet = json_array();
    for (int k = 0; k < t->symbols; k++)
        json_array_append_new(alphabet, json_string(tiny_tokens[k]));
    return json_pack("{s:s, s:s, s:i, s:i, s:i, s:o, s:b, s:n, s:n, s:o, s:i, s:s}", "format",
                     "rasp-express/1", "class", class, "heads", heads, "values", values,
                     "max_length", t->longest, "alphabet", alphabet, "last", t->last, "first",
                     "where", "task", task_json(t), "total", t->count, "verdict", verdict);
}

static json_t *instance_json(const TinyInstance *x) {
    return json_pack("{s:o, s:i, s:i}", "input", tokens_json(x), "position", x->position, "label",
                     x->label);
}

/* Instances are those of the task, all of them. */
UNUSED static void put_pairs(json_t *certificate, const Tiny *t, const TinyPairs *pairs) {
    json_t *instances = json_array(), *list = json_array();
    for (int k = 0; k < t->count; k++) json_array_append_new(instances, instance_json(&t->at[k]));
    for (int j = 0; j < pairs->count; j++)
        json_array_append_new(list, json_pack("[ii]", pairs->at[j][0], pairs->at[j][1]));
    json_object_set_new(certificate, "instances", instances);
    json_object_set_new(certificate, "pairs", list);
}

static json_t *literal_json(const Tiny *t, int l) {
    if (l == 0) return json_pack("[i]", -1);
    return json_pack("[is]", (l - 1) / t->symbols, tiny_tokens[(l - 1) % t->symbols]);
}

static json_t *set_json(const Tiny *t, unsigned bits) {
    json_t *list = json_array();
    for (int l = 0; l < tiny_literals(t); l++)
        if (bits >> l & 1) json_array_append_new(list, literal_json(t, l));
    return list;
}

/* What a head does for each key. */
static json_t *keys_json(const TinySearch *s, int h, bool unique) {
    json_t *keys = json_array();
    for (int key = 0; key < s->t->longest * s->t->symbols; key++) {
        json_t *literals = unique ? json_array() : set_json(s->t, s->layer.select[h][key]);
        for (int k = 0; unique && s->layer.order[h][key][k] >= 0; k++)
            json_array_append_new(literals, literal_json(s->t, s->layer.order[h][key][k]));
        json_array_append_new(keys, json_pack("{s:o, s:o}", "key", literal_json(s->t, key + 1),
                                              "literals", literals));
    }
    return keys;
}

UNUSED static json_t *layer_json(const TinySearch *s, bool unique) {
    json_t *heads = json_array();
    for (int h = 0; h < s->heads; h++) {
        json_t *head = json_pack("{s:o}", unique ? "orders" : "select", keys_json(s, h, unique));
        json_t *values = json_array();
        for (int m = 0; m < s->values; m++)
            json_array_append_new(values, set_json(s->t, s->layer.values[h * s->values + m]));
        json_object_set_new(head, "values", values);
        json_array_append_new(heads, head);
    }
    return json_pack("{s:o}", "heads", heads);
}

/* Verifies the text of the object; *error may be looked at. */
UNUSED static bool verify_json(const json_t *certificate, ExpressVerdict *verdict,
                               RaspError *error) {
    char *text = json_dumps(certificate, 0);
    bool holds = express_verify_text(text, strlen(text), "test", NULL, verdict, error);
    assert_true(holds == (error->status == RASP_OK));
    assert_true(holds == (error->text[0] == '\0'));
    free(text);
    return holds;
}

#endif
