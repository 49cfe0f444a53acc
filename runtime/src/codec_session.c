#include "runtime/codec_session.h"

#include "codec_message.h"

#include "proto/frame.h"
#include "proto/worldd.pb-c.h"

#include <string.h>

enum { SESSION_BUDGET = 64 * 1024 };

// ---- Hello ----------------------------------------------------------------------------------------------------

static bool name_valid(const char *name)
{
    size_t length = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-");
    return length > 0 && length <= WD_HELLO_NAME_MAX && name[length] == '\0';
}

static wd_status read_id(
    const ProtobufCBinaryData *bytes, const char *field, uint8_t *ret_id, wd_error *error)
{
    if (bytes->len != WD_SESSION_ID_SIZE) {
        return wd_error_set(
            error, WD_EINVAL, "%s: has %zu bytes, must have %d", field, bytes->len, (int)WD_SESSION_ID_SIZE);
    }
    memcpy(ret_id, bytes->data, WD_SESSION_ID_SIZE);
    return WD_OK;
}

static wd_status read_space(const Worldd__V1__Hello *message, wd_hello *hello, wd_error *error)
{
    const char *space = message->coord_space;
    hello->has_space = space[0] != '\0';
    if (space[0] != '\0' && wd_space_parse(space, &hello->space) != WD_OK) {
        return wd_error_set(
            error, WD_EINVAL, "coord_space: \"%.32s\" is none of px, norm1, norm1000, model", space);
    }
    if (hello->space != WD_SPACE_MODEL) {
        return WD_OK;
    }
    hello->model_width = message->model_width;
    hello->model_height = message->model_height;
    bool sized = hello->model_width > 0 && hello->model_height > 0;
    return sized ? WD_OK
                 : wd_error_set(
                       error, WD_EINVAL, "model_width, model_height: needed with coord_space \"model\"");
}

static wd_status read_hello(const Worldd__V1__Hello *message, wd_hello *hello, wd_error *error)
{
    if (message->min_major > message->max_major) {
        return wd_error_set(
            error, WD_EINVAL, "min_major: %u is above max_major %u", message->min_major, message->max_major);
    }
    if (message->min_major > WD_PROTO_MAJOR || message->max_major < WD_PROTO_MAJOR) {
        return wd_error_set(error, WD_EVERSION, "max_major: the peer speaks %u to %u, worldd speaks %d",
            message->min_major, message->max_major, (int)WD_PROTO_MAJOR);
    }
    if (!name_valid(message->name)) {
        return wd_error_set(
            error, WD_EINVAL, "name: must be 1 to %d of [A-Za-z0-9._-]", (int)WD_HELLO_NAME_MAX);
    }
    if (message->role[0] == '\0' || strlen(message->role) > WD_HELLO_ROLE_MAX) {
        return wd_error_set(error, WD_EINVAL, "role: must be 1 to %d bytes", (int)WD_HELLO_ROLE_MAX);
    }
    if (message->n_features > WD_HELLO_FEATURES_MAX) {
        return wd_error_set(error, WD_ELIMIT, "features: %zu given, at most %d", message->n_features,
            (int)WD_HELLO_FEATURES_MAX);
    }
    if (message->max_inflight > WD_HELLO_INFLIGHT_MAX) {
        return wd_error_set(error, WD_EINVAL, "max_inflight: %u is above %d", message->max_inflight,
            (int)WD_HELLO_INFLIGHT_MAX);
    }
    if (message->max_frame != 0 && message->max_frame < WD_HELLO_FRAME_MIN) {
        return wd_error_set(
            error, WD_EINVAL, "max_frame: %u is below %d", message->max_frame, (int)WD_HELLO_FRAME_MIN);
    }
    hello->min_major = message->min_major;
    hello->max_major = message->max_major;
    hello->max_minor = message->max_minor;
    hello->max_inflight = message->max_inflight == 0 ? 1 : message->max_inflight;
    hello->max_frame = message->max_frame;
    strcpy(hello->name, message->name);
    strcpy(hello->role, message->role);
    wd_status status = read_id(&message->instance, "instance", hello->instance, error);
    return status == WD_OK ? read_space(message, hello, error) : status;
}

