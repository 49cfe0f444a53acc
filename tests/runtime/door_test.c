// A door that would let a stranger in stays shut: the proof before it opens, with a handler that is right and two that are not.
#include "json.h"

#include "door.h"
#include "tree/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zmq.h>

// Made by zmq_curve_keypair() for this test alone.
static const wd_key_pair server = { "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID",
    "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs" };

static const struct proof_case {
    const char *name;
    bool loaded;     // the handler's authority knows the daemon's own user, so us
    bool elsewhere;  // the handler is in another context: nobody answers
    const char *tcp;
    bool key;
    wd_status status;
    const char *text;
} proof_cases[] = {
    { "a handler that refuses", false, false, "", false, WD_OK, "" },
    { "the same on both ways in", false, false, "tcp://127.0.0.1:*", false, WD_OK, "" },
    { "with keys on tcp", false, false, "tcp://127.0.0.1:*", true, WD_OK, "" },
    { "a handler that lets us in", true, false, "", false, WD_EDENIED,
        "a stranger was let in; it stays shut" },
    { "no handler", false, true, "", false, WD_EDENIED, "a stranger was not refused; it stays shut" },
};

static void strangers_are_refused_or_the_door_stays_shut(void **state)
{
    const struct proof_case *row = *state;
    char directory[] = "/tmp/door-XXXXXX", proof[64], endpoint[64], text[128];
    assert_non_null(mkdtemp(directory));
    snprintf(proof, sizeof proof, "%s/proof", directory);
    snprintf(endpoint, sizeof endpoint, "ipc://%s/door", directory);
    void *context = zmq_ctx_new(), *other = zmq_ctx_new();
    wd_authority *authority = NULL;
    wd_authority_places places = { 0 };
    wd_zap zap;
    wd_door door = { 0 };
    wd_error error = { WD_OK, "" };
    assert_int_equal(wd_authority_new(&authority), WD_OK);
    if (row->loaded) {
        assert_int_equal(wd_authority_load(authority, &places, &error), WD_OK);
    }
    assert_int_equal(wd_zap_open(row->elsewhere ? other : context, authority, &zap, &error), WD_OK);
    wd_door_options options = {
        .name = "control",
        .domain = WD_ZAP_DOMAIN_CONTROL,
        .endpoint = endpoint,
        .tcp = row->tcp,
        .proof_path = proof,
        .key = row->key ? &server : NULL,
        .send_hwm = 16,
        .receive_hwm = 16,
        .frame_max = 1024,
    };
    assert_int_equal(wd_door_check(&options, &error), WD_OK);
    assert_int_equal(wd_door_new(context, &options, &zap, &door, &error), row->status);
    if (row->status == WD_OK) {
        assert_int_equal(wd_door_bind(context, &door, &error), WD_OK);
        assert_int_equal(access(endpoint + 6, F_OK), 0);
        assert_int_equal(door.tcp[0] == '\0', row->tcp[0] == '\0');
    } else {
        snprintf(text, sizeof text, "control socket: the test before opening failed: %s", row->text);
        assert_string_equal(error.text, text);
    }
    wd_door_close(&door);
    assert_int_not_equal(access(endpoint + 6, F_OK), 0);  // gone with it, or never made
    wd_zap_close(&zap);
    wd_authority_destroy(&authority);
    zmq_ctx_term(context);
    zmq_ctx_term(other);
    assert_int_equal(rmdir(directory), 0);
}

int main(void)
{
    struct CMUnitTest tests[WD_COUNT_OF(proof_cases)];
    for (size_t i = 0; i < WD_COUNT_OF(proof_cases); i++) {
        tests[i] = (struct CMUnitTest){ .name = proof_cases[i].name,
            .test_func = strangers_are_refused_or_the_door_stays_shut,
            .initial_state = (void *)(uintptr_t)&proof_cases[i] };
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
