#include "cli/bounds_print.h"

#include "base/plural.h"
#include "cli/command.h"
#include "cli/express_print.h"

#include <string.h>

/* --- classes ---------------------------------------------------------------------------- */

static const char *heads_text(const Bound *b) {
    const char *text =
        arena_format(command_arena(), "%u head%s", b->query.most, plural(b->query.most));
    if (b->query.kind != CLASS_AVERAGE) return text;
    return arena_format(command_arena(), "%s of %u value%s", text, b->query.values,
                        plural(b->query.values));
}

static const char *class_text(const Bound *b, const RaspFacts *facts) {
    if (strcmp(b->name, "c-rasp") == 0)
        return facts->reach.after ? "depth of C-RASP both ways" : "depth of C-RASP";
    if (b->any_heads) return "layers without positions but in masks, any heads";
    return arena_format(command_arena(), "layers of class %s, %s", b->name, heads_text(b));
}

static const char *class_option(const Bound *b) {
    Arena *arena = command_arena();
    if (b->any_heads) return "--class no-positions";
    const char *values = b->query.values > 1 ? arena_format(arena, "=%u", b->query.values) : "";
    return arena_format(arena, "--class %s%s --heads %u", b->name, values, b->query.most);
}

/* --- text ------------------------------------------------------------------------------- */

static void print_need(const Bound *b, const RaspFacts *facts) {
    uint32_t from, least = bound_least(b, &from);
    printf("    %s: ", class_text(b, facts));
    if (!b->without)
        printf("0 for N up to %u: the token%s tells the answer\n", b->looked,
               b->tokens_alone ? "" : " with its position");
    else if (least == b->program)
        printf("exactly %u for N = %u to %u\n", least, from, facts->max_length);
    else
        printf("at least %u (N = %u on), at most %u\n", least, from, b->program);
}

static void print_pair(const Task *task, Pair pair) {
    printf("        %-26s %s\n", express_instance_text(task, pair.x),
           express_instance_text(task, pair.y));
}

static void print_one(const Task *task, const Bound *b, const char *command) {
    const char *unit = strcmp(b->name, "c-rasp") == 0 ? "depth 1" : "1 layer";
    if (b->enough) printf("      %s is enough up to N = %u\n", unit, b->enough);
    if (!b->one) return;
    printf("      %s is too little from N = %u on", unit, b->one);
    if (b->pairs && b->pairs->count == 1) {
        puts(": these look the same");
        print_pair(task, b->pairs->at[0]);
    } else if (b->pairs) {
        printf(": it does not tell apart all of %zu pairs\n", b->pairs->count);
    } else {
        puts("");
    }
    printf("      proof: %s %s --max-length %u --certificate FILE\n", command, class_option(b),
           b->one);
}

void bound_print(const Task *task, const Bound *b, const RaspFacts *facts, const char *command) {
    print_need(b, facts);
    if (b->without && b->program < 2) {
        printf("      without attention these are the same\n");
        print_pair(task, b->apart);
    }
    print_one(task, b, command);
    if (b->open) printf("      N = %u: %s\n", b->open_at, b->open);
}

/* --- JSON ------------------------------------------------------------------------------- */

static void json_pairs(Json *j, const Task *task, const char *key, const Pair *pairs,
                       size_t count) {
    json_begin_array(j, key);
    for (size_t k = 0; k < count; k++) {
        json_begin_array(j, NULL);
        express_json_instance(j, task, pairs[k].x);
        express_json_instance(j, task, pairs[k].y);
        json_end(j);
    }
    json_end(j);
}

void bound_json(Json *j, const Task *task, const Bound *b, const RaspFacts *facts) {
    uint32_t from, least = bound_least(b, &from);
    json_begin_object(j, NULL);
    json_text(j, "class", b->name);
    if (!b->any_heads) json_count(j, "heads", b->query.most);
    if (b->query.kind == CLASS_AVERAGE) json_count(j, "values", b->query.values);
    json_count(j, "at_least", least);
    json_count(j, "at_most", b->without ? b->program : 0);
    json_count(j, "from", from);
    json_count(j, "up_to", b->without ? facts->max_length : b->looked);
    if (b->enough) json_count(j, "one_up_to", b->enough);
    if (b->without) json_pairs(j, task, "not_without", &b->apart, 1);
    if (b->one) json_count(j, "not_one_from", b->one);
    if (b->one && b->pairs) json_pairs(j, task, "not_one", b->pairs->at, b->pairs->count);
    if (b->open) {
        json_count(j, "open_at", b->open_at);
        json_text(j, "open", b->open);
    }
    json_end(j);
}

/* --- the command ------------------------------------------------------------------------ */

/* As a word of the shell. */
static const char *quoted(const char *word) {
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-";
    Arena *arena = command_arena();
    const char *text = "'";
    if (*word && word[strspn(word, plain)] == '\0') return word;
    for (const char *quote; (quote = strchr(word, '\'')); word = quote + 1)
        text = arena_format(arena, "%s%.*s'\\''", text, (int)(quote - word), word);
    return arena_format(arena, "%s%s'", text, word);
}

static const char *add(const char *command, const char *option, const char *value) {
    if (!value) return command;
    return arena_format(command_arena(), "%s %s %s", command, option, quoted(value));
}

const char *bound_command(const char *program, const SopChoice *choice, const RaspTarget *target,
                          const RaspSop *sop) {
    const char *text = "rasp express";
    if (program) text = arena_format(command_arena(), "%s %s", text, quoted(program));
    if (choice->count || choice->all) text = add(text, "--sop", sop->name);
    text = add(text, "--expr", choice->expression);
    text = add(text, "--alphabet", target->alphabet);
    text = add(text, "--first", target->first);
    return add(text, "--where", target->where);
}
