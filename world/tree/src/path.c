// path.c - paths from text and back, and look-ups.
#include "path.h"

#include "buffer.h"
#include "scalar_text.h"

#include "tree/alloc.h"

// ---- parsing --------------------------------------------------------------------------------------------------

typedef struct path_scan {
    const char *text;
    size_t length, at;
    wd_error *error;
} path_scan;

// One piece of the text: a key, or what stands between brackets.
typedef struct path_piece {
    bool element;
    size_t start, end;
} path_piece;

static wd_status scan_fail(const path_scan *scan, size_t at, const char *what)
{
    return wd_error_set(scan->error, WD_EPARSE, "path, byte %zu: %s", at + 1, what);
}

// Move to the first unescaped `stop_a` or `stop_b`, or to the end.
static wd_status scan_until(path_scan *scan, char stop_a, char stop_b)
{
    while (scan->at < scan->length && scan->text[scan->at] != stop_a && scan->text[scan->at] != stop_b) {
        if (scan->text[scan->at] == '\\') {
            scan->at += 1;
            if (scan->at == scan->length) {
                return scan_fail(scan, scan->at - 1, "nothing after '\\'");
            }
        }
        scan->at += 1;
    }
    return WD_OK;
}

static wd_status scan_piece(path_scan *scan, bool element, path_piece *piece)
{
    piece->element = element;
    piece->start = scan->at;
    wd_status status = element ? scan_until(scan, ']', ']') : scan_until(scan, '.', '[');
    piece->end = scan->at;
    if (status == WD_OK && element) {
        if (scan->at == scan->length) {
            return scan_fail(scan, piece->start - 1, "'[' without ']'");
        }
        scan->at += 1;
        if (scan->at < scan->length && scan->text[scan->at] != '.' && scan->text[scan->at] != '[') {
            return scan_fail(scan, scan->at, "expected '.', '[' or the end after ']'");
        }
    }
    return status;
}

// The next piece; the first one is a key, perhaps an empty one. *more is false at the end.
static wd_status scan_next(path_scan *scan, bool first, path_piece *piece, bool *more)
{
    *more = first || scan->at < scan->length;
    if (!*more) {
        return WD_OK;
    }
    bool element = !first && scan->text[scan->at] == '[';
    scan->at += first ? 0 : 1;
    return scan_piece(scan, element, piece);
}

static size_t unescape(const char *raw, size_t length, char *out)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++) {
        if (raw[i] == '\\' && i + 1 < length) {
            i += 1;
        }
        out[count++] = raw[i];
    }
    out[count] = '\0';
    return count;
}

static bool all_digits(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9') {
            return false;
        }
    }
    return length > 0;
}

// Digits as an index; what is beyond every array stays beyond.
static int64_t index_of_digits(const char *text, size_t length)
{
    int64_t index = 0;
    for (size_t i = 0; i < length; i++) {
        if (__builtin_mul_overflow(index, 10, &index) ||
            __builtin_add_overflow(index, text[i] - '0', &index)) {
            return INT64_MAX;
        }
    }
    return index;
}

static size_t find_unescaped(const char *raw, size_t length, char wanted)
{
    for (size_t i = 0; i < length; i++) {
        if (raw[i] == '\\') {
            i += 1;
        } else if (raw[i] == wanted) {
            return i;
        }
    }
    return SIZE_MAX;
}

static void classify_element(wd_segment *segment, char *out)
{
    const char *raw = segment->raw;
    size_t length = segment->raw_length;
    segment->kind = WD_SEGMENT_ELEMENT;
    size_t value_at = 0;
    size_t equals = find_unescaped(raw, length, '=');
    if (length == 0) {
        segment->kind = WD_SEGMENT_ANY;
    } else if (all_digits(raw, length)) {
        segment->kind = WD_SEGMENT_INDEX;
        segment->index = index_of_digits(raw, length);
    } else if (length == 2 && memcmp(raw, "-1", 2) == 0) {
        segment->kind = WD_SEGMENT_INDEX;
        segment->index = -1;
    } else if (equals == 1 && (raw[0] == '+' || raw[0] == '-')) {
        segment->kind = raw[0] == '+' ? WD_SEGMENT_ADDED : WD_SEGMENT_REMOVED;
        value_at = 2;
    } else if (equals != SIZE_MAX) {
        segment->kind = WD_SEGMENT_FILTER;
        segment->field = raw;
        segment->field_length = equals;
        value_at = equals + 1;
    }
    segment->text = out;
    segment->text_length = unescape(raw + value_at, length - value_at, out);
}

static wd_path *path_new(size_t count, size_t length)
{
    // The text as written, then each segment unescaped with its NUL.
    size_t size = sizeof(wd_path) + count * (sizeof(wd_segment) + sizeof(wd_name)) + 2 * length + count + 1;
    wd_path *path = wd_alloc_zero(1, size);
    if (path != NULL) {
        path->count = count;
        path->size = size;
        path->segments = (wd_segment *)(path + 1);
        path->names = (wd_name *)(path->segments + count);
    }
    return path;
}

