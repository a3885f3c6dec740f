#include "cli/json.h"

#include "base/utf8.h"

#include <string.h>

static void put_bytes(FILE *out, const char *text, size_t length) {
    static const char from[] = "\"\\\b\f\n\r\t", into[] = "\"\\bfnrt";
    for (size_t k = 0; k < length; k++) {
        unsigned char c = (unsigned char)text[k];
        const char *found = c ? strchr(from, c) : NULL;
        if (found)
            fputc('\\', out), fputc(into[found - from], out);
        else if (c < 0x20 || c == 0x7f)
            fprintf(out, "\\u%04x", c);
        else
            fputc(c, out);
    }
}

void json_quoted(FILE *out, const char *text, size_t length) {
    fputc('"', out);
    put_bytes(out, text, length);
    fputc('"', out);
}

void json_text(FILE *out, const char *text) {
    json_quoted(out, text, strlen(text));
}

void json_bytes(FILE *out, const char *bytes, size_t length) {
    fputc('"', out);
    for (size_t at = 0; at < length;) {
        size_t good = utf8_valid_prefix(bytes + at, length - at);
        put_bytes(out, bytes + at, good);
        at += good;
        if (at < length) fputs("\\ufffd", out), at++;
    }
    fputc('"', out);
}

void json_atom(FILE *out, Atom atom) {
    char text[64];
    if (atom.kind == ATOM_STRING) {
        json_quoted(out, atom.s->text, atom.s->length);
        return;
    }
    atom_text(atom, ATOM_JSON, text, sizeof text);
    fputs(text, out);
}

void json_column(FILE *out, const Column *column, int precision) {
    fputc('[', out);
    for (size_t k = 0; k < column->length; k++) {
        Atom atom = column_at(column, k);
        if (precision >= 0 && atom.kind == ATOM_FLOAT) atom.f = float_round(atom.f, precision);
        if (k) fputs(", ", out);
        json_atom(out, atom);
    }
    fputc(']', out);
}

void json_input(FILE *out, const Input *input) {
    fputc(input->is_string ? '"' : '[', out);
    for (size_t k = 0; k < input->length; k++) {
        if (input->is_string) {
            put_bytes(out, input->tokens[k].s->text, input->tokens[k].s->length);
            continue;
        }
        if (k) fputs(", ", out);
        json_atom(out, input->tokens[k]);
    }
    fputc(input->is_string ? '"' : ']', out);
}
