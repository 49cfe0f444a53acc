// content://contacts: the address book (os.md 11). State: {contacts: [...]}, newest insert first.
#include "provider.h"

#include "tree/patch.h"

#include <string.h>

#define CONTACTS WD_AT("os", "providers", "contacts", "contacts")
static const char unnamed[] = "未命名";

/// The digits of `text` in `digits` (cut when too long); their number.
static size_t digits_of(wd_slice text, char *digits, size_t size)
{
    size_t count = 0;
    for (size_t i = 0; i < text.length && count + 1 < size; i++) {
        if (text.bytes[i] >= '0' && text.bytes[i] <= '9') {
            digits[count++] = text.bytes[i];
        }
    }
    digits[count] = '\0';
    return count;
}

enum { DIGITS_SIZE = 128 };

/// One of the numbers, reduced to digits, contains `digits`. No digits match every contact that has a phone.
static bool has_phone(const wd_value *contact, const char *digits)
{
    wd_iter iter = wd_iter_start(wd_object_get(contact, "phones"));
    while (wd_iter_next(&iter)) {
        char own[DIGITS_SIZE];
        digits_of(wd_trimmed(wd_object_get(iter.value, "number")), own, sizeof own);
        if (strstr(own, digits) != NULL) {
            return true;
        }
    }
    return false;
}

const wd_value *wd_contact_name_of_phone(const wd_machine *machine, wd_slice phone)
{
    char digits[DIGITS_SIZE];
    if (digits_of(phone, digits, sizeof digits) == 0) {
        return NULL;
    }
    wd_iter iter = wd_iter_start(wd_machine_get(machine, CONTACTS));
    while (wd_iter_next(&iter)) {
        if (has_phone(iter.value, digits)) {
            return wd_object_get(iter.value, "displayName");
        }
    }
    return NULL;
}

// ---- query ------------------------------------------------------------------------------------------------

/// What a query asks of a contact.
typedef struct filter {
    const char *phone_digits;  // NULL: nothing
    bool starred;
    wd_slice text;  // name, mail or digits of a phone; empty: nothing
} filter;

static bool matches_text(const wd_value *contact, wd_slice text)
{
    char digits[DIGITS_SIZE];
    if (wd_slice_contains_folded(wd_trimmed(wd_object_get(contact, "displayName")), text)) {
        return true;
    }
    wd_iter iter = wd_iter_start(wd_object_get(contact, "emails"));
    while (wd_iter_next(&iter)) {
        if (wd_slice_contains_folded(wd_trimmed(wd_object_get(iter.value, "email")), text)) {
            return true;
        }
    }
    return digits_of(text, digits, sizeof digits) > 0 && has_phone(contact, digits);
}

static bool matches(const wd_value *contact, const filter *wanted)
{
    return (wanted->phone_digits == NULL || has_phone(contact, wanted->phone_digits)) &&
           (!wanted->starred || wd_truthy(wd_object_get(contact, "starred"))) &&
           (wanted->text.length == 0 || matches_text(contact, wanted->text));
}

static wd_status select_contacts(const wd_machine *machine, const filter *wanted, wd_value **ret_items)
{
    wd_value *items = wd_value_array();
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(wd_machine_get(machine, CONTACTS));
    while (status == WD_OK && wd_iter_next(&iter)) {
        if (matches(iter.value, wanted)) {
            wd_value *item = wd_value_ref(iter.value);
            status = wd_list_push(&items, &item);
        }
    }
    return wd_give(status, &items, ret_items);
}

