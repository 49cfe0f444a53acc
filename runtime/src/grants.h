/// grants.h - the grants file, read: who has which roles. A grant to a group knows its members as the user database had them.
#ifndef RUNTIME_GRANTS_H
#define RUNTIME_GRANTS_H

#include "runtime/authority.h"

enum { WD_GROUP_ROLES = WD_ROLES_ALL & ~WD_ROLE_ADMIN };  // of the configured group's members

typedef enum wd_grant_kind { WD_GRANT_UID, WD_GRANT_GROUP, WD_GRANT_KEY, WD_GRANT_LOOPBACK } wd_grant_kind;

typedef struct wd_grant {
    wd_grant_kind kind;
    uint32_t id;                     // uid or gid
    char name[WD_KEY_NAME_MAX + 1];  // of a key or group
    wd_roles roles;
    uint32_t *members;  // uids of a group
    size_t member_count;
} wd_grant;

typedef struct wd_grants {
    wd_grant *list;  // of WD_GRANTS_MAX + 1: the configured group has one of its own
    size_t count;
} wd_grants;

/// @param path, group  The file and the configured group; "": there is none.
/// @param[out] ret_grants  wd_grants_done() gives it back; untouched after an error.
/// @retval any  `error` names the file and the line, or the setting of the group.
WD_NODISCARD wd_status wd_grants_read(
    const char *path, const char *group, wd_grants *ret_grants, wd_error *error);
void wd_grants_done(wd_grants *grants);

/// @param name  Of a key; NULL: whatever it is. @return NULL: there is none.
const wd_grant *wd_grants_find(const wd_grants *grants, wd_grant_kind kind, uint32_t id, const char *name);
/// Is it a member of a granted group: by the gid it came with, or listed?
bool wd_grant_has_member(const wd_grant *group, uint32_t uid, uint32_t gid);

#endif
