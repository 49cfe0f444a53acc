/// Android in the Zoo (and AITW's numbers): a JSON array of steps; points are y,x fractions, two per step.
#include "episode_build.h"

#include "loose.h"

#include <math.h>
#include <string.h>

enum {
    AITW_LONG_POINT = 0,
    AITW_NO_ACTION = 1,
    AITW_TYPE = 3,
    AITW_DUAL_POINT = 4,
    AITW_BACK = 5,
    AITW_HOME = 6,
    AITW_ENTER = 7,
    AITW_COMPLETE = 10,
    AITW_IMPOSSIBLE = 11,
};

static const double tap_distance_max = 0.04;  // between touch and lift, as fractions of the screen

/// A member that is an array, or a text that holds one. Drop the reference; NULL when it is neither.
static wd_value *array_member(wd_recording *recording, const wd_value *object, const char *name)
{
    const wd_value *member = wd_object_get(object, name);
    if (wd_value_is(member, WD_KIND_ARRAY)) {
        return wd_value_ref(member);
    }
    wd_value *array = NULL;
    wd_span text = wd_value_span(member);
    if (wd_loose_parse(text.at, text.length, &array, NULL, NULL) == WD_ENOMEM) {
        wd_episode_check(recording, WD_ENOMEM);
    }
    return array;
}

/// [y, x] as a point [x, y]; a point that is not used is [-1, -1].
static bool yx_point(const wd_value *pair, double ret_point[2])
{
    ret_point[1] = wd_value_double_or(wd_array_at(pair, 0), -1);
    ret_point[0] = wd_value_double_or(wd_array_at(pair, 1), -1);
    return wd_array_count(pair) == 2 && ret_point[0] >= 0 && ret_point[1] >= 0;
}

static void set_point(wd_recording *recording, wd_builder *builder, const double point[2], bool second)
{
    wd_value *pair = NULL;
    wd_status status = wd_value_pack(&pair, "[d,d]", point[0], point[1]);
    wd_episode_check(recording, status);
    if (status == WD_OK && second) {
        wd_build_point2(builder, "lift", pair);
    } else if (status == WD_OK) {
        wd_build_point(builder, "touch", pair);
    }
    wd_value_unref(&pair);
}

/// Two points close together are a tap, and where the finger left the screen is what was tapped; else a swipe.
static void dual_point(
    wd_recording *recording, wd_builder *builder, const wd_value *touch, const wd_value *lift, bool held)
{
    double from[2];
    double to[2];
    bool both = yx_point(touch, from) && yx_point(lift, to);
    bool tap = both && hypot(to[0] - from[0], to[1] - from[1]) <= tap_distance_max;
    wd_build_begin(builder,
        held  ? WD_ACTION_LONG_PRESS
        : tap ? WD_ACTION_TAP
              : WD_ACTION_SWIPE,
        (wd_span){ "", 0 });
    if (!both) {
        wd_build_refuse(builder, "touch or lift point is missing");
    } else if (held || tap) {
        set_point(recording, builder, to, false);
    } else {
        set_point(recording, builder, from, false);
        set_point(recording, builder, to, true);
    }
    wd_build_end(builder);
}

static void plain_action(wd_builder *builder, int64_t type)
{
    wd_span none = { "", 0 };
    switch (type) {
    case AITW_NO_ACTION:
        wd_build_plain(builder, WD_ACTION_NOOP, none);
        break;
    case AITW_BACK:
        wd_build_plain(builder, WD_ACTION_BACK, none);
        break;
    case AITW_HOME:
        wd_build_plain(builder, WD_ACTION_HOME, none);
        break;
    case AITW_ENTER:
        wd_build_plain(builder, WD_ACTION_ENTER, none);
        break;
    case AITW_COMPLETE:
    case AITW_IMPOSSIBLE:
        wd_build_begin(builder, type == AITW_COMPLETE ? WD_ACTION_COMPLETE : WD_ACTION_ABORT, none);
        wd_build_string(
            builder, (wd_span){ type == AITW_COMPLETE ? "success" : "failure", 7 }, &builder->now.status);
        wd_build_end(builder);
        break;
    default:
        wd_build_invalid(builder, none, "unknown action type %lld", (long long)type);
        break;
    }
}

