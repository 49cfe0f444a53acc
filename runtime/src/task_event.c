#include "runtime/task_event.h"

#include <string.h>

/// What an event does; `what` is the member that names its kind.
typedef struct event_kind {
    const char *name;
    wd_kind wants;
    const char *members[3];  // texts that `what` must have
    wd_status (*apply)(wd_device *device, const wd_value *what, wd_error *error);
} event_kind;

/// Call an operation with `args_p`, which is taken.
static wd_status operate(wd_device *device, const char *op, wd_value **args_p, wd_error *error)
{
    wd_status status = wd_device_call(device, op, *args_p, NULL, error);
    wd_value_unref(args_p);
    return status;
}

static wd_status apply_sms(wd_device *device, const wd_value *what, wd_error *error)
{
    wd_value *args = NULL;
    wd_status status = wd_value_pack(&args, "{s:{s:v,s:v}}", "v", "from", wd_object_get(what, "from"), "body",
        wd_object_get(what, "text"));
    return status == WD_OK ? operate(device, "sms", &args, error) : status;
}

static wd_status apply_notice(wd_device *device, const wd_value *what, wd_error *error)
{
    wd_value *args = NULL;
    wd_status status = wd_value_pack(&args, "{s:{s:v,s:v,s:v}}", "v", "appId", wd_object_get(what, "app"),
        "title", wd_object_get(what, "title"), "body", wd_object_get(what, "text"));
    return status == WD_OK ? operate(device, "push", &args, error) : status;
}

static wd_status apply_call(wd_device *device, const wd_value *what, wd_error *error)
{
    wd_value *args = NULL;
    wd_status status = wd_value_pack(&args, "{s:{s:s,s:v,s:s,s:s}}", "v", "appId", "contacts", "title",
        wd_object_get(what, "from"), "body", "Missed call", "importance", "high");
    return status == WD_OK ? operate(device, "push", &args, error) : status;
}

static wd_status permission(wd_device *device, const char *op, const wd_value *what, wd_error *error)
{
    wd_value *args = NULL;
    wd_status status = wd_value_pack(
        &args, "{s:v,s:v}", "app", wd_object_get(what, "app"), "perm", wd_object_get(what, "permission"));
    return status == WD_OK ? operate(device, op, &args, error) : status;
}

static wd_status apply_revoke(wd_device *device, const wd_value *what, wd_error *error)
{
    return permission(device, "revoke", what, error);
}

static wd_status apply_grant(wd_device *device, const wd_value *what, wd_error *error)
{
    return permission(device, "grant", what, error);
}

static wd_status apply_network(wd_device *device, const wd_value *what, wd_error *error)
{
    static const char *const radios[] = { "wifi", "mobileData" };
    wd_status status = WD_OK;
    for (size_t i = 0; status == WD_OK && i < WD_COUNT_OF(radios); i++) {
        wd_value *args = NULL;
        status = wd_value_pack(&args, "{s:v}", "v", what);
        status = status == WD_OK ? operate(device, radios[i], &args, error) : status;
    }
    return status;
}

static wd_status apply_inject(wd_device *device, const wd_value *what, wd_error *error)
{
    return wd_device_inject(device, what, true, false, error);
}

static const event_kind kinds[] = {
    { "sms", WD_KIND_OBJECT, { "from", "text" }, apply_sms },
    { "call", WD_KIND_OBJECT, { "from" }, apply_call },
    { "notice", WD_KIND_OBJECT, { "app", "title", "text" }, apply_notice },
    { "revoke", WD_KIND_OBJECT, { "app", "permission" }, apply_revoke },
    { "grant", WD_KIND_OBJECT, { "app", "permission" }, apply_grant },
    { "network", WD_KIND_BOOL, { NULL }, apply_network },
    { "inject", WD_KIND_OBJECT, { NULL }, apply_inject },
};

