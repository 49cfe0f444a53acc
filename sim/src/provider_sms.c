// content://sms: conversations and their messages (os.md 11, D23, D25).
// State: {conversations: [newest activity first], messagesByConversationId: {id: [oldest first]}}.
#include "provider.h"

#include "services.h"
#include "time_text.h"

#include "tree/patch.h"

#include <string.h>

#define CONVERSATIONS WD_AT("os", "providers", "sms", "conversations")
#define THREADS WD_AT("os", "providers", "sms", "messagesByConversationId")
#define THREAD(id) WD_AT("os", "providers", "sms", "messagesByConversationId", id)

// The colours of a new conversation's avatar.
static const char *const palette[] = { "#07C160", "#3482FF", "#FF6B00", "#7C3AED", "#06B6D4", "#EF4444",
    "#F59E0B", "#10B981" };

/// The message with this id and the conversation whose thread holds it. Borrowed, NULL when there is none.
static const wd_value *find_message(
    const wd_machine *machine, wd_slice id, const char **ret_conversation, size_t *ret_index)
{
    wd_iter iter = wd_iter_start(wd_machine_get(machine, THREADS));
    while (wd_iter_next(&iter)) {
        const wd_value *message = wd_list_find(iter.value, id, ret_index);
        if (message != NULL) {
            *ret_conversation = iter.key;
            return message;
        }
    }
    return NULL;
}

// ---- query ------------------------------------------------------------------------------------------------

static wd_status by_sender(const wd_machine *machine, const wd_value *sender, wd_value **ret_items)
{
    wd_value *items = wd_value_array();
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(wd_machine_get(machine, CONVERSATIONS));
    while (status == WD_OK && wd_iter_next(&iter)) {
        if (!wd_truthy(sender) || wd_value_equal(wd_object_get(iter.value, "sender"), sender)) {
            status = wd_append_ref(&items, iter.value);
        }
    }
    return wd_give(status, &items, ret_items);
}

static wd_status query(wd_machine *machine, const wd_uri *uri, wd_value **ret_items)
{
    const wd_value *found = NULL;
    const char *conversation = NULL;
    wd_slice id = { 0 };
    size_t index = 0;
    if (wd_uri_is(uri, "/conversations")) {
        return by_sender(machine, wd_uri_query(uri, "sender"), ret_items);
    }
    if (wd_uri_is(uri, "/messages")) {
        const char *wanted = wd_value_string_or(wd_uri_query(uri, "conversationId"), "");
        const wd_value *thread = wd_machine_get(machine, THREAD(wanted));
        *ret_items = wd_value_is(thread, WD_KIND_ARRAY) ? wd_value_ref(thread) : wd_value_array();
        return WD_OK;
    }
    if (wd_uri_below(uri, "/conversations", &id)) {
        found = wd_list_find(wd_machine_get(machine, CONVERSATIONS), id, &index);
    } else if (wd_uri_below(uri, "/messages", &id)) {
        found = find_message(machine, id, &conversation, &index);
    }
    if (found != NULL) {
        return wd_value_pack(ret_items, "[v]", found);
    }
    *ret_items = wd_value_array();
    return WD_OK;
}

// ---- conversations ----------------------------------------------------------------------------------------

static wd_status put_conversation(wd_machine *machine, size_t index, wd_value **conversation_p)
{
    wd_value *list = wd_value_ref(wd_machine_get(machine, CONVERSATIONS));
    wd_status status = wd_array_set(&list, index, conversation_p);
    if (status == WD_OK) {
        return wd_machine_put(machine, CONVERSATIONS, &list);
    }
    wd_value_unref(&list);
    return status;
}

/// First character of the name that is no blank.
static wd_status avatar_text(wd_slice sender, wd_value **ret_text)
{
    wd_slice name = wd_slice_trim(sender.bytes, sender.length);
    return name.length == 0 ? wd_value_text("？", ret_text)
                            : wd_value_string(name.bytes, wd_utf8_char(name.bytes, name.length), ret_text);
}

