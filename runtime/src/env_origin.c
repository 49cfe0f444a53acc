// What episodes start from, and how far they are.
#include "env_internal.h"

#include "runtime/task_instance.h"

#include "tree/alloc.h"
#include "tree/text.h"

#include <string.h>

// ---- phones -------------------------------------------------------------------------------------------------------

static wd_env_id key_of(uint64_t seed)
{
    wd_env_id key = { { 0 } };
    memcpy(key.bytes, &seed, sizeof seed);
    return key;
}

static void phone_unref(wd_envs *envs, env_phone **phone_p)
{
    env_phone *phone = *phone_p;
    *phone_p = NULL;
    if (phone == NULL || --phone->references > 0) {
        return;
    }
    wd_id_table_remove(&envs->phones, &phone->key);
    wd_device_destroy(&phone->device);
    wd_free(phone, sizeof *phone);
}

/// Have a device stand on what is frozen, in its machine and in what it shows.
static wd_status freeze_device(wd_device *device)
{
    wd_value *state = NULL, *both = NULL, *frozen = NULL;
    wd_status status = wd_device_state(device, &state);
    if (status == WD_OK && wd_value_is_frozen(state) && wd_value_is_frozen(wd_device_machine(device))) {
        wd_value_unref(&state);
        return WD_OK;
    }
    status = status == WD_OK
                 ? wd_value_pack(&both, "{s:v,s:v}", "machine", wd_device_machine(device), "state", state)
                 : status;
    status = status == WD_OK ? wd_value_freeze(both, &frozen) : status;
    wd_value_unref(&state);
    wd_value_unref(&both);
    status = status == WD_OK
                 ? wd_device_adopt(device, wd_object_get(frozen, "machine"), wd_object_get(frozen, "state"))
                 : status;
    wd_value_unref(&frozen);
    return status;
}

static wd_status phone_take(wd_envs *envs, uint64_t seed, env_phone **ret_phone, wd_error *error)
{
    wd_env_id key = key_of(seed);
    env_phone *phone = wd_id_table_find(&envs->phones, &key);
    if (phone != NULL) {
        phone->references += 1;
        *ret_phone = phone;
        return WD_OK;
    }
    phone = wd_alloc_zero(1, sizeof *phone);
    if (phone == NULL) {
        return wd_error_set(error, WD_ENOMEM, "env: out of memory");
    }
    *phone = (env_phone){ .key = key, .references = 1 };
    wd_status status = wd_host_boot(envs->host, seed, &phone->device, error);
    if (status == WD_OK) {
        env_drop_events(phone->device);
        status = freeze_device(phone->device);
    }
    if (status == WD_OK) {
        status = wd_id_table_add(&envs->phones, &key, phone);
    }
    if (status != WD_OK) {
        wd_device_destroy(&phone->device);
        wd_free(phone, sizeof *phone);
        return status == WD_ENOMEM ? wd_error_set(error, status, "env: out of memory") : status;
    }
    *ret_phone = phone;
    return WD_OK;
}

// ---- origins ------------------------------------------------------------------------------------------------------

env_origin *env_origin_ref(env_origin *origin)
{
    origin->references += 1;
    return origin;
}

void env_origin_unref(wd_envs *envs, env_origin **origin_p)
{
    env_origin *origin = *origin_p;
    *origin_p = NULL;
    if (origin == NULL || --origin->references > 0) {
        return;
    }
    if (!wd_env_id_equal(&origin->key, &env_id_none)) {
        wd_id_table_remove(&envs->origins, &origin->key);
    }
    wd_device_destroy(&origin->start);
    wd_value_unref(&origin->state_initial);
    wd_task_done(&origin->task);
    phone_unref(envs, &origin->phone);
    wd_free(origin, sizeof *origin);
}

wd_status env_origin_device(
    const env_origin *origin, const wd_value *machine, wd_device **ret_device, wd_error *error)
{
    wd_device *device = NULL;
    // From the start where there is one: what the machine shares with it need not be looked at.
    wd_status status = wd_device_fork(origin->start != NULL ? origin->start : origin->phone->device, &device);
    if (status == WD_OK) {
        status = wd_device_restore(device, machine, error);
        env_drop_events(device);
    } else {
        wd_error_set(error, status, "env: out of memory");
    }
    if (status != WD_OK) {
        wd_device_destroy(&device);
        return status;
    }
    *ret_device = device;
    return WD_OK;
}

