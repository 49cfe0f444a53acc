#include "screens_seen.h"

wd_status wd_screens_count(wd_value **screens_p, const wd_scene *scene, uint32_t *ret_count)
{
    if (scene == NULL) {
        *ret_count = 0;
        return WD_OK;
    }
    char key[WD_DIGEST_TEXT_SIZE];
    wd_digest_text(wd_scene_digest(scene), key);
    int64_t times = wd_value_int_or(wd_object_get(*screens_p, key), 0) + 1;
    *ret_count = (uint32_t)times;
    if (times == 1 && wd_object_count(*screens_p) >= WD_SCREENS_SEEN_MAX) {
        return WD_OK;
    }
    wd_value *number = NULL;
    wd_status status = wd_value_int(times, &number);
    if (status == WD_OK) {
        status = wd_object_set(screens_p, key, &number);
    }
    wd_value_unref(&number);
    return status;
}

wd_status wd_seen_page_key(
    const wd_scene *scene, const wd_semantic *semantic, const wd_place_now *place, wd_digest *ret_key)
{
    *ret_key = (wd_digest){ 0 };
    if (semantic != NULL) {
        *ret_key = wd_semantic_get(semantic)->page.key;
    }
    if (wd_digest_given(*ret_key)) {
        return WD_OK;
    }
    if (place->page == NULL || place->stale) {
        if (scene != NULL) {
            *ret_key = wd_scene_digest(scene);
        }
        return WD_OK;
    }
    wd_value *name = NULL;
    wd_status status = wd_value_pack(&name, "{s:?s,s:s}", "app", place->app, "page", place->page);
    if (status == WD_OK) {
        *ret_key = wd_value_digest(name);
    }
    wd_value_unref(&name);
    return status;
}

wd_signals wd_signals_after(const wd_signals *was, const wd_step *step, bool action_repeated,
    bool screen_same, wd_digest key, const wd_digest keys[2])
{
    bool page_same = wd_digest_given(key) && wd_digest_equal(key, keys[0]);
    bool swung_back = wd_digest_given(key) && !page_same && wd_digest_equal(key, keys[1]);
    bool idle = step->action.kind == WD_ACTION_WAIT || !wd_action_is_physical(step->action.kind);
    return (wd_signals){
        .same_screen_streak = screen_same ? was->same_screen_streak + 1 : 0,
        .same_page_streak = page_same ? was->same_page_streak + 1 : 0,
        .repeated_action = screen_same && action_repeated ? was->repeated_action + 1 : 0,
        // Waiting is meant to change nothing: it neither counts nor clears.
        .no_effect = !screen_same ? 0
                     : idle       ? was->no_effect
                                  : was->no_effect + 1,
        .ping_pong = swung_back  ? was->ping_pong + 1
                     : page_same ? was->ping_pong
                                 : 0,
    };
}