static wd_status query(wd_machine *machine, const wd_uri *uri, wd_value **ret_items)
{
    char digits[DIGITS_SIZE];
    filter wanted = { 0 };
    wd_slice id = { 0 };
    size_t index = 0;
    if (wd_uri_is(uri, "/contacts")) {
        const wd_value *phone = wd_uri_query(uri, "phone");
        if (wd_truthy(phone)) {
            digits_of(wd_trimmed(phone), digits, sizeof digits);
            wanted.phone_digits = digits;
        }
        return select_contacts(machine, &wanted, ret_items);
    }
    if (wd_uri_is(uri, "/contacts/starred")) {
        wanted.starred = true;
        return select_contacts(machine, &wanted, ret_items);
    }
    if (wd_uri_is(uri, "/contacts/search")) {
        wanted.text = wd_trimmed(wd_uri_query(uri, "q"));
        if (wanted.text.length > 0) {
            return select_contacts(machine, &wanted, ret_items);
        }
    } else if (wd_uri_below(uri, "/contacts", &id)) {
        const wd_value *contact = wd_list_find(wd_machine_get(machine, CONTACTS), id, &index);
        if (contact != NULL) {
            return wd_value_pack(ret_items, "[v]", contact);
        }
    }
    *ret_items = wd_value_array();
    return WD_OK;
}

// ---- fields -----------------------------------------------------------------------------------------------

typedef enum field_kind {
    FIELD_TEXT,
    FIELD_NUMBER,
} field_kind;

// Optional members: kept with the right type, otherwise absent.
static const struct field {
    const char *key;
    field_kind kind;
} fields[] = { { "sortKey", FIELD_TEXT }, { "sectionKey", FIELD_TEXT }, { "avatarColor", FIELD_TEXT },
    { "avatarUri", FIELD_TEXT }, { "company", FIELD_TEXT }, { "title", FIELD_TEXT }, { "notes", FIELD_TEXT },
    { "lastContactedAt", FIELD_NUMBER } };

static wd_status drop(wd_value **object_p, const char *key)
{
    wd_status status = wd_object_remove(object_p, key);
    return status == WD_ENOENT ? WD_OK : status;
}

static wd_status set_fields(wd_value **contact_p, const wd_value *values)
{
    wd_status status = WD_OK;
    for (size_t i = 0; status == WD_OK && i < WD_COUNT_OF(fields); i++) {
        const wd_value *value = wd_given(values, fields[i].key);
        bool fits =
            fields[i].kind == FIELD_TEXT ? wd_value_is(value, WD_KIND_STRING) : wd_value_is_number(value);
        if (value != NULL) {
            status = fits ? wd_set_ref(contact_p, fields[i].key, value) : drop(contact_p, fields[i].key);
        }
    }
    return status;
}

/// A list of phones or e-mails.
typedef struct list_kind {
    const char *member, *address, *prefix, *label;
} list_kind;
static const list_kind phones = { "phones", "number", "phone_", "手机" };
static const list_kind emails = { "emails", "email", "email_", "邮箱" };

/// {id, label, <address>, isPrimary}.
static wd_status make_entry(wd_machine *machine, const list_kind *kind, const wd_value *source,
    const wd_value *address, bool primary, wd_value **ret_entry)
{
    const wd_value *label = wd_object_get(source, "label"), *own = wd_object_get(source, "id");
    wd_value *id = NULL, *text = NULL;
    wd_status status = WD_OK;
    if (wd_value_is(own, WD_KIND_STRING) && wd_truthy(own)) {
        id = wd_value_ref(own);
    } else {
        status = wd_draw_id(machine, kind->prefix, NULL, &id);
    }
    if (status == WD_OK && wd_value_is(label, WD_KIND_STRING)) {
        text = wd_value_ref(label);
    } else if (status == WD_OK) {
        status = wd_value_text(kind->label, &text);
    }
    if (status == WD_OK) {
        status = wd_value_pack(ret_entry, "{s:v,s:v,s:v,s:b}", "id", id, "label", text, kind->address,
            address, "isPrimary", primary);
    }
    wd_value_unref(&id);
    wd_value_unref(&text);
    return status;
}

static bool is_address(const wd_value *value)
{
    return wd_value_is(value, WD_KIND_STRING) && wd_trimmed(value).length > 0;
}

