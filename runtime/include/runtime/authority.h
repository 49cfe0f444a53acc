/// authority.h - who may do what: users by the kernel's uid or by CURVE key, their roles, and the role each verb needs.
///
/// A user is told by the transport and never by the peer: the uid of an ipc connection, the public key of a CURVE
/// handshake, or "loopback" for tcp without keys. Roles come from the grants file; without a line of their own the
/// daemon's uid has all, members of the configured group all but admin, and everybody else none. Whatever is unknown is
/// refused. No sockets, no clock; reads files and the user database when loaded, and at no other time.
///
///     # who          roles
///     uid:1001       client,planner
///     group:robots   planner
///     key:alice      client,watcher      the key in KEYS/clients/alice.key
///     loopback       client              tcp without keys, on this machine
#ifndef RUNTIME_AUTHORITY_H
#define RUNTIME_AUTHORITY_H

#include "tree/status.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    WD_GRANTS_MAX = 1024,          // lines of a grants file
    WD_GRANTS_FILE_MAX = 1 << 18,  // bytes
    WD_KEYS_MAX = 1024,            // public keys in a directory
    WD_KEY_NAME_MAX = 64,          // bytes, of [A-Za-z0-9._-]
    WD_KEY_TEXT_SIZE = 41,         // of a key in Z85, with its NUL
    WD_GROUP_MEMBERS_MAX = 1024,   // of one granted group
    WD_USER_TEXT_SIZE = 128,       // "uid:1000:1000", "key:alice", "loopback", with its NUL
    WD_AUTHORITY_PATH_MAX = 1024,  // bytes of a path, with its NUL
};

typedef uint32_t wd_roles;
enum {
    WD_ROLE_PLANNER = 1 << 0,
    WD_ROLE_ENRICHER = 1 << 1,
    WD_ROLE_EXECUTOR = 1 << 2,
    WD_ROLE_CLIENT = 1 << 3,   // runs, envs: its own
    WD_ROLE_WATCHER = 1 << 4,  // reads and watches, also what belongs to others
    WD_ROLE_ADMIN = 1 << 5,    // changes what belongs to others, and ends the daemon
    WD_ROLES_ALL = (1 << 6) - 1,
    WD_ROLES_PLANNER_SOCKET = WD_ROLE_PLANNER | WD_ROLE_ENRICHER | WD_ROLE_EXECUTOR,
    WD_ROLES_CONTROL_SOCKET = WD_ROLE_CLIENT | WD_ROLE_WATCHER | WD_ROLE_ADMIN,
    WD_ROLES_TEXT_SIZE = 64,
};
/// The bit of a role's name, 0: there is no such role.
wd_roles wd_role_find(const char *name);
/// "planner,client"; "no role" for none.
void wd_roles_text(wd_roles roles, char ret_text[WD_ROLES_TEXT_SIZE]);

/// One user. Two are the same when their numbers are: wd_user_same().
typedef struct wd_user {
    uint64_t number;  // the uid, or one of our own for a key's name, for as long as the daemon lives
    uint32_t gid;     // the group that a uid came with, told by the kernel; grants to groups look at it
} wd_user;
#define WD_USER_NOBODY ((wd_user){ .number = UINT64_MAX })

static inline bool wd_user_same(wd_user a, wd_user b)
{
    return a.number == b.number;
}

typedef struct wd_authority wd_authority;

/// Where an authority reads from. Empty texts: there is none.
typedef struct wd_authority_places {
    char grants[WD_AUTHORITY_PATH_MAX];  // file
    char keys[WD_AUTHORITY_PATH_MAX];    // directory; public keys are in clients/ below it
    char group[WD_KEY_NAME_MAX + 1];     // members have all roles but admin
} wd_authority_places;

/// An authority that refuses everybody, until it is loaded.
WD_NODISCARD wd_status wd_authority_new(wd_authority **ret_authority);
void wd_authority_destroy(wd_authority **authority_p);
/// Read grants, group and keys. After any error the authority is what it was before.
/// @retval WD_EPARSE, WD_EINVAL, WD_ENOENT, WD_EIO, WD_ELIMIT  `error` names the file, and the line where there is one.
WD_NODISCARD wd_status wd_authority_load(
    wd_authority *authority, const wd_authority_places *places, wd_error *error);

typedef struct wd_authority_counts {
    size_t grants, keys;
} wd_authority_counts;
wd_authority_counts wd_authority_counts_get(const wd_authority *authority);

/// The text that names the owner of a public key (32 bytes in Z85), "key:NAME". @retval WD_ENOENT  nobody's.
WD_NODISCARD wd_status wd_authority_key_user(
    const wd_authority *authority, const char *public_key, char ret_user[WD_USER_TEXT_SIZE]);
/// The user of such a text ("uid:UID:GID", "key:NAME", "loopback"); WD_USER_NOBODY for any other.
wd_user wd_authority_user(const wd_authority *authority, const char *text);
/// What a user may be now; 0 for whom nobody granted anything.
wd_roles wd_authority_roles(const wd_authority *authority, wd_user user);

/// What a verb does, and so which role it needs.
typedef enum wd_access {
    WD_ACCESS_NONE,   // no verb: nobody may
    WD_ACCESS_READ,   // client, watcher or admin
    WD_ACCESS_WRITE,  // client or admin
    WD_ACCESS_ADMIN,
} wd_access;
/// The one table of verbs; WD_ACCESS_NONE for a name that is not in it.
wd_access wd_access_of_verb(const char *verb);
/// May somebody with these roles ask for the verb? @retval WD_EDENIED  `error` names the verb and the role it needs.
WD_NODISCARD wd_status wd_access_check(const char *verb, wd_roles roles, wd_error *error);
/// May `who` touch what belongs to `owner`? Reading what is another's needs watcher or admin, changing it admin.
bool wd_access_to_owned(wd_access access, wd_user who, wd_roles roles, wd_user owner);

#endif
