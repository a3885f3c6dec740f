#include "compile/prove/certificate_private.h"

#include "compile/prove/lines.h"
#include "compile/values/numbers.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- rounding --------------------------------------------------------------------------- */

/* Of a sum that is within this bound: only what is off by nothing is whole grains. */
static double bound_rounding(const Checker *k, const Bound *b, double terms) {
    return sum_rounding(k, b->size + b->error, b->error == 0 ? b->grain : 0, terms);
}

void certificate_decide(Checker *k, double error, double allowed, const char *what,
                        const char *which) {
    if (allowed == INFINITY) return; /* nothing is decided */
    double ratio = allowed > 0 && isfinite(error) ? error / allowed : INFINITY;
    if (!*k->c->where || !(ratio <= k->c->tightest)) {
        k->c->tightest = ratio;
        k->c->layer = k->layer;
        k->c->low = k->low, k->c->high = k->high;
        snprintf(k->c->where, sizeof k->c->where, "%s %s", what, which);
    }
    k->low = k->high = NAN;
}

static const char *node_text(const Checker *k, NodeId node) {
    return circuit_name(k->circuit, node, 60, k->arena);
}

/* --- linear maps ------------------------------------------------------------------------ */

void certificate_note_reach(const Checker *k, double reach) {
    if (reach <= k->largest || k->c->broken[0]) return;
    if (isfinite(reach))
        snprintf(k->c->broken, sizeof k->c->broken,
                 "a number may be as large as %.3g, near to overflow", reach);
    else
        snprintf(k->c->broken, sizeof k->c->broken, "a number may overflow the model's type");
}

/* One column of h W: its nominal size, error and grain. */
static Bound column_bound(const Checker *k, const Bound *h, const Tensor *ideal,
                          const Tensor *actual, size_t column) {
    Bound b = {.grain = INFINITY};
    double terms = 0;
    for (uint32_t d = 0; d < k->width; d++) {
        double w = tensor_get(ideal, d, column), a = tensor_get(actual, d, column);
        if (w == 0 && a == 0) continue;
        double reach = h[d].size + h[d].error;
        b.error += fabs(a) * h[d].error + fabs(a - w) * h[d].size;
        b.size += fabs(w) * h[d].size;
        b.grain = h[d].error == 0 && a == w ? finer(b.grain, grain_of(w) * h[d].grain) : 0;
        terms += reach > 0;
    }
    b.error += bound_rounding(k, &b, terms);
    certificate_note_reach(k, b.size + b.error);
    return b;
}

static bool same_shape(const Tensor *a, const Tensor *b) {
    return a->rows == b->rows && a->cols == b->cols;
}

static bool broken(Checker *k, const char *what) {
    if (!k->c->broken[0]) snprintf(k->c->broken, sizeof k->c->broken, "%s", what);
    return false;
}

double certificate_slack(const Checker *k, const Form *form) {
    double slack = form->slack;
    for (uint32_t t = 0; t < form->count; t++) {
        const CircuitPart *part = &k->circuit->parts[form->terms[t].part];
        if (form->terms[t].error > 0) slack += form->terms[t].error * part_size(part);
    }
    return slack;
}

/* --- embeddings ------------------------------------------------------------------------- */

static void check_embedding(Checker *k, const Tensor *ideal, const Tensor *actual) {
    for (uint32_t d = 0; d < k->width; d++) {
        Bound *b = &k->row[d];
        double size = 0, error = 0, grain = INFINITY;
        for (size_t r = 1; r < ideal->rows; r++) {
            double w = tensor_get(ideal, r, d);
            size = fmax(size, fabs(w));
            error = fmax(error, fabs(tensor_get(actual, r, d) - w));
            grain = finer(grain, grain_of(w));
        }
        b->size += size;
        b->error += error;
        b->grain = finer(b->grain, grain);
        Bound *z = &k->row0[d];
        double w = tensor_get(ideal, 0, d);
        z->size += fabs(w);
        z->error += fabs(tensor_get(actual, 0, d) - w);
        z->grain = finer(z->grain, grain_of(w));
        k->value0[d] += w;
    }
}

