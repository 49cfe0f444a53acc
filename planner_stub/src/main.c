// planner-stub: a planner that follows a script, to learn from and to test with.
#include "planner_stub/script.h"
#include "planner_stub/session.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *argp_program_version = "planner-stub 0.1.0";

enum { KEY_MAX_INFLIGHT = 256, KEY_THINK, KEY_FAULT, KEY_ONCE, KEY_GIVE_UP };

typedef struct stub_arguments {
    wd_session_options session;
    const char *script;
} stub_arguments;

static const struct argp_option options[] = {
    { "endpoint", 'e', "ENDPOINT", 0, "worldd's planner socket (default: $WORLDD_PLANNER)", 0 },
    { "script", 's', "FILE", 0, "the plan script, see planner_stub/README.md", 0 },
    { "name", 'n', "NAME", 0, "name to be known by (default: stub)", 0 },
    { "max-inflight", KEY_MAX_INFLIGHT, "N", 0, "requests taken at once (default: 8)", 0 },
    { "once", KEY_ONCE, NULL, 0, "exit after the answer that ends a run", 0 },
    { "give-up", KEY_GIVE_UP, "MS", 0, "exit with 1 when worldd cannot be reached for so long", 0 },
    { "quiet", 'q', NULL, 0, "say nothing", 0 },
    { NULL, 0, NULL, 0, "For tests:", 1 },
    { "think", KEY_THINK, "MS", 0, "take so long over each answer", 1 },
    { "fault", KEY_FAULT, "NAME", 0, "hang, silent, die, twice, garbage, stranger or refuse", 1 },
    { 0 },
};

static uint32_t number(struct argp_state *state, const char *text, uint32_t least, uint32_t most)
{
    char *end = NULL;
    unsigned long value = strtoul(text, &end, 10);
    if (end == text || *end != '\0' || value < least || value > most) {
        argp_error(state, "%s is no number from %u to %u", text, least, most);
    }
    return (uint32_t)value;
}

static wd_fault fault(struct argp_state *state, const char *name)
{
    for (wd_fault value = WD_FAULT_NONE; value < WD_FAULT_COUNT; value++) {
        if (strcmp(name, wd_fault_name(value)) == 0) {
            return value;
        }
    }
    argp_error(state, "%s is no fault", name);
    return WD_FAULT_NONE;
}

static error_t take_option(int key, char *value, struct argp_state *state)
{
    stub_arguments *arguments = state->input;
    switch (key) {
    case 'e':
        arguments->session.endpoint = value;
        break;
    case 's':
        arguments->script = value;
        break;
    case 'n':
        arguments->session.name = value;
        break;
    case 'q':
        arguments->session.quiet = true;
        break;
    case KEY_ONCE:
        arguments->session.once = true;
        break;
    case KEY_MAX_INFLIGHT:
        arguments->session.max_inflight = number(state, value, 1, 64);
        break;
    case KEY_THINK:
        arguments->session.think_ms = number(state, value, 0, 3600 * 1000);
        break;
    case KEY_GIVE_UP:
        arguments->session.give_up_ms = number(state, value, 1, 3600 * 1000);
        break;
    case KEY_FAULT:
        arguments->session.fault = fault(state, value);
        break;
    case ARGP_KEY_END:
        if (arguments->session.endpoint == NULL || arguments->script == NULL) {
            argp_error(state, "--endpoint and --script are needed");
        }
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static uint8_t *plan(void *context, const Worldd__V1__PlanRequest *request, size_t *ret_length,
    bool *ret_ended, char ret_error[256])
{
    uint8_t *reply = wd_script_plan(context, request, ret_length, ret_error);
    *ret_ended = wd_script_ended(context);
    return reply;
}

int main(int argc, char **argv)
{
    static const struct argp argp = { options, take_option, NULL,
        "A planner that follows a script.\vExit status: 0 as asked, 1 worldd cannot be reached, 2 rejected "
        "or wrong "
        "script, 3 superseded by a newer instance of the name.",
        NULL, NULL, NULL };
    stub_arguments arguments = {
        .session = { .endpoint = getenv("WORLDD_PLANNER"), .name = "stub", .max_inflight = 8 }
    };
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    char error[WD_SCRIPT_ERROR_MAX] = "";
    wd_script *script = wd_script_load(arguments.script, error);
    if (script == NULL) {
        fprintf(stderr, "planner-stub: %s\n", error);
        return 2;
    }
    int status = wd_session_run(&arguments.session, plan, script);
    wd_script_destroy(&script);
    return status;
}