/// Bring the phone to where the task starts, with what is drawn for this seed (task_instance.h).
static wd_status draw_instance(wd_envs *envs, env_origin *origin, wd_device *device, wd_error *error)
{
    wd_task drawn;
    wd_task_order order = {
        .document = origin->task.document, .params = origin->task.params, .seed = origin->seed
    };
    wd_status status = wd_task_instance_prepare(envs->host, device, &order, &drawn, error);
    if (status == WD_OK) {
        wd_task_done(&origin->task);
        origin->task = drawn;
    }
    return status;
}

/// Fill in where episodes start and what is seen there.
static wd_status find_start(wd_envs *envs, env_origin *origin, const env_start *start, wd_error *error)
{
    wd_device *device = NULL;
    const wd_value *machine = start == NULL ? wd_device_machine(origin->phone->device) : start->machine;
    wd_status status = env_origin_device(origin, machine, &device, error);
    if (status == WD_OK && start == NULL && origin->task.id != NULL) {
        status = draw_instance(envs, origin, device, error);
        env_drop_events(device);
    }
    if (status == WD_OK) {
        status = start != NULL && start->state != NULL ? wd_device_adopt(device, machine, start->state)
                                                       : freeze_device(device);
        status = status == WD_OK ? wd_device_state(device, &origin->state_initial) : status;
        if (status != WD_OK) {
            wd_error_set(error, status, "env: %s", wd_status_text(status));
        }
    }
    if (status == WD_OK) {
        origin->start_ms = wd_device_time_ms(device);
        origin->start = device;
        device = NULL;
    }
    wd_device_destroy(&device);
    return status;
}

wd_status env_origin_new(wd_envs *envs, uint64_t seed, const wd_task *task, uint32_t step_limit,
    const env_start *start, env_origin **ret_origin, wd_error *error)
{
    env_origin *origin = wd_alloc_zero(1, sizeof *origin);
    if (origin == NULL) {
        return wd_error_set(error, WD_ENOMEM, "env: out of memory");
    }
    origin->references = 1;
    origin->seed = seed;
    origin->step_limit = step_limit > 0 ? step_limit : task != NULL ? task->step_limit : 0;
    wd_status status = phone_take(envs, seed, &origin->phone, error);
    if (status == WD_OK && task != NULL) {
        status = wd_task_copy(task, &origin->task);
        if (status != WD_OK) {
            wd_error_set(error, status, "env: out of memory");
        }
    }
    if (status == WD_OK) {
        status = find_start(envs, origin, start, error);
    }
    if (status != WD_OK) {
        env_origin_unref(envs, &origin);
        return status;
    }
    *ret_origin = origin;
    return WD_OK;
}

// ---- progress -----------------------------------------------------------------------------------------------------

wd_status env_progress_copy(const env_progress *progress, env_progress *ret_copy)
{
    env_progress copy = *progress;
    if (!wd_text_copy(progress->answer, &copy.answer)) {
        return WD_ENOMEM;
    }
    env_origin_ref(copy.origin);
    if (copy.trace != NULL) {
        copy.trace->references += 1;
    }
    *ret_copy = copy;
    return WD_OK;
}

void env_progress_done(wd_envs *envs, env_progress *progress)
{
    env_progress_restart(progress);
    env_origin_unref(envs, &progress->origin);
}

void env_progress_restart(env_progress *progress)
{
    env_trace_unref(&progress->trace);
    wd_text_free(&progress->answer);
    progress->events_done = 0;
    progress->events_actions = 0;
    progress->steps = 0;
    progress->ending = WD_END_NONE;
}

wd_status env_trace_add(env_trace **trace_p, uint32_t number, const wd_value *event, const wd_value *state)
{
    env_trace *trace = wd_alloc(sizeof *trace);
    if (trace == NULL) {
        return WD_ENOMEM;
    }
    *trace = (env_trace){
        .previous = *trace_p,  // its reference moves into the new link
        .references = 1,
        .number = number,
        .event = wd_value_ref(event),
        .state = wd_value_ref(state),
    };
    *trace_p = trace;
    return WD_OK;
}

void env_trace_unref(env_trace **trace_p)
{
    env_trace *trace = *trace_p;
    *trace_p = NULL;
    while (trace != NULL && --trace->references == 0) {  // a loop: chains are as long as episodes
        env_trace *previous = trace->previous;
        wd_value_unref(&trace->event);
        wd_value_unref(&trace->state);
        wd_free(trace, sizeof *trace);
        trace = previous;
    }
}