static wd_status make_conversation(wd_machine *machine, wd_slice sender, wd_slice phone, wd_value **ret_id)
{
    wd_value *list = wd_value_ref(wd_machine_get(machine, CONVERSATIONS));
    wd_value *id = NULL, *name = NULL, *number = NULL, *avatar = NULL, *made = NULL;
    list = list != NULL ? list : wd_value_array();
    const char *colour = palette[wd_machine_random_below(machine, WD_COUNT_OF(palette))];
    wd_status status = wd_draw_id(machine, "conv_", list, &id);
    if (status == WD_OK) {
        status = wd_slice_value(sender, &name);
    }
    if (status == WD_OK && phone.length > 0) {
        status = wd_slice_value(phone, &number);
    }
    if (status == WD_OK) {
        status = avatar_text(sender, &avatar);
    }
    if (status == WD_OK) {
        status = wd_value_pack(&made, "{s:v,s:v,s:?v,s:s,s:s,s:v,s:b,s:i,s:i}", "id", id, "sender", name,
            "phoneNumber", number, "timestamp", "", "avatarColor", colour, "avatarText", avatar, "isUnread",
            false, "simSlot", INT64_C(1), "messageCount", INT64_C(0));
    }
    if (status == WD_OK) {
        status = wd_list_prepend(&list, &made);
    }
    if (status == WD_OK) {
        status = wd_machine_put(machine, CONVERSATIONS, &list);
    }
    if (status == WD_OK) {
        wd_value *thread = wd_value_array();
        status = wd_machine_put(machine, THREAD(wd_value_as_string(id, NULL)), &thread);
    }
    if (status == WD_OK) {
        *ret_id = wd_value_ref(id);
    }
    wd_value_unref(&list);
    wd_value_unref(&id);
    wd_value_unref(&name);
    wd_value_unref(&number);
    wd_value_unref(&avatar);
    wd_value_unref(&made);
    return status;
}

static const wd_value *find_by(
    const wd_machine *machine, const char *member, wd_slice text, size_t *ret_index)
{
    wd_iter iter = wd_iter_start(text.length > 0 ? wd_machine_get(machine, CONVERSATIONS) : NULL);
    while (wd_iter_next(&iter)) {
        const wd_value *value = wd_object_get(iter.value, member);
        size_t length = 0;
        const char *bytes = wd_value_is(value, WD_KIND_STRING) ? wd_value_as_string(value, &length) : NULL;
        if (bytes != NULL && length == text.length && memcmp(bytes, text.bytes, length) == 0) {
            *ret_index = iter.index;
            return iter.value;
        }
    }
    return NULL;
}

wd_status wd_conversation_get_or_create(
    wd_machine *machine, wd_slice sender, wd_slice phone, wd_value **ret_id)
{
    size_t index = 0;
    const wd_value *found = find_by(machine, "sender", sender, &index);
    if (found != NULL) {
        *ret_id = wd_value_ref(wd_object_get(found, "id"));
        if (phone.length == 0 || wd_truthy(wd_object_get(found, "phoneNumber"))) {
            return WD_OK;
        }
        wd_value *filled = wd_value_ref(found), *number = NULL;
        wd_status status = wd_slice_value(phone, &number);
        if (status == WD_OK) {
            status = wd_member_put(&filled, "phoneNumber", &number);
        }
        if (status == WD_OK) {
            status = put_conversation(machine, index, &filled);
        }
        wd_value_unref(&filled);
        return status;
    }
    found = find_by(machine, "phoneNumber", phone, &index);
    if (found != NULL) {
        *ret_id = wd_value_ref(wd_object_get(found, "id"));
        return WD_OK;
    }
    return make_conversation(machine, sender, phone, ret_id);
}

