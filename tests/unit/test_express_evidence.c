/* The verifier of certificates: layers, grammars, bounds, programs, limits, and texts that are no
 * certificates. */
#include "tests/unit/express_writer.h"

#include "express/verify/grammar.h"

/* A certificate with single quotes for double ones. */
static json_t *parse(const char *text) {
    char *copy = strdup(text);
    json_error_t error;
    for (char *at = copy; *at; at++)
        if (*at == '\'') *at = '"';
    json_t *value = json_loads(copy, JSON_DECODE_ANY, &error);
    if (!value) fail_msg("%s in %s", error.text, text);
    free(copy);
    return value;
}

/* Right if `reason` is NULL, else refused for it. */
static void judge(json_t *certificate, const char *reason) {
    RaspError error;
    ExpressVerdict verdict;
    bool holds = verify_json(certificate, &verdict, &error);
    if (!reason && !holds) fail_msg("%s", error.text);
    if (reason && holds) fail_msg("not refused, expected '%s'", reason);
    if (reason && !strstr(error.text, reason))
        fail_msg("expected '%s', found '%s'", reason, error.text);
    json_decref(certificate);
}

/* --- two inputs ------------------------------------------------------------------------- */

static json_t *symbols_json(const char *symbols) {
    json_t *list = json_array();
    for (; *symbols; symbols++) json_array_append_new(list, json_stringn(symbols, 1));
    return list;
}

/* A task that knows two inputs, 0 for the one and 1 for the other at their ends, and the pair. */
static json_t *two_inputs(const char *class, const char *alphabet, const char *x, const char *y) {
    json_t *c = json_pack(
        "{s:s, s:s, s:n, s:I, s:o, s:b, s:s, s:i, s:[{s:o, s:i}, {s:o, s:i}], s:[[ii]]}", "format",
        "rasp-express/1", "class", class, "heads", "max_length", (json_int_t)strlen(x), "alphabet",
        symbols_json(alphabet), "last", 1, "verdict", "no", "total", 2, "task", "input",
        symbols_json(x), "output", 0, "input", symbols_json(y), "output", 1, "pairs", 0, 1);
    json_object_set_new(c, "instances",
                        json_pack("[{s:o, s:I, s:i}, {s:o, s:I, s:i}]", "input", symbols_json(x),
                                  "position", (json_int_t)strlen(x) - 1, "label", 0, "input",
                                  symbols_json(y), "position", (json_int_t)strlen(y) - 1, "label",
                                  1));
    return c;
}

/* Pairs that no aggregate of the relative grammar tells apart, from the pilot's table, and some
 * that one does; with constants for indices all are told apart. */
static void grammars(void **state) {
    (void)state;
    static const struct {
        const char *alphabet, *x, *y;
        bool apart;
    } cases[] = {
        {"012", "10201", "01201", false},  {"01", "100011", "001011", false},
        {"01", "10000", "01000", false},   {"01", "10001", "01001", false},
        {"01", "10111", "01111", false},   {"01", "10100", "01100", false},
        {"01", "010100", "001100", false}, {"01", "10010", "01010", false},
        {"01", "1001", "0101", true},      {"01", "0011", "0101", true},
        {"01", "100", "010", true},        {"012", "10201", "01211", true},
        {"01", "10010", "10110", true},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *alphabet = cases[k].alphabet, *x = cases[k].x, *y = cases[k].y;
        judge(two_inputs("relative", alphabet, x, y),
              cases[k].apart ? "is told apart by an aggregate" : NULL);
        judge(two_inputs("absolute", alphabet, x, y), "is told apart by an aggregate");
    }
}

/* --- how many there are ----------------------------------------------------------------- */

/* All prefixes over two tokens up to a length, queried at their ends. */
typedef struct Prefixes {
    uint32_t tokens[2046][10];
    size_t length[2046], count;
} Prefixes;

static Prefixes *all_prefixes(size_t longest) {
    Prefixes *all = calloc(1, sizeof *all);
    for (size_t n = 1; n <= longest; n++)
        for (uint32_t word = 0; word < 1u << n; word++) {
            for (size_t i = 0; i < n; i++) all->tokens[all->count][i] = word >> i & 1;
            all->length[all->count++] = n;
        }
    return all;
}

