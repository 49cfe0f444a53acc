#include "walk.h"

#include "vectors.h"

#include <inttypes.h>

uint64_t walk_random(random_walk *walk, uint64_t bound)
{
    uint64_t mixed = walk->state += UINT64_C(0x9E3779B97F4A7C15);
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (mixed ^ (mixed >> 31)) % bound;
}

const wd_value *part_of(const wd_value *machine, const char *path)
{
    // Not wd_value_get_path(): the walk asks some forty times a step, and these paths need no parsing.
    while (*path != '\0' && machine != NULL) {
        size_t length = strcspn(path, ".");
        machine = wd_object_get_n(machine, path, length);
        path += length + (path[length] == '.');
    }
    return machine;
}

wd_device *walk_device(void)
{
    wd_value *fixture = vectors_load("tests/vectors/fixture-apps.json");
    wd_value *overlays =
        json_of("{\"wechat\":{\"user\":{\"id\":\"u1\"},\"chats\":[{\"id\":1,\"text\":\"hi\"}],\"_temp\":{}},"
                "\"notes\":{\"notes\":[],\"settings\":{\"font\":12}},\"settings\":{}}");
    wd_device_options options = wd_device_options_default();
    options.packages = wd_object_get(fixture, "apps");
    options.app_defaults = overlays;
    options.seed = 7;
    wd_device *device = NULL;
    wd_error error;
    if (wd_device_new(&options, &device, &error) != WD_OK) {
        fail_msg("boot: %s", error.text);
    }
    wd_value_unref(&overlays);
    wd_value_unref(&fixture);
    return device;
}

random_walk walk_start(uint64_t seed, wd_device *device)
{
    return (random_walk){ .state = seed, .device = device, .last = "start" };
}

void walk_done(random_walk *walk)
{
    wd_value_unref(&walk->snapshot);
}

// ---- arguments --------------------------------------------------------------------------------------------

static const char *const apps[] = { "wechat", "alipay", "settings", "sms", "notes", "gallery", "map",
    "contacts", "railway12306", "redbook", "x", "calculator", "file_manager", "ghost_app" };
static const char *const routes[] = { "/", "/a", "/b?x=1", "c", "/chat/1", "" };
static const char *const intents[] = {
    "{\"action\":\"ACTION_PAY\",\"scheme\":\"alipays\"}",
    "{\"action\":\"ACTION_SEND\",\"type\":\"text/plain\",\"data\":{\"text\":\"hi\"}}",
    "{\"action\":\"ACTION_SEND\",\"type\":\"image/png\"}",
    "{\"action\":\"ACTION_VIEW\",\"scheme\":\"geo\",\"route\":\"/search?q=1\"}",
    "{\"action\":\"ACTION_VIEW\",\"scheme\":\"file\",\"type\":\"inode/directory\"}",
    "{\"action\":\"ACTION_PICK\",\"type\":\"vnd.android.cursor.dir/contact\"}",
    "{\"action\":\"ACTION_NOTHING\"}",
    "{\"action\":\"ACTION_NOTHING\",\"route\":\"/r\"}",
};
static const char *const permissions[] = { "android.permission.CAMERA", "android.permission.READ_CONTACTS",
    "android.permission.SEND_SMS", "android.permission.FLY" };
static const char *const ssids[] = { "HomeAP", "Office-5G", "Elsewhere", " " };
static const char *const macs[] = { "02:00:00:00:01:01", "02:00:00:00:01:04", "02:00:00:00:09:09" };
static const char *const preference_keys[] = { "wifi_enabled", "airplane_mode", "brightness", "volume_media",
    "battery_level", "silent", "do_not_disturb", "my_own", "language" };
static const char *const quick_keys[] = { "wifiEnabled", "airplaneModeEnabled", "flashlightEnabled",
    "doNotDisturbEnabled", "batterySaverEnabled", "nonsense" };
static const char *const answers[] = { "allow", "deny", "denyForever", "none" };
static const char *const kinds[] = { "notifications", "control", "else" };
static const char *const modes[] = { "push", "replace", "sideways" };

