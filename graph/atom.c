#include "graph/atom.h"

#include "base/random.h"
#include "base/shortest.h"
#include "base/utf8.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool atom_truth(Atom a) {
    switch (a.kind) {
    case ATOM_BOOL:
        return a.b;
    case ATOM_INT:
        return a.i != 0;
    case ATOM_FLOAT:
        return a.f != 0;
    case ATOM_STRING:
        return a.s->length != 0;
    }
    return false;
}

static AtomOrder order_doubles(double a, double b) {
    return a < b ? ATOM_LESS : a > b ? ATOM_GREATER : a == b ? ATOM_EQUAL : ATOM_UNORDERED;
}

static AtomOrder order_ints(int64_t a, int64_t b) {
    return a < b ? ATOM_LESS : a > b ? ATOM_GREATER : ATOM_EQUAL;
}

/* Exact: compare integer parts, then the fraction. */
static AtomOrder order_int_float(int64_t a, double b) {
    if (isnan(b)) return ATOM_UNORDERED;
    if (b >= 0x1p63) return ATOM_LESS;
    if (b < -0x1p63) return ATOM_GREATER;
    double whole = trunc(b);
    AtomOrder order = order_ints(a, (int64_t)whole);
    return order != ATOM_EQUAL ? order : order_doubles(whole, b);
}

static AtomOrder flip(AtomOrder order) {
    return order == ATOM_LESS ? ATOM_GREATER : order == ATOM_GREATER ? ATOM_LESS : order;
}

bool atom_comparable(Atom a, Atom b) {
    return (a.kind == ATOM_STRING) == (b.kind == ATOM_STRING);
}

AtomOrder atom_order(Atom a, Atom b) {
    if (a.kind == ATOM_STRING) {
        int order = str_compare(a.s, b.s);
        return order < 0 ? ATOM_LESS : order > 0 ? ATOM_GREATER : ATOM_EQUAL;
    }
    if (a.kind == ATOM_FLOAT && b.kind == ATOM_FLOAT) return order_doubles(a.f, b.f);
    if (a.kind == ATOM_FLOAT) return flip(order_int_float(atom_integer(b), a.f));
    if (b.kind == ATOM_FLOAT) return order_int_float(atom_integer(a), b.f);
    return order_ints(atom_integer(a), atom_integer(b));
}

bool atom_equal(Atom a, Atom b) {
    if (!atom_comparable(a, b)) return false;
    if (a.kind == ATOM_STRING) return a.s == b.s;
    return atom_order(a, b) == ATOM_EQUAL;
}

bool atom_same(Atom a, Atom b) {
    if (a.kind != b.kind) return false;
    if (a.kind == ATOM_FLOAT) return memcmp(&a.f, &b.f, sizeof a.f) == 0;
    if (a.kind == ATOM_STRING) return a.s == b.s;
    return atom_integer(a) == atom_integer(b);
}

uint64_t atom_hash(Atom a) {
    if (a.kind == ATOM_STRING) return random_mix(a.s->hash + 0x9e3779b97f4a7c15u);
    if (a.kind == ATOM_FLOAT) {
        if (a.f != trunc(a.f) || !(fabs(a.f) < 0x1p63)) {
            uint64_t bits;
            memcpy(&bits, &a.f, sizeof bits);
            return random_mix(bits);
        }
        return random_mix((uint64_t)(int64_t)a.f);
    }
    return random_mix((uint64_t)atom_integer(a));
}

int atom_compare_total(const Atom *a, const Atom *b) {
    if (!atom_comparable(*a, *b)) return a->kind == ATOM_STRING ? 1 : -1;
    AtomOrder order = atom_order(*a, *b);
    if (order == ATOM_LESS) return -1;
    if (order == ATOM_GREATER) return 1;
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    if (a->kind != ATOM_FLOAT) return 0;
    int64_t x, y; /* 0.0 and -0.0, and NaNs by bits */
    memcpy(&x, &a->f, sizeof x);
    memcpy(&y, &b->f, sizeof y);
    return (x > y) - (x < y);
}

