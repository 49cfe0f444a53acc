// Notices (os.md 12): newest first, at most 80, unread ones counted.
#include "preference.h"
#include "services.h"

#include <string.h>

enum { ITEMS_MAX = 80, HEADS_UP_MS = 5000 };

#define NOTICES WD_AT("os", "notifications")
#define HEADS_UP WD_AT("sys", "headsUp")
#define ITEMS WD_AT("os", "notifications", "items")

/// Store the list with its count. Takes *items_p.
static wd_status put_items(wd_machine *machine, wd_value **items_p)
{
    int64_t unread = 0;
    wd_iter iter = wd_iter_start(*items_p);
    while (wd_iter_next(&iter)) {
        unread += wd_value_bool_or(wd_object_get(iter.value, "read"), false) ? 0 : 1;
    }
    wd_value *store = NULL, *items = *items_p;
    *items_p = NULL;
    wd_status status = wd_value_pack(&store, "{s:V,s:i}", "items", items, "unreadCount", unread);
    return status == WD_OK ? wd_machine_put(machine, NOTICES, &store) : status;
}

static wd_status announce(wd_machine *machine, const char *action, const wd_value *item)
{
    wd_value *extras = NULL;
    wd_status status = wd_value_pack(&extras, "{s:v,s:?v,s:v}", "id", wd_object_get(item, "id"), "appId",
        wd_object_get(item, "appId"), "title", wd_object_get(item, "title"));
    return status == WD_OK ? wd_machine_broadcast(machine, action, &extras) : status;
}

static wd_status announce_removed(wd_machine *machine, const wd_value *item)
{
    return announce(machine, "os.intent.action.NOTIFICATION_REMOVED", item);
}

// ---- push -------------------------------------------------------------------------------------------------

/// A trimmed text; nothing when blank or no text.
static wd_status set_trimmed(wd_value **item_p, const char *key, const wd_value *input)
{
    wd_slice text = wd_trimmed(wd_object_get(input, key));
    wd_value *value = NULL;
    if (text.length == 0) {
        return WD_OK;
    }
    wd_status status = wd_slice_value(text, &value);
    return status == WD_OK ? wd_member_put(item_p, key, &value) : status;
}

static wd_status set_flag(wd_value **item_p, const char *key, const wd_value *input, bool fallback)
{
    wd_value *flag = wd_value_bool(wd_value_bool_or(wd_object_get(input, key), fallback));
    return wd_member_put(item_p, key, &flag);
}

static wd_status set_id(wd_machine *machine, const wd_value *input, wd_value **item_p)
{
    const wd_value *given = wd_object_get(input, "id");
    wd_value *id = NULL;
    int64_t number = 0;
    if (wd_value_is(given, WD_KIND_STRING) && wd_truthy(given)) {
        return wd_set_ref(item_p, "id", given);
    }
    wd_status status = wd_machine_draw(machine, "n", &number);
    if (status == WD_OK) {
        status = wd_value_format(&id, "n_%lld", (long long)number);
    }
    return status == WD_OK ? wd_member_put(item_p, "id", &id) : status;
}

static wd_status set_time(const wd_machine *machine, const wd_value *input, wd_value **item_p)
{
    const wd_value *given = wd_object_get(input, "timestamp");
    wd_value *now = NULL;
    if (wd_value_is_number(given)) {
        return wd_set_ref(item_p, "timestamp", given);
    }
    wd_status status = wd_value_int(wd_machine_now(machine), &now);
    return status == WD_OK ? wd_member_put(item_p, "timestamp", &now) : status;
}

static wd_status set_importance(const wd_value *input, wd_value **item_p)
{
    const wd_value *given = wd_object_get(input, "importance");
    bool known = wd_value_is_text(given, "low") || wd_value_is_text(given, "high");
    wd_value *text = NULL;
    wd_status status = wd_value_text(known ? wd_value_as_string(given, NULL) : "default", &text);
    return status == WD_OK ? wd_member_put(item_p, "importance", &text) : status;
}

