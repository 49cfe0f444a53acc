// The env table: isolation, episodes, lineage, bounds. Sources: runtime/src/env*.c, id_table.c.
#include "env_fixture.h"
#include "rows.h"

#include "tree/delta.h"

static void assert_digest(wd_digest got, wd_digest wanted)
{
    char got_text[WD_DIGEST_TEXT_SIZE], wanted_text[WD_DIGEST_TEXT_SIZE];
    wd_digest_text(got, got_text);
    wd_digest_text(wanted, wanted_text);
    assert_string_equal(got_text, wanted_text);
}

// ---- isolation ----------------------------------------------------------------------------------------------------

enum { ISOLATED = 1000, STEPS = 6 };

static void envs_do_not_disturb_each_other(void **state)
{
    (void)state;
    wd_envs *envs = env_fixture_table(NULL);
    wd_digest alone[ISOLATED];
    wd_env *env[ISOLATED];
    uint32_t at[ISOLATED] = { 0 };
    for (uint64_t i = 0; i < ISOLATED; i++) {
        wd_env *one = env_fixture_new(envs, i % 4);
        for (uint32_t step = 0; step < STEPS; step++) {
            env_fixture_step(envs, one, i, step);
        }
        alone[i] = wd_env_digest(one);
        wd_env_close(envs, &one);
    }
    for (uint64_t i = 0; i < ISOLATED; i++) {
        env[i] = env_fixture_new(envs, i % 4);
    }
    random_source random = { .state = 77 };
    for (size_t left = ISOLATED * STEPS; left > 0;) {
        size_t i = random_below(&random, ISOLATED);
        if (at[i] < STEPS) {
            env_fixture_step(envs, env[i], i, at[i]++);
            left -= 1;
        }
    }
    for (uint64_t i = 0; i < ISOLATED; i++) {
        assert_digest(wd_env_digest(env[i]), alone[i]);
    }
    wd_envs_destroy(&envs);
}

static void seeds_decide(void **state)
{
    (void)state;
    wd_envs *envs = env_fixture_table(NULL);
    wd_env *a = env_fixture_new(envs, 1), *b = env_fixture_new(envs, 1), *c = env_fixture_new(envs, 2);
    assert_digest(wd_env_digest(a), wd_env_digest(b));
    assert_false(wd_digest_equal(wd_env_digest(a), wd_env_digest(c)));
    wd_error error;
    assert_int_equal(wd_env_reset(envs, a, true, 2, NULL, &error), WD_OK);
    assert_digest(wd_env_digest(a), wd_env_digest(c));
    wd_envs_destroy(&envs);
}

static void a_fork_has_its_parents_future(void **state)
{
    (void)state;
    wd_envs *envs = env_fixture_table(NULL);
    wd_env *parent = env_fixture_new(envs, 3);
    wd_env_node *node = NULL;
    wd_env_id ids[3];
    wd_error error;
    for (uint32_t step = 0; step < 5; step++) {
        env_fixture_step(envs, parent, 9, step);
    }
    assert_int_equal(wd_env_snapshot(envs, parent, 0, &node, &error), WD_OK);
    assert_int_equal(
        wd_env_fork(envs, node, 3, (wd_env_owner){ .user = 0 }, WD_ENV_RESET_NEVER, 0, ids, &error), WD_OK);
    for (uint32_t step = 5; step < 12; step++) {
        env_fixture_step(envs, parent, 9, step);
        for (size_t i = 0; i < 3; i++) {
            wd_env *fork = wd_env_find(envs, &ids[i]);
            env_fixture_step(envs, fork, 9, step);
            assert_digest(wd_env_digest(fork), wd_env_digest(parent));
            assert_int_equal(wd_env_steps(fork), step + 1);
        }
    }
    wd_envs_destroy(&envs);
}

// ---- episodes -----------------------------------------------------------------------------------------------------

