// Small questions to the daemon: status, cancel, shutdown.
#include "ctl.h"

typedef struct ask_arguments {
    const char *endpoint, *run;
    bool json;
} ask_arguments;

static const struct argp_option options[] = {
    CTL_ENDPOINT_OPTION,
    { "json", 'j', NULL, 0, "Print JSON", 0 },
    { 0 },
};

static error_t parse(int key, char *value, struct argp_state *state)
{
    ask_arguments *given = state->input;
    switch (key) {
    case 'e':
        given->endpoint = value;
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

/// Ask `verb`; takes *args_p. The answer is printed with `print` unless JSON is wanted.
static int ask(const ask_arguments *given, const char *const *verbs, size_t count, wd_value **args_p)
{
    wd_error error = { .text = "out of memory" };
    wd_control_client *client = NULL;
    wd_status status = ctl_connect(given->endpoint, &client, &error);
    for (size_t i = 0; status == WD_OK && i < count; i++) {
        wd_value *result = NULL;
        status = wd_control_request(client, verbs[i], *args_p, 5000, NULL, NULL, &result, &error);
        if (status == WD_OK) {
            if (count > 1 && !given->json) {
                printf("%s%s:%s ", ctl_paint(CTL_BOLD), verbs[i], ctl_paint(CTL_PLAIN));
            }
            ctl_print(result, given->json ? WD_JSON_COMPACT : WD_JSON_PRETTY);
        }
        wd_value_unref(&result);
    }
    wd_control_client_destroy(&client);
    wd_value_unref(args_p);
    return status == WD_OK ? CTL_OK : ctl_fault(&error);
}

int ctl_status(int argc, char **argv)
{
    static const char *const verbs[] = { "status", "planners", "runs" };
    ask_arguments given = { 0 };
    ctl_parse(argc, argv, options, parse, "",
        "Counters, planners and open runs of the daemon.\vExamples:\n  worldctl status\n  worldctl status "
        "--json",
        &given);
    wd_value *args = wd_value_object();
    return ask(&given, verbs, WD_COUNT_OF(verbs), &args);
}

int ctl_shutdown(int argc, char **argv)
{
    static const char *const verbs[] = { "shutdown" };
    ask_arguments given = { 0 };
    ctl_parse(argc, argv, options, parse, "",
        "End the daemon, as SIGTERM does: open runs are ended with the reason recorded. Needs the role "
        "admin.\v"
        "Example:\n  worldctl shutdown",
        &given);
    wd_value *args = wd_value_object();
    return ask(&given, verbs, WD_COUNT_OF(verbs), &args);
}

int ctl_cancel(int argc, char **argv)
{
    static const char *const verbs[] = { "cancel" };
    ask_arguments given = { 0 };
    ctl_parse(argc, argv, options, parse, "RUN",
        "End an open run; the reason is recorded in its episode.\vExample:\n  worldctl cancel "
        "bluetooth_off-0-1",
        &given);
    if (given.run == NULL) {
        fprintf(stderr, "worldctl: cancel needs the name of a run; `worldctl status` lists them\n");
        return CTL_USAGE;
    }
    wd_value *args = NULL;
    if (wd_value_pack(&args, "{s:s}", "run", given.run) != WD_OK) {
        return CTL_FAULT;
    }
    return ask(&given, verbs, WD_COUNT_OF(verbs), &args);
}
