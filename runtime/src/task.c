#include "runtime/task.h"

#include "judge/metrics.h"
#include "judge/template.h"
#include "runtime/task_event.h"
#include "tree/text.h"

#include <ctype.h>

// ---- parameters into values -------------------------------------------------------------------------------------

/// A text: the parameter that it names and nothing else, or the text with parameters put in.
static wd_status fill_text(const wd_value *text, const wd_value *params, wd_value **ret_filled)
{
    size_t length = 0;
    const char *bytes = wd_value_as_string(text, &length);
    if (memchr(bytes, '{', length) == NULL) {
        *ret_filled = wd_value_ref(text);
        return WD_OK;
    }
    const wd_value *whole =
        bytes[0] == '{' && bytes[length - 1] == '}' ? wd_object_get_n(params, bytes + 1, length - 2) : NULL;
    if (whole != NULL) {
        *ret_filled = wd_value_ref(whole);
        return WD_OK;
    }
    wd_buffer filled = { 0 };
    wd_status status = wd_template_fill(bytes, length, params, &filled);
    status = status == WD_OK ? wd_value_string(filled.bytes, filled.length, ret_filled) : status;
    wd_buffer_done(&filled);
    return status;
}

static wd_status fill_object(const wd_value *value, const wd_value *params, wd_value **ret_filled)
{
    wd_value *filled = wd_value_object();
    wd_status status = WD_OK;
    wd_iter member = wd_iter_start(value);
    while (status == WD_OK && wd_iter_next(&member)) {
        wd_buffer key = { 0 };
        wd_value *item = NULL;
        status = wd_template_fill(member.key, member.key_length, params, &key);
        status = status == WD_OK ? wd_task_fill(member.value, params, &item) : status;
        if (status == WD_OK) {
            status = wd_object_set_n(&filled, key.bytes == NULL ? "" : key.bytes, key.length, &item);
        }
        wd_value_unref(&item);
        wd_buffer_done(&key);
    }
    if (status != WD_OK) {
        wd_value_unref(&filled);
        return status;
    }
    *ret_filled = filled;
    return WD_OK;
}

static wd_status fill_array(const wd_value *value, const wd_value *params, wd_value **ret_filled)
{
    wd_value *filled = wd_value_array();
    wd_status status = WD_OK;
    wd_iter element = wd_iter_start(value);
    while (status == WD_OK && wd_iter_next(&element)) {
        wd_value *item = NULL;
        status = wd_task_fill(element.value, params, &item);
        status = status == WD_OK ? wd_array_append(&filled, &item) : status;
        wd_value_unref(&item);
    }
    if (status != WD_OK) {
        wd_value_unref(&filled);
        return status;
    }
    *ret_filled = filled;
    return WD_OK;
}

wd_status wd_task_fill(const wd_value *value, const wd_value *params, wd_value **ret_filled)
{
    switch (wd_value_kind(value)) {
    case WD_KIND_STRING:
        return fill_text(value, params, ret_filled);
    case WD_KIND_OBJECT:
        return fill_object(value, params, ret_filled);
    case WD_KIND_ARRAY:
        return fill_array(value, params, ret_filled);
    default:
        *ret_filled = wd_value_ref(value);
        return WD_OK;
    }
}

/// The parameters as the instruction shows them: a rule's "display" names a text for each value's text.
static wd_status displayed(const wd_value *document, const wd_value *params, wd_value **ret_shown)
{
    wd_value *shown = wd_value_ref(params);
    wd_status status = WD_OK;
    wd_iter rule = wd_iter_start(wd_object_get(document, "parameters"));
    while (status == WD_OK && wd_iter_next(&rule)) {
        const wd_value *display = wd_object_get(rule.value, "display"),
                       *param = wd_object_get(params, rule.key);
        wd_buffer text = { 0 };
        if (display == NULL || param == NULL || wd_scalar_text(param, &text) != WD_OK) {
            continue;
        }
        const wd_value *words = wd_object_get_n(display, text.bytes, text.length);
        if (words != NULL) {
            wd_value *item = wd_value_ref(words);
            status = wd_object_set(&shown, rule.key, &item);
            wd_value_unref(&item);
        }
        wd_buffer_done(&text);
    }
    if (status != WD_OK) {
        wd_value_unref(&shown);
        return status;
    }
    *ret_shown = shown;
    return WD_OK;
}

static wd_status fill_instruction(const wd_value *document, const wd_value *params, char **ret_text)
{
    wd_value *shown = NULL;
    wd_buffer text = { 0 };
    size_t length = 0;
    const char *bytes = wd_value_as_string(wd_object_get(document, "instruction"), &length);
    wd_status status = displayed(document, params, &shown);
    status = status == WD_OK ? wd_template_fill(bytes, length, shown, &text) : status;
    if (status == WD_OK) {
        *ret_text = wd_strndup(text.bytes == NULL ? "" : text.bytes, text.length);
        status = *ret_text == NULL ? WD_ENOMEM : WD_OK;
    }
    wd_value_unref(&shown);
    wd_buffer_done(&text);
    return status;
}

