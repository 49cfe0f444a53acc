#include "ctl.h"

#include "runtime/task_library.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct argp_option options[] = {
    CTL_ENDPOINT_OPTION,
    { "planner", 'p', "NAME", 0, "Ask only the planner of this name", 0 },
    { "executor", 'x', "NAME", 0,
        "Run on the device of the executor of this name, * for any, instead of the embedded phone", 0 },
    { "instruction", 't', "TEXT", 0, "With --executor: what is to be done, instead of TASK", 0 },
    { "param", 'k', "NAME=VALUE", 0, "A parameter of the task; may be repeated", 0 },
    { "seed", 's', "N", 0, "Seed of the phone (default 0)", 0 },
    { "option", 'o', "NAME=VALUE", 0,
        "world, semantic, enricher, history, step_limit, repetition_limit or imagine of this run", 0 },
    { "imagine", 'm', "N", 0, "Steps of what-if that its planners may ask for", 0 },
    { "run-id", 'i', "ID", 0, "Name of the run and of its episode file", 0 },
    { "json", 'j', NULL, 0, "One JSON line a step, last the result", 0 },
    { 0 },
};
static const char doc[] =
    "Run TASK (an id below the task directory, or a file that ends in .json) and show each step as it "
    "happens.\v"
    "Examples:\n"
    "  worldctl run demo/bluetooth_off\n"
    "  worldctl run demo/message_contact -k contact='Li Wei' -k text=hello --planner scripted\n"
    "  worldctl run task.json --json | tail -n 1\n"
    "  worldctl run --executor pixel 'Delete the oldest note'\n\n"
    "Exit codes: 0 the run passed (or could not be judged and completed), 1 it did not, 2 it could not be "
    "run.";

typedef struct run_arguments {
    const char *endpoint, *task;
    wd_value *args, *params, *options;
    bool json, instructed;
} run_arguments;

static void set_text(wd_value **object_p, const char *name, const char *text)
{
    wd_value *value = NULL;
    if (wd_value_text(text, &value) != WD_OK || wd_object_set(object_p, name, &value) != WD_OK) {
        fprintf(stderr, "worldctl: %s: not UTF-8, or memory is out\n", name);
        exit(CTL_FAULT);
    }
}

static void set_number(wd_value **object_p, const char *name, const char *text, struct argp_state *state)
{
    char assignment[64];
    wd_error error;
    snprintf(assignment, sizeof assignment, "%s=%s", name, text);
    if (ctl_add_param(object_p, assignment, &error) != WD_OK ||
        !wd_value_is(wd_object_get(*object_p, name), WD_KIND_INT)) {
        argp_error(state, "--%s: \"%s\" is no whole number", name, text);
    }
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    run_arguments *given = state->input;
    wd_error error;
    switch (key) {
    case 'e':
        given->endpoint = value;
        return 0;
    case 'p':
        set_text(&given->args, "planner", value);
        return 0;
    case 'i':
        set_text(&given->args, "run_id", value);
        return 0;
    case 'x':
        set_text(&given->args, "executor", value);
        return 0;
    case 't':
        given->instructed = true;
        set_text(&given->args, "instruction", value);
        return 0;
    case 'j':
        given->json = true;
        return 0;
    case 's':
        set_number(&given->args, "seed", value, state);
        return 0;
    case 'm':
        set_number(&given->options, "imagine", value, state);
        return 0;
    case 'k':
    case 'o':
        if (ctl_add_param(key == 'k' ? &given->params : &given->options, value, &error) != WD_OK) {
            argp_error(state, "%s", error.text);
        }
        return 0;
    case ARGP_KEY_NO_ARGS:
        if (given->instructed) {
            return 0;  // it stands for the task
        }
        argp_usage(state);
        return EINVAL;
    default:
        return ctl_one_argument(key, value, state, &given->task);
    }
}

static const char *text_of(const wd_value *object, const char *name, const char *fallback)
{
    return wd_value_string_or(wd_object_get(object, name), fallback);
}

