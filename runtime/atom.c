#include "runtime/atom.h"

#include "runtime/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *const rt_kind_names[RT_KIND_COUNT] = {"string", "int", "float", "bool"};

RtAtom rt_string(const char *bytes, size_t length) {
    return (RtAtom){.kind = RT_STRING, .u.s = {bytes, length}};
}

RtAtom rt_int(int64_t i) {
    return (RtAtom){.kind = RT_INT, .u.i = i};
}

RtAtom rt_float(double f) {
    return (RtAtom){.kind = RT_FLOAT, .u.f = f};
}

RtAtom rt_bool(bool b) {
    return (RtAtom){.kind = RT_BOOL, .u.b = b};
}

static int compare_strings(const RtAtom *a, const RtAtom *b) {
    size_t n = a->u.s.length < b->u.s.length ? a->u.s.length : b->u.s.length;
    int order = n ? memcmp(a->u.s.bytes, b->u.s.bytes, n) : 0;
    if (order) return order;
    return (a->u.s.length > b->u.s.length) - (a->u.s.length < b->u.s.length);
}

int rt_atom_compare(const RtAtom *a, const RtAtom *b) {
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    switch (a->kind) {
    case RT_STRING:
        return compare_strings(a, b);
    case RT_INT:
        return (a->u.i > b->u.i) - (a->u.i < b->u.i);
    case RT_FLOAT:
        return (a->u.f > b->u.f) - (a->u.f < b->u.f);
    default:
        return a->u.b - b->u.b;
    }
}

double rt_atom_number(const RtAtom *a) {
    if (a->kind == RT_FLOAT) return a->u.f;
    return a->kind == RT_INT ? (double)a->u.i : (double)a->u.b;
}

static void string_text(const RtAtom *a, char *buf, size_t size) {
    enum { SHOWN = 40 };
    size_t n = a->u.s.length, cut = n > SHOWN ? SHOWN : n;
    /* Never cut inside a UTF-8 sequence: a message is read by people. */
    while (cut < n && cut > 0 && ((unsigned char)a->u.s.bytes[cut] & 0xC0) == 0x80) cut--;
    snprintf(buf, size, "\"%.*s%s\"", (int)cut, a->u.s.bytes, cut < n ? "…" : "");
}

static void float_text(double f, char *buf, size_t size) {
    char digits[RT_NUMBER_MAX];
    rt_number_text(f, digits);
    snprintf(buf, size, "%s", digits);
}

const char *rt_atom_text(const RtAtom *a, char *buf, size_t size) {
    switch (a->kind) {
    case RT_STRING:
        string_text(a, buf, size);
        break;
    case RT_INT:
        snprintf(buf, size, "%" PRId64, a->u.i);
        break;
    case RT_FLOAT:
        float_text(a->u.f, buf, size);
        break;
    default:
        snprintf(buf, size, "%s", a->u.b ? "true" : "false");
        break;
    }
    return buf;
}
