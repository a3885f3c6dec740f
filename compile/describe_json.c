#include "compile/describe_json.h"

#include <math.h>
#include <string.h>

void describe_set(json_t *object, const char *key, json_t *value, bool *lost) {
    if (json_object_set_new(object, key, value) != 0) *lost = true;
}

void describe_append(json_t *list, json_t *value, bool *lost) {
    if (json_array_append_new(list, value) != 0) *lost = true;
}

json_t *describe_number(double x) {
    return x == trunc(x) && fabs(x) < 0x1p53 ? json_integer((json_int_t)x) : json_real(x);
}

json_t *describe_span(const SourceMap *sources, Span span) {
    Place from, to;
    if (!source_place(sources, span, &from) ||
        !source_place(sources, (Span){span.end, span.end}, &to) || to.source != from.source)
        return json_null();
    const char *slash = strrchr(from.source->name, '/');
    return json_pack("[s, i, i, i, i]", slash ? slash + 1 : from.source->name, (int)from.line,
                     (int)from.column, (int)to.line, (int)to.column);
}

bool describe_place(json_t *object, const char *key, const SourceMap *sources, Span span) {
    json_t *place = describe_span(sources, span);
    if (!json_is_null(place)) return json_object_set_new(object, key, place) == 0;
    json_decref(place);
    return true;
}