static wd_status insert_conversation(
    wd_machine *machine, const wd_value *values, wd_value **ret_uri, wd_error *error)
{
    wd_slice sender = wd_trimmed(wd_given(values, "sender"));
    wd_value *id = NULL;
    if (sender.length == 0) {
        return wd_error_set(error, WD_EINVAL, "values.sender: a text is needed");
    }
    wd_status status =
        wd_conversation_get_or_create(machine, sender, wd_trimmed(wd_given(values, "phoneNumber")), &id);
    if (status == WD_OK) {
        status = wd_uri_make("sms/conversations", id, ret_uri);
    }
    wd_value_unref(&id);
    return status;
}

// ---- messages ---------------------------------------------------------------------------------------------

/// The conversation gets the message's time and count, and moves to the front.
static wd_status touch_conversation(
    wd_machine *machine, size_t index, const wd_value *message, size_t thread_before)
{
    wd_value *list = wd_value_ref(wd_machine_get(machine, CONVERSATIONS));
    wd_value *conversation = wd_value_ref(wd_array_at(list, index)), *count = NULL;
    const wd_value *stored = wd_object_get(conversation, "messageCount");
    int64_t before = wd_value_is_number(stored) ? wd_value_int_or(stored, 0) : (int64_t)thread_before;
    wd_value *unread = wd_value_bool(!wd_truthy(wd_object_get(message, "isOutgoing")));
    wd_status status = wd_value_int(before + 1, &count);
    if (status == WD_OK) {
        status = wd_member_put(&conversation, "messageCount", &count);
    }
    if (status == WD_OK) {
        status = wd_member_put(&conversation, "isUnread", &unread);
    }
    if (status == WD_OK) {
        status = wd_set_ref(&conversation, "timestamp", wd_object_get(message, "timestamp"));
    }
    if (status == WD_OK) {
        status = wd_array_remove(&list, index);
    }
    if (status == WD_OK) {
        status = wd_list_prepend(&list, &conversation);
    }
    if (status == WD_OK) {
        status = wd_machine_put(machine, CONVERSATIONS, &list);
    }
    wd_value_unref(&list);
    wd_value_unref(&conversation);
    wd_value_unref(&count);
    return status;
}

wd_status wd_conversation_append(wd_machine *machine, const wd_value *conversation, wd_value **message_p)
{
    const char *id = wd_value_as_string(conversation, NULL);
    size_t index = 0;
    wd_value *thread = wd_value_ref(wd_machine_get(machine, THREAD(id))), *message = wd_value_ref(*message_p);
    const wd_value *found =
        wd_list_find(wd_machine_get(machine, CONVERSATIONS), wd_trimmed(conversation), &index);
    wd_assert(found != NULL);
    thread = thread != NULL ? thread : wd_value_array();
    size_t before = wd_array_count(thread);
    wd_status status = wd_list_push(&thread, message_p);
    if (status == WD_OK) {
        status = wd_machine_put(machine, THREAD(id), &thread);
    }
    if (status == WD_OK) {
        status = touch_conversation(machine, index, message, before);
    }
    wd_value_unref(&thread);
    wd_value_unref(&message);
    wd_value_unref(message_p);
    return status;
}

static wd_status make_message(
    wd_machine *machine, const wd_value *values, wd_value **ret_id, wd_value **ret_message, wd_error *error)
{
    wd_value *text = NULL, *content = NULL, *time = NULL;
    const wd_value *timestamp = wd_given(values, "timestamp"), *state = wd_given(values, "status");
    wd_slice wanted = wd_trimmed(wd_given(values, "id"));
    const char *conversation = NULL;
    size_t index = 0;
    wd_status status = wd_text_form(wd_given(values, "content"), &text);
    if (status == WD_OK) {
        status = wd_slice_value(wd_trimmed(text), &content);
    }
    if (status == WD_OK && wd_value_is(timestamp, WD_KIND_STRING)) {
        time = wd_value_ref(timestamp);
    } else if (status == WD_OK) {
        status = wd_clock_text(machine, &time);
    }
    if (status == WD_OK && wanted.length > 0 &&
        find_message(machine, wanted, &conversation, &index) != NULL) {
        status = wd_error_set(error, WD_EEXIST, "values.id: there is such a message");
    } else if (status == WD_OK && wanted.length > 0) {
        status = wd_slice_value(wanted, ret_id);
    }
    while (status == WD_OK && *ret_id == NULL) {
        status = wd_draw_id(machine, "msg_", NULL, ret_id);
        if (status == WD_OK && find_message(machine, wd_trimmed(*ret_id), &conversation, &index) != NULL) {
            wd_value_unref(ret_id);
        }
    }
    if (status == WD_OK) {
        status = wd_value_pack(ret_message, "{s:v,s:v,s:v,s:b,s:?v}", "id", *ret_id, "content", content,
            "timestamp", time, "isOutgoing", wd_truthy(wd_given(values, "isOutgoing")), "status",
            wd_value_is(state, WD_KIND_STRING) ? state : NULL);
    }
    wd_value_unref(&text);
    wd_value_unref(&content);
    wd_value_unref(&time);
    return status;
}

