// Requests that are done once, and the bounds of what is remembered. Sources: clients.c.
#include "clients.h"

#include "tree/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void name_instance(uint32_t number, uint8_t ret_instance[WD_SESSION_ID_SIZE])
{
    memset(ret_instance, 0, WD_SESSION_ID_SIZE);
    memcpy(ret_instance, &number, sizeof number);
}

static wd_status hello(
    wd_clients *clients, uint32_t number, uint8_t peer, int64_t now_ms, wd_client **ret_client)
{
    uint8_t instance[WD_SESSION_ID_SIZE];
    wd_peer_id id = { .bytes = { peer }, .length = 1 };
    name_instance(number, instance);
    return wd_clients_hello(clients, instance, (wd_user){ 0 }, &id, now_ms, ret_client);
}

static void an_answer_is_given_again_on_a_new_connection(void **state)
{
    (void)state;
    wd_clients clients = { 0 };
    wd_client *client = NULL, *again = NULL;
    const wd_client_answer *answer = NULL;
    assert_int_equal(hello(&clients, 1, 1, 0, &client), WD_OK);
    assert_int_equal(wd_client_begin_request(client, 7, &answer), WD_CLIENT_NEW);
    assert_int_equal(wd_client_begin_request(client, 7, &answer), WD_CLIENT_OPEN);
    wd_clients_lost(&clients, &client->peer);
    assert_false(client->connected);
    wd_client_finish_request(client, 7, 34, (const uint8_t *)"body", 4);
    assert_int_equal(hello(&clients, 1, 2, 5, &again), WD_OK);
    assert_ptr_equal(again, client);
    assert_true(client->connected);
    assert_int_equal(wd_client_begin_request(client, 7, &answer), WD_CLIENT_ANSWERED);
    assert_int_equal(answer->kind, 34);
    assert_memory_equal(answer->body, "body", 4);
    wd_client_finish_request(client, 7, 8, (const uint8_t *)"other", 5);  // the first answer stands
    assert_int_equal(wd_client_begin_request(client, 7, &answer), WD_CLIENT_ANSWERED);
    assert_int_equal(answer->kind, 34);
    wd_clients_done(&clients);
}

static void the_window_holds_its_bound(void **state)
{
    (void)state;
    wd_clients clients = { 0 };
    wd_client *client = NULL;
    const wd_client_answer *answer = NULL;
    assert_int_equal(hello(&clients, 1, 1, 0, &client), WD_OK);
    for (uint64_t id = 1; id <= WD_CLIENT_ANSWERS_MAX; id++) {
        assert_int_equal(wd_client_begin_request(client, id, &answer), WD_CLIENT_NEW);
    }
    assert_int_equal(wd_client_begin_request(client, WD_CLIENT_ANSWERS_MAX + 1, &answer), WD_CLIENT_FULL);
    wd_client_finish_request(
        client, 2, 34, NULL, 0);  // the oldest that is answered makes room, an open one never
    assert_int_equal(wd_client_begin_request(client, WD_CLIENT_ANSWERS_MAX + 1, &answer), WD_CLIENT_NEW);
    assert_int_equal(wd_client_begin_request(client, 1, &answer), WD_CLIENT_OPEN);
    assert_int_equal(wd_client_begin_request(client, 2, &answer), WD_CLIENT_OUTDATED);
    assert_int_equal(client->open_count, WD_CLIENT_ANSWERS_MAX);
    wd_clients_done(&clients);
}

static void open_requests_hold_the_bound_that_was_set(void **state)
{
    (void)state;
    wd_clients clients = { .requests_max = 2 };
    wd_client *client = NULL;
    const wd_client_answer *answer = NULL;
    assert_int_equal(hello(&clients, 1, 1, 0, &client), WD_OK);
    assert_int_equal(wd_client_begin_request(client, 1, &answer), WD_CLIENT_NEW);
    assert_int_equal(wd_client_begin_request(client, 2, &answer), WD_CLIENT_NEW);
    assert_int_equal(wd_client_begin_request(client, 3, &answer), WD_CLIENT_FULL);
    wd_client_finish_request(client, 1, 34, NULL, 0);
    assert_int_equal(wd_client_begin_request(client, 3, &answer), WD_CLIENT_NEW);
    assert_int_equal(
        wd_client_begin_request(client, 1, &answer), WD_CLIENT_ANSWERED);  // remembered all the same
    wd_clients_done(&clients);
}

static void the_bytes_hold_their_bound(void **state)
{
    (void)state;
    static const uint8_t body[WD_CLIENT_ANSWER_BYTES_MAX + 1];
    wd_clients clients = { 0 };
    wd_client *client = NULL;
    const wd_client_answer *answer = NULL;
    assert_int_equal(hello(&clients, 1, 1, 0, &client), WD_OK);
    for (uint64_t id = 1; id <= 3; id++) {
        assert_int_equal(wd_client_begin_request(client, id, &answer), WD_CLIENT_NEW);
    }
    wd_client_finish_request(client, 1, 34, body, WD_CLIENT_ANSWER_BYTES_MAX);
    assert_int_equal(wd_client_begin_request(client, 1, &answer), WD_CLIENT_ANSWERED);
    wd_client_finish_request(client, 2, 34, body, 1);  // one byte over: the oldest goes
    assert_int_equal(wd_client_begin_request(client, 1, &answer), WD_CLIENT_OUTDATED);
    assert_int_equal(wd_client_begin_request(client, 2, &answer), WD_CLIENT_ANSWERED);
    wd_client_finish_request(client, 3, 34, body, sizeof body);  // too long to be remembered at all
    assert_int_equal(wd_client_begin_request(client, 3, &answer), WD_CLIENT_OUTDATED);
    assert_int_equal(client->bytes, 1);
    wd_clients_done(&clients);
}

