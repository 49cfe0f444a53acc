#include "phone.h"

#include "runtime/control_client.h"
#include "runtime/episode.h"
#include "tree/delta.h"
#include "tree/path.h"

#include <stdlib.h>
#include <string.h>

static const struct argp_option options[] = {
    { "run", 'r', "RUN", 0, "Of an open run of the daemon", 0 },
    CTL_ENDPOINT_OPTION,
    { "episode", 'f', "FILE", 0, "Of a recorded episode", 0 },
    { "step", 'n', "N", 0, "After step N of the episode (default: the last; -1: the start)", 0 },
    { "seed", 's', "N", 0, "Seed of a fresh phone (default 0)", 0 },
    { "json", 'j', NULL, 0, "Compact JSON on one line", 0 },
    { 0 },
};
static const char doc[] = "Print the visible state {os, apps}, or what PATH leads to: of an open run, of an "
                          "episode's step, or of a freshly "
                          "booted phone.\v"
                          "Examples:\n"
                          "  worldctl state os.settings.global.bluetoothEnabled\n"
                          "  worldctl state --episode run.jsonl --step 3 os.providers.sms\n"
                          "  worldctl state --run bluetooth_off-0-1 --json\n\n"
                          "Exit codes: 0 printed, 1 the path leads nowhere, 2 there is no such state.";

typedef struct state_arguments {
    const char *run, *endpoint, *episode, *path;
    long step;
    bool step_given, json;
    uint64_t seed;
} state_arguments;

static long number(struct argp_state *state, const char *text)
{
    char *end = NULL;
    long value = strtol(text, &end, 10);
    if (end == text || *end != '\0') {
        argp_error(state, "\"%s\" is no whole number", text);
    }
    return value;
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    state_arguments *given = state->input;
    switch (key) {
    case 'r':
        given->run = value;
        return 0;
    case 'e':
        given->endpoint = value;
        return 0;
    case 'f':
        given->episode = value;
        return 0;
    case 'n':
        given->step = number(state, value);
        given->step_given = true;
        return 0;
    case 's':
        given->seed = (uint64_t)number(state, value);
        return 0;
    case 'j':
        given->json = true;
        return 0;
    case ARGP_KEY_ARG:
        if (given->path != NULL) {
            argp_error(state, "one path at a time");
        }
        given->path = value;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/// The start of the episode and then delta by delta: no phone is driven.
static wd_status state_of_episode(
    const state_arguments *given, const wd_config *config, wd_value **ret_state, wd_error *error)
{
    wd_episode episode = { 0 };
    ctl_phone phone = { 0 };
    wd_value *state = NULL;
    wd_status status = wd_episode_load(given->episode, &episode, error);
    long last = status == WD_OK ? (long)wd_array_count(episode.steps) - 1 : 0;
    long wanted = given->step_given ? given->step : last;
    if (status == WD_OK && (wanted < -1 || wanted > last)) {
        status = wd_error_set(
            error, WD_ENOENT, "%s: has steps 0 to %ld, no step %ld", given->episode, last, wanted);
    }
    const wd_value *machine = wd_object_get(episode.header, "machine");
    if (status == WD_OK && machine == NULL) {
        status = wd_error_set(
            error, WD_EUNSUPPORTED, "%s: was not recorded on the embedded phone", given->episode);
    }
    status = status == WD_OK ? ctl_phone_open(config, true, 0, &phone, error) : status;
    status = status == WD_OK ? wd_device_restore(phone.device, machine, error) : status;
    status = status == WD_OK ? wd_device_state(phone.device, &state) : status;
    for (long i = 0; status == WD_OK && i <= wanted; i++) {
        const wd_value *delta = wd_object_get(wd_array_at(episode.steps, (size_t)i), "delta");
        wd_value *next = NULL;
        status = delta == NULL ? WD_OK : wd_delta_apply(state, delta, &next, error);
        if (next != NULL) {
            wd_value_unref(&state);
            state = next;
        }
    }
    ctl_phone_close(&phone);
    wd_episode_done(&episode);
    if (status != WD_OK) {
        wd_value_unref(&state);
        return status;
    }
    *ret_state = state;
    return WD_OK;
}

static wd_status state_of_run(
    const state_arguments *given, const wd_config *config, wd_value **ret_state, wd_error *error)
{
    char endpoint[WD_CONFIG_TEXT_MAX];
    wd_control_client *client = NULL;
    wd_value *args = NULL;
    wd_status status =
        wd_control_endpoint(given->endpoint, config->directory, endpoint, sizeof endpoint, error);
    status = status == WD_OK ? wd_control_client_new(endpoint, "worldctl", 3000, &client, error) : status;
    status = status == WD_OK ? wd_value_pack(&args, "{s:s}", "run", given->run) : status;
    status = status == WD_OK ? wd_control_request(client, "state", args, 5000, NULL, NULL, ret_state, error)
                             : status;
    wd_value_unref(&args);
    wd_control_client_destroy(&client);
    return status;
}

static wd_status state_of_fresh(
    const state_arguments *given, const wd_config *config, wd_value **ret_state, wd_error *error)
{
    ctl_phone phone = { 0 };
    wd_status status = ctl_phone_open(config, true, given->seed, &phone, error);
    status = status == WD_OK ? wd_device_state(phone.device, ret_state) : status;
    ctl_phone_close(&phone);
    return status;
}

int ctl_state(int argc, char **argv)
{
    state_arguments given = { 0 };
    ctl_parse(argc, argv, options, parse, "[PATH]", doc, &given);
    wd_error error = { .text = "out of memory" };
    wd_config config;
    wd_value *state = NULL;
    wd_status status = ctl_config(&config, &error);
    if (status == WD_OK) {
        status = given.run != NULL       ? state_of_run(&given, &config, &state, &error)
                 : given.episode != NULL ? state_of_episode(&given, &config, &state, &error)
                                         : state_of_fresh(&given, &config, &state, &error);
    }
    if (status != WD_OK) {
        return ctl_fault(&error);
    }
    const wd_value *part = given.path == NULL ? state : wd_value_get_path(state, given.path);
    if (part == NULL) {
        fprintf(stderr, "worldctl: %s leads nowhere\n", given.path);
    } else {
        ctl_print(part, given.json ? WD_JSON_COMPACT : WD_JSON_PRETTY);
    }
    wd_value_unref(&state);
    return part == NULL ? CTL_NO : CTL_OK;
}
