/* emit_heads.h: what the heads of a layer bring, as statements and as columns of the last table;
 * for the files of emit alone. */
#ifndef RASP_EXPRESS_EMIT_HEADS_H
#define RASP_EXPRESS_EMIT_HEADS_H

#include "express/layer.h"
#include "express/tree.h"

/* A column: its value for each instance, as a fraction; the least fraction is "none", -1. */
typedef struct Column {
    const char *name;
    const char *definition; /* its statement's right side; NULL: a name of the language */
    int32_t *over, *under;  /* [instance] value = over / under */
    const char **symbols;   /* NULL: a number; else the text of value `over` */
    uint32_t symbol_count;
    bool kept;
} Column;

typedef struct Heads {
    Arena *arena;
    const Task *task;
    const Layer *layer;
    size_t count; /* of instances */
    FILE *out;    /* statements that columns need */
    unsigned names;
    bool number_named; /* `_number` is defined */
    Column *columns;
    size_t column_count, room;
    const char *rule; /* the heads on one line */
} Heads;

/* False: a token that no program can write. */
bool heads_writable(const Heads *heads);
/* Appends the columns of the layer's heads. */
void heads_columns(Heads *heads);
/* One unique head: the whole answer, without columns.  NULL: it is another layer. */
const char *heads_list(Heads *heads, const char **leaves);

/* For emit_unique.c.  A part of the rule; a function of token and position as an expression: key
 * numbers `keys`, each with a label. */
void heads_say(Heads *heads, const char *rule);
const char *heads_place_table(Heads *heads, const uint32_t *keys, const uint32_t *labels,
                              size_t count, const char **leaves, uint32_t label_count);
void heads_unique(Heads *heads);

Column *heads_add(Heads *heads, const char *name, const char *definition);
/* "a" in quotes; NULL if RASP cannot write it. */
const char *token_literal(Arena *arena, const Task *task, uint32_t token);

#endif
