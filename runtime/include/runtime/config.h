/// config.h - effective settings of worldd, and where each came from.
///
/// Order, later wins: default, file (INI), environment (WORLDD_SECTION_NAME), flag (--set section.name=value).
/// One table (config_table.c) holds every setting with its range; --print-config, --check-config, the man page and the
/// nearest-key hint are made from it.
#ifndef RUNTIME_CONFIG_H
#define RUNTIME_CONFIG_H

#include "runtime/authority.h"
#include "runtime/broker.h"
#include "runtime/run.h"
#include "sim/phone.h"

#include <stdio.h>

enum { WD_CONFIG_TEXT_MAX = 1024 };  // bytes of a text setting

typedef struct wd_config {
    char directory[WD_CONFIG_TEXT_MAX];         // of sockets, lock and daemon.json; 0700
    char log_level[16];                         // error, warning, info, debug
    char episodes[WD_CONFIG_TEXT_MAX];          // directory of recorded runs; "": <directory>/episodes
    char packs[WD_CONFIG_TEXT_MAX];             // app pack directories, separated by ':'
    char tasks[WD_CONFIG_TEXT_MAX];             // task directory
    char planner_endpoint[WD_CONFIG_TEXT_MAX];  // "": ipc://<directory>/planner.sock
    char control_endpoint[WD_CONFIG_TEXT_MAX];  // "": ipc://<directory>/control.sock
    char planner_tcp[WD_CONFIG_TEXT_MAX];       // "": none
    char control_tcp[WD_CONFIG_TEXT_MAX];
    char doors_grants[WD_CONFIG_TEXT_MAX];  // file (authority.h); "": the daemon's own user alone
    char doors_keys[WD_CONFIG_TEXT_MAX];    // directory; "": no CURVE
    char doors_group[WD_KEY_NAME_MAX + 1];  // whose members may connect on ipc; "": none
    uint64_t heartbeat_ms, liveness, planner_attempts, attempt_timeout_ms, planner_wait_ms;
    bool world_enabled, semantic_enabled, compress_episodes;
    char enricher[WD_PEER_NAME_MAX + 1];  // "": nobody, "*": anybody
    uint64_t enrich_deadline_ms;
    uint64_t executor_deadline_ms, executor_wait_ms;
    uint64_t history, variables, variable_bytes;
    uint64_t step_limit, repetition_limit, invalid_limit, deadline_ms, runs_max;
    bool imagine_planner;
    uint64_t imagine_steps;
    uint64_t env_workers, envs_max, snapshots_max, env_mib_max, snapshot_idle_ms, env_orphan_ms;
    uint64_t frame_kib_max, peers_max, watches_max, requests_max, episodes_mib_max, lua_instructions, lua_mib;
} wd_config;

/// Where each setting came from, by index in the table.
typedef struct wd_config_origins wd_config_origins;

/// Defaults, with directories for this user.
void wd_config_default(wd_config *ret_config);

/// Read an INI file over `config`. Every fault is told (file, line, and the nearest known key), not only the first.
/// @param faults  Where to write them, a line each; NULL: nowhere. @retval WD_EINVAL there were faults; settings that
///                were right are taken. @retval WD_ENOENT, WD_EIO the file cannot be read.
WD_NODISCARD wd_status wd_config_read_file(
    const char *path, wd_config *config, wd_config_origins *origins, FILE *faults);
/// WORLDD_* variables of `environment` (environ's form). Unknown WORLDD_ names with a section's prefix are faults.
WD_NODISCARD wd_status wd_config_read_environment(
    char *const *environment, wd_config *config, wd_config_origins *origins, FILE *faults);
/// One "section.name=value".
WD_NODISCARD wd_status wd_config_set(
    const char *assignment, wd_config *config, wd_config_origins *origins, wd_error *error);
/// Fill in what depends on other settings (endpoints, episodes).
WD_NODISCARD wd_status wd_config_finish(wd_config *config, wd_error *error);

wd_config_origins *wd_config_origins_new(void);  // NULL when memory is out
void wd_config_origins_destroy(wd_config_origins **origins_p);
/// INI of all effective settings; each with its origin as a comment when `origins` is given.
void wd_config_print(const wd_config *config, const wd_config_origins *origins, FILE *out);
/// A line a setting with its range and help, for documents.
void wd_config_print_help(FILE *out);

wd_run_options wd_config_run_options(const wd_config *config);
wd_host_limits wd_config_host_limits(const wd_config *config);
wd_broker_options wd_config_broker_options(const wd_config *config);

#endif
