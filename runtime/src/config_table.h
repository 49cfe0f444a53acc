/// config_table.h - the one table of settings.
#ifndef RUNTIME_CONFIG_TABLE_H
#define RUNTIME_CONFIG_TABLE_H

#include "runtime/config.h"

typedef enum wd_setting_kind { WD_SETTING_TEXT, WD_SETTING_BOOL, WD_SETTING_NUMBER } wd_setting_kind;

typedef struct wd_setting {
    const char *section, *name;
    wd_setting_kind kind;
    size_t offset, size;        // of the field in wd_config
    uint64_t minimum, maximum;  // NUMBER
    const char *help;
} wd_setting;

extern const wd_setting wd_settings[];
extern const size_t wd_setting_count;

/// Index of a setting, or wd_setting_count.
size_t wd_setting_find(const char *section, const char *name);
/// The known "section.name" that is nearest by edit distance.
const wd_setting *wd_setting_nearest(const char *section, const char *name);
/// Parse `text` into the setting's field. @retval WD_EINVAL, WD_ELIMIT  `error` says what is expected.
WD_NODISCARD wd_status wd_setting_parse(
    const wd_setting *setting, const char *text, wd_config *config, wd_error *error);
void wd_setting_print(const wd_setting *setting, const wd_config *config, FILE *out);

#endif
