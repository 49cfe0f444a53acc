#include "scene_private.h"

#include "tree/text.h"

#include <string.h>

#define XXH_STATIC_LINKING_ONLY  // the state on the stack
#include <xxhash.h>

const char *const wd_scene_flag_names[WD_NODE_FLAG_COUNT] = {
    [WD_NODE_CLICKABLE] = "clickable",
    [WD_NODE_LONG_CLICKABLE] = "long_clickable",
    [WD_NODE_CHECKABLE] = "checkable",
    [WD_NODE_CHECKED] = "checked",
    [WD_NODE_SCROLLABLE] = "scrollable",
    [WD_NODE_EDITABLE] = "editable",
    [WD_NODE_ENABLED] = "enabled",
    [WD_NODE_FOCUSED] = "focused",
    [WD_NODE_SELECTED] = "selected",
    [WD_NODE_PASSWORD] = "password",
    [WD_NODE_VISIBLE] = "visible",
};

const char *const wd_scene_page_kind_names[WD_PAGE_KIND_COUNT] = {
    [WD_PAGE_UNKNOWN] = "unknown",
    [WD_PAGE_APP] = "app",
    [WD_PAGE_LAUNCHER] = "launcher",
    [WD_PAGE_DIALOG] = "dialog",
    [WD_PAGE_SHEET] = "sheet",
    [WD_PAGE_POPUP] = "popup",
    [WD_PAGE_DRAWER] = "drawer",
    [WD_PAGE_PERMISSION] = "permission",
    [WD_PAGE_KEYGUARD] = "keyguard",
    [WD_PAGE_SHADE] = "shade",
    [WD_PAGE_RECENTS] = "recents",
    [WD_PAGE_ERROR_OVERLAY] = "error_overlay",
};

const char *const wd_scene_parse_status_names[WD_PARSE_FAILED + 1] = {
    [WD_PARSE_OK] = "ok",
    [WD_PARSE_RECOVERED] = "recovered",
    [WD_PARSE_FAILED] = "failed",
};

const char *const wd_scene_rect_state_names[WD_RECT_UNKNOWN + 1] = {
    [WD_RECT_OK] = "ok",
    [WD_RECT_EMPTY] = "empty",
    [WD_RECT_INVERTED] = "inverted",
    [WD_RECT_OFFSCREEN] = "offscreen",
    [WD_RECT_UNKNOWN] = "unknown",
};

const char *const wd_scene_window_type_names[WD_WINDOW_DIVIDER + 1] = {
    [WD_WINDOW_UNKNOWN] = "unknown",
    [WD_WINDOW_APPLICATION] = "application",
    [WD_WINDOW_INPUT_METHOD] = "input_method",
    [WD_WINDOW_SYSTEM] = "system",
    [WD_WINDOW_OVERLAY] = "overlay",
    [WD_WINDOW_DIVIDER] = "divider",
};

const char *wd_node_flag_name(wd_node_flag flag)
{
    wd_assert((unsigned)flag < WD_NODE_FLAG_COUNT);
    return wd_scene_flag_names[flag];
}

const char *wd_page_kind_name(wd_page_kind kind)
{
    wd_assert((unsigned)kind < WD_PAGE_KIND_COUNT);
    return wd_scene_page_kind_names[kind];
}

const char *wd_parse_status_name(wd_parse_status status)
{
    wd_assert((unsigned)status < WD_COUNT_OF(wd_scene_parse_status_names));
    return wd_scene_parse_status_names[status];
}

// ---- nodes ------------------------------------------------------------------------------------------------

wd_tristate wd_node_get(const wd_node *node, wd_node_flag flag)
{
    if ((node->flags_known >> flag & 1) == 0) {
        return WD_UNKNOWN;
    }
    return wd_node_is(node, flag) ? WD_YES : WD_NO;
}

void wd_node_set(wd_node *node, wd_node_flag flag, wd_tristate value)
{
    uint16_t bit = (uint16_t)(1u << flag);
    node->flags_known = (uint16_t)(value == WD_UNKNOWN ? node->flags_known & ~bit : node->flags_known | bit);
    node->flags_yes = (uint16_t)(value == WD_YES ? node->flags_yes | bit : node->flags_yes & ~bit);
}

const char *wd_node_label(const wd_node *node)
{
    const char *const candidates[] = { node->text, node->desc, node->hint };
    for (size_t i = 0; i < WD_COUNT_OF(candidates); i++) {
        if (candidates[i] != NULL && candidates[i][0] != '\0') {
            return candidates[i];
        }
    }
    return NULL;
}

wd_rect_state wd_rect_judge(wd_rect rect, int32_t width, int32_t height)
{
    if (rect.right < rect.left || rect.bottom < rect.top) {
        return WD_RECT_INVERTED;
    }
    if (rect.right == rect.left || rect.bottom == rect.top) {
        return WD_RECT_EMPTY;
    }
    bool left_or_above = rect.right <= 0 || rect.bottom <= 0;
    bool right_or_below = (width > 0 && rect.left >= width) || (height > 0 && rect.top >= height);
    return left_or_above || right_or_below ? WD_RECT_OFFSCREEN : WD_RECT_OK;
}

static bool is_visible(const wd_scene_info *info, const wd_node *node)
{
    if (wd_node_get(node, WD_NODE_VISIBLE) == WD_NO) {
        return false;
    }
    return node->rect_state == WD_RECT_UNKNOWN ||
           wd_rect_judge(node->rect, info->width, info->height) == WD_RECT_OK;
}

bool wd_scene_node_visible(const wd_scene *scene, const wd_node *node)
{
    return is_visible(&scene->info, node);
}

// ---- the scene --------------------------------------------------------------------------------------------

