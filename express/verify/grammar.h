/* grammar.h: the aggregates of the classes `relative` and `absolute` (docs/express-certificates.md
 * lists them), evaluated on inputs. */
#ifndef RASP_EXPRESS_VERIFY_GRAMMAR_H
#define RASP_EXPRESS_VERIFY_GRAMMAR_H

#include "express/verify/certificate.h"

#include "express/verify/layer.h"

enum { GRAMMAR_LONGEST = 64 }; /* inputs; a selector's row is a word */

typedef enum Compare { EQUAL, NOT_EQUAL, LESS, AT_MOST, GREATER, AT_LEAST, COMPARES } Compare;

typedef enum AtomKind {
    ATOM_CONSTANT,    /* number: 0 or 1 */
    ATOM_TOKEN_QUERY, /* tok(k) op tok(q) */
    ATOM_TOKEN,       /* tok(k) op number */
    ATOM_INDEX_QUERY, /* idx(k) op idx(q) + number */
    ATOM_INDEX,       /* idx(k) op number */
    ATOM_PARITY,      /* idx(k) % 2 == number */
} AtomKind;

/* What a key k is to a query q. */
typedef struct GrammarAtom {
    AtomKind kind;
    Compare compare;
    int32_t number;
} GrammarAtom;

typedef enum ValueKind {
    VALUE_TOKEN,
    VALUE_TOKENS,
    VALUE_WIDTH,
    VALUE_INDICES,
    VALUE_PARITY
} ValueKind;

typedef struct GrammarValue {
    ValueKind kind;
    uint32_t token; /* VALUE_TOKEN: 1 for it, else 0 */
} GrammarValue;

/* All atoms and values of the class, in the arena. */
GrammarAtom *grammar_atoms(Check *check, const Certificate *certificate, size_t *count);
GrammarValue *grammar_values(Check *check, const Certificate *certificate, size_t *count);

/* The keys that an atom selects for a query: bit k. */
uint64_t grammar_row(const GrammarAtom *atom, const uint32_t *tokens, size_t length, size_t query);
/* What a head brings that selects so. */
Fraction grammar_bring(GrammarValue value, const uint32_t *tokens, uint64_t row);

/* The heads of a layer as a certificate writes them; NULL after a refusal. */
typedef struct GrammarHead {
    GrammarAtom atoms[2];
    enum { JOIN_NONE, JOIN_AND, JOIN_OR } join;
    GrammarValue value;
} GrammarHead;
GrammarHead *grammar_heads(Check *check, const Certificate *certificate);
Fraction grammar_head(const GrammarHead *head, const uint32_t *tokens, size_t length, size_t query);

/* Does every choice of heads fail on one of the pairs?  False after a refusal. */
bool grammar_refutes(Check *check, const Certificate *certificate);

#endif
