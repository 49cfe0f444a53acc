#include "trajectory.h"

#include "runtime/replay.h"
#include "semantic/episode.h"
#include "tree/alloc.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

typedef struct episode_arguments {
    const char *verb, *format, *path, *output;
    bool digests;
    size_t steps;
} episode_arguments;

static const struct argp_option options[] = {
    { "output", 'o', "PATH", 0,
        "import: directory for the episodes (made when missing). export: file (default: standard output)",
        0 },
    { "trajectories", 't', NULL, 0,
        "export: a line of observation, action, reward and end a step (the default)", 0 },
    { "digests", 'd', NULL, 0, "export: observations as digests, not whole scenes", 0 },
    { 0 },
};

static error_t check(const episode_arguments *given, const struct argp_state *state)
{
    const char *verb = given->verb == NULL ? "" : given->verb;
    if (strcmp(verb, "import") == 0) {
        if (given->path == NULL || given->output == NULL) {
            argp_error(state, "import wants a format (or auto), a path and --output");
        }
    } else if (strcmp(verb, "export") == 0) {
        if (given->format == NULL || given->path != NULL) {
            argp_error(state, "export wants one episode");
        }
    } else if (strcmp(verb, "cat") == 0) {
        if (given->format == NULL || given->path != NULL) {
            argp_error(state, "cat wants one episode");
        }
    } else if (strcmp(verb, "formats") != 0) {
        argp_error(state, "wants cat, import, export or formats");
    }
    return 0;
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    episode_arguments *given = state->input;
    switch (key) {
    case 'o':
        given->output = value;
        return 0;
    case 't':
        return 0;  // the only form there is, said so that a later one can stand beside it
    case 'd':
        given->digests = true;
        return 0;
    case ARGP_KEY_ARG: {
        const char **const slots[] = { &given->verb, &given->format, &given->path };
        ctl_place_argument(value, state, slots, WD_COUNT_OF(slots));
        return 0;
    }
    case ARGP_KEY_END:
        return check(given, state);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void count_step(void *context, const wd_passive_step *step)
{
    episode_arguments *given = context;
    given->steps += step->action != NULL;
}

static int export_episode(const episode_arguments *given)
{
    wd_error error = { .text = "out of memory" };
    size_t count = 0;
    FILE *out = given->output == NULL ? stdout : fopen(given->output, "w");
    if (out == NULL) {
        (void)wd_error_set(&error, WD_EIO, "%s: %s", given->output, strerror(errno));
        return ctl_fault(&error);
    }
    wd_status status = ctl_trajectory_print(given->format, given->digests, out, &count, &error);
    if (fflush(out) != 0 && status == WD_OK) {
        status = wd_error_set(&error, WD_EIO, "the output cannot be written: %s", strerror(errno));
    }
    if (out != stdout) {
        (void)fclose(out);
    }
    if (status != WD_OK) {
        return ctl_fault(&error);
    }
    if (given->output != NULL) {
        printf("%zu steps written to %s\n", count, given->output);
    }
    return CTL_OK;
}

static int print_lines(const char *path)
{
    wd_error error = { .text = "out of memory" };
    char *text = NULL;
    size_t length = 0;
    wd_status status = WD_EINVAL;
    if (!wd_episode_is_own(path)) {
        (void)wd_error_set(&error, WD_EINVAL, "%s: no episode, or it cannot be read", path);
    } else {
        status = wd_episode_text(path, &text, &length, &error);
    }
    if (status == WD_OK && (fwrite(text, 1, length, stdout) != length || fflush(stdout) != 0)) {
        status = wd_error_set(&error, WD_EIO, "the output cannot be written: %s", strerror(errno));
    }
    wd_free(text, text == NULL ? 0 : length + 1);
    return status == WD_OK ? CTL_OK : ctl_fault(&error);
}

int ctl_episode(int argc, char **argv)
{
    episode_arguments given = { 0 };
    ctl_parse(argc, argv, options, parse, "cat EPISODE | import FORMAT PATH | export EPISODE | formats",
        "Print the lines of an episode, compressed or not; turn recordings of other tools into episodes, "
        "which "
        "replay through WorldModel; turn episodes into training data.\v"
        "Examples:\n  worldctl episode formats\n"
        "  worldctl episode import auto run_folder/ -o imported\n"
        "  worldctl replay --passive imported/droidbot_episode-1.jsonl\n"
        "  worldctl episode export --trajectories run.jsonl.zst -o run.train.jsonl\n"
        "  worldctl episode cat run.jsonl.zst",
        &given);
    if (strcmp(given.verb, "formats") == 0) {
        for (int format = 0; format < WD_EPISODE_FORMAT_COUNT; format++) {
            printf("%-28s %s\n", wd_episode_format_name((wd_episode_format)format),
                wd_episode_format_about((wd_episode_format)format));
        }
        return CTL_OK;
    }
    if (strcmp(given.verb, "cat") == 0) {
        return print_lines(given.format);
    }
    if (strcmp(given.verb, "export") == 0) {
        return export_episode(&given);
    }
    wd_error error = { .text = "out of memory" };
    wd_config config;
    wd_status status = ctl_config(&config, &error);
    mkdir(given.output, 0755);  // when it cannot be made, opening the first file says why
    if (status == WD_OK) {
        wd_run_options run = wd_config_run_options(&config);
        status = wd_replay_recording(given.path, strcmp(given.format, "auto") == 0 ? NULL : given.format,
            &run, given.output, count_step, &given, &error);
    }
    if (status != WD_OK) {
        return ctl_fault(&error);
    }
    printf("%zu steps written below %s\n", given.steps, given.output);
    return CTL_OK;
}
