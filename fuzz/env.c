// env.c - what clients may say about envs: verbs with arguments, batches and cancels, in any order, to two workers. Each
// request is answered exactly once, an error says why, and the env that nobody touched is as it was.
//
// The input is a list of messages: a byte what, a byte which, two bytes length, the bytes. In arguments "e", "s" and "n"
// stand for the id of an env, of a snapshot and of nobody, which no fuzzer would guess.
#include "env_router.h"
#include "fuzz.h"

#include "proto/worldd.pb-c.h"
#include "runtime/packs.h"

#include <poll.h>
#include <stdio.h>

enum { HEAD = 4, MESSAGES_MAX = 32, ANSWERS_MAX = 512, ENVS = 2 };

static const char *const verbs[] = { "env_create", "env_reset", "env_close", "env_list", "env_detach",
    "env_attach", "env_named", "env_step", "env_observe", "env_state", "env_inject", "env_judge",
    "env_snapshot", "env_restore", "env_fork", "env_diff", "env_lineage", "env_forget", "env_export",
    "env_import", "env_stats", "env_calls" };

static struct fuzz_envs {
    wd_env_pool *pool;
    wd_env_router *router;
    char envs[ENVS][WD_ENV_ID_TEXT_SIZE], snapshot[WD_ENV_ID_TEXT_SIZE];  // envs[1] is left alone
    char digest[WD_DIGEST_TEXT_SIZE];                                     // of it
    uint64_t request_last;
    size_t open;
    bool answered[ANSWERS_MAX + 1];
} fuzz;

static const wd_env_owner owner = { .bytes = "fuzz" };

/// Take what is over; wait until `open` requests are left.
static wd_value *drain(size_t open)
{
    wd_value *result = NULL;
    while (fuzz.open > open) {
        wd_env_done done = { 0 };
        wd_status status = wd_env_router_take(fuzz.router, &done);
        if (status != WD_OK) {
            struct pollfd item = { .fd = wd_env_pool_fd(fuzz.pool), .events = POLLIN };
            wd_assert(poll(&item, 1, 20 * 1000) > 0);
            continue;
        }
        if (done.kind != WD_ENV_DONE_EVENT) {
            wd_assert(done.request_id >= 1 && done.request_id <= fuzz.request_last);
            wd_assert(!fuzz.answered[done.request_id]);
            fuzz.answered[done.request_id] = true;
            fuzz.open -= 1;
            wd_assert(
                done.kind != WD_ENV_DONE_ERROR || (done.error.status != WD_OK && done.error.text[0] != '\0'));
            wd_value_unref(&result);
            result = wd_value_ref(done.result);
        }
        if (done.kind == WD_ENV_DONE_BATCH) {
            Worldd__V1__EnvBatchReply *reply =
                worldd__v1__env_batch_reply__unpack(NULL, done.body_length, done.body);
            wd_assert(reply != NULL && reply->n_status >= 1 &&
                      reply->digests.len == WD_ENV_ID_SIZE * reply->n_status);
            worldd__v1__env_batch_reply__free_unpacked(reply, NULL);
        }
        wd_env_done_done(&done);
    }
    return result;
}

static wd_env_asker next_asker(void)
{
    fuzz.request_last += 1;
    wd_assert(fuzz.request_last <= ANSWERS_MAX);
    return (wd_env_asker){
        .instance = owner, .request_id = fuzz.request_last, .watched = fuzz.request_last % 2 == 0
    };
}

static void call(const char *verb, const wd_value *args)
{
    wd_env_asker asker = next_asker();
    wd_error error = { .text = "" };
    wd_status status = wd_env_router_call(fuzz.router, &asker, verb, args, &error);
    wd_assert(status == WD_OK || error.text[0] != '\0');
    fuzz.open += status == WD_OK;
}

static wd_value *call_and_wait(const char *verb, const char *args_text)
{
    wd_value *args = NULL;
    wd_assert(wd_json_parse(args_text, strlen(args_text), &args, NULL) == WD_OK);
    drain(0);
    call(verb, args);
    wd_value_unref(&args);
    wd_value *result = drain(0);
    wd_assert(result != NULL);
    return result;
}

static void copy_text(const wd_value *result, const char *name, char *ret_text, size_t size)
{
    const char *text = wd_value_string_or(wd_object_get(result, name), NULL);
    wd_assert(text != NULL && strlen(text) < size);
    strcpy(ret_text, text);
}

