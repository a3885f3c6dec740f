/* `rasp info WEIGHTS`: what is inside a weights file. */
#include "cli/command.h"

#include "base/plural.h"
#include "cli/circuit.h"
#include "cli/claims.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/print.h"
#include "cli/report.h"
#include "cli/safe.h"
#include "cli/summary.h"
#include "cli/weights.h"

#include <jansson.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 80, SHOWN = 40 }; /* columns; tokens of the alphabet */

typedef struct InfoArguments {
    Common common;
    const char *circuit;
    bool claims;
} InfoArguments;

enum { KEY_CIRCUIT = OPTION_OWN_KEYS, KEY_CLAIMS };

static const struct argp_option options[] = {
    {"circuit", KEY_CIRCUIT, "FILE", 0,
     "write there what every head, unit and residual dimension is for, and who reads whom, as "
     "JSON, from the embedded program; - is standard output, and nothing else is shown",
     1},
    {"claims", KEY_CLAIMS, NULL, 0,
     "instead of that, what the file claims of its pieces, in the program's own words: what "
     "'rasp verify' shows",
     1},
    OPTION_JSON("sizes, layers, dimensions and certificate, or the claims, as one JSON object", 1),
    OPTION_MEMORY,
    OPTION_TIME,
    {0},
};

static const char help[] =
    "Show what is inside a weights file: its program, sizes, layers, the selector of each head, "
    "what each residual dimension carries and each table computes, the certificate.\v"
    "Example:\n"
    "  rasp info w.bin";

/* What is shown: what the library found, and what the file says of itself. */
typedef struct Info {
    const char *path;
    const RaspModelInfo *model;
    json_t *document;
} Info;

