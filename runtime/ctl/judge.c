// worldctl judge: the verdict on two states, without a daemon and without a phone.
#include "phone.h"

#include "judge/verdict.h"
#include "runtime/task_check.h"
#include "runtime/task_library.h"

#include <stdlib.h>

static const struct argp_option options[] = {
    { "init", 'i', "FILE", 0, "The state {apps, os} before", 0 },
    { "final", 'f', "FILE", 0, "The state afterwards; \"-\" is standard input", 0 },
    { "task", 't', "FILE", 0, "The task's document", 0 },
    { "param", 'k', "NAME=VALUE", 0, "A parameter of the task; may be repeated", 0 },
    { "answer", 'a', "TEXT", 0, "What was answered", 0 },
    { "route", 'r', "PATH", 0, "Route of the screen in front at the end", 0 },
    { "json", 'j', NULL, 0, "The verdict as JSON", 0 },
    { 0 },
};
static const char doc[] =
    "Judge what became of a phone: the task's checks on the final state, and every change that the task does "
    "not excuse.\v"
    "Examples:\n"
    "  worldctl judge --init before.json --final after.json --task tasks/demo/bluetooth_off.json\n"
    "  worldctl judge -i a.json -f b.json -t task.json -k contact='Li Wei' --answer 13800010001 --json\n\n"
    "Exit codes: 0 passed, 1 not passed, 2 could not be judged.";

typedef struct judge_arguments {
    const char *initial, *final, *task, *answer, *route;
    wd_value *params;
    bool json;
} judge_arguments;

static error_t parse(int key, char *value, struct argp_state *state)
{
    judge_arguments *given = state->input;
    wd_error error;
    switch (key) {
    case 'i':
        given->initial = value;
        return 0;
    case 'f':
        given->final = value;
        return 0;
    case 't':
        given->task = value;
        return 0;
    case 'a':
        given->answer = value;
        return 0;
    case 'r':
        given->route = value;
        return 0;
    case 'j':
        given->json = true;
        return 0;
    case 'k':
        if (ctl_add_param(&given->params, value, &error) != WD_OK) {
            argp_error(state, "%s", error.text);
        }
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "\"%s\": states and task are given by options", value);
        return 0;
    case ARGP_KEY_END:
        if (given->initial == NULL || given->final == NULL || given->task == NULL) {
            argp_error(state, "wants --init, --final and --task");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/// The clock of the state's phone, for answers such as "tomorrow".
static wd_answer_clock clock_of(const wd_value *state)
{
    enum { UTC_OFFSET_MIN = 480 };  // a state does not say its zone: the default of the embedded phone
    const wd_value *ms = wd_object_get(wd_object_get(wd_object_get(state, "os"), "time"), "timestamp");
    return (wd_answer_clock){
        .known = wd_value_is(ms, WD_KIND_INT),
        .ms = wd_value_int_or(ms, 0),
        .utc_offset_min = UTC_OFFSET_MIN,
    };
}

static wd_status judge_states(const judge_arguments *given, wd_task_judging *judging, const wd_value *initial,
    const wd_value *final, wd_value **ret_verdict)
{
    wd_rules *rules = NULL;
    wd_verdict *verdict = NULL;
    wd_value *route = NULL;
    wd_judge_functions functions = wd_task_checks(judging);
    wd_status status = wd_rules_new(judging->task->document, &rules);
    if (status == WD_OK && given->route != NULL) {
        status = wd_value_pack(&route, "{s:s}", "path", given->route);
    }
    if (status == WD_OK) {
        wd_judge_input input = {
            .rules = rules,
            .initial = initial,
            .final = final,
            .route = route,
            .answer = given->answer,
            .clock = clock_of(final),
            .functions = &functions,
            .apps_required = true,
        };
        status = wd_judge(&input, &verdict);
    }
    status = status == WD_OK ? wd_verdict_to_value(verdict, ret_verdict) : status;
    wd_verdict_destroy(&verdict);
    wd_value_unref(&route);
    wd_rules_destroy(&rules);
    return status;
}

int ctl_judge(int argc, char **argv)
{
    judge_arguments given = { .params = wd_value_object() };
    ctl_parse(argc, argv, options, parse, "", doc, &given);
    wd_error error = { .text = "out of memory" };
    wd_value *document = NULL, *initial = NULL, *final = NULL, *verdict = NULL;
    wd_task task = { 0 };
    wd_config config;
    ctl_phone phone = { 0 };
    wd_status status = wd_task_file_read(given.task, &document, &error);
    status = status == WD_OK ? ctl_read_json(given.initial, &initial, &error) : status;
    status = status == WD_OK ? ctl_read_json(given.final, &final, &error) : status;
    status = status == WD_OK ? wd_task_bind(document, given.params, &task, &error) : status;
    status = status == WD_OK ? wd_task_check_names(&task, &error) : status;
    if (status == WD_OK && wd_object_get(document, "views") != NULL) {  // else no app is wanted
        status = ctl_config(&config, &error);
        status = status == WD_OK ? ctl_phone_open(&config, false, 0, &phone, &error) : status;
    }
    if (status == WD_OK) {
        wd_task_judging judging = { .task = &task, .host = phone.host };
        status = judge_states(&given, &judging, initial, final, &verdict);
    }
    int code = CTL_FAULT;
    if (status != WD_OK) {
        ctl_fault(&error);
    } else {
        if (given.json) {
            ctl_print(verdict, WD_JSON_COMPACT);
        } else {
            ctl_print_verdict(verdict);
        }
        bool judged = wd_object_get(verdict, "error") == NULL;
        bool passed = wd_value_bool_or(wd_object_get(verdict, "passed"), false);
        code = !judged ? CTL_FAULT : passed ? CTL_OK : CTL_NO;
    }
    ctl_phone_close(&phone);
    wd_task_done(&task);
    wd_value_unref(&document);
    wd_value_unref(&initial);
    wd_value_unref(&final);
    wd_value_unref(&verdict);
    wd_value_unref(&given.params);
    return code;
}
