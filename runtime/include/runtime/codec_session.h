/// codec_session.h - the small bodies of proto/worldd.proto: session, planner's asides and control, both directions.
///
/// What comes in is checked field by field; an error names the field ("name: ..."). What goes out is a buffer of
/// *ret_length bytes, freed with wd_free(*ret_body, *ret_length); an empty body is NULL and 0.
#ifndef RUNTIME_CODEC_SESSION_H
#define RUNTIME_CODEC_SESSION_H

#include "scene/action.h"
#include "tree/value.h"

enum {
    WD_HELLO_NAME_MAX = 64,  // bytes of a peer's name
    WD_HELLO_ROLE_MAX = 16,
    WD_HELLO_FEATURES_MAX = 32,
    WD_HELLO_INFLIGHT_MAX = 64,
    WD_HELLO_FRAME_MIN = 64 * 1024,  // a peer that takes smaller frames could not be told a scene
    WD_SESSION_ID_SIZE = 16,         // bytes of instance, session and boot_id
    WD_CONTROL_VERB_MAX = 32,
};

// ---- session --------------------------------------------------------------------------------------------------

typedef struct wd_hello {
    uint32_t min_major, max_major, max_minor;
    char role[WD_HELLO_ROLE_MAX + 1];
    char name[WD_HELLO_NAME_MAX + 1];
    uint8_t instance[WD_SESSION_ID_SIZE];
    uint32_t max_inflight;               // 1..WD_HELLO_INFLIGHT_MAX
    uint32_t max_frame;                  // 0: no limit of its own
    bool has_space;                      // said; else points are in pixels, a dialect's in its own space
    wd_space space;                      // of the points it sends
    uint32_t model_width, model_height;  // set when space is WD_SPACE_MODEL
} wd_hello;

// Packing: *ret_body is a new block of *ret_length bytes, freed by wd_free(body, length); untouched unless WD_OK is returned,
// else WD_ENOMEM. Unpacking: `error` names the field; nothing of the body is kept.

WD_NODISCARD wd_status wd_codec_pack_hello(const wd_hello *hello, uint8_t **ret_body, size_t *ret_length);
/// @retval WD_EVERSION  the peer's protocol range does not include ours.
/// @retval WD_EPROTO, WD_EUTF8, WD_EINVAL, WD_ELIMIT, WD_ENOMEM
WD_NODISCARD wd_status wd_codec_unpack_hello(
    const void *body, size_t length, wd_hello *ret_hello, wd_error *error);

typedef struct wd_welcome {
    uint32_t major, minor;
    uint8_t session[WD_SESSION_ID_SIZE];
    uint32_t heartbeat_ms, liveness, max_frame;
    uint8_t boot_id[WD_SESSION_ID_SIZE];
} wd_welcome;

WD_NODISCARD wd_status wd_codec_pack_welcome(
    const wd_welcome *welcome, uint8_t **ret_body, size_t *ret_length);
/// @retval WD_EPROTO, WD_EUTF8, WD_EINVAL, WD_ENOMEM
WD_NODISCARD wd_status wd_codec_unpack_welcome(
    const void *body, size_t length, wd_welcome *ret_welcome, wd_error *error);

WD_NODISCARD wd_status wd_codec_pack_reject(
    wd_status code, const char *text, uint8_t **ret_body, size_t *ret_length);
/// Ping and Pong have the same body.
WD_NODISCARD wd_status wd_codec_pack_ping(uint64_t sequence, uint8_t **ret_body, size_t *ret_length);
WD_NODISCARD wd_status wd_codec_unpack_ping(
    const void *body, size_t length, uint64_t *ret_sequence, wd_error *error);
WD_NODISCARD wd_status wd_codec_pack_goodbye(const char *reason, uint8_t **ret_body, size_t *ret_length);
WD_NODISCARD wd_status wd_codec_pack_error(uint64_t request_id, wd_status code, const char *text,
    bool retryable, uint8_t **ret_body, size_t *ret_length);

/// What Error, Reject, PlanError (of any role) and Goodbye say.
typedef struct wd_notice {
    uint64_t request_id;  // 0: none
    wd_error error;  // status and text; a longer text is cut. A number that is no status becomes WD_EPROTO
    bool retryable;
} wd_notice;
/// @param kind  WD_MSG_ERROR, WD_MSG_REJECT, the PlanError of a role, or WD_MSG_GOODBYE (proto/frame.h).
WD_NODISCARD wd_status wd_codec_unpack_notice(
    uint16_t kind, const void *body, size_t length, wd_notice *ret_notice, wd_error *error);

// ---- planner --------------------------------------------------------------------------------------------------

WD_NODISCARD wd_status wd_codec_pack_plan_cancel(
    uint64_t request_id, const char *reason, uint8_t **ret_body, size_t *ret_length);

/// Imagine: free-form arguments about the request that a planner holds. @param ret_args  An object, the caller's.
WD_NODISCARD wd_status wd_codec_pack_imagine(
    uint64_t imagine_id, uint64_t request_id, const wd_value *args, uint8_t **ret_body, size_t *ret_length);
WD_NODISCARD wd_status wd_codec_unpack_imagine(const void *body, size_t length, uint64_t *ret_imagine_id,
    uint64_t *ret_request_id, wd_value **ret_args, wd_error *error);
WD_NODISCARD wd_status wd_codec_pack_imagine_reply(
    uint64_t imagine_id, const wd_value *result, uint8_t **ret_body, size_t *ret_length);
/// The Error that answers an Imagine.
WD_NODISCARD wd_status wd_codec_pack_imagine_error(
    uint64_t imagine_id, uint64_t request_id, const wd_error *why, uint8_t **ret_body, size_t *ret_length);

// ---- control --------------------------------------------------------------------------------------------------

typedef struct wd_control {
    uint64_t request_id;
    char verb[WD_CONTROL_VERB_MAX + 1];
    wd_value *args;        // object, never NULL after unpacking; dropped with wd_control_done()
    uint32_t deadline_ms;  // 0: the verb's own default
} wd_control;
void wd_control_done(wd_control *control);

/// A NULL `args` is sent as none.
WD_NODISCARD wd_status wd_codec_pack_control(
    const wd_control *control, uint8_t **ret_body, size_t *ret_length);
/// On an error ret_control->request_id is set all the same when it could be read, else 0, so that the answer can
/// name it.
WD_NODISCARD wd_status wd_codec_unpack_control(
    const void *body, size_t length, wd_control *ret_control, wd_error *error);

WD_NODISCARD wd_status wd_codec_pack_progress(
    uint64_t request_id, uint64_t sequence, const wd_value *event, uint8_t **ret_body, size_t *ret_length);
WD_NODISCARD wd_status wd_codec_pack_reply(
    uint64_t request_id, const wd_value *result, uint8_t **ret_body, size_t *ret_length);

/// What Progress (sequence from 1) and Reply (sequence 0) carry.
typedef struct wd_control_answer {
    uint64_t request_id, sequence;
    wd_value *value;  // dropped with wd_value_unref()
} wd_control_answer;
/// @param kind  WD_MSG_PROGRESS or WD_MSG_REPLY.
WD_NODISCARD wd_status wd_codec_unpack_answer(
    uint16_t kind, const void *body, size_t length, wd_control_answer *ret_answer, wd_error *error);

#endif
