// worldctl eval: every task that matches, with every seed, by one planner; resumable, several runs at a time.
#include "eval.h"

#include "judge/metrics.h"
#include "runtime/control_client.h"
#include "runtime/task_library.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PARALLEL_MAX = 64, GLOBS_MAX = 64, SEEDS_MAX = 100 * 1000, BAR_WIDTH = 30 };

static const struct argp_option options[] = {
    { "tasks", 't', "GLOB", 0, "Tasks to run; may be repeated (default: all)", 0 },
    { "planner", 'p', "NAME", 0, "Ask only the planner of this name", 0 },
    { "seeds", 's', "A..B", 0, "Seeds, or one (default 0)", 0 },
    { "parallel", 'n', "N", 0, "Runs at a time (default 1)", 0 },
    { "results", 'r', "FILE", 0, "Where results are kept (default eval.jsonl)", 0 },
    { "junit", 'x', "FILE", 0, "Write JUnit XML as well", 0 },
    CTL_ENDPOINT_OPTION,
    { "json", 'j', NULL, 0, "The summary as JSON", 0 },
    { 0 },
};
static const char doc[] =
    "Run tasks with a planner and say how it did: success rate, progress, false completions, unexpected side "
    "effects, overdue terminations.\v"
    "Each result is one line of the results file as soon as it is there. What stands there already is not "
    "run again, "
    "so the same command goes on where it was stopped; runs that ended with an error are tried again.\n\n"
    "Examples:\n"
    "  worldctl eval --tasks 'messages/*' --planner mine --seeds 0..9 --parallel 4\n"
    "  worldctl eval --planner mine --results mine.jsonl --junit mine.xml --json\n\n"
    "Exit codes: 0 all runs succeeded, 1 some did not, 2 they could not be run.";

typedef struct eval_arguments {
    const char *globs[GLOBS_MAX];
    size_t glob_count;
    const char *planner, *results, *junit, *endpoint;
    int64_t seed_first, seed_last;
    unsigned parallel;
    bool json;
} eval_arguments;

/// What the workers share. Values stay with the thread that made them: workers get texts, and write texts.
typedef struct eval_bench {
    const eval_arguments *given;
    char endpoint[WD_CONFIG_TEXT_MAX];
    const char *tasks;  // the directory
    struct eval_job {
        const char *task;  // borrowed from the list of ids, which only the main thread drops
        int64_t seed;
    } * jobs;
    size_t job_count;

    pthread_mutex_t lock;  // of all below
    size_t next, done, succeeded;
    double started_s;
    FILE *results;
    bool broken;  // the daemon is gone or the disk is full: stop
    wd_error error;
} eval_bench;

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// ---- arguments --------------------------------------------------------------------------------------------------

static bool read_number(const char *text, const char *end, int64_t *ret_number)
{
    char *stop = NULL;
    long long number = strtoll(text, &stop, 10);
    *ret_number = number;
    return stop == end && stop != text && number >= 0 && number < INT64_MAX;
}

