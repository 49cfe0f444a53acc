/// episode_disk.h - the folder of recorded runs: how much of the disk they take, whether one more may begin, and what a
/// killed worldd left there.
#ifndef RUNTIME_EPISODE_DISK_H
#define RUNTIME_EPISODE_DISK_H

#include "tree/status.h"

#include <stdint.h>

enum { WD_EPISODE_COUNT_MS = 10 * 1000 };  // how old a count may be: a folder of many files takes its time

/// Zero-initialise.
typedef struct wd_episode_disk {
    uint64_t bytes;   // of the folder's files when it was counted last
    int64_t next_ms;  // when it is counted again
} wd_episode_disk;

/// May a run begin whose episode goes to `directory`? Runs that have begun go on.
/// @param bytes_max  0: no bound. @retval WD_ELIMIT  the files there take more; `error` says how much.
WD_NODISCARD wd_status wd_episode_disk_room(
    wd_episode_disk *disk, const char *directory, uint64_t bytes_max, int64_t now_ms, wd_error *error);

/// Remove what kills in mid-compression left: the pieces of processes that are gone, and the lines of episodes whose
/// whole frame is in place. Whatever cannot be removed stays.
void wd_episode_disk_tidy(const char *directory);

#endif
