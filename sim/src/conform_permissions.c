// Replays permissions.json: the stored statuses after every step, dialogs and answered requests.
#include "conform_steps.h"

#include "coerce.h"

static wd_status expect_events(wd_conform_sequence *sequence, const wd_value *step)
{
    wd_value *got = NULL;
    wd_status status = wd_conform_events(sequence, step, "dialog", "resolved", &got);
    if (status == WD_OK) {
        status = wd_conform_expect(sequence->run, "events", wd_object_get(step, "events"), got);
    }
    wd_value_unref(&got);
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
