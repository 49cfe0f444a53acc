#include "runtime/authority.h"

#include "grants.h"
#include "runtime/key_file.h"
#include "tree/alloc.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const uint64_t USER_LOOPBACK = UINT64_C(1) << 32;  // a uid has 32 bits
static const uint64_t USER_KEYS = UINT64_C(2) << 32;

/// What is read again as a whole.
typedef struct policy {
    wd_grants grants;
    wd_named_key *keys;
    size_t key_count;
} policy;

struct wd_authority {
    bool loaded;
    uint32_t own_uid;
    policy policy;
    char names[WD_KEYS_MAX][WD_KEY_NAME_MAX + 1];  // of keys ever seen: a name keeps its number
    size_t name_count;
};

// ---- life ---------------------------------------------------------------------------------------------------------

static void policy_done(policy *of)
{
    wd_grants_done(&of->grants);
    wd_free(of->keys, WD_KEYS_MAX * sizeof *of->keys);
    *of = (policy){ 0 };
}

wd_status wd_authority_new(wd_authority **ret_authority)
{
    wd_authority *authority = wd_alloc_zero(1, sizeof *authority);
    if (authority == NULL) {
        return WD_ENOMEM;
    }
    authority->own_uid = (uint32_t)geteuid();
    *ret_authority = authority;
    return WD_OK;
}

void wd_authority_destroy(wd_authority **authority_p)
{
    if (*authority_p != NULL) {
        policy_done(&(*authority_p)->policy);
        wd_free(*authority_p, sizeof **authority_p);
        *authority_p = NULL;
    }
}

/// Every key's name has a number before any key is used.
static wd_status number_names(wd_authority *authority, const policy *from, wd_error *error)
{
    for (size_t i = 0; i < from->key_count; i++) {
        size_t at = 0;
        while (at < authority->name_count && strcmp(authority->names[at], from->keys[i].name) != 0) {
            at += 1;
        }
        if (at == WD_KEYS_MAX) {
            return wd_error_set(
                error, WD_ELIMIT, "over %d names of keys since the start of the daemon", WD_KEYS_MAX);
        }
        if (at == authority->name_count) {
            strcpy(authority->names[at], from->keys[i].name);
            authority->name_count += 1;
        }
    }
    return WD_OK;
}

wd_status wd_authority_load(wd_authority *authority, const wd_authority_places *places, wd_error *error)
{
    policy fresh = { 0 };
    wd_status status = wd_grants_read(places->grants, places->group, &fresh.grants, error);
    if (status == WD_OK && places->keys[0] != '\0') {
        char clients[WD_AUTHORITY_PATH_MAX + 16];
        snprintf(clients, sizeof clients, "%s/clients", places->keys);
        status = wd_key_files_read(clients, &fresh.keys, &fresh.key_count, error);
    }
    if (status == WD_OK) {
        status = number_names(authority, &fresh, error);
    }
    if (status != WD_OK) {
        policy_done(&fresh);
        return status;
    }
    policy_done(&authority->policy);
    authority->policy = fresh;
    authority->loaded = true;
    return WD_OK;
}

wd_authority_counts wd_authority_counts_get(const wd_authority *authority)
{
    return (wd_authority_counts){ authority->policy.grants.count, authority->policy.key_count };
}

// ---- who may ------------------------------------------------------------------------------------------------------

wd_status wd_authority_key_user(
    const wd_authority *authority, const char *public_key, char ret_user[WD_USER_TEXT_SIZE])
{
    for (size_t i = 0; i < authority->policy.key_count; i++) {
        if (strcmp(authority->policy.keys[i].public_key, public_key) == 0) {
            snprintf(ret_user, WD_USER_TEXT_SIZE, "key:%s", authority->policy.keys[i].name);
            return WD_OK;
        }
    }
    return WD_ENOENT;
}

/// A line for the uid decides alone; else it is the daemon's own, or what its groups have together.
static wd_roles roles_of_uid(const wd_authority *authority, uint32_t uid, uint32_t gid)
{
    const wd_grant *own = wd_grants_find(&authority->policy.grants, WD_GRANT_UID, uid, NULL);
    if (own != NULL) {
        return own->roles;
    }
    if (uid == authority->own_uid) {
        return WD_ROLES_ALL;
    }
    wd_roles roles = 0;
    for (size_t i = 0; i < authority->policy.grants.count; i++) {
        const wd_grant *group = &authority->policy.grants.list[i];
        if (group->kind == WD_GRANT_GROUP && wd_grant_has_member(group, uid, gid)) {
            roles |= group->roles;
        }
    }
    return roles;
}

/// A removed key's owner is known still, and has no role.
static wd_roles roles_of_key(const wd_authority *authority, const char *name)
{
    for (size_t i = 0; i < authority->policy.key_count; i++) {
        if (strcmp(authority->policy.keys[i].name, name) == 0) {
            const wd_grant *own = wd_grants_find(&authority->policy.grants, WD_GRANT_KEY, 0, name);
            return own == NULL ? 0 : own->roles;
        }
    }
    return 0;
}

/// "uid:1000:100", read by hand: it comes with every message.
static bool read_ids(const char *text, uint32_t ret_ids[2])
{
    if (strncmp(text, "uid", 3) != 0) {
        return false;
    }
    const char *at = text + 3;
    for (size_t i = 0; i < 2; i++) {
        uint64_t number = 0;
        if (at[0] != ':' || at[1] < '0' || at[1] > '9') {
            return false;
        }
        for (at += 1; *at >= '0' && *at <= '9' && number <= UINT32_MAX; at++) {
            number = 10 * number + (uint64_t)(*at - '0');
        }
        if (number > UINT32_MAX) {
            return false;
        }
        ret_ids[i] = (uint32_t)number;
    }
    return *at == '\0';
}

wd_user wd_authority_user(const wd_authority *authority, const char *text)
{
    uint32_t ids[2] = { 0 };
    if (read_ids(text, ids) && ids[0] != UINT32_MAX) {
        return (wd_user){ .number = ids[0], .gid = ids[1] };
    }
    if (strcmp(text, "loopback") == 0) {
        return (wd_user){ .number = USER_LOOPBACK };
    }
    for (size_t i = 0; strncmp(text, "key:", 4) == 0 && i < authority->name_count; i++) {
        if (strcmp(authority->names[i], text + 4) == 0) {
            return (wd_user){ .number = USER_KEYS + i };
        }
    }
    return WD_USER_NOBODY;
}

wd_roles wd_authority_roles(const wd_authority *authority, wd_user user)
{
    if (!authority->loaded) {
        return 0;
    }
    if (user.number < UINT32_MAX) {
        return roles_of_uid(authority, (uint32_t)user.number, user.gid);
    }
    if (user.number == USER_LOOPBACK) {
        const wd_grant *own = wd_grants_find(&authority->policy.grants, WD_GRANT_LOOPBACK, 0, NULL);
        return own == NULL ? (wd_roles)WD_GROUP_ROLES : own->roles;
    }
    return user.number >= USER_KEYS && user.number < USER_KEYS + authority->name_count
               ? roles_of_key(authority, authority->names[user.number - USER_KEYS])
               : 0;
}