static bool check_embeddings(Checker *k) {
    if (!same_shape(&k->ideal->tokens, &k->model->tokens) ||
        !same_shape(&k->ideal->positions, &k->model->positions))
        return broken(k, "the embeddings have other shapes than the program's");
    for (uint32_t d = 0; d < k->width; d++) k->row[d].grain = k->row0[d].grain = INFINITY;
    check_embedding(k, &k->ideal->tokens, &k->model->tokens);
    check_embedding(k, &k->ideal->positions, &k->model->positions);
    for (uint32_t d = 0; d < k->width; d++) {
        k->row[d].error += bound_rounding(k, &k->row[d], 0);
        k->row0[d].error += bound_rounding(k, &k->row0[d], 0);
    }
    return true;
}

/* --- heads ------------------------------------------------------------------------------ */

/* Adds `in` times weights to the dimensions that a matrix's row writes. */
static void spread(Checker *k, Bound *h, Bound in, const Tensor *ideal, const Tensor *actual,
                   size_t row) {
    for (uint32_t d = 0; d < k->width; d++) {
        double w = tensor_get(ideal, row, d), a = tensor_get(actual, row, d);
        if (w == 0 && a == 0) continue;
        double size = fabs(w) * in.size, error = fabs(a) * in.error + fabs(a - w) * in.size;
        double grain = in.error == 0 && a == w ? in.grain * grain_of(w) : 0;
        /* A sum with what is there is rounded, and a product; added to nothing and times 1 not. */
        bool first = h[d].size == 0, alone = first && h[d].error == 0 && fabs(a) == 1;
        h[d].shared = in.shared && first && a == w;
        h[d].share = in.share + 4 * k->unit;
        h[d].floor = (fabs(a) * in.floor + h[d].error) * (1 + 0x1p-20);
        h[d].size += size;
        h[d].error += error;
        h[d].grain = finer(h[d].grain, grain);
        if (!alone) h[d].error += bound_rounding(k, &h[d], 1);
        h[d].whole = h[d].error;
    }
}

/* What the slack of the score's own forms does, the inverse temperature included: a judged one is
 * that of the scores themselves. */
static double score_slack(const Checker *k, const CircuitHead *head, const ModelHead *ideal) {
    const Score *score = &head->score;
    double beta = k->circuit->options.beta * (head->kind == HEAD_DEFAULT ? 2 : 1);
    if (k->circuit->judged) beta = 1;
    double slack =
        beta * (certificate_slack(k, &score->key_only) + certificate_slack(k, &score->query_only));
    if (score->query_only.count == 0) /* the constants are written as one */
        slack += beta * fabs(sum_lost(score->key_only.constant, score->query_only.constant));
    for (uint32_t p = 0; p < score->pair_count; p++) {
        double key = certificate_slack(k, &score->pairs[p].key);
        double query = beta * certificate_slack(k, &score->pairs[p].query);
        if (key == 0 && query == 0) continue;
        Bound q = column_bound(k, k->row, &ideal->query, &ideal->query, p);
        Bound of_key = column_bound(k, k->row, &ideal->key, &ideal->key, p);
        slack += q.size * key + of_key.size * query + key * query;
    }
    return slack;
}

/* What the sink scores beyond what it should: 1/2 or 1 by the column behind the pairs. */
static double sink_slack(const Checker *k, const CircuitHead *head, const ModelHead *ideal) {
    double slack = 0;
    if (k->circuit->judged) return 0;
    for (size_t c = 0; head->kind != HEAD_PLAIN && c < ideal->key.cols; c++) {
        double there = 0, size = 0, wanted = head->kind == HEAD_COUNT ? 1 : 0.5;
        for (uint32_t d = 0; d < k->width; d++) {
            there += k->value0[d] * tensor_get(&ideal->key, d, c);
            size += fabs(k->value0[d] * tensor_get(&ideal->key, d, c));
        }
        if (c != head->score.pair_count) wanted = 0;
        if (there == wanted && size <= 0x1p20) continue; /* small dyadic numbers */
        Bound q = column_bound(k, k->row, &ideal->query, &ideal->query, c);
        slack += q.size * (fabs(there - wanted) + k->width * EMIT_SLACK * size);
    }
    return slack;
}