static const event_kind *kind_of(const wd_value *event, const wd_value **ret_what)
{
    for (size_t i = 0; i < WD_COUNT_OF(kinds); i++) {
        *ret_what = wd_object_get(event, kinds[i].name);
        if (*ret_what != NULL) {
            return &kinds[i];
        }
    }
    return NULL;
}

static wd_status check_one(const wd_value *event, wd_error *error)
{
    const wd_value *what = NULL;
    const event_kind *kind = kind_of(event, &what);
    if (kind == NULL || wd_object_count(event) != 2) {
        return wd_error_set(error, WD_EINVAL, "wants a time and one thing that happens");
    }
    const wd_value *after = wd_object_get(event, "after"), *at_ms = wd_object_get(event, "at_ms");
    if (wd_value_int_or(after == NULL ? at_ms : after, 0) < 1) {
        return wd_error_set(error, WD_EINVAL, "\"after\" or \"at_ms\" must be a whole number from 1 on");
    }
    if (!wd_value_is(what, kind->wants)) {
        return wd_error_set(error, WD_ETYPE, "%s: must be %s", kind->name, wd_kind_name(kind->wants));
    }
    for (size_t i = 0; i < WD_COUNT_OF(kind->members) && kind->members[i] != NULL; i++) {
        if (!wd_value_is(wd_object_get(what, kind->members[i]), WD_KIND_STRING)) {
            return wd_error_set(error, WD_ETYPE, "%s.%s: must be a text", kind->name, kind->members[i]);
        }
    }
    return WD_OK;
}

wd_status wd_task_events_check(const wd_value *list, wd_error *error)
{
    if (wd_array_count(list) > WD_TASK_EVENTS_MAX) {
        return wd_error_set(error, WD_ELIMIT, "task.events: over %d", WD_TASK_EVENTS_MAX);
    }
    wd_iter event = wd_iter_start(list);
    while (wd_iter_next(&event)) {
        wd_status status = check_one(event.value, error);
        if (status != WD_OK) {
            wd_error_prefix(error, "task.events[%zu]", event.index);
            return status;
        }
    }
    return WD_OK;
}

wd_task_events wd_task_events_start(const wd_value *list, const wd_device *device)
{
    return (wd_task_events){ .list = list, .start_ms = wd_device_time_ms(device) };
}

static bool is_due(const wd_task_events *events, const wd_value *event, const wd_device *device)
{
    const wd_value *after = wd_object_get(event, "after");
    return after != NULL ? events->actions >= wd_value_int_or(after, 0)
                         : wd_device_time_ms(device) - events->start_ms >=
                               wd_value_int_or(wd_object_get(event, "at_ms"), 0);
}

wd_status wd_task_events_pass(wd_task_events *events, wd_device *device, wd_error *error)
{
    wd_status status = WD_OK;
    events->actions += 1;
    wd_iter event = wd_iter_start(events->list);
    while (status == WD_OK && wd_iter_next(&event)) {
        uint64_t bit = UINT64_C(1) << event.index;
        const wd_value *what = NULL;
        if ((events->done & bit) != 0 || !is_due(events, event.value, device)) {
            continue;
        }
        events->done |= bit;
        status = kind_of(event.value, &what)->apply(device, what, error);
        if (status != WD_OK) {
            wd_error_prefix(error, "task.events[%zu]", event.index);
        }
    }
    return status;
}

wd_status wd_task_events_after(wd_task_events *events, wd_device *device, wd_result *result)
{
    wd_error error;
    if (result->outcome == WD_OUTCOME_REFUSED) {
        return WD_OK;  // nothing was executed, no time has passed
    }
    wd_status status = wd_task_events_pass(events, device, &error);
    if (status != WD_OK && status != WD_ENOMEM) {
        *result = wd_result_make(WD_OUTCOME_FAILED, status, "event_failed", "%s", error.text);
        status = WD_OK;
    }
    return status;
}
