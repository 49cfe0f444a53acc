#include "uri.h"

#include <string.h>

static wd_slice cut(wd_slice text, size_t start, size_t end)
{
    return (wd_slice){ text.bytes + start, end - start };
}

static size_t find(wd_slice text, char c, size_t from)
{
    const char *found = from < text.length ? memchr(text.bytes + from, c, text.length - from) : NULL;
    return found != NULL ? (size_t)(found - text.bytes) : text.length;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/// Form data: '+' is a blank, %XX a byte. What does not decode to a text stays as it was written.
static wd_status decode(wd_slice text, wd_value **ret_text)
{
    wd_buffer buffer = { 0 };
    wd_status status = wd_buffer_text(&buffer, "");
    for (size_t i = 0; status == WD_OK && i < text.length; i++) {
        char c = text.bytes[i] == '+' ? ' ' : text.bytes[i];
        if (c == '%' && i + 2 < text.length && hex_digit(text.bytes[i + 1]) >= 0 &&
            hex_digit(text.bytes[i + 2]) >= 0) {
            c = (char)(hex_digit(text.bytes[i + 1]) * 16 + hex_digit(text.bytes[i + 2]));
            i += 2;
        }
        status = wd_buffer_append(&buffer, &c, 1);
    }
    if (status == WD_OK) {
        status = wd_value_string(buffer.bytes, buffer.length, ret_text);
    }
    wd_buffer_done(&buffer);
    return status == WD_EUTF8 ? wd_slice_value(text, ret_text) : status;
}

static wd_status parse_query(wd_slice text, wd_value **ret_query)
{
    wd_value *query = wd_value_array();
    wd_status status = WD_OK;
    for (size_t start = 0; status == WD_OK && start < text.length;) {
        size_t end = find(text, '&', start);
        wd_slice pair = cut(text, start, end);
        size_t equals = find(pair, '=', 0);
        wd_value *name = NULL, *value = NULL, *item = NULL;
        if (pair.length > 0) {
            status = decode(cut(pair, 0, equals), &name);
            if (status == WD_OK) {
                status = decode(cut(pair, equals < pair.length ? equals + 1 : equals, pair.length), &value);
            }
            if (status == WD_OK) {
                status = wd_value_pack(&item, "[vv]", name, value);
            }
            if (status == WD_OK) {
                status = wd_list_push(&query, &item);
            }
        }
        wd_value_unref(&name);
        wd_value_unref(&value);
        start = end + 1;
    }
    return wd_give(status, &query, ret_query);
}

wd_status wd_uri_parse(const char *text, wd_uri *ret_uri, wd_error *error)
{
    static const char scheme[] = "content:";
    wd_uri uri = { .text = wd_slice_trim(text, strlen(text)) };
    if (uri.text.length > WD_URI_LENGTH_MAX) {
        return wd_error_set(error, WD_ELIMIT, "uri: longer than %d bytes", WD_URI_LENGTH_MAX);
    }
    if (uri.text.length < strlen(scheme) || memcmp(uri.text.bytes, scheme, strlen(scheme)) != 0) {
        return wd_error_set(error, WD_EINVAL, "uri: only content: is supported");
    }
    wd_slice rest = cut(uri.text, strlen(scheme), uri.text.length);
    rest = cut(rest, 0, find(rest, '#', 0));
    if (rest.length < 2 || memcmp(rest.bytes, "//", 2) != 0) {
        return wd_error_set(error, WD_EINVAL, "uri: content://authority is needed");
    }
    rest = cut(rest, 2, rest.length);
    size_t question = find(rest, '?', 0);
    wd_slice query = question < rest.length ? cut(rest, question + 1, rest.length) : (wd_slice){ "", 0 };
    rest = cut(rest, 0, question);
    size_t slash = find(rest, '/', 0);
    uri.authority = cut(rest, 0, slash);
    if (uri.authority.length == 0) {
        return wd_error_set(error, WD_EINVAL, "uri: the authority is empty");
    }
    uri.path = cut(rest, slash, rest.length);
    while (uri.path.length > 1 && uri.path.bytes[uri.path.length - 1] == '/') {
        uri.path.length--;
    }
    if (uri.path.length == 0) {
        uri.path = (wd_slice){ "/", 1 };
    }
    wd_status status = parse_query(query, &uri.query);
    if (status == WD_OK) {
        *ret_uri = uri;
    }
    return status;
}

void wd_uri_done(wd_uri *uri)
{
    wd_value_unref(&uri->query);
}

const wd_value *wd_uri_query(const wd_uri *uri, const char *name)
{
    wd_iter iter = wd_iter_start(uri->query);
    while (wd_iter_next(&iter)) {
        if (wd_value_is_text(wd_array_at(iter.value, 0), name)) {
            return wd_array_at(iter.value, 1);
        }
    }
    return NULL;
}

bool wd_uri_is(const wd_uri *uri, const char *path)
{
    return wd_slice_is(uri->path, path);
}

bool wd_uri_below(const wd_uri *uri, const char *parent, wd_slice *ret_segment)
{
    size_t length = strlen(parent);
    if (uri->path.length < length + 2 || memcmp(uri->path.bytes, parent, length) != 0 ||
        uri->path.bytes[length] != '/') {
        return false;
    }
    *ret_segment = cut(uri->path, length + 1, uri->path.length);
    return memchr(ret_segment->bytes, '/', ret_segment->length) == NULL;
}

bool wd_uri_paths_meet(wd_slice a, wd_slice b)
{
    wd_slice above = a.length <= b.length ? a : b, below = a.length <= b.length ? b : a;
    if (above.length == 1) {
        return true;  // "/"
    }
    return memcmp(above.bytes, below.bytes, above.length) == 0 &&
           (above.length == below.length || below.bytes[above.length] == '/');
}
