#include "lab/text.h"

#include "base/file.h"
#include "base/utf8.h"

#include <errno.h>
#include <string.h>

const char text_alphabet[] = " abcdefghijklmnopqrstuvwxyz.,;:'\"!?-";

/* What other characters become; white space is one symbol, letters are lowered elsewhere. */
static const struct {
    uint32_t from;
    char to;
} straight[] = {{0x2018, '\''}, {0x2019, '\''}, {0x201c, '"'}, {0x201d, '"'},
                {'\n', ' '},    {'\t', ' '},    {'\r', ' '}};

static char character_of(uint32_t code) {
    if (code >= 'A' && code <= 'Z') return (char)(code - 'A' + 'a');
    for (size_t k = 0; k < sizeof straight / sizeof *straight; k++)
        if (straight[k].from == code) return straight[k].to;
    return code < 128 ? (char)code : '\0';
}

Text text_normalise(const char *bytes, size_t length, Arena *arena) {
    Text text = {ARENA_ARRAY(arena, length + 1, uint8_t), 0};
    size_t step;
    for (size_t at = 0; at < length; at += step ? step : 1) {
        step = utf8_step(bytes + at, length - at);
        char character = step ? character_of(utf8_decode(bytes + at)) : '\0';
        const char *found = character ? strchr(text_alphabet, character) : NULL;
        if (!found || (character == ' ' && text.length && text.symbols[text.length - 1] == 0))
            continue;
        text.symbols[text.length++] = (uint8_t)(found - text_alphabet);
    }
    return text;
}

Text text_excerpt(Arena *arena) {
    return text_normalise(text_excerpt_bytes, text_excerpt_length, arena);
}

/* --- the corpus ------------------------------------------------------------------------------- */

/* The whole file, or NULL with errno. */
static char *read_file(const char *path, size_t *length, Arena *arena) {
    FILE *file = file_open(path);
    if (!file) return NULL;
    char *bytes = NULL;
    size_t room = 0, got = 1;
    for (*length = 0; got > 0; *length += got) {
        bytes = arena_grow(arena, bytes, &room, *length + 65536, 1);
        got = fread(bytes + *length, 1, room - *length, file);
    }
    int error = ferror(file) ? EIO : 0;
    fclose(file);
    errno = error;
    return error ? NULL : bytes;
}

bool corpus_read(const char *folder, Corpus *corpus, char *reason, size_t size, Arena *arena) {
    static const char *const names[] = {"pride",      "emma",       "mansfield",
                                        "northanger", "persuasion", "sense"};
    Text read[6];
    size_t total = 0;
    for (size_t k = 0; k < 6; k++) {
        size_t length;
        const char *path = arena_format(arena, "%s/%s.txt", folder, names[k]);
        const char *bytes = read_file(path, &length, arena);
        if (!bytes) {
            snprintf(reason, size, "%s: %s; `lab/corpus %s` fetches the novels", path,
                     strerror(errno), folder);
            return false;
        }
        read[k] = text_normalise(bytes, length, arena);
        total += k ? read[k].length : 0;
        if (read[k].length < 10000) {
            snprintf(reason, size, "%s: %zu characters of text, fewer than a novel has", path,
                     read[k].length);
            return false;
        }
    }
    corpus->novel = read[0];
    corpus->others = (Text){ARENA_ARRAY(arena, total, uint8_t), 0};
    for (size_t k = 1; k < 6; k++) {
        memcpy(corpus->others.symbols + corpus->others.length, read[k].symbols, read[k].length);
        corpus->others.length += read[k].length;
    }
    return true;
}
