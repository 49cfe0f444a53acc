// What happens while a task is worked on: when events are due, what each kind does to the phone, what is refused.
#include "json.h"

#include "runtime/task_event.h"
#include "tree/path.h"

static wd_device *device_new(void)
{
    wd_device_options options = wd_device_options_default();
    wd_device *device = NULL;
    wd_error error;
    assert_int_equal(wd_device_new(&options, &device, &error), WD_OK);
    return device;
}

static const struct event_case {
    const char *name, *event;
    unsigned passes;    // actions until it is due
    const char *place;  // of the state, which the event changes...
    const char *value;  // ...to this JSON
} event_cases[] = {
    { "a text arrives", "{\"after\":1,\"sms\":{\"from\":\"Bo\",\"text\":\"Hi\"}}", 1,
        "os.providers.sms.conversations[0].sender", "\"Bo\"" },
    { "and is announced", "{\"after\":2,\"sms\":{\"from\":\"Bo\",\"text\":\"Hi\"}}", 2,
        "os.notifications.items[0].title", "\"Bo\"" },
    { "a call that nobody took", "{\"after\":1,\"call\":{\"from\":\"Ann\"}}", 1,
        "os.notifications.items[0].body", "\"Missed call\"" },
    { "a notice", "{\"after\":1,\"notice\":{\"app\":\"shop\",\"title\":\"T\",\"text\":\"B\"}}", 1,
        "os.notifications.items[0].body", "\"B\"" },
    { "the network drops", "{\"after\":1,\"network\":false}", 1, "os.settings.global.mobileDataEnabled",
        "false" },
    { "a patch", "{\"after\":1,\"inject\":{\"os\":{\"settings\":{\"global\":{\"nfcEnabled\":false}}}}}", 1,
        "os.settings.global.nfcEnabled", "false" },
    { "by virtual time",
        "{\"at_ms\":2500,\"inject\":{\"os\":{\"settings\":{\"global\":{\"nfcEnabled\":false}}}}}", 3,
        "os.settings.global.nfcEnabled", "false" },
};

static bool holds(wd_device *device, const struct event_case *row)
{
    wd_value *state = NULL, *wanted = json_of(row->value);
    assert_int_equal(wd_device_state(device, &state), WD_OK);
    const wd_value *found = wd_value_get_path(state, row->place);
    bool same = found != NULL && wd_value_equal(found, wanted);
    wd_value_unref(&state);
    wd_value_unref(&wanted);
    return same;
}

static void event_happens_when_due_and_once(void **state)
{
    const struct event_case *row = *state;
    wd_device *device = device_new();
    wd_value *list = wd_value_array(), *event = json_of(row->event);
    wd_error error;
    assert_int_equal(wd_array_append(&list, &event), WD_OK);
    assert_int_equal(wd_task_events_check(list, &error), WD_OK);
    wd_task_events events = wd_task_events_start(list, device);
    for (unsigned i = 1; i <= row->passes; i++) {
        assert_false(holds(device, row));
        assert_int_equal(wd_device_advance(device, 1000), WD_OK);
        assert_int_equal(wd_task_events_pass(&events, device, &error), WD_OK);
    }
    assert_true(holds(device, row));
    wd_digest once = wd_device_digest(device);
    assert_int_equal(wd_task_events_pass(&events, device, &error), WD_OK);
    assert_true(wd_digest_equal(once, wd_device_digest(device)));
    wd_value_unref(&list);
    wd_device_destroy(&device);
}

static const struct refusal_case {
    const char *name, *list, *error;
} refusal_cases[] = {
    { "no time", "[{\"network\":false,\"x\":1}]", "task.events[0]: \"after\"" },
    { "before the first action", "[{\"after\":0,\"network\":false}]", "task.events[0]: \"after\"" },
    { "nothing happens", "[{\"after\":1,\"dance\":{}}]", "task.events[0]: wants a time" },
    { "two things happen", "[{\"after\":1,\"network\":true,\"call\":{\"from\":\"x\"}}]",
        "task.events[0]: wants" },
    { "a member is missing", "[{\"after\":1,\"network\":true},{\"after\":1,\"sms\":{\"from\":\"x\"}}]",
        "task.events[1]: sms.text" },
    { "a wrong kind", "[{\"after\":1,\"network\":1}]", "task.events[0]: network: must be bool" },
    { "no object", "[1]", "task.events[0]" },
};

static void wrong_events_are_refused(void **state)
{
    const struct refusal_case *row = *state;
    wd_value *list = json_of(row->list);
    wd_error error;
    assert_int_not_equal(wd_task_events_check(list, &error), WD_OK);
    assert_memory_equal(error.text, row->error, strlen(row->error));
    wd_value_unref(&list);
}

static void as_many_as_there_are_bits(void **state)
{
    (void)state;
    wd_value *list = wd_value_array();
    wd_error error;
    for (int i = 0; i < WD_TASK_EVENTS_MAX; i++) {
        wd_value *event = json_of("{\"after\":1,\"network\":true}");
        assert_int_equal(wd_array_append(&list, &event), WD_OK);
    }
    assert_int_equal(wd_task_events_check(list, &error), WD_OK);
    wd_value *more = json_of("{\"after\":1,\"network\":true}");
    assert_int_equal(wd_array_append(&list, &more), WD_OK);
    assert_int_equal(wd_task_events_check(list, &error), WD_ELIMIT);
    assert_int_equal(wd_task_events_check(NULL, &error), WD_OK);
    wd_value_unref(&list);
}

/// What the phone refuses is told with the event's number.
static void an_event_that_fails_says_which(void **state)
{
    (void)state;
    wd_device *device = device_new();
    wd_value *list = json_of("[{\"after\":1,\"revoke\":{\"app\":\"nobody\",\"permission\":\"p\"}}]");
    wd_error error;
    wd_task_events events = wd_task_events_start(list, device);
    assert_int_not_equal(wd_task_events_pass(&events, device, &error), WD_OK);
    assert_memory_equal(error.text, "task.events[0]", 14);
    wd_value_unref(&list);
    wd_device_destroy(&device);
}

int main(void)
{
    enum { EVENTS = WD_COUNT_OF(event_cases), REFUSALS = WD_COUNT_OF(refusal_cases) };
    struct CMUnitTest tests[EVENTS + REFUSALS + 2] = {
        cmocka_unit_test(as_many_as_there_are_bits),
        cmocka_unit_test(an_event_that_fails_says_which),
    };
    for (size_t i = 0; i < EVENTS; i++) {
        tests[i + 2] = (struct CMUnitTest){ .name = event_cases[i].name,
            .test_func = event_happens_when_due_and_once,
            .initial_state = (void *)(uintptr_t)&event_cases[i] };
    }
    for (size_t i = 0; i < REFUSALS; i++) {
        tests[EVENTS + i + 2] = (struct CMUnitTest){ .name = refusal_cases[i].name,
            .test_func = wrong_events_are_refused,
            .initial_state = (void *)(uintptr_t)&refusal_cases[i] };
    }
    return cmocka_run_group_tests_name("task events", tests, NULL, NULL);
}
