// Tests sim/src/lua_view.c and pack.c: two layers seen as one, by rows of (layers, view, answer).
#include "pack_memory.h"

#include "tree/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static const pack_memory_file files[] = {
    { "packs/demo/manifest.json", "{\"id\":\"demo\",\"packageName\":\"p\",\"name\":{\"en\":\"D\",\"zh\":"
                                  "\"D\"},\"aliases\":[],\"type\":\"system\","
                                  "\"version\":\"1\",\"permissions\":[],\"intentFilters\":[],\"entities\":{"
                                  "\"post\":{\"table\":\"posts\","
                                  "\"data\":\"posts\",\"required\":[\"id\",\"likes\"]},\"note\":{\"table\":"
                                  "\"notes\",\"required\":[\"id\"]}}}" },
    { "packs/demo/defaults.json",
        "{\"currentUserId\":\"u1\",\"users\":{\"u1\":{\"liked\":[\"p1\"]},\"u2\":{\"liked\":[]}},"
        "\"posts\":{\"p2\":{\"id\":\"p2\",\"likes\":7,\"mine\":true},\"p3\":null,\"own\":{\"id\":\"own\","
        "\"likes\":0}},"
        "\"notes\":{\"n1\":{\"id\":\"n1\"}}}" },
    { "packs/demo/data/posts.json", "{\"p1\":{\"id\":\"p1\",\"likes\":5},\"p2\":{\"id\":\"p2\",\"likes\":2},"
                                    "\"p3\":{\"id\":\"p3\",\"likes\":1}}" },
    { "packs/demo/app.lua", "screens['/'] = function(ctx) return screen{} end\n"
                            "views.post = function(ctx, row)\n"
                            "  local shown = copy(row)\n"
                            "  if index_of(state_user().liked, row.id) then shown.likes = row.likes + 1 end\n"
                            "  return shown\n"
                            "end\n"
                            "views.view_top = function(ctx, n) return map(range(1, n), function(i) return "
                            "view_post('p' .. i) end) end\n"
                            "views.view_base = function(ctx, id) return base_post(id) end\n"
                            "views.view_writes = function(ctx) ctx.draft.n = 1 end\n" },
    { NULL, NULL },
};

static const struct view_case {
    const char *name, *view, *args, *answer;  // answer NULL: an error; its status:
    wd_status status;
} cases[] = {
    { "absent falls through, counts are derived", "view_post", "[\"p1\"]", "{\"id\":\"p1\",\"likes\":6}",
        WD_OK },
    { "overlay wins", "view_post", "[\"p2\"]", "{\"id\":\"p2\",\"likes\":7,\"mine\":true}", WD_OK },
    { "null hides", "view_post", "[\"p3\"]", "null", WD_OK },
    { "only in the overlay", "view_post", "[\"own\"]", "{\"id\":\"own\",\"likes\":0}", WD_OK },
    { "nowhere", "view_post", "[\"x\"]", "null", WD_OK },
    { "state is the overlay alone", "state_post", "[\"p1\"]", "null", WD_OK },
    { "state shows the entity", "state_post", "[\"p2\"]", "{\"id\":\"p2\",\"likes\":7,\"mine\":true}",
        WD_OK },
    { "an entity without world data", "view_note", "[\"n1\"]", "{\"id\":\"n1\"}", WD_OK },
    { "the current user", "state_user", "[]", "{\"liked\":[\"p1\"]}", WD_OK },
    { "a view of the pack's own", "view_top", "[2]",
        "[{\"id\":\"p1\",\"likes\":6},{\"id\":\"p2\",\"likes\":7,\"mine\":true}]", WD_OK },
    { "app.lua may read base data", "view_base", "[\"p2\"]", "{\"id\":\"p2\",\"likes\":2}", WD_OK },
    { "others may not", "base_post", "[\"p1\"]", NULL, WD_EDENIED },
    { "unknown view", "view_nothing", "[]", NULL, WD_ENOENT },
    { "a view writes nothing", "view_writes", "[]", NULL, WD_ESCRIPT },
};

static wd_packs *packs;
static wd_host *host;
static wd_device *device;

