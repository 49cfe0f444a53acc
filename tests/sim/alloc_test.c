// Every allocation of an operation fails once: each failure says so and leaves the machine as it was.
#include "op_rows.h"

#include "vectors.h"

#include "tree/alloc.h"

static const op_step operations[] = {
    { .op = "airplane", .args = "{\"v\":true}" },
    { .op = "nearbyWifi",
        .args = "{\"v\":[{\"ssid\":\"HomeAP\",\"security\":\"WPA2\",\"signalLevel\":1},"
                "{\"ssid\":\"New\",\"security\":\"WPA2\"}]}" },
    { .op = "connectWifi", .args = "{\"v\":\"IoT-2.4G\"}" },
    { .op = "connectBluetooth", .args = "{\"v\":\"02:00:00:00:01:02\"}" },
    { .op = "dnd", .args = "{\"v\":true}" },
    { .op = "batteryPercent", .args = "{\"v\":3}" },
    { .op = "qsSet", .args = "{\"v\":{\"wifiEnabled\":false,\"darkModeEnabled\":true}}" },
    { .op = "qsReset" },
    { .op = "setPref", .args = "{\"key\":\"brightness\",\"v\":5}" },
    { .op = "setPref", .args = "{\"key\":\" slot1_phone_number \",\"v\":\"5\"}" },
    { .op = "getPref", .args = "{\"key\":\"latest_area_info\"}" },
    { .op = "@inject",
        .args = "{\"os\":{\"settings\":{\"global\":{\"airplaneModeEnabled\":true},\"system\":{\"brightness\":"
                "1,\"x\":2}},"
                "\"hardware\":{\"battery\":{\"percent\":1,\"y\":3},\"wifi\":{\"level\":1}},\"build\":{"
                "\"model\":\"m\"},"
                "\"permissions\":{\"map\":{\"android.permission.CAMERA\":\"denied\"}},"
                "\"preferences\":{\"wifi_ip_address\":\"1\"},\"providers\":{\"media\":{\"favorites\":[\"/"
                "a\"]}}}}" },
    { .op = "revokeAll", .args = "{\"app\":\"map\"}" },
    { .op = "request", .args = "{\"app\":\"sms\",\"perms\":[\"android.permission.CAMERA\"],\"as\":\"r\"}" },
    { .op = "dialog",
        .args = "{\"answer\":\"custom\",\"results\":{\"android.permission.CAMERA\":\"granted\"}}" },
    { .op = "insert",
        .args = "{\"uri\":\"content://contacts/contacts\",\"values\":{\"displayName\":\"A\",\"phone\":\"1\","
                "\"emails\":[{\"email\":\"e\"}]}}" },
    { .op = "update",
        .args =
            "{\"uri\":\"content://contacts/contacts/c_1\",\"values\":{\"displayName\":7,\"phones\":[]}}" },
    { .op = "query",
        .args = "{\"uri\":\"content://contacts/contacts/search?q=%41\",\"projection\":[\"id\"]}" },
    { .op = "sms", .args = "{\"v\":{\"from\":\"1\",\"body\":\"hi\"}}" },
    { .op = "insert",
        .args = "{\"uri\":\"content://sms/messages?conversationId=conv_1\",\"values\":{\"content\":\"x\"}}" },
    { .op = "update", .args = "{\"uri\":\"content://sms/messages/msg_1\",\"values\":{\"content\":\"y\"}}" },
    { .op = "delete", .args = "{\"uri\":\"content://sms/conversations/conv_1\"}" },
    { .op = "smsCode", .args = "{\"v\":{\"from\":\"Shop\"}}" },
    { .op = "insert", .args = "{\"uri\":\"content://media/images\",\"values\":{}}" },
    { .op = "update", .args = "{\"uri\":\"content://media/images/media_1\",\"values\":{\"favorite\":true}}" },
    { .op = "query", .args = "{\"uri\":\"content://media/images/albums\"}" },
    { .op = "observe", .args = "{\"uri\":\"content://media\",\"as\":\"o\"}" },
    { .op = "delete", .args = "{\"uri\":\"content://media/images/media_1\"}" },
    { .op = "clipWrite", .args = "{\"v\":{\"type\":\"text\",\"content\":5}}" },
    { .op = "push", .args = "{\"v\":{\"title\":\"t\",\"appId\":\"sms\",\"body\":\" b \"}}" },
    { .op = "markRead", .args = "{\"id\":\"n_1\"}" },
    { .op = "clearAll" },
    { .op = "kbShow" },
    { .op = "shadeOpen", .args = "{\"kind\":\"control\"}" },
    { .op = "alarmFor",
        .args = "{\"owner\":\"o\",\"v\":[{\"id\":\"1\",\"ownerPackage\":\"o\",\"triggerAtMs\":1}]}" },
    { .op = "alarmAll" },
    { .op = "mediaSet", .args = "{\"v\":null}" },
    { .op = "setSim", .args = "{\"v\":\"2026-02-01\"}" },
    { .op = "fmt" },
    { .op = "locSet", .args = "{\"v\":\"paris\"}" },
    { .op = "locErr", .args = "{\"code\":1}" },
    { .op = "piActivity", .args = "{\"v\":{\"action\":\"ACTION_DIAL\"}}" },
    { .op = "install", .args = "{\"v\":{\"id\":\"new\",\"packageName\":\"n\"}}" },
    { .op = "queryIntents", .args = "{\"v\":{\"action\":\"ACTION_DIAL\"}}" },
    { .op = "uninstall", .args = "{\"v\":\"new\"}" },
    { .op = "receiver", .args = "{\"action\":\"a\",\"as\":\"r\"}" },
    { .op = "sendOrdered", .args = "{\"v\":{\"action\":\"a\",\"extras\":{}}}" },
    { .op = "fsWrite", .args = "{\"path\":\"/sdcard/q/w.txt\",\"content\":\"c\"}" },
    { .op = "fsMove", .args = "{\"from\":\"/sdcard/q\",\"to\":\"/sdcard/e\"}" },
    { .op = "fsCopy", .args = "{\"from\":\"/sdcard/e/w.txt\",\"to\":\"/sdcard/r\"}" },
    { .op = "fsDelete", .args = "{\"path\":\"/sdcard/e\"}" },
    { .op = "launcherGet" },
    { .op = "@advance", .args = "{\"ms\":70000}" },
    { .op = "@state", .args = "{\"path\":\"os.launcher\"}" },
    { .op = "@reload" },
};

