// The lineage over several tables: copies, what they cost, who forgets them, what a restore believes. Sources:
// env_lineage.c, env_bundle.c, env_merge_lineage.c.
#include "env_internal.h"

#include "env_fixture.h"
#include "env_merge.h"
#include "rows.h"

#include "runtime/snapshot_file.h"
#include "tree/alloc.h"
#include "tree/path.h"

#include <stdlib.h>
#include <unistd.h>

static wd_envs *table_of(uint8_t number)
{
    wd_envs_options options = wd_envs_options_default();
    options.number = number;
    return env_fixture_table(&options);
}

static wd_env_node *snapshot_of(wd_envs *envs, wd_env *env, int64_t now_ms)
{
    wd_env_node *node = NULL;
    wd_error error;
    if (wd_env_snapshot(envs, env, now_ms, &node, &error) != WD_OK) {
        fail_msg("%s", error.text);
    }
    return node;
}

/// Bring a snapshot to another table under its id, as the router does.
static wd_env_node *copy_to(wd_envs *from, wd_env_node *node, wd_envs *to, int64_t now_ms)
{
    wd_env_id id = wd_env_node_id(node);
    wd_env_node *copy = NULL;
    wd_value *bundle = NULL;
    wd_error error;
    if (wd_env_node_export(from, node, true, now_ms, &bundle, &error) != WD_OK ||
        wd_env_node_import(to, bundle, &id, now_ms, &copy, &error) != WD_OK) {
        fail_msg("%s", error.text);
    }
    wd_value_unref(&bundle);
    return copy;
}

static wd_env *fork_of(wd_envs *envs, wd_env_node *node)
{
    wd_env_id id;
    wd_error error;
    if (wd_env_fork(envs, node, 1, (wd_env_owner){ .user = 0 }, WD_ENV_RESET_NEVER, 0, &id, &error) !=
        WD_OK) {
        fail_msg("%s", error.text);
    }
    return wd_env_find(envs, &id);
}

// ---- cost ---------------------------------------------------------------------------------------------------------

/// Bytes of this thread and of what threads share.
static uint64_t bytes_now(void)
{
    return wd_alloc_stats_get().bytes_live + wd_alloc_shared_bytes_live();
}

enum { BALLAST = 512 * 1024, SMALL = 16 * 1024 };  // bytes: of the state, and what may diverge in a step

/// An env with a large state that no boot image has.
static wd_env *heavy_env(wd_envs *envs, const char *task)
{
    wd_env *env = NULL;
    if (task == NULL) {
        env = env_fixture_new(envs, 4);
    } else {
        wd_env_id id;
        wd_value *made = env_fixture_call(envs, "env_create", json_of(task));
        assert_int_equal(wd_env_id_parse(wd_value_as_string(wd_object_get(made, "env"), NULL), &id), WD_OK);
        env = wd_env_find(envs, &id);
        wd_value_unref(&made);
    }
    char *text = malloc(BALLAST + 128);
    assert_non_null(text);
    size_t at = (size_t)snprintf(text, 128, "{\"os\":{\"settings\":{\"system\":{\"ballast\":[");
    while (at < BALLAST) {
        at += (size_t)snprintf(text + at, 32, "\"item %zu\",", at);
    }
    snprintf(text + at, 16, "0]}}}}");
    wd_value *patch = json_of(text);
    wd_error error;
    assert_int_equal(wd_env_inject(envs, env, patch, true, false, &error), WD_OK);
    wd_value_unref(&patch);
    free(text);
    return env;
}

static const struct cost_row {
    const char *name, *task;
} cost_rows[] = {
    { "copies of one snapshot cost nothing after the first, and after a step what diverged", NULL },
    { "the same of an episode with a task and its trace",
        "{\"seed\":4,\"task\":{\"id\":\"t\",\"instruction\":\"x\",\"criteria\":{\"os.locale\":\"x\"},"
        "\"setup\":{\"os\":{\"settings\":{\"system\":{\"brightness\":7}}}}}}" },
};

