#include "compile/record.h"

#include "compile/atoms.h"
#include "compile/describe_json.h"
#include "compile/sha256.h"

#include <math.h>
#include <string.h>

static const char compiler_name[] = "rasp 0.1";

const char *const compile_dtype_names[] = {
    [COMPILE_AUTO] = "auto", [COMPILE_F32] = "f32", [COMPILE_F64] = "f64", NULL};
const char *const compile_mask_names[] = {
    [MASKS_PER_HEAD] = "per-head", [MASKS_NONE] = "none", [MASKS_CAUSAL] = "causal", NULL};
const char *const compile_layout_names[] = {
    [LAYOUT_COMPACT] = "compact", [LAYOUT_STANDARD] = "standard", NULL};

/* -1: it is not in the list. */
static int position_of(const char *const *words, const char *word) {
    for (int k = 0; words[k]; k++)
        if (strcmp(words[k], word) == 0) return k;
    return -1;
}

/* --- writing ------------------------------------------------------------------------------- */

static json_t *token_json(const RtAtom *token) {
    switch (token->kind) {
    case RT_INT:
        return json_integer(token->u.i);
    case RT_FLOAT:
        return json_real(token->u.f);
    case RT_BOOL:
        return json_boolean(token->u.b);
    default:
        return json_stringn(token->u.s.bytes, token->u.s.length);
    }
}

static json_t *domain_json(const Record *r, const Model *model, bool *lost) {
    int32_t first = r->options.first;
    if (first < 0 && !r->where) return json_null();
    json_t *domain = json_object();
    if (first >= 0) describe_set(domain, "first", token_json(&model->alphabet[first]), lost);
    if (r->where) describe_set(domain, "where", json_string(r->where), lost);
    return domain;
}

static json_t *options_json(const Record *r, bool *lost) {
    json_t *names = json_array();
    for (size_t k = 0; k < r->name_count; k++)
        describe_append(names, json_string(r->names[k]), lost);
    json_t *options = json_object();
    json_t *rest = json_pack(
        "{s:s*, s:s, s:s, s:s, s:I, s:f, s:b, s:b}", "expression", r->expression, "dtype",
        compile_dtype_names[r->options.dtype], "mask", compile_mask_names[r->options.masks],
        "layout", compile_layout_names[r->options.layout], "table_limit",
        (json_int_t)r->options.table_limit, "tolerance", r->options.tolerance, "log_length_scaling",
        r->options.log_length, "partial", r->options.partial);
    describe_set(options, "sops", names, lost);
    if (!rest || json_object_update(options, rest) != 0) *lost = true;
    json_decref(rest);
    if (r->options.kernel != RT_SOFTMAX)
        describe_set(options, "kernel", json_string(rt_rules[r->options.kernel].name), lost);
    return options;
}

bool record_store_answers(const Answers *answers, Model *model) {
    json_t *said = json_pack("{s:s, s:I}", "everywhere", answers_words[answers->kind], "tried",
                             (json_int_t)answers->tried);
    return said && json_object_set_new(model->extra, "answers", said) == 0;
}

static json_t *file_json(const FileText *file) {
    char hash[65];
    sha256_hex(file->text, file->length, hash);
    return json_pack("{s:s, s:s%, s:s}", "name", file->name, "source", file->text, file->length,
                     "sha256", hash);
}

static bool set(Model *model, const char *key, json_t *value) {
    return json_object_set_new(model->extra, key, value) == 0;
}

bool record_store(const Record *r, Model *model) {
    char hash[65];
    sha256_hex(r->program.text, r->program.length, hash);
    json_t *loaded = json_array();
    bool lost = false;
    for (size_t k = 0; k < r->loaded_count; k++)
        describe_append(loaded, file_json(&r->loaded[k]), &lost);
    return set(model, "sources", loaded) && set(model, "program", json_string(r->program.name)) &&
           set(model, "source", json_stringn(r->program.text, r->program.length)) &&
           set(model, "source_sha256", json_string(hash)) &&
           set(model, "compiler", json_string(compiler_name)) &&
           set(model, "domain", domain_json(r, model, &lost)) &&
           set(model, "options", options_json(r, &lost)) && !lost;
}

/* --- reading ------------------------------------------------------------------------------- */

static bool lacks(RtError *error, const char *key, const char *expected) {
    return rt_error(error,
                    "its metadata has no '%s' (expected %s): it cannot be compared with a "
                    "program, but it runs",
                    key, expected);
}

