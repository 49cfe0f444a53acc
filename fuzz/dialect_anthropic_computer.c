// Replies in the dialect "anthropic_computer".
#include "dialect_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return dialect_fuzz("anthropic_computer", data, size);
}
