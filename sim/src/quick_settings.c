#include "managers.h"

#include "tree/patch.h"

#include <string.h>

// The tiles in the order of settings.global. Those without a setter are plain flags.
static const struct tile {
    const char *key;
    wd_status (*set)(wd_machine *machine, bool on);
} tiles[] = {
    { "wifiEnabled", wd_wifi_set },
    { "mobileDataEnabled", wd_mobile_data_set },
    { "bluetoothEnabled", wd_bluetooth_set },
    { "airplaneModeEnabled", wd_airplane_set },
    { "doNotDisturbEnabled", wd_dnd_set },
    { "flashlightEnabled", NULL },
    { "batterySaverEnabled", NULL },
    { "rotationLocked", NULL },
    { "locationEnabled", NULL },
    { "nfcEnabled", NULL },
    { "screenCastEnabled", NULL },
    { "autoBrightnessEnabled", NULL },
    { "eyeComfortEnabled", NULL },
    { "darkModeEnabled", NULL },
};
enum { TILE_COUNT = WD_COUNT_OF(tiles) };

int wd_quick_setting_index(const char *key)
{
    for (int i = 0; i < TILE_COUNT; i++) {
        if (strcmp(tiles[i].key, key) == 0) {
            return i;
        }
    }
    return -1;
}

wd_status wd_global_set(wd_machine *machine, const char *key, bool on)
{
    if (strcmp(key, "silentMode") == 0) {
        return wd_silent_set(machine, on);
    }
    int index = wd_quick_setting_index(key);
    return index >= 0 && tiles[index].set != NULL ? tiles[index].set(machine, on)
                                                  : wd_set_flag(machine, WD_GLOBAL(key), on);
}

static wd_status announce_tile(wd_machine *machine, const char *key, const wd_value *value)
{
    wd_value *extras = NULL;
    wd_status status = wd_value_pack(&extras, "{s:s,s:v}", "key", key, "value", value);
    return status == WD_OK ? wd_machine_broadcast(machine, "os.intent.action.QUICK_SETTING_CHANGED", &extras)
                           : status;
}

static const wd_value *read_tile(const wd_machine *machine, int index)
{
    return wd_machine_get(machine, WD_GLOBAL(tiles[index].key));
}

/// Apply the wanted flags in the order of the tiles, then announce those that really changed (D18).
static wd_status set_tiles(wd_machine *machine, const bool asked[TILE_COUNT], const bool wanted[TILE_COUNT])
{
    bool before[TILE_COUNT] = { false };
    wd_status status = WD_OK;
    for (int i = 0; i < TILE_COUNT; i++) {
        before[i] = asked[i] && wd_value_bool_or(read_tile(machine, i), false);
    }
    for (int i = 0; status == WD_OK && i < TILE_COUNT; i++) {
        if (asked[i] && wanted[i] != before[i]) {
            status = tiles[i].set != NULL ? tiles[i].set(machine, wanted[i])
                                          : wd_set_flag(machine, WD_GLOBAL(tiles[i].key), wanted[i]);
        }
    }
    for (int i = 0; status == WD_OK && i < TILE_COUNT; i++) {
        const wd_value *now = asked[i] ? read_tile(machine, i) : NULL;
        if (asked[i] && wd_value_bool_or(now, false) != before[i]) {
            status = announce_tile(machine, tiles[i].key, now);
        }
    }
    return status;
}

wd_status wd_op_qs_set(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    bool asked[TILE_COUNT] = { false }, wanted[TILE_COUNT] = { false };
    const wd_value *patch = wd_object_get(args, "v");
    if (!wd_value_is(patch, WD_KIND_OBJECT)) {
        return wd_error_set(error, WD_ETYPE, "v: an object of quick settings is needed");
    }
    wd_iter iter = wd_iter_start(patch);
    while (wd_iter_next(&iter)) {
        int index = wd_quick_setting_index(iter.key);
        if (index < 0) {
            return wd_error_set(error, WD_ENOENT, "v.%s: no such quick setting", iter.key);
        }
        if (wd_value_is_undefined(iter.value)) {
            continue;
        }
        if (!wd_value_is(iter.value, WD_KIND_BOOL)) {
            return wd_error_set(error, WD_ETYPE, "v.%s: a boolean is needed", iter.key);
        }
        asked[index] = true;
        wanted[index] = wd_value_as_bool(iter.value);
    }
    return set_tiles(machine, asked, wanted);
}

wd_status wd_op_qs_toggle(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    bool asked[TILE_COUNT] = { false }, wanted[TILE_COUNT] = { false };
    const char *key = NULL;
    wd_status status = wd_arg_text(args, "key", &key, error);
    if (status != WD_OK) {
        return status;
    }
    int index = wd_quick_setting_index(key);
    if (index < 0) {
        return wd_error_set(error, WD_ENOENT, "key: no quick setting %s", key);
    }
    asked[index] = true;
    wanted[index] = !wd_flag(machine, WD_GLOBAL(key));
    return set_tiles(machine, asked, wanted);
}

wd_status wd_op_qs_get(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)args;
    (void)error;
    wd_value *view = wd_value_object();
    wd_status status = WD_OK;
    for (int i = 0; status == WD_OK && i < TILE_COUNT; i++) {
        wd_value *flag = wd_value_bool(wd_flag(machine, WD_GLOBAL(tiles[i].key)));
        status = wd_member_put(&view, tiles[i].key, &flag);
    }
    return wd_give(status, &view, ret_answer);
}

/// Plain assignment of every default: no cascades, radio levels stay as they are (os.md 6.6).
wd_status wd_op_qs_reset(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)args;
    (void)ret_answer;
    (void)error;
    wd_value *defaults = wd_value_ref(wd_machine_get(machine, WD_AT("sys", "managers", "globalDefaults")));
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(defaults);
    while (status == WD_OK && wd_iter_next(&iter)) {
        wd_place place = WD_GLOBAL(iter.key);
        if (!wd_value_equal(wd_machine_get(machine, place), iter.value)) {
            status = wd_set_value(machine, place, iter.value);
            if (status == WD_OK) {
                status = announce_tile(machine, iter.key, iter.value);
            }
        }
    }
    wd_value_unref(&defaults);
    return status;
}
