// What may be a page's title, and where things stand on the screen: what the title rules have in common.
#include "title_search.h"

#include <string.h>

// ---- what may be a title ----------------------------------------------------------------------------------

/// Letters, not only digits, signs and glyphs of an icon font: no clock, battery, price or counter.
bool wd_reads_as_words(wd_span text, size_t characters_max)
{
    size_t letters = 0, characters = 0, size = 0;
    for (size_t at = 0; at < text.length; at += size) {
        uint32_t c = wd_utf8_next(text.at + at, text.length - at, &size);
        bool ascii = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        bool beyond = c >= 0xC0 && !(c >= 0x2000 && c < 0x2E80) && !(c >= 0xE000 && c < 0xF900) &&
                      c < 0xF0000 && !(c >= 0x1F000 && c < 0x20000) && !(c >= 0x3000 && c < 0x3040) &&
                      c != 0xFFFD && !(c >= 0xFE00 && c <= 0xFE0F);
        letters += ascii || beyond;
        characters += 1;
    }
    return letters > 0 && characters <= characters_max && !(characters == 1 && text.length == 1);
}

/// "12:30", "5:07 PM", "85%", "13°C": short, and begins with a digit that is followed by its mark.
bool wd_is_reading(wd_span text)
{
    size_t digits = 0;
    while (digits < text.length && text.at[digits] >= '0' && text.at[digits] <= '9') {
        digits += 1;
    }
    if (digits == 0 || digits == text.length || text.length > 12) {
        return false;
    }
    wd_span rest = { text.at + digits, text.length - digits };
    return rest.at[0] == ':' || rest.at[0] == '%' || wd_span_starts(rest, "°") ||
           wd_span_starts(rest, "KB") || wd_span_starts(rest, "MB");
}

bool wd_is_edit_field(const wd_node *node)
{
    return wd_node_is(node, WD_NODE_EDITABLE) || wd_node_is(node, WD_NODE_PASSWORD) ||
           wd_text_ends(node->class_name, "EditText") ||
           wd_text_ends(node->class_name, "AutoCompleteTextView");
}

bool wd_title_selected(const wd_title_search *search, const wd_node *node)
{
    for (int level = 0; level < WD_TITLE_LEVELS_MAX; level++) {
        if (wd_node_is(node, WD_NODE_SELECTED)) {
            return true;
        }
        if (node->parent < 0) {
            return false;
        }
        node = &search->view->nodes[node->parent];
    }
    return false;
}

/// The text a person reads on the node; a description counts where toolkits without text views put theirs.
wd_span wd_title_words(const wd_node *node)
{
    if (node->text != NULL && node->text[0] != '\0') {
        return wd_span_trim_invisible(wd_span_of(node->text));
    }
    bool drawn = wd_text_ends(node->class_name, "View") && !wd_text_ends(node->class_name, "ImageView");
    return wd_span_trim_invisible(wd_span_of(drawn ? node->desc : NULL));
}

bool wd_may_be_title(const wd_title_search *search, const wd_node *node, size_t characters_max)
{
    if (!wd_view_shows(search->view, search->identity, node) || wd_is_edit_field(node)) {
        return false;
    }
    wd_span text = wd_title_words(node);
    return text.length > 0 && !wd_span_is(text, "null") && wd_reads_as_words(text, characters_max) &&
           !wd_is_reading(text) && !wd_title_selected(search, node);
}

// ---- where things are -------------------------------------------------------------------------------------

/// The part of the region from its top, in percent.
bool wd_title_ends_within(const wd_title_search *search, wd_rect rect, int percent)
{
    int64_t height = search->region.bottom - search->region.top;
    return (int64_t)(rect.bottom - search->region.top) * 100 <= percent * height;
}

bool wd_title_begins_within(const wd_title_search *search, wd_rect rect, int percent)
{
    int64_t height = search->region.bottom - search->region.top;
    return (int64_t)(rect.top - search->region.top) * 100 <= percent * height;
}

/// More than half of the lower of the two stands beside the other.
bool wd_same_row(wd_rect a, wd_rect b)
{
    int32_t top = a.top > b.top ? a.top : b.top, bottom = a.bottom < b.bottom ? a.bottom : b.bottom;
    int32_t lower = a.bottom - a.top < b.bottom - b.top ? a.bottom - a.top : b.bottom - b.top;
    return bottom - top > lower / 2;
}

/// Something drawn later lies over more than half of the node: another fragment, whose own title counts.
bool wd_title_covered(const wd_title_search *search, const wd_node *node)
{
    const wd_screen_view *view = search->view;
    int64_t area = (int64_t)(node->rect.right - node->rect.left) * (node->rect.bottom - node->rect.top);
    for (size_t i = (size_t)node->id + 1; i < view->node_count; i++) {
        const wd_node *later = &view->nodes[i];
        if (later->parent == node->id || !wd_view_shows(view, search->identity, later)) {
            continue;
        }
        bool filled = wd_node_label(later) != NULL || wd_node_is(later, WD_NODE_SCROLLABLE) ||
                      wd_text_ends(later->class_name, "WebView");
        int64_t left = later->rect.left > node->rect.left ? later->rect.left : node->rect.left;
        int64_t top = later->rect.top > node->rect.top ? later->rect.top : node->rect.top;
        int64_t right = later->rect.right < node->rect.right ? later->rect.right : node->rect.right;
        int64_t bottom = later->rect.bottom < node->rect.bottom ? later->rect.bottom : node->rect.bottom;
        if (filled && right > left && bottom > top && (right - left) * (bottom - top) * 2 > area) {
            return true;
        }
    }
    return false;
}
