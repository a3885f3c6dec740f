#include "cli/run_stream.h"

#include "cli/command.h"
#include "cli/print.h"
#include "cli/report.h"
#include "cli/stop.h"
#include "cli/token_reader.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* One sequence after the other; `stream` is NULL between them and after a mistake, when the
 * rest of the sequence is skipped. */
typedef struct Feeder {
    const StreamRun *with;
    RaspStream *stream;
    RaspReading *readings; /* of all outputs */
    size_t sequence;       /* from 1 */
    bool begun, skipping, failed;
} Feeder;

/* --- one token ----------------------------------------------------------------------------- */

static bool push(Feeder *f, RaspAtom token, RaspError *error) {
    if (!f->stream) f->stream = rasp_stream_new(f->with->engine, error);
    if (!f->stream || !rasp_stream_push(f->stream, token, f->readings, error)) return false;
    fputs(f->begun ? ", " : "[", stdout);
    f->begun = true;
    (f->with->info->token_kind == RASP_STRING ? print_value : print_element)(
        stdout, f->readings[f->with->outputs[0]].value, f->with->run->runner->precision);
    return true;
}

static void end(Feeder *f) {
    if (f->begun) puts("]");
    rasp_stream_free(f->stream);
    f->stream = NULL;
    f->begun = f->skipping = false;
}

static void feed(Feeder *f, RaspAtom token) {
    RaspError error;
    if (f->skipping || push(f, token, &error)) return;
    end(f);
    f->failed = f->skipping = true;
    report_error("sequence %zu: %s", f->sequence, error.text);
}

/* --- an input of the command line ---------------------------------------------------------- */

static void feed_argument(Feeder *f, const char *text) {
    RaspError error;
    RaspInput input = {.text = text, .length = strlen(text), .form = f->with->run->runner->form};
    RaspConfig config = report_config(f->with->run->memory);
    size_t count;
    f->sequence++;
    RaspAtom *tokens = rasp_input_read(&input, &config, &count, &error);
    if (!tokens) {
        report_error("sequence %zu: %s", f->sequence, error.text);
        f->failed = true;
        return;
    }
    for (size_t i = 0; i < count && !f->skipping; i++) feed(f, tokens[i]);
    rasp_free(tokens);
    end(f);
}

/* --- standard input ------------------------------------------------------------------------ */

static void on_token(void *context, RaspAtom token) {
    feed(context, token);
}

static void on_wrong(void *context, const char *message) {
    Feeder *f = context;
    bool again = f->skipping; /* the sequence has failed already */
    end(f);
    f->failed = f->skipping = true;
    if (!again) report_error("sequence %zu: %s", f->sequence, message);
}

static void on_end(void *context) {
    Feeder *f = context;
    end(f);
    f->sequence++;
}

static bool is_token(const StreamRun *s, const char *text) {
    for (size_t k = 0; k < s->info->alphabet_size; k++)
        if (rasp_atom_same(s->info->alphabet[k], rasp_string(text))) return true;
    return false;
}

static void feed_standard_input(Feeder *f) {
    char bytes[4096];
    TokenReader reader = {.form = f->with->run->runner->form,
                          .bracket_is_token = is_token(f->with, "["),
                          .context = f,
                          .token = on_token,
                          .wrong = on_wrong,
                          .end = on_end};
    f->sequence++;
    for (;;) {
        fflush(stdout);
        ssize_t got = read(STDIN_FILENO, bytes, sizeof bytes);
        if (got <= 0 || stop_requested() || report_output_failed()) {
            if (got < 0 && errno != EINTR)
                report_error("cannot read standard input: %s", strerror(errno)), f->failed = true;
            break;
        }
        token_reader_take(&reader, bytes, (size_t)got);
    }
    token_reader_end(&reader);
    end(f);
}

/* --- all of it ----------------------------------------------------------------------------- */

static const char *refusal(const StreamRun *s) {
    if (s->run->runner->json) return "--json does not go with --stream";
    if (s->output_count > 1) return "--stream gives one output: choose it by --sop";
    return NULL;
}

int run_stream(const StreamRun *s) {
    RaspError error;
    const char *no = refusal(s);
    const WeightsRun *run = s->run;
    if (no) {
        report_error("%s", no);
        return EXIT_WRONG_USE;
    }
    Feeder f = {.with = s, .stream = rasp_stream_new(s->engine, &error)};
    if (!f.stream) return report_failure(&error);
    f.readings = ARENA_ARRAY(command_arena(), s->info->output_count, RaspReading);
    for (int k = 0; k < run->input_count; k++)
        if (strcmp(run->inputs[k], "-") == 0)
            feed_standard_input(&f);
        else
            feed_argument(&f, run->inputs[k]);
    if (run->input_count == 0) feed_standard_input(&f);
    end(&f);
    if (stop_requested()) return EXIT_INTERRUPTED;
    return f.failed ? EXIT_FAILED : EXIT_FINE;
}
