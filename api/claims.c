#include "api/claims.h"

#include <string.h>

/* --- names ------------------------------------------------------------------------------ */

typedef struct Naming {
    Session *session;
    const char **node;
    uint32_t count;
} Naming;

/* The inner name hides the outer one; the first stands, but for the one that reports use. */
static void name_node(void *context, const Binding *binding) {
    Naming *n = context;
    Value value = binding->value, visible;
    if (value.kind != VALUE_SOP && value.kind != VALUE_SELECTOR) return;
    NodeId id = value.object->node;
    bool usual = graph_node(session_graph(n->session), id)->name == binding->name;
    if (n->node[id] && !usual) return;
    if (session_find(n->session, binding->name->text, &visible) && value_is_graph(visible) &&
        visible.object->node == id)
        n->node[id] = binding->name->text;
}

static bool is_taken(void *context, const char *word) {
    Value value;
    return session_find(context, word, &value);
}

ProgramNames claims_names(Session *session, Arena *arena) {
    Naming n = {.session = session, .count = graph_count(session_graph(session))};
    n.node = ARENA_ARRAY(arena, n.count, const char *);
    session_visit_names(session, name_node, &n);
    return (ProgramNames){n.node, n.count, is_taken, session};
}

/* --- reading ---------------------------------------------------------------------------- */

static bool set_atom(void *context, const char *name, Atom atom, bool sop) {
    const ClaimsReader *r = context;
    return session_note_atom(r->session, name, atom, sop);
}

static bool define(void *context, const char *label, const char *name, const char *text) {
    const ClaimsReader *r = context;
    Value value;
    return session_evaluate_note(r->session, label, text, &value) &&
           session_note(r->session, name, value);
}

static const char *const kinds[] = {
    [VALUE_ATOM] = "an atom",        [VALUE_LIST] = "a list", [VALUE_DICT] = "a dict",
    [VALUE_FUNCTION] = "a function", [VALUE_SOP] = "an s-op", [VALUE_SELECTOR] = "a selector"};

/* An atom stands for the s-op that it is everywhere. */
static bool read_node(void *context, const char *label, const char *text, bool selector,
                      NodeId *node) {
    const ClaimsReader *r = context;
    Value value;
    if (!session_evaluate_note(r->session, label, text, &value)) return false;
    if (value.kind == (selector ? VALUE_SELECTOR : VALUE_SOP))
        *node = value.object->node;
    else if (value.kind == VALUE_ATOM && !selector)
        *node = graph_constant(session_graph(r->session), value.atom, SPAN_NONE);
    else
        return core_fail(r->core, RASP_WRONG_FILE, "%s: expected %s, found %s", label,
                         kinds[selector ? VALUE_SELECTOR : VALUE_SOP], kinds[value.kind]);
    return true;
}

ClaimsLanguage claims_language(ClaimsReader *reader) {
    session_begin_notes(reader->session);
    return (ClaimsLanguage){set_atom, define, read_node, reader};
}
