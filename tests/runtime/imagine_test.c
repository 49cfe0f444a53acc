// What-if of envs: nothing real is touched, what is told is what would be, bounds and faults. Sources: imagine.c,
// imagine_env.c.
#include "env_fixture.h"
#include "pack_memory.h"

#include "imagine.h"

static const char *text_at(const wd_value *value, const char *name)
{
    return wd_value_string_or(wd_object_get(value, name), NULL);
}

static void env_text(const wd_env *env, char ret_text[WD_ENV_ID_TEXT_SIZE])
{
    wd_env_id id = wd_env_id_of(env);
    wd_env_id_text(&id, ret_text);
}

/// {"env", "candidates" and whatever else `rest` holds}. `rest` begins with a member.
static wd_value *args_of(const wd_env *env, const char *rest)
{
    char id[WD_ENV_ID_TEXT_SIZE];
    wd_buffer text = { 0 };
    env_text(env, id);
    assert_int_equal(wd_buffer_format(&text, "{\"env\":\"%s\",", id), WD_OK);
    assert_int_equal(wd_buffer_text(&text, rest), WD_OK);
    assert_int_equal(wd_buffer_text(&text, "}"), WD_OK);
    wd_value *args = json_of(text.bytes);
    wd_buffer_done(&text);
    return args;
}

static wd_value *imagine(wd_envs *envs, const wd_env *env, const char *rest)
{
    return env_fixture_call(envs, "env_imagine", args_of(env, rest));
}

static const wd_value *candidate_at(const wd_value *result, size_t index)
{
    const wd_value *candidate = wd_array_at(wd_object_get(result, "candidates"), index);
    assert_non_null(candidate);
    return candidate;
}

static void assert_digest_text(const char *text, wd_digest wanted)
{
    char wanted_text[WD_DIGEST_TEXT_SIZE];
    wd_digest_text(wanted, wanted_text);
    assert_string_equal(text, wanted_text);
}

#define TASK                                                                                                 \
    "\"task\":{\"id\":\"t\",\"instruction\":\"off\",\"apps\":[\"settings\"],\"max_steps\":20,"               \
    "\"criteria\":{\"os.settings.global.bluetoothEnabled\":false},"                                          \
    "\"answer\":\"done\",\"user\":{\"which\":\"the first\"},"                                                \
    "\"expected_changes\":[\"os.settings.global.bluetoothEnabled\"]}"
#define OPEN "{\"kind\":\"launch_app\",\"app\":\"settings\"}"
#define PAGE "{\"kind\":\"tap\",\"selector\":{\"resource_id\":\"open_bluetooth\"}}"
#define SWITCH "{\"kind\":\"tap\",\"selector\":{\"resource_id\":\"bluetooth_switch\"}}"
#define COMPLETE "{\"kind\":\"complete\"}"

static wd_env *new_env(wd_envs *envs, const char *order)
{
    wd_env_id id;
    wd_value *created = env_fixture_call(envs, "env_create", json_of(order));
    assert_int_equal(wd_env_id_parse(text_at(created, "env"), &id), WD_OK);
    wd_value_unref(&created);
    return wd_env_find(envs, &id);
}

// ---- nothing real is touched --------------------------------------------------------------------------------------

enum { WALKS = 60, WALK_MAX = 8, CANDIDATES = 4, CANDIDATE_MAX = 6 };

/// A random candidate as JSON, of actions that random walks are made of and some that no phone takes.
static void add_candidate(random_source *random, wd_buffer *text)
{
    static const char *const strange[] = { "{\"kind\":\"dance\"}", "{\"kind\":\"tap\"}", "7",
        "{\"kind\":\"tap\",\"node\":3}", "{\"kind\":\"note\",\"text\":\"n\"}",
        "{\"kind\":\"wait\",\"ms\":90000}" };
    uint32_t count = random_below(random, CANDIDATE_MAX + 1);
    assert_int_equal(wd_buffer_text(text, "["), WD_OK);
    for (uint32_t i = 0; i < count; i++) {
        char action[128];
        env_fixture_action(random_next(random), i, action, sizeof action);
        const char *chosen =
            random_below(random, 8) == 0 ? strange[random_below(random, WD_COUNT_OF(strange))] : action;
        assert_int_equal(wd_buffer_format(text, "%s%s", i == 0 ? "" : ",", chosen), WD_OK);
    }
    assert_int_equal(wd_buffer_text(text, "]"), WD_OK);
}

