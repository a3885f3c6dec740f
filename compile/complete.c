#include "compile/complete.h"

#include "compile/describe.h"

bool complete_model(Compiled *c, const Record *record, const SourceMap *sources) {
    return describe_model(c->circuit, sources, c->model, c->arena) &&
           record_store(record, c->model) &&
           describe_certificate(c->circuit, c->certificate, sources, c->model, c->arena) &&
           compiled_lay_out(c, &record->options);
}
