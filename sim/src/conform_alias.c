#include "conform_alias.h"

#include "coerce.h"

#include <string.h>

static const char *const kinds[] = { "c", "phone", "email", "conv", "msg", "media", "n" };
static const char *const palette[] = { "#07C160", "#3482FF", "#FF6B00", "#7C3AED", "#06B6D4", "#EF4444",
    "#F59E0B", "#10B981" };
static const char code_before[] = "验证码：";

static size_t digits_at(wd_slice text, size_t at)
{
    size_t count = 0;
    while (at + count < text.length && text.bytes[at + count] >= '0' && text.bytes[at + count] <= '9') {
        count++;
    }
    return count;
}

/// Does `open`, a kind, `between`, a number and `close` stand at `at`? Their length, or 0.
static size_t match_id(wd_slice text, size_t at, const char *open, const char *between, const char *close,
    const char **ret_kind, wd_slice *ret_number)
{
    for (size_t i = 0; i < WD_COUNT_OF(kinds); i++) {
        char head[16] = "";
        strcat(strcat(strcpy(head, open), kinds[i]), between);
        size_t length = strlen(head);
        if (at + length > text.length || memcmp(text.bytes + at, head, length) != 0) {
            continue;
        }
        size_t digits = digits_at(text, at + length), end = at + length + digits;
        if (digits > 0 && end + strlen(close) <= text.length &&
            memcmp(text.bytes + end, close, strlen(close)) == 0) {
            *ret_kind = kinds[i];
            *ret_number = (wd_slice){ text.bytes + at + length, digits };
            return length + digits + strlen(close);
        }
    }
    return 0;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Rewrite the ids in a text, one way or the other.
static wd_status rewrite_text(wd_slice text, bool to_alias, wd_buffer *buffer)
{
    wd_status status = wd_buffer_text(buffer, "");
    for (size_t at = 0; status == WD_OK && at < text.length;) {
        const char *kind = NULL;
        wd_slice number = { 0 };
        size_t used = 0;
        if (!to_alias) {
            used = match_id(text, at, "<", "#", ">", &kind, &number);
        } else if (at == 0 || !is_word(text.bytes[at - 1])) {
            used = match_id(text, at, "", "_", "", &kind, &number);
        }
        if (used > 0) {
            status = wd_buffer_format(
                buffer, to_alias ? "<%s#%.*s>" : "%s_%.*s", kind, (int)number.length, number.bytes);
            at += used;
            continue;
        }
        size_t before = strlen(code_before);
        if (to_alias && at + before < text.length && memcmp(text.bytes + at, code_before, before) == 0 &&
            digits_at(text, at + before) > 0) {
            at += before + digits_at(text, at + before);
            status = wd_buffer_format(buffer, "%s<code>", code_before);
            continue;
        }
        status = wd_buffer_append(buffer, text.bytes + at, 1);
        at++;
    }
    return status;
}

static wd_status rewrite_string(const wd_value *string, bool to_alias, wd_value **ret_value)
{
    wd_slice text = { 0 };
    wd_buffer buffer = { 0 };
    text.bytes = wd_value_as_string(string, &text.length);
    wd_status status = rewrite_text(text, to_alias, &buffer);
    if (status == WD_OK) {
        status = wd_value_string(buffer.bytes, buffer.length, ret_value);
    }
    wd_buffer_done(&buffer);
    return status;
}

static bool is_palette(const char *key, const wd_value *value)
{
    for (size_t i = 0; strcmp(key, "avatarColor") == 0 && i < WD_COUNT_OF(palette); i++) {
        if (wd_value_is_text(value, palette[i])) {
            return true;
        }
    }
    return false;
}

static wd_status rewrite(const wd_value *value, bool to_alias, wd_value **ret_value);

static wd_status rewrite_member(const wd_iter *iter, bool to_alias, wd_value **object_p)
{
    wd_value *item = NULL;
    wd_buffer key = { 0 };
    wd_status status = to_alias && is_palette(iter->key, iter->value) ? wd_value_text("<palette>", &item)
                                                                      : rewrite(iter->value, to_alias, &item);
    if (status == WD_OK) {
        status = rewrite_text((wd_slice){ iter->key, iter->key_length }, to_alias, &key);
    }
    if (status == WD_OK) {
        status = wd_member_put_n(object_p, key.bytes, key.length, &item);
    }
    wd_value_unref(&item);
    wd_buffer_done(&key);
    return status;
}

static wd_status rewrite(const wd_value *value, bool to_alias, wd_value **ret_value)
{
    if (wd_value_is(value, WD_KIND_STRING)) {
        return rewrite_string(value, to_alias, ret_value);
    }
    if (!wd_value_is(value, WD_KIND_ARRAY) && !wd_value_is(value, WD_KIND_OBJECT)) {
        *ret_value = wd_value_ref(value);
        return WD_OK;
    }
    bool is_object = wd_value_is(value, WD_KIND_OBJECT);
    wd_value *copy = is_object ? wd_value_object() : wd_value_array();
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(value);
    while (status == WD_OK && wd_iter_next(&iter)) {
        wd_value *item = NULL;
        if (is_object) {
            status = rewrite_member(&iter, to_alias, &copy);
            continue;
        }
        status = rewrite(iter.value, to_alias, &item);
        if (status == WD_OK) {
            status = wd_list_push(&copy, &item);
        }
    }
    return wd_give(status, &copy, ret_value);
}

wd_status wd_conform_alias(const wd_value *ours, wd_value **ret_theirs)
{
    return rewrite(ours, true, ret_theirs);
}

wd_status wd_conform_unalias(const wd_value *theirs, wd_value **ret_ours)
{
    return rewrite(theirs, false, ret_ours);
}

wd_status wd_conform_expect_aliased(
    wd_conform *run, const char *what, const wd_value *wanted, const wd_value *got)
{
    wd_value *theirs = NULL;
    wd_status status = got != NULL ? wd_conform_alias(got, &theirs) : WD_OK;
    if (status == WD_OK) {
        status = wd_conform_expect(run, what, wanted, theirs);
    }
    wd_value_unref(&theirs);
    return status;
}
