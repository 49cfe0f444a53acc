/// key_file.h - CURVE keys as files in czmq's zcert format: NAME.key holds the public half, NAME.key_secret both.
#ifndef RUNTIME_KEY_FILE_H
#define RUNTIME_KEY_FILE_H

#include "runtime/authority.h"

enum { WD_KEY_FILE_MAX = 64 * 1024 };  // bytes

typedef struct wd_key_pair {
    char public_key[WD_KEY_TEXT_SIZE];  // Z85
    char secret_key[WD_KEY_TEXT_SIZE];  // "" when the file holds the public half alone
} wd_key_pair;

typedef struct wd_named_key {
    char name[WD_KEY_NAME_MAX + 1];
    char public_key[WD_KEY_TEXT_SIZE];
} wd_named_key;

/// Is it 40 characters of Z85 that stand for 32 bytes?
bool wd_key_text_valid(const char *text);
/// Is it a name for a key: 1..WD_KEY_NAME_MAX of [A-Za-z0-9._-], not beginning with a dot?
bool wd_key_name_valid(const char *name);
/// @param secret  It must hold the secret half, and nobody but its owner may read it.
/// @retval WD_EDENIED  its mode or owner lets others read it. @retval WD_EPARSE, WD_ENOENT, WD_EIO, WD_ELIMIT.
/// `error` names the file.
WD_NODISCARD wd_status wd_key_file_read(
    const char *path, bool secret, wd_key_pair *ret_pair, wd_error *error);
/// Write NAME.key (0644) and NAME.key_secret (0600) in a directory. @retval WD_EEXIST  one of them is there: it stays.
WD_NODISCARD wd_status wd_key_file_write(
    const char *directory, const char *name, const wd_key_pair *pair, wd_error *error);
/// The public keys NAME.key of a directory, by name; other files are passed over.
/// @param[out] ret_keys  *ret_count of them, freed with wd_free(keys, WD_KEYS_MAX * sizeof *keys).
/// @retval any  `error` names the first file that is wrong; nothing is returned then.
WD_NODISCARD wd_status wd_key_files_read(
    const char *directory, wd_named_key **ret_keys, size_t *ret_count, wd_error *error);

#endif