static ScoreBound score_bound(Checker *k, const CircuitHead *head, const ModelHead *ideal,
                              const ModelHead *actual) {
    double error = score_slack(k, head, ideal) + sink_slack(k, head, ideal);
    double size = 0, grain = INFINITY;
    for (size_t c = 0; c < ideal->query.cols; c++) {
        Bound q = column_bound(k, k->row, &ideal->query, &actual->query, c);
        Bound key = column_bound(k, k->row, &ideal->key, &actual->key, c);
        if (head->kind != HEAD_PLAIN) {
            Bound sink = column_bound(k, k->row0, &ideal->key, &actual->key, c);
            key.size = fmax(key.size, sink.size);
            key.error = fmax(key.error, sink.error);
            key.grain = finer(key.grain, sink.grain);
        }
        error += q.size * key.error + key.size * q.error + q.error * key.error;
        size += (q.size + q.error) * (key.size + key.error);
        grain = q.error == 0 && key.error == 0 ? finer(grain, q.grain * key.grain) : 0;
    }
    error += sum_rounding(k, size, grain, (double)ideal->query.cols);
    double scale_most = 1, scale_least = 1;
    if (actual->scale == RT_SCALE_LOG_LENGTH) {
        scale_most = log(k->longest + 1.0);
        scale_least = log(2);
        error = error * scale_most + size * scale_most * 2 * k->unit;
    }
    double gap = ideal->gap * scale_least;
    return certificate_weights(k, error, gap);
}

/* How far what the sink carries is from the component's default. */
static double fallback_slack(const Checker *k, const CircuitComponent *component,
                             const ModelHead *ideal, size_t c) {
    double there = 0, size = 0;
    for (uint32_t d = 0; d < k->width; d++) {
        there += k->value0[d] * tensor_get(&ideal->value, d, c);
        size += fabs(k->value0[d] * tensor_get(&ideal->value, d, c));
    }
    if (there == component->fallback && size <= fabs(there)) return 0; /* one term */
    return fabs(there - component->fallback) + k->width * EMIT_SLACK * size;
}

static bool check_head(Checker *k, const CircuitHead *head, const ModelHead *ideal,
                       const ModelHead *actual, Bound *after, Bound *after0, double *value0) {
    if (!same_shape(&ideal->query, &actual->query) || !same_shape(&ideal->key, &actual->key) ||
        !same_shape(&ideal->value, &actual->value) ||
        !same_shape(&ideal->output, &actual->output) || ideal->mask != actual->mask ||
        ideal->sink != actual->sink || ideal->scale != actual->scale)
        return broken(k, "a head has another shape, mask or sink than the program's");
    ScoreBound score = score_bound(k, head, ideal, actual);
    double margin = ideal->gap - certificate_reach(k->circuit->options.kernel);
    certificate_decide(k, 2 * score.error, margin, "scores of", node_text(k, head->selector));
    for (size_t c = 0; c < ideal->value.cols; c++) {
        Bound v = column_bound(k, k->row, &ideal->value, &actual->value, c);
        Bound v0 = column_bound(k, k->row0, &ideal->value, &actual->value, c);
        double size = v.size, error = v.error;
        bool sink = head->kind != HEAD_PLAIN;
        if (sink) v0.error += fallback_slack(k, &head->components[c], ideal, c);
        if (sink) size = fmax(size, v0.size), error = fmax(error, v0.error);
        Bound out = {.size = size};
        /* Equal weights add up exactly when one key is selected and nothing leaks visibly. */
        double rounding = (2.0 * k->longest + 5) * k->unit * size;
        double stray = head->components[c].moves ? score.leak : score.spread, value = 0;
        out.error = 2 * size * stray + error + rounding + MEAN_SLACK * size +
                    certificate_slack(k, &head->components[c].value);
        if (head->kind == HEAD_COUNT)
            certificate_share(k, &out, score.ratio, &v, &v0, head->components[c].fallback,
                              certificate_slack(k, &head->components[c].value));
        spread(k, after, out, &ideal->output, &actual->output, c);
        if (k->circuit->sink == DIM_NONE) continue; /* no head looks at row 0 */
        spread(k, after0, v0, &ideal->output, &actual->output, c);
        for (uint32_t d = 0; d < k->width; d++)
            value += k->value0[d] * tensor_get(&ideal->value, d, c);
        for (uint32_t d = 0; d < k->width; d++)
            value0[d] += value * tensor_get(&ideal->output, c, d);
    }
    return true;
}

