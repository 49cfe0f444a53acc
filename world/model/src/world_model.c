#include "model/world_model.h"

#include "remember.h"
#include "screen_change.h"
#include "screens_seen.h"
#include "tree/text.h"

struct wd_world_model {
    wd_world_options options;  // launcher_app is the owned copy in `launcher`
    char *launcher;
    wd_place_now now;
    char *intended_app;   // by the last action that says so, while nothing was observed since; else NULL
    wd_value *variables;  // object
    wd_value *screens;    // {digest: times seen}
    wd_history *history;
    wd_scene *scene;        // the last one seen; NULL when the last capture failed
    wd_semantic *semantic;  // of that scene
    wd_action last_action;
    wd_digest page_keys[2];  // of the last two different pages, the newer first
    wd_world_state state;    // what callers see; points into the fields above
    char last_change[WD_LAST_CHANGE_TEXT_MAX];
};

wd_world_options wd_world_options_default(void)
{
    return (wd_world_options){
        .enabled = true,
        .history_count_max = WD_HISTORY_COUNT_DEFAULT,
        .variables_count_max = WD_VARIABLES_COUNT_MAX,
        .variables_bytes_max = WD_VARIABLES_BYTES_MAX,
        .launcher_app = "launcher",
    };
}

static wd_status check_options(const wd_world_options *options, wd_error *error)
{
    if (options->history_count_max > WD_HISTORY_COUNT_MAX) {
        return wd_error_set(error, WD_EINVAL, "history_count_max: %zu is over the limit of %d",
            options->history_count_max, WD_HISTORY_COUNT_MAX);
    }
    if (options->variables_count_max > WD_VARIABLES_COUNT_LIMIT) {
        return wd_error_set(error, WD_EINVAL, "variables_count_max: %zu is over the limit of %d",
            options->variables_count_max, WD_VARIABLES_COUNT_LIMIT);
    }
    if (options->variables_bytes_max > WD_VARIABLES_BYTES_LIMIT) {
        return wd_error_set(error, WD_EINVAL, "variables_bytes_max: %zu is over the limit of %d",
            options->variables_bytes_max, WD_VARIABLES_BYTES_LIMIT);
    }
    return WD_OK;
}

/// Point the visible state at the model's own fields.
static void publish(wd_world_model *model)
{
    model->options.launcher_app = model->launcher;
    model->state.current_app = model->now.app;
    model->state.current_app_source = model->now.app_source;
    model->state.current_page = model->now.page;
    model->state.current_page_source = model->now.page_source;
    model->state.stale = model->now.stale;
    model->state.variables = model->variables;
    model->state.history = model->history;
    model->state.last_change = model->last_change;
}

wd_status wd_world_model_new(const wd_world_options *options, wd_world_model **ret_model, wd_error *error)
{
    wd_status status = check_options(options, error);
    if (status != WD_OK) {
        return status;
    }
    wd_world_model *model = wd_alloc_zero(1, sizeof *model);
    if (model == NULL) {
        return wd_error_set(error, WD_ENOMEM, "world model: out of memory");
    }
    model->options = *options;
    model->variables = wd_value_object();
    model->screens = wd_value_object();
    wd_action_init(&model->last_action, WD_ACTION_NOOP);
    if (!wd_text_copy(options->launcher_app, &model->launcher) ||
        wd_history_new(options->history_count_max, &model->history) != WD_OK) {
        wd_world_model_destroy(&model);
        return wd_error_set(error, WD_ENOMEM, "world model: out of memory");
    }
    publish(model);
    *ret_model = model;
    return WD_OK;
}

void wd_world_model_destroy(wd_world_model **model_p)
{
    wd_world_model *model = *model_p;
    if (model == NULL) {
        return;
    }
    wd_text_free(&model->launcher);
    wd_place_done(&model->now);
    wd_text_free(&model->intended_app);
    wd_value_unref(&model->variables);
    wd_value_unref(&model->screens);
    wd_history_destroy(&model->history);
    wd_scene_unref(&model->scene);
    wd_semantic_unref(&model->semantic);
    wd_action_done(&model->last_action);
    wd_free(model, sizeof *model);
    *model_p = NULL;
}

