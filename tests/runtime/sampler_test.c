// Drawing parameters: each rule of sampler.h a row, with the same draws on every machine.
#include "json.h"

#include "runtime/sampler.h"
#include "tree/alloc.h"

#define STATE                                                                                                \
    "{\"os\":{\"people\":[{\"id\":\"a\",\"name\":\"Ann\",\"old\":1},{\"id\":\"b\",\"name\":\"Bo\",\"old\":"  \
    "2}],"                                                                                                   \
    "\"one\":\"x\",\"table\":{\"k\":{\"v\":7}},\"none\":[]},\"apps\":{}}"

static const struct sample_case {
    const char *name, *rules, *given,
        *drawn;  // drawn: the parameters, or how the error begins when it is no object
} sample_cases[] = {
    { "no rules", "{}", "{}", "{}" },
    { "a value of one", "{\"p\":{\"values\":[3]}}", "{}", "{\"p\":3}" },
    { "an element's field", "{\"p\":{\"source\":\"os.people\",\"where\":{\"old\":2},\"field\":\"name\"}}",
        "{}", "{\"p\":\"Bo\"}" },
    { "several fields are parameters of their own",
        "{\"p\":{\"source\":\"os.people\",\"where\":{\"old\":{\"$lt\":2}},\"fields\":{\"who\":\"name\","
        "\"key\":\"id\"}}}",
        "{}", "{\"who\":\"Ann\",\"key\":\"a\"}" },
    { "anything else is the only candidate", "{\"p\":{\"source\":\"os.one\"}}", "{}", "{\"p\":\"x\"}" },
    { "members of an object", "{\"p\":{\"source\":\"os.table\",\"each\":true,\"field\":\"v\"}}", "{}",
        "{\"p\":7}" },
    { "an earlier parameter narrows",
        "{\"a\":{\"values\":[\"Ann\"]},\"b\":{\"source\":\"os.people\",\"where\":{\"name\":{\"$ne\":\"{a}\"}}"
        ","
        "\"field\":\"id\"}}",
        "{}", "{\"a\":\"Ann\",\"b\":\"b\"}" },
    { "what is given stays", "{\"p\":{\"values\":[3]}}", "{\"p\":4}", "{\"p\":4}" },
    { "one field given means its candidate",
        "{\"p\":{\"source\":\"os.people\",\"fields\":{\"who\":\"name\",\"key\":\"id\"}}}", "{\"who\":\"Bo\"}",
        "{\"who\":\"Bo\",\"key\":\"b\"}" },
    { "a whole number of one", "{\"p\":{\"type\":\"int\",\"min\":5,\"max\":5}}", "{}", "{\"p\":5}" },
    { "a step keeps to its grid", "{\"p\":{\"type\":\"int\",\"min\":10,\"max\":19,\"step\":10}}", "{}",
        "{\"p\":10}" },
    { "the whole range",
        "{\"p\":{\"type\":\"int\",\"min\":-9223372036854775808,\"max\":9223372036854775807}}", "{\"p\":1}",
        "{\"p\":1}" },
    { "a number with a fraction", "{\"p\":{\"type\":\"float\",\"min\":2.5,\"max\":2.5,\"round\":1}}", "{}",
        "{\"p\":2.5}" },
    { "a text", "{\"p\":{\"type\":\"string\",\"pattern\":\"[q]{2}\"}}", "{}", "{\"p\":\"qq\"}" },
    { "nothing to draw from", "{\"p\":{\"source\":\"os.none\"}}", "{}", "parameters.p: there is nothing" },
    { "nowhere to draw from", "{\"p\":{\"source\":\"os.gone\"}}", "{}", "parameters.p: there is nothing" },
    { "no field", "{\"p\":{\"source\":\"os.people\",\"field\":\"gone\"}}", "{}", "parameters.p: field p" },
    { "no rule at all", "{\"p\":{}}", "{}", "parameters.p: nothing says" },
    { "no object", "{\"p\":1}", "{}", "parameters.p: must be" },
    { "a range that falls", "{\"p\":{\"type\":\"int\",\"min\":2,\"max\":1}}", "{}", "parameters.p: wants" },
    { "an unknown operator", "{\"p\":{\"source\":\"os.people\",\"where\":{\"old\":{\"$near\":1}}}}", "{}",
        "parameters.p" },
    { "a malformed pattern", "{\"p\":{\"type\":\"string\",\"pattern\":\"[\"}}", "{}",
        "parameters.p: pattern" },
};

