/* Weights files: an error, or a model that describes itself; of those some save and load as the
 * same bytes again, some run, some are verified and checked within limits, and what is verified
 * must agree with the interpreter.  Which, is drawn from a file's bytes: to verify compiles the
 * program again, which costs several times what reading it does.  At the end the target says
 * how often each was done.  Changed by weights_mutator.h. */
#include "api/rasp_check.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/weights_mutator.h"

enum { LONGEST = 20, TOKENS = 6 };
enum { SAVED = 8, RUN = 4, JUDGED = 16 }; /* one in so many */

static const RaspConfig config = {.memory = (size_t)64 << 20, .cpu_seconds = 0.1};

static _Noreturn void complain(const char *what, const char *detail) {
    fprintf(stderr, "%s: %s\n", what, detail);
    abort();
}

/* --- bytes -------------------------------------------------------------------------------- */

static void save_twice(const RaspModel *model) {
    unsigned char *first, *second;
    size_t first_size, second_size;
    RaspError error;
    if (!rasp_model_bytes(model, &first, &first_size, &error)) complain("not saved", error.text);
    RaspModel *again = rasp_model_from_bytes(first, first_size, "again", &config, &error);
    if (!again) complain("not loaded again", error.text);
    if (!rasp_model_bytes(again, &second, &second_size, &error)) complain("again", error.text);
    if (first_size != second_size || memcmp(first, second, first_size) != 0)
        complain("saved", "two files differ");
    rasp_model_free(again);
    rasp_free(first);
    rasp_free(second);
}

/* --- runs --------------------------------------------------------------------------------- */

static RaspInput make_input(const RaspModelInfo *info, RaspAtom *tokens, size_t length) {
    for (size_t i = 0; i < length; i++)
        tokens[i] = info->alphabet[(i * i + length) % info->alphabet_size];
    if (info->first >= 0) tokens[0] = info->alphabet[info->first];
    return (RaspInput){.tokens = tokens, .count = length};
}

static void look(const RaspModelInfo *info, const RaspForward *forward, size_t length) {
    for (size_t o = 0; o < info->output_count; o++) {
        const RaspSequence *values = rasp_forward_sequence(forward, o);
        if (!values) continue; /* no answer, as a partial model says */
        if (rasp_sequence_length(values) != length) complain("output", info->outputs[o].name);
        for (size_t i = 0; i < length; i++) rasp_forward_reading(forward, o, i);
    }
}

static void on_head(void *context, size_t layer, size_t head, size_t n, const double *scores,
                    const double *weights, size_t width, const double *result) {
    (void)context, (void)layer, (void)head;
    volatile double last = scores[(n + 1) * (n + 1) - 1] + weights[(n + 1) * (n + 1) - 1] +
                           result[(n + 1) * width - 1];
    (void)last;
}

static void on_residual(void *context, size_t layer, int sublayer, size_t n, size_t width,
                        const double *stream) {
    (void)context, (void)layer, (void)sublayer;
    volatile double last = stream[(n + 1) * width - 1];
    (void)last;
}

static void run(RaspEngine *engine, const RaspModelInfo *info, size_t length) {
    RaspAtom tokens[TOKENS];
    RaspError error;
    RaspInput input = make_input(info, tokens, length);
    RaspForward *forward = rasp_forward(engine, &input, &error);
    if (forward)
        look(info, forward, length);
    else
        fuzz_expect_reason(&error);
    rasp_forward_free(forward);
    const RaspTap tap = {.head = on_head, .residual = on_residual};
    forward = rasp_trace(engine, &input, &tap, &error);
    if (forward) look(info, forward, length);
    rasp_forward_free(forward);
}

static void stream(RaspEngine *engine, const RaspModelInfo *info, size_t length) {
    RaspAtom tokens[TOKENS];
    RaspError error;
    RaspReading *readings = calloc(info->output_count, sizeof *readings);
    RaspInput input = make_input(info, tokens, length);
    RaspStream *s = rasp_stream_new(engine, &error);
    if (!readings) abort();
    for (size_t i = 0; s && i < length; i++)
        if (!rasp_stream_push(s, input.tokens[i], readings, &error)) fuzz_expect_reason(&error);
    rasp_stream_free(s);
    free(readings);
}

static void run_way(const RaspModel *model, const RaspModelInfo *info, unsigned way) {
    enum { RULES = RASP_TOP_K + 1 };
    RaspError error;
    size_t most = info->max_length < TOKENS ? info->max_length : TOKENS;
    RaspRule rule = (RaspRule)(way % RULES);
    RaspEngineOptions options = {.rule = rule,
                                 .parameter = rasp_rule_parameter(rule).example,
                                 .path = way / RULES % 2 ? RASP_PATH_SPARSE : RASP_PATH_DENSE,
                                 .threads = 1};
    RaspEngine *engine = rasp_engine_new(model, &options, &config, &error);
    if (!engine) { /* `where` needs the program, which may be broken */
        fuzz_expect_reason(&error);
        if (!info->where && error.status != RASP_OUT_OF_MEMORY) complain("no engine", error.text);
        return;
    }
    run(engine, info, way / (2 * RULES) % 4 ? most : 1);
    stream(engine, info, most);
    rasp_engine_free(engine);
}

/* --- the program -------------------------------------------------------------------------- */

static void judge(RaspModel *model) {
    RaspVerifyReport verified;
    RaspError error;
    RaspCheckOptions options = rasp_check_options();
    options.exhaustive_limit = 40;
    options.count = 20;
    options.threads = 1;
    RaspClaimsReport claims = {0};
    bool done = rasp_verify(model, &verified, &error);
    if (!done) fuzz_expect_reason(&error);
    if (!rasp_verify_claims(model, NULL, &claims, &error)) {
        claims.holds = false;
        fuzz_expect_reason(&error);
    }
    RaspCheckReport *report = rasp_check(model, &options, &error);
    if (!report) fuzz_expect_reason(&error);
    if (report && done && verified.holds && !report->agree)
        complain("verified", "and differs from its program");
    if (report && claims.holds && !report->agree)
        complain("shown by its claims", "and differs from its program");
    rasp_check_free(report);
}

/* --- one file ----------------------------------------------------------------------------- */

static struct { size_t files, loaded, saved, run, judged; } counts;

__attribute__((destructor)) static void say_counts(void) {
    fprintf(stderr, "of %zu files %zu loaded, %zu saved again, %zu run, %zu verified and checked\n",
            counts.files, counts.loaded, counts.saved, counts.run, counts.judged);
}

static void use(RaspModel *model, uint32_t ways) {
    const RaspModelInfo *info = rasp_model_info(model);
    RaspError error;
    char *text = rasp_model_json(model, &error);
    if (!text) fuzz_expect_reason(&error);
    rasp_free(text);
    counts.loaded++;
    if (ways % SAVED == 0) counts.saved++, save_twice(model);
    ways /= SAVED;
    if (ways % RUN == 0) counts.run++, run_way(model, info, ways / RUN);
    ways /= RUN * 32;
    if (ways % JUDGED == 0) counts.judged++, judge(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    RaspError error;
    fuzz_limit(LONGEST);
    pool_begin();
    RaspModel *model = rasp_model_from_bytes(data, size, "fuzz", &config, &error);
    counts.files++;
    if (model)
        use(model, fuzz_draw(data, size));
    else
        fuzz_expect_reason(&error);
    rasp_model_free(model);
    pool_end();
    fuzz_limit(0);
    return 0;
}
