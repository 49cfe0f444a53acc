// The clipboard (os.md 12, D28): {current, history}, the newest first.
#include "services.h"

#include "tree/patch.h"

#include <string.h>

enum { HISTORY_MAX = 20 };

#define CLIPBOARD WD_AT("os", "clipboard")
#define CURRENT WD_AT("os", "clipboard", "current")
#define HISTORY WD_AT("os", "clipboard", "history")

/// The newest entry, or NULL. Borrowed.
static const wd_value *newest(const wd_machine *machine)
{
    const wd_value *first = wd_array_at(wd_machine_get(machine, HISTORY), 0);
    const wd_value *current = wd_machine_get(machine, CURRENT);
    return first != NULL ? first : wd_value_is(current, WD_KIND_OBJECT) ? current : NULL;
}

static bool is_text(const wd_value *item)
{
    return wd_value_is_text(wd_object_get(item, "type"), "text");
}

static bool has_text(const wd_value *item)
{
    return is_text(item) && wd_truthy(wd_object_get(item, "content"));
}

static wd_status announce(wd_machine *machine)
{
    const wd_value *item = newest(machine), *type = wd_object_get(item, "type");
    wd_value *extras = NULL, *none = wd_value_null();
    wd_status status = wd_value_pack(&extras, "{s:b,s:b,s:v,s:?v}", "hasContent", item != NULL, "hasText",
        has_text(item), "type", type != NULL ? type : none, "source", wd_object_get(item, "source"));
    wd_value_unref(&none);
    return status == WD_OK ? wd_machine_broadcast(machine, "os.intent.action.CLIPBOARD_CHANGED", &extras)
                           : status;
}

/// Store both members. Takes *history_p.
static wd_status put(wd_machine *machine, wd_value **history_p)
{
    wd_value *store = NULL, *history = *history_p, *none = wd_value_null();
    *history_p = NULL;
    const wd_value *first = wd_array_at(history, 0);
    wd_status status =
        wd_value_pack(&store, "{s:v,s:v}", "current", first != NULL ? first : none, "history", history);
    wd_value_unref(&history);
    wd_value_unref(&none);
    return status == WD_OK ? wd_machine_put(machine, CLIPBOARD, &store) : status;
}

/// Does an entry say the same as the newest one, its time aside? Then nothing has changed that anybody is
/// told.
static bool tells_the_same(const wd_value *before, const wd_value *item)
{
    return before != NULL && wd_value_equal(wd_object_get(before, "type"), wd_object_get(item, "type")) &&
           wd_value_equal(wd_object_get(before, "content"), wd_object_get(item, "content")) &&
           wd_value_equal(wd_object_get(before, "source"), wd_object_get(item, "source"));
}

/// A refreshed entry keeps all but its time and source. Replaces *item_p.
static wd_status keep_members(const wd_value *before, wd_value **item_p)
{
    wd_value *kept = wd_value_ref(before);
    const wd_value *source = wd_object_get(*item_p, "source");
    wd_status status = WD_OK;
    if (source != NULL) {
        status = wd_set_ref(&kept, "source", source);
    } else if (wd_object_get(kept, "source") != NULL) {
        status = wd_object_remove(&kept, "source");
    }
    if (status == WD_OK) {
        wd_value_unref(item_p);
        *item_p = kept;
        return WD_OK;
    }
    wd_value_unref(&kept);
    return status;
}

/// Make `item` the newest entry; one of the same type and content replaces the newest instead. Takes *item_p.
static wd_status write(wd_machine *machine, wd_value **item_p)
{
    wd_value *history = wd_value_ref(wd_machine_get(machine, HISTORY)), *item = *item_p;
    wd_value *before = wd_value_ref(newest(machine)), *now = NULL;
    history = history != NULL ? history : wd_value_array();
    *item_p = NULL;
    bool refresh = wd_array_count(history) > 0 &&
                   wd_value_equal(wd_object_get(before, "type"), wd_object_get(item, "type")) &&
                   wd_value_equal(wd_object_get(before, "content"), wd_object_get(item, "content"));
    bool silent = tells_the_same(before, item);
    wd_status status = wd_value_int(wd_machine_now(machine), &now);
    if (status == WD_OK && refresh) {
        status = keep_members(before, &item);
    }
    if (status == WD_OK) {
        status = wd_member_put(&item, "timestamp", &now);
    }
    if (status == WD_OK && refresh) {
        status = wd_array_set(&history, 0, &item);
    } else if (status == WD_OK) {
        status = wd_list_insert_at(&history, 0, &item);
    }
    while (status == WD_OK && wd_array_count(history) > HISTORY_MAX) {
        status = wd_array_remove(&history, wd_array_count(history) - 1);
    }
    if (status == WD_OK) {
        status = put(machine, &history);
    }
    if (status == WD_OK && !silent) {
        status = announce(machine);
    }
    wd_value_unref(&history);
    wd_value_unref(&before);
    wd_value_unref(&item);
    return status;
}

// ---- operations -------------------------------------------------------------------------------------------

static wd_status write_typed(wd_machine *machine, const wd_value *args, const char *type, wd_error *error)
{
    const wd_value *content = wd_object_get(args, "v");
    const char *source = NULL;
    wd_value *item = NULL, *text = NULL;
    wd_status status = wd_arg_text_optional(args, "source", &source, error);
    if (status == WD_OK) {
        status = wd_text_form(content != NULL && wd_value_is_undefined(content) ? NULL : content, &text);
    }
    if (status == WD_OK) {
        status = wd_value_pack(&item, "{s:s,s:v,s:?s}", "type", type, "content", text, "source", source);
    }
    wd_value_unref(&text);
    return status == WD_OK ? write(machine, &item) : status;
}

