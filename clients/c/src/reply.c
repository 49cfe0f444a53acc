// EnvBatchReply: received and read.
#include "requests.h"

#include "proto/frame.h"

#include <stdalign.h>
#include <stdlib.h>

enum {
    FLAG_BEGUN_ANEW = 1,
    CHUNK_SIZE_MIN = 16 * 1024,
};

/// Memory of a decoded message: taken piece by piece, given back as a whole.
typedef struct reply_chunk {
    struct reply_chunk *older;
    size_t room, used;
    alignas(max_align_t) uint8_t bytes[];
} reply_chunk;

struct wd_client_reply {
    reply_chunk *newest;
    Worldd__V1__EnvBatchReply *message;  // in the chunks
};

static void *take_memory(void *context, size_t size)
{
    wd_client_reply *reply = context;
    reply_chunk *chunk = reply->newest;
    size = (size + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
    if (chunk == NULL || chunk->room - chunk->used < size) {
        size_t room = chunk == NULL ? CHUNK_SIZE_MIN : 2 * chunk->room;
        room = room < size ? size : room;
        chunk = malloc(sizeof *chunk + room);
        if (chunk == NULL) {
            return NULL;
        }
        *chunk = (reply_chunk){ .older = reply->newest, .room = room };
        reply->newest = chunk;
    }
    void *taken = chunk->bytes + chunk->used;
    chunk->used += size;
    return taken;
}

static void keep_memory(void *context, void *pointer)
{
    (void)context, (void)pointer;
}

void wd_client_reply_destroy(wd_client_reply **reply_p)
{
    wd_client_reply *reply = *reply_p;
    *reply_p = NULL;
    while (reply != NULL && reply->newest != NULL) {
        reply_chunk *older = reply->newest->older;
        free(reply->newest);
        reply->newest = older;
    }
    free(reply);
}

/// Does the array have an element for each slot, or none at all?
static bool fits(size_t given, size_t slots)
{
    return given == 0 || given == slots;
}

static bool is_whole(const Worldd__V1__EnvBatchReply *message)
{
    size_t slots = message->n_status;
    return fits(message->n_text, slots) && fits(message->n_outcome, slots) && fits(message->n_code, slots) &&
           fits(message->n_step, slots) && fits(message->n_flags, slots) && fits(message->n_ending, slots) &&
           fits(message->n_observation_json, slots) && fits(message->n_final_observation_json, slots) &&
           fits(message->n_verdict_json, slots) && message->digests.len == slots * WD_CLIENT_ID_SIZE;
}

static int read_reply(wd_request *answered, wd_client_reply **ret_reply, wd_client_error *error)
{
    int status = wd_request_refusal(answered, error);
    if (status != WD_CLIENT_OK) {
        return status;
    }
    wd_client_reply *reply = calloc(1, sizeof *reply);
    if (reply == NULL) {
        return wd_connection_fail(error, WD_CLIENT_ENOMEM, "out of memory");
    }
    ProtobufCAllocator chunks = { .alloc = take_memory, .free = keep_memory, .allocator_data = reply };
    if (answered->answer.kind == WD_MSG_ENV_BATCH_REPLY) {
        reply->message = worldd__v1__env_batch_reply__unpack(
            &chunks, zmq_msg_size(&answered->answer.body), zmq_msg_data(&answered->answer.body));
    }
    if (reply->message == NULL || !is_whole(reply->message)) {
        wd_client_reply_destroy(&reply);
        return wd_connection_fail(
            error, WD_CLIENT_EPROTO, "the batch was answered; the answer cannot be read");
    }
    *ret_reply = reply;
    return WD_CLIENT_OK;
}

/// A batch that is in flight; NULL: none with this ticket, or none at all.
static wd_request *find_batch(wd_client *client, uint64_t ticket)
{
    wd_request *found = ticket == 0 ? NULL : wd_requests_find(client, ticket);
    for (size_t i = 0; ticket == 0 && found == NULL && i < WD_CLIENT_INFLIGHT_MAX; i++) {
        found = client->open[i].id != 0 ? &client->open[i] : NULL;
    }
    return found;
}

int wd_client_batch_receive(
    wd_client *client, uint64_t *ticket_p, wd_client_reply **ret_reply, wd_client_error *error)
{
    wd_request *wanted = find_batch(client, *ticket_p), *over = NULL;
    if (wanted == NULL) {
        return wd_connection_fail(error, WD_CLIENT_ENOENT, "no such batch is in flight");
    }
    int status = wd_requests_wait(client, *ticket_p == 0 ? NULL : wanted, &over, error);
    *ticket_p = over->id;
    status = status == WD_CLIENT_OK ? read_reply(over, ret_reply, error) : status;
    wd_request_forget(over);
    return status;
}

size_t wd_client_reply_count(const wd_client_reply *reply)
{
    return reply->message->n_status;
}

static const char *text_at(char *const *texts, size_t count, size_t index)
{
    return index < count ? texts[index] : "";
}

static uint32_t number_at(const uint32_t *numbers, size_t count, size_t index)
{
    return index < count ? numbers[index] : 0;
}

static wd_client_json json_at(const ProtobufCBinaryData *texts, size_t count, size_t index)
{
    return index < count && texts[index].len > 0
               ? (wd_client_json){ (const char *)texts[index].data, texts[index].len }
               : (wd_client_json){ "", 0 };
}

wd_client_slot wd_client_reply_at(const wd_client_reply *reply, size_t index)
{
    const Worldd__V1__EnvBatchReply *message = reply->message;
    return (wd_client_slot){
        .status = (int)message->status[index],
        .text = text_at(message->text, message->n_text, index),
        .outcome = (int)number_at(message->outcome, message->n_outcome, index),
        .code = text_at(message->code, message->n_code, index),
        .step = number_at(message->step, message->n_step, index),
        .begun_anew = (number_at(message->flags, message->n_flags, index) & FLAG_BEGUN_ANEW) != 0,
        .ending = text_at(message->ending, message->n_ending, index),
        .digest = message->digests.data + index * WD_CLIENT_ID_SIZE,
        .observation = json_at(message->observation_json, message->n_observation_json, index),
        .final_observation =
            json_at(message->final_observation_json, message->n_final_observation_json, index),
        .verdict = json_at(message->verdict_json, message->n_verdict_json, index),
    };
}
