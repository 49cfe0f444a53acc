// Semantic enrichment by rule: what each node that can be acted on is for, and what a person could do here.
#include "identity.h"
#include "semantic/enrich.h"
#include "tree/alloc.h"
#include "words.h"

#include <stdio.h>
#include <string.h>

enum {
    LABEL_DESCENDANTS_MAX = 32,  // looked at for a node's label
    LEVELS_MAX = 3,              // parents looked at for tabs and lists
    NEIGHBOURS_MAX = 8,          // nodes before a field looked at for its label
    INTENT_TEXT_MAX = 160,
};

/// The purposes that rules know, and how a person would say what they do. %s is the label.
static const struct purpose {
    const char *name, *with_label, *without;
} purposes[] = {
    { "search", "search", "search" },
    { "field", "fill in %s", "fill in a field" },
    { "back", "go back", "go back" },
    { "dismiss", "close", "close" },
    { "menu", "open the menu", "open the menu" },
    { "submit", "%s", "submit" },
    { "confirm", "confirm: %s", "confirm" },
    { "cancel", "cancel: %s", "cancel" },
    { "toggle", "switch %s", NULL },
    { "tab", "go to tab %s", NULL },
    { "item", "open %s", NULL },
    { "button", "press %s", NULL },
};

static const char *intent_format(const char *purpose, bool has_label)
{
    for (size_t i = 0; i < WD_COUNT_OF(purposes); i++) {
        if (strcmp(purposes[i].name, purpose) == 0) {
            return has_label ? purposes[i].with_label : purposes[i].without;
        }
    }
    return NULL;
}

// ---- labels -----------------------------------------------------------------------------------------------

/// The node's own label, else the first in it: a row is named by its title.
static const char *label_in(const wd_screen_view *view, const wd_node *node)
{
    const char *label = wd_node_label(node);
    size_t end = (size_t)node->id + 1 + LABEL_DESCENDANTS_MAX;
    end = end < view->node_count ? end : view->node_count;
    for (size_t i = (size_t)node->id + 1; label == NULL && i < end && view->nodes[i].parent >= node->id;
         i++) {
        label = wd_node_label(&view->nodes[i]);
    }
    return label;
}

static bool is_field(const wd_node *node)
{
    return wd_node_is(node, WD_NODE_EDITABLE) || wd_text_ends(node->class_name, "EditText") ||
           wd_text_ends(node->class_name, "AutoCompleteTextView");
}

/// A text field's label is not what is typed in it: its hint, its description, else the text above or to the
/// left.
static const char *label_of_field(const wd_screen_view *view, const wd_node *node)
{
    if (node->hint != NULL && node->hint[0] != '\0') {
        return node->hint;
    }
    if (node->desc != NULL && node->desc[0] != '\0') {
        return node->desc;
    }
    size_t id = (size_t)node->id;
    for (size_t back = 1; back <= NEIGHBOURS_MAX && back <= id; back++) {
        const wd_node *before = &view->nodes[id - back];
        if (is_field(before)) {
            break;
        }
        bool above = before->rect.bottom <= node->rect.top + 1;
        bool left = before->rect.right <= node->rect.left + 1 && before->rect.top < node->rect.bottom;
        if (before->text != NULL && before->text[0] != '\0' && !wd_node_is(before, WD_NODE_CLICKABLE) &&
            (above || left)) {
            return before->text;
        }
    }
    return node->text != NULL && node->text[0] != '\0' ? node->text : NULL;
}

/// A switch without a text of its own is named by the row it stands in.
static const char *label_of_toggle(const wd_screen_view *view, const wd_node *node)
{
    const char *label = label_in(view, node);
    for (int level = 0; label == NULL && level < LEVELS_MAX && node->parent >= 0; level++) {
        node = &view->nodes[node->parent];
        label = label_in(view, node);
    }
    return label;
}

// ---- purposes ---------------------------------------------------------------------------------------------

static bool is_toggle(const wd_node *node)
{
    static const char *const classes[] = { "Switch", "SwitchCompat", "CheckBox", "ToggleButton",
        "RadioButton", "SwitchMaterial" };
    for (size_t i = 0; i < WD_COUNT_OF(classes); i++) {
        if (wd_text_ends(node->class_name, classes[i])) {
            return true;
        }
    }
    return wd_node_is(node, WD_NODE_CHECKABLE);
}