/* Adds the words as a row unless it is there. */
static size_t add_distinct(uint64_t *rows, size_t count, size_t size, const uint64_t *row) {
    for (size_t k = 0; k < count; k++)
        if (memcmp(rows + k * size, row, size * sizeof *row) == 0) return count;
    memcpy(rows + count * size, row, size * sizeof *row);
    return count + 1;
}

/* Numbers for (position, token, what a head brings) by first occurrence. */
static void partition(const Prefixes *all, GrammarValue value, const uint64_t *rows,
                      uint64_t *classes) {
    typedef struct Seen {
        uint64_t key;
        Fraction brought;
    } Seen;
    Seen *seen = calloc(all->count, sizeof *seen);
    size_t count = 0;
    for (size_t k = 0; k < all->count; k++) {
        size_t at = 0, n = all->length[k];
        Seen one = {2 * n + all->tokens[k][n - 1], grammar_bring(value, all->tokens[k], rows[k])};
        if (one.brought.below == 0) one.brought.below = 1;
        while (at < count && memcmp(&seen[at], &one, sizeof one) != 0) at++;
        if (at == count) seen[count++] = one;
        classes[k] = at;
    }
    free(seen);
}

/* Distinct rows of the class's atoms, then of two joined. */
static void count_rows(const Prefixes *all, const GrammarAtom *atoms, size_t atom_count,
                       uint64_t *rows, size_t *single, size_t *selectors) {
    size_t size = all->count, count = 0;
    uint64_t *row = calloc(size, sizeof *row);
    for (size_t a = 0; a < atom_count; a++) {
        for (size_t k = 0; k < size; k++)
            row[k] = grammar_row(&atoms[a], all->tokens[k], all->length[k], all->length[k] - 1);
        count = add_distinct(rows, count, size, row);
    }
    *single = count;
    for (size_t a = 0; a < *single; a++)
        for (size_t b = 0; b < 2 * a; b++) {
            const uint64_t *one = rows + a * size, *two = rows + b / 2 * size;
            for (size_t k = 0; k < size; k++) row[k] = b % 2 ? one[k] & two[k] : one[k] | two[k];
            count = add_distinct(rows, count, size, row);
        }
    *selectors = count;
    free(row);
}

/* What the pilot counted: 20 atoms, 158 selectors, 95 partitions of class relative for all
 * prefixes of 10 tokens; 40 atoms of class absolute for those of 6.  It took 0 for the average of
 * nothing. */
static void the_grammars_have_the_size(void **state) {
    (void)state;
    Check check = {0};
    Certificate certificate = {.class = CLASS_RELATIVE, .max_length = 10, .symbols = 2};
    budget_init(&check.budget, SIZE_MAX);
    check.arena = arena_new(&check.budget);
    Prefixes *all = all_prefixes(10);
    size_t size = all->count, atom_count, single, selectors, partitions = 0;
    GrammarAtom *atoms = grammar_atoms(&check, &certificate, &atom_count);
    uint64_t *rows = calloc(200 * size, sizeof *rows), *classes = calloc(200 * size, sizeof *rows);
    uint64_t *row = calloc(size, sizeof *row);
    count_rows(all, atoms, atom_count, rows, &single, &selectors);
    assert_int_equal(single, 20);
    assert_int_equal(selectors, 158);
    static const GrammarValue values[] = {{VALUE_TOKENS, 0}, {VALUE_WIDTH, 0}};
    for (size_t r = 0; r < 2 * selectors; r++) {
        partition(all, values[r % 2], rows + r / 2 * size, row);
        partitions = add_distinct(classes, partitions, size, row);
    }
    assert_int_equal(partitions, 95);
    free(row);
    free(classes);
    free(rows);
    free(all);

    certificate = (Certificate){.class = CLASS_ABSOLUTE, .max_length = 6, .symbols = 2};
    all = all_prefixes(6);
    atoms = grammar_atoms(&check, &certificate, &atom_count);
    rows = calloc(1000 * all->count, sizeof *rows);
    count_rows(all, atoms, atom_count, rows, &single, &selectors);
    assert_int_equal(single, 40);
    free(rows);
    free(all);
    arena_free(check.arena);
}

