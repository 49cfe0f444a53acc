// worldd-bench - measures, and holds what it measures against the targets.
#include "benches.h"
#include "report.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void bench_self(wd_bench *bench);

// Each benchmark registers here.
static const struct {
    const char *name, *help;
    wd_bench_function *function;
} benches[] = {
    { "self", "what one reading of the clock costs", bench_self },
    { "tree", "the state tree: snapshots, forks, updates, differences, JSON", bench_tree },
    { "tree-hot", "the state tree's hottest four, a fixed number of times, for callgrind", bench_tree_hot },
    { "judge", "verdicts on states that share ancestry, and on two that do not", bench_judge },
    { "loop", "a plan from daemon to planner and back, against the bare sockets", bench_loop },
    { "scenes", "reading foreign screens and telling app and page [FILE]", bench_scenes },
    { "apps", "taps with their new scenes, the screen cache, starting, a large forum", bench_apps },
    { "envs", "a million forks of one phone, each diverged, live at once", bench_envs },
    { "imagine", "what-if at its bounds, against the same steps in earnest", bench_imagine },
    { "wire", "steps through a daemon: batches, workers, single steps, waiting runs [PART]", bench_wire },
    { "python", "VecEnv.step of 256 phones against the C client's batches", bench_python },
    { "device", "operations, injects, resets and forks of the simulated phone", bench_device },
};

static void read_clock(void *context)
{
    (void)context;
    (void)wd_bench_now_ns();
}

static void bench_self(wd_bench *bench)
{
    wd_bench_add(bench,
        &(wd_bench_row){
            .name = "one clock reading", .value = wd_bench_time(bench, read_clock, NULL), .unit = "ns" });
}

typedef struct bench_arguments {
    const char *name, *argument;
    bool json, quick, list;
} bench_arguments;

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    bench_arguments *arguments = state->input;
    switch (key) {
    case 'j':
        arguments->json = true;
        return 0;
    case 'q':
        arguments->quick = true;
        return 0;
    case 'l':
        arguments->list = true;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 1) {
            argp_usage(state);
        }
        *(state->arg_num == 0 ? &arguments->name : &arguments->argument) = argument;
        return 0;
    case ARGP_KEY_END:
        if (arguments->name == NULL && !arguments->list) {
            argp_usage(state);
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    { "json", 'j', NULL, 0, "Print one JSON object instead of a table", 0 },
    { "quick", 'q', NULL, 0, "Fewer samples: a rough figure in a second or two", 0 },
    { "list", 'l', NULL, 0, "Print the names of the benchmarks and exit", 0 },
    { NULL, 0, NULL, 0, NULL, 0 },
};

static const struct argp argp = {
    .options = options,
    .parser = parse_option,
    .args_doc = "NAME [ARGUMENT]",
    .doc = "Run one benchmark of worldd. Exits with 1 when a row misses its target.",
};

int main(int argc, char **argv)
{
    bench_arguments arguments = { 0 };
    argp_parse(&argp, argc, argv, 0, NULL, &arguments);
    for (size_t i = 0; i < WD_COUNT_OF(benches); i++) {
        if (arguments.list) {
            printf("%-12s %s\n", benches[i].name, benches[i].help);
        } else if (strcmp(benches[i].name, arguments.name) == 0) {
            static wd_bench bench;
            bench = (wd_bench){
                .name = benches[i].name, .argument = arguments.argument, .quick = arguments.quick
            };
            benches[i].function(&bench);
            wd_report_print(&bench, arguments.json);
            return bench.failed ? EXIT_FAILURE : EXIT_SUCCESS;
        }
    }
    if (!arguments.list) {
        fprintf(stderr, "worldd-bench: no benchmark '%s'; --list names them\n", arguments.name);
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