#define BLUETOOTH                                                                                            \
    "\"task\":{\"id\":\"t\",\"instruction\":\"off\",\"apps\":[\"settings\"],\"max_steps\":3,"                \
    "\"criteria\":{\"os.settings.global.bluetoothEnabled\":false},"                                          \
    "\"expected_changes\":[\"os.settings.global.bluetoothEnabled\"]}"

static const char *text_at(const wd_value *value, const char *name)
{
    return wd_value_string_or(wd_object_get(value, name), NULL);
}

static wd_value *with_env(const char *env, const char *rest)
{
    char text[1024];
    snprintf(text, sizeof text, "{\"env\":\"%s\"%s}", env, rest);
    return json_of(text);
}

static wd_value *step(wd_envs *envs, const char *env, const char *action)
{
    char rest[512];
    snprintf(rest, sizeof rest, ",\"observe\":\"full\",\"action\":%s", action);
    return env_fixture_call(envs, "env_step", with_env(env, rest));
}

/// What the end of an episode does, by mode: the last step's answer, and the one after it.
static const struct end_row {
    const char *name, *mode;
    bool last_resets, has_final, next_refused, next_resets;
} end_rows[] = {
    { "never: a step past the end is refused", "never", false, false, true, false },
    { "next_step: the next step resets", "next_step", false, false, false, true },
    { "same_step: the last step resets and keeps what was seen", "same_step", true, true, false, false },
};

static void episode_ends(void **state)
{
    const struct end_row *row = *state;
    char text[1024];
    wd_envs *envs = env_fixture_table(NULL);
    snprintf(text, sizeof text, "{\"seed\":1,\"auto_reset\":\"%s\"," BLUETOOTH "}", row->mode);
    wd_value *created = env_fixture_call(envs, "env_create", json_of(text));
    const char *env = text_at(created, "env");
    wd_value *first = step(envs, env, "{\"kind\":\"launch_app\",\"app\":\"settings\"}");
    assert_null(text_at(first, "ending"));
    wd_value *last = step(envs, env, "{\"kind\":\"complete\",\"status\":\"success\"}");
    assert_string_equal(text_at(last, "ending"), "complete");
    assert_false(wd_value_bool_or(wd_object_get(wd_object_get(last, "verdict"), "passed"), true));
    assert_int_equal(wd_value_bool_or(wd_object_get(last, "reset"), false), row->last_resets);
    assert_int_equal(wd_object_get(last, "final_observation") != NULL, row->has_final);

    wd_env_caller caller = { 0 };
    wd_value *args = with_env(env, ",\"action\":{\"kind\":\"home\"}"), *next = NULL;
    wd_error error;
    wd_status status = wd_env_call(envs, &caller, "env_step", args, &next, &error);
    assert_int_equal(status, row->next_refused ? WD_ESTATE : WD_OK);
    assert_int_equal(wd_value_bool_or(wd_object_get(next, "reset"), false), row->next_resets);
    if (row->next_resets) {  // it did not act: the phone is as it was at the start
        assert_string_equal(text_at(next, "digest"), text_at(created, "digest"));
    }
    wd_value_unref(&args);
    wd_value_unref(&next);
    wd_value_unref(&first);
    wd_value_unref(&last);
    wd_value_unref(&created);
    wd_envs_destroy(&envs);
}

static void step_limit_ends(void **state)
{
    (void)state;
    wd_envs *envs = env_fixture_table(NULL);
    wd_value *created = env_fixture_call(envs, "env_create", json_of("{" BLUETOOTH "}"));
    const char *env = text_at(created, "env");
    for (int i = 0; i < 3; i++) {
        wd_value *stepped = step(envs, env, "{\"kind\":\"home\"}");
        const char *ending = text_at(stepped, "ending");
        assert_int_equal(ending != NULL, i == 2);
        assert_true(ending == NULL || strcmp(ending, "step_limit") == 0);
        wd_value_unref(&stepped);
    }
    wd_value_unref(&created);
    wd_envs_destroy(&envs);
}

