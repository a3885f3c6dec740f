#include "cli/facts_print.h"

#include "base/plural.h"
#include "cli/command.h"
#include "cli/json_values.h"
#include "cli/summary.h"

#include <stdlib.h>
#include <string.h>

static const char *reach_text(RaspReach reach) {
    static const char *const words[2][2][2] = {
        {{"nowhere", "ahead"}, {"here", "here and ahead"}},
        {{"back", "elsewhere"}, {"back and here", "anywhere"}}};
    return words[reach.before][reach.here][reach.after];
}

/* --- fragments -------------------------------------------------------------------------- */

typedef struct Fragment {
    const char *name, *title;
    bool (*holds)(const RaspFacts *facts);
    const char *(*against)(const RaspFacts *facts); /* what is not shown */
} Fragment;

static bool always(const RaspFacts *facts) {
    (void)facts;
    return true;
}

static bool has_no_attention(const RaspFacts *facts) {
    return facts->layers == 0;
}

static bool is_unique(const RaspFacts *facts) {
    return facts->unique;
}

static bool is_masked(const RaspFacts *facts) {
    return !facts->reach.after;
}

static bool is_strictly_masked(const RaspFacts *facts) {
    return is_masked(facts) && !facts->reach.here;
}

static bool is_first_order(const RaspFacts *facts) {
    return facts->unique && facts->positions <= RASP_POSITIONS_MASKS;
}

static bool is_crasp(const RaspFacts *facts) {
    return facts->counting && is_masked(facts);
}

static bool counts_both_ways(const RaspFacts *facts) {
    return facts->counting;
}

static bool is_position_free(const RaspFacts *facts) {
    return facts->positions == RASP_POSITIONS_UNUSED;
}

static const char *against_nothing(const RaspFacts *facts) {
    (void)facts;
    return "";
}

static const char *against_no_attention(const RaspFacts *facts) {
    return arena_format(command_arena(), "%u attention layer%s", facts->layers,
                        plural(facts->layers));
}

/* The first head of which this is said, "layer 2: …". */
static const char *against_head(const RaspFacts *facts, const char *what,
                                bool (*stands)(const RaspHeadFacts *head)) {
    for (size_t k = 0; k < facts->head_count; k++)
        if (stands(&facts->heads[k]))
            return arena_format(command_arena(), "in layer %u, %s %s", facts->heads[k].layer,
                                summary_source(facts->heads[k].selector), what);
    return "";
}

static bool looks_ahead(const RaspHeadFacts *head) {
    return head->reach.after;
}

static bool looks_here(const RaspHeadFacts *head) {
    return head->reach.here || head->reach.after;
}

static const char *against_unique(const RaspFacts *facts) {
    for (size_t k = 0; k < facts->head_count; k++)
        for (size_t r = 0; r < facts->heads[k].reader_count; r++) {
            const RaspReader *reader = &facts->heads[k].readers[r];
            if (reader->use != RASP_USE_MEAN && reader->use != RASP_USE_COUNT) continue;
            return arena_format(command_arena(), "in layer %u, %s %s", facts->heads[k].layer,
                                summary_source(reader->sop), rasp_use_name((int)reader->use));
        }
    return "";
}

static const char *against_masked(const RaspFacts *facts) {
    return against_head(facts, "may look ahead", looks_ahead);
}

static const char *against_strictly(const RaspFacts *facts) {
    return against_head(facts, "may look at the query itself, or ahead", looks_here);
}

static const char *const positions_against[] = {
    [RASP_POSITIONS_UNUSED] = "",
    [RASP_POSITIONS_MASKS] = "it has masks",
    [RASP_POSITIONS_ORDER] = "it compares positions with one another",
    [RASP_POSITIONS_DISTANCE] = "it takes differences of positions",
    [RASP_POSITIONS_NUMBERS] = "it takes positions as numbers"};

static const char *against_positions(const RaspFacts *facts) {
    return positions_against[facts->positions];
}

static const char *against_first_order(const RaspFacts *facts) {
    return facts->unique ? against_positions(facts) : against_unique(facts);
}

static const char *against_counting(const RaspFacts *facts) {
    if (facts->counting) return against_masked(facts);
    return "it is more than conditions, counts, their sums and comparisons";
}

static const Fragment fragments[] = {
    {"no-attention", "no attention", has_no_attention, against_no_attention},
    {"averaging-hard-attention", "averaging hard attention", always, against_nothing},
    {"unique-hard-attention", "unique hard attention", is_unique, against_unique},
    {"future-masked", "future-masked", is_masked, against_masked},
    {"strictly-future-masked", "strictly future-masked", is_strictly_masked, against_strictly},
    {"first-order", "first-order logic of order (star-free)", is_first_order, against_first_order},
    {"c-rasp", "C-RASP", is_crasp, against_counting},
    {"c-rasp-both-ways", "C-RASP both ways", counts_both_ways, against_counting},
    {"position-free", "position-free", is_position_free, against_positions},
};
enum { FRAGMENTS = sizeof fragments / sizeof *fragments };

/* With the depth of counts; future-masked C-RASP is C-RASP both ways, so that is said once. */
static const char *fragment_title(const Fragment *fragment, const RaspFacts *facts) {
    bool counts = fragment->holds == is_crasp || fragment->holds == counts_both_ways;
    if (!counts || !facts->counting) return fragment->title;
    return arena_format(command_arena(), "%s of depth %u", fragment->title, facts->counting_depth);
}

