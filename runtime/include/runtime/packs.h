/// packs.h - the app packs of this machine, from a list of directories.
#ifndef RUNTIME_PACKS_H
#define RUNTIME_PACKS_H

#include "sim/phone.h"

enum { WD_PACK_DIRECTORIES_MAX = 16 };

/// Load the packs in the directories of `list`, separated by ':'. Broken packs are logged with file, line and reason
/// and left out. @retval WD_ELIMIT too many directories.
WD_NODISCARD wd_status wd_packs_load_list(const char *list, wd_packs **ret_packs, wd_error *error);

#endif
