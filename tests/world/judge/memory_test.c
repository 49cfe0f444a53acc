// Every public function that allocates, with each allocation failing once: WD_ENOMEM, nothing leaked, and
// then it works.
#include "judge/answers.h"
#include "judge/conform.h"
#include "judge/episode_id.h"
#include "judge/numerals.h"
#include "judge/pattern.h"
#include "judge/rules.h"
#include "judge/scope.h"
#include "judge/template.h"

#include "json.h"
#include "tree/alloc.h"

/// What the functions work on.
static struct fixture {
    wd_value *params, *apps, *before, *after, *file, *date, *given;
    wd_rules *rules;
    wd_path *path;
} fix;

static const char pattern_text[] = "apps.*.l[id=a\\]b].x";

static wd_status covers_text(void)
{
    bool covers = false;
    wd_status status =
        wd_pattern_covers_text(pattern_text, sizeof pattern_text - 1, "apps.w.l[id=a\\]b].x.y", 21, &covers);
    assert_true(status != WD_OK || covers);
    return status;
}

static wd_status fills_template(void)
{
    wd_buffer buffer = { 0 };
    wd_status status = wd_template_fill("a.{n}.{l}", 9, fix.params, &buffer);
    wd_buffer_done(&buffer);
    return status;
}

static wd_status formats_template(void)
{
    wd_buffer buffer = { 0 };
    wd_status status = wd_template_format("{n:>80}{{{l}", 12, fix.params, &buffer, NULL);
    wd_buffer_done(&buffer);
    return status;
}

static wd_status fills_value(void)
{
    wd_value *wanted = NULL;
    wd_status status = wd_template_value(wd_object_get(fix.params, "t"), fix.params, &wanted, NULL);
    wd_value_unref(&wanted);
    return status;
}

static wd_status finds_scope(void)
{
    wd_buffer buffer = { 0 };
    wd_status status = wd_scope_criterion("w.x:a.b", 7, fix.apps, &buffer);
    status = status == WD_OK ? wd_scope_declared("com\\.w.a", 8, fix.apps, &buffer) : status;
    wd_buffer_done(&buffer);
    return status;
}

static wd_status resolves_filters(void)
{
    wd_buffer buffer = { 0 };
    wd_scope_states states = { .first = fix.after, .second = fix.before };
    wd_status status = wd_scope_resolve(fix.path, states, states, &buffer);
    wd_buffer_done(&buffer);
    return status;
}

static wd_status lists_patterns(void)
{
    wd_value *declared = NULL;
    wd_value *patterns = NULL;
    wd_status status = wd_rules_patterns(fix.rules, fix.before, fix.after, &declared, &patterns);
    wd_value_unref(&declared);
    wd_value_unref(&patterns);
    return status;
}

static wd_status finds_unexpected(void)
{
    wd_changes *changes = NULL;
    wd_status status = wd_rules_unexpected(fix.rules, fix.before, fix.after, &changes, NULL);
    wd_changes_destroy(&changes);
    return status;
}

static wd_status lists_ignored(void)
{
    wd_value *list = NULL;
    wd_status status = wd_expectations_default_ignored(&list);
    wd_value_unref(&list);
    return status;
}

static wd_status replays_file(void)
{
    size_t holds = 0, fails = 0;
    wd_status status = wd_judge_conform("side_effects", fix.file, NULL, NULL, &holds, &fails, NULL);
    assert_true(status != WD_OK || (holds == 2 && fails == 0));
    return status;
}

static wd_status names_episode(void)
{
    wd_buffer buffer = { 0 };
    wd_status status = wd_episode_dir("a/b", &buffer);
    status = status == WD_OK ? wd_result_key("s.T", 1, &buffer) : status;
    wd_buffer_done(&buffer);
    return status;
}

static wd_status reads_numerals(void)
{
    wd_buffer buffer = { 0 };
    static const char text[] = "三百个 1.5万";
    wd_status status = wd_numerals_normalise(text, sizeof text - 1, &buffer);
    wd_buffer_done(&buffer);
    return status;
}

static wd_status labels_date(void)
{
    wd_value *labels = NULL;
    wd_answer_clock clock = { .known = true, .ms = 1742126400000 };
    wd_status status = wd_answer_date_labels("2025-03-17", 10, clock, &labels);
    wd_value_unref(&labels);
    return status;
}

