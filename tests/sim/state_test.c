/// state_test.c - the visible state: its members and their order, what stays the same node, its schema.
#include "vectors.h"
#include "walk.h"

#include "sim/device.h"

// ---- members ----------------------------------------------------------------------------------------------

static const char *const members_in_order[] = { "tasks", "activeTaskId", "isLauncherVisible",
    "isRecentsVisible", "runningApps", "activeAppId", "locale", "time", "location", "installedApps",
    "clipboard", "notifications", "shade", "launcher", "settings", "hardware", "permissions", "preferences",
    "build", "telephony", "services", "providers", "fileSystem" };

static wd_value *state_of(wd_device *device)
{
    wd_value *state = NULL;
    assert_int_equal(wd_device_state(device, &state), WD_OK);
    return state;
}

static void call(wd_device *device, const char *op, const char *args)
{
    wd_value *object = json_of(args);
    wd_error error = { .text = "" };
    if (wd_device_call(device, op, object, NULL, &error) != WD_OK) {
        fail_msg("%s: %s", op, error.text);
    }
    wd_value_unref(&object);
}

static void members_stand_in_the_documented_order(void **unused)
{
    (void)unused;
    wd_device *device = walk_device();
    wd_value *state = state_of(device);
    wd_iter iter = wd_iter_start(wd_object_get(state, "os"));
    size_t at = 0;
    while (wd_iter_next(&iter)) {
        assert_in_range(at, 0, WD_COUNT_OF(members_in_order) - 1);
        assert_string_equal(iter.key, members_in_order[at++]);
    }
    assert_int_equal(at, WD_COUNT_OF(members_in_order));
    wd_value_unref(&state);
    wd_device_destroy(&device);
}

static const wd_value *os_member(const wd_value *state, const char *name)
{
    return wd_object_get(wd_object_get(state, "os"), name);
}

static void unchanged_parts_stay_the_same_nodes(void **unused)
{
    (void)unused;
    wd_device *device = walk_device();
    wd_value *before = state_of(device);
    call(device, "wifi", "{\"v\":false}");
    wd_device *fork = NULL;
    assert_int_equal(wd_device_fork(device, &fork), WD_OK);
    wd_value *after = state_of(device);
    wd_value *forked = state_of(fork);
    for (size_t i = 0; i < WD_COUNT_OF(members_in_order); i++) {
        const char *name = members_in_order[i];
        bool changed = strcmp(name, "settings") == 0 || strcmp(name, "hardware") == 0;
        assert_int_equal(wd_value_same(os_member(before, name), os_member(after, name)), !changed);
        // The fork saw the state before; only what changed since is its own.
        assert_int_equal(wd_value_same(os_member(before, name), os_member(forked, name)), !changed);
    }
    assert_true(wd_value_same(wd_object_get(before, "apps"), wd_object_get(after, "apps")));
    wd_value *again = state_of(device);
    assert_true(wd_value_same(after, again));
    wd_value_unref(&again);
    wd_value_unref(&forked);
    wd_value_unref(&after);
    wd_value_unref(&before);
    wd_device_destroy(&fork);
    wd_device_destroy(&device);
}

static void equal_views_keep_the_old_node(void **unused)
{
    (void)unused;
    wd_device *device = walk_device();
    call(device, "os.launchApp", "{\"app\":\"wechat\"}");
    wd_value *before = state_of(device);
    call(device, "os.launchApp", "{\"app\":\"wechat\"}");  // a new stamp, the same running apps
    wd_value *after = state_of(device);
    assert_false(wd_value_same(os_member(before, "tasks"), os_member(after, "tasks")));
    assert_true(wd_value_same(os_member(before, "runningApps"), os_member(after, "runningApps")));
    wd_value_unref(&before);
    wd_value_unref(&after);
    wd_device_destroy(&device);
}

static void reading_changes_nothing(void **unused)  // D35
{
    (void)unused;
    wd_device *device = walk_device();
    call(device, "os.launchApp", "{\"app\":\"wechat\"}");
    wd_digest before = wd_device_digest(device);
    wd_value *state = state_of(device);
    assert_true(wd_digest_equal(before, wd_device_digest(device)));
    wd_value_unref(&state);
    wd_device_destroy(&device);
}

// ---- the shape of the reference ---------------------------------------------------------------------------

static const char *type_of(const wd_value *value)
{
    static const char *const names[] = { "null", "boolean", "number", "number", "string", "array", "object" };
    return names[wd_value_kind(value)];
}

static void check_shape(const wd_value *shape, const wd_value *value, const char *path)
{
    if (wd_value_is(shape, WD_KIND_STRING)) {
        const char *type = wd_value_as_string(shape, NULL);
        if (strcmp(type, "null") != 0 && strcmp(type, type_of(value)) != 0) {
            fail_msg("%s: %s wanted, %s found", path, type, type_of(value));
        }
        return;
    }
    const wd_value *elements = wd_object_get(shape, "[]");
    if (elements != NULL) {
        assert_true(wd_value_is(value, WD_KIND_ARRAY));
        return;  // elements are content; providers and lists of apps are checked by their own tests
    }
    wd_iter iter = wd_iter_start(shape);
    while (wd_iter_next(&iter)) {
        char below[256];
        snprintf(below, sizeof(below), "%s.%s", path, iter.key);
        // Maps keyed by ids of content have whatever members the content has.
        bool by_content = strchr(iter.key, '{') != NULL || strstr(path, "alarms") != NULL ||
                          strstr(path, "messagesByConversationId") != NULL;
        const wd_value *member = wd_object_get(value, iter.key);
        if (member == NULL && !by_content) {
            fail_msg("%s is missing", below);
        }
        if (member != NULL) {
            check_shape(iter.value, member, below);
        }
    }
}

