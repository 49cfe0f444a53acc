#include "zap.h"

#include "tree/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

// A request: version, request id, domain, address, routing id, mechanism, then credentials (one for CURVE).
enum { VERSION, REQUEST_ID, DOMAIN, ADDRESS, ROUTING_ID, MECHANISM, CREDENTIALS, FIELDS };
enum { FIELD_MAX = 255, KEY_BYTES = 32 };

typedef struct zap_request {
    uint8_t fields[FIELDS][FIELD_MAX + 1];  // each with a NUL behind it
    size_t lengths[FIELDS];
    size_t count;
    bool oversized;
} zap_request;

wd_status wd_zap_open(void *context, const wd_authority *authority, wd_zap *ret_zap, wd_error *error)
{
    wd_zap zap = { .socket = zmq_socket(context, ZMQ_REP), .authority = authority };
    int linger = 0;
    if (zap.socket == NULL || zmq_setsockopt(zap.socket, ZMQ_LINGER, &linger, sizeof linger) != 0 ||
        zmq_bind(zap.socket, "inproc://zeromq.zap.01") != 0) {
        wd_status status = wd_error_set(error, WD_EIO, "the ZAP handler: %s", zmq_strerror(zmq_errno()));
        wd_zap_close(&zap);
        return status;
    }
    *ret_zap = zap;
    return WD_OK;
}

void wd_zap_close(wd_zap *zap)
{
    if (zap->socket != NULL) {
        zmq_close(zap->socket);
        zap->socket = NULL;
    }
}

/// @retval false  nothing waits.
static bool receive(void *socket, zap_request *request)
{
    *request = (zap_request){ 0 };
    for (bool more = true; more; request->count += 1) {
        zmq_msg_t frame;
        zmq_msg_init(&frame);
        if (zmq_msg_recv(&frame, socket, ZMQ_DONTWAIT) < 0) {
            zmq_msg_close(&frame);
            return false;
        }
        size_t length = zmq_msg_size(&frame);
        more = zmq_msg_more(&frame) != 0;
        request->oversized = request->oversized || length > FIELD_MAX;
        if (request->count < FIELDS && length <= FIELD_MAX) {
            memcpy(request->fields[request->count], zmq_msg_data(&frame), length);
            request->lengths[request->count] = length;
        }
        zmq_msg_close(&frame);
    }
    return true;
}

static const char *text_of(const zap_request *request, int field)
{
    return (const char *)request->fields[field];
}

/// Who it is, in the words of wd_authority_roles(). @retval false  nobody that could be granted anything.
static bool identify(
    const wd_authority *authority, const zap_request *request, char ret_user[WD_USER_TEXT_SIZE])
{
    const char *mechanism = text_of(request, MECHANISM), *address = text_of(request, ADDRESS);
    unsigned uid = 0, gid = 0;
    if (strcmp(mechanism, "CURVE") == 0 && request->lengths[CREDENTIALS] == KEY_BYTES) {
        char key[WD_KEY_TEXT_SIZE];
        zmq_z85_encode(key, request->fields[CREDENTIALS], KEY_BYTES);
        return wd_authority_key_user(authority, key, ret_user) == WD_OK;
    }
    if (strcmp(mechanism, "NULL") != 0) {
        return false;
    }
    if (sscanf(address, "localhost:%u:%u:", &uid, &gid) == 2) {  // the kernel's word for an ipc peer
        snprintf(ret_user, WD_USER_TEXT_SIZE, "uid:%u:%u", uid, gid);
        return true;
    }
    if (strncmp(address, "127.", 4) == 0 || strcmp(address, "::1") == 0) {
        strcpy(ret_user, "loopback");
        return true;
    }
    return false;
}

static wd_roles roles_of_domain(const char *domain)
{
    return strcmp(domain, WD_ZAP_DOMAIN_PLANNER) == 0   ? (wd_roles)WD_ROLES_PLANNER_SOCKET
           : strcmp(domain, WD_ZAP_DOMAIN_CONTROL) == 0 ? (wd_roles)WD_ROLES_CONTROL_SOCKET
                                                        : 0;
}

static void answer(void *socket, const zap_request *request, const char *user, wd_roles roles)
{
    char role[WD_ROLES_TEXT_SIZE];
    uint8_t metadata[1 + 4 + 4 + WD_ROLES_TEXT_SIZE] =
        "\4role\0\0\0";  // one property: name, 4-byte length, value
    const char *code = roles == 0 ? "400" : "200", *text = roles == 0 ? "no role here" : "OK";
    wd_roles_text(roles, role);
    size_t length = strlen(role);
    metadata[8] = (uint8_t)length;
    memcpy(metadata + 9, role, length);
    zmq_send(socket, "1.0", 3, ZMQ_SNDMORE);
    zmq_send(socket, request->fields[REQUEST_ID], request->lengths[REQUEST_ID], ZMQ_SNDMORE);
    zmq_send(socket, code, 3, ZMQ_SNDMORE);
    zmq_send(socket, text, strlen(text), ZMQ_SNDMORE);
    zmq_send(socket, user, roles == 0 ? 0 : strlen(user), ZMQ_SNDMORE);
    zmq_send(socket, metadata, roles == 0 ? 0 : 9 + length, 0);
}

void wd_zap_serve(wd_zap *zap, int64_t now_ms)
{
    zap_request request;
    for (int i = 0; i < WD_ZAP_PER_TURN_MAX && receive(zap->socket, &request); i++) {
        char user[WD_USER_TEXT_SIZE] = "";
        wd_roles roles = 0;
        bool sound = !request.oversized && request.count >= CREDENTIALS && request.count <= FIELDS &&
                     strcmp(text_of(&request, VERSION), "1.0") == 0;
        if (sound && identify(zap->authority, &request, user)) {
            roles = wd_authority_roles(zap->authority, wd_authority_user(zap->authority, user)) &
                    roles_of_domain(text_of(&request, DOMAIN));
        }
        zap->admitted += roles != 0;
        zap->refused += roles == 0;
        if (roles == 0 && !zap->quiet && wd_log_within(&zap->log, now_ms)) {
            wd_log(WD_LOG_WARNING, "%s: refused %s from %s (%s): no role there", text_of(&request, DOMAIN),
                user[0] == '\0' ? "a stranger" : user, text_of(&request, ADDRESS),
                text_of(&request, MECHANISM));
        }
        answer(zap->socket, &request, user, roles);
    }
}
