#include "generate/step.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MOST_NAME = 20 };

const Idiom idioms[] = {
#define IDIOM(gives, layers, weight, takes, text, name) {gives, layers, weight, takes, text, name},
#include "generate/idiom.def"
};

const uint32_t idiom_count = sizeof idioms / sizeof *idioms;

/* --- text that grows -------------------------------------------------------------------- */

typedef struct Text {
    Arena *arena;
    char *bytes; /* with a NUL behind them */
    size_t length, room;
} Text;

static void add(Text *t, const char *text, size_t length) {
    t->bytes = arena_grow(t->arena, t->bytes, &t->room, t->length + length + 1, 1);
    memcpy(t->bytes + t->length, text, length);
    t->length += length;
    t->bytes[t->length] = '\0';
}

static void add_text(Text *t, const char *text) {
    add(t, text, strlen(text));
}

/* --- literals --------------------------------------------------------------------------- */

static Literals draw_literals(Drawing *d) {
    uint32_t count = d->plan->token_count;
    Literals l = {.token = drawing_choose(d, count),
                  .number = 1 + drawing_choose(d, 3),
                  .order = drawing_choose(d, 5)};
    l.other = count > 1 ? (l.token + 1 + drawing_choose(d, count - 1)) % count : l.token;
    for (int k = 0; k < 8; k++) l.values[k] = drawing_choose(d, 4);
    return l;
}

static void add_token(Text *t, const Drawing *d, uint32_t token) {
    add_text(t, "\"");
    add_text(t, d->plan->tokens[token]);
    add_text(t, "\"");
}

/* {"a": 1, "b": -1, "c": 0} */
static void add_dict(Text *t, const Drawing *d, const Literals *l) {
    static const char *const values[] = {": 0", ": 1", ": -1", ": 2"};
    for (uint32_t k = 0; k < d->plan->token_count; k++) {
        add_text(t, k ? ", " : "{");
        add_token(t, d, k);
        add_text(t, values[l->values[k % 8]]);
    }
    add_text(t, "}");
}

static void add_number(Text *t, const Literals *l, char letter) {
    static const char *const numbers[] = {"0", "1", "2", "3", "4"};
    add_text(t, numbers[l->number + (letter == 'p')]);
}

static void add_literal(Text *t, const Drawing *d, const Literals *l, char letter) {
    static const char *const orders[] = {"<", "<=", ">", ">=", "=="};
    switch (letter) {
    case 't':
        add_token(t, d, l->token);
        break;
    case 'u':
        add_token(t, d, l->other);
        break;
    case 'o':
        add_text(t, orders[l->order]);
        break;
    case 'd':
        add_dict(t, d, l);
        break;
    default:
        add_number(t, l, letter);
    }
}

/* --- texts ------------------------------------------------------------------------------ */

/* What stands for an argument: its name, or its text within it. */
static const char *argument(const Drawing *d, const Step *step, char digit) {
    const Step *arg = &d->steps[step->arg[digit - '1']];
    return arg->inlined ? arg->text : arg->name;
}

/* The idiom's text with its literals. */
static const char *fill(const Drawing *d, const char *pattern, const Literals *l) {
    Text text = {.arena = d->arena};
    for (const char *at = pattern; *at; at++)
        if (*at == '#')
            add_literal(&text, d, l, *++at);
        else
            add(&text, at, 1);
    return text.bytes;
}

/* The arguments, too; only then is it known which are inlined.  A token may hold any mark, and is
 * between quotes. */
static const char *complete(const Drawing *d, const Step *step) {
    Text text = {.arena = d->arena};
    bool quoted = false;
    for (const char *at = step->text; *at; at++) {
        quoted ^= *at == '"';
        if (*at == '$' && !quoted)
            add_text(&text, argument(d, step, *++at));
        else
            add(&text, at, 1);
    }
    return text.bytes;
}

/* --- names ------------------------------------------------------------------------------ */

static bool is_word(const char *text) {
    for (const char *at = text; *at; at++)
        if (!isalnum((unsigned char)*at) || (unsigned char)*at > 127) return false;
    return *text != '\0';
}

static const char *token_word(const Drawing *d, uint32_t token) {
    static const char *const marks[][2] = {{"(", "open"},  {")", "close"}, {"{", "open"},
                                           {"}", "close"}, {"[", "open"},  {"]", "close"},
                                           {"+", "plus"},  {"-", "minus"}, {" ", "blank"}};
    const char *text = d->plan->tokens[token];
    for (size_t k = 0; k < sizeof marks / sizeof *marks; k++)
        if (strcmp(text, marks[k][0]) == 0) return marks[k][1];
    return is_word(text) && strlen(text) < 8 ? text : "mark";
}

/* How much of the names of arguments is in a step's: of "count_$1" over same_tokens, */
typedef enum Share { WHOLE, LAST_WORD, NONE } Share; /* count_same_tokens, count_tokens, count */

/* "tokens" of "same_tokens", and of "same_tokens_2". */
static const char *last_word(const Drawing *d, const char *name) {
    size_t end = strlen(name);
    while (end && (isdigit((unsigned char)name[end - 1]) || name[end - 1] == '_')) end--;
    size_t start = end;
    while (start && name[start - 1] != '_') start--;
    return end ? arena_text(d->arena, name + start, end - start) : name;
}

static const char *part_of(const Drawing *d, const Step *step, char digit, Share share) {
    const char *name = d->steps[step->arg[digit - '1']].name;
    return share == WHOLE ? name : share == LAST_WORD ? last_word(d, name) : "";
}

