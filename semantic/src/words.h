/// words.h - the few words by which buttons are known, in the languages met most.
#ifndef SEMANTIC_WORDS_H
#define SEMANTIC_WORDS_H

#include "text_util.h"

typedef enum wd_word {
    WD_WORD_BACK,
    WD_WORD_CLOSE,
    WD_WORD_SEARCH,
    WD_WORD_SUBMIT,
    WD_WORD_CONFIRM,
    WD_WORD_CANCEL,
    WD_WORD_MENU,
    WD_WORD_COUNT,
} wd_word;

/// True when the label is one of the words, as a whole, case and end marks aside ("Back", "BACK", "Search…").
bool wd_word_is(wd_word word, const char *label);

#endif
