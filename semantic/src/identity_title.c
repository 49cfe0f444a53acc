// The page's title from the tree, precision first: a text whose id says so, a text in the bar or beside the
// button that leads up, a dialog's first text. What only looks like a title is given with a low confidence or
// not at all.
#include "identity.h"
#include "words.h"

#include <string.h>

enum {
    TITLE_CHARACTERS_MAX = 60,
    MESSAGE_CHARACTERS_MAX = 200,  // of a dialog, whose first sentence may be all it has
    LEVELS_MAX = 4,                // how far up a selected tab, or something to tap, is looked for
    TRIES_MAX = 16,                // nodes of one rule that are compared with all others: time stays linear
};

// High from 0.8, medium from 0.5 (semantic_scene.h).
static const double sure = 0.95, high = 0.85, medium = 0.6;

static const wd_title no_title = { .node = -1 };

typedef struct title_search {
    const wd_screen_view *view;
    const wd_identity *identity;
    wd_rect region;  // of the window in front
} title_search;

// ---- what may be a title ----------------------------------------------------------------------------------

/// Letters, not only digits, signs and glyphs of an icon font: no clock, battery, price or counter.
static bool reads_as_words(wd_span text, size_t characters_max)
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
static bool is_reading(wd_span text)
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

static bool is_edit_field(const wd_node *node)
{
    return wd_node_is(node, WD_NODE_EDITABLE) || wd_node_is(node, WD_NODE_PASSWORD) ||
           wd_text_ends(node->class_name, "EditText") ||
           wd_text_ends(node->class_name, "AutoCompleteTextView");
}

