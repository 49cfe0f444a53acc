// Tests sim/src/packs.c, pack.c and the limits of lua_host.c: what is wrong with a pack is named, the others load.
#include "pack_files.h"
#include "pack_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define FILE_OF(name) "packs/demo/" name
#define MANIFEST(rest)                                                                                       \
    "{\"id\":\"demo\",\"packageName\":\"p\",\"name\":{\"en\":\"D\",\"zh\":\"D\"},\"aliases\":[],\"type\":"   \
    "\"system\","                                                                                            \
    "\"version\":\"1\",\"permissions\":[],\"intentFilters\":[]" rest "}"
#define POSTS                                                                                                \
    MANIFEST(                                                                                                \
        ",\"entities\":{\"post\":{\"table\":\"posts\",\"data\":\"posts\",\"required\":[\"id\",\"title\"]}}")

static const struct broken {
    const char *name, *path, *text, *says;
} broken[] = {
    { "missing app.lua", FILE_OF("app.lua"), NULL, "demo/app.lua: the file is missing" },
    { "missing manifest", FILE_OF("manifest.json"), NULL, "demo/manifest.json: the file is missing" },
    { "missing defaults", FILE_OF("defaults.json"), NULL, "demo/defaults.json: the file is missing" },
    { "bad JSON", FILE_OF("defaults.json"), "{\n\"a\": }", "demo/defaults.json: line 2" },
    { "defaults are no object", FILE_OF("defaults.json"), "[]", "demo/defaults.json: an object is wanted" },
    { "id is not the folder", FILE_OF("manifest.json"), "{\"id\":\"other\"}",
        "id must equal the folder's name" },
    { "manifest without version", FILE_OF("manifest.json"), "{\"id\":\"demo\",\"packageName\":\"p\"}",
        "version" },
    { "text in one language", FILE_OF("strings.json"), "{\"en\":{\"a\":\"A\"},\"zh\":{}}",
        "a: a text is wanted in en and in zh" },
    { "syntax error", FILE_OF("app.lua"), "x = 1\ny = = 2", "demo/app.lua:2:" },
    { "error while loading", FILE_OF("app.lua"), "\nerror('no')", "demo/app.lua:2: no" },
    { "endless loop while loading", FILE_OF("app.lua"), "\n\nwhile true do end",
        "demo/app.lua:3: more than 5000000 instructions" },
    { "a local is kept", FILE_OF("app.lua"), "local n = 0\nscreens['/'] = function() n = n + 1 end",
        "demo/app.lua:2: this function keeps the local 'n'" },
    { "_ENV is named", FILE_OF("app.lua"), "\nf = function() _ENV = {} end",
        "demo/app.lua:2: the name '_ENV' must not be used" },
    { "screens holds no functions", FILE_OF("app.lua"), "screens['/'] = 1",
        "'screens' must hold functions by name" },
    { "no file access", FILE_OF("app.lua"), "io.open('x')", "demo/app.lua:1:" },
    { "no load", FILE_OF("app.lua"), "load('x = 1')()", "demo/app.lua:1:" },
    { "a loader without data", FILE_OF("manifest.json"), MANIFEST(",\"loaders\":[{\"data\":\"posts\"}]"),
        "there is no data/posts.json" },
};

static wd_status load(const pack_memory_file *files, wd_packs **ret_packs)
{
    static const char *const directories[] = { "packs" };
    const wd_pack_source source = pack_memory_source(files);
    return wd_packs_load(&source, directories, 1, ret_packs, NULL);
}

static void broken_pack_is_named(void **state)
{
    const struct broken *row = *state;
    const pack_memory_file files[] = { { row->path, row->text }, { NULL, NULL } };
    wd_packs *packs = NULL;
    assert_int_equal(load(files, &packs), WD_OK);
    assert_int_equal(wd_packs_fault_count(packs), 1);
    const wd_pack_fault *fault = wd_packs_fault(packs, 0);
    assert_string_equal(fault->directory, "packs/demo");
    if (strstr(fault->error.text, row->says) == NULL) {
        fail_msg("'%s' does not say '%s'", fault->error.text, row->says);
    }
    wd_packs_unref(&packs);
}

