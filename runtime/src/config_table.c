#include "config_table.h"

#include "clients.h"
#include "proto/frame.h"
#include "runtime/env_pool.h"
#include "watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define TEXT(section, name, field, help)                                                                     \
    {                                                                                                        \
        section, name, WD_SETTING_TEXT, offsetof(wd_config, field), sizeof(((wd_config *)0)->field), 0, 0,   \
            help                                                                                             \
    }
#define BOOL(section, name, field, help)                                                                     \
    {                                                                                                        \
        section, name, WD_SETTING_BOOL, offsetof(wd_config, field), sizeof(bool), 0, 0, help                 \
    }
#define NUMBER(section, name, field, minimum, maximum, help)                                                 \
    {                                                                                                        \
        section, name, WD_SETTING_NUMBER, offsetof(wd_config, field), sizeof(uint64_t), minimum, maximum,    \
            help                                                                                             \
    }

const wd_setting wd_settings[] = {
    TEXT("daemon", "directory", directory, "directory of sockets, lock and daemon.json, mode 0700"),
    TEXT("daemon", "log_level", log_level, "error, warning, info or debug"),
    TEXT("daemon", "episodes", episodes, "directory of recorded runs; empty: <directory>/episodes"),
    BOOL("daemon", "compress_episodes", compress_episodes,
        "turn the episode of a run that is over into one zstd frame, NAME.jsonl.zst"),
    NUMBER("daemon", "episodes_mib_max", episodes_mib_max, 0, 1 << 30,
        "MiB of recorded runs, past which no run begins; 0: no bound"),
    NUMBER("daemon", "frame_kib_max", frame_kib_max, 64, WD_FRAME_SIZE_MAX / 1024,
        "KiB of the longest frame taken from a peer; a longer one cuts its connection"),
    TEXT("daemon", "packs", packs, "app pack directories, separated by ':'"),
    TEXT("daemon", "tasks", tasks, "directory of task templates"),
    TEXT("planner", "endpoint", planner_endpoint,
        "where planners connect; empty: ipc://<directory>/planner.sock"),
    TEXT("planner", "tcp", planner_tcp,
        "where planners connect from other machines, tcp://ADDRESS:PORT; empty: nowhere"),
    NUMBER("planner", "heartbeat_ms", heartbeat_ms, 10, 60000, "a peer sends a Ping at least this often"),
    NUMBER("planner", "liveness", liveness, 2, 100, "missed heartbeats after which a peer is gone"),
    NUMBER("planner", "attempts", planner_attempts, 1, 16, "planners that may be tried for one request"),
    NUMBER("planner", "attempt_timeout_ms", attempt_timeout_ms, 1, 3600000, "time of one attempt"),
    NUMBER("planner", "peers_max", peers_max, 1, WD_BROKER_PEERS_MAX,
        "planners, enrichers and executors at once"),
    NUMBER(
        "planner", "wait_ms", planner_wait_ms, 0, 3600000, "how long a request waits for a planner to come"),
    TEXT("control", "endpoint", control_endpoint,
        "where clients connect; empty: ipc://<directory>/control.sock"),
    TEXT("control", "tcp", control_tcp,
        "where clients connect from other machines, tcp://ADDRESS:PORT; empty: nowhere"),
    TEXT("doors", "grants", doors_grants,
        "file that grants roles to users, groups and keys; empty: only worldd's own user may connect"),
    TEXT("doors", "keys", doors_keys,
        "directory of CURVE keys: server.key_secret, and clients/NAME.key for each key; empty: none"),
    TEXT("doors", "group", doors_group,
        "group whose members may connect on ipc, with all roles but admin; empty: none"),
    NUMBER("executor", "deadline_ms", executor_deadline_ms, 1, 3600000,
        "time of an executor for one look or one action; after it the run is over"),
    NUMBER("executor", "wait_ms", executor_wait_ms, 0, 3600000,
        "how long a run waits for its executor to come, or to come back"),
    BOOL("world", "enabled", world_enabled, "derive a WorldState and tell it to planners"),
    NUMBER("world", "history", history, 0, WD_HISTORY_COUNT_MAX, "events that the history holds"),
    NUMBER("world", "variables", variables, 0, WD_VARIABLES_COUNT_LIMIT, "names that may be remembered"),
    NUMBER("world", "variable_bytes", variable_bytes, 0, WD_VARIABLES_BYTES_LIMIT,
        "bytes of JSON of all variables"),
    BOOL("semantic", "enabled", semantic_enabled, "make semantic scenes of scenes"),
    TEXT("semantic", "enricher", enricher,
        "who is asked for the semantic scenes of runs: empty for nobody, * for any enricher, or one's name"),
    NUMBER("semantic", "deadline_ms", enrich_deadline_ms, 1, 60000,
        "how long a run waits for an enricher before it goes on with worldd's own semantic scene"),
    NUMBER("run", "step_limit", step_limit, 0, WD_TASK_STEPS_MAX, "steps of a run; 0: the task's own limit"),
    NUMBER("run", "repetition_limit", repetition_limit, 0, 10000,
        "the N-th equal action in a row ends a run; 0: never"),
    NUMBER("run", "invalid_limit", invalid_limit, 1, 1000, "invalid replies in a row that end a run"),
    NUMBER("run", "deadline_ms", deadline_ms, 1, 86400000, "deadline of one plan, all attempts together"),
    NUMBER("run", "runs_max", runs_max, 1, 100000, "runs at once"),
    BOOL("imagine", "planner", imagine_planner, "runs may let their planners ask what-if"),
    NUMBER("imagine", "steps", imagine_steps, 0, WD_IMAGINE_BUDGET_LIMIT,
        "steps of what-if that the planners of a run may ask for; 0: none, unless the run says otherwise"),
    NUMBER("control", "watches_max", watches_max, 1, WD_WATCHERS_MAX, "watches at once, of all clients"),
    NUMBER("control", "requests_max", requests_max, 1, WD_CLIENT_ANSWERS_MAX,
        "requests that one client may have open"),
    NUMBER("lua", "instructions", lua_instructions, 100000, 1000000000,
        "instructions of one call of an app's code"),
    NUMBER("lua", "mib", lua_mib, 1, 1024, "MiB that one call of an app's code may add"),
    NUMBER("env", "workers", env_workers, 1, WD_ENV_WORKERS_MAX, "threads that envs live on"),
    NUMBER("env", "envs_max", envs_max, 1, WD_ENV_COUNT_LIMIT, "envs at once"),
    NUMBER("env", "snapshots_max", snapshots_max, 1, WD_ENV_COUNT_LIMIT, "snapshots kept at once"),
    NUMBER(
        "env", "mib_max", env_mib_max, 16, 1048576, "MiB of all envs and snapshots; past it nothing is made"),
    NUMBER("env", "snapshot_idle_ms", snapshot_idle_ms, 0, 2592000000,
        "a snapshot not used for so long is forgotten; 0: never"),
    NUMBER("env", "orphan_ms", env_orphan_ms, 1, 2592000000,
        "a client silent for so long has vanished: its envs are closed, detached ones aside"),
};
const size_t wd_setting_count = WD_COUNT_OF(wd_settings);