static json_t *put(json_t *c, const char *field, const char *value) {
    json_object_set_new(c, field, parse(value));
    return c;
}

static void fake_pairs(void **state) {
    (void)state;
    judge(put(two_inputs("relative", "01", "10000", "01000"), "heads", "3"), NULL);
    json_t *c = two_inputs("relative", "01", "10000", "01000");
    for (size_t k = 0; k < 2; k++) {
        json_object_set_new(json_array_get(json_object_get(c, "task"), k), "output",
                            json_integer(0));
        json_object_set_new(json_array_get(json_object_get(c, "instances"), k), "label",
                            json_integer(0));
    }
    judge(c, "have the same label");
    judge(two_inputs("relative", "01", "10000", "01001"), "differ in their position or");
    judge(two_inputs("average", "01", "10000", "01000"), "expected an integer from 0 to");
    judge(put(two_inputs("relative", "01", "10000", "01000"), "pairs", "[[0,1],[0,0]]"),
          "have the same label");
    judge(put(two_inputs("relative", "01", "10000", "01000"), "pairs", "[[0,0]]"),
          "have the same label");
}

static void bounds(void **state) {
    (void)state;
    static const struct {
        const char *class, *parameter, *value, *x, *y, *reason;
    } cases[] = {
        {"no-positions", "mask", "'causal'", "0110", "1010", NULL},
        {"no-positions", "mask", "'none'", "0110", "1100", NULL},
        {"no-positions", "mask", "'causal'", "0110", "1110", "in different numbers"},
        {"no-positions", "mask", "'causal'", "0110", "0101", "different tokens at their positions"},
        {"no-positions", "mask", "'left'", "0110", "1100", "expected the mask none or causal"},
        {"no-positions", "mask", "'causal'", "010", "0110", "in different numbers"},
        {"window", "distance", "0", "0110", "1010", NULL},
        {"window", "distance", "1", "0110", "1010", NULL},
        {"window", "distance", "2", "0110", "1010", "differ at position 1, 2 before the query"},
        {"window", "distance", "1", "0010", "1010", "in different numbers"},
        {"window", "distance", "1", "010", "0010", "expected a pair at one position"},
        {"window", "distance", "9", "0110", "1010", "differ at position 0"},
        {"window", "distance", "-1", "0110", "1010", "expected an integer"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        json_t *c = two_inputs(cases[k].class, "01", cases[k].x, cases[k].y);
        size_t longest =
            strlen(cases[k].x) > strlen(cases[k].y) ? strlen(cases[k].x) : strlen(cases[k].y);
        json_object_set_new(c, "max_length", json_integer((json_int_t)longest));
        judge(put(c, cases[k].parameter, cases[k].value), cases[k].reason);
    }
    judge(put(put(two_inputs("window", "01", "0110", "1010"), "distance", "1"), "verdict", "'yes'"),
          "only ever says no");
}

/* --- rows and stuck sets ---------------------------------------------------------------- */

/* Are the halves of 4 tokens before the query equal?  Rows: all settings of the first half. */
static json_t *equality(int bits, const char *part, const char *rows) {
    json_t *c = parse(
        "{'format': 'rasp-express/1', 'class': 'bits', 'max_length': 5, 'alphabet': ['0', '1'],"
        " 'last': true, 'verdict': 'no', 'program': {'source':"
        " 'def at(k) { return aggregate(select(indices, k, ==), tokens); } e = at(0) == at(2) and "
        "at(1) == at(3)"
        " if length == 5 else False;'}}");
    json_t *instances = json_array();
    for (int k = 0; k < 4; k++)
        json_array_append_new(instances, json_pack("{s:[sssss], s:i, s:b}", "input",
                                                   k & 2 ? "1" : "0", k & 1 ? "1" : "0", "0", "0",
                                                   "0", "position", 4, "label", k == 0));
    json_object_set_new(c, "instances", instances);
    json_object_set_new(c, "bits", json_integer(bits));
    return put(put(c, "part", part), "rows", rows);
}

static void rows_are_counted(void **state) {
    (void)state;
    judge(equality(1, "[0, 1]", "[0, 1, 2, 3]"), NULL);
    judge(equality(1, "[0, 1]", "[0, 1, 2]"), NULL);
    judge(equality(1, "[1, 0]", "[3, 1, 2]"), NULL);
    judge(equality(2, "[0, 1]", "[0, 1, 2, 3]"), "expected more than 2^2 rows, found 4");
    judge(equality(2, "[0, 1]", "[0, 1, 2, 3, 3]"), "need no different bits");
    judge(equality(1, "[0]", "[0, 1, 2]"), "need no different bits");
    judge(equality(1, "[0, 4]", "[0, 1, 2]"), "the query's own position");
    judge(equality(1, "[0, 0]", "[0, 1, 2]"), "twice");
    judge(equality(1, "[0, 5]", "[0, 1, 2]"), "expected numbers below 5");
    judge(put(equality(1, "[0, 1]", "[0, 1, 2]"), "total", "62"), NULL);
    judge(put(equality(1, "[0, 1]", "[0, 1, 2]"), "total", "61"), "expected 62 instances");
    judge(put(put(equality(1, "[0, 1]", "[0, 1, 2]"), "total", "62"), "max_length", "6"),
          "expected 126 instances");
}

/* The query 0 with three tokens of which only parity counts; one head is stuck. */
static json_t *stuck(const char *labels, const char *set) {
    json_t *c = parse("{'format': 'rasp-express/1', 'class': 'unique', 'heads': 1, 'max_length': 3,"
                      " 'alphabet': ['0', '1'], 'last': true, 'verdict': 'no', 'total': 4}");
    json_t *task = json_array(), *instances = json_array();
    for (int k = 0; k < 4; k++) {
        json_t *input = json_pack("[sss]", k & 2 ? "1" : "0", k & 1 ? "1" : "0", "0");
        json_array_append_new(task,
                              json_pack("{s:O, s:i}", "input", input, "output", labels[k] - '0'));
        json_array_append_new(instances, json_pack("{s:o, s:i, s:i}", "input", input, "position", 2,
                                                   "label", labels[k] - '0'));
    }
    json_object_set_new(c, "task", task);
    json_object_set_new(c, "instances", instances);
    return put(c, "stuck", set);
}

static void stuck_sets(void **state) {
    (void)state;
    judge(stuck("0110", "[0, 1, 2, 3]"), NULL);
    judge(stuck("1001", "[3, 2, 1, 0]"), NULL);
    judge(stuck("0110", "[0, 1, 2]"), "the set is not stuck");
    judge(stuck("0111", "[0, 1, 2, 3]"), "the set is not stuck");
    judge(stuck("0000", "[0, 1, 2, 3]"), "have one label");
    judge(stuck("0110", "[]"), "found none");
    judge(stuck("0110", "[4]"), "expected numbers below 4");
    judge(put(stuck("0110", "[0, 1, 2, 3]"), "heads", "2"), "a stuck set speaks of 1 head");
}

/* --- yes -------------------------------------------------------------------------------- */

/* Parity of the tokens so far, of 4 at most, by one averaging head and a table. */
static json_t *parity(const char *class, const char *head) {
    char text[200];
    json_t *c =
        parse("{'format': 'rasp-express/1', 'heads': 1, 'values': 1, 'max_length': 3,"
              " 'alphabet': ['0', '1'], 'last': true, 'verdict': 'yes', 'total': 14, 'program': {"
              "'source': 'n = (indices + 1) * aggregate(select(indices, indices, <=), "
              "indicator(tokens == \\\"1\\\")); parity = round(n) % 2;'}}");
    json_object_set_new(c, "class", json_string(class));
    snprintf(text, sizeof text, "{'heads': [%s]}", head);
    return put(c, "layer", text);
}

static void layers_of_grammars(void **state) {
    (void)state;
    static const char all[] = "{'selector': ['true'], 'value': ['token', '1']}";
    judge(parity("relative", all), NULL);
    judge(parity("absolute", all), NULL);
    judge(parity("relative", "{'selector': {'op': 'or', 'atoms': [['indices', '<', 'query', 0], "
                             "['indices', '==', 'query', 0]]}, 'value': ['tokens']}"),
          NULL);
    judge(parity("relative", "{'selector': ['tokens', '==', 'token', '1'], 'value': ['width']}"),
          NULL);
    judge(parity("relative", "{'selector': ['false'], 'value': ['width']}"),
          "the layer brings the same");
    judge(parity("relative", "{'selector': ['tokens', '==', 'token', '1'], 'value': ['tokens']}"),
          "the layer brings the same");
    judge(parity("relative", "{'selector': ['indices', '<', 'index', 2], 'value': ['width']}"),
          "expected an atom of the grammar 'relative'");
    judge(parity("relative", "{'selector': ['true'], 'value': ['indices']}"),
          "expected a value of the grammar 'relative'");
    judge(parity("absolute", "{'selector': ['indices', '<', 'index', 2], 'value': ['token', '2']}"),
          "expected a value");
    judge(parity("absolute", "{'selector': ['indices', '<', 'index', 9], 'value': ['width']}"),
          "expected an atom");
    judge(parity("relative", "{'selector': {'op': 'xor', 'atoms': [['true'], ['true']]}, "
                             "'value': ['width']}"),
          "expected 'and' or 'or'");
    judge(put(parity("relative", all), "heads", "2"), "expected 2 heads in the layer, found 1");
    judge(put(parity("relative", all), "total", "13"), "expected 14 instances");
    judge(put(parity("relative", all), "max_length", "4"), "expected 30 instances");
}

/* All literals selected by all keys; values of the tokens 1. */
static const char everything[] =
    "{'select': [{'key': [0,'0'], 'literals': [[-1],[0,'0']]},"
    " {'key': [0,'1'], 'literals': [[-1],[0,'1']]},"
    " {'key': [1,'0'], 'literals': [[-1],[0,'0'],[0,'1'],[1,'0']]},"
    " {'key': [1,'1'], 'literals': [[-1],[0,'0'],[0,'1'],[1,'1']]},"
    " {'key': [2,'0'], 'literals': [[-1],[0,'0'],[0,'1'],[1,'0'],[1,'1'],[2,'0']]},"
    " {'key': [2,'1'], 'literals': [[-1],[0,'0'],[0,'1'],[1,'0'],[1,'1'],[2,'1']]}],"
    " 'values': [[[0,'1'],[1,'1'],[2,'1']]]}";

static json_t *everything_but(const char *from, const char *to) {
    char text[1200], wrapped[1300];
    const char *place = strstr(everything, from);
    assert_non_null(place);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(place - everything), everything, to,
             place + strlen(from));
    snprintf(wrapped, sizeof wrapped, "{'heads': [%s]}", text);
    return put(parity("average", "{}"), "layer", wrapped);
}