static void overlay_by_schema(void **state)
{
    (void)state;
    const pack_memory_file files[] = {
        { FILE_OF("manifest.json"), POSTS },
        { FILE_OF("defaults.json"), "{\"posts\":{\"p1\":{\"id\":\"p1\"}}}" },
        { FILE_OF("data/posts.json"), "{}" },
        { NULL, NULL },
    };
    wd_packs *packs = NULL;
    assert_int_equal(load(files, &packs), WD_OK);
    assert_int_equal(wd_packs_fault_count(packs), 1);
    assert_non_null(
        strstr(wd_packs_fault(packs, 0)->error.text, "post posts.p1 is incomplete: missing title"));
    wd_packs_unref(&packs);
}

static void two_packs_of_one_id(void **state)
{
    (void)state;
    static const char *const directories[] = { "packs", "packs" };
    const wd_pack_source source = pack_memory_source(NULL);
    wd_packs *packs = NULL;
    assert_int_equal(wd_packs_load(&source, directories, WD_COUNT_OF(directories), &packs, NULL), WD_OK);
    assert_int_equal(wd_packs_fault_count(packs), 1);  // the first stays
    assert_int_equal(wd_packs_fault(packs, 0)->error.status, WD_EEXIST);
    assert_non_null(
        strstr(wd_packs_fault(packs, 0)->error.text, "demo: another directory has a pack of this id"));
    wd_packs_unref(&packs);
}

static void base_rows_by_schema(void **state)
{
    (void)state;
    const pack_memory_file files[] = {
        { FILE_OF("manifest.json"), POSTS },
        { FILE_OF("data/posts.json"), "{\"b1\":{\"id\":\"b1\"}}" },
        { NULL, NULL },
    };
    wd_packs *packs = NULL;
    assert_int_equal(load(files, &packs), WD_OK);
    assert_int_equal(wd_packs_fault_count(packs), 1);
    assert_non_null(strstr(
        wd_packs_fault(packs, 0)->error.text, "demo/data/posts.json: post b1 is incomplete: missing title"));
    wd_packs_unref(&packs);
}

static void second_directory_must_not_repeat_an_id(void **state)
{
    (void)state;
    static const char *const directories[] = { "packs", "packs" };
    const wd_pack_source source = pack_memory_source(NULL);
    wd_packs *packs = NULL;
    assert_int_equal(wd_packs_load(&source, directories, 2, &packs, NULL), WD_OK);
    assert_int_equal(wd_packs_fault_count(packs), 1);
    assert_int_equal(wd_packs_fault(packs, 0)->error.status, WD_EEXIST);
    assert_int_equal(wd_object_count(wd_packs_identity(packs)), 1);
    wd_packs_unref(&packs);
}

// The pack of docs/apps.md: its four code blocks are the four files.
static void example_of_the_document_loads(void **state)
{
    (void)state;
    static const char *const paths[] = { FILE_OF("manifest.json"), FILE_OF("defaults.json"),
        FILE_OF("strings.json"), FILE_OF("app.lua") };
    char *bytes = NULL;
    size_t length = 0;
    assert_int_equal(pack_files_read(NULL, WD_SOURCE_DIR "/docs/apps.md", &bytes, &length), WD_OK);
    pack_memory_file files[WD_COUNT_OF(paths) + 1] = { 0 };
    char *at = bytes;
    for (size_t i = 0; i < WD_COUNT_OF(paths); i++) {
        at = strstr(at, "\n```");
        assert_non_null(at);
        char *text = strchr(at + 1, '\n') + 1;
        at = strstr(text, "```\n");
        assert_non_null(at);
        *at = '\0';
        at++;
        files[i] = (pack_memory_file){ paths[i], text };
    }
    char *id = strstr((char *)(uintptr_t)files[0].text, "\"counter\"");
    assert_non_null(id);
    memcpy(id, "\"demo\"   ", strlen("\"demo\"   "));  // the folder of this test
    wd_packs *packs = NULL;
    assert_int_equal(load(files, &packs), WD_OK);
    if (wd_packs_fault_count(packs) > 0) {
        fail_msg("%s", wd_packs_fault(packs, 0)->error.text);
    }
    wd_packs_unref(&packs);
    wd_free(bytes, length + 1);
}

// ---- at run time: the step fails with file and line, nothing else -------------------------------------------------

#define SCREEN(body) "screens['/'] = function(ctx)\n" body "\nend"

