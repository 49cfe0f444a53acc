#include "runtime/daemon.h"

#include "proto/frame.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static wd_status make_directory(const char *path, wd_error *error)
{
    if (mkdir(path, 0700) == 0) {
        return chmod(path, 0700) == 0 ? WD_OK : wd_error_set(error, WD_EIO, "%s: %s", path, strerror(errno));
    }
    if (errno != EEXIST) {
        return wd_error_set(error, WD_EIO, "%s: %s", path, strerror(errno));
    }
    struct stat info;
    if (lstat(path, &info) != 0) {
        return wd_error_set(error, WD_EIO, "%s: %s", path, strerror(errno));
    }
    if (!S_ISDIR(info.st_mode)) {
        return wd_error_set(error, WD_EDENIED, "%s: is no directory", path);
    }
    if (info.st_uid != geteuid()) {
        return wd_error_set(
            error, WD_EDENIED, "%s: belongs to uid %u, not to us", path, (unsigned)info.st_uid);
    }
    if ((info.st_mode & 0027) != 0) {  // 0700, or 0750 as a service's RuntimeDirectory
        return wd_error_set(error, WD_EDENIED, "%s: mode %04o lets others in; chmod 700 it", path,
            (unsigned)(info.st_mode & 07777));
    }
    return WD_OK;
}

wd_status wd_daemon_directory_take(
    const char *path, gid_t group, wd_daemon_directory *ret_directory, wd_error *error)
{
    wd_daemon_directory directory = { .lock = -1 };
    wd_status status = make_directory(path, error);
    if (status == WD_OK && group != (gid_t)-1 &&
        (lchown(path, (uid_t)-1, group) != 0 || chmod(path, 0750) != 0)) {
        status = wd_error_set(error, WD_EIO, "%s: cannot be given to the group: %s", path, strerror(errno));
    }
    if (status != WD_OK) {
        return status;
    }
    char name[WD_CONFIG_TEXT_MAX + 16];
    snprintf(name, sizeof name, "%s/lock", path);
    directory.lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (directory.lock < 0) {
        return wd_error_set(error, WD_EIO, "%s: %s", name, strerror(errno));
    }
    if (flock(directory.lock, LOCK_EX | LOCK_NB) != 0) {
        char pid[32] = "";
        ssize_t length = pread(directory.lock, pid, sizeof pid - 1, 0);
        pid[length > 0 ? (size_t)length : 0] = '\0';
        close(directory.lock);
        return wd_error_set(error, WD_EBUSY, "%s: another worldd runs here (pid %d)", path, atoi(pid));
    }
    char pid[32];
    int length = snprintf(pid, sizeof pid, "%d\n", (int)getpid());
    if (ftruncate(directory.lock, 0) != 0 || pwrite(directory.lock, pid, (size_t)length, 0) != length) {
        close(directory.lock);
        return wd_error_set(error, WD_EIO, "%s: %s", name, strerror(errno));
    }
    snprintf(directory.path, sizeof directory.path, "%s", path);
    *ret_directory = directory;
    return WD_OK;
}

void wd_daemon_directory_release(wd_daemon_directory *directory)
{
    if (directory->lock >= 0) {
        char name[WD_CONFIG_TEXT_MAX + 16];
        snprintf(name, sizeof name, "%s/daemon.json", directory->path);
        unlink(name);
        close(directory->lock);  // gives the lock back; the file stays, so that nobody locks an unlinked one
        directory->lock = -1;
    }
}

static void print_if(FILE *file, const char *name, const char *text)
{
    if (text[0] != '\0') {
        fprintf(file, "\"%s\":\"%s\",", name, text);
    }
}

wd_status wd_daemon_directory_tell(
    const wd_daemon_directory *directory, const wd_daemon_identity *identity, wd_error *error)
{
    enum { BOOT_ID_SIZE = 16 };
    char path[WD_CONFIG_TEXT_MAX + 32], boot[2 * BOOT_ID_SIZE + 1] = "";
    snprintf(path, sizeof path, "%s/daemon.json", directory->path);
    for (size_t i = 0; i < BOOT_ID_SIZE; i++) {
        snprintf(boot + 2 * i, 3, "%02x", identity->boot_id[i]);
    }
    mode_t mask = umask(0177);
    FILE *file = fopen(path, "we");
    umask(mask);
    if (file == NULL) {
        return wd_error_set(error, WD_EIO, "%s: %s", path, strerror(errno));
    }
    fprintf(file, "{\"planner\":\"%s\",\"control\":\"%s\",", identity->planner, identity->control);
    print_if(file, "planner_tcp", identity->planner_tcp);
    print_if(file, "control_tcp", identity->control_tcp);
    print_if(file, "server_key", identity->server_key);
    fprintf(file, "\"pid\":%d,\"boot_id\":\"%s\",\"protocol\":[%d,%d]}\n", (int)getpid(), boot,
        WD_PROTO_MAJOR, WD_PROTO_MINOR);
    bool shared = identity->group == (gid_t)-1 ||
                  (fchown(fileno(file), (uid_t)-1, identity->group) == 0 && fchmod(fileno(file), 0640) == 0);
    bool written = fclose(file) == 0 && shared;
    return written ? WD_OK : wd_error_set(error, WD_EIO, "%s: %s", path, strerror(errno));
}
