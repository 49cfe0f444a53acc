#include "raw_peer.h"

#include "proto/frame.h"

#include <string.h>
#include <zmq.h>

enum { WIRE_VARINT = 0, WIRE_BYTES = 2 };

static void put_varint(raw_body *body, uint64_t number)
{
    enum { VARINT_SIZE_MAX = 10 };
    while (body->length + VARINT_SIZE_MAX < sizeof body->bytes && number >= 0x80) {
        body->bytes[body->length++] = (uint8_t)(number | 0x80);
        number >>= 7;
    }
    body->bytes[body->length++] = (uint8_t)number;
}

void raw_put_number(raw_body *body, unsigned field, uint64_t number)
{
    put_varint(body, field << 3 | WIRE_VARINT);
    put_varint(body, number);
}

void raw_put_bytes(raw_body *body, unsigned field, const void *bytes, size_t length)
{
    put_varint(body, field << 3 | WIRE_BYTES);
    put_varint(body, length);
    if (body->length + length <= sizeof body->bytes) {
        memcpy(body->bytes + body->length, bytes, length);
        body->length += length;
    }
}

void raw_put_text(raw_body *body, unsigned field, const char *text)
{
    raw_put_bytes(body, field, text, strlen(text));
}

static uint64_t get_varint(const uint8_t *bytes, size_t length, size_t *at)
{
    uint64_t number = 0;
    for (unsigned shift = 0; *at < length && shift < 64; shift += 7) {
        uint8_t byte = bytes[(*at)++];
        number |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) {
            break;
        }
    }
    return number;
}

uint64_t raw_find_number(const uint8_t *bytes, size_t length, unsigned field)
{
    uint64_t found = 0;
    for (size_t at = 0; at < length;) {
        uint64_t tag = get_varint(bytes, length, &at), number = get_varint(bytes, length, &at);
        if ((tag & 7) == WIRE_BYTES) {
            at += number;
        } else if ((tag & 7) != WIRE_VARINT) {
            break;  // no message of worldd's has such a field at the top
        } else if (tag >> 3 == field) {
            found = number;
        }
    }
    return found;
}

void *raw_open(void *zmq, const char *endpoint)
{
    void *socket = zmq_socket(zmq, ZMQ_DEALER);
    int patience = RAW_PATIENCE_MS, linger = 0;
    bool opened = socket != NULL && zmq_setsockopt(socket, ZMQ_RCVTIMEO, &patience, sizeof patience) == 0 &&
                  zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof linger) == 0 &&
                  zmq_connect(socket, endpoint) == 0;
    if (!opened && socket != NULL) {
        zmq_close(socket);
        socket = NULL;
    }
    return socket;
}

void *raw_introduce(void *zmq, const char *endpoint, const char *role, const char *name, uint64_t instance,
    unsigned max_inflight)
{
    enum { MIN_MAJOR = 1, MAX_MAJOR, MAX_MINOR, ROLE = 5, NAME, INSTANCE, MAX_INFLIGHT };
    uint8_t instance_bytes[16] = { 0 };
    raw_body hello = { .length = 0 };
    uint16_t kind = 0;
    size_t length = 0;
    memcpy(instance_bytes, &instance, sizeof instance);
    raw_put_number(&hello, MIN_MAJOR, WD_PROTO_MAJOR);
    raw_put_number(&hello, MAX_MAJOR, WD_PROTO_MAJOR);
    raw_put_text(&hello, ROLE, role);
    raw_put_text(&hello, NAME, name);
    raw_put_bytes(&hello, INSTANCE, instance_bytes, sizeof instance_bytes);
    raw_put_number(&hello, MAX_INFLIGHT, max_inflight);
    void *socket = raw_open(zmq, endpoint);
    bool welcome = socket != NULL && raw_send(socket, WD_MSG_HELLO, &hello) &&
                   raw_receive(socket, &kind, NULL, 0, &length) && kind == WD_MSG_WELCOME;
    if (!welcome && socket != NULL) {
        zmq_close(socket);
        socket = NULL;
    }
    return socket;
}

bool raw_send(void *socket, uint16_t kind, const raw_body *body)
{
    uint8_t header[WD_FRAME_HEADER_SIZE];
    wd_frame_write(kind, header);
    return zmq_send(socket, header, sizeof header, ZMQ_SNDMORE) >= 0 &&
           zmq_send(socket, body->bytes, body->length, 0) >= 0;
}

bool raw_receive(void *socket, uint16_t *ret_kind, void *bytes, size_t size, size_t *ret_length)
{
    uint8_t header[WD_FRAME_HEADER_SIZE];
    if (zmq_recv(socket, header, sizeof header, 0) != (int)sizeof header ||
        wd_frame_read(header, sizeof header, ret_kind) != WD_FRAME_OK) {
        return false;
    }
    int length = zmq_recv(socket, bytes, size, 0);
    *ret_length = length < 0 ? 0 : (size_t)length;
    return length >= 0;
}
