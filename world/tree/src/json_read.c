// json_read.c - the strict reader, straight into the tree.
#include "buffer.h"
#include "scalar_text.h"
#include "table.h"

#include <math.h>

typedef struct json_reader {
    const char *start, *at, *end;
    unsigned depth;
    wd_value **items;  // finished children of the containers that are still open
    size_t item_count, item_capacity;
    wd_name
        *names;  // of the members of the objects that are still open; a key in it is a reference of its own
    size_t name_count, name_capacity;
    wd_buffer scratch;  // a string while its escapes are undone
    // The shape of the last object at each depth: the next one there mostly has the same keys. Borrowed: that object
    // is among the items, or in one of them.
    wd_shape *hints[WD_VALUE_DEPTH_MAX + 1];
    wd_error *error;
} json_reader;

static wd_status read_value(json_reader *reader, wd_value **ret_value);

// ---- errors ---------------------------------------------------------------------------------------------------

static wd_status fail_at(json_reader *reader, const char *at, wd_status status, const char *what)
{
    size_t line = 1;
    const char *line_start = reader->start;
    for (const char *byte = reader->start; byte < at; byte++) {
        if (*byte == '\n') {
            line += 1;
            line_start = byte + 1;
        }
    }
    return wd_error_set(
        reader->error, status, "line %zu, column %zu: %s", line, (size_t)(at - line_start) + 1, what);
}

static wd_status fail(json_reader *reader, wd_status status, const char *what)
{
    return fail_at(reader, reader->at, status, what);
}

static wd_status fail_memory(json_reader *reader)
{
    return wd_error_set(reader->error, WD_ENOMEM, "out of memory");
}

// ---- strings --------------------------------------------------------------------------------------------------

