// The broker's state machine, as scripts: each row is a list of events and, for each, all that comes out of it.
//
// Events:  hello PEER NAME [i=INSTANCE] [n=INFLIGHT] [u=UID] [f=MAX_FRAME]     ask [NAME] [d=DEADLINE] [w=WAIT]
//          reply|bad|refuse|retry|error PEER ID     cancel ID     ping|pong|bye|junk PEER     lost PEER     wait MS
//          pings MS (the same, but worldd's pings are shown)     alive MS (the same, while all peers send Pong)
// Outputs: PEER<KIND(what it says) of all that is sent, then ID=end(planner, attempt) of all that ended.
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

enum { ROW_EVENTS_MAX = 12, OUTPUT_MAX = 4096 };

static const struct broker_case {
    const char *name;
    struct {
        const char *event, *output;
    } events[ROW_EVENTS_MAX];
} broker_cases[] = {
    // ---- asking and answering
    { "a planner is asked and answers",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "ask", "1<PLAN_REQUEST(1.1 1000ms)" },
            { "reply 1 1", "1=reply(a, 1)" } } },
    { "ids grow, several are open at once",
        { { "hello 1 a n=2", "1<WELCOME(1.0)" }, { "ask", "1<PLAN_REQUEST(1.1 1000ms)" },
            { "ask", "1<PLAN_REQUEST(2.1 1000ms)" }, { "reply 1 2", "2=reply(a, 1)" },
            { "reply 1 1", "1=reply(a, 1)" } } },
    { "a busy planner is given the next request when it is free",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "ask", "1<PLAN_REQUEST(1.1 1000ms)" }, { "ask", "" },
            { "wait 100", "" }, { "reply 1 1", "1<PLAN_REQUEST(2.1 900ms) 1=reply(a, 1)" },
            { "reply 1 2", "2=reply(a, 1)" } } },
    { "nobody there ends at once", { { "ask", "1=no_planner(, 0)" } } },
    { "nobody there, but one may come in time",
        { { "ask w=500", "" }, { "wait 400", "" },
            { "hello 1 a", "1<WELCOME(1.0) 1<PLAN_REQUEST(1.1 600ms)" }, { "reply 1 1", "1=reply(a, 1)" } } },
    { "nobody there, and nobody comes",
        { { "ask w=500", "" }, { "wait 499", "" }, { "wait 1", "1=no_planner(, 0)" } } },
    { "waiting ends with the deadline", { { "ask d=300 w=500", "" }, { "wait 300", "1=no_planner(, 0)" } } },
    { "a planner is asked by name",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "hello 2 b", "2<WELCOME(1.0)" },
            { "ask b", "2<PLAN_REQUEST(1.1 1000ms)" }, { "ask c", "2=no_planner(, 0)" } } },
    { "the least loaded is asked, then the longest idle",
        { { "hello 1 a n=9", "1<WELCOME(1.0)" }, { "hello 2 b n=9", "2<WELCOME(1.0)" },
            { "ask", "1<PLAN_REQUEST(1.1 1000ms)" }, { "ask", "2<PLAN_REQUEST(2.1 1000ms)" },
            { "reply 1 1", "1=reply(a, 1)" }, { "ask", "1<PLAN_REQUEST(3.1 1000ms)" },
            { "reply 1 3", "3=reply(a, 1)" }, { "reply 2 2", "2=reply(b, 1)" },
            { "ask", "2<PLAN_REQUEST(4.1 1000ms)" } } },
    { "a planner that takes only small frames is not asked for more",
        { { "hello 1 a f=65536", "1<WELCOME(1.0)" }, { "ask s=65512", "1<PLAN_REQUEST(1.1 1000ms)" },
            { "reply 1 1", "1=reply(a, 1)" }, { "ask s=65513", "2=no_planner(, 0)" } } },
    // ---- failing
    { "a planner that leaves loses the request to another",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "hello 2 b", "2<WELCOME(1.0)" },
            { "ask", "1<PLAN_REQUEST(1.1 1000ms)" }, { "bye 1", "2<PLAN_REQUEST(1.2 1000ms)" },
            { "reply 2 1", "1=reply(b, 2)" } } },
    { "an unreachable planner, and no other",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "ask", "1<PLAN_REQUEST(1.1 1000ms)" },
            { "lost 1", "1=lost(a, 1)" } } },
    { "an unreachable planner comes back in time",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "ask w=100", "1<PLAN_REQUEST(1.1 1000ms)" }, { "lost 1", "" },
            { "hello 2 a", "2<WELCOME(1.0) 2<PLAN_REQUEST(1.2 1000ms)" },
            { "reply 2 1", "1=reply(a, 2)" } } },
    { "two planners are tried, not three",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "hello 2 b", "2<WELCOME(1.0)" },
            { "hello 3 c", "3<WELCOME(1.0)" }, { "ask w=100", "1<PLAN_REQUEST(1.1 1000ms)" },
            { "lost 1", "2<PLAN_REQUEST(1.2 1000ms)" }, { "lost 2", "1=lost(b, 2)" } } },
    { "a silent planner is gone",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "ask d=9000", "1<PLAN_REQUEST(1.1 3000ms)" },
            { "wait 499", "" }, { "wait 1", "1<GOODBYE(silent) 1=lost(a, 1)" },
            { "ping 1", "1<WHO_ARE_YOU" } } },
    { "any message is a sign of life",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "wait 400", "" }, { "pong 1", "" }, { "wait 400", "" },
            { "junk 1", "1<ERROR(EPROTO header)" }, { "wait 400", "" }, { "ping 1", "1<PONG" } } },
    { "worldd pings, and answers pings",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "pings 99", "" }, { "pings 1", "1<PING" }, { "pings 99", "" },
            { "pings 1", "1<PING" }, { "ping 1", "1<PONG" } } },
    { "an attempt out of time goes to another planner",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "hello 2 b", "2<WELCOME(1.0)" },
            { "ask d=9000", "1<PLAN_REQUEST(1.1 3000ms)" },
            { "alive 3000", "1<PLAN_CANCEL(1 attempt timeout) 2<PLAN_REQUEST(1.2 3000ms)" },
            { "reply 1 1", "1<ERROR(EOUTDATED request_id)" }, { "reply 2 1", "1=reply(b, 2)" } } },
    { "a planner that was late is asked last",
        { { "hello 1 a n=2", "1<WELCOME(1.0)" }, { "hello 2 b n=2", "2<WELCOME(1.0)" },
            { "ask d=9000", "1<PLAN_REQUEST(1.1 3000ms)" },
            { "alive 3000", "1<PLAN_CANCEL(1 attempt timeout) 2<PLAN_REQUEST(1.2 3000ms)" },
            { "ask", "2<PLAN_REQUEST(2.1 1000ms)" } } },
    { "late, and no other",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "ask d=9000", "1<PLAN_REQUEST(1.1 3000ms)" },
            { "alive 3000", "1<PLAN_CANCEL(1 attempt timeout) 1=too_late(a, 1)" } } },
    { "the deadline passes",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "ask d=50", "1<PLAN_REQUEST(1.1 50ms)" }, { "wait 49", "" },
            { "wait 1", "1<PLAN_CANCEL(1 deadline) 1=too_late(a, 1)" },
            { "reply 1 1", "1<ERROR(EOUTDATED request_id)" } } },
    { "every planner is busy until the deadline",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "ask", "1<PLAN_REQUEST(1.1 1000ms)" }, { "ask d=50", "" },
            { "wait 50", "2=too_late(, 0)" } } },
    { "the run cancels",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "ask", "1<PLAN_REQUEST(1.1 1000ms)" },
            { "cancel 1", "1<PLAN_CANCEL(1 not needed) 1=canceled(a, 1)" }, { "cancel 1", "" },
            { "cancel 77", "" }, { "reply 1 1", "1<ERROR(EOUTDATED request_id)" } } },
    { "the planner refuses for good",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "hello 2 b", "2<WELCOME(1.0)" },
            { "ask", "1<PLAN_REQUEST(1.1 1000ms)" }, { "refuse 1 1", "1=refused(a, 1)" } } },
    { "the planner refuses, another may try",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "hello 2 b", "2<WELCOME(1.0)" },
            { "ask", "1<PLAN_REQUEST(1.1 1000ms)" }, { "retry 1 1", "2<PLAN_REQUEST(1.2 1000ms)" },
            { "retry 2 1", "1=refused(b, 2)" } } },
    { "an Error that names the request refuses it, another is taken in silence",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "ask", "1<PLAN_REQUEST(1.1 1000ms)" }, { "error 1 5", "" },
            { "error 1 1", "1=refused(a, 1)" } } },
    // ---- wrong answers
    { "a malformed reply ends the request and names the field",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "ask", "1<PLAN_REQUEST(1.1 1000ms)" },
            { "bad 1 1", "1<ERROR(EPARSE steps[0].args_json) 1=invalid(a, 1)" },
            { "reply 1 1", "1<ERROR(EEXIST request_id)" } } },
    { "a malformed reply without an id",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "ask", "1<PLAN_REQUEST(1.1 1000ms)" },
            { "bad 1 0", "1<ERROR(EPARSE steps[0].args_json)" }, { "reply 1 1", "1=reply(a, 1)" } } },
    { "a reply to a request never made",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "reply 1 1", "1<ERROR(ENOENT request_id)" },
            { "reply 1 0", "1<ERROR(ENOENT request_id)" } } },
    { "a second reply",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "ask", "1<PLAN_REQUEST(1.1 1000ms)" },
            { "reply 1 1", "1=reply(a, 1)" }, { "reply 1 1", "1<ERROR(EEXIST request_id)" } } },
    { "a reply with another planner's id",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "hello 2 b", "2<WELCOME(1.0)" },
            { "ask", "1<PLAN_REQUEST(1.1 1000ms)" }, { "reply 2 1", "2<ERROR(EDENIED request_id)" },
            { "reply 1 1", "1=reply(a, 1)" } } },
    // ---- names and sessions
    { "a newer instance supersedes, and takes over",
        { { "hello 1 a i=1", "1<WELCOME(1.0)" }, { "ask", "1<PLAN_REQUEST(1.1 1000ms)" },
            { "hello 2 a i=2", "2<WELCOME(1.0) 1<GOODBYE(superseded) 2<PLAN_REQUEST(1.2 1000ms)" },
            { "reply 1 1", "1<WHO_ARE_YOU" }, { "reply 2 1", "1=reply(a, 2)" } } },
    { "the same instance on a new connection",
        { { "hello 1 a i=1", "1<WELCOME(1.0)" }, { "hello 2 a i=1", "2<WELCOME(1.0) 1<GOODBYE(superseded)" },
            { "ask", "2<PLAN_REQUEST(1.1 1000ms)" } } },
    { "another user may not take the name",
        { { "hello 1 a u=1000", "1<WELCOME(1.0)" }, { "hello 2 a u=1001", "2<REJECT(EDENIED name)" },
            { "hello 3 a u=1000 i=3", "3<WELCOME(1.0) 1<GOODBYE(superseded)" } } },
    { "Hello again keeps what is open",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "ask", "1<PLAN_REQUEST(1.1 1000ms)" },
            { "hello 1 a", "1<WELCOME(1.0)" }, { "reply 1 1", "1=reply(a, 1)" } } },
    { "Hello under another name starts anew",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "ask", "1<PLAN_REQUEST(1.1 1000ms)" },
            { "hello 1 b", "1<WELCOME(1.0) 1<PLAN_REQUEST(1.2 1000ms)" },
            { "reply 1 1", "1=reply(b, 2)" } } },
    { "a refused Hello ends the session it had",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "ask", "1<PLAN_REQUEST(1.1 1000ms)" },
            { "hello 1 a!", "1<REJECT(EINVAL name) 1=lost(a, 1)" }, { "ping 1", "1<WHO_ARE_YOU" } } },
    { "a peer that never said Hello is asked who it is",
        { { "ping 1", "1<WHO_ARE_YOU" }, { "pong 1", "1<WHO_ARE_YOU" }, { "reply 1 1", "1<WHO_ARE_YOU" },
            { "bye 1", "" }, { "error 1 1", "" } } },
    { "a stranger is turned away", { { "junk 1", "1<REJECT(EPROTO header)" } } },
    { "goodbye to a planner with nothing to do",
        { { "hello 1 a", "1<WELCOME(1.0)" }, { "bye 1", "" }, { "lost 1", "" } } },
    { "shutdown", { { "hello 1 a", "1<WELCOME(1.0)" }, { "hello 2 b", "2<WELCOME(1.0)" },
                      { "ask", "1<PLAN_REQUEST(1.1 1000ms)" }, { "ask b w=10", "2<PLAN_REQUEST(2.1 1000ms)" },
                      { "shutdown", "1<GOODBYE(end) 2<GOODBYE(end) 1=canceled(a, 1) 2=canceled(b, 1)" },
                      { "ping 1", "1<WHO_ARE_YOU" } } },
};

