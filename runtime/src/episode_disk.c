#include "episode_disk.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

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
