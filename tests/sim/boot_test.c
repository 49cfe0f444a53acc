// What a device starts with: the OS's defaults, what packs lay over them, zone and time (boot_managers.c,
// boot_services.c, os_defaults.json).
#include "sim/device.h"

#include "vectors.h"

#include "tree/path.h"

static wd_device *boot(const char *packages, const char *os_defaults, int32_t utc_offset_min)
{
    wd_value *list = json_of(packages), *patch = json_of(os_defaults);
    wd_device_options options = wd_device_options_default();
    options.packages = list;
    options.os_defaults = patch;
    options.utc_offset_min = utc_offset_min;
    wd_device *device = NULL;
    wd_error error = { 0 };
    if (wd_device_new(&options, &device, &error) != WD_OK) {
        fail_msg("%s", error.text);
    }
    wd_value_unref(&list);
    wd_value_unref(&patch);
    return device;
}

static void assert_state(wd_device *device, const char *path, const char *wanted)
{
    wd_value *state = NULL, *value = json_of(wanted);
    assert_int_equal(wd_device_state(device, &state), WD_OK);
    const wd_value *got = wd_value_get_path(state, path);
    if (!wd_value_equal(value, got)) {
        char *text = got != NULL ? text_of(got) : NULL;
        fail_msg("%s: %s wanted, %s found", path, wanted, text != NULL ? text : "nothing");
    }
    wd_value_unref(&state);
    wd_value_unref(&value);
}

static void call(wd_device *device, const char *op, const char *args)
{
    wd_value *value = json_of(args);
    wd_error error = { 0 };
    if (wd_device_call(device, op, value, NULL, &error) != WD_OK) {
        fail_msg("%s: %s", op, error.text);
    }
    wd_value_unref(&value);
}

static void a_phone_without_apps_boots(void **state)
{
    (void)state;
    wd_device *device = boot("[]", "{}", 480);
    assert_state(device, "os.installedApps", "[]");
    assert_state(device, "os.launcher.screens[0].items",
        "[{\"slot\":{\"cellX\":0,\"cellY\":0},\"kind\":\"widget\",\"widgetType\":\"clock\"}]");
    assert_state(device, "os.fileSystem.nodes[0].id", "\"root\"");
    wd_device_destroy(&device);
}

static void dates_are_in_the_zone(void **state)
{
    (void)state;
    wd_device *device = boot("[]", "{\"settings\":{\"global\":{\"language\":\"en\"}}}", -570);
    assert_state(device, "os.time",
        "{\"mode\":\"simulated\",\"timestamp\":1767528000000,\"formatted\":\"02:30\",\"date\":\"Jan 4\","
        "\"dayOfWeek\":\"Sun\"}");
    call(device, "setSim", "{\"v\":\"2026-01-05 00:00\"}");
    assert_state(device, "os.time.timestamp", "1767605400000");
    wd_device_destroy(&device);
}

static void quick_settings_reset_to_what_packs_want(void **state)
{
    (void)state;
    wd_device *device = boot("[]", "{\"settings\":{\"global\":{\"nfcEnabled\":false}}}", 480);
    call(device, "qsSet", "{\"v\":{\"nfcEnabled\":true,\"wifiEnabled\":false}}");
    call(device, "qsReset", "{}");
    assert_state(device, "os.settings.global.nfcEnabled", "false");
    assert_state(device, "os.settings.global.wifiEnabled", "true");
    wd_device_destroy(&device);
}

static void apps_with_a_role_are_on_the_hotseat(void **state)
{
    (void)state;
    wd_device *device =
        boot("[{\"id\":\"a\"},{\"id\":\"b\",\"role\":\"dialer\"},{\"id\":\"c\",\"hidden\":true},"
             "{\"id\":\"d\",\"name\":{\"zh\":\"丁\",\"en\":\"D\"}}]",
            "{}", 480);
    assert_state(device, "os.launcher.hotseat", "[{\"slot\":0,\"kind\":\"app\",\"appId\":\"b\"}]");
    assert_state(device, "os.launcher.screens[0].items[1]",
        "{\"slot\":{\"cellX\":0,\"cellY\":2},\"kind\":\"app\",\"appId\":\"a\"}");
    assert_state(device, "os.launcher.screens[0].items[2].appId", "\"d\"");
    assert_state(device, "os.installedApps[3].name", "\"丁\"");
    call(device, "setLocale", "{\"v\":\"en-GB\"}");
    assert_state(device, "os.installedApps[3].name", "\"D\"");
    wd_device_destroy(&device);
}

static void layouts_are_checked(void **state)
{
    (void)state;
    wd_device *device = boot("[]", "{}", 480);
    wd_value *args = json_of("{\"v\":{\"screens\":5}}");
    assert_int_equal(wd_device_call(device, "launcherSet", args, NULL, NULL), WD_ETYPE);
    wd_value_unref(&args);
    call(device, "launcherSet",
        "{\"v\":{\"version\":1,\"screens\":[{\"id\":\"s\"}],\"items\":{"
        "\"x\":{\"kind\":\"app\",\"appId\":\"x\",\"container\":\"s\",\"cellX\":1,\"cellY\":1},"
        "\"y\":{\"kind\":\"folder\",\"folderId\":\"f\",\"container\":\"s\",\"cellX\":0,\"cellY\":1}},"
        "\"folders\":{\"f\":{\"id\":\"f\",\"name\":\"F\",\"size\":\"1x1\",\"items\":[]}}}}");
    assert_state(device, "os.launcher",
        "{\"version\":1,\"screensCount\":1,\"screens\":[{\"id\":\"s\",\"items\":["
        "{\"slot\":{\"cellX\":0,\"cellY\":1},\"kind\":\"folder\",\"folderId\":\"f\"},"
        "{\"slot\":{\"cellX\":1,\"cellY\":1},\"kind\":\"app\",\"appId\":\"x\"}]}],\"hotseat\":[],"
        "\"folders\":[{\"id\":\"f\",\"name\":\"F\",\"size\":\"1x1\",\"items\":[]}]}");
    wd_device_destroy(&device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_phone_without_apps_boots),
        cmocka_unit_test(dates_are_in_the_zone),
        cmocka_unit_test(quick_settings_reset_to_what_packs_want),
        cmocka_unit_test(apps_with_a_role_are_on_the_hotseat),
        cmocka_unit_test(layouts_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