// ---- the script's machine ---------------------------------------------------------------------------------------

typedef struct broker_script {
    wd_broker *broker;
    wd_broker_outbox outbox;
    int64_t now_ms;
} broker_script;

static wire_body body;
static uint8_t header[WD_FRAME_HEADER_SIZE];

static wd_peer_id peer_id(unsigned number)
{
    return (wd_peer_id){ .bytes = { 0, (uint8_t)number }, .length = 5 };
}

static wd_broker_message message_of(unsigned peer, uint16_t kind)
{
    wd_frame_write(kind, header);
    return (wd_broker_message){ .peer = peer_id(peer),
        .uid = UINT32_MAX,
        .header = header,
        .header_length = sizeof header,
        .body = body.bytes,
        .body_length = body.length,
        .frame_count = 2 };
}

static void script_start(broker_script *script)
{
    wd_broker_options options = wd_broker_options_default();
    options.heartbeat_ms = 100;
    options.attempt_timeout_ms = 3000;
    options.boot_id[0] = 0xb0;
    *script = (broker_script){ .now_ms = 1000 };
    assert_int_equal(wd_broker_new(&options, &script->broker), WD_OK);
}

static void script_end(broker_script *script)
{
    wd_broker_outbox_done(&script->outbox);
    wd_broker_destroy(&script->broker);
}

