/// AndroidWorld histories as JSON: an array of steps, or of episodes whose steps are lists side by side.
#include "episode_build.h"

#include "dialect_call.h"
#include "loose.h"

#include <string.h>

static const char selected[] = "Action selected:";

/// One step's texts, wherever they came from.
typedef struct history_step {
    wd_span output;   // what the model wrote
    wd_span summary;  // what the harness made of it
    bool has_summary;
    const wd_value *elements;
} history_step;

// ---- what was carried out -------------------------------------------------------------------------------------

/// The object behind "Action selected:" in the summary; NULL when there is none. *ret_words is its text.
static wd_value *selected_action(wd_recording *recording, wd_span summary, wd_span *ret_words)
{
    size_t at = wd_span_find(summary, selected);
    if (at == summary.length) {
        return NULL;
    }
    wd_span rest = wd_span_trim(wd_span_from(summary, at + strlen(selected)));
    wd_value *object = NULL;
    size_t used = 0;
    if (wd_loose_parse(rest.at, rest.length, &object, &used, NULL) == WD_ENOMEM) {
        wd_episode_check(recording, WD_ENOMEM);
    }
    *ret_words = (wd_span){ rest.at, used };
    return object;
}

/// The numbers of the start_box in a reply of UI-TARS; false when there is none.
static bool start_box(wd_recording *recording, wd_span output, double ret_numbers[4])
{
    wd_call call;
    wd_status status = wd_call_last(output, NULL, &call);
    if (status != WD_OK) {
        wd_episode_check(recording, status == WD_ENOMEM ? status : WD_OK);
        return false;
    }
    int count = wd_span_numbers(wd_value_span(wd_object_get(call.args, "start_box")), ret_numbers);
    wd_call_done(&call);
    return count == 2;
}

/// Points that a UI-TARS model wrote as start_box are thousandths. Where the harness carried out the very same
/// numbers, the recording's points are thousandths sent as pixels; where it scaled them, they are pixels. Decided
/// once, by the first step that shows both.
static wd_space space_of(wd_recording *recording, const wd_value *steps)
{
    for (size_t i = 0; i < wd_array_count(steps); i++) {
        const wd_value *step = wd_array_at(steps, i);
        wd_span words;
        double box[4];
        if (!start_box(recording, wd_value_span(wd_object_get(step, "action_output")), box)) {
            continue;
        }
        wd_value *object = selected_action(recording, wd_value_span(wd_object_get(step, "summary")), &words);
        const wd_value *x = wd_object_get(object, "x");
        bool shown = x != NULL;
        bool same = wd_value_double_or(x, -1) == box[0] &&
                    wd_value_double_or(wd_object_get(object, "y"), -1) == box[1];
        wd_value_unref(&object);
        if (shown) {
            return same ? WD_SPACE_NORM1000 : WD_SPACE_PX;
        }
    }
    return WD_SPACE_PX;
}

/// Does the summary say that only the summary failed? Then the action had been carried out before.
static bool only_summary_failed(wd_span summary)
{
    bool called = wd_span_find(summary, "calling LLM") < summary.length;
    bool selecting = wd_span_find(summary, "action selection") < summary.length;
    return wd_span_find(summary, "summarization") < summary.length || (called && !selecting);
}

/// Whatever the model writes, T3A's JSON or UI-TARS' calls.
static void parse_output(wd_builder *builder, wd_reply_text *text)
{
    bool json = wd_span_find(text->body, "action_type") < text->body.length;
    if (json) {
        wd_dialect_androidworld(builder, text);
    } else {
        wd_dialect_uitars(builder, text);
    }
}

static void take_action(wd_recording *recording, wd_step_record *record, const history_step *step)
{
    wd_span words = { "", 0 };
    wd_value *object = selected_action(recording, step->summary, &words);
    if (object != NULL) {
        wd_builder builder = wd_episode_builder(recording, record);
        wd_androidworld_action(&builder, object, step->output);
        wd_episode_builder_end(recording, record, &builder);
        record->step.executed_text = wd_episode_keep(recording, words.at, words.length);
    } else if (!step->has_summary || only_summary_failed(step->summary)) {
        wd_episode_reply(recording, record, parse_output, step->output);
        record->step.executed_text = record->reply.count == 0 ? NULL : record->reply.actions[0].raw;
        wd_episode_warn(
            recording, record, "the summary does not say what was carried out: taken from the reply");
    } else {
        char reason[200] = "";
        size_t length = step->summary.length < sizeof reason - 1 ? step->summary.length : sizeof reason - 1;
        while (length > 0 && length < step->summary.length &&
               ((unsigned char)step->summary.at[length] & 0xc0) == 0x80) {
            length--;
        }
        memcpy(reason, step->summary.at, length);
        wd_episode_not_executed(
            recording, record, step->output, length == 0 ? "nothing carried out" : reason);
    }
    if (!record->step.executed) {
        record->step.executed_text = NULL;
    }
    wd_value_unref(&object);
}

