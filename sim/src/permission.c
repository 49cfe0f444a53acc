#include "permission.h"

#include "coerce.h"

#include "tree/patch.h"

#include <string.h>

static const char *const known[] = {
    "android.permission.ACCESS_FINE_LOCATION",
    "android.permission.ACCESS_COARSE_LOCATION",
    "android.permission.CAMERA",
    "android.permission.READ_CONTACTS",
    "android.permission.WRITE_CONTACTS",
    "android.permission.READ_EXTERNAL_STORAGE",
    "android.permission.WRITE_EXTERNAL_STORAGE",
    "android.permission.RECORD_AUDIO",
    "android.permission.READ_PHONE_STATE",
    "android.permission.CALL_PHONE",
    "android.permission.SEND_SMS",
    "android.permission.RECEIVE_SMS",
    "android.permission.READ_CALL_LOG",
    "android.permission.POST_NOTIFICATIONS",
};

static const char granted[] = "granted", denied[] = "denied", forever[] = "denied_forever",
                  not_requested[] = "not_requested";

#define STORED(...) WD_AT("os", "permissions", __VA_ARGS__)
#define REFUSALS(app, id) WD_AT("sys", "permissions", "refusals", app, id)

bool wd_permission_is_known(const char *id)
{
    for (size_t i = 0; i < WD_COUNT_OF(known); i++) {
        if (strcmp(known[i], id) == 0) {
            return true;
        }
    }
    return false;
}

const char *wd_permission_check(const wd_machine *machine, const char *app, const char *permission)
{
    return wd_value_string_or(wd_machine_get(machine, STORED(app, permission)), not_requested);
}

// ---- writing ----------------------------------------------------------------------------------------------

static wd_status store(wd_machine *machine, const char *app, const char *id, const char *status_text)
{
    return wd_value_is_text(wd_machine_get(machine, STORED(app, id)), status_text)
               ? WD_OK
               : wd_machine_put_text(machine, STORED(app, id), status_text);
}

/// A grant forgets refusals (D19).
wd_status wd_permission_grant(wd_machine *machine, const char *app, const char *id)
{
    wd_status status = store(machine, app, id, granted);
    return status == WD_OK && wd_machine_get(machine, REFUSALS(app, id)) != NULL
               ? wd_machine_drop(machine, REFUSALS(app, id))
               : status;
}

/// One more refusal; the second is for ever. *ret_status is what was stored.
wd_status wd_permission_count_refusal(
    wd_machine *machine, const char *app, const char *id, bool for_ever, const char **ret_status)
{
    int64_t count = wd_value_int_or(wd_machine_get(machine, REFUSALS(app, id)), 0) + 1;
    *ret_status = for_ever || count > 1 ? forever : denied;
    wd_status status = wd_machine_put_int(machine, REFUSALS(app, id), count);
    return status == WD_OK ? store(machine, app, id, *ret_status) : status;
}

// ---- operations -------------------------------------------------------------------------------------------

/// App and id of a write: both known, or refused (D21).
static wd_status arg_pair(const wd_machine *machine, const wd_value *args, const char **ret_app,
    const char **ret_id, wd_error *error)
{
    wd_status status = wd_arg_text(args, "app", ret_app, error);
    if (status == WD_OK) {
        status = wd_arg_text(args, "perm", ret_id, error);
    }
    if (status == WD_OK && wd_package_find(machine, *ret_app) == NULL) {
        return wd_error_set(error, WD_ENOENT, "app: %s is not installed", *ret_app);
    }
    if (status == WD_OK && !wd_permission_is_known(*ret_id)) {
        return wd_error_set(error, WD_ENOENT, "perm: no permission %s", *ret_id);
    }
    return status;
}

static wd_status op_grant(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    const char *app = NULL, *id = NULL;
    wd_status status = arg_pair(machine, args, &app, &id, error);
    return status == WD_OK ? wd_permission_grant(machine, app, id) : status;
}

static wd_status op_revoke(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    const char *app = NULL, *id = NULL;
    wd_status status = arg_pair(machine, args, &app, &id, error);
    return status == WD_OK ? store(machine, app, id, denied) : status;  // no refusal (D19)
}

static wd_status op_check(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    const char *app = NULL, *id = NULL;
    wd_status status = wd_arg_text(args, "app", &app, error);
    if (status == WD_OK) {
        status = wd_arg_text(args, "perm", &id, error);
    }
    return status == WD_OK ? wd_value_text(wd_permission_check(machine, app, id), ret_answer) : status;
}

static wd_status op_check_many(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    const char *app = NULL;
    wd_value *view = wd_value_object();
    wd_status status = wd_arg_text(args, "app", &app, error);
    wd_iter iter = wd_iter_start(wd_object_get(args, "perms"));
    while (status == WD_OK && wd_iter_next(&iter)) {
        const char *id = wd_value_string_or(iter.value, "");
        if (wd_permission_is_known(id)) {
            wd_value *text = NULL;
            status = wd_value_text(wd_permission_check(machine, app, id), &text);
            if (status == WD_OK) {
                status = wd_member_put(&view, id, &text);
            }
        }
    }
    return wd_give(status, &view, ret_answer);
}

/// The declared permissions of an app that are known, in order.
static wd_status declared(const wd_machine *machine, const char *app, wd_value **ret_list)
{
    wd_value *list = wd_value_array();
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(wd_object_get(wd_package_find(machine, app), "permissions"));
    while (status == WD_OK && wd_iter_next(&iter)) {
        wd_value *id = wd_value_ref(iter.value);
        if (wd_permission_is_known(wd_value_string_or(id, ""))) {
            status = wd_list_push(&list, &id);
        }
        wd_value_unref(&id);
    }
    return wd_give(status, &list, ret_list);
}

