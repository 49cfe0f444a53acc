// Appium page source (formats.md 1.7): as uiautomator's, but the tag is the class, texts that are null are
// left out, and the root says the display's size without the system bars.
#include "xml_reader.h"

bool wd_appium_root(wd_screen_draft *draft, const char *const *attributes)
{
    int32_t width = wd_xml_number(wd_xml_attribute(attributes, "width"), 0);
    int32_t height = wd_xml_number(wd_xml_attribute(attributes, "height"), 0);
    if (width <= 0 || height <= 0) {
        return false;
    }
    draft->info.source_format = wd_screen_format_name(WD_SCREEN_APPIUM_XML);
    draft->root_width = width;
    draft->root_height = height;
    wd_uiautomator_root(draft, attributes);
    return true;
}
