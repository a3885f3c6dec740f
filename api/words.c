/* The words of the language, as its tables have them (base/words.h). */
#include "api/rasp_words.h"

#include "base/words.h"

bool rasp_word(size_t k, RaspWord *word) {
    static const RaspCategory categories[] = {
        [WORD_INPUT] = RASP_WORD_INPUT,     [WORD_ATTENTION] = RASP_WORD_ATTENTION,
        [WORD_LIST] = RASP_WORD_LIST,       [WORD_STATEMENT] = RASP_WORD_STATEMENT,
        [WORD_COMMAND] = RASP_WORD_COMMAND, [WORD_OPERATOR] = RASP_WORD_OPERATOR,
        [WORD_OTHER] = RASP_WORD_OTHER};
    if (k >= word_count()) return false;
    const Word *w = word_at(k);
    *word = (RaspWord){
        w->name,      categories[w->category], w->is_reserved, w->level, w->usage, w->help,
        w->completion};
    return true;
}

const char *rasp_word_example(RaspCategory category, size_t k) {
    static const WordCategory categories[] = {
        [RASP_WORD_INPUT] = WORD_INPUT,     [RASP_WORD_ATTENTION] = WORD_ATTENTION,
        [RASP_WORD_LIST] = WORD_LIST,       [RASP_WORD_STATEMENT] = WORD_STATEMENT,
        [RASP_WORD_COMMAND] = WORD_COMMAND, [RASP_WORD_OPERATOR] = WORD_OPERATOR,
        [RASP_WORD_OTHER] = WORD_OTHER};
    return word_example(categories[category], k);
}

bool rasp_word_follow(size_t k, const char **line, const char **text) {
    const WordFollow *follow = word_follow(k);
    if (!follow) return false;
    *line = follow->line;
    *text = follow->text;
    return true;
}
