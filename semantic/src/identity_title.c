// The page's title from the tree, precision first: a text whose id says so, a text in the bar or beside the
// button that leads up, a dialog's first text. What only looks like a title is given with a low confidence or
// not at all.
#include "title_search.h"
#include "words.h"

#include <string.h>

enum { TRIES_MAX = 16 };  // nodes of one rule that are compared with all others: time stays linear

// High from 0.8, medium from 0.5 (semantic_scene.h).
static const double sure = 0.95, high = 0.85, medium = 0.6;

static const wd_title no_title = { .node = -1 };

static wd_title make_title(
    const wd_title_search *search, const wd_node *node, const char *source, double confidence)
{
    if (wd_title_covered(search, node)) {
        return no_title;
    }
    return (wd_title){ wd_title_words(node), node->id, source, confidence };
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
static double belief_in_id(const wd_title_search *search, const wd_node *node, id_claim claim)
{
    bool at_top = wd_title_ends_within(search, node->rect, claim == CLAIM_PLACE ? 25 : 20);
    if (!at_top && !id_is_unique(search->view, node)) {
        return 0;
    }
    return claim != CLAIM_PLACE || at_top ? sure : medium;
}

static wd_title title_by_id(const wd_title_search *search)
{
    size_t tries = 0;
    for (size_t i = 0; i < search->view->node_count && tries < TRIES_MAX; i++) {
        const wd_node *node = &search->view->nodes[i];
        if (node->resource_id == NULL || node->resource_id[0] == '\0') {
            continue;
        }
        id_claim claim = claim_of_id(wd_id_name(node->resource_id));
        size_t characters_max = claim == CLAIM_MESSAGE ? WD_TITLE_MESSAGE_MAX : WD_TITLE_CHARACTERS_MAX;
        if (claim == CLAIM_NONE || !wd_may_be_title(search, node, characters_max)) {
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
static int leads_back(const wd_title_search *search, const wd_node *node)
{
    wd_rect rect = node->rect;
    int64_t width = search->region.right - search->region.left;
    if (!wd_view_shows(search->view, search->identity, node) || !wd_title_ends_within(search, rect, 15)) {
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
        (label == NULL || !wd_reads_as_words(wd_span_of(label), WD_TITLE_CHARACTERS_MAX))) {
        return 2;
    }
    bool corner = (rect.left - search->region.left) * 100LL <= 3 * width;
    bool blank = label == NULL || !wd_reads_as_words(wd_span_of(label), WD_TITLE_CHARACTERS_MAX);
    return clickable && small && corner && blank && !wd_text_ends(node->class_name, "Layout") &&
           !wd_text_ends(node->class_name, "CheckBox");
}

/// A field to search in stands in the row: what is beside the button is a query, not a title.
static bool row_has_query(const wd_title_search *search, wd_rect row)
{
    for (size_t i = 0; i < search->view->node_count; i++) {
        const wd_node *node = &search->view->nodes[i];
        if (!wd_view_shows(search->view, search->identity, node) || !wd_same_row(row, node->rect) ||
            !wd_title_ends_within(search, node->rect, 20)) {
            continue;
        }
        const char *name = wd_id_name(node->resource_id);
        bool shows_text = node->text != NULL && node->text[0] != '\0';
        bool query = shows_text && (wd_text_contains(name, "query") || wd_text_contains(name, "search"));
        if (wd_is_edit_field(node) || query) {
            return true;
        }
    }
    return false;
}

static bool beside(const wd_title_search *search, wd_rect button, wd_rect text)
{
    int64_t width = search->region.right - search->region.left;
    bool from_left = button.left - search->region.left < width / 2;
    int64_t gap = from_left ? text.left - button.right : button.left - text.right;
    int64_t start = from_left ? text.left - search->region.left : search->region.right - text.right;
    return gap >= -width / 50 && start * 100 <= 60 * width;
}

static wd_title title_beside(const wd_title_search *search, const wd_node *button, int certainty)
{
    const wd_node *best = NULL;
    for (size_t i = 0; i < search->view->node_count; i++) {
        const wd_node *node = &search->view->nodes[i];
        if (node == button || !wd_may_be_title(search, node, WD_TITLE_CHARACTERS_MAX) ||
            !wd_same_row(button->rect, node->rect) || !wd_title_ends_within(search, node->rect, 20) ||
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

static wd_title title_in_row(const wd_title_search *search)
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

static bool is_bar(const wd_title_search *search, const wd_node *node)
{
    static const char *const names[] = { "toolbar", "tool_bar", "title_bar", "titlebar", "app_bar", "appbar",
        "top_bar", "topbar", "nav_bar", "action_bar_container" };
    int64_t width = search->region.right - search->region.left;
    if (!wd_title_begins_within(search, node->rect, 10) || !wd_title_ends_within(search, node->rect, 20) ||
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
static bool is_tappable(const wd_title_search *search, const wd_node *node, int32_t top)
{
    for (int level = 0; level < WD_TITLE_LEVELS_MAX && node->id != top; level++) {
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

static wd_title title_in_bar(const wd_title_search *search)
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
            if (wd_may_be_title(search, node, WD_TITLE_CHARACTERS_MAX) &&
                wd_text_ends(node->class_name, "TextView") && !is_tappable(search, node, (int32_t)i)) {
                return make_title(search, node, "toolbar", medium);
            }
        }
    }
    return no_title;
}

// ---- in what has the shape of an app bar ------------------------------------------------------------------
// Toolkits that draw everything themselves (Flutter, Compose) name nothing. Their bar is still a strip along
// the top.

static bool has_bar_shape(const wd_title_search *search, const wd_node *node)
{
    wd_rect rect = node->rect;
    int64_t width = search->region.right - search->region.left,
            height = search->region.bottom - search->region.top;
    return wd_title_begins_within(search, rect, 8) && wd_title_ends_within(search, rect, 25) &&
           !wd_title_ends_within(search, rect, 4) && (rect.bottom - rect.top) * 100LL >= 4 * height &&
           (rect.right - rect.left) * 100LL >= 90 * width && !wd_node_is(node, WD_NODE_CLICKABLE) &&
           !wd_node_is(node, WD_NODE_SCROLLABLE) && wd_view_shows(search->view, search->identity, node);
}

/// A title drawn as a picture fills the bar; a logo does not.
static bool is_drawn_title(const wd_title_search *search, const wd_node *node)
{
    int64_t width = search->region.right - search->region.left;
    return wd_text_ends(node->class_name, "ImageView") &&
           (node->rect.right - node->rect.left) * 100LL >= 40 * width;
}

static wd_span bar_words(const wd_title_search *search, const wd_node *node)
{
    wd_span text = wd_title_words(node);
    bool drawn = text.length == 0 && is_drawn_title(search, node);
    return drawn ? wd_span_trim_invisible(wd_span_of(node->desc)) : text;
}

/// The one text in the strip; a second one makes it something else than a bar.
static const wd_node *only_text_in(const wd_title_search *search, size_t bar)
{
    const wd_screen_view *view = search->view;
    const wd_node *only = NULL;
    for (size_t i = bar + 1; i < view->node_count && view->nodes[i].parent >= (int32_t)bar; i++) {
        const wd_node *node = &view->nodes[i];
        if (!wd_view_shows(view, search->identity, node)) {
            continue;
        }
        if (wd_is_edit_field(node)) {
            return NULL;
        }
        wd_span text = bar_words(search, node);
        if (text.length == 0 || is_tappable(search, node, (int32_t)bar)) {
            continue;
        }
        if (only != NULL || !wd_reads_as_words(text, WD_TITLE_CHARACTERS_MAX) || wd_is_reading(text) ||
            wd_title_selected(search, node) || wd_span_is(text, "null")) {
            return NULL;
        }
        only = node;
    }
    return only;
}

static wd_title title_in_strip(const wd_title_search *search)
{
    size_t tries = 0;
    for (size_t i = 0; i < search->view->node_count && tries < TRIES_MAX; i++) {
        if (!has_bar_shape(search, &search->view->nodes[i])) {
            continue;
        }
        tries += 1;
        const wd_node *only = only_text_in(search, i);
        if (only != NULL && !wd_title_covered(search, only)) {
            return (wd_title){ bar_words(search, only), only->id, "app_bar", medium };
        }
    }
    return no_title;
}

// ---- at the top of a sheet --------------------------------------------------------------------------------

static wd_title title_of_sheet(const wd_title_search *search)
{
    const wd_screen_view *view = search->view;
    wd_title_search inner = *search;
    for (size_t i = 0; i < view->node_count; i++) {
        const char *name = wd_id_name(view->nodes[i].resource_id);
        if (wd_text_contains(name, "bottom_sheet") &&
            wd_view_shows(view, search->identity, &view->nodes[i])) {
            inner.region = view->nodes[i].rect;
        }
    }
    for (size_t i = 0; i < view->node_count; i++) {
        const wd_node *node = &view->nodes[i];
        const char *name = wd_id_name(node->resource_id);
        bool inside = node->rect.top >= inner.region.top && wd_title_ends_within(&inner, node->rect, 30);
        if (inside && wd_text_contains(name, "title") && !wd_text_contains(name, "subtitle") &&
            wd_may_be_title(search, node, WD_TITLE_CHARACTERS_MAX) && !is_tappable(search, node, 0)) {
            return make_title(search, node, "sheet", medium);
        }
    }
    return no_title;
}

// ---- (d) a dialog's first text ----------------------------------------------------------------------------

static wd_title title_of_dialog(const wd_title_search *search)
{
    const wd_node *first = NULL;
    bool has_button = false, has_way_out = false;
    for (size_t i = 0; i < search->view->node_count; i++) {
        const wd_node *node = &search->view->nodes[i];
        bool clickable = wd_node_is(node, WD_NODE_CLICKABLE);
        if (clickable && wd_view_shows(search->view, search->identity, node)) {
            has_button = true;
            has_way_out |= wd_word_is(WD_WORD_CANCEL, wd_node_label(node)) ||
                           wd_text_equals(wd_id_name(node->resource_id), "button2");
        }
        if (first == NULL && wd_may_be_title(search, node, WD_TITLE_MESSAGE_MAX) && !clickable &&
            !wd_text_ends(node->class_name, "Button")) {
            first = node;
        }
    }
    return first != NULL && has_button ? make_title(search, first, "dialog", has_way_out ? high : medium)
                                       : no_title;
}

// ---- all together -----------------------------------------------------------------------------------------

/// Somebody else says the same: the selected tab, or the window's own title.
static bool is_confirmed(const wd_title_search *search, const wd_title *title)
{
    const wd_screen_view *view = search->view;
    int32_t window = search->identity->window;
    wd_span name = wd_span_trim_invisible(wd_span_of(window >= 0 ? view->windows[window].title : NULL));
    if (name.length == title->text.length && memcmp(name.at, title->text.at, name.length) == 0) {
        return true;
    }
    for (size_t i = 0; i < view->node_count; i++) {
        const wd_node *node = &view->nodes[i];
        wd_span text = wd_span_trim_invisible(wd_span_of(wd_node_label(node)));
        if (node->id != title->node && text.length == title->text.length &&
            memcmp(text.at, title->text.at, text.length) == 0 && wd_title_selected(search, node)) {
            return true;
        }
    }
    return false;
}

static wd_title find_title(const wd_title_search *search)
{
    wd_page_kind kind = search->identity->kind;
    wd_title title = title_by_id(search);
    if (title.text.length == 0 && (kind == WD_PAGE_DIALOG || kind == WD_PAGE_PERMISSION)) {
        return title_of_dialog(search);
    }
    title = title.text.length == 0 ? title_in_row(search) : title;
    title = title.text.length == 0 ? title_in_bar(search) : title;
    if (title.text.length == 0) {
        return kind == WD_PAGE_SHEET ? title_of_sheet(search) : title_in_strip(search);
    }
    return title;
}

wd_title wd_identify_title(const wd_screen_view *view, const wd_identity *identity)
{
    wd_title_search search = { view, identity, wd_view_region(view, identity) };
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
    wd_title title = find_title(&search);
    if (title.text.length > 0 && title.confidence < high && is_confirmed(&search, &title)) {
        title.confidence = high;
    }
    return title;
}