static int start(void **state)
{
    (void)state;
    static const char *const directories[] = { "packs" };
    const wd_pack_source source = pack_memory_source(files);
    wd_error error = { 0 };
    assert_int_equal(wd_packs_load(&source, directories, 1, &packs, &error), WD_OK);
    if (wd_packs_fault_count(packs) > 0) {
        fail_msg("%s", wd_packs_fault(packs, 0)->error.text);
    }
    assert_int_equal(wd_host_new(packs, &host, &error), WD_OK);
    assert_int_equal(wd_host_boot(host, 1, &device, &error), WD_OK);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    wd_device_destroy(&device);
    wd_host_destroy(&host);
    wd_packs_unref(&packs);
    return 0;
}

static wd_value *parse(const char *text)
{
    wd_value *value = NULL;
    assert_int_equal(wd_json_parse(text, strlen(text), &value, NULL), WD_OK);
    return value;
}

static void view_gives_expected(void **state)
{
    const struct view_case *row = *state;
    wd_value *machine = NULL;
    wd_value *args = parse(row->args);
    wd_value *answer = NULL;
    wd_error error = { 0 };
    assert_int_equal(wd_device_state(device, &machine), WD_OK);
    const wd_digest before = wd_device_digest(device);
    const wd_status status = wd_phone_view(host, machine, "demo", row->view, args, &answer, &error);
    if (status != row->status) {
        fail_msg("%s: %s", wd_status_name(status), error.text);
    }
    if (row->answer != NULL) {
        wd_value *wanted = parse(row->answer);
        wd_buffer text = { 0 };
        assert_int_equal(wd_json_write(answer, WD_JSON_COMPACT, &text), WD_OK);
        if (!wd_value_equal(answer, wanted)) {
            fail_msg("%s", text.bytes);
        }
        wd_buffer_done(&text);
        wd_value_unref(&wanted);
    }
    assert_true(wd_digest_equal(before, wd_device_digest(device)));
    wd_value_unref(&answer);
    wd_value_unref(&args);
    wd_value_unref(&machine);
}

static void other_user_sees_other_counts(void **state)
{
    (void)state;
    wd_value *patch = parse("{\"apps\":{\"demo\":{\"currentUserId\":\"u2\"}}}");
    wd_value *fork_state = NULL;
    wd_device *fork = NULL;
    wd_error error = { 0 };
    assert_int_equal(wd_device_fork(device, &fork), WD_OK);
    assert_int_equal(wd_device_inject(fork, patch, true, false, &error), WD_OK);
    assert_int_equal(wd_device_state(fork, &fork_state), WD_OK);
    wd_value *args = parse("[\"p1\"]");
    wd_value *answer = NULL;
    assert_int_equal(wd_phone_view(host, fork_state, "demo", "view_post", args, &answer, &error), WD_OK);
    assert_int_equal(wd_value_int_or(wd_object_get(answer, "likes"), -1), 5);
    wd_value_unref(&answer);
    wd_value_unref(&args);
    wd_value_unref(&fork_state);
    wd_device_destroy(&fork);
    wd_value_unref(&patch);
}

static void inject_must_leave_entities_complete(void **state)
{
    (void)state;
    wd_value *patch = parse("{\"apps\":{\"demo\":{\"posts\":{\"p1\":{\"title\":\"x\"}}}}}");
    wd_error error = { 0 };
    const wd_digest before = wd_device_digest(device);
    assert_int_equal(wd_device_inject(device, patch, true, false, &error), WD_EINVAL);
    assert_non_null(strstr(error.text, "post posts.p1 is incomplete: missing id, likes"));
    assert_true(wd_digest_equal(before, wd_device_digest(device)));
    wd_value_unref(&patch);
}

int main(void)
{
    struct CMUnitTest tests[WD_COUNT_OF(cases) + 2] = {
        cmocka_unit_test(other_user_sees_other_counts),
        cmocka_unit_test(inject_must_leave_entities_complete),
    };
    for (size_t i = 0; i < WD_COUNT_OF(cases); i++) {
        tests[i + 2] = (struct CMUnitTest){ .name = cases[i].name,
            .test_func = view_gives_expected,
            .initial_state = (void *)(uintptr_t)&cases[i] };
    }
    return cmocka_run_group_tests(tests, start, stop);
}
