// Element lists as Python prints them: UIElement(text='', bbox=BoundingBox(x_min=0, ...), is_editable=None,
// ...), one a line or in a list.
#include "androidworld.h"

#include <stdlib.h>
#include <string.h>

/// The text of a call's arguments is read with the JSON reader's literals; the rest is names and brackets.
static wd_status broken(wd_screen_draft *draft, const wd_pull *pull, const char *what)
{
    return wd_error_set(
        draft->error, WD_ECORRUPT, "%s expected at byte %zu", what, (size_t)(pull->at - pull->start));
}

static void skip_blanks(wd_pull *pull)
{
    while (pull->at < pull->end && strchr(" \t\r\n,", *pull->at) != NULL && *pull->at != '\0') {
        pull->at += 1;
    }
}

static bool take(wd_pull *pull, const char *text)
{
    wd_span rest = { pull->at, (size_t)(pull->end - pull->at) };
    if (!wd_span_starts(rest, text)) {
        return false;
    }
    pull->at += strlen(text);
    return true;
}

/// "name=", into pull->key.
static bool take_name(wd_pull *pull)
{
    size_t length = 0;
    while (pull->at + length < pull->end && length < WD_PULL_KEY_MAX - 1 &&
           ((pull->at[length] >= 'a' && pull->at[length] <= 'z') || pull->at[length] == '_')) {
        length += 1;
    }
    if (length == 0 || pull->at + length >= pull->end || pull->at[length] != '=') {
        return false;
    }
    memcpy(pull->key, pull->at, length);
    pull->key[length] = '\0';
    pull->at += length + 1;
    return true;
}

/// Up to the comma or bracket that ends a value we do not know: skipped, strings and brackets in it whole.
static void skip_value(wd_pull *pull)
{
    size_t depth = 0;
    while (pull->at < pull->end) {
        char c = *pull->at;
        if (c == '\'' || c == '"') {
            if (!wd_pull_literal(pull)) {
                return;
            }
            continue;
        }
        if (depth == 0 && (c == ',' || c == ')')) {
            return;
        }
        depth += c == '(' || c == '[' || c == '{';
        depth -= depth > 0 && (c == ')' || c == ']' || c == '}');
        pull->at += 1;
    }
}

static bool take_number(wd_pull *pull)
{
    char text[48];
    size_t length = 0;
    while (pull->at + length < pull->end && length < sizeof text - 1 && pull->at[length] != '\0' &&
           strchr("+-.0123456789eE", pull->at[length]) != NULL) {
        text[length] = pull->at[length];
        length += 1;
    }
    text[length] = '\0';
    char *end = NULL;
    pull->number = strtod(text, &end);
    pull->at += length;
    return length > 0 && end == text + length;
}

/// BoundingBox(x_min=0, x_max=1080, y_min=0, y_max=2400)
static wd_status read_box(wd_screen_draft *draft, wd_pull *pull, wd_element_box *box)
{
    if (!take(pull, "BoundingBox(")) {
        skip_value(pull);  // None
        return WD_OK;
    }
    for (skip_blanks(pull); !take(pull, ")"); skip_blanks(pull)) {
        if (!take_name(pull) || !take_number(pull)) {
            return broken(draft, pull, "a side of the box");
        }
        wd_element_side(box, pull->key, pull->number);
    }
    return WD_OK;
}

static wd_status read_value(wd_screen_draft *draft, wd_pull *pull, int field, wd_element *element)
{
    if (field == WD_ELEMENT_BOX || field == WD_ELEMENT_BOX_PIXELS) {
        return read_box(draft, pull, field == WD_ELEMENT_BOX ? &element->box : &element->box_pixels);
    }
    bool quoted = pull->at < pull->end && (*pull->at == '\'' || *pull->at == '"');
    if (field == WD_FIELD_OTHER || (!quoted && !take(pull, "True") && !take(pull, "False"))) {
        skip_value(pull);  // also None: unknown, absent
        return pull->status;
    }
    if (quoted) {
        if (!wd_pull_literal(pull)) {
            return pull->status;
        }
    } else {
        pull->token = pull->at[-2] == 'u' ? WD_PULL_TRUE : WD_PULL_FALSE;
    }
    return field == WD_ELEMENT_RESOURCE_NAME ? wd_json_text(draft, pull, &element->resource_name)
                                             : wd_json_set(draft, pull, field, &element->node);
}

static wd_status read_element(wd_screen_draft *draft, wd_pull *pull)
{
    wd_element element;
    wd_element_init(&element);
    for (skip_blanks(pull); !take(pull, ")"); skip_blanks(pull)) {
        if (!take_name(pull)) {
            return broken(draft, pull, "name=value");
        }
        wd_status status = read_value(draft, pull, wd_element_field(pull->key), &element);
        if (status != WD_OK) {
            return status;
        }
    }
    return wd_element_add(draft, &element);
}

wd_status wd_read_androidworld_repr(wd_screen_draft *draft, const char *bytes, size_t length)
{
    wd_pull pull;
    wd_pull_init(&pull, wd_span_trim_invisible((wd_span){ bytes, length }), draft->error);
    wd_status status = WD_OK;
    (void)take(&pull, "[");
    for (skip_blanks(&pull); status == WD_OK && pull.at < pull.end && !take(&pull, "]"); skip_blanks(&pull)) {
        status = take(&pull, "UIElement(") ? read_element(draft, &pull) : broken(draft, &pull, "UIElement(");
    }
    status = status == WD_OK ? wd_json_end(draft, &pull) : status;
    wd_pull_done(&pull);
    return status;
}
