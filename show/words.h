/* words.h: what nodes of a graph are, in plain words and with the author's names.
 *
 *     the earlier positions where the token is the same as here      a selector
 *     whether the count is greater than 0                            an elementwise s-op
 *
 * Words say what a node does on every input: nothing is guessed from one.  "here" is the position
 * that attends.  What would take too many words is given in source form instead.  Texts live in the
 * scene's arena. */
#ifndef RASP_SHOW_WORDS_H
#define RASP_SHOW_WORDS_H

#include "show/scene.h"

/* What the values of an s-op are on every input, as far as the graph tells. */
typedef enum WordsType { WORDS_UNKNOWN, WORDS_STRING, WORDS_BOOL, WORDS_NUMBER } WordsType;

typedef struct Words {
    const Scene *scene;
    WordsType *type; /* [scene->count] */
    uint32_t layer;  /* that is told of: what comes from another is said to */
} Words;

/* The scene needs no input. */
Words words_new(const Scene *scene);

/* An s-op as a noun: "the token", "nth", "nth - 1". */
const char *words_noun(const Words *words, uint32_t node);
/* The same within a sentence: a choice is in brackets. */
const char *words_inner(const Words *words, uint32_t node);
/* An s-op as a clause: "hit is true", "the token is "a"". */
const char *words_condition(const Words *words, uint32_t node);
/* What is made at each position: "hit tells whether …", "step is …". */
const char *words_step(const Words *words, uint32_t node, const char *name);
/* An atom as a program writes it. */
const char *words_atom(const Words *words, RaspAtom atom);

#endif
