#include "eval.h"

#include "judge/metrics.h"
#include "runtime/file.h"
#include "tree/alloc.h"

#include <stdlib.h>
#include <string.h>

static const char *text_of(const wd_value *object, const char *name, const char *fallback)
{
    return wd_value_string_or(wd_object_get(object, name), fallback);
}

static bool flag_of(const wd_value *object, const char *name)
{
    return wd_value_bool_or(wd_object_get(object, name), false);
}

// ---- rows -------------------------------------------------------------------------------------------------------

/// Why an episode did not pass, in a few words; NULL when it did, or nothing says so.
static const char *reason(const wd_value *verdict)
{
    const char *error = text_of(verdict, "error", NULL);
    if (error != NULL) {
        return error;
    }
    wd_iter check = wd_iter_start(wd_object_get(verdict, "checks"));
    while (wd_iter_next(&check)) {
        if (!flag_of(check.value, "passed")) {
            return text_of(check.value, "field", "a check");
        }
    }
    return text_of(wd_array_at(wd_object_get(verdict, "side_effects"), 0), "path", NULL);
}

wd_status eval_row(const char *task, const wd_value *document, int64_t seed, const char *planner,
    const wd_value *result, const char *failure, double runtime_s, wd_value **ret_row)
{
    const wd_value *verdict = wd_object_get(result, "verdict"), *answer = wd_object_get(result, "answer");
    const char *stop = text_of(result, "stop_reason", "ERROR");
    bool passed = flag_of(verdict, "passed");
    bool late =
        wd_episode_accepts_late_answer(wd_stop_named(stop), passed, wd_object_get(document, "answer") != NULL,
            wd_object_get(document, "answer_fields") != NULL, answer != NULL);
    if (failure == NULL && strcmp(stop, "ERROR") == 0) {
        failure = text_of(result, "text", "the run ended with an error");
    }
    return wd_value_pack(ret_row,
        "{s:s,s:i,s:?s,s:?v,s:s,s:b,s:b,s:b,s:b,s:d,s:b,s:i,s:d,s:?v,s:?s,s:?v,s:?v,s:?s}",  //
        "task", task, "seed", seed, "planner", planner, "difficulty",
        wd_object_get(document, "difficulty"),  //
        "stop", stop, "judged", verdict != NULL, "success", flag_of(verdict, "success"), "clean",
        flag_of(verdict, "clean"), "passed", passed,  //
        "progress", wd_value_double_or(wd_object_get(verdict, "progress"), 0), "late_answer", late, "steps",
        wd_value_int_or(wd_object_get(result, "steps"), 0), "runtime_s", runtime_s, "answer", answer,  //
        "why", passed ? NULL : reason(verdict), "verdict_error", wd_object_get(verdict, "error"), "episode",
        wd_object_get(result, "episode"), "error", failure);
}

static bool same_job(const wd_value *a, const wd_value *b)
{
    return wd_value_equal(wd_object_get(a, "task"), wd_object_get(b, "task")) &&
           wd_value_equal(wd_object_get(a, "seed"), wd_object_get(b, "seed"));
}

/// Add a row, in place of an earlier one of the same task and seed.
static wd_status add_row(wd_value **rows_p, wd_value **row_p)
{
    for (size_t i = wd_array_count(*rows_p); i-- > 0;) {
        if (same_job(wd_array_at(*rows_p, i), *row_p)) {
            return wd_array_set(rows_p, i, row_p);
        }
    }
    return wd_array_append(rows_p, row_p);
}

wd_status eval_read(const char *path, const char *planner, wd_value **ret_rows, wd_error *error)
{
    char *bytes = NULL;
    size_t length = 0, number = 0;
    wd_value *rows = wd_value_array();
    wd_status status = wd_file_read(path, &bytes, &length, error);
    if (status == WD_ENOENT) {
        *ret_rows = rows;
        return WD_OK;
    }
    for (char *line = bytes, *end; status == WD_OK; line = end + 1) {
        end = memchr(line, '\n', (size_t)(bytes + length - line));
        if (end == NULL) {
            break;  // what follows the last whole line was cut off
        }
        wd_value *row = NULL;
        number += 1;
        status = wd_json_parse(line, (size_t)(end - line), &row, error);
        const char *who = text_of(row, "planner", NULL);
        bool ours = planner == NULL ? who == NULL : who != NULL && strcmp(who, planner) == 0;
        if (status == WD_OK && ours) {
            status = add_row(&rows, &row);
        } else if (status != WD_OK) {
            wd_error_prefix(error, "%s:%zu", path, number);
        }
        wd_value_unref(&row);
    }
    wd_free(bytes, length + 1);
    if (status != WD_OK) {
        wd_value_unref(&rows);
        return status;
    }
    *ret_rows = rows;
    return WD_OK;
}