/// Known members alone, each in its form.
static wd_status normalise(wd_machine *machine, const wd_value *input, wd_value **ret_item)
{
    wd_value *item = wd_value_object(), *title = NULL;
    const wd_value *intent = wd_object_get(input, "pendingIntent");
    wd_status status = set_id(machine, input, &item);
    if (status == WD_OK) {
        status = set_trimmed(&item, "appId", input);
    }
    if (status == WD_OK) {
        status = wd_text_form(wd_object_get(input, "title"), &title);
    }
    if (status == WD_OK) {
        status = wd_member_put(&item, "title", &title);
    }
    if (status == WD_OK) {
        status = set_trimmed(&item, "body", input);
    }
    if (status == WD_OK) {
        status = set_time(machine, input, &item);
    }
    if (status == WD_OK) {
        status = set_flag(&item, "read", input, false);
    }
    if (status == WD_OK) {
        status = set_importance(input, &item);
    }
    if (status == WD_OK) {
        status = set_trimmed(&item, "route", input);
    }
    if (status == WD_OK) {
        status = set_flag(&item, "autoCancel", input, true);
    }
    if (status == WD_OK && wd_value_is(intent, WD_KIND_STRING) && wd_truthy(intent)) {
        status = wd_set_ref(&item, "pendingIntent", intent);
    }
    return wd_give(status, &item, ret_item);
}

/// The app's switch; texts are read as booleans (D14).
static wd_status is_switched_off(const wd_machine *machine, const wd_value *app, bool *ret_off)
{
    wd_value *key = NULL;
    bool on = true;
    *ret_off = false;
    if (app == NULL) {
        return WD_OK;
    }
    wd_status status = wd_value_format(&key, "notif.app.%s.enabled", wd_value_as_string(app, NULL));
    if (status == WD_OK) {
        const wd_value *stored =
            wd_machine_get(machine, WD_AT("os", "preferences", wd_value_as_string(key, NULL)));
        *ret_off = wd_flag_form(stored, &on) && !on;
    }
    wd_value_unref(&key);
    return status;
}

// ---- heads-up ---------------------------------------------------------------------------------------------

/// A new notice hangs over the screen unless do-not-disturb, the switch against it or its importance forbid
/// it.
static wd_status show_heads_up(wd_machine *machine, const wd_value *item)
{
    bool suppressed = false;
    const wd_value *preference = wd_machine_get(machine, WD_AT("os", "preferences", "key_popup_window"));
    if ((wd_flag_form(preference, &suppressed) && suppressed) ||
        wd_flag(machine, WD_GLOBAL("doNotDisturbEnabled")) ||
        wd_value_is_text(wd_object_get(item, "importance"), "low") ||
        wd_value_bool_or(wd_object_get(item, "read"), false)) {
        return WD_OK;
    }
    wd_value *shown = NULL;
    wd_status status = wd_value_pack(
        &shown, "{s:v,s:i}", "id", wd_object_get(item, "id"), "due", wd_machine_now(machine) + HEADS_UP_MS);
    return status == WD_OK ? wd_machine_put(machine, HEADS_UP, &shown) : status;
}

int64_t wd_heads_up_due_ms(const wd_machine *machine)
{
    return wd_value_int_or(wd_object_get(wd_machine_get(machine, HEADS_UP), "due"), INT64_MAX);
}

wd_status wd_heads_up_run_due(wd_machine *machine)
{
    return wd_machine_drop(machine, HEADS_UP);
}

/// A notice that is gone or read does not hang there any longer.
static wd_status settle_heads_up(wd_machine *machine)
{
    const wd_value *id = wd_object_get(wd_machine_get(machine, HEADS_UP), "id");
    if (id == NULL) {
        return WD_OK;
    }
    wd_iter iter = wd_iter_start(wd_machine_get(machine, ITEMS));
    while (wd_iter_next(&iter)) {
        if (wd_value_equal(wd_object_get(iter.value, "id"), id) &&
            !wd_value_bool_or(wd_object_get(iter.value, "read"), false)) {
            return WD_OK;
        }
    }
    return wd_machine_drop(machine, HEADS_UP);
}

