// patch.c - merging a partial tree.
#include "tree/patch.h"

#include "path.h"

static bool is_marker(const wd_value *value, const char *name)
{
    return wd_object_count(value) == 1 && wd_value_bool_or(wd_object_get(value, name), false);
}

bool wd_value_is_undefined(const wd_value *value)
{
    return is_marker(value, "$undefined");
}

static bool is_unset(const wd_value *value)
{
    return is_marker(value, "$unset");
}

// ---- values that go in as they are ----------------------------------------------------------------------------

static bool holds_undefined(const wd_value *value)
{
    wd_iter iter = wd_iter_start(value);
    while (wd_iter_next(&iter)) {
        if (wd_value_is_undefined(iter.value) || holds_undefined(iter.value)) {
            return true;
        }
    }
    return false;
}

// `value` without the members and elements that are undefined. Shared when there are none.
static wd_status verbatim(const wd_value *value, wd_value **ret_value)
{
    if (!holds_undefined(value)) {
        *ret_value = wd_value_ref(value);
        return WD_OK;
    }
    bool object = wd_value_is(value, WD_KIND_OBJECT);
    wd_value *result = object ? wd_value_object() : wd_value_array();
    wd_iter iter = wd_iter_start(value);
    wd_status status = WD_OK;
    while (status == WD_OK && wd_iter_next(&iter)) {
        wd_value *item = NULL;
        if (wd_value_is_undefined(iter.value)) {
            continue;
        }
        status = verbatim(iter.value, &item);
        if (status == WD_OK) {
            status = object ? wd_object_set_n(&result, iter.key, iter.key_length, &item)
                            : wd_array_append(&result, &item);
        }
        wd_value_unref(&item);
    }
    if (status != WD_OK) {
        wd_value_unref(&result);
        return status;
    }
    *ret_value = result;
    return WD_OK;
}

// ---- keys -----------------------------------------------------------------------------------------------------

typedef struct patch_key {
    wd_buffer text;  // the name, then the wanted value, both unescaped
    size_t name_length;
    bool selector;      // name[field=value]
    bool append;        // name[]
    const char *field;  // borrowed from the key
    size_t field_length;
} patch_key;

static bool is_word(char letter)
{
    return (letter >= '0' && letter <= '9') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= 'a' && letter <= 'z') || letter == '_';
}

// Bytes at the start that make a name: ASCII letters, digits, '_', characters escaped with '\\', and `also`.
static size_t name_run(const char *text, size_t length, char also)
{
    size_t at = 0;
    while (at < length) {
        if (text[at] == '\\' && at + 1 < length) {
            at += 2;
            while (at < length && ((unsigned char)text[at] & 0xC0) == 0x80) {
                at += 1;  // the rest of the escaped character
            }
        } else if (is_word(text[at]) || (also != '\0' && text[at] == also)) {
            at += 1;
        } else {
            break;
        }
    }
    return at;
}

static wd_status append_unescaped(wd_buffer *buffer, const char *text, size_t length)
{
    wd_status status = WD_OK;
    for (size_t i = 0; i < length && status == WD_OK; i++) {
        i += text[i] == '\\' && i + 1 < length;
        status = wd_buffer_append(buffer, &text[i], 1);
    }
    return status;
}

// A key of any other form is literal, so `list[ ]` names the member "list[ ]".
static wd_status patch_key_read(const char *text, size_t length, patch_key *key)
{
    *key = (patch_key){ 0 };
    size_t open = name_run(text, length, '\0');
    if (open == 0 || open == length || text[open] != '[' || text[length - 1] != ']') {
        return WD_OK;
    }
    const char *inner = text + open + 1;
    size_t inner_length = length - open - 2;
    size_t equals = name_run(inner, inner_length, '.');
    key->append = inner_length == 0;
    key->selector = equals > 0 && equals + 1 < inner_length && inner[equals] == '=';
    if (!key->append && !key->selector) {
        return WD_OK;
    }
    key->field = inner;
    key->field_length = equals;
    wd_status status = append_unescaped(&key->text, text, open);
    key->name_length = key->text.length;
    if (status == WD_OK && key->selector) {
        status = append_unescaped(&key->text, inner + equals + 1, inner_length - equals - 1);
    }
    return status;
}

// ---- merging --------------------------------------------------------------------------------------------------

static wd_status merge_object(wd_value **slot, const wd_value *patch);

// What `patch` makes of the value in *slot.
static wd_status merge_value(wd_value **slot, const wd_value *patch)
{
    if (wd_value_is(patch, WD_KIND_OBJECT)) {
        if (wd_value_is(*slot, WD_KIND_OBJECT)) {
            return merge_object(slot, patch);
        }
        wd_value *fresh = wd_value_object();
        wd_status status = merge_object(&fresh, patch);
        if (status == WD_OK) {
            wd_slot_replace(slot, &fresh);
        }
        wd_value_unref(&fresh);
        return status;
    }
    wd_value *item;
    wd_status status = verbatim(patch, &item);
    if (status == WD_OK) {
        wd_slot_replace(slot, &item);
    }
    return status;
}