static wd_status matches_duration(void)
{
    bool match = false;
    return wd_answer_duration(fix.given, fix.given, &match);
}

static wd_status hears_value(void)
{
    bool match = false;
    return wd_answer_spoken(fix.date, fix.given, &match, NULL);
}

static const struct memory_case {
    const char *name;
    wd_status (*call)(void);
} memory_cases[] = {
    { "wd_pattern_covers_text", covers_text },
    { "wd_template_fill", fills_template },
    { "wd_template_format", formats_template },
    { "wd_template_value", fills_value },
    { "wd_scope_criterion, wd_scope_declared", finds_scope },
    { "wd_scope_resolve", resolves_filters },
    { "wd_rules_patterns", lists_patterns },
    { "wd_rules_unexpected", finds_unexpected },
    { "wd_expectations_default_ignored", lists_ignored },
    { "wd_judge_conform", replays_file },
    { "wd_episode_dir, wd_result_key", names_episode },
    { "wd_numerals_normalise", reads_numerals },
    { "wd_answer_date_labels", labels_date },
    { "wd_answer_duration", matches_duration },
    { "wd_answer_spoken", hears_value },
};

static void survives_each_failure(void **state)
{
    const struct memory_case *one = *state;
    uint64_t live = wd_alloc_stats_get().bytes_live;
    wd_status status = WD_ENOMEM;
    for (long calls = 0; status != WD_OK; calls++) {
        assert_in_range(calls, 0, 5000);
        wd_alloc_fail_after(calls);
        status = one->call();
        wd_alloc_fail_after(-1);
        assert_true(status == WD_OK || status == WD_ENOMEM);
        assert_true(wd_alloc_stats_get().bytes_live == live);
    }
}

static int set_up(void **state)
{
    (void)state;
    wd_value *task =
        json_of("{\"apps\":[\"w\"],\"criteria\":{\"l[n=B].v\":2},\"expected_changes\":[\"m[-1].x\"]}");
    fix.params = json_of("{\"n\":7,\"l\":[1,\"x\"],\"t\":{\"$in\":[\"{n}\",\"a {n}\"]}}");
    fix.apps = json_of("[\"com.w\"]");
    fix.before =
        json_of("{\"apps\":{\"w\":{\"l\":[{\"id\":1,\"n\":\"B\",\"v\":1}],\"m\":[{\"x\":1}],\"z\":1}}}");
    fix.after =
        json_of("{\"apps\":{\"w\":{\"l\":[{\"id\":1,\"n\":\"B\",\"v\":2}],\"m\":[{\"x\":2}],\"z\":2}}}");
    fix.file = json_of(
        "{\"cases\":[{\"before\":{\"a\":1},\"after\":{\"a\":2},\"expected_changes\":[\"b\"],"
        "\"always_ignore\":[],\"unexpected\":[{\"path\":\"a\",\"before\":1,\"after\":2}],\"clean\":false}],"
        "\"patterns\":[{\"pattern\":\"a\",\"path\":\"a.b\",\"match\":true}]}");
    fix.date = json_of("\"十二\"");
    fix.given = json_of("\"一小时三十分, 12\"");
    static const char path[] = "apps.w.l[n=B].v";
    assert_int_equal(wd_path_parse(path, sizeof path - 1, &fix.path, NULL), WD_OK);
    assert_int_equal(wd_rules_new(task, &fix.rules), WD_OK);
    assert_null(wd_rules_error(fix.rules));
    wd_value_unref(&task);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    wd_value **const values[] = { &fix.params, &fix.apps, &fix.before, &fix.after, &fix.file, &fix.date,
        &fix.given };
    for (size_t i = 0; i < WD_COUNT_OF(values); i++) {
        wd_value_unref(values[i]);
    }
    wd_path_destroy(&fix.path);
    wd_rules_destroy(&fix.rules);
    return 0;
}

int main(void)
{
    struct CMUnitTest tests[WD_COUNT_OF(memory_cases)];
    for (size_t i = 0; i < WD_COUNT_OF(memory_cases); i++) {
        tests[i] = (struct CMUnitTest){ .name = memory_cases[i].name,
            .test_func = survives_each_failure,
            .initial_state = (void *)(uintptr_t)&memory_cases[i] };
    }
    return _cmocka_run_group_tests("memory", tests, WD_COUNT_OF(tests), set_up, tear_down);
}
