/// title_search.h - what the rules for titles ask of a node: may it be one, and where does it stand.
#ifndef SEMANTIC_TITLE_SEARCH_H
#define SEMANTIC_TITLE_SEARCH_H

#include "identity.h"

enum {
    WD_TITLE_CHARACTERS_MAX = 60,
    WD_TITLE_MESSAGE_MAX = 200,  // characters of a dialog's message, whose first sentence may be all it has
    WD_TITLE_LEVELS_MAX = 4,     // how far up a selected tab, or something to tap, is looked for
};

typedef struct wd_title_search {
    const wd_screen_view *view;
    const wd_identity *identity;
    wd_rect region;  // of the window in front
} wd_title_search;

/// Letters, not only digits, signs and glyphs of an icon font: no clock, battery, price or counter.
bool wd_reads_as_words(wd_span text, size_t characters_max);
/// "12:30", "5:07 PM", "85%", "13°C".
bool wd_is_reading(wd_span text);
bool wd_is_edit_field(const wd_node *node);
/// It or something around it is selected: a tab.
bool wd_title_selected(const wd_title_search *search, const wd_node *node);
/// The text a person reads on the node, trimmed; a description counts where toolkits without text views put
/// theirs.
wd_span wd_title_words(const wd_node *node);
/// Shown, words, no field, no tab.
bool wd_may_be_title(const wd_title_search *search, const wd_node *node, size_t characters_max);

/// Within so many percent of the region from its top.
bool wd_title_ends_within(const wd_title_search *search, wd_rect rect, int percent);
bool wd_title_begins_within(const wd_title_search *search, wd_rect rect, int percent);
/// More than half of the lower of the two stands beside the other.
bool wd_same_row(wd_rect a, wd_rect b);
/// Something drawn later lies over more than half of the node: another fragment, whose own title counts.
bool wd_title_covered(const wd_title_search *search, const wd_node *node);

#endif
