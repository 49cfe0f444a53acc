// executor_reply.c - what an executor may answer and a planner may think: refused with a reason, or decoded
// whole. The first byte says which of the three it is.
#include "fuzz.h"

#include "runtime/codec.h"
#include "tree/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wd_error error = { WD_OK, "" };
    wd_capture *capture = NULL;
    wd_result result = { .code = NULL };
    char *thought = NULL;
    wd_status status = WD_OK;
    if (size == 0) {
        return 0;
    }
    switch (data[0] % 3) {
    case 0:
        status = wd_codec_unpack_observe_reply(data + 1, size - 1, &capture, &error);
        wd_assert((status == WD_OK) == (capture != NULL));
        wd_assert(capture == NULL || (capture->screen != NULL) != (capture->failure != NULL));
        break;
    case 1:
        status = wd_codec_unpack_execute_reply(data + 1, size - 1, &result, &error);
        wd_assert((status == WD_OK) == (result.code != NULL));
        break;
    default:
        status = wd_codec_unpack_thought(data + 1, size - 1, &thought, &error);
        wd_assert((status == WD_OK) == (thought != NULL));
        break;
    }
    wd_assert((status == WD_OK) == (error.text[0] == '\0'));
    wd_capture_destroy(&capture);
    wd_text_free(&thought);
    return 0;
}
