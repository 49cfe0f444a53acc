// Snapshots of envs as files: save, load.
#include "ctl.h"

#include "runtime/snapshot_file.h"

#include <string.h>

typedef struct snapshot_arguments {
    const char *endpoint, *words[3];
    size_t count;
} snapshot_arguments;

static const struct argp_option options[] = {
    CTL_ENDPOINT_OPTION,
    { 0 },
};

static error_t parse(int key, char *value, struct argp_state *state)
{
    snapshot_arguments *given = state->input;
    switch (key) {
    case 'e':
        given->endpoint = value;
        return 0;
    case ARGP_KEY_ARG:
        if (given->count == WD_COUNT_OF(given->words)) {
            argp_error(state, "unexpected argument \"%s\"", value);
        }
        given->words[given->count++] = value;
        return 0;
    case ARGP_KEY_END: {
        bool save = given->count == 3 && strcmp(given->words[0], "save") == 0;
        bool load = given->count == 2 && strcmp(given->words[0], "load") == 0;
        if (!save && !load) {
            argp_error(state, "say \"save SNAPSHOT FILE\" or \"load FILE\"");
        }
        return 0;
    }
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static wd_status save(wd_control_client *client, const char *snapshot, const char *path, wd_error *error)
{
    wd_value *args = NULL, *bundle = NULL;
    wd_status status = wd_value_pack(&args, "{s:s}", "snapshot", snapshot);
    if (status == WD_OK) {
        status = wd_control_request(client, "env_export", args, 30000, NULL, NULL, &bundle, error);
    }
    status = status == WD_OK ? wd_snapshot_save(path, bundle, error) : status;
    if (status == WD_OK) {
        puts(wd_value_string_or(wd_object_get(bundle, "digest"), ""));
    }
    wd_value_unref(&args);
    wd_value_unref(&bundle);
    return status;
}

static wd_status load(wd_control_client *client, const char *path, wd_error *error)
{
    wd_value *args = NULL, *bundle = NULL, *result = NULL;
    wd_status status = wd_snapshot_load(path, &bundle, error);
    status = status == WD_OK ? wd_value_pack(&args, "{s:v}", "bundle", bundle) : status;
    if (status == WD_OK) {
        status = wd_control_request(client, "env_import", args, 30000, NULL, NULL, &result, error);
    }
    if (status == WD_OK) {
        puts(wd_value_string_or(wd_object_get(result, "snapshot"), ""));
    }
    wd_value_unref(&args);
    wd_value_unref(&bundle);
    wd_value_unref(&result);
    return status;
}

int ctl_snapshot(int argc, char **argv)
{
    snapshot_arguments given = { 0 };
    ctl_parse(argc, argv, options, parse, "save SNAPSHOT FILE\nload FILE",
        "A snapshot of an env as one portable file. save prints its digest, load the id that it has in this "
        "daemon, which env_fork and env_restore take.\vExamples:\n  worldctl snapshot save "
        "73f81ac5e73128e7b163e41bd71a3a00 start.wdsnap\n  worldctl snapshot load start.wdsnap",
        &given);
    wd_error error = { .text = "out of memory" };
    wd_control_client *client = NULL;
    wd_status status = ctl_connect(given.endpoint, &client, &error);
    if (status == WD_OK) {
        status = strcmp(given.words[0], "save") == 0 ? save(client, given.words[1], given.words[2], &error)
                                                     : load(client, given.words[1], &error);
    }
    wd_control_client_destroy(&client);
    return status == WD_OK ? CTL_OK : ctl_fault(&error);
}
