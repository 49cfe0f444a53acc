// enrich_reply.c - what an enricher may answer: refused with a reason, or decoded whole into a semantic scene.
#include "fuzz.h"

#include "proto/worldd.pb-c.h"
#include "runtime/codec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const wd_enrich_ground ground = { .node_count = 8 };
    wd_semantic *semantic = NULL;
    wd_error error = { WD_OK, "" };
    wd_status status = wd_codec_unpack_enrich_reply(data, size, &ground, "fuzz", &semantic, &error);
    wd_assert((status == WD_OK) == (semantic != NULL));
    wd_assert((status == WD_OK) == (error.text[0] == '\0'));
    if (status == WD_OK) {
        Worldd__V1__EnrichReply *message = worldd__v1__enrich_reply__unpack(NULL, size, data);
        wd_assert(message != NULL);
        worldd__v1__enrich_reply__free_unpacked(message, NULL);
    }
    wd_semantic_unref(&semantic);
    return 0;
}