static void layers_of_tables(void **state) {
    (void)state;
    judge(everything_but("[2,'1']]]}", "[2,'1']]]}"), NULL);
    judge(everything_but("'values': [[[0,'1'],", "'values': [["), "the layer brings the same");
    judge(everything_but("[0,'1'],[1,'0'],[1,'1'],[2,'1']]}]", "[2,'1']]}]"),
          "the layer brings the same");
    judge(everything_but("{'key': [1,'1']", "{'key': [1,'0']"), "the key [1,\"0\"] twice");
    judge(everything_but("[2,'1']]]}", "[2,'1']],[]]}"), "expected 1 values in a head");
    judge(everything_but("[2,'1']]]}", "[3,'1']]]}"), "expected [position, token] or [-1]");
    judge(everything_but("[2,'1']]]}", "[2,'2']]]}"), "expected [position, token] or [-1]");
    judge(parity("unique", "{'orders': []}"), "the layer brings the same");
    judge(put(parity("average", "{}"), "heads", "1"), "no field 'select'");
}

static void programs_found(void **state) {
    (void)state;
    static const struct {
        const char *source, *reason;
    } cases[] = {
        {"{'source': 'm = round((indices + 1) * aggregate(select(indices, indices, <=), "
         "indicator(tokens == \\\"1\\\"))); p = 1 if m == 1 or m == 3 else 0;'}",
         NULL},
        {"{'source': 'm = round((indices + 1) * aggregate(select(indices, indices, <=), "
         "indicator(tokens == \\\"1\\\"))); p = 1 if m == 1 else 0;', 'sop': 'p'}",
         "expected 1 from the program found on 1 1 1 at position 2, found 0"},
        {"{'source': 'p = selector_width(select(indices, aggregate(select(indices, 0, ==), "
         "indices), ==)) * 0;'}",
         "of one attention layer, found one of 2"},
        {"{'source': 'p = ;'}", "the program found: "},
        {"{'source': 'p = 0;', 'sop': 'q'}", "the program found: "},
        {"{'source': 'load \\\"x\\\"; p = 0;'}", "the program found: "},
    };
    static const char all[] = "{'selector': ['true'], 'value': ['token', '1']}";
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        judge(put(parity("relative", all), "source", cases[k].source), cases[k].reason);
}

