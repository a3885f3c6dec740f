/* Any bytes as lines at the console, with little memory and little time: results or messages, no
 * crash, no leak, and the session still works. */
#include "grammar/reader.h"
#include "interp/eval/session.h"

#include <signal.h>
#include <string.h>
#include <sys/time.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile sig_atomic_t cancel;

static void on_time(int number) {
    (void)number;
    cancel = 1;
}

/* Statements are cut off after this time; SIGALRM is the fuzzer's own. */
static void set_timer(long milliseconds) {
    struct itimerval timer = {.it_value = {0, milliseconds * 1000}};
    cancel = 0;
    signal(SIGPROF, on_time);
    setitimer(ITIMER_PROF, &timer, NULL);
}

static void feed(Session *session, Reader *reader, const char *text, size_t size) {
    const Source *source = source_add(session_sources(session), "fuzz", text, size);
    for (uint32_t at = 0; at < source->length && !cancel;) {
        const char *end = memchr(source->text + at, '\n', source->length - at);
        uint32_t length = end ? (uint32_t)(end - source->text) + 1 - at : source->length - at;
        ReaderResult result = reader_line(reader, source, at, length);
        if (result.status == READER_UNIT && result.unit->kind != AST_LOAD)
            if (session_execute(session, result.unit) == SESSION_EXIT) return;
        at += length;
    }
}

static void run_main(Session *session) {
    Binding main;
    Value value;
    if (session_main(session, &main)) session_evaluate(session, "fuzz", main.name->text, &value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Budget budget;
    BudgetGuard guard;
    Reader *volatile reader = NULL;
    budget_init(&budget, (size_t)24 << 20);
    budget.cancel = &cancel;
    cancel = 0;
    SessionOptions options = {
        .budget = &budget,
        .stack_limit = 256 << 10,

    };
    Session *session = session_new(&options);
    if (!session) __builtin_trap();
    set_timer(300);
    if (BUDGET_ENTER(&budget, &guard)) {
        ParseContext context = {session_arena(session), session_intern(session),
                                session_sources(session), NULL};
        reader = reader_new(&context);
        feed(session, reader, (const char *)data, size);
        budget_leave(&budget, &guard);
    }
    reader_free(reader);
    run_main(session);
    set_timer(0);
    session_free(session);
    if (budget.used) __builtin_trap();
    return 0;
}