// ---- names ------------------------------------------------------------------------------------------------------

/// The first `{name}` in the text that is no parameter: its name with its length; NULL: none. What is in braces but no
/// name (a regular expression's `{6}`) is left alone.
static const char *unknown_name(const char *text, size_t length, const wd_value *params, size_t *ret_length)
{
    for (const char *at = text, *end = text + length; at < end; at++) {
        const char *name = at + 1;
        size_t used = 0;
        if (*at != '{' || (!isalpha((unsigned char)*name) && *name != '_')) {
            continue;
        }
        while (isalnum((unsigned char)name[used]) || name[used] == '_') {
            used += 1;
        }
        if (name[used] == '}' && wd_object_get_n(params, name, used) == NULL) {
            *ret_length = used;
            return name;
        }
    }
    return NULL;
}

/// Look through keys and texts, at any depth.
static wd_status check_names(const wd_value *value, const wd_value *params, wd_error *error)
{
    size_t length = 0;
    const char *name = NULL;
    if (wd_value_is(value, WD_KIND_STRING)) {
        const char *text = wd_value_as_string(value, &length);
        name = unknown_name(text, length, params, &length);
    }
    wd_status status = WD_OK;
    wd_iter child = wd_iter_start(value);
    while (name == NULL && status == WD_OK && wd_iter_next(&child)) {
        if (wd_value_is(value, WD_KIND_OBJECT)) {
            name = unknown_name(child.key, child.key_length, params, &length);
        }
        status = name == NULL ? check_names(child.value, params, error) : status;
    }
    return name == NULL ? status
                        : wd_error_set(error, WD_EINVAL, "{%.*s} is no parameter", (int)length, name);
}

wd_status wd_task_check_names(const wd_task *task, wd_error *error)
{
    static const char *const members[] = { "criteria", "expected_changes", "answer", "order", "records",
        "views" };
    for (size_t i = 0; i < WD_COUNT_OF(members); i++) {
        const wd_value *member = wd_object_get(task->document, members[i]);
        wd_status status = member == NULL ? WD_OK : check_names(member, task->params, error);
        if (status != WD_OK) {
            wd_error_prefix(error, "task.%s", members[i]);
            return status;
        }
    }
    return WD_OK;
}

// ---- the document -----------------------------------------------------------------------------------------------

static wd_status merge_params(
    const wd_value *document, const wd_value *params, wd_value **ret_merged, wd_error *error)
{
    const wd_value *own = wd_object_get(document, "params");
    if (own != NULL && !wd_value_is(own, WD_KIND_OBJECT)) {
        return wd_error_set(error, WD_ETYPE, "task.params: must be an object");
    }
    wd_value *merged = own == NULL ? wd_value_object() : wd_value_ref(own);
    wd_iter param = wd_iter_start(params);
    wd_status status = WD_OK;
    while (status == WD_OK && wd_iter_next(&param)) {
        wd_value *item = wd_value_ref(param.value);
        status = wd_object_set_n(&merged, param.key, param.key_length, &item);
        wd_value_unref(&item);
    }
    if (status != WD_OK) {
        wd_value_unref(&merged);
        return status;
    }
    *ret_merged = merged;
    return WD_OK;
}

static wd_status check_member(
    const wd_value *document, const char *name, wd_kind kind, bool needed, wd_error *error)
{
    const wd_value *member = wd_object_get(document, name);
    if (member == NULL) {
        return needed ? wd_error_set(error, WD_EINVAL, "task.%s: missing", name) : WD_OK;
    }
    return wd_value_is(member, kind) ? WD_OK
                                     : wd_error_set(error, WD_ETYPE, "task.%s: must be %s, is %s", name,
                                           wd_kind_name(kind), wd_kind_name(wd_value_kind(member)));
}

