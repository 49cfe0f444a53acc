// An answer of droidrun's portal.
#include "scene_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return scene_fuzz(WD_SCREEN_DROIDRUN, data, size);
}
