#include "seen_screens.h"

#include "semantic/screen.h"

void wd_seen_screens_done(wd_seen_screens *seen)
{
    wd_scene_unref(&seen->last);
}

wd_status wd_seen_screens_read(const wd_seen_screens *seen, const wd_screen_post *post, wd_scene **ret_scene,
    wd_error *ret_failure, wd_error *error)
{
    wd_screen_options options = {
        .companion = post->companion,
        .companion_length = post->companion_length,
        .previous = seen->last,
        .width = post->width > 0 ? post->width : seen->width,
        .height = post->height > 0 ? post->height : seen->height,
    };
    if (post->format != NULL && wd_screen_format_parse(post->format, &options.format) != WD_OK) {
        return wd_error_set(error, WD_ENOENT, "format: \"%.64s\" is no screen format", post->format);
    }
    wd_status status = wd_screen_read(post->bytes, post->length, &options, ret_scene, ret_failure);
    return status == WD_ENOMEM ? wd_error_set(error, WD_ENOMEM, "screen: out of memory") : WD_OK;
}

void wd_seen_screens_remember(wd_seen_screens *seen, const wd_scene *scene)
{
    const wd_scene_info *info = wd_scene_info_of(scene);
    seen->width = info->width > seen->width ? info->width : seen->width;
    seen->height = info->height > seen->height ? info->height : seen->height;
    wd_scene *last = wd_scene_ref(scene);
    wd_scene_unref(&seen->last);
    seen->last = last;
}
