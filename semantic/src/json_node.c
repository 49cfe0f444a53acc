#include "json_node.h"

#include <limits.h>
#include <string.h>

/// `key` in lower case without '_' and '-' against a name that is so already.
bool wd_key_is(const char *key, const char *plain_name)
{
    for (; *key != '\0'; key++) {
        if (*key == '_' || *key == '-') {
            continue;
        }
        char c = *key >= 'A' && *key <= 'Z' ? (char)(*key - 'A' + 'a') : *key;
        if (c != *plain_name) {
            return false;
        }
        plain_name += 1;
    }
    return *plain_name == '\0';
}

int wd_field_find(const wd_field_name *names, size_t count, const char *key)
{
    for (size_t i = 0; i < count; i++) {
        if (wd_key_is(key, names[i].name)) {
            return names[i].field;
        }
    }
    return WD_FIELD_OTHER;
}

wd_status wd_json_text(wd_screen_draft *draft, wd_pull *pull, const char **ret_text)
{
    if (pull->token == WD_PULL_ARRAY) {
        wd_pull_scope scope = wd_pull_enter(pull);
        while (wd_pull_more(pull, scope)) {
            if (pull->token == WD_PULL_STRING) {
                *ret_text = wd_draft_text(draft, pull->text.at, pull->text.length);
                return *ret_text != NULL ? WD_OK : WD_ENOMEM;
            }
        }
        return WD_OK;
    }
    if (pull->token != WD_PULL_STRING) {
        return WD_OK;
    }
    *ret_text = wd_draft_text(draft, pull->text.at, pull->text.length);
    return *ret_text != NULL ? WD_OK : WD_ENOMEM;
}

wd_tristate wd_json_flag(const wd_pull *pull)
{
    bool yes =
        pull->token == WD_PULL_TRUE || (pull->token == WD_PULL_STRING && wd_span_is(pull->text, "true"));
    bool no =
        pull->token == WD_PULL_FALSE || (pull->token == WD_PULL_STRING && wd_span_is(pull->text, "false"));
    return yes ? WD_YES : no ? WD_NO : WD_UNKNOWN;
}

/// The integers of a text, whatever stands between them; more than four or none is no rectangle.
static bool rect_of_text(wd_span text, int32_t sides[4])
{
    size_t count = 0;
    for (size_t at = 0; at < text.length;) {
        bool negative = text.at[at] == '-';
        size_t digits = at + negative;
        int64_t number = 0;
        size_t end = digits;
        for (; end < text.length && text.at[end] >= '0' && text.at[end] <= '9'; end++) {
            number = number > INT32_MAX ? number : number * 10 + (text.at[end] - '0');
        }
        if (end == digits) {
            at += 1;
            continue;
        }
        if (count == 4 || number > INT32_MAX) {
            return false;
        }
        sides[count++] = (int32_t)(negative ? -number : number);
        at = end;
    }
    return count == 4;
}

static bool rect_of_array(wd_pull *pull, int32_t sides[4])
{
    size_t depth = pull->depth, count = 0;
    while (pull->depth >= depth) {
        if (wd_pull_next(pull) == WD_PULL_ERROR) {
            return false;
        }
        if (pull->token == WD_PULL_NUMBER) {
            count += count < 4 && wd_pull_int(pull, &sides[count]) ? 1 : 5;
        }
    }
    return count == 4;
}

/// Protobuf leaves out what is 0, so a side that is not named is 0; at least one must be.
static bool rect_of_object(wd_pull *pull, int32_t sides[4])
{
    static const wd_field_name names[] = { { "left", 0 }, { "top", 1 }, { "right", 2 }, { "bottom", 3 },
        { "xmin", 0 }, { "ymin", 1 }, { "xmax", 2 }, { "ymax", 3 }, { "x", 0 }, { "y", 1 } };
    wd_pull_scope scope = wd_pull_enter(pull);
    bool any = false;
    int32_t width = -1, height = -1;
    memset(sides, 0, 4 * sizeof *sides);
    while (wd_pull_more(pull, scope)) {
        int side = wd_field_find(names, WD_COUNT_OF(names), pull->key);
        int32_t *place = side < 4                           ? &sides[side]
                         : strcmp(pull->key, "width") == 0  ? &width
                         : strcmp(pull->key, "height") == 0 ? &height
                                                            : NULL;
        any |= place != NULL && wd_pull_int(pull, place);
    }
    sides[2] = width >= 0 && sides[2] == 0 ? sides[0] + width : sides[2];
    sides[3] = height >= 0 && sides[3] == 0 ? sides[1] + height : sides[3];
    return any;
}

bool wd_json_rect(wd_pull *pull, wd_rect *ret_rect)
{
    int32_t sides[4] = { 0, 0, 0, 0 };
    bool found = pull->token == WD_PULL_STRING   ? rect_of_text(pull->text, sides)
                 : pull->token == WD_PULL_ARRAY  ? rect_of_array(pull, sides)
                 : pull->token == WD_PULL_OBJECT ? rect_of_object(pull, sides)
                                                 : false;
    if (found) {
        *ret_rect = (wd_rect){ sides[0], sides[1], sides[2], sides[3] };
    }
    return found;
}

wd_status wd_json_set(wd_screen_draft *draft, wd_pull *pull, int field, wd_node *node)
{
    switch (field) {
    case WD_FIELD_TEXT:
        return wd_json_text(draft, pull, &node->text);
    case WD_FIELD_DESC:
        return wd_json_text(draft, pull, &node->desc);
    case WD_FIELD_HINT:
        return wd_json_text(draft, pull, &node->hint);
    case WD_FIELD_RESOURCE_ID:
        return wd_json_text(draft, pull, &node->resource_id);
    case WD_FIELD_CLASS:
        return wd_json_text(draft, pull, &node->class_name);
    case WD_FIELD_PACKAGE:
        return wd_json_text(draft, pull, &node->package);
    case WD_FIELD_RECT:
        if (wd_json_rect(pull, &node->rect)) {
            node->rect_state = WD_RECT_OK;  // judged when the display's size is known
        }
        return WD_OK;
    case WD_FIELD_OTHER:
        return WD_OK;
    default: {
        wd_tristate value = wd_json_flag(pull);
        if (value != WD_UNKNOWN) {
            wd_node_set(node, (wd_node_flag)field, value);
        }
        return WD_OK;
    }
    }
}

wd_status wd_json_end(wd_screen_draft *draft, wd_pull *pull)
{
    if (pull->status == WD_OK && pull->replaced > 0) {
        return wd_draft_recovered(draft, "%zu illegal characters replaced by U+FFFD", pull->replaced);
    }
    return pull->status;
}
