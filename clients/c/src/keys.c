// keys.c - CURVE keys of a connection: those given, or, for a tcp endpoint, those of the environment.
#include "connection.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LINE_SIZE = 512,
    KEY_LENGTH = WD_CONNECTION_KEY_SIZE - 1,
};

/// The key of that name in the curve section of a key file (czmq's zcert, as `worldctl key new` writes it).
static int read_key(
    const char *path, const char *name, char ret_key[WD_CONNECTION_KEY_SIZE], wd_client_error *error)
{
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return wd_connection_fail(error, WD_CLIENT_ENOENT, "%.300s: %s", path, strerror(errno));
    }
    char line[LINE_SIZE], key[LINE_SIZE], found[LINE_SIZE] = "";
    bool in_curve = false;
    while (found[0] == '\0' && fgets(line, sizeof line, file) != NULL) {
        if (line[0] != ' ' && line[0] != '\t') {
            in_curve = strncmp(line, "curve", 5) == 0;
        } else if (in_curve && sscanf(line, " %511[a-z-] = \"%511[^\"]\"", key, found) != 2) {
            found[0] = '\0';
        } else if (in_curve && strcmp(key, name) != 0) {
            found[0] = '\0';
        }
    }
    fclose(file);
    bool right = strlen(found) == KEY_LENGTH;
    if (right) {
        memcpy(ret_key, found, WD_CONNECTION_KEY_SIZE);
    }
    explicit_bzero(line, sizeof line);
    explicit_bzero(found, sizeof found);
    return right ? WD_CLIENT_OK
                 : wd_connection_fail(error, WD_CLIENT_EINVAL, "%.300s: holds no %s", path, name);
}

static int use_environment(wd_connection *connection, wd_client_error *error)
{
    const char *own = getenv("WORLDD_KEY"), *server = getenv("WORLDD_SERVER_KEY");
    if (strncmp(connection->endpoint, "tcp://", 6) != 0 || (own == NULL && server == NULL)) {
        return WD_CLIENT_OK;
    }
    if (own == NULL || server == NULL) {
        return wd_connection_fail(error, WD_CLIENT_EINVAL,
            "CURVE needs both: one's own key (WORLDD_KEY) and the server's (WORLDD_SERVER_KEY)");
    }
    int status = read_key(own, "public-key", connection->public_key, error);
    status = status == WD_CLIENT_OK ? read_key(own, "secret-key", connection->secret_key, error) : status;
    // Z85 has '/' and '.' among its characters, so that only the file system tells a key from a path.
    if (status == WD_CLIENT_OK && strlen(server) == KEY_LENGTH && access(server, F_OK) != 0) {
        strcpy(connection->server_key, server);
    } else if (status == WD_CLIENT_OK) {
        status = read_key(server, "public-key", connection->server_key, error);
    }
    return status;
}

int wd_connection_use_keys(wd_connection *connection, const wd_client_keys *keys, wd_client_error *error)
{
    if (keys == NULL) {
        return use_environment(connection, error);
    }
    const struct {
        const char *name, *given;
        char *kept;
    } rows[] = { { "public_key", keys->public_key, connection->public_key },
        { "secret_key", keys->secret_key, connection->secret_key },
        { "server_key", keys->server_key, connection->server_key } };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].given == NULL || strlen(rows[i].given) != WD_CONNECTION_KEY_SIZE - 1) {
            return wd_connection_fail(
                error, WD_CLIENT_EINVAL, "keys.%s: must be 40 characters of Z85", rows[i].name);
        }
        strcpy(rows[i].kept, rows[i].given);
    }
    return WD_CLIENT_OK;
}
