#include "intent.h"

#include "coerce.h"
#include "task.h"

#include <stdio.h>
#include <string.h>

// ---- matching ---------------------------------------------------------------------------------------------

static bool type_matches(const char *wanted, const char *type)
{
    size_t length = strlen(wanted);
    if (length >= 2 && strcmp(wanted + length - 2, "/*") == 0) {
        return strncmp(type, wanted, length - 1) == 0;
    }
    return strcmp(type, wanted) == 0;
}

bool wd_intent_filter_matches(const wd_value *filter, const wd_value *intent)
{
    wd_slice action = wd_trimmed(wd_object_get(intent, "action"));
    if (action.length == 0 || !wd_slice_is(action, wd_value_string_or(wd_object_get(filter, "action"), ""))) {
        return false;
    }
    const char *scheme = wd_value_string_or(wd_object_get(filter, "scheme"), "");
    if (scheme[0] != '\0' && !wd_value_is_text(wd_object_get(intent, "scheme"), scheme)) {
        return false;
    }
    const char *type = wd_value_string_or(wd_object_get(filter, "type"), "");
    const char *given = wd_value_string_or(wd_object_get(intent, "type"), "");
    return type[0] == '\0' || (given[0] != '\0' && type_matches(type, given));
}

const wd_value *wd_intent_match(const wd_value *manifest, const wd_value *intent)
{
    const wd_value *filters = wd_object_get(manifest, "intentFilters");
    size_t count = wd_array_count(filters);
    for (size_t i = 0; i < count; i++) {
        if (wd_intent_filter_matches(wd_array_at(filters, i), intent)) {
            return wd_array_at(filters, i);
        }
    }
    return NULL;
}

static const char *filter_mode(const wd_value *filter)
{
    return wd_value_string_or(wd_object_get(filter, "launchMode"), "standard");
}

wd_status wd_intent_matches(const wd_machine *machine, const wd_value *intent, wd_value **ret_matches)
{
    const wd_value *packages = wd_machine_get(machine, WD_AT("sys", "packages"));
    size_t count = wd_array_count(packages);
    wd_value *matches = wd_value_array();
    wd_status status = WD_OK;
    for (size_t i = 0; i < count && status == WD_OK; i++) {
        const wd_value *manifest = wd_array_at(packages, i);
        const wd_value *filter = wd_intent_match(manifest, intent);
        if (filter == NULL) {
            continue;
        }
        wd_value *match = NULL;
        status = wd_value_pack(&match, "{s:v,s:s,s:s}", "app", wd_object_get(manifest, "id"), "route",
            wd_value_string_or(wd_object_get(filter, "route"), "/"), "launchMode", filter_mode(filter));
        if (status == WD_OK) {
            status = wd_array_append(&matches, &match);
        }
        wd_value_unref(&match);
    }
    if (status != WD_OK) {
        wd_value_unref(&matches);
        return status;
    }
    *ret_matches = matches;
    return WD_OK;
}

// ---- launching --------------------------------------------------------------------------------------------

/// Intent with data extended by who called.
static wd_status tag_caller(const wd_launch *launch, wd_value **ret_payload)
{
    const wd_value *given = wd_object_get(launch->intent, "data");
    wd_value *data = wd_value_is(given, WD_KIND_OBJECT) ? wd_value_ref(given) : wd_value_object();
    wd_value *payload = wd_value_ref(launch->intent);
    wd_value *caller = NULL;
    wd_status status = wd_value_text(launch->caller_app != NULL ? launch->caller_app : "", &caller);
    if (status == WD_OK) {
        status = wd_object_set(&data, "__callerAppId", &caller);
    }
    if (status == WD_OK) {
        status = wd_object_set(&payload, "data", &data);
    }
    wd_value_unref(&caller);
    wd_value_unref(&data);
    if (status != WD_OK) {
        wd_value_unref(&payload);
        return status;
    }
    *ret_payload = payload;
    return WD_OK;
}

/// Push an activity of the target on a task and navigate it to `base`: it is new, so it is its own history
/// that moves.
static wd_status push_target(wd_machine *machine, const char *task_id, const wd_launch *launch,
    const char *base, const wd_value *payload, const char *caller_task)
{
    const char *callback = launch->for_result ? launch->callback : NULL;
    int64_t code = 0;
    wd_value *caller_activity = NULL;
    wd_value *id = NULL;
    wd_value *activity = NULL;
    wd_value *request = NULL;
    wd_status status = WD_OK;
    if (callback != NULL) {
        caller_activity =
            wd_value_ref(wd_object_get(wd_task_top(wd_task_active(machine).task), "activityId"));
        status = wd_machine_draw(machine, "request", &code);
        if (status == WD_OK) {
            status = wd_value_int(code, &request);
        }
    }
    if (status == WD_OK) {
        status = wd_activity_draw_id(machine, &id);
    }
    if (status == WD_OK) {
        status = wd_value_pack(&activity, "{s:v,s:s,s:s,s:?s,s:v,s:?v,s:?v}", "activityId", id, "appId",
            launch->target, "initialRoute", base, "launchedByTaskId", caller_task, "intent", payload,
            "requestCode", request, "callerActivityId", caller_activity);
    }
    bool done = false;
    if (status == WD_OK) {
        status = wd_task_push(machine, task_id, &activity, &done);
    }
    if (status == WD_OK) {
        status = wd_history_navigate(machine, wd_value_as_string(id, NULL), base, true, &done);
    }
    if (status == WD_OK && callback != NULL) {
        char key[24];
        snprintf(key, sizeof key, "%lld", (long long)code);
        status = wd_machine_put_text(machine, WD_AT("sys", "pending", key), callback);
    }
    wd_value_unref(&caller_activity);
    wd_value_unref(&request);
    wd_value_unref(&activity);
    wd_value_unref(&id);
    return status;
}