static wd_status insert_message(
    wd_machine *machine, const wd_uri *uri, const wd_value *values, wd_value **ret_uri, wd_error *error)
{
    const wd_value *source = wd_uri_query(uri, "conversationId");
    wd_value *text = NULL, *conversation = NULL, *id = NULL, *message = NULL;
    size_t index = 0;
    wd_status status = wd_text_form(source != NULL ? source : wd_given(values, "conversationId"), &text);
    wd_slice name = wd_trimmed(text);
    if (status == WD_OK && name.length == 0) {
        status = wd_error_set(error, WD_EINVAL, "values.conversationId: a text is needed");
    }
    if (status == WD_OK && wd_list_find(wd_machine_get(machine, CONVERSATIONS), name, &index) == NULL) {
        status = wd_error_set(error, WD_ENOENT, "values.conversationId: there is no such conversation");
    }
    if (status == WD_OK) {
        status = wd_slice_value(name, &conversation);
    }
    if (status == WD_OK) {
        status = make_message(machine, values, &id, &message, error);
    }
    if (status == WD_OK) {
        status = wd_conversation_append(machine, conversation, &message);
    }
    if (status == WD_OK) {
        status = wd_uri_make("sms/messages", id, ret_uri);
    }
    wd_value_unref(&text);
    wd_value_unref(&conversation);
    wd_value_unref(&id);
    wd_value_unref(&message);
    return status;
}

static wd_status insert(
    wd_machine *machine, const wd_uri *uri, const wd_value *values, wd_value **ret_uri, wd_error *error)
{
    if (wd_uri_is(uri, "/conversations")) {
        return insert_conversation(machine, values, ret_uri, error);
    }
    if (wd_uri_is(uri, "/messages")) {
        return insert_message(machine, uri, values, ret_uri, error);
    }
    return wd_error_set(error, WD_EINVAL, "uri: /conversations or /messages is needed");
}

// ---- update, delete ---------------------------------------------------------------------------------------

typedef enum field_kind {
    FIELD_TEXT,      // other types are ignored
    FIELD_OPTIONAL,  // a text; other types take it away
    FIELD_FLAG,      // by truthiness
    FIELD_NUMBER,    // other types are ignored
} field_kind;
typedef struct field {
    const char *key;
    field_kind kind;
} field;

static const field conversation_fields[] = { { "sender", FIELD_TEXT }, { "phoneNumber", FIELD_TEXT },
    { "timestamp", FIELD_TEXT }, { "avatarUrl", FIELD_OPTIONAL }, { "avatarColor", FIELD_OPTIONAL },
    { "avatarText", FIELD_OPTIONAL }, { "isUnread", FIELD_FLAG }, { "simSlot", FIELD_NUMBER },
    { "messageCount", FIELD_NUMBER } };
static const field message_fields[] = { { "content", FIELD_TEXT }, { "timestamp", FIELD_TEXT },
    { "status", FIELD_TEXT } };