static void a_task_is_judged(void **state)
{
    (void)state;
    wd_envs *envs = env_fixture_table(NULL);
    wd_value *created = env_fixture_call(envs, "env_create", json_of("{" BLUETOOTH "}"));
    const char *env = text_at(created, "env");
    static const char *const actions[] = {
        "{\"kind\":\"launch_app\",\"app\":\"settings\"}",
        "{\"kind\":\"tap\",\"selector\":{\"resource_id\":\"open_bluetooth\"}}",
        "{\"kind\":\"tap\",\"selector\":{\"resource_id\":\"bluetooth_switch\"}}",
    };
    wd_value *stepped = NULL;
    for (size_t i = 0; i < WD_COUNT_OF(actions); i++) {
        wd_value_unref(&stepped);
        stepped = step(envs, env, actions[i]);
        assert_string_equal(text_at(stepped, "outcome"), "ok");
    }
    const wd_value *verdict = wd_object_get(stepped, "verdict");
    assert_true(wd_value_bool_or(wd_object_get(verdict, "passed"), false));
    wd_value *judged = env_fixture_call(envs, "env_judge", with_env(env, ""));
    assert_true(wd_value_equal(judged, verdict));
    wd_value_unref(&judged);
    wd_value_unref(&stepped);
    wd_value_unref(&created);
    wd_envs_destroy(&envs);
}

/// Nodes told as changes, put over the nodes told before, are the nodes of the whole scene; the head told last is its head.
static void changes_make_the_whole(void **state)
{
    (void)state;
    wd_envs *envs = env_fixture_table(NULL);
    wd_value *created = env_fixture_call(envs, "env_create", json_of("{\"seed\":5,\"observe\":\"changed\"}"));
    const char *env = text_at(created, "env");
    const wd_value *scene = wd_object_get(wd_object_get(created, "observation"), "scene");
    wd_value *nodes = wd_value_ref(wd_object_get(scene, "nodes")), *head = wd_value_ref(scene);
    assert_int_equal(wd_object_remove(&head, "nodes"), WD_OK);
    for (uint32_t i = 0; i < 12; i++) {
        char action[128], rest[256];
        env_fixture_action(5, i, action, sizeof action);
        snprintf(rest, sizeof rest, ",\"observe\":\"changed\",\"action\":%s", action);
        wd_value *stepped = env_fixture_call(envs, "env_step", with_env(env, rest));
        const wd_value *seen = wd_object_get(stepped, "observation");
        wd_iter iter = wd_iter_start(wd_object_get(seen, "nodes"));
        while (wd_iter_next(&iter)) {
            size_t id = (size_t)wd_value_int_or(wd_object_get(iter.value, "id"), -1);
            wd_value *node = wd_value_ref(iter.value);
            assert_int_equal(
                id < wd_array_count(nodes) ? wd_array_set(&nodes, id, &node) : wd_array_append(&nodes, &node),
                WD_OK);
        }
        while ((int64_t)wd_array_count(nodes) > wd_value_int_or(wd_object_get(seen, "count"), -1)) {
            assert_int_equal(wd_array_remove(&nodes, wd_array_count(nodes) - 1), WD_OK);
        }
        if (wd_object_get(seen, "head") != NULL) {
            wd_value_unref(&head);
            head = wd_value_ref(wd_object_get(seen, "head"));
        }
        wd_value *whole = env_fixture_call(envs, "env_observe", with_env(env, ""));
        wd_value *rest_of_it = wd_value_ref(wd_object_get(wd_object_get(whole, "observation"), "scene"));
        assert_true(wd_value_equal(nodes, wd_object_get(rest_of_it, "nodes")));
        assert_int_equal(wd_object_remove(&rest_of_it, "nodes"), WD_OK);
        assert_true(wd_value_equal(head, rest_of_it));
        wd_value_unref(&rest_of_it);
        wd_value_unref(&whole);
        wd_value_unref(&stepped);
    }
    wd_value_unref(&head);
    wd_value_unref(&nodes);
    wd_value_unref(&created);
    wd_envs_destroy(&envs);
}

// ---- lineage ------------------------------------------------------------------------------------------------------

