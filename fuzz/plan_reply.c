// plan_reply.c - what a planner may answer: refused with a reason, or decoded whole. What our walk lets pass, protobuf-c
// must be able to read.
#include "fuzz.h"

#include "proto/worldd.pb-c.h"
#include "runtime/codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wd_plan_reply *reply = NULL;
    wd_error error = { WD_OK, "" };
    wd_status status = wd_codec_unpack_plan_reply(data, size, &reply, &error);
    wd_assert((status == WD_OK) == (reply != NULL));
    wd_assert((status == WD_OK) == (error.text[0] == '\0'));
    if (status == WD_OK) {
        Worldd__V1__PlanReply *message = worldd__v1__plan_reply__unpack(NULL, size, data);
        wd_assert(message != NULL && message->request_id == reply->request_id);
        wd_assert(message->n_steps == reply->step_count);
        worldd__v1__plan_reply__free_unpacked(message, NULL);
    }
    wd_plan_reply_destroy(&reply);
    return 0;
}
