#include "runtime/task.h"

#include "tree/json.h"
#include "tree/text.h"

/// Append `text` with every {name} of a known parameter replaced by its text; the rest stays (judge.md 2.4).
static wd_status fill_template(const char *text, const wd_value *params, wd_buffer *buffer)
{
    wd_status status = WD_OK;
    while (status == WD_OK && *text != '\0') {
        size_t plain = strcspn(text, "{");
        status = wd_buffer_append(buffer, text, plain);
        text += plain;
        if (status != WD_OK || *text == '\0') {
            break;
        }
        const char *end = strchr(text, '}');
        const wd_value *param =
            end == NULL ? NULL : wd_object_get_n(params, text + 1, (size_t)(end - text - 1));
        if (param == NULL) {
            status = wd_buffer_append(buffer, text, 1);
            text += 1;
            continue;
        }
        status = wd_value_is(param, WD_KIND_OBJECT) || wd_value_is(param, WD_KIND_ARRAY)
                     ? wd_json_write(param, WD_JSON_COMPACT, buffer)
                     : wd_scalar_text(param, buffer);
        text = end + 1;
    }
    return status;
}

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
        { "user", WD_KIND_OBJECT, false },
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
    int64_t steps = wd_value_int_or(wd_object_get(document, "max_steps"), WD_TASK_STEPS_DEFAULT);
    if (steps < 1 || steps > WD_TASK_STEPS_MAX) {
        return wd_error_set(error, WD_EINVAL, "task.max_steps: must be 1 to %d", WD_TASK_STEPS_MAX);
    }
    return WD_OK;
}

/// Point the struct's borrowed parts into its own document.
static void task_point(wd_task *task)
{
    task->id = wd_value_as_string(wd_object_get(task->document, "id"), NULL);
    task->params = wd_object_get(task->document, "params");
    task->apps = wd_object_get(task->document, "apps");
    task->setup = wd_object_get(task->document, "setup");
    task->user = wd_object_get(task->document, "user");
    task->step_limit =
        (uint32_t)wd_value_int_or(wd_object_get(task->document, "max_steps"), WD_TASK_STEPS_DEFAULT);
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
    wd_task task = { 0 };
    wd_value *merged = NULL;
    wd_buffer text = { 0 };
    status = merge_params(document, params, &merged, error);
    if (status == WD_OK) {
        status =
            fill_template(wd_value_as_string(wd_object_get(document, "instruction"), NULL), merged, &text);
    }
    if (status == WD_OK) {
        task.document = wd_value_ref(document);
        status = wd_object_set(&task.document, "params", &merged);
    }
    if (status == WD_OK) {
        task.instruction = wd_strndup(text.bytes == NULL ? "" : text.bytes, text.length);
        status = task.instruction == NULL ? WD_ENOMEM : WD_OK;
    }
    wd_value_unref(&merged);
    wd_buffer_done(&text);
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
