#include "runtime/authority.h"

#include "runtime/key_file.h"
#include "tree/alloc.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum {
    GROUP_ROLES = WD_ROLES_ALL & ~WD_ROLE_ADMIN,  // of doors.group's members
    LINE_MAX_BYTES = 512,
};
static const uint64_t USER_LOOPBACK = UINT64_C(1) << 32;  // a uid has 32 bits
static const uint64_t USER_KEYS = UINT64_C(2) << 32;

typedef enum grant_kind { GRANT_UID, GRANT_GROUP, GRANT_KEY, GRANT_LOOPBACK } grant_kind;

typedef struct grant {
    grant_kind kind;
    uint32_t id;                     // uid or gid
    char name[WD_KEY_NAME_MAX + 1];  // of a key or group, for texts
    wd_roles roles;
    uint32_t *members;  // uids of a group, told by the user database
    size_t member_count;
} grant;

/// What is read again as a whole.
typedef struct policy {
    grant *grants;  // WD_GRANTS_MAX + 1: the configured group has one of its own
    size_t grant_count;
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

// ---- roles --------------------------------------------------------------------------------------------------------

static const struct {
    const char *name;
    wd_roles role;
} role_names[] = {
    { "planner", WD_ROLE_PLANNER },
    { "enricher", WD_ROLE_ENRICHER },
    { "executor", WD_ROLE_EXECUTOR },
    { "client", WD_ROLE_CLIENT },
    { "watcher", WD_ROLE_WATCHER },
    { "admin", WD_ROLE_ADMIN },
};

wd_roles wd_role_find(const char *name)
{
    for (size_t i = 0; i < WD_COUNT_OF(role_names); i++) {
        if (strcmp(role_names[i].name, name) == 0) {
            return role_names[i].role;
        }
    }
    return 0;
}

void wd_roles_text(wd_roles roles, char ret_text[WD_ROLES_TEXT_SIZE])
{
    size_t length = 0;
    strcpy(ret_text, "no role");
    for (size_t i = 0; i < WD_COUNT_OF(role_names); i++) {
        if ((roles & role_names[i].role) != 0) {
            length += (size_t)snprintf(ret_text + length, WD_ROLES_TEXT_SIZE - length, "%s%s",
                length == 0 ? "" : ",", role_names[i].name);
        }
    }
}

// ---- verbs --------------------------------------------------------------------------------------------------------

static const struct {
    const char *verb;
    wd_access access;
} verbs[] = {
    { "status", WD_ACCESS_READ },
    { "planners", WD_ACCESS_READ },
    { "runs", WD_ACCESS_READ },
    { "state", WD_ACCESS_READ },
    { "scene", WD_ACCESS_READ },
    { "judge", WD_ACCESS_READ },
    { "watch", WD_ACCESS_READ },
    { "unwatch", WD_ACCESS_READ },
    { "run", WD_ACCESS_WRITE },
    { "cancel", WD_ACCESS_WRITE },
    { "observe_start", WD_ACCESS_WRITE },
    { "observe", WD_ACCESS_WRITE },
    { "observe_end", WD_ACCESS_WRITE },
    { "imagine", WD_ACCESS_WRITE },
    { "env_imagine", WD_ACCESS_WRITE },
    { "env_list", WD_ACCESS_READ },
    { "env_observe", WD_ACCESS_READ },
    { "env_state", WD_ACCESS_READ },
    { "env_judge", WD_ACCESS_READ },
    { "env_diff", WD_ACCESS_READ },
    { "env_lineage", WD_ACCESS_READ },
    { "env_stats", WD_ACCESS_READ },
    { "env_export", WD_ACCESS_READ },
    { "env_create", WD_ACCESS_WRITE },
    { "env_reset", WD_ACCESS_WRITE },
    { "env_close", WD_ACCESS_WRITE },
    { "env_detach", WD_ACCESS_WRITE },
    { "env_attach", WD_ACCESS_WRITE },
    { "env_named", WD_ACCESS_READ },
    { "env_step", WD_ACCESS_WRITE },
    { "env_batch", WD_ACCESS_WRITE },
    { "env_inject", WD_ACCESS_WRITE },
    { "env_snapshot", WD_ACCESS_WRITE },
    { "env_restore", WD_ACCESS_WRITE },
    { "env_fork", WD_ACCESS_WRITE },
    { "env_forget", WD_ACCESS_WRITE },
    { "env_import", WD_ACCESS_WRITE },
    { "env_calls", WD_ACCESS_WRITE },
    { "shutdown", WD_ACCESS_ADMIN },
};

wd_access wd_access_of_verb(const char *verb)
{
    for (size_t i = 0; i < WD_COUNT_OF(verbs); i++) {
        if (strcmp(verbs[i].verb, verb) == 0) {
            return verbs[i].access;
        }
    }
    return WD_ACCESS_NONE;
}

static wd_roles roles_for(wd_access access)
{
    switch (access) {
    case WD_ACCESS_READ:
        return WD_ROLE_CLIENT | WD_ROLE_WATCHER | WD_ROLE_ADMIN;
    case WD_ACCESS_WRITE:
        return WD_ROLE_CLIENT | WD_ROLE_ADMIN;
    case WD_ACCESS_ADMIN:
        return WD_ROLE_ADMIN;
    case WD_ACCESS_NONE:
        break;
    }
    return 0;
}

wd_status wd_access_check(const char *verb, wd_roles roles, wd_error *error)
{
    static const char *const needed[] = {
        [WD_ACCESS_NONE] = "a role that nobody has",
        [WD_ACCESS_READ] = "role client or watcher",
        [WD_ACCESS_WRITE] = "role client",
        [WD_ACCESS_ADMIN] = "role admin",
    };
    char text[WD_ROLES_TEXT_SIZE];
    wd_access access = wd_access_of_verb(verb);
    if ((roles & roles_for(access)) != 0) {
        return WD_OK;
    }
    wd_roles_text(roles, text);
    return wd_error_set(
        error, WD_EDENIED, "verb: \"%.64s\" needs %s; you have %s", verb, needed[access], text);
}

bool wd_access_to_owned(wd_access access, wd_user who, wd_roles roles, wd_user owner)
{
    wd_roles over_others = WD_ROLE_ADMIN | (access == WD_ACCESS_READ ? (wd_roles)WD_ROLE_WATCHER : 0);
    return wd_user_same(who, owner) || (roles & over_others) != 0;
}

// ---- life ---------------------------------------------------------------------------------------------------------

static void policy_done(policy *of)
{
    for (size_t i = 0; i < of->grant_count; i++) {
        wd_free(of->grants[i].members, of->grants[i].member_count * sizeof(uint32_t));
    }
    wd_free(of->grants, (WD_GRANTS_MAX + 1) * sizeof *of->grants);
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

// ---- groups -------------------------------------------------------------------------------------------------------

/// The group's gid, and the uids of those whom the user database lists as its members.
static wd_status find_group(const char *name, grant *to, wd_error *error)
{
    errno = 0;
    const struct group *group = getgrnam(name);
    if (group == NULL) {
        return wd_error_set(error, WD_ENOENT, "there is no group \"%s\"", name);
    }
    to->id = (uint32_t)group->gr_gid;
    size_t count = 0;
    while (group->gr_mem[count] != NULL) {
        count += 1;
    }
    if (count > WD_GROUP_MEMBERS_MAX) {
        return wd_error_set(error, WD_ELIMIT, "group \"%s\" has over %d members", name, WD_GROUP_MEMBERS_MAX);
    }
    to->members = count == 0 ? NULL : wd_alloc(count * sizeof *to->members);
    if (count > 0 && to->members == NULL) {
        return wd_error_set(error, WD_ENOMEM, "out of memory");
    }
    to->member_count = count;
    for (size_t i = 0; i < count; i++) {
        const struct passwd *user = getpwnam(group->gr_mem[i]);
        to->members[i] =
            user == NULL ? UINT32_MAX : (uint32_t)user->pw_uid;  // who does not exist cannot come
    }
    return WD_OK;
}

static bool in_group(const grant *group, uint32_t uid, uint32_t gid)
{
    bool member = group->id == gid;
    for (size_t i = 0; !member && i < group->member_count; i++) {
        member = group->members[i] == uid && uid != UINT32_MAX;
    }
    return member;
}

// ---- the grants file ----------------------------------------------------------------------------------------------

static wd_status parse_roles(char *text, wd_roles *ret_roles, wd_error *error)
{
    wd_roles roles = 0;
    char *rest = NULL;
    for (char *name = strtok_r(text, ", \t", &rest); name != NULL; name = strtok_r(NULL, ", \t", &rest)) {
        wd_roles role = strcmp(name, "all") == 0 ? (wd_roles)WD_ROLES_ALL : wd_role_find(name);
        if (role == 0 && strcmp(name, "none") != 0) {
            return wd_error_set(error, WD_EINVAL,
                "\"%.40s\" is no role: planner, enricher, executor, client, watcher, admin, all or none",
                name);
        }
        roles |= role;
    }
    *ret_roles = roles;
    return WD_OK;
}

static wd_status parse_who(const char *kind, const char *name, grant *to, wd_error *error)
{
    if (strcmp(kind, "loopback") == 0) {
        to->kind = GRANT_LOOPBACK;
        return name[0] == '\0' ? WD_OK : wd_error_set(error, WD_EPARSE, "loopback has no name");
    }
    if (strcmp(kind, "uid") == 0) {
        char *end = NULL;
        unsigned long uid = strtoul(name, &end, 10);
        to->kind = GRANT_UID;
        to->id = (uint32_t)uid;
        return name[0] >= '0' && name[0] <= '9' && *end == '\0' && uid < UINT32_MAX
                   ? WD_OK
                   : wd_error_set(error, WD_EPARSE, "\"%.40s\" is no uid", name);
    }
    bool key = strcmp(kind, "key") == 0;
    if (!key && strcmp(kind, "group") != 0) {
        return wd_error_set(
            error, WD_EPARSE, "\"%.40s\" is none of uid:N, group:NAME, key:NAME, loopback", kind);
    }
    to->kind = key ? GRANT_KEY : GRANT_GROUP;
    if (key ? !wd_key_name_valid(name) : name[0] == '\0') {
        return wd_error_set(error, WD_EPARSE, "\"%.80s\" is no name", name);
    }
    snprintf(to->name, sizeof to->name, "%s", name);
    return key ? WD_OK : find_group(name, to, error);
}

static bool same_who(const grant *a, const grant *b)
{
    return a->kind == b->kind && a->id == b->id && (a->kind != GRANT_KEY || strcmp(a->name, b->name) == 0);
}

/// "uid:1000 client,planner": who, then roles; "uid 1000" is read as well.
static wd_status take_grant(char *line, policy *to, wd_error *error)
{
    char kind[16], name[WD_KEY_NAME_MAX + 1] = "";
    int used = 0;
    line[strcspn(line, "#\r\n")] = '\0';
    if (line[strspn(line, " \t")] == '\0') {
        return WD_OK;
    }
    if (sscanf(line, " %15[a-z]%n", kind, &used) != 1) {
        return wd_error_set(
            error, WD_EPARSE, "no line of grants: uid:N, group:NAME, key:NAME or loopback, then roles");
    }
    char *rest = line + used;
    if (strcmp(kind, "loopback") != 0) {
        if (sscanf(rest, "%*[: \t]%64[A-Za-z0-9._-]%n", name, &used) != 1) {
            return wd_error_set(error, WD_EPARSE, "\"%s\" is followed by no name", kind);
        }
        rest += used;
    }
    if (rest[0] != '\0' && rest[0] != ' ' && rest[0] != '\t') {
        return wd_error_set(error, WD_EPARSE, "\"%.40s\" follows where roles should", rest);
    }
    if (rest[strspn(rest, " \t,")] == '\0') {
        return wd_error_set(error, WD_EPARSE, "no roles; say none if none are meant");
    }
    if (to->grant_count == WD_GRANTS_MAX) {
        return wd_error_set(error, WD_ELIMIT, "over %d grants", WD_GRANTS_MAX);
    }
    grant *fresh = &to->grants[to->grant_count];
    *fresh = (grant){ 0 };
    wd_status status = parse_who(kind, name, fresh, error);
    if (status == WD_OK) {
        status = parse_roles(rest, &fresh->roles, error);
    }
    for (size_t i = 0; status == WD_OK && i < to->grant_count; i++) {
        if (same_who(&to->grants[i], fresh)) {
            status = wd_error_set(error, WD_EEXIST, "%s is granted roles already", kind);
        }
    }
    to->grant_count += 1;  // also a faulty one: its members are given back with it
    return status;
}

static wd_status read_grants(const char *path, policy *to, wd_error *error)
{
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return wd_error_set(error, errno == ENOENT ? WD_ENOENT : WD_EIO, "%s: %s", path, strerror(errno));
    }
    char line[LINE_MAX_BYTES];
    size_t bytes = 0;
    wd_status status = WD_OK;
    for (int number = 1; status == WD_OK && fgets(line, sizeof line, file) != NULL; number++) {
        size_t length = strlen(line);
        wd_error why = { WD_OK, "" };
        bytes += length;
        if (length == sizeof line - 1 || bytes > WD_GRANTS_FILE_MAX) {
            status = wd_error_set(&why, WD_ELIMIT, "over %zu bytes in a line, or %d in all", sizeof line - 2,
                WD_GRANTS_FILE_MAX);
        } else {
            status = take_grant(line, to, &why);
        }
        if (status != WD_OK) {
            wd_error_set(error, status, "%s:%d: %s", path, number, why.text);
        }
    }
    if (status == WD_OK && ferror(file)) {
        status = wd_error_set(error, WD_EIO, "%s: cannot be read", path);
    }
    fclose(file);
    return status;
}

/// The configured group, unless the grants say something about it.
static wd_status add_group(const char *name, policy *to, wd_error *error)
{
    grant *fresh = &to->grants[to->grant_count];
    *fresh = (grant){ .kind = GRANT_GROUP, .roles = GROUP_ROLES };
    wd_error why = { WD_OK, "" };
    wd_status status = find_group(name, fresh, &why);
    bool granted = false;
    for (size_t i = 0; status == WD_OK && i < to->grant_count; i++) {
        granted = granted || same_who(&to->grants[i], fresh);
    }
    if (granted) {
        fresh->roles = 0;  // groups add up
    }
    to->grant_count += 1;
    return status == WD_OK ? WD_OK : wd_error_set(error, status, "doors.group: %s", why.text);
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
    policy fresh = { .grants = wd_alloc_zero(WD_GRANTS_MAX + 1, sizeof *fresh.grants) };
    wd_status status = fresh.grants == NULL ? wd_error_set(error, WD_ENOMEM, "grants: out of memory") : WD_OK;
    if (status == WD_OK && places->grants[0] != '\0') {
        status = read_grants(places->grants, &fresh, error);
    }
    if (status == WD_OK && places->group[0] != '\0') {
        status = add_group(places->group, &fresh, error);
    }
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
    return (wd_authority_counts){ authority->policy.grant_count, authority->policy.key_count };
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

static const grant *find_grant(const policy *in, grant_kind kind, uint32_t id, const char *name)
{
    for (size_t i = 0; i < in->grant_count; i++) {
        const grant *at = &in->grants[i];
        if (at->kind == kind && at->id == id && (name == NULL || strcmp(at->name, name) == 0)) {
            return at;
        }
    }
    return NULL;
}

/// A line for the uid decides alone; else it is the daemon's own, or what its groups have together.
static wd_roles roles_of_uid(const wd_authority *authority, uint32_t uid, uint32_t gid)
{
    const grant *own = find_grant(&authority->policy, GRANT_UID, uid, NULL);
    if (own != NULL) {
        return own->roles;
    }
    if (uid == authority->own_uid) {
        return WD_ROLES_ALL;
    }
    wd_roles roles = 0;
    for (size_t i = 0; i < authority->policy.grant_count; i++) {
        const grant *group = &authority->policy.grants[i];
        if (group->kind == GRANT_GROUP && in_group(group, uid, gid)) {
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
            const grant *own = find_grant(&authority->policy, GRANT_KEY, 0, name);
            return own == NULL ? 0 : own->roles;
        }
    }
    return 0;
}

wd_user wd_authority_user(const wd_authority *authority, const char *text)
{
    unsigned uid = 0, gid = 0;
    int used = 0;
    if (sscanf(text, "uid:%u:%u%n", &uid, &gid, &used) == 2 && text[used] == '\0' && uid != UINT32_MAX) {
        return (wd_user){ .number = uid, .gid = gid };
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
        const grant *own = find_grant(&authority->policy, GRANT_LOOPBACK, 0, NULL);
        return own == NULL ? (wd_roles)GROUP_ROLES : own->roles;
    }
    return user.number >= USER_KEYS && user.number < USER_KEYS + authority->name_count
               ? roles_of_key(authority, authority->names[user.number - USER_KEYS])
               : 0;
}
