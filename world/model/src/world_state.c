#include "model/world_state.h"

wd_status wd_signals_to_value(const wd_signals *signals, wd_value **ret_value)
{
    return wd_value_pack(ret_value, "{s:i,s:i,s:i,s:i,s:i}",         //
        "same_screen_streak", (int64_t)signals->same_screen_streak,  //
        "same_page_streak", (int64_t)signals->same_page_streak,      //
        "repeated_action", (int64_t)signals->repeated_action,        //
        "no_effect", (int64_t)signals->no_effect,                    //
        "ping_pong", (int64_t)signals->ping_pong);
}

static wd_status history_to_value(const wd_history *history, wd_value **ret_value)
{
    wd_value *events = wd_value_array();
    for (size_t i = 0; i < wd_history_count(history); i++) {
        wd_value *event = NULL;
        wd_status status = wd_world_event_to_value(wd_history_at(history, i), &event);
        if (status == WD_OK) {
            status = wd_array_append(&events, &event);
        }
        if (status != WD_OK) {
            wd_value_unref(&event);
            wd_value_unref(&events);
            return status;
        }
    }
    *ret_value = events;
    return WD_OK;
}

wd_status wd_world_state_to_value(const wd_world_state *state, bool with_history, wd_value **ret_value)
{
    wd_value *history = NULL;
    wd_value *signals = NULL;
    wd_status status = with_history ? history_to_value(state->history, &history) : WD_OK;
    if (status == WD_OK) {
        status = wd_signals_to_value(&state->signals, &signals);
    }
    if (status == WD_OK) {
        status = wd_value_pack(ret_value, "{s:?s,s:?s,s:?s,s:?s,s:b,s:v,s:?v,s:i,s:i,s:s,s:v}",      //
            "current_app", state->current_app, "current_app_source", state->current_app_source,      //
            "current_page", state->current_page, "current_page_source", state->current_page_source,  //
            "stale", (int)state->stale, "variables", state->variables, "history", history,           //
            "step_index", (int64_t)state->step_index, "repeat_count", (int64_t)state->repeat_count,  //
            "last_change", state->last_change, "signals", signals);
    }
    wd_value_unref(&history);
    wd_value_unref(&signals);
    return status;
}
