#include "compile/verify.h"

#include "compile/complete.h"
#include "compile/describe.h"
#include "compile/emit/layout.h"

#include <stdio.h>

static double claimed_error(const Model *model) {
    const json_t *c = json_object_get(model->extra, "certificate");
    const json_t *error = json_object_get(c, "error");
    return json_is_number(error) ? json_number_value(error) : -1;
}

/* The compiler makes no head with a bias, nor does the certificate know what one does; a layout
 * that is standard has heads, padding, that are not looked at otherwise. */
static bool has_biases(const Model *file, Difference *d) {
    size_t l, h;
    if (!model_find_bias(file, &l, &h)) return false;
    snprintf(d->shape, sizeof d->shape,
             "not certified: heads have position biases, head %zu of layer %zu %s", h + 1, l + 1,
             rt_bias_names[file->layers[l]->heads[h]->bias.form]);
    return true;
}

/* `model`: the file's weights in the shapes of the fresh one; NULL: they have others. */
static void judge(const Compiled *fresh, const Model *model, Arena *arena, VerifyReport *r) {
    if (model)
        model_difference(fresh->model, model, &r->difference);
    else
        snprintf(r->difference.shape, sizeof r->difference.shape,
                 "it is not the standard layout of the program's model");
    if (r->difference.same_shape)
        certificate_check(fresh->circuit, fresh->ideal, model, arena, &r->certificate);
}

/* The weights, without the padding of a standard layout; false when memory runs out. */
static bool compare_weights(const Compiled *fresh, const Record *record, const Model *file,
                            Arena *arena, VerifyReport *r) {
    bool standard = record->options.layout == LAYOUT_STANDARD;
    Budget *budget = arena_budget(arena);
    Model *extracted = NULL;
    BudgetGuard guard;
    if (standard && !layout_extract(file, fresh->model, &extracted)) return false;
    if (BUDGET_ENTER(budget, &guard)) {
        judge(fresh, standard ? extracted : file, arena, r);
        budget_leave(budget, &guard);
        model_free(extracted);
        return true;
    }
    model_free(extracted);
    budget_stop(budget, budget->stop);
}

/* Keeps what the circuit's own certificate says in `before`, and says what `c` does instead. */
static bool certify_again(const Compiled *fresh, const Certificate *c, const SourceMap *sources,
                          json_t *before, Arena *arena) {
    static const char *const keys[] = {"groups", "certificate"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (json_object_set(before, keys[k], json_object_get(fresh->model->extra, keys[k])) != 0)
            return false;
    return describe_certificate(fresh->circuit, c, sources, fresh->model, arena);
}

static bool compare_with(const Compiled *fresh, const SourceMap *sources, const Model *file,
                         json_t *before, Arena *arena, VerifyReport *r) {
    if (before && !certify_again(fresh, &r->certificate, sources, before, arena)) return false;
    document_compare(fresh->model, before, file, arena, &r->document);
    return true;
}

/* What the file would say of itself had it been made here. */
static bool compare_documents(Compiled *fresh, const Record *record, const SourceMap *sources,
                              const ProgramNames *names, const Model *file, Arena *arena,
                              VerifyReport *r) {
    Budget *budget = arena_budget(arena);
    Difference padded;
    BudgetGuard guard;
    if (!complete_model(fresh, record, sources, names)) return false;
    /* Padding has masks and sizes too. */
    model_difference(fresh->model, file, &padded);
    if (!padded.same_shape) {
        r->difference = padded;
        return true;
    }
    bool changed = r->difference.changed > 0 && r->certificate.holds;
    json_t *before = changed ? json_object() : NULL;
    if (changed && !before) return false;
    if (BUDGET_ENTER(budget, &guard)) {
        bool done = compare_with(fresh, sources, file, before, arena, r);
        budget_leave(budget, &guard);
        json_decref(before);
        return done;
    }
    json_decref(before);
    budget_stop(budget, budget->stop);
}

bool verify_weights(Compiled *fresh, const Record *record, const SourceMap *sources,
                    const ProgramNames *names, const Model *file, Arena *arena, VerifyReport *r) {
    *r = (VerifyReport){.claimed = claimed_error(file)};
    if (has_biases(file, &r->difference)) return true;
    if (!compare_weights(fresh, record, file, arena, r)) return false;
    if (r->difference.same_shape &&
        !compare_documents(fresh, record, sources, names, file, arena, r))
        return false;
    /* Numbers in a file are shortest decimals: equal means equal. */
    r->claims_too_little = r->claimed >= 0 && r->claimed < r->certificate.error;
    r->holds = r->difference.same_shape && r->certificate.holds && !r->claims_too_little &&
               r->document.difference_count == 0;
    return true;
}
