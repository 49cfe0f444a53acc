/// broker_script.h - a broker driven by events in words, and all that comes out of it in words.
///
/// Events:  hello PEER NAME [i=INSTANCE] [n=INFLIGHT] [u=USER] [r=ROLES] [f=MAX_FRAME]     ask [NAME] [d=DEADLINE] [w=WAIT]
///          reply|bad|refuse|retry|error PEER ID     cancel ID     ping|pong|bye|junk PEER     lost PEER     wait MS
///          pings MS (the same, but worldd's pings are shown)     alive MS (the same, while all peers send Pong)
/// Enrichers: hello PEER NAME e=1     enrich [NAME] [d=DEADLINE] [s=SIZE]     mean|wrong|unable|busy PEER ID
/// Executors: hello PEER NAME x=1     lease [NAME]     release LEASE     look|do LEASE [d=DEADLINE] [w=WAIT]
///            seen|blurred|done|botched|unable_to|unplugged PEER ID
/// Thoughts: think|ramble|blank PEER ID
/// Outputs: PEER<KIND(what it says) of all that is sent, then ID=end(planner, attempt) of all that ended,
/// then ID~planner(text) of all thoughts.
#ifndef BROKER_SCRIPT_H
#define BROKER_SCRIPT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proto/frame.h"
#include "proto/worldd.pb-c.h"
#include "runtime/broker.h"
#include "runtime/codec.h"
#include "runtime/codec_session.h"
#include "tree/alloc.h"
#include "tree/json.h"

#include "wire_fixture.h"

enum { OUTPUT_MAX = 4096, ENRICH_NODES = 3 };

typedef struct broker_script {
    wd_broker *broker;
    wd_broker_outbox outbox;
    int64_t now_ms;
} broker_script;

static wire_body body;  // of the message at hand
static uint8_t header[WD_FRAME_HEADER_SIZE];

static inline wd_peer_id peer_id(unsigned number)
{
    return (wd_peer_id){ .bytes = { 0, (uint8_t)number }, .length = 5 };
}

static inline wd_broker_message message_of(unsigned peer, uint16_t kind)
{
    wd_frame_write(kind, header);
    return (wd_broker_message){ .peer = peer_id(peer),
        .roles = WD_ROLES_ALL,
        .header = header,
        .header_length = sizeof header,
        .body = body.bytes,
        .body_length = body.length,
        .frame_count = 2 };
}

static inline void script_start(broker_script *script)
{
    wd_broker_options options = wd_broker_options_default();
    options.heartbeat_ms = 100;
    options.attempt_timeout_ms = 3000;
    options.boot_id[0] = 0xb0;
    *script = (broker_script){ .now_ms = 1000 };
    assert_int_equal(wd_broker_new(&options, &script->broker), WD_OK);
}

static inline void script_end(broker_script *script)
{
    wd_broker_outbox_done(&script->outbox);
    wd_broker_destroy(&script->broker);
}

/// The number behind `key` ("d=") in the event, else `fallback`.
static inline uint32_t option(const char *event, const char *key, uint32_t fallback)
{
    const char *at = strstr(event, key);
    return at == NULL ? fallback : (uint32_t)strtoul(at + strlen(key), NULL, 10);
}

static inline void build_hello(const char *event)
{
    char name[WD_PEER_NAME_MAX + 2];
    assert_int_equal(sscanf(event, "hello %*u %65s", name), 1);
    uint8_t instance[WD_SESSION_ID_SIZE] = { (uint8_t)option(event, "i=", 0) };
    body.length = 0;
    wire_varint(&body, 1, 1);
    wire_varint(&body, 2, 1);
    wire_varint(&body, 3, 7);
    wire_text(&body, 5,
        option(event, "x=", 0) != 0   ? "executor"
        : option(event, "e=", 0) != 0 ? "enricher"
                                      : "planner");
    wire_text(&body, 6, name);
    wire_bytes(&body, 7, instance, sizeof instance);
    wire_varint(&body, 8, option(event, "n=", 1));
    wire_varint(&body, 9, option(event, "f=", 0));
}

