#include "model/history.h"

#include "tree/text.h"

struct wd_history {
    wd_world_event *events;  // ring of `capacity` slots, allocated once: a push cannot run out of memory
    size_t capacity, first, count;
};

void wd_world_event_done(wd_world_event *event)
{
    wd_scene_unref(&event->scene);
    wd_semantic_unref(&event->semantic);
    wd_text_free(&event->app);
    wd_text_free(&event->page);
    wd_action_done(&event->action);
    wd_value_unref(&event->args);
    memset(event, 0, sizeof *event);
}

static wd_status event_copy(const wd_world_event *event, wd_world_event *ret_copy)
{
    wd_world_event copy = *event;
    copy.scene = wd_scene_ref(event->scene);
    copy.semantic = wd_semantic_ref(event->semantic);
    copy.args = wd_value_ref(event->args);
    copy.app = copy.page = NULL;
    wd_action_init(&copy.action, WD_ACTION_NOOP);
    wd_status status = wd_action_copy(&event->action, &copy.action);
    if (status == WD_OK && (!wd_text_copy(event->app, &copy.app) || !wd_text_copy(event->page, &copy.page))) {
        status = WD_ENOMEM;
    }
    if (status != WD_OK) {
        wd_world_event_done(&copy);
        return status;
    }
    *ret_copy = copy;
    return WD_OK;
}

wd_status wd_history_new(size_t count_max, wd_history **ret_history)
{
    wd_assert(count_max <= WD_HISTORY_COUNT_MAX);
    wd_history *history = wd_alloc_zero(1, sizeof *history);
    if (history == NULL) {
        return WD_ENOMEM;
    }
    if (count_max > 0) {
        history->events = wd_alloc_zero(count_max, sizeof *history->events);
        if (history->events == NULL) {
            wd_free(history, sizeof *history);
            return WD_ENOMEM;
        }
        history->capacity = count_max;
    }
    *ret_history = history;
    return WD_OK;
}

static wd_world_event *slot_of(const wd_history *history, size_t index)
{
    return &history->events[(history->first + index) % history->capacity];
}

void wd_history_destroy(wd_history **history_p)
{
    wd_history *history = *history_p;
    if (history == NULL) {
        return;
    }
    for (size_t i = 0; i < history->count; i++) {
        wd_world_event_done(slot_of(history, i));
    }
    wd_free(history->events, history->capacity * sizeof *history->events);
    wd_free(history, sizeof *history);
    *history_p = NULL;
}

wd_status wd_history_fork(const wd_history *history, wd_history **ret_fork)
{
    wd_history *fork = NULL;
    wd_status status = wd_history_new(history->capacity, &fork);
    for (size_t i = 0; status == WD_OK && i < history->count; i++) {
        status = event_copy(slot_of(history, i), &fork->events[i]);
        if (status == WD_OK) {
            fork->count += 1;
        }
    }
    if (status != WD_OK) {
        wd_history_destroy(&fork);
        return status;
    }
    *ret_fork = fork;
    return WD_OK;
}

void wd_history_push(wd_history *history, wd_world_event *event)
{
    if (history->capacity == 0) {
        wd_world_event_done(event);
        return;
    }
    if (history->count == history->capacity) {
        wd_world_event_done(slot_of(history, 0));
        history->first = (history->first + 1) % history->capacity;
        history->count -= 1;
    }
    *slot_of(history, history->count) = *event;
    history->count += 1;
    memset(event, 0, sizeof *event);
}

size_t wd_history_count(const wd_history *history)
{
    return history->count;
}

const wd_world_event *wd_history_at(const wd_history *history, size_t index)
{
    wd_assert(index < history->count);
    return slot_of(history, index);
}

wd_status wd_world_event_to_value(const wd_world_event *event, wd_value **ret_value)
{
    char digest[WD_DIGEST_TEXT_SIZE] = "";
    if (event->scene != NULL) {
        wd_digest_text(wd_scene_digest(event->scene), digest);
    }
    return wd_value_pack(ret_value, "{s:i,s:?s,s:?s,s:?s,s:s,s:?v,s:s,s:?s}",        //
        "step", (int64_t)event->step_index, "app", event->app, "page", event->page,  //
        "digest", event->scene == NULL ? NULL : digest,                              //
        "action", wd_action_kind_name(event->action.kind), "args", event->args,      //
        "outcome", wd_outcome_name(event->outcome), "code", event->code);
}
