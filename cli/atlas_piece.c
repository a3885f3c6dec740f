/* The atlas in pieces: verdicts, each with the files that its job left; and joined again. */
#include "cli/atlas_private.h"

#include "base/random.h"
#include "cli/command.h"
#include "cli/merge.h"
#include "cli/output.h"

#include <stdlib.h>
#include <string.h>

/* --- writing ---------------------------------------------------------------------------- */

static void put_row(Json *j, const AtlasRow *row) {
    json_begin_object(j, NULL);
    json_text(j, "name", row->name);
    json_flag(j, "program", row->program != NULL);
    if (!row->program) {
        json_text(j, "alphabet", row->alphabet);
        json_text(j, "expression", row->expression);
        json_count(j, "longest", row->longest);
    }
    json_end(j);
}

static const char *programs_hash(const Atlas *a) {
    uint64_t hash = 0;
    for (size_t k = 0; k < a->row_count; k++)
        if (a->rows[k].program) hash = random_mix(hash + atlas_file_hash(a->rows[k].program));
    return arena_format(command_arena(), "%016llx", (unsigned long long)hash);
}

static void put_asked(Json *j, const Atlas *a) {
    const ExpressArguments *e = &a->arguments;
    json_begin_array(j, "classes");
    for (unsigned k = 0; k < a->class_count; k++) json_text(j, NULL, a->classes[k]);
    json_end(j);
    json_begin_array(j, "heads");
    for (unsigned k = 0; k < a->class_count; k++) json_count(j, NULL, e->queries[k].most);
    json_end(j);
    json_count(j, "max_length", e->at_most);
    json_number(j, "time_limit", "%g", e->seconds);
    json_count(j, "max_memory", e->common.memory);
    json_text(j, "programs_hash", programs_hash(a));
    json_begin_array(j, "rows");
    for (size_t k = 0; k < a->row_count; k++) put_row(j, &a->rows[k]);
    json_end(j);
}

static void put_file(Json *j, const AtlasJob *job, const char *key, const char *suffix) {
    char *text = NULL;
    size_t room = 0;
    FILE *in = atlas_job_open(job, suffix);
    ssize_t length = in ? getdelim(&text, &room, '\0', in) : 0;
    json_quoted(j, key, length > 0 ? text : "", length > 0 ? (size_t)length : 0);
    free(text);
    if (in) fclose(in);
}

static void put_verdict(Json *j, const Atlas *a, const AtlasJob *job) {
    json_begin_object(j, NULL);
    json_count(j, "number", (size_t)(job - a->jobs));
    put_file(j, job, "text", "txt");
    put_file(j, job, "lines", "lines");
    json_end(j);
}

static bool is_ready(const AtlasJob *job) {
    return job->done && !job->foreign;
}

void atlas_print_piece(const Atlas *a, RaspStatus stopped, double seconds) {
    PieceHead head = {"atlas", a->shard, stopped, 0, seconds};
    Json j = {.out = stdout};
    for (size_t k = 0; k < a->job_count; k++) head.done += is_ready(&a->jobs[k]);
    piece_begin(&j, &head);
    put_asked(&j, a);
    piece_result(&j);
    json_begin_array(&j, "verdicts");
    for (size_t k = 0; k < a->job_count; k++)
        if (is_ready(&a->jobs[k])) put_verdict(&j, a, &a->jobs[k]);
    json_end(&j);
    piece_end(&j);
}

/* --- joining ---------------------------------------------------------------------------- */

static void read_rows(Atlas *a, const json_t *run) {
    const json_t *list = json_object_get(run, "rows"), *row;
    size_t k;
    a->row_count = json_array_size(list);
    a->rows = ARENA_ARRAY(a->arena, a->row_count + 1, AtlasRow);
    json_array_foreach(list, k, row) {
        const char *name = piece_text(row, "name");
        bool program = json_is_true(json_object_get(row, "program"));
        a->rows[k] = (AtlasRow){.name = name,
                                .program = program ? name : NULL,
                                .alphabet = piece_text(row, "alphabet"),
                                .expression = piece_text(row, "expression")};
    }
}

static void read_classes(Atlas *a, const json_t *run) {
    const json_t *class;
    size_t k;
    json_array_foreach(json_object_get(run, "classes"), k,
                       class) if (k < EXPRESS_CLASSES && json_is_string(class))
        a->classes[a->class_count++] = json_string_value(class);
}

static void read_verdicts(Atlas *a, const json_t *piece) {
    const json_t *verdict;
    size_t k;
    json_array_foreach(json_object_get(piece, "verdicts"), k, verdict) {
        size_t number = piece_count(verdict, "number");
        if (number >= a->job_count) continue;
        a->jobs[number].text = piece_text(verdict, "text");
        a->jobs[number].lines = piece_text(verdict, "lines");
    }
}

int merge_atlas(const Pieces *p, const MergeOptions *options) {
    Atlas a = {.arena = command_arena(), .lack = p->lack};
    read_rows(&a, p->run);
    read_classes(&a, p->run);
    a.job_count = a.row_count * a.class_count;
    a.jobs = ARENA_ARRAY(a.arena, a.job_count + 1, AtlasJob);
    for (size_t k = 0; k < a.job_count; k++) a.jobs[k].row = &a.rows[k / a.class_count];
    for (uint32_t k = 0; k < p->of; k++) read_verdicts(&a, piece_found(p, k));
    int status = EXIT_FINE;
    if (options->json) {
        for (size_t k = 0; k < a.job_count; k++) atlas_print_lines(&a.jobs[k]);
    } else {
        Output *document = output_open(options->output);
        if (!document) return EXIT_FAILED;
        atlas_document(&a, document->file);
        status = output_close(document);
    }
    pieces_note_lack(p);
    return p->lack ? EXIT_FAILED : status;
}
