// Hello: who may be a planner, an enricher or an executor, and what becomes of an older one of the same name.
#include "broker_internal.h"

#include "tree/alloc.h"

#include "proto/frame.h"

#include <string.h>

/// Everything that a Hello wants sent, built before anything changes.
typedef struct hello_answers {
    wd_welcome welcome;
    uint8_t *welcome_body, *goodbye_body;
    size_t welcome_length, goodbye_length;
    broker_peer *fresh;  // NULL: a known session is renewed
} hello_answers;

static void answers_done(hello_answers *answers)
{
    wd_free(answers->welcome_body, answers->welcome_length);
    wd_free(answers->goodbye_body, answers->goodbye_length);
    wd_free(answers->fresh, sizeof *answers->fresh);
}

wd_status broker_role_check(const char *role, wd_roles roles, wd_error *error)
{
    char text[WD_ROLES_TEXT_SIZE];
    if ((roles & wd_role_find(role)) != 0) {
        return WD_OK;
    }
    wd_roles_text(roles, text);
    return wd_error_set(error, WD_EDENIED, "role: \"%s\" is not granted to you; you have %s", role, text);
}

/// What the schema cannot say: role, owner of the name, room.
static wd_status judge_hello(const wd_broker *broker, const wd_broker_message *message, const wd_hello *hello,
    const broker_peer *known, const broker_peer *namesake, wd_error *error)
{
    const broker_role *role = broker_role_find(hello->role);
    if (role == NULL) {
        bool client = strcmp(hello->role, "client") == 0;
        return wd_error_set(error, client ? WD_EINVAL : WD_EUNSUPPORTED, "role: \"%s\" %s", hello->role,
            client ? "belongs on the control socket"
                   : "is not served here, only \"planner\", \"enricher\" and \"executor\"");
    }
    // An episode names who understood a screen; these two are worldd itself.
    if (role == &broker_enricher &&
        (strcmp(hello->name, "device") == 0 || strcmp(hello->name, "rules") == 0)) {
        return wd_error_set(error, WD_EINVAL, "name: %s is worldd's own", hello->name);
    }
    wd_status status = broker_role_check(hello->role, message->roles, error);
    if (status != WD_OK) {
        return status;
    }
    if (namesake != NULL && !wd_user_same(namesake->user, message->user)) {
        return wd_error_set(error, WD_EDENIED, "name: %s is taken by another user", hello->name);
    }
    size_t live_count = broker->peer_count - broker->gone_count;
    bool replaces = known != NULL || namesake != NULL;
    if (broker->peer_count == BROKER_SLOTS_MAX || (live_count >= broker->options.peers_max && !replaces)) {
        return wd_error_set(error, WD_ELIMIT, "too many peers: %zu are connected", live_count);
    }
    return WD_OK;
}

wd_status broker_reject(
    wd_broker *broker, const wd_peer_id *peer, const wd_error *why, wd_broker_outbox *outbox)
{
    uint8_t *body = NULL;
    size_t body_length = 0;
    wd_status status = broker_outbox_reserve(outbox, 1, 0);
    if (status == WD_OK) {
        status = wd_codec_pack_reject(why->status, why->text, &body, &body_length);
    }
    if (status != WD_OK) {
        return status;
    }
    broker_outbox_send(outbox, peer, WD_MSG_REJECT, body, body_length);
    broker->stats.rejects++;
    broker_peer *known = broker_peer_find(broker, peer);
    if (known != NULL) {
        broker_peer_leave(broker, known, why->status, why->text);
    }
    return WD_OK;
}

/// A session's name: the boot's with a number mixed in, so that it needs no randomness of its own.
static void name_session(const wd_broker *broker, uint64_t number, uint8_t *ret_session)
{
    memcpy(ret_session, broker->options.boot_id, WD_SESSION_ID_SIZE);
    for (size_t i = 0; i < 8; i++) {
        ret_session[i] ^= (uint8_t)(number >> (8 * i));
    }
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static wd_status build_answers(const wd_broker *broker, const wd_hello *hello, bool renew, bool supersede,
    wd_broker_outbox *outbox, hello_answers *answers)
{
    answers->welcome = (wd_welcome){
        .major = WD_PROTO_MAJOR,
        .minor = smaller(hello->max_minor, WD_PROTO_MINOR),
        .heartbeat_ms = broker->options.heartbeat_ms,
        .liveness = broker->options.liveness,
        .max_frame = broker->options.max_frame,
    };
    name_session(broker, broker->session_last + 1, answers->welcome.session);
    memcpy(answers->welcome.boot_id, broker->options.boot_id, WD_SESSION_ID_SIZE);
    wd_status status = broker_outbox_reserve(outbox, 2, 0);
    if (status == WD_OK) {
        status = wd_codec_pack_welcome(&answers->welcome, &answers->welcome_body, &answers->welcome_length);
    }
    if (status == WD_OK && supersede) {
        status = wd_codec_pack_goodbye("superseded", &answers->goodbye_body, &answers->goodbye_length);
    }
    if (status == WD_OK && !renew) {
        answers->fresh = wd_alloc_zero(1, sizeof *answers->fresh);
        status = answers->fresh == NULL ? WD_ENOMEM : WD_OK;
    }
    return status;
}

wd_status broker_hello(
    wd_broker *broker, const wd_broker_message *message, int64_t now_ms, wd_broker_outbox *outbox)
{
    wd_hello hello;
    wd_error error = { WD_OK, "" };
    wd_status status = wd_codec_unpack_hello(message->body, message->body_length, &hello, &error);
    broker_peer *known = broker_peer_find(broker, &message->peer);
    broker_peer *namesake = NULL;
    if (status == WD_OK) {
        namesake = broker_peer_by_name(broker, broker_role_find(hello.role), hello.name);
        status = judge_hello(broker, message, &hello, known, namesake, &error);
    }
    if (status != WD_OK) {
        return status == WD_ENOMEM ? status : broker_reject(broker, &message->peer, &error, outbox);
    }
    // The same process on the same connection (it was asked who it is): its requests stay with it.
    bool renew = known != NULL && known == namesake &&
                 memcmp(known->hello.instance, hello.instance, sizeof hello.instance) == 0;
    bool supersede = namesake != NULL && namesake != known;
    hello_answers answers = { 0 };
    status = build_answers(broker, &hello, renew, supersede, outbox, &answers);
    if (status != WD_OK) {
        answers_done(&answers);
        return status;
    }
    broker_outbox_send(outbox, &message->peer, WD_MSG_WELCOME, answers.welcome_body, answers.welcome_length);
    if (supersede) {
        broker_outbox_send(
            outbox, &namesake->id, WD_MSG_GOODBYE, answers.goodbye_body, answers.goodbye_length);
        broker_peer_leave(broker, namesake, WD_EPEERLOST, "superseded by a newer instance");
        broker->stats.superseded++;
    }
    broker_peer *peer = known;
    if (!renew) {
        if (known != NULL) {
            broker_peer_leave(broker, known, WD_EPEERLOST, "it started anew");
        }
        peer = answers.fresh;
        peer->id = message->peer;
        peer->serial = ++broker->serial_last;
        broker->peers[broker->peer_count++] = peer;
    }
    peer->hello = hello;
    peer->role = broker_role_find(hello.role);
    peer->leases = peer->role == &broker_executor ? broker_lease_count(broker, hello.name) : 0;
    peer->user = message->user;
    peer->heard_ms = now_ms;
    peer->ping_ms = now_ms + broker->options.heartbeat_ms;
    broker_due(broker, peer->ping_ms);
    broker->session_last++;
    broker->stats.hellos++;
    return WD_OK;
}