static void every_key_of_the_reference_has_its_counterpart(void **unused)
{
    (void)unused;
    wd_value *file = vectors_load_shared("reference/snapshot-shape.json");
    if (file == NULL) {
        skip();
    }
    wd_device *device = walk_device();
    wd_value *state = state_of(device);
    check_shape(part_of(file, "shape.os"), wd_object_get(state, "os"), "os");
    wd_value_unref(&state);
    wd_value_unref(&file);
    wd_device_destroy(&device);
}

// ---- schema -----------------------------------------------------------------------------------------------

/// As much of JSON Schema as data/state_schema.json uses.
typedef struct schema_check {
    const wd_value *root;
    char where[512];
} schema_check;

static void check_schema(schema_check *check, const wd_value *schema, const wd_value *value);

static bool has_type(const wd_value *type, const wd_value *value)
{
    if (wd_value_is_text(type, "integer")) {
        return wd_value_is(value, WD_KIND_INT);
    }
    return wd_value_is_text(type, type_of(value));
}

static void check_scalar_rules(schema_check *check, const wd_value *schema, const wd_value *value)
{
    const wd_value *type = wd_object_get(schema, "type");
    bool fits = type == NULL || has_type(type, value);
    for (size_t i = 0; i < wd_array_count(type); i++) {
        fits |= has_type(wd_array_at(type, i), value);
    }
    const wd_value *list = wd_object_get(schema, "enum");
    bool listed = list == NULL;
    for (size_t i = 0; i < wd_array_count(list); i++) {
        listed |= wd_value_equal(wd_array_at(list, i), value);
    }
    const wd_value *low = wd_object_get(schema, "minimum");
    const wd_value *high = wd_object_get(schema, "maximum");
    if (!fits || !listed || (low != NULL && wd_number_compare(value, low) < 0) ||
        (high != NULL && wd_number_compare(value, high) > 0)) {
        char *text = text_of(value);
        fail_msg("%s: %s is not what the schema says", check->where, text);
    }
}

static void check_object_rules(schema_check *check, const wd_value *schema, const wd_value *value)
{
    const wd_value *properties = wd_object_get(schema, "properties");
    const wd_value *others = wd_object_get(schema, "additionalProperties");
    const wd_value *required = wd_object_get(schema, "required");
    size_t length = strlen(check->where);
    for (size_t i = 0; i < wd_array_count(required); i++) {
        const char *name = wd_value_string_or(wd_array_at(required, i), "");
        if (wd_object_get(value, name) == NULL) {
            fail_msg("%s.%s is required", check->where, name);
        }
    }
    wd_iter iter = wd_iter_start(value);
    while (wd_iter_next(&iter)) {
        const wd_value *rule = wd_object_get(properties, iter.key);
        rule = rule != NULL ? rule : others;
        snprintf(check->where + length, sizeof(check->where) - length, ".%s", iter.key);
        if (wd_value_is(rule, WD_KIND_BOOL) && !wd_value_as_bool(rule)) {
            fail_msg("%s is not in the schema", check->where);
        }
        if (wd_value_is(rule, WD_KIND_OBJECT)) {
            check_schema(check, rule, iter.value);
        }
        check->where[length] = '\0';
    }
}

static void check_schema(schema_check *check, const wd_value *schema, const wd_value *value)
{
    const char *ref = wd_value_string_or(wd_object_get(schema, "$ref"), NULL);
    if (ref != NULL) {
        const char *prefix = "#/$defs/";
        assert_int_equal(strncmp(ref, prefix, strlen(prefix)), 0);
        check_schema(check, wd_object_get(wd_object_get(check->root, "$defs"), ref + strlen(prefix)), value);
        return;
    }
    check_scalar_rules(check, schema, value);
    if (wd_value_is(value, WD_KIND_OBJECT)) {
        check_object_rules(check, schema, value);
    }
    const wd_value *items = wd_object_get(schema, "items");
    assert_true((int64_t)wd_array_count(value) >= wd_value_int_or(wd_object_get(schema, "minItems"), 0));
    for (size_t i = 0; items != NULL && i < wd_array_count(value); i++) {
        check_schema(check, items, wd_array_at(value, i));
    }
}

static void states_of_a_walk_are_as_the_schema_says(void **unused)
{
    (void)unused;
    enum { STEPS = 3000, LOOK_EVERY = 10 };
    wd_value *schema = NULL;
    assert_int_equal(wd_device_state_schema(&schema), WD_OK);
    wd_device *device = walk_device();
    random_walk walk = walk_start(11, device);
    walk.tidy = true;
    for (int i = 0; i < STEPS; i++) {
        (void)walk_step(&walk);
        if (i % LOOK_EVERY == 0) {
            wd_value *state = state_of(device);
            schema_check check = { .root = schema, .where = "state" };
            check_schema(&check, schema, state);
            wd_value_unref(&state);
        }
    }
    walk_done(&walk);
    wd_device_destroy(&device);
    wd_value_unref(&schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_stand_in_the_documented_order),
        cmocka_unit_test(unchanged_parts_stay_the_same_nodes),
        cmocka_unit_test(equal_views_keep_the_old_node),
        cmocka_unit_test(reading_changes_nothing),
        cmocka_unit_test(every_key_of_the_reference_has_its_counterpart),
        cmocka_unit_test(states_of_a_walk_are_as_the_schema_says),
    };
    return cmocka_run_group_tests_name("state", tests, NULL, NULL);
}
