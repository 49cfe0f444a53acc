#include "runtime/config.h"

#include "clients.h"
#include "config_table.h"
#include "proto/frame.h"
#include "tree/alloc.h"
#include "watch.h"

#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ORIGIN_TEXT_MAX = 96, SETTINGS_MAX = 64 };

struct wd_config_origins {
    char texts[SETTINGS_MAX][ORIGIN_TEXT_MAX];  // "" is the default
};

wd_config_origins *wd_config_origins_new(void)
{
    wd_assert(wd_setting_count <= SETTINGS_MAX);
    return wd_alloc_zero(1, sizeof(wd_config_origins));
}

void wd_config_origins_destroy(wd_config_origins **origins_p)
{
    wd_free(*origins_p, sizeof **origins_p);
    *origins_p = NULL;
}

/// `line` 0: the source has no lines.
static void note_origin(wd_config_origins *origins, size_t index, const char *what, int line)
{
    if (origins != NULL && line > 0) {
        snprintf(origins->texts[index], ORIGIN_TEXT_MAX, "%.80s:%d", what, line);
    } else if (origins != NULL) {
        snprintf(origins->texts[index], ORIGIN_TEXT_MAX, "%.80s", what);
    }
}

void wd_config_default(wd_config *ret_config)
{
    wd_world_options world = wd_world_options_default();
    wd_run_options run = wd_run_options_default();
    wd_broker_options broker = wd_broker_options_default();
    wd_host_limits apps = wd_host_limits_default();
    wd_config config = {
        .log_level = "info",
        .packs = WD_PACKS_DIRECTORY,
        .tasks = WD_TASKS_DIRECTORY,
        .heartbeat_ms = broker.heartbeat_ms,
        .liveness = broker.liveness,
        .planner_attempts = broker.planner_attempts,
        .attempt_timeout_ms = broker.attempt_timeout_ms,
        .planner_wait_ms = 5000,
        .compress_episodes = true,
        .executor_deadline_ms = 30000,
        .executor_wait_ms = 5000,
        .world_enabled = world.enabled,
        .semantic_enabled = run.semantic,
        .enrich_deadline_ms = run.enrich_deadline_ms,
        .history = world.history_count_max,
        .variables = world.variables_count_max,
        .variable_bytes = world.variables_bytes_max,
        .step_limit = run.step_limit,
        .repetition_limit = run.repetition_limit,
        .invalid_limit = run.invalid_limit,
        .deadline_ms = run.deadline_ms,
        .imagine_planner = true,
        .imagine_steps = run.imagine_steps_max,
        .runs_max = 4096,
        .env_workers = 2,
        .envs_max = 100 * 1000,
        .snapshots_max = 100 * 1000,
        .env_mib_max = 8192,
        .snapshot_idle_ms = 3600 * 1000,
        .env_orphan_ms = 120 * 1000,
        .frame_kib_max = WD_FRAME_SIZE_MAX / 1024,
        .peers_max = WD_BROKER_PEERS_MAX,
        .watches_max = WD_WATCHERS_MAX,
        .requests_max = WD_CLIENT_ANSWERS_MAX,
        .episodes_mib_max = 64 * 1024,
        .lua_instructions = (uint64_t)apps.lua_instructions,
        .lua_mib = apps.lua_bytes >> 20,
    };
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    if (runtime != NULL && runtime[0] == '/' && strlen(runtime) < WD_CONFIG_TEXT_MAX - 16) {
        snprintf(config.directory, sizeof config.directory, "%s/worldd", runtime);
    } else if (geteuid() == 0) {
        strcpy(config.directory, "/run/worldd");
    } else {
        snprintf(config.directory, sizeof config.directory, "/tmp/worldd-%u", (unsigned)geteuid());
    }
    *ret_config = config;
}

// ---- file -----------------------------------------------------------------------------------------------------

typedef struct file_reader {
    FILE *file;
    const char *path;
    int line;  // Debian's inih tells handlers no line number, so the reader counts
    wd_config *config;
    wd_config_origins *origins;
    FILE *faults;
    size_t fault_count;
} file_reader;

static char *read_line(char *line, int size, void *stream)
{
    file_reader *reader = stream;
    reader->line += 1;
    return fgets(line, size, reader->file);
}

static void tell_fault(FILE *faults, size_t *count, const char *place, int line, const char *text)
{
    *count += 1;
    if (faults != NULL && line > 0) {
        fprintf(faults, "%s:%d: %s\n", place, line, text);
    } else if (faults != NULL) {
        fprintf(faults, "%s: %s\n", place, text);
    }
}

