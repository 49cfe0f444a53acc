// Receivers of broadcasts (os.md 12). Sending itself is the machine's: wd_machine_broadcast().
#include "services.h"

#include <math.h>
#include <string.h>

enum { RECEIVERS_MAX = 1024 };

#define RECEIVERS WD_AT("sys", "receivers")

static wd_status op_receiver(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    const char *action = NULL, *as = NULL;
    bool throws = false;
    const wd_value *priority = wd_object_get(args, "priority");
    wd_status status = wd_arg_text(args, "action", &action, error);
    if (status == WD_OK) {
        status = wd_arg_text(args, "as", &as, error);
    }
    if (status == WD_OK) {
        status = wd_arg_bool_optional(args, "throws", &throws, error);
    }
    if (status != WD_OK) {
        return status;
    }
    wd_slice name = wd_slice_trim(action, strlen(action));
    wd_value *list = wd_value_ref(wd_machine_get(machine, RECEIVERS)), *row = NULL, *trimmed = NULL;
    list = list != NULL ? list : wd_value_array();
    if (wd_array_count(list) >= RECEIVERS_MAX) {
        status = wd_error_set(error, WD_ELIMIT, "as: %d receivers are registered already", RECEIVERS_MAX);
    }
    if (status == WD_OK) {
        status = wd_slice_value(name, &trimmed);
    }
    if (status == WD_OK) {
        status = wd_value_pack(&row, "{s:v,s:s,s:d,s:b}", "action", trimmed, "as", as, "priority",
            wd_value_double_or(priority, 0), "throws", throws);
    }
    if (status == WD_OK) {
        status = wd_list_push(&list, &row);
    }
    if (status == WD_OK) {
        status = wd_machine_put(machine, RECEIVERS, &list);
    }
    wd_value_unref(&list);
    wd_value_unref(&trimmed);
    wd_value_unref(&row);
    return status;
}

static wd_status op_unreceiver(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    const char *as = NULL;
    wd_status status = wd_arg_text(args, "as", &as, error);
    wd_value *list = wd_value_ref(status == WD_OK ? wd_machine_get(machine, RECEIVERS) : NULL);
    for (size_t i = wd_array_count(list); status == WD_OK && i-- > 0;) {
        if (wd_value_is_text(wd_object_get(wd_array_at(list, i), "as"), as)) {
            status = wd_array_remove(&list, i);
        }
    }
    if (status == WD_OK && list != NULL) {
        return wd_machine_put(machine, RECEIVERS, &list);
    }
    wd_value_unref(&list);
    return status;
}

/// {action, data?, extras?} of an intent.
static wd_status reduce(const wd_value *intent, wd_slice action, const char *name, wd_value **ret_intent)
{
    wd_value *trimmed = NULL;
    wd_status status = wd_slice_value(action, &trimmed);
    if (status == WD_OK) {
        status = wd_value_pack(ret_intent, "{s:v,s:?v,s:?v}", name, trimmed, "data",
            wd_object_get(intent, "data"), "extras", wd_object_get(intent, "extras"));
    }
    wd_value_unref(&trimmed);
    return status;
}

static wd_status send(wd_machine *machine, const wd_value *intent)
{
    wd_value *extras = wd_value_ref(wd_object_get(intent, "extras"));
    return wd_machine_broadcast_data(machine, wd_value_string_or(wd_object_get(intent, "action"), ""),
        wd_object_get(intent, "data"), &extras);
}

static wd_status op_send(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    const wd_value *intent = NULL;
    wd_status status = wd_arg_object(args, "v", &intent, error);
    return status == WD_OK ? send(machine, intent) : status;
}

static wd_status mark(wd_machine *machine, const char *text)
{
    wd_value *event = NULL;
    wd_status status = wd_value_pack(&event, "{s:s}", "mark", text);
    return status == WD_OK ? wd_machine_event(machine, &event) : status;
}

/// Sending, and a mark at its return: receivers come after it.
static wd_status op_send_mark(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    wd_status status = op_send(machine, args, ret_answer, error);
    return status == WD_OK ? mark(machine, "returned from send") : status;
}

/// The receiver of `action` with the highest priority below (`limit`, `after`), in order of registration; the
/// list's length when there is none. *limit_p and *after_p move on to it.
static bool next_ordered(
    const wd_value *list, const wd_value *action, double *limit_p, size_t *after_p, const wd_value **ret_row)
{
    double best = -INFINITY;
    size_t at = 0;
    bool found = false;
    wd_iter iter = wd_iter_start(list);
    while (wd_iter_next(&iter)) {
        double priority = wd_value_double_or(wd_object_get(iter.value, "priority"), 0);
        bool is_left = priority < *limit_p || (priority == *limit_p && iter.index > *after_p);
        if (is_left && wd_value_equal(wd_object_get(iter.value, "action"), action) &&
            (!found || priority > best)) {
            best = priority;
            at = iter.index;
            *ret_row = iter.value;
            found = true;
        }
    }
    *limit_p = best;
    *after_p = at;
    return found;
}

/// Deliver at once, by falling priority, then in order of registration.
static wd_status send_ordered(wd_machine *machine, const wd_value *intent, wd_slice action)
{
    wd_value *list = wd_value_ref(wd_machine_get(machine, RECEIVERS)), *told = NULL, *event = NULL;
    const wd_value *row = NULL;
    double limit = INFINITY;
    size_t after = 0;
    wd_status status = reduce(intent, action, "action", &told);
    if (status == WD_OK) {
        status = reduce(intent, action, "broadcast", &event);
    }
    if (status == WD_OK) {
        status = wd_machine_event(machine, &event);
    }
    while (status == WD_OK && next_ordered(list, wd_object_get(told, "action"), &limit, &after, &row)) {
        status = wd_value_pack(&event, "{s:v,s:v}", "receiver", wd_object_get(row, "as"), "intent", told);
        if (status == WD_OK) {
            status = wd_machine_event(machine, &event);
        }
    }
    wd_value_unref(&list);
    wd_value_unref(&told);
    return status;
}

static wd_status op_send_ordered(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    const wd_value *intent = NULL;
    wd_status status = wd_arg_object(args, "v", &intent, error);
    wd_slice action = wd_trimmed(wd_object_get(intent, "action"));
    if (status == WD_OK && action.length > 0) {
        status = send_ordered(machine, intent, action);
    }
    return status == WD_OK ? mark(machine, "returned from sendOrdered") : status;
}

const wd_op wd_ops_broadcast[] = {
    { "receiver", op_receiver },
    { "unreceiver", op_unreceiver },
    { "sendBroadcast", op_send },
    { "sendMark", op_send_mark },
    { "sendOrdered", op_send_ordered },
    { NULL, NULL },
};
