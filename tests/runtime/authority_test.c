// Who may do what: grants as rows, verbs as rows, and what stays when a file is wrong.
#include "json.h"

#include "runtime/authority.h"
#include "runtime/env_call.h"
#include "runtime/key_file.h"
#include "service_internal.h"
#include "tree/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OTHER_UID = 4242, OTHER_GID = 4343 };
static const char first_key[] = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7";
static const char second_key[] = "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID";

typedef struct place {
    char directory[64];
    wd_authority_places places;
    wd_authority *authority;
} place;

static void write_file(const char *directory, const char *name, const char *text, mode_t mode)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    assert_int_equal(chmod(path, mode), 0);
}

static void write_key(const place *at, const char *name, const char *key)
{
    char text[256], file[128];
    snprintf(text, sizeof text, "metadata\ncurve\n    public-key = \"%s\"\n", key);
    snprintf(file, sizeof file, "clients/%s.key", name);
    write_file(at->directory, file, text, 0644);
}

static void place_open(place *at)
{
    *at = (place){ 0 };
    strcpy(at->directory, "/tmp/authority-XXXXXX");
    assert_non_null(mkdtemp(at->directory));
    char clients[128];
    snprintf(clients, sizeof clients, "%s/clients", at->directory);
    assert_int_equal(mkdir(clients, 0700), 0);
    snprintf(at->places.grants, sizeof at->places.grants, "%s/grants", at->directory);
    snprintf(at->places.keys, sizeof at->places.keys, "%s", at->directory);
    assert_int_equal(wd_authority_new(&at->authority), WD_OK);
}

static void place_close(place *at)
{
    char command[128];
    wd_authority_destroy(&at->authority);
    snprintf(command, sizeof command, "rm -r %s", at->directory);
    assert_int_equal(system(command), 0);
}

static void roles_are(const place *at, const char *user, const char *roles)
{
    char text[WD_ROLES_TEXT_SIZE];
    wd_roles_text(wd_authority_roles(at->authority, wd_authority_user(at->authority, user)), text);
    assert_string_equal(text, roles);
}

// ---- grants -------------------------------------------------------------------------------------------------------

#define ALL "planner,enricher,executor,client,watcher,admin"
#define ALL_BUT_ADMIN "planner,enricher,executor,client,watcher"

static const struct grant_case {
    const char *name, *grants;
    const char *user;   // "own": the daemon's uid
    const char *roles;  // what it has
} grant_cases[] = {
    { "the daemon's own user has all", "", "own", ALL },
    { "a line for it decides alone", "uid:OWN client\n", "own", "client" },
    { "nobody else has any", "", "uid:4242:4343", "no role" },
    { "another uid has what its line says", "uid:4242 planner,watcher\n", "uid:4242:4343",
        "planner,watcher" },
    { "blanks for colon and commas", "uid 4242\tplanner watcher  # why\n", "uid:4242:4343",
        "planner,watcher" },
    { "comments and empty lines", "# nobody\n\n   \nuid:4242 client\n", "uid:4242:4343", "client" },
    { "all is all", "uid:4242 all\n", "uid:4242:4343", ALL },
    { "none is none", "uid:4242 none\n", "uid:4242:4343", "no role" },
    { "a group by the gid it came with", "group:daemon executor\n", "uid:4242:1", "executor" },
    { "not by another", "group:daemon executor\n", "uid:4242:2", "no role" },
    { "a uid without a gid is nobody", "uid:4242 client\n", "uid:4242", "no role" },
    { "nor is one with more behind", "uid:4242 client\n", "uid:4242:1x", "no role" },
    { "nor one beyond 32 bits", "uid:4242 client\n", "uid:4294971538:1", "no role" },
    { "nor one with a sign", "uid:4242 client\n", "uid:+4242:1", "no role" },
    { "groups add up", "group:daemon executor\ngroup:bin client\n", "uid:4242:1", "executor" },
    { "a uid's line wins over its group's", "group:daemon executor\nuid:4242 client\n", "uid:4242:1",
        "client" },
    { "a key by name", "key:alice client,watcher\n", "key:alice", "client,watcher" },
    { "a key without a line", "", "key:alice", "no role" },
    { "a line without a key", "key:carol client\n", "key:carol", "no role" },
    { "loopback without a line", "", "loopback", ALL_BUT_ADMIN },
    { "loopback with one", "loopback none\n", "loopback", "no role" },
    { "the text of nobody", "", "uid:x:1", "no role" },
    { "a uid that is none", "", "uid:4294967295:0", "no role" },
    { "a text with more behind it", "uid:4242 all\n", "uid:4242:1:2", "no role" },
    { "no text", "", "", "no role" },
};

