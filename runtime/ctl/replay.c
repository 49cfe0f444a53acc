#include "phone.h"

#include "runtime/replay.h"

#include <string.h>
#include <sys/stat.h>

static const struct argp_option options[] = {
    { "passive", 'p', NULL, 0, "Through WorldModel alone: no phone, nothing is executed", 0 },
    { "verbose", 'v', NULL, 0, "Show each step of an active replay", 0 },
    { "json", 'j', NULL, 0, "One JSON line a step (passive), last a summary", 0 },
    { "no-semantic", 'n', NULL, 0, "Do not make semantic scenes", 0 },
    { 0 },
};
static const char doc[] = "Execute the recorded actions of EPISODE again and compare the digest after each "
                          "step; for a FOLDER of UI dumps, "
                          "show app and page per screen.\v"
                          "Examples:\n"
                          "  worldctl replay run.jsonl\n"
                          "  worldctl replay --passive run.jsonl\n"
                          "  worldctl replay dumps/\n\n"
                          "Exit codes: 0 all digests equal, 1 a step differs, 2 it could not be replayed.";

typedef struct replay_arguments {
    const char *path;
    bool passive, verbose, json, no_semantic;
    size_t steps;
} replay_arguments;

static error_t parse(int key, char *value, struct argp_state *state)
{
    replay_arguments *given = state->input;
    switch (key) {
    case 'p':
        given->passive = true;
        return 0;
    case 'v':
        given->verbose = true;
        return 0;
    case 'j':
        given->json = true;
        return 0;
    case 'n':
        given->no_semantic = true;
        return 0;
    case ARGP_KEY_ARG:
        if (given->path != NULL) {
            argp_error(state, "one episode or folder at a time");
        }
        given->path = value;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_usage(state);
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void show_passive_json(const wd_passive_step *step)
{
    const wd_world_state *world = step->world;
    wd_value *line = NULL;
    if (wd_value_pack(&line, "{s:i,s:?s,s:?s,s:?s,s:b,s:?s,s:i,s:?s,s:?s}", "step", (int64_t)step->index,
            "name", step->name[0] == '\0' ? NULL : step->name, "app",
            world == NULL ? NULL : world->current_app, "page", world == NULL ? NULL : world->current_page,
            "stale", world == NULL ? 0 : (int)world->stale, "action",
            step->action == NULL ? NULL : wd_action_kind_name(step->action->kind), "repeat_count",
            world == NULL ? (int64_t)0 : (int64_t)world->repeat_count, "last_change",
            world == NULL ? NULL : world->last_change, "failure",
            step->failure[0] == '\0' ? NULL : step->failure) == WD_OK) {
        ctl_print(line, WD_JSON_COMPACT);
    }
    wd_value_unref(&line);
}

static void show_passive(void *context, const wd_passive_step *step)
{
    replay_arguments *given = context;
    const wd_world_state *world = step->world;
    given->steps += 1;
    if (given->json) {
        show_passive_json(step);
        return;
    }
    printf("%4zu  %-28s ", step->index,
        step->name[0] != '\0'  ? step->name
        : step->action == NULL ? "(first screen)"
                               : wd_action_kind_name(step->action->kind));
    if (world == NULL) {
        puts("world off");
        return;
    }
    printf("%s%s  %s%s%s  %s%s%s\n", ctl_paint(CTL_CYAN),
        world->current_app == NULL ? "unknown" : world->current_app,
        world->current_page == NULL ? "-" : world->current_page, ctl_paint(CTL_PLAIN),
        world->stale ? " (stale)" : "", ctl_paint(CTL_DIM),
        step->failure[0] != '\0' ? step->failure : world->last_change, ctl_paint(CTL_PLAIN));
}

static void show_active(void *context, const wd_value *line, bool equal)
{
    const replay_arguments *given = context;
    if (given->verbose && !given->json) {
        printf("%4lld  %-12s %s\n", (long long)wd_value_int_or(wd_object_get(line, "index"), 0),
            wd_value_string_or(wd_object_get(wd_object_get(line, "action"), "kind"), "?"),
            equal ? "equal" : "DIFFERS");
    }
}

static void print_report(const replay_arguments *given, const wd_replay_report *report)
{
    if (given->json) {
        wd_value *line = NULL;
        if (wd_value_pack(&line, "{s:i,s:i,s:i,s:b,s:?s,s:b,s:i}", "steps", (int64_t)report->steps,
                "digests_equal", (int64_t)report->digests_equal, "steps_recorded",
                (int64_t)report->steps_recorded, "diverged", (int)report->diverged, "divergence",
                report->diverged ? report->divergence : NULL, "cut", (int)report->cut, "bytes_lost",
                (int64_t)report->bytes_lost) == WD_OK) {
            ctl_print(line, WD_JSON_COMPACT);
        }
        wd_value_unref(&line);
        return;
    }
    printf("%zu steps replayed, %s%zu digests equal%s\n", report->steps,
        ctl_paint(report->diverged ? CTL_RED : CTL_GREEN), report->digests_equal, ctl_paint(CTL_PLAIN));
    if (report->diverged) {
        printf("first divergence at step %zu: %s\n", report->diverged_step, report->divergence);
    }
    if (report->cut) {
        printf("the recording was cut: %zu whole steps, %zu bytes of the step in flight lost\n",
            report->steps_recorded, report->bytes_lost);
    }
}

static wd_status replay_active(const replay_arguments *given, const wd_config *config,
    const wd_episode *episode, int *ret_code, wd_error *error)
{
    ctl_phone phone = { 0 };
    wd_replay_report report;
    wd_status status = ctl_phone_open(config, false, 0, &phone, error);
    if (status == WD_OK) {
        replay_arguments context = *given;
        status = wd_replay_active(phone.host, episode, show_active, &context, &report, error);
    }
    if (status == WD_OK) {
        print_report(given, &report);
        *ret_code = report.diverged ? CTL_NO : CTL_OK;
    }
    ctl_phone_close(&phone);
    return status;
}

int ctl_replay(int argc, char **argv)
{
    replay_arguments given = { 0 };
    ctl_parse(argc, argv, options, parse, "EPISODE|FOLDER", doc, &given);
    wd_error error = { .text = "out of memory" };
    wd_config config;
    struct stat info;
    int code = CTL_OK;
    wd_status status = ctl_config(&config, &error);
    if (status != WD_OK) {
        return ctl_fault(&error);
    }
    wd_run_options run = wd_config_run_options(&config);
    run.semantic = run.semantic && !given.no_semantic;
    if (stat(given.path, &info) == 0 && S_ISDIR(info.st_mode)) {
        status = wd_replay_folder(given.path, &run, show_passive, &given, &error);
    } else {
        wd_episode episode = { 0 };
        status = wd_episode_read(given.path, &episode, &error);
        if (status == WD_OK) {
            status = given.passive ? wd_replay_passive(&episode, &run, show_passive, &given, &error)
                                   : replay_active(&given, &config, &episode, &code, &error);
        }
        wd_episode_done(&episode);
    }
    return status == WD_OK ? code : ctl_fault(&error);
}
