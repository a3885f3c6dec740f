#include "cli/about.h"

#include "api/rasp.h"
#include "cli/command.h"
#include "cli/report.h"
#include "cli/sources.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- lines of comments ------------------------------------------------------------------ */

/* The text behind `#`, without blanks at its ends; NULL: the line is no comment alone. */
static const char *comment_of(Arena *arena, const char *line, size_t length) {
    const char *end = line + length;
    while (line < end && (*line == ' ' || *line == '\t')) line++;
    if (line == end || *line++ != '#') return NULL;
    while (line < end && (*line == ' ' || *line == '\t')) line++;
    while (line < end && strchr(" \t\r", end[-1])) end--;
    return arena_text(arena, line, (size_t)(end - line));
}

/* The next line, without its newline; false behind the last. */
static bool next_line(const About *about, size_t *at, const char **line, size_t *length) {
    if (*at >= about->length) return false;
    *line = about->text + *at;
    const char *newline = memchr(*line, '\n', about->length - *at);
    *length = newline ? (size_t)(newline - *line) : about->length - *at;
    *at += *length + 1;
    return true;
}

/* What stands behind "KEY: ", or NULL. */
static const char *setting(const char *comment, const char *key) {
    size_t length = strlen(key);
    if (strncmp(comment, key, length) != 0 || comment[length] != ':') return NULL;
    return comment + length + 1 + strspn(comment + length + 1, " \t");
}

static bool is_setting(const char *comment) {
    static const char *const keys[] = {"source", "depth", "rasp", "example"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (setting(comment, keys[k])) return true;
    return false;
}

/* --- the opening comment ---------------------------------------------------------------- */

static const char *first_sentence(Arena *arena, const char *text) {
    const char *end = text;
    while (*end && !(strchr(".?!", *end) && (end[1] == ' ' || !end[1]))) end++;
    return arena_text(arena, text, (size_t)(end - text) + (*end && *end != '.'));
}

static void read_comments(Arena *arena, About *about) {
    const char *line;
    size_t length, at = 0;
    bool opening = true;
    about->comment = about->source = "";
    while (next_line(about, &at, &line, &length)) {
        const char *comment = comment_of(arena, line, length), *source;
        if (length > 1 && memcmp(line, "#!", 2) == 0) continue;
        if (!comment) break;
        opening = opening && !is_setting(comment);
        if (opening && *comment)
            about->comment =
                arena_format(arena, "%s%s%s", about->comment, *about->comment ? " " : "", comment);
        if ((source = setting(comment, "source"))) about->source = source;
    }
    about->summary = first_sentence(arena, about->comment);
}

About about_text(Arena *arena, const char *path, const char *text, size_t length) {
    About about = {.path = path, .text = text, .length = length};
    read_comments(arena, &about);
    return about;
}

int about_read(Arena *arena, const char *path, About *about) {
    char *text;
    Sources sources = {.arena = arena};
    *about = (About){.path = path};
    int error = sources_read(&sources, path, &text, &about->length);
    if (error) {
        report_error("cannot read '%s': %s", path, strerror(error));
        return error == ENOENT || error == ENOTDIR || error == EACCES ? EXIT_NO_FILE : EXIT_FAILED;
    }
    free(text);
    *about = about_text(arena, path, sources.files[0].text, about->length);
    return EXIT_FINE;
}

/* --- examples --------------------------------------------------------------------------- */

static bool is_list(const char *text, size_t length) {
    RaspError error;
    size_t count;
    RaspInput input = {.text = text, .length = length, .form = RASP_AS_LIST};
    if (text[length - 1] != ']') return false;
    RaspAtom *tokens = rasp_input_read(&input, NULL, &count, &error);
    rasp_free(tokens);
    return tokens != NULL;
}

/* Is the text an input: in double quotes, or a list? */
static bool take_input(Arena *arena, const char *text, Example *example) {
    size_t length = strlen(text);
    if (length < 2) return false;
    example->is_string = *text == '"' && text[length - 1] == '"';
    if (!example->is_string && (*text != '[' || !is_list(text, length))) return false;
    example->input = example->is_string ? arena_text(arena, text + 1, length - 2) : text;
    return true;
}

/* "INPUT -> OUTPUT" or "EXPRESSION on INPUT -> OUTPUT"; an input may hold either word. */
static void take_example(Arena *arena, const char *text, Example *example) {
    static const char arrow[] = " -> ", on[] = " on ";
    for (const char *to = strstr(text, arrow); to; to = strstr(to + 1, arrow)) {
        const char *left = arena_text(arena, text, (size_t)(to - text));
        example->expected = to + strlen(arrow);
        if (take_input(arena, left, example)) return;
        for (const char *at = strstr(left, on); at; at = strstr(at + 1, on)) {
            if (!take_input(arena, at + strlen(on), example)) continue;
            example->expression = arena_text(arena, left, (size_t)(at - left));
            return;
        }
    }
    example->expected = text;
}

const Example *about_examples(Arena *arena, const About *about, size_t *count) {
    Example *examples = NULL;
    const char *line, *text, *comment;
    size_t length, at = 0, room = 0;
    *count = 0;
    for (uint32_t number = 1; next_line(about, &at, &line, &length); number++) {
        if (!(comment = comment_of(arena, line, length))) continue;
        if (!(text = setting(comment, "example"))) continue;
        examples = arena_grow(arena, examples, &room, *count + 1, sizeof *examples);
        examples[*count] = (Example){.line = number, .expected = text};
        take_example(arena, text, &examples[(*count)++]);
    }
    return examples;
}
