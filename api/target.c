#include "api/target.h"

#include "api/alphabet.h"
#include "base/near.h"
#include "compile/atoms.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- settings --------------------------------------------------------------------------- */

bool setting_refuse(const Setting *s, const char *format, ...) {
    char text[900];
    Core *core = &s->program->core;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (s->span.end == 0) return core_fail(core, RASP_WRONG_USE, "%s: %s", s->label, text);
    DiagSink sink = core_sink(core);
    diag_error(&sink, session_sources(s->program->session), s->span, "%s: %s", s->label, text);
    return false;
}

bool setting_blame(const Setting *s) {
    char text[sizeof s->program->core.error->text];
    RaspError *error = s->program->core.error;
    if (error->status != RASP_WRONG_USE) return false;
    memcpy(text, error->text, sizeof text);
    *error = (RaspError){0};
    return setting_refuse(s, "%s", text);
}

static Setting setting_of(RaspProgram *p, const char *text, const char *key) {
    Setting setting = {p, text, arena_format(p->core.arena, "--%s", key), SPAN_NONE};
    for (size_t k = 0; !text && k < p->setting_count; k++)
        if (strcmp(p->settings[k].key, key) == 0)
            setting = (Setting){p, p->settings[k].value, key, p->settings[k].span};
    return setting;
}

/* A word that nobody reads is a misspelt one. */
static void warn_unknown(RaspProgram *p) {
    static const char *const known[] = {"alphabet", "max-length", "first", "where"};
    enum { KNOWN = sizeof known / sizeof *known };
    DiagSink sink = core_sink(&p->core);
    for (size_t k = 0; k < p->setting_count; k++) {
        const char *key = p->settings[k].key;
        bool found = false;
        for (int w = 0; w < KNOWN; w++) found |= strcmp(known[w], key) == 0;
        if (found) continue;
        const char *text = arena_format(p->core.arena, "no setting '%s' in a magic comment%s", key,
                                        near_words(p->core.arena, key, known, KNOWN));
        Diag diag = {.severity = DIAG_WARNING, .span = p->settings[k].span, .message = text};
        diag_report(&sink, session_sources(p->session), &diag);
    }
}

static bool choose_alphabet(RaspProgram *p, const RaspTarget *wanted, CompileOptions *o) {
    Alphabet alphabet;
    Setting setting = setting_of(p, wanted->alphabet, "alphabet");
    bool fine;
    if (wanted->tokens) {
        setting.span = SPAN_NONE;
        setting.label = "--alphabet";
        fine = alphabet_take(&setting, wanted->tokens, wanted->token_count, &alphabet);
    } else {
        if (!setting.text) setting.text = "abcdefghijklmnopqrstuvwxyz";
        fine = alphabet_read(&setting, &alphabet);
    }
    if (!fine) return false;
    o->alphabet = alphabet.tokens;
    o->alphabet_size = alphabet.count;
    return true;
}

_Static_assert((int)RASP_LONGEST == (int)COMPILE_LONGEST, "one limit, written twice");

static bool choose_length(RaspProgram *p, uint32_t given, CompileOptions *o) {
    Setting setting = setting_of(p, NULL, "max-length");
    char *end;
    if (given > RASP_LONGEST) {
        setting = (Setting){p, NULL, "--max-length", SPAN_NONE};
        return setting_refuse(&setting, "expected at most %d, found %u", RASP_LONGEST, given);
    }
    if (given) o->max_length = given;
    if (given || !setting.text) return true;
    unsigned long value = strtoul(setting.text, &end, 10);
    if (*end || *setting.text == '-' || value < 1 || value > RASP_LONGEST)
        return setting_refuse(&setting, "expected a whole number from 1 to %d, found '%s'",
                              RASP_LONGEST, setting.text);
    o->max_length = (uint32_t)value;
    return true;
}

static bool choose_first(RaspProgram *p, const char *text, CompileOptions *o) {
    Setting setting = setting_of(p, text, "first");
    Alphabet alphabet = {o->alphabet, o->alphabet_size};
    return !setting.text || alphabet_find(&setting, &alphabet, &o->first);
}

static bool evaluate_where(const Setting *setting, Record *record) {
    Value value;
    RaspProgram *p = setting->program;
    const char *text = arena_text(p->core.arena, setting->text, strlen(setting->text));
    if (!program_evaluate(p, setting->label, text, &value)) return false;
    if (value.kind != VALUE_SOP)
        return setting_refuse(setting, "expected an s-op, found another value");
    record->where = text;
    record->options.where = value.object->node;
    return true;
}

