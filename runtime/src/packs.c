#include "runtime/packs.h"

#include "runtime/config.h"
#include "runtime/file.h"
#include "runtime/log.h"

#include <string.h>

wd_status wd_packs_load_list(const char *list, wd_packs **ret_packs, wd_error *error)
{
    char text[WD_CONFIG_TEXT_MAX];
    const char *directories[WD_PACK_DIRECTORIES_MAX];
    size_t count = 0;
    if (strlen(list) >= sizeof text) {
        return wd_error_set(error, WD_ELIMIT, "daemon.packs: over %zu bytes", sizeof text - 1);
    }
    strcpy(text, list);
    char *rest = text;
    for (char *part; (part = strsep(&rest, ":")) != NULL;) {
        if (part[0] == '\0') {
            continue;
        }
        if (count == WD_PACK_DIRECTORIES_MAX) {
            return wd_error_set(
                error, WD_ELIMIT, "daemon.packs: over %d directories", WD_PACK_DIRECTORIES_MAX);
        }
        directories[count++] = part;
    }
    wd_status status = wd_packs_load(&wd_pack_files, directories, count, ret_packs, error);
    for (size_t i = 0; status == WD_OK && i < wd_packs_fault_count(*ret_packs); i++) {
        const wd_pack_fault *fault = wd_packs_fault(*ret_packs, i);
        wd_log(WD_LOG_WARNING, "pack %s left out: %s", fault->directory, fault->error.text);
    }
    return status;
}
