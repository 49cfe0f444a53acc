#include "action_private.h"

#include "tree/alloc.h"
#include "tree/json.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ---- names ----------------------------------------------------------------------------------------------------

static const char *const kind_names[WD_ACTION_KIND_COUNT] = {
#define X(name, text) [WD_ACTION_##name] = (text),
    WD_ACTION_TABLE(X)
#undef X
};

const char *const wd_space_names[WD_SPACE_COUNT] = {
    [WD_SPACE_PX] = "px",
    [WD_SPACE_NORM1] = "norm1",
    [WD_SPACE_NORM1000] = "norm1000",
    [WD_SPACE_MODEL] = "model",
};

const double wd_space_max[WD_SPACE_COUNT] = {
    [WD_SPACE_PX] = WD_ACTION_POINT_MAX,
    [WD_SPACE_NORM1] = 1,
    [WD_SPACE_NORM1000] = 1000,
    [WD_SPACE_MODEL] = WD_ACTION_POINT_MAX,
};

const char *const wd_direction_names[WD_DIRECTION_COUNT] = { "none", "up", "down", "left", "right" };

size_t wd_name_index(const char *const *names, size_t count, const char *name)
{
    size_t i = 0;
    while (i < count && strcmp(names[i], name) != 0) {
        i++;
    }
    return i;
}

const char *wd_action_kind_name(wd_action_kind kind)
{
    wd_assert((unsigned)kind < WD_ACTION_KIND_COUNT);
    return kind_names[kind];
}

wd_status wd_action_kind_parse(const char *name, wd_action_kind *ret_kind)
{
    size_t i = wd_name_index(kind_names, WD_ACTION_KIND_COUNT, name);
    if (i == WD_ACTION_KIND_COUNT) {
        return WD_ENOENT;
    }
    *ret_kind = (wd_action_kind)i;
    return WD_OK;
}

bool wd_action_is_physical(wd_action_kind kind)
{
    return kind <= WD_ACTION_WAIT;
}

const char *wd_space_name(wd_space space)
{
    wd_assert((unsigned)space < WD_SPACE_COUNT);
    return wd_space_names[space];
}

wd_status wd_space_parse(const char *name, wd_space *ret_space)
{
    size_t i = wd_name_index(wd_space_names, WD_SPACE_COUNT, name);
    if (i == WD_SPACE_COUNT) {
        return WD_ENOENT;
    }
    *ret_space = (wd_space)i;
    return WD_OK;
}

bool wd_space_holds(wd_space space, double x, double y)
{
    wd_assert((unsigned)space < WD_SPACE_COUNT);
    return x >= 0 && x <= wd_space_max[space] && y >= 0 && y <= wd_space_max[space];
}

const char *wd_direction_name(wd_direction direction)
{
    wd_assert((unsigned)direction < WD_COUNT_OF(wd_direction_names));
    return wd_direction_names[direction];
}

wd_status wd_direction_parse(const char *name, wd_direction *ret_direction)
{
    size_t i = wd_name_index(wd_direction_names, WD_COUNT_OF(wd_direction_names), name);
    if (i == WD_DIR_NONE || i == WD_COUNT_OF(wd_direction_names)) {
        return WD_ENOENT;
    }
    *ret_direction = (wd_direction)i;
    return WD_OK;
}

// ---- strings of an action -------------------------------------------------------------------------------------

const wd_action_string wd_action_strings[WD_ACTION_STRING_COUNT] = {
    { "resource_id", offsetof(wd_action, resource_id), true },
    { "text", offsetof(wd_action, target_text), true },
    { "role", offsetof(wd_action, role), true },
    { "text", offsetof(wd_action, text), false },
    { "distance", offsetof(wd_action, distance), false },
    { "app", offsetof(wd_action, app), false },
    { "activity", offsetof(wd_action, activity), false },
    { "key", offsetof(wd_action, key), false },
    { "status", offsetof(wd_action, status), false },
    { "reason", offsetof(wd_action, reason), false },
    { "raw", offsetof(wd_action, raw), false },
};

static void string_free(char **string_p)
{
    if (*string_p != NULL) {
        wd_free(*string_p, strlen(*string_p) + 1);
        *string_p = NULL;
    }
}

wd_status wd_action_set_text(char **field, const char *text, size_t length)
{
    char *copy = NULL;
    if (text != NULL) {
        if (length > WD_ACTION_TEXT_MAX) {
            return WD_ELIMIT;
        }
        if (!wd_utf8_valid(text, length)) {
            return WD_EUTF8;
        }
        copy = wd_strndup(text, length);
        if (copy == NULL) {
            return WD_ENOMEM;
        }
    }
    string_free(field);
    *field = copy;
    return WD_OK;
}

