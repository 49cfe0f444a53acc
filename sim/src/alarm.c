// Alarm clocks that apps publish (os.md 12). The OS keeps the list and tells of changes; it never fires one.
#include "services.h"

#include <math.h>

enum { ALARMS_MAX = 4096 };

#define ALARMS WD_AT("os", "services", "alarm_manager", "alarms")

static wd_status announce(wd_machine *machine)
{
    wd_value *none = NULL;
    return wd_machine_broadcast(machine, "android.app.action.NEXT_ALARM_CLOCK_CHANGED", &none);
}

/// Put the changed map back and tell; nothing when it says the same. Takes *alarms_p.
static wd_status put(wd_machine *machine, wd_value **alarms_p)
{
    if (wd_value_equal(wd_machine_get(machine, ALARMS), *alarms_p)) {
        wd_value_unref(alarms_p);
        return WD_OK;
    }
    wd_status status = wd_machine_put(machine, ALARMS, alarms_p);
    return status == WD_OK ? announce(machine) : status;
}

static wd_value *alarms_now(const wd_machine *machine)
{
    const wd_value *alarms = wd_machine_get(machine, ALARMS);
    return alarms != NULL ? wd_value_ref(alarms) : wd_value_object();
}

static wd_status check_alarm(const wd_value *alarm, wd_error *error)
{
    if (!wd_value_is(wd_object_get(alarm, "id"), WD_KIND_STRING) ||
        !wd_value_is(wd_object_get(alarm, "ownerPackage"), WD_KIND_STRING)) {
        return wd_error_set(error, WD_ETYPE, "v: an alarm has texts as id and ownerPackage");
    }
    if (!wd_value_is_number(wd_object_get(alarm, "triggerAtMs"))) {
        return wd_error_set(error, WD_ETYPE, "v.triggerAtMs: a number is needed");
    }
    return WD_OK;
}

static wd_status set_alarm(wd_value **alarms_p, const wd_value *alarm, wd_error *error)
{
    wd_value *key = NULL;
    if (wd_object_count(*alarms_p) >= ALARMS_MAX) {
        return wd_error_set(error, WD_ELIMIT, "v: %d alarms are set already", ALARMS_MAX);
    }
    wd_status status =
        wd_value_format(&key, "%s:%s", wd_value_as_string(wd_object_get(alarm, "ownerPackage"), NULL),
            wd_value_as_string(wd_object_get(alarm, "id"), NULL));
    if (status == WD_OK) {
        status = wd_set_ref(alarms_p, wd_value_as_string(key, NULL), alarm);
    }
    wd_value_unref(&key);
    return status;
}

static wd_status op_set(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    const wd_value *alarm = NULL;
    wd_status status = wd_arg_object(args, "v", &alarm, error);
    if (status == WD_OK) {
        status = check_alarm(alarm, error);
    }
    if (status != WD_OK) {
        return status;
    }
    wd_value *alarms = alarms_now(machine);
    status = set_alarm(&alarms, alarm, error);
    if (status == WD_OK) {
        return put(machine, &alarms);
    }
    wd_value_unref(&alarms);
    return status;
}

static wd_status op_cancel(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    const char *owner = NULL, *id = NULL;
    wd_value *key = NULL;
    wd_status status = wd_arg_text(args, "owner", &owner, error);
    if (status == WD_OK) {
        status = wd_arg_text(args, "id", &id, error);
    }
    if (status == WD_OK) {
        status = wd_value_format(&key, "%s:%s", owner, id);
    }
    if (status == WD_OK) {
        wd_value *alarms = alarms_now(machine);
        status = wd_object_remove(&alarms, wd_value_as_string(key, NULL));
        if (status == WD_OK) {
            status = put(machine, &alarms);
        }
        status = status == WD_ENOENT ? WD_OK : status;
        wd_value_unref(&alarms);
    }
    wd_value_unref(&key);
    return status;
}

/// Replace what an owner has; alarms of other owners in the list are written too.
static wd_status op_replace(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    const char *owner = NULL;
    const wd_value *list = wd_object_get(args, "v");
    wd_status status = wd_arg_text(args, "owner", &owner, error);
    if (status == WD_OK && !wd_value_is(list, WD_KIND_ARRAY)) {
        return wd_error_set(error, WD_ETYPE, "v: a list is needed");
    }
    wd_iter iter = wd_iter_start(status == WD_OK ? list : NULL);
    while (status == WD_OK && wd_iter_next(&iter)) {
        status = check_alarm(iter.value, error);
    }
    wd_value *alarms = wd_value_object();
    iter = wd_iter_start(wd_machine_get(machine, ALARMS));
    while (status == WD_OK && wd_iter_next(&iter)) {
        if (!wd_value_is_text(wd_object_get(iter.value, "ownerPackage"), owner)) {
            status = wd_set_ref(&alarms, iter.key, iter.value);
        }
    }
    iter = wd_iter_start(list);
    while (status == WD_OK && wd_iter_next(&iter)) {
        status = set_alarm(&alarms, iter.value, error);
    }
    if (status == WD_OK) {
        return put(machine, &alarms);
    }
    wd_value_unref(&alarms);
    return status;
}

static double trigger_of(const wd_value *alarm)
{
    return wd_value_double_or(wd_object_get(alarm, "triggerAtMs"), INFINITY);
}

static wd_status op_next(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)args;
    (void)error;
    const wd_value *first = NULL;
    wd_iter iter = wd_iter_start(wd_machine_get(machine, ALARMS));
    while (wd_iter_next(&iter)) {
        if (first == NULL || trigger_of(iter.value) < trigger_of(first)) {
            first = iter.value;
        }
    }
    *ret_answer = first != NULL ? wd_value_ref(first) : wd_value_null();
    return WD_OK;
}

static wd_status op_all(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)args;
    (void)error;
    wd_value *list = wd_value_array();
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(wd_machine_get(machine, ALARMS));
    while (status == WD_OK && wd_iter_next(&iter)) {
        wd_value *copy = wd_value_ref(iter.value);
        size_t at = wd_array_count(list);
        while (at > 0 && trigger_of(wd_array_at(list, at - 1)) > trigger_of(copy)) {
            at--;
        }
        status = wd_list_insert_at(&list, at, &copy);
    }
    return wd_give(status, &list, ret_answer);
}

const wd_op wd_ops_alarm[] = {
    { "alarmSet", op_set },
    { "alarmCancel", op_cancel },
    { "alarmFor", op_replace },
    { "alarmNext", op_next },
    { "alarmAll", op_all },
    { NULL, NULL },
};