#define PICK(walk, list) list[walk_random(walk, WD_COUNT_OF(list))]

static wd_value *text_value(const char *text)
{
    wd_value *value = NULL;
    assert_int_equal(wd_value_text(text, &value), WD_OK);
    return value;
}

static wd_value *int_value(int64_t number)
{
    wd_value *value = NULL;
    assert_int_equal(wd_value_int(number, &value), WD_OK);
    return value;
}

static wd_value *numbered(random_walk *walk, const char *prefix, uint64_t bound)
{
    wd_value *value = NULL;
    uint64_t number = walk_random(walk, 20) == 0 ? 901 : 1 + walk_random(walk, bound);
    assert_int_equal(wd_value_format(&value, "%s_%" PRIu64, prefix, number), WD_OK);
    return value;
}

/// Anything but what is wanted, mostly.
static wd_value *wrong_value(random_walk *walk)
{
    static const char *const texts[] = { "null", "true", "3", "2.5", "\"text\"", "[]", "{}",
        "{\"$number\":\"NaN\"}" };
    return json_of(PICK(walk, texts));
}

static wd_value *permission_list(random_walk *walk)
{
    wd_value *list = wd_value_array();
    for (uint64_t i = 0; i < 1 + walk_random(walk, 3); i++) {
        wd_value *item = text_value(PICK(walk, permissions));
        assert_int_equal(wd_array_append(&list, &item), WD_OK);
    }
    return list;
}

/// One argument of a kind: the letters of the table below.
static wd_value *argument(random_walk *walk, char kind)
{
    if (walk_random(walk, 25) == 0) {
        return wrong_value(walk);
    }
    switch (kind) {
    case 'A':
        return text_value(PICK(walk, apps));
    case 'T':
        return numbered(walk, "task", 8);
    case 'C':
        return numbered(walk, "act", 24);
    case 'R':
        return text_value(PICK(walk, routes));
    case 'I':
        return json_of(PICK(walk, intents));
    case 'B':
        return wd_value_bool(walk_random(walk, 2) == 0);
    case 'N':
        return int_value((int64_t)walk_random(walk, 200) - 50);
    case 'P':
        return text_value(PICK(walk, permissions));
    case 'L':
        return permission_list(walk);
    case 'S':
        return text_value(PICK(walk, ssids));
    case 'M':
        return text_value(PICK(walk, macs));
    case 'K':
        return text_value(PICK(walk, preference_keys));
    case 'Q':
        return text_value(PICK(walk, quick_keys));
    case 'W':
        return text_value(PICK(walk, answers));
    case 'H':
        return text_value(PICK(walk, kinds));
    case 'O':
        return text_value(PICK(walk, modes));
    case 'X':
        return json_of(walk_random(walk, 2) == 0 ? "{\"resultCode\":\"OK\",\"data\":{\"x\":1}}"
                                                 : "{\"resultCode\":\"FAILED\"}");
    case 'G':
        return text_value("cb");
    case 'V':
        return json_of("{\"activityId\":\"act_77\",\"appId\":\"gallery\",\"initialRoute\":\"/p\"}");
    default:
        fail_msg("no argument of kind %c", kind);
        return NULL;
    }
}

// ---- operations -------------------------------------------------------------------------------------------

