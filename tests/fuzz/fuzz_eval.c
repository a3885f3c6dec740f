/* Any bytes as lines at the console, with little memory and little time: results, which are looked
 * at as the console does, or messages; no crash, no leak, and the session still works. */
#include "api/rasp_repl.h"
#include "tests/fuzz/fuzz.h"

enum { SHOWN = 50, DEEP = 8 };

/* What a line is given; all lines of an input together at most LONGEST. */
static const double line_seconds = 0.005;
enum { LINES = 12, LONGEST = 15 };

static size_t failures;

/* --- looking at results ------------------------------------------------------------------- */

static void look_at_sequence(const RaspSequence *sequence) {
    char text[40];
    size_t length = rasp_sequence_length(sequence);
    rasp_sequence_type(sequence);
    rasp_sequence_uniform(sequence);
    for (size_t i = 0; i < length && i < SHOWN; i++)
        for (int style = RASP_PLAIN; style <= RASP_JSON; style++)
            rasp_atom_text(rasp_sequence_at(sequence, i), (RaspStyle)style, text, sizeof text);
}

static void look(RaspRepl *repl, RaspValue value, int depth) {
    const char *failure = NULL;
    const RaspSequence *sequence;
    if (depth == 0 || rasp_repl_stopped(repl)) return;
    switch (value.kind) {
    case RASP_VALUE_SOP:
        sequence = rasp_value_sequence(repl, value, &failure);
        if (sequence) look_at_sequence(sequence);
        break;
    case RASP_VALUE_SELECTOR:
        rasp_value_selection(repl, value, &failure);
        break;
    case RASP_VALUE_LIST:
    case RASP_VALUE_DICT:
        rasp_value_flat(value);
        for (size_t k = 0; k < rasp_value_count(value) && k < SHOWN; k++)
            look(repl, rasp_value_element(repl, value, k), depth - 1);
        break;
    default:
        rasp_value_text(repl, value, RASP_QUOTED);
    }
}

static void on_named(void *context, RaspRepl *repl, const char *name, RaspValue value) {
    (void)context;
    if (!name) abort();
    look(repl, value, DEEP);
}

static void on_applied(void *context, RaspRepl *repl, RaspValue value, RaspValue input) {
    (void)context;
    look(repl, value, DEEP);
    look(repl, input, DEEP);
}

static void on_drawn(void *context, RaspRepl *repl, RaspValue value, RaspValue input, bool show) {
    (void)context, (void)show;
    look(repl, value, DEEP);
    rasp_free(rasp_value_dot(repl, value, input, NULL));
}

static void on_example(void *context, RaspRepl *repl, RaspExample which) {
    (void)context;
    look(repl, rasp_repl_example(repl, which), DEEP);
}

static void expect_message(const RaspMessage *message) {
    if (!message->text || !*message->text) abort();
    rasp_free(rasp_message_show(message, false));
    rasp_free(rasp_message_fit(message, true, 30));
}

static void on_failed(void *context, RaspRepl *repl, RaspFailure failure, const char *reference,
                      const RaspMessage *message) {
    (void)context, (void)repl, (void)failure;
    if (!reference) abort();
    failures++;
    expect_message(message);
}

static void on_syntax(void *context, RaspRepl *repl, const RaspMessage *message) {
    (void)context, (void)repl;
    failures++;
    expect_message(message);
}

static void on_warned(void *context, RaspRepl *repl, const RaspMessage *message) {
    (void)context, (void)repl;
    expect_message(message);
}

static void on_stopped(void *context, RaspRepl *repl, const char *text) {
    (void)context;
    if (!repl || !*text) abort(); /* memory that is used up stays so: no failure of what follows */
}

/* What programs load: the one file that there is. */
static int read_small(void *context, const char *path, char **text, size_t *length) {
    static const char file[] = "loaded = indices + 1; def f(x) { return x + loaded; }";
    (void)context;
    if (!strstr(path, "lib")) return 2; /* ENOENT */
    if (!(*text = strdup(file))) abort();
    *length = sizeof file - 1;
    return 0;
}

/* --- lines -------------------------------------------------------------------------------- */

static bool feed(RaspRepl *repl, const char *text, size_t size) {
    for (int line = 0; size && line < LINES; line++) {
        const char *end = memchr(text, '\n', size);
        size_t length = end ? (size_t)(end - text) : size, step = length + (end != NULL);
        if (!rasp_repl_line(repl, text, length)) return false;
        text += step, size -= step;
    }
    return true;
}

static void expect_alive(RaspRepl *repl) {
    static const char *const lines[] = {"", "set example \"ab\"", "indices;"};
    rasp_repl_drop(repl);
    failures = 0;
    for (int k = 0; k < 3; k++)
        if (!rasp_repl_line(repl, lines[k], strlen(lines[k]))) abort();
    if (failures) abort();
}

/* The language's library is loaded before the first input, in as much time as that takes. */
int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    RaspError error;
    const RaspEvents events = {0};
    (void)argc, (void)argv;
    RaspRepl *repl = rasp_repl_new(&events, NULL, &error);
    if (!repl) abort();
    rasp_repl_free(repl);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    RaspError error;
    RaspConfig config = {.memory = (size_t)24 << 20,
                         .cpu_seconds = line_seconds,
                         .read = read_small,
                         .strict = size % 4 == 0};
    RaspEvents events = {NULL,      on_named,  on_applied, on_drawn, on_example,
                         on_failed, on_syntax, on_stopped, on_warned};
    fuzz_limit(LONGEST);
    RaspRepl *repl = rasp_repl_new(&events, &config, &error);
    if (!repl && error.status != RASP_OUT_OF_TIME) abort();
    if (repl) rasp_repl_relax(repl, size % 2);
    if (repl && feed(repl, (const char *)data, size)) expect_alive(repl);
    rasp_repl_free(repl);
    fuzz_limit(0);
    return 0;
}
