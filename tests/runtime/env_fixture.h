/// env_fixture.h - a table of envs with the shipped packs, and walks over a phone that only a seed decides.
#ifndef ENV_FIXTURE_H
#define ENV_FIXTURE_H

#include "json.h"
#include "random.h"

#include "runtime/env_call.h"
#include "runtime/packs.h"

#include <stdio.h>

static inline wd_packs *env_fixture_packs(void)
{
    wd_packs *packs = NULL;
    wd_error error;
    if (wd_packs_load_list(WD_SOURCE_DIR "/sim/apps", &packs, &error) != WD_OK) {
        fail_msg("%s", error.text);
    }
    return packs;
}

static inline wd_envs *env_fixture_table(const wd_envs_options *options)
{
    wd_packs *packs = env_fixture_packs();
    wd_envs *envs = NULL;
    wd_error error;
    wd_envs_options defaults = wd_envs_options_default();
    if (wd_envs_new(options == NULL ? &defaults : options, packs, &envs, &error) != WD_OK) {
        fail_msg("%s", error.text);
    }
    wd_packs_unref(&packs);
    return envs;
}

/// Call a verb; the test fails when it does.
static inline wd_value *env_fixture_call(wd_envs *envs, const char *verb, wd_value *args)
{
    wd_env_caller caller = { .owner = { .bytes = "owner" } };
    wd_value *result = NULL;
    wd_error error;
    if (wd_env_call(envs, &caller, verb, args, &result, &error) != WD_OK) {
        fail_msg("%s: %s", verb, error.text);
    }
    wd_value_unref(&args);
    return result;
}

static inline wd_env *env_fixture_new(wd_envs *envs, uint64_t seed)
{
    wd_env_order order = { .seed = seed };
    wd_env *env = NULL;
    wd_error error;
    if (wd_env_create(envs, &order, &env, &error) != WD_OK) {
        fail_msg("%s", error.text);
    }
    return env;
}

/// The action that number `index` of walk `seed` is, as JSON text.
static inline void env_fixture_action(uint64_t seed, uint32_t index, char *ret_text, size_t size)
{
    static const char *const apps[] = { "settings", "contacts", "messages", "notes", "shop", "wallet",
        "forum" };
    random_source random = { .state = seed * 1000003 + index };
    uint64_t draw = random_next(&random);
    switch (draw % 8) {
    case 0:
        snprintf(
            ret_text, size, "{\"kind\":\"launch_app\",\"app\":\"%s\"}", apps[draw / 8 % WD_COUNT_OF(apps)]);
        return;
    case 1:
        snprintf(ret_text, size, "{\"kind\":\"back\"}");
        return;
    case 2:
        snprintf(ret_text, size, "{\"kind\":\"type\",\"text\":\"w%u\"}", (unsigned)(draw / 8 % 100));
        return;
    default:
        snprintf(ret_text, size, "{\"kind\":\"tap\",\"x\":%u,\"y\":%u}", (unsigned)(draw / 8 % 1080),
            (unsigned)(draw / 8192 % 2400));
        return;
    }
}

static inline void env_fixture_step(wd_envs *envs, wd_env *env, uint64_t seed, uint32_t index)
{
    char text[128];
    wd_env_caller caller = { 0 };
    wd_env_stepped stepped = { 0 };
    wd_error error;
    env_fixture_action(seed, index, text, sizeof text);
    wd_value *action = json_of(text);
    wd_env_id id = wd_env_id_of(env);
    const char *kind = wd_value_as_string(wd_object_get(action, "kind"), NULL);
    if (wd_env_call_step(envs, &caller, &id, kind, action, WD_ENV_LOOK_NONE, &stepped, &error) != WD_OK) {
        fail_msg("%s: %s", text, error.text);
    }
    wd_env_stepped_done(&stepped);
    wd_value_unref(&action);
}

#endif