/// The target's task exists and wants to be the only one: down to its root, which gets the payload and the
/// page.
static wd_status reenter_single(
    wd_machine *machine, const wd_launch *launch, const char *base, const wd_value *payload)
{
    wd_task_at at = wd_task_of_root(machine, launch->target);
    wd_value *task_id = wd_value_ref(wd_object_get(at.task, "taskId"));
    wd_value *root_id =
        wd_value_ref(wd_object_get(wd_array_at(wd_object_get(at.task, "stack"), 0), "activityId"));
    const char *task = wd_value_as_string(task_id, NULL);
    const char *root = wd_value_as_string(root_id, NULL);
    wd_status status = WD_OK;
    bool more = true;
    while (status == WD_OK && more) {
        status = wd_task_pop(machine, task, &more);
    }
    bool done = false;
    if (status == WD_OK) {
        status = wd_task_set_intent(machine, task, root, payload, &done);
    }
    if (status == WD_OK) {
        status = wd_call_launch(machine, launch->target);
    }
    if (status == WD_OK) {
        status = wd_history_pop_to_root(machine, root);
    }
    if (status == WD_OK) {
        status = wd_history_navigate(machine, root, base, false, &done);
    }
    wd_value_unref(&task_id);
    wd_value_unref(&root_id);
    return status;
}

/// The target on its own task, which may have to be made.
static wd_status launch_own_task(
    wd_machine *machine, const wd_launch *launch, const char *base, bool single, const wd_value *payload)
{
    bool existed = wd_task_of_root(machine, launch->target).task != NULL;
    if (existed && single) {
        return reenter_single(machine, launch, base, payload);
    }
    wd_value *caller = wd_value_ref(wd_object_get(wd_task_active(machine).task, "taskId"));
    wd_status status = wd_call_launch(machine, launch->target);
    wd_value *task_id = wd_value_ref(wd_object_get(wd_task_of_root(machine, launch->target).task, "taskId"));
    if (status == WD_OK && existed) {
        status = push_target(machine, wd_value_as_string(task_id, NULL), launch, base, payload,
            wd_value_as_string(caller, NULL));
    } else if (status == WD_OK) {
        bool done = false;
        wd_value *activity = wd_value_ref(
            wd_object_get(wd_task_top(wd_task_of_root(machine, launch->target).task), "activityId"));
        status = wd_task_mark_external(machine, launch->target, &done);
        if (status == WD_OK) {
            status = wd_task_set_intent(machine, wd_value_as_string(task_id, NULL),
                wd_value_as_string(activity, NULL), payload, &done);
        }
        if (status == WD_OK) {
            status = wd_history_navigate(machine, wd_value_as_string(activity, NULL), base, !single, &done);
        }
        wd_value_unref(&activity);
    }
    wd_value_unref(&task_id);
    wd_value_unref(&caller);
    return status;
}

wd_status wd_launch_target(wd_machine *machine, const wd_launch *launch, bool *ret_launched)
{
    *ret_launched = false;
    const wd_value *active = wd_task_active(machine).task;
    if (wd_task_top(active) == NULL || (launch->for_result && launch->callback == NULL)) {
        return WD_OK;
    }
    const wd_value *manifest = wd_package_find(machine, launch->target);
    const wd_value *filter = wd_intent_match(manifest, launch->intent);
    const char *route = wd_value_string_or(wd_object_get(launch->intent, "route"), NULL);
    if (manifest == NULL || (filter == NULL && (route == NULL || route[0] == '\0'))) {
        return WD_OK;
    }
    *ret_launched = true;
    const char *base = route != NULL ? route : wd_value_string_or(wd_object_get(filter, "route"), "/");
    wd_value *task_id = wd_value_ref(wd_object_get(active, "taskId"));
    wd_value *payload = NULL;
    wd_status status;
    if (launch->for_result) {
        status = push_target(machine, wd_value_as_string(task_id, NULL), launch, base, launch->intent, NULL);
    } else {
        bool single = strcmp(filter_mode(filter), "singleTask") == 0;
        status = tag_caller(launch, &payload);
        if (status == WD_OK && (launch->new_task || single)) {
            status = launch_own_task(machine, launch, base, single, payload);
        } else if (status == WD_OK) {
            status = push_target(machine, wd_value_as_string(task_id, NULL), launch, base, payload, NULL);
        }
    }
    wd_value_unref(&payload);
    wd_value_unref(&task_id);
    return status;
}
