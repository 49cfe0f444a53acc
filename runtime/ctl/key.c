// CURVE keys: make a pair, list those of a daemon.
#include "ctl.h"

#include "runtime/key_file.h"
#include "tree/alloc.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <zmq.h>

static const struct argp_option options[] = {
    { "out", 'o', "DIR", 0, "new: where to put the pair (default: here); made when it is not there", 0 },
    { "keys", 'k', "DIR", 0, "list: the folder of keys (default: the setting doors.keys)", 0 },
    { 0 },
};
static const char doc[] = "CURVE keys, for connections over tcp: `new NAME` makes a pair, NAME.key and "
                          "NAME.key_secret; `list` shows the keys "
                          "in a folder.\v"
                          "Examples:\n"
                          "  worldctl key new --out /etc/worldd/keys server     the daemon's own\n"
                          "  worldctl key new alice                             a client's\n"
                          "  worldctl key list --keys /etc/worldd/keys\n\n"
                          "Exit codes: 0 done, 2 it could not be done, or a key file is wrong.";

typedef struct key_arguments {
    const char *verb, *name, *out, *keys;
} key_arguments;

static error_t parse(int key, char *value, struct argp_state *state)
{
    key_arguments *given = state->input;
    switch (key) {
    case 'o':
        given->out = value;
        return 0;
    case 'k':
        given->keys = value;
        return 0;
    case ARGP_KEY_ARG:
        ctl_place_argument(value, state, (const char **const[]){ &given->verb, &given->name }, 2);
        return 0;
    case ARGP_KEY_END:
        if (given->verb == NULL || (strcmp(given->verb, "new") == 0) != (given->name != NULL)) {
            argp_error(state, "say `new NAME` or `list`");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int make_pair(const char *directory, const char *name)
{
    wd_key_pair pair;
    wd_error error;
    if (mkdir(directory, 0700) != 0 && errno != EEXIST) {
        wd_error_set(&error, WD_EIO, "%s: %s", directory, strerror(errno));
        return ctl_fault(&error);
    }
    if (zmq_curve_keypair(pair.public_key, pair.secret_key) != 0) {
        wd_error_set(&error, WD_EUNSUPPORTED, "this libzmq has no CURVE: %s", zmq_strerror(zmq_errno()));
        return ctl_fault(&error);
    }
    wd_status status = wd_key_file_write(directory, name, &pair, &error);
    explicit_bzero(pair.secret_key, sizeof pair.secret_key);
    if (status != WD_OK) {
        return ctl_fault(&error);
    }
    printf("%s/%s.key_secret  the secret half, mode 0600: keep it where it is used\n", directory, name);
    printf("%s/%s.key         the public half: %s\n\n", directory, name, pair.public_key);
    if (strcmp(name, "server") == 0) {
        printf("The daemon finds it with doors.keys = %s; clients' public halves go to %s/clients/.\n"
               "Give %s/server.key to those who connect.\n",
            directory, directory, directory);
    } else {
        printf("On the daemon's side: put %s.key into KEYS/clients/ (KEYS: its setting doors.keys), a line\n"
               "\"key:%s client\" into its grants (doors.grants), and send it SIGHUP.\n"
               "On this side: worldctl --key %s/%s.key_secret --server-key server.key status -e "
               "tcp://HOST:PORT\n",
            name, name, directory, name);
    }
    return CTL_OK;
}

static int list_keys(const char *directory, const wd_config *config)
{
    wd_error error;
    wd_named_key *keys = NULL;
    size_t count = 0;
    wd_authority *authority = NULL;
    char clients[WD_AUTHORITY_PATH_MAX + 16];
    wd_authority_places places = { 0 };
    snprintf(places.keys, sizeof places.keys, "%s", directory);
    snprintf(places.grants, sizeof places.grants, "%s", config->doors_grants);
    snprintf(clients, sizeof clients, "%s/clients", places.keys);
    wd_status status = wd_key_files_read(clients, &keys, &count, &error);
    if (status == WD_OK && wd_authority_new(&authority) != WD_OK) {
        status = wd_error_set(&error, WD_ENOMEM, "out of memory");
    }
    status = status == WD_OK ? wd_authority_load(authority, &places, &error) : status;
    for (size_t i = 0; status == WD_OK && i < count; i++) {
        char user[WD_USER_TEXT_SIZE], roles[WD_ROLES_TEXT_SIZE];
        snprintf(user, sizeof user, "key:%s", keys[i].name);
        wd_roles_text(wd_authority_roles(authority, wd_authority_user(authority, user)), roles);
        printf("%-20s %s  %s\n", keys[i].name, keys[i].public_key, roles);
    }
    wd_authority_destroy(&authority);
    wd_free(keys, WD_KEYS_MAX * sizeof *keys);
    return status == WD_OK ? CTL_OK : ctl_fault(&error);
}

int ctl_key(int argc, char **argv)
{
    key_arguments given = { 0 };
    ctl_parse(argc, argv, options, parse, "new NAME\nlist", doc, &given);
    if (strcmp(given.verb, "new") == 0) {
        return make_pair(given.out == NULL ? "." : given.out, given.name);
    }
    wd_config config;
    wd_error error;
    if (strcmp(given.verb, "list") != 0) {
        fprintf(stderr, "worldctl: key %s: say `new NAME` or `list`\n", given.verb);
        return CTL_USAGE;
    }
    if (ctl_config(&config, &error) != WD_OK) {
        return ctl_fault(&error);
    }
    const char *keys = given.keys != NULL ? given.keys : config.doors_keys;
    if (keys[0] == '\0') {
        wd_error_set(&error, WD_EINVAL, "no folder of keys: give --keys, or set doors.keys");
        return ctl_fault(&error);
    }
    return list_keys(keys, &config);
}