static bool names_tab(const wd_node *node)
{
    const char *name = wd_id_name(node->resource_id);
    const char *class_name = wd_class_short(node->class_name);
    return strncmp(class_name, "Tab", 3) == 0 || strstr(class_name, "$Tab") != NULL ||
           wd_text_contains(name, "tab_") || wd_text_contains(name, "_tab") || wd_text_equals(name, "tabs") ||
           wd_text_contains(name, "tablayout") || wd_text_contains(name, "bottom_nav") ||
           wd_text_contains(name, "navigation_bar_item");
}

/// In a tab bar: itself, or one of its parents, says so.
static bool is_tab(const wd_screen_view *view, const wd_node *node)
{
    for (int level = 0; level < LEVELS_MAX; level++) {
        if (names_tab(node)) {
            return true;
        }
        if (node->parent < 0) {
            return false;
        }
        node = &view->nodes[node->parent];
    }
    return false;
}

static bool is_list_item(const wd_screen_view *view, const wd_node *node)
{
    if (node->parent < 0) {
        return false;
    }
    const char *class_name = view->nodes[node->parent].class_name;
    return wd_text_ends(class_name, "ListView") || wd_text_ends(class_name, "RecyclerView") ||
           wd_text_ends(class_name, "GridView");
}

static bool is_dialog(wd_page_kind kind)
{
    return kind == WD_PAGE_DIALOG || kind == WD_PAGE_PERMISSION || kind == WD_PAGE_SHEET ||
           kind == WD_PAGE_ERROR_OVERLAY;
}

/// A dialog's buttons, by the framework's ids, the permission dialog's, or their words.
static const char *dialog_purpose(const wd_node *node, const char *label)
{
    const char *name = wd_id_name(node->resource_id);
    if (strcmp(name, "button1") == 0 || wd_text_contains(name, "allow") ||
        wd_word_is(WD_WORD_CONFIRM, label)) {
        return wd_text_contains(name, "dont_allow") ? "cancel" : "confirm";
    }
    if (strcmp(name, "button2") == 0 || wd_text_contains(name, "deny") || wd_word_is(WD_WORD_CANCEL, label)) {
        return "cancel";
    }
    return NULL;
}

static bool is_search(const wd_node *node, const char *label)
{
    const char *name = wd_id_name(node->resource_id);
    return wd_word_is(WD_WORD_SEARCH, label) || wd_text_contains(name, "search") ||
           (is_field(node) && wd_text_contains(node->hint, "search"));
}

/// What the node is for and how it is called. NULL: nothing that a person would act on.
static const char *purpose_of(
    const wd_screen_view *view, wd_page_kind kind, const wd_node *node, const char **ret_label)
{
    bool clickable = wd_node_is(node, WD_NODE_CLICKABLE);
    if (is_field(node)) {
        *ret_label = label_of_field(view, node);
        return is_search(node, *ret_label) ? "search" : "field";
    }
    if (is_toggle(node) && (clickable || wd_node_is(node, WD_NODE_CHECKABLE))) {
        *ret_label = label_of_toggle(view, node);
        return "toggle";
    }
    if (!clickable && !wd_node_is(node, WD_NODE_LONG_CLICKABLE)) {
        return NULL;
    }
    const char *label = label_in(view, node);
    *ret_label = label;
    const char *purpose = is_dialog(kind) ? dialog_purpose(node, label) : NULL;
    if (purpose != NULL) {
        return purpose;
    }
    if (wd_word_is(WD_WORD_BACK, label)) {
        return "back";
    }
    if (wd_word_is(WD_WORD_CLOSE, label)) {
        return "dismiss";
    }
    if (wd_word_is(WD_WORD_MENU, label)) {
        return "menu";
    }
    if (is_search(node, label)) {
        return "search";
    }
    if (wd_word_is(WD_WORD_SUBMIT, label)) {
        return "submit";
    }
    if (is_tab(view, node)) {
        return "tab";
    }
    return is_list_item(view, node) ? "item" : "button";
}

// ---- the semantic scene -----------------------------------------------------------------------------------

typedef struct rule_result {
    wd_widget *widgets;
    size_t widget_count, widget_capacity;
    wd_scene_intent intents[WD_SCENE_INTENTS_MAX];
    char texts[WD_SCENE_INTENTS_MAX][INTENT_TEXT_MAX];
    size_t intent_count;
} rule_result;