static wd_status make_list(
    wd_machine *machine, const list_kind *kind, const wd_value *source, wd_value **ret_list)
{
    wd_value *list = wd_value_array();
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(wd_value_is(source, WD_KIND_ARRAY) ? source : NULL);
    while (status == WD_OK && wd_iter_next(&iter)) {
        const wd_value *address = wd_object_get(iter.value, kind->address);
        wd_value *entry = NULL;
        if (is_address(address)) {
            bool primary = wd_truthy(wd_object_get(iter.value, "isPrimary"));
            status = make_entry(machine, kind, iter.value, address, primary, &entry);
            if (status == WD_OK) {
                status = wd_list_push(&list, &entry);
            }
        }
        wd_value_unref(&entry);
    }
    return wd_give(status, &list, ret_list);
}

static wd_status set_list(
    wd_machine *machine, const list_kind *kind, const wd_value *source, wd_value **contact_p)
{
    wd_value *list = NULL;
    wd_status status = make_list(machine, kind, source, &list);
    return status == WD_OK ? wd_member_put(contact_p, kind->member, &list) : status;
}

// ---- insert, update, delete -------------------------------------------------------------------------------

/// The trimmed text of displayName, or of name when that is absent or null; "unnamed" when blank.
static wd_status display_name(const wd_value *values, wd_value **ret_name)
{
    const wd_value *source = wd_given(values, "displayName");
    wd_value *text = NULL;
    if (source == NULL || wd_value_is(source, WD_KIND_NULL)) {
        source = wd_given(values, "name");
    }
    wd_status status = wd_text_form(source, &text);
    if (status == WD_OK) {
        wd_slice name = wd_trimmed(text);
        status = name.length > 0 ? wd_slice_value(name, ret_name) : wd_value_text(unnamed, ret_name);
    }
    wd_value_unref(&text);
    return status;
}

static wd_status set_time(
    const wd_machine *machine, wd_value **contact_p, const char *key, const wd_value *time)
{
    if (wd_value_is_number(time)) {
        return wd_set_ref(contact_p, key, time);
    }
    wd_value *now = NULL;
    wd_status status = wd_value_int(wd_machine_now(machine), &now);
    return status == WD_OK ? wd_member_put(contact_p, key, &now) : status;
}

static wd_status fill(wd_machine *machine, const wd_value *values, wd_value **contact_p)
{
    wd_value *name = NULL, *entry = NULL, *list = NULL;
    wd_value *starred = wd_value_bool(wd_truthy(wd_given(values, "starred")));
    const wd_value *phone = wd_given(values, "phone");
    wd_status status = display_name(values, &name);
    if (status == WD_OK) {
        status = wd_member_put(contact_p, "displayName", &name);
    }
    if (status == WD_OK) {
        status = wd_member_put(contact_p, "starred", &starred);
    }
    if (status == WD_OK) {
        status = set_list(machine, &phones, wd_given(values, "phones"), contact_p);
    }
    if (status == WD_OK && wd_array_count(wd_object_get(*contact_p, "phones")) == 0 && is_address(phone)) {
        status = make_entry(machine, &phones, NULL, phone, true, &entry);
        if (status == WD_OK) {
            status = wd_value_pack(&list, "[V]", entry);
        }
        if (status == WD_OK) {
            status = wd_member_put(contact_p, "phones", &list);
        }
    }
    if (status == WD_OK) {
        status = set_list(machine, &emails, wd_given(values, "emails"), contact_p);
    }
    if (status == WD_OK) {
        status = set_fields(contact_p, values);
    }
    if (status == WD_OK) {
        status = set_time(machine, contact_p, "createdAt", wd_given(values, "createdAt"));
    }
    if (status == WD_OK) {
        status = set_time(machine, contact_p, "updatedAt", wd_given(values, "updatedAt"));
    }
    return status;
}