static bool check_heads(Checker *k, uint32_t number, const ModelLayer *ideal,
                        const ModelLayer *actual) {
    if (ideal->head_count != actual->head_count)
        return broken(k, "a layer has another number of heads than the program's");
    Bound *after = ARENA_ARRAY(k->arena, k->width, Bound), *after0;
    after0 = ARENA_ARRAY(k->arena, k->width, Bound);
    double *value0 = ARENA_ARRAY(k->arena, k->width, double);
    memcpy(value0, k->value0, k->width * sizeof *value0);
    memcpy(after, k->row, k->width * sizeof *after);
    memcpy(after0, k->row0, k->width * sizeof *after0);
    for (uint32_t h = 0; h < k->circuit->head_count; h++) {
        const CircuitHead *head = &k->circuit->heads[h];
        if (head->layer == number && !check_head(k, head, ideal->heads[head->index],
                                                 actual->heads[head->index], after, after0, value0))
            return false;
    }
    memcpy(k->row, after, k->width * sizeof *after);
    memcpy(k->row0, after0, k->width * sizeof *after0);
    memcpy(k->value0, value0, k->width * sizeof *value0);
    return true;
}

/* --- feed-forward ----------------------------------------------------------------------- */

/* Row 0 must stay silent. */
static bool silent_in_row0(Checker *k, const ModelMlp *actual, size_t u) {
    if (k->circuit->sink == DIM_NONE) return true;
    double sum = tensor_get(&actual->in_bias, 0, u), slack = fabs(sum) * k->unit;
    for (uint32_t d = 0; d < k->width; d++) {
        double a = tensor_get(&actual->in, d, u);
        if (a == 0) continue;
        sum += a * k->value0[d] + fabs(a) * k->row0[d].error;
        slack += fabs(a) * (k->row0[d].size + k->row0[d].error) * k->unit * (k->width + 2.0);
    }
    return sum + slack <= 0;
}

/* The error of one output: the slope's share of x's error, and each unit's own. */
static Bound output_bound(Checker *k, const CircuitTable *table, uint32_t o, const ReadBound *read,
                          const Units *units, double *reach) {
    const TableOutput *output = &table->outputs[o];
    const TableShape *shape = &table->shape;
    Bound b = {.grain = INFINITY};
    Arena *scratch = arena_child(k->arena);
    Lines *lines = lines_new(table, o, scratch);
    budget_poll(arena_budget(k->arena));
    for (uint32_t p = 0; p < output->points; p++) {
        double x_error = read_error(read, output->x[p]);
        double slope = lines_slope(lines, output->x[p], x_error);
        double off = lines_off(lines, output->x[p], output->value[p]);
        b.error = fmax(b.error, slope * x_error + off);
        b.size = fmax(b.size, fabs(output->value[p]));
        b.grain = finer(b.grain, grain_of(output->value[p]));
        if (output->step == 0 || p % 2 == 0) continue; /* else the end of a straight line */
        x_error = fmax(x_error, read_error(read, output->x[p - 1]));
        b.error =
            fmax(b.error, lines_along(lines, &output->x[p - 1], &output->value[p - 1], x_error));
    }
    if (output->step != 0) b.grain = 0; /* that of the ends is not that of what lies between */
    arena_free(scratch);
    double sum = fabs(shape->base[o]), grain = grain_of(shape->base[o]);
    bool exact = b.error == 0 && !units->changed;
    for (uint32_t u = 0; u < shape->unit_count; u++) {
        double f = shape->factor[u * table->output_count + o];
        const UnitBound *unit = &units->unit[u];
        if (f == 0) continue;
        b.error += fabs(f) * unit->noise;
        sum += fabs(f) * unit->size;
        exact &= unit->noise == 0;
        grain = finer(grain, grain_of(f) * unit->grain);
    }
    b.error += sum_rounding(k, sum, exact ? finer(grain, b.grain) : 0, shape->unit_count + 1);
    if (!exact) b.grain = 0;
    *reach = sum;
    return b;
}

