// Replies in the dialect "androidworld".
#include "dialect_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return dialect_fuzz("androidworld", data, size);
}
