#include "runtime/file.h"

#include "tree/alloc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

static wd_status system_error(wd_error *error, const char *path)
{
    return wd_error_set(error, errno == ENOENT ? WD_ENOENT : WD_EIO, "%s: %s", path, strerror(errno));
}

static wd_status read_all(int descriptor, const char *path, char *bytes, size_t length, wd_error *error)
{
    for (size_t at = 0; at < length;) {
        ssize_t got = read(descriptor, bytes + at, length - at);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return system_error(error, path);
        }
        if (got == 0) {
            return wd_error_set(error, WD_EIO, "%s: became shorter while it was read", path);
        }
        at += (size_t)got;
    }
    bytes[length] = '\0';
    return WD_OK;
}

wd_status wd_file_read(const char *path, char **ret_bytes, size_t *ret_length, wd_error *error)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return system_error(error, path);
    }
    struct stat info;
    wd_status status = WD_OK;
    char *bytes = NULL;
    if (fstat(descriptor, &info) != 0) {
        status = system_error(error, path);
    } else if (!S_ISREG(info.st_mode)) {
        status = wd_error_set(error, WD_EIO, "%s: not a regular file", path);
    } else if (info.st_size > WD_FILE_SIZE_MAX) {
        status = wd_error_set(error, WD_ELIMIT, "%s: over %d bytes", path, WD_FILE_SIZE_MAX);
    } else if ((bytes = wd_alloc((size_t)info.st_size + 1)) == NULL) {
        status = wd_error_set(error, WD_ENOMEM, "%s: out of memory", path);
    } else {
        status = read_all(descriptor, path, bytes, (size_t)info.st_size, error);
    }
    close(descriptor);
    if (status != WD_OK) {
        wd_free(bytes, bytes == NULL ? 0 : (size_t)info.st_size + 1);
        return status;
    }
    *ret_bytes = bytes;
    *ret_length = (size_t)info.st_size;
    return WD_OK;
}

// ---- writing ------------------------------------------------------------------------------------------------------

static bool write_all(int descriptor, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write(descriptor, bytes, length);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0) {
            return false;
        }
        bytes += written;
        length -= (size_t)written;
    }
    return true;
}

wd_status wd_file_publish(const char *path, const void *front, size_t front_length, const void *bytes,
    size_t length, bool settled, wd_error *error)
{
    char beside[PATH_SIZE];  // first, so that a reader never sees half a file
    if (snprintf(beside, sizeof beside, "%s.%d.tmp", path, (int)getpid()) >= (int)sizeof beside) {
        return wd_error_set(error, WD_EINVAL, "%.80s...: the path is too long", path);
    }
    int descriptor = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor < 0) {
        return wd_error_set(error, WD_EIO, "%s: %s", beside, strerror(errno));
    }
    bool written = write_all(descriptor, front, front_length) && write_all(descriptor, bytes, length) &&
                   (!settled || fsync(descriptor) == 0);
    int reason = errno;
    close(descriptor);
    if (written && rename(beside, path) == 0) {
        return WD_OK;
    }
    reason = written ? errno : reason;
    unlink(beside);
    return wd_error_set(error, WD_EIO, "%s: %s", path, strerror(reason));
}

wd_status wd_file_read_json(const char *path, wd_value **ret_value, wd_error *error)
{
    char *bytes = NULL;
    size_t length = 0;
    wd_status status = wd_file_read(path, &bytes, &length, error);
    if (status != WD_OK) {
        return status;
    }
    status = wd_json_parse(bytes, length, ret_value, error);
    wd_free(bytes, length + 1);
    if (status != WD_OK) {
        wd_error_prefix(error, "%s", path);
    }
    return status;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

wd_status wd_file_list(const char *directory, wd_value **ret_names, wd_error *error)
{
    struct dirent **entries = NULL;
    int count = scandir(directory, &entries, is_visible, by_bytes);
    if (count < 0) {
        return system_error(error, directory);
    }
    wd_value *names = wd_value_array();
    wd_status status = WD_OK;
    for (int i = 0; i < count; i++) {
        wd_value *name = NULL;
        if (status == WD_OK) {
            status = wd_value_text(entries[i]->d_name, &name);
        }
        if (status == WD_OK) {
            status = wd_array_append(&names, &name);
        }
        wd_value_unref(&name);
        free(entries[i]);
    }
    free(entries);
    if (status != WD_OK) {
        wd_value_unref(&names);
        return wd_error_set(error, status, "%s: %s", directory, wd_status_text(status));
    }
    *ret_names = names;
    return WD_OK;
}

static wd_status pack_list(void *context, const char *directory, wd_value **ret_names)
{
    (void)context;
    return wd_file_list(directory, ret_names, NULL);
}

static wd_status pack_read(void *context, const char *path, char **ret_bytes, size_t *ret_length)
{
    (void)context;
    return wd_file_read(path, ret_bytes, ret_length, NULL);
}

const wd_pack_source wd_pack_files = { .list = pack_list, .read = pack_read };
