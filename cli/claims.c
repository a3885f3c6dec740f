#include "cli/claims.h"

#include "base/plural.h"
#include "cli/command.h"

#include <limits.h>
#include <stdlib.h>

static const char *text_in(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "?";
}

/* People count from one, files from zero; a stranger's file may say any number. */
static long long ordinal(const json_t *number) {
    json_int_t value = json_integer_value(number);
    return value < LLONG_MAX ? value + 1 : value;
}

static long long number_in(const json_t *object, const char *key) {
    return json_integer_value(json_object_get(object, key));
}

/* --- names --------------------------------------------------------------------------------- */

static void print_constants(const json_t *constants) {
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)constants, name, value) {
        const json_t *everywhere = json_object_get(value, "everywhere");
        const json_t *infinite = json_object_get(value, "float");
        const json_t *shown = everywhere ? everywhere : infinite ? infinite : value;
        char *text = json_dumps(shown, JSON_ENCODE_ANY);
        printf("    %s = %s%s\n", name, text ? text : "?", everywhere ? " everywhere" : "");
        free(text);
    }
}

static void print_names(const json_t *claims) {
    const json_t *constants = json_object_get(claims, "constants");
    const json_t *define = json_object_get(claims, "define");
    const char *name;
    json_t *value;
    if (json_object_size(constants) + json_object_size(define) == 0) return;
    puts("  names, besides the program's");
    print_constants(constants);
    json_object_foreach((json_t *)(uintptr_t)define, name, value)
        printf("    %s = %s\n", name, json_string_value(value) ? json_string_value(value) : "?");
}

/* --- parts --------------------------------------------------------------------------------- */

static void print_until(const json_t *until) {
    const json_t *layer = json_array_get(until, 0), *sublayer = json_array_get(until, 1);
    if (sublayer)
        printf(", until sublayer %lld of layer %lld", ordinal(sublayer), ordinal(layer));
    else if (layer)
        printf(", until the heads of layer %lld", ordinal(layer));
}

static void print_part(int indent, const char *lead, const json_t *part) {
    const json_t *dim = json_object_get(part, "dim");
    printf("%*s%s", indent, "", lead);
    if (dim) {
        printf("dimension %lld", (long long)json_integer_value(dim));
        print_until(json_object_get(part, "until"));
        printf(": ");
    }
    puts(text_in(part, "sop"));
}

static void print_embedding(const json_t *claims, const char *key) {
    size_t k;
    const json_t *part, *list = json_object_get(claims, key);
    if (json_array_size(list)) printf("  embedding of the %s\n", key);
    json_array_foreach(list, k, part) print_part(4, "", part);
}

/* --- layers -------------------------------------------------------------------------------- */

static void print_head(const json_t *head, size_t number) {
    size_t k;
    const json_t *part;
    if (!json_is_object(head)) return;
    printf("    head %zu: %s\n", number + 1, text_in(head, "selector"));
    printf("      %s, mask %s\n", text_in(head, "kind"), text_in(head, "mask"));
    json_array_foreach(json_object_get(head, "components"), k, part) print_part(6, "-> ", part);
}

static void print_table(const json_t *table) {
    size_t k;
    const json_t *part, *units = json_object_get(table, "units");
    long long first = json_integer_value(json_array_get(units, 0));
    long long count = json_integer_value(json_array_get(units, 1));
    printf("      %lld unit%s from %lld: of %s\n", count, plural((size_t)count), first,
           text_in(table, "reads"));
    json_array_foreach(json_object_get(table, "outputs"), k, part) print_part(8, "-> ", part);
}

static void print_sublayer(const json_t *sublayer, size_t number) {
    size_t k;
    const json_t *entry;
    printf("    sublayer %zu\n", number + 1);
    json_array_foreach(json_object_get(sublayer, "tables"), k, entry) print_table(entry);
    json_array_foreach(json_object_get(sublayer, "clears"), k, entry)
        printf("      unit %lld: gives dimension %lld back\n", number_in(entry, "unit"),
               number_in(entry, "dim"));
}

static void print_layers(const json_t *layers) {
    size_t l, k;
    const json_t *layer, *entry;
    json_array_foreach(layers, l, layer) {
        printf("  layer %zu\n", l + 1);
        json_array_foreach(json_object_get(layer, "heads"), k, entry) print_head(entry, k);
        json_array_foreach(json_object_get(layer, "sublayers"), k, entry) print_sublayer(entry, k);
    }
}

/* --- all of it ----------------------------------------------------------------------------- */

/* Outputs that say where others have no answer stand behind them. */
static const char *output_name(const RaspModelInfo *model, size_t number) {
    if (number < model->output_count) return model->outputs[number].name;
    for (size_t k = 0; k < model->output_count; k++)
        if (model->outputs[k].flag == (ptrdiff_t)number)
            return arena_format(command_arena(), "%s has no answer", model->outputs[k].name);
    return "?";
}

void claims_print(const json_t *claims, const RaspModelInfo *model) {
    size_t k;
    const json_t *output;
    print_names(claims);
    print_embedding(claims, "token");
    print_embedding(claims, "position");
    print_layers(json_object_get(claims, "layers"));
    puts("  outputs");
    json_array_foreach(json_object_get(claims, "outputs"), k, output)
        printf("    %s: %s\n", output_name(model, k), text_in(output, "sop"));
}
