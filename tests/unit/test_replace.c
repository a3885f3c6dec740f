/* A file in place of another: whole, or the old one as it was, and nothing beside it. */
#define _GNU_SOURCE /* O_TMPFILE */

#include "base/replace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* --- a folder of its own for each test, which is the current one ------------------------------ */

static char folder[] = "/tmp/rasp-replace-XXXXXX";

static int enter(void **state) {
    (void)state;
    strcpy(folder + sizeof folder - 7, "XXXXXX");
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave(void **state) {
    (void)state;
    bool empty = system("chmod -R u+rwx . && rm -rf ./*") == 0;
    return empty && chdir("/") == 0 ? rmdir(folder) : -1; /* fails when a file is left */
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void assert_holds(const char *path, const char *text) {
    char found[64] = {0};
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fread(found, 1, sizeof found - 1, file), strlen(text));
    fclose(file);
    assert_string_equal(found, text);
}

/* Names that do not begin with a dot; a temporary file's name begins with that of its file. */
static int count_files(void) {
    int count = 0;
    DIR *list = opendir(".");
    assert_non_null(list);
    for (struct dirent *entry; (entry = readdir(list));) count += entry->d_name[0] != '.';
    closedir(list);
    return count;
}

static mode_t mode_of(const char *path) {
    struct stat file;
    assert_int_equal(stat(path, &file), 0);
    return file.st_mode & 07777;
}

static bool replace(const char *path, const char *text, bool whole, Replacement *r) {
    if (!replace_begin(r, path)) return false;
    whole &= write(r->fd, text, strlen(text)) == (ssize_t)strlen(text);
    return replace_end(r, whole);
}

/* --- what goes well --------------------------------------------------------------------------- */

static void test_new(void **state) {
    (void)state;
    Replacement r;
    mode_t mask = umask(027);
    assert_true(replace("new", "text", true, &r));
    assert_holds("new", "text");
    assert_int_equal(mode_of("new"), 0640);
    umask(mask);
    char path[64];
    snprintf(path, sizeof path, "%s/absolute", folder);
    assert_true(replace(path, "more", true, &r));
    assert_holds("absolute", "more");
    assert_int_equal(count_files(), 2);
}

static void test_old(void **state) {
    (void)state;
    static const mode_t modes[] = {0600, 0644, 0664, 0755, 02775};
    Replacement r;
    for (size_t k = 0; k < sizeof modes / sizeof *modes; k++) {
        write_file("old", "a longer text than the new one");
        assert_int_equal(chmod("old", modes[k]), 0);
        assert_true(replace("old", "new", true, &r));
        assert_holds("old", "new");
        assert_int_equal(mode_of("old"), modes[k]);
    }
    assert_int_equal(count_files(), 1);
}

static void test_links(void **state) {
    (void)state;
    Replacement r;
    struct stat link;
    assert_int_equal(mkdir("far", 0700), 0);
    write_file("far/target", "old");
    assert_int_equal(symlink("far/target", "one") | symlink("one", "two"), 0);
    assert_int_equal(symlink("far/later", "nowhere"), 0);
    assert_true(replace("two", "new", true, &r));
    assert_holds("far/target", "new");
    assert_false(replace("nowhere", "half", false, &r));
    assert_int_equal(access("far/later", F_OK), -1);
    assert_true(replace("nowhere", "now", true, &r));
    assert_holds("far/later", "now");
    static const char *const links[] = {"one", "two", "nowhere"};
    for (size_t k = 0; k < 3; k++) {
        assert_int_equal(lstat(links[k], &link), 0);
        assert_true(S_ISLNK(link.st_mode));
    }
    assert_int_equal(count_files(), 4);
}

/* Devices and pipes are written to, and stay what they are. */
static void test_not_regular(void **state) {
    (void)state;
    Replacement r;
    struct stat file;
    char got[8] = {0};
    assert_int_equal(mkfifo("pipe", 0600), 0);
    int reader = open("pipe", O_RDONLY | O_NONBLOCK);
    assert_true(replace("pipe", "through", true, &r));
    assert_int_equal(read(reader, got, sizeof got), 7);
    assert_string_equal(got, "through");
    close(reader);
    assert_true(replace("/dev/null", "gone", true, &r));
    assert_int_equal(stat("pipe", &file), 0);
    assert_true(S_ISFIFO(file.st_mode));
    assert_int_equal(stat("/dev/null", &file), 0);
    assert_true(S_ISCHR(file.st_mode));
    assert_int_equal(count_files(), 1);
}

/* --- what does not ---------------------------------------------------------------------------- */

static void assert_fails(const char *path, int error, const char *step) {
    Replacement r;
    bool done = replace(path, "new", true, &r);
    int found = errno;
    assert_false(done);
    assert_int_equal(found, error);
    assert_string_equal(r.step, step);
}

static void test_refused(void **state) {
    (void)state;
    assert_int_equal(mkdir("folder", 0700) | symlink("loop", "loop"), 0);
    assert_int_equal(symlink("none/file", "dangling"), 0);
    write_file("plain", "old");
    assert_fails("none/file", ENOENT, "create a file beside it");
    assert_fails("plain/file", ENOTDIR, "create a file beside it");
    assert_fails("folder", EISDIR, "open");
    assert_fails("loop", ELOOP, "open");
    assert_fails("dangling", ENOENT, "open");
    if (access("/dev/full", W_OK) == 0) assert_fails("/dev/full", ENOSPC, "write");
    assert_holds("plain", "old");
    assert_int_equal(count_files(), 4);
}

/* Modes bind nobody who may do everything: then as somebody else. */
static void test_forbidden(void **state) {
    (void)state;
    enum { NOBODY = 65534 };
    assert_int_equal(mkdir("locked", 0755), 0);
    write_file("locked/old", "old");
    write_file("kept", "old");
    assert_int_equal(chmod("locked/old", 0666) | chmod("kept", 0444) | chmod(".", 0777), 0);
    assert_int_equal(chmod("locked", 0555), 0);
    uid_t self = geteuid();
    if (self == 0) assert_int_equal(seteuid(NOBODY), 0);
    assert_fails("locked/old", EACCES, "create a file beside it");
    assert_fails("locked/new", EACCES, "create a file beside it");
    assert_fails("kept", EACCES, "write");
    if (self == 0) assert_int_equal(seteuid(0), 0);
    assert_holds("locked/old", "old");
    assert_holds("kept", "old");
    assert_int_equal(count_files(), 2);
}

static void test_dropped(void **state) {
    (void)state;
    Replacement r;
    write_file("old", "old");
    assert_false(replace("old", "half of", false, &r));
    assert_false(replace("new", "half of", false, &r));
    assert_holds("old", "old");
    assert_int_equal(count_files(), 1);
}

/* No room for more than a few bytes. */
static void test_no_room(void **state) {
    (void)state;
    struct rlimit limit, kept;
    write_file("old", "old");
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &kept), 0);
    limit = (struct rlimit){2, kept.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    Replacement r;
    bool begun = replace_begin(&r, "old");
    bool whole = begun && write(r.fd, "new", 3) == 3;
    bool done = begun && replace_end(&r, whole);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &kept), 0);
    signal(SIGXFSZ, handler);
    assert_true(begun);
    assert_false(done);
    assert_holds("old", "old");
    assert_int_equal(count_files(), 1);
}

/* Where files can be without a name, a process that is killed leaves none. */
static void test_killed(void **state) {
    (void)state;
    int fd = open(".", O_TMPFILE | O_WRONLY, 0600);
    if (fd < 0) skip();
    close(fd);
    write_file("old", "old");
    pid_t child = fork();
    if (child == 0) {
        Replacement r;
        if (replace_begin(&r, "old") && write(r.fd, "new", 3) == 3) raise(SIGKILL);
        _exit(1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_holds("old", "old");
    assert_int_equal(count_files(), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_new),         TEST(test_old),     TEST(test_links),
        TEST(test_not_regular), TEST(test_refused), TEST(test_forbidden),
        TEST(test_dropped),     TEST(test_no_room), TEST(test_killed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
