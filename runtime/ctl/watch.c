// What happens on the daemon, as it happens: watch (a line a step), top.
#include "ctl.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct watch_arguments {
    const char *endpoint, *run, *env;
    bool json;
    int count;  // top: screens to draw, 0: for ever
} watch_arguments;

static const struct argp_option options[] = {
    CTL_ENDPOINT_OPTION,
    { "env", 'E', "ENV", 0, "Only this env", 0 },
    { "json", 'j', NULL, 0, "Print each event as JSON", 0 },
    { 0 },
};

static const struct argp_option top_options[] = {
    CTL_ENDPOINT_OPTION,
    { "count", 'n', "N", 0, "Draw N times, a second apart, then end", 0 },
    { 0 },
};

static error_t parse(int key, char *value, struct argp_state *state)
{
    watch_arguments *given = state->input;
    switch (key) {
    case 'e':
        given->endpoint = value;
        return 0;
    case 'E':
        given->env = value;
        return 0;
    case 'j':
        given->json = true;
        return 0;
    case ARGP_KEY_ARG:
        ctl_place_argument(value, state, (const char **const[]){ &given->run }, 1);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_top(int key, char *value, struct argp_state *state)
{
    watch_arguments *given = state->input;
    switch (key) {
    case 'e':
        given->endpoint = value;
        return 0;
    case 'n':
        given->count = (int)strtol(value, NULL, 10);
        if (given->count < 1) {
            argp_error(state, "--count must be a number above 0");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const char *text_of(const wd_value *event, const char *name)
{
    return wd_value_string_or(wd_object_get(event, name), "");
}

// ---- watch --------------------------------------------------------------------------------------------------------

typedef struct watch_screen {
    bool json;
    int64_t dropped;
} watch_screen;

static void print_line(const wd_value *event)
{
    const char *kind = text_of(event, "event");
    const char *env = text_of(event, "env"), *run = text_of(event, "run");
    const wd_value *verdict = wd_object_get(event, "verdict");
    const char *outcome = text_of(event, "outcome");
    // Envs by the front of their id: a whole one fills half the line.
    printf("%s%.*s%s ", ctl_paint(CTL_DIM), env[0] != '\0' ? 8 : 40, env[0] != '\0' ? env : run,
        ctl_paint(CTL_PLAIN));
    if (strcmp(kind, "step") == 0) {
        bool ok = strcmp(outcome, "ok") == 0;
        printf("%3lld %s%-12s%s %s", (long long)wd_value_int_or(wd_object_get(event, "index"), 0),
            ctl_paint(ok ? CTL_GREEN : CTL_RED), text_of(event, "action"), ctl_paint(CTL_PLAIN),
            text_of(event, "code"));
        if (env[0] != '\0') {
            printf(" %lld changes",
                (long long)(wd_array_count(wd_object_get(event, "changes")) +
                            (size_t)wd_value_int_or(wd_object_get(event, "changes_more"), 0)));
        } else {
            printf(" %s %s %s", text_of(event, "app_after"), text_of(event, "page_after"),
                text_of(event, "last_change"));
        }
    } else if (strcmp(kind, "thought") == 0) {
        ctl_print_thought(event);
    } else {
        printf("%s %s", kind, text_of(event, "instruction"));
    }
    const char *ending = text_of(event, "ending");
    if (ending[0] != '\0') {
        printf(" %s%s%s", ctl_paint(CTL_BOLD), ending, ctl_paint(CTL_PLAIN));
    }
    if (verdict != NULL) {
        bool passed = wd_value_bool_or(wd_object_get(verdict, "passed"), false);
        printf(" %s%s%s", ctl_paint(passed ? CTL_GREEN : CTL_RED), passed ? "passed" : "not passed",
            ctl_paint(CTL_PLAIN));
    }
    putchar('\n');
}

static void on_event(void *context, const wd_value *event)
{
    watch_screen *screen = context;
    int64_t dropped = wd_value_int_or(wd_object_get(event, "dropped"), 0);
    if (screen->json) {
        ctl_print(event, WD_JSON_COMPACT);
    } else {
        if (dropped > screen->dropped) {
            printf("%s%lld dropped%s\n", ctl_paint(CTL_YELLOW), (long long)(dropped - screen->dropped),
                ctl_paint(CTL_PLAIN));
        }
        print_line(event);
    }
    screen->dropped = dropped;
    fflush(stdout);
}

int ctl_watch(int argc, char **argv)
{
    watch_arguments given = { 0 };
    ctl_parse(argc, argv, options, parse, "[RUN]",
        "Steps, changes and verdicts as they happen, a line each: of one run, one env (--env), or all.\v"
        "Examples:\n  worldctl watch\n  worldctl watch bluetooth_off-0-1\n  worldctl watch --env "
        "73f81ac5e73128e7b163e41bd71a3a00 --json",
        &given);
    wd_error error = { .text = "out of memory" };
    wd_control_client *client = NULL;
    wd_value *args = NULL, *result = NULL;
    watch_screen screen = { .json = given.json };
    wd_status status = ctl_connect(given.endpoint, &client, &error);
    status =
        status == WD_OK ? wd_value_pack(&args, "{s:?s,s:?s}", "run", given.run, "env", given.env) : status;
    if (status == WD_OK) {
        status = wd_control_request(client, "watch", args, -1, on_event, &screen, &result, &error);
    }
    wd_value_unref(&args);
    wd_value_unref(&result);
    wd_control_client_destroy(&client);
    return status == WD_OK ? CTL_OK : ctl_fault(&error);
}

// ---- top ----------------------------------------------------------------------------------------------------------

static int64_t number_at(const wd_value *value, const char *name)
{
    return wd_value_int_or(wd_object_get(value, name), 0);
}

static void draw(const wd_value *status, const wd_value *runs, const wd_value *stats, int64_t steps_before)
{
    const wd_value *planners = wd_object_get(status, "planners");
    if (isatty(STDOUT_FILENO)) {
        fputs("\033[H\033[2J", stdout);
    }
    printf("worldd %s  runs %lld  planners %lld  requests %lld\n", text_of(status, "version"),
        (long long)number_at(wd_object_get(status, "runs"), "open"), (long long)number_at(planners, "peers"),
        (long long)number_at(planners, "requests_open"));
    printf("envs %lld  snapshots %lld  steps/s %lld  %.1f MiB\n", (long long)number_at(stats, "envs"),
        (long long)number_at(stats, "snapshots"),
        (long long)(steps_before < 0 ? 0 : number_at(stats, "steps") - steps_before),
        (double)number_at(stats, "bytes") / (1 << 20));
    wd_iter iter = wd_iter_start(runs);
    while (wd_iter_next(&iter)) {
        printf("  %-40s %4lld %s %s\n", text_of(iter.value, "run"), (long long)number_at(iter.value, "steps"),
            text_of(iter.value, "app"), text_of(iter.value, "page"));
    }
    fflush(stdout);
}

int ctl_top(int argc, char **argv)
{
    static const char *const verbs[] = { "status", "runs", "env_stats" };
    watch_arguments given = { 0 };
    ctl_parse(argc, argv, top_options, parse_top, "",
        "The daemon at a glance, drawn anew each second.\vExamples:\n  worldctl top\n  worldctl top -n 1",
        &given);
    wd_error error = { .text = "out of memory" };
    wd_control_client *client = NULL;
    int64_t steps_before = -1;
    wd_status status = ctl_connect(given.endpoint, &client, &error);
    for (int i = 0; status == WD_OK && (given.count == 0 || i < given.count); i++) {
        wd_value *results[WD_COUNT_OF(verbs)] = { 0 };
        if (i > 0) {
            nanosleep(&(struct timespec){ .tv_sec = 1 }, NULL);
        }
        for (size_t v = 0; status == WD_OK && v < WD_COUNT_OF(verbs); v++) {
            status = wd_control_request(client, verbs[v], NULL, 5000, NULL, NULL, &results[v], &error);
        }
        if (status == WD_OK) {
            draw(results[0], results[1], results[2], steps_before);
            steps_before = number_at(results[2], "steps");
        }
        for (size_t v = 0; v < WD_COUNT_OF(verbs); v++) {
            wd_value_unref(&results[v]);
        }
    }
    wd_control_client_destroy(&client);
    return status == WD_OK ? CTL_OK : ctl_fault(&error);
}
