/* Display names (language.md 13.6). */
#include "interp/eval/eval.h"

#include <string.h>

const Str *name_finish(Session *s, const Text *text, ValueKind kind) {
    if (text_is_cut(text)) return intern_text(s->intern, kind == VALUE_SOP ? "s-op" : "sel");
    return intern(s->intern, text->bytes, text->length);
}

static void put_operand(Text *text, Value value) {
    if (value.kind == VALUE_FUNCTION)
        text_put_str(text, value.function->name);
    else
        text_put_value(text, value, TEXT_PLAIN);
}

/* An operand of a ternary is first made a sequence, whose name is cut by itself. */
static void put_branch(Text *text, Value value) {
    char buffer[NAME_ROOM];
    Text inner = text_cut(buffer, sizeof buffer, NAME_LIMIT);
    put_operand(&inner, value);
    text_put(text, text_is_cut(&inner) ? "s-op" : buffer);
}

const Str *name_operation(Session *s, OpId op, const Value *operands) {
    char buffer[NAME_ROOM];
    Text text = text_cut(buffer, sizeof buffer, NAME_LIMIT);
    char piece[2] = "";
    for (const char *at = ops[op].pattern; *at; at++) {
        if (*at == '$') {
            (op == OP_IF ? put_branch : put_operand)(&text, operands[*++at - '1']);
        } else {
            piece[0] = *at;
            text_put(&text, piece);
        }
    }
    return name_finish(s, &text, VALUE_SOP);
}

const Str *name_assigned(Session *s, const Str *name, ValueKind kind) {
    if (name->chars <= NAME_LIMIT) return name;
    return intern_text(s->intern, kind == VALUE_SOP ? "s-op" : "sel");
}

/* Lists and dicts longer than this show as "(list)" and "(dict)". */
enum { ARGUMENT_LIMIT = 20 };

static void put_argument(Text *text, Value value) {
    if (value.kind != VALUE_LIST && value.kind != VALUE_DICT) {
        text_put_value(text, value, TEXT_QUOTED);
        return;
    }
    char buffer[NAME_ROOM];
    Text inner = text_cut(buffer, sizeof buffer, ARGUMENT_LIMIT);
    text_put_value(&inner, value, TEXT_QUOTED);
    const char *stand_in = value.kind == VALUE_LIST ? "(list)" : "(dict)";
    text_put(text, text_is_cut(&inner) ? stand_in : buffer);
}

const Str *name_call(Session *s, const Function *function, const Value *args, ValueKind kind) {
    char buffer[NAME_ROOM];
    Text text = text_cut(buffer, sizeof buffer, NAME_LIMIT);
    text_put_str(&text, function->name);
    text_put(&text, "(");
    for (uint32_t k = 0; k < function->arity && !text_is_cut(&text); k++) {
        if (k) text_put(&text, " , ");
        put_argument(&text, args[k]);
    }
    text_put(&text, ")");
    return name_finish(s, &text, kind);
}