static bool get_text(const json_t *object, const char *key, FileText *text, RtError *error) {
    const json_t *value = json_object_get(object, key);
    if (!json_is_string(value)) return lacks(error, key, "a string");
    text->text = json_string_value(value);
    text->length = json_string_length(value);
    return true;
}

static bool check_hash(const FileText *text, const json_t *said, const char *key, RtError *error) {
    char hash[65];
    const char *stored = json_string_value(said);
    if (!stored) return lacks(error, key, "a string");
    sha256_hex(text->text, text->length, hash);
    return strcmp(stored, hash) == 0 ||
           rt_error(error,
                    "its source and '%s' do not fit: the text hashes to %s, the file says %.64s",
                    key, hash, stored);
}

static bool load_program(const Model *model, Record *r, RtError *error) {
    const char *name = json_string_value(json_object_get(model->extra, "program"));
    if (!name) return lacks(error, "program", "a string");
    r->program.name = name;
    return get_text(model->extra, "source", &r->program, error) &&
           check_hash(&r->program, json_object_get(model->extra, "source_sha256"), "source_sha256",
                      error);
}

/* Files of older versions have no hash here. */
static bool load_source(const json_t *entry, FileText *text, RtError *error) {
    const json_t *name = json_object_get(entry, "name"), *hash = json_object_get(entry, "sha256");
    text->name = json_string_value(name);
    if (!text->name) return lacks(error, "sources[].name", "a string");
    return get_text(entry, "source", text, error) &&
           (!hash || check_hash(text, hash, "sources[].sha256", error));
}

static bool load_sources(const Model *model, Arena *arena, Record *r, RtError *error) {
    const json_t *list = json_object_get(model->extra, "sources");
    if (list && !json_is_array(list)) return lacks(error, "sources", "an array");
    r->loaded_count = json_array_size(list);
    FileText *loaded = ARENA_ARRAY(arena, r->loaded_count + 1, FileText);
    for (size_t k = 0; k < r->loaded_count; k++)
        if (!load_source(json_array_get(list, k), &loaded[k], error)) return false;
    r->loaded = loaded;
    return true;
}

static int32_t find_token(const Model *model, const json_t *value) {
    for (size_t k = 0; k < model->alphabet_size; k++) {
        json_t *token = token_json(&model->alphabet[k]);
        bool same = json_equal(token, value);
        json_decref(token);
        if (same) return (int32_t)k;
    }
    return -1;
}

bool record_load_domain(const Model *model, int32_t *first, const char **where, RtError *error) {
    const json_t *domain = json_object_get(model->extra, "domain");
    const json_t *token = json_object_get(domain, "first"), *sop = json_object_get(domain, "where");
    *first = -1;
    *where = json_string_value(sop);
    if (domain && !json_is_null(domain) && !json_is_object(domain))
        return rt_error(error, "domain: expected null or an object");
    if (sop && !*where) return rt_error(error, "domain.where: expected a string");
    if (!token) return true;
    *first = find_token(model, token);
    return *first >= 0 || rt_error(error, "domain.first: expected a token of the alphabet");
}

bool record_load_answers(const Model *model, Answers *answers) {
    const json_t *said = json_object_get(model->extra, "answers");
    const char *word = json_string_value(json_object_get(said, "everywhere"));
    int kind = word ? position_of(answers_words, word) : -1;
    json_int_t tried = json_integer_value(json_object_get(said, "tried"));
    if (kind < 0) return false;
    *answers = (Answers){(AnswersKind)kind, tried < 0 ? 0 : (uint64_t)tried};
    return true;
}

static bool load_word(const json_t *options, const char *key, const char *const *words, int *value,
                      RtError *error) {
    const char *word = json_string_value(json_object_get(options, key));
    if (!word) return lacks(error, key, "a string");
    *value = position_of(words, word);
    return *value >= 0 || rt_error(error, "options.%s: this rasp knows no '%s'", key, word);
}

static bool load_names(const json_t *options, Arena *arena, Record *r, RtError *error) {
    const json_t *list = json_object_get(options, "sops");
    const json_t *expression = json_object_get(options, "expression");
    if (list && !json_is_array(list)) return lacks(error, "options.sops", "an array of strings");
    r->name_count = json_array_size(list);
    const char **names = ARENA_ARRAY(arena, r->name_count + 1, const char *);
    for (size_t k = 0; k < r->name_count; k++)
        if (!(names[k] = json_string_value(json_array_get(list, k))))
            return lacks(error, "options.sops", "an array of strings");
    r->names = names;
    r->expression = json_string_value(expression);
    if (expression && !r->expression) return lacks(error, "options.expression", "a string");
    return !r->expression || r->name_count == 0 ||
           rt_error(error, "options: expected 'sops' or an 'expression', found both");
}

