#include "runtime/key_file.h"

#include "runtime/file.h"
#include "tree/alloc.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = WD_AUTHORITY_PATH_MAX + 2 * WD_KEY_NAME_MAX, VALUE_MAX = 128 };

bool wd_key_text_valid(const char *text)
{
    static const char digits[] =
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
    if (strnlen(text, WD_KEY_TEXT_SIZE) != WD_KEY_TEXT_SIZE - 1) {
        return false;
    }
    for (size_t at = 0; at < WD_KEY_TEXT_SIZE - 1; at += 5) {  // five digits are four bytes
        uint64_t number = 0;
        for (size_t i = at; i < at + 5; i++) {
            const char *digit = strchr(digits, text[i]);
            if (digit == NULL) {
                return false;
            }
            number = number * 85 + (uint64_t)(digit - digits);
        }
        if (number > UINT32_MAX) {
            return false;
        }
    }
    return true;
}

bool wd_key_name_valid(const char *name)
{
    size_t length = strnlen(name, WD_KEY_NAME_MAX + 1);
    if (length < 1 || length > WD_KEY_NAME_MAX || name[0] == '.') {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (!isalnum((unsigned char)name[i]) && strchr("._-", name[i]) == NULL) {
            return false;
        }
    }
    return true;
}

// ---- reading ------------------------------------------------------------------------------------------------------

/// Take `name = "value"` of a line below [curve]; other lines are passed over. @retval false  it is no line of ZPL.
static bool take_line(char *line, bool *in_curve, wd_key_pair *pair)
{
    char name[32], value[VALUE_MAX];
    size_t indent = strspn(line, " \t");
    line[strcspn(line, "\r\n")] = '\0';
    if (line[indent] == '\0' || line[indent] == '#') {  // elsewhere # is a digit of Z85
        return true;
    }
    if (indent == 0) {  // a section begins; in our two there is nothing but its name
        *in_curve = strcmp(line, "curve") == 0;
        return isalpha((unsigned char)line[0]) != 0;
    }
    if (!*in_curve) {
        return true;  // metadata, of no meaning here
    }
    if (sscanf(line + indent, "%31[a-z-] = \"%127[^\"]\"", name, value) != 2) {
        return false;
    }
    bool secret = strcmp(name, "secret-key") == 0;
    if (!secret && strcmp(name, "public-key") != 0) {
        return true;
    }
    if (strlen(value) != WD_KEY_TEXT_SIZE - 1) {
        return false;
    }
    strcpy(secret ? pair->secret_key : pair->public_key, value);
    return true;
}

static wd_status check_file(FILE *file, const char *path, bool secret, wd_error *error)
{
    struct stat info;
    if (fstat(fileno(file), &info) != 0) {
        return wd_error_set(error, WD_EIO, "%s: %s", path, strerror(errno));
    }
    if (!S_ISREG(info.st_mode)) {
        return wd_error_set(error, WD_EPARSE, "%s: no regular file", path);
    }
    if (info.st_size > WD_KEY_FILE_MAX) {
        return wd_error_set(error, WD_ELIMIT, "%s: over %d bytes", path, WD_KEY_FILE_MAX);
    }
    if (secret && (info.st_mode & 077) != 0) {
        return wd_error_set(error, WD_EDENIED, "%s: mode %04o lets others read a secret key; chmod 600 it",
            path, (unsigned)(info.st_mode & 07777));
    }
    if (secret && info.st_uid != geteuid() && info.st_uid != 0) {
        return wd_error_set(
            error, WD_EDENIED, "%s: belongs to uid %u, not to us", path, (unsigned)info.st_uid);
    }
    return WD_OK;
}

wd_status wd_key_file_read(const char *path, bool secret, wd_key_pair *ret_pair, wd_error *error)
{
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return wd_error_set(error, errno == ENOENT ? WD_ENOENT : WD_EIO, "%s: %s", path, strerror(errno));
    }
    wd_key_pair pair = { "", "" };
    char line[512];
    bool in_curve = false;
    wd_status status = check_file(file, path, secret, error);
    for (int number = 1; status == WD_OK && fgets(line, sizeof line, file) != NULL; number++) {
        if (!take_line(line, &in_curve, &pair)) {
            status = wd_error_set(error, WD_EPARSE, "%s:%d: no line of a key file", path, number);
        }
    }
    if (status == WD_OK && ferror(file)) {
        status = wd_error_set(error, WD_EIO, "%s: cannot be read", path);
    }
    fclose(file);
    if (status == WD_OK && !wd_key_text_valid(pair.public_key)) {
        status = wd_error_set(error, WD_EPARSE, "%s: holds no public-key of 40 Z85 characters", path);
    }
    if (status == WD_OK && (secret || pair.secret_key[0] != '\0') && !wd_key_text_valid(pair.secret_key)) {
        status = wd_error_set(error, WD_EPARSE, "%s: holds no secret-key of 40 Z85 characters", path);
    }
    if (status == WD_OK) {
        *ret_pair = pair;
    }
    explicit_bzero(line, sizeof line);
    explicit_bzero(&pair, sizeof pair);
    return status;
}

