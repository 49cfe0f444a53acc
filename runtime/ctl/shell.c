// Drive a phone by hand: what can be touched has a number, u undoes any number of steps.
#include "phone.h"

#include "runtime/sim_executor.h"
#include "tree/path.h"
#include "tree/text.h"

#include <stdlib.h>
#include <unistd.h>

enum { UNDO_MAX = 10 * 1000 };  // snapshots kept; each costs what its step changed

typedef struct shell {
    ctl_phone phone;
    wd_scene *scene;
    wd_value *undo[UNDO_MAX];
    size_t undo_count;
    bool prompt;
} shell;

typedef struct shell_arguments {
    uint64_t seed;
} shell_arguments;

static const struct argp_option options[] = {
    { "seed", 's', "N", 0, "Seed of the phone (default 0)", 0 },
    { 0 },
};

static error_t parse(int key, char *value, struct argp_state *state)
{
    shell_arguments *given = state->input;
    if (key != 's') {
        return ARGP_ERR_UNKNOWN;
    }
    given->seed = strtoull(value, NULL, 10);
    return 0;
}

static bool can_be_touched(const wd_scene *scene, const wd_node *node)
{
    return !node->system_ui && wd_scene_node_visible(scene, node) &&
           (wd_node_is(node, WD_NODE_CLICKABLE) || wd_node_is(node, WD_NODE_EDITABLE));
}

/// The label of a node, else that of the first node inside it that has one; *ret_from is where it stands.
static const char *label_of(const wd_scene *scene, const wd_node *node, int32_t *ret_from)
{
    const char *label = wd_node_label(node);
    *ret_from = node->id;
    for (size_t i = (size_t)node->id + 1; label == NULL && i < wd_scene_node_count(scene); i++) {
        const wd_node *inner = wd_scene_node(scene, i);
        if (inner->parent < node->id) {
            break;  // pre-order: the end of what is inside
        }
        label = wd_node_label(inner);
        *ret_from = inner->id;
    }
    return label;
}

/// Show a node; *shown_p is the last node whose label was shown with the one around it.
static void show_node(const wd_scene *scene, const wd_node *node, int32_t *shown_p)
{
    int32_t from = node->id;
    bool touch = can_be_touched(scene, node);
    const char *label = touch ? label_of(scene, node, &from) : wd_node_label(node);
    if (node->system_ui || !wd_scene_node_visible(scene, node) || (label == NULL && !touch) ||
        node->id == *shown_p) {
        return;
    }
    if (touch) {
        printf("  %s%4d%s", ctl_paint(CTL_CYAN), node->id, ctl_paint(CTL_PLAIN));
    } else {
        printf("      ");
    }
    printf("  %-8s %s", node->role == NULL ? "" : node->role, label == NULL ? "" : label);
    if (wd_node_is(node, WD_NODE_CHECKABLE)) {
        printf("  %s%s%s", ctl_paint(CTL_BOLD), wd_node_is(node, WD_NODE_CHECKED) ? "[on]" : "[off]",
            ctl_paint(CTL_PLAIN));
    }
    printf("%s\n", wd_node_is(node, WD_NODE_FOCUSED) ? "  <" : "");
    *shown_p = from;
}

static wd_status look(shell *at, wd_error *error)
{
    wd_scene *scene = NULL;
    wd_status status = wd_phone_observe(at->phone.host, at->phone.device, &scene, error);
    if (status != WD_OK) {
        return status;
    }
    wd_scene_unref(&at->scene);
    at->scene = scene;
    const wd_scene_info *info = wd_scene_info_of(scene);
    printf("%s%s %s%s\n", ctl_paint(CTL_BOLD), info->app_package == NULL ? "?" : info->app_package,
        info->route == NULL ? "" : info->route, ctl_paint(CTL_PLAIN));
    int32_t shown = -1;
    for (size_t i = 0; i < wd_scene_node_count(scene); i++) {
        show_node(scene, wd_scene_node(scene, i), &shown);
    }
    return WD_OK;
}

static void remember_for_undo(shell *at)
{
    if (at->undo_count == UNDO_MAX) {
        wd_value_unref(&at->undo[0]);
        memmove(&at->undo[0], &at->undo[1], (UNDO_MAX - 1) * sizeof at->undo[0]);
        at->undo_count -= 1;
    }
    at->undo[at->undo_count++] = wd_device_capture(at->phone.device);
}

static wd_status act(shell *at, const wd_action *action, wd_error *error)
{
    wd_result result;
    remember_for_undo(at);
    wd_status status = wd_phone_execute(at->phone.host, at->phone.device, action, at->scene, &result);
    if (status == WD_OK && (result.outcome != WD_OUTCOME_OK || strcmp(result.code, "ok") != 0)) {
        printf("%s%s: %s %s%s\n", ctl_paint(CTL_YELLOW), wd_outcome_name(result.outcome), result.code,
            result.text, ctl_paint(CTL_PLAIN));
    }
    return status == WD_OK ? look(at, error) : status;
}

static wd_status undo(shell *at, long steps, wd_error *error)
{
    wd_status status = WD_OK;
    for (; status == WD_OK && steps > 0 && at->undo_count > 0; steps--) {
        wd_value *machine = at->undo[--at->undo_count];
        status = wd_device_restore(at->phone.device, machine, error);
        wd_value_unref(&machine);
    }
    return status == WD_OK ? look(at, error) : status;
}