const char *atom_kind_name(AtomKind kind) {
    static const char *const name[] = {
        [ATOM_BOOL] = "bool", [ATOM_INT] = "int", [ATOM_FLOAT] = "float", [ATOM_STRING] = "str"};
    return name[kind];
}

/* The decimal one unit of its last digit further from 0; false if that needs one more digit. */
static bool step_away(char *digits) {
    char *at = strchr(digits, 'e') - 1;
    for (; at >= digits && (*at == '9' || *at == '.'); at--)
        if (*at == '9') *at = '0';
    if (at < digits || *at == '-') return false;
    ++*at;
    return true;
}

/* Does the decimal read back as the value?  Below a power of two the doubles lie twice as close
 * as above it, so where the nearest decimal of some length does not, the next one up may: it is
 * then put in its place. */
static bool reads_back(char *digits, double value) {
    if (strtod(digits, NULL) == value) return true;
    int exponent;
    char away[32];
    if (fabs(frexp(value, &exponent)) != 0.5) return false;
    strcpy(away, digits);
    if (!step_away(away) || strtod(away, NULL) != value) return false;
    strcpy(digits, away);
    return true;
}

/* The shortest decimal text that reads back to the same double, in the reference's form
 * (1.0, 1e-05, 1e+16, inf, nan, -0.0). */
void float_text(double value, char text[32]) {
    if (isnan(value)) {
        strcpy(text, "nan");
        return;
    }
    if (isinf(value)) {
        strcpy(text, value < 0 ? "-inf" : "inf");
        return;
    }
    if ((value == 0 || fabs(value) >= 1e-4) && shortest_text(value, text) > 0) return;
    char digits[32]; /* d.ddde+XX with the fewest d that read back */
    int precision = 0;
    do snprintf(digits, sizeof digits, "%.*e", precision, value);
    while (precision++ < 17 && !reads_back(digits, value));
    char *e = strchr(digits, 'e');
    int exponent = atoi(e + 1);
    if (exponent < -4 || exponent >= 16) {
        *e = 0;
        snprintf(text, 32, "%.24se%c%02d", digits, exponent < 0 ? '-' : '+', abs(exponent) % 1000);
        return;
    }
    int significant = (int)(e - digits) - (digits[0] == '-');
    int decimals = (significant > 1 ? significant - 2 : 0) - exponent;
    snprintf(text, 32, "%.*f", decimals > 1 ? decimals : 1, value);
}

double float_round(double value, int digits) {
    if (!(fabs(value) < 1e22)) return value; /* no fraction there; inf and nan stay */
    char text[64];
    snprintf(text, sizeof text, "%.*f", digits, value);
    return strtod(text, NULL);
}

/* Text that is written piece by piece into a buffer that may be too small. */
typedef struct Out {
    char *text;
    size_t size, length;
} Out;

static void put(Out *out, const char *text, size_t length) {
    if (out->length < out->size) {
        size_t room = out->size - out->length;
        memcpy(out->text + out->length, text, length < room ? length : room);
    }
    out->length += length;
}

static void put_code(Out *out, const char *format, uint32_t code) {
    char text[16];
    put(out, text, (size_t)snprintf(text, sizeof text, format, code));
}

/* What does not print, as Unicode sees it: controls, format marks, blanks other than ' ',
 * private use.  (Code points that are not assigned yet count as printing.) */
