// The grants file: a line each, who, then roles.
#include "grants.h"

#include "runtime/key_file.h"
#include "tree/alloc.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES_MAX = 512 };

// ---- groups -------------------------------------------------------------------------------------------------------

/// The group's gid, and the uids of those whom the user database lists as its members.
static wd_status find_group(const char *name, wd_grant *to, wd_error *error)
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

bool wd_grant_has_member(const wd_grant *group, uint32_t uid, uint32_t gid)
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

static wd_status parse_who(const char *kind, const char *name, wd_grant *to, wd_error *error)
{
    if (strcmp(kind, "loopback") == 0) {
        to->kind = WD_GRANT_LOOPBACK;
        return name[0] == '\0' ? WD_OK : wd_error_set(error, WD_EPARSE, "loopback has no name");
    }
    if (strcmp(kind, "uid") == 0) {
        char *end = NULL;
        unsigned long uid = strtoul(name, &end, 10);
        to->kind = WD_GRANT_UID;
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
    to->kind = key ? WD_GRANT_KEY : WD_GRANT_GROUP;
    if (key ? !wd_key_name_valid(name) : name[0] == '\0') {
        return wd_error_set(error, WD_EPARSE, "\"%.80s\" is no name", name);
    }
    snprintf(to->name, sizeof to->name, "%s", name);
    return key ? WD_OK : find_group(name, to, error);
}

static bool same_who(const wd_grant *a, const wd_grant *b)
{
    return a->kind == b->kind && a->id == b->id && (a->kind != WD_GRANT_KEY || strcmp(a->name, b->name) == 0);
}

/// "uid:1000 client,planner": who, then roles; "uid 1000" is read as well.
static wd_status take_grant(char *line, wd_grants *to, wd_error *error)
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
    if (to->count == WD_GRANTS_MAX) {
        return wd_error_set(error, WD_ELIMIT, "over %d grants", WD_GRANTS_MAX);
    }
    wd_grant *fresh = &to->list[to->count];
    *fresh = (wd_grant){ 0 };
    wd_status status = parse_who(kind, name, fresh, error);
    if (status == WD_OK) {
        status = parse_roles(rest, &fresh->roles, error);
    }
    for (size_t i = 0; status == WD_OK && i < to->count; i++) {
        if (same_who(&to->list[i], fresh)) {
            status = wd_error_set(error, WD_EEXIST, "%s is granted roles already", kind);
        }
    }
    to->count += 1;  // also a faulty one: its members are given back with it
    return status;
}

static wd_status read_grants(const char *path, wd_grants *to, wd_error *error)
{
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        return wd_error_set(error, errno == ENOENT ? WD_ENOENT : WD_EIO, "%s: %s", path, strerror(errno));
    }
    char line[LINE_BYTES_MAX];
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
static wd_status add_group(const char *name, wd_grants *to, wd_error *error)
{
    wd_grant *fresh = &to->list[to->count];
    *fresh = (wd_grant){ .kind = WD_GRANT_GROUP, .roles = WD_GROUP_ROLES };
    wd_error why = { WD_OK, "" };
    wd_status status = find_group(name, fresh, &why);
    bool granted = false;
    for (size_t i = 0; status == WD_OK && i < to->count; i++) {
        granted = granted || same_who(&to->list[i], fresh);
    }
    if (granted) {
        fresh->roles = 0;  // groups add up
    }
    to->count += 1;
    return status == WD_OK ? WD_OK : wd_error_set(error, status, "doors.group: %s", why.text);
}

// ---- all of them --------------------------------------------------------------------------------------------------

wd_status wd_grants_read(const char *path, const char *group, wd_grants *ret_grants, wd_error *error)
{
    wd_grants fresh = { .list = wd_alloc_zero(WD_GRANTS_MAX + 1, sizeof *fresh.list) };
    wd_status status = fresh.list == NULL ? wd_error_set(error, WD_ENOMEM, "grants: out of memory") : WD_OK;
    if (status == WD_OK && path[0] != '\0') {
        status = read_grants(path, &fresh, error);
    }
    if (status == WD_OK && group[0] != '\0') {
        status = add_group(group, &fresh, error);
    }
    if (status != WD_OK) {
        wd_grants_done(&fresh);
        return status;
    }
    *ret_grants = fresh;
    return WD_OK;
}

void wd_grants_done(wd_grants *grants)
{
    for (size_t i = 0; i < grants->count; i++) {
        wd_free(grants->list[i].members, grants->list[i].member_count * sizeof(uint32_t));
    }
    wd_free(grants->list, (WD_GRANTS_MAX + 1) * sizeof *grants->list);
    *grants = (wd_grants){ 0 };
}

const wd_grant *wd_grants_find(const wd_grants *grants, wd_grant_kind kind, uint32_t id, const char *name)
{
    for (size_t i = 0; i < grants->count; i++) {
        const wd_grant *at = &grants->list[i];
        if (at->kind == kind && at->id == id && (name == NULL || strcmp(at->name, name) == 0)) {
            return at;
        }
    }
    return NULL;
}
