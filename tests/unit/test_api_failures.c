/* Every function of the public headers with the n-th allocation failing, and with all from the n-th
 * on: an error that says so, or the right result; nothing leaked, nothing broken for the next call.
 *
 * The linker sends the library's malloc and its like here (Makefile), jansson's come by its own
 * hook, except while it parses: its scanner takes a failure for a mistake in the text, or aborts.
 * Where there are many allocations, n grows by steps. */
#include "tests/unit/api_fixture.h"

#include "api/rasp_circuit.h"
#include "api/rasp_facts.h"
#include "api/rasp_graph.h"

#include <jansson.h>
#include <unistd.h>

/* --- failing ---------------------------------------------------------------------------- */

static long made, fail_at; /* 0: never */
static bool fail_on;       /* and all that follow */

static bool fails(void) {
    made++;
    return fail_at > 0 && (made == fail_at || (fail_on && made > fail_at));
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
char *__real_strdup(const char *text);
FILE *__real_open_memstream(char **text, size_t *size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
char *__wrap_strdup(const char *text);
FILE *__wrap_open_memstream(char **text, size_t *size);

void *__wrap_malloc(size_t size) {
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size) {
    return fails() ? NULL : __real_realloc(memory, size);
}

char *__wrap_strdup(const char *text) {
    return fails() ? NULL : __real_strdup(text);
}

FILE *__wrap_open_memstream(char **text, size_t *size) {
    return fails() ? NULL : __real_open_memstream(text, size);
}

static bool parsing;

static void *json_malloc(size_t size) {
    return !parsing && fails() ? NULL : __real_malloc(size);
}

json_t *__real_json_loadb(const char *text, size_t length, size_t flags, json_error_t *error);
json_t *__wrap_json_loadb(const char *text, size_t length, size_t flags, json_error_t *error);

json_t *__wrap_json_loadb(const char *text, size_t length, size_t flags, json_error_t *error) {
    parsing = true;
    json_t *value = __real_json_loadb(text, length, flags, error);
    parsing = false;
    return value;
}

/* --- what is tried ---------------------------------------------------------------------- */

static const char text[] = "s = select(tokens, tokens, ==);\nhistogram = selector_width(s);\n"
                           "y = aggregate(select(indices, length - 1 - indices, ==), histogram);";
static const RaspTarget target = {.alphabet = "ab", .max_length = 3, .where = "length > 0"};
static const RaspEngineOptions single = {.threads = 1};
static char path[] = "/tmp/rasp-api-XXXXXX";

typedef struct Fixture {
    RaspProgram *program;
    RaspSop sop;
    RaspModel *model;
    RaspEngine *engine;
    unsigned char *bytes;
    size_t size;
    char *json;      /* what the model says of itself */
    RaspModel *bent; /* the file's bytes with a weight changed, by little */
} Fixture;

static bool right(const RaspSequence *values) {
    static const int expected[] = {1, 2, 2};
    for (size_t i = 0; i < 3; i++)
        if (!rasp_atom_equal(rasp_sequence_at(values, i), rasp_int(expected[i]))) return false;
    return true;
}

static bool load_program(Fixture *f, RaspError *error) {
    RaspProgram *program = try_program(text, NULL, error);
    (void)f;
    rasp_program_free(program);
    return program;
}

static bool mistake(Fixture *f, RaspError *error) {
    (void)f;
    if (try_program("x = length +;\ny = (;\nz = missing;", NULL, error)) return false;
    return error->status == RASP_WRONG_PROGRAM && error->line == 1;
}

static bool syntax(Fixture *f, RaspError *error) {
    (void)f;
    char *tree =
        rasp_syntax_tree(&(RaspSource){.text = text, .length = sizeof text - 1}, NULL, error);
    rasp_free(tree);
    return tree;
}

static bool look(Fixture *f, RaspError *error) {
    RaspSop sop;
    RaspFacts facts;
    RaspTarget inputs = {.alphabet = "ab", .max_length = 3};
    size_t count;
    char *graph = NULL;
    bool fine = rasp_program_expression(f->program, "y + 1", &sop, error) &&
                rasp_program_sops(f->program, &count, error) &&
                rasp_program_layers(f->program, &sop, error) &&
                rasp_program_facts(f->program, &sop, &inputs, &facts, error) &&
                (graph = rasp_program_graph(f->program, &sop, 1, error));
    rasp_free(graph);
    return fine;
}

static bool run(Fixture *f, RaspError *error) {
    RaspInput input = input_of("[\"a\", \"a\", \"b\"]");
    RaspRunOptions options = {.threads = 1, .stats = true};
    size_t count;
    RaspRun *r = rasp_run_new(f->program, &input, &f->sop, 1, &options, error);
    const RaspSequence *values = r ? rasp_run_sequence(r, 0, error) : NULL;
    bool fine = values && rasp_run_stats(r, &count, error);
    if (values) assert_true(right(values));
    rasp_run_free(r);
    return fine;
}

static bool graph(Fixture *f, RaspError *error) {
    RaspInput input = input_of("aab");
    char *dot = NULL;
    RaspGraph *g = rasp_graph_new(f->program, &f->sop, 1, &input, error);
    uint32_t root = g ? rasp_graph_root(g, 0) : 0;
    size_t count;
    const RaspGraphNode *nodes = g ? rasp_graph_nodes(g, &count) : NULL;
    const RaspSequence *values = g ? rasp_graph_values(g, root, error) : NULL;
    bool fine = values && rasp_graph_selection(g, nodes[root].operand[0], error) &&
                (dot = rasp_graph_dot(g, 0, "t", error));
    if (values) assert_true(right(values));
    rasp_free(dot);
    rasp_graph_free(g);
    return fine;
}

static bool compile(Fixture *f, RaspError *error) {
    RaspModel *model = rasp_compile(f->program, &f->sop, 1, &target, error);
    char *dump = model ? rasp_model_dump(model, "heads", error) : NULL;
    char *json = dump ? rasp_model_json(model, error) : NULL;
    if (json) assert_string_equal(json, f->json);
    rasp_free(dump);
    rasp_free(json);
    rasp_model_free(model);
    return json;
}

static bool compile_standard(Fixture *f, RaspError *error) {
    RaspTarget standard = target;
    standard.layout = RASP_STANDARD;
    RaspModel *model = rasp_compile(f->program, &f->sop, 1, &standard, error);
    RaspVerifyReport report;
    bool fine = model && rasp_verify(model, &report, error);
    if (fine) assert_true(report.holds);
    rasp_model_free(model);
    return fine;
}

static bool bytes(Fixture *f, RaspError *error) {
    unsigned char *copy = NULL;
    size_t size;
    bool fine = rasp_model_bytes(f->model, &copy, &size, error);
    if (fine) assert_true(size == f->size && memcmp(copy, f->bytes, size) == 0);
    rasp_free(copy);
    return fine;
}

static bool save(Fixture *f, RaspError *error) {
    if (!rasp_model_save(f->model, path, error)) return false;
    RaspModel *model = rasp_model_load(path, NULL, error);
    rasp_model_free(model);
    return model;
}

static bool load_bytes(Fixture *f, RaspError *error) {
    RaspModel *model = rasp_model_from_bytes(f->bytes, f->size, NULL, NULL, error);
    bool fine = model && rasp_model_program(model, error);
    rasp_model_free(model);
    return fine;
}

static bool forward(Fixture *f, RaspError *error) {
    RaspInput input = input_of("aab");
    RaspEngine *engine = rasp_engine_new(f->model, &single, NULL, error);
    RaspForward *pass = engine ? rasp_forward(engine, &input, error) : NULL;
    if (pass) assert_true(right(rasp_forward_sequence(pass, 0)));
    rasp_engine_free(engine);
    rasp_forward_free(pass);
    return pass;
}

static bool trace(Fixture *f, RaspError *error) {
    RaspInput input = input_of("aab");
    RaspForward *pass = rasp_trace(f->engine, &input, &(RaspTap){0}, error);
    if (pass) assert_true(right(rasp_forward_sequence(pass, 0)));
    rasp_forward_free(pass);
    return pass;
}

static void touch(void *context, size_t layer, size_t piece, int role, size_t n, size_t width,
                  double *stream) {
    (void)context, (void)layer, (void)piece, (void)role;
    assert_true(stream[(n + 1) * width - 1] == stream[(n + 1) * width - 1]);
}

static bool patch(Fixture *f, RaspError *error) {
    RaspInput input = input_of("aab");
    RaspForward *pass = rasp_patch(f->engine, &input, &(RaspPatch){.read = touch}, NULL, error);
    if (pass) assert_true(right(rasp_forward_sequence(pass, 0)));
    rasp_forward_free(pass);
    return pass;
}

static bool circuit(Fixture *f, RaspError *error) {
    RaspModel *model = rasp_compile(f->program, &f->sop, 1, &target, error);
    const RaspCircuit *found = model ? rasp_model_circuit(model, error) : NULL;
    if (found) assert_true(found->edge_count > 0);
    rasp_model_free(model);
    return found;
}

/* What failed once can be asked for again. */
static bool circuit_loaded(Fixture *f, RaspError *error) {
    RaspModel *model = rasp_model_from_bytes(f->bytes, f->size, NULL, NULL, error);
    const RaspCircuit *found = model ? rasp_model_circuit(model, error) : NULL;
    if (model && !found) {
        fail_at = 0;
        assert_non_null(rasp_model_circuit(model, NULL));
    }
    rasp_model_free(model);
    return found;
}

static bool check(Fixture *f, RaspError *error) {
    RaspCheckOptions options = rasp_check_options();
    options.threads = 1;
    options.count = 4;
    options.exhaustive_limit = 1;
    RaspCheckReport *report = rasp_check(f->model, &options, error);
    if (report) assert_true(report->agree && report->compared >= 4);
    rasp_check_free(report);
    return report;
}

static bool verify(Fixture *f, RaspError *error) {
    RaspVerifyReport report;
    if (!rasp_verify(f->model, &report, error)) return false;
    assert_true(report.holds);
    return true;
}

static bool verify_loaded(Fixture *f, RaspError *error) {
    RaspVerifyReport report;
    RaspModel *model = rasp_model_from_bytes(f->bytes, f->size, NULL, NULL, error);
    bool fine = model && rasp_verify(model, &report, error);
    if (fine) assert_true(report.holds);
    rasp_model_free(model);
    return fine;
}

/* What it says of itself is made again, of its own weights. */
static bool verify_bent(Fixture *f, RaspError *error) {
    RaspVerifyReport report;
    if (!rasp_verify(f->bent, &report, error)) return false;
    assert_true(report.changed == 1 && report.certificate.holds);
    return true;
}

static void note_stop(void *context, RaspRepl *repl, const char *said) {
    (void)repl;
    assert_true(*said);
    *(bool *)context = true;
}

static void ask_all(void *context, RaspRepl *repl, const char *name, RaspValue value) {
    (void)context, (void)name;
    rasp_value_text(repl, value, RASP_PLAIN);
    if (value.kind == RASP_VALUE_SOP) rasp_value_sequence(repl, value, NULL);
    if (value.kind == RASP_VALUE_SELECTOR) rasp_value_selection(repl, value, NULL);
}

static bool repl(Fixture *f, RaspError *error) {
    static const char *const lines[] = {"x = indices + 1;", "s = select(x,", "1, ==);",
                                        "x(\"ab\");",       "y = ;",         "l = [1, [2, x]];"};
    bool stopped = false;
    (void)f;
    RaspEvents events = {.context = &stopped, .named = ask_all, .stopped = note_stop};
    RaspRepl *r = rasp_repl_new(&events, NULL, error);
    if (!r) return false;
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        assert_true(rasp_repl_line(r, lines[k], strlen(lines[k])));
        if (k == 1) rasp_repl_drop(r);
    }
    rasp_free(rasp_repl_describe(r, "select"));
    rasp_repl_free(r);
    if (stopped) *error = (RaspError){.status = RASP_OUT_OF_MEMORY, .text = "stopped"};
    return !stopped;
}

/* --- every n ---------------------------------------------------------------------------- */

static const struct Trial {
    const char *name;
    bool (*try)(Fixture *f, RaspError *error);
} trials[] = {
    {"program", load_program},
    {"mistake", mistake},
    {"syntax", syntax},
    {"look", look},
    {"run", run},
    {"graph", graph},
    {"compile", compile},
    {"standard", compile_standard},
    {"bytes", bytes},
    {"save", save},
    {"load", load_bytes},
    {"forward", forward},
    {"trace", trace},
    {"patch", patch},
    {"circuit", circuit},
    {"circuit loaded", circuit_loaded},
    {"check", check},
    {"verify", verify},
    {"verify loaded", verify_loaded},
    {"verify bent", verify_bent},
    {"repl", repl},
};

static void try_one(const struct Trial *trial, Fixture *f, long n, bool on) {
    RaspError error = {0};
    made = 0;
    fail_at = n;
    fail_on = on;
    bool fine = trial->try(f, &error);
    fail_at = 0;
    if (!fine && (error.status == RASP_OK || !*error.text))
        fail_msg("%s, allocation %ld: no error", trial->name, n);
    if (!fine && !strstr(error.text, "memory") && !strstr(error.text, "stopped"))
        fail_msg("%s, allocation %ld: %d %s", trial->name, n, (int)error.status, error.text);
}

enum { EACH = 120, SAMPLES = 120 };

static void failures(void **state) {
    Fixture *f = *state;
    for (size_t t = 0; t < sizeof trials / sizeof *trials; t++) {
        RaspError error = {0};
        made = 0;
        if (!trials[t].try(f, &error)) fail_msg("%s: %s", trials[t].name, error.text);
        long total = made, step = total > EACH ? (total - EACH) / SAMPLES + 1 : 1;
        assert_true(total > 0);
        for (long n = 1; n <= total; n += n <= EACH ? 1 : step) {
            try_one(&trials[t], f, n, false);
            try_one(&trials[t], f, n, true);
        }
        if (!trials[t].try(f, &error)) fail_msg("%s, afterwards: %s", trials[t].name, error.text);
    }
}

/* The last weight is a float of the file's end. */
static bool bend(Fixture *f) {
    RaspError error;
    f->bytes[f->size - 4] ^= 1;
    f->bent = rasp_model_from_bytes(f->bytes, f->size, NULL, NULL, &error);
    f->bytes[f->size - 4] ^= 1;
    return f->bent;
}

static int set_up(void **state) {
    static Fixture f;
    RaspError error;
    json_set_alloc_funcs(json_malloc, free);
    int file = mkstemp(path);
    if (file < 0) return -1;
    close(file);
    f.program = program_of(text);
    f.sop = sop_of(f.program, NULL);
    f.model = rasp_compile(f.program, &f.sop, 1, &target, &error);
    f.engine = engine_of(f.model);
    f.json = rasp_model_json(f.model, &error);
    *state = &f;
    return f.json && rasp_model_bytes(f.model, &f.bytes, &f.size, &error) && bend(&f) ? 0 : -1;
}

static int tear_down(void **state) {
    Fixture *f = *state;
    rasp_engine_free(f->engine);
    rasp_model_free(f->model);
    rasp_program_free(f->program);
    rasp_model_free(f->bent);
    rasp_free(f->json);
    rasp_free(f->bytes);
    unlink(path);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(failures)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