/* --- programs as tasks ------------------------------------------------------------------ */

/* Does the first token come again?  Two inputs with equal counts that a position-free layer
 * confuses. */
static json_t *program_task(const char *program) {
    json_t *c = parse(
        "{'format': 'rasp-express/1', 'class': 'no-positions', 'mask': 'causal', 'max_length': 3,"
        " 'alphabet': [0, 1], 'last': true, 'verdict': 'no', 'pairs': [[0, 1]], 'instances': ["
        "{'input': [0, 1, 1], 'position': 2, 'label': 0},"
        "{'input': [1, 0, 1], 'position': 2, 'label': 1}]}");
    return put(c, "program", program);
}

static void programs_as_tasks(void **state) {
    (void)state;
    static const char first[] = "aggregate(select(indices, 0, ==), tokens_int)";
    char text[300];
    snprintf(text, sizeof text, "{'source': 'a = tokens_int;', 'expression': '%s'}", first);
    judge(program_task(text), NULL);
    snprintf(text, sizeof text, "{'source': 'f = %s; a = tokens_int;', 'sop': 'f'}", first);
    judge(program_task(text), NULL);
    judge(program_task("{'source': 'a = tokens_int;'}"), "expected the label 1 of instance 0");
    judge(program_task("{'source': 'a = tokens_int;', 'sop': 'b'}"), "the program: ");
    judge(program_task("{'source': 'a = (;'}"), "the program: ");
    snprintf(text, sizeof text,
             "{'name': 'p.rasp', 'source': 'load \\\"f\\\"; g = f;', "
             "'files': [{'path': 'f.rasp', 'text': 'f = %s;'}]}",
             first);
    judge(program_task(text), NULL);
    judge(program_task("{'name': 'p.rasp', 'source': 'load \\\"f\\\"; g = f;'}"), "the program: ");
    snprintf(text, sizeof text, "{'source': 'f = %s;'}", first);
    judge(put(program_task(text), "where", "'tokens_int == 1 or indices < 2'"), NULL);
    judge(put(program_task(text), "where", "'tokens_int == 0 or indices > 0'"),
          "instance 1, 1 0 1 at position 2, is none of the task's");
    judge(put(program_task(text), "first", "0"), "does not start with the token 'first'");
    judge(put(program_task(text), "alphabet", "[0, 1, 'a']"), "of one kind");
    judge(put(program_task("{'source': 'f = 1 / (tokens_int - 2 + indices);'}"), "total", "14"),
          "is none of the task's");
}