// Arguments are "name:KIND"; with '?' before the kind each is left out every other time. The weight is how
// often a row is drawn beside the others.
static const struct row {
    const char *op;
    const char *args[4];
    unsigned weight;
} rows[] = {
    { "os.launchApp", { "app:A" }, 8 },
    { "os.openApp", { "app:A", "route:?R" }, 4 },
    { "os.handleBack", { NULL }, 10 },
    { "os.goHome", { NULL }, 3 },
    { "os.showRecents", { NULL }, 3 },
    { "os.launchTaskById", { "task:T" }, 3 },
    { "os.closeTask", { "task:T" }, 3 },
    { "os.closeApp", { "app:A" }, 3 },
    { "os.clearRecents", { NULL }, 1 },
    { "os.finishActivity", { "result:?X" }, 3 },
    { "os.setResult", { "result:X" }, 3 },
    { "os.startActivity", { "intent:I", "target:?A", "newTask:?B" }, 6 },
    { "os.startActivityForResult", { "intent:I", "target:?A", "cb:?G" }, 6 },
    { "os.chooseIntentActivity", { "app:A" }, 4 },
    { "os.cancelIntentChooser", { NULL }, 1 },
    { "os.getIntentPayload", { "arg:?C" }, 1 },
    { "os.getAppRoute", { "app:?A" }, 1 },
    { "app.navigate", { "activity:C", "path:R", "mode:O" }, 8 },
    { "tm.launchApp", { "app:A" }, 2 },
    { "tm.activateTask", { "task:T" }, 2 },
    { "tm.goHome", { NULL }, 1 },
    { "tm.showRecents", { NULL }, 1 },
    { "tm.closeTask", { "task:T" }, 2 },
    { "tm.pushActivity", { "task:T", "activity:V" }, 1 },
    { "tm.popActivity", { "task:T" }, 2 },
    { "tm.markExternalRoute", { "app:A" }, 1 },
    { "tm.setActivityIntent", { "task:T", "activity:C", "intent:I" }, 1 },
    { "tm.consumeLaunchedBy", { "task:T" }, 1 },
    { "wifi", { "v:B" }, 2 },
    { "mobileData", { "v:B" }, 2 },
    { "bluetooth", { "v:B" }, 2 },
    { "airplane", { "v:B" }, 2 },
    { "hotspot", { "v:B" }, 1 },
    { "silent", { "v:B" }, 1 },
    { "dnd", { "v:B" }, 2 },
    { "mediaVolume", { "v:N" }, 2 },
    { "brightness", { "v:N" }, 2 },
    { "fontSize", { "v:N" }, 1 },
    { "batteryPercent", { "v:N" }, 2 },
    { "charging", { "v:B", "fast:?B" }, 1 },
    { "connectWifi", { "v:S" }, 1 },
    { "disconnectWifi", { NULL }, 1 },
    { "connectBluetooth", { "v:M" }, 1 },
    { "disconnectBluetooth", { "v:M" }, 1 },
    { "setPref", { "key:K", "v:B" }, 2 },
    { "setPref", { "key:K", "v:N" }, 2 },
    { "qsToggle", { "key:Q" }, 2 },
    { "qsReset", { NULL }, 1 },
    { "grant", { "app:A", "perm:P" }, 1 },
    { "revoke", { "app:A", "perm:P" }, 1 },
    { "request", { "app:A", "perms:L", "as:G" }, 2 },
    { "dialog", { "answer:W" }, 2 },
    { "shade.open", { "kind:H" }, 2 },
    { "keyboard.show", { NULL }, 2 },
    { "no.such.operation", { NULL }, 1 },
};

static wd_status random_operation(random_walk *walk)
{
    unsigned total = 0;
    for (size_t i = 0; i < WD_COUNT_OF(rows); i++) {
        total += rows[i].weight;
    }
    uint64_t drawn = walk_random(walk, total);
    size_t at = 0;
    while (drawn >= rows[at].weight) {
        drawn -= rows[at++].weight;
    }
    wd_value *args = wd_value_object();
    for (size_t i = 0; i < 4 && rows[at].args[i] != NULL; i++) {
        const char *colon = strchr(rows[at].args[i], ':');
        if (colon[1] == '?' && walk_random(walk, 2) == 0) {
            continue;
        }
        wd_value *arg = argument(walk, colon[1] == '?' ? colon[2] : colon[1]);
        size_t length = (size_t)(colon - rows[at].args[i]);
        assert_int_equal(wd_object_set_n(&args, rows[at].args[i], length, &arg), WD_OK);
    }
    walk->last = rows[at].op;
    wd_value *answer = NULL;
    wd_status status = wd_device_call(walk->device, rows[at].op, args, &answer, &walk->error);
    wd_value_unref(&answer);
    wd_value_unref(&args);
    return status;
}

