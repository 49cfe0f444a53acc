/// wire_fixture.h - bodies byte by byte, right and wrong ones alike.
#ifndef WIRE_FIXTURE_H
#define WIRE_FIXTURE_H

#include <stdint.h>
#include <string.h>

enum { WIRE_BODY_MAX = 1024 * 1024 };

typedef struct wire_body {
    size_t length;
    uint8_t bytes[WIRE_BODY_MAX];
} wire_body;

static inline void wire_raw(wire_body *body, const void *bytes, size_t length)
{
    wd_assert(length <= sizeof body->bytes - body->length);
    if (length > 0) {
        memcpy(body->bytes + body->length, bytes, length);
    }
    body->length += length;
}

static inline void wire_number(wire_body *body, uint64_t number)
{
    for (; number >= 0x80; number >>= 7) {
        wire_raw(body, &(uint8_t){ (uint8_t)(number | 0x80) }, 1);
    }
    wire_raw(body, &(uint8_t){ (uint8_t)number }, 1);
}

static inline void wire_varint(wire_body *body, uint32_t field, uint64_t number)
{
    wire_number(body, (uint64_t)field << 3);
    wire_number(body, number);
}

static inline void wire_bytes(wire_body *body, uint32_t field, const void *bytes, size_t length)
{
    wire_number(body, (uint64_t)field << 3 | 2);
    wire_number(body, length);
    wire_raw(body, bytes, length);
}

static inline void wire_text(wire_body *body, uint32_t field, const char *text)
{
    if (text != NULL) {
        wire_bytes(body, field, text, strlen(text));
    }
}

/// One PlannedStep as field 2 of a PlanReply; NULL leaves a field out.
static inline void wire_step(wire_body *reply, const char *action, const char *args, const char *thought)
{
    static wire_body step;
    step.length = 0;
    wire_text(&step, 1, action);
    wire_text(&step, 2, args);
    wire_text(&step, 3, thought);
    wire_bytes(reply, 2, step.bytes, step.length);
}

/// A SemanticScene of one widget as field 2 of an EnrichReply.
static inline void wire_meaning(wire_body *reply, const char *app, int32_t node, const char *purpose)
{
    static wire_body semantic, widget;
    widget.length = semantic.length = 0;
    wire_varint(&widget, 1, (uint64_t)(int64_t)node);
    wire_text(&widget, 2, purpose);
    wire_text(&semantic, 1, app);
    wire_bytes(&semantic, 11, widget.bytes, widget.length);
    wire_bytes(reply, 2, semantic.bytes, semantic.length);
}

#endif