static const struct bad_screen {
    const char *name, *lua, *says;
} bad_screens[] = {
    { "endless loop", SCREEN("while true do end"),
        "demo/app.lua:2: more than 5000000 instructions in one call" },
    { "memory hog by tables", SCREEN("local t = {}\nfor i = 1, 100000000 do t[i] = {} end"),
        "demo/app.lua:3: more than 33554432 bytes" },
    { "memory hog by texts", SCREEN("local s = 'x'\nwhile true do s = s .. s end"),
        "demo/app.lua:3: more than 33554432 bytes" },
    { "cyclic screen", SCREEN("local c = column{}\nc[1] = c\nreturn screen{ c }"),
        "a screen must not contain itself" },
    { "cyclic list", SCREEN("local c = {}\nc[1] = c\nreturn screen{ c }"), "nests deeper than 64" },
    { "100,000 nodes",
        SCREEN("local c = column{}\nfor i = 1, 100000 do c[i] = label{ 'x' } end\nreturn screen{ c }"),
        "a screen of more than 20000 elements" },
    { "deep screen",
        SCREEN("local c = label{ 'x' }\nfor i = 1, 100 do c = column{ c } end\nreturn screen{ c }"),
        "nests deeper than 64 elements" },
    { "runtime error", SCREEN("\nreturn ctx.state.missing.member"), "demo/app.lua:3:" },
    { "no screen", SCREEN("return 1"), "gave a number, no screen" },
    { "an element is no screen", SCREEN("return column{}"), "must give screen{...}" },
    { "unknown attribute", SCREEN("return screen{ label{ 'x', colour = 'red' } }"),
        "label has no attribute 'colour'" },
    { "a fraction in a text", SCREEN("local half = 1 / 2\nreturn screen{ label{ 'a' .. half } }"),
        "demo/app.lua:3: a number with a fraction is written by text(x)" },
    { "unknown text", SCREEN("return screen{ title = t('missing') }"),
        "demo/app.lua:2: strings.json has no 'missing'" },
    { "state is read-only", SCREEN("ctx.state.n = 1"), "demo/app.lua:2:" },
    { "no draft in a screen", SCREEN("ctx.draft.n = 1"), "demo/app.lua:2: only an action has a draft" },
    { "no effect in a screen", SCREEN("go('/x')"), "demo/app.lua:2: only an action has effects" },
    { "globals stay as they are", SCREEN("counter = 1"), "demo/app.lua:2: 'counter' cannot be set" },
    { "library stays as it is", SCREEN("text = 1"), "demo/app.lua:2: 'text' cannot be set" },
    { "endless recursion", "function f() return 1 + f() end\n" SCREEN("f()"),
        "demo/app.lua:1: more than 33554432 bytes" },
};

static void bad_screen_fails_its_step(void **state)
{
    const struct bad_screen *row = *state;
    const pack_memory_file files[] = { { FILE_OF("app.lua"), row->lua }, { NULL, NULL } };
    wd_packs *packs = NULL;
    wd_host *host = NULL;
    wd_device *device = NULL;
    wd_error error = { 0 };
    assert_int_equal(load(files, &packs), WD_OK);
    assert_int_equal(wd_packs_fault_count(packs), 0);
    assert_int_equal(wd_host_new(packs, &host, &error), WD_OK);
    assert_int_equal(wd_host_boot(host, 1, &device, &error), WD_OK);
    wd_value *args = NULL;
    assert_int_equal(wd_value_pack(&args, "{s:s}", "app", "demo"), WD_OK);
    assert_int_equal(wd_device_call(device, "os.launchApp", args, NULL, &error), WD_OK);
    wd_value_unref(&args);
    const wd_digest before = wd_device_digest(device);
    wd_scene *scene = NULL;
    assert_int_equal(wd_phone_observe(host, device, &scene, &error), WD_ESCRIPT);
    assert_null(scene);
    if (strstr(error.text, row->says) == NULL) {
        fail_msg("'%s' does not say '%s'", error.text, row->says);
    }
    assert_true(wd_digest_equal(before, wd_device_digest(device)));
    // Home still works, and shows.
    wd_action home;
    wd_result result;
    wd_action_init(&home, WD_ACTION_HOME);
    assert_int_equal(wd_phone_execute(host, device, &home, NULL, &result), WD_OK);
    assert_int_equal(result.outcome, WD_OUTCOME_OK);
    assert_int_equal(wd_phone_observe(host, device, &scene, &error), WD_OK);
    wd_scene_unref(&scene);
    wd_device_destroy(&device);
    wd_host_destroy(&host);
    wd_packs_unref(&packs);
}

