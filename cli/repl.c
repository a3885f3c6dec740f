#include "cli/repl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Repl {
    const ReplOptions *options;
    FILE *out;
    RaspRepl *session;
    char *prompt; /* malloc'd: statements may hold any number of defs */
    size_t prompt_room;
    bool done;
} Repl;

static void greet(const Repl *repl) {
    static const char reference[] = "RASP 0.1\nrunning example is: hello\n";
    fputs(repl->options->banner ? repl->options->banner : reference, repl->out);
}

/* ">> ", or ".. " and two blanks for each word `def` so far. */
static const char *prompt(Repl *repl) {
    if (rasp_repl_fresh(repl->session)) return ">> ";
    if (repl->options->relaxed) return ".. "; /* what is pasted has its own indentation */
    size_t blanks = 2 * (size_t)rasp_repl_def_words(repl->session), size = blanks + sizeof ".. ";
    if (size > repl->prompt_room) {
        char *larger = realloc(repl->prompt, size);
        if (!larger) return ".. ";
        repl->prompt = larger;
        repl->prompt_room = size;
    }
    memcpy(repl->prompt, ".. ", 3);
    memset(repl->prompt + 3, ' ', blanks);
    repl->prompt[3 + blanks] = '\0';
    return repl->prompt;
}

static void take_line(Repl *repl, const char *line, size_t length) {
    const ReplOptions *options = repl->options;
    if (rasp_repl_fresh(repl->session) && options->command &&
        options->command(options->context, repl->session, line, length))
        return;
    if (options->cancel) *options->cancel = 0;
    if (!rasp_repl_line(repl->session, line, length)) repl->done = true;
}

/* As if it had been typed: what a program says of mistakes is printed. */
static void load(Repl *repl) {
    const char *path = repl->options->load;
    char *line;
    size_t length;
    FILE *out = open_memstream(&line, &length);
    if (!out) return;
    fprintf(out, "load \"%s\";", path);
    rasp_repl_relax(repl->session, true);
    if (fclose(out) == 0) rasp_repl_line(repl->session, line, length);
    free(line);
}

static void loop(Repl *repl) {
    while (!repl->done) {
        const char *line;
        size_t length;
        switch (line_read(repl->options->lines, prompt(repl), &line, &length)) {
        case LINE_READ:
            take_line(repl, line, length);
            break;
        case LINE_DROPPED:
            rasp_repl_drop(repl->session);
            break;
        case LINE_END:
            fputc('\n', repl->out);
            repl->done = true;
            break;
        }
    }
}

bool repl_run(const ReplOptions *options) {
    Repl repl = {.options = options, .out = options->printer->out};
    RaspEvents events = print_events(options->printer);
    repl.session = rasp_repl_new(&events, options->config, NULL);
    if (!repl.session) return false;
    if (options->started) options->started(options->context, repl.session);
    greet(&repl);
    if (options->load) load(&repl);
    rasp_repl_relax(repl.session, options->relaxed);
    loop(&repl);
    rasp_repl_free(repl.session);
    free(repl.prompt);
    return true;
}