static wd_status insert(
    wd_machine *machine, const wd_uri *uri, const wd_value *values, wd_value **ret_uri, wd_error *error)
{
    if (!wd_uri_is(uri, "/contacts")) {
        return wd_error_set(error, WD_EINVAL, "uri: contacts are inserted at /contacts");
    }
    wd_value *list = wd_value_ref(wd_machine_get(machine, CONTACTS)), *contact = wd_value_object(),
             *id = NULL;
    wd_slice wanted = wd_trimmed(wd_given(values, "id"));
    size_t index = 0;
    list = list != NULL ? list : wd_value_array();
    wd_status status = WD_OK;
    if (wanted.length > 0 && wd_list_find(list, wanted, &index) != NULL) {
        status = wd_error_set(error, WD_EEXIST, "values.id: there is such a contact");
    } else {
        status = wanted.length > 0 ? wd_slice_value(wanted, &id) : wd_draw_id(machine, "c_", list, &id);
    }
    if (status == WD_OK) {
        status = wd_set_ref(&contact, "id", id);
    }
    if (status == WD_OK) {
        status = fill(machine, values, &contact);
    }
    if (status == WD_OK) {
        status = wd_list_prepend(&list, &contact);
    }
    if (status == WD_OK) {
        status = wd_machine_put(machine, CONTACTS, &list);
    }
    if (status == WD_OK) {
        status = wd_uri_make("contacts/contacts", id, ret_uri);
    }
    wd_value_unref(&list);
    wd_value_unref(&contact);
    wd_value_unref(&id);
    return status;
}

static wd_status update_one(wd_machine *machine, const wd_value *values, wd_value **contact_p)
{
    const wd_value *name = wd_given(values, "displayName"), *starred = wd_given(values, "starred");
    wd_value *item = NULL;
    wd_status status = WD_OK;
    if (name != NULL) {
        status = wd_text_form(name, &item);
        if (status == WD_OK) {
            status = wd_member_put(contact_p, "displayName", &item);
        }
    }
    if (status == WD_OK && starred != NULL) {
        item = wd_value_bool(wd_truthy(starred));
        status = wd_member_put(contact_p, "starred", &item);
    }
    if (status == WD_OK && wd_given(values, "phones") != NULL) {
        status = set_list(machine, &phones, wd_given(values, "phones"), contact_p);
    }
    if (status == WD_OK && wd_given(values, "emails") != NULL) {
        status = set_list(machine, &emails, wd_given(values, "emails"), contact_p);
    }
    if (status == WD_OK) {
        status = set_fields(contact_p, values);
    }
    return status == WD_OK ? set_time(machine, contact_p, "updatedAt", wd_given(values, "updatedAt"))
                           : status;
}

static wd_status update(wd_machine *machine, const wd_uri *uri, const wd_value *values, int64_t *ret_count)
{
    wd_slice id = { 0 };
    if (!wd_uri_below(uri, "/contacts", &id)) {
        return WD_OK;
    }
    wd_value *list = wd_value_ref(wd_machine_get(machine, CONTACTS));
    wd_status status = WD_OK;
    size_t index = 0;
    if (wd_list_find(list, id, &index) != NULL) {
        wd_value *contact = wd_value_ref(wd_array_at(list, index));
        status = update_one(machine, values, &contact);
        if (status == WD_OK) {
            status = wd_array_set(&list, index, &contact);
        }
        wd_value_unref(&contact);
        if (status == WD_OK) {
            *ret_count = 1;
            status = wd_machine_put(machine, CONTACTS, &list);
        }
    }
    wd_value_unref(&list);
    return status;
}

static wd_status remove_contact(wd_machine *machine, const wd_uri *uri, int64_t *ret_count)
{
    wd_slice id = { 0 };
    if (!wd_uri_below(uri, "/contacts", &id)) {
        return WD_OK;
    }
    wd_value *list = wd_value_ref(wd_machine_get(machine, CONTACTS));
    wd_status status = WD_OK;
    size_t index = 0;
    while (status == WD_OK && wd_list_find(list, id, &index) != NULL) {  // seeded lists may hold twins
        *ret_count = 1;
        status = wd_array_remove(&list, index);
    }
    if (status == WD_OK && *ret_count > 0) {
        return wd_machine_put(machine, CONTACTS, &list);
    }
    wd_value_unref(&list);
    return status;
}

const wd_provider wd_provider_contacts = { "contacts", query, insert, update, remove_contact };
