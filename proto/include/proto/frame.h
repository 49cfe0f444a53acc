/// frame.h - the header frame of every message: 8 bytes, so that a stranger is turned away before anything is parsed.
///
///   offset 0 'W'   1 'D'   2 major   3 minor   4..5 kind (u16, little endian)   6..7 flags (u16, little endian; 0)
///
/// A message is the header frame, one protobuf body (proto/worldd.proto), then at most WD_FRAME_BLOBS_MAX blobs that
/// the body names. Depends on nothing.
#ifndef PROTO_FRAME_H
#define PROTO_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    WD_PROTO_MAJOR = 1,
    WD_PROTO_MINOR = 0,
    WD_FRAME_HEADER_SIZE = 8,
    WD_FRAME_BLOBS_MAX = 4,
    WD_FRAME_COUNT_MAX = 2 + WD_FRAME_BLOBS_MAX,
    WD_FRAME_SIZE_MAX = 4 * 1024 * 1024,  // bytes of one frame that worldd accepts (ZMQ_MAXMSGSIZE)
};

// clang-format off
//    name         number  body                 from
#define WD_KIND_TABLE(X)                                                                                              \
    X(HELLO, 1)        /* Hello         peer */                                                                       \
    X(WELCOME, 2)      /* Welcome       worldd */                                                                     \
    X(REJECT, 3)       /* Reject        worldd */                                                                     \
    X(PING, 4)         /* Ping          both */                                                                       \
    X(PONG, 5)         /* Ping          both */                                                                       \
    X(WHO_ARE_YOU, 6)  /* WhoAreYou     worldd */                                                                     \
    X(GOODBYE, 7)      /* Goodbye       both */                                                                       \
    X(ERROR, 8)        /* Error         both */                                                                       \
    X(PLAN_REQUEST, 16)/* PlanRequest   worldd */                                                                     \
    X(PLAN_REPLY, 17)  /* PlanReply     planner */                                                                    \
    X(PLAN_ERROR, 18)  /* PlanError     planner */                                                                    \
    X(PLAN_CANCEL, 19) /* PlanCancel    worldd */                                                                     \
    X(ENRICH_REQUEST, 20)/* EnrichRequest worldd */                                                                   \
    X(ENRICH_REPLY, 21)/* EnrichReply   enricher */                                                                   \
    X(ENRICH_ERROR, 22)/* PlanError     enricher */                                                                   \
    X(ENRICH_CANCEL, 23)/* PlanCancel   worldd */                                                                     \
    X(OBSERVE_REQUEST, 24)/* ObserveRequest worldd */                                                                 \
    X(OBSERVE_REPLY, 25)/* ObserveReply executor */                                                                   \
    X(EXECUTE_REQUEST, 26)/* ExecuteRequest worldd */                                                                 \
    X(EXECUTE_REPLY, 27)/* ExecuteReply executor */                                                                   \
    X(EXECUTOR_ERROR, 28)/* PlanError   executor */                                                                   \
    X(EXECUTOR_CANCEL, 29)/* PlanCancel worldd */                                                                     \
    X(PLAN_THOUGHT, 30)/* PlanThought   planner */                                                                    \
    X(CONTROL, 32)     /* Control       client */                                                                     \
    X(PROGRESS, 33)    /* Progress      worldd */                                                                     \
    X(REPLY, 34)       /* Reply         worldd */                                                                     \
    X(ENV_BATCH, 35)   /* EnvBatch      client */                                                                     \
    X(ENV_BATCH_REPLY, 36) /* EnvBatchReply worldd */                                                                 \
    X(IMAGINE, 40)     /* Imagine       planner */                                                                    \
    X(IMAGINE_REPLY, 41) /* ImagineReply worldd */
// clang-format on

typedef enum wd_kind_number {
#define X(name, number) WD_MSG_##name = (number),
    WD_KIND_TABLE(X)
#undef X
} wd_kind_number;

/// "HELLO", ...; NULL for a number that is no kind.
const char *wd_msg_name(uint16_t kind);

typedef enum wd_frame_verdict {
    WD_FRAME_OK,
    WD_FRAME_SHORT,     // not WD_FRAME_HEADER_SIZE bytes
    WD_FRAME_STRANGER,  // wrong magic
    WD_FRAME_VERSION,   // another major version
    WD_FRAME_KIND,      // unknown kind
    WD_FRAME_FLAGS,     // flags this version does not know
} wd_frame_verdict;

/// Text for an Error or Reject, static.
const char *wd_frame_verdict_text(wd_frame_verdict verdict);

void wd_frame_write(uint16_t kind, uint8_t ret_header[WD_FRAME_HEADER_SIZE]);
/// *ret_kind is written when the verdict is OK, KIND or FLAGS.
wd_frame_verdict wd_frame_read(const void *bytes, size_t length, uint16_t *ret_kind);

#endif