static bool prints(uint32_t code) {
    static const struct {
        uint32_t first, last;
    } hidden[] = {
        {0x0, 0x1f},         {0x7f, 0xa0},       {0xad, 0xad},       {0x600, 0x605},
        {0x61c, 0x61c},      {0x6dd, 0x6dd},     {0x70f, 0x70f},     {0x890, 0x891},
        {0x8e2, 0x8e2},      {0x1680, 0x1680},   {0x180e, 0x180e},   {0x2000, 0x200f},
        {0x2028, 0x202f},    {0x205f, 0x206f},   {0x3000, 0x3000},   {0xe000, 0xf8ff},
        {0xfeff, 0xfeff},    {0xfff9, 0xfffb},   {0x110bd, 0x110bd}, {0x110cd, 0x110cd},
        {0x13430, 0x1343f},  {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0001, 0xe007f},
        {0xf0000, 0x10ffff},
    };
    for (size_t k = 0; k < sizeof hidden / sizeof *hidden && hidden[k].first <= code; k++)
        if (code <= hidden[k].last) return false;
    return true;
}

static void put_escape(Out *out, uint32_t code) {
    put_code(out, code < 0x100 ? "\\x%02x" : code < 0x10000 ? "\\u%04x" : "\\U%08x", code);
}

/* What a printed list escapes: backslash, tab and friends, what does not print. */
static void put_listed(Out *out, const char *text, size_t length) {
    bool single = memchr(text, '\'', length) != NULL;
    bool both = single && memchr(text, '"', length) != NULL;
    char quote = single && !both ? '"' : '\'';
    put(out, &quote, 1);
    for (size_t k = 0; k < length;) {
        size_t step = utf8_step(text + k, length - k);
        uint32_t code = utf8_decode(text + k);
        if (code == '\\')
            put(out, "\\\\", 2);
        else if (code == '\t')
            put(out, "\\t", 2);
        else if (code == '\n')
            put(out, "\\n", 2);
        else if (code == '\r')
            put(out, "\\r", 2);
        else if (code == (unsigned char)quote)
            put(out, "\\", 1), put(out, &quote, 1);
        else if (prints(code))
            put(out, text + k, step);
        else
            put_escape(out, code);
        k += step;
    }
    put(out, &quote, 1);
}

static void put_json(Out *out, const char *text, size_t length) {
    put(out, "\"", 1);
    for (size_t k = 0; k < length; k++) {
        unsigned char c = (unsigned char)text[k];
        if (c == '"' || c == '\\')
            put(out, "\\", 1), put(out, text + k, 1);
        else if (c < 0x20)
            put_code(out, "\\u%04x", c);
        else
            put(out, text + k, 1);
    }
    put(out, "\"", 1);
}

static void put_string(Out *out, const char *text, size_t length, AtomStyle style) {
    if (style == ATOM_LISTED)
        put_listed(out, text, length);
    else if (style == ATOM_JSON)
        put_json(out, text, length);
    else {
        if (style == ATOM_QUOTED) put(out, "\"", 1);
        put(out, text, length);
        if (style == ATOM_QUOTED) put(out, "\"", 1);
    }
}

static const char *bool_text(bool b, AtomStyle style) {
    if (style == ATOM_CELL) return b ? "T" : "F";
    if (style == ATOM_JSON) return b ? "true" : "false";
    return b ? "True" : "False";
}

/* Ends the text; gives the length that it would have. */
static size_t finish(const Out *out, char *text, size_t size) {
    if (size) text[out->length < size ? out->length : size - 1] = 0;
    return out->length;
}

size_t string_text(const char *string, size_t length, AtomStyle style, char *text, size_t size) {
    Out out = {.text = text, .size = size ? size - 1 : 0};
    put_string(&out, string, length, style);
    return finish(&out, text, size);
}

static void int_text(int64_t value, char text[32]) {
    char reversed[32];
    int count = 0;
    uint64_t size = value < 0 ? -(uint64_t)value : (uint64_t)value;
    do reversed[count++] = (char)('0' + size % 10);
    while (size /= 10);
    if (value < 0) reversed[count++] = '-';
    while (count > 0) *text++ = reversed[--count];
    *text = '\0';
}