wd_status wd_codec_pack_hello(const wd_hello *hello, uint8_t **ret_body, size_t *ret_length)
{
    Worldd__V1__Hello message;
    worldd__v1__hello__init(&message);
    message.min_major = hello->min_major;
    message.max_major = hello->max_major;
    message.max_minor = hello->max_minor;
    message.role = wd_lend_text(hello->role);
    message.name = wd_lend_text(hello->name);
    message.instance = wd_lend_bytes(hello->instance, sizeof hello->instance);
    message.max_inflight = hello->max_inflight;
    message.max_frame = hello->max_frame;
    message.coord_space = wd_lend_text(wd_space_name(hello->space));
    message.model_width = hello->model_width;
    message.model_height = hello->model_height;
    return wd_codec_pack(&message.base, ret_body, ret_length);
}

wd_status wd_codec_unpack_hello(const void *body, size_t length, wd_hello *ret_hello, wd_error *error)
{
    codec_arena arena;
    codec_arena_init(&arena, SESSION_BUDGET);
    const void *message = NULL;
    wd_hello hello = { 0 };
    wd_status status = wd_codec_unpack(&worldd__v1__hello__descriptor, body, length, &arena, &message, error);
    if (status == WD_OK) {
        status = read_hello(message, &hello, error);
    }
    if (status == WD_OK) {
        *ret_hello = hello;
    }
    codec_arena_done(&arena);
    return status;
}

// ---- the rest of the session ----------------------------------------------------------------------------------

wd_status wd_codec_pack_welcome(const wd_welcome *welcome, uint8_t **ret_body, size_t *ret_length)
{
    Worldd__V1__Welcome message;
    worldd__v1__welcome__init(&message);
    message.major = welcome->major;
    message.minor = welcome->minor;
    message.session = wd_lend_bytes(welcome->session, sizeof welcome->session);
    message.heartbeat_ms = welcome->heartbeat_ms;
    message.liveness = welcome->liveness;
    message.max_frame = welcome->max_frame;
    message.boot_id = wd_lend_bytes(welcome->boot_id, sizeof welcome->boot_id);
    return wd_codec_pack(&message.base, ret_body, ret_length);
}

wd_status wd_codec_unpack_welcome(const void *body, size_t length, wd_welcome *ret_welcome, wd_error *error)
{
    codec_arena arena;
    codec_arena_init(&arena, SESSION_BUDGET);
    const void *message = NULL;
    wd_status status =
        wd_codec_unpack(&worldd__v1__welcome__descriptor, body, length, &arena, &message, error);
    wd_welcome welcome = { 0 };
    if (status == WD_OK) {
        const Worldd__V1__Welcome *read = message;
        welcome.major = read->major;
        welcome.minor = read->minor;
        welcome.heartbeat_ms = read->heartbeat_ms;
        welcome.liveness = read->liveness;
        welcome.max_frame = read->max_frame;
        status = read_id(&read->session, "session", welcome.session, error);
        if (status == WD_OK) {
            status = read_id(&read->boot_id, "boot_id", welcome.boot_id, error);
        }
    }
    if (status == WD_OK) {
        *ret_welcome = welcome;
    }
    codec_arena_done(&arena);
    return status;
}

wd_status wd_codec_pack_reject(wd_status code, const char *text, uint8_t **ret_body, size_t *ret_length)
{
    Worldd__V1__Reject message;
    worldd__v1__reject__init(&message);
    message.code = (uint32_t)code;
    message.text = wd_lend_text(text);
    message.min_major = WD_PROTO_MAJOR;
    message.max_major = WD_PROTO_MAJOR;
    return wd_codec_pack(&message.base, ret_body, ret_length);
}

wd_status wd_codec_pack_ping(uint64_t sequence, uint8_t **ret_body, size_t *ret_length)
{
    Worldd__V1__Ping message;
    worldd__v1__ping__init(&message);
    message.sequence = sequence;
    return wd_codec_pack(&message.base, ret_body, ret_length);
}