static wd_status op_text(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    return write_typed(machine, args, "text", error);
}

static wd_status op_image(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    return write_typed(machine, args, "image", error);
}

/// Any members are kept; the content becomes a text.
static wd_status op_write(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    const wd_value *input = NULL, *content = NULL;
    wd_value *item = NULL, *text = NULL;
    wd_status status = wd_arg_object(args, "v", &input, error);
    if (status == WD_OK) {
        status = wd_without_nothing(input, &item);
    }
    if (status == WD_OK) {
        content = wd_object_get(item, "content");
        status = wd_text_form(content, &text);
    }
    if (status == WD_OK) {
        status = wd_member_put(&item, "content", &text);
    }
    if (status == WD_OK) {
        return write(machine, &item);
    }
    wd_value_unref(&item);
    wd_value_unref(&text);
    return status;
}

static wd_status op_read(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)args;
    (void)error;
    const wd_value *item = newest(machine);
    *ret_answer = item != NULL ? wd_value_ref(item) : wd_value_null();
    return WD_OK;
}

static wd_status op_get_text(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)args;
    (void)error;
    const wd_value *item = newest(machine);
    *ret_answer = is_text(item) ? wd_value_ref(wd_object_get(item, "content")) : wd_value_null();
    return WD_OK;
}

static wd_status op_has_text(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)args;
    (void)error;
    *ret_answer = wd_value_bool(has_text(newest(machine)));
    return WD_OK;
}

static wd_status op_history(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)error;
    const wd_value *history = wd_machine_get(machine, HISTORY), *limit = wd_object_get(args, "limit");
    double wanted = wd_value_is_number(limit) ? wd_value_as_double(limit) : HISTORY_MAX;
    size_t count = wanted < 1 ? 0 : wanted > HISTORY_MAX ? HISTORY_MAX : (size_t)wanted;
    wd_value *list = wd_value_array();
    wd_status status = WD_OK;
    for (size_t i = 0; status == WD_OK && i < count && i < wd_array_count(history); i++) {
        status = wd_append_ref(&list, wd_array_at(history, i));
    }
    return wd_give(status, &list, ret_answer);
}

static wd_status op_clear(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)args;
    (void)ret_answer;
    (void)error;
    if (newest(machine) == NULL) {
        return WD_OK;
    }
    wd_value *none = wd_value_array();
    wd_status status = put(machine, &none);
    return status == WD_OK ? announce(machine) : status;
}

const wd_op wd_ops_clipboard[] = {
    { "clipText", op_text },
    { "clipImage", op_image },
    { "clipWrite", op_write },
    { "clipRead", op_read },
    { "clipGetText", op_get_text },
    { "clipHasText", op_has_text },
    { "clipHistory", op_history },
    { "clipClear", op_clear },
    { NULL, NULL },
};

/// State shows the newest entry's four members, or null.
wd_status wd_view_clipboard(const wd_machine *machine, wd_value **ret_view)
{
    const wd_value *item = wd_machine_get(machine, CURRENT);
    if (!wd_value_is(item, WD_KIND_OBJECT)) {
        *ret_view = wd_value_null();
        return WD_OK;
    }
    return wd_value_pack(ret_view, "{s:?v,s:?v,s:?v,s:?v}", "type", wd_object_get(item, "type"), "content",
        wd_object_get(item, "content"), "timestamp", wd_object_get(item, "timestamp"), "source",
        wd_object_get(item, "source"));
}

// ---- loading ----------------------------------------------------------------------------------------------

static bool is_entry(const wd_value *item)
{
    return wd_value_is(wd_object_get(item, "type"), WD_KIND_STRING) &&
           wd_value_is(wd_object_get(item, "content"), WD_KIND_STRING) &&
           wd_value_is_number(wd_object_get(item, "timestamp"));
}

wd_status wd_clipboard_adopt(wd_machine *machine)
{
    const wd_value *stored = wd_machine_get(machine, CURRENT);
    wd_value *current = is_entry(stored) ? wd_value_ref(stored) : NULL, *history = wd_value_array();
    wd_status status = current != NULL ? wd_append_ref(&history, current) : WD_OK;
    // A list that current heads is as it should be; in another, current moves to its head. Not told by its time,
    // as virtual time stands still between two copies (D15).
    bool heads = current != NULL && wd_value_equal(wd_array_at(wd_machine_get(machine, HISTORY), 0), current);
    wd_iter iter = wd_iter_start(wd_machine_get(machine, HISTORY));
    while (status == WD_OK && wd_iter_next(&iter) && wd_array_count(history) < HISTORY_MAX) {
        bool again = heads ? iter.index == 0 : current != NULL && wd_value_equal(iter.value, current);
        if (is_entry(iter.value) && !again) {
            status = wd_append_ref(&history, iter.value);
        }
    }
    const wd_value *first = wd_array_at(history, 0);
    if (status == WD_OK && !(wd_value_equal(history, wd_machine_get(machine, HISTORY)) &&
                               (first == NULL || wd_value_equal(first, stored)))) {
        status = put(machine, &history);
    }
    wd_value_unref(&current);
    wd_value_unref(&history);
    return status;
}