size_t atom_text(Atom a, AtomStyle style, char *text, size_t size) {
    Out out = {.text = text, .size = size ? size - 1 : 0};
    char number[32] = "";
    const char *word = number;
    if (a.kind == ATOM_STRING)
        put_string(&out, a.s->text, a.s->length, style);
    else {
        if (a.kind == ATOM_BOOL)
            word = bool_text(a.b, style);
        else if (a.kind == ATOM_INT)
            int_text(a.i, number);
        else
            float_text(a.f, number);
        bool quote = style == ATOM_JSON && a.kind == ATOM_FLOAT && !isfinite(a.f);
        if (quote) put(&out, "\"", 1);
        put(&out, word, strlen(word));
        if (quote) put(&out, "\"", 1);
    }
    return finish(&out, text, size);
}

const char *atom_show(Atom a, AtomStyle style, Arena *arena) {
    size_t length = atom_text(a, style, NULL, 0);
    char *text = arena_alloc(arena, length + 1);
    atom_text(a, style, text, length + 1);
    return text;
}

/* "-1.25e-07" with its point moved to where it belongs. */
static const char *positional(const char *text, Arena *arena) {
    const char *exponent = strchr(text, 'e');
    if (!exponent) return text;
    const char *sign = *text == '-' ? "-" : "";
    char digits[32];
    int count = 0, whole = 0; /* digits, and those before the point */
    for (const char *at = text; at < exponent; at++)
        if (*at == '.')
            whole = count;
        else if (*at != '-')
            digits[count++] = *at;
    if (!memchr(text, '.', (size_t)(exponent - text))) whole = count;
    whole += atoi(exponent + 1);
    if (whole <= 0) return arena_format(arena, "%s0.%.*d%.*s", sign, -whole, 0, count, digits);
    return arena_format(arena, "%s%.*s%.*d.0", sign, count, digits, whole - count, 0);
}

const char *atom_literal(Atom a, Arena *arena) {
    if (a.kind == ATOM_STRING && strpbrk(a.s->text, "\"\r\n")) return NULL;
    if (a.kind == ATOM_STRING && strlen(a.s->text) != a.s->length) return NULL;
    if (a.kind == ATOM_INT && a.i == INT64_MIN) return NULL;
    if (a.kind == ATOM_FLOAT && !isfinite(a.f)) return NULL;
    const char *text = atom_show(a, ATOM_QUOTED, arena);
    return a.kind == ATOM_FLOAT ? positional(text, arena) : text;
}

/* The number of decimal digits at text[at..). */
static size_t digits_at(const char *text, size_t length, size_t at) {
    size_t count = 0;
    while (at + count < length && text[at + count] >= '0' && text[at + count] <= '9') count++;
    return count;
}

bool read_int(const char *text, size_t length, int64_t *value) {
    size_t at = length && (text[0] == '-' || text[0] == '+');
    bool negative = length && text[0] == '-';
    if (at == length || digits_at(text, length, at) != length - at) return false;
    int64_t sum = 0;
    for (; at < length; at++) {
        int digit = text[at] - '0';
        if (__builtin_mul_overflow(sum, 10, &sum)) return false;
        if (__builtin_add_overflow(sum, negative ? -digit : digit, &sum)) return false;
    }
    *value = sum;
    return true;
}

bool read_float(const char *text, size_t length, double *value) {
    size_t at = length && (text[0] == '-' || text[0] == '+');
    size_t whole = digits_at(text, length, at);
    if (!whole) return false;
    at += whole;
    if (at < length && text[at] == '.') {
        size_t fraction = digits_at(text, length, at + 1);
        if (!fraction) return false;
        at += 1 + fraction;
    }
    if (at != length) return false;
    char stack[64], *copy = length < sizeof stack ? stack : malloc(length + 1);
    if (!copy) return false;
    memcpy(copy, text, length);
    copy[length] = 0;
    *value = strtod(copy, NULL);
    if (copy != stack) free(copy);
    return isfinite(*value);
}