static const char *spell_name(const Drawing *d, const Step *step, Share share) {
    Text name = {.arena = d->arena};
    add_text(&name, "");
    for (const char *at = step->idiom->name; *at; at++) {
        const char *part = *at == '$' ? part_of(d, step, at[1], share) : NULL;
        if (*at != '$' && *at != '#') {
            add(&name, at, 1);
            continue;
        }
        at++;
        if (part)
            add_text(&name, part);
        else if (*at == 't')
            add_text(&name, token_word(d, step->literals.token));
        else
            add_number(&name, &step->literals, *at);
        if (part && !*part && at[1] == '_') at++;
    }
    while (name.length && name.bytes[name.length - 1] == '_') name.bytes[--name.length] = '\0';
    return name.bytes;
}

static bool is_taken(const Drawing *d, const char *name) {
    for (uint32_t k = 0; k < d->count; k++)
        if (d->steps[k].name && strcmp(d->steps[k].name, name) == 0) return true;
    return false;
}

static const char *plain_name(char type) {
    static const char types[] = "sibnxy";
    static const char *const names[] = {"seen",  "number", "flag", "share",
                                        "picks", "pick",   "found"};
    const char *at = strchr(types, type);
    return names[at ? at - types : (ptrdiff_t)sizeof types - 1];
}

/* Words of the language, and what says nothing alone. */
static bool says_something(const char *name) {
    static const char *const poor[] = {"", "and", "or", "not", "in", "is", "vs", "by", "no", "at"};
    for (size_t k = 0; k < sizeof poor / sizeof *poor; k++)
        if (strcmp(name, poor[k]) == 0) return false;
    return true;
}

static const char *name_of(Drawing *d, const Step *step) {
    const char *name = "";
    for (Share share = WHOLE; share <= NONE; share++) {
        name = spell_name(d, step, share);
        if (strlen(name) <= MOST_NAME) break;
    }
    if (!says_something(name)) name = plain_name(step->type);
    const char *free_name = name;
    for (uint32_t k = 2; is_taken(d, free_name); k++)
        free_name = arena_format(d->arena, "%s_%u", name, k);
    return free_name;
}

/* --- steps ------------------------------------------------------------------------------ */

static void add_input(Drawing *d, const char *name, char type) {
    d->steps[d->count++] = (Step){.type = type, .name = name, .text = name};
}

void drawing_begin(Drawing *d) {
    add_input(d, "tokens", 's');
    add_input(d, "indices", 'i');
    if (d->plan->digits) add_input(d, "tokens_int", 'i');
}

static bool is_there(const Drawing *d, const Step *new) {
    for (uint32_t k = 0; k < d->count; k++)
        if (d->steps[k].idiom && strcmp(d->steps[k].text, new->text) == 0 &&
            memcmp(d->steps[k].arg, new->arg, sizeof new->arg) == 0)
            return true;
    return false;
}

int drawing_add(Drawing *d, const Idiom *idiom, const uint32_t *arguments) {
    Step step = {.idiom = idiom, .type = idiom->gives};
    uint32_t count = (uint32_t)strlen(idiom->takes), deepest = 0;
    if (d->count == SKETCH_MOST_STEPS) return -1;
    for (uint32_t k = 0; k < count; k++) {
        step.arg[k] = arguments[k];
        if (d->steps[arguments[k]].layers > deepest) deepest = d->steps[arguments[k]].layers;
    }
    step.literals = draw_literals(d);
    step.layers = deepest + idiom->layers;
    step.text = fill(d, idiom->text, &step.literals);
    if (is_there(d, &step)) return -1;
    for (uint32_t k = 0; k < count; k++) d->steps[arguments[k]].uses++;
    d->steps[d->count] = step;
    return (int)d->count++;
}

void drawing_rewind(Drawing *d, uint32_t count) {
    while (d->count > count) {
        const Step *step = &d->steps[--d->count];
        for (size_t k = 0; k < strlen(step->idiom->takes); k++) d->steps[step->arg[k]].uses--;
    }
}

/* --- the program ------------------------------------------------------------------------ */

/* What the result is made of; uses are counted anew. */
static void mark_needed(Drawing *d, uint32_t result) {
    for (uint32_t k = 0; k < d->count; k++) {
        d->steps[k].needed = false;
        d->steps[k].uses = 0;
    }
    d->steps[result].needed = true;
    for (uint32_t k = result + 1; k-- > 0;) {
        const Step *step = &d->steps[k];
        if (!step->needed || !step->idiom) continue;
        for (const char *type = step->idiom->takes; *type; type++) {
            Step *arg = &d->steps[step->arg[type - step->idiom->takes]];
            arg->needed = true;
            arg->uses++;
        }
    }
}

/* A short selector with one reader may stand within it, if it is one call. */
static bool may_inline(Drawing *d, const Step *step) {
    enum { SHORT = 36 };
    return (step->type == 'x' || step->type == 'y') && step->uses == 1 &&
           strncmp(step->text, "select(", 7) == 0 && !strstr(step->text, " and ") &&
           strlen(step->text) < SHORT && drawing_choose(d, 2);
}

void drawing_finish(Drawing *d, uint32_t result, Sketch *sketch) {
    Text text = {.arena = d->arena};
    mark_needed(d, result);
    *sketch = (Sketch){.layers = d->steps[result].layers};
    for (uint32_t k = 0; k <= result; k++) {
        Step *step = &d->steps[k];
        if (!step->needed || !step->idiom) continue;
        step->text = complete(d, step);
        step->name = k == result ? "result" : name_of(d, step);
        step->inlined = k < result && may_inline(d, step);
        sketch->heads += step->idiom->layers;
        if (step->inlined) continue;
        sketch->steps++;
        add_text(&text, step->name);
        add_text(&text, " = ");
        add_text(&text, step->text);
        add_text(&text, ";\n");
    }
    sketch->text = text.bytes;
}