bool target_domain(RaspProgram *p, const RaspTarget *wanted, Record *record) {
    CompileOptions *o = &record->options;
    warn_unknown(p);
    if (!choose_alphabet(p, wanted, o) || !choose_length(p, wanted->max_length, o) ||
        !choose_first(p, wanted->first, o))
        return false;
    Setting where = setting_of(p, wanted->where, "where");
    return !where.text || evaluate_where(&where, record);
}

/* --- outputs ---------------------------------------------------------------------------- */

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A name that is there twice, or NULL. */
static const char *find_twice(RaspProgram *p, const char *const *names, size_t count) {
    const char **sorted = ARENA_ARRAY(p->core.arena, count, const char *);
    memcpy(sorted, names, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_text);
    for (size_t k = 1; k < count; k++)
        if (strcmp(sorted[k - 1], sorted[k]) == 0) return sorted[k];
    return NULL;
}

static bool choose_outputs(RaspProgram *p, const RaspSop *sops, size_t count, Target *target) {
    Record *r = &target->record;
    const char **names = ARENA_ARRAY(p->core.arena, count + 1, const char *);
    if (count == 0) return core_fail(&p->core, RASP_WRONG_USE, "expected an s-op to compile");
    target->outputs = ARENA_ARRAY(p->core.arena, count, CompileOutput);
    for (size_t k = 0; k < count; k++) {
        names[k] = sops[k].name;
        target->outputs[k] = (CompileOutput){sops[k].name, sops[k].node};
    }
    const char *twice = find_twice(p, names, count);
    if (twice) return core_fail(&p->core, RASP_WRONG_USE, "--sop: '%s' stands twice", twice);
    target->output_count = (uint32_t)count;
    if (count == 1 && sops[0].chosen == RASP_BY_EXPRESSION)
        r->expression = sops[0].name;
    else if (count > 1 || sops[0].chosen == RASP_BY_NAME)
        r->names = names, r->name_count = count;
    return true;
}

static const MaskRule mask_rules[] = {[RASP_MASKS_PER_HEAD] = MASKS_PER_HEAD,
                                      [RASP_MASKS_NONE] = MASKS_NONE,
                                      [RASP_MASKS_CAUSAL] = MASKS_CAUSAL};
static const CompileDtype dtypes[] = {
    [RASP_DTYPE_AUTO] = COMPILE_AUTO, [RASP_F32] = COMPILE_F32, [RASP_F64] = COMPILE_F64};
static const CompileLayout layouts[] = {
    [RASP_COMPACT] = LAYOUT_COMPACT, [RASP_STANDARD] = LAYOUT_STANDARD};

static bool check_numbers(RaspProgram *p, const RaspTarget *wanted) {
    uint32_t limit = wanted->table_limit;
    if (limit && (limit < COMPILE_LEAST_TABLE || limit > COMPILE_LARGEST_TABLE))
        return core_fail(&p->core, RASP_WRONG_USE,
                         "--table-limit: expected a number from %d to %d, found %u",
                         COMPILE_LEAST_TABLE, COMPILE_LARGEST_TABLE, limit);
    return (wanted->tolerance >= 0 && isfinite(wanted->tolerance)) ||
           core_fail(&p->core, RASP_WRONG_USE, "--tolerance: expected a number of at least 0");
}

bool target_choose(RaspProgram *p, const RaspSop *outputs, size_t count, const RaspTarget *wanted,
                   Target *target) {
    const Source *source = session_program(p->session);
    *target = (Target){.record = {.options = compile_options()}};
    Record *r = &target->record;
    r->program = (FileText){base_name(source->name), source->text, source->length};
    r->loaded = p->loaded;
    r->loaded_count = p->loaded_count;
    if (!rasp_dtype_name((int)wanted->dtype) || !rasp_masks_name((int)wanted->masks) ||
        !rasp_layout_name((int)wanted->layout))
        return core_fail(&p->core, RASP_WRONG_USE,
                         "expected a type, masks and a layout, found %d, %d and %d",
                         (int)wanted->dtype, (int)wanted->masks, (int)wanted->layout);
    if (!rasp_rule_is_kernel(wanted->kernel))
        return core_fail(&p->core, RASP_WRONG_USE,
                         "expected a kernel that is softmax, sparsemax or entmax15, found %d",
                         (int)wanted->kernel);
    if (wanted->kernel != RASP_SOFTMAX && wanted->log_length)
        return core_fail(&p->core, RASP_WRONG_USE,
                         "--log-length-scaling is for softmax: the kernel %s needs none",
                         rasp_rule_name((int)wanted->kernel));
    r->options.kernel = rule_to_runtime(wanted->kernel);
    r->options.dtype = dtypes[wanted->dtype];
    r->options.masks = mask_rules[wanted->masks];
    r->options.layout = layouts[wanted->layout];
    r->options.log_length = wanted->log_length;
    r->options.tolerance = wanted->tolerance;
    r->options.partial = wanted->partial;
    if (wanted->table_limit) r->options.table_limit = wanted->table_limit;
    return check_numbers(p, wanted) && choose_outputs(p, outputs, count, target) &&
           target_domain(p, wanted, r);
}