/* What the command line and rasp.h take (COMPILE_LONGEST and so on), a file may say. */
static bool load_numbers(const json_t *options, Record *r, RtError *error) {
    const json_t *limit = json_object_get(options, "table_limit");
    const json_t *tolerance = json_object_get(options, "tolerance");
    const json_t *scaling = json_object_get(options, "log_length_scaling");
    json_int_t most = json_integer_value(limit);
    if (!json_is_integer(limit) || most < COMPILE_LEAST_TABLE || most > COMPILE_LARGEST_TABLE)
        return rt_error(error, "options.table_limit: expected a whole number from %d to %d",
                        COMPILE_LEAST_TABLE, COMPILE_LARGEST_TABLE);
    double greatest = json_number_value(tolerance);
    if (!json_is_number(tolerance) || !(greatest >= 0) || !isfinite(greatest))
        return rt_error(error, "options.tolerance: expected a number of at least 0");
    if (!json_is_boolean(scaling))
        return rt_error(error, "options.log_length_scaling: expected true or false");
    r->options.table_limit = (uint32_t)most;
    r->options.tolerance = greatest;
    r->options.log_length = json_is_true(scaling);
    return true;
}

/* Left out for softmax. */
static bool load_kernel(const json_t *options, Record *r, RtError *error) {
    const char *word = json_string_value(json_object_get(options, "kernel"));
    if (!json_object_get(options, "kernel")) return true;
    if (!word) return lacks(error, "options.kernel", "a string");
    for (int k = 0; k < RT_RULE_COUNT; k++) {
        if (!rt_rules[k].kernel || strcmp(rt_rules[k].name, word) != 0) continue;
        r->options.kernel = (RtRule)k;
        return true;
    }
    return rt_error(error, "options.kernel: this rasp knows no '%.40s'", word);
}

static bool load_options(const Model *model, Arena *arena, Record *r, RtError *error) {
    const json_t *options = json_object_get(model->extra, "options");
    int dtype, masks, layout;
    if (!json_is_object(options)) return lacks(error, "options", "an object");
    if (!load_names(options, arena, r, error) ||
        !load_word(options, "dtype", compile_dtype_names, &dtype, error) ||
        !load_word(options, "mask", compile_mask_names, &masks, error) ||
        !load_word(options, "layout", compile_layout_names, &layout, error))
        return false;
    r->options.dtype = (CompileDtype)dtype;
    r->options.masks = (MaskRule)masks;
    r->options.layout = (CompileLayout)layout;
    r->options.partial = json_is_true(json_object_get(options, "partial"));
    return load_kernel(options, r, error) && load_numbers(options, r, error);
}

static bool check_inputs(const Model *model, RtError *error) {
    if (model->max_length > COMPILE_LONGEST)
        return rt_error(error, "max_length: expected at most %d, found %zu: it cannot be compiled",
                        COMPILE_LONGEST, model->max_length);
    return model->alphabet_size <= COMPILE_MOST_TOKENS ||
           rt_error(error, "alphabet: expected at most %d tokens, found %zu: it cannot be compiled",
                    COMPILE_MOST_TOKENS, model->alphabet_size);
}

static void load_alphabet(const Model *model, Intern *table, Arena *arena, Record *r) {
    Atom *alphabet = ARENA_ARRAY(arena, model->alphabet_size, Atom);
    for (size_t k = 0; k < model->alphabet_size; k++)
        alphabet[k] = atom_from_file(&model->alphabet[k], table);
    r->options.alphabet = alphabet;
    r->options.alphabet_size = (uint32_t)model->alphabet_size;
    r->options.max_length = (uint32_t)model->max_length;
}

bool record_load(const Model *model, Intern *table, Arena *arena, Record *r, RtError *error) {
    *r = (Record){.options = compile_options()};
    if (!check_inputs(model, error)) return false;
    load_alphabet(model, table, arena, r);
    return load_program(model, r, error) && load_sources(model, arena, r, error) &&
           load_options(model, arena, r, error) &&
           record_load_domain(model, &r->options.first, &r->where, error);
}
