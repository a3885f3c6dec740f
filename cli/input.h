/* input.h: the text of an INPUT → tokens.
 *
 * A text that has the form of a non-empty list of atoms is that list:
 *     [3, 1, 2]   ["hi", "there"]   [0.5, -1e-3]   [True, false]
 * Strings are JSON's, in double quotes with its escapes; numbers are JSON's.  Any other text
 * is a string, one token a code point.
 */
#ifndef RASP_CLI_INPUT_H
#define RASP_CLI_INPUT_H

#include "interp/exec/exec.h"

typedef enum InputReading { INPUT_AUTO, INPUT_STRING, INPUT_LIST } InputReading;

/* The tokens live in `arena` as a block, strings in `intern`.  False, and one line in
 * `error`: not UTF-8, empty, not a list though one was asked for, or a number that fits
 * nowhere. */
bool input_read(InputReading reading, const char *text, size_t length, Intern *intern, Arena *arena,
                Input *input, char *error, size_t error_size);

#endif
