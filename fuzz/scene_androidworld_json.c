// AndroidWorld elements as JSON.
#include "scene_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return scene_fuzz(WD_SCREEN_ANDROIDWORLD_JSON, data, size);
}
