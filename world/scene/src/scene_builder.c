#include "scene_private.h"
#include "tree/json.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

enum {
    NAMES_MAX = 512,         // different names kept once; further ones are copied each time
    NAME_SLOTS_FIRST = 128,  // twice the names there are at most, until the last
    NAME_SLOTS_LAST = 2 * NAMES_MAX,
    WARNING_TEXT_MAX = 240,
    CAPACITY_FIRST = 8,
    NODES_FIRST = 48,  // most screens fit; what is left over is given back
};

struct wd_scene_builder {
    wd_scene *scene;     // collected so far; NULL: nothing yet
    const char **names;  // class, package, id names of this scene by hash: most stand on many nodes
    size_t name_count, name_slots;
    size_t warnings_more;  // beyond WD_SCENE_WARNINGS_MAX
};

wd_status wd_scene_builder_new(wd_scene_builder **ret_builder)
{
    wd_scene_builder *builder = wd_alloc_zero(1, sizeof *builder);
    if (builder == NULL) {
        return WD_ENOMEM;
    }
    builder->name_slots = NAME_SLOTS_FIRST;
    builder->names = wd_alloc_zero(builder->name_slots, sizeof *builder->names);
    if (builder->names == NULL) {
        wd_scene_builder_destroy(&builder);
        return WD_ENOMEM;
    }
    *ret_builder = builder;
    return WD_OK;
}

void wd_scene_builder_destroy(wd_scene_builder **builder_p)
{
    wd_scene_builder *builder = *builder_p;
    *builder_p = NULL;
    if (builder == NULL) {
        return;
    }
    wd_scene_unref(&builder->scene);
    wd_free(builder->names, builder->names != NULL ? builder->name_slots * sizeof *builder->names : 0);
    wd_free(builder, sizeof *builder);
}

static wd_status ensure_scene(wd_scene_builder *builder)
{
    if (builder->scene == NULL) {
        builder->scene = wd_alloc_zero(1, sizeof *builder->scene);
        if (builder->scene == NULL) {
            return WD_ENOMEM;
        }
        builder->scene->refs = 1;
    }
    return WD_OK;
}

/// Room for one more item in *items_p; the array grows by half, so that its last copy is not twice what is
/// needed.
static wd_status reserve(void **items_p, size_t item_size, size_t count, size_t first, size_t *capacity)
{
    if (count < *capacity) {
        return WD_OK;
    }
    size_t grown_capacity = *capacity == 0 ? first : *capacity + *capacity / 2;
    void *grown = wd_realloc(*items_p, *capacity * item_size, grown_capacity * item_size);
    if (grown == NULL) {
        return WD_ENOMEM;
    }
    *items_p = grown;
    *capacity = grown_capacity;
    return WD_OK;
}

static wd_status copy_text(wd_scene *scene, const char **text_p)
{
    if (*text_p == NULL) {
        return WD_OK;
    }
    const char *copy = wd_arena_text(&scene->arena, *text_p, strlen(*text_p));
    if (copy == NULL) {
        return WD_ENOMEM;
    }
    *text_p = copy;
    return WD_OK;
}

/// Where `name` stands among the names, or would.
static size_t find_name(const wd_scene_builder *builder, const char *name, size_t length)
{
    size_t slot = XXH3_64bits(name, length) % builder->name_slots;
    while (builder->names[slot] != NULL && strcmp(builder->names[slot], name) != 0) {
        slot = (slot + 1) % builder->name_slots;
    }
    return slot;
}

static wd_status grow_names(wd_scene_builder *builder)
{
    const char **old = builder->names;
    const size_t old_slots = builder->name_slots;
    const char **names = wd_alloc_zero(old_slots * 2, sizeof *names);
    if (names == NULL) {
        return WD_ENOMEM;
    }
    builder->names = names;
    builder->name_slots = old_slots * 2;
    for (size_t i = 0; i < old_slots; i++) {
        if (old[i] != NULL) {
            names[find_name(builder, old[i], strlen(old[i]))] = old[i];
        }
    }
    wd_free(old, old_slots * sizeof *old);
    return WD_OK;
}