// Limits that were set: what is well below them is drawn, what is well past them is not. (They are looked at every so
// many instructions, so the very edge is not a number of a row.)
#define DRAWN "return screen{ label{ 'x' } }"

static const struct limit_row {
    const char *name, *lua;
    wd_host_limits limits;
    const char *says;  // NULL: it is drawn
} limit_rows[] = {
    { "as many instructions as may be", SCREEN("for i = 1, 90000 do end\n" DRAWN), { 100000, 1 << 20 },
        NULL },
    { "more instructions than may be", SCREEN("for i = 1, 110000 do end\n" DRAWN), { 100000, 1 << 20 },
        "demo/app.lua:2: more than 100000 instructions in one call" },
    { "a wider limit lets it pass", SCREEN("for i = 1, 6000000 do end\n" DRAWN), { 10000000, 1 << 20 },
        NULL },
    { "as much memory as may be", SCREEN("local s = 'x'\nfor i = 1, 17 do s = s .. s end\n" DRAWN),
        { 100000, 1 << 20 }, NULL },
    { "more memory than may be", SCREEN("local s = 'x'\nfor i = 1, 20 do s = s .. s end\n" DRAWN),
        { 100000, 1 << 20 }, "demo/app.lua:3: more than 1048576 bytes of memory in one call" },
};

static void limits_are_those_that_were_set(void **state)
{
    const struct limit_row *row = *state;
    const pack_memory_file files[] = { { FILE_OF("app.lua"), row->lua }, { NULL, NULL } };
    wd_packs *packs = NULL;
    wd_host *host = NULL;
    wd_device *device = NULL;
    wd_error error = { 0 };
    wd_value *args = NULL;
    wd_scene *scene = NULL;
    assert_int_equal(load(files, &packs), WD_OK);
    assert_int_equal(wd_host_new(packs, &host, &error), WD_OK);
    wd_host_limit(host, row->limits);
    assert_int_equal(wd_host_boot(host, 1, &device, &error), WD_OK);
    assert_int_equal(wd_value_pack(&args, "{s:s}", "app", "demo"), WD_OK);
    assert_int_equal(wd_device_call(device, "os.launchApp", args, NULL, &error), WD_OK);
    wd_value_unref(&args);
    assert_int_equal(wd_phone_observe(host, device, &scene, &error), row->says == NULL ? WD_OK : WD_ESCRIPT);
    if (row->says != NULL && strstr(error.text, row->says) == NULL) {
        fail_msg("'%s' does not say '%s'", error.text, row->says);
    }
    wd_scene_unref(&scene);
    wd_device_destroy(&device);
    wd_host_destroy(&host);
    wd_packs_unref(&packs);
}

int main(void)
{
    enum { OTHERS = 5 };
    struct CMUnitTest
        tests[WD_COUNT_OF(broken) + WD_COUNT_OF(bad_screens) + WD_COUNT_OF(limit_rows) + OTHERS] = {
            cmocka_unit_test(overlay_by_schema),
            cmocka_unit_test(two_packs_of_one_id),
            cmocka_unit_test(base_rows_by_schema),
            cmocka_unit_test(second_directory_must_not_repeat_an_id),
            cmocka_unit_test(example_of_the_document_loads),
        };
    size_t count = OTHERS;
    for (size_t i = 0; i < WD_COUNT_OF(broken); i++) {
        tests[count++] = (struct CMUnitTest){ .name = broken[i].name,
            .test_func = broken_pack_is_named,
            .initial_state = (void *)(uintptr_t)&broken[i] };
    }
    for (size_t i = 0; i < WD_COUNT_OF(bad_screens); i++) {
        tests[count++] = (struct CMUnitTest){ .name = bad_screens[i].name,
            .test_func = bad_screen_fails_its_step,
            .initial_state = (void *)(uintptr_t)&bad_screens[i] };
    }
    for (size_t i = 0; i < WD_COUNT_OF(limit_rows); i++) {
        tests[count++] = (struct CMUnitTest){ .name = limit_rows[i].name,
            .test_func = limits_are_those_that_were_set,
            .initial_state = (void *)(uintptr_t)&limit_rows[i] };
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
