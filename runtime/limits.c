#include "runtime/limits.h"

bool rt_charge(RtLimits *limits, size_t count, size_t size, const char *what, RtError *err) {
    static const double mib = 1 << 20;
    size_t bytes;
    bool overflow = __builtin_mul_overflow(count, size, &bytes);
    if (!overflow && bytes <= limits->memory - limits->used) {
        limits->used += bytes;
        return true;
    }
    limits->exceeded = true;
    return rt_error(err,
                    "out of memory: %s needs %.1f MiB, %.1f MiB are in use, the limit is %.1f MiB "
                    "(--max-memory raises it)",
                    what, (double)count * (double)size / mib, (double)limits->used / mib,
                    (double)limits->memory / mib);
}

/* Bytes for each mark outside of strings: what jansson allocates for a container, an entry, a
 * string, with malloc's own (measured at 0.5 to 0.8 of this). */
static size_t mark_cost(char c) {
    switch (c) {
    case '{':
        return 256;
    case '[':
        return 144;
    case ':':
        return 112;
    case ',':
        return 64;
    case '"':
        return 48;
    default:
        return 0;
    }
}

size_t rt_json_cost(const char *text, size_t length) {
    size_t cost = length;
    bool inside = false;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        if (!inside || c == '"') cost += mark_cost(c);
        if (inside && c == '\\')
            i++;
        else if (c == '"')
            inside = !inside;
    }
    return cost;
}

json_t *rt_json_parse(const char *text, size_t length, const char *what, RtLimits *limits,
                      RtError *err) {
    json_error_t why;
    if (!rt_charge(limits, rt_json_cost(text, length), 1, what, err)) return NULL;
    json_t *value = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &why);
    bool silent = !value && !*why.text; /* jansson has no words for a failing malloc */
    if (silent || (!value && json_error_code(&why) == json_error_out_of_memory))
        rt_error(err, "%s: out of memory", what);
    else if (!value)
        rt_error(err, "%s: byte %d: %s", what, why.position, why.text);
    return value;
}
