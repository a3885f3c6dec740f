/* Programs made of the fuzzer's bytes, compiled and compared with the interpreter on every
 * input.  What is wrong is printed as a program with its alphabet. */
#include "tests/unit/random_judge.h"

#include <unistd.h>

static volatile sig_atomic_t out_of_time;

static void on_alarm(int number) {
    (void)number;
    out_of_time = 1;
}

static _Noreturn void complain(const RandomProgram *p, Judgement judgement, const char *text,
                               const char *detail) {
    char alphabet[256];
    fprintf(stderr, "%s: %s\n%s--alphabet '%s' --max-length %u\n", judgement_names[judgement],
            detail, text, alphabet_text(&p->alphabet, alphabet, sizeof alphabet), p->max_length);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static RandomProgram program;
    static char text[PROGRAM_TEXT];
    Chooser chooser = {.bytes = data ? data : (const uint8_t *)"", .left = size};
    Judge judge = {.cancel = &out_of_time};
    random_program(&program, &chooser, 0);
    if (!program_text(&program, text, sizeof text)) return -1;
    signal(SIGALRM, on_alarm);
    out_of_time = 0;
    alarm(15); /* before the fuzzer's own limit, so that the program is printed */
    Judgement judgement = judge_program(&judge, &program, text, compile_options());
    alarm(0);
    if (judged_bad(judgement)) complain(&program, judgement, text, judge.detail);
    return 0;
}