static void a_copy_costs_what_diverged(void **state)
{
    const struct cost_row *row = *state;
    wd_envs *home = table_of(0), *away = table_of(1);
    wd_env *warm = env_fixture_new(away, 4);  // its interpreter and the phone of the seed are there already
    wd_env *env = heavy_env(home, row->task);
    env_fixture_step(home, env, 4, 0);
    wd_env_node *first = snapshot_of(home, env, 0);

    uint64_t before = wd_alloc_shared_bytes_live();
    wd_env_node *copy = copy_to(home, first, away, 0);
    uint64_t frozen = wd_alloc_shared_bytes_live() - before;
    assert_true(frozen > BALLAST);  // what no boot image has is frozen, once
    wd_env_share(env, first);       // as env_fork does with the env it was asked for

    before = bytes_now();
    assert_ptr_equal(copy_to(home, first, away, 0), copy);
    assert_true(bytes_now() == before);

    // What is made of it on either side, and of the env itself, costs what it has on its own.
    wd_env *forks[] = { env, fork_of(home, first), fork_of(away, copy) };
    wd_envs *sides[] = { home, home, away }, *others[] = { away, away, home };
    for (size_t i = 0; i < WD_COUNT_OF(forks); i++) {
        env_fixture_step(sides[i], forks[i], 4, 1);
        wd_env_node *next = snapshot_of(sides[i], forks[i], 0);
        before = wd_alloc_shared_bytes_live();
        wd_env_node *there = copy_to(sides[i], next, others[i], 0);
        assert_true(wd_alloc_shared_bytes_live() - before < SMALL);
        assert_true(wd_digest_equal(wd_env_node_digest(there), wd_env_node_digest(next)));
        wd_env *fork = fork_of(others[i], there);
        env_fixture_step(sides[i], forks[i], 4, 2);
        env_fixture_step(others[i], fork, 4, 2);
        assert_true(wd_digest_equal(wd_env_digest(forks[i]), wd_env_digest(fork)));
    }
    assert_non_null(warm);
    wd_envs_destroy(&home);
    wd_envs_destroy(&away);
}

/// What was frozen goes when nothing stands on it any more.
static void a_forgotten_copy_gives_its_memory_back(void **state)
{
    (void)state;
    wd_envs *home = table_of(0), *away = table_of(1);
    env_fixture_new(away, 4);
    wd_env *env = heavy_env(home, NULL);
    uint64_t before = wd_alloc_shared_bytes_live();
    wd_env_node *node = snapshot_of(home, env, 0);
    wd_env_node *copy = copy_to(home, node, away, 0);
    wd_env *fork = fork_of(away, copy);
    assert_int_equal(wd_envs_stats_get(away).snapshots, 0);
    assert_int_equal(wd_envs_stats_get(away).copies, 1);
    wd_env_node_forget(home, node);
    wd_env_node_forget(away, copy);
    assert_int_equal(wd_envs_stats_get(away).copies, 0);
    assert_int_equal(wd_envs_stats_get(away).forgotten, 1);
    env_fixture_step(away, fork, 4, 0);  // what descends from it keeps all it has
    wd_env_close(away, &fork);
    assert_int_equal(wd_envs_stats_get(away).forgotten, 0);
    assert_true(wd_alloc_shared_bytes_live() - before < SMALL);
    wd_envs_destroy(&home);
    wd_envs_destroy(&away);
}

// ---- expiry -------------------------------------------------------------------------------------------------------

static const struct expiry_row {
    const char *name;
    int64_t idle_ms;               // the setting
    int64_t snapshot_ms, copy_ms;  // when each goes; 0: never
} expiry_rows[] = {
    { "snapshots never, copies in time", 0, 0, WD_ENV_COPY_IDLE_MS },
    { "copies sooner than snapshots", 3600 * 1000, 3600 * 1000, WD_ENV_COPY_IDLE_MS },
    { "copies as soon as snapshots", 100, 100, 100 },
};

static void idle_ones_expire(void **state)
{
    const struct expiry_row *row = *state;
    wd_envs_options options = wd_envs_options_default();
    options.snapshot_idle_ms = row->idle_ms;
    wd_envs *home = env_fixture_table(&options);
    options.number = 1;
    wd_envs *away = env_fixture_table(&options);
    wd_env_node *node = snapshot_of(home, env_fixture_new(home, 1), 0);
    wd_env *fork = fork_of(away, copy_to(home, node, away, 0));
    wd_digest digest = wd_env_digest(fork);
    wd_envs_expire(away, row->copy_ms - 1);
    assert_int_equal(wd_envs_stats_get(away).copies, 1);
    wd_envs_expire(away, row->copy_ms);
    assert_int_equal(wd_envs_stats_get(away).copies, 0);
    assert_true(wd_digest_equal(wd_env_digest(fork), digest));
    if (row->snapshot_ms > 0) {
        wd_envs_expire(home, row->snapshot_ms - 1);
        assert_int_equal(wd_envs_stats_get(home).snapshots, 1);
        wd_envs_expire(home, row->snapshot_ms);
        assert_int_equal(wd_envs_stats_get(home).snapshots, 0);
    } else {
        wd_envs_expire(home, INT64_MAX);
        assert_int_equal(wd_envs_stats_get(home).snapshots, 1);
    }
    wd_envs_destroy(&home);
    wd_envs_destroy(&away);
}

// ---- one tree -----------------------------------------------------------------------------------------------------

