#include "runtime/task_instance.h"

#include "judge/episode_id.h"
#include "runtime/sampler.h"

#include <string.h>

/// "suite/Task" is named "suite.Task" where seeds are made.
static uint32_t instance_seed(const char *id, uint64_t instance, uint64_t run_seed)
{
    char name[256];
    size_t length = 0;
    for (; id[length] != '\0' && length + 1 < sizeof name; length++) {
        name[length] = id[length] == '/' ? '.' : id[length];
    }
    name[length] = '\0';
    return wd_instance_seed(name, instance, (uint32_t)run_seed);
}

/// Inject the patch of a member, the parameters put in.
static wd_status inject(
    wd_device *device, const char *name, const wd_value *patch, const wd_value *params, wd_error *error)
{
    if (patch == NULL) {
        return WD_OK;
    }
    wd_value *filled = NULL;
    wd_status status = wd_task_fill(patch, params, &filled);
    status = status == WD_OK ? wd_device_inject(device, filled, true, false, error) : status;
    if (status != WD_OK) {
        wd_error_prefix(error, "task.%s", name);
    }
    wd_value_unref(&filled);
    return status;
}

static wd_status set_locale(wd_device *device, const char *locale, wd_error *error)
{
    wd_value *args = NULL;
    if (locale == NULL) {
        return WD_OK;
    }
    wd_status status = wd_value_pack(&args, "{s:s}", "v", locale);
    status = status == WD_OK ? wd_device_call(device, "setLocale", args, NULL, error) : status;
    wd_value_unref(&args);
    return status;
}

/// "distractors": {"count": [fewest, most], "of": [patch, ...]}: so many of the patches, in a drawn order.
static wd_status distract(
    wd_device *device, const wd_value *distractors, const wd_value *params, wd_draw *draw, wd_error *error)
{
    if (distractors == NULL) {
        return WD_OK;
    }
    const wd_value *of = wd_object_get(distractors, "of"), *count = wd_object_get(distractors, "count");
    int64_t fewest = wd_value_int_or(wd_array_at(count, 0), -1);
    int64_t most = wd_value_int_or(wd_array_at(count, 1), -1);
    if (fewest < 0 || most < fewest || (uint64_t)most > wd_array_count(of)) {
        return wd_error_set(error, WD_EINVAL,
            "task.distractors: wants \"count\" [fewest, most] and \"of\", at least so many patches");
    }
    uint64_t wanted = (uint64_t)fewest + wd_draw_below(draw, (uint64_t)(most - fewest) + 1);
    wd_value *left = wd_value_ref(of);
    wd_status status = WD_OK;
    for (uint64_t i = 0; status == WD_OK && i < wanted; i++) {
        size_t at = (size_t)wd_draw_below(draw, wd_array_count(left));
        status = inject(device, "distractors", wd_array_at(left, at), params, error);
        status = status == WD_OK ? wd_array_remove(&left, at) : status;
    }
    wd_value_unref(&left);
    return status;
}

/// The parameters: those given, those drawn, and the document's own for what is still missing.
static wd_status draw_params(wd_host *host, wd_device *device, const wd_task_order *order, wd_draw *draw,
    wd_value **ret_params, wd_error *error)
{
    wd_value *state = NULL;
    wd_value *params = order->params == NULL ? wd_value_object() : wd_value_ref(order->params);
    wd_status status = wd_value_is(params, WD_KIND_OBJECT)
                           ? wd_device_state(device, &state)
                           : wd_error_set(error, WD_ETYPE, "params: must be an object");
    if (status == WD_OK) {
        status = wd_sample(host, wd_object_get(order->document, "parameters"), state, draw, &params, error);
    }
    wd_value_unref(&state);
    if (status != WD_OK) {
        wd_value_unref(&params);
        return status;
    }
    *ret_params = params;
    return WD_OK;
}

wd_status wd_task_instance_prepare(
    wd_host *host, wd_device *device, const wd_task_order *order, wd_task *ret_task, wd_error *error)
{
    const wd_value *document = order->document;
    const char *id = wd_value_string_or(wd_object_get(document, "id"), "");
    wd_draw draw = { instance_seed(id, order->instance, order->seed) };
    wd_task task = { 0 };
    wd_value *params = NULL;
    wd_status status = set_locale(device, order->locale, error);
    if (status == WD_OK) {
        status = inject(device, "setup_before", wd_object_get(document, "setup_before"), NULL, error);
    }
    status = status == WD_OK ? draw_params(host, device, order, &draw, &params, error) : status;
    status = status == WD_OK ? wd_task_bind(document, params, &task, error) : status;
    status = status == WD_OK ? wd_task_check_names(&task, error) : status;
    if (status == WD_OK) {
        status = distract(device, wd_object_get(document, "distractors"), task.params, &draw, error);
    }
    status = status == WD_OK ? inject(device, "setup", task.setup, task.params, error) : status;
    wd_value_unref(&params);
    if (status != WD_OK) {
        wd_task_done(&task);
        return status;
    }
    *ret_task = task;
    return WD_OK;
}

wd_status wd_task_instance_open(
    wd_host *host, const wd_task_order *order, wd_task_instance *ret_instance, wd_error *error)
{
    wd_task_instance instance = { 0 };
    // Bound once without what is drawn: that checks the document before a phone is booted.
    wd_status status = wd_task_bind(order->document, order->params, &instance.task, error);
    if (status != WD_OK) {
        return status;
    }
    instance.seed = instance_seed(instance.task.id, order->instance, order->seed);
    wd_task_done(&instance.task);
    status = wd_host_boot(host, instance.seed, &instance.device, error);
    if (status == WD_OK) {
        status = wd_task_instance_prepare(host, instance.device, order, &instance.task, error);
    }
    if (status != WD_OK) {
        wd_task_instance_done(&instance);
        return status;
    }
    *ret_instance = instance;
    return WD_OK;
}

void wd_task_instance_done(wd_task_instance *instance)
{
    wd_task_done(&instance->task);
    wd_device_destroy(&instance->device);
}
