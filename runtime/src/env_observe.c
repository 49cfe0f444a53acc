// What a client is shown of an env's screen.
#include "env_internal.h"

#include "tree/json.h"
#include "tree/text.h"

#include <string.h>

/// Would both nodes be told alike? Ids are equal by the caller's choice.
static bool same_node(const wd_node *a, const wd_node *b)
{
    return a->parent == b->parent && a->window == b->window && a->rect.left == b->rect.left &&
           a->rect.top == b->rect.top && a->rect.right == b->rect.right && a->rect.bottom == b->rect.bottom &&
           a->rect_state == b->rect_state && a->flags_yes == b->flags_yes &&
           a->flags_known == b->flags_known && a->system_ui == b->system_ui &&
           wd_text_same(a->text, b->text) && wd_text_same(a->resource_id, b->resource_id) &&
           wd_text_same(a->class_name, b->class_name) && wd_text_same(a->package, b->package) &&
           wd_text_same(a->desc, b->desc) && wd_text_same(a->hint, b->hint) &&
           wd_text_same(a->role, b->role) && wd_text_same(a->purpose, b->purpose);
}

static wd_status changed_nodes(const wd_scene *before, const wd_scene *after, wd_value **ret_nodes)
{
    wd_value *nodes = wd_value_array();
    wd_status status = WD_OK;
    size_t count = before == after ? 0 : wd_scene_node_count(after);
    for (size_t i = 0; status == WD_OK && i < count; i++) {
        const wd_node *old = wd_scene_node(before, i), *node = wd_scene_node(after, i);
        wd_value *value = NULL;
        if (old != NULL && same_node(old, node)) {
            continue;
        }
        status = wd_node_to_value(node, &value);
        status = status == WD_OK ? wd_array_append(&nodes, &value) : status;
        wd_value_unref(&value);
    }
    if (status != WD_OK) {
        wd_value_unref(&nodes);
        return status;
    }
    *ret_nodes = nodes;
    return WD_OK;
}

static wd_status tell(const wd_scene *base, const wd_scene *scene, wd_value **ret_observation)
{
    char digest[WD_DIGEST_TEXT_SIZE], base_digest[WD_DIGEST_TEXT_SIZE];
    const wd_scene_info *info = wd_scene_info_of(scene);
    int64_t count = (int64_t)wd_scene_node_count(scene);
    wd_value *part = NULL, *head = NULL;
    wd_digest_text(wd_scene_digest(scene), digest);
    wd_status status = WD_OK;
    if (base == NULL) {
        status = wd_scene_to_value(scene, &part);
        status = status == WD_OK ? wd_value_pack(ret_observation, "{s:s,s:i,s:v}", "digest", digest, "count",
                                       count, "scene", part)
                                 : status;
    } else {
        wd_digest_text(wd_scene_digest(base), base_digest);
        status = changed_nodes(base, scene, &part);
        if (status == WD_OK && base != scene && !wd_scene_same_head(base, scene)) {
            status = wd_scene_head_to_value(scene, &head);
        }
        status = status == WD_OK
                     ? wd_value_pack(ret_observation, "{s:s,s:i,s:s,s:?s,s:?s,s:?s,s:?v,s:v}", "digest",
                           digest, "count", count, "base", base_digest, "app", info->app_package, "page",
                           info->page, "route", info->route, "head", head, "nodes", part)
                     : status;
    }
    wd_value_unref(&head);
    wd_value_unref(&part);
    return status;
}

// ---- as text ------------------------------------------------------------------------------------------------------

/// ,"name":"text" or nothing.
static wd_status write_member(wd_buffer *buffer, const char *name, const char *text)
{
    if (text == NULL) {
        return WD_OK;
    }
    wd_status status = wd_buffer_text(buffer, ",\"");
    status = status == WD_OK ? wd_buffer_text(buffer, name) : status;
    status = status == WD_OK ? wd_buffer_text(buffer, "\":") : status;
    return status == WD_OK ? wd_json_write_string(text, strlen(text), buffer) : status;
}

static wd_status write_head(const wd_scene *scene, wd_buffer *buffer)
{
    wd_value *head = NULL;
    wd_status status = wd_scene_head_to_value(scene, &head);
    status = status == WD_OK ? wd_json_write(head, WD_JSON_COMPACT, buffer) : status;
    wd_value_unref(&head);
    return status;
}

/// "nodes":[...] with all of them, or those that differ from the base.
static wd_status write_nodes(const wd_scene *base, const wd_scene *scene, wd_buffer *buffer)
{
    wd_status status = wd_buffer_text(buffer, ",\"nodes\":[");
    const char *between = "";
    size_t count = base == scene ? 0 : wd_scene_node_count(scene);
    for (size_t i = 0; status == WD_OK && i < count; i++) {
        const wd_node *old = base == NULL ? NULL : wd_scene_node(base, i), *node = wd_scene_node(scene, i);
        if (old != NULL && same_node(old, node)) {
            continue;
        }
        status = wd_buffer_text(buffer, between);
        status = status == WD_OK ? wd_node_write_json(node, buffer) : status;
        between = ",";
    }
    return status == WD_OK ? wd_buffer_text(buffer, "]}") : status;
}

