#include "managers.h"

#define LANGUAGE WD_GLOBAL("language")

int wd_locale_of_text(const wd_value *text)
{
    wd_slice name = wd_trimmed(text);
    bool english = name.length >= 2 && (name.bytes[0] | 0x20) == 'e' && (name.bytes[1] | 0x20) == 'n' &&
                   (name.length == 2 || name.bytes[2] == '-' || name.bytes[2] == '_');
    return english ? WD_LOCALE_EN : WD_LOCALE_ZH;
}

int wd_locale_of(const wd_value *root)
{
    const wd_value *settings = wd_object_get(wd_object_get(root, "os"), "settings");
    return wd_locale_of_text(wd_object_get(wd_object_get(settings, "global"), "language"));
}

const char *wd_locale_name(int locale)
{
    return locale == WD_LOCALE_EN ? "en" : "zh-Hans";
}

wd_status wd_locale_set(wd_machine *machine, const wd_value *text)
{
    int locale = wd_locale_of_text(text);
    return locale == wd_locale_of(machine->root)
               ? WD_OK
               : wd_machine_put_text(machine, LANGUAGE, wd_locale_name(locale));
}

wd_status wd_view_locale(const wd_machine *machine, wd_value **ret_view)
{
    return wd_value_text(wd_locale_name(wd_locale_of(machine->root)), ret_view);
}