static bool is_selected(const title_search *search, const wd_node *node)
{
    for (int level = 0; level < LEVELS_MAX; level++) {
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
static wd_span words_of(const wd_node *node)
{
    if (node->text != NULL && node->text[0] != '\0') {
        return wd_span_trim_invisible(wd_span_of(node->text));
    }
    bool drawn = wd_text_ends(node->class_name, "View") && !wd_text_ends(node->class_name, "ImageView");
    return wd_span_trim_invisible(wd_span_of(drawn ? node->desc : NULL));
}

static bool may_be_title(const title_search *search, const wd_node *node, size_t characters_max)
{
    if (!wd_view_shows(search->view, search->identity, node) || is_edit_field(node)) {
        return false;
    }
    wd_span text = words_of(node);
    return text.length > 0 && !wd_span_is(text, "null") && reads_as_words(text, characters_max) &&
           !is_reading(text) && !is_selected(search, node);
}

// ---- where things are -------------------------------------------------------------------------------------

/// The part of the region from its top, in percent.
static bool ends_within(const title_search *search, wd_rect rect, int percent)
{
    int64_t height = search->region.bottom - search->region.top;
    return (int64_t)(rect.bottom - search->region.top) * 100 <= percent * height;
}

static bool begins_within(const title_search *search, wd_rect rect, int percent)
{
    int64_t height = search->region.bottom - search->region.top;
    return (int64_t)(rect.top - search->region.top) * 100 <= percent * height;
}

/// More than half of the lower of the two stands beside the other.
static bool same_row(wd_rect a, wd_rect b)
{
    int32_t top = a.top > b.top ? a.top : b.top, bottom = a.bottom < b.bottom ? a.bottom : b.bottom;
    int32_t lower = a.bottom - a.top < b.bottom - b.top ? a.bottom - a.top : b.bottom - b.top;
    return bottom - top > lower / 2;
}

/// Something drawn later lies over more than half of the node: another fragment, whose own title counts.
static bool is_covered(const title_search *search, const wd_node *node)
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

static wd_title make_title(
    const title_search *search, const wd_node *node, const char *source, double confidence)
{
    if (is_covered(search, node)) {
        return no_title;
    }
    return (wd_title){ words_of(node), node->id, source, confidence };
}

// ---- (a) the id says so -----------------------------------------------------------------------------------

/// How much an id's name says that its text is the page's title.
typedef enum id_claim {
    CLAIM_NONE,
    CLAIM_PLACE,    // of a part of pages, but cards and campaigns have it too: "page_title"
    CLAIM_BAR,      // of a bar or a dialog
    CLAIM_MESSAGE,  // the permission dialog's sentence
} id_claim;

/// Letters of an id's name in lower case, without '_': "tv_toolbar_title" and "tvToolbarTitle" are the same.
static id_claim claim_of_id(const char *name)
{
    char plain[64];
    size_t length = 0;
    for (; *name != '\0' && length < sizeof plain - 1; name++) {
        char c = *name >= 'A' && *name <= 'Z' ? (char)(*name - 'A' + 'a') : *name;
        if (c != '_' && c != '-') {
            plain[length++] = c;
        }
    }
    plain[length] = '\0';
    if (strcmp(plain, "permissionmessage") == 0) {
        return CLAIM_MESSAGE;
    }
    if (strcmp(plain, "alerttitle") == 0) {
        return CLAIM_BAR;  // the framework's; "price_alert_title" is something else
    }
    if (strstr(plain, "title") == NULL || strstr(plain, "subtitle") != NULL ||
        strstr(plain, "layout") != NULL || strstr(plain, "container") != NULL) {
        return CLAIM_NONE;
    }
    static const char *const bars[] = { "toolbar", "actionbar", "appbar", "navbar", "topbar", "titlebar",
        "navigationbar", "headerbar", "dialogtitle" };
    static const char *const places[] = { "page", "screen", "activity", "window" };
    for (size_t i = 0; i < WD_COUNT_OF(bars); i++) {
        if (strstr(plain, bars[i]) != NULL) {
            return CLAIM_BAR;
        }
    }
    for (size_t i = 0; i < WD_COUNT_OF(places); i++) {
        if (strstr(plain, places[i]) != NULL) {
            return CLAIM_PLACE;
        }
    }
    return CLAIM_NONE;
}

static bool id_is_unique(const wd_screen_view *view, const wd_node *node)
{
    for (size_t i = 0; i < view->node_count; i++) {
        const wd_node *other = &view->nodes[i];
        if (other != node && other->resource_id != NULL &&
            strcmp(other->resource_id, node->resource_id) == 0) {
            return false;
        }
    }
    return true;
}

/// Where the text must stand for its id to be believed, and how far then. 0: not at all.
static double belief_in_id(const title_search *search, const wd_node *node, id_claim claim)
{
    bool at_top = ends_within(search, node->rect, claim == CLAIM_PLACE ? 25 : 20);
    if (!at_top && !id_is_unique(search->view, node)) {
        return 0;
    }
    return claim != CLAIM_PLACE || at_top ? sure : medium;
}

static wd_title title_by_id(const title_search *search)
{
    size_t tries = 0;
    for (size_t i = 0; i < search->view->node_count && tries < TRIES_MAX; i++) {
        const wd_node *node = &search->view->nodes[i];
        if (node->resource_id == NULL || node->resource_id[0] == '\0') {
            continue;
        }
        id_claim claim = claim_of_id(wd_id_name(node->resource_id));
        size_t characters_max = claim == CLAIM_MESSAGE ? MESSAGE_CHARACTERS_MAX : TITLE_CHARACTERS_MAX;
        if (claim == CLAIM_NONE || !may_be_title(search, node, characters_max)) {
            continue;
        }
        tries += 1;
        double belief = belief_in_id(search, node, claim);
        wd_title title = belief > 0 ? make_title(search, node, "title_id", belief) : no_title;
        if (title.text.length > 0) {
            return title;
        }
    }
    return no_title;
}

// ---- (b) in the row of the button that leads up -----------------------------------------------------------

/// "btn_back", "toolbarBack", but no "feedback" or "background".
static bool names_back(const char *name)
{
    static const char *const others[] = { "feedback", "callback", "playback", "cashback", "fallback",
        "rollback", "background", "backup", "backdrop", "backspace" };
    for (size_t i = 0; i < WD_COUNT_OF(others); i++) {
        if (wd_text_contains(name, others[i])) {
            return false;
        }
    }
    return wd_text_contains(name, "back");
}

/// 2: says that it leads back; 1: a small unnamed button in the corner where it usually is; 0: neither.
static int leads_back(const title_search *search, const wd_node *node)
{
    wd_rect rect = node->rect;
    int64_t width = search->region.right - search->region.left;
    if (!wd_view_shows(search->view, search->identity, node) || !ends_within(search, rect, 15)) {
        return 0;
    }
    const char *label = wd_node_label(node);
    bool clickable = wd_node_is(node, WD_NODE_CLICKABLE);
    bool small = (rect.right - rect.left) * 100LL <= 22 * width;
    const char *name = wd_id_name(node->resource_id);
    if (small && (wd_word_is(WD_WORD_BACK, label) || (clickable && wd_word_is(WD_WORD_CLOSE, label)))) {
        return 2;
    }
    if (small && names_back(name) &&
        (label == NULL || !reads_as_words(wd_span_of(label), TITLE_CHARACTERS_MAX))) {
        return 2;
    }
    bool corner = (rect.left - search->region.left) * 100LL <= 3 * width;
    bool blank = label == NULL || !reads_as_words(wd_span_of(label), TITLE_CHARACTERS_MAX);
    return clickable && small && corner && blank && !wd_text_ends(node->class_name, "Layout") &&
           !wd_text_ends(node->class_name, "CheckBox");
}

/// A field to search in stands in the row: what is beside the button is a query, not a title.
static bool row_has_query(const title_search *search, wd_rect row)
{
    for (size_t i = 0; i < search->view->node_count; i++) {
        const wd_node *node = &search->view->nodes[i];
        if (!wd_view_shows(search->view, search->identity, node) || !same_row(row, node->rect) ||
            !ends_within(search, node->rect, 20)) {
            continue;
        }
        const char *name = wd_id_name(node->resource_id);
        bool shows_text = node->text != NULL && node->text[0] != '\0';
        bool query = shows_text && (wd_text_contains(name, "query") || wd_text_contains(name, "search"));
        if (is_edit_field(node) || query) {
            return true;
        }
    }
    return false;
}

static bool beside(const title_search *search, wd_rect button, wd_rect text)
{
    int64_t width = search->region.right - search->region.left;
    bool from_left = button.left - search->region.left < width / 2;
    int64_t gap = from_left ? text.left - button.right : button.left - text.right;
    int64_t start = from_left ? text.left - search->region.left : search->region.right - text.right;
    return gap >= -width / 50 && start * 100 <= 60 * width;
}

static wd_title title_beside(const title_search *search, const wd_node *button, int certainty)
{
    const wd_node *best = NULL;
    for (size_t i = 0; i < search->view->node_count; i++) {
        const wd_node *node = &search->view->nodes[i];
        if (node == button || !may_be_title(search, node, TITLE_CHARACTERS_MAX) ||
            !same_row(button->rect, node->rect) || !ends_within(search, node->rect, 20) ||
            !beside(search, button->rect, node->rect) || wd_text_ends(node->class_name, "Button")) {
            continue;
        }
        int32_t distance = node->rect.left - button->rect.left;
        int32_t best_distance = best != NULL ? best->rect.left - button->rect.left : 0;
        distance = distance < 0 ? -distance : distance;
        best_distance = best_distance < 0 ? -best_distance : best_distance;
        if (best == NULL || distance < best_distance) {
            best = node;
        }
    }
    if (best == NULL || row_has_query(search, button->rect)) {
        return no_title;
    }
    bool firm = certainty == 2 && !wd_node_is(best, WD_NODE_CLICKABLE);
    return make_title(search, best, "title_row", firm ? high : medium);
}

static wd_title title_in_row(const title_search *search)
{
    for (int certainty = 2; certainty > 0; certainty--) {
        size_t tries = 0;
        for (size_t i = 0; i < search->view->node_count && tries < TRIES_MAX; i++) {
            if (leads_back(search, &search->view->nodes[i]) != certainty) {
                continue;
            }
            tries += 1;
            wd_title title = title_beside(search, &search->view->nodes[i], certainty);
            if (title.text.length > 0) {
                return title;
            }
        }
    }
    return no_title;
}

// ---- (c) in a bar -----------------------------------------------------------------------------------------

static bool is_bar(const title_search *search, const wd_node *node)
{
    static const char *const names[] = { "toolbar", "tool_bar", "title_bar", "titlebar", "app_bar", "appbar",
        "top_bar", "topbar", "nav_bar", "action_bar_container" };
    int64_t width = search->region.right - search->region.left;
    if (!begins_within(search, node->rect, 10) || !ends_within(search, node->rect, 20) ||
        (node->rect.right - node->rect.left) * 100LL < 60 * width ||
        !wd_view_shows(search->view, search->identity, node)) {
        return false;  // where it stands is looked at first: names take longer
    }
    const char *name = wd_id_name(node->resource_id);
    bool named = wd_text_ends(node->class_name, "Toolbar") || wd_text_ends(node->class_name, "ActionBar") ||
                 strcmp(name, "action_bar") == 0;
    for (size_t i = 0; i < WD_COUNT_OF(names) && !named; i++) {
        named = wd_text_contains(name, names[i]);
    }
    return named;
}

/// Inside something to tap, below `top`: a chooser of places, a greeting, a tab.
static bool is_tappable(const title_search *search, const wd_node *node, int32_t top)
{
    for (int level = 0; level < LEVELS_MAX && node->id != top; level++) {
        if (wd_node_is(node, WD_NODE_CLICKABLE)) {
            return true;
        }
        if (node->parent < 0) {
            return false;
        }
        node = &search->view->nodes[node->parent];
    }
    return false;
}

static wd_title title_in_bar(const title_search *search)
{
    const wd_screen_view *view = search->view;
    size_t tries = 0;
    for (size_t i = 0; i < view->node_count && tries < TRIES_MAX; i++) {
        if (!is_bar(search, &view->nodes[i])) {
            continue;
        }
        tries += 1;
        if (row_has_query(search, view->nodes[i].rect)) {
            continue;
        }
        for (size_t c = i + 1; c < view->node_count && view->nodes[c].parent >= (int32_t)i; c++) {
            const wd_node *node = &view->nodes[c];
            if (may_be_title(search, node, TITLE_CHARACTERS_MAX) &&
                wd_text_ends(node->class_name, "TextView") && !is_tappable(search, node, (int32_t)i)) {
                return make_title(search, node, "toolbar", medium);
            }
        }
    }
    return no_title;
}

// ---- (d) a dialog's first text ----------------------------------------------------------------------------

static wd_title title_of_dialog(const title_search *search)
{
    const wd_node *first = NULL;
    bool has_button = false;
    for (size_t i = 0; i < search->view->node_count; i++) {
        const wd_node *node = &search->view->nodes[i];
        has_button |=
            wd_node_is(node, WD_NODE_CLICKABLE) && wd_view_shows(search->view, search->identity, node);
        if (first == NULL && may_be_title(search, node, MESSAGE_CHARACTERS_MAX) &&
            !wd_node_is(node, WD_NODE_CLICKABLE) && !wd_text_ends(node->class_name, "Button")) {
            first = node;
        }
    }
    return first != NULL && has_button ? make_title(search, first, "dialog", medium) : no_title;
}

wd_title wd_identify_title(const wd_screen_view *view, const wd_identity *identity)
{
    title_search search = { view, identity, wd_view_region(view, identity) };
    switch (identity->kind) {
    case WD_PAGE_LAUNCHER:
    case WD_PAGE_KEYGUARD:
    case WD_PAGE_SHADE:
    case WD_PAGE_RECENTS:
    case WD_PAGE_POPUP:
    case WD_PAGE_DRAWER:
        return no_title;
    default:
        break;
    }
    if (search.region.right <= search.region.left || search.region.bottom <= search.region.top) {
        return no_title;
    }
    wd_title title = title_by_id(&search);
    if (title.text.length == 0 &&
        (identity->kind == WD_PAGE_DIALOG || identity->kind == WD_PAGE_PERMISSION)) {
        return title_of_dialog(&search);
    }
    title = title.text.length == 0 ? title_in_row(&search) : title;
    title = title.text.length == 0 ? title_in_bar(&search) : title;
    return title;
}