/// Calls of services and providers, written out: their arguments have more shape than the letters above can
/// give.
static const struct literal {
    const char *op, *args;
} literals[] = {
    { "clipText", "{\"v\":\"copied\"}" },
    { "clipText", "{\"v\":\"other\",\"source\":\"notes\"}" },
    { "clipClear", "{}" },
    { "push", "{\"v\":{\"appId\":\"sms\",\"title\":\"t\",\"body\":\"b\",\"route\":\"/conversation/1\"}}" },
    { "push", "{\"v\":{\"title\":7}}" },
    { "clearForApp", "{\"app\":\"sms\"}" },
    { "clearAll", "{}" },
    { "notification.tap", "{\"title\":\"t\"}" },
    { "alarmSet", "{\"v\":{\"id\":\"w\",\"ownerPackage\":\"p\",\"hour\":7,\"minute\":1,\"triggerAtMs\":"
                  "1767600000000}}" },
    { "alarmCancel", "{\"owner\":\"p\",\"id\":\"w\"}" },
    { "mediaSet", "{\"v\":null}" },
    { "mediaSet", "{\"v\":{\"title\":\"song\",\"artist\":\"a\",\"durationMs\":1,\"positionMs\":0,"
                  "\"isPlaying\":true}}" },
    { "locSet", "{\"v\":\"tokyo\"}" },
    { "locErr", "{\"code\":2}" },
    { "locClear", "{}" },
    { "insert",
        "{\"uri\":\"content://contacts/contacts\",\"values\":{\"displayName\":\"Ann\",\"phone\":\"123\"}}" },
    { "insert", "{\"uri\":\"content://contacts/contacts\",\"values\":{\"id\":\"k\",\"name\":\"Bo\"}}" },
    { "delete", "{\"uri\":\"content://contacts/contacts/k\"}" },
    { "insert", "{\"uri\":\"content://sms/conversations\",\"values\":{\"sender\":\"Cy\"}}" },
    { "insert", "{\"uri\":\"content://sms/conversations\",\"values\":{}}" },
    { "insert", "{\"uri\":\"content://nowhere/x\",\"values\":{}}" },
    { "query", "{\"uri\":\"content://contacts/contacts?phone=123\"}" },
    { "query", "{\"uri\":\"content://contacts/contacts/search?q=an\"}" },
    { "query", "{\"uri\":\"content://sms/conversations?sender=Cy\"}" },
    { "query", "{\"uri\":\"content://media/images\"}" },
    { "update", "{\"uri\":\"content://contacts/contacts/k\",\"values\":{\"phones\":[{\"number\":\"5\"}]}}" },
    { "insert", "{\"uri\":\"content://sms/messages?conversationId=c2\",\"values\":{\"content\":\"x\"}}" },
    { "insert", "{\"uri\":\"content://media/images\",\"values\":{}}" },
    { "connectWifi", "{\"v\":\"HomeAP\"}" },
    { "nearbyWifi", "{\"v\":[{\"ssid\":\"HomeAP\",\"signalLevel\":\"2\"},null]}" },
    { "getPref", "{\"key\":\"slot0_phone_number\"}" },
    { "setPref", "{\"key\":\"phone_number\",\"v\":\"123\"}" },
    { "sms", "{\"v\":{\"from\":\"123\",\"body\":\"hello\"}}" },
    { "smsCode", "{\"v\":{\"from\":\"bank\"}}" },
    { "observe", "{\"uri\":\"content://sms\",\"as\":\"o\"}" },
    { "receiver", "{\"action\":\"android.intent.action.TIME_SET\",\"as\":\"r\"}" },
    { "install", "{\"v\":{\"id\":\"fresh\",\"packageName\":\"p.fresh\",\"intentFilters\":[]}}" },
    { "uninstall", "{\"v\":\"fresh\"}" },
    { "setSim", "{\"v\":1767530000000}" },
    { "setSim", "{\"v\":\"2026-01-05 08:00\"}" },
    { "store.debounced", "{\"key\":\"k\",\"text\":\"1\"}" },
    { "store.flush", "{}" },
};