/// Copy a name, or find the copy made before.
static wd_status copy_name(wd_scene_builder *builder, const char *before, const char **name_p)
{
    const char *name = *name_p;
    if (name == NULL) {
        return WD_OK;
    }
    if (before != NULL && strcmp(before, name) == 0) {  // mostly the same as on the node before
        *name_p = before;
        return WD_OK;
    }
    size_t length = strlen(name);
    size_t slot = find_name(builder, name, length);
    if (builder->names[slot] != NULL) {
        *name_p = builder->names[slot];
        return WD_OK;
    }
    const char *copy = wd_arena_text(&builder->scene->arena, name, length);
    if (copy == NULL) {
        return WD_ENOMEM;
    }
    if (builder->name_count < NAMES_MAX) {
        builder->names[slot] = copy;
        builder->name_count += 1;
    }
    *name_p = copy;
    const bool full = builder->name_count * 2 >= builder->name_slots;
    return full && builder->name_slots < NAME_SLOTS_LAST ? grow_names(builder) : WD_OK;
}

wd_status wd_scene_builder_node(wd_scene_builder *builder, const wd_node *node, int32_t *ret_id)
{
    wd_status status = ensure_scene(builder);
    if (status != WD_OK) {
        return status;
    }
    wd_scene *scene = builder->scene;
    wd_assert(node->parent >= -1 && node->parent < (int64_t)scene->node_count);
    if (scene->node_count >= WD_SCENE_NODES_MAX) {
        return WD_ELIMIT;
    }
    void *nodes = scene->nodes;
    status = reserve(&nodes, sizeof *scene->nodes, scene->node_count, NODES_FIRST, &scene->node_capacity);
    if (status != WD_OK) {
        return status;
    }
    scene->nodes = nodes;

    static const wd_node none;
    const wd_node *before = scene->node_count > 0 ? &scene->nodes[scene->node_count - 1] : &none;
    wd_node copy = *node;
    copy.id = (int32_t)scene->node_count;
#define X(field)                                                                                             \
    if (status == WD_OK) {                                                                                   \
        status = copy_name(builder, before->field, &copy.field);                                             \
    }
    WD_NODE_NAMES(X)
#undef X
#define X(field)                                                                                             \
    if (status == WD_OK) {                                                                                   \
        status = copy_text(scene, &copy.field);                                                              \
    }
    WD_NODE_TEXTS(X)
#undef X
    if (status != WD_OK) {
        return status;  // strings copied so far stay unused in the arena
    }
    scene->nodes[scene->node_count++] = copy;
    if (ret_id != NULL) {
        *ret_id = copy.id;
    }
    return WD_OK;
}

wd_status wd_scene_builder_window(wd_scene_builder *builder, const wd_window *window)
{
    wd_status status = ensure_scene(builder);
    if (status != WD_OK) {
        return status;
    }
    wd_scene *scene = builder->scene;
    if (scene->window_count >= WD_SCENE_WINDOWS_MAX) {
        return WD_ELIMIT;
    }
    void *windows = scene->windows;
    status = reserve(
        &windows, sizeof *scene->windows, scene->window_count, CAPACITY_FIRST, &scene->window_capacity);
    if (status != WD_OK) {
        return status;
    }
    scene->windows = windows;
    wd_window copy = *window;
    if (copy_text(scene, &copy.package) != WD_OK || copy_text(scene, &copy.title) != WD_OK) {
        return WD_ENOMEM;
    }
    scene->windows[scene->window_count++] = copy;
    return WD_OK;
}

wd_status wd_scene_builder_intent(wd_scene_builder *builder, const wd_scene_intent *intent)
{
    wd_status status = ensure_scene(builder);
    if (status != WD_OK) {
        return status;
    }
    wd_scene *scene = builder->scene;
    if (scene->intent_count >= WD_SCENE_INTENTS_MAX) {
        return WD_ELIMIT;
    }
    void *intents = scene->intents;
    status = reserve(
        &intents, sizeof *scene->intents, scene->intent_count, CAPACITY_FIRST, &scene->intent_capacity);
    if (status != WD_OK) {
        return status;
    }
    scene->intents = intents;
    wd_scene_intent copy = *intent;
    if (copy_text(scene, &copy.text) != WD_OK) {
        return WD_ENOMEM;
    }
    scene->intents[scene->intent_count++] = copy;
    return WD_OK;
}