static wd_status unknown_setting(const char *section, const char *name, wd_error *error)
{
    const wd_setting *nearest = wd_setting_nearest(section, name);
    return wd_error_set(error, WD_ENOENT, "unknown setting %s.%s; the nearest known one is %s.%s", section,
        name, nearest->section, nearest->name);
}

static int take_entry(void *user, const char *section, const char *name, const char *value)
{
    file_reader *reader = user;
    size_t index = wd_setting_find(section, name);
    wd_error error;
    wd_status status = index == wd_setting_count
                           ? unknown_setting(section, name, &error)
                           : wd_setting_parse(&wd_settings[index], value, reader->config, &error);
    if (status != WD_OK) {
        tell_fault(reader->faults, &reader->fault_count, reader->path, reader->line, error.text);
    } else {
        note_origin(reader->origins, index, reader->path, reader->line);
    }
    return 1;  // go on: every fault is told
}

wd_status wd_config_read_file(const char *path, wd_config *config, wd_config_origins *origins, FILE *faults)
{
    file_reader reader = {
        .file = fopen(path, "re"),
        .path = path,
        .config = config,
        .origins = origins,
        .faults = faults,
    };
    if (reader.file == NULL) {
        tell_fault(faults, &reader.fault_count, path, 0, strerror(errno));
        return errno == ENOENT ? WD_ENOENT : WD_EIO;
    }
    int first_bad = ini_parse_stream(read_line, &reader, take_entry, &reader);
    fclose(reader.file);
    if (first_bad > 0) {
        tell_fault(
            faults, &reader.fault_count, path, first_bad, "neither [section], name = value nor a comment");
    }
    return reader.fault_count > 0 ? WD_EINVAL : WD_OK;
}

// ---- environment and flags --------------------------------------------------------------------------------------

/// "WORLDD_PLANNER_WAIT_MS" of a setting.
static void variable_name(const wd_setting *setting, char ret_name[128])
{
    snprintf(ret_name, 128, "WORLDD_%s_%s", setting->section, setting->name);
    for (char *c = ret_name; *c != '\0'; c++) {
        *c = (char)toupper((unsigned char)*c);
    }
}

/// A name with a section's prefix that is no setting is a mistake; other WORLDD_ names are for clients.
static bool has_section_prefix(const char *variable, size_t length)
{
    for (size_t i = 0; i < wd_setting_count; i++) {
        char prefix[128];
        variable_name(&wd_settings[i], prefix);
        size_t section_end = strlen("WORLDD_") + strlen(wd_settings[i].section) + 1;
        if (length >= section_end && strncmp(variable, prefix, section_end) == 0) {
            return true;
        }
    }
    return false;
}

wd_status wd_config_read_environment(
    char *const *environment, wd_config *config, wd_config_origins *origins, FILE *faults)
{
    size_t fault_count = 0;
    for (; *environment != NULL; environment++) {
        const char *equals = strchr(*environment, '=');
        if (equals == NULL || strncmp(*environment, "WORLDD_", 7) != 0) {
            continue;
        }
        size_t length = (size_t)(equals - *environment), index = 0;
        for (; index < wd_setting_count; index++) {
            char name[128];
            variable_name(&wd_settings[index], name);
            if (strlen(name) == length && strncmp(name, *environment, length) == 0) {
                break;
            }
        }
        wd_error error;
        if (index < wd_setting_count &&
            wd_setting_parse(&wd_settings[index], equals + 1, config, &error) == WD_OK) {
            note_origin(origins, index, "environment", 0);
        } else if (index < wd_setting_count) {
            tell_fault(faults, &fault_count, "environment", 0, error.text);
        } else if (has_section_prefix(*environment, length)) {
            wd_error_set(&error, WD_ENOENT, "%.*s names no setting", (int)length, *environment);
            tell_fault(faults, &fault_count, "environment", 0, error.text);
        }
    }
    return fault_count > 0 ? WD_EINVAL : WD_OK;
}

wd_status wd_config_set(
    const char *assignment, wd_config *config, wd_config_origins *origins, wd_error *error)
{
    char section[64], name[64];
    int used = 0;
    if (sscanf(assignment, "%63[^.=].%63[^=]=%n", section, name, &used) != 2 || used == 0) {
        return wd_error_set(error, WD_EPARSE, "\"%s\" is not section.name=value", assignment);
    }
    size_t index = wd_setting_find(section, name);
    if (index == wd_setting_count) {
        return unknown_setting(section, name, error);
    }
    wd_status status = wd_setting_parse(&wd_settings[index], assignment + used, config, error);
    if (status == WD_OK) {
        note_origin(origins, index, "flag", 0);
    }
    return status;
}

