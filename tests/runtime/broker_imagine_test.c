// A planner's question what if, up to the outbox: who may ask about which request, and what is wrong with a message.
// Sources: broker_imagine.c, codec_control.c.
#include "broker_script.h"

#include "broker_imagine.h"
#include "json.h"

/// Peer 1 (planner a) holds request 1, which was made of 2; request 2 waits with planner b, peer 2. Peer 3 is an enricher.
static void script_ready(broker_script *script)
{
    static const char *const events[] = { "hello 1 a", "hello 2 b", "hello 3 e e=1", "ask a", "ask b" };
    script_start(script);
    for (size_t i = 0; i < WD_COUNT_OF(events); i++) {
        assert_int_equal(run_event(script, events[i]), WD_OK);
    }
    wd_broker_outbox_clear(&script->outbox);
}

static const struct imagine_row {
    const char *name;
    unsigned peer;
    uint64_t imagine_id, request_id;
    const char *args;  // NULL: none
    wd_status status;  // of the Error; WD_OK: it is handed on
    const char *text;
} imagine_rows[] = {
    { "of the request that it holds", 1, 7, 1, "{\"candidates\":[]}", WD_OK, NULL },
    { "without arguments: an empty object", 1, 7, 1, NULL, WD_OK, NULL },
    { "without an id", 1, 0, 1, "{}", WD_EINVAL, "imagine_id: must not be 0" },
    { "without a request", 1, 7, 0, "{}", WD_ENOENT, "request_id: no request 0 is open" },
    { "of a request never made", 1, 7, 9, "{}", WD_ENOENT, "request_id: no request 9 is open" },
    { "of another's request", 1, 7, 2, "{}", WD_EDENIED, "request_id: 2 is not with this peer" },
    { "of the other's own", 2, 7, 2, "{}", WD_OK, NULL },
    { "no JSON", 1, 7, 1, "{", WD_EPARSE, "args_json: line 1, column 2: " },
    { "no object", 1, 7, 1, "[]", WD_ETYPE, "args_json: must be an object, is array" },
    { "a key twice", 1, 7, 1, "{\"a\":1,\"a\":1}", WD_EPARSE, "args_json: line 1, column 8: " },
    { "not UTF-8", 1, 7, 1, "{\"a\":\"\xff\"}", WD_EUTF8, "args_json: line 1, column 7: " },
    { "from an enricher", 3, 0, 1, "{}", WD_EUNSUPPORTED,
        "header.kind: IMAGINE is nothing that role \"enricher\" sends" },
};

static void build_imagine(const struct imagine_row *row)
{
    body.length = 0;
    if (row->imagine_id != 0) {
        wire_varint(&body, 1, row->imagine_id);
    }
    if (row->request_id != 0) {
        wire_varint(&body, 2, row->request_id);
    }
    if (row->args != NULL) {
        wire_text(&body, 3, row->args);
    }
}

/// The one Error that was sent has the ids of the message.
static void assert_error(const wd_broker_outbox *outbox, const struct imagine_row *row)
{
    assert_int_equal(outbox->imagine_count, 0);
    assert_int_equal(outbox->send_count, 1);
    const wd_broker_send *send = &outbox->sends[0];
    assert_int_equal(send->kind, WD_MSG_ERROR);
    Worldd__V1__Error *error = worldd__v1__error__unpack(NULL, send->body_length, send->body);
    assert_non_null(error);
    assert_int_equal(error->code, row->status);
    assert_memory_equal(error->text, row->text, strlen(row->text));
    assert_int_equal(error->imagine_id, row->imagine_id);
    if (row->status != WD_EUNSUPPORTED) {
        assert_int_equal(error->request_id, row->request_id);
    }
    worldd__v1__error__free_unpacked(error, NULL);
}

static void a_question_is_judged(void **state)
{
    const struct imagine_row *row = *state;
    broker_script script;
    script_ready(&script);
    build_imagine(row);
    wd_broker_message message = message_of(row->peer, WD_MSG_IMAGINE);
    assert_int_equal(wd_broker_receive(script.broker, &message, script.now_ms, &script.outbox), WD_OK);
    if (row->status != WD_OK) {
        assert_error(&script.outbox, row);
    } else {
        assert_int_equal(script.outbox.send_count, 0);
        assert_int_equal(script.outbox.imagine_count, 1);
        const wd_broker_imagine *asked = &script.outbox.imagines[0];
        assert_int_equal(asked->imagine_id, row->imagine_id);
        assert_int_equal(asked->request_id, row->request_id);
        assert_json(asked->args, row->args == NULL ? "{}" : row->args);
    }
    wd_broker_outbox_clear(&script.outbox);
    // The requests are open as before: each is answered once.
    char output[OUTPUT_MAX];
    assert_int_equal(run_event(&script, "reply 1 1"), WD_OK);
    print_outbox(&script.outbox, "", output);
    assert_string_equal(output, "1=reply(a, 1)");
    script_end(&script);
}

