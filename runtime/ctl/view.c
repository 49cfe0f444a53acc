// What an app's view shows of an entity, as a person would see it.
#include "phone.h"

#include <string.h>

typedef struct view_arguments {
    const char *app, *view, *id, *state;
} view_arguments;

static const struct argp_option options[] = {
    { "state", 's', "FILE", 0, "Of this state (default: a fresh phone's)", 0 },
    { 0 },
};

static error_t parse(int key, char *value, struct argp_state *state)
{
    view_arguments *given = state->input;
    switch (key) {
    case 's':
        given->state = value;
        return 0;
    case ARGP_KEY_ARG: {
        const char **const slots[] = { &given->app, &given->view, &given->id };
        ctl_place_argument(value, state, slots, WD_COUNT_OF(slots));
        return 0;
    }
    case ARGP_KEY_END:
        if (given->view == NULL) {
            argp_error(state, "wants an app and an entity (and its id), or a view");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int ctl_view(int argc, char **argv)
{
    view_arguments given = { 0 };
    ctl_parse(argc, argv, options, parse, "APP ENTITY ID | APP VIEW [ID]",
        "Read through an app's views: overlay over world data, tombstones hidden, counts derived.\v"
        "Examples:\n  worldctl view contacts state_user\n  worldctl view forum post p1\n"
        "  worldctl view forum state_post p1 --state state.json\n\n"
        "Exit codes: 0 printed, 1 there is no such entity, 2 no such app or view.",
        &given);
    wd_error error = { .text = "out of memory" };
    wd_config config;
    ctl_phone phone = { 0 };
    wd_value *state = NULL, *args = NULL, *shown = NULL;
    char view[256];
    bool named = strncmp(given.view, "view_", 5) == 0 || strncmp(given.view, "state_", 6) == 0;
    snprintf(view, sizeof view, "%s%s", named || given.id == NULL ? "" : "view_", given.view);
    wd_status status = ctl_config(&config, &error);
    status = status == WD_OK ? ctl_phone_open(&config, true, 0, &phone, &error) : status;
    if (status == WD_OK) {
        status = given.state == NULL ? wd_device_state(phone.device, &state)
                                     : ctl_read_json(given.state, &state, &error);
    }
    status = status == WD_OK ? wd_value_pack(&args, given.id == NULL ? "[]" : "[s]", given.id) : status;
    status =
        status == WD_OK ? wd_phone_view(phone.host, state, given.app, view, args, &shown, &error) : status;
    bool found = shown != NULL && !wd_value_is(shown, WD_KIND_NULL);
    if (status == WD_OK && found) {
        ctl_print(shown, WD_JSON_PRETTY);
    }
    wd_value_unref(&shown);
    wd_value_unref(&args);
    wd_value_unref(&state);
    ctl_phone_close(&phone);
    return status != WD_OK ? ctl_fault(&error) : found ? CTL_OK : CTL_NO;
}
