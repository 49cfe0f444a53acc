#include "op_rows.h"

#include "vectors.h"

wd_device *op_phone(void)
{
    wd_value *apps = vectors_load("tests/vectors/fixture-apps.json");
    wd_device_options options = wd_device_options_default();
    options.packages = wd_object_get(apps, "apps");
    wd_device *device = NULL;
    wd_error error = { 0 };
    if (wd_device_new(&options, &device, &error) != WD_OK) {
        fail_msg("%s", error.text);
    }
    wd_value_unref(&apps);
    wd_value *events = wd_device_take_events(device);
    wd_value_unref(&events);
    return device;
}

static wd_status look(wd_device *device, const char *path, wd_value **ret_answer)
{
    wd_value *state = NULL;
    wd_status status = wd_device_state(device, &state);
    if (status == WD_OK) {
        *ret_answer = wd_value_ref(wd_value_get_path(state, path));
    }
    wd_value_unref(&state);
    return status;
}

wd_status op_do_value(
    wd_device *device, const char *op, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    if (strcmp(op, "@inject") == 0) {
        return wd_device_inject(device, args, true, false, error);
    }
    if (strcmp(op, "@advance") == 0) {
        return wd_device_advance(device, wd_value_int_or(wd_object_get(args, "ms"), 0));
    }
    if (strcmp(op, "@reload") == 0) {
        return wd_device_reload(device);
    }
    if (strcmp(op, "@state") == 0) {
        return look(device, wd_value_string_or(wd_object_get(args, "path"), ""), ret_answer);
    }
    if (strcmp(op, "@machine") == 0) {
        const char *path = wd_value_string_or(wd_object_get(args, "path"), "");
        *ret_answer = wd_value_ref(wd_value_get_path(wd_device_machine(device), path));
        return WD_OK;
    }
    if (strcmp(op, "@events") == 0) {
        *ret_answer = wd_device_take_events(device);
        return WD_OK;
    }
    return wd_device_call(device, op, args, ret_answer, error);
}

static void expect_answer(const char *op, const char *wanted, const wd_value *got)
{
    wd_value *value = json_of(wanted);
    bool both_absent = got == NULL && wd_value_is(value, WD_KIND_NULL);
    if (!both_absent && !wd_value_equal(value, got)) {
        wd_buffer text = { 0 };
        if (got != NULL) {
            assert_int_equal(wd_json_write(got, WD_JSON_COMPACT, &text), WD_OK);
        }
        fail_msg("%s: %s wanted, %s found", op, wanted, got != NULL ? text.bytes : "nothing");
    }
    wd_value_unref(&value);
}

void op_row_holds(void **state)
{
    const op_row *row = *state;
    wd_device *device = op_phone();
    for (size_t i = 0; i < OP_STEPS_MAX && row->steps[i].op != NULL; i++) {
        const op_step *step = &row->steps[i];
        wd_value *answer = NULL;
        wd_error error = { 0 };
        wd_digest before = wd_device_digest(device);
        wd_value *args = step->args != NULL ? json_of(step->args) : NULL;
        wd_status status = op_do_value(device, step->op, args, &answer, &error);
        wd_value_unref(&args);
        if (status != step->status) {
            fail_msg("step %zu (%s): %s wanted, %s found: %s", i + 1, step->op, wd_status_name(step->status),
                wd_status_name(status), error.text);
        }
        if (status != WD_OK) {
            assert_true(wd_digest_equal(before, wd_device_digest(device)));
        }
        if (step->answer != NULL) {
            expect_answer(step->op, step->answer, answer);
        }
        wd_value_unref(&answer);
    }
    wd_device_destroy(&device);
}

int op_rows_run(const char *group, const op_row *rows, size_t count)
{
    struct CMUnitTest *tests = calloc(count, sizeof *tests);
    assert_non_null(tests);
    for (size_t i = 0; i < count; i++) {
        tests[i] = (struct CMUnitTest){
            .name = rows[i].name, .test_func = op_row_holds, .initial_state = (void *)(uintptr_t)&rows[i]
        };
    }
    int failed = _cmocka_run_group_tests(group, tests, count, NULL, NULL);
    free(tests);
    return failed;
}
