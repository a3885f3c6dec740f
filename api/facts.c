/* What the text of a program shows of it. */
#include "api/rasp_facts.h"
#include "api/target.h"
#include "api/value.h"

#include "compile/compile.h"

enum { TEXT_WIDTH = 120 /* in a message */ };

/* --- words ------------------------------------------------------------------------------ */

static const char *const positions_names[] = {[POSITIONS_UNUSED] = "unused",
                                              [POSITIONS_MASKS] = "masks",
                                              [POSITIONS_ORDER] = "order",
                                              [POSITIONS_DISTANCE] = "distance",
                                              [POSITIONS_NUMBERS] = "numbers"};
static const char *const selects_names[] = {[SELECTS_ANY] = "any number",
                                            [SELECTS_SOME] = "at least one",
                                            [SELECTS_AT_MOST_ONE] = "at most one",
                                            [SELECTS_ONE] = "exactly one",
                                            [SELECTS_ALL] = "all"};
static const char *const use_names[] = {[USE_MEAN] = "averages",
                                        [USE_COUNT] = "counts",
                                        [USE_MOVE] = "moves",
                                        [USE_ASK] = "asks whether"};

_Static_assert((int)RASP_POSITIONS_NUMBERS == (int)POSITIONS_NUMBERS &&
                   (int)RASP_SELECTS_ALL == (int)SELECTS_ALL && (int)RASP_USE_ASK == (int)USE_ASK,
               "the same words, twice");

const char *rasp_positions_name(int positions) {
    return positions >= 0 && positions <= POSITIONS_NUMBERS ? positions_names[positions] : NULL;
}

const char *rasp_selects_name(int selects) {
    return selects >= 0 && selects <= SELECTS_ALL ? selects_names[selects] : NULL;
}

const char *rasp_use_name(int use) {
    return use >= 0 && use <= USE_ASK ? use_names[use] : NULL;
}

/* --- facts ------------------------------------------------------------------------------ */

typedef struct FactsCall {
    const RaspSop *sop;
    const RaspTarget *wanted;
    Target target;
    RaspFacts *result;
} FactsCall;

static RaspPlace place_in(RaspProgram *p, NodeId id) {
    return place_of(session_sources(p->session), graph_node(session_graph(p->session), id)->span);
}

static RaspReach reach_out(Reach reach) {
    return (RaspReach){reach.before, reach.here, reach.after};
}

static RaspReader read_out(RaspProgram *p, const ReaderFact *read) {
    const Node *node = graph_node(session_graph(p->session), read->node);
    const char *text = node->name ? node->name->text
                                  : program_text(p, read->node, PROGRAM_TEXT_MOST, p->core.arena);
    return (RaspReader){text, place_in(p, read->node), (RaspUse)read->use};
}

static RaspHeadFacts head_out(RaspProgram *p, const HeadFact *head) {
    RaspReader *readers = ARENA_ARRAY(p->core.arena, head->reader_count + 1, RaspReader);
    for (uint32_t k = 0; k < head->reader_count; k++) readers[k] = read_out(p, &head->readers[k]);
    return (RaspHeadFacts){.layer = head->layer,
                           .selector =
                               program_text(p, head->selector, PROGRAM_TEXT_MOST, p->core.arena),
                           .place = place_in(p, head->selector),
                           .selects = (RaspSelects)head->selects,
                           .reach = reach_out(head->reach),
                           .constants = head->constants,
                           .readers = readers,
                           .reader_count = head->reader_count};
}

static void facts_out(RaspProgram *p, const Record *record, const Facts *facts, RaspFacts *to) {
    const CompileOptions *o = &record->options;
    Arena *arena = p->core.arena;
    RaspAtom *alphabet = ARENA_ARRAY(arena, o->alphabet_size, RaspAtom);
    RaspHeadFacts *heads = ARENA_ARRAY(arena, facts->head_count + 1, RaspHeadFacts);
    for (uint32_t k = 0; k < o->alphabet_size; k++) alphabet[k] = atom_out(o->alphabet[k]);
    for (uint32_t k = 0; k < facts->head_count; k++) heads[k] = head_out(p, &facts->heads[k]);
    *to = (RaspFacts){.alphabet = alphabet,
                      .alphabet_size = o->alphabet_size,
                      .max_length = o->max_length,
                      .first = o->first,
                      .where = record->where,
                      .layers = facts->layers,
                      .heads = heads,
                      .head_count = facts->head_count,
                      .causal = facts->causal,
                      .positions = (RaspPositions)facts->positions,
                      .reach = reach_out(facts->reach),
                      .constants = facts->constants,
                      .unique = facts->unique,
                      .counting = facts->counting,
                      .counting_depth = facts->counting_depth,
                      .average_heads = facts->average_heads,
                      .average_values = facts->average_values,
                      .unique_heads = facts->unique_heads};
}

static bool find_facts(Core *core, void *context) {
    FactsCall *call = context;
    RaspProgram *p = (RaspProgram *)core;
    const CompileOptions *o = &call->target.record.options;
    Facts facts;
    LowerError error = {0};
    if (!target_choose(p, call->sop, 1, call->wanted, &call->target)) return false;
    if (call->wanted->time_limit > 0) budget_time(core->budget, call->wanted->time_limit);
    Arena *scratch = arena_child(core->arena);
    bool found =
        compile_facts(session_graph(p->session), call->sop->node, o, scratch, &facts, &error);
    if (found)
        facts_out(p, &call->target.record, &facts, call->result);
    else
        core_fail(core, RASP_FAILED, "'%s': %s",
                  error.node == NODE_NONE ? call->sop->name
                                          : program_text(p, error.node, TEXT_WIDTH / 2, scratch),
                  error.message);
    arena_free(scratch);
    return found;
}

bool rasp_program_facts(RaspProgram *p, const RaspSop *sop, const RaspTarget *target,
                        RaspFacts *facts, RaspError *error) {
    static const RaspTarget usual;
    FactsCall call = {.sop = sop, .wanted = target ? target : &usual, .result = facts};
    return core_call(&p->core, error, RASP_WRONG_PROGRAM, find_facts, &call);
}