static void random_rest(random_source *random, wd_buffer *text)
{
    static const char *const looks[] = { "full", "changed", "none" };
    assert_int_equal(wd_buffer_format(text, "\"observe\":\"%s\",\"scenes\":\"%s\",\"candidates\":[",
                         looks[random_below(random, 3)], random_below(random, 2) == 0 ? "last" : "all"),
        WD_OK);
    for (uint32_t i = 0; i < CANDIDATES; i++) {
        assert_int_equal(wd_buffer_text(text, i == 0 ? "" : ","), WD_OK);
        add_candidate(random, text);
    }
    assert_int_equal(wd_buffer_text(text, "]"), WD_OK);
}

/// One more real step of both: they say the same of it, and come to the same.
static void step_both(wd_envs *envs, const wd_env *a, const wd_env *b, uint64_t walk, uint32_t index)
{
    char action[128], rest[256];
    env_fixture_action(walk, index, action, sizeof action);
    snprintf(rest, sizeof rest, "\"observe\":\"changed\",\"action\":%s", action);
    wd_value *from_a = env_fixture_call(envs, "env_step", args_of(a, rest));
    wd_value *from_b = env_fixture_call(envs, "env_step", args_of(b, rest));
    char *text_a = text_of(from_a), *text_b = text_of(from_b);
    assert_string_equal(text_a, text_b);
    free(text_a);
    free(text_b);
    wd_value_unref(&from_a);
    wd_value_unref(&from_b);
}

static void the_real_one_stays_as_it_is(void **state)
{
    (void)state;
    random_source random = random_seeded("imagine", 20261130);
    wd_envs *envs = env_fixture_table(NULL);
    for (int round = 0; round < WALKS; round++) {
        uint64_t walk = random_next(&random) % 100000;
        char order[1024];
        snprintf(order, sizeof order, "{\"seed\":%u%s}", (unsigned)(walk % 7),
            random_below(&random, 2) == 0 ? "" : "," TASK);
        wd_env *env = new_env(envs, order), *twin = new_env(envs, order);
        uint32_t steps = random_below(&random, WALK_MAX);
        for (uint32_t i = 0; i < steps; i++) {
            step_both(envs, env, twin, walk, i);
        }
        wd_envs_stats before = wd_envs_stats_get(envs);
        wd_digest digest = wd_env_digest(env);
        wd_buffer rest = { 0 };
        random_rest(&random, &rest);
        wd_value *first = imagine(envs, env, rest.bytes), *again = imagine(envs, env, rest.bytes);
        char *first_text = text_of(first), *again_text = text_of(again);
        assert_string_equal(first_text, again_text);
        assert_digest_text(text_at(first, "digest"), digest);
        assert_true(wd_digest_equal(wd_env_digest(env), digest));
        wd_envs_stats after = wd_envs_stats_get(envs);
        assert_int_equal(after.envs, before.envs);
        assert_int_equal(after.snapshots + after.forgotten, before.snapshots + before.forgotten);
        assert_int_equal(after.steps, before.steps);
        step_both(envs, env, twin, walk, steps);
        free(first_text);
        free(again_text);
        wd_value_unref(&first);
        wd_value_unref(&again);
        wd_buffer_done(&rest);
        wd_env_close(envs, &env);
        wd_env_close(envs, &twin);
    }
    wd_envs_destroy(&envs);
}

// ---- what is told is what would be --------------------------------------------------------------------------------

