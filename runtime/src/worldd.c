// worldd: the daemon's command line.
#include "runtime/config.h"
#include "runtime/daemon.h"
#include "runtime/log.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

const char *argp_program_version = "worldd " WD_VERSION_TEXT;

enum { OPTION_CHECK = 0x100, OPTION_PRINT, OPTION_SETTINGS };
enum { ASSIGNMENTS_MAX = 64 };

static const struct argp_option options[] = {
    { "config", 'c', "FILE", 0, "Read settings from FILE (INI)", 0 },
    { "directory", 'd', "DIR", 0,
        "Directory of sockets, lock and daemon.json; same as --set daemon.directory=DIR", 0 },
    { "set", 's', "SECTION.NAME=VALUE", 0, "Set one setting; may be repeated, wins over file and environment",
        0 },
    { "check-config", OPTION_CHECK, NULL, 0, "Check the settings, say what is wrong, and exit", 1 },
    { "print-config", OPTION_PRINT, NULL, 0, "Print effective settings and where each came from, and exit",
        1 },
    { "settings", OPTION_SETTINGS, NULL, 0,
        "List every setting with its range and environment variable, and exit", 1 },
    { 0 },
};

static const char doc[] =
    "World-model runtime daemon for agents that operate a phone.\v"
    "Examples:\n"
    "  worldd                                  serve in the default directory\n"
    "  worldd -d /tmp/w                        serve on ipc sockets in /tmp/w\n"
    "  worldd -s world.history=50 --print-config\n\n"
    "Exit codes: 0 stopped by SIGTERM or SIGINT, 1 could not serve, 2 bad settings, 64 bad usage.";

typedef struct arguments {
    const char *file;
    const char *assignments[ASSIGNMENTS_MAX];
    size_t assignment_count;
    bool check, print;
    char directory[WD_CONFIG_TEXT_MAX + 32];
} arguments;

static error_t parse(int key, char *value, struct argp_state *state)
{
    arguments *given = state->input;
    if (key == 'd') {
        snprintf(given->directory, sizeof given->directory, "daemon.directory=%s", value);
        key = 's';
        value = given->directory;
    }
    switch (key) {
    case 'c':
        given->file = value;
        return 0;
    case 's':
        if (given->assignment_count == ASSIGNMENTS_MAX) {
            argp_error(state, "over %d assignments", ASSIGNMENTS_MAX);
        }
        given->assignments[given->assignment_count++] = value;
        return 0;
    case OPTION_CHECK:
        given->check = true;
        return 0;
    case OPTION_PRINT:
        given->print = true;
        return 0;
    case OPTION_SETTINGS:
        wd_config_print_help(stdout);
        exit(0);
    case ARGP_KEY_ARG:
        argp_error(state, "unexpected argument \"%s\"", value);
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/// Every source in order; every fault is told. @retval false  something was wrong.
static bool read_config(const arguments *given, wd_config *config, wd_config_origins *origins)
{
    extern char **environ;
    wd_error error;
    wd_config_default(config);
    bool right = given->file == NULL || wd_config_read_file(given->file, config, origins, stderr) == WD_OK;
    right = wd_config_read_environment(environ, config, origins, stderr) == WD_OK && right;
    for (size_t i = 0; i < given->assignment_count; i++) {
        if (wd_config_set(given->assignments[i], config, origins, &error) != WD_OK) {
            fprintf(stderr, "--set: %s\n", error.text);
            right = false;
        }
    }
    if (right && wd_config_finish(config, &error) != WD_OK) {
        fprintf(stderr, "%s\n", error.text);
        right = false;
    }
    return right;
}

/// Tell systemd, when it asked for it: one datagram, no library.
static void notify(const char *text)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    if (path == NULL || strlen(path) >= sizeof address.sun_path) {
        return;
    }
    strcpy(address.sun_path, path);
    if (path[0] == '@') {
        address.sun_path[0] = '\0';
    }
    int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor >= 0) {
        socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
        ssize_t sent = sendto(descriptor, text, strlen(text), 0, (const struct sockaddr *)&address, length);
        (void)sent;  // nobody listens: nothing to do about it
        close(descriptor);
    }
}

static void ready(const wd_config *config)
{
    printf("worldd ready: planner %s control %s\n", config->planner_endpoint, config->control_endpoint);
    fflush(stdout);
    notify("READY=1");
}

int main(int argc, char **argv)
{
    arguments given = { 0 };
    const struct argp parser = { options, parse, NULL, doc, NULL, NULL, NULL };
    argp_parse(&parser, argc, argv, 0, NULL, &given);
    static wd_config config;
    wd_config_origins *origins = wd_config_origins_new();
    bool right = read_config(&given, &config, origins);
    if (given.print && right) {
        wd_config_print(&config, origins, stdout);
    }
    wd_config_origins_destroy(&origins);
    if (!right) {
        return 2;
    }
    wd_error error;
    if (given.check && wd_daemon_check(&config, &error) != WD_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 2;
    }
    if (given.check || given.print) {
        return 0;
    }
    wd_log_set_level(config.log_level);
    wd_status status = wd_daemon_serve(&config, ready, &error);
    notify("STOPPING=1");
    if (status != WD_OK) {
        wd_log(WD_LOG_ERROR, "%s", error.text);
        return 1;
    }
    return 0;
}
