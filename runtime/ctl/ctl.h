/// ctl.h - what the commands of worldctl share. A command is a file; worldctl.c holds the table.
#ifndef CTL_CTL_H
#define CTL_CTL_H

#include "runtime/config.h"
#include "runtime/control_client.h"
#include "tree/json.h"

#include <argp.h>
#include <stdbool.h>

/// Exit codes: what scripts read.
enum {
    CTL_OK = 0,      // done, and the answer is yes
    CTL_NO = 1,      // done, and the answer is no: not passed, diverged, differs, rows failed
    CTL_FAULT = 2,   // could not be done
    CTL_USAGE = 64,  // argp's
};

typedef struct ctl_command {
    const char *name;
    int (*run)(int argc, char **argv);  // argv[0] is "worldctl NAME"
    const char *help;                   // one line
} ctl_command;

int ctl_run(int argc, char **argv);
int ctl_replay(int argc, char **argv);
int ctl_state(int argc, char **argv);
int ctl_scene(int argc, char **argv);
int ctl_status(int argc, char **argv);
int ctl_cancel(int argc, char **argv);
int ctl_episode(int argc, char **argv);
int ctl_action(int argc, char **argv);
int ctl_app(int argc, char **argv);
int ctl_view(int argc, char **argv);
int ctl_shell(int argc, char **argv);
int ctl_diff(int argc, char **argv);
int ctl_patch(int argc, char **argv);
int ctl_get(int argc, char **argv);
int ctl_digest(int argc, char **argv);
int ctl_conform(int argc, char **argv);
int ctl_schema(int argc, char **argv);
int ctl_watch(int argc, char **argv);
int ctl_top(int argc, char **argv);
int ctl_snapshot(int argc, char **argv);
int ctl_imagine(int argc, char **argv);
int ctl_key(int argc, char **argv);
int ctl_shutdown(int argc, char **argv);
int ctl_judge(int argc, char **argv);
int ctl_tasks(int argc, char **argv);
int ctl_eval(int argc, char **argv);

/// "worldctl: text" on stderr; returns CTL_FAULT.
int ctl_fault(const wd_error *error);
/// Print a value and a newline on stdout.
void ctl_print(const wd_value *value, wd_json_style style);
/// Read a JSON file, "-" is standard input.
WD_NODISCARD wd_status ctl_read_json(const char *path, wd_value **ret_value, wd_error *error);
/// Settings from WORLDD_CONFIG (a file) and the environment, for commands that work without a daemon.
WD_NODISCARD wd_status ctl_config(wd_config *ret_config, wd_error *error);
/// Connect to the daemon at `endpoint`, or (NULL) to the one that the environment tells.
WD_NODISCARD wd_status ctl_connect(const char *endpoint, wd_control_client **ret_client, wd_error *error);
/// Add "name=value" to an object: value is JSON when it parses, else a text.
WD_NODISCARD wd_status ctl_add_param(wd_value **object_p, const char *assignment, wd_error *error);

/// What a planner thinks (a thought event), on one line, whatever it holds.
void ctl_print_thought(const wd_value *event);
/// A verdict (verdict.h of the judge, as value) for people.
void ctl_print_verdict(const wd_value *verdict);

/// Colour: only on a terminal, and not when NO_COLOR is set.
typedef enum ctl_colour { CTL_PLAIN, CTL_BOLD, CTL_DIM, CTL_GREEN, CTL_RED, CTL_YELLOW, CTL_CYAN } ctl_colour;
const char *ctl_paint(ctl_colour colour);  // "" when there is no colour

/// What a command with exactly one argument does with argp's keys: keep the first, refuse a second and none.
error_t ctl_one_argument(int key, char *value, struct argp_state *state, const char **slot);
/// The argument that argp is at goes into its slot; one more than there are slots is refused.
void ctl_place_argument(char *value, struct argp_state *state, const char **const slots[], size_t count);
/// The row of argp options for wd_control_client's endpoint.
#define CTL_ENDPOINT_OPTION                                                                                  \
    {                                                                                                        \
        "endpoint", 'e', "ENDPOINT", 0, "Control endpoint of the daemon", 0                                  \
    }
/// Parse with a one-command argp; `doc` ends with examples. `options` is NULL when there are none.
void ctl_parse(int argc, char **argv, const struct argp_option *options, argp_parser_t parser,
    const char *args, const char *doc, void *input);

#endif
