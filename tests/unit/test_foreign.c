/* Files from strangers: what they embed neither runs without end nor touches the file system. */
#include "api/rasp_check.h"
#include "compile/sha256.h"
#include "runtime/safetensors.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

/* --- the file system, watched --------------------------------------------------------------
 *
 * The library is linked into this program, so these stand for libc's. */

static int watching, touched;

static int touch(void) {
    if (!watching) return 0;
    touched++;
    errno = EACCES;
    return -1;
}

int unlink(const char *path) {
    return touch() ? -1 : unlinkat(AT_FDCWD, path, 0);
}

int rename(const char *from, const char *to) {
    return touch() ? -1 : renameat(AT_FDCWD, from, AT_FDCWD, to);
}

int mkdir(const char *path, mode_t mode) {
    return touch() ? -1 : mkdirat(AT_FDCWD, path, mode);
}

int rmdir(const char *path) {
    return touch() ? -1 : unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}

int open(const char *path, int flags, ...) {
    va_list args;
    va_start(args, flags);
    mode_t mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
    va_end(args);
    return touch() ? -1 : openat(AT_FDCWD, path, flags, mode);
}

int mkstemp(char *template) {
    (void)template;
    return touch() ? -1 : (errno = ENOSYS, -1);
}

char *mkdtemp(char *template) {
    (void)template;
    return touch() ? NULL : (errno = ENOSYS, NULL);
}

FILE *fopen(const char *path, const char *mode) {
    int flags = *mode == 'r' ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC;
    int fd = touch() ? -1 : openat(AT_FDCWD, path, flags, 0600);
    return fd < 0 ? NULL : fdopen(fd, mode);
}

/* --- files --------------------------------------------------------------------------------- */

static int read_helper(void *context, const char *path, char **text, size_t *length) {
    (void)context;
    const char *found = strstr(path, "helper") ? "def twice(s) { return s + s; }" : NULL;
    if (!found) return ENOENT;
    *text = strdup(found);
    *length = strlen(found);
    return 0;
}

static const char good[] = "load \"helper\";\ny = twice(indices);\n";

static Model *compiled(void) {
    RaspError error = {0};
    RtError reason;
    RaspConfig config = {.read = read_helper};
    RaspSource source = {.path = "p.rasp", .text = good, .length = strlen(good)};
    RaspProgram *program = rasp_program_load(&source, &config, &error);
    RaspSop sop;
    unsigned char *bytes;
    size_t size;
    assert_true(rasp_program_sop(program, NULL, &sop, &error));
    RaspModel *model =
        rasp_compile(program, &sop, 1, &(RaspTarget){.alphabet = "ab", .max_length = 3}, &error);
    if (!model) fail_msg("%s", error.text);
    assert_true(rasp_model_bytes(model, &bytes, &size, &error));
    Model *loaded = model_load_bytes(bytes, size, &reason);
    assert_non_null(loaded);
    rasp_free(bytes);
    rasp_model_free(model);
    rasp_program_free(program);
    return loaded;
}

/* The file with another text in it, whose hash fits. */
static RaspModel *embedding(const char *text, double seconds) {
    RaspError error = {0};
    RaspConfig config = {.cpu_seconds = seconds, .memory = 64 << 20};
    Model *model = compiled();
    char hash[65];
    unsigned char *bytes;
    size_t size;
    sha256_hex(text, strlen(text), hash);
    json_object_set_new(model->extra, "source", json_string(text));
    json_object_set_new(model->extra, "source_sha256", json_string(hash));
    assert_true(model_save_bytes(model, &bytes, &size, NULL));
    RaspModel *found = rasp_model_from_bytes(bytes, size, "w.bin", &config, &error);
    assert_non_null(found);
    free(bytes);
    model_free(model);
    return found;
}

/* --- without end --------------------------------------------------------------------------- */

static const char *const endless[] = {
    "for i in range(1000000) { for j in range(1000000) { x = 1; } } y = indices;",
    "def f(x) { return f(x); }\ny = f(1);",
    "x = [1];\nfor i in range(1000000) { x = [x, x]; }\ny = indices;",
    "y = indices;\nfor i in range(100000000) { y = y + y; }",
    "x = range(1000000);\nfor i in range(1000000) { x = x + x; }\ny = indices;",
};

static void test_without_end(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof endless / sizeof *endless; k++) {
        RaspVerifyReport report;
        RaspError error = {0};
        RaspModel *m = embedding(endless[k], 0.3);
        clock_t start = clock();
        assert_false(rasp_verify(m, &report, &error));
        RaspCheckReport *checked = rasp_check(m, NULL, &error);
        assert_null(checked);
        assert_true(*error.text);
        double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        if (seconds > 5) fail_msg("%zu: %g s", k, seconds);
        rasp_model_free(m);
    }
}

/* --- what it loads ------------------------------------------------------------------------- */

/* Every name but that of the file's own sources is not found, wherever it leads. */
static void test_loads(void **state) {
    (void)state;
    static const char *const names[] = {"/etc/passwd", "../helper2",     "pipe",
                                        "/dev/zero",   "/proc/self/mem", "~/.profile",
                                        "no/way",      "/tmp/other",     "../../../helper/"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char text[200];
        RaspVerifyReport report;
        RaspError error = {0};
        snprintf(text, sizeof text, "load \"%s\";\ny = indices;", names[k]);
        RaspModel *m = embedding(text, 5);
        watching = 1, touched = 0;
        bool done = rasp_verify(m, &report, &error);
        watching = 0;
        if (done || touched) fail_msg("%s: %d calls", names[k], touched);
        if (!strstr(error.text, "cannot find")) fail_msg("%s: %s", names[k], error.text);
        rasp_model_free(m);
    }
}

/* A user's file of the name of an embedded source stays as it is; without a folder for temporary
 * files everything works. */
static void test_untouched(void **state) {
    (void)state;
    char folder[64], old[4096];
    snprintf(folder, sizeof folder, "/tmp/rasp-foreign-%d", (int)getpid());
    assert_non_null(getcwd(old, sizeof old));
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(chdir(folder), 0);
    FILE *mine = fopen("helper.rasp", "w");
    fputs("mine", mine);
    fclose(mine);
    setenv("TMPDIR", "/nonexistent", 1);
    for (int round = 0; round < 2; round++) {
        RaspVerifyReport report;
        RaspError error = {0};
        RaspModel *m = embedding(good, 5);
        watching = 1, touched = 0;
        assert_true(rasp_verify(m, &report, &error));
        assert_true(report.holds);
        RaspCheckReport *checked = rasp_check(m, NULL, &error);
        assert_true(checked && checked->agree);
        RaspEngine *engine = rasp_engine_new(m, NULL, NULL, &error);
        RaspForward *pass = rasp_forward(engine, &(RaspInput){.text = "aba", .length = 3}, &error);
        assert_non_null(pass);
        watching = 0;
        assert_int_equal(touched, 0);
        rasp_forward_free(pass);
        rasp_engine_free(engine);
        rasp_check_free(checked);
        rasp_model_free(m);
        unsetenv("TMPDIR");
    }
    char found[16] = "";
    mine = fopen("helper.rasp", "r");
    assert_non_null(fgets(found, sizeof found, mine));
    fclose(mine);
    assert_string_equal(found, "mine");
    assert_int_equal(unlink("helper.rasp") | chdir(old) | rmdir(folder), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_without_end),
                                       cmocka_unit_test(test_loads),
                                       cmocka_unit_test(test_untouched)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
