/// connection.h - one DEALER socket to a worldd and what every peer says on it: Hello, heartbeats, Goodbye. Shared by
/// clients and planners; what they ask and answer is theirs.
#ifndef WORLDD_CLIENT_CONNECTION_H
#define WORLDD_CLIENT_CONNECTION_H

#include "proto/frame.h"
#include "proto/worldd.pb-c.h"
#include "worldd/client.h"

#include <stdbool.h>
#include <stdint.h>
#include <zmq.h>

enum {
    // Of worldd's socket, after which libzmq cuts the connection. A watcher that reads slowly hears no heartbeats behind what
    // waits for it; worldd's own death is told by the Pings.
    WD_CONNECTION_CUT_MS = 60 * 1000,
    WD_CONNECTION_SEND_MS = 2000,  // a message that nobody takes for so long: worldd is gone
    WD_CONNECTION_FRAME_MAX = 2 * WD_FRAME_SIZE_MAX,
    WD_CONNECTION_NAME_MAX = 64,
    WD_CONNECTION_ENDPOINT_MAX = 512,
    WD_CONNECTION_KEY_SIZE = 41,  // Z85 with its NUL
};

typedef struct wd_connection {
    void *zmq, *socket;  // the socket is NULL while there is no connection
    char endpoint[WD_CONNECTION_ENDPOINT_MAX], name[WD_CONNECTION_NAME_MAX + 1];
    char public_key[WD_CONNECTION_KEY_SIZE], secret_key[WD_CONNECTION_KEY_SIZE],
        server_key[WD_CONNECTION_KEY_SIZE];  // "": none
    const char *role;                        // of the Hello; static
    uint32_t max_inflight;                   // of the Hello
    uint8_t instance[16];                    // the same for life: it scopes the request ids
    uint8_t boot_id[16];                     // of the daemon that said Welcome last; zero before the first
    int send_ms;
    int64_t heartbeat_ms, silence_ms, heard_ms;
    uint64_t beats;
    size_t frame_max;  // bytes of one frame that the daemon accepts
} wd_connection;

/// One incoming message; zmq_msg_close() its body.
typedef struct wd_incoming {
    uint16_t kind;
    zmq_msg_t body;
} wd_incoming;

/// Write the error, when there is one to write. @return status.
int wd_connection_fail(wd_client_error *error, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int64_t wd_connection_clock_ms(void);

/// What all need before they open a socket. The endpoint given, or else the one in the environment: `variable`, or
/// `socket_name` in $WORLDD_DAEMON_DIRECTORY. wd_connection_done() follows also after an error.
int wd_connection_init(wd_connection *connection, const char *role, const char *name, const char *endpoint,
    const char *variable, const char *socket_name, wd_client_error *error);
void wd_connection_done(wd_connection *connection);

/// For the connections from now on (keys.c). NULL: for a tcp endpoint those of $WORLDD_KEY and $WORLDD_SERVER_KEY, if set.
/// @retval WD_CLIENT_EINVAL  one of them has not 40 characters. @retval WD_CLIENT_ENOENT  there is no such file.
int wd_connection_use_keys(wd_connection *connection, const wd_client_keys *keys, wd_client_error *error);
int wd_connection_open(wd_connection *connection, wd_client_error *error);
void wd_connection_drop(wd_connection *connection);

/// @retval WD_CLIENT_EPEERLOST  Nobody takes it. @retval WD_CLIENT_ENOMEM.
int wd_connection_send(
    wd_connection *connection, wd_kind_number kind, const ProtobufCMessage *body, wd_client_error *error);
int wd_connection_send_bytes(
    wd_connection *connection, wd_kind_number kind, const void *body, size_t length, wd_client_error *error);
int wd_connection_send_hello(wd_connection *connection, wd_client_error *error);
int wd_connection_send_ping(wd_connection *connection, wd_client_error *error);
/// Does not wait for a worldd that takes nothing.
void wd_connection_send_goodbye(wd_connection *connection, const char *reason);

/// Read what has come, without waiting. @retval WD_CLIENT_ETIMEOUT  Nothing has. @retval WD_CLIENT_EPROTO.
int wd_connection_receive(wd_connection *connection, wd_incoming *ret_message, wd_client_error *error);
/// Heartbeats and boot id from now on. @retval WD_CLIENT_EPROTO.
int wd_connection_take_welcome(wd_connection *connection, wd_incoming *message, wd_client_error *error);
/// @return WD_CLIENT_EDENIED with worldd's own words.
int wd_connection_take_reject(wd_incoming *message, wd_client_error *error);
/// Answer a Ping.
int wd_connection_take_ping(wd_connection *connection, wd_incoming *message, wd_client_error *error);

#endif
