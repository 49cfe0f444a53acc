// Replies in the dialect "openai_cua".
#include "dialect_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return dialect_fuzz("openai_cua", data, size);
}
