/// activity.c - what belongs to one activity: its in-app history (D4, D5) and the request it was started with
/// (D6).
#include "task.h"

#include <stdio.h>
#include <string.h>

static const wd_value *history_of(const wd_machine *machine, const char *activity_id)
{
    return activity_id != NULL ? wd_machine_get(machine, WD_AT("sys", "histories", activity_id)) : NULL;
}

static size_t index_of(const wd_value *history)
{
    return (size_t)wd_value_int_or(wd_object_get(history, "index"), 0);
}

static const char *path_of(const wd_value *history)
{
    return wd_value_string_or(wd_array_at(wd_object_get(history, "history"), index_of(history)), NULL);
}

const char *wd_history_path(const wd_machine *machine, const char *activity_id)
{
    return path_of(history_of(machine, activity_id));
}

wd_status wd_history_start(wd_machine *machine, const char *activity_id)
{
    wd_value *history = NULL;
    wd_status status = wd_value_pack(&history, "{s:[s],s:i}", "history", "/", "index", INT64_C(0));
    return status != WD_OK ? status
                           : wd_machine_put(machine, WD_AT("sys", "histories", activity_id), &history);
}

static wd_status put_index(wd_machine *machine, const char *activity_id, size_t index)
{
    return wd_machine_put_int(machine, WD_AT("sys", "histories", activity_id, "index"), (int64_t)index);
}

/// Entries kept[0..count), then `path` unless it is NULL; the index at the end.
static wd_status put_entries(
    wd_machine *machine, const char *activity_id, const wd_value *entries, size_t kept, const char *path)
{
    wd_value *next = wd_value_ref(entries);
    wd_status status = WD_OK;
    while (status == WD_OK && wd_array_count(next) > kept) {
        status = wd_array_remove(&next, wd_array_count(next) - 1);
    }
    wd_value *entry = NULL;
    if (status == WD_OK && path != NULL) {
        status = wd_value_text(path, &entry);
    }
    if (status == WD_OK && entry != NULL) {
        status = wd_array_append(&next, &entry);
    }
    size_t count = wd_array_count(next);
    if (status == WD_OK) {
        status = wd_machine_put(machine, WD_AT("sys", "histories", activity_id, "history"), &next);
    }
    if (status == WD_OK) {
        status = put_index(machine, activity_id, count - 1);
    }
    wd_value_unref(&entry);
    wd_value_unref(&next);
    return status;
}

static wd_status replace_entry(wd_machine *machine, const char *activity_id, const char *path)
{
    const wd_value *history = history_of(machine, activity_id);
    size_t index = index_of(history);
    wd_value *entries = wd_value_ref(wd_object_get(history, "history"));
    wd_value *entry = NULL;
    wd_status status = wd_value_text(path, &entry);
    if (status == WD_OK) {
        status = wd_array_set(&entries, index, &entry);
    }
    if (status == WD_OK) {
        status = wd_machine_put(machine, WD_AT("sys", "histories", activity_id, "history"), &entries);
    }
    wd_value_unref(&entry);
    wd_value_unref(&entries);
    return status;
}

static wd_status navigate(wd_machine *machine, const char *activity_id, const char *path, bool replace)
{
    if (replace) {
        return replace_entry(machine, activity_id, path);
    }
    const wd_value *history = history_of(machine, activity_id);
    size_t index = index_of(history);
    if (index + 1 >= WD_ACTIVITY_HISTORY_MAX) {
        return WD_ELIMIT;
    }
    wd_value *entries = wd_value_ref(wd_object_get(history, "history"));
    wd_status status = put_entries(machine, activity_id, entries, index + 1, path);
    wd_value_unref(&entries);
    return status;
}

wd_status wd_history_navigate(
    wd_machine *machine, const char *activity_id, const char *path, bool replace, bool *ret_done)
{
    *ret_done = history_of(machine, activity_id) != NULL;
    if (!*ret_done) {
        return WD_OK;
    }
    size_t length = strlen(path);
    if (length > WD_ROUTE_TEXT_MAX) {
        return WD_ELIMIT;
    }
    if (path[0] == '/') {
        return navigate(machine, activity_id, path, replace);
    }
    char slashed[WD_ROUTE_TEXT_MAX + 2];
    slashed[0] = '/';
    memcpy(slashed + 1, path, length + 1);
    return navigate(machine, activity_id, slashed, replace);
}

/// The root page, its query ignored.
static bool path_is_root(const char *path)
{
    return path[0] == '/' && (path[1] == '\0' || path[1] == '?');
}

wd_status wd_history_back(wd_machine *machine, const char *activity_id, bool *ret_done)
{
    const wd_value *history = history_of(machine, activity_id);
    const char *path = path_of(history);
    size_t index = index_of(history);
    *ret_done = path != NULL && index > 0 && !path_is_root(path);
    return *ret_done ? put_index(machine, activity_id, index - 1) : WD_OK;
}

wd_status wd_history_pop_to_root(wd_machine *machine, const char *activity_id)
{
    const wd_value *history = history_of(machine, activity_id);
    if (history == NULL) {
        return WD_OK;
    }
    const wd_value *list = wd_object_get(history, "history");
    for (size_t below = index_of(history) + 1; below > 0; below--) {
        if (wd_value_is_text(wd_array_at(list, below - 1), "/")) {
            wd_value *entries = wd_value_ref(list);
            wd_status status = put_entries(machine, activity_id, entries, below, NULL);
            wd_value_unref(&entries);
            return status;
        }
    }
    return replace_entry(machine, activity_id, "/");
}

// ---- results ----------------------------------------------------------------------------------------------

enum { CODE_TEXT_MAX = 24 };

wd_status wd_result_deliver(wd_machine *machine, const wd_value *activity, const wd_value *result)
{
    const wd_value *code = wd_object_get(activity, "requestCode");
    if (code == NULL) {
        return WD_OK;
    }
    char key[CODE_TEXT_MAX];
    snprintf(key, sizeof key, "%lld", (long long)wd_value_int_or(code, 0));
    wd_value *callback = wd_value_ref(wd_machine_get(machine, WD_AT("sys", "pending", key)));
    if (callback == NULL) {
        return WD_OK;  // answered already
    }
    wd_value *event = NULL;
    wd_status status = wd_machine_drop(machine, WD_AT("sys", "pending", key));
    if (status == WD_OK) {
        status = result != NULL ? wd_value_pack(&event, "{s:v,s:v}", "callback", callback, "result", result)
                                : wd_value_pack(&event, "{s:v,s:{s:s}}", "callback", callback, "result",
                                      "resultCode", "CANCELED");
    }
    if (status == WD_OK) {
        status = wd_machine_defer(machine, &event);
    }
    wd_value_unref(&callback);
    return status;
}

wd_status wd_activity_forget(wd_machine *machine, const wd_value *activity)
{
    const char *id = wd_activity_id(activity);
    wd_status status = id != NULL ? wd_machine_drop(machine, WD_AT("sys", "histories", id)) : WD_OK;
    return status != WD_OK ? status : wd_result_deliver(machine, activity, NULL);
}