wd_status wd_notification_push(wd_machine *machine, const wd_value *input, wd_value **ret_stored)
{
    wd_value *item = NULL;
    bool off = false;
    wd_status status = normalise(machine, input, &item);
    if (status == WD_OK) {
        status = is_switched_off(machine, wd_object_get(item, "appId"), &off);
    }
    if (status == WD_OK && !off) {
        wd_value *items = wd_value_ref(wd_machine_get(machine, ITEMS)), *copy = wd_value_ref(item);
        status = wd_list_insert_at(&items, 0, &copy);
        while (status == WD_OK && wd_array_count(items) > ITEMS_MAX) {
            status = wd_array_remove(&items, wd_array_count(items) - 1);
        }
        if (status == WD_OK) {
            status = put_items(machine, &items);
        }
        if (status == WD_OK) {
            status = announce(machine, "os.intent.action.NOTIFICATION_POSTED", item);
        }
        if (status == WD_OK) {
            status = show_heads_up(machine, item);
        }
        wd_value_unref(&items);
        wd_value_unref(&copy);
    }
    return wd_give(status, &item, ret_stored);
}

// ---- removing ---------------------------------------------------------------------------------------------

/// What is to be removed. NULL members are no condition.
typedef struct filter {
    const char *id, *app;
    wd_slice
        route;  // trimmed, without a leading slash, as the stored one is compared (D27); bytes NULL: none
    bool tell_once;  // one broadcast, for the first
} filter;

static wd_slice route_of(const wd_value *item)
{
    wd_slice route = wd_trimmed(wd_object_get(item, "route"));
    if (route.length > 0 && route.bytes[0] == '/') {
        route.bytes++;
        route.length--;
    }
    return route;
}

static bool has_route(const wd_value *item, wd_slice wanted)
{
    wd_slice route = route_of(item);
    return wd_object_get(item, "route") != NULL && route.length == wanted.length &&
           memcmp(route.bytes, wanted.bytes, route.length) == 0;
}

static bool matches(const wd_value *item, const filter *wanted)
{
    return (wanted->id == NULL || wd_value_is_text(wd_object_get(item, "id"), wanted->id)) &&
           (wanted->app == NULL || wd_value_is_text(wd_object_get(item, "appId"), wanted->app)) &&
           (wanted->route.bytes == NULL || has_route(item, wanted->route));
}

static wd_status remove_matching(wd_machine *machine, const filter *wanted)
{
    wd_value *old = wd_value_ref(wd_machine_get(machine, ITEMS)), *kept = wd_value_array();
    wd_status status = WD_OK;
    size_t removed = 0;
    wd_iter iter = wd_iter_start(old);
    while (status == WD_OK && wd_iter_next(&iter)) {
        if (!matches(iter.value, wanted)) {
            status = wd_append_ref(&kept, iter.value);
            continue;
        }
        removed++;
        if (removed == 1 || !wanted->tell_once) {
            status = announce_removed(machine, iter.value);
        }
    }
    if (status == WD_OK && removed > 0) {
        status = put_items(machine, &kept);
    }
    if (status == WD_OK && removed > 0) {
        status = settle_heads_up(machine);
    }
    wd_value_unref(&old);
    wd_value_unref(&kept);
    return status;
}

static wd_status mark_read(wd_machine *machine, const char *id, bool read)
{
    wd_value *items = wd_value_ref(wd_machine_get(machine, ITEMS));
    wd_status status = WD_OK;
    bool changed = false;
    for (size_t i = 0; status == WD_OK && i < wd_array_count(items); i++) {
        const wd_value *found = wd_array_at(items, i);
        if (!wd_value_is_text(wd_object_get(found, "id"), id) ||
            wd_value_bool_or(wd_object_get(found, "read"), false) == read) {
            continue;
        }
        wd_value *item = wd_value_ref(found), *flag = wd_value_bool(read);
        changed = true;
        status = wd_member_put(&item, "read", &flag);
        if (status == WD_OK) {
            status = wd_array_set(&items, i, &item);
        }
        wd_value_unref(&item);
    }
    if (status == WD_OK && changed) {
        status = put_items(machine, &items);
    }
    if (status == WD_OK && changed) {
        status = settle_heads_up(machine);
    }
    wd_value_unref(&items);
    return status;
}

// ---- operations -------------------------------------------------------------------------------------------

static wd_status op_push(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    const wd_value *input = NULL;
    wd_status status = wd_arg_object(args, "v", &input, error);
    return status == WD_OK ? wd_notification_push(machine, input, ret_answer) : status;
}

static wd_status op_mark_read(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    const char *id = NULL;
    bool read = true;
    wd_status status = wd_arg_text(args, "id", &id, error);
    if (status == WD_OK) {
        status = wd_arg_bool_optional(args, "read", &read, error);
    }
    return status == WD_OK ? mark_read(machine, id, read) : status;
}

