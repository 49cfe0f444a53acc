// A reply that carries a model's own words instead of steps.
#include "json.h"

#include "broker_internal.h"
#include "runtime/codec.h"
#include "tree/alloc.h"

static wd_plan_reply *reply_of(const char *dialect, const char *words)
{
    wd_plan_reply *reply = wd_alloc_zero(1, sizeof *reply);
    assert_non_null(reply);
    reply->dialect = wd_strndup(dialect, strlen(dialect));
    reply->raw_reply = wd_strndup(words, strlen(words));
    return reply;
}

static const struct dialect_case {
    const char *name, *dialect, *words;
    bool has_space;
    wd_space space;
    wd_action_kind kind;
    double x;
    wd_space point_space;
    wd_status status;
} dialect_cases[] = {
    { "points are in the dialect's own space", "autoglm", "do(action=\"Tap\", element=[500,300])", false,
        WD_SPACE_PX, WD_ACTION_TAP, 500, WD_SPACE_NORM1000, WD_OK },
    { "what Hello said wins", "autoglm", "do(action=\"Tap\", element=[500,300])", true, WD_SPACE_PX,
        WD_ACTION_TAP, 500, WD_SPACE_PX, WD_OK },
    { "words that mean nothing are an invalid step", "autoglm", "I would rather not", false, WD_SPACE_PX,
        WD_ACTION_INVALID, 0, WD_SPACE_PX, WD_OK },
    { "an empty reply is an invalid step, never a complete", "autoglm", "", false, WD_SPACE_PX,
        WD_ACTION_INVALID, 0, WD_SPACE_PX, WD_OK },
    { "finish completes", "autoglm", "finish(message=\"done\")", false, WD_SPACE_PX, WD_ACTION_COMPLETE, 0,
        WD_SPACE_PX, WD_OK },
    { "an unknown dialect makes the reply invalid", "klingon", "qapla", false, WD_SPACE_PX, WD_ACTION_INVALID,
        0, WD_SPACE_PX, WD_ENOENT },
};

static void words_become_steps(void **state)
{
    const struct dialect_case *row = *state;
    wd_plan_reply *reply = reply_of(row->dialect, row->words);
    wd_hello hello = { .has_space = row->has_space, .space = row->space };
    wd_error error = { 0 };
    assert_int_equal(broker_read_dialect(&hello, reply, &error), row->status);
    if (row->status == WD_OK) {
        assert_int_equal(reply->step_count, 1);
        const wd_action *action = &reply->steps[0].action;
        assert_string_equal(wd_action_kind_name(action->kind), wd_action_kind_name(row->kind));
        if (action->has_point) {
            assert_true(action->x == row->x);
            assert_int_equal(action->space, row->point_space);
            assert_true(wd_value_is_number(wd_object_get(reply->steps[0].args, "x")));
        }
        assert_true(action->kind != WD_ACTION_INVALID || action->reason != NULL);
    } else {
        assert_int_equal(reply->step_count, 0);
        assert_non_null(strstr(error.text, "dialect"));
    }
    wd_plan_reply_destroy(&reply);
}

static void steps_beside_words_are_kept(void **state)
{
    (void)state;
    wd_plan_reply *reply = reply_of("autoglm", "finish(message=\"done\")");
    reply->step_count = 1;
    wd_action_init(&reply->steps[0].action, WD_ACTION_BACK);
    assert_int_equal(broker_read_dialect(&(wd_hello){ 0 }, reply, NULL), WD_OK);
    assert_int_equal(reply->steps[0].action.kind, WD_ACTION_BACK);
    wd_plan_reply_destroy(&reply);
}

int main(void)
{
    struct CMUnitTest tests[WD_COUNT_OF(dialect_cases) + 1] = { cmocka_unit_test(
        steps_beside_words_are_kept) };
    for (size_t i = 0; i < WD_COUNT_OF(dialect_cases); i++) {
        tests[i + 1] = (struct CMUnitTest){ .name = dialect_cases[i].name,
            .test_func = words_become_steps,
            .initial_state = (void *)(uintptr_t)&dialect_cases[i] };
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