static void any_node_can_be_restored(void **state)
{
    (void)state;
    enum { NODES = 4 };
    wd_envs *envs = env_fixture_table(NULL);
    wd_env *env = env_fixture_new(envs, 4);
    wd_env_node *nodes[NODES];
    wd_error error;
    for (uint32_t i = 0; i < NODES; i++) {
        env_fixture_step(envs, env, 4, i);
        assert_int_equal(wd_env_snapshot(envs, env, 0, &nodes[i], &error), WD_OK);
    }
    for (size_t i = NODES; i-- > 0;) {
        assert_int_equal(wd_env_restore(envs, env, nodes[i], 0, &error), WD_OK);
        assert_digest(wd_env_digest(env), wd_env_node_digest(nodes[i]));
        assert_int_equal(wd_env_steps(env), i + 1);
    }
    wd_value *list = NULL;
    assert_int_equal(wd_envs_lineage(envs, NULL, &list), WD_OK);
    assert_int_equal(wd_array_count(list), NODES);
    assert_null(text_at(wd_array_at(list, 0), "parent"));
    for (size_t i = 1; i < NODES; i++) {
        assert_string_equal(
            text_at(wd_array_at(list, i), "parent"), text_at(wd_array_at(list, i - 1), "snapshot"));
    }
    wd_value_unref(&list);
    wd_envs_destroy(&envs);
}

static void forgetting_hurts_no_descendant(void **state)
{
    (void)state;
    wd_envs_options options = wd_envs_options_default();
    options.snapshot_idle_ms = 100;
    wd_envs *envs = env_fixture_table(&options);
    wd_env *env = env_fixture_new(envs, 4);
    wd_env_node *root = NULL, *child = NULL;
    wd_env_id fork_id;
    wd_error error;
    assert_int_equal(wd_env_snapshot(envs, env, 0, &root, &error), WD_OK);
    env_fixture_step(envs, env, 4, 0);
    assert_int_equal(wd_env_snapshot(envs, env, 50, &child, &error), WD_OK);
    assert_int_equal(
        wd_env_fork(envs, root, 1, (wd_env_owner){ .user = 0 }, WD_ENV_RESET_NEVER, 0, &fork_id, &error),
        WD_OK);
    wd_digest digest = wd_env_node_digest(child);
    wd_envs_expire(envs, 99);
    assert_int_equal(wd_envs_stats_get(envs).snapshots, 2);
    wd_envs_expire(envs, 100);  // the root was idle long enough, the child not
    assert_int_equal(wd_envs_stats_get(envs).snapshots, 1);
    assert_int_equal(wd_envs_stats_get(envs).forgotten, 1);
    env_fixture_step(envs, wd_env_find(envs, &fork_id), 4, 0);
    assert_digest(wd_env_digest(wd_env_find(envs, &fork_id)), digest);
    assert_int_equal(wd_env_restore(envs, env, child, 100, &error), WD_OK);
    assert_digest(wd_env_digest(env), digest);
    wd_env *fork = wd_env_find(envs, &fork_id);
    wd_env_close(envs, &fork);
    wd_env_close(envs, &env);
    wd_envs_expire(envs, 1000);  // nothing descends from either any more
    assert_int_equal(wd_envs_stats_get(envs).snapshots + wd_envs_stats_get(envs).forgotten, 0);
    wd_envs_destroy(&envs);
}

