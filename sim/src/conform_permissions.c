// Replays permissions.json: the stored statuses after every step, dialogs and answered requests.
#include "conform_steps.h"

#include "coerce.h"

static wd_status expect_events(wd_conform_sequence *sequence, const wd_value *step)
{
    wd_value *kept = wd_value_array();
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(sequence->events);
    while (status == WD_OK && wd_iter_next(&iter)) {
        if (wd_object_get(iter.value, "dialog") != NULL || wd_object_get(iter.value, "resolved") != NULL) {
            wd_value *event = wd_value_ref(iter.value);
            status = wd_list_push(&kept, &event);
            wd_value_unref(&event);
        }
    }
    const wd_value *wanted = wd_object_get(step, "events");
    if (status == WD_OK) {
        status = wd_conform_expect(
            sequence->run, "events", wanted, wanted == NULL && wd_array_count(kept) == 0 ? NULL : kept);
    }
    wd_value_unref(&kept);
    return status;
}

static wd_status expect(wd_conform_sequence *sequence, const wd_value *step)
{
    const wd_value *os = wd_object_get(sequence->state, "os");
    wd_status status = wd_conform_expect_ret(sequence, step);
    if (status == WD_OK) {
        status = wd_conform_expect(sequence->run, "permissions", wd_object_get(step, "permissions"),
            wd_object_get(os, "permissions"));
    }
    return status == WD_OK ? expect_events(sequence, step) : status;
}

wd_status wd_conform_permissions(const wd_value *file, const wd_value *one, wd_conform *run)
{
    static const wd_conform_steps kind = { .expect = expect };
    return wd_conform_sequence_replay(file, one, run, &kind);
}
