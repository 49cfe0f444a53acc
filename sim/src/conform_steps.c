#include "conform_steps.h"

#include "coerce.h"

#include "tree/path.h"

#include <string.h>

wd_status wd_conform_inject_os(wd_conform_sequence *sequence, const wd_value *os)
{
    wd_value *patch = NULL;
    wd_error error = { 0 };
    wd_digest before = wd_device_digest(sequence->device);
    wd_status status = wd_value_pack(&patch, "{s:v}", "os", os);
    if (status == WD_OK) {
        wd_status outcome = wd_device_inject(sequence->device, patch, true, false, &error);
        status =
            wd_conform_outcome(sequence->run, sequence->device, before, outcome, &error, sequence->refused);
    }
    wd_value_unref(&patch);
    return status;
}

wd_status wd_conform_sequence_call(wd_conform_sequence *sequence, const char *op, const wd_value *args)
{
    return wd_conform_call(sequence->run, sequence->device, op, args, sequence->refused, &sequence->answer);
}

// ---- calls that are no operations -------------------------------------------------------------------------

static wd_status capture(wd_conform_sequence *sequence, const char *name)
{
    wd_value *machine = wd_device_capture(sequence->device);
    return wd_member_put(&sequence->captures, name, &machine);
}

static wd_status restore(wd_conform_sequence *sequence, const char *name)
{
    const wd_value *machine = wd_object_get(sequence->captures, name);
    wd_error error = { 0 };
    wd_digest before = wd_device_digest(sequence->device);
    if (machine == NULL) {
        return wd_conform_differ(sequence->run, "nothing was captured as %s", name);
    }
    wd_digest wanted = wd_value_digest(machine);
    wd_status outcome = wd_device_restore(sequence->device, machine, &error);
    wd_status status =
        wd_conform_outcome(sequence->run, sequence->device, before, outcome, &error, sequence->refused);
    if (status == WD_OK && !wd_digest_equal(wd_device_digest(sequence->device), wanted)) {
        status = wd_conform_differ(sequence->run, "the restored machine has another digest");
    }
    return status;
}

static wd_status let_pass(wd_conform_sequence *sequence, int64_t ms)
{
    wd_error error = { .text = "time does not go back" };
    wd_digest before = wd_device_digest(sequence->device);
    wd_status outcome = wd_device_advance(sequence->device, ms);
    return wd_conform_outcome(sequence->run, sequence->device, before, outcome, &error, sequence->refused);
}

static wd_status reset(wd_conform_sequence *sequence)
{
    return wd_device_reset(sequence->device, false);
}

static wd_status look(wd_conform_sequence *sequence, const char *path)
{
    wd_value *state = NULL;
    wd_status status = wd_device_state(sequence->device, &state);
    if (status == WD_OK) {
        sequence->answer = wd_value_ref(wd_value_get_path(state, path));
    }
    wd_value_unref(&state);
    return status;
}

static wd_status perform(
    wd_conform_sequence *sequence, const wd_conform_steps *kind, const char *op, const wd_value *args)
{
    bool handled = false;
    wd_status status = kind->perform != NULL ? kind->perform(sequence, op, args, &handled) : WD_OK;
    if (status != WD_OK || handled) {
        return status;
    }
    if (strcmp(op, "patch") == 0) {
        return wd_conform_inject_os(sequence, wd_object_get(args, "os"));
    }
    if (strcmp(op, "capture") == 0) {
        return capture(sequence, wd_value_string_or(wd_object_get(args, "as"), ""));
    }
    if (strcmp(op, "restore") == 0) {
        return restore(sequence, wd_value_string_or(wd_object_get(args, "from"), ""));
    }
    if (strcmp(op, "roundtrip") == 0) {
        status = capture(sequence, "");
        return status == WD_OK ? restore(sequence, "") : status;
    }
    if (strcmp(op, "osReset") == 0 || strcmp(op, "resetState") == 0) {
        return reset(sequence);
    }
    if (strcmp(op, "advance") == 0 || strcmp(op, "tick") == 0) {
        return let_pass(sequence, wd_value_int_or(wd_object_get(args, "ms"), -1));
    }
    if (strcmp(op, "state") == 0) {
        return look(sequence, wd_value_string_or(wd_object_get(args, "path"), ""));
    }
    if (strcmp(op, "back") == 0) {
        return wd_conform_sequence_call(sequence, "os.handleBack", NULL);
    }
    return wd_conform_sequence_call(sequence, op, args);
}

