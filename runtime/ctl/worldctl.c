// worldctl: what people and scripts do with worldd, one command a file.
#include "ctl.h"

#include <stdlib.h>
#include <string.h>

const char *argp_program_version = "worldctl " WD_VERSION_TEXT;

static const ctl_command commands[] = {
    { "run", ctl_run, "run a task on the daemon and show each step" },
    { "status", ctl_status, "counters, planners and open runs of the daemon" },
    { "shutdown", ctl_shutdown, "end the daemon" },
    { "key", ctl_key, "make and list CURVE keys" },
    { "cancel", ctl_cancel, "end an open run" },
    { "watch", ctl_watch, "steps, changes and verdicts as they happen" },
    { "top", ctl_top, "the daemon at a glance" },
    { "imagine", ctl_imagine, "try lists of steps on forks of an env or a run" },
    { "snapshot", ctl_snapshot, "save a snapshot of an env as a file, load it again" },
    { "replay", ctl_replay, "execute a recorded episode again, or a folder of screens" },
    { "state", ctl_state, "the state of a run, of an episode's step, or of a fresh phone" },
    { "episode", ctl_episode, "import recordings of other tools, export training data" },
    { "scene", ctl_scene, "a foreign screen as canonical scene" },
    { "action", ctl_action, "a model's replies as canonical actions" },
    { "tasks", ctl_tasks, "list, show and audit task templates" },
    { "eval", ctl_eval, "run many tasks with a planner and say how it did" },
    { "judge", ctl_judge, "the verdict on two states" },
    { "app", ctl_app, "make, check and explore app packs" },
    { "view", ctl_view, "what an app's view shows of an entity" },
    { "shell", ctl_shell, "drive a phone by hand" },
    { "diff", ctl_diff, "what changed between two states" },
    { "patch", ctl_patch, "merge a patch into a state" },
    { "get", ctl_get, "what a path leads to" },
    { "digest", ctl_digest, "digests of JSON files" },
    { "conform", ctl_conform, "replay a file of vectors" },
    { "schema", ctl_schema, "JSON Schema of the state" },
};

static void usage(FILE *out)
{
    fputs("Usage: worldctl [--key FILE --server-key KEY] COMMAND [OPTION...] [ARG...]\n\n", out);
    for (size_t i = 0; i < WD_COUNT_OF(commands); i++) {
        fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].help);
    }
    fputs(
        "\nworldctl COMMAND --help tells more. Exit codes: 0 yes, 1 no, 2 could not be done, 64 bad usage.\n"
        "The daemon is found by --endpoint, WORLDD_CONTROL, or daemon.json in WORLDD_DAEMON_DIRECTORY.\n"
        "Over tcp: --key names our NAME.key_secret, --server-key the daemon's server.key; also WORLDD_KEY "
        "and\n"
        "WORLDD_SERVER_KEY.\n",
        out);
}

/// Options before the command: they are the same as variables of the environment. @return how many words they take.
static int take_options(int argc, char **argv)
{
    static const struct {
        const char *option, *variable;
    } rows[] = { { "--key", "WORLDD_KEY" }, { "--server-key", "WORLDD_SERVER_KEY" } };
    int at = 1;
    for (size_t i = 0; at < argc && i < WD_COUNT_OF(rows); i++) {
        size_t length = strlen(rows[i].option);
        if (strncmp(argv[at], rows[i].option, length) != 0) {
            continue;
        }
        if (argv[at][length] == '=') {
            setenv(rows[i].variable, argv[at] + length + 1, 1);
            at += 1;
        } else if (argv[at][length] == '\0' && at + 1 < argc) {
            setenv(rows[i].variable, argv[at + 1], 1);
            at += 2;
        } else {
            continue;
        }
        i = SIZE_MAX;  // from the first row again
    }
    return at - 1;
}

int main(int argc, char **argv)
{
    int taken = take_options(argc, argv);
    argc -= taken;
    argv += taken;
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-?") == 0) {
        usage(argc < 2 ? stderr : stdout);
        return argc < 2 ? CTL_USAGE : CTL_OK;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        puts(argp_program_version);
        return CTL_OK;
    }
    for (size_t i = 0; i < WD_COUNT_OF(commands); i++) {
        if (strcmp(commands[i].name, argv[1]) == 0) {
            char name[64];
            snprintf(name, sizeof name, "worldctl %s", argv[1]);
            argv[1] = name;  // what argp calls the program in its messages
            return commands[i].run(argc - 1, argv + 1);
        }
    }
    fprintf(stderr, "worldctl: unknown command \"%s\"; worldctl --help lists them\n", argv[1]);
    return CTL_USAGE;
}