// ---- effective settings -----------------------------------------------------------------------------------------

/// An empty setting becomes "<prefix><directory>/<name>".
static wd_status fill_in(
    char *field, const char *prefix, const char *directory, const char *name, wd_error *error)
{
    if (field[0] != '\0') {
        return WD_OK;
    }
    int length = snprintf(field, WD_CONFIG_TEXT_MAX, "%s%s/%s", prefix, directory, name);
    return length < WD_CONFIG_TEXT_MAX
               ? WD_OK
               : wd_error_set(error, WD_ELIMIT, "daemon.directory: too long for %s below it", name);
}

wd_status wd_config_finish(wd_config *config, wd_error *error)
{
    if (config->directory[0] != '/') {
        return wd_error_set(
            error, WD_EINVAL, "daemon.directory: \"%s\" is no absolute path", config->directory);
    }
    wd_status status = fill_in(config->planner_endpoint, "ipc://", config->directory, "planner.sock", error);
    if (status == WD_OK) {
        status = fill_in(config->control_endpoint, "ipc://", config->directory, "control.sock", error);
    }
    if (status == WD_OK) {
        status = fill_in(config->episodes, "", config->directory, "episodes", error);
    }
    return status;
}

void wd_config_print(const wd_config *config, const wd_config_origins *origins, FILE *out)
{
    const char *section = "";
    for (size_t i = 0; i < wd_setting_count; i++) {
        const wd_setting *setting = &wd_settings[i];
        if (strcmp(section, setting->section) != 0) {
            fprintf(out, "%s[%s]\n", i == 0 ? "" : "\n", setting->section);
            section = setting->section;
        }
        fprintf(out, "%s = ", setting->name);
        wd_setting_print(setting, config, out);
        if (origins != NULL) {
            fprintf(out, "  ; %s", origins->texts[i][0] == '\0' ? "default" : origins->texts[i]);
        }
        fputc('\n', out);
    }
}

void wd_config_print_help(FILE *out)
{
    for (size_t i = 0; i < wd_setting_count; i++) {
        const wd_setting *setting = &wd_settings[i];
        char variable[128];
        variable_name(setting, variable);
        fprintf(out, "%s.%s (%s)\n    %s", setting->section, setting->name, variable, setting->help);
        if (setting->kind == WD_SETTING_NUMBER) {
            fprintf(out, "; %llu to %llu", (unsigned long long)setting->minimum,
                (unsigned long long)setting->maximum);
        }
        fputc('\n', out);
    }
}

wd_run_options wd_config_run_options(const wd_config *config)
{
    wd_run_options options = wd_run_options_default();
    options.world.enabled = config->world_enabled;
    options.world.history_count_max = config->history;
    options.world.variables_count_max = config->variables;
    options.world.variables_bytes_max = config->variable_bytes;
    options.semantic = config->semantic_enabled;
    memcpy(options.enricher, config->enricher, sizeof options.enricher);
    options.enrich_deadline_ms = (uint32_t)config->enrich_deadline_ms;
    options.step_limit = (uint32_t)config->step_limit;
    options.repetition_limit = (uint32_t)config->repetition_limit;
    options.invalid_limit = (uint32_t)config->invalid_limit;
    options.deadline_ms = (uint32_t)config->deadline_ms;
    options.imagine_steps_max = config->imagine_planner ? (uint32_t)config->imagine_steps : 0;
    return options;
}

wd_host_limits wd_config_host_limits(const wd_config *config)
{
    return (wd_host_limits){ .lua_instructions = (int64_t)config->lua_instructions,
        .lua_bytes = (size_t)config->lua_mib << 20 };
}

wd_broker_options wd_config_broker_options(const wd_config *config)
{
    wd_broker_options options = wd_broker_options_default();
    options.heartbeat_ms = (uint32_t)config->heartbeat_ms;
    options.liveness = (uint32_t)config->liveness;
    options.planner_attempts = (uint32_t)config->planner_attempts;
    options.attempt_timeout_ms = (uint32_t)config->attempt_timeout_ms;
    options.max_frame = (uint32_t)config->frame_kib_max * 1024;
    options.peers_max = (uint32_t)config->peers_max;
    return options;
}