// ---- summaries --------------------------------------------------------------------------------------------------

static wd_scored_run episode_of(const wd_value *row)
{
    return (wd_scored_run){
        .task = text_of(row, "task", "?"),
        .stop = wd_stop_named(text_of(row, "stop", NULL)),
        .judged = flag_of(row, "judged"),
        .success = flag_of(row, "success"),
        .clean = flag_of(row, "clean"),
        .progress = wd_value_double_or(wd_object_get(row, "progress"), 0),
        .verdict_error = text_of(row, "verdict_error", NULL),
        .error = text_of(row, "error", NULL),
        .late_answer = flag_of(row, "late_answer"),
        .steps = wd_value_int_or(wd_object_get(row, "steps"), 0),
        .runtime_s = wd_value_double_or(wd_object_get(row, "runtime_s"), 0),
    };
}

/// The group that a row belongs to: its suite, or its difficulty.
static void group_of(const wd_value *row, bool by_suite, char ret_name[64])
{
    const char *task = text_of(row, "task", "?");
    if (by_suite) {
        snprintf(ret_name, 64, "%.*s", (int)strcspn(task, "/"), task);
    } else {
        snprintf(ret_name, 64, "%s", text_of(row, "difficulty", "-"));
    }
}

/// Summary of the rows of one group; `name` NULL: of all.
static wd_status summarise(const wd_value *rows, bool by_suite, const char *name, wd_value **ret_summary)
{
    size_t all = wd_array_count(rows), count = 0;
    wd_scored_run *episodes = all == 0 ? NULL : wd_alloc_zero(all, sizeof *episodes);
    if (all > 0 && episodes == NULL) {
        return WD_ENOMEM;
    }
    for (size_t i = 0; i < all; i++) {
        char group[64];
        group_of(wd_array_at(rows, i), by_suite, group);
        if (name == NULL || strcmp(group, name) == 0) {
            episodes[count++] = episode_of(wd_array_at(rows, i));
        }
    }
    wd_status status = wd_metrics_summary(episodes, count, 1, NULL, 0, ret_summary);
    wd_free(episodes, all * sizeof *episodes);
    return status;
}

static wd_status summarise_groups(const wd_value *rows, bool by_suite, wd_value **ret_groups)
{
    wd_value *groups = wd_value_object();
    wd_status status = WD_OK;
    wd_iter row = wd_iter_start(rows);
    while (status == WD_OK && wd_iter_next(&row)) {
        char name[64];
        wd_value *summary = NULL;
        group_of(row.value, by_suite, name);
        if (wd_object_get(groups, name) != NULL) {
            continue;
        }
        status = summarise(rows, by_suite, name, &summary);
        status = status == WD_OK ? wd_object_set(&groups, name, &summary) : status;
        wd_value_unref(&summary);
    }
    if (status != WD_OK) {
        wd_value_unref(&groups);
        return status;
    }
    *ret_groups = groups;
    return WD_OK;
}

wd_status eval_summary(const wd_value *rows, wd_value **ret_summary)
{
    wd_value *all = NULL, *suites = NULL, *difficulties = NULL;
    wd_status status = summarise(rows, false, NULL, &all);
    status = status == WD_OK ? summarise_groups(rows, true, &suites) : status;
    status = status == WD_OK ? summarise_groups(rows, false, &difficulties) : status;
    if (status == WD_OK) {
        status = wd_value_pack(
            ret_summary, "{s:v,s:v,s:v}", "all", all, "suites", suites, "difficulties", difficulties);
    }
    wd_value_unref(&all);
    wd_value_unref(&suites);
    wd_value_unref(&difficulties);
    return status;
}

static void print_line(const char *name, const wd_value *summary)
{
    static const char *const rates[] = { "success_rate", "progress_rate", "false_complete_rate",
        "unexpected_side_effects_rate", "overdue_termination_rate" };
    printf("%-16s %6lld %6lld", name, (long long)wd_value_int_or(wd_object_get(summary, "total_episodes"), 0),
        (long long)wd_value_int_or(wd_object_get(summary, "error"), 0));
    for (size_t i = 0; i < WD_COUNT_OF(rates); i++) {
        printf(" %6.3f", wd_value_double_or(wd_object_get(summary, rates[i]), 0));
    }
    printf(" %6.1f %7.2f\n", wd_value_double_or(wd_object_get(summary, "avg_steps"), 0),
        wd_value_double_or(wd_object_get(summary, "avg_runtime_s"), 0));
}