static wd_status literal_operation(random_walk *walk)
{
    const struct literal *literal = &PICK(walk, literals);
    wd_value *args = json_of(literal->args);
    walk->last = literal->op;
    wd_status status = wd_device_call(walk->device, literal->op, args, NULL, &walk->error);
    wd_value_unref(&args);
    return status;
}

// ---- the other entry points -------------------------------------------------------------------------------

// What nothing forbids, as no manager watches over it, and what everything has to live with.
static const char *const odd_patches[] = {
    "{\"os\":{\"providers\":{\"contacts\":{\"contacts\":null}}}}",
    "{\"os\":{\"providers\":{\"contacts\":{\"contacts\":[null,{\"id\":5},{\"id\":\"k\",\"phones\":7}]}}}"
    "}",
    "{\"os\":{\"providers\":{\"contacts\":{\"contacts\":[{\"id\":\"q\",\"phones\":[{\"number\":[]}]}]}}}"
    "}",
    "{\"os\":{\"providers\":{\"sms\":{\"conversations\":5}}}}",
    "{\"os\":{\"providers\":{\"sms\":{\"conversations\":[7,{\"sender\":3}]}}}}",
    "{\"os\":{\"providers\":{\"sms\":{\"messagesByConversationId\":[]}}}}",
    "{\"os\":{\"providers\":{\"sms\":{\"messagesByConversationId\":{\"c1\":null,\"c2\":[1]}}}}}",
    "{\"os\":{\"providers\":{\"media\":{\"favorites\":\"x\"}}}}",
    "{\"os\":{\"hardware\":{\"nearbyWifi\":[null,5,{\"ssid\":[]}],\"nearbyBluetooth\":[{}]}}}",
    "{\"os\":{\"telephony\":{\"sims\":[null,{\"slot\":\"x\"}]}}}",
    "{\"os\":{\"build\":{\"marketName\":7,\"odd\":[1]}}}",
};

static wd_status random_inject(random_walk *walk)
{
    static const char *const patches[] = {
        "{\"os\":{\"settings\":{\"global\":{\"airplaneModeEnabled\":true,\"wifiEnabled\":true}}}}",
        "{\"os\":{\"settings\":{\"global\":{\"airplaneModeEnabled\":false,\"bluetoothEnabled\":true}}}}",
        "{\"os\":{\"hardware\":{\"battery\":{\"percent\":300},\"wifi\":{\"level\":9}}}}",
        "{\"os\":{\"hardware\":{\"cellular\":{\"signalLevel\":3}}}}",
        "{\"os\":{\"hardware\":{\"battery\":{\"percent\":\"x\"}}}}",
        "{\"os\":{\"settings\":{\"system\":{\"brightness\":-4,\"mediaVolume\":180}}}}",
        "{\"os\":{\"preferences\":{\"my_own\":{\"deep\":[1]},\"brightness\":33}}}",
        "{\"os\":{\"permissions\":{\"wechat\":{\"android.permission.CAMERA\":\"denied\"}}}}",
        "{\"os\":{\"permissions\":{\"ghost_app\":{\"android.permission.CAMERA\":\"denied\"}}}}",
        "{\"os\":5}",
        "{\"apps\":{\"wechat\":{\"chats[id=1]\":{\"text\":\"new\"},\"_temp\":{\"open\":true}}}}",
        "{\"apps\":{\"notes\":{\"notes[]\":{\"id\":2,\"body\":\"b\"}}}}",
        "{\"apps\":{\"notes\":[1]}}",
        "{\"apps\":{\"calculator\":{\"q\":1}}}",
        "{\"apps\":{\"ghost_app\":{\"q\":1}}}",
        "{\"os\":{\"settings\":{\"global\":{\"wifiEnabled\":false}}},\"apps\":{\"notes\":7}}",
        "{}",
    };
    walk->last = "inject";
    bool odd = !walk->tidy && walk_random(walk, 3) == 0;
    wd_value *patch = json_of(odd ? PICK(walk, odd_patches) : PICK(walk, patches));
    bool deep = walk_random(walk, 4) != 0;
    wd_status status = wd_device_inject(walk->device, patch, deep, walk_random(walk, 20) == 0, &walk->error);
    wd_value_unref(&patch);
    return status;
}