// ---- writing ------------------------------------------------------------------------------------------------------

/// @param secret  NULL: the public half alone.
static wd_status write_one(
    const char *path, mode_t mode, const char *public_key, const char *secret, wd_error *error)
{
    int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
    if (descriptor < 0) {
        return wd_error_set(error, errno == EEXIST ? WD_EEXIST : WD_EIO, "%s: %s", path, strerror(errno));
    }
    bool written =
        fchmod(descriptor, mode) == 0 &&
        dprintf(descriptor, "#   CURVE key of worldd, %s.\n\nmetadata\ncurve\n    public-key = \"%s\"\n",
            secret == NULL ? "public half" : "SECRET: keep it to yourself", public_key) > 0;
    if (secret != NULL) {
        written = written && dprintf(descriptor, "    secret-key = \"%s\"\n", secret) > 0;
    }
    written = close(descriptor) == 0 && written;
    if (!written) {
        unlink(path);
    }
    return written ? WD_OK : wd_error_set(error, WD_EIO, "%s: cannot be written", path);
}

wd_status wd_key_file_write(const char *directory, const char *name, const wd_key_pair *pair, wd_error *error)
{
    char open_path[PATH_SIZE], secret_path[PATH_SIZE];
    if (!wd_key_name_valid(name)) {
        return wd_error_set(error, WD_EINVAL, "\"%.80s\" is no name for a key: 1 to %d of A-Z a-z 0-9 . _ -",
            name, WD_KEY_NAME_MAX);
    }
    if (strlen(directory) >= WD_AUTHORITY_PATH_MAX) {
        return wd_error_set(
            error, WD_ELIMIT, "the directory's path has over %d bytes", WD_AUTHORITY_PATH_MAX);
    }
    snprintf(open_path, sizeof open_path, "%s/%s.key", directory, name);
    snprintf(secret_path, sizeof secret_path, "%s/%s.key_secret", directory, name);
    wd_status status = write_one(secret_path, 0600, pair->public_key, pair->secret_key, error);
    if (status == WD_OK) {
        status = write_one(open_path, 0644, pair->public_key, NULL, error);
        if (status != WD_OK) {
            unlink(secret_path);
        }
    }
    return status;
}

// ---- a directory of public keys -----------------------------------------------------------------------------------

static wd_status take_file(
    const char *directory, const char *file, size_t stem, wd_named_key *keys, size_t *count, wd_error *error)
{
    char path[PATH_SIZE];
    wd_key_pair pair;
    wd_named_key *key = &keys[*count];
    snprintf(path, sizeof path, "%s/%s", directory, file);
    if (*count == WD_KEYS_MAX) {
        return wd_error_set(error, WD_ELIMIT, "%s: over %d keys", directory, WD_KEYS_MAX);
    }
    snprintf(key->name, sizeof key->name, "%.*s", (int)stem, file);
    if (stem > WD_KEY_NAME_MAX || !wd_key_name_valid(key->name)) {
        return wd_error_set(error, WD_EINVAL, "%s: is no name for a key", path);
    }
    wd_status status = wd_key_file_read(path, false, &pair, error);
    if (status != WD_OK) {
        return status;
    }
    memcpy(key->public_key, pair.public_key, sizeof key->public_key);
    explicit_bzero(&pair, sizeof pair);
    for (size_t i = 0; i < *count; i++) {
        if (strcmp(keys[i].public_key, key->public_key) == 0) {
            return wd_error_set(error, WD_EINVAL, "%s: is the key of %s, too", path, keys[i].name);
        }
    }
    *count += 1;
    return WD_OK;
}

wd_status wd_key_files_read(
    const char *directory, wd_named_key **ret_keys, size_t *ret_count, wd_error *error)
{
    wd_value *names = NULL;
    if (strlen(directory) >= WD_AUTHORITY_PATH_MAX) {
        return wd_error_set(error, WD_ELIMIT, "%.80s...: the path is too long", directory);
    }
    wd_status status = wd_file_list(directory, &names, error);
    if (status != WD_OK) {
        return status;
    }
    size_t count = 0;
    wd_named_key *keys = wd_alloc_zero(WD_KEYS_MAX, sizeof *keys);
    status = keys == NULL ? wd_error_set(error, WD_ENOMEM, "%s: out of memory", directory) : WD_OK;
    wd_iter name = wd_iter_start(names);
    while (status == WD_OK && wd_iter_next(&name)) {
        const char *file = wd_value_string_or(name.value, "");
        size_t length = strlen(file);
        if (length > 4 && strcmp(file + length - 4, ".key") == 0) {
            status = take_file(directory, file, length - 4, keys, &count, error);
        }
    }
    wd_value_unref(&names);
    if (status != WD_OK) {
        wd_free(keys, WD_KEYS_MAX * sizeof *keys);
        return status;
    }
    *ret_keys = keys;
    *ret_count = count;
    return WD_OK;
}