/* --- from a file ------------------------------------------------------------------------ */

static bool recall_outputs(RaspProgram *p, const Record *record, RaspSop *sops) {
    if (record->expression)
        return rasp_program_expression(p, record->expression, &sops[0], p->core.error);
    if (record->name_count == 0) return rasp_program_sop(p, NULL, &sops[0], p->core.error);
    for (size_t k = 0; k < record->name_count; k++)
        if (!rasp_program_sop(p, record->names[k], &sops[k], p->core.error)) return false;
    return true;
}

bool target_recall(RaspProgram *p, const Record *record, Target *target) {
    size_t count = record->expression || !record->name_count ? 1 : record->name_count;
    RaspSop *sops = ARENA_ARRAY(p->core.arena, count, RaspSop);
    *target = (Target){.record = *record};
    if (!recall_outputs(p, record, sops) || !choose_outputs(p, sops, count, target)) return false;
    Setting where = {p, record->where, "--where", SPAN_NONE};
    return !record->where || evaluate_where(&where, &target->record);
}

/* --- of another program ----------------------------------------------------------------- */

/* An output without a name in its program is called as it was written. */
static bool find_output(RaspProgram *p, const char *name, RaspSop *sop) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    bool word = strspn(name, letters) == strlen(name);
    return word ? rasp_program_sop(p, name, sop, p->core.error)
                : rasp_program_expression(p, name, sop, p->core.error);
}

bool target_of_model(RaspProgram *p, const Model *model, const RaspModelInfo *info,
                     Target *target) {
    Core *core = &p->core;
    Record known;
    RtError unknown;
    int32_t first;
    const char *where;
    Intern *table = session_intern(p->session);
    CompileOptions options = compile_options();
    if (!record_load_domain(model, &first, &where, &unknown))
        return core_fail(core, RASP_WRONG_FILE, "%s", unknown.text);
    if (record_load(model, table, core->arena, &known, &unknown)) options = known.options;
    Atom *alphabet = ARENA_ARRAY(core->arena, model->alphabet_size, Atom);
    for (size_t k = 0; k < model->alphabet_size; k++)
        alphabet[k] = atom_from_file(&model->alphabet[k], table);
    options.alphabet = alphabet;
    options.alphabet_size = (uint32_t)model->alphabet_size;
    options.max_length = (uint32_t)model->max_length;
    options.first = first;
    RaspSop *sops = ARENA_ARRAY(core->arena, info->output_count, RaspSop);
    for (size_t k = 0; k < info->output_count; k++) {
        options.partial |= info->outputs[k].flag >= 0;
        if (!find_output(p, info->outputs[k].name, &sops[k])) return false;
    }
    *target = (Target){.record.options = options};
    Setting setting = {p, where, "where", SPAN_NONE};
    return choose_outputs(p, sops, info->output_count, target) &&
           (!where || evaluate_where(&setting, &target->record));
}

/* --- words ------------------------------------------------------------------------------ */

const char *rasp_dtype_name(int dtype) {
    return dtype >= 0 && dtype <= RASP_F64 ? compile_dtype_names[dtypes[dtype]] : NULL;
}

const char *rasp_masks_name(int masks) {
    return masks >= 0 && masks <= RASP_MASKS_CAUSAL ? compile_mask_names[mask_rules[masks]] : NULL;
}

const char *rasp_layout_name(int layout) {
    return layout >= 0 && layout <= RASP_STANDARD ? compile_layout_names[layouts[layout]] : NULL;
}
