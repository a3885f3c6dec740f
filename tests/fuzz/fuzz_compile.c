/* Programs, as texts or made of the fuzzer's bytes, compiled with options of all kinds and small
 * limits: a reason, or a model that gives the interpreter's answers on every input, as text and as
 * a file, errs no more than is certified, and is verified.
 *
 * An input is OPTIONS bytes and then a program's text, or choices for random_program.h. */
#include "api/rasp_check.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/random_program.h"

#include <math.h>

enum { OPTIONS = 4, LONGEST = 30, MOST_SOPS = 4 };

static const RaspConfig config = {.memory = (size_t)96 << 20, .cpu_seconds = 0.05};

typedef struct Case {
    const char *text;
    size_t length;
    RaspTarget target;
    bool all;
} Case;

/* --- what is wrong ------------------------------------------------------------------------ */

static _Noreturn void complain(const Case *c, const char *what, const char *detail) {
    const RaspTarget *t = &c->target;
    fprintf(stderr,
            "%s: %s\n%.*s\n--alphabet '%s' --max-length %u --dtype %s --mask %s --layout %s", what,
            detail, (int)c->length, c->text, t->alphabet, t->max_length,
            rasp_dtype_name((int)t->dtype), rasp_masks_name((int)t->masks),
            rasp_layout_name((int)t->layout));
    fprintf(stderr, "%s%s%s%s%s\n", t->log_length ? " --log-length-scaling" : "",
            t->where ? " --where " : "", t->where ? t->where : "", c->all ? " --all" : "",
            t->partial ? " --partial" : "");
    abort();
}

/* Something that a limit or the program explains, or nothing has gone wrong. */
static void expect_explained(const Case *c, const char *what, const RaspError *error) {
    fuzz_expect_reason(error);
    if (error->status == RASP_OUT_OF_MEMORY || error->status == RASP_OUT_OF_TIME) return;
    complain(c, what, error->text);
}

/* --- judging ------------------------------------------------------------------------------ */

static void describe(const RaspCheckExample *e, char *text, size_t size) {
    const RaspAtom *rows[] = {e->input, e->expected, e->found};
    static const char *const labels[] = {"input", ", expected", ", found"};
    char atom[64];
    size_t at = 0;
    for (int r = 0; r < 3; r++) {
        at += (size_t)snprintf(text + at, size - at, "%s", labels[r]);
        for (size_t i = 0; i < e->length && at < size - 100; i++) {
            rasp_atom_text(rows[r][i], RASP_JSON, atom, sizeof atom);
            at += (size_t)snprintf(text + at, size - at, " %s", atom);
        }
    }
}

static void expect_agreement(const Case *c, RaspModel *model, RaspRule rule, double certified) {
    RaspCheckOptions options = rasp_check_options();
    RaspError error;
    char detail[1024];
    options.rule = rule;
    options.threads = 1;
    options.exhaustive_limit = options.count = 100;
    RaspCheckReport *report = rasp_check(model, &options, &error);
    if (!report) {
        expect_explained(c, "not checked", &error);
        return;
    }
    const RaspCheckRun *run = &report->runs[0];
    if (run->example_count) {
        describe(&run->examples[0], detail, sizeof detail);
        complain(c, rasp_rule_name((int)rule), detail);
    }
    if (report->compared && !report->agree) complain(c, "no agreement", "and no example");
    if (report->left_out && rasp_model_info(model)->answers != RASP_ANSWERS_NOT_SHOWN)
        complain(c, "no answer", "on an input on which the model says that there is one");
    if (run->largest_error > certified) {
        snprintf(detail, sizeof detail, "measured %g, certified %g", run->largest_error, certified);
        complain(c, "error", detail);
    }
    rasp_check_free(report);
}

