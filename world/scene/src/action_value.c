/// An action as a JSON value and back, with errors that name the member.
#include "action_private.h"
#include "value_fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const direction_of_names[] = { "content", "finger" };
static const char *const status_names[] = { "success", "failure", "unknown" };

// ---- to a value -----------------------------------------------------------------------------------------------

/// Whole numbers print as such ("x":540), whatever the source wrote.
static wd_status put_number(wd_value **object_p, const char *name, double number)
{
    bool whole = number == floor(number) && fabs(number) <= WD_ACTION_POINT_MAX;
    return whole ? wd_put_int(object_p, name, (int64_t)number) : wd_put_double(object_p, name, number);
}

static wd_status put_strings(wd_value **object_p, const wd_action *action, bool in_selector)
{
    wd_status status = WD_OK;
    for (size_t i = 0; i < WD_ACTION_STRING_COUNT; i++) {
        const wd_action_string *string = &wd_action_strings[i];
        if (string->in_selector == in_selector) {
            TRY(status, wd_put_text(object_p, string->name, wd_action_string_get(action, string)));
        }
    }
    return status;
}

static wd_status put_selector(wd_value **object_p, const wd_action *action)
{
    wd_value *selector = wd_value_object();
    wd_status status = put_strings(&selector, action, true);
    if (action->ordinal >= 0) {
        TRY(status, wd_put_int(&selector, "ordinal", action->ordinal));
    }
    TRY(status, wd_put_taken(object_p, "selector", &selector));
    wd_value_unref(&selector);
    return status;
}

static wd_status put_target(wd_value **object_p, const wd_action *action)
{
    wd_status status = WD_OK;
    if (action->has_point) {
        TRY(status, put_number(object_p, "x", action->x));
        TRY(status, put_number(object_p, "y", action->y));
    }
    if (action->has_point2) {
        TRY(status, put_number(object_p, "x2", action->x2));
        TRY(status, put_number(object_p, "y2", action->y2));
    }
    if (action->has_point || action->has_point2) {
        TRY(status, wd_put_text(object_p, "space", wd_space_name(action->space)));
    }
    if (action->node >= 0) {
        TRY(status, wd_put_int(object_p, "node", action->node));
    }
    if (action->index >= 0) {
        TRY(status, wd_put_int(object_p, "index", action->index));
    }
    if (wd_action_has_selector(action)) {
        TRY(status, put_selector(object_p, action));
    }
    return status;
}

wd_status wd_action_to_value(const wd_action *action, wd_value **ret_value)
{
    wd_value *object = wd_value_object();
    wd_status status = wd_put_text(&object, "kind", wd_action_kind_name(action->kind));
    TRY(status, put_target(&object, action));
    if (action->clear) {
        TRY(status, wd_put_bool(&object, "clear", true));
    }
    if (action->submit) {
        TRY(status, wd_put_bool(&object, "submit", true));
    }
    if (action->direction != WD_DIR_NONE) {
        TRY(status, wd_put_text(&object, "direction", wd_direction_name(action->direction)));
        TRY(status, wd_put_text(&object, "direction_of", direction_of_names[action->direction_of]));
    }
    if (action->amount >= 0) {
        TRY(status, put_number(&object, "amount", action->amount));
    }
    if (action->ms >= 0) {
        TRY(status, wd_put_int(&object, "ms", action->ms));
    }
    TRY(status, put_strings(&object, action, false));
    if (status != WD_OK) {
        wd_value_unref(&object);
        return status;
    }
    *ret_value = object;
    return WD_OK;
}

wd_status wd_action_args_to_value(const wd_action *action, wd_value **ret_args)
{
    static const char *const left_out[] = { "kind", "raw" };
    wd_value *args = NULL;
    wd_status status = wd_action_to_value(action, &args);
    for (size_t i = 0; status == WD_OK && i < WD_COUNT_OF(left_out); i++) {
        status = wd_object_remove(&args, left_out[i]);
        status = status == WD_ENOENT ? WD_OK : status;
    }
    if (status != WD_OK) {
        wd_value_unref(&args);
        return status;
    }
    *ret_args = args;
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
    size_t i = wd_name_index(names, count, text);
    if (i == count) {
        return wd_error_set(error, WD_EINVAL, "args.%s: unknown word \"%.60s\", expected one like \"%s\"",
            name, text, names[0]);
    }
    *ret_index = i;
    return WD_OK;
}

static wd_status read_string(
    const wd_value *object, const wd_action_string *field, wd_action *action, wd_error *error)
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
    wd_status status = wd_action_set_text(wd_action_string_at(action, field), text, length);
    if (status == WD_ELIMIT) {
        return wd_error_set(
            error, WD_EINVAL, "args.%s: %zu bytes are more than %d", name, length, WD_ACTION_TEXT_MAX);
    }
    return status == WD_OK ? WD_OK : wd_error_set(error, status, "args.%s: %s", name, wd_status_text(status));
}

static wd_status read_strings(const wd_value *object, bool in_selector, wd_action *action, wd_error *error)
{
    wd_status status = WD_OK;
    for (size_t i = 0; status == WD_OK && i < WD_ACTION_STRING_COUNT; i++) {
        if (wd_action_strings[i].in_selector == in_selector) {
            status = read_string(object, &wd_action_strings[i], action, error);
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
        for (size_t i = 0; !known && i < WD_ACTION_STRING_COUNT; i++) {
            known = wd_action_strings[i].in_selector && strcmp(iter.key, wd_action_strings[i].name) == 0;
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
    wd_status status = read_number(args, names[0], wd_space_max[space], &has_x, ret_x, error);
    if (status == WD_OK) {
        status = read_number(args, names[1], wd_space_max[space], &has_y, ret_y, error);
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
    wd_status status = read_word(args, "space", wd_space_names, WD_SPACE_COUNT, &space, error);
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
    enum { NAMED = WD_COUNT_OF(wd_direction_names) - 1 };  // "none" is no direction to ask for
    size_t direction = NAMED;
    size_t of = action->kind == WD_ACTION_SCROLL ? WD_DIR_OF_CONTENT : WD_DIR_OF_FINGER;
    wd_status status = read_word(args, "direction", wd_direction_names + 1, NAMED, &direction, error);
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