/// Do in earnest what was imagined: each step comes to the digest told, the env to the verdict and screen told.
static void what_is_told_comes_true(void **state)
{
    (void)state;
    wd_envs *envs = env_fixture_table(NULL);
    wd_env *env = new_env(envs, "{\"seed\":3," TASK "}");
    wd_value *result = imagine(envs, env,
        "\"scenes\":\"all\",\"candidates\":[[" OPEN "," PAGE "," SWITCH
        ",{\"kind\":\"answer\",\"text\":\"done\"}," COMPLETE "]]");
    const wd_value *candidate = candidate_at(result, 0);
    assert_true(wd_value_bool_or(wd_object_get(candidate, "whole"), false));
    assert_string_equal(text_at(candidate, "ending"), "complete");
    assert_true(wd_value_double_or(wd_object_get(candidate, "progress"), 0) == 1.0);
    assert_true(wd_value_double_or(wd_object_get(candidate, "reward"), 0) == 1.0);
    assert_int_equal(wd_array_count(wd_object_get(candidate, "side_effects")), 0);
    static const char *const actions[] = { OPEN, PAGE, SWITCH, "{\"kind\":\"answer\",\"text\":\"done\"}",
        COMPLETE };
    wd_value *stepped = NULL;
    for (size_t i = 0; i < WD_COUNT_OF(actions); i++) {
        char rest[256];
        snprintf(rest, sizeof rest, "\"observe\":\"full\",\"action\":%s", actions[i]);
        wd_value_unref(&stepped);
        stepped = env_fixture_call(envs, "env_step", args_of(env, rest));
        const wd_value *told = wd_array_at(wd_object_get(candidate, "steps"), i);
        assert_string_equal(text_at(told, "digest"), text_at(stepped, "digest"));
        assert_string_equal(text_at(told, "outcome"), text_at(stepped, "outcome"));
        assert_true(
            wd_value_equal(wd_object_get(told, "observation"), wd_object_get(stepped, "observation")));
    }
    assert_true(wd_value_equal(wd_object_get(candidate, "verdict"), wd_object_get(stepped, "verdict")));
    assert_true(
        wd_value_equal(wd_object_get(candidate, "observation"), wd_object_get(stepped, "observation")));
    assert_string_equal(text_at(candidate, "digest"), text_at(stepped, "digest"));
    wd_value_unref(&stepped);
    wd_value_unref(&result);
    wd_envs_destroy(&envs);
}

/// How a candidate ends: its steps' outcomes, and what it says of itself.
static const struct ending_row {
    const char *name, *candidate;
    const char *outcomes;  // a character per step told: o ok, f failed, r refused
    bool whole;
    const char *ending, *code, *reply;  // of the candidate; of its last step
} ending_rows[] = {
    { "none: what is so now", "[]", "", true, NULL, NULL, NULL },
    { "to its end", "[" OPEN "," PAGE "]", "oo", true, NULL, "ok", NULL },
    { "complete is the last", "[" COMPLETE "," OPEN "]", "o", false, "complete", "ok", NULL },
    { "complete at the end is whole", "[" OPEN "," COMPLETE "]", "oo", true, "complete", "ok", NULL },
    { "abort", "[{\"kind\":\"abort\",\"reason\":\"r\"}]", "o", true, "abort", "ok", NULL },
    { "note goes on", "[{\"kind\":\"note\",\"text\":\"n\"}," OPEN "]", "oo", true, NULL, "ok", NULL },
    { "ask_user waits for its reply", "[{\"kind\":\"ask_user\",\"text\":\"which one?\"}," OPEN "]", "o",
        false, NULL, "ok", "the first" },
    { "ask_user, nothing to say", "[{\"kind\":\"ask_user\",\"text\":\"why?\"}]", "o", true, NULL, "ok", "" },
    { "an unknown action", "[" OPEN ",{\"kind\":\"dance\"}," PAGE "]", "or", false, NULL, "unknown_action",
        NULL },
    { "a wrong argument", "[{\"kind\":\"tap\",\"x\":\"left\",\"y\":1}]", "r", false, NULL, "bad_arguments",
        NULL },
    { "no kind", "[{\"x\":1}]", "r", false, NULL, "unknown_action", NULL },
    { "no object", "[null]", "r", false, NULL, "unknown_action", NULL },
    { "a target that is not there", "[" SWITCH "," OPEN "]", "r", false, NULL, "target_missing", NULL },
    { "no such app", "[{\"kind\":\"launch_app\",\"app\":\"nope\"}]", "r", false, NULL, "no_such_app", NULL },
};