static void read_seeds(eval_arguments *given, const char *text, struct argp_state *state)
{
    const char *dots = strstr(text, "..");
    const char *end = text + strlen(text);
    bool good = read_number(text, dots == NULL ? end : dots, &given->seed_first);
    given->seed_last = given->seed_first;
    good = good && (dots == NULL || read_number(dots + 2, end, &given->seed_last));
    if (!good || given->seed_last < given->seed_first || given->seed_last - given->seed_first >= SEEDS_MAX) {
        argp_error(
            state, "--seeds: \"%s\" is neither N nor A..B with A <= B and at most %d seeds", text, SEEDS_MAX);
    }
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    eval_arguments *given = state->input;
    int64_t number = 0;
    switch (key) {
    case 't':
        if (given->glob_count == GLOBS_MAX) {
            argp_error(state, "--tasks: at most %d times", GLOBS_MAX);
        }
        given->globs[given->glob_count++] = value;
        return 0;
    case 'p':
        given->planner = value;
        return 0;
    case 's':
        read_seeds(given, value, state);
        return 0;
    case 'n':
        if (!read_number(value, value + strlen(value), &number) || number < 1 || number > PARALLEL_MAX) {
            argp_error(state, "--parallel: \"%s\" is no number from 1 to %d", value, PARALLEL_MAX);
        }
        given->parallel = (unsigned)number;
        return 0;
    case 'r':
        given->results = value;
        return 0;
    case 'x':
        given->junit = value;
        return 0;
    case 'e':
        given->endpoint = value;
        return 0;
    case 'j':
        given->json = true;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "\"%s\": tasks are named by --tasks", value);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

// ---- the bar ----------------------------------------------------------------------------------------------------

/// One line on the terminal, drawn over itself. With the lock.
static void draw_bar(const eval_bench *bench)
{
    if (!isatty(STDERR_FILENO)) {
        return;
    }
    double passed_s = now_s() - bench->started_s;
    double rate = passed_s > 0 ? (double)bench->done / passed_s : 0;
    long left_s = rate > 0 ? (long)((double)(bench->job_count - bench->done) / rate) : 0;
    int full = (int)(bench->done * BAR_WIDTH / bench->job_count);
    fprintf(stderr, "\r[%.*s%*s] %zu/%zu  %.1f/s  ETA %ld:%02ld  SR %.3f ", full,
        "##############################", BAR_WIDTH - full, "", bench->done, bench->job_count, rate,
        left_s / 60, left_s % 60, bench->done > 0 ? (double)bench->succeeded / (double)bench->done : 0.0);
    fflush(stderr);
}

// ---- workers ----------------------------------------------------------------------------------------------------

/// The next job; NULL when there is none, or something broke.
static const struct eval_job *take_job(eval_bench *bench)
{
    pthread_mutex_lock(&bench->lock);
    const struct eval_job *job =
        bench->broken || bench->next == bench->job_count ? NULL : &bench->jobs[bench->next++];
    pthread_mutex_unlock(&bench->lock);
    return job;
}

static void break_off(eval_bench *bench, const wd_error *error)
{
    pthread_mutex_lock(&bench->lock);
    if (!bench->broken) {
        bench->broken = true;
        bench->error = *error;
    }
    pthread_mutex_unlock(&bench->lock);
}

/// Write a row and count it.
static void keep_row(eval_bench *bench, const wd_value *row)
{
    wd_buffer line = { 0 };
    bool success = wd_value_bool_or(wd_object_get(row, "passed"), false) &&
                   (wd_value_is_text(wd_object_get(row, "stop"), "COMPLETE") ||
                       wd_value_bool_or(wd_object_get(row, "late_answer"), false));
    wd_status status = wd_json_write(row, WD_JSON_COMPACT, &line);
    status = status == WD_OK ? wd_buffer_text(&line, "\n") : status;
    pthread_mutex_lock(&bench->lock);
    // One write a line, flushed: who is killed loses the runs in flight and no more.
    bool written = status == WD_OK && fwrite(line.bytes, 1, line.length, bench->results) == line.length &&
                   fflush(bench->results) == 0;
    bench->done += 1;
    bench->succeeded += success;
    draw_bar(bench);
    pthread_mutex_unlock(&bench->lock);
    if (!written) {
        break_off(bench, &(wd_error){ .text = "results cannot be written" });
    }
    wd_buffer_done(&line);
}

static wd_status ask_run(eval_bench *bench, wd_control_client *client, const struct eval_job *job,
    wd_value **ret_result, wd_error *error)
{
    wd_value *args = NULL;
    wd_status status = wd_value_pack(
        &args, "{s:s,s:i,s:?s}", "task", job->task, "seed", job->seed, "planner", bench->given->planner);
    status =
        status == WD_OK ? wd_control_request(client, "run", args, -1, NULL, NULL, ret_result, error) : status;
    wd_value_unref(&args);
    return status;
}

/// Run one job and keep its row. @return false when the daemon cannot be talked to any more.
static bool do_job(eval_bench *bench, wd_control_client *client, const struct eval_job *job)
{
    wd_value *document = NULL, *result = NULL, *row = NULL;
    wd_error error = { .text = "out of memory" };
    double from_s = now_s();
    wd_status status = wd_task_library_read(bench->tasks, job->task, &document, &error);
    status = status == WD_OK ? ask_run(bench, client, job, &result, &error) : status;
    bool lost = status == WD_EPEERLOST || status == WD_ETIMEOUT || status == WD_ENOMEM;
    if (!lost) {
        status = eval_row(job->task, document, job->seed, bench->given->planner, result,
            status == WD_OK ? NULL : error.text, now_s() - from_s, &row);
        lost = status != WD_OK;
    }
    if (lost) {
        break_off(bench, &error);
    } else {
        keep_row(bench, row);
    }
    wd_value_unref(&document);
    wd_value_unref(&result);
    wd_value_unref(&row);
    return !lost;
}

static void *work(void *context)
{
    eval_bench *bench = context;
    wd_control_client *client = NULL;
    wd_error error;
    if (wd_control_client_new(bench->endpoint, "worldctl-eval", 3000, &client, &error) != WD_OK) {
        break_off(bench, &error);
        return NULL;
    }
    const struct eval_job *job = NULL;
    while ((job = take_job(bench)) != NULL && do_job(bench, client, job)) {
    }
    wd_control_client_destroy(&client);
    return NULL;
}

static wd_status run_workers(eval_bench *bench, wd_error *error)
{
    pthread_t threads[PARALLEL_MAX];
    unsigned count = 0;
    bench->started_s = now_s();
    while (count < bench->given->parallel && count < bench->job_count) {
        if (pthread_create(&threads[count], NULL, work, bench) != 0) {
            break;  // fewer than wished
        }
        count += 1;
    }
    for (unsigned i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
    }
    if (isatty(STDERR_FILENO) && bench->done > 0) {
        fputc('\n', stderr);
    }
    if (bench->job_count > 0 && count == 0) {
        return wd_error_set(error, WD_ENOMEM, "no thread could be started");
    }
    if (bench->broken) {
        *error = bench->error;
        return WD_EIO;
    }
    return WD_OK;
}

// ---- jobs -------------------------------------------------------------------------------------------------------

/// Is there a row of that task and seed that is no error?
static bool is_done(const wd_value *rows, const char *task, int64_t seed)
{
    wd_iter row = wd_iter_start(rows);
    while (wd_iter_next(&row)) {
        if (wd_value_is_text(wd_object_get(row.value, "task"), task) &&
            wd_value_int_or(wd_object_get(row.value, "seed"), -1) == seed) {
            return wd_object_get(row.value, "error") == NULL;
        }
    }
    return false;
}

/// The ids that some glob matches, in order, each once.
static wd_status list_tasks(
    const eval_arguments *given, const char *tasks, wd_value **ret_ids, wd_error *error)
{
    wd_value *ids = wd_value_array();
    wd_status status = WD_OK;
    for (size_t g = 0; status == WD_OK && g < (given->glob_count == 0 ? 1 : given->glob_count); g++) {
        wd_value *found = NULL;
        status = wd_task_library_list(tasks, given->glob_count == 0 ? NULL : given->globs[g], &found, error);
        wd_iter id = wd_iter_start(found);
        while (status == WD_OK && wd_iter_next(&id)) {
            bool known = false;
            wd_iter old = wd_iter_start(ids);
            while (!known && wd_iter_next(&old)) {
                known = wd_value_equal(old.value, id.value);
            }
            wd_value *item = wd_value_ref(id.value);
            status = known ? WD_OK : wd_array_append(&ids, &item);
            wd_value_unref(&item);
        }
        wd_value_unref(&found);
    }
    if (status == WD_OK && wd_array_count(ids) == 0) {
        status = wd_error_set(error, WD_ENOENT, "no task matches in %s", tasks);
    }
    if (status != WD_OK) {
        wd_value_unref(&ids);
        return status;
    }
    *ret_ids = ids;
    return WD_OK;
}

static wd_status make_jobs(eval_bench *bench, const wd_value *ids, const wd_value *rows, wd_error *error)
{
    const eval_arguments *given = bench->given;
    size_t seeds = (size_t)(given->seed_last - given->seed_first + 1);
    bench->jobs = calloc(wd_array_count(ids) * seeds, sizeof *bench->jobs);
    if (bench->jobs == NULL) {
        return wd_error_set(error, WD_ENOMEM, "out of memory");
    }
    wd_iter id = wd_iter_start(ids);
    while (wd_iter_next(&id)) {
        const char *task = wd_value_as_string(id.value, NULL);
        for (int64_t seed = given->seed_first; seed <= given->seed_last; seed++) {
            if (!is_done(rows, task, seed)) {
                bench->jobs[bench->job_count++] = (struct eval_job){ .task = task, .seed = seed };
            }
        }
    }
    return WD_OK;
}

/// Cut a last line that was not written whole, so that the next one starts anew.
static wd_status open_results(eval_bench *bench, wd_error *error)
{
    const char *path = bench->given->results;
    FILE *file = fopen(path, "a+");
    long whole = 0;
    int c;
    for (long at = 0; file != NULL && (c = fgetc(file)) != EOF;) {
        at += 1;
        whole = c == '\n' ? at : whole;
    }
    if (file == NULL || ferror(file) != 0 || ftruncate(fileno(file), whole) != 0 ||
        fseek(file, 0, SEEK_END) != 0) {
        if (file != NULL) {
            fclose(file);
        }
        return wd_error_set(error, WD_EIO, "%s: cannot be written", path);
    }
    bench->results = file;
    return WD_OK;
}

/// The rows that were asked for, of all that the file holds.
static wd_status select_rows(
    const eval_arguments *given, const wd_value *ids, const wd_value *rows, wd_value **ret_rows)
{
    wd_value *selected = wd_value_array();
    wd_status status = WD_OK;
    wd_iter row = wd_iter_start(rows);
    while (status == WD_OK && wd_iter_next(&row)) {
        int64_t seed = wd_value_int_or(wd_object_get(row.value, "seed"), -1);
        bool wanted = false;
        wd_iter id = wd_iter_start(ids);
        while (!wanted && wd_iter_next(&id)) {
            wanted = wd_value_equal(id.value, wd_object_get(row.value, "task"));
        }
        if (wanted && seed >= given->seed_first && seed <= given->seed_last) {
            wd_value *item = wd_value_ref(row.value);
            status = wd_array_append(&selected, &item);
            wd_value_unref(&item);
        }
    }
    if (status != WD_OK) {
        wd_value_unref(&selected);
        return status;
    }
    *ret_rows = selected;
    return WD_OK;
}

/// Tell what the results file holds of what was asked for. @return the exit code.
static int report(const eval_arguments *given, const wd_value *ids)
{
    wd_value *all = NULL, *rows = NULL, *summary = NULL;
    wd_error error = { .text = "out of memory" };
    int code = CTL_FAULT;
    wd_status status = eval_read(given->results, given->planner, &all, &error);
    status = status == WD_OK ? select_rows(given, ids, all, &rows) : status;
    status = status == WD_OK ? eval_summary(rows, &summary) : status;
    status = status == WD_OK && given->junit != NULL ? eval_junit(rows, given->junit, &error) : status;
    if (status == WD_OK) {
        if (given->json) {
            ctl_print(summary, WD_JSON_COMPACT);
        } else {
            eval_print(summary);
        }
        const wd_value *whole = wd_object_get(summary, "all");
        bool good = wd_value_int_or(wd_object_get(whole, "success"), 0) ==
                    wd_value_int_or(wd_object_get(whole, "total_episodes"), -1);
        code = good ? CTL_OK : CTL_NO;
    } else {
        ctl_fault(&error);
    }
    wd_value_unref(&all);
    wd_value_unref(&rows);
    wd_value_unref(&summary);
    return code;
}

int ctl_eval(int argc, char **argv)
{
    eval_arguments given = { .results = "eval.jsonl", .parallel = 1 };
    ctl_parse(argc, argv, options, parse, "", doc, &given);
    eval_bench bench = { .given = &given, .lock = PTHREAD_MUTEX_INITIALIZER };
    wd_error error = { .text = "out of memory" };
    wd_config config;
    wd_value *ids = NULL, *rows = NULL;
    wd_status status = ctl_config(&config, &error);
    if (status == WD_OK) {
        bench.tasks = config.tasks;
        status = wd_control_endpoint(
            given.endpoint, config.directory, bench.endpoint, sizeof bench.endpoint, &error);
    }
    status = status == WD_OK ? list_tasks(&given, config.tasks, &ids, &error) : status;
    status = status == WD_OK ? eval_read(given.results, given.planner, &rows, &error) : status;
    status = status == WD_OK ? make_jobs(&bench, ids, rows, &error) : status;
    status = status == WD_OK ? open_results(&bench, &error) : status;
    status = status == WD_OK ? run_workers(&bench, &error) : status;
    if (bench.results != NULL && fclose(bench.results) != 0 && status == WD_OK) {
        status = wd_error_set(&error, WD_EIO, "%s: could not be written whole", given.results);
    }
    int code = status == WD_OK ? report(&given, ids) : ctl_fault(&error);
    free(bench.jobs);
    wd_value_unref(&ids);
    wd_value_unref(&rows);
    return code;
}