static wd_status add_widget(rule_result *result, wd_widget widget)
{
    if (result->widget_count == result->widget_capacity) {
        size_t size = sizeof *result->widgets,
               capacity = result->widget_capacity == 0 ? 16 : result->widget_capacity * 2;
        void *grown = wd_realloc(result->widgets, result->widget_capacity * size, capacity * size);
        if (grown == NULL) {
            return WD_ENOMEM;
        }
        result->widgets = grown;
        result->widget_capacity = capacity;
    }
    result->widgets[result->widget_count++] = widget;
    return WD_OK;
}

static void add_intent(rule_result *result, wd_widget widget)
{
    const char *format = intent_format(widget.purpose, widget.label != NULL);
    if (format == NULL || result->intent_count == WD_SCENE_INTENTS_MAX) {
        return;
    }
    char *text = result->texts[result->intent_count];
    const char *place = strstr(format, "%s");
    if (place == NULL) {
        snprintf(text, INTENT_TEXT_MAX, "%s", format);
    } else {  // the label, cut at a character when it is long
        wd_span label = wd_span_trim_invisible(wd_span_of(widget.label));
        size_t length = 0, size = 0;
        for (; length < label.length && length + 4 < INTENT_TEXT_MAX / 2; length += size) {
            (void)wd_utf8_next(label.at + length, label.length - length, &size);
        }
        snprintf(text, INTENT_TEXT_MAX, "%.*s%.*s%s", (int)(place - format), format, (int)length, label.at,
            place + 2);
    }
    result->intents[result->intent_count++] = (wd_scene_intent){ text, widget.node };
}

static wd_status read_widgets(const wd_screen_view *view, const wd_identity *identity, rule_result *result)
{
    for (size_t i = 0; i < view->node_count; i++) {
        const wd_node *node = &view->nodes[i];
        if (!wd_view_shows(view, identity, node)) {
            continue;
        }
        wd_widget widget = { .node = node->id };
        widget.purpose =
            node->purpose != NULL ? node->purpose : purpose_of(view, identity->kind, node, &widget.label);
        if (widget.purpose == NULL) {
            continue;
        }
        wd_status status = add_widget(result, widget);
        if (status != WD_OK) {
            return status;
        }
        add_intent(result, widget);
    }
    return WD_OK;
}

/// The page's texts end at other texts; the semantic scene wants its own.
static wd_status copy_span(wd_span span, char **ret_copy)
{
    *ret_copy = NULL;
    if (span.length > 0) {
        *ret_copy = wd_strndup(span.at, span.length);
        return *ret_copy != NULL ? WD_OK : WD_ENOMEM;
    }
    return WD_OK;
}

static void drop_text(char *text)
{
    wd_free(text, text != NULL ? strlen(text) + 1 : 0);
}

static wd_status publish(
    const wd_scene *scene, const wd_identity *identity, const rule_result *result, wd_semantic **ret_semantic)
{
    char *page = NULL, *title = NULL;
    wd_semantic_init init = {
        .page = {
            .app = identity->app,
            .app_source = identity->app_source,
            .source = identity->page_source,
            .confidence = identity->page.length > 0 ? identity->page_confidence : 0,
            .kind = identity->kind,
            .background_app = identity->background_app,
            .params = wd_scene_info_of(scene)->page_params,
        },
        .intents = result->intents,
        .intent_count = result->intent_count,
        .widgets = result->widgets,
        .widget_count = result->widget_count,
        .enricher = "rules",
    };
    wd_status status = wd_page_key(scene, &init.page.key);
    if (status == WD_OK) {
        status = copy_span(identity->page, &page);
    }
    if (status == WD_OK) {
        status = copy_span(identity->title.text, &title);
    }
    if (status == WD_OK) {
        init.page.id = page;
        init.page.title = title;
        status = wd_semantic_new(&init, ret_semantic);
    }
    drop_text(page);
    drop_text(title);
    return status;
}

wd_status wd_semantic_from_rules(const wd_scene *scene, wd_semantic **ret_semantic)
{
    wd_screen_view view = {
        .nodes = wd_scene_node(scene, 0),
        .node_count = wd_scene_node_count(scene),
        .windows = wd_scene_window(scene, 0),
        .window_count = wd_scene_window_count(scene),
        .info = wd_scene_info_of(scene),
    };
    wd_identity identity;
    wd_identify(&view, NULL, NULL, &identity);
    rule_result result;
    result.widgets = NULL;
    result.widget_count = result.widget_capacity = result.intent_count = 0;
    wd_status status = read_widgets(&view, &identity, &result);
    if (status == WD_OK) {
        status = publish(scene, &identity, &result, ret_semantic);
    }
    wd_free(result.widgets, result.widget_capacity * sizeof *result.widgets);
    return status;
}
