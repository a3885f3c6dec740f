#include "compile/verify.h"

#include "compile/emit/layout.h"

#include <stdio.h>

static double claimed_error(const Model *model) {
    const json_t *c = json_object_get(model->extra, "certificate");
    const json_t *error = json_object_get(c, "error");
    return json_is_number(error) ? json_number_value(error) : -1;
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
    /* Numbers in a file are shortest decimals: equal means equal. */
    r->claims_too_little = r->claimed >= 0 && r->claimed < r->certificate.error;
    r->holds = r->difference.same_shape && r->certificate.holds && !r->claims_too_little;
}

bool verify_weights(const Compiled *fresh, const Record *record, const Model *file, Arena *arena,
                    VerifyReport *r) {
    bool standard = record->options.layout == LAYOUT_STANDARD;
    Budget *budget = arena_budget(arena);
    Model *extracted = NULL;
    BudgetGuard guard;
    if (standard && !layout_extract(file, fresh->model, &extracted)) return false;
    *r = (VerifyReport){.claimed = claimed_error(file)};
    if (BUDGET_ENTER(budget, &guard)) {
        judge(fresh, standard ? extracted : file, arena, r);
        budget_leave(budget, &guard);
        model_free(extracted);
        return true;
    }
    model_free(extracted);
    budget_stop(budget, budget->stop);
}
