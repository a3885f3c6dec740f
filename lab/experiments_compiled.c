/* Item 75, the other half: length transfer of a head that was not trained but compiled. */
#include "lab/experiments.h"

#include "lab/programs.h"
#include "lab/subject.h"

#include <math.h>

/* The induction head. Its counts are read between midpoints of 1/(1+w), for which β = ln 7n is
 * enough; what tables that interpolate pass on of the leak wants a little more. */
static const char source[] =
    "next = shift(tokens, -1, \"-\");\n"
    "nth = selector_width(select(tokens, tokens, ==) and select(indices, indices, <=));\n"
    "latest = select(tokens, tokens, ==) and select(nth, nth - 1, ==);\n"
    "induction = aggregate(latest, next, \"-\");\n";

enum { LONGEST = 128, QUICK_LONGEST = 32, FITTED = 8, MOST_LENGTHS = 8 };

typedef enum Way { FIXED, LOG_N, PLUS_LOG_N, WAYS } Way;
static const char *const names[WAYS] = {"β(8)", "β(8) times log n", "β(n) = ln 7n + 1/2"};

static double enough(size_t n) {
    return log(7 * (double)n) + 0.5;
}

static double beta_of(Way way, size_t n) {
    double scale = log((double)n + 1) / log(FITTED + 1.0);
    if (way == PLUS_LOG_N) return enough(n);
    return enough(FITTED) * (way == LOG_N ? scale : 1);
}

typedef struct Transfer {
    Subject subject;
    Page *page;
    double n[MOST_LENGTHS], share[WAYS][MOST_LENGTHS];
    size_t lengths, wrong; /* at β(n), of all lengths */
} Transfer;

/* All inputs of one length. */
static void measure_length(Transfer *t, PageTable *table, size_t first, size_t count) {
    size_t n = t->subject.inputs[first].length, l = t->lengths++;
    t->n[l] = (double)n;
    table_count(table, n);
    table_count(table, count);
    for (Way way = 0; way < WAYS; way++) {
        double beta = beta_of(way, n);
        Fare fare =
            subject_fare(&t->subject, t->subject.model, t->subject.beta / beta, first, count);
        t->share[way][l] = (double)fare.agreed / (double)count;
        table_number(table, beta, 4);
        table_count(table, fare.agreed);
        if (way == PLUS_LOG_N) t->wrong += count - fare.agreed;
    }
}

static void show(const Transfer *t) {
    Plot *plot =
        plot_new(t->page->arena, "a compiled induction head: share of inputs right", "n", "share");
    plot->log_x = true;
    for (Way way = 0; way < WAYS; way++)
        plot_line(plot, names[way], t->n, t->share[way], t->lengths);
    page_plot(t->page, plot);
}

bool experiment_transfer_compiled(Lab *lab, Page *page) {
    static const char *const columns[] = {"n",      "inputs", "β(8)",    "right", "× log n",
                                          "right ", "β(n)",   "right  ", NULL};
    LabProgram program;
    Transfer t = {.page = page};
    uint32_t longest = lab->quick ? QUICK_LONGEST : LONGEST;
    if (!lab_compile(lab, page, source, "induction", "abcd", longest, &program)) return false;
    ModelQuestion question = {.model = program.model};
    if (!subject_open(lab, page, &question, longest, &t.subject)) return false;
    PageTable *table =
        page_table(page, "a compiled induction head, its β fixed for 8 tokens", columns);
    size_t count = t.subject.input_count;
    for (size_t first = 0, next; first < count && t.lengths < MOST_LENGTHS; first = next) {
        for (next = first + 1; next < count; next++)
            if (t.subject.inputs[next].length != t.subject.inputs[first].length) break;
        measure_length(&t, table, first, next - first);
    }
    Fare certified = subject_fare(&t.subject, t.subject.model, 1, 0, count);
    check_none(page, "compiled: inputs that go wrong at the certified β",
               certified.inputs - certified.agreed);
    check_near(page, MEASUREMENT, "compiled: inputs that go wrong at β(n) = ln 7n + 1/2",
               (double)t.wrong, 0, 0);
    check_figure(page, "compiled: share right at the longest, β fixed for 8",
                 t.share[FIXED][t.lengths - 1]);
    show(&t);
    page_note(page,
              "A compiled head has deterministic gaps, and one score for all that it selects: "
              "what keeps the leak n e^−β as it is, β plus ln n, recovers every length "
              "exactly.");
    return t.wrong == 0;
}
