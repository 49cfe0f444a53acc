// Tests sim/src/app_check.c: one bad pack for each rule, and every shipped pack keeps them all.
#include "pack_files.h"
#include "pack_memory.h"
#include "sim/app_check.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define FILE_OF(name) "packs/demo/" name
#define MANIFEST(rest)                                                                                       \
    "{\"id\":\"demo\",\"packageName\":\"p\",\"name\":{\"en\":\"D\",\"zh\":\"D\"},\"aliases\":[],\"type\":"   \
    "\"system\","                                                                                            \
    "\"version\":\"1\",\"permissions\":[]," rest "}"

static const struct bad_pack {
    const char *rule, *path, *text, *place;
} bad_packs[] = {
    { "load", FILE_OF("defaults.json"), "{", "demo" },
    { "nested-table", FILE_OF("defaults.json"), "{\"user\":{\"posts\":{\"p1\":{\"id\":\"p1\"}}}}",
        "user.posts" },
    { "index-of-ids", FILE_OF("defaults.json"), "{\"user\":{\"likedPosts\":[{\"id\":\"p1\"}]}}",
        "user.likedPosts" },
    { "created-list", FILE_OF("defaults.json"), "{\"createdPosts\":[]}", "createdPosts" },
    { "exclusive-record", FILE_OF("defaults.json"), "{\"user\":{\"upvotedIds\":[],\"downvotedIds\":[]}}",
        "user.upvotedIds" },
    { "count-twice", FILE_OF("defaults.json"),
        "{\"users\":{\"u1\":{\"followingIds\":[],\"followingCount\":0}}}", "users.u1.followingCount" },
    { "settings-name", FILE_OF("defaults.json"), "{\"preferences\":{}}", "preferences" },
    { "settings-nesting", FILE_OF("defaults.json"), "{\"settings\":{\"sound\":{\"volume\":1}}}",
        "settings.sound" },
    { "display-text", FILE_OF("defaults.json"), "{\"trips\":{\"t1\":{\"route\":\"Shanghai - Chengdu\"}}}",
        "route" },
    { "data-name", FILE_OF("data/demoPosts.json"), "{}", "data/demoPosts.json" },
    { "loader-name", FILE_OF("manifest.json"),
        MANIFEST("\"intentFilters\":[],\"loaders\":[{\"name\":\"posts\",\"data\":\"posts\"}]"), "loaders" },
    { "temp", FILE_OF("defaults.json"), "{\"_temp\":{\"selectedId\":\"x\"}}", "_temp.selectedId" },
    { "filter-page", FILE_OF("manifest.json"),
        MANIFEST("\"intentFilters\":[{\"action\":\"ACTION_VIEW\",\"route\":\"/view\"}]"), "intentFilters" },
    { "root-page", FILE_OF("app.lua"), "screens['/x'] = function(ctx) return screen{} end", "app.lua" },
    { "constant", FILE_OF("defaults.json"), "{\"tabs\":[\"a\"]}", "tabs" },
};

static wd_value *check(const wd_pack_source *source, const char *directory, const char *id)
{
    wd_value *findings = NULL;
    wd_error error = { 0 };
    if (wd_app_check(source, directory, id, &findings, &error) != WD_OK) {
        fail_msg("%s", error.text);
    }
    return findings;
}

static void bad_pack_breaks_its_rule(void **state)
{
    const struct bad_pack *row = *state;
    const pack_memory_file files[] = { { row->path, row->text }, { FILE_OF("data/posts.json"), "{}" },
        { NULL, NULL } };
    const wd_pack_source source = pack_memory_source(files);
    wd_value *findings = check(&source, "packs", "demo");
    assert_int_not_equal(wd_array_count(findings), 0);
    const wd_value *first = wd_array_at(findings, 0);
    assert_string_equal(wd_value_string_or(wd_object_get(first, "rule"), ""), row->rule);
    if (strstr(wd_value_string_or(wd_object_get(first, "place"), ""), row->place) == NULL) {
        fail_msg("'%s' is not '%s'", wd_value_string_or(wd_object_get(first, "place"), ""), row->place);
    }
    wd_value_unref(&findings);
}

static void large_defaults(void **state)
{
    (void)state;
    static char text[120 * 1000];
    memset(text, 'x', sizeof text);
    memcpy(text, "{\"a\":\"", 6);
    memcpy(text + sizeof text - 3, "\"}", 3);
    const pack_memory_file files[] = { { FILE_OF("defaults.json"), text }, { NULL, NULL } };
    const wd_pack_source source = pack_memory_source(files);
    wd_value *findings = check(&source, "packs", "demo");
    assert_int_equal(wd_array_count(findings), 1);
    assert_string_equal(
        wd_value_string_or(wd_object_get(wd_array_at(findings, 0), "rule"), ""), "defaults-size");
    wd_value_unref(&findings);
}

static void every_rule_has_a_bad_pack(void **state)
{
    (void)state;
    for (size_t i = 0; wd_app_check_rule(i) != NULL; i++) {
        bool found = strcmp(wd_app_check_rule(i), "defaults-size") == 0;
        for (size_t j = 0; j < WD_COUNT_OF(bad_packs); j++) {
            found = found || strcmp(bad_packs[j].rule, wd_app_check_rule(i)) == 0;
        }
        if (!found) {
            fail_msg("rule %s has no bad pack", wd_app_check_rule(i));
        }
    }
}

static void shipped_packs_keep_all_rules(void **state)
{
    (void)state;
    const char *directory = WD_SOURCE_DIR "/sim/apps";
    const wd_pack_source source = pack_files_source();
    wd_value *names = NULL;
    assert_int_equal(source.list(source.context, directory, &names), WD_OK);
    wd_iter iter = wd_iter_start(names);
    while (wd_iter_next(&iter)) {
        wd_value *findings = check(&source, directory, wd_value_as_string(iter.value, NULL));
        if (wd_array_count(findings) > 0) {
            const wd_value *first = wd_array_at(findings, 0);
            fail_msg("%s: %s: %s: %s", wd_value_as_string(iter.value, NULL),
                wd_value_string_or(wd_object_get(first, "rule"), ""),
                wd_value_string_or(wd_object_get(first, "place"), ""),
                wd_value_string_or(wd_object_get(first, "text"), ""));
        }
        wd_value_unref(&findings);
    }
    wd_value_unref(&names);
}

int main(void)
{
    struct CMUnitTest tests[WD_COUNT_OF(bad_packs) + 3] = {
        cmocka_unit_test(large_defaults),
        cmocka_unit_test(every_rule_has_a_bad_pack),
        cmocka_unit_test(shipped_packs_keep_all_rules),
    };
    for (size_t i = 0; i < WD_COUNT_OF(bad_packs); i++) {
        tests[i + 3] = (struct CMUnitTest){ .name = bad_packs[i].rule,
            .test_func = bad_pack_breaks_its_rule,
            .initial_state = (void *)(uintptr_t)&bad_packs[i] };
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
