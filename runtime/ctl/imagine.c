// worldctl imagine: lists of steps tried on forks of an env or a run of the daemon.
#include "ctl.h"

#include <string.h>

typedef struct imagine_arguments {
    const char *endpoint, *env, *run, *file;
    bool json;
} imagine_arguments;

static const struct argp_option options[] = {
    CTL_ENDPOINT_OPTION,
    { "env", 'E', "ENV", 0, "From where this env stands", 0 },
    { "run", 'r', "RUN", 0, "From where this open run stands", 0 },
    { "json", 'j', NULL, 0, "Print all that is answered as JSON, scenes included", 0 },
    { 0 },
};
static const char doc[] = "What would come of each of these lists of steps? They are tried on forks; the "
                          "phone itself is not touched. The file "
                          "(\"-\" is standard input) holds an array of candidates, each an array of actions "
                          "{\"kind\", its arguments}. A line "
                          "per candidate: the steps that went well of those asked for, the task's progress "
                          "and reward, the unexpected "
                          "changes, and where it ends.\v"
                          "Examples:\n"
                          "  worldctl imagine --env 73f81ac5e73128e7b163e41bd71a3a00 candidates.json\n"
                          "  echo '[[{\"kind\":\"home\"}],[]]' | worldctl imagine --run bluetooth_off-0-1 -";

static error_t parse(int key, char *value, struct argp_state *state)
{
    imagine_arguments *given = state->input;
    switch (key) {
    case 'e':
        given->endpoint = value;
        return 0;
    case 'E':
        given->env = value;
        return 0;
    case 'r':
        given->run = value;
        return 0;
    case 'j':
        given->json = true;
        return 0;
    case ARGP_KEY_END:
        if ((given->env == NULL) == (given->run == NULL)) {
            argp_error(state, "give one of --env, --run");
        }
        return 0;
    default:
        return ctl_one_argument(key, value, state, &given->file);
    }
}

static const char *text_at(const wd_value *value, const char *name)
{
    return wd_value_string_or(wd_object_get(value, name), NULL);
}

/// A number of the verdict, or "-" where there is no task.
static void print_number(const wd_value *number)
{
    if (number == NULL) {
        printf("  %8s", "-");
    } else {
        printf("  %8.2f", wd_value_double_or(number, 0));
    }
}

/// How the candidate ends: an error, the step that went wrong, the ending, or the screen in front.
static void print_end(const wd_value *candidate, const wd_value *last_step)
{
    const wd_value *error = wd_object_get(candidate, "error");
    const char *outcome = text_at(last_step, "outcome"), *ending = text_at(candidate, "ending");
    const wd_value *scene = wd_object_get(wd_object_get(candidate, "observation"), "scene");
    const char *app = text_at(scene, "app_package"), *page = text_at(scene, "page");
    if (error != NULL) {
        printf("%s%s%s", ctl_paint(CTL_RED), text_at(error, "text"), ctl_paint(CTL_PLAIN));
    } else if (outcome != NULL && strcmp(outcome, "ok") != 0) {
        const char *text = text_at(last_step, "text");
        printf("%s%s %s%s%s", ctl_paint(CTL_RED), text_at(last_step, "kind"), text_at(last_step, "code"),
            ctl_paint(CTL_PLAIN), text == NULL ? "" : ": ");
        fputs(text == NULL ? "" : text, stdout);
    } else if (ending != NULL) {
        printf("%s%s%s", ctl_paint(CTL_BOLD), ending, ctl_paint(CTL_PLAIN));
    } else {
        printf("%s%s%s", app == NULL ? "" : app, page == NULL ? "" : " ", page == NULL ? "" : page);
    }
}

static void print_candidate(size_t index, const wd_value *candidate, size_t asked)
{
    const wd_value *steps = wd_object_get(candidate, "steps"), *last = NULL;
    size_t good = 0;
    wd_iter iter = wd_iter_start(steps);
    while (wd_iter_next(&iter)) {
        const char *outcome = text_at(iter.value, "outcome");
        good += outcome != NULL && strcmp(outcome, "ok") == 0;
        last = iter.value;
    }
    char tried[32], effects[32] = "-";
    snprintf(tried, sizeof tried, "%zu/%zu", good, asked);
    const wd_value *side_effects = wd_object_get(candidate, "side_effects");
    if (side_effects != NULL) {
        snprintf(effects, sizeof effects, "%zu", wd_array_count(side_effects));
    }
    printf("%3zu  %-7s", index, tried);
    print_number(wd_object_get(candidate, "progress"));
    print_number(wd_object_get(candidate, "reward"));
    printf("  %7s  ", effects);
    print_end(candidate, last);
    putchar('\n');
}

static void print_table(const wd_value *result, const wd_value *candidates)
{
    printf("%3s  %-7s  %8s  %8s  %7s  %s\n", "#", "steps", "progress", "reward", "effects", "ends");
    wd_iter iter = wd_iter_start(wd_object_get(result, "candidates"));
    while (wd_iter_next(&iter)) {
        print_candidate(iter.index, iter.value, wd_array_count(wd_array_at(candidates, iter.index)));
    }
}

int ctl_imagine(int argc, char **argv)
{
    imagine_arguments given = { 0 };
    ctl_parse(argc, argv, options, parse, "FILE", doc, &given);
    wd_error error = { .text = "out of memory" };
    wd_control_client *client = NULL;
    wd_value *candidates = NULL, *args = NULL, *result = NULL;
    wd_status status = ctl_read_json(given.file, &candidates, &error);
    status = status == WD_OK ? ctl_connect(given.endpoint, &client, &error) : status;
    if (status == WD_OK) {
        status = wd_value_pack(
            &args, "{s:?s,s:?s,s:v}", "env", given.env, "run", given.run, "candidates", candidates);
    }
    if (status == WD_OK) {
        status = wd_control_request(client, "imagine", args, 60000, NULL, NULL, &result, &error);
    }
    if (status == WD_OK && given.json) {
        ctl_print(result, WD_JSON_COMPACT);
    } else if (status == WD_OK) {
        print_table(result, candidates);
    }
    wd_value_unref(&candidates);
    wd_value_unref(&args);
    wd_value_unref(&result);
    wd_control_client_destroy(&client);
    return status == WD_OK ? CTL_OK : ctl_fault(&error);
}