void wd_action_init(wd_action *action, wd_action_kind kind)
{
    *action = (wd_action){ .kind = kind, .node = -1, .index = -1, .ordinal = -1, .amount = -1, .ms = -1 };
}

void wd_action_done(wd_action *action)
{
    for (size_t i = 0; i < WD_ACTION_STRING_COUNT; i++) {
        string_free(wd_action_string_at(action, &wd_action_strings[i]));
    }
    wd_action_init(action, action->kind);
}

wd_status wd_action_copy(const wd_action *action, wd_action *ret_copy)
{
    *ret_copy = *action;
    for (size_t i = 0; i < WD_ACTION_STRING_COUNT; i++) {
        *wd_action_string_at(ret_copy, &wd_action_strings[i]) = NULL;
    }
    for (size_t i = 0; i < WD_ACTION_STRING_COUNT; i++) {
        const char *text = wd_action_string_get(action, &wd_action_strings[i]);
        if (text == NULL) {
            continue;
        }
        char *copy = wd_strndup(text, strlen(text));
        if (copy == NULL) {
            wd_action_done(ret_copy);
            return WD_ENOMEM;
        }
        *wd_action_string_at(ret_copy, &wd_action_strings[i]) = copy;
    }
    return WD_OK;
}

bool wd_action_has_selector(const wd_action *action)
{
    return action->resource_id != NULL || action->target_text != NULL || action->role != NULL;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool same_points(const wd_action *a, const wd_action *b)
{
    if (a->has_point != b->has_point || a->has_point2 != b->has_point2) {
        return false;
    }
    return (!a->has_point || (a->x == b->x && a->y == b->y)) &&
           (!a->has_point2 || (a->x2 == b->x2 && a->y2 == b->y2)) &&
           ((!a->has_point && !a->has_point2) || a->space == b->space);
}

bool wd_action_equal(const wd_action *a, const wd_action *b)
{
    if (a->kind != b->kind || !same_points(a, b) || a->node != b->node || a->index != b->index ||
        a->ordinal != b->ordinal || a->clear != b->clear || a->submit != b->submit ||
        a->amount != b->amount || a->ms != b->ms || a->direction != b->direction ||
        (a->direction != WD_DIR_NONE && a->direction_of != b->direction_of)) {
        return false;
    }
    for (size_t i = 0; i < WD_ACTION_STRING_COUNT; i++) {
        bool counts = wd_action_strings[i].offset != offsetof(wd_action, raw) || a->kind == WD_ACTION_INVALID;
        if (counts && !same_text(wd_action_string_get(a, &wd_action_strings[i]),
                          wd_action_string_get(b, &wd_action_strings[i]))) {
            return false;
        }
    }
    return true;
}

wd_direction wd_action_finger(const wd_action *action)
{
    static const wd_direction turned[] = {
        [WD_DIR_NONE] = WD_DIR_NONE,
        [WD_DIR_UP] = WD_DIR_DOWN,
        [WD_DIR_DOWN] = WD_DIR_UP,
        [WD_DIR_LEFT] = WD_DIR_RIGHT,
        [WD_DIR_RIGHT] = WD_DIR_LEFT,
    };
    if (action->has_point && action->has_point2) {
        double dx = action->x2 - action->x;
        double dy = action->y2 - action->y;
        if (dx == 0 && dy == 0) {
            return WD_DIR_NONE;
        }
        if (fabs(dx) > fabs(dy)) {
            return dx < 0 ? WD_DIR_LEFT : WD_DIR_RIGHT;
        }
        return dy < 0 ? WD_DIR_UP : WD_DIR_DOWN;
    }
    return action->direction_of == WD_DIR_OF_FINGER ? action->direction : turned[action->direction];
}

// ---- step and result ------------------------------------------------------------------------------------------

void wd_step_done(wd_step *step)
{
    wd_action_done(&step->action);
    wd_value_unref(&step->args);
    string_free(&step->thought);
}

const char *wd_outcome_name(wd_outcome outcome)
{
    static const char *const names[] = {
        [WD_OUTCOME_OK] = "ok",
        [WD_OUTCOME_FAILED] = "failed",
        [WD_OUTCOME_REFUSED] = "refused",
    };
    wd_assert((unsigned)outcome < WD_COUNT_OF(names));
    return names[outcome];
}

wd_result wd_result_ok(void)
{
    return (wd_result){ .outcome = WD_OUTCOME_OK, .status = WD_OK, .code = "ok" };
}

wd_result wd_result_make(wd_outcome outcome, wd_status status, const char *code, const char *format, ...)
{
    wd_result result = { .outcome = outcome, .status = status, .code = code };
    char text[2 * WD_ERROR_TEXT_MAX];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    wd_error cut;  // knows how to cut at a character boundary
    (void)wd_error_set(&cut, status, "%s", text);
    memcpy(result.text, cut.text, sizeof result.text);
    return result;
}
