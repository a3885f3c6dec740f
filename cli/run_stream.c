#include "cli/run_stream.h"

#include "base/utf8.h"
#include "cli/command.h"
#include "cli/print.h"
#include "cli/report.h"
#include "cli/stop.h"

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
    PrintValue *print = f->with->info->token_kind == RASP_STRING ? print_value : print_element;
    print(stdout, f->readings[f->with->outputs[0]].value, f->with->run->runner->precision);
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

/* The characters that are complete; gives what is left of the last one. */
static size_t feed_bytes(Feeder *f, const char *bytes, size_t length) {
    size_t at = 0;
    while (at < length) {
        size_t size = utf8_step(bytes + at, length - at),
               expected = (unsigned char)bytes[at] < 0x80   ? 1
                          : (unsigned char)bytes[at] < 0xe0 ? 2
                          : (unsigned char)bytes[at] < 0xf0 ? 3
                                                            : 4;
        if (expected > length - at) break;
        if (bytes[at] == '\n') {
            end(f);
            f->sequence++;
        } else if (utf8_valid_prefix(bytes + at, size) == size) {
            feed(f, (RaspAtom){RASP_STRING, {.s = {bytes + at, size}}});
        } else {
            end(f);
            f->failed = f->skipping = true;
            report_error("sequence %zu: expected UTF-8 text, found the byte 0x%02x", f->sequence,
                         (unsigned char)bytes[at]);
        }
        at += size;
    }
    return length - at;
}

static void feed_standard_input(Feeder *f) {
    char bytes[4096];
    size_t kept = 0;
    f->sequence++;
    for (;;) {
        fflush(stdout);
        ssize_t got = read(STDIN_FILENO, bytes + kept, sizeof bytes - kept);
        if (got <= 0 || stop_requested() || report_output_failed()) {
            if (got < 0 && errno != EINTR)
                report_error("cannot read standard input: %s", strerror(errno)), f->failed = true;
            break;
        }
        size_t length = kept + (size_t)got;
        kept = feed_bytes(f, bytes, length);
        memmove(bytes, bytes + length - kept, kept);
    }
    end(f);
    if (kept) report_error("standard input ends within a character"), f->failed = true;
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