/// On the same phone one after the other, so that later ones find what earlier ones made.
static void each_failure_leaves_the_machine_alone(void **state)
{
    (void)state;
    enum { CALLS_MAX = 20000 };
    wd_device *device = op_phone();
    for (size_t i = 0; i < WD_COUNT_OF(operations); i++) {
        wd_status status = WD_ENOMEM;
        wd_value *args = operations[i].args != NULL ? json_of(operations[i].args) : NULL;
        for (long calls = 0; status != WD_OK; calls++) {
            wd_value *answer = NULL;
            wd_error error = { 0 };
            wd_digest before = wd_device_digest(device);
            assert_in_range(calls, 0, CALLS_MAX);
            wd_alloc_fail_after(calls);
            status = op_do_value(device, operations[i].op, args, &answer, &error);
            wd_alloc_fail_after(-1);
            if (status != WD_OK && status != WD_ENOMEM) {
                fail_msg("%s: %s: %s", operations[i].op, wd_status_name(status), error.text);
            }
            if (status != WD_OK && !wd_digest_equal(before, wd_device_digest(device))) {
                fail_msg("%s: the machine has changed", operations[i].op);
            }
            wd_value_unref(&answer);
            wd_value *events = wd_device_take_events(device);
            wd_value_unref(&events);
        }
        wd_value_unref(&args);
    }
    wd_device_destroy(&device);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(each_failure_leaves_the_machine_alone) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
