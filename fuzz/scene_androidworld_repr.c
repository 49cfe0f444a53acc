// AndroidWorld elements as Python prints them.
#include "scene_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return scene_fuzz(WD_SCREEN_ANDROIDWORLD_REPR, data, size);
}