wd_status wd_codec_unpack_ping(const void *body, size_t length, uint64_t *ret_sequence, wd_error *error)
{
    wd_status status = wd_codec_check(&worldd__v1__ping__descriptor, body, length, error);
    if (status == WD_OK) {
        *ret_sequence = wd_codec_peek_varint(body, length, 1, 0);  // all there is in it
    }
    return status;
}

wd_status wd_codec_pack_goodbye(const char *reason, uint8_t **ret_body, size_t *ret_length)
{
    Worldd__V1__Goodbye message;
    worldd__v1__goodbye__init(&message);
    message.reason = wd_lend_text(reason);
    return wd_codec_pack(&message.base, ret_body, ret_length);
}

wd_status wd_codec_pack_error(uint64_t request_id, wd_status code, const char *text, bool retryable,
    uint8_t **ret_body, size_t *ret_length)
{
    Worldd__V1__Error message;
    worldd__v1__error__init(&message);
    message.request_id = request_id;
    message.code = (uint32_t)code;
    message.text = wd_lend_text(text);
    message.retryable = retryable;
    return wd_codec_pack(&message.base, ret_body, ret_length);
}

static wd_status status_of(uint32_t number)
{
    wd_status status = (wd_status)number;
    return number <= INT32_MAX && strcmp(wd_status_name(status), "EUNKNOWN") != 0 ? status : WD_EPROTO;
}

/// PlanError, which every role has under a kind of its own.
static bool says_unable(uint16_t kind)
{
    return kind == WD_MSG_PLAN_ERROR || kind == WD_MSG_ENRICH_ERROR || kind == WD_MSG_EXECUTOR_ERROR;
}

static void read_notice(uint16_t kind, const void *message, wd_notice *notice)
{
    if (kind == WD_MSG_ERROR) {
        const Worldd__V1__Error *read = message;
        notice->request_id = read->request_id;
        notice->retryable = read->retryable;
        wd_error_set(&notice->error, status_of(read->code), "%s", read->text);
    } else if (kind == WD_MSG_REJECT) {
        const Worldd__V1__Reject *read = message;
        wd_error_set(&notice->error, status_of(read->code), "%s", read->text);
    } else if (says_unable(kind)) {
        const Worldd__V1__PlanError *read = message;
        notice->request_id = read->request_id;
        notice->retryable = read->retryable;
        wd_error_set(&notice->error, WD_EPEERLOST, "%s", read->text);
    } else {
        const Worldd__V1__Goodbye *read = message;
        wd_error_set(&notice->error, WD_EPEERLOST, "%s", read->reason);
    }
}

wd_status wd_codec_unpack_notice(
    uint16_t kind, const void *body, size_t length, wd_notice *ret_notice, wd_error *error)
{
    bool unable = says_unable(kind);
    const ProtobufCMessageDescriptor *type = kind == WD_MSG_ERROR    ? &worldd__v1__error__descriptor
                                             : kind == WD_MSG_REJECT ? &worldd__v1__reject__descriptor
                                             : unable                ? &worldd__v1__plan_error__descriptor
                                                                     : &worldd__v1__goodbye__descriptor;
    wd_assert(kind == WD_MSG_ERROR || kind == WD_MSG_REJECT || unable || kind == WD_MSG_GOODBYE);
    codec_arena arena;
    codec_arena_init(&arena, SESSION_BUDGET);
    const void *message = NULL;
    wd_status status = wd_codec_unpack(type, body, length, &arena, &message, error);
    if (status == WD_OK) {
        *ret_notice = (wd_notice){ 0 };
        read_notice(kind, message, ret_notice);
    }
    codec_arena_done(&arena);
    return status;
}

wd_status wd_codec_pack_plan_cancel(
    uint64_t request_id, const char *reason, uint8_t **ret_body, size_t *ret_length)
{
    Worldd__V1__PlanCancel message;
    worldd__v1__plan_cancel__init(&message);
    message.request_id = request_id;
    message.reason = wd_lend_text(reason);
    return wd_codec_pack(&message.base, ret_body, ret_length);
}
