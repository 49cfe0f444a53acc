// Replies in the dialect "qwen_mobile_use".
#include "dialect_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return dialect_fuzz("qwen_mobile_use", data, size);
}
