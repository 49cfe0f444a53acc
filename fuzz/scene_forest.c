// An accessibility forest as JSON.
#include "scene_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return scene_fuzz(WD_SCREEN_ACCESSIBILITY_FOREST, data, size);
}