static void expect_verified(const Case *c, const RaspModel *model) {
    unsigned char *bytes;
    size_t size;
    RaspError error;
    RaspVerifyReport report;
    if (!rasp_model_bytes(model, &bytes, &size, &error)) complain(c, "not saved", error.text);
    RaspModel *again = rasp_model_from_bytes(bytes, size, "file", &config, &error);
    if (!again) complain(c, "not loaded", error.text);
    if (!rasp_verify(again, &report, &error))
        expect_explained(c, "not verified", &error);
    else if (!report.holds || !report.same_structure || report.changed)
        complain(c, "not verified", report.same_structure ? report.where : report.difference);
    rasp_model_free(again);
    rasp_free(bytes);
}

static struct { size_t programs, compiled; } counts;

__attribute__((destructor)) static void say_counts(void) {
    fprintf(stderr, "of %zu programs %zu were compiled and judged\n", counts.programs,
            counts.compiled);
}

static void judge(const Case *c, RaspModel *model) {
    RaspCertificate certificate;
    counts.compiled++;
    if (!rasp_model_certificate(model, &certificate) || !certificate.holds)
        complain(c, "certificate", "missing or broken");
    if (!(certificate.error >= 0)) complain(c, "certificate", "no error");
    expect_agreement(c, model, RASP_SOFTMAX, certificate.error);
    expect_agreement(c, model, RASP_AVERAGE, HUGE_VAL);
    expect_verified(c, model);
}

static void compile(const Case *c) {
    RaspError error;
    RaspSource source = {.text = c->text, .length = c->length, .path = "fuzz"};
    RaspProgram *program = rasp_program_load(&source, &config, &error);
    RaspSop sop;
    const RaspSop *sops = &sop;
    size_t count = 1;
    RaspModel *model = NULL;
    bool found = program && (c->all ? (sops = rasp_program_sops(program, &count, &error)) != NULL
                                    : rasp_program_sop(program, NULL, &sop, &error));
    if (found) {
        if (count > MOST_SOPS) sops += count - MOST_SOPS, count = MOST_SOPS;
        model = rasp_compile(program, sops, count, &c->target, &error);
    }
    if (model)
        judge(c, model);
    else
        fuzz_expect_reason(&error);
    rasp_model_free(model);
    rasp_program_free(program);
}

/* --- inputs ------------------------------------------------------------------------------- */

static const char *const texts[] = {"ab",
                                    "abc",
                                    "[0, 1, 2]",
                                    "[0.5, 1.0, -2.25]",
                                    "[true, false]",
                                    "[\"\", \"a\"]",
                                    "[0.1, 0.2, 0.3]",
                                    "[-1, 3, 1000000]",
                                    "[1.0, 1e16, 0.0]",
                                    "01"};

static RaspTarget read_target(const uint8_t *b) {
    return (RaspTarget){.alphabet = texts[b[0] % (sizeof texts / sizeof *texts)],
                        .max_length = 1 + b[1] % 4,
                        .dtype = (RaspDtype)(b[1] / 4 % 3),
                        .masks = (RaspMasks)(b[2] % 3),
                        .layout = (RaspLayout)(b[2] / 4 % 2),
                        .log_length = b[2] / 8 % 2,
                        .where = b[2] / 16 % 4 == 1 ? "fine" : NULL,
                        .table_limit = 1000,
                        .partial = b[3] & 4};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static RandomProgram program;
    static char text[PROGRAM_TEXT], alphabet[256];
    if (size < OPTIONS) return -1;
    Case c = {(const char *)data + OPTIONS, size - OPTIONS, read_target(data), data[3] & 2};
    if (data[3] & 1) {
        Chooser chooser = {.bytes = data + OPTIONS, .left = size - OPTIONS};
        random_program(&program, &chooser, 0);
        if (!program_text(&program, text, sizeof text)) return -1;
        c.text = text, c.length = strlen(text);
        c.target.alphabet = alphabet_text(&program.alphabet, alphabet, sizeof alphabet);
        c.target.max_length = program.max_length;
        c.target.where = program.where >= 0 ? "fine" : NULL;
    }
    fuzz_limit(LONGEST);
    counts.programs++;
    compile(&c);
    fuzz_limit(0);
    return 0;
}
