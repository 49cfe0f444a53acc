#include "notes_steps.h"

#include "runtime/packs.h"
#include "tree/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PATIENCE_MS = 60000,
};

const char *notes_step_args(size_t index)
{
    static const char *const taps[NOTES_CYCLE] = {
        "{\"selector\":{\"resource_id\":\"pin\"}}",
        "{\"selector\":{\"resource_id\":\"edit\"}}",
        "{\"selector\":{\"resource_id\":\"save\"}}",
    };
    return taps[index % NOTES_CYCLE];
}

/// Write a note that no other phone has, and stand before it.
const char *notes_preparation(size_t index, size_t phone, char ret_args[NOTES_ARGS_SIZE])
{
    static const char *const actions[NOTES_PREPARATION] = { "launch_app", "tap", "type", "type", "tap" };
    static const char *const args[NOTES_PREPARATION] = {
        "{\"app\":\"notes\"}",
        "{\"selector\":{\"resource_id\":\"new_note\"}}",
        "{\"selector\":{\"resource_id\":\"title\"},\"text\":\"Note %zu\"}",
        "{\"selector\":{\"resource_id\":\"body\"},\"text\":\"What phone %zu has to remember, and no other\"}",
        "{\"selector\":{\"resource_id\":\"save\"}}",
    };
    const char *number = strstr(args[index], "%zu");
    snprintf(ret_args, NOTES_ARGS_SIZE, "%s", args[index]);
    if (number != NULL) {
        snprintf(ret_args + (number - args[index]), NOTES_ARGS_SIZE - (size_t)(number - args[index]), "%zu%s",
            phone, number + strlen("%zu"));
    }
    return actions[index];
}

// ---- in this process ------------------------------------------------------------------------------------------------

static bool perform(notes_herd *herd, size_t phone, const wd_action *action)
{
    wd_env_stepped stepped = { 0 };
    wd_error error = { 0 };
    wd_env *env = wd_env_find(herd->envs, &herd->ids[phone]);
    wd_status status = wd_env_step(herd->envs, env, action, NULL, WD_ENV_LOOK_NONE, &stepped, &error);
    if (status != WD_OK || stepped.result.outcome != WD_OUTCOME_OK) {
        wd_bench_fail(herd->bench, "a step failed: %s%s", error.text, stepped.result.text);
        status = WD_ESTATE;
    }
    wd_env_stepped_done(&stepped);
    return status == WD_OK;
}

static bool read_action(wd_bench *bench, const char *kind, const char *args, wd_action *ret_action)
{
    wd_value *value = NULL;
    wd_error error = { 0 };
    wd_status status = wd_json_parse(args, strlen(args), &value, &error);
    status = status == WD_OK ? wd_action_from_value(kind, value, ret_action, &error) : status;
    wd_value_unref(&value);
    if (status != WD_OK) {
        wd_bench_fail(bench, "%s %s: %s", kind, args, error.text);
    }
    return status == WD_OK;
}

static bool prepare(notes_herd *herd, size_t phone)
{
    bool done = true;
    for (size_t i = 0; done && i < NOTES_PREPARATION; i++) {
        char args[NOTES_ARGS_SIZE];
        wd_action action;
        const char *kind = notes_preparation(i, phone, args);
        done = read_action(herd->bench, kind, args, &action);
        if (done) {
            done = perform(herd, phone, &action);
            wd_action_done(&action);
        }
    }
    return done;
}

bool notes_herd_start(wd_bench *bench, size_t count, notes_herd *ret_herd)
{
    *ret_herd = (notes_herd){ .bench = bench, .count = count };
    wd_envs_options options = wd_envs_options_default();
    wd_error error = { 0 };
    wd_status status = wd_packs_load_list(WORLDD_SOURCE_DIR "/sim/apps", &ret_herd->packs, &error);
    status = status == WD_OK ? wd_envs_new(&options, ret_herd->packs, &ret_herd->envs, &error) : status;
    for (size_t i = 0; status == WD_OK && i < count; i++) {
        wd_env *env = NULL;
        status = wd_env_create(ret_herd->envs, &(wd_env_order){ .seed = i }, &env, &error);
        if (status == WD_OK) {
            ret_herd->ids[i] = wd_env_id_of(env);
        }
    }
    if (status != WD_OK) {
        wd_bench_fail(bench, "%s", error.text);
        return false;
    }
    bool prepared = true;
    for (size_t i = 0; prepared && i < count; i++) {
        prepared = prepare(ret_herd, i);
    }
    return prepared;
}

bool notes_herd_step(notes_herd *herd, size_t steps)
{
    bool done = true;
    for (size_t step = 0; done && step < steps; step++) {
        wd_action action;
        done = read_action(herd->bench, "tap", notes_step_args(herd->steps), &action);
        for (size_t i = 0; done && i < herd->count; i++) {
            done = perform(herd, i, &action);
        }
        wd_action_done(&action);
        herd->steps += 1;
    }
    return done;
}

void notes_herd_stop(notes_herd *herd)
{
    wd_envs_destroy(&herd->envs);
    wd_packs_unref(&herd->packs);
}

// ---- in a daemon ----------------------------------------------------------------------------------------------------