wd_scene *wd_scene_ref(const wd_scene *scene)
{
    wd_scene *counted = (wd_scene *)(uintptr_t)scene;  // the count is no part of what is immutable
    if (counted != NULL) {
        counted->refs += 1;
    }
    return counted;
}

void wd_scene_unref(wd_scene **scene_p)
{
    wd_scene *scene = *scene_p;
    *scene_p = NULL;
    if (scene == NULL || --scene->refs > 0) {
        return;
    }
    wd_value_unref(&scene->info.page_params);
    wd_free(scene->nodes, scene->node_capacity * sizeof *scene->nodes);
    wd_free(scene->windows, scene->window_capacity * sizeof *scene->windows);
    wd_free(scene->intents, scene->intent_capacity * sizeof *scene->intents);
    wd_arena_done(&scene->arena);
    wd_free(scene, sizeof *scene);
}

const wd_scene_info *wd_scene_info_of(const wd_scene *scene)
{
    return &scene->info;
}

size_t wd_scene_node_count(const wd_scene *scene)
{
    return scene->node_count;
}

const wd_node *wd_scene_node(const wd_scene *scene, size_t id)
{
    return id < scene->node_count ? &scene->nodes[id] : NULL;
}

size_t wd_scene_window_count(const wd_scene *scene)
{
    return scene->window_count;
}

const wd_window *wd_scene_window(const wd_scene *scene, size_t index)
{
    return index < scene->window_count ? &scene->windows[index] : NULL;
}

size_t wd_scene_warning_count(const wd_scene *scene)
{
    return scene->warning_count;
}

const char *wd_scene_warning(const wd_scene *scene, size_t index)
{
    return index < scene->warning_count ? scene->warnings[index] : NULL;
}

size_t wd_scene_intent_count(const wd_scene *scene)
{
    return scene->intent_count;
}

const wd_scene_intent *wd_scene_intent_at(const wd_scene *scene, size_t index)
{
    return index < scene->intent_count ? &scene->intents[index] : NULL;
}

static bool same_window(const wd_window *a, const wd_window *b)
{
    return wd_text_same(a->package, b->package) && wd_text_same(a->title, b->title) && a->type == b->type &&
           a->layer == b->layer && a->display_id == b->display_id && a->focused == b->focused &&
           a->active == b->active && a->bounds.left == b->bounds.left && a->bounds.top == b->bounds.top &&
           a->bounds.right == b->bounds.right && a->bounds.bottom == b->bounds.bottom;
}

static bool same_info(const wd_scene_info *a, const wd_scene_info *b)
{
#define X(field) wd_text_same(a->field, b->field) &&
    return WD_INFO_TEXTS(X) a->captured_at_ms == b->captured_at_ms && a->display_id == b->display_id &&
           a->width == b->width && a->height == b->height && !(a->page_confidence < b->page_confidence) &&
           !(a->page_confidence > b->page_confidence) && wd_value_equal(a->page_params, b->page_params) &&
           a->page_kind == b->page_kind && a->stale_suspect == b->stale_suspect &&
           a->parse_status == b->parse_status;
#undef X
}

bool wd_scene_same_head(const wd_scene *a, const wd_scene *b)
{
    bool same = a->window_count == b->window_count && a->intent_count == b->intent_count &&
                a->warning_count == b->warning_count && same_info(&a->info, &b->info);
    for (size_t i = 0; same && i < a->window_count; i++) {
        same = same_window(&a->windows[i], &b->windows[i]);
    }
    for (size_t i = 0; same && i < a->intent_count; i++) {
        same =
            a->intents[i].node == b->intents[i].node && wd_text_same(a->intents[i].text, b->intents[i].text);
    }
    for (size_t i = 0; same && i < a->warning_count; i++) {
        same = wd_text_same(a->warnings[i], b->warnings[i]);
    }
    return same;
}

// ---- digest -----------------------------------------------------------------------------------------------

/// NULL and "" are two things, and no two neighbouring texts may run into each other.
static void hash_text(XXH3_state_t *state, const char *text)
{
    uint64_t size = text != NULL ? strlen(text) + 1 : 0;
    XXH3_128bits_update(state, &size, sizeof size);
    if (size > 1) {
        XXH3_128bits_update(state, text, size - 1);
    }
}

/// Neither ids nor parents: both shift with the system UI's nodes, and a person sees neither.
static void hash_node(XXH3_state_t *state, const wd_node *node)
{
#define X(field) hash_text(state, node->field);
    WD_NODE_NAMES(X)
    WD_NODE_TEXTS(X)
#undef X
    int32_t numbers[] = { node->rect.left, node->rect.top, node->rect.right, node->rect.bottom,
        node->flags_yes, node->flags_known };
    XXH3_128bits_update(state, numbers, sizeof numbers);
}

wd_digest wd_scene_digest_nodes(const wd_scene_info *info, const wd_node *nodes, size_t count)
{
    XXH3_state_t state;
    XXH3_128bits_reset(&state);
    hash_text(&state, info->app_package);
    hash_text(&state, info->activity);
    hash_text(&state, info->route);
    hash_text(&state, info->page);
    for (size_t i = 0; i < count; i++) {
        if (!nodes[i].system_ui && is_visible(info, &nodes[i])) {
            hash_node(&state, &nodes[i]);
        }
    }
    XXH128_hash_t hash = XXH3_128bits_digest(&state);
    return (wd_digest){ .high = hash.high64, .low = hash.low64 };
}

wd_digest wd_scene_digest(const wd_scene *scene)
{
    wd_scene *cache = (wd_scene *)(uintptr_t)scene;  // a cache is no change
    if (!cache->digest_known) {
        cache->digest = wd_scene_digest_nodes(&scene->info, scene->nodes, scene->node_count);
        cache->digest_known = true;
    }
    return cache->digest;
}