/// "app page", shortened to what fits.
static void print_place(const wd_value *event, const char *app, const char *page)
{
    printf("%s%s %s%s", ctl_paint(CTL_CYAN), text_of(event, app, "?"), text_of(event, page, "?"),
        ctl_paint(CTL_PLAIN));
}

/// Names, each with its value in `values` (NULL: without).
static void print_names(const char *title, const wd_value *names, const wd_value *values)
{
    wd_iter name = wd_iter_start(names);
    for (bool first = true; wd_iter_next(&name); first = false) {
        const char *text = wd_value_string_or(name.value, "?");
        const wd_value *value = wd_object_get(values, text);
        wd_buffer json = { 0 };
        bool shown = value != NULL && wd_json_write(value, WD_JSON_COMPACT, &json) == WD_OK;
        printf("%s%s%s%.*s", first ? title : ", ", text, shown ? " = " : "",
            (int)(json.length > 120 ? 120 : json.length), shown ? json.bytes : "");
        wd_buffer_done(&json);
    }
}

static void print_action(const wd_value *event)
{
    printf("%s%s%s", ctl_paint(CTL_BOLD), text_of(event, "action", "?"), ctl_paint(CTL_PLAIN));
    wd_iter arg = wd_iter_start(wd_object_get(event, "args"));
    while (wd_iter_next(&arg)) {
        if (strcmp(arg.key, "remember") == 0) {
            continue;
        }
        wd_buffer text = { 0 };
        if (wd_json_write(arg.value, WD_JSON_COMPACT, &text) == WD_OK) {
            printf(" %s=%s", arg.key, text.bytes);
        }
        wd_buffer_done(&text);
    }
}

static void print_step(const wd_value *event)
{
    printf("%4lld  ", (long long)wd_value_int_or(wd_object_get(event, "index"), 0));
    print_place(event, "app_before", "page_before");
    printf(" -> ");
    print_place(event, "app_after", "page_after");
    printf("\n      ");
    print_action(event);
    const char *outcome = text_of(event, "outcome", "?"), *code = text_of(event, "code", "ok");
    if (strcmp(code, "ok") != 0) {
        printf("  %s%s: %s %s%s", ctl_paint(CTL_YELLOW), outcome, code, text_of(event, "text", ""),
            ctl_paint(CTL_PLAIN));
    }
    const char *change = text_of(event, "last_change", NULL);
    if (change != NULL) {
        printf("\n      %s%s%s", ctl_paint(CTL_DIM), change, ctl_paint(CTL_PLAIN));
    }
    print_names("\n      remembered ", wd_object_get(event, "remembered"),
        wd_object_get(wd_object_get(event, "args"), "remember"));
    print_names("\n      forgot ", wd_object_get(event, "forgotten"), NULL);
    const char *refused = text_of(event, "refused", NULL);
    if (refused != NULL) {
        printf("\n      %srefused: %s%s", ctl_paint(CTL_YELLOW), refused, ctl_paint(CTL_PLAIN));
    }
    putchar('\n');
}

static void on_progress(void *context, const wd_value *event)
{
    const run_arguments *given = context;
    if (given->json) {
        ctl_print(event, WD_JSON_COMPACT);
    } else if (wd_value_is_text(wd_object_get(event, "event"), "begin")) {
        printf("run %s%s%s: %s\n      ", ctl_paint(CTL_BOLD), text_of(event, "run", "?"),
            ctl_paint(CTL_PLAIN), text_of(event, "instruction", "?"));
        print_place(event, "app", "page");
        putchar('\n');
    } else if (wd_value_is_text(wd_object_get(event, "event"), "thought")) {
        fputs("      ", stdout);
        ctl_print_thought(event);
        putchar('\n');
    } else {
        print_step(event);
    }
    fflush(stdout);
}