static const char *text_in(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* A text after an indentation, cut to the line; characters of several bytes count as one. */
static void put_cut(const char *text, int column) {
    int left = LINE - column;
    const char *at = text;
    for (; *at; at++) {
        bool starts = ((unsigned char)*at & 0xc0) != 0x80;
        if (starts && left-- == 3 && strlen(at) > 3) break;
    }
    printf("%.*s%s\n", (int)(at - text), text, *at ? "..." : "");
}

__attribute__((format(printf, 2, 3))) static void put_line(int indent, const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    printf("%*s", indent, "");
    put_cut(safe_text(text), indent);
}

/* --- the head of the page ------------------------------------------------------------------ */

static void print_domain(const RaspModelInfo *m) {
    if (m->first >= 0)
        put_line(2, "first token     %s", print_text(m->alphabet[m->first], RASP_JSON));
    if (m->where) put_line(2, "where           %s", m->where);
}

static const char *const kind_names[] = {
    [RASP_BOOL] = "bool", [RASP_INT] = "int", [RASP_FLOAT] = "float", [RASP_STRING] = "string"};

static void print_sizes(const Info *info) {
    const RaspModelInfo *m = info->model;
    printf("%s: %s\n", safe_text(info->path),
           m->program ? safe_text(m->program) : "(its program is not recorded)");
    put_line(2, "inputs          %zu %s%s %s, length 1 to %zu", m->alphabet_size,
             kind_names[m->token_kind], plural(m->alphabet_size),
             summary_alphabet(m->alphabet, m->alphabet_size, SHOWN), m->max_length);
    print_domain(m);
    put_line(2, "attention       %zu layer%s, %zu head%s%s%s", m->attention_layers,
             plural(m->attention_layers), m->heads, plural(m->heads),
             m->layers_without_heads ? ", layers without heads: " : "",
             m->layers_without_heads ? arena_format(command_arena(), "%zu", m->layers_without_heads)
                                     : "");
    put_line(2, "feed-forward    %zu sublayer%s, %zu hidden unit%s", m->sublayers,
             plural(m->sublayers), m->hidden_units, plural(m->hidden_units));
    put_line(2, "parameters      %s, of which not zero %s; residual width %zu, %s",
             grouped(m->parameters), grouped(m->nonzero), m->width, rasp_dtype_name((int)m->dtype));
}

static bool has_biases(const Info *info) {
    size_t l, h;
    const json_t *layer, *head;
    json_array_foreach(json_object_get(info->document, "layers"), l, layer) json_array_foreach(
        json_object_get(layer, "heads"), h, head) if (json_object_get(head, "bias")) return true;
    return false;
}

static void print_certificate(const Info *info) {
    const json_t *c = json_object_get(info->document, "certificate");
    if (has_biases(info)) {
        put_line(2, "certified       no: heads have position biases");
        return;
    }
    if (!json_is_object(c)) {
        put_line(2, "certified       no");
        return;
    }
    put_line(2, "certified       error at most %.3g in the residual stream, the file says",
             json_number_value(json_object_get(c, "error")));
    if (*text_in(c, "where"))
        put_line(2, "tightest        %s: its error is at most %.2g of its margin",
                 text_in(c, "where"), json_number_value(json_object_get(c, "tightest")));
    else
        put_line(2, "tightest        no decision is made");
    RaspRule kernel = info->model->kernel;
    if (kernel != RASP_SOFTMAX)
        put_line(2, "kernel          %s, which gives keys that are not selected weight 0, exactly",
                 rasp_rule_name((int)kernel));
    const json_t *joined = json_object_get(c, "joined");
    if (joined)
        put_line(2,
                 "joined          floats that differ by up to %.3g (%.3g of the smaller) are one",
                 json_number_value(json_object_get(joined, "absolute")),
                 json_number_value(json_object_get(joined, "relative")));
}

/* --- layers -------------------------------------------------------------------------------- */

static void print_sops(const json_t *sops) {
    size_t k;
    const json_t *entry;
    json_array_foreach(sops, k, entry) {
        const json_t *fallback = json_object_get(entry, "default");
        if (fallback)
            put_line(8, "-> %s (default %g)", text_in(entry, "sop"), json_number_value(fallback));
        else
            put_line(8, "-> %s", text_in(entry, "sop"));
    }
}

static long long number_in(const json_t *object, const char *key) {
    return json_integer_value(json_object_get(object, key));
}

/* ", bias alibi 0.5", ", bias t5 (32 numbers)", or "". */
static const char *bias_text(const json_t *head) {
    const json_t *bias = json_object_get(head, "bias"), *values = json_object_get(bias, "values");
    if (!bias) return "";
    if (json_array_size(values) == 1)
        return arena_format(command_arena(), ", bias %s %g", text_in(bias, "form"),
                            json_number_value(json_array_get(values, 0)));
    return arena_format(command_arena(), ", bias %s (%zu numbers)", text_in(bias, "form"),
                        json_array_size(values));
}

static void print_head(const json_t *head, size_t number) {
    const char *source = text_in(head, "source"), *result = text_in(head, "result");
    const char *selector = text_in(head, "selector");
    put_line(4, "head %zu: %s", number + 1,
             *selector ? selector : "(its selector is not recorded)");
    put_line(6, "%s%s%s, rank %lld, mask %s%s%s", source, *source ? "; " : "",
             *result ? result : "unknown result", number_in(head, "rank"), text_in(head, "mask"),
             json_is_true(json_object_get(head, "sink")) ? ", sink" : "", bias_text(head));
    print_sops(json_object_get(head, "sops"));
}

static void print_sublayer(const json_t *sublayer, size_t number) {
    size_t k, j;
    const json_t *table, *text;
    long long units = number_in(sublayer, "units");
    put_line(4, "sublayer %zu: %lld hidden unit%s", number + 1, units, plural((size_t)units));
    json_array_foreach(json_object_get(sublayer, "tables"), k, table) {
        units = number_in(table, "units");
        put_line(6, "%lld unit%s: table of %s", units, plural((size_t)units),
                 text_in(table, "reads"));
        json_array_foreach(json_object_get(table, "gives"), j, text)
            put_line(8, "-> %s", json_string_value(text) ? json_string_value(text) : "");
    }
}

static void print_layers(const Info *info) {
    size_t l, k;
    const json_t *layer, *entry;
    json_array_foreach(json_object_get(info->document, "layers"), l, layer) {
        put_line(2, "layer %zu", l + 1);
        json_array_foreach(json_object_get(layer, "heads"), k, entry) print_head(entry, k);
        json_array_foreach(json_object_get(layer, "sublayers"), k, entry) print_sublayer(entry, k);
    }
}

/* --- the residual stream ------------------------------------------------------------------- */

static json_int_t group_dim(const json_t *group) {
    return json_integer_value(json_array_get(json_object_get(group, "dims"), 0));
}

typedef struct Placed {
    const json_t *group;
    json_int_t dim;
    size_t index; /* in the file's order, among those of one dimension */
} Placed;

static int by_place(const void *a, const void *b) {
    const Placed *x = a, *y = b;
    if (x->dim != y->dim) return x->dim < y->dim ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* People count from one, files from zero; a stranger's file may say any number. */
static long long ordinal(const json_t *number) {
    json_int_t value = json_integer_value(number);
    return value < LLONG_MAX ? value + 1 : value;
}

static void print_group(const json_t *group) {
    const json_t *layer = json_object_get(group, "layer");
    const json_t *sublayer = json_object_get(group, "sublayer");
    char from[64];
    if (sublayer)
        snprintf(from, sizeof from, "layer %lld.%lld", ordinal(layer), ordinal(sublayer));
    else if (layer)
        snprintf(from, sizeof from, "layer %lld", ordinal(layer));
    else
        snprintf(from, sizeof from, "%s", text_in(group, "from"));
    put_line(4, "%-5lld %-10s %s", (long long)group_dim(group), from, text_in(group, "carries"));
}

/* All whole numbers from the one value to the other. */
static bool is_whole(const RaspOutput *o) {
    return strcmp(o->decode, "whole") == 0;
}

static void print_output(const RaspOutput *o) {
    size_t count = strcmp(o->decode, "argmax") == 0 ? o->value_count : 1;
    Arena *arena = command_arena();
    const char *range = count == 1 ? arena_format(arena, "%zu", o->start)
                                   : arena_format(arena, "%zu-%zu", o->start, o->start + count - 1);
    if (is_whole(o))
        put_line(4, "%-5s %-10s %s, decoded by %s from %lld to %lld", range, "output", o->name,
                 o->decode, (long long)o->values[0].as.i, (long long)o->values[1].as.i);
    else
        put_line(4, "%-5s %-10s %s, decoded by %s from %zu value%s", range, "output", o->name,
                 o->decode, o->value_count, plural(o->value_count));
}

static void print_stream(const Info *info) {
    size_t k;
    const json_t *group, *groups = json_object_get(info->document, "groups");
    const json_t *dims = json_object_get(info->document, "dims");
    const json_t *one = json_object_get(dims, "one"), *sink = json_object_get(dims, "sink");
    put_line(2, "residual stream: dimension, where it is written, what it carries");
    if (sink)
        put_line(4, "%-5lld %-10s 1 in the sink, else 0", (long long)json_integer_value(sink),
                 "token");
    if (one)
        put_line(4, "%-5lld %-10s 1, but 0 in the sink", (long long)json_integer_value(one),
                 "token");
    Placed *placed = ARENA_ARRAY(command_arena(), json_array_size(groups) + 1, Placed);
    json_array_foreach(groups, k, group) placed[k] = (Placed){group, group_dim(group), k};
    qsort(placed, json_array_size(groups), sizeof *placed, by_place);
    for (k = 0; k < json_array_size(groups); k++) print_group(placed[k].group);
    for (size_t o = 0; o < info->model->output_count; o++) print_output(&info->model->outputs[o]);
}

/* --- JSON ---------------------------------------------------------------------------------- */

static void json_dumped(Json *j, const char *key, const json_t *value) {
    char *text = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
    if (text) json_ready(j, key, text);
    free(text);
}

static void json_output(Json *j, const RaspOutput *output) {
    json_begin_object(j, NULL);
    json_text(j, "name", output->name);
    json_text(j, "decode", output->decode);
    json_count(j, "start", output->start);
    if (is_whole(output)) {
        json_number(j, "least", "%.0f", (double)output->values[0].as.i);
        json_number(j, "greatest", "%.0f", (double)output->values[1].as.i);
    } else {
        json_count(j, "values", output->value_count);
    }
    json_end(j);
}

static void print_json(const Info *info) {
    static const char *const keys[] = {"program", "source_sha256", "compiler",
                                       "domain",  "options",       "dims",
                                       "groups",  "certificate",   "shared"};
    const RaspModelInfo *m = info->model;
    Json j = {.out = stdout};
    json_begin_object(&j, NULL);
    json_text(&j, "file", info->path);
    json_count(&j, "alphabet_size", m->alphabet_size);
    json_text(&j, "token_type", kind_names[m->token_kind]);
    json_count(&j, "max_length", m->max_length);
    summary_json(&j, m);
    json_dumped(&j, "layers", json_object_get(info->document, "layers"));
    json_begin_array(&j, "outputs");
    for (size_t o = 0; o < m->output_count; o++) json_output(&j, &m->outputs[o]);
    json_end(&j);
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        json_dumped(&j, keys[k], json_object_get(info->document, keys[k]));
    json_end(&j);
}

/* --- claims -------------------------------------------------------------------------------- */

static void print_claims_json(const Info *info, const json_t *claims) {
    Json j = {.out = stdout};
    json_begin_object(&j, NULL);
    json_text(&j, "file", info->path);
    json_dumped(&j, "claims", claims);
    json_end(&j);
}

static int show_claims(const Common *a, const Info *info) {
    const json_t *claims = json_object_get(info->document, "claims");
    if (!json_is_object(claims)) {
        report_error("'%s' makes no claims ('rasp compile' writes some)", info->path);
        return EXIT_WRONG_PROGRAM;
    }
    if (a->json) {
        print_claims_json(info, claims);
        return EXIT_FINE;
    }
    printf("%s: claims\n", safe_text(info->path));
    claims_print(claims, info->model);
    return EXIT_FINE;
}

/* --- the command --------------------------------------------------------------------------- */

static void show(const Common *a, const Info *info) {
    if (a->json) {
        print_json(info);
        return;
    }
    print_sizes(info);
    print_certificate(info);
    put_line(2, "answers         %s", summary_answers(info->model));
    print_layers(info);
    print_stream(info);
}

static error_t parse(int key, char *text, struct argp_state *state) {
    InfoArguments *a = state->input;
    if (key == KEY_CIRCUIT)
        a->circuit = text;
    else if (key == KEY_CLAIMS)
        a->claims = true;
    else
        return option_common(key, text, state, &a->common);
    return 0;
}

static int show_page(const InfoArguments *arguments, const RaspModel *model) {
    const Common *a = &arguments->common;
    RaspError error;
    int status = EXIT_FINE;
    char *text = rasp_model_json(model, &error);
    Info info = {a->argument, rasp_model_info(model),
                 text ? json_loads(text, JSON_ALLOW_NUL, NULL) : NULL};
    if (info.document && arguments->claims)
        status = show_claims(a, &info);
    else if (info.document)
        show(a, &info);
    else if (!text)
        status = report_failure(&error);
    else
        report_error("'%s': out of memory for its description", a->argument), status = EXIT_FAILED;
    json_decref(info.document);
    rasp_free(text);
    return status;
}

static int info(const InfoArguments *a) {
    RaspModel *model;
    WeightsLimits limits = {a->common.memory, a->common.time_limit};
    int status = weights_open(a->common.argument, &limits, &model);
    if (status != EXIT_FINE) return status;
    if (a->circuit) status = circuit_save(model, a->circuit);
    if (status == EXIT_FINE && !(a->circuit && output_is_standard(a->circuit)))
        status = show_page(a, model);
    rasp_model_free(model);
    return status;
}

int cmd_info(int argc, char **argv) {
    static const struct argp argp = {
        .options = options, .parser = parse, .args_doc = "WEIGHTS", .doc = help};
    InfoArguments arguments = {.common = {.kind = &weights_argument}};
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    if (weights_recognised(arguments.common.argument)) return info(&arguments);
    report_error("'%s' is no weights file ('rasp layers' says what a program needs, 'rasp compile' "
                 "makes the weights)",
                 arguments.common.argument);
    return EXIT_WRONG_PROGRAM;
}