/// The number behind `key` ("d=") in the event, else `fallback`.
static uint32_t option(const char *event, const char *key, uint32_t fallback)
{
    const char *at = strstr(event, key);
    return at == NULL ? fallback : (uint32_t)strtoul(at + strlen(key), NULL, 10);
}

static void build_hello(const char *event)
{
    char name[WD_PEER_NAME_MAX + 2];
    assert_int_equal(sscanf(event, "hello %*u %65s", name), 1);
    uint8_t instance[WD_SESSION_ID_SIZE] = { (uint8_t)option(event, "i=", 0) };
    body.length = 0;
    wire_varint(&body, 1, 1);
    wire_varint(&body, 2, 1);
    wire_varint(&body, 3, 7);
    wire_text(&body, 5, "planner");
    wire_text(&body, 6, name);
    wire_bytes(&body, 7, instance, sizeof instance);
    wire_varint(&body, 8, option(event, "n=", 1));
    wire_varint(&body, 9, option(event, "f=", 0));
}

/// What the peer says; @return its kind.
static uint16_t build_message(const char *verb, uint64_t id)
{
    body.length = 0;
    if (id != 0) {
        wire_varint(&body, 1, id);
    }
    if (strcmp(verb, "reply") == 0 || strcmp(verb, "bad") == 0) {
        wire_step(&body, "back", strcmp(verb, "bad") == 0 ? "{" : NULL, NULL);
        return WD_MSG_PLAN_REPLY;
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

static wd_status ask(broker_script *script, const char *event)
{
    char name[WD_PEER_NAME_MAX + 1] = "";
    static char filler[128 * 1024];
    uint32_t size = option(event, "s=", 0);  // of the whole body, which is run_id alone: 4 bytes and the text
    if (sscanf(event, "ask %64s", name) != 1 || strchr(name, '=') != NULL) {
        name[0] = '\0';
    }
    uint64_t id = 0;
    body.length = 0;
    if (size > 0) {
        wire_bytes(&body, 2, filler, size - 4);
    }
    assert_int_equal(body.length, size);
    return wd_broker_request(script->broker, name[0] == '\0' ? NULL : name, body.bytes, body.length,
        option(event, "d=", 1000), option(event, "w=", 0), script->now_ms, &id, &script->outbox);
}

/// Let time pass, ticking whenever the broker wants it. `alive`: all peers of the script send Pong meanwhile.
static wd_status pass_time(broker_script *script, uint32_t ms, bool alive)
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

static wd_status run_event(broker_script *script, const char *event)
{
    char verb[16];
    unsigned number = 0;
    unsigned long long id = 0;
    assert_true(sscanf(event, "%15s %u %llu", verb, &number, &id) >= 1);
    if (strcmp(verb, "ask") == 0) {
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
    message.uid = option(event, "u=", UINT32_MAX);
    if (strcmp(verb, "junk") == 0) {
        header[0] = 'X';
    }
    return wd_broker_receive(script->broker, &message, script->now_ms, &script->outbox);
}

/// "ESTATUS field" of an Error or Reject.
static void print_notice(const wd_broker_send *send, char *ret_text, size_t size)
{
    wd_notice notice;
    assert_int_equal(wd_codec_unpack_notice(send->kind, send->body, send->body_length, &notice, NULL), WD_OK);
    snprintf(ret_text, size, "(%s %.*s)", wd_status_name(notice.error.status),
        (int)strcspn(notice.error.text, ":."), notice.error.text);
    if (strncmp(notice.error.text, "steps", 5) == 0) {
        snprintf(ret_text, size, "(%s %.*s)", wd_status_name(notice.error.status),
            (int)strcspn(notice.error.text, ":"), notice.error.text);
    }
}

static void print_send(const wd_broker_send *send, char *ret_text, size_t size)
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
    case WD_MSG_PLAN_CANCEL: {
        Worldd__V1__PlanCancel *cancel = worldd__v1__plan_cancel__unpack(NULL, send->body_length, send->body);
        snprintf(what, sizeof what, "(%llu %s)", (unsigned long long)cancel->request_id, cancel->reason);
        worldd__v1__plan_cancel__free_unpacked(cancel, NULL);
        break;
    }
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

static void print_outbox(const wd_broker_outbox *outbox, const char *event, char *ret_text)
{
    bool pings = strncmp(event, "pings", 5) == 0;
    bool alive = strncmp(event, "alive", 5) == 0;  // asks those whom the row does not have who they are
    size_t length = 0;
    ret_text[0] = '\0';
    for (size_t i = 0; i < outbox->outcome_count; i++) {
        const wd_plan_outcome *outcome = &outbox->outcomes[i];
        assert_true((outcome->end == WD_PLAN_REPLY) == (outcome->reply != NULL));
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
}

static void script_gives_expected(void **state)
{
    const struct broker_case *row = *state;
    broker_script script;
    script_start(&script);
    for (size_t i = 0; i < ROW_EVENTS_MAX && row->events[i].event != NULL; i++) {
        char output[OUTPUT_MAX];
        assert_int_equal(run_event(&script, row->events[i].event), WD_OK);
        print_outbox(&script.outbox, row->events[i].event, output);
        if (strcmp(output, row->events[i].output) != 0) {
            script_end(&script);
            fail_msg("%s: gave \"%s\", expected \"%s\"", row->events[i].event, output, row->events[i].output);
        }
        wd_broker_outbox_clear(&script.outbox);
    }
    script_end(&script);
}

// ---- every allocation fails once --------------------------------------------------------------------------------

/// Run one row with its allocations failing from the nth on, each failed event being repeated with memory.
/// @return whether any allocation failed. Every request must end at most once, and all must end at the shutdown.
static bool run_short_of_memory(const struct broker_case *row, long calls)
{
    broker_script script;
    script_start(&script);
    bool failed = false;
    for (size_t i = 0; i < ROW_EVENTS_MAX && row->events[i].event != NULL; i++) {
        wd_alloc_fail_after(failed ? -1 : calls);
        uint64_t before = wd_alloc_stats_get().calls_total;
        wd_status status = run_event(&script, row->events[i].event);
        calls -= (long)(wd_alloc_stats_get().calls_total - before);
        wd_alloc_fail_after(-1);
        assert_true(status == WD_OK || (status == WD_ENOMEM && !failed));
        failed = failed || status == WD_ENOMEM || calls <= 0;
        if (status == WD_ENOMEM) {
            assert_int_equal(run_event(&script, row->events[i].event), WD_OK);
        }
        assert_int_equal(wd_broker_tick(script.broker, script.now_ms, &script.outbox), WD_OK);
    }
    assert_int_equal(wd_broker_shutdown(script.broker, "end", &script.outbox), WD_OK);
    assert_int_equal(script.outbox.outcome_count, wd_broker_stats_get(script.broker).requests);
    assert_int_equal(wd_broker_stats_get(script.broker).requests_open, 0);
    assert_int_equal(wd_broker_stats_get(script.broker).peers, 0);
    script_end(&script);
    return failed;
}

static void short_of_memory(void **state)
{
    const struct broker_case *row = *state;
    uint64_t live = wd_alloc_stats_get().bytes_live;
    for (long calls = 0; run_short_of_memory(row, calls); calls++) {
        assert_in_range(calls, 0, 2000);
        assert_true(wd_alloc_stats_get().bytes_live == live);
    }
}

// ---- frames -----------------------------------------------------------------------------------------------------

static const struct frame_case {
    const char *name, *header;
    size_t header_length, frame_count;
    const char *known, *stranger;  // what a peer and a stranger are answered
} frame_cases[] = {
    { "no header", "", 0, 1, "1<ERROR(EPROTO header)", "1<REJECT(EPROTO header)" },
    { "a short header", "WD\1\0\4\0\0", 7, 2, "1<ERROR(EPROTO header)", "1<REJECT(EPROTO header)" },
    { "a long header", "WD\1\0\4\0\0\0\0", 9, 2, "1<ERROR(EPROTO header)", "1<REJECT(EPROTO header)" },
    { "another magic", "GET / HT", 8, 2, "1<ERROR(EPROTO header)", "1<REJECT(EPROTO header)" },
    { "an older major version", "WD\0\0\4\0\0\0", 8, 2, "1<ERROR(EVERSION header)",
        "1<REJECT(EVERSION header)" },
    { "a newer major version", "WD\2\0\4\0\0\0", 8, 2, "1<ERROR(EVERSION header)",
        "1<REJECT(EVERSION header)" },
    { "a newer minor version", "WD\1\7\4\0\0\0", 8, 2, "1<PONG", "1<WHO_ARE_YOU" },
    { "kind 0", "WD\1\0\0\0\0\0", 8, 2, "1<ERROR(EPROTO header)", "1<REJECT(EPROTO header)" },
    { "an unknown kind", "WD\1\0\xff\xff\0\0", 8, 2, "1<ERROR(EPROTO header)", "1<REJECT(EPROTO header)" },
    { "unknown flags", "WD\1\0\4\0\1\0", 8, 2, "1<ERROR(EPROTO header)", "1<REJECT(EPROTO header)" },
    { "no body", "WD\1\0\4\0\0\0", 8, 1, "1<ERROR(EPROTO message)", "1<REJECT(EPROTO message)" },
    { "blobs that nobody named", "WD\1\0\4\0\0\0", 8, WD_FRAME_COUNT_MAX, "1<ERROR(EPROTO message)",
        "1<REJECT(EPROTO message)" },
    { "too many frames", "WD\1\0\4\0\0\0", 8, WD_FRAME_COUNT_MAX + 1, "1<ERROR(ELIMIT message)",
        "1<REJECT(ELIMIT message)" },
    { "a kind that only worldd sends", "WD\1\0\2\0\0\0", 8, 2, "1<ERROR(EUNSUPPORTED header)",
        "1<WHO_ARE_YOU" },
    { "a kind of the control socket", "WD\1\0\x20\0\0\0", 8, 2, "1<ERROR(EUNSUPPORTED header)",
        "1<WHO_ARE_YOU" },
};

static void frames_are_judged(void **state)
{
    const struct frame_case *row = *state;
    for (int known = 0; known <= 1; known++) {
        broker_script script;
        char output[OUTPUT_MAX];
        script_start(&script);
        if (known) {
            assert_int_equal(run_event(&script, "hello 1 a"), WD_OK);
            wd_broker_outbox_clear(&script.outbox);
        }
        body.length = 0;
        wd_broker_message message = message_of(1, WD_MSG_PING);
        message.header = row->header;
        message.header_length = row->header_length;
        message.frame_count = row->frame_count;
        assert_int_equal(wd_broker_receive(script.broker, &message, script.now_ms, &script.outbox), WD_OK);
        print_outbox(&script.outbox, "", output);
        assert_string_equal(output, known ? row->known : row->stranger);
        assert_int_equal(wd_broker_stats_get(script.broker).peers, known);  // nobody lost the session for it
        script_end(&script);
    }
}

// ---- limits and counts --------------------------------------------------------------------------------------------

static void limits(void **state)
{
    (void)state;
    broker_script script;
    char event[64], output[OUTPUT_MAX];
    script_start(&script);
    for (int i = 0; i < WD_BROKER_PEERS_MAX; i++) {
        snprintf(event, sizeof event, "hello %d p%d n=64", i, i);
        assert_int_equal(run_event(&script, event), WD_OK);
    }
    wd_broker_outbox_clear(&script.outbox);
    assert_int_equal(wd_broker_stats_get(script.broker).peers, WD_BROKER_PEERS_MAX);
    build_hello("hello 0 late");
    wd_broker_message message = message_of(0, WD_MSG_HELLO);
    message.peer.bytes[2] = 1;  // a connection of its own
    assert_int_equal(wd_broker_receive(script.broker, &message, script.now_ms, &script.outbox), WD_OK);
    print_outbox(&script.outbox, "", output);
    assert_string_equal(output, "0<REJECT(ELIMIT too many planners)");
    wd_broker_outbox_clear(&script.outbox);
    build_hello("hello 0 p7");  // one that takes another's place fits
    message.body_length = body.length;
    assert_int_equal(wd_broker_receive(script.broker, &message, script.now_ms, &script.outbox), WD_OK);
    print_outbox(&script.outbox, "", output);
    assert_string_equal(output, "0<WELCOME(1.0) 7<GOODBYE(superseded)");

    for (int i = 0; i < WD_BROKER_REQUESTS_MAX; i++) {
        assert_int_equal(run_event(&script, "ask"), WD_OK);
        wd_broker_outbox_clear(&script.outbox);
    }
    assert_int_equal(run_event(&script, "ask"), WD_ELIMIT);
    assert_int_equal(wd_broker_stats_get(script.broker).requests_open, WD_BROKER_REQUESTS_MAX);
    assert_int_equal(run_event(&script, "cancel 2048"), WD_OK);
    assert_int_equal(run_event(&script, "ask"), WD_OK);
    script_end(&script);
}

/// How an ended request ended is known for the last WD_BROKER_CLOSED_MAX of them; older ones are just late.
static void ended_requests_are_forgotten_in_time(void **state)
{
    (void)state;
    broker_script script;
    char output[OUTPUT_MAX];
    script_start(&script);
    assert_int_equal(run_event(&script, "hello 1 a"), WD_OK);
    for (int i = 1; i <= WD_BROKER_CLOSED_MAX; i++) {
        char event[64];
        snprintf(event, sizeof event, "reply 1 %d", i);
        assert_int_equal(run_event(&script, "ask"), WD_OK);
        assert_int_equal(run_event(&script, event), WD_OK);
        wd_broker_outbox_clear(&script.outbox);
    }
    assert_int_equal(run_event(&script, "reply 1 1"), WD_OK);
    print_outbox(&script.outbox, "", output);
    assert_string_equal(output, "1<ERROR(EEXIST request_id)");
    assert_int_equal(run_event(&script, "ask"), WD_OK);
    assert_int_equal(run_event(&script, "cancel 4097"), WD_OK);
    wd_broker_outbox_clear(&script.outbox);
    assert_int_equal(run_event(&script, "reply 1 1"), WD_OK);
    print_outbox(&script.outbox, "", output);
    assert_string_equal(output, "1<ERROR(EOUTDATED request_id)");
    script_end(&script);
}

/// As many planners are tried as the options say, and not one more.
static void attempts_are_bounded(void **state)
{
    (void)state;
    for (uint32_t attempts = 1; attempts <= 17; attempts += 4) {
        wd_broker_options options = wd_broker_options_default();
        options.planner_attempts = attempts;
        broker_script script = { .now_ms = 1 };
        assert_int_equal(wd_broker_new(&options, &script.broker), WD_OK);
        char event[64];
        for (int peer = 1; peer <= 20; peer++) {
            snprintf(event, sizeof event, "hello %d p%02d", peer, peer);
            assert_int_equal(run_event(&script, event), WD_OK);
        }
        assert_int_equal(run_event(&script, "ask d=100000"), WD_OK);
        for (int peer = 1; script.outbox.outcome_count == 0; peer++) {
            snprintf(event, sizeof event, "lost %d", peer);
            assert_int_equal(run_event(&script, event), WD_OK);
        }
        assert_int_equal(script.outbox.outcomes[0].end, WD_PLAN_LOST);
        assert_int_equal(script.outbox.outcomes[0].attempt, attempts > 16 ? 16 : attempts);
        script_end(&script);
    }
}

static void counts(void **state)
{
    (void)state;
    static const char *const events[] = { "junk 1", "hello 1 a", "hello 2 b n=3", "hello 2 b! n=3",
        "hello 2 b", "hello 3 b i=3", "ask", "reply 1 1", "reply 1 1", "reply 1 9", "ask a d=10", "wait 20",
        "reply 1 2", "junk 1", "lost 3", "ask a" };
    broker_script script;
    script_start(&script);
    for (size_t i = 0; i < WD_COUNT_OF(events); i++) {
        assert_int_equal(run_event(&script, events[i]), WD_OK);
    }
    wd_broker_stats stats = wd_broker_stats_get(script.broker);
    assert_int_equal(stats.hellos, 4);
    assert_int_equal(stats.rejects, 2);
    assert_int_equal(stats.malformed, 2);
    assert_int_equal(stats.requests, 3);
    assert_int_equal(stats.replies, 1);
    assert_int_equal(stats.repeated_replies, 1);
    assert_int_equal(stats.unknown_replies, 1);
    assert_int_equal(stats.late_replies, 1);
    assert_int_equal(stats.errors_sent, 4);
    assert_int_equal(stats.superseded, 1);
    assert_int_equal(stats.peers_lost, 1);
    assert_int_equal(stats.peers, 1);
    assert_int_equal(stats.requests_open, 1);
    wd_value *peers = NULL;
    wd_buffer json = { 0 };
    assert_int_equal(wd_broker_peers_to_value(script.broker, &peers), WD_OK);
    assert_int_equal(wd_json_write(peers, WD_JSON_COMPACT, &json), WD_OK);
    assert_string_equal(json.bytes,
        "[{\"name\":\"a\",\"role\":\"planner\",\"inflight\":1,\"max_inflight\":1,\"replies\":1}]");
    wd_buffer_done(&json);
    wd_value_unref(&peers);
    script_end(&script);
}

// ---- points -------------------------------------------------------------------------------------------------------

static void points_take_the_space_of_the_planner(void **state)
{
    (void)state;
    broker_script script;
    script_start(&script);
    build_hello("hello 1 a");
    wire_text(&body, 10, "model");
    wire_varint(&body, 11, 500);
    wire_varint(&body, 12, 1000);
    wd_broker_message message = message_of(1, WD_MSG_HELLO);
    assert_int_equal(wd_broker_receive(script.broker, &message, script.now_ms, &script.outbox), WD_OK);
    assert_int_equal(run_event(&script, "ask"), WD_OK);
    body.length = 0;
    wire_varint(&body, 1, 1);
    wire_step(&body, "tap", "{\"x\":250,\"y\":250}", NULL);
    wire_step(&body, "tap", "{\"x\":0.5,\"y\":0.5,\"space\":\"norm1\"}", NULL);
    wire_step(&body, "tap", "{\"x\":501,\"y\":0}", NULL);
    message = message_of(1, WD_MSG_PLAN_REPLY);
    assert_int_equal(wd_broker_receive(script.broker, &message, script.now_ms, &script.outbox), WD_OK);
    assert_int_equal(script.outbox.outcome_count, 1);
    const wd_plan_reply *reply = script.outbox.outcomes[0].reply;
    assert_int_equal(reply->steps[0].action.space, WD_SPACE_NORM1);
    assert_true(reply->steps[0].action.x == 0.5 && reply->steps[0].action.y == 0.25);
    assert_int_equal(reply->steps[1].action.space, WD_SPACE_NORM1);
    assert_true(reply->steps[1].action.x == 0.5 && reply->steps[1].action.y == 0.5);
    assert_int_equal(reply->steps[2].action.kind, WD_ACTION_INVALID);
    assert_string_equal(
        reply->steps[2].action.reason, "args.x, args.y: outside of the planner's coordinate space");
    script_end(&script);
}

static void model_points_need_a_size(void **state)
{
    (void)state;
    broker_script script;
    script_start(&script);
    assert_int_equal(run_event(&script, "hello 1 a"), WD_OK);
    assert_int_equal(run_event(&script, "ask"), WD_OK);
    body.length = 0;
    wire_varint(&body, 1, 1);
    wire_step(&body, "tap", "{\"x\":250,\"y\":250,\"space\":\"model\"}", NULL);
    wd_broker_message message = message_of(1, WD_MSG_PLAN_REPLY);
    assert_int_equal(wd_broker_receive(script.broker, &message, script.now_ms, &script.outbox), WD_OK);
    const wd_action *action = &script.outbox.outcomes[0].reply->steps[0].action;
    assert_int_equal(action->kind, WD_ACTION_INVALID);
    assert_string_equal(action->reason, "args.space: \"model\" needs model_width and model_height in Hello");
    assert_string_equal(action->raw, "tap");
    script_end(&script);
}

// ---- at random ----------------------------------------------------------------------------------------------------

static uint64_t random_state;

static uint64_t random_below(uint64_t bound)
{
    uint64_t mixed = random_state += 0x9e3779b97f4a7c15;  // splitmix64
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    return (mixed ^ mixed >> 31) % bound;
}

enum { ROUND_EVENTS = 3000 };

static void random_event(broker_script *script, char *ret_event, size_t size)
{
    static const char *const verbs[] = { "hello", "hello", "ask", "ask", "ask", "reply", "reply", "reply",
        "bad", "refuse", "retry", "error", "ping", "pong", "bye", "junk", "lost", "cancel", "wait", "alive" };
    const char *verb = verbs[random_below(WD_COUNT_OF(verbs))];
    uint64_t last = wd_broker_stats_get(script->broker).requests;
    unsigned long long id = last == 0 ? 0 : last - random_below(last < 5 ? last : 5) + random_below(2);
    unsigned peer = 1 + (unsigned)random_below(4);
    if (strcmp(verb, "ask") == 0) {
        snprintf(
            ret_event, size, "ask d=%u w=%u", 1 + (unsigned)random_below(5000), (unsigned)random_below(200));
    } else if (strcmp(verb, "hello") == 0) {
        snprintf(ret_event, size, "hello %u %c i=%u n=%u", peer, (char)('a' + random_below(3)),
            (unsigned)random_below(3), 1 + (unsigned)random_below(3));
    } else if (strcmp(verb, "wait") == 0 || strcmp(verb, "alive") == 0) {
        snprintf(ret_event, size, "%s %u", verb, (unsigned)random_below(700));
    } else if (strcmp(verb, "cancel") == 0) {
        snprintf(ret_event, size, "cancel %llu", id);
    } else {
        snprintf(ret_event, size, "%s %u %llu", verb, peer, id);
    }
}

/// Whatever happens in whatever order: every request ends exactly once.
static void every_request_ends_once(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        random_state = seed;
        static uint8_t ended[ROUND_EVENTS + 1];
        memset(ended, 0, sizeof ended);
        broker_script script;
        script_start(&script);
        for (int i = 0; i <= ROUND_EVENTS; i++) {
            char event[64] = "shutdown";
            if (i < ROUND_EVENTS) {
                random_event(&script, event, sizeof event);
            }
            assert_int_equal(run_event(&script, event), WD_OK);
            for (size_t o = 0; o < script.outbox.outcome_count; o++) {
                assert_int_equal(ended[script.outbox.outcomes[o].request_id]++, 0);
            }
            wd_broker_outbox_clear(&script.outbox);
        }
        uint64_t requests = wd_broker_stats_get(script.broker).requests;
        assert_true(requests > 100);
        for (uint64_t id = 1; id <= requests; id++) {
            assert_int_equal(ended[id], 1);
        }
        script_end(&script);
    }
}

static void random_bytes_are_survived(void **state)
{
    (void)state;
    random_state = 77;
    broker_script script;
    script_start(&script);
    assert_int_equal(run_event(&script, "hello 1 a"), WD_OK);
    for (int i = 0; i < 20000; i++) {
        body.length = random_below(64);
        for (size_t at = 0; at < body.length; at++) {
            body.bytes[at] = (uint8_t)random_below(256);
        }
        wd_broker_message message = message_of(1 + (unsigned)random_below(2), (uint16_t)random_below(40));
        if (random_below(4) == 0) {
            header[random_below(sizeof header)] = (uint8_t)random_below(256);
        }
        message.frame_count = random_below(9);
        assert_int_equal(wd_broker_receive(script.broker, &message, script.now_ms, &script.outbox), WD_OK);
        wd_broker_outbox_clear(&script.outbox);
    }
    assert_int_equal(run_event(&script, "hello 1 a"), WD_OK);
    wd_broker_outbox_clear(&script.outbox);
    assert_int_equal(run_event(&script, "ask"), WD_OK);
    assert_int_equal(script.outbox.send_count, 1);  // still at work
    script_end(&script);
}

int main(void)
{
    struct CMUnitTest tests[2 * WD_COUNT_OF(broker_cases) + WD_COUNT_OF(frame_cases) + 8];
    static char names[WD_COUNT_OF(broker_cases)][96];
    size_t count = 0;
    for (size_t i = 0; i < WD_COUNT_OF(broker_cases); i++) {
        void *row = (void *)(uintptr_t)&broker_cases[i];
        snprintf(names[i], sizeof names[i], "short of memory: %s", broker_cases[i].name);
        tests[count++] = (struct CMUnitTest){
            .name = broker_cases[i].name, .test_func = script_gives_expected, .initial_state = row
        };
        tests[count++] =
            (struct CMUnitTest){ .name = names[i], .test_func = short_of_memory, .initial_state = row };
    }
    for (size_t i = 0; i < WD_COUNT_OF(frame_cases); i++) {
        tests[count++] = (struct CMUnitTest){ .name = frame_cases[i].name,
            .test_func = frames_are_judged,
            .initial_state = (void *)(uintptr_t)&frame_cases[i] };
    }
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(limits);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(ended_requests_are_forgotten_in_time);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(attempts_are_bounded);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(counts);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(points_take_the_space_of_the_planner);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(model_points_need_a_size);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(every_request_ends_once);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(random_bytes_are_survived);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
