#include "compile/complete.h"

#include "compile/describe.h"

/* What the document takes, about: the JSON library allocates it. */
static size_t document_bytes(const Circuit *circuit, const Record *record) {
    enum { NUMBER = 64, PIECE = 2048, TEXTS = 4 };
    size_t bytes = record->program.length, pieces = circuit->part_count + circuit->head_count +
                                                    circuit->table_count + circuit->output_count;
    for (size_t k = 0; k < record->loaded_count; k++) bytes += record->loaded[k].length;
    bytes = TEXTS * bytes + PIECE * pieces;
    for (uint32_t p = 0; p < circuit->part_count; p++)
        bytes += (size_t)NUMBER * circuit->parts[p].number_count;
    for (uint32_t t = 0; t < circuit->table_count; t++)
        for (uint32_t o = 0; o < circuit->tables[t].output_count; o++)
            bytes += (size_t)NUMBER * circuit->tables[t].outputs[o].points;
    for (uint32_t o = 0; o < circuit->output_count; o++)
        bytes += (size_t)NUMBER * circuit->outputs[o].value_count;
    return bytes;
}

bool complete_model(Compiled *c, const Record *record, const SourceMap *sources,
                    const ProgramNames *names) {
    bool standard = record->options.layout == LAYOUT_STANDARD;
    arena_charge(c->tensors, document_bytes(c->circuit, record));
    return describe_model(c->circuit, sources, c->model, c->arena) &&
           record_store(record, c->model) && record_store_answers(&c->answers, c->model) &&
           describe_certificate(c->circuit, c->certificate, sources, c->model, c->arena) &&
           claims_write(c->circuit, names, standard, c->model, c->arena) &&
           compiled_lay_out(c, &record->options);
}
