// A dump with --windows.
#include "scene_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return scene_fuzz(WD_SCREEN_UIAUTOMATOR_WINDOWS_XML, data, size);
}