static void start(void)
{
    wd_packs *packs = NULL;
    wd_envs_options options = wd_envs_options_default();
    options.env_count_max = options.snapshot_count_max = 64;
    wd_assert(wd_packs_load_list(WD_PACKS_DIRECTORY, &packs, NULL) == WD_OK);
    wd_assert(wd_env_pool_new(&options, packs, 2, &fuzz.pool, NULL) == WD_OK);
    wd_assert(wd_env_router_new(fuzz.pool, &fuzz.router) == WD_OK);
    wd_packs_unref(&packs);
    for (size_t i = 0; i < ENVS; i++) {
        wd_value *made = call_and_wait("env_create", "{\"seed\":1}");
        copy_text(made, "env", fuzz.envs[i], sizeof fuzz.envs[i]);
        copy_text(made, "digest", fuzz.digest, sizeof fuzz.digest);
        wd_value_unref(&made);
    }
}

/// Put real ids where the input can only name them.
static void name_ids(wd_value **args_p)
{
    static const char *const names[] = { "env", "snapshot", "before", "after", "since" };
    for (size_t i = 0; i < WD_COUNT_OF(names); i++) {
        const char *text = wd_value_string_or(wd_object_get(*args_p, names[i]), "");
        const char *id = strcmp(text, "e") == 0   ? fuzz.envs[0]
                         : strcmp(text, "s") == 0 ? fuzz.snapshot
                         : strcmp(text, "n") == 0 ? "00000000000000000000000000000001"
                                                  : NULL;
        wd_value *value = NULL;
        if (id != NULL) {
            wd_assert(wd_value_text(id, &value) == WD_OK && wd_object_set(args_p, names[i], &value) == WD_OK);
        }
        wd_value_unref(&value);
    }
}

/// Calls that do something, so that an input gets somewhere before it finds JSON of its own.
static const struct known_call {
    const char *verb, *args;
} known_calls[] = {
    { "env_create", "{\"seed\":2,\"auto_reset\":\"same_step\",\"observe\":\"full\",\"step_limit\":2}" },
    { "env_reset", "{\"env\":\"e\",\"seed\":3}" },
    { "env_reset",
        "{\"env\":\"e\",\"task\":{\"id\":\"t\",\"instruction\":\"x\",\"criteria\":{\"os.locale\":\"x\"}}}" },
    { "env_step",
        "{\"env\":\"e\",\"action\":{\"kind\":\"launch_app\",\"app\":\"settings\"},\"observe\":\"changed\"}" },
    { "env_step", "{\"env\":\"e\",\"action\":{\"kind\":\"complete\"}}" },
    { "env_inject", "{\"env\":\"e\",\"patch\":{\"os\":{\"settings\":{\"system\":{\"brightness\":7}}}}}" },
    { "env_judge", "{\"env\":\"e\"}" },
    { "env_snapshot", "{\"env\":\"e\"}" },
    { "env_restore", "{\"env\":\"e\",\"snapshot\":\"s\"}" },
    { "env_fork", "{\"snapshot\":\"s\",\"count\":4}" },
    { "env_fork", "{\"env\":\"e\",\"count\":3}" },
    { "env_diff", "{\"before\":\"s\",\"env\":\"e\"}" },
    { "env_state", "{\"env\":\"e\",\"since\":\"s\"}" },
    { "env_lineage", "{}" },
    { "env_forget", "{\"snapshot\":\"s\"}" },
    { "env_export", "{\"snapshot\":\"s\",\"whole\":true}" },
    { "env_detach", "{\"env\":\"e\",\"name\":\"n\"}" },
    { "env_attach", "{\"name\":\"n\"}" },
    { "env_close", "{\"env\":\"e\"}" },
    { "env_calls",
        "{\"calls\":[{\"verb\":\"env_create\"},{\"verb\":\"env_fork\"},{\"verb\":\"env_import\"},1]}" },
};

static void say_known(uint8_t which)
{
    const struct known_call *known = &known_calls[which % WD_COUNT_OF(known_calls)];
    wd_value *args = NULL;
    wd_assert(wd_json_parse(known->args, strlen(known->args), &args, NULL) == WD_OK);
    name_ids(&args);
    call(known->verb, args);
    wd_value_unref(&args);
}

static void say_call(uint8_t which, const uint8_t *bytes, size_t length)
{
    wd_value *args = NULL;
    if (wd_json_parse((const char *)bytes, length, &args, NULL) == WD_OK &&
        wd_value_is(args, WD_KIND_OBJECT)) {
        name_ids(&args);
        call(verbs[which % WD_COUNT_OF(verbs)], args);
    }
    wd_value_unref(&args);
}