static wd_status op_dismiss(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    filter wanted = { .tell_once = true };
    wd_status status = wd_arg_text(args, "id", &wanted.id, error);
    return status == WD_OK ? remove_matching(machine, &wanted) : status;
}

static wd_status op_clear_all(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)args;
    (void)ret_answer;
    (void)error;
    filter all = { 0 };
    return remove_matching(machine, &all);
}

static wd_status op_clear_for_app(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    filter wanted = { 0 };
    wd_status status = wd_arg_text(args, "app", &wanted.app, error);
    return status == WD_OK ? remove_matching(machine, &wanted) : status;
}

static wd_status op_dismiss_by_route(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    filter wanted = { 0 };
    wd_status status = wd_arg_text(args, "app", &wanted.app, error);
    const char *route = NULL;
    if (status == WD_OK) {
        status = wd_arg_text(args, "route", &route, error);
    }
    wanted.route = route_of(args);
    return status == WD_OK && wanted.app[0] != '\0' ? remove_matching(machine, &wanted) : status;
}

/// What a tap on a notice does (os.md 3.7): cancel or mark it, close the shade, then go where it leads.
static wd_status tap(wd_machine *machine, const wd_value *item, wd_error *error)
{
    const char *id = wd_value_as_string(wd_object_get(item, "id"), NULL);
    const char *app = wd_value_string_or(wd_object_get(item, "appId"), NULL);
    const char *route = wd_value_string_or(wd_object_get(item, "route"), NULL);
    const char *token = wd_value_string_or(wd_object_get(item, "pendingIntent"), NULL);
    filter wanted = { .id = id, .tell_once = true };
    wd_status status = wd_value_bool_or(wd_object_get(item, "autoCancel"), true)
                           ? remove_matching(machine, &wanted)
                           : mark_read(machine, id, true);
    if (status == WD_OK) {
        status = wd_shade_close(machine);
    }
    if (status != WD_OK) {
        return status;
    }
    if (token != NULL) {
        return wd_pending_intent_send(machine, token, error);
    }
    if (app == NULL || wd_package_find(machine, app) == NULL) {
        return WD_OK;
    }
    return route != NULL ? wd_task_open_app(machine, app, route, error)
                         : wd_task_launch_app(machine, app, error);
}

/// Tap the newest notice with this title or id; false when there is none.
static wd_status op_tap(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    const char *title = NULL, *id = NULL;
    wd_status status = wd_arg_text_optional(args, "title", &title, error);
    if (status == WD_OK) {
        status = wd_arg_text_optional(args, "id", &id, error);
    }
    if (status == WD_OK && title == NULL && id == NULL) {
        return wd_error_set(error, WD_EINVAL, "title: missing");
    }
    wd_value *found = NULL;
    wd_iter iter = wd_iter_start(status == WD_OK ? wd_machine_get(machine, ITEMS) : NULL);
    while (found == NULL && wd_iter_next(&iter)) {
        if ((title == NULL || wd_value_is_text(wd_object_get(iter.value, "title"), title)) &&
            (id == NULL || wd_value_is_text(wd_object_get(iter.value, "id"), id))) {
            found = wd_value_ref(iter.value);
        }
    }
    if (found != NULL) {
        status = tap(machine, found, error);
    }
    if (status == WD_OK) {
        *ret_answer = wd_value_bool(found != NULL);
    }
    wd_value_unref(&found);
    return status;
}

/// The name of the lifecycle vectors: answers the title.
static wd_status op_notification_push(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    const wd_value *input = NULL;
    wd_value *stored = NULL;
    wd_status status = wd_arg_object(args, "input", &input, error);
    if (status == WD_OK) {
        status = wd_notification_push(machine, input, &stored);
    }
    if (status == WD_OK) {
        *ret_answer = wd_value_ref(wd_object_get(stored, "title"));
    }
    wd_value_unref(&stored);
    return status;
}

const wd_op wd_ops_notification[] = {
    { "push", op_push },
    { "notification.push", op_notification_push },
    { "notification.tap", op_tap },
    { "markRead", op_mark_read },
    { "dismiss", op_dismiss },
    { "clearAll", op_clear_all },
    { "clearForApp", op_clear_for_app },
    { "dismissByRoute", op_dismiss_by_route },
    { NULL, NULL },
};
