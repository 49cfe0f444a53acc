#include "episode_disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/// Bytes of the plain files in a folder. One that cannot be read takes nothing: who writes there is told why not.
static uint64_t count(const char *directory)
{
    uint64_t bytes = 0;
    DIR *folder = opendir(directory);
    if (folder == NULL) {
        return 0;
    }
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        struct stat file;
        if (fstatat(dirfd(folder), entry->d_name, &file, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(file.st_mode)) {
            bytes += (uint64_t)file.st_size;
        }
    }
    closedir(folder);
    return bytes;
}

wd_status wd_episode_disk_room(
    wd_episode_disk *disk, const char *directory, uint64_t bytes_max, int64_t now_ms, wd_error *error)
{
    if (bytes_max == 0) {
        return WD_OK;
    }
    if (now_ms >= disk->next_ms) {
        disk->bytes = count(directory);
        disk->next_ms = now_ms + WD_EPISODE_COUNT_MS;
    }
    return disk->bytes <= bytes_max
               ? WD_OK
               : wd_error_set(error, WD_ELIMIT,
                     "episodes: %s has %llu bytes and the limit is %llu; move some away", directory,
                     (unsigned long long)disk->bytes, (unsigned long long)bytes_max);
}

/// NAME.jsonl.zst.PID.tmp (file.h) of a process that is gone?
static bool is_piece(const char *name)
{
    int pid = 0, end = 0;
    const char *at = strstr(name, ".jsonl.zst.");
    return at != NULL && sscanf(at, ".jsonl.zst.%d.tmp%n", &pid, &end) == 1 && end > 0 && at[end] == '\0' &&
           pid > 0 && kill(pid, 0) != 0 && errno == ESRCH;
}

/// NAME.jsonl beside NAME.jsonl.zst?
static bool is_doubled(int folder, const char *name)
{
    char packed[NAME_MAX + 8];
    size_t length = strlen(name);
    if (length < 6 || strcmp(name + length - 6, ".jsonl") != 0) {
        return false;
    }
    snprintf(packed, sizeof packed, "%s.zst", name);
    return faccessat(folder, packed, F_OK, 0) == 0;
}

void wd_episode_disk_tidy(const char *directory)
{
    DIR *folder = opendir(directory);
    if (folder == NULL) {
        return;
    }
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (is_piece(entry->d_name) || is_doubled(dirfd(folder), entry->d_name)) {
            unlinkat(dirfd(folder), entry->d_name, 0);
        }
    }
    closedir(folder);
}