static void help(void)
{
    puts("  N            touch node N           t TEXT       type TEXT where the focus is\n"
         "  l N          press node N long      b  h  r      back, home, recents\n"
         "  o APP        launch an app          s up|down    scroll the content\n"
         "  u [N]        undo N steps           p PATH       print a part of the state\n"
         "  e            enter                  ?  q         help, quit");
}

static void print_state(shell *at, const char *path)
{
    wd_value *state = NULL;
    if (wd_device_state(at->phone.device, &state) == WD_OK) {
        const wd_value *part = path[0] == '\0' ? state : wd_value_get_path(state, path);
        if (part == NULL) {
            puts("  it leads nowhere");
        } else {
            ctl_print(part, WD_JSON_PRETTY);
        }
    }
    wd_value_unref(&state);
}

/// The action that a line names; kind INVALID when it names none.
static wd_status action_of(const char *line, wd_action *ret_action)
{
    static const struct {
        char letter;
        wd_action_kind kind;
    } plain[] = { { 'b', WD_ACTION_BACK }, { 'h', WD_ACTION_HOME }, { 'r', WD_ACTION_RECENTS },
        { 'e', WD_ACTION_ENTER } };
    const char *rest = line + 1 + strspn(line + 1, " ");
    char *end = NULL;
    wd_action_init(ret_action, WD_ACTION_INVALID);
    long node = strtol(line[0] == 'l' ? rest : line, &end, 10);
    if (end != line && *end == '\0' && (line[0] == 'l' || (line[0] >= '0' && line[0] <= '9'))) {
        ret_action->kind = line[0] == 'l' ? WD_ACTION_LONG_PRESS : WD_ACTION_TAP;
        ret_action->node = (int32_t)node;
        return WD_OK;
    }
    for (size_t i = 0; i < WD_COUNT_OF(plain); i++) {
        if (line[0] == plain[i].letter && line[1] == '\0') {
            ret_action->kind = plain[i].kind;
        }
    }
    if (line[0] == 't' && line[1] == ' ') {
        ret_action->kind = WD_ACTION_TYPE;
        return wd_action_set_text(&ret_action->text, rest, strlen(rest));
    }
    if (line[0] == 'o' && line[1] == ' ') {
        ret_action->kind = WD_ACTION_LAUNCH_APP;
        return wd_action_set_text(&ret_action->app, rest, strlen(rest));
    }
    if (line[0] == 's' && (strcmp(rest, "up") == 0 || strcmp(rest, "down") == 0)) {
        ret_action->kind = WD_ACTION_SCROLL;
        ret_action->direction = strcmp(rest, "up") == 0 ? WD_DIR_UP : WD_DIR_DOWN;
        ret_action->direction_of = WD_DIR_OF_CONTENT;
    }
    return WD_OK;
}

static wd_status obey(shell *at, const char *line, wd_error *error)
{
    if (line[0] == '?') {
        help();
        return WD_OK;
    }
    if (line[0] == 'p' && (line[1] == ' ' || line[1] == '\0')) {
        print_state(at, line[1] == '\0' ? "" : line + 2);
        return WD_OK;
    }
    if (line[0] == 'u' && (line[1] == ' ' || line[1] == '\0')) {
        long steps = line[1] == '\0' ? 1 : strtol(line + 2, NULL, 10);
        return undo(at, steps, error);
    }
    wd_action action;
    wd_status status = action_of(line, &action);
    if (status == WD_OK && action.kind == WD_ACTION_INVALID) {
        puts("  ? tells what can be said here");
    } else if (status == WD_OK) {
        status = act(at, &action, error);
    }
    wd_action_done(&action);
    return status;
}

static wd_status converse(shell *at, wd_error *error)
{
    char *line = NULL;
    size_t capacity = 0;
    wd_status status = look(at, error);
    while (status == WD_OK) {
        if (at->prompt) {
            fputs("> ", stdout);
        }
        fflush(stdout);
        ssize_t length = getline(&line, &capacity, stdin);
        if (length < 0 || strcmp(line, "q\n") == 0) {
            break;
        }
        if (length > 0 && line[length - 1] == '\n') {
            line[length - 1] = '\0';
        }
        if (line[0] != '\0') {
            status = obey(at, line, error);
            if (status == WD_ESCRIPT) {  // an app's code failed: say so and go on
                printf("%s%s%s\n", ctl_paint(CTL_RED), error->text, ctl_paint(CTL_PLAIN));
                status = WD_OK;
            }
        }
    }
    free(line);
    return status;
}

int ctl_shell(int argc, char **argv)
{
    shell_arguments given = { 0 };
    ctl_parse(argc, argv, options, parse, "",
        "Drive a phone by hand: type the number of what you touch, ? for the rest.\v"
        "Examples:\n  worldctl shell\n  printf 'o settings\\np os.activeAppId\\n' | worldctl shell",
        &given);
    static shell at;
    wd_error error = { .text = "out of memory" };
    wd_config config;
    at.prompt = isatty(STDIN_FILENO);
    wd_status status = ctl_config(&config, &error);
    status = status == WD_OK ? ctl_phone_open(&config, true, given.seed, &at.phone, &error) : status;
    status = status == WD_OK ? converse(&at, &error) : status;
    while (at.undo_count > 0) {
        wd_value_unref(&at.undo[--at.undo_count]);
    }
    wd_scene_unref(&at.scene);
    ctl_phone_close(&at.phone);
    return status == WD_OK ? CTL_OK : ctl_fault(&error);
}