static wd_value *merged_lineage(wd_envs *home, wd_envs *away)
{
    wd_envs *tables[] = { home, away };
    wd_env_job *parts[2] = { NULL };
    wd_value *list = NULL;
    for (size_t i = 0; i < 2; i++) {
        parts[i] = wd_env_job_new(WD_ENV_JOB_CALL, 0, 0);
        assert_int_equal(wd_envs_lineage(tables[i], NULL, &parts[i]->result), WD_OK);
    }
    assert_int_equal(wd_env_merge_lineage(parts, 2, &list), WD_OK);
    wd_env_job_destroy(&parts[0]);
    wd_env_job_destroy(&parts[1]);
    return list;
}

static const wd_value *row_of(const wd_value *list, const wd_env_node *node)
{
    char id[WD_ENV_ID_TEXT_SIZE];
    wd_env_id own = wd_env_node_id(node);
    wd_env_id_text(&own, id);
    const wd_value *found = NULL;
    wd_iter iter = wd_iter_start(list);
    while (wd_iter_next(&iter)) {
        if (wd_value_is_text(wd_object_get(iter.value, "snapshot"), id)) {
            assert_null(found);  // each snapshot stands there once
            found = iter.value;
        }
    }
    assert_non_null(found);
    return found;
}

static void assert_row(const wd_value *list, const wd_env_node *node, const wd_env_node *parent,
    int64_t children, int64_t envs, bool kept)
{
    char id[WD_ENV_ID_TEXT_SIZE];
    const wd_value *row = row_of(list, node);
    assert_null(wd_object_get(row, "copy"));
    assert_int_equal(wd_value_int_or(wd_object_get(row, "children"), -1), children);
    assert_int_equal(wd_value_int_or(wd_object_get(row, "envs"), -1), envs);
    assert_int_equal(wd_value_bool_or(wd_object_get(row, "kept"), !kept), kept);
    if (parent == NULL) {
        assert_null(wd_object_get(row, "parent"));
    } else {
        wd_env_id own = wd_env_node_id(parent);
        wd_env_id_text(&own, id);
        assert_true(wd_value_is_text(wd_object_get(row, "parent"), id));
    }
}

/// root(home) -> left(home), right(away); left -> leaf(away), with copies wherever somebody was forked.
static void the_lineage_is_one_tree_over_tables(void **state)
{
    (void)state;
    wd_envs *home = table_of(0), *away = table_of(1);
    wd_env *env = env_fixture_new(home, 2);
    wd_error error;
    wd_env_node *root = snapshot_of(home, env, 0);
    wd_env *right_env = fork_of(away, copy_to(home, root, away, 0));
    env_fixture_step(home, env, 2, 0);
    wd_env_node *left = snapshot_of(home, env, 0);
    env_fixture_step(away, right_env, 2, 1);
    wd_env_node *right = snapshot_of(away, right_env, 0);
    wd_env_node *left_copy = copy_to(home, left, away, 0);
    wd_env *leaf_env = fork_of(away, left_copy);
    env_fixture_step(away, leaf_env, 2, 2);
    wd_env_node *leaf = snapshot_of(away, leaf_env, 0);
    wd_value *list = merged_lineage(home, away);
    assert_int_equal(wd_array_count(list), 4);
    assert_row(list, root, NULL, 2, 0, true);
    assert_row(list, left, root, 1, 1, true);
    assert_row(list, right, root, 0, 1, true);
    assert_row(list, leaf, left, 0, 1, true);
    wd_value_unref(&list);

    // Any node can be restored on either side, and the env descends from it then.
    wd_env_node *all[] = { root, left, right, leaf };
    for (size_t i = 0; i < WD_COUNT_OF(all); i++) {
        bool here = !env_node_is_copy(home, all[i]);
        wd_env_node *near = here ? all[i] : copy_to(away, all[i], home, 0);
        assert_int_equal(wd_env_restore(home, env, near, 0, &error), WD_OK);
        assert_true(wd_digest_equal(wd_env_digest(env), wd_env_node_digest(all[i])));
        wd_env_node *far = here ? copy_to(home, all[i], away, 0) : all[i];
        assert_int_equal(wd_env_restore(away, right_env, far, 0, &error), WD_OK);
        assert_true(wd_digest_equal(wd_env_digest(right_env), wd_env_node_digest(all[i])));
        list = merged_lineage(home, away);
        assert_int_equal(wd_array_count(list), 4);
        assert_int_equal(wd_value_int_or(wd_object_get(row_of(list, all[i]), "envs"), -1), i == 3 ? 3 : 2);
        wd_value_unref(&list);
    }

    // Forgotten at home, it stands in the tree as long as something descends from it anywhere.
    wd_env_node_forget(home, left);
    list = merged_lineage(home, away);
    assert_row(list, left_copy, root, 1, 0, false);
    wd_value_unref(&list);
    wd_envs_destroy(&home);
    wd_envs_destroy(&away);
}