static void take_action(wd_recording *recording, wd_step_record *record, const wd_value *object)
{
    wd_builder builder = wd_episode_builder(recording, record);
    int64_t type = wd_value_int_or(wd_object_get(object, "result_action_type"), -1);
    if (type == AITW_DUAL_POINT || type == AITW_LONG_POINT) {
        wd_value *touch = array_member(recording, object, "result_touch_yx");
        wd_value *lift = array_member(recording, object, "result_lift_yx");
        dual_point(recording, &builder, touch, lift, type == AITW_LONG_POINT);
        wd_value_unref(&touch);
        wd_value_unref(&lift);
    } else if (type == AITW_TYPE) {
        wd_build_begin(&builder, WD_ACTION_TYPE, (wd_span){ "", 0 });
        wd_build_typed(&builder, "result_action_text", wd_object_get(object, "result_action_text"));
        wd_build_end(&builder);
    } else {
        plain_action(&builder, type);
    }
    wd_episode_builder_end(recording, record, &builder);
}

/// All numbers at most 1: fractions of the screen; else pixels of a screenshot whose size is not in the file.
static bool are_fractions(const wd_value *boxes)
{
    for (size_t i = 0; i < wd_array_count(boxes); i++) {
        wd_iter side = wd_iter_start(wd_array_at(boxes, i));
        while (wd_iter_next(&side)) {
            if (wd_value_double_or(side.value, 0) > 1) {
                return false;
            }
        }
    }
    return true;
}

static void take_screen(wd_recording *recording, wd_step_record *record, const wd_value *object)
{
    wd_value *boxes = array_member(recording, object, "ui_positions");
    wd_value *texts = array_member(recording, object, "ui_text");
    wd_value *types = array_member(recording, object, "ui_types");
    if (boxes != NULL) {
        bool fractions = are_fractions(boxes);
        record->step.box_space = fractions ? "norm1" : "px_of_screenshot";
        record->place = WD_PLACE_BOXES;
        record->step.has_screen = true;
        wd_episode_check(recording,
            wd_value_pack(&record->inline_screen, "{s:v,s:?v,s:?v,s:b,s:?v,s:?v}", "boxes", boxes, "texts",
                texts, "types", types, "fractions", fractions, "width", wd_object_get(object, "image_width"),
                "height", wd_object_get(object, "image_height")));
    }
    wd_value_unref(&boxes);
    wd_value_unref(&texts);
    wd_value_unref(&types);
}

/// A new episode where the id changes.
static wd_episode *episode_of(wd_recording *recording, const wd_value *object)
{
    const char *id = wd_episode_keep_value(recording, wd_object_get(object, "episode_id"));
    wd_episode *last = recording->count == 0 ? NULL : &recording->episodes[recording->count - 1];
    bool same =
        last != NULL &&
        ((id == NULL && last->header.episode_id == NULL) ||
            (id != NULL && last->header.episode_id != NULL && strcmp(id, last->header.episode_id) == 0));
    if (same) {
        return last;
    }
    wd_episode *episode = wd_episode_begin(recording, WD_SPACE_NORM1);
    if (episode != NULL) {
        episode->header.episode_id = id;
        episode->header.task = wd_episode_keep_value(recording, wd_object_get(object, "instruction"));
        episode->header.declared_length = wd_value_int_or(wd_object_get(object, "episode_length"), -1);
    }
    return episode;
}

static void take_step(wd_recording *recording, const wd_value *object, void *context)
{
    (void)context;
    if (!wd_value_is(object, WD_KIND_OBJECT) || episode_of(recording, object) == NULL) {
        return;
    }
    wd_step_record *record = wd_episode_step_add(recording);
    if (record == NULL) {
        return;
    }
    record->step.number = wd_value_int_or(wd_object_get(object, "step_id"), -1);
    record->step.thought = wd_episode_keep_value(recording, wd_object_get(object, "coat_action_think"));
    take_action(recording, record, object);
    take_screen(recording, record, object);
}

void wd_episode_aitz(wd_recording *recording)
{
    const char *name = wd_episode_main_name(recording, ".json");
    if (name == NULL) {
        wd_episode_fail(recording, WD_ENOENT, "no .json file");
        return;
    }
    // The app is in none of its fields, so none is followed: a step's app stays unknown.
    size_t broken = wd_episode_records(recording, name, take_step, NULL);
    if (broken > 0 && recording->count > 0) {
        recording->episodes[0].header.warning = "a part of the file is broken and left out";
    }
}