/// What an executor says, or a planner thinks, behind the id. @return its kind; 0: none of these verbs.
static inline uint16_t build_executor_message(const char *verb)
{
    static const struct {
        const char *verb;
        uint16_t kind;
        const char *text;  // field 2; NULL: none
        bool retryable;
    } says[] = {
        { "seen", WD_MSG_OBSERVE_REPLY, "<hierarchy/>", false },
        { "blurred", WD_MSG_OBSERVE_REPLY, NULL, false },
        { "done", WD_MSG_EXECUTE_REPLY, "ok", false },
        { "botched", WD_MSG_EXECUTE_REPLY, "maybe", false },
        { "unable_to", WD_MSG_EXECUTOR_ERROR, "no phone", false },
        { "unplugged", WD_MSG_EXECUTOR_ERROR, "no phone", true },
        { "think", WD_MSG_PLAN_THOUGHT, "hm", false },
        { "blank", WD_MSG_PLAN_THOUGHT, NULL, false },
    };
    static char ramble[WD_THOUGHT_TEXT_MAX + 1];
    for (size_t i = 0; i < WD_COUNT_OF(says); i++) {
        if (strcmp(says[i].verb, verb) == 0) {
            wire_text(&body, 2, says[i].text);
            if (says[i].retryable) {
                wire_varint(&body, 3, 1);
            }
            return says[i].kind;
        }
    }
    if (strcmp(verb, "ramble") == 0) {
        memset(ramble, 'x', sizeof ramble);
        wire_bytes(&body, 2, ramble, sizeof ramble);
        return WD_MSG_PLAN_THOUGHT;
    }
    return 0;
}

/// What the peer says; @return its kind.
static inline uint16_t build_message(const char *verb, uint64_t id)
{
    body.length = 0;
    if (id != 0) {
        wire_varint(&body, 1, id);
    }
    uint16_t kind = build_executor_message(verb);
    if (kind != 0) {
        return kind;
    }
    if (strcmp(verb, "reply") == 0 || strcmp(verb, "bad") == 0) {
        wire_step(&body, "back", strcmp(verb, "bad") == 0 ? "{" : NULL, NULL);
        return WD_MSG_PLAN_REPLY;
    }
    if (strcmp(verb, "mean") == 0 || strcmp(verb, "wrong") == 0) {
        wire_meaning(&body, "app", strcmp(verb, "mean") == 0 ? 1 : ENRICH_NODES, "submit");
        return WD_MSG_ENRICH_REPLY;
    }
    if (strcmp(verb, "unable") == 0 || strcmp(verb, "busy") == 0) {
        wire_text(&body, 2, "no idea");
        wire_varint(&body, 3, strcmp(verb, "busy") == 0);
        return WD_MSG_ENRICH_ERROR;
    }
    if (strcmp(verb, "refuse") == 0 || strcmp(verb, "retry") == 0) {
        wire_text(&body, 2, "no idea");
        wire_varint(&body, 3, strcmp(verb, "retry") == 0);
        return WD_MSG_PLAN_ERROR;
    }
    return strcmp(verb, "error") == 0  ? WD_MSG_ERROR
           : strcmp(verb, "ping") == 0 ? WD_MSG_PING
           : strcmp(verb, "pong") == 0 ? WD_MSG_PONG
                                       : WD_MSG_GOODBYE;
}

static inline wd_status ask(broker_script *script, const char *event)
{
    char name[WD_PEER_NAME_MAX + 1] = "";
    static char filler[128 * 1024];
    uint32_t size = option(event, "s=", 0);  // of the whole body, which is run_id alone: 4 bytes and the text
    if (sscanf(event, "%*s %64s", name) != 1 || strchr(name, '=') != NULL) {
        name[0] = '\0';
    }
    uint64_t id = 0;
    body.length = 0;
    if (size > 0) {
        wire_bytes(&body, 2, filler, size - 4);
    }
    assert_int_equal(body.length, size);
    if (strncmp(event, "enrich", 6) == 0) {
        wd_enrich_ground ground = { .node_count = ENRICH_NODES, .page_key = { 1, 2 } };
        return wd_broker_request_enrich(script->broker, name[0] == '\0' ? NULL : name, body.bytes,
            body.length, &ground, option(event, "d=", 1000), script->now_ms, &id, &script->outbox);
    }
    return wd_broker_request(script->broker, name[0] == '\0' ? NULL : name, body.bytes, body.length,
        option(event, "d=", 1000), option(event, "w=", 0), script->now_ms, &id, &script->outbox);
}