/// A click by index has the element's box beside it: [x_min, x_max, y_min, y_max].
static void take_target(wd_recording *recording, wd_step_record *record, const wd_value *elements)
{
    wd_action *action = record->reply.count == 0 ? NULL : &record->reply.actions[0];
    if (action == NULL || action->index < 0) {
        return;
    }
    const wd_value *element = wd_array_at(elements, (size_t)action->index);
    const wd_value *box = WD_FIRST_OF(element, "ui_bbox", "bbox_pixels");
    wd_value *turned = NULL;
    if (wd_array_count(box) == 4) {
        wd_episode_check(recording, wd_value_pack(&turned, "[v,v,v,v]", wd_array_at(box, 0),
                                        wd_array_at(box, 2), wd_array_at(box, 1), wd_array_at(box, 3)));
    }
    wd_episode_bounds(record, turned);
    wd_value_unref(&turned);
    wd_rect bounds = record->step.bounds;
    double x = bounds.left + (double)(((int64_t)bounds.right - bounds.left) / 2);
    double y = bounds.top + (double)(((int64_t)bounds.bottom - bounds.top) / 2);
    if (record->step.has_bounds && record->step.bounds_ok && !action->has_point &&
        wd_space_holds(WD_SPACE_PX, x, y)) {
        action->has_point = true;
        action->x = x;
        action->y = y;
        action->space = WD_SPACE_PX;
    } else if (!record->step.has_bounds) {
        wd_episode_warn(recording, record, "element %d is not on the recorded screen", (int)action->index);
    }
}

static void take_step(wd_recording *recording, const history_step *step, const wd_value *reason)
{
    wd_step_record *record = wd_episode_step_add(recording);
    if (record == NULL) {
        return;
    }
    record->step.number = (int64_t)recording->episodes[recording->count - 1].header.step_count - 1;
    record->step.thought = wd_episode_keep_value(recording, reason);
    take_action(recording, record, step);
    take_target(recording, record, step->elements);
    if (wd_array_count(step->elements) > 0) {
        record->place = WD_PLACE_ELEMENTS;
        record->inline_screen = wd_value_ref(step->elements);
        record->step.has_screen = true;
    }
}

// ---- the two shapes -------------------------------------------------------------------------------------------

static wd_tristate truth(const wd_value *value)
{
    if (wd_value_is(value, WD_KIND_BOOL)) {
        return wd_value_as_bool(value) ? WD_YES : WD_NO;
    }
    double number = value != NULL && wd_value_is_number(value) ? wd_value_as_double(value) : -1;
    return number < 0 ? WD_UNKNOWN : number > 0 ? WD_YES : WD_NO;
}

/// An array of steps that repeat the task and the episode's outcome.
static void take_history(wd_recording *recording, const wd_value *steps)
{
    wd_episode *episode = wd_episode_begin(recording, space_of(recording, steps));
    if (episode == NULL) {
        return;
    }
    const wd_value *first = wd_array_at(steps, 0);
    episode->header.task = wd_episode_keep_value(recording, wd_object_get(first, "task_goal"));
    episode->header.success = truth(wd_object_get(first, "result"));
    for (size_t i = 0; i < wd_array_count(steps); i++) {
        const wd_value *object = wd_array_at(steps, i);
        const wd_value *summary = wd_object_get(object, "summary");
        history_step step = {
            .output = wd_value_span(wd_object_get(object, "action_output")),
            .summary = wd_value_span(summary),
            .has_summary = wd_value_is(summary, WD_KIND_STRING),
            .elements = WD_FIRST_OF(object, "ui_description", "before_element_list"),
        };
        take_step(recording, &step, wd_object_get(object, "action_reason"));
    }
    wd_episode_track_apps(recording);
}