static bool is_said(const Fragment *fragment, const RaspFacts *facts) {
    static bool (*const stronger[][2])(const RaspFacts *) = {{is_masked, is_strictly_masked},
                                                             {counts_both_ways, is_crasp}};
    for (size_t k = 0; k < sizeof stronger / sizeof *stronger; k++)
        if (fragment->holds == stronger[k][0] && stronger[k][1](facts)) return false;
    return fragment->holds(facts);
}

/* --- text ------------------------------------------------------------------------------- */

static const char *yes(bool shown) {
    return shown ? "yes" : "not shown";
}

static const char *uses_text(const RaspFacts *facts) {
    const char *text = "";
    for (int use = 0; rasp_use_name(use); use++) {
        size_t count = 0;
        for (size_t k = 0; k < facts->head_count; k++)
            for (size_t r = 0; r < facts->heads[k].reader_count; r++)
                count += (int)facts->heads[k].readers[r].use == use;
        if (count)
            text = arena_format(command_arena(), "%s%s%zu %s", text, *text ? ", " : "", count,
                                rasp_use_name(use));
    }
    return *text ? text : "none";
}

static void print_fragments(const RaspFacts *facts) {
    const char *before = "";
    printf("    lies in: ");
    for (int k = 0; k < FRAGMENTS; k++)
        if (is_said(&fragments[k], facts)) {
            printf("%s%s", before, fragment_title(&fragments[k], facts));
            before = ", ";
        }
    putchar('\n');
}

static void explain_fragments(const RaspFacts *facts) {
    puts("  fragments:");
    for (int k = 0; k < FRAGMENTS; k++) {
        const Fragment *fragment = &fragments[k];
        bool holds = fragment->holds(facts);
        printf("    %-40s %s", fragment_title(fragment, facts), yes(holds));
        if (!holds) printf(": %s", fragment->against(facts));
        putchar('\n');
    }
}

static const char *place_text(const Program *p, const RaspPlace *place) {
    const char *text = program_place(p, place);
    return *text ? arena_format(command_arena(), "   # %s", text) : "";
}

static void print_heads(const Program *p, const RaspFacts *facts) {
    for (size_t k = 0; k < facts->head_count; k++) {
        const RaspHeadFacts *head = &facts->heads[k];
        printf("  layer %u: %s%s\n", head->layer, summary_source(head->selector),
               place_text(p, &head->place));
        printf("    selects %s, %s%s\n", rasp_selects_name((int)head->selects),
               reach_text(head->reach), head->constants ? ", comparing with constants alone" : "");
        for (size_t r = 0; r < head->reader_count; r++)
            printf("    %s: %s%s\n", rasp_use_name((int)head->readers[r].use),
                   summary_source(head->readers[r].sop), place_text(p, &head->readers[r].place));
    }
}

static const char *const positions_text[] = {[RASP_POSITIONS_UNUSED] = "unused",
                                             [RASP_POSITIONS_MASKS] = "in masks alone",
                                             [RASP_POSITIONS_ORDER] =
                                                 "compared with one another alone",
                                             [RASP_POSITIONS_DISTANCE] = "by differences alone",
                                             [RASP_POSITIONS_NUMBERS] = "as numbers"};

void facts_print(const Program *p, const RaspFacts *facts, bool detailed) {
    printf("  facts, of 1 to %u tokens of %s:\n", facts->max_length,
           summary_alphabet(facts->alphabet, facts->alphabet_size, 30));
    printf("    causal: %s; positions: %s\n", yes(facts->causal), positions_text[facts->positions]);
    printf("    comparisons with constants alone: %s\n", yes(facts->constants));
    printf("    attention: %s\n", uses_text(facts));
    if (!detailed) {
        print_fragments(facts);
        return;
    }
    print_heads(p, facts);
    explain_fragments(facts);
}

/* --- JSON ------------------------------------------------------------------------------- */

static void json_reach(Json *j, RaspReach reach) {
    json_begin_object(j, "reach");
    json_flag(j, "before", reach.before);
    json_flag(j, "here", reach.here);
    json_flag(j, "after", reach.after);
    json_end(j);
}

static void json_head(Json *j, const Program *p, const RaspHeadFacts *head) {
    json_begin_object(j, NULL);
    json_count(j, "layer", head->layer);
    json_text(j, "selector", head->selector);
    json_text(j, "place", program_place(p, &head->place));
    json_text(j, "selects", rasp_selects_name((int)head->selects));
    json_reach(j, head->reach);
    json_flag(j, "constants", head->constants);
    json_begin_array(j, "readers");
    for (size_t r = 0; r < head->reader_count; r++) {
        json_begin_object(j, NULL);
        json_text(j, "sop", head->readers[r].sop);
        json_text(j, "place", program_place(p, &head->readers[r].place));
        json_text(j, "use", rasp_use_name((int)head->readers[r].use));
        json_end(j);
    }
    json_end(j);
    json_end(j);
}

void facts_json(Json *j, const Program *p, const RaspFacts *facts) {
    json_begin_object(j, "facts");
    json_atoms(j, "alphabet", facts->alphabet, facts->alphabet_size);
    json_count(j, "max_length", facts->max_length);
    json_flag(j, "causal", facts->causal);
    json_text(j, "positions", rasp_positions_name((int)facts->positions));
    json_flag(j, "constants", facts->constants);
    json_reach(j, facts->reach);
    json_begin_array(j, "selectors");
    for (size_t k = 0; k < facts->head_count; k++) json_head(j, p, &facts->heads[k]);
    json_end(j);
    json_begin_array(j, "fragments");
    for (int k = 0; k < FRAGMENTS; k++)
        if (fragments[k].holds(facts)) json_text(j, NULL, fragments[k].name);
    json_end(j);
    if (facts->counting) json_count(j, "counting_depth", facts->counting_depth);
    json_end(j);
}