static void a_candidate_ends_as_a_plan_does(void **state)
{
    const struct ending_row *row = *state;
    wd_envs *envs = env_fixture_table(NULL);
    wd_env *env = new_env(envs, "{\"seed\":1," TASK "}");
    wd_buffer rest = { 0 };
    // Between two others, which know nothing of it.
    assert_int_equal(
        wd_buffer_format(&rest, "\"candidates\":[[" OPEN "],%s,[" OPEN "]]", row->candidate), WD_OK);
    wd_value *result = imagine(envs, env, rest.bytes);
    const wd_value *candidate = candidate_at(result, 1), *steps = wd_object_get(candidate, "steps");
    assert_true(wd_value_equal(candidate_at(result, 0), candidate_at(result, 2)));
    assert_int_equal(wd_array_count(steps), strlen(row->outcomes));
    for (size_t i = 0; i < strlen(row->outcomes); i++) {
        assert_int_equal(text_at(wd_array_at(steps, i), "outcome")[0], row->outcomes[i]);
    }
    assert_int_equal(wd_value_bool_or(wd_object_get(candidate, "whole"), !row->whole), row->whole);
    assert_string_equal(text_at(candidate, "ending") == NULL ? "" : text_at(candidate, "ending"),
        row->ending == NULL ? "" : row->ending);
    if (row->code != NULL) {
        const wd_value *last = wd_array_at(steps, wd_array_count(steps) - 1);
        assert_string_equal(text_at(last, "code"), row->code);
        assert_int_equal(text_at(last, "user_reply") != NULL, row->reply != NULL);
        assert_string_equal(
            row->reply == NULL ? "" : text_at(last, "user_reply"), row->reply == NULL ? "" : row->reply);
    }
    wd_value_unref(&result);
    wd_buffer_done(&rest);
    wd_envs_destroy(&envs);
}

/// A side effect of the candidate is told; one that was there before is the verdict's, not the candidate's.
static void side_effects_are_its_own(void **state)
{
    (void)state;
    wd_envs *envs = env_fixture_table(NULL);
    wd_env *env = new_env(envs, "{\"seed\":1," TASK "}");
    static const char harm[] = "[" OPEN ",{\"kind\":\"tap\",\"selector\":{\"resource_id\":\"open_display\"}},"
                               "{\"kind\":\"tap\",\"selector\":{\"resource_id\":\"dark_mode_switch\"}}]";
    wd_buffer rest = { 0 };
    assert_int_equal(wd_buffer_format(&rest, "\"observe\":\"none\",\"candidates\":[%s,[]]", harm), WD_OK);
    wd_value *result = imagine(envs, env, rest.bytes);
    const wd_value *effects = wd_object_get(candidate_at(result, 0), "side_effects");
    assert_int_equal(wd_array_count(effects), 1);
    assert_string_equal(text_at(wd_array_at(effects, 0), "path"), "os.settings.global.darkModeEnabled");
    assert_null(wd_object_get(candidate_at(result, 0), "observation"));
    wd_value *steps = json_of(harm);
    wd_iter iter = wd_iter_start(steps);
    while (wd_iter_next(&iter)) {
        wd_value *args = args_of(env, "\"observe\":\"full\""), *action = wd_value_ref(iter.value);
        assert_int_equal(wd_object_set(&args, "action", &action), WD_OK);
        wd_value *stepped = env_fixture_call(envs, "env_step", args);
        wd_value_unref(&stepped);
    }
    wd_value_unref(&result);
    result = imagine(envs, env, "\"candidates\":[[]]");
    const wd_value *now = candidate_at(result, 0);
    assert_int_equal(wd_array_count(wd_object_get(now, "side_effects")), 0);
    assert_int_equal(wd_array_count(wd_object_get(wd_object_get(now, "verdict"), "side_effects")), 1);
    assert_int_equal(wd_array_count(wd_object_get(now, "changes")), 0);
    wd_value_unref(&steps);
    wd_value_unref(&result);
    wd_buffer_done(&rest);
    wd_envs_destroy(&envs);
}

/// A node means the screen that the candidate was planned on, as long as that is still there.
static void nodes_are_of_the_screen_planned_on(void **state)
{
    (void)state;
    wd_envs *envs = env_fixture_table(NULL);
    wd_env *env = new_env(envs, "{\"seed\":1,\"observe\":\"full\"}");
    wd_value *result = imagine(envs, env, "\"candidates\":[[" OPEN ",{\"kind\":\"tap\",\"node\":5}]]");
    const wd_value *steps = wd_object_get(candidate_at(result, 0), "steps");
    assert_string_equal(text_at(wd_array_at(steps, 1), "code"), "target_gone");
    wd_value_unref(&result);
    wd_envs_destroy(&envs);
}

