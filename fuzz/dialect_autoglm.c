// Replies in the dialect "autoglm".
#include "dialect_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return dialect_fuzz("autoglm", data, size);
}
