/* `rasp lab`: claims about attention, each measured beside what is known otherwise. */
#include "cli/command.h"

#include "base/clock.h"
#include "base/near.h"
#include "cli/lab_command.h"
#include "cli/lab_output.h"
#include "cli/report.h"
#include "cli/stop.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct LabArguments {
    LabOptions lab;
    bool pages;
    const char *corpus; /* a folder, or NULL */
    const char **words; /* groups and numbers, malloc'd */
    size_t word_count;
} LabArguments;

enum { KEY_QUICK = OPTION_OWN_KEYS, KEY_PAGES, KEY_CORPUS };

static const struct argp_option options[] = {
    {"pages", KEY_PAGES, NULL, 0, "a page for each item, as for a single one, and not a line", 2},
    {"corpus", KEY_CORPUS, "DIR", 0,
     "novels for the experiments on text, which lab/corpus fetches (default: a built-in excerpt)",
     2},
    {"quick", KEY_QUICK, NULL, 0,
     "smaller sizes; where a rule is about the full size, that it is too small to judge", 2},
    OPTION_THREADS(5),
    OPTIONS_LAB,
    {0},
};

static const char help[] =
    "Measure claims about attention: a number, what it is known to be otherwise, a tolerance and "
    "a verdict.  WHAT is a group, the number of an item, or all; without it, the groups and items "
    "are listed.\v"
    "An identity must hold; a statistical check holds up to chance, by a rule stated beforehand; a "
    "measurement proves nothing.  A single item is printed as a page, several as a line each.\n\n"
    "Examples:\n"
    "  rasp lab              the list\n"
    "  rasp lab 4            item 4\n"
    "  rasp lab heads        a group\n"
    "  rasp lab all --tsv    everything\n\n"
    "Exit status 1: an identity does not hold.";

/* --- its own subcommands ---------------------------------------------------------------------- */

const OwnCommand lab_commands[] = {
    {"kernel", lab_kernel, "weights of your scores by a rule"},
    {"smooth", lab_smooth, "a fit of your points by a kernel"},
    {"temperature", lab_temperature, "where a compiled program breaks, by temperature and length"},
    {"noise", lab_noise, "its weights with noise, or of fewer bits"},
    {"collapse", lab_collapse, "rank of its residual stream, contraction of its heads"},
    {"kv", lab_kv, "its key/value cache, and what of that is needed"},
    {"hull", lab_hull, "which of its outputs lie in the hull of what they are made from"},
    {NULL, NULL, NULL},
};

/* --- the list ------------------------------------------------------------------------------- */

static void print_list(void) {
    for (size_t g = 0; g < item_group_count; g++) {
        const ItemGroup *group = item_groups[g];
        printf("%s%s: %s\n", g ? "\n" : "", group->name, group->summary);
        for (size_t k = 0; k < group->count; k++)
            printf("%4u  %s\n", group->items[k].number, group->items[k].title);
    }
    puts("\nrasp lab GROUP, rasp lab NUMBER or rasp lab all measures.  With your own numbers "
         "and programs:");
    for (const OwnCommand *own = lab_commands; own->name; own++)
        printf("  rasp lab %-11s %s\n", own->name, own->summary);
}

/* --- which items ----------------------------------------------------------------------------- */

enum { MOST_ITEMS = 100 };

/* A set of items: marked[number]. */
typedef struct Choice {
    bool marked[MOST_ITEMS];
    size_t count;
} Choice;

static void mark(Choice *choice, const Item *item) {
    choice->count += !choice->marked[item->number];
    choice->marked[item->number] = true;
}

static void mark_group(Choice *choice, const ItemGroup *group) {
    for (size_t k = 0; k < group->count; k++) mark(choice, &group->items[k]);
}

static bool is_number(const char *word) {
    for (const char *c = word; *c; c++)
        if (!isdigit((unsigned char)*c)) return false;
    return *word && strlen(word) < 6;
}

static bool choose_word(Choice *choice, const char *word) {
    const ItemGroup *group = group_find(word);
    const Item *item = is_number(word) ? item_find((unsigned)atoi(word)) : NULL;
    if (group) {
        mark_group(choice, group);
        return true;
    }
    if (item) {
        mark(choice, item);
        return true;
    }
    if (strcmp(word, "all") == 0) {
        for (size_t g = 0; g < item_group_count; g++) mark_group(choice, item_groups[g]);
        return true;
    }
    if (is_number(word)) {
        report_error("no item %s: items are numbered as 'rasp lab' lists them", word);
        return false;
    }
    const char *names[32] = {"all"};
    size_t count = 1;
    for (const OwnCommand *own = lab_commands; own->name; own++) names[count++] = own->name;
    for (size_t g = 0; g < item_group_count && count < 32; g++)
        names[count++] = item_groups[g]->name;
    report_error("no group or command '%s'%s; 'rasp lab' lists groups and items", word,
                 near_words(command_arena(), word, names, count));
    return false;
}