/* --- proofs of a solver, limits, and noise ---------------------------------------------- */

static const char *const solved[] = {
    "tests/express/parity-unique-2.json",
    "tests/express/dyck-unique-2.json",
    "tests/express/last-1-average-1.json",
    "tests/express/induction-average-1.json",
};

static char *text_of_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = malloc(1 << 20);
    *length = fread(text, 1, 1 << 20, file);
    fclose(file);
    return text;
}

static void proofs_of_a_solver(void **state) {
    (void)state;
    RaspError error;
    ExpressVerdict verdict;
    for (size_t k = 0; k < sizeof solved / sizeof *solved; k++) {
        if (!express_verify(solved[k], NULL, &verdict, &error)) fail_msg("%s", error.text);
        assert_false(verdict.possible);
        assert_true(verdict.steps > 10 && verdict.pairs > 10 && verdict.total > 10);
    }
    assert_false(express_verify("tests/express/none.json", NULL, &verdict, &error));
    assert_int_equal(error.status, RASP_NO_FILE);
    assert_false(express_verify("tests/express", NULL, &verdict, &error));
    assert_int_equal(error.status, RASP_NO_FILE);
}

static void limits_end_it(void **state) {
    (void)state;
    RaspError error;
    ExpressVerdict verdict;
    static const sig_atomic_t yes = 1;
    RaspConfig cancelled = {.cancel = &yes}, small = {.memory = 100000};
    RaspConfig hasty = {.cpu_seconds = 1e-6};
    assert_false(express_verify(solved[1], &cancelled, &verdict, &error));
    assert_int_equal(error.status, RASP_CANCELLED);
    assert_false(express_verify(solved[1], &small, &verdict, &error));
    assert_int_equal(error.status, RASP_OUT_OF_MEMORY);
    assert_false(express_verify(solved[1], &hasty, &verdict, &error));
    assert_int_equal(error.status, RASP_OUT_OF_TIME);
}

