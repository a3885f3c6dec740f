/* `rasp info WEIGHTS`: what is inside a weights file. */
#include "cli/command.h"

#include "cli/alphabet.h"
#include "cli/json.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/summary.h"
#include "cli/weights.h"

#include <stdlib.h>
#include <string.h>

enum { LINE = 80, SHOWN = 40 }; /* columns; tokens of the alphabet */

static const struct argp_option options[] = {
    OPTION_JSON("sizes, layers, dimensions and certificate as one JSON object", 1),
    {0},
};

static const char help[] =
    "Show what is inside a weights file: its program, sizes, layers, the selector of each head, "
    "what each residual dimension carries and each table computes, the certificate.\v"
    "Example:\n"
    "  rasp info w.bin";

/* What is shown, and the memory for its texts. */
typedef struct Info {
    const char *path;
    const Model *model;
    Arena *arena;
    Intern *intern;
    Summary sizes;
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
    put_cut(text, indent);
}

/* --- the head of the page ------------------------------------------------------------------ */

static const char *alphabet_text(const Info *info) {
    size_t count = info->model->alphabet_size;
    Atom *atoms = ARENA_ARRAY(info->arena, count, Atom);
    for (size_t k = 0; k < count; k++)
        atoms[k] = record_atom(&info->model->alphabet[k], info->intern);
    return alphabet_show(atoms, (uint32_t)count, SHOWN, info->arena);
}

static void print_domain(const Info *info) {
    const json_t *domain = json_object_get(info->model->extra, "domain");
    const json_t *first = json_object_get(domain, "first");
    char *token = first ? json_dumps(first, JSON_ENCODE_ANY) : NULL;
    if (token) put_line(2, "first token     %s", token);
    if (*text_in(domain, "where")) put_line(2, "where           %s", text_in(domain, "where"));
    free(token);
}

static void print_sizes(const Info *info) {
    const Model *m = info->model;
    const Summary *s = &info->sizes;
    const char *program = text_in(m->extra, "program");
    printf("%s: %s\n", info->path, *program ? program : "(its program is not recorded)");
    put_line(2, "inputs          %zu %s%s %s, length 1 to %zu", m->alphabet_size,
             rt_kind_names[m->token_type], plural(m->alphabet_size), alphabet_text(info),
             m->max_length);
    print_domain(info);
    put_line(2, "attention       %zu layer%s, %zu head%s%s%s", s->attention_layers,
             plural(s->attention_layers), s->heads, plural(s->heads),
             s->headless ? ", layers without heads: " : "",
             s->headless ? arena_format(info->arena, "%zu", s->headless) : "");
    put_line(2, "feed-forward    %zu sublayer%s, %zu hidden unit%s", s->sublayers,
             plural(s->sublayers), s->units, plural(s->units));
    put_line(2, "parameters      %s, of which not zero %s; residual width %zu, %s",
             grouped(info->arena, s->parameters), grouped(info->arena, s->nonzeros), s->width,
             m->dtype == RT_F32 ? "f32" : "f64");
}