static inline wd_status ask_executor(broker_script *script, const char *event, bool execute, unsigned lease)
{
    uint64_t id = 0;
    wd_executor_ask ask = {
        .lease = lease,
        .execute = execute,
        .deadline_ms = option(event, "d=", 1000),
        .wait_ms = option(event, "w=", 0),
    };
    return wd_broker_request_executor(script->broker, &ask, script->now_ms, &id, &script->outbox);
}

static inline wd_status open_lease(broker_script *script, const char *event)
{
    char name[WD_PEER_NAME_MAX + 1];
    uint64_t id = 0;
    return wd_broker_lease_open(script->broker, sscanf(event, "%*s %64s", name) == 1 ? name : NULL, &id);
}

/// Let time pass, ticking whenever the broker wants it. `alive`: all peers of the script send Pong meanwhile.
static inline wd_status pass_time(broker_script *script, uint32_t ms, bool alive)
{
    int64_t until_ms = script->now_ms + ms;
    while (true) {
        int64_t next_ms = wd_broker_next_ms(script->broker);
        script->now_ms = next_ms < until_ms ? next_ms : until_ms;
        for (unsigned peer = 1; alive && peer <= 3; peer++) {
            build_message("pong", 0);
            wd_broker_message message = message_of(peer, WD_MSG_PONG);
            wd_status status = wd_broker_receive(script->broker, &message, script->now_ms, &script->outbox);
            if (status != WD_OK) {
                return status;
            }
        }
        wd_status status = wd_broker_tick(script->broker, script->now_ms, &script->outbox);
        if (status != WD_OK || script->now_ms == until_ms) {
            return status;
        }
    }
}

static inline wd_status run_event(broker_script *script, const char *event)
{
    char verb[16];
    unsigned number = 0;
    unsigned long long id = 0;
    assert_true(sscanf(event, "%15s %u %llu", verb, &number, &id) >= 1);
    if (strcmp(verb, "ask") == 0 || strcmp(verb, "enrich") == 0) {
        return ask(script, event);
    }
    if (strcmp(verb, "wait") == 0 || strcmp(verb, "pings") == 0 || strcmp(verb, "alive") == 0) {
        return pass_time(script, number, strcmp(verb, "alive") == 0);
    }
    if (strcmp(verb, "cancel") == 0) {
        return wd_broker_cancel(script->broker, number, "not needed", script->now_ms, &script->outbox);
    }
    if (strcmp(verb, "lost") == 0) {
        return wd_broker_peer_lost(script->broker, peer_id(number), script->now_ms, &script->outbox);
    }
    if (strcmp(verb, "lease") == 0) {
        return open_lease(script, event);
    }
    if (strcmp(verb, "release") == 0) {
        wd_broker_lease_close(script->broker, number, script->now_ms, &script->outbox);
        return WD_OK;
    }
    if (strcmp(verb, "look") == 0 || strcmp(verb, "do") == 0) {
        return ask_executor(script, event, strcmp(verb, "do") == 0, number);
    }
    if (strcmp(verb, "shutdown") == 0) {
        return wd_broker_shutdown(script->broker, "end", &script->outbox);
    }
    uint16_t kind = WD_MSG_HELLO;
    if (strcmp(verb, "hello") == 0) {
        build_hello(event);
    } else {
        kind = build_message(verb, id);
    }
    wd_broker_message message = message_of(number, kind);
    message.user.number = option(event, "u=", 0);
    message.roles = option(event, "r=", WD_ROLES_ALL);
    if (strcmp(verb, "junk") == 0) {
        header[0] = 'X';
    }
    return wd_broker_receive(script->broker, &message, script->now_ms, &script->outbox);
}

/// "ESTATUS field" of an Error or Reject.
static inline void print_notice(const wd_broker_send *send, char *ret_text, size_t size)
{
    wd_notice notice;
    assert_int_equal(wd_codec_unpack_notice(send->kind, send->body, send->body_length, &notice, NULL), WD_OK);
    snprintf(ret_text, size, "(%s %.*s)", wd_status_name(notice.error.status),
        (int)strcspn(notice.error.text, ":."), notice.error.text);
    if (strncmp(notice.error.text, "steps", 5) == 0 || strncmp(notice.error.text, "semantic", 8) == 0) {
        snprintf(ret_text, size, "(%s %.*s)", wd_status_name(notice.error.status),
            (int)strcspn(notice.error.text, ":"), notice.error.text);
    }
}