static wd_status count_segments(const char *text, size_t length, size_t *ret_count, wd_error *error)
{
    path_scan scan = { .text = text, .length = length, .error = error };
    path_piece piece;
    bool more = true;
    for (size_t count = 0;; count++) {
        wd_status status = scan_next(&scan, count == 0, &piece, &more);
        if (status != WD_OK) {
            return status;
        }
        if (!more) {
            *ret_count = count;
            return WD_OK;
        }
        if (count == WD_PATH_SEGMENTS_MAX) {
            return wd_error_set(error, WD_ELIMIT, "path: more than %d segments", WD_PATH_SEGMENTS_MAX);
        }
    }
}

wd_status wd_path_parse(const char *text, size_t length, wd_path **ret_path, wd_error *error)
{
    if (length > WD_PATH_TEXT_MAX) {
        return wd_error_set(error, WD_ELIMIT, "path: longer than %d bytes", WD_PATH_TEXT_MAX);
    }
    size_t count = 0;
    wd_status status = count_segments(text, length, &count, error);
    if (status != WD_OK) {
        return status;
    }
    wd_path *path = path_new(count, length);
    if (path == NULL) {
        return wd_error_set(error, WD_ENOMEM, "out of memory");
    }
    char *raw = (char *)(path->names + count);
    char *out = raw + length;
    if (length > 0) {
        memcpy(raw, text, length);
    }
    path_scan scan = { .text = text, .length = length };
    for (size_t i = 0; i < count; i++) {
        path_piece piece = { 0 };
        bool more;
        (void)scan_next(&scan, i == 0, &piece, &more);  // passed once already
        wd_segment *segment = &path->segments[i];
        segment->raw = raw + piece.start;
        segment->raw_length = piece.end - piece.start;
        if (piece.element) {
            classify_element(segment, out);
        } else {
            segment->kind = WD_SEGMENT_KEY;
            segment->text = out;
            segment->text_length = unescape(segment->raw, segment->raw_length, out);
            path->names[i] = wd_name_of(segment->text, segment->text_length);
        }
        out += segment->text_length + 1;
    }
    *ret_path = path;
    return WD_OK;
}

void wd_path_destroy(wd_path **path_p)
{
    if (*path_p != NULL) {
        wd_free(*path_p, (*path_p)->size);
        *path_p = NULL;
    }
}

size_t wd_path_count(const wd_path *path)
{
    return path->count;
}

const wd_segment *wd_path_at(const wd_path *path, size_t index)
{
    wd_assert(index < path->count);
    return &path->segments[index];
}

bool wd_segment_has_star(const wd_segment *segment)
{
    return find_unescaped(segment->raw, segment->raw_length, '*') != SIZE_MAX;
}

// ---- look-ups -------------------------------------------------------------------------------------------------

bool wd_scalar_is_text(const wd_value *scalar, const char *text, size_t length)
{
    char number[WD_DOUBLE_TEXT_SIZE];
    size_t own_length;
    const char *own = scalar != NULL ? wd_scalar_bytes(scalar, number, &own_length) : NULL;
    return own != NULL && own_length == length && memcmp(own, text, length) == 0;
}

const wd_value *wd_field_get(const wd_value *object, const char *field, size_t length)
{
    char stack_name[256];
    while (object != NULL) {
        size_t dot = find_unescaped(field, length, '.');
        size_t part = dot == SIZE_MAX ? length : dot;
        if (memchr(field, '\\', part) == NULL) {
            object = wd_object_get_n(object, field, part);
        } else if (part < sizeof(stack_name)) {
            object = wd_object_get_n(object, stack_name, unescape(field, part, stack_name));
        } else {
            return NULL;  // no field of that length needs an escape
        }
        if (dot == SIZE_MAX) {
            return object;
        }
        field += dot + 1;
        length -= dot + 1;
    }
    return NULL;
}

static bool contains(const wd_value *value, const char *text, size_t length)
{
    size_t own_length;
    if (!wd_value_is(value, WD_KIND_STRING)) {
        return false;
    }
    const char *own = wd_value_as_string(value, &own_length);
    return memmem(own, own_length, text, length) != NULL;
}

static void find_filter(const wd_segment *segment, const wd_value *array, bool substring_fallback,
    const wd_value **ret_child, size_t *ret_index)
{
    bool fallback_found = false;
    wd_iter iter = wd_iter_start(array);
    while (wd_iter_next(&iter)) {
        const wd_value *field = wd_field_get(iter.value, segment->field, segment->field_length);
        if (field == NULL || wd_value_is(field, WD_KIND_NULL)) {
            continue;
        }
        bool equal = wd_scalar_is_text(field, segment->text, segment->text_length);
        bool partly = substring_fallback && !fallback_found && segment->text_length > 0;
        if (equal || (partly && contains(field, segment->text, segment->text_length))) {
            *ret_child = iter.value;
            *ret_index = iter.index;
            fallback_found = true;
        }
        if (equal) {
            return;
        }
    }
}