static void print_certificate(const Info *info) {
    const json_t *c = json_object_get(info->model->extra, "certificate");
    if (!json_is_object(c)) {
        put_line(2, "certified       no");
        return;
    }
    put_line(2, "certified       error at most %.3g",
             json_number_value(json_object_get(c, "error")));
    put_line(2, "tightest        %.2g of what is allowed, at %s",
             json_number_value(json_object_get(c, "tightest")), text_in(c, "where"));
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

static void print_head(const ModelHead *head, size_t number) {
    const char *source = text_in(head->extra, "source"), *result = text_in(head->extra, "result");
    const char *selector = text_in(head->extra, "selector");
    put_line(4, "head %zu: %s", number, *selector ? selector : "(its selector is not recorded)");
    put_line(6, "%s%s%s, rank %zu, mask %s%s", source, *source ? "; " : "",
             *result ? result : "unknown result", head->query.cols, rt_mask_names[head->mask],
             head->sink ? ", sink" : "");
    print_sops(json_object_get(head->extra, "sops"));
}

static void print_sublayer(const ModelMlp *mlp, size_t number) {
    size_t k, j;
    const json_t *table, *text;
    put_line(4, "sublayer %zu: %zu hidden unit%s", number, mlp->in.cols, plural(mlp->in.cols));
    json_array_foreach(json_object_get(mlp->extra, "tables"), k, table) {
        long long units = json_integer_value(json_object_get(table, "units"));
        put_line(6, "%lld unit%s: table of %s", units, plural((size_t)units),
                 text_in(table, "reads"));
        json_array_foreach(json_object_get(table, "gives"), j, text)
            put_line(8, "-> %s", json_string_value(text) ? json_string_value(text) : "");
    }
}

static void print_layers(const Info *info) {
    for (size_t l = 0; l < info->model->layer_count; l++) {
        const ModelLayer *layer = info->model->layers[l];
        put_line(2, "layer %zu", l);
        for (size_t h = 0; h < layer->head_count; h++) print_head(layer->heads[h], h);
        for (size_t m = 0; m < layer->mlp_count; m++) print_sublayer(layer->mlps[m], m);
    }
}

/* --- the residual stream ------------------------------------------------------------------- */

static json_int_t group_dim(const json_t *group) {
    return json_integer_value(json_array_get(json_object_get(group, "dims"), 0));
}

static void print_group(const json_t *group) {
    const json_t *layer = json_object_get(group, "layer");
    const json_t *sublayer = json_object_get(group, "sublayer");
    char from[64];
    if (sublayer)
        snprintf(from, sizeof from, "layer %lld.%lld", (long long)json_integer_value(layer),
                 (long long)json_integer_value(sublayer));
    else if (layer)
        snprintf(from, sizeof from, "layer %lld", (long long)json_integer_value(layer));
    else
        snprintf(from, sizeof from, "%s", text_in(group, "from"));
    put_line(4, "%-5lld %-10s %s", (long long)group_dim(group), from, text_in(group, "carries"));
}

static void print_stream(const Info *info) {
    size_t k;
    const json_t *group, *groups = json_object_get(info->model->extra, "groups");
    const json_t *dims = json_object_get(info->model->extra, "dims");
    const json_t *one = json_object_get(dims, "one"), *sink = json_object_get(dims, "sink");
    put_line(2, "residual stream: dimension, where it is written, what it carries");
    if (sink)
        put_line(4, "%-5lld %-10s 1 in the sink, else 0", (long long)json_integer_value(sink),
                 "token");
    if (one)
        put_line(4, "%-5lld %-10s 1, but 0 in the sink", (long long)json_integer_value(one),
                 "token");
    for (size_t d = 0; d < info->model->width; d++)
        json_array_foreach(groups, k, group) if (group_dim(group) == (json_int_t)d)
            print_group(group);
    for (size_t o = 0; o < info->model->output_count; o++) {
        const ModelOutput *output = info->model->outputs[o];
        size_t count = output->decode == RT_DECODE_ARGMAX ? output->value_count : 1;
        const char *range = count == 1 ? arena_format(info->arena, "%zu", output->start)
                                       : arena_format(info->arena, "%zu-%zu", output->start,
                                                      output->start + count - 1);
        put_line(4, "%-5s %-10s %s, decoded by %s from %zu value%s", range, "output", output->name,
                 rt_decode_names[output->decode], output->value_count, plural(output->value_count));
    }
}

/* --- JSON ---------------------------------------------------------------------------------- */

static void json_dumped(Json *j, const char *key, const json_t *value) {
    char *text = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
    if (text) json_ready(j, key, text);
    free(text);
}

/* What the file says of a head, with what it is. */
static void json_head(Json *j, const ModelHead *head) {
    json_t *entry = json_deep_copy(head->extra);
    json_object_set_new(entry, "rank", json_integer((json_int_t)head->query.cols));
    json_object_set_new(entry, "mask", json_string(rt_mask_names[head->mask]));
    json_object_set_new(entry, "sink", json_boolean(head->sink));
    json_dumped(j, NULL, entry);
    json_decref(entry);
}

static void json_sublayer(Json *j, const ModelMlp *mlp) {
    json_t *entry = json_deep_copy(mlp->extra);
    json_object_set_new(entry, "units", json_integer((json_int_t)mlp->in.cols));
    json_dumped(j, NULL, entry);
    json_decref(entry);
}

static void json_layer(Json *j, const ModelLayer *layer) {
    json_begin_object(j, NULL);
    json_begin_array(j, "heads");
    for (size_t h = 0; h < layer->head_count; h++) json_head(j, layer->heads[h]);
    json_end(j);
    json_begin_array(j, "sublayers");
    for (size_t m = 0; m < layer->mlp_count; m++) json_sublayer(j, layer->mlps[m]);
    json_end(j);
    json_end(j);
}

static void json_output(Json *j, const ModelOutput *output) {
    json_begin_object(j, NULL);
    json_text(j, "name", output->name);
    json_text(j, "decode", rt_decode_names[output->decode]);
    json_count(j, "start", output->start);
    json_count(j, "values", output->value_count);
    json_end(j);
}

static void print_json(const Info *info) {
    static const char *const keys[] = {"program", "source_sha256", "compiler", "domain",
                                       "options", "dims",          "groups",   "certificate"};
    const Model *m = info->model;
    Json j = {.out = stdout};
    json_begin_object(&j, NULL);
    json_text(&j, "file", info->path);
    json_count(&j, "alphabet_size", m->alphabet_size);
    json_text(&j, "token_type", rt_kind_names[m->token_type]);
    json_count(&j, "max_length", m->max_length);
    summary_json(&j, m, &info->sizes);
    json_begin_array(&j, "layers");
    for (size_t l = 0; l < m->layer_count; l++) json_layer(&j, m->layers[l]);
    json_end(&j);
    json_begin_array(&j, "outputs");
    for (size_t o = 0; o < m->output_count; o++) json_output(&j, m->outputs[o]);
    json_end(&j);
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        json_dumped(&j, keys[k], json_object_get(m->extra, keys[k]));
    json_end(&j);
}

/* --- the command --------------------------------------------------------------------------- */

static void show(const Common *a, const Model *model, Arena *arena) {
    Info info = {a->argument, model, arena, intern_new(arena), summary_of(model, arena)};
    if (a->json) {
        print_json(&info);
        return;
    }
    print_sizes(&info);
    print_certificate(&info);
    print_layers(&info);
    print_stream(&info);
}

static int info(const Common *a) {
    Budget budget;
    BudgetGuard guard;
    Arena *volatile arena = NULL;
    volatile int status = EXIT_FAILED;
    if (!weights_recognised(a->argument)) {
        report_error("'%s' is no weights file ('rasp layers' says what a program needs, 'rasp "
                     "compile' makes the weights)",
                     a->argument);
        return EXIT_WRONG_PROGRAM;
    }
    Model *model = weights_load(a->argument);
    if (!model) return EXIT_WRONG_PROGRAM;
    budget_init(&budget, BUDGET_DEFAULT_LIMIT);
    if (BUDGET_ENTER(&budget, &guard)) {
        arena = arena_new(&budget);
        show(a, model, arena);
        status = EXIT_FINE;
        budget_leave(&budget, &guard);
    } else {
        report_error("out of memory");
    }
    arena_free(arena);
    model_free(model);
    return status;
}

int cmd_info(int argc, char **argv) {
    static const struct argp argp = {
        .options = options, .parser = option_parse, .args_doc = "WEIGHTS", .doc = help};
    Common arguments = {.kind = &weights_argument};
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    return info(&arguments);
}