size_t wd_setting_find(const char *section, const char *name)
{
    size_t i = 0;
    while (i < wd_setting_count &&
           (strcmp(wd_settings[i].section, section) != 0 || strcmp(wd_settings[i].name, name) != 0)) {
        i += 1;
    }
    return i;
}

enum { KEY_TEXT_MAX = 64 };

/// Edit distance of two short texts (longer ones are compared by their front).
static unsigned distance(const char *a, const char *b)
{
    unsigned row[KEY_TEXT_MAX + 1];
    size_t a_length = strnlen(a, KEY_TEXT_MAX), b_length = strnlen(b, KEY_TEXT_MAX);
    for (size_t j = 0; j <= b_length; j++) {
        row[j] = (unsigned)j;
    }
    for (size_t i = 1; i <= a_length; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b_length; j++) {
            unsigned replaced = diagonal + (a[i - 1] != b[j - 1]);
            unsigned inserted = row[j - 1] + 1, removed = row[j] + 1;
            diagonal = row[j];
            row[j] = replaced < inserted ? replaced : inserted;
            row[j] = row[j] < removed ? row[j] : removed;
        }
    }
    return row[b_length];
}

const wd_setting *wd_setting_nearest(const char *section, const char *name)
{
    const wd_setting *nearest = &wd_settings[0];
    unsigned best = UINT32_MAX;
    for (size_t i = 0; i < wd_setting_count; i++) {
        // A right name in the wrong section is nearer than a like-sounding one.
        unsigned far = 2 * distance(wd_settings[i].name, name) + distance(wd_settings[i].section, section);
        if (far < best) {
            best = far;
            nearest = &wd_settings[i];
        }
    }
    return nearest;
}