static wd_status op_declared(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    const char *app = NULL;
    wd_status status = wd_arg_text(args, "app", &app, error);
    return status == WD_OK ? declared(machine, app, ret_answer) : status;
}

static wd_status op_revoke_all(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    const char *app = NULL;
    wd_value *list = NULL;
    wd_status status = wd_arg_text(args, "app", &app, error);
    if (status == WD_OK && wd_package_find(machine, app) == NULL) {
        return wd_error_set(error, WD_ENOENT, "app: %s is not installed", app);
    }
    if (status == WD_OK) {
        status = declared(machine, app, &list);
    }
    wd_value *record = wd_value_ref(status == WD_OK ? wd_machine_get(machine, STORED(app)) : NULL);
    wd_iter stored = wd_iter_start(record);
    while (status == WD_OK && wd_iter_next(&stored)) {
        status = wd_permission_is_known(stored.key) ? store(machine, app, stored.key, denied) : WD_OK;
    }
    wd_iter ids = wd_iter_start(list);
    while (status == WD_OK && wd_iter_next(&ids)) {
        status = store(machine, app, wd_value_as_string(ids.value, NULL), denied);
    }
    wd_value_unref(&record);
    wd_value_unref(&list);
    return status;
}

static wd_status op_apps(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)args;
    (void)error;
    wd_value *list = wd_value_array();
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(wd_machine_get(machine, WD_AT("os", "permissions")));
    while (status == WD_OK && wd_iter_next(&iter)) {
        if (wd_object_count(iter.value) > 0) {
            wd_value *app = NULL;
            status = wd_value_text(iter.key, &app);
            if (status == WD_OK) {
                status = wd_list_push(&list, &app);
            }
        }
    }
    return wd_give(status, &list, ret_answer);
}

const wd_op wd_ops_permission[] = {
    { "grant", op_grant },
    { "revoke", op_revoke },
    { "revokeAll", op_revoke_all },
    { "check", op_check },
    { "checkMany", op_check_many },
    { "declared", op_declared },
    { "apps", op_apps },
    { NULL, NULL },
};

// ---- inject -----------------------------------------------------------------------------------------------

static wd_status check_record(
    const wd_machine *machine, const char *app, const wd_value *record, wd_error *error)
{
    static const char *const statuses[] = { granted, denied, forever, not_requested };
    if (wd_package_find(machine, app) == NULL) {
        return wd_error_set(error, WD_ENOENT, "%s: not installed", app);
    }
    if (!wd_value_is(record, WD_KIND_OBJECT)) {
        return wd_error_set(error, WD_ETYPE, "%s: an object is needed", app);
    }
    wd_iter iter = wd_iter_start(wd_value_is_unset(record) ? NULL : record);
    while (wd_iter_next(&iter)) {
        bool fits = wd_value_is_undefined(iter.value) || wd_value_is_unset(iter.value);
        for (size_t i = 0; i < WD_COUNT_OF(statuses); i++) {
            fits = fits || wd_value_is_text(iter.value, statuses[i]);
        }
        if (!wd_permission_is_known(iter.key)) {
            return wd_error_set(error, WD_ENOENT, "%s.%s: no such permission", app, iter.key);
        }
        if (!fits) {
            return wd_error_set(error, WD_EINVAL, "%s.%s: no status of a permission", app, iter.key);
        }
    }
    return WD_OK;
}

/// An injected "denied" counts as one refusal, a grant forgets refusals, so does "not_requested".
static wd_status inject_one(wd_machine *machine, const char *app, const char *id, const wd_value *value)
{
    wd_place refusals = REFUSALS(app, id);
    if (wd_value_is_undefined(value)) {
        return WD_OK;
    }
    if (wd_value_is_unset(value)) {
        wd_status status = wd_machine_drop(machine, STORED(app, id));
        return status == WD_OK ? wd_machine_drop(machine, refusals) : status;
    }
    const char *text = wd_value_as_string(value, NULL);
    wd_status status = store(machine, app, id, text);
    if (status == WD_OK && strcmp(text, denied) == 0) {
        return wd_machine_get(machine, refusals) == NULL ? wd_machine_put_int(machine, refusals, 1) : WD_OK;
    }
    return status == WD_OK && strcmp(text, forever) != 0 ? wd_machine_drop(machine, refusals) : status;
}

wd_status wd_inject_permissions(wd_machine *machine, const wd_value *patch, wd_error *error)
{
    wd_status status = WD_OK;
    if (!wd_value_is(patch, WD_KIND_OBJECT)) {
        return wd_error_set(error, WD_ETYPE, "an object is needed");
    }
    wd_iter apps = wd_iter_start(patch);
    while (status == WD_OK && wd_iter_next(&apps)) {
        if (wd_value_is_undefined(apps.value)) {
            continue;
        }
        status = check_record(machine, apps.key, apps.value, error);
        if (status == WD_OK && wd_value_is_unset(apps.value)) {
            status = wd_machine_drop(machine, STORED(apps.key));
            if (status == WD_OK) {
                status = wd_machine_drop(machine, WD_AT("sys", "permissions", "refusals", apps.key));
            }
            continue;
        }
        wd_iter ids = wd_iter_start(apps.value);
        while (status == WD_OK && wd_iter_next(&ids)) {
            status = inject_one(machine, apps.key, ids.key, ids.value);
        }
    }
    return status;
}
