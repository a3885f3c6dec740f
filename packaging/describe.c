#include "packaging/describe.h"

#include "cli/command.h"
#include "cli/lab_command.h"
#include "lab/lab.h"

#include <argp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is being described, and the way out of where it was asked for. */
static struct {
    Arena *arena;
    Description *description;
    jmp_buf described, refused;
    bool probing;
    char message[1024];
} now;

/* --- options ---------------------------------------------------------------------------------- */

static void add_name(Option *option, const struct argp_option *row) {
    size_t count = 0;
    while (option->names[count]) count++;
    if (count + 2 > MOST_NAMES) abort();
    if (row->key > ' ' && row->key < 0x7f)
        option->names[count++] = arena_format(now.arena, "-%c", row->key);
    if (row->name) option->names[count] = arena_format(now.arena, "--%s", row->name);
}

static Option *add_option(Description *d) {
    if (d->option_count == MOST_OPTIONS) abort();
    return &d->options[d->option_count++];
}

/* A row without a group is of the one before it, as argp has it. */
static void add_rows(Description *d, const struct argp_option *row) {
    int group = 0;
    for (; row->name || row->key || row->doc; row++) {
        Option *option;
        if (row->group) group = row->group;
        if (row->flags & OPTION_ALIAS) {
            add_name(&d->options[d->option_count - 1], row);
            continue;
        }
        option = add_option(d);
        if (row->name || row->key) add_name(option, row);
        option->value = row->arg;
        option->value_optional = row->flags & OPTION_ARG_OPTIONAL;
        option->text = row->doc;
        option->group = group;
    }
}

static void add_tables(Description *d, const struct argp *argp) {
    if (argp->options) add_rows(d, argp->options);
    for (const struct argp_child *child = argp->children; child && child->argp; child++)
        add_tables(d, child->argp);
}

/* By group; a table's order in each. */
static void sort_options(Description *d) {
    for (size_t k = 1; k < d->option_count; k++) {
        Option option = d->options[k];
        size_t at = k;
        for (; at && d->options[at - 1].group > option.group; at--)
            d->options[at] = d->options[at - 1];
        d->options[at] = option;
    }
}

static void add_usual(Description *d) {
    *add_option(d) = (Option){.names = {"-?", "--help"}, .text = "give this list of options"};
    *add_option(d) = (Option){.names = {"--usage"}, .text = "give a short message"};
}

/* --- the words that an option takes ----------------------------------------------------------- */

/* "--plan expects 'auto' or 'naive', found '?'" */
static void read_words(Option *option, const char *name) {
    const char *start = arena_format(now.arena, "%s expects '", name);
    char *at = now.message, *end = strstr(now.message, ", found ");
    size_t count = 0;
    if (!end || strncmp(at, start, strlen(start)) != 0) return;
    *end = '\0';
    for (at = strchr(at, '\''); at && count < MOST_WORDS; at = strchr(at + 1, '\'')) {
        size_t length = strcspn(at + 1, "'");
        option->words[count++] = arena_text(now.arena, at + 1, length);
        at += length + 1;
    }
}

error_t __real_argp_parse(const struct argp *, int, char **, unsigned, int *, void *);
error_t __wrap_argp_parse(const struct argp *, int, char **, unsigned, int *, void *);
void __wrap_argp_error(const struct argp_state *, const char *, ...);

static const char *long_name(const Option *option) {
    for (size_t k = 0; option->names[k]; k++)
        if (option->names[k][1] == '-') return option->names[k];
    return NULL;
}

/* Of the parser itself, which `input` belongs to. */
static void probe(Option *option, const struct argp *argp, char *command, void *input) {
    const char *name = long_name(option);
    if (!name || !option->value) return;
    char *words[] = {command, (char *)arena_format(now.arena, "%s=?", name), NULL};
    now.message[0] = '\0';
    if (setjmp(now.refused) == 0) __real_argp_parse(argp, 2, words, 0, NULL, input);
    read_words(option, long_name(option));
}

void __wrap_argp_error(const struct argp_state *state, const char *format, ...) {
    (void)state;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(now.message, sizeof now.message, format, arguments);
    va_end(arguments);
    longjmp(now.refused, 1);
}

/* --- a subcommand ----------------------------------------------------------------------------- */

static void take_texts(Description *d, const struct argp *argp) {
    const char *doc = argp->doc ? argp->doc : "", *split = strchr(doc, '\v');
    d->arguments = argp->args_doc ? argp->args_doc : "";
    d->before = arena_text(now.arena, doc, split ? (size_t)(split - doc) : strlen(doc));
    d->after = split ? split + 1 : "";
}

error_t __wrap_argp_parse(const struct argp *argp, int argc, char **argv, unsigned flags,
                          int *index, void *input) {
    (void)argc, (void)flags, (void)index;
    Description *d = now.description;
    take_texts(d, argp);
    add_tables(d, argp);
    sort_options(d);
    for (size_t k = 0; k < d->option_count; k++) probe(&d->options[k], argp, argv[0], input);
    add_usual(d);
    longjmp(now.described, 1);
}

static Description *describe(int (*run)(int, char **), const char *name, const char *summary) {
    char *words[] = {(char *)name, NULL};
    Description *d = ARENA_ARRAY(now.arena, 1, Description);
    *d = (Description){.name = name, .summary = summary};
    now.description = d;
    if (setjmp(now.described) == 0) run(1, words);
    if (!d->option_count) {
        fprintf(stderr, "packaging: 'rasp %s' does not parse its options by argp\n", name);
        exit(1);
    }
    return d;
}

static void add_words(Description *d, const OwnCommand *own) {
    size_t count = 0;
    for (const OwnCommand *one = own; one->name && count < MOST_WORDS; one++)
        d->words[count++] = one->name;
    if (own != lab_commands) return;
    d->words[count++] = "all";
    for (size_t g = 0; g < item_group_count && count < MOST_WORDS; g++)
        d->words[count++] = item_groups[g]->name;
}

Description **describe_all(Arena *arena, size_t *count) {
    Description **all = NULL;
    size_t room = 0;
    now.arena = arena;
    *count = 0;
    for (size_t k = 0; k < command_count; k++) {
        const Command *c = &commands[k];
        all = arena_grow(arena, all, &room, *count + 1, sizeof *all);
        Description *d = all[(*count)++] = describe(c->run, c->name, c->summary);
        if (c->own) add_words(d, c->own);
        for (const OwnCommand *own = c->own; own && own->name; own++) {
            all = arena_grow(arena, all, &room, *count + 1, sizeof *all);
            all[(*count)++] =
                describe(own->run, arena_format(arena, "%s %s", c->name, own->name), own->summary);
        }
    }
    return all;
}