/* Weights of the table's units that are not the circuit's, whatever they write. */
static void changed_units(Checker *k, const CircuitTable *table, const ModelMlp *ideal,
                          const ModelMlp *actual, Units *units, Bound *after) {
    for (uint32_t d = 0; d < k->width; d++) {
        double change = 0;
        for (uint32_t u = 0; u < table->shape.unit_count; u++) {
            size_t place = unit_place(table, u);
            change += units->unit[u].size *
                      fabs(tensor_get(&actual->out, place, d) - tensor_get(&ideal->out, place, d));
        }
        after[d].error += change;
        if (change == 0) continue;
        after[d].grain = 0;
        units->changed = true;
    }
}

/* `reach`: the sum of the absolute values of all that the part is made of. */
static void write_part(Checker *k, const CircuitPart *part, Bound b, double reach, Bound *after) {
    for (uint32_t w = 0; w < part->write_count; w++) {
        Bound *to = &after[part->writes[w].dim];
        double factor = fabs(part->writes[w].factor);
        to->size += factor * b.size;
        to->error += factor * b.error;
        to->shared = false;
        if (factor != 1) to->error += 2 * EMIT_SLACK * factor * reach;
        to->grain = finer(to->grain, b.grain * grain_of(factor));
        k->writers[part->writes[w].dim]++;
    }
}

/* Values of x on which some output differs are told apart if errors are below half their distance;
 * decided for the two that are tightest. */
static void decide_table(Checker *k, const CircuitTable *table, const ReadBound *read) {
    double error = 0, allowed = INFINITY, tightest = -1, low = NAN, high = NAN;
    for (uint32_t o = 0; o < table->output_count; o++) {
        const TableOutput *output = &table->outputs[o];
        for (uint32_t p = 0; p + 1 < output->points; p++) {
            double a = output->x[p], b = output->x[p + 1], margin = (b - a) / 2;
            bool one = a == b || numbers_near(output->value[p], output->value[p + 1]);
            if (output->step != 0 && p % 2 == 0) /* many values on one line */
                margin *= output->step / fabs(output->value[p + 1] - output->value[p]);
            if (one || output->value[p] == output->value[p + 1]) continue; /* counted there */
            double here = fmax(read_error(read, a), read_error(read, b));
            double ratio = here / margin;
            if (ratio < tightest || (ratio == tightest && margin >= allowed)) continue;
            error = here, allowed = margin, tightest = ratio, low = a, high = b;
        }
    }
    k->low = low, k->high = high;
    certificate_decide(k, error, allowed, "table of", node_text(k, table->x));
}