static void a_delta_leads_from_a_snapshot(void **state)
{
    (void)state;
    wd_envs *envs = env_fixture_table(NULL);
    wd_value *created = env_fixture_call(envs, "env_create", json_of("{\"seed\":1}"));
    const char *env = text_at(created, "env");
    wd_value *before = env_fixture_call(envs, "env_state", with_env(env, ""));
    wd_value *kept = env_fixture_call(envs, "env_snapshot", with_env(env, ""));
    wd_value *injected = env_fixture_call(envs, "env_inject",
        with_env(env, ",\"patch\":{\"os\":{\"settings\":{\"system\":{\"brightness\":7}}}}"));
    char rest[128];
    snprintf(rest, sizeof rest, ",\"since\":\"%s\"", text_at(kept, "snapshot"));
    wd_value *delta = env_fixture_call(envs, "env_state", with_env(env, rest)), *after = NULL;
    wd_value *now = env_fixture_call(envs, "env_state", with_env(env, ""));
    wd_error error;
    assert_int_equal(wd_delta_apply(before, delta, &after, &error), WD_OK);
    assert_true(wd_value_equal(after, now));
    snprintf(rest, sizeof rest, ",\"before\":\"%s\"", text_at(kept, "snapshot"));
    wd_value *changes = env_fixture_call(envs, "env_diff", with_env(env, rest));
    assert_string_equal(text_at(wd_array_at(changes, 0), "path"), "os.settings.system.brightness");
    wd_value *all[] = { created, before, kept, injected, delta, after, now, changes };
    for (size_t i = 0; i < WD_COUNT_OF(all); i++) {
        wd_value_unref(&all[i]);
    }
    wd_envs_destroy(&envs);
}

// ---- bundles ------------------------------------------------------------------------------------------------------

static const struct bundle_row {
    const char *name, *change;  // merged over a good bundle, member by member
    wd_status status;
    const char *text;
} bundle_rows[] = {
    { "a good one", "{}", WD_OK, "" },
    { "another version", "{\"version\":9}", WD_EVERSION, "snapshot.version:" },
    { "another digest", "{\"digest\":\"00000000000000000000000000000000\"}", WD_ECORRUPT,
        "snapshot.digest:" },
    { "no digest", "{\"digest\":7}", WD_ECORRUPT, "snapshot.digest:" },
    { "no machine", "{\"machine\":null}", WD_ECORRUPT, "snapshot.machine:" },
    { "a machine that was changed", "{\"machine\":{}}", WD_ECORRUPT, "snapshot.digest:" },
    { "other packs", "{\"packs\":{\"settings\":1}}", WD_EVERSION, "snapshot.packs.settings:" },
    { "fewer packs", "{\"packs\":{}}", WD_EVERSION, "snapshot.packs:" },
    { "no ending", "{\"ending\":\"soon\"}", WD_ECORRUPT, "snapshot.ending:" },
    { "negative steps", "{\"steps\":-1}", WD_ECORRUPT, "snapshot.steps:" },
    { "a broken trace", "{\"trace\":[1]}", WD_ECORRUPT, "snapshot.trace[0]:" },
};

static void bundle_is_read(void **state)
{
    const struct bundle_row *row = *state;
    wd_envs *from = env_fixture_table(NULL), *to = env_fixture_table(NULL);
    wd_env *env = env_fixture_new(from, 6);
    wd_env_node *node = NULL, *copy = NULL;
    wd_value *bundle = NULL, *change = json_of(row->change);
    wd_error error = { 0 };
    env_fixture_step(from, env, 6, 0);
    assert_int_equal(wd_env_snapshot(from, env, 0, &node, &error), WD_OK);
    assert_int_equal(wd_env_node_export(from, node, true, 0, &bundle, &error), WD_OK);
    wd_iter iter = wd_iter_start(change);
    while (wd_iter_next(&iter)) {
        wd_value *item = wd_value_ref(iter.value);
        assert_int_equal(wd_object_set(&bundle, iter.key, &item), WD_OK);
    }
    assert_int_equal(wd_env_node_import(to, bundle, NULL, 0, &copy, &error), row->status);
    assert_int_equal(strncmp(error.text, row->text, strlen(row->text)), 0);
    if (row->status == WD_OK) {
        wd_env_id id;
        assert_int_equal(
            wd_env_fork(to, copy, 1, (wd_env_owner){ .user = 0 }, WD_ENV_RESET_NEVER, 0, &id, &error), WD_OK);
        env_fixture_step(from, env, 6, 1);
        env_fixture_step(to, wd_env_find(to, &id), 6, 1);
        assert_digest(wd_env_digest(wd_env_find(to, &id)), wd_env_digest(env));
    }
    wd_value_unref(&bundle);
    wd_value_unref(&change);
    wd_envs_destroy(&from);
    wd_envs_destroy(&to);
}