// name[]: an array's elements are appended one by one, anything else is one element.
static wd_status merge_append(wd_value **object_p, const patch_key *key, const wd_value *patch)
{
    wd_name name = wd_name_of(key->text.bytes, key->name_length);
    const wd_value *present = wd_object_get_name(*object_p, &name);
    wd_value *array = wd_value_is(present, WD_KIND_ARRAY) ? wd_value_ref(present) : wd_value_array();
    wd_value *items = NULL;
    wd_status status = verbatim(patch, &items);
    if (status == WD_OK && wd_value_is(patch, WD_KIND_ARRAY)) {
        wd_iter iter = wd_iter_start(items);
        while (status == WD_OK && wd_iter_next(&iter)) {
            wd_value *item = wd_value_ref(iter.value);
            status = wd_array_append(&array, &item);
            wd_value_unref(&item);
        }
    } else if (status == WD_OK) {
        status = wd_array_append(&array, &items);
    }
    if (status == WD_OK) {
        status = wd_object_set_name(object_p, &name, &array);
    }
    wd_value_unref(&items);
    wd_value_unref(&array);
    return status;
}

static bool element_matches(const wd_value *element, const patch_key *key)
{
    const wd_value *field = wd_field_get(element, key->field, key->field_length);
    return wd_scalar_is_text(field, key->text.bytes + key->name_length, key->text.length - key->name_length);
}

// name[field=value]: each matching element is merged into, or removed.
static wd_status merge_selected(wd_value **object_p, const patch_key *key, const wd_value *patch)
{
    wd_name name = wd_name_of(key->text.bytes, key->name_length);
    const wd_value *present = wd_object_get_name(*object_p, &name);
    if (!wd_value_is(present, WD_KIND_ARRAY)) {
        return WD_OK;
    }
    bool removes = wd_value_is(patch, WD_KIND_NULL) || is_unset(patch);
    wd_value *array = wd_value_ref(present);
    wd_status status = WD_OK;
    bool touched = false;
    for (size_t i = 0; i < wd_array_count(array) && status == WD_OK; i++) {
        if (!element_matches(wd_array_at(array, i), key)) {
            continue;
        }
        touched = true;
        if (removes) {
            status = wd_array_remove(&array, i);
            i -= 1;  // what followed stands here now
            continue;
        }
        wd_value *element = wd_value_ref(wd_array_at(array, i));
        status = merge_value(&element, patch);
        if (status == WD_OK) {
            status = wd_array_set(&array, i, &element);
        }
        wd_value_unref(&element);
    }
    if (status == WD_OK && touched) {
        status = wd_object_set_name(object_p, &name, &array);
    }
    wd_value_unref(&array);
    return status;
}

static wd_status merge_plain(wd_value **object_p, const wd_iter *member)
{
    wd_name name = wd_name_of(member->key, member->key_length);
    if (is_unset(member->value)) {
        wd_status status = wd_object_remove_name(object_p, &name);
        return status == WD_ENOENT ? WD_OK : status;
    }
    const wd_value *present = wd_object_get_name(*object_p, &name);
    wd_value *item = present != NULL ? wd_value_ref(present) : wd_value_null();
    wd_status status = merge_value(&item, member->value);
    if (status == WD_OK && item != present) {
        status = wd_object_set_name(object_p, &name, &item);
    }
    wd_value_unref(&item);
    return status;
}

// Keys apply in order, each to the result so far. On failure *slot is half merged: the caller drops it.
static wd_status merge_object(wd_value **slot, const wd_value *patch)
{
    wd_iter iter = wd_iter_start(patch);
    wd_status status = WD_OK;
    while (status == WD_OK && wd_iter_next(&iter)) {
        if (wd_value_is_undefined(iter.value)) {
            continue;
        }
        patch_key key;
        status = patch_key_read(iter.key, iter.key_length, &key);
        if (status == WD_OK) {
            status = key.append     ? merge_append(slot, &key, iter.value)
                     : key.selector ? merge_selected(slot, &key, iter.value)
                                    : merge_plain(slot, &iter);
        }
        wd_buffer_done(&key.text);
    }
    return status;
}

static wd_status merge_shallow(wd_value **slot, const wd_value *patch)
{
    wd_iter iter = wd_iter_start(patch);
    wd_status status = WD_OK;
    while (status == WD_OK && wd_iter_next(&iter)) {
        if (wd_value_is_undefined(iter.value)) {
            continue;
        }
        if (is_unset(iter.value)) {
            status = wd_object_remove_n(slot, iter.key, iter.key_length);
            status = status == WD_ENOENT ? WD_OK : status;
            continue;
        }
        wd_value *item = NULL;
        status = verbatim(iter.value, &item);
        if (status == WD_OK) {
            status = wd_object_set_n(slot, iter.key, iter.key_length, &item);
        }
        wd_value_unref(&item);
    }
    return status;
}

wd_status wd_patch_merge(
    const wd_value *base, const wd_value *patch, wd_patch_mode mode, wd_value **ret_merged, wd_error *error)
{
    if (!wd_value_is(patch, WD_KIND_OBJECT)) {
        return wd_error_set(
            error, WD_ETYPE, "a patch is an object, not %s", wd_kind_name(wd_value_kind(patch)));
    }
    wd_value *merged = wd_value_is(base, WD_KIND_OBJECT) ? wd_value_ref(base) : wd_value_object();
    wd_status status = WD_OK;
    if (!wd_value_is_undefined(patch)) {
        status = mode == WD_PATCH_DEEP ? merge_object(&merged, patch) : merge_shallow(&merged, patch);
    }
    if (status != WD_OK) {
        wd_value_unref(&merged);
        return wd_error_set(error, status, "patch: %s", wd_status_text(status));
    }
    *ret_merged = merged;
    return WD_OK;
}