static void grants_give_roles(void **state)
{
    const struct grant_case *row = *state;
    place at;
    place_open(&at);
    char grants[512], own[64];
    const char *mark = strstr(row->grants, "OWN");
    snprintf(own, sizeof own, "uid:%u:%u", (unsigned)geteuid(), (unsigned)getegid());
    if (mark != NULL) {
        snprintf(grants, sizeof grants, "%.*s%u%s", (int)(mark - row->grants), row->grants,
            (unsigned)geteuid(), mark + 3);
    } else {
        snprintf(grants, sizeof grants, "%s", row->grants);
    }
    write_file(at.directory, "grants", grants, 0600);
    write_key(&at, "alice", first_key);
    wd_error error;
    assert_int_equal(wd_authority_load(at.authority, &at.places, &error), WD_OK);
    roles_are(&at, strcmp(row->user, "own") == 0 ? own : row->user, row->roles);
    place_close(&at);
}

static const struct fault_case {
    const char *name, *grants;
    wd_status status;
    const char *text;  // in the error, after the file's name
} fault_cases[] = {
    { "an unknown role", "# one\nuid:1 client\nuid:2 clyent\n", WD_EINVAL, ":3: \"clyent\" is no role" },
    { "an unknown kind", "user:1 client\n", WD_EPARSE, ":1: \"user\" is none of uid:N" },
    { "a uid that is no number", "uid:one client\n", WD_EPARSE, ":1: \"one\" is no uid" },
    { "a uid past the last", "uid:4294967295 client\n", WD_EPARSE, ":1: \"4294967295\" is no uid" },
    { "no roles", "uid:1\n", WD_EPARSE, ":1: no roles" },
    { "no name", "uid:\n", WD_EPARSE, ":1: \"uid\" is followed by no name" },
    { "no words", "???\n", WD_EPARSE, ":1: no line of grants" },
    { "a hidden key", "key:.x client\n", WD_EPARSE, ":1: \".x\" is no name" },
    { "a name that is too long",
        "uid:1 all\nkey:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab all\n", WD_EPARSE,
        ":2: \"b all\" follows" },
    { "the same twice", "uid:1 client\nuid:1 admin\n", WD_EEXIST, ":2: uid is granted roles already" },
    { "a group that is not there", "group:no-such-group client\n", WD_ENOENT, ":1: there is no group" },
};

static void a_fault_is_told_and_the_old_set_stays(void **state)
{
    const struct fault_case *row = *state;
    place at;
    wd_error error;
    place_open(&at);
    write_file(at.directory, "grants", "uid:4242 planner\n", 0600);
    assert_int_equal(wd_authority_load(at.authority, &at.places, &error), WD_OK);
    write_file(at.directory, "grants", row->grants, 0600);
    assert_int_equal(wd_authority_load(at.authority, &at.places, &error), row->status);
    assert_memory_equal(error.text, at.places.grants, strlen(at.places.grants));
    assert_memory_equal(error.text + strlen(at.places.grants), row->text, strlen(row->text));
    roles_are(&at, "uid:4242:1", "planner");
    place_close(&at);
}

static void as_many_grants_as_fit_and_one_more(void **state)
{
    (void)state;
    place at;
    wd_error error;
    place_open(&at);
    static char text[(WD_GRANTS_MAX + 1) * 20];
    size_t length = 0;
    for (int i = 0; i <= WD_GRANTS_MAX; i++) {
        write_file(at.directory, "grants", text, 0600);
        length += (size_t)sprintf(text + length, "uid:%d client\n", OTHER_UID + i);
    }
    assert_int_equal(wd_authority_load(at.authority, &at.places, &error), WD_OK);
    assert_int_equal(wd_authority_counts_get(at.authority).grants, WD_GRANTS_MAX);
    write_file(at.directory, "grants", text, 0600);
    assert_int_equal(wd_authority_load(at.authority, &at.places, &error), WD_ELIMIT);
    place_close(&at);
}