static wd_status check_document(const wd_value *document, wd_error *error)
{
    static const struct {
        const char *name;
        wd_kind kind;
        bool needed;
    } members[] = {
        { "id", WD_KIND_STRING, true },
        { "instruction", WD_KIND_STRING, true },
        { "apps", WD_KIND_ARRAY, false },
        { "setup", WD_KIND_OBJECT, false },
        { "events", WD_KIND_ARRAY, false },
        { "user", WD_KIND_OBJECT, false },
        { "parameters", WD_KIND_OBJECT, false },
        { "difficulty", WD_KIND_STRING, false },
        { "lua", WD_KIND_STRING, false },
        { "views", WD_KIND_OBJECT, false },
        { "criteria", WD_KIND_OBJECT, false },
        { "expected_changes", WD_KIND_ARRAY, false },
        { "max_steps", WD_KIND_INT, false },
    };
    if (!wd_value_is(document, WD_KIND_OBJECT)) {
        return wd_error_set(error, WD_ETYPE, "task: must be an object");
    }
    for (size_t i = 0; i < WD_COUNT_OF(members); i++) {
        wd_status status = check_member(document, members[i].name, members[i].kind, members[i].needed, error);
        if (status != WD_OK) {
            return status;
        }
    }
    size_t length = 0;
    wd_value_as_string(wd_object_get(document, "id"), &length);
    if (length == 0 || length > 200) {
        return wd_error_set(error, WD_EINVAL, "task.id: must have 1 to 200 bytes");
    }
    wd_value_as_string(wd_object_get(document, "instruction"), &length);
    if (length > WD_TASK_TEXT_MAX) {
        return wd_error_set(error, WD_ELIMIT, "task.instruction: over %d bytes", WD_TASK_TEXT_MAX);
    }
    const wd_value *own = wd_object_get(document, "max_steps");
    if (own != NULL && (wd_value_as_int(own) < 1 || wd_value_as_int(own) > WD_TASK_STEPS_MAX)) {
        return wd_error_set(error, WD_EINVAL, "task.max_steps: must be 1 to %d", WD_TASK_STEPS_MAX);
    }
    const char *difficulty = wd_value_string_or(wd_object_get(document, "difficulty"), NULL);
    if (difficulty != NULL &&
        (strlen(difficulty) != 2 || difficulty[0] != 'L' || difficulty[1] < '1' || difficulty[1] > '4')) {
        return wd_error_set(error, WD_EINVAL, "task.difficulty: must be L1 to L4");
    }
    return WD_OK;
}

/// The task's own step limit, else that of its difficulty (judge.md 9.1).
static uint32_t step_limit(const wd_value *document)
{
    int64_t steps = WD_TASK_STEPS_DEFAULT;
    const wd_value *own = wd_object_get(document, "max_steps");
    const char *difficulty = wd_value_string_or(wd_object_get(document, "difficulty"), NULL);
    if (own != NULL) {
        return (uint32_t)wd_value_as_int(own);
    }
    return wd_max_steps(difficulty, NULL, false, 0, &steps) == WD_OK ? (uint32_t)steps
                                                                     : WD_TASK_STEPS_DEFAULT;
}

/// Point the struct's borrowed parts into its own document.
static void task_point(wd_task *task)
{
    task->id = wd_value_as_string(wd_object_get(task->document, "id"), NULL);
    task->params = wd_object_get(task->document, "params");
    task->apps = wd_object_get(task->document, "apps");
    task->setup = wd_object_get(task->document, "setup");
    task->events = wd_object_get(task->document, "events");
    task->user = wd_object_get(task->document, "user");
    task->step_limit = step_limit(task->document);
}

/// The members that the judge does not read, with the parameters put in.
static wd_status fill_members(const wd_value *params, wd_value **document_p)
{
    static const char *const members[] = { "setup", "events", "user", "gold" };
    wd_status status = WD_OK;
    for (size_t i = 0; status == WD_OK && i < WD_COUNT_OF(members); i++) {
        const wd_value *member = wd_object_get(*document_p, members[i]);
        wd_value *filled = NULL;
        if (member != NULL) {
            status = wd_task_fill(member, params, &filled);
            status = status == WD_OK ? wd_object_set(document_p, members[i], &filled) : status;
            wd_value_unref(&filled);
        }
    }
    return status;
}

wd_status wd_task_bind(const wd_value *document, const wd_value *params, wd_task *ret_task, wd_error *error)
{
    wd_status status = check_document(document, error);
    if (status == WD_OK && params != NULL && !wd_value_is(params, WD_KIND_OBJECT)) {
        status = wd_error_set(error, WD_ETYPE, "params: must be an object");
    }
    if (status != WD_OK) {
        return status;
    }
    wd_task task = { .document = wd_value_ref(document) };
    wd_value *merged = NULL;
    status = merge_params(document, params, &merged, error);
    status = status == WD_OK ? fill_instruction(document, merged, &task.instruction) : status;
    status = status == WD_OK ? fill_members(merged, &task.document) : status;
    status = status == WD_OK ? wd_object_set(&task.document, "params", &merged) : status;
    status = status == WD_OK ? wd_task_events_check(wd_object_get(task.document, "events"), error) : status;
    wd_value_unref(&merged);
    if (status != WD_OK) {
        wd_task_done(&task);
        return status;
    }
    task_point(&task);
    *ret_task = task;
    return WD_OK;
}

void wd_task_done(wd_task *task)
{
    wd_value_unref(&task->document);
    wd_text_free(&task->instruction);
    memset(task, 0, sizeof *task);
}

const char *wd_task_user_reply(const wd_task *task, const char *question)
{
    wd_iter entry = wd_iter_start(task->user);
    while (wd_iter_next(&entry)) {
        const char *words = wd_value_string_or(entry.value, NULL);
        if (words != NULL && question != NULL && strstr(question, entry.key) != NULL) {
            return words;
        }
    }
    return "";
}

wd_status wd_task_copy(const wd_task *task, wd_task *ret_copy)
{
    wd_task copy = { 0 };
    if (!wd_text_copy(task->instruction, &copy.instruction)) {
        return WD_ENOMEM;
    }
    copy.document = wd_value_ref(task->document);
    task_point(&copy);
    *ret_copy = copy;
    return WD_OK;
}
