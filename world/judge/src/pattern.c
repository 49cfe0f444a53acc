/// pattern.c - compiling and matching patterns of judge.md 12.4.
#include "pattern_segment.h"

#include "tree/alloc.h"

#include <string.h>

/// Copy raw[0..length) to `plain` with `\c` read as c; returns the bytes written.
static size_t unescape(const char *raw, size_t length, char *plain)
{
    size_t used = 0;
    for (size_t i = 0; i < length; i++) {
        if (raw[i] == '\\' && i + 1 < length) {
            i += 1;
        }
        plain[used++] = raw[i];
    }
    return used;
}

void wd_pattern_destroy(wd_pattern **pattern_p)
{
    wd_pattern *pattern = *pattern_p;
    if (pattern != NULL) {
        size_t size = sizeof *pattern + pattern->count * sizeof pattern->segments[0];
        wd_path_destroy(&pattern->path);
        wd_free(pattern->plain, pattern->plain_size);
        wd_free(pattern, size);
        *pattern_p = NULL;
    }
}

wd_status wd_pattern_compile(const char *text, size_t length, wd_pattern **ret_pattern, wd_error *error)
{
    wd_path *path = NULL;
    wd_status status = wd_path_parse(text, length, &path, error);
    if (status != WD_OK) {
        return status;
    }
    size_t count = wd_path_count(path);
    wd_pattern *pattern = wd_alloc_zero(1, sizeof *pattern + count * sizeof pattern->segments[0]);
    if (pattern == NULL) {
        wd_path_destroy(&path);
        return wd_error_set(error, WD_ENOMEM, "out of memory");
    }
    pattern->path = path;
    pattern->count = count;
    pattern->plain_size = length + 1;
    pattern->plain = wd_alloc(pattern->plain_size);
    if (pattern->plain == NULL) {
        wd_pattern_destroy(&pattern);
        return wd_error_set(error, WD_ENOMEM, "out of memory");
    }
    char *plain = pattern->plain;
    for (size_t i = 0; i < count; i++) {
        const wd_segment *from = wd_path_at(path, i);
        wd_pattern_segment *to = &pattern->segments[i];
        to->element = from->kind != WD_SEGMENT_KEY;
        to->any = from->kind == WD_SEGMENT_ANY;
        to->star = !to->any && wd_segment_has_star(from);
        if (to->star) {
            to->text = from->raw;
            to->length = from->raw_length;
        } else {
            to->text = plain;
            to->length = unescape(from->raw, from->raw_length, plain);
            plain += to->length;
        }
    }
    *ret_pattern = pattern;
    return WD_OK;
}

static size_t character_length(const char *text, size_t length)
{
    size_t used = 1;
    while (used < length && ((unsigned char)text[used] & 0xC0) == 0x80) {
        used += 1;
    }
    return used;
}

/// `raw` with escapes and stars against plain text. A star takes at least one character; giving back to the
/// last star alone is enough, because an earlier one that took more could only leave less for what follows.
static bool star_matches(const char *raw, size_t raw_length, const char *text, size_t length)
{
    size_t at = 0, text_at = 0, star_at = SIZE_MAX, star_end = 0;
    while (text_at < length) {
        if (at < raw_length && raw[at] == '*') {
            star_at = at++;
            text_at += character_length(text + text_at, length - text_at);
            star_end = text_at;
            continue;
        }
        size_t escape = at + 1 < raw_length && raw[at] == '\\' ? 1 : 0;
        if (at < raw_length && raw[at + escape] == text[text_at]) {
            at += escape + 1;
            text_at += 1;
        } else if (star_at != SIZE_MAX) {
            at = star_at + 1;
            star_end += character_length(text + star_end, length - star_end);
            text_at = star_end;
        } else {
            return false;
        }
    }
    return at == raw_length;
}

bool wd_pattern_segment_matches(
    const wd_pattern_segment *segment, bool element, const char *text, size_t length)
{
    if (segment->element != element) {
        return false;
    }
    if (segment->any) {
        return true;
    }
    if (segment->star) {
        return star_matches(segment->text, segment->length, text, length);
    }
    return segment->length == length && memcmp(segment->text, text, length) == 0;
}

bool wd_pattern_covers(const wd_pattern *pattern, const wd_path *path)
{
    if (pattern->count > wd_path_count(path)) {
        return false;
    }
    for (size_t i = 0; i < pattern->count; i++) {
        const wd_segment *segment = wd_path_at(path, i);
        bool element = segment->kind != WD_SEGMENT_KEY;
        const char *text = segment->text;
        size_t length = segment->text_length;
        char plain[WD_PATH_TEXT_MAX];
        if (element) {
            bool escaped = memchr(segment->raw, '\\', segment->raw_length) != NULL;
            length = escaped ? unescape(segment->raw, segment->raw_length, plain) : segment->raw_length;
            text = escaped ? plain : segment->raw;
        }
        if (!wd_pattern_segment_matches(&pattern->segments[i], element, text, length)) {
            return false;
        }
    }
    return true;
}

wd_status wd_pattern_covers_text(
    const char *pattern, size_t pattern_length, const char *path, size_t path_length, bool *ret_covers)
{
    wd_pattern *compiled = NULL;
    wd_path *parsed = NULL;
    wd_status status = wd_pattern_compile(pattern, pattern_length, &compiled, NULL);
    if (status == WD_OK) {
        status = wd_path_parse(path, path_length, &parsed, NULL);
    }
    bool covers = status == WD_OK && wd_pattern_covers(compiled, parsed);
    wd_pattern_destroy(&compiled);
    wd_path_destroy(&parsed);
    if (status == WD_ENOMEM) {
        return status;
    }
    *ret_covers = covers;
    return WD_OK;
}