// ---- what is believed ---------------------------------------------------------------------------------------------

static void a_wrong_digest_is_not_restored(void **state)
{
    (void)state;
    wd_envs *envs = table_of(0);
    wd_env *env = env_fixture_new(envs, 3);
    wd_error error;
    wd_env_node *node = snapshot_of(envs, env, 0);
    env_fixture_step(envs, env, 3, 0);
    wd_digest digest = wd_env_digest(env), right = node->digest;
    ((uint8_t *)&node->digest)[5] ^= 1;  // as a stray write would
    assert_int_equal(wd_env_restore(envs, env, node, 0, &error), WD_ECORRUPT);
    assert_string_equal(error.text, "restore: the digest is not that of the snapshot");
    assert_true(wd_digest_equal(wd_env_digest(env), digest));
    assert_int_equal(wd_env_steps(env), 1);
    node->digest = right;
    assert_int_equal(wd_env_restore(envs, env, node, 0, &error), WD_OK);
    wd_envs_destroy(&envs);
}

/// A whole file with a good checksum, but another machine in it than its digest names.
static void a_tampered_file_is_not_imported(void **state)
{
    (void)state;
    wd_envs *envs = table_of(0);
    wd_env_node *node = snapshot_of(envs, env_fixture_new(envs, 3), 0), *copy = NULL;
    wd_value *bundle = NULL, *back = NULL, *number = NULL;
    char path[] = "/tmp/worldd-tampered-XXXXXX";
    int descriptor = mkstemp(path);
    wd_error error;
    assert_true(descriptor >= 0);
    close(descriptor);
    assert_int_equal(wd_env_node_export(envs, node, false, 0, &bundle, &error), WD_OK);
    for (int tampered = 0; tampered < 2; tampered++) {
        if (tampered) {
            assert_int_equal(wd_value_int(3, &number), WD_OK);
            assert_int_equal(
                wd_value_set_path(&bundle, "machine.os.settings.system.brightness", &number), WD_OK);
        }
        assert_int_equal(wd_snapshot_save(path, bundle, &error), WD_OK);
        assert_int_equal(wd_snapshot_load(path, &back, &error), WD_OK);
        assert_int_equal(
            wd_env_node_import(envs, back, NULL, 0, &copy, &error), tampered ? WD_ECORRUPT : WD_OK);
        wd_value_unref(&back);
    }
    assert_string_equal(error.text, "snapshot.digest: is not that of the machine");
    assert_int_equal(wd_envs_stats_get(envs).snapshots, 2);  // the first, and the one that was imported whole
    unlink(path);
    wd_value_unref(&number);
    wd_value_unref(&bundle);
    wd_envs_destroy(&envs);
}

static void another_snapshot_takes_no_ones_id(void **state)
{
    (void)state;
    wd_envs *home = table_of(0), *away = table_of(1);
    wd_env *env = env_fixture_new(home, 3);
    wd_env_node *node = snapshot_of(home, env, 0), *copy = NULL;
    copy_to(home, node, away, 0);
    env_fixture_step(home, env, 3, 0);
    wd_env_node *other = snapshot_of(home, env, 0);
    wd_value *bundle = NULL;
    wd_env_id id = wd_env_node_id(node);
    wd_error error;
    assert_int_equal(wd_env_node_export(home, other, true, 0, &bundle, &error), WD_OK);
    assert_int_equal(wd_env_node_import(away, bundle, &id, 0, &copy, &error), WD_EEXIST);
    assert_null(copy);
    wd_value_unref(&bundle);
    wd_envs_destroy(&home);
    wd_envs_destroy(&away);
}

enum { TESTS_MAX = 16 };

int main(void)
{
    static const struct CMUnitTest single[] = {
        cmocka_unit_test(a_forgotten_copy_gives_its_memory_back),
        cmocka_unit_test(the_lineage_is_one_tree_over_tables),
        cmocka_unit_test(a_wrong_digest_is_not_restored),
        cmocka_unit_test(a_tampered_file_is_not_imported),
        cmocka_unit_test(another_snapshot_takes_no_ones_id),
    };
    static struct CMUnitTest tests[TESTS_MAX];
    size_t count = WD_COUNT_OF(single);
    memcpy(tests, single, sizeof single);
    ADD_ROWS(cost_rows, a_copy_costs_what_diverged)
    ADD_ROWS(expiry_rows, idle_ones_expire)
    return _cmocka_run_group_tests("env_lineage", tests, count, NULL, NULL);
}