static void noise_is_refused(void **state) {
    (void)state;
    static const char *const texts[] = {
        "",
        "x",
        "{",
        "[]",
        "{}",
        "null",
        "{\"format\": 1}",
        "{\"format\": \"rasp-express/1\"}",
        "{\"format\": \"rasp-express/1\", \"format\": \"rasp-express/1\"}",
    };
    RaspError error;
    ExpressVerdict verdict;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        assert_false(
            express_verify_text(texts[k], strlen(texts[k]), "test", NULL, &verdict, &error));
}

/* Bytes of a certificate changed, doubled and left out: whatever comes out, it ends. */
static void changed_bytes_do_no_harm(void **state) {
    (void)state;
    RaspError error;
    ExpressVerdict verdict;
    Random random = {3};
    RaspConfig config = {.memory = (size_t)64 << 20, .cpu_seconds = 2};
    size_t length;
    char *text = text_of_file(solved[0], &length), *copy = malloc(length + 8);
    for (int round = 0; round < 1500; round++) {
        size_t size = length;
        memcpy(copy, text, length);
        for (uint64_t k = random_below(&random, 4) + 1; k > 0; k--) {
            size_t at = random_below(&random, size - 1);
            static const char likely[] = "0123456789-[]{}\",: dn";
            if (random_below(&random, 3)) {
                copy[at] = likely[random_below(&random, sizeof likely - 1)];
            } else {
                memmove(copy + at, copy + at + 1, size - at - 1);
                size--;
            }
        }
        bool holds = express_verify_text(copy, size, "test", &config, &verdict, &error);
        assert_true(holds || error.text[0]);
    }
    free(copy);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_grammars_have_the_size),
        cmocka_unit_test(grammars),
        cmocka_unit_test(fake_pairs),
        cmocka_unit_test(bounds),
        cmocka_unit_test(rows_are_counted),
        cmocka_unit_test(stuck_sets),
        cmocka_unit_test(layers_of_grammars),
        cmocka_unit_test(layers_of_tables),
        cmocka_unit_test(programs_found),
        cmocka_unit_test(programs_as_tasks),
        cmocka_unit_test(proofs_of_a_solver),
        cmocka_unit_test(limits_end_it),
        cmocka_unit_test(noise_is_refused),
        cmocka_unit_test(changed_bytes_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