static void an_episode_that_is_over_is_an_error_of_each(void **state)
{
    (void)state;
    wd_envs *envs = env_fixture_table(NULL);
    wd_env *env = new_env(envs, "{\"seed\":1," TASK "}");
    wd_value *stepped = env_fixture_call(envs, "env_step", args_of(env, "\"action\":" COMPLETE));
    wd_value *result = imagine(envs, env, "\"candidates\":[[" OPEN "],[]]");
    const wd_value *error = wd_object_get(candidate_at(result, 0), "error");
    assert_int_equal(wd_value_int_or(wd_object_get(error, "code"), 0), WD_ESTATE);
    assert_false(wd_value_bool_or(wd_object_get(candidate_at(result, 0), "whole"), true));
    assert_null(wd_object_get(candidate_at(result, 1), "error"));
    assert_string_equal(text_at(candidate_at(result, 1), "ending"), "complete");
    wd_value_unref(&stepped);
    wd_value_unref(&result);
    wd_envs_destroy(&envs);
}

// ---- bounds -------------------------------------------------------------------------------------------------------

/// `candidates` candidates of `steps` steps each, and one more of `last` steps.
static const struct bound_row {
    const char *name;
    unsigned candidates, steps, last;
    wd_status status;
    const char *text;
} bound_rows[] = {
    { "candidates: edge", WD_IMAGINE_CANDIDATES_MAX - 1, 1, 1, WD_OK, NULL },
    { "candidates: one past it", WD_IMAGINE_CANDIDATES_MAX, 1, 1, WD_ELIMIT,
        "args.candidates: 65 are asked for, at most 64 may be" },
    { "steps of a candidate: edge", 0, 0, WD_IMAGINE_STEPS_MAX, WD_OK, NULL },
    { "steps of a candidate: one past it", 0, 0, WD_IMAGINE_STEPS_MAX + 1, WD_ELIMIT,
        "args.candidates[0]: has 65 steps, at most 64 may be" },
    { "steps in all: edge", 7, 32, 32, WD_OK, NULL },
    { "steps in all: one past it", 7, 32, 33, WD_ELIMIT,
        "args.candidates: 257 steps are asked for, at most 256 may be" },
    { "an empty candidate counts as a step", 8, 32, 0, WD_ELIMIT,
        "args.candidates: 257 steps are asked for, at most 256 may be" },
};

static wd_value *note_candidate(unsigned steps)
{
    wd_value *list = wd_value_array();
    for (unsigned i = 0; i < steps; i++) {
        wd_value *action = json_of("{\"kind\":\"note\",\"text\":\"n\"}");
        assert_int_equal(wd_array_append(&list, &action), WD_OK);
    }
    return list;
}

static void bounds_hold(void **state)
{
    const struct bound_row *row = *state;
    wd_envs *envs = env_fixture_table(NULL);
    wd_env *env = new_env(envs, "{\"seed\":1}");
    wd_env_caller caller = { 0 };
    wd_value *list = wd_value_array(), *args = args_of(env, "\"observe\":\"none\""), *result = NULL;
    wd_error error;
    for (unsigned i = 0; i <= row->candidates; i++) {
        wd_value *candidate = note_candidate(i < row->candidates ? row->steps : row->last);
        assert_int_equal(wd_array_append(&list, &candidate), WD_OK);
    }
    assert_int_equal(wd_object_set(&args, "candidates", &list), WD_OK);
    assert_int_equal(wd_env_call(envs, &caller, "env_imagine", args, &result, &error), row->status);
    if (row->text != NULL) {
        assert_string_equal(error.text, row->text);
        assert_int_equal(wd_envs_stats_get(envs).imagined, 0);
    } else {
        uint32_t cost = row->candidates * row->steps + row->last;
        assert_int_equal(wd_value_int_or(wd_object_get(result, "spent"), -1), cost);
        assert_int_equal(wd_envs_stats_get(envs).imagined, cost);
    }
    wd_value_unref(&args);
    wd_value_unref(&result);
    wd_envs_destroy(&envs);
}

/// Arguments that are wrong as a whole.
static const struct wrong_row {
    const char *name, *rest;
    wd_status status;
    const char *text;
} wrong_rows[] = {
    { "no candidates", "\"observe\":\"full\"", WD_ETYPE,
        "args.candidates: must be an array of arrays of actions" },
    { "candidates are a list", "\"candidates\":{}", WD_ETYPE,
        "args.candidates: must be an array of arrays of actions" },
    { "a candidate is a list", "\"candidates\":[[],7]", WD_ETYPE,
        "args.candidates[1]: must be an array of actions" },
    { "observe", "\"candidates\":[],\"observe\":\"some\"", WD_EINVAL,
        "args.observe: \"some\" is none of full, changed, none" },
    { "scenes", "\"candidates\":[],\"scenes\":\"few\"", WD_EINVAL,
        "args.scenes: \"few\" is neither last nor all" },
    { "scenes is a text", "\"candidates\":[],\"scenes\":1", WD_ETYPE, "args.scenes: must be a text" },
};

