/* The values that claims are made of, and what is said where one is another. */
#include "compile/prove/claims_private.h"

#include <math.h>
#include <string.h>

/* --- messages ------------------------------------------------------------------------------ */

const char *claims_place(const ClaimPlace *place, Arena *arena) {
    if (!place) return "claims";
    const char *above = claims_place(place->above, arena);
    if (!place->key) return arena_format(arena, "%s[%zu]", above, place->index);
    return arena_format(arena, "%s.%.60s", above, place->key);
}

static const char *kind_of(const json_t *value) {
    static const char *const words[] = {
        [JSON_OBJECT] = "an object", [JSON_ARRAY] = "a list",  [JSON_STRING] = "a string",
        [JSON_INTEGER] = "a number", [JSON_REAL] = "a number", [JSON_TRUE] = "true",
        [JSON_FALSE] = "false",      [JSON_NULL] = "null"};
    return value ? words[json_typeof(value)] : "nothing";
}

bool claims_expected(ClaimsInput *in, const ClaimPlace *at, const char *what, const json_t *found) {
    const char *place = claims_place(at, in->arena);
    if (json_is_integer(found))
        return rt_error(in->error, "%s: expected %s, found %lld", place, what,
                        (long long)json_integer_value(found));
    return rt_error(in->error, "%s: expected %s, found %s", place, what, kind_of(found));
}

/* --- values -------------------------------------------------------------------------------- */

bool claims_object(ClaimsInput *in, const ClaimPlace *at, const json_t *value,
                   const char *const *keys) {
    const char *key;
    json_t *entry;
    if (!json_is_object(value)) return claims_expected(in, at, "an object", value);
    json_object_foreach((json_t *)(uintptr_t)value, key, entry) {
        size_t k = 0;
        while (keys[k] && strcmp(keys[k], key) != 0) k++;
        if (keys[k]) continue;
        const char *words = keys[0];
        for (k = 1; keys[k]; k++) words = arena_format(in->arena, "%s, %s", words, keys[k]);
        return rt_error(in->error, "%s: expected the keys %s, found '%.60s'",
                        claims_place(at, in->arena), words, key);
    }
    return true;
}

bool claims_list(ClaimsInput *in, const ClaimPlace *at, const json_t *value, size_t most) {
    if (!value) return true;
    if (!json_is_array(value)) return claims_expected(in, at, "a list", value);
    return json_array_size(value) <= most ||
           rt_error(in->error, "%s: expected at most %zu entries, found %zu",
                    claims_place(at, in->arena), most, json_array_size(value));
}

bool claims_below(ClaimsInput *in, const ClaimPlace *at, const json_t *value, size_t bound,
                  uint32_t *number) {
    json_int_t n = json_integer_value(value);
    if (json_is_integer(value) && n >= 0 && (uint64_t)n < bound) {
        *number = (uint32_t)n;
        return true;
    }
    const char *what = bound ? arena_format(in->arena, "an integer from 0 to %zu", bound - 1)
                             : "nothing, for the file has no such piece";
    return claims_expected(in, at, what, value);
}

bool claims_number(ClaimsInput *in, const ClaimPlace *at, const json_t *value, double *number) {
    *number = json_number_value(value);
    return (json_is_number(value) && isfinite(*number)) ||
           claims_expected(in, at, "a number", value);
}

bool claims_word(ClaimsInput *in, const ClaimPlace *at, const json_t *value,
                 const char *const *words, int *word) {
    const char *text = json_string_value(value), *all = words[0];
    for (*word = 0; text && words[*word]; ++*word)
        if (strcmp(words[*word], text) == 0) return true;
    for (int k = 1; words[k]; k++) all = arena_format(in->arena, "%s, %s", all, words[k]);
    return rt_error(in->error, "%s: expected one of %s, found %s%.60s", claims_place(at, in->arena),
                    all, text ? "" : kind_of(value), text ? text : "");
}

bool claims_text(ClaimsInput *in, const ClaimPlace *at, const json_t *value, const char **text) {
    *text = json_string_value(value);
    if (!*text) return claims_expected(in, at, "an expression, as a string", value);
    return strlen(*text) == json_string_length(value) ||
           rt_error(in->error, "%s: expected an expression, found a NUL in it",
                    claims_place(at, in->arena));
}

/* --- atoms --------------------------------------------------------------------------------- */

static bool read_named_float(const char *text, Atom *atom) {
    static const struct {
        const char *word;
        double value;
    } words[] = {{"inf", INFINITY}, {"-inf", -INFINITY}, {"nan", NAN}};
    for (size_t k = 0; text && k < sizeof words / sizeof *words; k++)
        if (strcmp(words[k].word, text) == 0) {
            *atom = atom_float(words[k].value);
            return true;
        }
    return false;
}

bool claims_atom(ClaimsInput *in, const ClaimPlace *at, const json_t *value, Atom *atom) {
    if (json_is_boolean(value))
        *atom = atom_bool(json_is_true(value));
    else if (json_is_integer(value))
        *atom = atom_int(json_integer_value(value));
    else if (json_is_real(value))
        *atom = atom_float(json_real_value(value));
    else if (json_is_string(value))
        *atom = atom_string(
            intern(graph_intern(in->graph), json_string_value(value), json_string_length(value)));
    else if (!json_is_object(value) || json_object_size(value) != 1 ||
             !read_named_float(json_string_value(json_object_get(value, "float")), atom))
        return claims_expected(in, at, "a string, a number, a bool or {\"float\": \"inf\"}", value);
    return true;
}