wd_status wd_world_model_fork(const wd_world_model *model, wd_world_model **ret_fork)
{
    wd_world_model *fork = NULL;
    wd_status status = wd_world_model_new(&model->options, &fork, NULL);
    if (status != WD_OK) {
        return status;
    }
    wd_history *history = NULL;
    wd_place_now now = { 0 };
    char *intended = NULL;
    status = wd_history_fork(model->history, &history);
    if (status == WD_OK) {
        status = wd_place_copy(&model->now, &now);
    }
    if (status == WD_OK && !wd_text_copy(model->intended_app, &intended)) {
        status = WD_ENOMEM;
    }
    if (status == WD_OK) {
        status = wd_action_copy(&model->last_action, &fork->last_action);
    }
    if (status != WD_OK) {
        wd_history_destroy(&history);
        wd_place_done(&now);
        wd_world_model_destroy(&fork);
        return status;
    }
    wd_history_destroy(&fork->history);
    wd_value_unref(&fork->variables);
    wd_value_unref(&fork->screens);
    fork->history = history;
    fork->now = now;
    fork->intended_app = intended;
    fork->variables = wd_value_ref(model->variables);
    fork->screens = wd_value_ref(model->screens);
    fork->scene = wd_scene_ref(model->scene);
    fork->semantic = wd_semantic_ref(model->semantic);
    memcpy(fork->page_keys, model->page_keys, sizeof fork->page_keys);
    memcpy(fork->last_change, model->last_change, sizeof fork->last_change);
    fork->state = model->state;
    publish(fork);
    *ret_fork = fork;
    return WD_OK;
}

const wd_world_state *wd_world_model_state(const wd_world_model *model)
{
    return model->options.enabled ? &model->state : NULL;
}

void wd_observe_report_done(wd_observe_report *report)
{
    wd_value_unref(&report->remembered);
    wd_value_unref(&report->forgotten);
    memset(report, 0, sizeof *report);
}

wd_status wd_observe_report_to_value(const wd_observe_report *report, wd_value **ret_value)
{
    return wd_value_pack(ret_value, "{s:i,s:?v,s:?v,s:?s,s:b,s:b,s:b,s:s}",  //
        "step", (int64_t)report->step_index, "remembered", report->remembered, "forgotten",
        report->forgotten,                                                                   //
        "refused", report->refused[0] == '\0' ? NULL : report->refused,                      //
        "app_changed", (int)report->app_changed, "page_changed", (int)report->page_changed,  //
        "screen_changed", (int)report->screen_changed, "last_change", report->last_change);
}

/// Everything that a scene or a step changes, built aside; publishing it cannot fail.
typedef struct draft {
    wd_place_now place;
    char *intended_app;
    wd_value *variables, *screens;
    wd_world_event event;
    wd_action action;
    uint32_t repeat_count;
    wd_digest key;
} draft;

static draft draft_start(void)
{
    draft next = { 0 };
    wd_action_init(&next.action, WD_ACTION_NOOP);
    wd_action_init(&next.event.action, WD_ACTION_NOOP);
    return next;
}

static void draft_done(draft *next)
{
    wd_place_done(&next->place);
    wd_text_free(&next->intended_app);
    wd_value_unref(&next->variables);
    wd_value_unref(&next->screens);
    wd_world_event_done(&next->event);
    wd_action_done(&next->action);
}

/// What the new screen alone decides: place, times seen, page key. `next->screens` is given.
static wd_status draft_screen(const wd_world_model *model, const wd_scene *scene, const wd_semantic *semantic,
    const char *intended_app, draft *next)
{
    wd_status status = wd_place_derive(&model->now, scene, semantic, intended_app, &next->place);
    if (status == WD_OK) {
        status = wd_screens_count(&next->screens, scene, &next->repeat_count);
    }
    if (status == WD_OK) {
        status = wd_seen_page_key(scene, semantic, &next->place, &next->key);
    }
    return status;
}

static wd_status draft_event(
    const wd_world_model *model, const wd_step *step, const wd_result *result, wd_world_event *event)
{
    event->step_index = model->state.step_index;
    event->scene = wd_scene_ref(model->scene);
    event->semantic = wd_semantic_ref(model->semantic);
    event->args = wd_value_ref(step->args);
    event->outcome = result->outcome;
    event->code = result->code;
    if (!wd_text_copy(model->now.app, &event->app) || !wd_text_copy(model->now.page, &event->page)) {
        return WD_ENOMEM;
    }
    return wd_action_copy(&step->action, &event->action);
}

