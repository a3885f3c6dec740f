/* Random programs: the compiled model against the interpreter, on every input; what the judge of
 * claims (prove/judge.h) says of its weights, and of weights that were changed.
 *
 *     RASP_SEED=7 RASP_PROGRAMS=2000 build/release/unit/test_compile_random
 *     RASP_EFFORT=2 …     deeper programs, longer inputs
 *     RASP_TRACE=1 …      print each program before it is judged
 *     RASP_SHARD=K/N …    a piece of the run (campaign.h)
 *
 * A program that fails is printed shrunk, as a text with its alphabet; one that takes too long
 * is printed as it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "compile/record.h"
#include "tests/unit/campaign.h"
#include "tests/unit/random_judge.h"

#ifdef __SANITIZE_ADDRESS__
enum { PROGRAMS = 250, SECONDS = 60 };
#else
enum { PROGRAMS = 2000, SECONDS = 10 };
#endif
enum { FAILURES_SHOWN = 5 }; /* RASP_SHOWN=… */

/* --- watching ------------------------------------------------------------------------------ */

static char current[PROGRAM_TEXT + 512]; /* what is being judged */
static uint64_t current_seed;
static volatile sig_atomic_t out_of_time;

static void on_alarm(int number) {
    (void)number;
    out_of_time = 1;
}

/* A crash is a judgement like others, so that its program can be shrunk.  What it held is lost. */
static sigjmp_buf crash_site;

#ifndef __SANITIZE_ADDRESS__ /* which has a report of its own */
static void on_crash(int number) {
    siglongjmp(crash_site, number);
}
#endif

/* Of the processor's time, so that a busy machine stops nothing. */
static void limit_time(long seconds) {
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value = {seconds, 0}}, NULL);
}

static void watch(void) {
    signal(SIGPROF, on_alarm);
#ifndef __SANITIZE_ADDRESS__
    signal(SIGSEGV, on_crash);
    signal(SIGFPE, on_crash);
    signal(SIGABRT, on_crash);
#endif
}

/* --- one program --------------------------------------------------------------------------- */

/* Options other than the alphabet and the length, drawn now and then. */
static CompileOptions draw_options(Chooser *c) {
    CompileOptions options = compile_options();
    if (choose(c, 8) == 1) options.masks = choose(c, 2) ? MASKS_NONE : MASKS_CAUSAL;
    if (choose(c, 8) == 1) options.layout = LAYOUT_STANDARD;
    if (choose(c, 8) == 1) options.log_length = true;
    if (!options.log_length && choose(c, 6) == 1)
        options.kernel = choose(c, 2) ? RT_SPARSEMAX : RT_ENTMAX15;
    if (choose(c, 8) == 1) options.first = 0;
    if (choose(c, 6) == 1) options.dtype = COMPILE_F32;
    if (choose(c, 2) == 1) options.partial = true;
    if (choose(c, 3) == 1) options.way = VALUES_PRODUCTS; /* domains are small: else all is run */
    return options;
}

static void describe(const RandomProgram *p, const CompileOptions *o, char *text, size_t size) {
    char program[PROGRAM_TEXT], alphabet[256];
    program_text(p, program, sizeof program);
    snprintf(text, size,
             "# RASP_SEED=%llu\n%s--alphabet '%s' --max-length %u --mask %s%s%s%s%s%s%s%s%s%s\n",
             (unsigned long long)current_seed, program,
             alphabet_text(&p->alphabet, alphabet, sizeof alphabet), p->max_length,
             compile_mask_names[o->masks], o->log_length ? " --log-length-scaling" : "",
             o->kernel != RT_SOFTMAX ? " --kernel " : "",
             o->kernel != RT_SOFTMAX ? rt_rules[o->kernel].name : "",
             o->layout == LAYOUT_STANDARD ? " --layout standard" : "",
             o->dtype == COMPILE_F32 ? " --dtype f32" : "", o->partial ? " --partial" : "",
             p->where >= 0 ? " --where fine" : "", o->first == 0 ? " --first " : "",
             o->first == 0 ? p->alphabet.token[0] : "");
}

static Judgement judge(Judge *j, const RandomProgram *p, CompileOptions options) {
    char text[PROGRAM_TEXT];
    if (!program_text(p, text, sizeof text)) return JUDGED_NOT_RASP;
    describe(p, &options, current, sizeof current);
    if (getenv("RASP_TRACE")) fprintf(stderr, "%s\n", current);
    j->cancel = &out_of_time;
    j->prove = true;
    out_of_time = 0;
    limit_time(SECONDS);
    volatile Judgement result = JUDGED_CRASHED;
    if (sigsetjmp(crash_site, 1) == 0) result = judge_program(j, p, text, options);
    limit_time(0);
    return result;
}

