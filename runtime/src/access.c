// Roles, verbs, and which role each verb needs.
#include "runtime/authority.h"

#include "tree/alloc.h"

#include <stdio.h>
#include <string.h>

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
