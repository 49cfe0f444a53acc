#include "ctl.h"

#include "runtime/replay.h"
#include "semantic/episode.h"

#include <string.h>
#include <sys/stat.h>

typedef struct episode_arguments {
    const char *verb, *format, *path, *output;
    size_t steps;
} episode_arguments;

static const struct argp_option options[] = {
    { "output", 'o', "DIR", 0, "Directory for the episodes (made when missing)", 0 },
    { 0 },
};

static error_t parse(int key, char *value, struct argp_state *state)
{
    episode_arguments *given = state->input;
    switch (key) {
    case 'o':
        given->output = value;
        return 0;
    case ARGP_KEY_ARG: {
        const char **slots[] = { &given->verb, &given->format, &given->path };
        if (state->arg_num >= WD_COUNT_OF(slots)) {
            argp_error(state, "unexpected argument \"%s\"", value);
        }
        *slots[state->arg_num] = value;
        return 0;
    }
    case ARGP_KEY_END:
        if (given->verb == NULL ||
            (strcmp(given->verb, "import") != 0 && strcmp(given->verb, "formats") != 0)) {
            argp_error(state, "wants import or formats");
        }
        if (strcmp(given->verb, "import") == 0 && (given->path == NULL || given->output == NULL)) {
            argp_error(state, "import wants a format (or auto), a path and --output");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void count_step(void *context, const wd_passive_step *step)
{
    episode_arguments *given = context;
    given->steps += step->action != NULL;
}

int ctl_episode(int argc, char **argv)
{
    episode_arguments given = { 0 };
    ctl_parse(argc, argv, options, parse, "import FORMAT PATH | formats",
        "Turn recordings of other tools into worldd episodes, which replay through WorldModel.\v"
        "Examples:\n  worldctl episode formats\n"
        "  worldctl episode import auto run_folder/ -o imported\n"
        "  worldctl replay --passive imported/droidbot_episode-1.jsonl",
        &given);
    if (strcmp(given.verb, "formats") == 0) {
        for (int format = 0; format < WD_EPISODE_FORMAT_COUNT; format++) {
            printf("%-28s %s\n", wd_episode_format_name((wd_episode_format)format),
                wd_episode_format_about((wd_episode_format)format));
        }
        return CTL_OK;
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
