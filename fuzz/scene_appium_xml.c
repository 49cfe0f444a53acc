// An Appium page source.
#include "scene_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return scene_fuzz(WD_SCREEN_APPIUM_XML, data, size);
}
