// Where the phone believes it is (os.md 12).
#include "services.h"

#include <string.h>

enum { PRESET_ACCURACY = 100 };

#define LOCATION(key) WD_AT("os", "services", "location", key)

static const struct preset {
    const char *name;
    double latitude, longitude;
} presets[] = {
    { "beijing", 39.9042, 116.4074 },
    { "shanghai", 31.2304, 121.4737 },
    { "guangzhou", 23.1291, 113.2644 },
    { "shenzhen", 22.5431, 114.0579 },
    { "hangzhou", 30.2741, 120.1551 },
    { "chengdu", 30.5728, 104.0668 },
    { "wuhan", 30.5928, 114.3055 },
    { "nanjing", 32.0603, 118.7969 },
    { "xian", 34.3416, 108.9398 },
    { "chongqing", 29.5627, 106.5518 },
    { "tianjin", 39.0853, 117.2015 },
    { "suzhou", 31.299, 120.5853 },
    { "hongkong", 22.3193, 114.1694 },
    { "macau", 22.1987, 113.5439 },
    { "taipei", 25.033, 121.5654 },
    { "tokyo", 35.6762, 139.6503 },
    { "seoul", 37.5665, 126.978 },
    { "singapore", 1.3521, 103.8198 },
    { "london", 51.5074, -0.1278 },
    { "paris", 48.8566, 2.3522 },
    { "newyork", 40.7128, -74.006 },
    { "losangeles", 34.0522, -118.2437 },
    { "sydney", -33.8688, 151.2093 },
};

// By code, from 1.
static const char *const error_texts[] = { "用户拒绝了位置访问请求", "位置信息不可用", "获取位置信息超时" };

static wd_status preset_place(const struct preset *preset, wd_value **ret_place)
{
    return wd_value_pack(ret_place, "{s:d,s:d,s:i}", "latitude", preset->latitude, "longitude",
        preset->longitude, "accuracy", (int64_t)PRESET_ACCURACY);
}

static const struct preset *find_preset(const wd_value *name)
{
    wd_slice text = wd_trimmed(name);
    for (size_t i = 0; i < WD_COUNT_OF(presets); i++) {
        wd_slice own = { presets[i].name, strlen(presets[i].name) };
        if (own.length == text.length && wd_slice_contains_folded(text, own)) {
            return &presets[i];
        }
    }
    return NULL;
}

static wd_status clear_error(wd_machine *machine)
{
    wd_value *none = wd_value_null();
    return wd_machine_put(machine, LOCATION("simulateError"), &none);
}

/// Simulate a place. Takes *place_p.
static wd_status set_place(wd_machine *machine, wd_value **place_p)
{
    wd_status status = wd_machine_put(machine, LOCATION("simulatedLocation"), place_p);
    if (status == WD_OK) {
        status = wd_machine_put_text(machine, LOCATION("mode"), "simulated");
    }
    return status == WD_OK ? clear_error(machine) : status;
}

static wd_status op_set(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    const wd_value *value = wd_object_get(args, "v");
    wd_value *place = NULL;
    if (wd_value_is(value, WD_KIND_STRING)) {
        const struct preset *preset = find_preset(value);
        wd_status status = preset != NULL ? preset_place(preset, &place) : WD_OK;
        return status == WD_OK && preset != NULL ? set_place(machine, &place) : status;
    }
    if (!wd_value_is_number(wd_object_get(value, "latitude")) ||
        !wd_value_is_number(wd_object_get(value, "longitude"))) {
        return wd_error_set(error, WD_ETYPE, "v: a city, or an object with latitude and longitude is needed");
    }
    place = wd_value_ref(value);
    return set_place(machine, &place);
}

static wd_status op_error(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    int64_t code = wd_value_int_or(wd_object_get(args, "code"), 0);
    const char *message = "";
    wd_value *record = NULL;
    wd_status status = wd_arg_text_optional(args, "message", &message, error);
    if (status == WD_OK && (code < 1 || code > (int64_t)WD_COUNT_OF(error_texts))) {
        return wd_error_set(error, WD_EINVAL, "code: 1, 2 or 3 is needed");
    }
    if (status == WD_OK) {
        status = wd_value_pack(&record, "{s:i,s:s}", "code", code, "message",
            message[0] != '\0' ? message : error_texts[code - 1]);
    }
    if (status == WD_OK) {
        status = wd_machine_put(machine, LOCATION("simulateError"), &record);
    }
    return status == WD_OK ? wd_machine_put_text(machine, LOCATION("mode"), "simulated") : status;
}

static wd_status op_clear(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)args;
    (void)ret_answer;
    (void)error;
    wd_status status = clear_error(machine);
    if (status == WD_OK && !wd_truthy(wd_machine_get(machine, LOCATION("simulatedLocation")))) {
        wd_value *place = NULL;
        status = preset_place(&presets[0], &place);
        if (status == WD_OK) {
            status = wd_machine_put(machine, LOCATION("simulatedLocation"), &place);
        }
    }
    return status;
}

static wd_status op_real(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)args;
    (void)ret_answer;
    (void)error;
    wd_value *none = wd_value_null();
    wd_status status = wd_machine_put(machine, LOCATION("simulatedLocation"), &none);
    if (status == WD_OK) {
        status = wd_machine_put_text(machine, LOCATION("mode"), "real");
    }
    return status == WD_OK ? clear_error(machine) : status;
}

/// Coordinates, or null in real mode and under an error.
static wd_value *coordinates(const wd_machine *machine)
{
    const wd_value *place = wd_machine_get(machine, LOCATION("simulatedLocation"));
    bool known = wd_value_is_text(wd_machine_get(machine, LOCATION("mode")), "simulated") &&
                 !wd_truthy(wd_machine_get(machine, LOCATION("simulateError"))) && place != NULL;
    return known ? wd_value_ref(place) : wd_value_null();
}

static wd_status op_get(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)args;
    (void)error;
    *ret_answer = coordinates(machine);
    return WD_OK;
}

/// The store without its nulls.
static wd_status op_config(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)args;
    (void)error;
    wd_value *config = wd_value_object();
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(wd_machine_get(machine, WD_AT("os", "services", "location")));
    while (status == WD_OK && wd_iter_next(&iter)) {
        status = wd_value_is(iter.value, WD_KIND_NULL) ? WD_OK : wd_set_ref(&config, iter.key, iter.value);
    }
    return wd_give(status, &config, ret_answer);
}

const wd_op wd_ops_location[] = {
    { "locGet", op_get },
    { "locSet", op_set },
    { "locErr", op_error },
    { "locClear", op_clear },
    { "locReal", op_real },
    { "locConfig", op_config },
    { NULL, NULL },
};

wd_status wd_view_location(const wd_machine *machine, wd_value **ret_view)
{
    wd_value *place = coordinates(machine);
    return wd_value_pack(
        ret_view, "{s:v,s:V}", "mode", wd_machine_get(machine, LOCATION("mode")), "coords", place);
}