static void members_of_the_configured_group(void **state)
{
    (void)state;
    place at;
    wd_error error;
    place_open(&at);
    strcpy(at.places.group, "daemon");
    write_file(at.directory, "grants", "", 0600);
    assert_int_equal(wd_authority_load(at.authority, &at.places, &error), WD_OK);
    roles_are(&at, "uid:4242:1", ALL_BUT_ADMIN);
    roles_are(&at, "uid:4242:2", "no role");
    write_file(at.directory, "grants", "group:daemon watcher\n", 0600);
    assert_int_equal(wd_authority_load(at.authority, &at.places, &error), WD_OK);
    roles_are(&at, "uid:4242:1", "watcher");
    strcpy(at.places.group, "no-such-group");
    assert_int_equal(wd_authority_load(at.authority, &at.places, &error), WD_ENOENT);
    assert_string_equal(error.text, "doors.group: there is no group \"no-such-group\"");
    place_close(&at);
}

static void nobody_may_before_anything_is_loaded(void **state)
{
    (void)state;
    place at;
    char own[64];
    place_open(&at);
    snprintf(own, sizeof own, "uid:%u:%u", (unsigned)geteuid(), (unsigned)getegid());
    roles_are(&at, own, "no role");
    roles_are(&at, "loopback", "no role");
    place_close(&at);
}

// ---- keys ---------------------------------------------------------------------------------------------------------

static void keys_come_and_go(void **state)
{
    (void)state;
    place at;
    wd_error error;
    char user[WD_USER_TEXT_SIZE] = "";
    place_open(&at);
    write_file(at.directory, "grants", "key:alice client\nkey:bob watcher\n", 0600);
    write_key(&at, "alice", first_key);
    assert_int_equal(wd_authority_load(at.authority, &at.places, &error), WD_OK);
    assert_int_equal(wd_authority_key_user(at.authority, first_key, user), WD_OK);
    assert_string_equal(user, "key:alice");
    wd_user alice = wd_authority_user(at.authority, user);
    assert_int_equal(wd_authority_key_user(at.authority, second_key, user), WD_ENOENT);

    char path[128];  // removed: known still, with no role
    snprintf(path, sizeof path, "%s/clients/alice.key", at.directory);
    assert_int_equal(unlink(path), 0);
    write_key(&at, "bob", second_key);
    assert_int_equal(wd_authority_load(at.authority, &at.places, &error), WD_OK);
    roles_are(&at, "key:alice", "no role");
    roles_are(&at, "key:bob", "watcher");
    assert_true(wd_user_same(alice, wd_authority_user(at.authority, "key:alice")));
    assert_false(wd_user_same(alice, wd_authority_user(at.authority, "key:bob")));

    write_key(&at, "carol", "no key");  // malformed: named, and the old set stays
    assert_int_equal(wd_authority_load(at.authority, &at.places, &error), WD_EPARSE);
    assert_non_null(strstr(error.text, "clients/carol.key"));
    roles_are(&at, "key:bob", "watcher");
    write_key(&at, "carol", second_key);
    assert_int_equal(wd_authority_load(at.authority, &at.places, &error), WD_EINVAL);
    assert_non_null(strstr(error.text, "carol.key: is the key of bob, too"));
    place_close(&at);
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    place at;
    wd_error error;
    place_open(&at);
    strcpy(at.places.group, "daemon");
    write_file(at.directory, "grants", "group:bin client\nkey:alice client\n", 0600);
    assert_int_equal(wd_authority_load(at.authority, &at.places, &error), WD_OK);
    write_key(&at, "alice", first_key);
    wd_status status = WD_ENOMEM;
    for (long calls = 0; status != WD_OK; calls++) {
        assert_in_range(calls, 0, 100);
        wd_alloc_fail_after(calls);
        status = wd_authority_load(at.authority, &at.places, &error);
        wd_alloc_fail_after(-1);
        assert_true(status == WD_OK || status == WD_ENOMEM);
        roles_are(&at, "key:alice", status == WD_OK ? "client" : "no role");  // the old set knows no key
    }
    place_close(&at);
}

// ---- verbs --------------------------------------------------------------------------------------------------------

