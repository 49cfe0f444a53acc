// Replies in the dialect "mobileagent_v2".
#include "dialect_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return dialect_fuzz("mobileagent_v2", data, size);
}