static wd_status write_whole(const wd_scene *scene, wd_buffer *buffer)
{
    wd_status status = wd_buffer_text(buffer, ",\"scene\":");
    status = status == WD_OK ? write_head(scene, buffer) : status;
    if (status == WD_OK) {
        buffer->length -= 1;  // its brace: the nodes follow as a further member
        status = write_nodes(NULL, scene, buffer);
    }
    return status == WD_OK ? wd_buffer_text(buffer, "}") : status;
}

static wd_status write_changed(const wd_scene *base, const wd_scene *scene, wd_buffer *buffer)
{
    char digest[WD_DIGEST_TEXT_SIZE];
    const wd_scene_info *info = wd_scene_info_of(scene);
    wd_digest_text(wd_scene_digest(base), digest);
    wd_status status = write_member(buffer, "base", digest);
    status = status == WD_OK ? write_member(buffer, "app", info->app_package) : status;
    status = status == WD_OK ? write_member(buffer, "page", info->page) : status;
    status = status == WD_OK ? write_member(buffer, "route", info->route) : status;
    if (status == WD_OK && base != scene && !wd_scene_same_head(base, scene)) {
        status = wd_buffer_text(buffer, ",\"head\":");
        status = status == WD_OK ? write_head(scene, buffer) : status;
    }
    return status == WD_OK ? write_nodes(base, scene, buffer) : status;
}

wd_status wd_env_seen_write(const wd_env_seen *seen, wd_buffer *buffer)
{
    if (seen->failure != NULL) {
        return wd_json_write(seen->failure, WD_JSON_COMPACT, buffer);
    }
    if (seen->scene == NULL) {
        return WD_OK;
    }
    char digest[WD_DIGEST_TEXT_SIZE];
    size_t before = buffer->length;
    wd_digest_text(wd_scene_digest(seen->scene), digest);
    wd_status status = wd_buffer_format(
        buffer, "{\"digest\":\"%s\",\"count\":%zu", digest, wd_scene_node_count(seen->scene));
    if (status == WD_OK) {
        status = seen->base == NULL ? write_whole(seen->scene, buffer)
                                    : write_changed(seen->base, seen->scene, buffer);
    }
    if (status != WD_OK) {
        buffer->length = before;
    }
    return status;
}

// ---- looking ------------------------------------------------------------------------------------------------------

void wd_env_seen_done(wd_env_seen *seen)
{
    wd_scene_unref(&seen->scene);
    wd_scene_unref(&seen->base);
    wd_value_unref(&seen->failure);
}

wd_status wd_env_seen_to_value(const wd_env_seen *seen, wd_value **ret_observation)
{
    if (seen->scene != NULL) {
        return tell(seen->base, seen->scene, ret_observation);
    }
    *ret_observation = wd_value_ref(seen->failure);
    return WD_OK;
}

wd_status env_see(wd_envs *envs, wd_env *env, wd_env_look look, wd_env_seen *ret_seen)
{
    wd_scene *scene = NULL;
    wd_error error;
    *ret_seen = (wd_env_seen){ 0 };
    if (look == WD_ENV_LOOK_NONE) {
        return WD_OK;
    }
    wd_status status = wd_phone_observe(envs->host, env->device, &scene, &error);
    if (status == WD_ENOMEM) {
        return status;
    }
    if (status != WD_OK) {  // an app's code failed: the screen cannot be seen, the env goes on
        return wd_value_pack(&ret_seen->failure, "{s:s}", "failure", error.text);
    }
    ret_seen->scene = scene;
    ret_seen->base = look == WD_ENV_LOOK_CHANGED ? wd_scene_ref(env->told) : NULL;
    wd_scene_unref(&env->told);
    env->told = wd_scene_ref(scene);
    return WD_OK;
}

wd_status wd_env_observe(wd_envs *envs, wd_env *env, wd_env_look look, wd_value **ret_observation)
{
    wd_env_seen seen;
    *ret_observation = NULL;
    wd_scene *told = wd_scene_ref(env->told);
    wd_status status = env_see(envs, env, look, &seen);
    if (status == WD_OK) {
        status = wd_env_seen_to_value(&seen, ret_observation);
        if (status != WD_OK) {  // nothing was told
            wd_scene_unref(&env->told);
            env->told = wd_scene_ref(told);
        }
        wd_env_seen_done(&seen);
    }
    wd_scene_unref(&told);
    return status;
}