static void wrong_arguments_are_named(void **state)
{
    const struct wrong_row *row = *state;
    wd_envs *envs = env_fixture_table(NULL);
    wd_env *env = new_env(envs, "{\"seed\":1}");
    wd_env_caller caller = { 0 };
    wd_value *args = args_of(env, row->rest), *result = NULL;
    wd_error error;
    assert_int_equal(wd_env_call(envs, &caller, "env_imagine", args, &result, &error), row->status);
    assert_string_equal(error.text, row->text);
    assert_null(result);
    wd_value_unref(&args);
    wd_envs_destroy(&envs);
}

/// 256 whole scenes do not fit in one answer.
static void the_answer_is_bounded(void **state)
{
    (void)state;
    wd_envs *envs = env_fixture_table(NULL);
    wd_env *env = new_env(envs, "{\"seed\":1}");
    wd_env_caller caller = { 0 };
    wd_value *args = args_of(env, "\"scenes\":\"all\""), *list = wd_value_array(), *result = NULL;
    wd_error error;
    for (unsigned i = 0; i < 4; i++) {
        wd_value *candidate = note_candidate(WD_IMAGINE_STEPS_MAX), *open = json_of(OPEN);
        assert_int_equal(wd_array_set(&candidate, 0, &open), WD_OK);
        assert_int_equal(wd_array_append(&list, &candidate), WD_OK);
    }
    assert_int_equal(wd_object_set(&args, "candidates", &list), WD_OK);
    wd_digest digest = wd_env_digest(env);
    assert_int_equal(wd_env_call(envs, &caller, "env_imagine", args, &result, &error), WD_ELIMIT);
    assert_non_null(strstr(error.text, "imagine: the answer is over 3145728 bytes"));
    assert_true(wd_digest_equal(wd_env_digest(env), digest));
    wd_value_unref(&args);
    wd_envs_destroy(&envs);
}

// ---- faults -------------------------------------------------------------------------------------------------------

enum {
    CACHED_BYTES_MAX = 256 * 1024
};  // screens drawn on the way and what Lua has not swept yet; leaks are ASan's to find

/// Fail each allocation in turn: every failure is WD_ENOMEM, and nothing is left of it (ASan finds what leaks).
static void out_of_memory_leaves_nothing(void **state)
{
    (void)state;
    wd_envs *envs = env_fixture_table(NULL);
    wd_env *env = new_env(envs, "{\"seed\":1," TASK "}");
    wd_env_caller caller = { 0 };
    wd_value *args = args_of(env, "\"candidates\":[[" OPEN "," PAGE "," SWITCH "],[]]"), *result = NULL;
    wd_error error;
    wd_value *whole =
        env_fixture_call(envs, "env_imagine", wd_value_ref(args));  // whatever is kept, is kept now
    wd_digest digest = wd_env_digest(env);
    for (long calls = 0; result == NULL; calls += 1 + calls / 64) {
        assert_in_range(calls, 0, 1000000);
        wd_alloc_fail_after(calls);
        wd_status status = wd_env_call(envs, &caller, "env_imagine", args, &result, &error);
        wd_alloc_fail_after(-1);
        assert_int_equal(status, result == NULL ? WD_ENOMEM : WD_OK);
        assert_true(wd_digest_equal(wd_env_digest(env), digest));
        assert_int_equal(wd_envs_stats_get(envs).envs, 1);
        assert_int_equal(wd_envs_stats_get(envs).snapshots, 0);
    }
    assert_true(wd_value_equal(result, whole));
    wd_value_unref(&whole);
    wd_value_unref(&result);
    wd_value_unref(&args);
    wd_envs_destroy(&envs);
}

