#include "compile/verify.h"

#include "compile/check.h"
#include "compile/emit/layout.h"

#include <stdio.h>

static double claimed_error(const Model *model) {
    const json_t *c = json_object_get(model->extra, "certificate");
    const json_t *error = json_object_get(c, "error");
    return json_is_number(error) ? json_number_value(error) : -1;
}

/* `check` goes by what the file says of joined floats. */
static void check_joins(const Model *file, VerifyReport *r) {
    CheckJoin said = check_join(file);
    if (!r->difference.same_shape || !r->certificate.holds) return;
    if (said.absolute == r->certificate.joined_absolute &&
        said.relative == r->certificate.joined_relative)
        return;
    r->difference.same_shape = false;
    snprintf(r->difference.shape, sizeof r->difference.shape,
             "certificate.joined: the file says %.3g, the program's floats join up to %.3g",
             said.absolute, r->certificate.joined_absolute);
}

void verify_weights(const Compiled *fresh, const Record *record, const Model *file, Arena *arena,
                    VerifyReport *r) {
    bool standard = record->options.layout == LAYOUT_STANDARD;
    Model *extracted = standard ? layout_extract(file, fresh->model) : NULL;
    const Model *model = standard ? extracted : file;
    *r = (VerifyReport){.claimed = claimed_error(file)};
    if (model)
        model_difference(fresh->model, model, &r->difference);
    else
        snprintf(r->difference.shape, sizeof r->difference.shape,
                 "it is not the standard layout of the program's model");
    if (r->difference.same_shape)
        certificate_check(fresh->circuit, fresh->ideal, model, arena, &r->certificate);
    model_free(extracted);
    check_joins(file, r);
    /* Numbers in a file are shortest decimals: equal means equal. */
    r->claims_too_little = r->claimed >= 0 && r->claimed < r->certificate.error;
    r->holds = r->difference.same_shape && r->certificate.holds && !r->claims_too_little;
}
