/// raw_peer.h - peers of worldd with nothing between them and the bare socket, so that only the daemon and the sockets are
/// measured. Messages are written by hand: a field's number, then a varint or bytes (proto/worldd.proto).
#ifndef RAW_PEER_H
#define RAW_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    RAW_BODY_MAX = 4096,
    RAW_PATIENCE_MS = 60000,
};

typedef struct raw_body {
    uint8_t bytes[RAW_BODY_MAX];
    size_t length;
} raw_body;

void raw_put_number(raw_body *body, unsigned field, uint64_t number);
void raw_put_bytes(raw_body *body, unsigned field, const void *bytes, size_t length);
void raw_put_text(raw_body *body, unsigned field, const char *text);

/// The number in that field of a body, the last one where there are several; 0: it is not there.
uint64_t raw_find_number(const uint8_t *bytes, size_t length, unsigned field);

/// A DEALER at `endpoint` that gives up after RAW_PATIENCE_MS. NULL: none.
void *raw_open(void *zmq, const char *endpoint);
/// The same, known to worldd as `role` and `name`. @param instance  Makes its 16 bytes. NULL: not welcome.
void *raw_introduce(void *zmq, const char *endpoint, const char *role, const char *name, uint64_t instance,
    unsigned max_inflight);

bool raw_send(void *socket, uint16_t kind, const raw_body *body);
/// The next message. @param bytes  Takes at most `size` of its body; *ret_length is what there was. @return false: none came.
bool raw_receive(void *socket, uint16_t *ret_kind, void *bytes, size_t size, size_t *ret_length);

#endif