/// A pack with a touch that fails and one that leads to a screen that cannot be drawn.
static const pack_memory_file failing[] = {
    { "packs/demo/app.lua",
        "screens['/'] = function(ctx) return screen{ page = 'main',\n"
        "  button{ id = 'fail', 'Fail', tap = 'bad' }, button{ id = 'blind', 'Blind', go = '/blind' } } end\n"
        "screens['/blind'] = function(ctx) error('cannot be drawn') end\n"
        "actions.bad = function(ctx, args) error('broken') end\n" },
    { NULL, NULL },
};

static void a_fault_of_an_app_is_the_candidates_own(void **state)
{
    (void)state;
    wd_pack_source source = pack_memory_source(failing);
    static const char *const directories[] = { "packs" };
    wd_envs_options options = wd_envs_options_default();
    wd_packs *packs = NULL;
    wd_envs *envs = NULL;
    wd_error error;
    assert_int_equal(wd_packs_load(&source, directories, 1, &packs, &error), WD_OK);
    assert_int_equal(wd_packs_fault_count(packs), 0);
    assert_int_equal(wd_envs_new(&options, packs, &envs, &error), WD_OK);
    wd_packs_unref(&packs);
    wd_env *env = new_env(envs, "{\"seed\":1}");
    static const char demo[] = "{\"kind\":\"launch_app\",\"app\":\"demo\"}";
    wd_buffer rest = { 0 };
    assert_int_equal(wd_buffer_format(&rest,
                         "\"candidates\":[[%s,{\"kind\":\"tap\",\"selector\":{\"resource_id\":\"fail\"}},{"
                         "\"kind\":\"home\"}],"
                         "[%s,{\"kind\":\"tap\",\"selector\":{\"resource_id\":\"blind\"}}],[%s]]",
                         demo, demo, demo),
        WD_OK);
    wd_value *result = imagine(envs, env, rest.bytes);
    static const char *const words[] = { "broken", "cannot be drawn" };
    for (size_t i = 0; i < WD_COUNT_OF(words); i++) {
        const wd_value *steps = wd_object_get(candidate_at(result, i), "steps");
        assert_int_equal(wd_array_count(steps), 2);
        assert_string_equal(text_at(wd_array_at(steps, 1), "outcome"), "failed");
        assert_non_null(strstr(text_at(wd_array_at(steps, 1), "text"), words[i]));
        assert_false(wd_value_bool_or(wd_object_get(candidate_at(result, i), "whole"), true));
    }
    assert_true(wd_value_bool_or(wd_object_get(candidate_at(result, 2), "whole"), false));
    wd_value_unref(&result);
    wd_buffer_done(&rest);
    wd_envs_destroy(&envs);
}

enum { FIXED_TESTS = 8 };

int main(void)
{
    enum { ROWS = WD_COUNT_OF(ending_rows) + WD_COUNT_OF(bound_rows) + WD_COUNT_OF(wrong_rows) };
    struct CMUnitTest tests[FIXED_TESTS + ROWS] = {
        cmocka_unit_test(the_real_one_stays_as_it_is),
        cmocka_unit_test(what_is_told_comes_true),
        cmocka_unit_test(side_effects_are_its_own),
        cmocka_unit_test(nodes_are_of_the_screen_planned_on),
        cmocka_unit_test(an_episode_that_is_over_is_an_error_of_each),
        cmocka_unit_test(the_answer_is_bounded),
        cmocka_unit_test(out_of_memory_leaves_nothing),
        cmocka_unit_test(a_fault_of_an_app_is_the_candidates_own),
    };
    size_t count = FIXED_TESTS;
    for (size_t i = 0; i < WD_COUNT_OF(ending_rows); i++) {
        tests[count++] = (struct CMUnitTest){ .name = ending_rows[i].name,
            .test_func = a_candidate_ends_as_a_plan_does,
            .initial_state = (void *)(uintptr_t)&ending_rows[i] };
    }
    for (size_t i = 0; i < WD_COUNT_OF(bound_rows); i++) {
        tests[count++] = (struct CMUnitTest){ .name = bound_rows[i].name,
            .test_func = bounds_hold,
            .initial_state = (void *)(uintptr_t)&bound_rows[i] };
    }
    for (size_t i = 0; i < WD_COUNT_OF(wrong_rows); i++) {
        tests[count++] = (struct CMUnitTest){ .name = wrong_rows[i].name,
            .test_func = wrong_arguments_are_named,
            .initial_state = (void *)(uintptr_t)&wrong_rows[i] };
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