static void a_question_after_the_answer_is_too_late(void **state)
{
    (void)state;
    static const struct imagine_row late = { "late", 1, 7, 1, "{}", WD_ENOENT,
        "request_id: no request 1 is open" };
    broker_script script;
    script_ready(&script);
    assert_int_equal(run_event(&script, "reply 1 1"), WD_OK);
    wd_broker_outbox_clear(&script.outbox);
    build_imagine(&late);
    wd_broker_message message = message_of(1, WD_MSG_IMAGINE);
    assert_int_equal(wd_broker_receive(script.broker, &message, script.now_ms, &script.outbox), WD_OK);
    assert_error(&script.outbox, &late);
    script_end(&script);
}

/// Fail each allocation in turn: the message was not taken, and may be fed again.
static void out_of_memory_takes_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3; i++) {  // handed on, refused
        const struct imagine_row *row = &imagine_rows[i];
        broker_script script;
        script_ready(&script);
        build_imagine(row);
        wd_broker_message message = message_of(row->peer, WD_MSG_IMAGINE);
        wd_broker_outbox_done(&script.outbox);
        wd_status status = WD_ENOMEM;
        for (long calls = 0; status != WD_OK; calls++) {
            assert_in_range(calls, 0, 100);
            wd_alloc_fail_after(calls);
            status = wd_broker_receive(script.broker, &message, script.now_ms, &script.outbox);
            wd_alloc_fail_after(-1);
            assert_true(status == WD_OK || status == WD_ENOMEM);
            assert_int_equal(script.outbox.imagine_count, status == WD_OK && row->status == WD_OK);
            assert_int_equal(script.outbox.send_count, status == WD_OK && row->status != WD_OK);
        }
        script_end(&script);
    }
}

static void messages_are_packed(void **state)
{
    (void)state;
    wd_value *args = json_of("{\"candidates\":[[{\"kind\":\"home\"}]]}"), *again = NULL;
    uint8_t *packed = NULL;
    size_t length = 0;
    uint64_t imagine_id = 0, request_id = 0;
    assert_int_equal(wd_codec_pack_imagine(7, 9, args, &packed, &length), WD_OK);
    assert_int_equal(wd_codec_unpack_imagine(packed, length, &imagine_id, &request_id, &again, NULL), WD_OK);
    assert_int_equal(imagine_id, 7);
    assert_int_equal(request_id, 9);
    assert_true(wd_value_equal(args, again));
    wd_free(packed, length);
    assert_int_equal(wd_codec_pack_imagine_reply(7, args, &packed, &length), WD_OK);
    Worldd__V1__ImagineReply *reply = worldd__v1__imagine_reply__unpack(NULL, length, packed);
    assert_int_equal(reply->imagine_id, 7);
    char *text = text_of(args);
    assert_int_equal(reply->result_json.len, strlen(text));
    assert_memory_equal(reply->result_json.data, text, strlen(text));
    free(text);
    worldd__v1__imagine_reply__free_unpacked(reply, NULL);
    wd_free(packed, length);
    wd_value_unref(&args);
    wd_value_unref(&again);
}

int main(void)
{
    enum { FIXED_TESTS = 3 };
    struct CMUnitTest tests[FIXED_TESTS + WD_COUNT_OF(imagine_rows)] = {
        cmocka_unit_test(a_question_after_the_answer_is_too_late),
        cmocka_unit_test(out_of_memory_takes_nothing),
        cmocka_unit_test(messages_are_packed),
    };
    for (size_t i = 0; i < WD_COUNT_OF(imagine_rows); i++) {
        tests[FIXED_TESTS + i] = (struct CMUnitTest){ .name = imagine_rows[i].name,
            .test_func = a_question_is_judged,
            .initial_state = (void *)(uintptr_t)&imagine_rows[i] };
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
