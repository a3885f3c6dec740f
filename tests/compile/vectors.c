/* vectors.c: reads recorded inputs and outputs of programs, and judges what rasp answers.
 *
 *     vectors inputs  FILE.json MAX_LENGTH              the inputs, one JSON list a line
 *     vectors alphabet FILE.json                       its tokens as a JSON list
 *     vectors compare FILE.json MAX_LENGTH ANSWERS      judge lines of `rasp run --json`
 *
 * FILE.json is described in vectors/README.md.  Inputs longer than MAX_LENGTH are left out of
 * both.  Numbers agree within 1e-9 times the larger of 1 and the recorded value; booleans and
 * strings exactly, and never with another kind.  `compare` prints up to three failing cases
 * and closes with `N passed, N failed`; the exit status is 0 when none failed.
 */
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN     3 /* failing cases printed in full */
#define TOLERANCE 1e-9

static _Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void die(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("vectors: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(2);
}

static bool values_agree(const json_t *expected, const json_t *found) {
    if (json_is_number(expected) && json_is_number(found)) {
        double want = json_number_value(expected), have = json_number_value(found);
        return fabs(want - have) <= TOLERANCE * fmax(1, fabs(want));
    }
    return json_typeof(expected) == json_typeof(found) && json_equal(expected, found);
}

/* The first position where the two lists part, or -1.  Lists of other lengths part at the end
 * of the shorter. */
static long first_difference(const json_t *expected, const json_t *found) {
    size_t wanted = json_array_size(expected), had = json_array_size(found);
    for (size_t i = 0; i < wanted && i < had; i++) {
        if (!values_agree(json_array_get(expected, i), json_array_get(found, i))) return (long)i;
    }
    return wanted == had ? -1 : (long)(wanted < had ? wanted : had);
}

static void show(const char *label, const json_t *value) {
    char *text = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
    printf("    %s %s\n", label, text ? text : "nothing");
    free(text);
}

/* Judges one case against one line of answers; false when they differ. */
static bool judge(const char *name, size_t number, const json_t *test, const char *line,
                  bool shown) {
    json_t *answer = line ? json_loads(line, 0, NULL) : NULL;
    json_t *found = json_object_get(answer, "output");
    json_t *expected = json_object_get(test, "output");
    long at = first_difference(expected, found);
    bool agree = json_is_array(found) && at < 0;
    if (!agree && shown) {
        printf("FAIL %s, case %zu, position %ld\n", name, number, at);
        show("input   ", json_object_get(test, "input"));
        show("expected", expected);
        if (found)
            show("found   ", found);
        else
            printf("    found    %s", line ? line : "no line\n");
    }
    json_decref(answer);
    return agree;
}

static bool fits(const json_t *test, size_t max_length) {
    return json_array_size(json_object_get(test, "input")) <= max_length;
}

static void print_inputs(const json_t *cases, size_t max_length) {
    size_t k;
    json_t *test;
    json_array_foreach(cases, k, test) {
        if (!fits(test, max_length)) continue;
        json_dumpf(json_object_get(test, "input"), stdout, JSON_COMPACT);
        putchar('\n');
    }
}

static int compare(const char *name, const json_t *cases, size_t max_length, FILE *answers) {
    size_t passed = 0, failed = 0, k, room = 0;
    char *line = NULL;
    json_t *test;
    json_array_foreach(cases, k, test) {
        if (!fits(test, max_length)) continue;
        bool have = getline(&line, &room, answers) > 0;
        bool agree = judge(name, k, test, have ? line : NULL, failed < SHOWN);
        passed += agree;
        failed += !agree;
    }
    if (getline(&line, &room, answers) > 0) {
        printf("FAIL %s: more lines than inputs, the first is\n    %s", name, line);
        failed++;
    }
    free(line);
    printf("%zu passed, %zu failed\n", passed, failed);
    return failed > 0;
}

static const char usage[] = "usage: vectors inputs FILE.json MAX_LENGTH\n"
                            "       vectors alphabet FILE.json\n"
                            "       vectors compare FILE.json MAX_LENGTH ANSWERS";

static int run(const char *verb, json_t *vectors, char **rest) {
    const json_t *cases = json_object_get(vectors, "cases");
    const char *slash = strrchr(rest[0], '/'), *name = slash ? slash + 1 : rest[0];
    if (strcmp(verb, "alphabet") == 0) {
        json_dumpf(json_object_get(vectors, "alphabet"), stdout, JSON_COMPACT);
        putchar('\n');
        return 0;
    }
    size_t max_length = strtoul(rest[1], NULL, 10);
    if (!json_is_array(cases) || max_length == 0) die("%s: no cases, or no length", name);
    if (strcmp(verb, "inputs") == 0) {
        print_inputs(cases, max_length);
        return 0;
    }
    FILE *answers = fopen(rest[2], "r");
    if (!answers) die("cannot read '%s'", rest[2]);
    int status = compare(name, cases, max_length, answers);
    fclose(answers);
    return status;
}

int main(int argc, char **argv) {
    static const struct {
        const char *verb;
        int arguments;
    } verbs[] = {{"inputs", 4}, {"alphabet", 3}, {"compare", 5}};
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        if (argc != verbs[i].arguments || strcmp(argv[1], verbs[i].verb) != 0) continue;
        json_error_t error;
        json_t *vectors = json_load_file(argv[2], 0, &error);
        if (!vectors) die("%s:%d: %s", argv[2], error.line, error.text);
        int status = run(argv[1], vectors, argv + 2);
        json_decref(vectors);
        return status;
    }
    die("%s", usage);
}