static wd_status random_overlay(random_walk *walk)
{
    walk->last = "set_overlay";
    wd_value *overlay = NULL;
    assert_int_equal(wd_value_pack(&overlay, "{s:i,s:{s:i}}", "n", (int64_t)walk_random(walk, 5), "_temp",
                         "drag", (int64_t)walk_random(walk, 9)),
        WD_OK);
    return wd_device_set_overlay(walk->device, PICK(walk, apps), &overlay, &walk->error);
}

static wd_status random_time(random_walk *walk)
{
    walk->last = "advance";
    static const int64_t spans[] = { 0, 1, 299, 300, 1000, 59000, 61000, -1 };
    return wd_device_advance(walk->device, PICK(walk, spans));
}

static wd_status random_ui(random_walk *walk)
{
    walk->last = "set_ui";
    wd_value *ui = NULL;
    assert_int_equal(
        wd_value_pack(&ui, "{s:{s:i}}", "scroll", "list", (int64_t)walk_random(walk, 500)), WD_OK);
    return wd_device_set_ui(walk->device, &ui);
}

static wd_status capture_or_restore(random_walk *walk)
{
    if (walk->snapshot == NULL || walk_random(walk, 2) == 0) {
        walk->last = "capture";
        wd_value_unref(&walk->snapshot);
        walk->snapshot = wd_device_capture(walk->device);
        return WD_OK;
    }
    walk->last = "restore";
    wd_digest wanted = wd_value_digest(walk->snapshot);
    wd_status status = wd_device_restore(walk->device, walk->snapshot, &walk->error);
    assert_int_equal(status, WD_OK);
    assert_true(wd_digest_equal(wd_device_digest(walk->device), wanted));  // D2: exactly that machine
    return status;
}

wd_status walk_step(random_walk *walk)
{
    walk->error.text[0] = '\0';
    uint64_t drawn = walk_random(walk, 1000);
    if (drawn < 700) {
        return random_operation(walk);
    }
    if (drawn < 850) {
        return literal_operation(walk);
    }
    if (drawn < 900) {
        return random_inject(walk);
    }
    if (drawn < 920) {
        return random_overlay(walk);
    }
    if (drawn < 970) {
        return random_time(walk);
    }
    if (drawn < 980) {
        return random_ui(walk);
    }
    if (drawn < 990) {
        return capture_or_restore(walk);
    }
    if (drawn < 995) {
        walk->last = "reload";
        return wd_device_reload(walk->device);
    }
    if (drawn < 998) {
        (void)wd_device_random(walk->device);
        walk->last = "random";
        return WD_OK;
    }
    walk->last = "reset";
    return wd_device_reset(walk->device, drawn == 999);
}

// ---- invariants -------------------------------------------------------------------------------------------

#define HOLDS(walk, condition) holds(walk, condition, #condition)

static void holds(const random_walk *walk, bool condition, const char *text)
{
    if (!condition) {
        fail_msg("after %s: %s does not hold", walk->last, text);
    }
}

static const wd_value *task_named(const wd_value *tasks, const wd_value *id)
{
    for (size_t i = 0; i < wd_array_count(tasks); i++) {
        const wd_value *task = wd_array_at(tasks, i);
        if (wd_value_equal(wd_object_get(task, "taskId"), id)) {
            return task;
        }
    }
    return NULL;
}

static bool flag_of(const wd_value *machine, const char *path)
{
    return wd_value_bool_or(part_of(machine, path), false);
}

static int64_t number_of(const wd_value *machine, const char *path)
{
    const wd_value *number = part_of(machine, path);
    if (!wd_value_is(number, WD_KIND_INT)) {
        fail_msg("%s is no whole number", path);
    }
    return wd_value_as_int(number);
}

