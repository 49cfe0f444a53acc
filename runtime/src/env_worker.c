#include "env_worker.h"

#include "runtime/env_call.h"
#include "tree/alloc.h"
#include "tree/json.h"

#include <string.h>

// ---- events -------------------------------------------------------------------------------------------------------

typedef struct event_sink {
    wd_job_queue *out;
    uint32_t worker;
} event_sink;

/// An event that finds no memory is left out: watching fails nothing.
static void tell(void *context, const wd_env_owner *owner, const wd_value *event)
{
    const event_sink *sink = context;
    if (atomic_load_explicit(&sink->out->count, memory_order_relaxed) >= WD_ENV_EVENTS_MAX) {
        atomic_fetch_add_explicit(&sink->out->dropped, 1, memory_order_relaxed);
        return;
    }
    wd_env_job *job = wd_env_job_new(WD_ENV_JOB_EVENT, 0, 0);
    if (job != NULL && wd_value_freeze(event, &job->result) == WD_OK) {
        job->owner = *owner;
        job->worker = sink->worker;
        wd_job_queue_push(sink->out, job);
    } else {
        wd_env_job_destroy(&job);
    }
}

// ---- batches ------------------------------------------------------------------------------------------------------

static wd_status put_text(wd_buffer *output, const char *text, wd_env_span *ret_span)
{
    size_t at = output->length;
    wd_status status = wd_buffer_text(output, text);
    if (status == WD_OK && output->length <= UINT32_MAX) {
        *ret_span = (wd_env_span){ (uint32_t)at, (uint32_t)(output->length - at) };
        return WD_OK;
    }
    return status == WD_OK ? WD_ELIMIT : status;
}

/// Past the bound nothing more is written: the answer is lost already, and must not cost memory.
static wd_status put_json(wd_buffer *output, const wd_value *value, wd_env_span *ret_span)
{
    if (value == NULL || output->length > WD_ENV_OUTPUT_MAX) {
        return WD_OK;
    }
    size_t at = output->length;
    wd_status status = wd_json_write(value, WD_JSON_COMPACT, output);
    if (status == WD_OK && output->length <= UINT32_MAX) {
        *ret_span = (wd_env_span){ (uint32_t)at, (uint32_t)(output->length - at) };
        return WD_OK;
    }
    return status == WD_OK ? WD_ELIMIT : status;
}

static wd_status put_seen(wd_buffer *output, const wd_env_seen *seen, wd_env_span *ret_span)
{
    size_t at = output->length;
    wd_status status = at > WD_ENV_OUTPUT_MAX ? WD_OK : wd_env_seen_write(seen, output);
    if (status == WD_OK && output->length <= UINT32_MAX) {
        *ret_span = (wd_env_span){ (uint32_t)at, (uint32_t)(output->length - at) };
        return WD_OK;
    }
    return status == WD_OK ? WD_ELIMIT : status;
}

static wd_status write_slot(const wd_env_stepped *stepped, wd_env_slot *slot, wd_buffer *output)
{
    const wd_result *result = &stepped->result;
    slot->outcome = result->outcome;
    slot->step = stepped->index;
    slot->reset = stepped->reset;
    slot->ending = stepped->ending;
    slot->machine = stepped->machine;
    strncpy(slot->code, result->code, WD_ENV_CODE_MAX);  // the slot was cleared, so it is terminated
    wd_status status = result->text[0] == '\0' ? WD_OK : put_text(output, result->text, &slot->text);
    status = status == WD_OK ? put_seen(output, &stepped->observation, &slot->observation) : status;
    status =
        status == WD_OK ? put_seen(output, &stepped->final_observation, &slot->final_observation) : status;
    return status == WD_OK ? put_json(output, stepped->verdict, &slot->verdict) : status;
}

static wd_status do_slot(wd_envs *envs, const wd_env_caller *caller, const wd_env_job *job, wd_env_slot *slot,
    wd_buffer *output, wd_error *error)
{
    wd_value *args = NULL;
    wd_env_stepped stepped = { 0 };
    wd_status status = WD_OK;
    if (slot->args.length > 0) {
        status = wd_json_parse(job->input + slot->args.at, slot->args.length, &args, error);
        if (status != WD_OK) {
            wd_error_prefix(error, "action_args_json[%u]", slot->index);
        } else if (!wd_value_is(args, WD_KIND_OBJECT)) {
            status = wd_error_set(error, WD_ETYPE, "action_args_json[%u]: must be an object", slot->index);
        }
    }
    if (status == WD_OK) {
        status = wd_env_call_step(
            envs, caller, &slot->env, job->input + slot->kind.at, args, job->look, &stepped, error);
    }
    if (status == WD_OK) {
        status = write_slot(&stepped, slot, output);
        wd_env_stepped_done(&stepped);
        if (status != WD_OK) {
            wd_error_set(error, status, "the step was done; its answer: %s", wd_status_text(status));
        }
    }
    wd_value_unref(&args);
    return status;
}