static inline void print_send(const wd_broker_send *send, char *ret_text, size_t size)
{
    char what[WD_ERROR_TEXT_MAX + 64] = "";
    wd_welcome welcome;
    wd_notice notice;
    switch (send->kind) {
    case WD_MSG_WELCOME:
        assert_int_equal(wd_codec_unpack_welcome(send->body, send->body_length, &welcome, NULL), WD_OK);
        snprintf(what, sizeof what, "(%u.%u)", welcome.major, welcome.minor);
        break;
    case WD_MSG_ERROR:
    case WD_MSG_REJECT:
        print_notice(send, what, sizeof what);
        break;
    case WD_MSG_GOODBYE:
        assert_int_equal(
            wd_codec_unpack_notice(send->kind, send->body, send->body_length, &notice, NULL), WD_OK);
        snprintf(what, sizeof what, "(%s)", notice.error.text);
        break;
    case WD_MSG_PLAN_CANCEL:
    case WD_MSG_EXECUTOR_CANCEL:
    case WD_MSG_ENRICH_CANCEL: {
        Worldd__V1__PlanCancel *cancel = worldd__v1__plan_cancel__unpack(NULL, send->body_length, send->body);
        snprintf(what, sizeof what, "(%llu %s)", (unsigned long long)cancel->request_id, cancel->reason);
        worldd__v1__plan_cancel__free_unpacked(cancel, NULL);
        break;
    }
    case WD_MSG_ENRICH_REQUEST:  // the fields that are shown are the same in all
    case WD_MSG_OBSERVE_REQUEST:
    case WD_MSG_EXECUTE_REQUEST:
    case WD_MSG_PLAN_REQUEST: {
        Worldd__V1__PlanRequest *request =
            worldd__v1__plan_request__unpack(NULL, send->body_length, send->body);
        snprintf(what, sizeof what, "(%llu.%u %ums)", (unsigned long long)request->request_id,
            request->attempt, request->deadline_ms);
        worldd__v1__plan_request__free_unpacked(request, NULL);
        break;
    }
    default:
        break;
    }
    snprintf(ret_text, size, "%u<%s%s", send->peer.bytes[1], wd_msg_name(send->kind), what);
}

static inline void print_outbox(const wd_broker_outbox *outbox, const char *event, char *ret_text)
{
    bool pings = strncmp(event, "pings", 5) == 0;
    bool alive = strncmp(event, "alive", 5) == 0;  // asks those whom the row does not have who they are
    size_t length = 0;
    ret_text[0] = '\0';
    for (size_t i = 0; i < outbox->outcome_count; i++) {
        const wd_plan_outcome *outcome = &outbox->outcomes[i];
        int answers = (outcome->reply != NULL) + (outcome->semantic != NULL) + (outcome->capture != NULL) +
                      (outcome->result.code != NULL);
        assert_int_equal(answers, outcome->end == WD_PLAN_REPLY);
        assert_true((outcome->end == WD_PLAN_REPLY) == (outcome->error.text[0] == '\0'));
    }
    for (size_t i = 0; i < outbox->send_count; i++) {
        uint16_t kind = outbox->sends[i].kind;
        if ((kind != WD_MSG_PING || pings) && (kind != WD_MSG_WHO_ARE_YOU || !alive)) {
            char text[512];
            print_send(&outbox->sends[i], text, sizeof text);
            length +=
                (size_t)snprintf(ret_text + length, OUTPUT_MAX - length, "%s%s", length > 0 ? " " : "", text);
        }
    }
    for (size_t i = 0; i < outbox->outcome_count; i++) {
        const wd_plan_outcome *outcome = &outbox->outcomes[i];
        length += (size_t)snprintf(ret_text + length, OUTPUT_MAX - length, "%s%llu=%s(%s, %u)",
            length > 0 ? " " : "", (unsigned long long)outcome->request_id, wd_plan_end_name(outcome->end),
            outcome->planner, outcome->attempt);
    }
    for (size_t i = 0; i < outbox->thought_count; i++) {
        const wd_broker_thought *thought = &outbox->thoughts[i];
        length += (size_t)snprintf(ret_text + length, OUTPUT_MAX - length, "%s%llu~%s(%s)",
            length > 0 ? " " : "", (unsigned long long)thought->request_id, thought->planner, thought->text);
    }
}

#endif
