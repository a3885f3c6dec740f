/* Several threads, each with handles of its own; and engines of several threads on one model.
 * tests/api/threads runs this under ThreadSanitizer. */
#include "tests/unit/api_fixture.h"

#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 4, ROUNDS = 3 };

/* cmocka's assertions are for the main thread. */
typedef struct Worker {
    pthread_t thread;
    int number;
    const RaspModel *model;
    RaspModel *own;
    char wrong[1200];
} Worker;

static bool expect(Worker *w, bool condition, const char *what, const RaspError *error) {
    if (!condition && !w->wrong[0])
        snprintf(w->wrong, sizeof w->wrong, "%s: %s", what, error ? error->text : "");
    return condition;
}

static bool same_values(const RaspSequence *values, const int *expected, size_t count) {
    if (!values || rasp_sequence_length(values) != count) return false;
    for (size_t i = 0; i < count; i++)
        if (!rasp_atom_equal(rasp_sequence_at(values, i), rasp_int(expected[i]))) return false;
    return true;
}

static const int counts[] = {2, 2, 1};

static void run_forward(Worker *w, const RaspModel *model) {
    RaspEngineOptions options = {.threads = 1, .path = (RaspPath)(w->number % 3)};
    RaspInput input = input_of("aab");
    RaspError error;
    RaspEngine *engine = rasp_engine_new(model, &options, NULL, &error);
    if (!expect(w, engine, "engine", &error)) return;
    for (int k = 0; k < ROUNDS; k++) {
        RaspForward *forward = rasp_forward(engine, &input, &error);
        RaspForward *traced = rasp_trace(engine, &input, &(RaspTap){0}, &error);
        expect(w, forward && same_values(rasp_forward_sequence(forward, 0), counts, 3), "forward",
               &error);
        expect(w, traced && same_values(rasp_forward_sequence(traced, 0), counts, 3), "trace",
               &error);
        rasp_forward_free(traced);
        rasp_forward_free(forward);
    }
    rasp_engine_free(engine);
}

/* --- everything of one's own ------------------------------------------------------------ */

static void run_own(Worker *w, RaspProgram *program, const RaspSop *sop) {
    RaspTarget target = {.alphabet = "ab", .max_length = 4, .where = "length > 0"};
    RaspInput input = input_of("aab");
    RaspError error;
    RaspVerifyReport report;
    RaspRunOptions options = {.threads = 1};
    RaspRun *run = rasp_run_new(program, &input, sop, 1, &options, &error);
    expect(w, run && same_values(rasp_run_sequence(run, 0, &error), counts, 3), "run", &error);
    RaspModel *model = rasp_compile(program, sop, 1, &target, &error);
    if (expect(w, model, "compile", &error)) {
        run_forward(w, model);
        RaspCheckOptions check = rasp_check_options();
        check.threads = 1;
        RaspCheckReport *checked = rasp_check(model, &check, &error);
        expect(w, checked && checked->agree, "check", &error);
        rasp_check_free(checked);
        expect(w, rasp_verify(model, &report, &error) && report.holds, "verify", &error);
    }
    rasp_run_free(run);
    rasp_model_free(model);
}

static void *work_alone(void *context) {
    Worker *w = context;
    RaspError error;
    for (int k = 0; k < ROUNDS; k++) {
        RaspSop sop;
        RaspProgram *program = try_program(histogram, NULL, &error);
        if (expect(w, program && rasp_program_sop(program, NULL, &sop, &error), "program", &error))
            run_own(w, program, &sop);
        rasp_program_free(program);
        expect(w, !try_program("y = ;", NULL, &error) && error.column == 5, "mistake", &error);
    }
    RaspRepl *repl = rasp_repl_new(NULL, NULL, &error);
    expect(w, repl && rasp_repl_line(repl, "x = indices;", 12), "repl", &error);
    rasp_repl_free(repl);
    return NULL;
}

/* --- one model -------------------------------------------------------------------------- */

static void *work_together(void *context) {
    Worker *w = context;
    unsigned char *bytes = NULL;
    size_t size;
    RaspError error;
    run_forward(w, w->model);
    expect(w, rasp_model_info(w->model)->output_count == 1, "info", NULL);
    if (expect(w, rasp_model_bytes(w->model, &bytes, &size, &error), "bytes", &error))
        w->own = rasp_model_from_bytes(bytes, size, NULL, NULL, &error);
    if (expect(w, w->own, "from bytes", &error)) run_forward(w, w->own);
    rasp_free(bytes);
    char *json = rasp_model_json(w->model, &error);
    expect(w, json, "json", &error);
    rasp_free(json);
    return NULL;
}

static void start(Worker *workers, void *(*work)(void *), const RaspModel *model) {
    for (int k = 0; k < THREADS; k++) {
        workers[k] = (Worker){.number = k, .model = model};
        assert_int_equal(pthread_create(&workers[k].thread, NULL, work, &workers[k]), 0);
    }
}

static void finish(Worker *workers) {
    for (int k = 0; k < THREADS; k++) assert_int_equal(pthread_join(workers[k].thread, NULL), 0);
    for (int k = 0; k < THREADS; k++) {
        rasp_model_free(workers[k].own);
        if (workers[k].wrong[0]) fail_msg("%s", workers[k].wrong);
    }
}

static void alone(void **state) {
    (void)state;
    Worker workers[THREADS];
    start(workers, work_alone, NULL);
    finish(workers);
}

static void one_model(void **state) {
    (void)state;
    Worker workers[THREADS];
    for (int k = 0; k < 2; k++) {
        RaspTarget target = {.alphabet = "ab", .max_length = 4, .where = k ? "length > 0" : NULL};
        RaspModel *model = model_of(histogram, &target);
        start(workers, work_together, model);
        finish(workers);
        rasp_model_free(model);
    }
}

/* --- a model whose last engine goes in another thread ----------------------------------- */

typedef struct Last {
    RaspEngine *engine;
    atomic_bool go;
} Last;

static void *free_last(void *context) {
    Last *last = context;
    while (!atomic_load(&last->go)) sched_yield();
    rasp_engine_free(last->engine);
    return NULL;
}

/* The program goes on in this thread while the engine, and with it the model, ends there. */
static void last_engine(void **state) {
    (void)state;
    RaspTarget target = {.alphabet = "ab", .max_length = 4};
    RaspInput input = input_of("aab");
    for (int k = 0; k < 10; k++) {
        Last last = {0};
        pthread_t thread;
        RaspError error;
        RaspProgram *program = program_of(histogram);
        RaspSop sop = sop_of(program, NULL);
        RaspModel *model = rasp_compile(program, &sop, 1, &target, &error);
        last.engine = engine_of(model);
        rasp_model_free(model);
        assert_int_equal(pthread_create(&thread, NULL, free_last, &last), 0);
        atomic_store(&last.go, true);
        for (int j = 0; j < 10; j++) assert_string_equal(run_of(program, &sop, &input), "2 2 1");
        assert_int_equal(pthread_join(thread, NULL), 0);
        rasp_program_free(program);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alone),
        cmocka_unit_test(one_model),
        cmocka_unit_test(last_engine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