static wd_status draft_step(const wd_world_model *model, const wd_scene *scene, const wd_semantic *semantic,
    const wd_step *step, const wd_result *result, wd_observe_report *report, draft *next)
{
    const char *app = NULL;
    bool intention_void = false;
    wd_place_intention(step, result, model->launcher, &app, &intention_void);
    if (app == NULL && !intention_void) {
        app = model->intended_app;
    }
    next->screens = wd_value_ref(model->screens);
    wd_status status = draft_screen(model, scene, semantic, app, next);
    bool intended = status == WD_OK && app != NULL && !next->place.stale &&
                    wd_text_same(next->place.app_source, WD_SOURCE_ACTION);
    if (intended && !wd_text_copy(app, &next->intended_app)) {  // holds until something is observed
        status = WD_ENOMEM;
    }
    if (status == WD_OK) {
        status = wd_remember(model->variables, step, result, &model->options, report, &next->variables);
    }
    if (status == WD_OK) {
        status = draft_event(model, step, result, &next->event);
    }
    if (status == WD_OK) {
        status = wd_action_copy(&step->action, &next->action);
    }
    return status;
}

/// Move the draft into the model; what was there goes into the draft and is dropped with it.
static void take_draft(wd_world_model *model, draft *next, const wd_scene *scene, const wd_semantic *semantic)
{
#define SWAP(type, a, b)                                                                                     \
    do {                                                                                                     \
        type swap_ = (a);                                                                                    \
        (a) = (b);                                                                                           \
        (b) = swap_;                                                                                         \
    } while (0)
    SWAP(wd_place_now, model->now, next->place);
    SWAP(char *, model->intended_app, next->intended_app);
    SWAP(wd_value *, model->variables, next->variables);
    SWAP(wd_value *, model->screens, next->screens);
    SWAP(wd_action, model->last_action, next->action);
#undef SWAP
    wd_scene *old_scene = model->scene;
    wd_semantic *old_semantic = model->semantic;
    model->scene = wd_scene_ref(scene);
    model->semantic = wd_semantic_ref(semantic);
    wd_scene_unref(&old_scene);
    wd_semantic_unref(&old_semantic);
    model->state.repeat_count = next->repeat_count;
    if (wd_digest_given(next->key) && !wd_digest_equal(next->key, model->page_keys[0])) {
        model->page_keys[1] = model->page_keys[0];
        model->page_keys[0] = next->key;
    }
    publish(model);
}

wd_status wd_world_model_begin(wd_world_model *model, const wd_scene *scene, const wd_semantic *semantic)
{
    if (!model->options.enabled) {
        return WD_OK;
    }
    wd_world_model *fresh = NULL;  // nothing of an earlier use survives
    wd_status status = wd_world_model_new(&model->options, &fresh, NULL);
    if (status != WD_OK) {
        return status;
    }
    draft next = draft_start();
    next.variables = wd_value_object();
    next.screens = wd_value_object();
    status = draft_screen(fresh, scene, semantic, NULL, &next);
    if (status == WD_OK) {
        take_draft(fresh, &next, scene, semantic);
        strcpy(fresh->last_change, "first screen");
        wd_world_model old = *model;
        *model = *fresh;
        *fresh = old;
        publish(model);
    }
    draft_done(&next);
    wd_world_model_destroy(&fresh);
    return status;
}

wd_status wd_world_model_observe(wd_world_model *model, const wd_scene *scene, const wd_semantic *semantic,
    const wd_step *step, const wd_result *result, wd_observe_report *ret_report)
{
    wd_assert(result->outcome != WD_OUTCOME_REFUSED);
    wd_observe_report report = { .step_index = model->state.step_index };
    if (!model->options.enabled) {
        *ret_report = report;
        return WD_OK;
    }
    draft next = draft_start();
    wd_status status = draft_step(model, scene, semantic, step, result, &report, &next);
    if (status != WD_OK) {
        draft_done(&next);
        wd_observe_report_done(&report);
        return status;
    }
    bool screen_same = scene != NULL && model->scene != NULL &&
                       wd_digest_equal(wd_scene_digest(scene), wd_scene_digest(model->scene));
    report.screen_changed = scene != NULL && !screen_same;
    report.app_changed = !wd_text_same(model->now.app, next.place.app);
    report.page_changed = report.app_changed || !wd_text_same(model->now.page, next.place.page);
    wd_screen_change(model->scene, model->now.app, model->now.page, scene, next.place.app, next.place.page,
        model->last_change);
    memcpy(report.last_change, model->last_change, sizeof report.last_change);
    bool repeated = model->state.step_index > 0 && wd_action_equal(&model->last_action, &step->action);
    model->state.signals =
        wd_signals_after(&model->state.signals, step, repeated, screen_same, next.key, model->page_keys);
    wd_history_push(model->history, &next.event);
    model->state.step_index += 1;
    take_draft(model, &next, scene, semantic);
    draft_done(&next);
    *ret_report = report;
    return WD_OK;
}