static void check_table(Checker *k, const CircuitTable *table, const ModelMlp *ideal,
                        const ModelMlp *actual, Bound *after) {
    ReadBound read = certificate_reading(k, table);
    Units units = certificate_units(k, table, read.error, ideal, actual);
    decide_table(k, table, &read);
    changed_units(k, table, ideal, actual, &units, after);
    for (uint32_t n = 0; n < table->shape.unit_count; n++)
        k->hidden[unit_place(table, n)] = units.unit[n];
    for (uint32_t o = 0; o < table->output_count; o++) {
        double reach;
        Bound b = output_bound(k, table, o, &read, &units, &reach);
        write_part(k, &k->circuit->parts[table->outputs[o].part], b, reach, after);
    }
}

/* A cleared dimension: what it held is subtracted as it is, error and all; at worst the error
 * stays (where it takes the value below the least). */
static void check_clear(Checker *k, const CircuitClear *clear, const ModelMlp *ideal,
                        const ModelMlp *actual, Bound *after) {
    Bound *h = &k->row[clear->dim];
    bool *meant = ARENA_ARRAY(k->arena, k->width, bool);
    meant[clear->dim] = true;
    UnitBound unit = certificate_unit(k, ideal, actual, clear->unit, meant, INFINITY);
    k->hidden[clear->unit] = unit;
    double error = h->error + unit.noise +
                   unit.size * fabs(tensor_get(&actual->out, clear->unit, clear->dim) -
                                    tensor_get(&ideal->out, clear->unit, clear->dim));
    double grain = finer(h->grain, grain_of(clear->least));
    error += 2 * sum_rounding(k, h->size + fabs(clear->least), error == 0 ? grain : 0, 2);
    for (uint32_t d = 0; d < k->width; d++)
        if (d != clear->dim)
            after[d].error += unit.size * fabs(tensor_get(&actual->out, clear->unit, d));
    error += after[clear->dim].error - h->error; /* what else was written there */
    after[clear->dim] = (Bound){.error = error, .grain = error == 0 ? INFINITY : 0};
}

static void check_bias(Checker *k, const ModelMlp *ideal, const ModelMlp *actual, Bound *after) {
    for (uint32_t d = 0; d < k->width; d++) {
        double w = tensor_get(&ideal->out_bias, 0, d);
        double change = fabs(tensor_get(&actual->out_bias, 0, d) - w);
        after[d].error += change;
        k->value0[d] += w;
        Bound *z = &k->row0[d];
        z->size += fabs(w);
        z->error += change;
        z->grain = finer(z->grain, grain_of(w));
        if (w != 0 || change != 0) z->error += bound_rounding(k, z, 1);
    }
}

static bool check_sublayer(Checker *k, uint32_t layer, uint32_t sublayer, const ModelMlp *ideal,
                           const ModelMlp *actual) {
    const Circuit *c = k->circuit;
    if (!same_shape(&ideal->in, &actual->in) || !same_shape(&ideal->out, &actual->out))
        return broken(k, "a feed-forward sublayer has another shape than the program's");
    Bound *after = ARENA_ARRAY(k->arena, k->width, Bound);
    memcpy(after, k->row, k->width * sizeof *after);
    k->hidden = ARENA_ARRAY(k->arena, ideal->in.cols + 1, UnitBound);
    k->writers = ARENA_ARRAY(k->arena, k->width, uint32_t);
    for (size_t u = 0; u < ideal->in.cols; u++)
        if (!silent_in_row0(k, actual, u))
            return broken(k, "a hidden unit may be active in the sink's row");
    for (uint32_t t = 0; t < c->table_count; t++)
        if (c->tables[t].layer == layer && c->tables[t].sublayer == sublayer)
            check_table(k, &c->tables[t], ideal, actual, after);
    for (uint32_t t = 0; t < c->clear_count; t++)
        if (c->clears[t].layer == layer && c->clears[t].sublayer == sublayer)
            check_clear(k, &c->clears[t], ideal, actual, after);
    check_bias(k, ideal, actual, after);
    certificate_add_up(k, actual, after);
    memcpy(k->row, after, k->width * sizeof *after);
    return true;
}

/* --- all of it -------------------------------------------------------------------------- */

