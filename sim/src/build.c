// Overrides of the build and telephony records (os.md 8). The machine holds the effective records.
#include "managers.h"

#include "tree/patch.h"

#include <string.h>

enum { SLOT_MAX = 2 };

#define SIMS WD_AT("os", "telephony", "sims")
#define DATA_SIM WD_AT("os", "telephony", "defaultDataSim")

static int data_slot(const wd_machine *machine)
{
    return wd_value_int_or(wd_machine_get(machine, DATA_SIM), 1) == SLOT_MAX ? SLOT_MAX : 1;
}

static const wd_value *find_slot(const wd_machine *machine, int slot, size_t *ret_index)
{
    wd_iter iter = wd_iter_start(wd_machine_get(machine, SIMS));
    while (wd_iter_next(&iter)) {
        if (wd_value_int_or(wd_object_get(iter.value, "slot"), 0) == slot) {
            *ret_index = iter.index;
            return iter.value;
        }
    }
    return NULL;
}

const wd_value *wd_sim_default(const wd_machine *machine, size_t *ret_index)
{
    size_t index = 0;
    const wd_value *sim = find_slot(machine, data_slot(machine), &index);
    if (sim == NULL) {
        index = 0;
        sim = wd_array_at(wd_machine_get(machine, SIMS), 0);
    }
    if (ret_index != NULL) {
        *ret_index = index;
    }
    return sim;
}

wd_status wd_sim_set_text(wd_machine *machine, int slot, const char *field, wd_slice text)
{
    size_t index = 0;
    const wd_value *found = slot == 0 ? wd_sim_default(machine, &index) : find_slot(machine, slot, &index);
    wd_value *list = wd_value_ref(wd_machine_get(machine, SIMS)), *sim = wd_value_ref(found), *value = NULL;
    if (list == NULL) {
        list = wd_value_array();
    }
    wd_status status = wd_slice_value(wd_slice_trim(text.bytes, text.length), &value);
    if (status == WD_OK && found == NULL) {
        index = wd_array_count(list);
        status = wd_value_pack(&sim, "{s:i,s:s,s:s,s:s,s:s,s:b,s:b}", "slot",
            (int64_t)(slot == 0 ? data_slot(machine) : slot), "carrier", "未知运营商", "phoneNumber", "",
            "iccid", "", "networkType", "4G", "dataRoaming", false, "voLTE", true);
    }
    if (status == WD_OK) {
        status = wd_member_put(&sim, field, &value);
    }
    if (status == WD_OK) {
        status = found == NULL ? wd_list_push(&list, &sim) : wd_array_set(&list, index, &sim);
    }
    if (status == WD_OK) {
        status = wd_set_value(machine, SIMS, list);
    }
    wd_value_unref(&list);
    wd_value_unref(&sim);
    wd_value_unref(&value);
    return status;
}

wd_status wd_build_set(wd_machine *machine, const char *key, const wd_value *value)
{
    static const char *const numbers[] = { "cpuCores", "screenDensity", "refreshRate" };
    wd_value *field = NULL;
    wd_status status = WD_OK;
    if (value == NULL || wd_value_is(value, WD_KIND_NULL) || wd_value_is(value, WD_KIND_OBJECT)) {
        return WD_OK;
    }
    bool is_number = false;
    for (size_t i = 0; i < WD_COUNT_OF(numbers); i++) {
        is_number = is_number || strcmp(key, numbers[i]) == 0;
    }
    if (is_number) {
        double number = 0;
        if (!wd_number_form(value, &number)) {
            return WD_OK;
        }
        status = wd_value_number(number, &field);
    } else if (strcmp(key, "hdrSupport") == 0) {
        field = wd_value_bool(wd_truthy(value));
    } else {
        status = wd_text_form(value, &field);
    }
    if (status == WD_OK) {
        status = wd_set_value(machine, WD_AT("os", "build", key), field);
    }
    wd_value_unref(&field);
    return status;
}

wd_status wd_inject_build(wd_machine *machine, const wd_value *patch, wd_error *error)
{
    if (!wd_value_is(patch, WD_KIND_OBJECT)) {
        return wd_error_set(error, WD_ETYPE, "an object is needed");
    }
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(patch);
    while (status == WD_OK && wd_iter_next(&iter)) {
        if (wd_value_is(iter.value, WD_KIND_ARRAY) ||
            (wd_value_is(iter.value, WD_KIND_OBJECT) && !wd_value_is_undefined(iter.value) &&
                !wd_value_is_no_number(iter.value))) {
            return wd_error_set(error, WD_ETYPE, "%s: a text, a number or a boolean is needed", iter.key);
        }
        status = wd_build_set(machine, iter.key, iter.value);
    }
    return status;
}

wd_status wd_inject_telephony(wd_machine *machine, const wd_value *patch, wd_error *error)
{
    if (!wd_value_is(patch, WD_KIND_OBJECT)) {
        return wd_error_set(error, WD_ETYPE, "an object is needed");
    }
    const wd_value *sims = wd_object_get(patch, "sims"), *data_sim = wd_object_get(patch, "defaultDataSim");
    wd_status status = WD_OK;
    if (wd_value_is(sims, WD_KIND_ARRAY)) {
        status = wd_set_value(machine, SIMS, sims);
    }
    int64_t slot = wd_value_is_number(data_sim) ? wd_value_int_or(data_sim, 0) : 0;
    if (status == WD_OK && slot >= 1 && slot <= SLOT_MAX) {
        status = wd_set_int(machine, DATA_SIM, slot);
    }
    return status;
}