// ---- bounds and bad requests --------------------------------------------------------------------------------------

static void bounds_hold_at_the_edge(void **state)
{
    (void)state;
    wd_envs_options options = wd_envs_options_default();
    options.env_count_max = 3;
    options.snapshot_count_max = 1;
    wd_envs *envs = env_fixture_table(&options);
    wd_env *env = env_fixture_new(envs, 1), *more = NULL;
    wd_env_node *node = NULL;
    wd_env_id ids[3];
    wd_env_owner nobody = { .user = 0 };
    wd_error error;
    assert_int_equal(wd_env_snapshot(envs, env, 0, &node, &error), WD_OK);
    wd_env_node *second = NULL;
    assert_int_equal(wd_env_snapshot(envs, env, 0, &second, &error), WD_ELIMIT);
    assert_int_equal(wd_env_fork(envs, node, 3, nobody, WD_ENV_RESET_NEVER, 0, ids, &error), WD_ELIMIT);
    assert_int_equal(wd_envs_stats_get(envs).envs, 1);
    assert_int_equal(wd_env_fork(envs, node, 2, nobody, WD_ENV_RESET_NEVER, 0, ids, &error), WD_OK);
    assert_int_equal(wd_env_create(envs, &(wd_env_order){ .seed = 1 }, &more, &error), WD_ELIMIT);
    wd_env_close(envs, &env);
    assert_int_equal(wd_env_create(envs, &(wd_env_order){ .seed = 1 }, &more, &error), WD_OK);
    wd_envs_destroy(&envs);

    options = wd_envs_options_default();
    options.bytes_max = 1;
    envs = env_fixture_table(&options);
    assert_int_equal(wd_env_create(envs, &(wd_env_order){ .seed = 1 }, &more, &error), WD_ELIMIT);
    wd_envs_destroy(&envs);
}

#define NO_ENV "00000000000000000000000000000000"

static const struct refusal_row {
    const char *name, *verb, *args;
    wd_status status;
    const char *text;
} refusal_rows[] = {
    { "unknown verb", "env_fly", "{}", WD_EUNSUPPORTED, "verb: \"env_fly\" is unknown" },
    { "no env", "env_step", "{}", WD_EINVAL, "args.env: missing" },
    { "env is a number", "env_step", "{\"env\":1}", WD_ETYPE, "args.env: must be a text" },
    { "env is no id", "env_step", "{\"env\":\"x\"}", WD_EINVAL, "args.env: \"x\" is no id" },
    { "upper case id", "env_reset", "{\"env\":\"0000000000000000000000000000000A\"}", WD_EINVAL,
        "args.env:" },
    { "no action", "env_step", "{\"env\":\"" NO_ENV "\"}", WD_EINVAL, "args.action:" },
    { "env is not there", "env_step", "{\"env\":\"" NO_ENV "\",\"action\":{\"kind\":\"tap\"}}", WD_ENOENT,
        "args.env: there is no env " NO_ENV },
    { "seed is a text", "env_create", "{\"seed\":\"1\"}", WD_EINVAL, "args.seed:" },
    { "look is unknown", "env_create", "{\"observe\":\"some\"}", WD_EINVAL, "args.observe:" },
    { "auto reset is unknown", "env_create", "{\"auto_reset\":\"often\"}", WD_EINVAL, "args.auto_reset:" },
    { "a pack that is not there", "env_create", "{\"packs\":[\"settings\",\"nope\"]}", WD_ENOENT,
        "args.packs[1]: no pack \"nope\" is loaded" },
    { "packs is no array", "env_create", "{\"packs\":1}", WD_ETYPE, "args.packs:" },
    { "too many steps", "env_create", "{\"step_limit\":10001}", WD_EINVAL, "args.step_limit:" },
    { "a bad task", "env_create", "{\"task\":{}}", WD_EINVAL, "task" },
    { "a snapshot that is not there", "env_fork", "{\"snapshot\":\"" NO_ENV "\"}", WD_ENOENT,
        "args.snapshot:" },
    { "too many forks", "env_fork", "{\"snapshot\":\"" NO_ENV "\",\"count\":65537}", WD_EINVAL,
        "args.count:" },
    { "nobody of that name", "env_attach", "{\"name\":\"x\"}", WD_ENOENT, "args.name:" },
    { "a bundle that is none", "env_import", "{\"bundle\":1}", WD_EVERSION, "snapshot.version:" },
};

