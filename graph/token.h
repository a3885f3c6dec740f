/* token.h: what tokens_asis, tokens_str, tokens_int … make of one token (language.md 7.1). */
#ifndef RASP_GRAPH_TOKEN_H
#define RASP_GRAPH_TOKEN_H

#include "graph/graph.h"

/* FAULT_NONE, or why the token cannot be read so. */
FaultId token_convert(TokenType type, Atom token, Intern *table, Atom *value);

#endif
