// Replays providers.json: the three providers' states after every step, answers, notices and broadcasts.
#include "conform_alias.h"
#include "conform_steps.h"

#include "coerce.h"

#include <string.h>

/// "media store without files": the content of the vectors is all there is.
static wd_status begin(wd_conform_sequence *sequence)
{
    wd_value *args = NULL;
    wd_status status = wd_value_pack(&args, "{s:s}", "path", "/sdcard");
    if (status == WD_OK) {
        status = wd_device_call(sequence->device, "fsDelete", args, NULL, NULL);
    }
    wd_value_unref(&args);
    return status;
}

static wd_status perform(
    wd_conform_sequence *sequence, const char *op, const wd_value *args, bool *ret_handled)
{
    wd_value *ours = NULL, *patch = NULL;
    wd_status status = wd_conform_unalias(args, &ours);
    *ret_handled = true;
    if (status == WD_OK && strcmp(op, "providerPatch") == 0) {
        status = wd_value_pack(&patch, "{s:v}", "providers", wd_object_get(ours, "v"));
        if (status == WD_OK) {
            status = wd_conform_inject_os(sequence, patch);
        }
    } else if (status == WD_OK && strcmp(op, "state") == 0) {
        *ret_handled = false;
    } else if (status == WD_OK) {
        status = wd_conform_sequence_call(sequence, op, ours);
    }
    wd_value_unref(&ours);
    wd_value_unref(&patch);
    return status;
}

/// The answer of a code's sending tells the code as well, which the vectors leave out.
static wd_status expect_ret(wd_conform_sequence *sequence, const wd_value *step)
{
    const wd_value *wanted = wd_object_get(step, "ret");
    wd_value *answer = NULL;
    if (wanted == NULL) {
        return WD_OK;
    }
    wd_status status = wd_value_is(sequence->answer, WD_KIND_OBJECT)
                           ? wd_conform_without(sequence->answer, "code", &answer)
                           : WD_OK;
    if (status == WD_OK) {
        status = wd_conform_expect_aliased(
            sequence->run, "ret", wanted, answer != NULL ? answer : sequence->answer);
    }
    wd_value_unref(&answer);
    return status;
}

static wd_status expect_observers(wd_conform_sequence *sequence, const wd_value *step)
{
    wd_value *got = NULL;
    wd_status status = wd_conform_events(sequence, step, "observer", "observer", &got);
    if (status == WD_OK) {
        status = wd_conform_expect_aliased(sequence->run, "events", wd_object_get(step, "events"), got);
    }
    wd_value_unref(&got);
    return status;
}

static wd_status expect(wd_conform_sequence *sequence, const wd_value *step)
{
    static const char *const names[] = { "contacts", "sms", "media" };
    const wd_value *providers = wd_object_get(wd_object_get(sequence->state, "os"), "providers");
    wd_value *sent = NULL;
    wd_status status = expect_ret(sequence, step);
    for (size_t i = 0; status == WD_OK && i < WD_COUNT_OF(names); i++) {
        const wd_value *wanted = wd_conform_given(sequence, step, names[i]);
        status =
            wd_conform_expect_aliased(sequence->run, names[i], wanted, wd_object_get(providers, names[i]));
    }
    if (status == WD_OK) {
        status = wd_conform_broadcasts(sequence, &sent);
    }
    const wd_value *wanted = wd_object_get(step, "broadcasts");
    bool none = wanted == NULL && wd_array_count(sent) == 0;
    if (status == WD_OK) {
        status = wd_conform_expect_aliased(sequence->run, "broadcasts", wanted, none ? NULL : sent);
    }
    wd_value_unref(&sent);
    return status == WD_OK ? expect_observers(sequence, step) : status;
}

wd_status wd_conform_providers(const wd_value *file, const wd_value *one, wd_conform *run)
{
    static const wd_conform_steps kind = { .begin = begin, .perform = perform, .expect = expect };
    return wd_conform_sequence_replay(file, one, run, &kind);
}