static const struct verb_case {
    const char *name, *verb;
    wd_roles roles;
    const char *refusal;  // NULL: may
} verb_cases[] = {
    { "a watcher reads", "status", WD_ROLE_WATCHER, NULL },
    { "a watcher watches", "watch", WD_ROLE_WATCHER, NULL },
    { "a watcher runs nothing", "run", WD_ROLE_WATCHER, "verb: \"run\" needs role client; you have watcher" },
    { "a watcher steps nothing", "env_batch", WD_ROLE_WATCHER,
        "verb: \"env_batch\" needs role client; you have watcher" },
    { "a client runs", "run", WD_ROLE_CLIENT, NULL },
    { "a client reads", "env_state", WD_ROLE_CLIENT, NULL },
    { "a client does not end the daemon", "shutdown", WD_ROLE_CLIENT,
        "verb: \"shutdown\" needs role admin; you have client" },
    { "an admin ends the daemon", "shutdown", WD_ROLE_ADMIN, NULL },
    { "an admin runs", "run", WD_ROLE_ADMIN, NULL },
    { "a planner asks nothing", "status", WD_ROLE_PLANNER | WD_ROLE_EXECUTOR,
        "verb: \"status\" needs role client or watcher; you have planner,executor" },
    { "who has no role asks nothing", "status", 0,
        "verb: \"status\" needs role client or watcher; you have no role" },
    { "what is no verb nobody may", "format_disk", WD_ROLES_ALL,
        "verb: \"format_disk\" needs a role that nobody has; you have " ALL },
};

static void verbs_need_roles(void **state)
{
    const struct verb_case *row = *state;
    wd_error error = { WD_OK, "" };
    wd_status status = wd_access_check(row->verb, row->roles, &error);
    assert_int_equal(status, row->refusal == NULL ? WD_OK : WD_EDENIED);
    assert_string_equal(error.text, row->refusal == NULL ? "" : row->refusal);
}

/// A verb without a row is one that nobody may ask for.
static void every_verb_has_a_row(void **state)
{
    (void)state;
    for (const wd_verb *verb = wd_verbs; verb->name != NULL; verb++) {
        if (wd_access_of_verb(verb->name) == WD_ACCESS_NONE) {
            fail_msg("authority.c has no row for the verb %s", verb->name);
        }
    }
    static const char *const known[] = { "env_create", "env_reset", "env_close", "env_list", "env_detach",
        "env_attach", "env_step", "env_observe", "env_state", "env_inject", "env_judge", "env_imagine",
        "env_snapshot", "env_restore", "env_fork", "env_diff", "env_lineage", "env_forget", "env_export",
        "env_import", "env_stats", "env_calls" };
    for (size_t i = 0; i < WD_COUNT_OF(known); i++) {
        assert_true(wd_env_router_knows(known[i]));
        assert_int_not_equal(wd_access_of_verb(known[i]), WD_ACCESS_NONE);
    }
}

static void what_is_anothers(void **state)
{
    (void)state;
    wd_user me = { .number = 1, .gid = 5 }, you = { .number = 2, .gid = 5 };
    assert_true(wd_access_to_owned(WD_ACCESS_WRITE, me, WD_ROLE_CLIENT, (wd_user){ .number = 1, .gid = 9 }));
    assert_false(wd_access_to_owned(WD_ACCESS_READ, me, WD_ROLE_CLIENT, you));
    assert_true(wd_access_to_owned(WD_ACCESS_READ, me, WD_ROLE_CLIENT | WD_ROLE_WATCHER, you));
    assert_false(wd_access_to_owned(WD_ACCESS_WRITE, me, WD_ROLE_CLIENT | WD_ROLE_WATCHER, you));
    assert_true(wd_access_to_owned(WD_ACCESS_WRITE, me, WD_ROLE_ADMIN, you));
    assert_true(wd_access_to_owned(WD_ACCESS_READ, me, WD_ROLE_ADMIN, you));
}

#define ADD(rows, function)                                                                                  \
    for (size_t i = 0; i < WD_COUNT_OF(rows); i++) {                                                         \
        tests[count++] = (struct CMUnitTest){                                                                \
            .name = rows[i].name, .test_func = function, .initial_state = (void *)(uintptr_t)&rows[i]        \
        };                                                                                                   \
    }

int main(void)
{
    struct CMUnitTest
        tests[WD_COUNT_OF(grant_cases) + WD_COUNT_OF(fault_cases) + WD_COUNT_OF(verb_cases) + 7] = {
            cmocka_unit_test(as_many_grants_as_fit_and_one_more),
            cmocka_unit_test(members_of_the_configured_group),
            cmocka_unit_test(nobody_may_before_anything_is_loaded),
            cmocka_unit_test(keys_come_and_go),
            cmocka_unit_test(what_is_anothers),
            cmocka_unit_test(every_verb_has_a_row),
            cmocka_unit_test(every_allocation_fails_once),
        };
    size_t count = 7;
    ADD(grant_cases, grants_give_roles)
    ADD(fault_cases, a_fault_is_told_and_the_old_set_stays)
    ADD(verb_cases, verbs_need_roles)
    return cmocka_run_group_tests(tests, NULL, NULL);
}
