#include "scene/action.h"

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

static const char *const space_names[WD_SPACE_COUNT] = {
    [WD_SPACE_PX] = "px",
    [WD_SPACE_NORM1] = "norm1",
    [WD_SPACE_NORM1000] = "norm1000",
    [WD_SPACE_MODEL] = "model",
};

static const double space_max[WD_SPACE_COUNT] = {
    [WD_SPACE_PX] = WD_ACTION_POINT_MAX,
    [WD_SPACE_NORM1] = 1,
    [WD_SPACE_NORM1000] = 1000,
    [WD_SPACE_MODEL] = WD_ACTION_POINT_MAX,
};

static const char *const direction_names[] = { "none", "up", "down", "left", "right" };
static const char *const direction_of_names[] = { "content", "finger" };
static const char *const status_names[] = { "success", "failure", "unknown" };

static size_t name_index(const char *const *names, size_t count, const char *name)
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
    size_t i = name_index(kind_names, WD_ACTION_KIND_COUNT, name);
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
    return space_names[space];
}

wd_status wd_space_parse(const char *name, wd_space *ret_space)
{
    size_t i = name_index(space_names, WD_SPACE_COUNT, name);
    if (i == WD_SPACE_COUNT) {
        return WD_ENOENT;
    }
    *ret_space = (wd_space)i;
    return WD_OK;
}

bool wd_space_holds(wd_space space, double x, double y)
{
    wd_assert((unsigned)space < WD_SPACE_COUNT);
    return x >= 0 && x <= space_max[space] && y >= 0 && y <= space_max[space];
}

const char *wd_direction_name(wd_direction direction)
{
    wd_assert((unsigned)direction < WD_COUNT_OF(direction_names));
    return direction_names[direction];
}

wd_status wd_direction_parse(const char *name, wd_direction *ret_direction)
{
    size_t i = name_index(direction_names, WD_COUNT_OF(direction_names), name);
    if (i == WD_DIR_NONE || i == WD_COUNT_OF(direction_names)) {
        return WD_ENOENT;
    }
    *ret_direction = (wd_direction)i;
    return WD_OK;
}

// ---- strings of an action -------------------------------------------------------------------------------------

/// Where a string lives and what it is called: copying, comparing, reading and writing walk one table.
typedef struct string_field {
    const char *name;
    size_t offset;
    bool in_selector;
} string_field;

static const string_field string_fields[] = {
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

static char **string_at(wd_action *action, const string_field *field)
{
    return (char **)(void *)((char *)action + field->offset);
}

static const char *string_get(const wd_action *action, const string_field *field)
{
    return *(const char *const *)(const void *)((const char *)action + field->offset);
}

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
    for (size_t i = 0; i < WD_COUNT_OF(string_fields); i++) {
        string_free(string_at(action, &string_fields[i]));
    }
    wd_action_init(action, action->kind);
}