static void the_longest_silent_client_makes_room(void **state)
{
    (void)state;
    wd_clients clients = { 0 };
    wd_client *client = NULL;
    uint8_t instance[WD_SESSION_ID_SIZE];
    for (uint32_t i = 0; i < WD_CLIENTS_MAX; i++) {
        assert_int_equal(hello(&clients, i, 1, i, &client), WD_OK);
        client->owner = i == 0;  // the very oldest owns envs, and stays
    }
    assert_int_equal(hello(&clients, WD_CLIENTS_MAX, 1, WD_CLIENTS_MAX, &client), WD_OK);
    assert_int_equal(clients.count, WD_CLIENTS_MAX);
    name_instance(0, instance);
    assert_non_null(wd_clients_find(&clients, instance));
    name_instance(1, instance);
    assert_null(wd_clients_find(&clients, instance));
    for (size_t i = 0; i < clients.count; i++) {
        clients.list[i]->owner = true;
    }
    assert_int_equal(hello(&clients, WD_CLIENTS_MAX + 1, 1, 0, &client), WD_ELIMIT);
    wd_clients_done(&clients);
}

static void what_a_silent_client_was_told_is_forgotten(void **state)
{
    (void)state;
    wd_clients clients = { 0 };
    wd_client *client = NULL;
    const wd_client_answer *answer = NULL;
    assert_int_equal(hello(&clients, 1, 1, 0, &client), WD_OK);
    for (uint64_t id = 1; id <= 3; id++) {
        assert_int_equal(wd_client_begin_request(client, id, &answer), WD_CLIENT_NEW);
    }
    wd_client_finish_request(client, 1, 34, (const uint8_t *)"one", 3);
    wd_client_finish_request(client, 3, 34, (const uint8_t *)"three", 5);
    wd_client_forget_answers(client);
    assert_int_equal(wd_client_begin_request(client, 1, &answer), WD_CLIENT_OUTDATED);
    assert_int_equal(wd_client_begin_request(client, 2, &answer), WD_CLIENT_OPEN);
    assert_int_equal(wd_client_begin_request(client, 3, &answer), WD_CLIENT_OUTDATED);
    wd_client_finish_request(client, 2, 34, NULL, 0);
    wd_client_forget_answers(client);
    assert_int_equal(clients.bytes + client->count + client->capacity, 0);  // nothing is held for it
    assert_int_equal(wd_client_begin_request(client, 4, &answer), WD_CLIENT_NEW);
    wd_clients_done(&clients);
}

static void all_clients_together_hold_a_bound(void **state)
{
    (void)state;
    enum { CLIENTS = WD_CLIENTS_ANSWER_BYTES_MAX / WD_CLIENT_ANSWER_BYTES_MAX };
    static const uint8_t body[WD_CLIENT_ANSWER_BYTES_MAX];
    wd_clients clients = { 0 };
    wd_client *client[CLIENTS + 1] = { NULL };
    const wd_client_answer *answer = NULL;
    for (uint32_t i = 0; i <= CLIENTS; i++) {
        assert_int_equal(
            hello(&clients, i, 1, i == 2 ? 0 : 1 + i, &client[i]), WD_OK);  // number 2 was silent longest
        assert_int_equal(wd_client_begin_request(client[i], 1, &answer), WD_CLIENT_NEW);
        wd_client_finish_request(client[i], 1, 34, body, i < CLIENTS ? sizeof body : 1);
        if (i < CLIENTS) {
            wd_clients_hold_bound(&clients);
            assert_int_equal(clients.bytes, (i + 1) * sizeof body);
        }
    }
    wd_clients_hold_bound(&clients);  // one byte over
    assert_int_equal(clients.bytes, (CLIENTS - 1) * sizeof body + 1);
    for (uint32_t i = 0; i <= CLIENTS; i++) {
        assert_int_equal(
            wd_client_begin_request(client[i], 1, &answer), i == 2 ? WD_CLIENT_OUTDATED : WD_CLIENT_ANSWERED);
    }
    wd_clients_done(&clients);
}

static void without_memory_no_request_begins(void **state)
{
    (void)state;
    wd_clients clients = { 0 };
    wd_client *client = NULL;
    const wd_client_answer *answer = NULL;
    assert_int_equal(hello(&clients, 1, 1, 0, &client), WD_OK);
    wd_alloc_fail_after(0);
    assert_int_equal(wd_client_begin_request(client, 1, &answer), WD_CLIENT_NO_MEMORY);
    wd_alloc_fail_after(-1);
    assert_int_equal(wd_client_begin_request(client, 1, &answer), WD_CLIENT_NEW);
    wd_clients_done(&clients);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_is_given_again_on_a_new_connection),
        cmocka_unit_test(the_window_holds_its_bound),
        cmocka_unit_test(open_requests_hold_the_bound_that_was_set),
        cmocka_unit_test(the_bytes_hold_their_bound),
        cmocka_unit_test(the_longest_silent_client_makes_room),
        cmocka_unit_test(what_a_silent_client_was_told_is_forgotten),
        cmocka_unit_test(all_clients_together_hold_a_bound),
        cmocka_unit_test(without_memory_no_request_begins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