static void print_result(const wd_value *result)
{
    printf("ended: %s%s%s after %lld steps", ctl_paint(CTL_BOLD), text_of(result, "ending", "?"),
        ctl_paint(CTL_PLAIN), (long long)wd_value_int_or(wd_object_get(result, "steps"), 0));
    const char *text = text_of(result, "text", NULL), *answer = text_of(result, "answer", NULL);
    printf("%s%s%s%s\n", text == NULL ? "" : ", ", text == NULL ? "" : text,
        answer == NULL ? "" : "; answer: ", answer == NULL ? "" : answer);
    const wd_value *world = wd_object_get(result, "world");
    if (world != NULL) {
        wd_buffer variables = { 0 };
        if (wd_json_write(wd_object_get(world, "variables"), WD_JSON_COMPACT, &variables) == WD_OK) {
            printf("world: app %s, page %s%s, variables %s, screen seen %lld times\n",
                text_of(world, "current_app", "unknown"), text_of(world, "current_page", "unknown"),
                wd_value_bool_or(wd_object_get(world, "stale"), false) ? " (stale)" : "", variables.bytes,
                (long long)wd_value_int_or(wd_object_get(world, "repeat_count"), 0));
        }
        wd_buffer_done(&variables);
    } else {
        puts("world: off");
    }
    const wd_value *verdict = wd_object_get(result, "verdict");
    if (verdict != NULL) {
        ctl_print_verdict(verdict);
    } else if (strcmp(text_of(result, "ending", "?"), "cancelled") != 0) {
        puts("verdict: none, the task demands nothing that could be judged");
    }
    printf("episode: %s\n", text_of(result, "episode", "?"));
}

/// The task as the daemon takes it: the document of a file, an id, or, on an executor's device, words.
static wd_status complete_task(run_arguments *given, wd_error *error)
{
    wd_value *task = NULL;
    if (given->task == NULL) {
        return WD_OK;  // --instruction
    }
    size_t length = strlen(given->task);
    bool is_file = length > 5 && strcmp(given->task + length - 5, ".json") == 0;
    bool is_words = !is_file && strchr(given->task, ' ') != NULL;  // no id has a blank
    bool foreign = wd_object_get(given->args, "executor") != NULL;
    wd_status status =
        is_file ? wd_task_file_read(given->task, &task, error) : wd_value_text(given->task, &task);
    status = status == WD_OK
                 ? wd_object_set(&given->args, is_words && foreign ? "instruction" : "task", &task)
                 : status;
    wd_value_unref(&task);
    return status;
}

static wd_status complete_args(run_arguments *given, wd_error *error)
{
    wd_status status = complete_task(given, error);
    status = status == WD_OK ? wd_object_set(&given->args, "params", &given->params) : status;
    return status == WD_OK ? wd_object_set(&given->args, "options", &given->options) : status;
}

int ctl_run(int argc, char **argv)
{
    run_arguments given = {
        .args = wd_value_object(),
        .params = wd_value_object(),
        .options = wd_value_object(),
    };
    ctl_parse(argc, argv, options, parse, "TASK", doc, &given);
    wd_error error = { .text = "out of memory" };
    wd_control_client *client = NULL;
    wd_value *result = NULL;
    wd_status status = complete_args(&given, &error);
    status = status == WD_OK ? ctl_connect(given.endpoint, &client, &error) : status;
    if (status == WD_OK) {
        status = wd_control_request(client, "run", given.args, -1, on_progress, &given, &result, &error);
    }
    int code = CTL_FAULT;
    if (status != WD_OK) {
        ctl_fault(&error);
    } else {
        const wd_value *verdict = wd_object_get(result, "verdict");
        bool good = verdict != NULL ? wd_value_bool_or(wd_object_get(verdict, "passed"), false)
                                    : wd_value_is_text(wd_object_get(result, "ending"), "complete");
        code = good ? CTL_OK : CTL_NO;
        if (given.json) {
            ctl_print(result, WD_JSON_COMPACT);
        } else {
            print_result(result);
        }
    }
    wd_control_client_destroy(&client);
    wd_value_unref(&result);
    wd_value_unref(&given.args);
    wd_value_unref(&given.params);
    wd_value_unref(&given.options);
    return code;
}
