#include "phone.h"

#include "runtime/replay.h"

#include <string.h>

static const struct argp_option options[] = {
    { "passive", 'p', NULL, 0, "Through WorldModel alone: no phone, nothing is executed", 0 },
    { "verbose", 'v', NULL, 0, "Show each step of an active replay", 0 },
    { "keep-going", 'k', NULL, 0, "Go on after a step that differs, and count", 0 },
    { "json", 'j', NULL, 0, "One JSON line a step (passive), last a summary", 0 },
    { "format", 'f', "NAME", 0, "A recording of another tool in this format (worldctl episode formats)", 0 },
    { "no-semantic", 'n', NULL, 0, "Do not make semantic scenes", 0 },
    { 0 },
};
static const char doc[] = "Execute the recorded actions of EPISODE again and compare the digest after each "
                          "step. A RECORDING of another tool (a "
                          "file or a folder; a folder of UI dumps is one) goes through WorldModel: step, "
                          "app, page, action, what changed.\v"
                          "Examples:\n"
                          "  worldctl replay run.jsonl\n"
                          "  worldctl replay --passive run.jsonl\n"
                          "  worldctl replay dumps/\n"
                          "  worldctl replay --format aitz episode.json\n\n"
                          "Exit codes: 0 all digests equal, 1 a step differs, 2 it could not be replayed.";

typedef struct replay_arguments {
    const char *path, *format;
    bool passive, verbose, json, no_semantic, keep_going;
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
    case 'k':
        given->keep_going = true;
        return 0;
    case 'j':
        given->json = true;
        return 0;
    case 'f':
        given->format = value;
        return 0;
    case 'n':
        given->no_semantic = true;
        return 0;
    default:
        return ctl_one_argument(key, value, state, &given->path);
    }
}

static wd_status passive_line(const wd_passive_step *step, wd_value **ret_line)
{
    const wd_world_state *world = step->world;
    wd_value *warnings = step->warning_count == 0 ? NULL : wd_value_array();
    wd_status status = WD_OK;
    for (size_t i = 0; status == WD_OK && i < step->warning_count; i++) {
        wd_value *text = NULL;
        status = wd_value_text(step->warnings[i], &text);
        status = status == WD_OK ? wd_array_append(&warnings, &text) : status;
        wd_value_unref(&text);
    }
    if (status == WD_OK) {
        status = wd_value_pack(ret_line, "{s:i,s:?s,s:?s,s:?s,s:b,s:?s,s:?s,s:i,s:?s,s:?v,s:?s,s:?v}",  //
            "step", (int64_t)step->index, "name", step->name[0] == '\0' ? NULL : step->name,            //
            "app", world == NULL ? NULL : world->current_app, "page",
            world == NULL ? NULL : world->current_page,                                       //
            "stale", world == NULL ? 0 : (int)world->stale,                                   //
            "action", step->action == NULL ? NULL : wd_action_kind_name(step->action->kind),  //
            "outcome", step->result == NULL ? NULL : wd_outcome_name(step->result->outcome),  //
            "repeat_count", world == NULL ? (int64_t)0 : (int64_t)world->repeat_count,        //
            "last_change", world == NULL ? NULL : world->last_change,                         //
            "remembered", step->report == NULL ? NULL : step->report->remembered,             //
            "failure", step->failure[0] == '\0' ? NULL : step->failure, "warnings", warnings);
    }
    wd_value_unref(&warnings);
    return status;
}

static void show_passive_json(const wd_passive_step *step)
{
    wd_value *line = NULL;
    if (passive_line(step, &line) == WD_OK) {
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
    const char *action = step->action == NULL ? "(first screen)" : wd_action_kind_name(step->action->kind);
    printf("%4zu  %-14s ", step->index, action);
    if (world == NULL) {
        puts("world off");
        return;
    }
    printf("%s%s  %s%s%s  %s%s%s", ctl_paint(CTL_CYAN),
        world->current_app == NULL ? "unknown" : world->current_app,
        world->current_page == NULL ? "-" : world->current_page, ctl_paint(CTL_PLAIN),
        world->stale ? " (stale)" : "", ctl_paint(CTL_DIM),
        step->failure[0] != '\0' ? step->failure : world->last_change, ctl_paint(CTL_PLAIN));
    printf("%s%s\n", step->name[0] == '\0' ? "" : "  ", step->name);
    if (step->result != NULL && step->result->outcome != WD_OUTCOME_OK) {
        printf("        %s%s: %s%s\n", ctl_paint(CTL_YELLOW), wd_outcome_name(step->result->outcome),
            step->result->code, ctl_paint(CTL_PLAIN));
    }
    wd_iter name = wd_iter_start(step->report == NULL ? NULL : step->report->remembered);
    while (wd_iter_next(&name)) {
        printf("        remembered %s\n", wd_value_string_or(name.value, "?"));
    }
    for (size_t i = 0; i < step->warning_count; i++) {
        printf("        %swarning: %s%s\n", ctl_paint(CTL_YELLOW), step->warnings[i], ctl_paint(CTL_PLAIN));
    }
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
        wd_value *diverged_step = NULL;
        if ((!report->diverged || wd_value_int((int64_t)report->diverged_step, &diverged_step) == WD_OK) &&
            wd_value_pack(&line, "{s:i,s:i,s:i,s:b,s:?v,s:?s,s:b,s:i}", "steps", (int64_t)report->steps,
                "digests_equal", (int64_t)report->digests_equal, "steps_recorded",
                (int64_t)report->steps_recorded, "diverged", (int)report->diverged, "diverged_step",
                diverged_step, "divergence", report->diverged ? report->divergence : NULL, "cut",
                (int)report->cut, "bytes_lost", (int64_t)report->bytes_lost) == WD_OK) {
            ctl_print(line, WD_JSON_COMPACT);
        }
        wd_value_unref(&diverged_step);
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
        status =
            wd_replay_active(phone.host, episode, given->keep_going, show_active, &context, &report, error);
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
    ctl_parse(argc, argv, options, parse, "EPISODE|RECORDING", doc, &given);
    wd_error error = { .text = "out of memory" };
    wd_config config;
    int code = CTL_OK;
    wd_status status = ctl_config(&config, &error);
    if (status != WD_OK) {
        return ctl_fault(&error);
    }
    wd_run_options run = wd_config_run_options(&config);
    run.semantic = run.semantic && !given.no_semantic;
    wd_episode episode = { 0 };
    if (given.format != NULL || !wd_episode_is_own(given.path)) {
        status = wd_replay_recording(given.path, given.format, &run, NULL, show_passive, &given, &error);
    } else {
        status = wd_episode_load(given.path, &episode, &error);
        if (status == WD_OK) {
            // What was not recorded on the embedded phone has no machine to start from: WorldModel alone follows it.
            bool passive = given.passive || wd_object_get(episode.header, "machine") == NULL;
            status = passive ? wd_replay_passive(&episode, &run, show_passive, &given, &error)
                             : replay_active(&given, &config, &episode, &code, &error);
        }
    }
    wd_episode_done(&episode);
    return status == WD_OK ? code : ctl_fault(&error);
}