/* Notes the bounds of the parts that were just written. */
static void note_parts(Checker *k, double *part_error, Stage stage) {
    for (uint32_t d = 0; d < k->width; d++) {
        certificate_note_reach(k, k->row[d].size + k->row[d].error);
        certificate_note_reach(k, k->row0[d].size + k->row0[d].error);
    }
    for (uint32_t p = 0; p < k->circuit->part_count; p++) {
        const CircuitPart *part = &k->circuit->parts[p];
        if (part->dim != DIM_NONE && stage_same(part->born, stage))
            part_error[p] = k->row[part->dim].error;
    }
}

static bool check_layers(Checker *k, double *part_error) {
    if (k->ideal->layer_count != k->model->layer_count)
        return broken(k, "another number of layers than the program's");
    for (size_t l = 0; l < k->ideal->layer_count; l++) {
        const ModelLayer *ideal = k->ideal->layers[l], *actual = k->model->layers[l];
        uint32_t number = (uint32_t)l + k->circuit->first_layer;
        k->layer = (uint32_t)l;
        if (!check_heads(k, k->layer, ideal, actual)) return false;
        note_parts(k, part_error, (Stage){number, 0});
        if (ideal->mlp_count != actual->mlp_count)
            return broken(k, "another number of feed-forward sublayers than the program's");
        for (uint32_t m = 0; m < ideal->mlp_count; m++) {
            if (!check_sublayer(k, k->layer, m, ideal->mlps[m], actual->mlps[m])) return false;
            note_parts(k, part_error, (Stage){number, m + 1});
        }
    }
    return true;
}

/* Names the decision that fails, and the values that it would have to tell apart. */
static void explain(Checker *k) {
    const Certificate *c = k->c;
    char text[sizeof c->broken], low[32], high[32];
    if (isnan(c->low)) {
        snprintf(text, sizeof text, "the bound does not close: %s, %.3g times what is allowed",
                 c->where, c->tightest);
    } else {
        float_text(c->low, low);
        float_text(c->high, high);
        snprintf(text, sizeof text,
                 "%s: %s and %s are too close, its error is %.3g times what is "
                 "allowed",
                 c->where, low, high, c->tightest);
    }
    broken(k, text);
}

bool certificate_check(const Circuit *circuit, const Model *ideal, const Model *model, Arena *arena,
                       Certificate *c) {
    *c = (Certificate){.low = NAN, .high = NAN};
    bool f32 = model->dtype == RT_F32;
    Checker k = {.circuit = circuit,
                 .ideal = ideal,
                 .model = model,
                 .arena = arena,
                 .c = c,
                 .unit = f32 ? FLT_EPSILON / 2 : DBL_EPSILON / 2,
                 .significand = f32 ? 0x1p24 : 0x1p53,
                 .largest = f32 ? 0x1p100 : 0x1p1000,
                 .width = circuit->width,
                 .low = NAN,
                 .high = NAN,
                 .longest = circuit->domain.max_length};
    k.row = ARENA_ARRAY(arena, k.width, Bound);
    k.row0 = ARENA_ARRAY(arena, k.width, Bound);
    k.value0 = ARENA_ARRAY(arena, k.width, double);
    if (model->kernel != ideal->kernel || ideal->kernel != circuit->options.kernel)
        return broken(&k, "another kernel than the program's");
    size_t layer, head;
    if (model_find_bias(model, &layer, &head))
        return broken(&k, "heads have position biases, which no bound is known for");
    if (model->width != k.width) return broken(&k, "another residual width than the program's");
    double *part_error = ARENA_ARRAY(arena, circuit->part_count + 1, double);
    c->part_error = part_error;
    if (!check_embeddings(&k)) return false;
    note_parts(&k, part_error, (Stage){0, 0});
    if (!check_layers(&k, part_error)) return false;
    for (uint32_t o = 0; o < circuit->output_count; o++)
        certificate_output(&k, &circuit->outputs[o]);
    if (!(c->tightest < 1)) {
        explain(&k);
    }
    return c->holds = c->broken[0] == 0;
}