/// As it came, or with the ids of the env in it and as many slots as actions.
static void say_batch(uint8_t which, const uint8_t *bytes, size_t length)
{
    wd_env_batch batch;
    wd_error error = { .text = "" };
    uint8_t *packed = NULL, ids[WD_ENV_ID_SIZE * 16];
    wd_env_id id;
    Worldd__V1__EnvBatch *message =
        which % 2 == 0 ? NULL : worldd__v1__env_batch__unpack(NULL, length, bytes);
    if (message != NULL && message->n_actions >= 1 && message->n_actions <= 16) {
        wd_assert(wd_env_id_parse(fuzz.envs[0], &id) == WD_OK);
        for (size_t i = 0; i < message->n_actions; i++) {
            memcpy(ids + WD_ENV_ID_SIZE * i, id.bytes, WD_ENV_ID_SIZE);
            ids[WD_ENV_ID_SIZE * i] ^= which == 3 && i == 1;  // one bad slot
        }
        ProtobufCBinaryData own = message->env_ids;
        message->env_ids = (ProtobufCBinaryData){ WD_ENV_ID_SIZE * message->n_actions, ids };
        length = worldd__v1__env_batch__get_packed_size(message);
        packed = wd_alloc(length);
        wd_assert(packed != NULL);
        worldd__v1__env_batch__pack(message, packed);
        message->env_ids = own;
    }
    wd_status status = wd_codec_unpack_env_batch(packed != NULL ? packed : bytes, length, &batch, &error);
    wd_assert(status == WD_OK || error.text[0] != '\0');
    if (status == WD_OK) {
        wd_env_asker asker = next_asker();
        status = wd_env_router_batch(fuzz.router, &asker, &batch, &error);
        wd_assert(status == WD_OK || error.text[0] != '\0');
        fuzz.open += status == WD_OK;
    }
    wd_env_batch_done(&batch);
    wd_free(packed, packed == NULL ? 0 : length);
    if (message != NULL) {
        worldd__v1__env_batch__free_unpacked(message, NULL);
    }
}

/// All that the input made goes again; what it did not touch is as it was.
static void clean_up(void)
{
    char args[128];
    wd_value *list = call_and_wait("env_list", "{}");
    wd_iter iter = wd_iter_start(wd_object_get(list, "envs"));
    while (wd_iter_next(&iter)) {
        const char *env = wd_value_string_or(wd_object_get(iter.value, "env"), "");
        if (strcmp(env, fuzz.envs[1]) != 0) {
            snprintf(args, sizeof args, "{\"env\":\"%s\"}", env);
            wd_value *closed = call_and_wait("env_close", args);
            wd_value_unref(&closed);
        }
    }
    wd_value_unref(&list);
    list = call_and_wait("env_lineage", "{}");
    iter = wd_iter_start(list);
    while (wd_iter_next(&iter)) {
        if (wd_value_bool_or(wd_object_get(iter.value, "kept"), false)) {
            snprintf(args, sizeof args, "{\"snapshot\":\"%s\"}",
                wd_value_string_or(wd_object_get(iter.value, "snapshot"), ""));
            wd_value *gone = call_and_wait("env_forget", args);
            wd_value_unref(&gone);
        }
    }
    wd_value_unref(&list);
    snprintf(args, sizeof args, "{\"env\":\"%s\",\"observe\":\"none\"}", fuzz.envs[1]);
    wd_value *stands = call_and_wait("env_observe", args);
    wd_assert(wd_value_is_text(wd_object_get(stands, "digest"), fuzz.digest));
    wd_value_unref(&stands);
}

/// An env and a snapshot of it to talk about: the ones of the last input may be gone.
static void set_up(void)
{
    char args[128];
    memset(fuzz.answered, 0, sizeof fuzz.answered);
    fuzz.request_last = 0;
    wd_value *made = call_and_wait("env_create", "{\"seed\":1}");
    copy_text(made, "env", fuzz.envs[0], sizeof fuzz.envs[0]);
    wd_value_unref(&made);
    snprintf(args, sizeof args, "{\"env\":\"%s\"}", fuzz.envs[0]);
    made = call_and_wait("env_snapshot", args);
    copy_text(made, "snapshot", fuzz.snapshot, sizeof fuzz.snapshot);
    wd_value_unref(&made);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (fuzz.pool == NULL) {
        start();
    }
    set_up();
    for (int count = 0; size >= HEAD && count < MESSAGES_MAX; count++) {
        size_t length = data[2] | (size_t)data[3] << 8;
        length = length < size - HEAD ? length : size - HEAD;
        switch (data[0] % 4) {
        case 0:
            say_call(data[1], data + HEAD, length);
            break;
        case 1:
            say_known(data[1]);
            break;
        case 2:
            say_batch(data[1], data + HEAD, length);
            break;
        default: {
            wd_status status = wd_env_router_cancel(fuzz.router, &owner, data[1] % (fuzz.request_last + 1));
            wd_assert(status == WD_OK || status == WD_ENOENT);
            break;
        }
        }
        data += HEAD + length;
        size -= HEAD + length;
    }
    wd_value *last = drain(0);
    wd_value_unref(&last);
    memset(fuzz.answered, 0, sizeof fuzz.answered);
    fuzz.request_last = 0;
    clean_up();
    return 0;
}
