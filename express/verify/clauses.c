/* Comparing clauses with a DIMACS text. */
#include "express/verify/clauses.h"

#include "express/verify/field.h"

#include <stdio.h>
#include <string.h>

int32_t clauses_variable(Clauses *c) {
    if (c->variables == 1 << 28) budget_stop(&c->check->budget, BUDGET_OUT_OF_MEMORY);
    return ++c->variables;
}

void clauses_literal(Clauses *c, int32_t literal) {
    c->clause = BLOCK_GROW(c->check->arena, c->clause, &c->clause_room, c->clause_count + 1);
    c->clause[c->clause_count++] = literal;
}

/* "1 -2 0" of the clause, cut to fit. */
static void show(const Clauses *c, char text[120]) {
    size_t used = 0;
    for (size_t k = 0; k < c->clause_count && used < 100; k++)
        used += (size_t)snprintf(text + used, 120 - used, "%d ", c->clause[k]);
    snprintf(text + used, 120 - used, used < 100 ? "0" : "...");
}

static bool refuse_clause(Clauses *c, const char *line) {
    char wanted[120];
    size_t length = strcspn(line, "\n");
    show(c, wanted);
    return refuse(c->check, "expected '%s' as clause %zu of the CNF, found '%.*s'", wanted,
                  c->count, (int)(length < 110 ? length : 110), line);
}

/* Is `word` what the text goes on with? */
static bool goes_on(Clauses *c, const char *word, size_t length) {
    if ((size_t)(c->end - c->at) < length || memcmp(c->at, word, length) != 0) return false;
    c->at += length;
    return true;
}

bool clauses_end(Clauses *c) {
    char number[16];
    const char *line = c->at;
    budget_poll(&c->check->budget);
    c->count++;
    for (size_t k = 0; k < c->clause_count; k++) {
        int length = snprintf(number, sizeof number, "%d ", c->clause[k]);
        if (!goes_on(c, number, (size_t)length)) return refuse_clause(c, line);
    }
    if (!goes_on(c, "0\n", 2)) return refuse_clause(c, line);
    proof_clause(c->proof, c->clause, c->clause_count);
    c->clause_count = 0;
    return true;
}

bool clauses_emit(Clauses *c, size_t count, const int32_t *literals) {
    for (size_t k = 0; k < count; k++) clauses_literal(c, literals[k]);
    return clauses_end(c);
}

static bool check_head(Clauses *c, size_t length) {
    char head[64];
    snprintf(head, sizeof head, "p cnf %d %zu\n", c->variables, c->count);
    if (c->at != c->end)
        return refuse(c->check, "the CNF goes on behind its %zu clauses: '%.40s'", c->count, c->at);
    if (strlen(head) == length && memcmp(head, c->text, length) == 0) return true;
    return refuse(c->check, "expected the CNF to begin with '%.*s', found '%.40s'",
                  (int)strlen(head) - 1, head, c->text);
}

bool clauses_check(Check *check, const Certificate *certificate) {
    Clauses c = {.check = check, .proof = proof_new(check)};
    const json_t *cnf, *proof;
    ExpressVerdict *verdict = check->verdict;
    if (!(cnf = field(check, certificate->document, "the certificate", "cnf", FIELD_TEXT)) ||
        !(proof = field(check, certificate->document, "the certificate", "proof", FIELD_TEXT)))
        return false;
    c.text = json_string_value(cnf);
    c.end = c.text + json_string_length(cnf);
    c.at = memchr(c.text, '\n', json_string_length(cnf));
    if (!c.at) return refuse(check, "expected a CNF that begins with a line 'p cnf ...'");
    size_t head = (size_t)(++c.at - c.text);
    bool unique = certificate->class == CLASS_UNIQUE;
    if (!(unique ? clauses_unique : clauses_average)(&c, certificate) || !check_head(&c, head) ||
        !proof_steps(c.proof, json_string_value(proof), json_string_length(proof), &verdict->steps))
        return false;
    verdict->variables = (size_t)c.variables;
    verdict->clauses = c.count;
    return true;
}