/// The ids of an answer of env_calls.
static bool take_ids(notes_peer *peer, const char *json)
{
    wd_value *answer = NULL;
    wd_error error = { 0 };
    wd_status status = wd_json_parse(json, strlen(json), &answer, &error);
    const wd_value *rows = wd_object_get(answer, "results");
    bool taken = status == WD_OK && wd_array_count(rows) == peer->count;
    for (size_t i = 0; taken && i < peer->count; i++) {
        const wd_value *result = wd_object_get(wd_array_at(rows, i), "result");
        const char *id = wd_value_string_or(wd_object_get(result, "env"), "");
        taken = wd_client_env_id_parse(id, &peer->ids[i]) == WD_CLIENT_OK;
    }
    wd_value_unref(&answer);
    return taken;
}

static bool create_all(notes_peer *peer, wd_client_error *error)
{
    wd_buffer args = { 0 };
    char *json = NULL;
    wd_status status = wd_buffer_text(&args, "{\"calls\":[");
    for (size_t i = 0; status == WD_OK && i < peer->count; i++) {
        status = wd_buffer_format(
            &args, "%s{\"verb\":\"env_create\",\"args\":{\"seed\":%zu}}", i == 0 ? "" : ",", i);
    }
    status = status == WD_OK ? wd_buffer_text(&args, "]}") : status;
    bool made = status == WD_OK &&
                wd_client_request(peer->client, "env_calls", args.bytes, PATIENCE_MS, NULL, NULL, &json,
                    error) == WD_CLIENT_OK &&
                take_ids(peer, json);
    wd_buffer_done(&args);
    free(json);
    return made;
}

/// Step the batch as it stands.
static bool step_batch(notes_peer *peer)
{
    wd_client_error error = { 0 };
    wd_client_reply *reply = NULL;
    bool done = wd_client_batch_step(peer->client, peer->batch, PATIENCE_MS, &reply, &error) == WD_CLIENT_OK;
    for (size_t i = 0; done && i < peer->count; i++) {
        wd_client_slot slot = wd_client_reply_at(reply, i);
        done = slot.status == 0 && slot.outcome == 0;
        memcpy(peer->digests[i], slot.digest, WD_CLIENT_ID_SIZE);
        if (!done) {
            snprintf(error.text, sizeof error.text, "%s %s", slot.code, slot.text);
        }
    }
    if (!done) {
        wd_bench_fail(peer->bench, "a batch failed: %s", error.text);
    }
    wd_client_reply_destroy(&reply);
    return done;
}

static bool add(notes_peer *peer, size_t phone, const char *kind, const char *args)
{
    return wd_client_batch_add(peer->batch, &peer->ids[phone], kind, args, NULL) == WD_CLIENT_OK;
}

bool notes_peer_start(wd_bench *bench, const char *endpoint, size_t count, notes_peer *ret_peer)
{
    *ret_peer = (notes_peer){ .bench = bench, .count = count };
    wd_client_error error = { 0 };
    bool ready =
        wd_client_connect(endpoint, "bench", PATIENCE_MS, &ret_peer->client, &error) == WD_CLIENT_OK &&
        wd_client_batch_new(&ret_peer->batch, &error) == WD_CLIENT_OK && create_all(ret_peer, &error);
    if (!ready) {
        wd_bench_fail(bench, "envs could not be made: %s", error.text);
    }
    for (size_t i = 0; ready && i < NOTES_PREPARATION; i++) {
        wd_client_batch_clear(ret_peer->batch);
        for (size_t phone = 0; ready && phone < count; phone++) {
            char args[NOTES_ARGS_SIZE];
            const char *kind = notes_preparation(i, phone, args);
            ready = add(ret_peer, phone, kind, args);
        }
        ready = ready && step_batch(ret_peer);
    }
    return ready;
}

bool notes_peer_step(notes_peer *peer, size_t steps, wd_client_observe observe)
{
    bool done = true;
    for (size_t step = 0; done && step < steps; step++) {
        wd_client_batch_clear(peer->batch);
        wd_client_batch_observe(peer->batch, observe);
        for (size_t i = 0; done && i < peer->count; i++) {
            done = add(peer, i, "tap", notes_step_args(peer->steps));
        }
        done = done && step_batch(peer);
        peer->steps += 1;
    }
    return done;
}

void notes_peer_stop(notes_peer *peer)
{
    wd_client_batch_destroy(&peer->batch);
    wd_client_close(&peer->client);
}

bool notes_same(const notes_herd *herd, const notes_peer *peer)
{
    bool same = herd->steps == peer->steps;
    for (size_t i = 0; same && i < herd->count; i++) {
        char text[WD_DIGEST_TEXT_SIZE];
        wd_client_env_id digest;  // the same form: 16 bytes, told as 32 hex digits
        wd_digest_text(wd_env_digest(wd_env_find(herd->envs, &herd->ids[i])), text);
        same = wd_client_env_id_parse(text, &digest) == WD_CLIENT_OK &&
               memcmp(digest.bytes, peer->digests[i], sizeof digest.bytes) == 0;
    }
    if (!same) {
        wd_bench_fail(herd->bench, "the phones of the daemon are not in the state of those in the process");
    }
    return same;
}