/* --- time left ---------------------------------------------------------------------------------
 */

/* What the items chosen take by their own word, and how that compares with the clock so far. */
typedef struct Schedule {
    const Choice *choice;
    double start;
    double total; /* of all of them */
} Schedule;

static double seconds_of(const Choice *choice, unsigned before) {
    double sum = 0;
    for (unsigned k = 0; k < before; k++)
        if (choice->marked[k]) sum += item_find(k)->seconds;
    return sum;
}

static void show_progress(void *context, const Item *item, double done) {
    const Schedule *s = context;
    double passed = seconds_of(s->choice, item->number) + fmax(done, 0) * item->seconds;
    double spent = clock_seconds() - s->start;
    /* Their word counts for as much as the first two seconds. */
    double pace = (spent + 2) / (passed + 2);
    progress_item(item->number, (size_t)((s->total - passed) * pace + 0.5));
}

/* --- measuring ------------------------------------------------------------------------------- */

typedef struct Chosen {
    const Choice *choice;
    LabForm form;
} Chosen;

static int measure_chosen(Notebook *notebook, void *context) {
    const Chosen *c = context;
    int status = EXIT_FINE;
    lab_print_head(c->form);
    for (size_t g = 0; g < item_group_count; g++) {
        for (size_t k = 0; k < item_groups[g]->count && status != EXIT_INTERRUPTED; k++) {
            const Item *item = &item_groups[g]->items[k];
            if (!c->choice->marked[item->number]) continue;
            const Outcome *outcome = notebook_measure(notebook, item);
            progress_hide();
            lab_print_outcome(c->form, outcome);
            if (!outcome_holds(outcome) && status == EXIT_FINE) status = EXIT_DISAGREE;
            if (outcome->ending == OUT_OF_MEMORY) status = EXIT_FAILED;
            if (outcome->ending == INTERRUPTED || stop_requested() || report_output_failed())
                status = EXIT_INTERRUPTED;
        }
    }
    lab_print_foot(c->form, notebook, c->choice->count);
    return status;
}

static int measure(const LabArguments *a, const Choice *choice) {
    const LabOptions *lab = &a->lab;
    Schedule schedule = {choice, clock_seconds(), seconds_of(choice, MOST_ITEMS)};
    NotebookOptions notebook_options = {.progress = show_progress,
                                        .context = &schedule,
                                        .seed = lab->seed,
                                        .quick = lab->quick,
                                        .keep = lab->folder != NULL,
                                        .threads = lab_threads(lab),
                                        .corpus = a->corpus};
    Chosen chosen = {choice, lab_form(lab, a->pages || choice->count == 1)};
    return lab_run(lab, &notebook_options, "Attention as regression that chooses its context",
                   measure_chosen, &chosen);
}

/* --- the command ------------------------------------------------------------------------------ */

static error_t parse(int key, char *text, struct argp_state *state) {
    LabArguments *a = state->input;
    switch (key) {
    case KEY_CORPUS:
        a->corpus = text;
        return 0;
    case KEY_QUICK:
        a->lab.quick = true;
        return 0;
    case KEY_PAGES:
        a->pages = true;
        return 0;
    case ARGP_KEY_ARG:
        a->words = realloc(a->words, (a->word_count + 1) * sizeof *a->words);
        if (!a->words) argp_failure(state, EXIT_FAILED, 0, "out of memory");
        a->words[a->word_count++] = text;
        return 0;
    case ARGP_KEY_NO_ARGS:
        return 0;
    default:
        return lab_option(key, text, state, &a->lab);
    }
}

static int measure_items(int argc, char **argv) {
    static const struct argp argp = {
        .options = options, .parser = parse, .args_doc = "[WHAT...]", .doc = help};
    LabArguments arguments = {.lab = lab_options(argc, argv)};
    Choice choice = {.count = 0};
    int status = EXIT_FINE;
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    for (size_t k = 0; k < arguments.word_count; k++)
        if (!choose_word(&choice, arguments.words[k])) status = EXIT_WRONG_USE;
    if (status == EXIT_FINE && arguments.word_count) status = measure(&arguments, &choice);
    if (status == EXIT_FINE && !arguments.word_count) print_list();
    free(arguments.words);
    return status;
}

int cmd_lab(int argc, char **argv) {
    for (const OwnCommand *own = lab_commands; argc > 1 && own->name; own++) {
        if (strcmp(argv[1], own->name) != 0) continue;
        char name[48];
        snprintf(name, sizeof name, "rasp lab %s", own->name);
        argv[1] = name;
        return own->run(argc - 1, argv + 1);
    }
    return measure_items(argc, argv);
}