static int hex_digit(char letter)
{
    if (letter >= '0' && letter <= '9') {
        return letter - '0';
    }
    letter |= 0x20;
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

// Four hex digits at `at`; -1 when they are not there.
static int32_t read_hex(const json_reader *reader, const char *at)
{
    int32_t unit = 0;
    for (int i = 0; i < 4; i++) {
        int digit = at + i < reader->end ? hex_digit(at[i]) : -1;
        if (digit < 0) {
            return -1;
        }
        unit = unit << 4 | digit;
    }
    return unit;
}

static size_t encode_utf8(uint32_t point, char bytes[4])
{
    if (point < 0x80) {
        bytes[0] = (char)point;
        return 1;
    }
    if (point < 0x800) {
        bytes[0] = (char)(0xC0 | point >> 6);
        bytes[1] = (char)(0x80 | (point & 0x3F));
        return 2;
    }
    if (point < 0x10000) {
        bytes[0] = (char)(0xE0 | point >> 12);
        bytes[1] = (char)(0x80 | (point >> 6 & 0x3F));
        bytes[2] = (char)(0x80 | (point & 0x3F));
        return 3;
    }
    bytes[0] = (char)(0xF0 | point >> 18);
    bytes[1] = (char)(0x80 | (point >> 12 & 0x3F));
    bytes[2] = (char)(0x80 | (point >> 6 & 0x3F));
    bytes[3] = (char)(0x80 | (point & 0x3F));
    return 4;
}

// At the 'u' of an escape. Takes both halves of a surrogate pair.
static wd_status read_unicode(json_reader *reader)
{
    int32_t unit = read_hex(reader, reader->at + 1);
    if (unit < 0) {
        return fail(reader, WD_EPARSE, "expected four hex digits after \\u");
    }
    if (unit == 0) {
        return fail(reader, WD_EPARSE, "\\u0000 is not allowed");
    }
    uint32_t point = (uint32_t)unit;
    const char *next = reader->at + 5;
    if (unit >= 0xD800 && unit <= 0xDFFF) {
        bool pair = unit < 0xDC00 && reader->end - next >= 6 && next[0] == '\\' && next[1] == 'u';
        int32_t low = pair ? read_hex(reader, next + 2) : -1;
        if (low < 0xDC00 || low > 0xDFFF) {
            return fail(reader, WD_EPARSE, "lone surrogate in \\u escape");
        }
        point = 0x10000 + ((point - 0xD800) << 10) + ((uint32_t)low - 0xDC00);
        next += 6;
    }
    char bytes[4];
    reader->at = next;
    return wd_buffer_append(&reader->scratch, bytes, encode_utf8(point, bytes)) == WD_OK
               ? WD_OK
               : fail_memory(reader);
}

static wd_status read_escape(json_reader *reader)
{
    static const char names[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
    reader->at += 1;
    if (reader->at == reader->end) {
        return fail(reader, WD_EPARSE, "expected an escape, found the end");
    }
    if (*reader->at == 'u') {
        return read_unicode(reader);
    }
    const char *name = memchr(names, *reader->at, sizeof(names) - 1);
    if (name == NULL) {
        return fail(reader, WD_EPARSE, "unknown escape");
    }
    reader->at += 1;
    return wd_buffer_append(&reader->scratch, &bytes[name - names], 1) == WD_OK ? WD_OK : fail_memory(reader);
}

// Bytes up to the next quote, backslash or control character; sets *ascii to false when one has its high bit set.
static const char *plain_end(const char *at, const char *end, bool *ascii)
{
    const uint64_t ones = 0x0101010101010101u, highs = 0x8080808080808080u;
    uint64_t seen = 0;
    for (; end - at >= 8; at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        uint64_t quote = word ^ (ones * '"'), slash = word ^ (ones * '\\');
        uint64_t control = (word - ones * 0x20) & ~word;
        if (((control | ((quote - ones) & ~quote) | ((slash - ones) & ~slash)) & highs) != 0) {
            break;
        }
        seen |= word;
    }
    for (; at < end; at++) {
        unsigned char byte = (unsigned char)*at;
        if (byte < 0x20 || byte == '"' || byte == '\\') {
            break;
        }
        seen |= byte;
    }
    *ascii = *ascii && (seen & highs) == 0;
    return at;
}

static wd_status fail_utf8(json_reader *reader, const char *bytes, const char *end)
{
    // Validity holds prefix by prefix, so the first bad byte is where the longest valid prefix ends.
    size_t good = 0, length = (size_t)(end - bytes);
    for (size_t step = 1; good < length && step <= 4; step++) {
        if (good + step <= length && wd_utf8_valid(bytes + good, step)) {
            good += step;
            step = 0;
        }
    }
    return fail_at(reader, bytes + good, WD_EUTF8, "invalid UTF-8");
}

// At the opening quote. *ret_text is borrowed: from the text, or from the scratch buffer until the next string.
static wd_status read_string(
    json_reader *reader, const char **ret_text, size_t *ret_length, bool *ret_escaped)
{
    const char *opening = reader->at;
    reader->at += 1;
    reader->scratch.length = 0;
    bool escaped = false;
    for (;;) {
        bool ascii = true;
        const char *run = reader->at;
        const char *stop = plain_end(run, reader->end, &ascii);
        size_t length = (size_t)(stop - run);
        if (!ascii && !wd_utf8_valid(run, length)) {
            return fail_utf8(reader, run, stop);
        }
        reader->at = stop;
        if (stop == reader->end) {
            return fail_at(reader, opening, WD_EPARSE, "string without closing quote");
        }
        if (*stop == '"' && !escaped) {
            *ret_text = run;
            *ret_length = length;
            break;
        }
        if ((unsigned char)*stop < 0x20) {
            return fail(reader, WD_EPARSE, "control character in string");
        }
        if (wd_buffer_append(&reader->scratch, run, length) != WD_OK) {
            return fail_memory(reader);
        }
        if (*stop == '"') {
            *ret_text = reader->scratch.bytes;
            *ret_length = reader->scratch.length;
            break;
        }
        escaped = true;
        wd_status status = read_escape(reader);
        if (status != WD_OK) {
            return status;
        }
    }
    reader->at += 1;
    *ret_escaped = escaped;
    return *ret_length <= WD_VALUE_STRING_MAX ? WD_OK
                                              : fail_at(reader, opening, WD_ELIMIT, "string is too long");
}

static wd_status read_string_value(json_reader *reader, wd_value **ret_value)
{
    const char *text;
    size_t length;
    bool escaped;
    wd_status status = read_string(reader, &text, &length, &escaped);
    // What stood there without escapes can be written without.
    if (status == WD_OK && wd_string_make(text, length, !escaped, ret_value) != WD_OK) {
        return fail_memory(reader);
    }
    return status;
}

// ---- numbers --------------------------------------------------------------------------------------------------

static bool is_digit(const json_reader *reader)
{
    return reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9';
}

static wd_status make_double(json_reader *reader, const char *start, wd_value **ret_value)
{
    size_t length = (size_t)(reader->at - start);
    reader->scratch.length = 0;
    if (wd_buffer_append(&reader->scratch, start, length) != WD_OK) {
        return fail_memory(reader);
    }
    double number = wd_double_of_text(reader->scratch.bytes);
    if (!isfinite(number)) {
        return fail_at(reader, start, WD_EPARSE, "number is beyond every double");
    }
    return wd_value_double(number, ret_value) == WD_OK ? WD_OK : fail_memory(reader);
}

// Digits at the reader, added to `sum`; false in *exact when they no longer fit.
static wd_status sum_digits(json_reader *reader, uint64_t *sum, bool *exact)
{
    if (!is_digit(reader)) {
        return fail(reader, WD_EPARSE, "expected a digit");
    }
    uint64_t total = *sum;
    for (; is_digit(reader); reader->at++) {
        if (__builtin_mul_overflow(total, 10u, &total) ||
            __builtin_add_overflow(total, (uint64_t)(*reader->at - '0'), &total)) {
            *exact = false;
        }
    }
    *sum = total;
    return WD_OK;
}

static wd_status read_exponent(json_reader *reader, int64_t *exponent, bool *exact)
{
    reader->at += 1;
    bool negative = reader->at < reader->end && *reader->at == '-';
    if (negative || (reader->at < reader->end && *reader->at == '+')) {
        reader->at += 1;
    }
    uint64_t magnitude = 0;
    wd_status status = sum_digits(reader, &magnitude, exact);
    *exact = *exact && magnitude < 10000;
    if (status == WD_OK && *exact) {
        *exponent += negative ? -(int64_t)magnitude : (int64_t)magnitude;
    }
    return status;
}

static wd_status make_int(json_reader *reader, uint64_t magnitude, bool negative, wd_value **ret_value)
{
    int64_t number = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return wd_value_int(number, ret_value) == WD_OK ? WD_OK : fail_memory(reader);
}

static wd_status read_number(json_reader *reader, wd_value **ret_value)
{
    const char *start = reader->at;
    bool negative = *start == '-', integer = true, exact = true;
    reader->at += negative;
    const char *digits = reader->at;
    uint64_t mantissa = 0;
    int64_t exponent = 0;
    wd_status status = sum_digits(reader, &mantissa, &exact);
    if (status == WD_OK && *digits == '0' && reader->at - digits > 1) {
        reader->at = digits + 1;
        return fail(reader, WD_EPARSE, "a number has no leading zero");
    }
    if (status == WD_OK && reader->at < reader->end && *reader->at == '.') {
        integer = false;
        reader->at += 1;
        const char *fraction = reader->at;
        status = sum_digits(reader, &mantissa, &exact);
        exponent = fraction - reader->at;
    }
    if (status == WD_OK && reader->at < reader->end && (*reader->at | 0x20) == 'e') {
        integer = false;
        status = read_exponent(reader, &exponent, &exact);
    }
    if (status != WD_OK) {
        return status;
    }
    if (integer && exact && mantissa <= (uint64_t)INT64_MAX + negative) {
        return make_int(reader, mantissa, negative, ret_value);
    }
    double number;
    if (exact && wd_double_of_decimal(mantissa, exponent, &number)) {
        return wd_value_double(negative ? -number : number, ret_value) == WD_OK ? WD_OK : fail_memory(reader);
    }
    return make_double(reader, start, ret_value);
}

// ---- containers -----------------------------------------------------------------------------------------------

static void skip_blanks(json_reader *reader)
{
    while (reader->at < reader->end &&
           (*reader->at == ' ' || *reader->at == '\n' || *reader->at == '\t' || *reader->at == '\r')) {
        reader->at += 1;
    }
}

static bool take(json_reader *reader, char letter)
{
    skip_blanks(reader);
    if (reader->at < reader->end && *reader->at == letter) {
        reader->at += 1;
        return true;
    }
    return false;
}

static wd_status push_item(json_reader *reader, wd_value *item)
{
    if (reader->item_count == reader->item_capacity) {
        size_t capacity = reader->item_capacity == 0 ? 64 : reader->item_capacity * 2;
        wd_value **items =
            wd_realloc(reader->items, reader->item_capacity * sizeof(*items), capacity * sizeof(*items));
        if (items == NULL) {
            wd_value_unref(&item);
            return fail_memory(reader);
        }
        reader->items = items;
        reader->item_capacity = capacity;
    }
    reader->items[reader->item_count++] = item;
    return WD_OK;
}

static wd_status read_array(json_reader *reader, wd_value **ret_value)
{
    size_t base = reader->item_count;
    wd_status status = WD_OK;
    bool closed = take(reader, ']');
    if (closed) {
        *ret_value = wd_value_array();
        return WD_OK;
    }
    while (status == WD_OK && !closed) {
        wd_value *item = NULL;
        status = read_value(reader, &item);
        if (status == WD_OK) {
            status = push_item(reader, item);
        }
        if (status == WD_OK) {
            closed = take(reader, ']');
            if (!closed && !take(reader, ',')) {
                status = fail(reader, WD_EPARSE, "expected ',' or ']' after an element");
            }
        }
    }
    if (status != WD_OK) {
        return status;  // the reader's end drops what was read
    }
    size_t count = reader->item_count - base;
    reader->item_count = base;
    status = wd_array_build(reader->items + base, count, ret_value);
    return status == WD_ENOMEM ? fail_memory(reader)
           : status != WD_OK   ? fail(reader, status, "the array has too many elements")
                               : WD_OK;
}

static wd_status push_name(json_reader *reader, const wd_name *name)
{
    if (reader->name_count == reader->name_capacity) {
        size_t capacity = reader->name_capacity == 0 ? 64 : reader->name_capacity * 2;
        wd_name *names =
            wd_realloc(reader->names, reader->name_capacity * sizeof(*names), capacity * sizeof(*names));
        if (names == NULL) {
            return fail_memory(reader);
        }
        reader->names = names;
        reader->name_capacity = capacity;
    }
    reader->names[reader->name_count++] = *name;
    return WD_OK;
}

static void drop_names(json_reader *reader, size_t base)
{
    while (reader->name_count > base) {
        reader->name_count -= 1;
        const wd_key *key = reader->names[reader->name_count].key;
        if (key != NULL) {
            wd_node_unref(&key->head);
        }
    }
}

// The key of a member, in quotes.
static wd_status read_name(json_reader *reader)
{
    const char *place = reader->at, *text;
    size_t length;
    bool escaped;
    wd_status status = read_string(reader, &text, &length, &escaped);
    if (status != WD_OK) {
        return status;
    }
    wd_name name = wd_name_of(text, length);
    name.place = place;
    if (escaped) {
        // Its text is in the scratch buffer, which the next string takes over.
        if (wd_key_make(&name, &name.key) != WD_OK) {
            return fail_memory(reader);
        }
        name.text = name.key->text;
    }
    status = push_name(reader, &name);
    if (status != WD_OK && name.key != NULL) {
        wd_node_unref(&name.key->head);
    }
    return status;
}

// Is this key, quotes included, what stands at the reader?
static bool takes_key(json_reader *reader, const wd_key *key)
{
    size_t length = key->length;
    if ((size_t)(reader->end - reader->at) < length + 2 || (key->head.flags & WD_FLAG_PLAIN) == 0 ||
        reader->at[length + 1] != '"' || memcmp(reader->at + 1, key->text, length) != 0) {
        return false;
    }
    reader->at += length + 2;
    return true;
}

// An object that is being read. While its keys are those of `hint`, in order, they are only counted.
typedef struct open_object {
    size_t items, names;  // where its own start
    wd_shape *hint;       // NULL: the names are kept
    uint32_t matched;
} open_object;

// The keys part from the hint's: enter those that were only counted.
static wd_status leave_hint(json_reader *reader, open_object *object)
{
    wd_shape *hint = object->hint;
    object->hint = NULL;
    for (uint32_t i = 0; i < object->matched; i++) {
        wd_name name = wd_name_of_key(hint->keys[i]);
        wd_status status = push_name(reader, &name);
        if (status != WD_OK) {
            return status;
        }
        wd_node_ref(&name.key->head);
    }
    return WD_OK;
}

static wd_status read_member(json_reader *reader, open_object *object)
{
    skip_blanks(reader);
    if (reader->at == reader->end || *reader->at != '"') {
        return fail(reader, WD_EPARSE, "expected a key in quotes");
    }
    wd_status status = WD_OK;
    if (object->hint != NULL) {
        if (object->matched < object->hint->count && takes_key(reader, object->hint->keys[object->matched])) {
            object->matched += 1;
        } else {
            status = leave_hint(reader, object);
        }
    }
    if (status == WD_OK && object->hint == NULL) {
        status = read_name(reader);
    }
    if (status == WD_OK && !take(reader, ':')) {
        return fail(reader, WD_EPARSE, "expected ':' after a key");
    }
    wd_value *item;
    if (status == WD_OK) {
        status = read_value(reader, &item);
    }
    return status == WD_OK ? push_item(reader, item) : status;
}

static wd_status build_object(
    json_reader *reader, const open_object *object, size_t count, wd_value **ret_value)
{
    const wd_name *names = reader->names + object->names;
    size_t twice = 0;
    switch (wd_object_build(names, reader->items + object->items, count, ret_value, &twice)) {
    case WD_OK:
        return WD_OK;
    case WD_EEXIST:
        return fail_at(reader, names[twice].place, WD_EPARSE, "duplicate key");
    case WD_ENOMEM:
        return fail_memory(reader);
    default:
        return fail(reader, WD_ELIMIT, "the object has too many members");
    }
}

static wd_status close_object(json_reader *reader, open_object *object, wd_value **ret_value)
{
    size_t count = reader->item_count - object->items;
    wd_status status = WD_OK;
    if (object->hint != NULL && object->matched < object->hint->count) {
        status = leave_hint(reader, object);
    }
    if (status != WD_OK) {
        return status;
    }
    reader->item_count = object->items;
    if (object->hint == NULL) {
        status = build_object(reader, object, count, ret_value);
        drop_names(reader, object->names);
    } else {
        wd_value **items = reader->items + object->items;
        unsigned height;
        status = wd_height_of_all(items, count, &height);
        wd_assert(status == WD_OK);  // depth was counted on the way down
        status = wd_object_with_shape(object->hint, items, ret_value);
        if (status != WD_OK) {
            wd_node_unref_all(items, count);
            return fail_memory(reader);
        }
        (*ret_value)->height = (uint8_t)height;
    }
    return status;
}

static wd_status read_object(json_reader *reader, wd_value **ret_value)
{
    open_object object = {
        .items = reader->item_count, .names = reader->name_count, .hint = reader->hints[reader->depth]
    };
    wd_status status = WD_OK;
    bool closed = take(reader, '}');
    if (closed) {
        *ret_value = wd_value_object();
        return WD_OK;
    }
    while (status == WD_OK && !closed) {
        status = read_member(reader, &object);
        if (status == WD_OK) {
            closed = take(reader, '}');
            if (!closed && !take(reader, ',')) {
                status = fail(reader, WD_EPARSE, "expected ',' or '}' after a member");
            }
        }
    }
    if (status == WD_OK) {
        status = close_object(reader, &object, ret_value);
    }
    if (status == WD_OK) {
        bool flat = wd_has_tag(*ret_value, WD_TAG_OBJECT);
        reader->hints[reader->depth] = flat ? wd_object_of(*ret_value)->shape : NULL;
    }
    return status;  // on failure the reader's end drops what was read
}

static wd_status read_word(json_reader *reader, const char *word, wd_value *value, wd_value **ret_value)
{
    size_t length = strlen(word);
    if ((size_t)(reader->end - reader->at) < length || memcmp(reader->at, word, length) != 0) {
        return fail(reader, WD_EPARSE, "expected a value");
    }
    reader->at += length;
    *ret_value = value;
    return WD_OK;
}

static wd_status read_container(json_reader *reader, wd_value **ret_value)
{
    if (reader->depth == WD_VALUE_DEPTH_MAX) {
        return fail(reader, WD_ELIMIT, "nested too deep");
    }
    bool object = *reader->at == '{';
    reader->at += 1;
    reader->depth += 1;
    wd_status status = object ? read_object(reader, ret_value) : read_array(reader, ret_value);
    reader->depth -= 1;
    return status;
}

static wd_status read_value(json_reader *reader, wd_value **ret_value)
{
    skip_blanks(reader);
    if (reader->at == reader->end) {
        return fail(reader, WD_EPARSE, "expected a value, found the end");
    }
    switch (*reader->at) {
    case '{':
    case '[':
        return read_container(reader, ret_value);
    case '"':
        return read_string_value(reader, ret_value);
    case 'n':
        return read_word(reader, "null", wd_value_null(), ret_value);
    case 't':
        return read_word(reader, "true", wd_value_bool(true), ret_value);
    case 'f':
        return read_word(reader, "false", wd_value_bool(false), ret_value);
    default:
        if (*reader->at == '-' || (*reader->at >= '0' && *reader->at <= '9')) {
            return read_number(reader, ret_value);
        }
        return fail(reader, WD_EPARSE, "expected a value");
    }
}

// ---- entry ----------------------------------------------------------------------------------------------------

static void reader_done(json_reader *reader)
{
    for (size_t i = 0; i < reader->item_count; i++) {
        wd_value_unref(&reader->items[i]);
    }
    wd_free(reader->items, reader->item_capacity * sizeof(*reader->items));
    drop_names(reader, 0);
    wd_free(reader->names, reader->name_capacity * sizeof(*reader->names));
    wd_buffer_done(&reader->scratch);
}

wd_status wd_json_parse_prefix(
    const char *text, size_t length, wd_value **ret_value, size_t *ret_used, wd_error *error)
{
    if (length > WD_JSON_TEXT_MAX) {
        return wd_error_set(error, WD_ELIMIT, "the text is longer than %d bytes", WD_JSON_TEXT_MAX);
    }
    json_reader reader = { .start = text, .at = text, .end = text + length, .error = error };
    wd_value *value = NULL;
    wd_status status = read_value(&reader, &value);
    if (status == WD_OK) {
        skip_blanks(&reader);
        *ret_used = (size_t)(reader.at - text);
        *ret_value = value;
    }
    reader_done(&reader);
    return status;
}

wd_status wd_json_parse(const char *text, size_t length, wd_value **ret_value, wd_error *error)
{
    wd_value *value = NULL;
    size_t used = 0;
    wd_status status = wd_json_parse_prefix(text, length, &value, &used, error);
    if (status != WD_OK) {
        return status;
    }
    if (used != length) {
        wd_value_unref(&value);
        json_reader reader = { .start = text, .at = text + used, .end = text + length, .error = error };
        return fail(&reader, WD_EPARSE, "expected the end of the text");
    }
    *ret_value = value;
    return WD_OK;
}
