#include "route.h"

#include "tree/alloc.h"

#include <string.h>

// Walks pattern and path side by side; *params_p (NULL: nobody asks) gets what ":name" takes.
static bool match(const char *pattern, const char *path, wd_value **params_p, wd_status *ret_status)
{
    const char *end = path + strcspn(path, "?");
    while (*pattern != '\0' && path < end) {
        if (*pattern != ':') {
            if (*pattern++ != *path++) {
                return false;
            }
            continue;
        }
        const char *name = ++pattern;
        pattern += strcspn(pattern, "/");
        const char *part = path;
        path += strcspn(path, "/?");
        if (path == part) {
            return false;
        }
        if (params_p != NULL && *ret_status == WD_OK) {
            wd_value *value = NULL;
            *ret_status = wd_value_string(part, (size_t)(path - part), &value);
            if (*ret_status == WD_OK) {
                *ret_status = wd_object_set_n(params_p, name, (size_t)(pattern - name), &value);
            }
            wd_value_unref(&value);
        }
    }
    return *pattern == '\0' && path == end;
}

bool wd_route_fits(const char *pattern, const char *path)
{
    wd_status status = WD_OK;
    return match(pattern, path, NULL, &status);
}

wd_status wd_route_params(const char *pattern, const char *path, wd_value **params_p)
{
    wd_status status = WD_OK;
    (void)match(pattern, path, params_p, &status);
    return status;
}

static int hex(char digit)
{
    return digit >= '0' && digit <= '9'   ? digit - '0'
           : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
           : digit >= 'A' && digit <= 'F' ? digit - 'A' + 10
                                          : -1;
}

// Form data: %xx and '+'. What does not decode to UTF-8 stays as it is written.
static wd_status decode_part(const char *text, size_t length, wd_value **ret_text)
{
    char *bytes = wd_alloc(length + 1);
    if (bytes == NULL) {
        return WD_ENOMEM;
    }
    size_t used = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '%' && i + 2 < length && hex(text[i + 1]) >= 0 && hex(text[i + 2]) >= 0) {
            bytes[used++] = (char)(hex(text[i + 1]) * 16 + hex(text[i + 2]));
            i += 2;
        } else {
            bytes[used++] = text[i] == '+' ? ' ' : text[i];
        }
    }
    wd_status status = wd_value_string(bytes, used, ret_text);
    if (status == WD_EUTF8) {
        status = wd_value_string(text, length, ret_text);
    }
    wd_free(bytes, length + 1);
    return status;
}

wd_status wd_route_query(const char *path, wd_value **params_p)
{
    const char *query = path + strcspn(path, "?");
    query += *query == '?' ? 1 : 0;
    wd_status status = WD_OK;
    while (status == WD_OK && *query != '\0') {
        const size_t length = strcspn(query, "&");
        const char *sign = memchr(query, '=', length);
        if (sign != NULL && sign > query) {
            wd_value *text = NULL;
            status = decode_part(sign + 1, length - (size_t)(sign - query) - 1, &text);
            status =
                status != WD_OK ? status : wd_object_set_n(params_p, query, (size_t)(sign - query), &text);
            wd_value_unref(&text);
        }
        query += length + (query[length] == '&' ? 1 : 0);
    }
    return status;
}