// ---- comparing --------------------------------------------------------------------------------------------

const wd_value *wd_conform_given(wd_conform_sequence *sequence, const wd_value *step, const char *member)
{
    wd_value *now = wd_value_ref(wd_object_get(step, member));
    if (now != NULL && wd_member_put(&sequence->given, member, &now) != WD_OK) {
        wd_value_unref(&now);
        return wd_object_get(step, member);
    }
    return wd_object_get(sequence->given, member);
}

wd_status wd_conform_expect_ret(wd_conform_sequence *sequence, const wd_value *step)
{
    const wd_value *wanted = wd_object_get(step, "ret");
    return wanted != NULL ? wd_conform_expect(sequence->run, "ret", wanted, sequence->answer) : WD_OK;
}

wd_status wd_conform_events(const wd_conform_sequence *sequence, const wd_value *step, const char *first,
    const char *second, wd_value **ret_list)
{
    wd_value *kept = wd_value_array();
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(sequence->events);
    while (status == WD_OK && wd_iter_next(&iter)) {
        if (wd_object_get(iter.value, first) != NULL || wd_object_get(iter.value, second) != NULL) {
            status = wd_append_ref(&kept, iter.value);
        }
    }
    if (wd_array_count(kept) == 0 && wd_object_get(step, "events") == NULL) {
        wd_value_unref(&kept);
    }
    return wd_give(status, &kept, ret_list);
}

wd_status wd_conform_broadcasts(const wd_conform_sequence *sequence, wd_value **ret_list)
{
    wd_value *list = wd_value_array();
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(sequence->events);
    while (status == WD_OK && wd_iter_next(&iter)) {
        wd_value *item = NULL;
        const wd_value *action = wd_object_get(iter.value, "broadcast");
        if (action != NULL) {
            status = wd_value_pack(&item, "{s:v,s:?v,s:?v}", "action", action, "data",
                wd_object_get(iter.value, "data"), "extras", wd_object_get(iter.value, "extras"));
        }
        if (item != NULL) {
            status = wd_list_push(&list, &item);
        }
        wd_value_unref(&item);
    }
    return wd_give(status, &list, ret_list);
}

// ---- steps ------------------------------------------------------------------------------------------------

static void forget_step(wd_conform_sequence *sequence)
{
    wd_value_unref(&sequence->state);
    wd_value_unref(&sequence->events);
    wd_value_unref(&sequence->answer);
}

static wd_status replay_step(
    wd_conform_sequence *sequence, const wd_conform_steps *kind, const wd_value *step)
{
    const wd_value *op = wd_object_get(step, "op");
    sequence->run->op = wd_value_string_or(wd_object_get(op, "op"), "");
    sequence->refused = wd_value_bool_or(wd_object_get(step, "error"), false);
    wd_status status = perform(sequence, kind, sequence->run->op, op);
    sequence->events = wd_device_take_events(sequence->device);
    if (status == WD_OK) {
        status = wd_device_state(sequence->device, &sequence->state);
    }
    if (status == WD_OK) {
        status = kind->expect(sequence, step);
    }
    forget_step(sequence);
    return status;
}

wd_status wd_conform_sequence_replay(
    const wd_value *file, const wd_value *one, wd_conform *run, const wd_conform_steps *kind)
{
    wd_conform_sequence sequence = {
        .run = run, .file = file, .captures = wd_value_object(), .given = wd_value_object()
    };
    wd_status status = wd_conform_device(run, NULL, &sequence.device);
    if (status == WD_OK && kind->begin != NULL) {
        status = kind->begin(&sequence);
    }
    if (status == WD_OK) {
        wd_value *boot = wd_device_take_events(sequence.device);
        wd_value_unref(&boot);
    }
    const wd_value *steps = wd_object_get(one, "steps");
    for (size_t i = 0; i < wd_array_count(steps) && status == WD_OK && !run->failed; i++) {
        run->step = i + 1;
        status = replay_step(&sequence, kind, wd_array_at(steps, i));
    }
    forget_step(&sequence);
    wd_value_unref(&sequence.captures);
    wd_value_unref(&sequence.given);
    wd_device_destroy(&sequence.device);
    return status;
}