/// An episode of the official checkpoint, exported as JSON: `episode_data` holds a list per field.
static void take_checkpoint(wd_recording *recording, const wd_value *object)
{
    const wd_value *data = wd_object_get(object, "episode_data");
    const wd_value *outputs = wd_object_get(data, "action_output");
    const wd_value *summaries = wd_object_get(data, "summary");
    wd_episode *episode = wd_episode_begin(recording, WD_SPACE_PX);
    if (episode == NULL) {
        return;
    }
    episode->header.task = wd_episode_keep_value(recording, wd_object_get(object, "goal"));
    episode->header.task_id = wd_episode_keep_value(recording, wd_object_get(object, "task_template"));
    episode->header.agent = wd_episode_keep_value(recording, wd_object_get(object, "agent_name"));
    episode->header.success = truth(wd_object_get(object, "is_successful"));
    episode->header.declared_length = wd_value_int_or(wd_object_get(object, "episode_length"), -1);
    for (size_t i = 0; i < wd_array_count(outputs); i++) {
        const wd_value *summary = wd_array_at(summaries, i);
        history_step step = {
            .output = wd_value_span(wd_array_at(outputs, i)),
            .summary = wd_value_span(summary),
            .has_summary = wd_value_is(summary, WD_KIND_STRING),
            .elements = wd_array_at(wd_object_get(data, "before_element_list"), i),
        };
        take_step(recording, &step, wd_array_at(wd_object_get(data, "action_reason"), i));
    }
    wd_episode_track_apps(recording);
}

void wd_episode_androidworld(wd_recording *recording)
{
    const char *name = wd_episode_main_name(recording, "history.json");
    name = name == NULL ? wd_episode_name_ending(recording, ".json") : name;
    if (name == NULL) {
        wd_episode_fail(recording, WD_ENOENT, "no history.json");
        return;
    }
    wd_value *root = wd_episode_read_json(recording, name, true);
    const wd_value *first = wd_value_is(root, WD_KIND_ARRAY) ? wd_array_at(root, 0) : root;
    if (wd_object_get(first, "episode_data") == NULL) {
        take_history(recording, root);
    } else if (first == root) {
        take_checkpoint(recording, root);
    } else {
        for (size_t i = 0; i < wd_array_count(root); i++) {
            take_checkpoint(recording, wd_array_at(root, i));
        }
    }
    wd_value_unref(&root);
}

// ---- elements -------------------------------------------------------------------------------------------------

/// "UI element 14: {"index": 14, "is_clickable": True, ...}" and [x_min, x_max, y_min, y_max] as one element.
static wd_status join_element(const wd_value *element, wd_value **ret_joined)
{
    wd_span words = wd_value_span(wd_object_get(element, "ui_description"));
    const wd_value *sides = wd_object_get(element, "ui_bbox");
    size_t start = 0;
    size_t end = 0;
    wd_value *joined = NULL;
    wd_value *box = NULL;
    wd_status status = wd_loose_last_object(words.at, words.length, &joined, &start, &end);
    if (status == WD_ENOENT) {
        joined = wd_value_object();  // an element that cannot be read is still one
        status = WD_OK;
    }
    if (status == WD_OK && wd_array_count(sides) == 4) {
        status = wd_value_pack(&box, "{s:v,s:v,s:v,s:v}", "x_min", wd_array_at(sides, 0), "x_max",
            wd_array_at(sides, 1), "y_min", wd_array_at(sides, 2), "y_max", wd_array_at(sides, 3));
        if (status == WD_OK) {
            status = wd_object_set(&joined, "bbox_pixels", &box);
        }
    }
    wd_value_unref(&box);
    if (status != WD_OK) {
        wd_value_unref(&joined);
        return status;
    }
    *ret_joined = joined;
    return WD_OK;
}

wd_status wd_episode_elements_text(const wd_value *elements, wd_buffer *buffer)
{
    wd_value *all = wd_value_array();
    wd_status status = WD_OK;
    for (size_t i = 0; status == WD_OK && i < wd_array_count(elements); i++) {
        const wd_value *element = wd_array_at(elements, i);
        bool apart = wd_object_get(element, "ui_description") != NULL;
        wd_value *item = apart ? NULL : wd_value_ref(element);
        status = apart ? join_element(element, &item) : WD_OK;
        if (status == WD_OK) {
            status = wd_array_append(&all, &item);
        }
        wd_value_unref(&item);
    }
    if (status == WD_OK) {
        status = wd_json_write(all, WD_JSON_COMPACT, buffer);
    }
    wd_value_unref(&all);
    return status;
}