static int by_name(const void *a, const void *b)
{
    const char *const *first = a, *const *second = b;
    return strcmp(*first, *second);
}

static void print_groups(const char *title, const wd_value *groups)
{
    enum { GROUPS_MAX = 256 };  // more are left to --json
    const char *names[GROUPS_MAX];
    size_t count = 0;
    wd_iter group = wd_iter_start(groups);
    while (count < GROUPS_MAX && wd_iter_next(&group)) {
        names[count++] = group.key;
    }
    qsort(names, count, sizeof *names, by_name);
    printf("%s%-16s %6s %6s %6s %6s %6s %6s %6s %6s %7s%s\n", ctl_paint(CTL_BOLD), title, "runs", "errors",
        "SR", "PR", "FC", "USE", "OT", "steps", "sec", ctl_paint(CTL_PLAIN));
    for (size_t i = 0; i < count; i++) {
        print_line(names[i], wd_object_get(groups, names[i]));
    }
}

void eval_print(const wd_value *summary)
{
    print_groups("suite", wd_object_get(summary, "suites"));
    putchar('\n');
    print_groups("difficulty", wd_object_get(summary, "difficulties"));
    print_line("all", wd_object_get(summary, "all"));
}

// ---- JUnit ------------------------------------------------------------------------------------------------------

/// Text in XML. Control characters, which XML 1.0 cannot hold, become blanks.
static void put_xml(FILE *file, const char *text)
{
    for (; *text != '\0'; text++) {
        static const char special[] = "<>&\"";
        static const char *const names[] = { "&lt;", "&gt;", "&amp;", "&quot;" };
        const char *found = strchr(special, *text);
        if (found != NULL) {
            fputs(names[found - special], file);
        } else {
            fputc((unsigned char)*text < 0x20 ? ' ' : *text, file);
        }
    }
}

static void put_case(FILE *file, const wd_value *row)
{
    wd_scored_run episode = episode_of(row);
    wd_flags flags = wd_flags_of(&episode);
    char suite[64];
    group_of(row, true, suite);
    fprintf(file, "    <testcase classname=\"");
    put_xml(file, suite);
    fprintf(file, "\" name=\"");
    put_xml(file, episode.task);
    fprintf(file, " seed %lld\" time=\"%.3f\"", (long long)wd_value_int_or(wd_object_get(row, "seed"), 0),
        episode.runtime_s);
    if (flags.success) {
        fprintf(file, "/>\n");
        return;
    }
    const char *kind = flags.error != NULL ? "error" : "failure";
    const char *why = text_of(row, "why", NULL);
    fprintf(file, ">\n      <%s message=\"", kind);
    put_xml(file, flags.error != NULL ? flags.error : wd_stop_name(episode.stop));
    fprintf(file, "\">");
    put_xml(file, why == NULL ? "" : why);
    fprintf(file, "</%s>\n    </testcase>\n", kind);
}

wd_status eval_junit(const wd_value *rows, const char *path, wd_error *error)
{
    wd_value *suites = NULL;
    wd_status status = summarise_groups(rows, true, &suites);
    FILE *file = status == WD_OK ? fopen(path, "w") : NULL;
    if (status == WD_OK && file == NULL) {
        status = wd_error_set(error, WD_EIO, "%s: cannot be written", path);
    }
    wd_iter suite = wd_iter_start(suites);
    if (file != NULL) {
        fprintf(file, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    }
    while (file != NULL && wd_iter_next(&suite)) {
        fprintf(file, "  <testsuite name=\"");
        put_xml(file, suite.key);
        fprintf(file, "\" tests=\"%lld\" failures=\"%lld\" errors=\"%lld\">\n",
            (long long)wd_value_int_or(wd_object_get(suite.value, "total_episodes"), 0),
            (long long)wd_value_int_or(wd_object_get(suite.value, "failed"), 0),
            (long long)wd_value_int_or(wd_object_get(suite.value, "error"), 0));
        wd_iter row = wd_iter_start(rows);
        while (wd_iter_next(&row)) {
            char name[64];
            group_of(row.value, true, name);
            if (strcmp(name, suite.key) == 0) {
                put_case(file, row.value);
            }
        }
        fprintf(file, "  </testsuite>\n");
    }
    if (file != NULL) {
        fprintf(file, "</testsuites>\n");
        bool broken = ferror(file) != 0;
        if (fclose(file) != 0 || broken) {
            status = wd_error_set(error, WD_EIO, "%s: could not be written whole", path);
        }
    }
    wd_value_unref(&suites);
    return status;
}