static void *field_of(const wd_setting *setting, wd_config *config)
{
    return (char *)config + setting->offset;
}

static wd_status parse_bool(const char *text, bool *ret_flag)
{
    static const struct {
        const char *text;
        bool flag;
    } words[] = {
        { "true", true },
        { "on", true },
        { "yes", true },
        { "1", true },
        { "false", false },
        { "off", false },
        { "no", false },
        { "0", false },
    };
    for (size_t i = 0; i < WD_COUNT_OF(words); i++) {
        if (strcasecmp(words[i].text, text) == 0) {
            *ret_flag = words[i].flag;
            return WD_OK;
        }
    }
    return WD_EINVAL;
}

static wd_status parse_number(
    const wd_setting *setting, const char *text, uint64_t *ret_number, wd_error *error)
{
    char *end = NULL;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || number < setting->minimum ||
        number > setting->maximum) {
        return wd_error_set(error, WD_EINVAL, "%s.%s: \"%s\" is no whole number from %llu to %llu",
            setting->section, setting->name, text, (unsigned long long)setting->minimum,
            (unsigned long long)setting->maximum);
    }
    *ret_number = number;
    return WD_OK;
}

wd_status wd_setting_parse(const wd_setting *setting, const char *text, wd_config *config, wd_error *error)
{
    switch (setting->kind) {
    case WD_SETTING_BOOL:
        if (parse_bool(text, field_of(setting, config)) != WD_OK) {
            return wd_error_set(error, WD_EINVAL, "%s.%s: \"%s\" is neither true nor false", setting->section,
                setting->name, text);
        }
        return WD_OK;
    case WD_SETTING_NUMBER:
        return parse_number(setting, text, field_of(setting, config), error);
    case WD_SETTING_TEXT:
        break;
    }
    if (strlen(text) >= setting->size) {
        return wd_error_set(
            error, WD_ELIMIT, "%s.%s: over %zu bytes", setting->section, setting->name, setting->size - 1);
    }
    if (strcmp(setting->name, "log_level") == 0 && strcmp(text, "error") != 0 &&
        strcmp(text, "warning") != 0 && strcmp(text, "info") != 0 && strcmp(text, "debug") != 0) {
        return wd_error_set(
            error, WD_EINVAL, "daemon.log_level: \"%s\" is none of error, warning, info, debug", text);
    }
    strcpy(field_of(setting, config), text);
    return WD_OK;
}

void wd_setting_print(const wd_setting *setting, const wd_config *config, FILE *out)
{
    const char *field = (const char *)config + setting->offset;
    switch (setting->kind) {
    case WD_SETTING_BOOL:
        fputs(*(const bool *)(const void *)field ? "true" : "false", out);
        break;
    case WD_SETTING_NUMBER:
        fprintf(out, "%llu", (unsigned long long)*(const uint64_t *)(const void *)field);
        break;
    case WD_SETTING_TEXT:
        fputs(field, out);
        break;
    }
}