static void check_history(const random_walk *walk, const wd_value *machine, const wd_value *activity)
{
    const char *id = wd_value_string_or(wd_object_get(activity, "activityId"), "");
    const wd_value *history = wd_object_get(part_of(machine, "sys.histories"), id);
    const wd_value *list = wd_object_get(history, "history");
    HOLDS(walk, wd_array_count(list) > 0);  // every live activity has a history
    int64_t index = wd_value_int_or(wd_object_get(history, "index"), -1);
    HOLDS(walk, index >= 0 && (size_t)index < wd_array_count(list));
    for (size_t i = 0; i < wd_array_count(list); i++) {
        HOLDS(walk, wd_value_string_or(wd_array_at(list, i), "")[0] == '/');
    }
}

static void check_tasks(const random_walk *walk, const wd_value *machine)
{
    const wd_value *tasks = part_of(machine, "os.tasks");
    const wd_value *active = part_of(machine, "os.activeTaskId");
    bool has_active = wd_value_is(active, WD_KIND_STRING);
    bool launcher = flag_of(machine, "os.isLauncherVisible");
    bool recents = flag_of(machine, "os.isRecentsVisible");
    HOLDS(walk, !has_active || task_named(tasks, active) != NULL);  // the active task exists
    HOLDS(walk, !(launcher && recents));
    HOLDS(walk, !(launcher && has_active));
    HOLDS(walk, has_active || launcher || recents);
    size_t activities = 0;
    size_t requests = 0;
    for (size_t i = 0; i < wd_array_count(tasks); i++) {
        const wd_value *stack = wd_object_get(wd_array_at(tasks, i), "stack");
        HOLDS(walk, wd_array_count(stack) > 0);  // no empty stack
        activities += wd_array_count(stack);
        for (size_t k = 0; k < wd_array_count(stack); k++) {
            check_history(walk, machine, wd_array_at(stack, k));
            requests += wd_object_get(wd_array_at(stack, k), "requestCode") != NULL;
        }
    }
    HOLDS(walk, wd_object_count(part_of(machine, "sys.histories")) <= activities);  // and no dead one has
    HOLDS(walk, wd_object_count(part_of(machine, "sys.pending")) <= requests);
}

static void check_radios(const random_walk *walk, const wd_value *machine)
{
    bool wifi = flag_of(machine, "os.settings.global.wifiEnabled");
    bool data = flag_of(machine, "os.settings.global.mobileDataEnabled");
    bool airplane = flag_of(machine, "os.settings.global.airplaneModeEnabled");
    int64_t wifi_level = number_of(machine, "os.hardware.wifi.level");
    HOLDS(walk, !airplane || (!wifi && !data && !flag_of(machine, "os.settings.global.bluetoothEnabled")));
    HOLDS(walk, !airplane || number_of(machine, "os.hardware.cellular.signalLevel") == 0);
    HOLDS(
        walk, !airplane || wd_value_is_text(part_of(machine, "os.hardware.cellular.mobileDataType"), "none"));
    HOLDS(walk, wifi || wifi_level == 0);  // D16
}

static void check_clamps(const random_walk *walk, const wd_value *machine)
{
    static const char *const percentages[] = { "os.hardware.battery.percent", "os.settings.system.brightness",
        "os.settings.system.mediaVolume", "os.settings.system.fontSizePct",
        "os.settings.system.displaySizePct", "os.settings.system.eyeComfortLevel" };
    for (size_t i = 0; i < WD_COUNT_OF(percentages); i++) {
        int64_t percent = number_of(machine, percentages[i]);
        if (percent < 0 || percent > 100) {
            fail_msg("after %s: %s is %" PRId64, walk->last, percentages[i], percent);
        }
    }
    HOLDS(walk, !flag_of(machine, "os.settings.global.doNotDisturbEnabled") ||
                    flag_of(machine, "os.settings.global.silentMode"));
    const wd_value *brightness = part_of(machine, "os.preferences.brightness");
    HOLDS(walk, brightness == NULL ||
                    wd_value_equal(brightness, part_of(machine, "os.settings.system.brightness")));  // D13
}

void walk_check_invariants(const random_walk *walk)
{
    const wd_value *machine = wd_device_machine(walk->device);
    check_tasks(walk, machine);
    check_radios(walk, machine);
    check_clamps(walk, machine);
}
