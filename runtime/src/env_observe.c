// What a client is shown of an env's screen.
#include "env_internal.h"

#include "tree/text.h"

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

wd_status wd_env_observe(wd_envs *envs, wd_env *env, wd_env_look look, wd_value **ret_observation)
{
    wd_scene *scene = NULL;
    wd_error error;
    *ret_observation = NULL;
    if (look == WD_ENV_LOOK_NONE) {
        return WD_OK;
    }
    wd_status status = wd_phone_observe(envs->host, env->device, &scene, &error);
    if (status == WD_ENOMEM) {
        return status;
    }
    if (status != WD_OK) {  // an app's code failed: the screen cannot be seen, the env goes on
        return wd_value_pack(ret_observation, "{s:s}", "failure", error.text);
    }
    status = tell(look == WD_ENV_LOOK_CHANGED ? env->told : NULL, scene, ret_observation);
    if (status == WD_OK) {
        wd_scene_unref(&env->told);
        env->told = wd_scene_ref(scene);
    }
    wd_scene_unref(&scene);
    return status;
}