static void request_is_refused(void **state)
{
    const struct refusal_row *row = *state;
    static wd_envs *envs;  // one for all rows: a refusal changes nothing
    envs = envs == NULL ? env_fixture_table(NULL) : envs;
    wd_env_caller caller = { 0 };
    wd_value *args = json_of(row->args), *result = NULL;
    wd_error error;
    assert_int_equal(wd_env_call(envs, &caller, row->verb, args, &result, &error), row->status);
    if (strncmp(error.text, row->text, strlen(row->text)) != 0) {
        fail_msg("\"%s\" does not begin with \"%s\"", error.text, row->text);
    }
    assert_int_equal(wd_envs_stats_get(envs).envs, 0);
    wd_value_unref(&args);
    if (row == &refusal_rows[WD_COUNT_OF(refusal_rows) - 1]) {
        wd_envs_destroy(&envs);
    }
}

static void names_are_kept(void **state)
{
    (void)state;
    wd_envs *envs = env_fixture_table(NULL);
    wd_env *a = env_fixture_new(envs, 1), *b = env_fixture_new(envs, 1), *found = NULL;
    wd_env_owner owner = { .bytes = { 1 } };
    wd_error error;
    char longest[WD_ENV_NAME_MAX + 2];
    memset(longest, 'n', sizeof longest);
    longest[WD_ENV_NAME_MAX + 1] = '\0';
    assert_int_equal(wd_env_detach(envs, a, longest, &error), WD_EINVAL);
    longest[WD_ENV_NAME_MAX] = '\0';
    assert_int_equal(wd_env_detach(envs, a, longest, &error), WD_OK);
    assert_int_equal(wd_env_detach(envs, b, longest, &error), WD_EEXIST);
    assert_int_equal(wd_env_detach(envs, b, "", &error), WD_EINVAL);
    assert_int_equal(wd_env_detach(envs, b, "a b", &error), WD_EINVAL);
    assert_int_equal(wd_env_attach(envs, longest, &owner, &found, &error), WD_OK);
    assert_ptr_equal(found, a);
    assert_string_equal(wd_env_name_of(a), "");
    assert_int_equal(wd_env_attach(envs, longest, &owner, &found, &error), WD_ENOENT);
    wd_envs_destroy(&envs);
}

enum { TESTS_MAX = 64 };

int main(void)
{
    static const struct CMUnitTest single[] = {
        cmocka_unit_test(envs_do_not_disturb_each_other),
        cmocka_unit_test(seeds_decide),
        cmocka_unit_test(a_fork_has_its_parents_future),
        cmocka_unit_test(step_limit_ends),
        cmocka_unit_test(a_task_is_judged),
        cmocka_unit_test(changes_make_the_whole),
        cmocka_unit_test(any_node_can_be_restored),
        cmocka_unit_test(forgetting_hurts_no_descendant),
        cmocka_unit_test(a_delta_leads_from_a_snapshot),
        cmocka_unit_test(bounds_hold_at_the_edge),
        cmocka_unit_test(names_are_kept),
    };
    static struct CMUnitTest tests[TESTS_MAX];
    size_t count = WD_COUNT_OF(single);
    memcpy(tests, single, sizeof single);
    ADD_ROWS(end_rows, episode_ends)
    ADD_ROWS(bundle_rows, bundle_is_read)
    ADD_ROWS(refusal_rows, request_is_refused)
    return _cmocka_run_group_tests("env", tests, count, NULL, NULL);
}