void wd_segment_find(const wd_segment *segment, const wd_name *name, const wd_value *container,
    bool substring_fallback, const wd_value **ret_child, size_t *ret_index)
{
    *ret_child = NULL;
    *ret_index = 0;
    bool array = wd_value_is(container, WD_KIND_ARRAY);
    if (segment->kind == WD_SEGMENT_KEY && !array) {
        *ret_child = wd_object_get_name(container, name);
        return;
    }
    if (!array) {
        return;
    }
    int64_t index = -2;
    if (segment->kind == WD_SEGMENT_INDEX) {
        index = segment->index == -1 ? (int64_t)wd_array_count(container) - 1 : segment->index;
    } else if (segment->kind == WD_SEGMENT_KEY && all_digits(segment->text, segment->text_length)) {
        index = index_of_digits(segment->text, segment->text_length);
    } else if (segment->kind == WD_SEGMENT_FILTER) {
        find_filter(segment, container, substring_fallback, ret_child, ret_index);
    }
    if (index >= 0) {
        *ret_index = (size_t)index;
        *ret_child = wd_array_at(container, (size_t)index);
    }
}

const wd_value *wd_path_get(const wd_path *path, const wd_value *root, bool substring_fallback)
{
    const wd_value *value = root;
    for (size_t i = 0; i < path->count && value != NULL; i++) {
        size_t index;
        if (!wd_segment_is_skipped(&path->segments[i])) {
            wd_segment_find(&path->segments[i], &path->names[i], value, substring_fallback, &value, &index);
        }
    }
    return value;
}

const wd_value *wd_value_get_path(const wd_value *root, const char *text)
{
    wd_path *path;
    if (wd_path_parse(text, strlen(text), &path, NULL) != WD_OK) {
        return NULL;
    }
    const wd_value *value = wd_path_get(path, root, false);
    wd_path_destroy(&path);
    return value;
}

// ---- writing --------------------------------------------------------------------------------------------------

// Which bytes are written with a backslash: in keys, in a filter's field, in elements.
enum { SPECIAL_IN_KEY = 1, SPECIAL_IN_FIELD = 2, SPECIAL_IN_ELEMENT = 4 };
static const uint8_t special_bytes[256] = {
    ['.'] = SPECIAL_IN_KEY | SPECIAL_IN_FIELD,
    ['['] = SPECIAL_IN_KEY,
    ['='] = SPECIAL_IN_FIELD,
    [']'] = SPECIAL_IN_FIELD | SPECIAL_IN_ELEMENT,
    ['\\'] = SPECIAL_IN_KEY | SPECIAL_IN_FIELD | SPECIAL_IN_ELEMENT,
};

static char *escape(char *out, const char *text, size_t length, uint8_t where)
{
    for (size_t i = 0; i < length; i++) {
        if ((special_bytes[(unsigned char)text[i]] & where) != 0) {
            *out++ = '\\';
        }
        *out++ = text[i];
    }
    return out;
}

static void buffer_end(wd_buffer *buffer, char *end)
{
    *end = '\0';
    buffer->length = (size_t)(end - buffer->bytes);
}

wd_status wd_path_write_key(wd_buffer *buffer, bool first, const char *key, size_t length)
{
    wd_status status = wd_buffer_reserve(buffer, 1 + 2 * length);
    if (status == WD_OK) {
        char *out = buffer->bytes + buffer->length;
        if (!first) {
            *out++ = '.';
        }
        buffer_end(buffer, escape(out, key, length, SPECIAL_IN_KEY));
    }
    return status;
}

wd_status wd_path_write_index(wd_buffer *buffer, size_t index)
{
    char text[WD_DOUBLE_TEXT_SIZE + 2] = "[";
    size_t length = 1 + wd_int_text((int64_t)index, text + 1);
    text[length] = ']';
    return wd_buffer_append(buffer, text, length + 1);
}

wd_status wd_path_write_element(
    wd_buffer *buffer, wd_segment_kind kind, const char *field, const wd_value *scalar)
{
    wd_assert(kind == WD_SEGMENT_FILTER || kind == WD_SEGMENT_ADDED || kind == WD_SEGMENT_REMOVED);
    char number[WD_DOUBLE_TEXT_SIZE];
    size_t length;
    const char *text = wd_scalar_bytes(scalar, number, &length);
    if (text == NULL) {
        return WD_ETYPE;
    }
    // '=' and '.' in a field name would be read as the grammar's own, so they are escaped too.
    size_t field_length = kind == WD_SEGMENT_FILTER ? strlen(field) : 1;
    wd_status status = wd_buffer_reserve(buffer, 3 + 2 * (field_length + length));
    if (status == WD_OK) {
        char *out = buffer->bytes + buffer->length;
        *out++ = '[';
        if (kind == WD_SEGMENT_FILTER) {
            out = escape(out, field, field_length, SPECIAL_IN_FIELD);
        } else {
            *out++ = kind == WD_SEGMENT_ADDED ? '+' : '-';
        }
        *out++ = '=';
        out = escape(out, text, length, SPECIAL_IN_ELEMENT);
        *out++ = ']';
        buffer_end(buffer, out);
    }
    return status;
}
