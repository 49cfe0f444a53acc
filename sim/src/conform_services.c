// Replays services.json: the sections a step gives, answers, broadcasts complete and in order, receivers.
#include "conform_alias.h"
#include "conform_steps.h"

#include "coerce.h"

#include <string.h>

static wd_status open_tasks(wd_conform_sequence *sequence)
{
    wd_value *list = wd_value_array(), *state = NULL;
    wd_status status = wd_device_state(sequence->device, &state);
    wd_iter iter = wd_iter_start(wd_object_get(wd_object_get(state, "os"), "tasks"));
    while (status == WD_OK && wd_iter_next(&iter)) {
        wd_value *entry = NULL;
        status = wd_value_pack(&entry, "{s:v,s:b}", "app", wd_object_get(iter.value, "rootAppId"), "ext",
            wd_value_bool_or(wd_object_get(iter.value, "wasExternallyRouted"), false));
        if (status == WD_OK) {
            status = wd_list_push(&list, &entry);
        }
    }
    wd_value_unref(&state);
    sequence->answer = list;
    return status;
}

static wd_status perform(
    wd_conform_sequence *sequence, const char *op, const wd_value *args, bool *ret_handled)
{
    static const char *const common[] = { "patch", "capture", "restore", "roundtrip", "osReset", "resetState",
        "advance", "tick", "state", "back" };
    for (size_t i = 0; i < WD_COUNT_OF(common); i++) {
        if (strcmp(common[i], op) == 0) {
            return WD_OK;
        }
    }
    *ret_handled = true;
    if (strcmp(op, "openTasks") == 0) {
        return open_tasks(sequence);
    }
    wd_value *ours = NULL;
    wd_status status = wd_conform_unalias(args, &ours);
    if (status == WD_OK) {
        status = wd_conform_sequence_call(sequence, op, ours);
    }
    wd_value_unref(&ours);
    return status;
}

/// The sections of a step, each complete.
static wd_status expect_sections(wd_conform_sequence *sequence, const wd_value *step)
{
    const wd_value *os = wd_object_get(wd_device_machine(sequence->device), "os");
    const wd_value *services = wd_object_get(os, "services");
    const struct section {
        const char *name;
        const wd_value *store;
    } sections[] = {
        { "clipboard", wd_object_get(os, "clipboard") },
        { "notifications", wd_object_get(os, "notifications") },
        { "shade", wd_object_get(os, "shade") },
        { "keyboard", wd_object_get(services, "keyboard") },
        { "alarms", wd_object_get(services, "alarm_manager") },
        { "media", wd_object_get(services, "media_session") },
        { "location", wd_object_get(services, "location") },
    };
    wd_status status = WD_OK;
    for (size_t i = 0; status == WD_OK && i < WD_COUNT_OF(sections); i++) {
        const wd_value *wanted = wd_object_get(step, sections[i].name);
        if (wanted != NULL) {
            status = wd_conform_expect_aliased(sequence->run, sections[i].name, wanted, sections[i].store);
        }
    }
    return status;
}

static bool is_listed(const wd_value *broadcast)
{
    const wd_value *action = wd_object_get(broadcast, "action");
    return !wd_value_is_text(action, "os.intent.action.STATUS_BAR_CHANGED") &&
           !wd_value_is_text(action, "android.intent.action.TIME_TICK");
}

static wd_status expect_broadcasts(wd_conform_sequence *sequence, const wd_value *step)
{
    wd_value *all = NULL, *listed = wd_value_array();
    wd_status status = wd_conform_broadcasts(sequence, &all);
    wd_iter iter = wd_iter_start(all);
    while (status == WD_OK && wd_iter_next(&iter)) {
        if (is_listed(iter.value)) {
            wd_value *copy = wd_value_ref(iter.value);
            status = wd_list_push(&listed, &copy);
        }
    }
    const wd_value *wanted = wd_object_get(step, "broadcasts");
    bool none = wanted == NULL && wd_array_count(listed) == 0;
    if (status == WD_OK) {
        status = wd_conform_expect_aliased(sequence->run, "broadcasts", wanted, none ? NULL : listed);
    }
    wd_value_unref(&all);
    wd_value_unref(&listed);
    return status;
}

/// Receivers and the marks between them.
static wd_status expect_events(wd_conform_sequence *sequence, const wd_value *step)
{
    wd_value *got = NULL;
    wd_status status = wd_conform_events(sequence, step, "receiver", "mark", &got);
    if (status == WD_OK) {
        status = wd_conform_expect_aliased(sequence->run, "events", wd_object_get(step, "events"), got);
    }
    wd_value_unref(&got);
    return status;
}

static wd_status expect(wd_conform_sequence *sequence, const wd_value *step)
{
    const wd_value *wanted = wd_object_get(step, "ret");
    wd_status status =
        wanted != NULL ? wd_conform_expect_aliased(sequence->run, "ret", wanted, sequence->answer) : WD_OK;
    if (status == WD_OK) {
        status = expect_sections(sequence, step);
    }
    if (status == WD_OK) {
        status = expect_broadcasts(sequence, step);
    }
    return status == WD_OK ? expect_events(sequence, step) : status;
}

wd_status wd_conform_services(const wd_value *file, const wd_value *one, wd_conform *run)
{
    static const wd_conform_steps kind = { .perform = perform, .expect = expect };
    return wd_conform_sequence_replay(file, one, run, &kind);
}