wd_status wd_action_copy(const wd_action *action, wd_action *ret_copy)
{
    *ret_copy = *action;
    for (size_t i = 0; i < WD_COUNT_OF(string_fields); i++) {
        *string_at(ret_copy, &string_fields[i]) = NULL;
    }
    for (size_t i = 0; i < WD_COUNT_OF(string_fields); i++) {
        const char *text = string_get(action, &string_fields[i]);
        if (text == NULL) {
            continue;
        }
        char *copy = wd_strndup(text, strlen(text));
        if (copy == NULL) {
            wd_action_done(ret_copy);
            return WD_ENOMEM;
        }
        *string_at(ret_copy, &string_fields[i]) = copy;
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
    for (size_t i = 0; i < WD_COUNT_OF(string_fields); i++) {
        bool counts = string_fields[i].offset != offsetof(wd_action, raw) || a->kind == WD_ACTION_INVALID;
        if (counts && !same_text(string_get(a, &string_fields[i]), string_get(b, &string_fields[i]))) {
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

// ---- to a value -----------------------------------------------------------------------------------------------

/// Collects members; the first failure sticks, so that the writers below read as a list.
typedef struct members {
    wd_value *object;
    wd_status status;
} members;

/// Takes `item`, also on failure.
static void put(members *into, const char *name, wd_status status, wd_value *item)
{
    if (into->status == WD_OK) {
        into->status = status;
    }
    if (into->status == WD_OK) {
        into->status = wd_object_set(&into->object, name, &item);
    }
    wd_value_unref(&item);
}

static void put_text(members *into, const char *name, const char *text)
{
    wd_value *item = NULL;
    if (text != NULL) {
        wd_status status = wd_value_text(text, &item);
        put(into, name, status, item);
    }
}

static void put_int(members *into, const char *name, int64_t number)
{
    wd_value *item = NULL;
    wd_status status = wd_value_int(number, &item);
    put(into, name, status, item);
}

/// Whole numbers print as such ("x":540), whatever the source wrote.
static void put_number(members *into, const char *name, double number)
{
    if (number == floor(number) && fabs(number) <= WD_ACTION_POINT_MAX) {
        put_int(into, name, (int64_t)number);
        return;
    }
    wd_value *item = NULL;
    wd_status status = wd_value_double(number, &item);
    put(into, name, status, item);
}

static void put_strings(members *into, const wd_action *action, bool in_selector)
{
    for (size_t i = 0; i < WD_COUNT_OF(string_fields); i++) {
        if (string_fields[i].in_selector == in_selector) {
            put_text(into, string_fields[i].name, string_get(action, &string_fields[i]));
        }
    }
}

static void put_target(members *into, const wd_action *action)
{
    if (action->has_point) {
        put_number(into, "x", action->x);
        put_number(into, "y", action->y);
    }
    if (action->has_point2) {
        put_number(into, "x2", action->x2);
        put_number(into, "y2", action->y2);
    }
    if (action->has_point || action->has_point2) {
        put_text(into, "space", wd_space_name(action->space));
    }
    if (action->node >= 0) {
        put_int(into, "node", action->node);
    }
    if (action->index >= 0) {
        put_int(into, "index", action->index);
    }
    if (wd_action_has_selector(action)) {
        members selector = { .object = wd_value_object(), .status = WD_OK };
        put_strings(&selector, action, true);
        if (action->ordinal >= 0) {
            put_int(&selector, "ordinal", action->ordinal);
        }
        put(into, "selector", selector.status, selector.object);
    }
}

wd_status wd_action_to_value(const wd_action *action, wd_value **ret_value)
{
    members all = { .object = wd_value_object(), .status = WD_OK };
    put_text(&all, "kind", wd_action_kind_name(action->kind));
    put_target(&all, action);
    if (action->clear) {
        put(&all, "clear", WD_OK, wd_value_bool(true));
    }
    if (action->submit) {
        put(&all, "submit", WD_OK, wd_value_bool(true));
    }
    if (action->direction != WD_DIR_NONE) {
        put_text(&all, "direction", wd_direction_name(action->direction));
        put_text(&all, "direction_of", direction_of_names[action->direction_of]);
    }
    if (action->amount >= 0) {
        put_number(&all, "amount", action->amount);
    }
    if (action->ms >= 0) {
        put_int(&all, "ms", action->ms);
    }
    put_strings(&all, action, false);
    if (all.status != WD_OK) {
        wd_value_unref(&all.object);
        return all.status;
    }
    *ret_value = all.object;
    return WD_OK;
}

// ---- from a value ---------------------------------------------------------------------------------------------

static wd_status wrong_kind(const char *name, const char *expected, const wd_value *member, wd_error *error)
{
    return wd_error_set(error, WD_EINVAL, "args%s%s: must be %s, not %s", name[0] == '\0' ? "" : ".", name,
        expected, wd_kind_name(wd_value_kind(member)));
}

static wd_status read_number(
    const wd_value *args, const char *name, double max, bool *ret_given, double *ret_number, wd_error *error)
{
    const wd_value *member = wd_object_get(args, name);
    if (member == NULL) {
        return WD_OK;
    }
    if (!wd_value_is_number(member)) {
        return wrong_kind(name, "a number", member, error);
    }
    double number = wd_value_as_double(member);
    if (!(number >= 0 && number <= max)) {
        return wd_error_set(error, WD_EINVAL, "args.%s: %g is outside 0..%g", name, number, max);
    }
    *ret_number = number;
    *ret_given = true;
    return WD_OK;
}

/// A whole number 0..max. `name` is what errors call it ("selector.ordinal").
static wd_status read_int(
    const wd_value *member, const char *name, int64_t max, int64_t *ret_number, wd_error *error)
{
    if (member == NULL) {
        return WD_OK;
    }
    if (!wd_value_is_number(member)) {
        return wrong_kind(name, "a whole number", member, error);
    }
    int64_t number = wd_value_int_or(member, -1);
    if (number < 0 || number > max) {
        return wd_error_set(error, WD_EINVAL, "args.%s: %g is no whole number in 0..%lld", name,
            wd_value_as_double(member), (long long)max);
    }
    *ret_number = number;
    return WD_OK;
}

static wd_status read_index(const wd_value *member, const char *name, int32_t *ret_index, wd_error *error)
{
    int64_t number = *ret_index;
    wd_status status = read_int(member, name, INT32_MAX, &number, error);
    *ret_index = (int32_t)number;
    return status;
}

static wd_status read_flag(const wd_value *args, const char *name, bool *ret_flag, wd_error *error)
{
    const wd_value *member = wd_object_get(args, name);
    if (member == NULL) {
        return WD_OK;
    }
    if (!wd_value_is(member, WD_KIND_BOOL)) {
        return wrong_kind(name, "a boolean", member, error);
    }
    *ret_flag = wd_value_as_bool(member);
    return WD_OK;
}

/// One word out of names[0..count); *ret_index is untouched when the member is absent.
static wd_status read_word(const wd_value *args, const char *name, const char *const *names, size_t count,
    size_t *ret_index, wd_error *error)
{
    const wd_value *member = wd_object_get(args, name);
    if (member == NULL) {
        return WD_OK;
    }
    if (!wd_value_is(member, WD_KIND_STRING)) {
        return wrong_kind(name, "a string", member, error);
    }
    const char *text = wd_value_as_string(member, NULL);
    size_t i = name_index(names, count, text);
    if (i == count) {
        return wd_error_set(error, WD_EINVAL, "args.%s: unknown word \"%.60s\", expected one like \"%s\"",
            name, text, names[0]);
    }
    *ret_index = i;
    return WD_OK;
}

static wd_status read_string(
    const wd_value *object, const string_field *field, wd_action *action, wd_error *error)
{
    const wd_value *member = wd_object_get(object, field->name);
    if (member == NULL) {
        return WD_OK;
    }
    char name[64];
    (void)snprintf(name, sizeof name, "%s%s", field->in_selector ? "selector." : "", field->name);
    if (!wd_value_is(member, WD_KIND_STRING)) {
        return wrong_kind(name, "a string", member, error);
    }
    size_t length = 0;
    const char *text = wd_value_as_string(member, &length);
    wd_status status = wd_action_set_text(string_at(action, field), text, length);
    if (status == WD_ELIMIT) {
        return wd_error_set(
            error, WD_EINVAL, "args.%s: %zu bytes are more than %d", name, length, WD_ACTION_TEXT_MAX);
    }
    return status == WD_OK ? WD_OK : wd_error_set(error, status, "args.%s: %s", name, wd_status_text(status));
}

static wd_status read_strings(const wd_value *object, bool in_selector, wd_action *action, wd_error *error)
{
    wd_status status = WD_OK;
    for (size_t i = 0; status == WD_OK && i < WD_COUNT_OF(string_fields); i++) {
        if (string_fields[i].in_selector == in_selector) {
            status = read_string(object, &string_fields[i], action, error);
        }
    }
    return status;
}

/// All given parts of a selector must match, so an unknown part is refused: leaving it alone would widen it.
static wd_status read_selector(const wd_value *args, wd_action *action, wd_error *error)
{
    const wd_value *selector = wd_object_get(args, "selector");
    if (selector == NULL) {
        return WD_OK;
    }
    if (!wd_value_is(selector, WD_KIND_OBJECT)) {
        return wrong_kind("selector", "an object", selector, error);
    }
    wd_iter iter = wd_iter_start(selector);
    while (wd_iter_next(&iter)) {
        bool known = strcmp(iter.key, "ordinal") == 0;
        for (size_t i = 0; !known && i < WD_COUNT_OF(string_fields); i++) {
            known = string_fields[i].in_selector && strcmp(iter.key, string_fields[i].name) == 0;
        }
        if (!known) {
            return wd_error_set(error, WD_EINVAL, "args.selector.%.60s: unknown part", iter.key);
        }
    }
    wd_status status = read_strings(selector, true, action, error);
    if (status == WD_OK) {
        status = read_index(wd_object_get(selector, "ordinal"), "selector.ordinal", &action->ordinal, error);
    }
    if (status == WD_OK && !wd_action_has_selector(action)) {
        return wd_error_set(error, WD_EINVAL, "args.selector: names no resource_id, text or role");
    }
    return status;
}

static wd_status read_point(const wd_value *args, wd_space space, const char *const names[2], bool *ret_has,
    double *ret_x, double *ret_y, wd_error *error)
{
    bool has_x = false;
    bool has_y = false;
    wd_status status = read_number(args, names[0], space_max[space], &has_x, ret_x, error);
    if (status == WD_OK) {
        status = read_number(args, names[1], space_max[space], &has_y, ret_y, error);
    }
    if (status == WD_OK && has_x != has_y) {
        return wd_error_set(
            error, WD_EINVAL, "args.%s: missing beside args.%s", names[has_x ? 1 : 0], names[has_x ? 0 : 1]);
    }
    *ret_has = has_x && has_y;
    return status;
}

static wd_status read_target(const wd_value *args, wd_action *action, wd_error *error)
{
    size_t space = WD_SPACE_PX;
    wd_status status = read_word(args, "space", space_names, WD_SPACE_COUNT, &space, error);
    if (status != WD_OK) {
        return status;
    }
    action->space = (wd_space)space;
    static const char *const from[] = { "x", "y" };
    static const char *const to[] = { "x2", "y2" };
    status = read_point(args, action->space, from, &action->has_point, &action->x, &action->y, error);
    if (status == WD_OK) {
        status = read_point(args, action->space, to, &action->has_point2, &action->x2, &action->y2, error);
    }
    if (status == WD_OK) {
        status = read_index(wd_object_get(args, "node"), "node", &action->node, error);
    }
    if (status == WD_OK) {
        status = read_index(wd_object_get(args, "index"), "index", &action->index, error);
    }
    return status == WD_OK ? read_selector(args, action, error) : status;
}

/// A direction without an owner is the content's in a scroll and the finger's everywhere else.
static wd_status read_direction(const wd_value *args, wd_action *action, wd_error *error)
{
    enum { NAMED = WD_COUNT_OF(direction_names) - 1 };  // "none" is no direction to ask for
    size_t direction = NAMED;
    size_t of = action->kind == WD_ACTION_SCROLL ? WD_DIR_OF_CONTENT : WD_DIR_OF_FINGER;
    wd_status status = read_word(args, "direction", direction_names + 1, NAMED, &direction, error);
    if (status == WD_OK) {
        status =
            read_word(args, "direction_of", direction_of_names, WD_COUNT_OF(direction_of_names), &of, error);
    }
    action->direction = direction == NAMED ? WD_DIR_NONE : (wd_direction)(direction + 1);
    action->direction_of = (wd_direction_of)of;
    return status;
}

static wd_status read_args(const wd_value *args, wd_action *action, wd_error *error)
{
    wd_status status = read_target(args, action, error);
    if (status == WD_OK) {
        status = read_strings(args, false, action, error);
    }
    if (status == WD_OK) {
        status = read_flag(args, "clear", &action->clear, error);
    }
    if (status == WD_OK) {
        status = read_flag(args, "submit", &action->submit, error);
    }
    if (status == WD_OK) {
        status = read_direction(args, action, error);
    }
    if (status == WD_OK) {
        bool given = false;
        status = read_number(args, "amount", WD_ACTION_AMOUNT_MAX, &given, &action->amount, error);
    }
    if (status == WD_OK) {
        status = read_int(wd_object_get(args, "ms"), "ms", WD_ACTION_MS_MAX, &action->ms, error);
    }
    if (status == WD_OK) {
        size_t known = 0;
        status = read_word(args, "status", status_names, WD_COUNT_OF(status_names), &known, error);
    }
    return status;
}

wd_status wd_action_from_value(const char *kind, const wd_value *args, wd_action *ret_action, wd_error *error)
{
    wd_action_kind known;
    if (wd_action_kind_parse(kind, &known) != WD_OK) {
        return wd_error_set(error, WD_ENOENT, "kind: unknown action \"%.60s\"", kind);
    }
    if (args != NULL && !wd_value_is(args, WD_KIND_OBJECT)) {
        return wrong_kind("", "an object", args, error);
    }
    wd_action action;
    wd_action_init(&action, known);
    wd_status status = read_args(args, &action, error);
    if (status != WD_OK) {
        wd_action_done(&action);
        return status;
    }
    *ret_action = action;
    return WD_OK;
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