static void parameters_are_drawn(void **state)
{
    const struct sample_case *row = *state;
    wd_value *rules = json_of(row->rules), *params = json_of(row->given), *from = json_of(STATE);
    wd_draw draw = { 11 };
    wd_error error;
    wd_status status = wd_sample(NULL, rules, from, &draw, &params, &error);
    if (row->drawn[0] == '{') {
        assert_int_equal(status, WD_OK);
        wd_value *wanted = json_of(row->drawn);
        assert_true(wd_value_equal(params, wanted));
        wd_value_unref(&wanted);
    } else {
        assert_int_not_equal(status, WD_OK);
        assert_memory_equal(error.text, row->drawn, strlen(row->drawn));
    }
    wd_value_unref(&rules);
    wd_value_unref(&params);
    wd_value_unref(&from);
}

/// Giving one parameter must not change what the others are.
static void a_given_parameter_costs_its_draws(void **state)
{
    (void)state;
    wd_value *rules = json_of("{\"a\":{\"type\":\"int\",\"min\":0,\"max\":1000000},"
                              "\"b\":{\"type\":\"int\",\"min\":0,\"max\":1000000}}");
    wd_value *free_choice = json_of("{}"), *given = json_of("{\"a\":1}"), *from = json_of(STATE);
    wd_draw first = { 3 }, second = { 3 };
    wd_error error;
    assert_int_equal(wd_sample(NULL, rules, from, &first, &free_choice, &error), WD_OK);
    assert_int_equal(wd_sample(NULL, rules, from, &second, &given, &error), WD_OK);
    assert_true(wd_value_equal(wd_object_get(free_choice, "b"), wd_object_get(given, "b")));
    wd_value_unref(&rules);
    wd_value_unref(&free_choice);
    wd_value_unref(&given);
    wd_value_unref(&from);
}

/// Fail each allocation in turn: nothing is leaked.
static void memory_runs_out_while_drawing(void **state)
{
    (void)state;
    wd_value *from = json_of(STATE);
    wd_value *rules = json_of("{\"a\":{\"type\":\"string\",\"pattern\":\"[a-f]{4}\"},\"b\":{\"source\":\"os."
                              "people\",\"where\":{\"name\":"
                              "{\"$ne\":\"{a}\"}},\"fields\":{\"who\":\"name\",\"key\":\"id\"}}}");
    bool done = false;
    for (long calls = 0; !done; calls++) {
        wd_value *params = json_of("{}");
        wd_draw draw = { 5 };
        wd_error error;
        uint64_t live = wd_alloc_stats_get().bytes_live;
        assert_in_range(calls, 0, 1000);
        wd_alloc_fail_after(calls);
        wd_status status = wd_sample(NULL, rules, from, &draw, &params, &error);
        wd_alloc_fail_after(-1);
        done = status == WD_OK;
        assert_true(done || status == WD_ENOMEM);
        assert_true(done || wd_object_count(params) > 0 || wd_alloc_stats_get().bytes_live == live);
        wd_value_unref(&params);
    }
    wd_value_unref(&rules);
    wd_value_unref(&from);
}

int main(void)
{
    struct CMUnitTest tests[WD_COUNT_OF(sample_cases) + 2] = {
        cmocka_unit_test(a_given_parameter_costs_its_draws),
        cmocka_unit_test(memory_runs_out_while_drawing),
    };
    for (size_t i = 0; i < WD_COUNT_OF(sample_cases); i++) {
        tests[i + 2] = (struct CMUnitTest){ .name = sample_cases[i].name,
            .test_func = parameters_are_drawn,
            .initial_state = (void *)(uintptr_t)&sample_cases[i] };
    }
    return cmocka_run_group_tests_name("sampler", tests, NULL, NULL);
}