wd_status wd_scene_builder_warning(wd_scene_builder *builder, const char *format, ...)
{
    wd_status status = ensure_scene(builder);
    if (status != WD_OK) {
        return status;
    }
    wd_scene *scene = builder->scene;
    char text[WARNING_TEXT_MAX];
    size_t at = scene->warning_count;
    size_t more = builder->warnings_more;
    if (at < WD_SCENE_WARNINGS_MAX) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
    } else {  // the last one makes room for the count of those that had none
        at = WD_SCENE_WARNINGS_MAX - 1;
        more = more == 0 ? 2 : more + 1;
        snprintf(text, sizeof text, "%zu more warnings", more);
    }
    size_t length = strlen(text);
    while (length > 0 && !wd_utf8_valid(text, length)) {
        length -= 1;  // vsnprintf may have cut inside a character
    }
    const char *copy = wd_arena_text(&scene->arena, text, length);
    if (copy == NULL) {
        return WD_ENOMEM;
    }
    scene->warnings[at] = copy;
    scene->warning_count = at + 1;
    builder->warnings_more = more;
    return WD_OK;
}

wd_node *wd_scene_builder_nodes(wd_scene_builder *builder, size_t *ret_count)
{
    *ret_count = builder->scene != NULL ? builder->scene->node_count : 0;
    return builder->scene != NULL ? builder->scene->nodes : NULL;
}

wd_window *wd_scene_builder_windows(wd_scene_builder *builder, size_t *ret_count)
{
    *ret_count = builder->scene != NULL ? builder->scene->window_count : 0;
    return builder->scene != NULL ? builder->scene->windows : NULL;
}

wd_digest wd_scene_builder_digest(const wd_scene_builder *builder, const wd_scene_info *info)
{
    const wd_scene *scene = builder->scene;
    return wd_scene_digest_nodes(
        info, scene != NULL ? scene->nodes : NULL, scene != NULL ? scene->node_count : 0);
}

const char *wd_scene_builder_strndup(wd_scene_builder *builder, const char *text, size_t length)
{
    return ensure_scene(builder) == WD_OK ? wd_arena_text(&builder->scene->arena, text, length) : NULL;
}

/// Give back what growing in steps left over. Failing to do so costs memory only.
static void trim_nodes(wd_scene *scene)
{
    if (scene->node_count == 0 || scene->node_count == scene->node_capacity) {
        return;
    }
    size_t size = sizeof *scene->nodes;
    void *trimmed = wd_realloc(scene->nodes, scene->node_capacity * size, scene->node_count * size);
    if (trimmed != NULL) {
        scene->nodes = trimmed;
        scene->node_capacity = scene->node_count;
    }
}

wd_status wd_scene_builder_finish(wd_scene_builder *builder, const wd_scene_info *info, wd_scene **ret_scene)
{
    wd_status status = ensure_scene(builder);
    if (status != WD_OK) {
        return status;
    }
    wd_scene *scene = builder->scene;
    for (size_t i = 0; i < scene->node_count; i++) {
        wd_assert(scene->nodes[i].window >= -1 && scene->nodes[i].window < (int64_t)scene->window_count);
    }
    for (size_t i = 0; i < scene->intent_count; i++) {
        wd_assert(scene->intents[i].node >= -1 && scene->intents[i].node < (int64_t)scene->node_count);
    }
    wd_scene_info copy = *info;
#define X(field)                                                                                             \
    if (copy_text(scene, &copy.field) != WD_OK) {                                                            \
        return WD_ENOMEM;                                                                                    \
    }
    WD_INFO_TEXTS(X)
#undef X
    copy.page_params = wd_value_ref(info->page_params);
    scene->info = copy;
    trim_nodes(scene);
    builder->scene = NULL;
    memset(
        builder->names, 0, builder->name_slots * sizeof *builder->names);  // they stand in the scene's arena
    builder->name_count = 0;
    builder->warnings_more = 0;
    *ret_scene = scene;
    return WD_OK;
}
