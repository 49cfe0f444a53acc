// Replays managers.json: settings and hardware after every step, preferences, mirrors, broadcasts as a set.
#include "conform_steps.h"

#include "device_struct.h"
#include "preference.h"

#include <string.h>

/// {action (and key): extras} of a list of broadcasts: the last of each counts.
static wd_status as_set(const wd_value *list, bool boot_only, wd_value **ret_set)
{
    wd_value *set = wd_value_object();
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(list);
    while (status == WD_OK && wd_iter_next(&iter)) {
        const char *action = wd_value_string_or(wd_object_get(iter.value, "action"), "");
        const wd_value *extras = wd_object_get(iter.value, "extras");
        if (boot_only && strcmp(action, "android.intent.action.BOOT_COMPLETED") != 0) {
            continue;
        }
        bool by_key = strcmp(action, "os.intent.action.QUICK_SETTING_CHANGED") == 0;
        wd_value *name = NULL, *copy = wd_value_ref(iter.value);
        status = wd_value_format(
            &name, "%s %s", action, by_key ? wd_value_string_or(wd_object_get(extras, "key"), "") : "");
        if (status == WD_OK) {
            status = wd_member_put(&set, wd_value_as_string(name, NULL), &copy);
        }
        wd_value_unref(&name);
        wd_value_unref(&copy);
    }
    return wd_give(status, &set, ret_set);
}

static wd_status expect_broadcasts(wd_conform_sequence *sequence, const wd_value *step)
{
    const char *op = sequence->run->op;
    bool boot_only = strcmp(op, "osReset") == 0 || strcmp(op, "resetState") == 0;
    wd_value *list = NULL, *got = NULL, *wanted = NULL;
    wd_status status = wd_conform_broadcasts(sequence, &list);
    if (status == WD_OK) {
        status = as_set(list, boot_only, &got);
    }
    if (status == WD_OK) {
        status = as_set(wd_object_get(step, "broadcasts"), boot_only, &wanted);
    }
    if (status == WD_OK && !(boot_only && wd_object_count(wanted) == 0)) {  // a reset may announce itself
        status = wd_conform_expect(sequence->run, "broadcasts", wanted, got);
    }
    wd_value_unref(&list);
    wd_value_unref(&got);
    wd_value_unref(&wanted);
    return status;
}

/// Stored preferences without those that mirror a field; each of those has the field's value.
static wd_status expect_preferences(wd_conform_sequence *sequence, const wd_value *step)
{
    const wd_value *stored = wd_object_get(wd_object_get(sequence->state, "os"), "preferences");
    wd_value *own = wd_value_object(), *mirrors = NULL;
    wd_status status = wd_preference_mirrors(&sequence->device->machine, &mirrors);
    wd_iter iter = wd_iter_start(stored);
    while (status == WD_OK && wd_iter_next(&iter)) {
        wd_value *value = wd_value_ref(iter.value);
        if (!wd_preference_is_mirror(iter.key)) {
            status = wd_member_put_n(&own, iter.key, iter.key_length, &value);
        } else {
            status = wd_conform_expect(
                sequence->run, "stored mirror", wd_object_get(mirrors, iter.key), iter.value);
        }
        wd_value_unref(&value);
    }
    const wd_value *wanted = wd_conform_given(sequence, step, "preferences");
    if (status == WD_OK) {
        status = wd_conform_expect(sequence->run, "preferences", wanted, own);
    }
    wanted = wd_conform_given(sequence, step, "mirrors");
    if (status == WD_OK && wanted != NULL) {
        status = wd_conform_expect(sequence->run, "mirrors", wanted, mirrors);
    }
    wd_value_unref(&own);
    wd_value_unref(&mirrors);
    return status;
}

static wd_status expect_stores(wd_conform_sequence *sequence, const wd_value *step)
{
    static const char *const stores[] = { "settings", "hardware", "build", "telephony" };
    const wd_value *os = wd_object_get(sequence->state, "os");
    wd_status status = WD_OK;
    for (size_t i = 0; status == WD_OK && i < WD_COUNT_OF(stores); i++) {
        status = wd_conform_expect(sequence->run, stores[i], wd_conform_given(sequence, step, stores[i]),
            wd_object_get(os, stores[i]));
    }
    return status == WD_OK ? expect_preferences(sequence, step) : status;
}

static wd_status begin(wd_conform_sequence *sequence)
{
    wd_value_unref(&sequence->given);
    sequence->given = wd_value_ref(wd_object_get(sequence->file, "initial"));
    return WD_OK;
}

static wd_status expect(wd_conform_sequence *sequence, const wd_value *step)
{
    wd_status status = wd_conform_expect_ret(sequence, step);
    if (status == WD_OK) {
        status = expect_stores(sequence, step);
    }
    return status == WD_OK ? expect_broadcasts(sequence, step) : status;
}

wd_status wd_conform_managers(const wd_value *file, const wd_value *one, wd_conform *run)
{
    static const wd_conform_steps kind = { .begin = begin, .expect = expect };
    return wd_conform_sequence_replay(file, one, run, &kind);
}
