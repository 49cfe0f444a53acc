#include "screen_change.h"

#include "tree/text.h"

#include <stdio.h>

/// Step to the next node that belongs to what a person sees of the app.
static const wd_node *node_forward(const wd_scene *scene, size_t *at)
{
    for (; *at < wd_scene_node_count(scene); *at += 1) {
        const wd_node *node = wd_scene_node(scene, *at);
        if (!node->system_ui) {
            return node;
        }
    }
    return NULL;
}

static bool node_looks_same(const wd_node *a, const wd_node *b)
{
    return wd_text_same(a->text, b->text) && wd_text_same(a->desc, b->desc) &&
           wd_text_same(a->hint, b->hint) && wd_text_same(a->resource_id, b->resource_id) &&
           wd_text_same(a->class_name, b->class_name) && a->flags_yes == b->flags_yes &&
           a->flags_known == b->flags_known && memcmp(&a->rect, &b->rect, sizeof a->rect) == 0;
}

static bool node_is_same_place(const wd_node *a, const wd_node *b)
{
    return wd_text_same(a->resource_id, b->resource_id) && wd_text_same(a->class_name, b->class_name) &&
           (a->resource_id != NULL || memcmp(&a->rect, &b->rect, sizeof a->rect) == 0);
}

/// The last part of a resource id reads better than the whole.
static const char *short_name(const wd_node *node)
{
    if (!wd_text_given(node->resource_id)) {
        return node->role != NULL ? node->role : "text";
    }
    const char *slash = strrchr(node->resource_id, '/');
    return slash == NULL ? node->resource_id : slash + 1;
}

enum { QUOTE_MAX = 40 };  // bytes of a name or text shown: three of them fit into a last_change

/// How many bytes of `text` to show, without cutting a UTF-8 character.
static int quote(const char *text)
{
    size_t length = strlen(text);
    if (length > QUOTE_MAX) {
        for (length = QUOTE_MAX; length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80; length--) {
        }
    }
    return (int)length;
}

static bool describe_pair(const wd_node *a, const wd_node *b, char *ret_text)
{
    const char *name = short_name(b);
    bool checked_before = wd_node_is(a, WD_NODE_CHECKED), checked_after = wd_node_is(b, WD_NODE_CHECKED);
    const char *before = a->text == NULL ? "" : a->text, *after = b->text == NULL ? "" : b->text;
    if (checked_before != checked_after) {
        snprintf(ret_text, WD_LAST_CHANGE_TEXT_MAX, "%.*s: %s -> %s", quote(name), name,
            checked_before ? "on" : "off", checked_after ? "on" : "off");
    } else if (strcmp(before, after) != 0) {
        snprintf(ret_text, WD_LAST_CHANGE_TEXT_MAX, "%.*s: \"%.*s\" -> \"%.*s\"", quote(name), name,
            quote(before), before, quote(after), after);
    } else if (wd_node_is(a, WD_NODE_FOCUSED) != wd_node_is(b, WD_NODE_FOCUSED)) {
        snprintf(ret_text, WD_LAST_CHANGE_TEXT_MAX, "%.*s: %s", quote(name), name,
            wd_node_is(b, WD_NODE_FOCUSED) ? "focused" : "focus left");
    } else {
        return false;
    }
    return true;
}

static size_t nodes_left(const wd_scene *scene, size_t at)
{
    size_t left = 0;
    for (; node_forward(scene, &at) != NULL; at++) {
        left += 1;
    }
    return left;
}

/// Same page: skip what both screens share at the front, describe the first node that differs in place, else count.
static void describe_nodes(const wd_scene *before, const wd_scene *after, char *ret_text)
{
    size_t at_before = 0, at_after = 0;
    const wd_node *a, *b;
    while ((a = node_forward(before, &at_before)) != NULL && (b = node_forward(after, &at_after)) != NULL &&
           (node_looks_same(a, b) || node_is_same_place(a, b))) {
        if (!node_looks_same(a, b) && describe_pair(a, b, ret_text)) {
            return;
        }
        at_before += 1;
        at_after += 1;
    }
    size_t left_before = nodes_left(before, at_before), left_after = nodes_left(after, at_after);
    if (left_after > left_before) {
        snprintf(ret_text, WD_LAST_CHANGE_TEXT_MAX, "screen: %zu nodes more", left_after - left_before);
    } else if (left_after < left_before) {
        snprintf(ret_text, WD_LAST_CHANGE_TEXT_MAX, "screen: %zu nodes fewer", left_before - left_after);
    } else {
        snprintf(ret_text, WD_LAST_CHANGE_TEXT_MAX, "screen: content changed");
    }
}

static void describe_move(const char *what, const char *from, const char *to, char *ret_text)
{
    from = from == NULL ? "unknown" : from;
    to = to == NULL ? "unknown" : to;
    snprintf(ret_text, WD_LAST_CHANGE_TEXT_MAX, "%s: %.*s -> %.*s", what, quote(from), from, quote(to), to);
}

void wd_screen_change(const wd_scene *before, const char *app_before, const char *page_before,
    const wd_scene *after, const char *app_after, const char *page_after,
    char ret_text[WD_LAST_CHANGE_TEXT_MAX])
{
    if (after == NULL) {
        snprintf(ret_text, WD_LAST_CHANGE_TEXT_MAX, "screen not seen");
    } else if (!wd_text_same(app_before, app_after)) {
        describe_move("app", app_before, app_after, ret_text);
    } else if (!wd_text_same(page_before, page_after)) {
        describe_move("page", page_before, page_after, ret_text);
    } else if (before == NULL) {
        snprintf(ret_text, WD_LAST_CHANGE_TEXT_MAX, "screen seen again");
    } else if (wd_digest_equal(wd_scene_digest(before), wd_scene_digest(after))) {
        snprintf(ret_text, WD_LAST_CHANGE_TEXT_MAX, "nothing changed");
    } else {
        describe_nodes(before, after, ret_text);
    }
}