typedef struct Failure {
    Judgement judgement;
    CompileOptions options;
} Failure;

static bool fails_alike(const RandomProgram *p, void *context) {
    const Failure *failure = context;
    Judge j = {0};
    return judge(&j, p, failure->options) == failure->judgement;
}

static void simplify_options(RandomProgram *p, Failure *failure) {
    const CompileOptions plain = compile_options(), before = failure->options;
    failure->options = plain;
    if (!fails_alike(p, failure)) failure->options = before;
}

static void report(Campaign *c, RandomProgram *p, Failure failure) {
    static char text[sizeof current + sizeof((Judge *)0)->detail + 64];
    Judge j = {0};
    simplify_options(p, &failure);
    if (failure.judgement != JUDGED_STOPPED) shrink(p, fails_alike, &failure);
    judge(&j, p, failure.options);
    snprintf(text, sizeof text, "%s: %s\n%s", judgement_names[failure.judgement], j.detail,
             current);
    print_error("FAIL %s\n", text);
    campaign_fail(c, text);
}

/* --- all of them --------------------------------------------------------------------------- */

static void tell(Campaign *c, const size_t *tally, const size_t *answers, size_t inputs,
                 size_t flagged) {
    campaign_count(c, "inputs", inputs);
    for (int k = 0; k < JUDGEMENT_COUNT; k++) campaign_count(c, judgement_names[k], tally[k]);
    for (int k = 0; answers_words[k]; k++) campaign_count(c, answers_words[k], answers[k]);
    campaign_count(c, "inputs flagged", flagged);
    print_message("seed %llu, %zu programs, %zu inputs:", (unsigned long long)c->seed, c->own,
                  inputs);
    for (int k = 0; k < JUDGEMENT_COUNT; k++)
        if (tally[k]) print_message(" %zu %s,", tally[k], judgement_names[k]);
    print_message("\nanswers:");
    for (int k = 0; answers_words[k]; k++) print_message(" %zu %s,", answers[k], answers_words[k]);
    print_message(" %zu inputs flagged\n", flagged);
}

static void test_random_programs(void **state) {
    (void)state;
    Campaign c = campaign_begin("test_compile_random", 20210613, PROGRAMS);
    size_t tally[JUDGEMENT_COUNT] = {0}, inputs = 0, bad = 0, shown = 0;
    size_t answers[ANSWERS_PARTIAL + 1] = {0}, flagged = 0;
    watch();
    while (campaign_next(&c, &current_seed)) {
        static RandomProgram program;
        Chooser chooser = chooser_of(current_seed);
        Judge j = {0};
        random_program(&program, &chooser, (unsigned)campaign_setting("RASP_EFFORT", 0));
        CompileOptions options = draw_options(&chooser);
        Judgement result = judge(&j, &program, options);
        tally[result]++;
        inputs += j.inputs;
        flagged += j.flagged;
        answers[j.answers.kind] += result == JUDGED_RIGHT;
        bad += judged_bad(result) && result != JUDGED_REFUSED && result != JUDGED_UNPROVED;
        if (judged_bad(result) && shown++ < campaign_setting("RASP_SHOWN", FAILURES_SHOWN))
            report(&c, &program, (Failure){result, options});
    }
    tell(&c, tally, answers, inputs, flagged);
    campaign_end(&c);
    size_t count = c.own;
    assert_int_equal(bad, 0);
    /* The generator must not get lost in programs that say nothing. */
    assert_true(count < 100 || tally[JUDGED_RIGHT] * 10 > count * 6);
    assert_true(count < 100 || tally[JUDGED_TOO_LARGE] * 50 < count);
    /* Of honest refusals of small programs there should be few; of those without a kind of their
     * own, which are printed, hardly any: one in ten thousand, as measured, so that a small draw
     * may meet one. */
    assert_true(tally[JUDGED_REFUSED] <= 1 + count / 1000);
    assert_true(count < 500 || tally[JUDGED_UNCERTIFIED] * 500 < count);
    /* Right models that are not proved by their weights: measured four in a thousand. */
    assert_true(tally[JUDGED_UNPROVED] <= 1 + count / 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
