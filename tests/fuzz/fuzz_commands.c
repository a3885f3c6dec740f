/* Weights files through the command line, all in one process: info, verify, check, run and list,
 * with and without --json, three for each file, drawn from its bytes.  An exit status that is
 * documented, a message with every failure, and JSON that parses.  Changed by weights_mutator.h.
 *
 * The command line is linked whole; its `main` is libFuzzer's here. */
#define _GNU_SOURCE /* memfd_create */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/weights_mutator.h"

#include <sys/mman.h>

#include "cli/stop.h"

#define main rasp_main
#include "cli/main.c"
#undef main

int rasp_main(int argc, char **argv);

enum { LONGEST = 60, WORDS = 10 };

static const char *const lines[][WORDS] = {
    {"info", NULL},
    {"info", "--json", NULL},
    {"info", "--circuit", "-", NULL},
    {"verify", NULL},
    {"verify", "--json", NULL},
    {"check", "--exhaustive-limit", "30", "--count", "10", "--threads", "1", NULL},
    {"check", "--exhaustive-limit", "30", "--count", "10", "--threads", "1", "--json", NULL},
    {"run", "--threads", "1", NULL},
    {"run", "--threads", "1", "--json", "--all", NULL},
    {"run", "--threads", "1", "--weights", "hard-right", "--path", "sparse", NULL},
    {"run", "--stream", NULL},
    {"run", "--generate", "3", NULL},
    {"run", "--generate", "3", "--json", "--temperature", "2", NULL},
    {"list", NULL},
    {"list", "--json", NULL},
};
enum { LINES = sizeof lines / sizeof *lines };
static const char *const inputs[] = {"ab", "", "[0, 1, 2]", "[true]", "[0.5, 1.0]", "§aé"};

/* --- one command -------------------------------------------------------------------------- */

/* What a command writes; the stream is used again, never closed: others may know it. */
typedef struct Output {
    char *text;
    size_t size, used;
    FILE *file;
} Output;

static FILE *output_begin(Output *o) {
    if (!o->file && !(o->file = open_memstream(&o->text, &o->size))) abort();
    rewind(o->file);
    return o->file;
}

static void output_end(Output *o) {
    off_t end = ftello(o->file);
    if (end < 0 || fflush(o->file) != 0) abort();
    o->used = (size_t)end; /* of `size`, which may be what another command wrote */
}

static bool is_documented(int status) {
    static const int known[] = {EXIT_FINE,          EXIT_DISAGREE, EXIT_WRONG_USE,
                                EXIT_WRONG_PROGRAM, EXIT_NO_FILE,  EXIT_FAILED};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (status == known[k]) return true;
    return false;
}

static void expect_json(const char *text, size_t size) {
    for (size_t at = 0; at < size;) { /* a value a line */
        const char *end = memchr(text + at, '\n', size - at);
        size_t length = end ? (size_t)(end - text) - at : size - at;
        json_t *value = json_loadb(text + at, length, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
        if (!value && length) abort();
        json_decref(value);
        at += length + 1;
    }
}

/* The circuit is one value on many lines. */
static void expect_one_json(const char *text, size_t size) {
    json_t *value = json_loadb(text, size, JSON_ALLOW_NUL, NULL);
    if (!value) abort();
    json_decref(value);
}

static void run_command_line(const char *path, const char *const *words) {
    char *argv[WORDS + 8], text[WORDS][32];
    int argc = 1, status;
    bool json = false, circuit = false, is_run = strcmp(words[0], "run") == 0;
    static Output out, err;
    FILE *out_before = stdout, *err_before = stderr;
    argv[0] = strcpy(text[WORDS - 1], "rasp");
    for (int k = 0; words[k]; k++) {
        snprintf(text[k], sizeof text[k], "%s", words[k]);
        json |= strcmp(words[k], "--json") == 0;
        circuit |= strcmp(words[k], "--circuit") == 0;
        argv[argc++] = text[k];
    }
    argv[argc++] = (char *)(uintptr_t)path;
    for (size_t k = 0; is_run && k < sizeof inputs / sizeof *inputs; k++)
        argv[argc++] = (char *)(uintptr_t)inputs[k];
    argv[argc] = NULL;
    stdout = output_begin(&out), stderr = output_begin(&err);
    status = dispatch_within_memory(argc, argv);
    fflush(stdout); /* the first command has put a stream of its own before it */
    stdout = out_before, stderr = err_before;
    output_end(&out);
    output_end(&err);
    if (stop_requested())
        signal(SIGINT, SIG_DFL), raise(SIGINT); /* ends the fuzzer, as it should */
    if (!is_documented(status)) abort();
    if (status != EXIT_FINE && status != EXIT_DISAGREE && err.used == 0) abort();
    if (json && status == EXIT_FINE) expect_json(out.text, out.used);
    if (circuit && status == EXIT_FINE) expect_one_json(out.text, out.used);
}

/* --- files -------------------------------------------------------------------------------- */

/* A file in memory that has a path. */
static const char *write_file(const uint8_t *data, size_t size) {
    static char path[40];
    static int file = -1;
    if (file < 0) file = memfd_create("weights", 0);
    if (file < 0 || ftruncate(file, (off_t)size) != 0) abort();
    if (pwrite(file, data, size, 0) != (ssize_t)size) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return path;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!rasp_is_weights(data, size)) return -1; /* programs are another target's */
    fuzz_limit(LONGEST);
    pool_begin();
    const char *path = write_file(data, size);
    for (uint32_t ways = fuzz_draw(data, size), k = 0; k < 3; k++, ways /= LINES)
        run_command_line(path, lines[ways % LINES]);
    pool_end();
    fuzz_limit(0);
    return 0;
}
