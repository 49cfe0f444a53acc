// Replies in the dialect "mobileagent_e".
#include "dialect_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return dialect_fuzz("mobileagent_e", data, size);
}