/// Why what has not begun of a job is not done any more. @retval WD_OK  go on.
static wd_status stopped(const wd_env_job *job, wd_env_clock *clock, wd_error *error)
{
    if (atomic_load_explicit(&job->cancelled, memory_order_relaxed)) {
        return wd_error_set(error, WD_ECANCELED, "cancelled before it began; it was not done");
    }
    if (job->deadline_ms != 0 && clock() > job->deadline_ms) {
        return wd_error_set(error, WD_ETIMEOUT, "the deadline passed before it began; it was not done");
    }
    return WD_OK;
}

/// The slots from `first` on are not begun: who stopped once stays stopped. They share one text.
static void stop_slots(wd_env_job *job, size_t first, const wd_error *why, wd_buffer *output)
{
    wd_env_span text = { 0 };
    if (put_text(output, why->text, &text) != WD_OK) {
        text = (wd_env_span){ 0 };  // the status stands alone
    }
    for (size_t i = first; i < job->slot_count; i++) {
        job->slots[i].status = why->status;
        job->slots[i].text = text;
    }
}

static void do_batch(wd_envs *envs, const wd_env_caller *caller, wd_env_clock *clock, wd_env_job *job)
{
    wd_buffer output = { 0 };
    for (size_t i = 0; i < job->slot_count; i++) {
        wd_env_slot *slot = &job->slots[i];
        wd_error error = { 0 };
        if (stopped(job, clock, &error) != WD_OK) {
            stop_slots(job, i, &error, &output);
            break;
        }
        slot->status = do_slot(envs, caller, job, slot, &output, &error);
        if (slot->status != WD_OK && put_text(&output, error.text, &slot->text) != WD_OK) {
            slot->text = (wd_env_span){ 0 };  // the status stands alone
        }
    }
    if (output.length > WD_ENV_OUTPUT_MAX) {
        job->overflow = true;
    } else if (output.length > 0) {
        job->output = wd_alloc_shared(output.length);
        if (job->output != NULL) {
            memcpy(job->output, output.bytes, output.length);
            job->output_size = output.length;
        } else {
            wd_error_set(&job->error, WD_ENOMEM, "the batch was done; its answer: out of memory");
        }
    }
    wd_buffer_done(&output);
}

// ---- jobs ---------------------------------------------------------------------------------------------------------

static void do_call(wd_envs *envs, const wd_env_caller *caller, wd_env_job *job)
{
    wd_value *result = NULL;
    wd_status status = wd_env_call(envs, caller, job->verb, job->args, &result, &job->error);
    if (status == WD_OK) {
        job->error.status = WD_OK;
        status = wd_value_freeze(result, &job->result);
        if (status != WD_OK) {
            wd_error_set(&job->error, status, "%s was done; its answer: out of memory", job->verb);
        }
    }
    wd_value_unref(&result);
    wd_value_unref(&job->args);
}

static void disown(wd_envs *envs, const wd_env_owner *owner)
{
    size_t at = 0;
    for (wd_env *env; (env = wd_env_next(envs, &at)) != NULL;) {
        wd_env_owner own = wd_env_owner_of(env);
        if (memcmp(&own, owner, sizeof own) == 0) {
            wd_env_close(envs, &env);
            at -= 1;  // another may have moved up
        }
    }
}

void wd_env_worker_do(wd_envs *envs, uint32_t worker, wd_env_job *job, wd_env_clock *clock, wd_job_queue *out)
{
    event_sink sink = { out, worker };
    wd_env_caller caller = {
        .owner = job->owner,
        .roles = job->roles,
        .access = WD_ACCESS_WRITE,  // of a batch; a call's is its verb's
        .now_ms = clock(),
        .tell = job->watched ? tell : NULL,
        .context = &sink,
    };
    job->worker = worker;
    switch (job->kind) {
    case WD_ENV_JOB_CALL:
        if (stopped(job, clock, &job->error) == WD_OK) {
            do_call(envs, &caller, job);
        }
        break;
    case WD_ENV_JOB_BATCH:
        do_batch(envs, &caller, clock, job);
        break;
    case WD_ENV_JOB_DISOWN:
        disown(envs, &job->owner);
        break;
    case WD_ENV_JOB_EVENT:
        break;
    }
}