static wd_status set_field(wd_value **object_p, const field *row, const wd_value *value)
{
    wd_value *flag = NULL;
    switch (row->kind) {
    case FIELD_OPTIONAL:
        if (!wd_value_is(value, WD_KIND_STRING)) {
            wd_status status = wd_object_remove(object_p, row->key);
            return status == WD_ENOENT ? WD_OK : status;
        }
        return wd_set_ref(object_p, row->key, value);
    case FIELD_TEXT:
        return wd_value_is(value, WD_KIND_STRING) ? wd_set_ref(object_p, row->key, value) : WD_OK;
    case FIELD_NUMBER:
        return wd_value_is_number(value) ? wd_set_ref(object_p, row->key, value) : WD_OK;
    case FIELD_FLAG:
        flag = wd_value_bool(wd_truthy(value));
        return wd_member_put(object_p, row->key, &flag);
    }
    return WD_OK;
}

static wd_status set_fields(wd_value **object_p, const field *fields, size_t count, const wd_value *values)
{
    wd_status status = WD_OK;
    for (size_t i = 0; status == WD_OK && i < count; i++) {
        const wd_value *value = wd_given(values, fields[i].key);
        if (value != NULL) {
            status = set_field(object_p, &fields[i], value);
        }
    }
    return status;
}

static wd_status update(wd_machine *machine, const wd_uri *uri, const wd_value *values, int64_t *ret_count)
{
    wd_slice id = { 0 };
    size_t index = 0;
    const char *conversation = NULL;
    wd_status status = WD_OK;
    if (wd_uri_below(uri, "/conversations", &id)) {
        const wd_value *found = wd_list_find(wd_machine_get(machine, CONVERSATIONS), id, &index);
        wd_value *changed = wd_value_ref(found);
        if (found != NULL) {
            *ret_count = 1;
            status = set_fields(&changed, conversation_fields, WD_COUNT_OF(conversation_fields), values);
        }
        if (found != NULL && status == WD_OK) {
            status = put_conversation(machine, index, &changed);
        }
        wd_value_unref(&changed);
        return status;
    }
    if (!wd_uri_below(uri, "/messages", &id) || find_message(machine, id, &conversation, &index) == NULL) {
        return WD_OK;
    }
    wd_value *thread = wd_value_ref(wd_machine_get(machine, THREAD(conversation)));
    wd_value *message = wd_value_ref(wd_array_at(thread, index));
    *ret_count = 1;
    status = set_fields(&message, message_fields, WD_COUNT_OF(message_fields), values);
    if (status == WD_OK) {
        status = wd_array_set(&thread, index, &message);
    }
    if (status == WD_OK) {
        status = wd_machine_put(machine, THREAD(conversation), &thread);
    }
    wd_value_unref(&thread);
    wd_value_unref(&message);
    return status;
}

/// Take a conversation out, its thread too; or one message of a thread.
static wd_status remove_thing(wd_machine *machine, const wd_uri *uri, int64_t *ret_count)
{
    wd_slice id = { 0 };
    size_t index = 0;
    const char *conversation = NULL;
    bool whole = wd_uri_below(uri, "/conversations", &id);
    wd_value *list = NULL, *name = NULL;
    if (whole && wd_list_find(wd_machine_get(machine, CONVERSATIONS), id, &index) != NULL) {
        list = wd_value_ref(wd_machine_get(machine, CONVERSATIONS));
    } else if (!whole && wd_uri_below(uri, "/messages", &id) &&
               find_message(machine, id, &conversation, &index) != NULL) {
        list = wd_value_ref(wd_machine_get(machine, THREAD(conversation)));
    }
    if (list == NULL) {
        return WD_OK;
    }
    *ret_count = 1;
    wd_status status = wd_slice_value(id, &name);
    if (status == WD_OK) {
        status = wd_array_remove(&list, index);
    }
    if (status == WD_OK) {
        status = wd_machine_put(machine, whole ? CONVERSATIONS : THREAD(conversation), &list);
    }
    if (status == WD_OK && whole) {
        status = wd_machine_drop(machine, THREAD(wd_value_as_string(name, NULL)));
    }
    wd_value_unref(&list);
    wd_value_unref(&name);
    return status;
}

const wd_provider wd_provider_sms = { "sms", query, insert, update, remove_thing };
