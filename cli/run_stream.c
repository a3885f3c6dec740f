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
    Player *player;
    const WeightsRun *run;
    RunStream *stream;
    Reading *readings; /* of all outputs */
    size_t sequence;   /* from 1 */
    bool skipping, failed;
} Feeder;

/* --- one token ----------------------------------------------------------------------------- */

static bool begin(Feeder *f, RtError *error) {
    f->stream = run_stream_new(f->player->engine, error);
    if (f->stream) putchar('[');
    return f->stream != NULL;
}

static bool push(Feeder *f, Atom token, RtError *error) {
    size_t id, output = f->player->outputs[0];
    if (!player_token(f->player, token, &id, error)) return false;
    bool first = !f->stream;
    if (first && (!player_accepts_first(f->player, id, error) || !begin(f, error))) return false;
    if (!run_stream_push(f->stream, id, f->readings, error)) return false;
    if (!first) fputs(", ", stdout);
    print_value(stdout, player_value(f->player, output, &f->readings[output]),
                (PrintOptions){.precision = f->run->runner->precision});
    return true;
}

static void end(Feeder *f) {
    if (f->stream) puts("]");
    run_stream_free(f->stream);
    f->stream = NULL;
    f->skipping = false;
}

static void feed(Feeder *f, Atom token) {
    RtError error;
    if (f->skipping || push(f, token, &error)) return;
    end(f);
    f->failed = f->skipping = true;
    report_error("sequence %zu: %s", f->sequence, error.text);
}

/* --- an input of the command line ---------------------------------------------------------- */

static void feed_argument(Feeder *f, const char *text) {
    Program *p = f->player->program;
    Input input;
    char error[256];
    f->sequence++;
    if (!input_read(f->run->runner->reading, text, strlen(text), session_intern(p->session),
                    p->arena, &input, error, sizeof error)) {
        report_error("sequence %zu: %s", f->sequence, error);
        f->failed = true;
        return;
    }
    for (size_t i = 0; i < input.length && !f->skipping; i++) feed(f, input.tokens[i]);
    end(f);
}

/* --- standard input ------------------------------------------------------------------------ */

/* The characters that are complete; gives what is left of the last one. */
static size_t feed_bytes(Feeder *f, const char *bytes, size_t length) {
    Intern *table = session_intern(f->player->program->session);
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
            feed(f, atom_string(intern(table, bytes + at, size)));
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

static const char *refusal(const Player *player, const WeightsRun *run) {
    if (run->runner->json) return "--json does not go with --stream";
    if (player->output_count > 1) return "--stream gives one output: choose it by --sop";
    if (player->where != NODE_NONE)
        return "the file was compiled for inputs on which an s-op is true everywhere, which "
               "--stream cannot check token by token";
    return NULL;
}

/* Can the model run so at all? */
static bool can_stream(const Player *player) {
    RtError error;
    RunStream *stream = run_stream_new(player->engine, &error);
    if (!stream) report_error("%s", error.text);
    run_stream_free(stream);
    return stream != NULL;
}

int run_stream(Player *player, const WeightsRun *run) {
    const char *no = refusal(player, run);
    if (no) {
        report_error("%s", no);
        return EXIT_WRONG_USE;
    }
    if (!can_stream(player)) return EXIT_FAILED;
    Feeder f = {.player = player, .run = run};
    f.readings = ARENA_ARRAY(player->program->arena, player->model->output_count, Reading);
    for (int k = 0; k < run->input_count; k++)
        if (strcmp(run->inputs[k], "-") == 0)
            feed_standard_input(&f);
        else
            feed_argument(&f, run->inputs[k]);
    if (run->input_count == 0) feed_standard_input(&f);
    if (stop_requested()) return EXIT_INTERRUPTED;
    return f.failed ? EXIT_FAILED : EXIT_FINE;
}
