/* naive.c: what somebody who knows C would write instead of seven of the bundled programs: text in,
 * text out, the best simple algorithm for each, and nothing else that rasp does.
 *
 *     naive PROGRAM < INPUTS
 *
 * An input a line, a token a byte; what it prints is what `rasp run PROGRAM -` prints (bench/run
 * compares them).  No Unicode, no other types, no messages: getline, arrays indexed by byte, and
 * a line of output put together in memory.
 */
#define _GNU_SOURCE /* getline */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned char Byte;

/* One input and its answer: bytes, or numbers where the program counts. */
typedef struct Work {
    const Byte *token;
    size_t n;
    int *number, *scratch; /* [n] */
    Byte *byte;            /* [n] */
} Work;

enum { BYTES = 256 };

/* --- the programs ----------------------------------------------------------------------- */

static void count_bytes(const Work *w, int count[BYTES]) {
    memset(count, 0, BYTES * sizeof *count);
    for (size_t i = 0; i < w->n; i++) count[w->token[i]]++;
}

static void histogram(const Work *w) {
    int count[BYTES];
    count_bytes(w, count);
    for (size_t i = 0; i < w->n; i++) w->number[i] = count[w->token[i]];
}

static void reverse(const Work *w) {
    for (size_t i = 0; i < w->n; i++) w->byte[i] = w->token[w->n - 1 - i];
}

static void sort(const Work *w) {
    int count[BYTES];
    size_t at = 0;
    count_bytes(w, count);
    for (int b = 0; b < BYTES; b++)
        for (int k = 0; k < count[b]; k++) w->byte[at++] = (Byte)b;
}

/* Different tokens in the order of their first appearance, then stably by how frequent they are:
 * there are few of them. */
static void most_freq(const Work *w) {
    int count[BYTES] = {0};
    size_t different = 0;
    for (size_t i = 0; i < w->n; i++)
        if (count[w->token[i]]++ == 0) w->byte[different++] = w->token[i];
    for (size_t k = 1; k < different; k++) {
        Byte moving = w->byte[k];
        size_t to = k;
        for (; to > 0 && count[w->byte[to - 1]] < count[moving]; to--)
            w->byte[to] = w->byte[to - 1];
        w->byte[to] = moving;
    }
    memset(w->byte + different, '-', w->n - different);
}

static void double_histogram(const Work *w) {
    int count[BYTES];
    int *alike = w->scratch; /* by count: how many tokens occur so often */
    count_bytes(w, count);
    for (int b = 0; b < BYTES; b++)
        if (count[b]) alike[count[b] - 1] = 0;
    for (int b = 0; b < BYTES; b++)
        if (count[b]) alike[count[b] - 1]++;
    for (size_t i = 0; i < w->n; i++) w->number[i] = alike[count[w->token[i]] - 1];
}

/* A stack of open brackets. */
static void dyck_2(const Work *w) {
    int depth = 0;
    bool failed = false;
    Byte *open = (Byte *)w->scratch;
    for (size_t i = 0; i < w->n; i++) {
        Byte b = w->token[i];
        if (b == '(' || b == '{')
            open[depth++] = b;
        else if (depth == 0 || open[--depth] != (b == ')' ? '(' : '{'))
            failed = true;
        if (failed) depth = 0;
        w->byte[i] = failed ? 'F' : depth == 0 ? 'T' : 'P';
    }
}

static void induction(const Work *w) {
    Byte after[BYTES];
    memset(after, '-', sizeof after);
    for (size_t i = 0; i < w->n; i++) {
        w->byte[i] = after[w->token[i]];
        if (i + 1 < w->n) after[w->token[i]] = w->token[i + 1];
    }
}

static const struct {
    const char *name;
    void (*run)(const Work *w);
    bool counts;
} programs[] = {{"histogram", histogram, true},
                {"reverse", reverse, false},
                {"sort", sort, false},
                {"most-freq", most_freq, false},
                {"double-histogram", double_histogram, true},
                {"dyck-2", dyck_2, false},
                {"induction", induction, false}};

/* --- printing --------------------------------------------------------------------------- */

static char *put_number(char *to, int value) {
    char digits[16];
    size_t count = 0;
    do digits[count++] = (char)('0' + value % 10);
    while (value /= 10);
    while (count) *to++ = digits[--count];
    return to;
}

enum { MOST_BYTES = 12 }; /* of a value and ", " */

static void print(const Work *w, bool counts, char *line) {
    char *to = line;
    *to++ = '[';
    for (size_t i = 0; i < w->n; i++) {
        if (i) *to++ = ',', *to++ = ' ';
        if (counts)
            to = put_number(to, w->number[i]);
        else
            *to++ = (char)w->byte[i];
    }
    *to++ = ']', *to++ = '\n';
    fwrite(line, 1, (size_t)(to - line), stdout);
}

static bool reserve(Work *w, char **line) {
    w->number = realloc(w->number, w->n * sizeof *w->number);
    w->scratch = realloc(w->scratch, w->n * sizeof *w->scratch);
    w->byte = realloc(w->byte, w->n);
    *line = realloc(*line, w->n * MOST_BYTES + 4);
    return w->number && w->scratch && w->byte && *line;
}

int main(int argc, char **argv) {
    size_t program = 0, most = sizeof programs / sizeof *programs, room = 0, reserved = 0;
    char *text = NULL, *line = NULL;
    Work w = {0};
    while (program < most && argc == 2 && strcmp(argv[1], programs[program].name) != 0) program++;
    if (argc != 2 || program == most) return 2;
    for (ssize_t length; (length = getline(&text, &room, stdin)) > 0;) {
        if (text[length - 1] == '\n') length--;
        if (length == 0) continue;
        w.token = (const Byte *)text, w.n = (size_t)length;
        if (w.n > reserved && !reserve(&w, &line)) return 1;
        if (w.n > reserved) reserved = w.n;
        programs[program].run(&w);
        print(&w, programs[program].counts, line);
    }
    return ferror(stdout) || fflush(stdout) != 0;
}
