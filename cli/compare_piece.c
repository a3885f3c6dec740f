/* A comparison of two programs in pieces: written, and added up. */
#include "cli/compare_private.h"

#include "base/random.h"
#include "cli/command.h"
#include "cli/merge.h"

#include <string.h>

/* --- writing ---------------------------------------------------------------------------- */

/* By it the s-op is known to be the same, whatever its program loads. */
static const char *graph_hash(const Program *program, const RaspSop *sop) {
    RaspError error;
    uint64_t hash = 0;
    char *text = rasp_program_graph(program->handle, sop, 1, &error);
    for (const char *at = text; at && *at; at++) hash = random_mix(hash + (unsigned char)*at + 1);
    rasp_free(text);
    return arena_format(command_arena(), "%016llx", (unsigned long long)hash);
}

static void put_option(Json *j, const char *key, const char *text) {
    if (text) json_text(j, key, text);
}

/* What says the inputs: options, then the program's magic comment. */
static void put_domain(Json *j, const RaspTarget *target, const Program *domain,
                       const RaspInputsInfo *info) {
    const char *key, *value;
    json_count(j, "max_length", info->max_length);
    put_option(j, "alphabet", target->alphabet);
    put_option(j, "first", target->first);
    put_option(j, "where", target->where);
    json_begin_array(j, "settings");
    for (size_t k = 0; rasp_program_setting(domain->handle, k, &key, &value); k++) {
        const char *setting = arena_format(command_arena(), "%s=%s", key, value);
        json_text(j, NULL, setting);
    }
    json_end(j);
}

static void put_asked(Json *j, const Findings *f, const Comparison *what, const Program *domain) {
    json_text(j, "program", f->name[0]);
    json_text(j, "against", f->name[1]);
    json_text(j, "graph_hash", graph_hash(what->program[0], &what->sop[0]));
    json_text(j, "against_hash", graph_hash(what->program[1], &what->sop[1]));
    put_domain(j, what->target, domain, &f->info);
    piece_put_seed(j, what->check->seed);
    json_count(j, "count", what->check->count);
    json_count(j, "exhaustive_limit", what->check->exhaustive_limit);
    json_count(j, "show", what->check->shown);
}

static void put_difference(Json *j, const Difference *d) {
    static const char *const values[] = {"found", "expected"},
                             *failures[] = {"found_error", "expected_error"};
    json_begin_object(j, NULL);
    json_count(j, "number", d->number);
    piece_atoms(j, "input", d->input, d->length);
    for (int k = 0; k < 2; k++)
        if (d->answer[k].failure)
            json_text(j, failures[k], d->answer[k].failure);
        else
            piece_atoms(j, values[k], d->answer[k].values, d->answer[k].count);
    json_end(j);
}

void findings_print_piece(const Findings *f, const Comparison *what, const Program *domain,
                          RaspStatus stopped, double seconds) {
    const RaspCheckOptions *o = what->check;
    PieceHead head = {"against", {o->shard - 1, o->shards}, stopped, f->compared, seconds};
    Json j = {.out = stdout};
    piece_begin(&j, &head);
    put_asked(&j, f, what, domain);
    piece_result(&j);
    json_flag(&j, "exhaustive", f->info.exhaustive);
    json_count(&j, "complete_length", f->info.complete_length);
    json_count(&j, "compared", f->compared);
    json_count(&j, "differ", f->differ);
    json_count(&j, "both_fail", f->both_fail);
    json_count(&j, "outside", f->info.outside);
    json_begin_array(&j, "differences");
    for (size_t k = 0; k < f->kept; k++) put_difference(&j, &f->differences[k]);
    json_end(&j);
    piece_end(&j);
}

/* --- adding up -------------------------------------------------------------------------- */

static Answer read_answer(const json_t *object, const char *values, const char *failure) {
    Answer answer = {0};
    if (json_object_get(object, failure))
        answer.failure = piece_text(object, failure);
    else
        answer.values = piece_read_atoms(json_object_get(object, values), &answer.count);
    return answer;
}

static void add_piece(Findings *f, const json_t *piece) {
    const json_t *object;
    size_t k;
    f->info.exhaustive = json_is_true(json_object_get(piece, "exhaustive"));
    f->info.complete_length = (uint32_t)piece_count(piece, "complete_length");
    f->info.outside += piece_count(piece, "outside");
    f->compared += piece_count(piece, "compared");
    f->differ += piece_count(piece, "differ");
    f->both_fail += piece_count(piece, "both_fail");
    json_array_foreach(json_object_get(piece, "differences"), k, object) {
        Difference d = {.number = piece_count(object, "number"),
                        .answer = {read_answer(object, "found", "found_error"),
                                   read_answer(object, "expected", "expected_error")}};
        d.input = piece_read_atoms(json_object_get(object, "input"), &d.length);
        findings_keep(f, &d);
    }
}

/* As many as were asked for, if there are so many. */
static size_t room_for_differences(const Pieces *p) {
    size_t wanted = piece_count(p->run, "show"), there = 0;
    for (uint32_t k = 0; k < p->of; k++)
        there += json_array_size(json_object_get(piece_found(p, k), "differences"));
    return wanted < there ? wanted : there;
}

int merge_against(const Pieces *p, const MergeOptions *options) {
    Findings f = {.name = {piece_text(p->run, "program"), piece_text(p->run, "against")},
                  .info = {.max_length = (uint32_t)piece_count(p->run, "max_length"),
                           .seed = piece_seed(p->run)},
                  .room = room_for_differences(p),
                  .pieces = p};
    f.differences = ARENA_ARRAY(command_arena(), f.room + 1, Difference);
    for (uint32_t k = 0; k < p->of; k++)
        if (piece_found(p, k)) add_piece(&f, piece_found(p, k));
    findings_print(&f, options->json);
    if (f.differ) return EXIT_DISAGREE;
    return p->lack ? EXIT_FAILED : f.compared ? EXIT_FINE : EXIT_DISAGREE;
}
