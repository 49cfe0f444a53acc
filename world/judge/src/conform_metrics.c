/// conform_metrics.c - golden cases of flags, rewards, aggregates, budgets and ids.
#include "conform_list.h"
#include "judge/criteria.h"
#include "judge/episode_id.h"
#include "judge/metrics.h"
#include "tree/alloc.h"

#include <string.h>

static bool flag_of(const wd_value *object, const char *name, bool fallback)
{
    return wd_value_bool_or(wd_object_get(object, name), fallback);
}

static const char *text_member(const wd_value *object, const char *name)
{
    return wd_value_string_or(wd_object_get(object, name), NULL);
}

/// The episode of a row of `episodes` or `aggregates`.
static wd_scored_run episode_of(const wd_value *row)
{
    const wd_value *judge = wd_object_get(row, "judge");
    return (wd_scored_run){
        .task = wd_value_string_or(wd_object_get(row, "tid"), "s.T"),
        .stop = wd_stop_named(text_member(row, "stop_reason")),
        .judged = wd_value_is(judge, WD_KIND_OBJECT),
        .success = flag_of(judge, "success", false),
        .clean = flag_of(judge, "clean", true),
        .progress = wd_value_double_or(wd_object_get(judge, "progress"), 0.0),
        .verdict_error = text_member(judge, "judge_error"),
        .checks = wd_object_get(judge, "issues"),
        .error = text_member(row, "error"),
        .late_answer = flag_of(row, "answer_completion_accepted", flag_of(row, "answer_ok", false)),
        .steps = wd_value_int_or(wd_object_get(row, "steps"), 5),
        .runtime_s = 1.5,
    };
}

// ---- episodes and rewards ---------------------------------------------------------------------------------

static wd_status flags_value(const wd_flags *flags, wd_value **ret_value)
{
    wd_value *nothing = wd_value_null();
    wd_status status = wd_value_pack(ret_value, "{s:b,s:b,s:b,s:d,s:b,s:b,s:?s,s:b}", "success",
        (int)flags->success, "goal_success", (int)flags->goal_success, "no_unexpected_changes",
        (int)flags->no_unexpected_changes, "progress", flags->progress, "false_complete",
        (int)flags->false_complete, "overdue_termination", (int)flags->overdue, "error", flags->error,
        "is_error", (int)(flags->error != NULL));
    if (status == WD_OK && flags->error == NULL) {
        status = wd_object_set(ret_value, "error", &nothing);
    }
    wd_value_unref(&nothing);
    return status;
}

static wd_status artifacts_value(const wd_reward_input *input, const char *error, wd_value **ret_value)
{
    wd_value *none = wd_value_array();
    wd_value *nothing = wd_value_null();
    const char *stop = wd_stop_name(input->stop);
    wd_status status = wd_value_pack(ret_value, "{s:d,s:b,s:b,s:b,s:b,s:i,s:b,s:?s,s:b,s:b,s:v,s:?s}",
        "progress", input->progress, "goal_success", (int)input->goal_success, "success", (int)input->success,
        "clean", (int)input->clean, "passed", (int)input->passed, "steps", (int64_t)5, "finished",
        (int)input->finished, "stop_reason", stop, "false_complete", (int)input->false_complete,
        "overdue_termination", (int)input->overdue, "goal_checks",
        input->checks != NULL ? input->checks : none, "error", error);
    if (status == WD_OK && stop == NULL) {
        status = wd_object_set(ret_value, "stop_reason", &nothing);
    }
    wd_value_unref(&none);
    wd_value_unref(&nothing);
    return status;
}

static wd_status reward_value(const wd_reward_input *input, wd_value **ret_value)
{
    wd_reward reward = wd_reward_of(input);
    return wd_value_pack(ret_value, "{s:d,s:b,s:{s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d,s:d}}", "reward",
        reward.reward, "is_correct", (int)input->success, "signals", "progress", input->progress,
        "goal_success", (double)input->goal_success, "success", (double)input->success, "clean",
        (double)input->clean, "passed", (double)input->passed, "false_complete",
        (double)input->false_complete, "overdue", (double)input->overdue, "aborted_after_goal_success",
        (double)reward.aborted_after_goal_success, "wrong_answer_submitted",
        (double)reward.wrong_answer_submitted);
}

static wd_status replay_episode(
    const wd_conform_case *one, wd_value **ret_wanted, wd_value **ret_got, wd_error *error)
{
    (void)error;
    static const char *const members[] = { "expected", "artifacts", "rl", NULL };
    wd_scored_run episode = episode_of(one->row);
    wd_flags flags = wd_flags_of(&episode);
    wd_reward_input input = wd_reward_input_of(&episode);
    wd_value *expected = NULL;
    wd_value *artifacts = NULL;
    wd_value *reward = NULL;
    wd_status status = wd_conform_pick(one->row, members, ret_wanted);
    status = status == WD_OK ? flags_value(&flags, &expected) : status;
    status = status == WD_OK ? artifacts_value(&input, flags.error, &artifacts) : status;
    status = status == WD_OK ? reward_value(&input, &reward) : status;
    if (status == WD_OK) {
        status = wd_value_pack(
            ret_got, "{s:v,s:v,s:v}", "expected", expected, "artifacts", artifacts, "rl", reward);
    }
    wd_value_unref(&expected);
    wd_value_unref(&artifacts);
    wd_value_unref(&reward);
    return status;
}

static wd_status replay_reward(
    const wd_conform_case *one, wd_value **ret_wanted, wd_value **ret_got, wd_error *error)
{
    (void)error;
    static const char *const members[] = { "reward", "is_correct", "signals", NULL };
    const wd_value *artifacts = wd_object_get(one->row, "artifacts");
    bool success = flag_of(artifacts, "success", false);
    wd_reward_input input = {
        .progress = wd_value_double_or(wd_object_get(artifacts, "progress"), 0.0),
        .goal_success = flag_of(artifacts, "goal_success", success),
        .success = success,
        .clean = flag_of(artifacts, "clean", true),
        .passed = flag_of(artifacts, "passed", false),
        .finished = flag_of(artifacts, "finished", false),
        .false_complete = flag_of(artifacts, "false_complete", false),
        .overdue = flag_of(artifacts, "overdue_termination", false),
        .has_error = text_member(artifacts, "error") != NULL,
        .stop = wd_stop_named(text_member(artifacts, "stop_reason")),
        .checks = wd_object_get(artifacts, "goal_checks"),
    };
    wd_status status = wd_conform_pick(one->row, members, ret_wanted);
    return status == WD_OK ? reward_value(&input, ret_got) : status;
}

// ---- progress ---------------------------------------------------------------------------------------------

/// A check as it is shown: what is missing becomes "?" or null.
static wd_status shown_check(const wd_value *check, wd_value **ret_shown)
{
    wd_value *nothing = wd_value_null();
    wd_value *unknown = NULL;
    wd_status status = wd_value_text("?", &unknown);
    const wd_value *field = wd_object_get(check, "field");
    const wd_value *expected = wd_object_get(check, "expected");
    const wd_value *actual = wd_object_get(check, "actual");
    if (status == WD_OK) {
        status = wd_value_pack(ret_shown, "{s:v,s:v,s:v,s:v}", "field", field != NULL ? field : unknown,
            "expected", expected != NULL ? expected : nothing, "actual", actual != NULL ? actual : nothing,
            "passed", wd_object_get(check, "passed"));
    }
    wd_value_unref(&nothing);
    wd_value_unref(&unknown);
    return status;
}

static wd_status progress_value(
    const wd_value *checks, size_t passed, const char *judge_error, wd_value **ret_value)
{
    wd_value *issues = wd_value_array();
    size_t count = wd_array_count(checks);
    bool success = judge_error == NULL && passed == count;
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(judge_error == NULL ? checks : NULL);
    while (status == WD_OK && wd_iter_next(&iter)) {
        wd_value *shown = NULL;
        status = shown_check(iter.value, &shown);
        status = status == WD_OK ? wd_array_append(&issues, &shown) : status;
        wd_value_unref(&shown);
    }
    if (status == WD_OK) {
        double progress = judge_error == NULL && count > 0 ? (double)passed / (double)count : 0.0;
        status = wd_value_pack(ret_value, "{s:b,s:b,s:d,s:b,s:v,s:[],s:?s}", "success", (int)success, "clean",
            1, "progress", progress, "passed", (int)success, "issues", issues, "warnings", "judge_error",
            judge_error);
    }
    wd_value_unref(&issues);
    return status;
}

static wd_status replay_progress(
    const wd_conform_case *one, wd_value **ret_wanted, wd_value **ret_got, wd_error *error)
{
    (void)error;
    // Said of a task without checks by the implementation the cases come from; ours says it in its own words.
    static const char no_checks[] =
        "is_successful() raised: T must implement check_goals() or override is_successful()";
    static const char *const members[] = { "result", "error", NULL };
    const wd_value *checks = wd_object_get(one->row, "checks");
    wd_value *result = NULL;
    size_t passed = 0;
    wd_error why = { 0 };
    *ret_got = wd_value_object();
    wd_status status = wd_conform_pick(one->row, members, ret_wanted);
    if (status != WD_OK) {
        return status;
    }
    wd_status scan = wd_checks_scan(checks, &passed, &why);
    if (scan == WD_ETYPE) {
        return wd_conform_put_bool(ret_got, "error", true);
    }
    const char *judge_error = scan != WD_OK ? why.text : wd_array_count(checks) == 0 ? no_checks : NULL;
    status = progress_value(checks, passed, judge_error, &result);
    return status == WD_OK ? wd_conform_put(ret_got, "result", &result) : status;
}

// ---- aggregates -------------------------------------------------------------------------------------------

/// `summary` under the names of either report.
static wd_status rename_members(const wd_value *summary, const char *const (*names)[2], wd_value **ret_report)
{
    *ret_report = wd_value_object();
    wd_status status = WD_OK;
    for (; status == WD_OK && (*names)[0] != NULL; names++) {
        wd_value *member = wd_value_ref(wd_object_get(summary, (*names)[0]));
        if (member != NULL) {
            status = wd_conform_put(ret_report, (*names)[1], &member);
        }
    }
    return status;
}

static const char *const live_names[][2] = {
    { "total_tasks", "total_tasks" },
    { "total_episodes", "total_episodes" },
    { "repeat_n", "repeat_n" },
    { "success", "success_count" },
    { "error", "error_count" },
    { "success_rate", "success_rate" },
    { "avg_steps", "avg_steps" },
    { "avg_runtime_s", "avg_runtime_s" },
    { "progress_rate", "progress_rate" },
    { "false_complete_rate", "false_complete_rate" },
    { "overdue_termination_rate", "overdue_termination_rate" },
    { "unexpected_side_effects_rate", "unexpected_side_effects_rate" },
    { "pass_at_k", "pass_at_k" },
    { "per_task_pass_k", "per_task_pass_k" },
    { NULL, NULL },
};

static const char *const recorded_names[][2] = {
    { "total_tasks", "total_tasks" },
    { "total_episodes", "total_episodes" },
    { "repeat_n", "repeat_n" },
    { "success", "success" },
    { "failed", "failed" },
    { "error", "error" },
    { "success_rate", "success_rate" },
    { "avg_steps", "avg_steps" },
    { "avg_runtime_s", "avg_runtime_s" },
    { "success_tasks", "success_tasks" },
    { "failed_tasks", "failed_tasks" },
    { "error_tasks", "error_tasks" },
    { "pass_at_k", "pass_at_k" },
    { "per_task_pass_k", "per_task_pass_k" },
    { NULL, NULL },
};

static wd_status put_time(wd_value **recorded_p, const char *name, const char *text)
{
    wd_value *item = NULL;
    wd_status status = wd_value_text(text, &item);
    return status == WD_OK ? wd_conform_put(recorded_p, name, &item) : status;
}

enum { PASS_K_MAX = 16 };

static wd_status summarise(const wd_value *row, wd_value **ret_summary)
{
    const wd_value *rows = wd_object_get(row, "rows");
    size_t count = wd_array_count(rows);
    wd_scored_run *episodes = wd_alloc((count + 1) * sizeof *episodes);
    if (episodes == NULL) {
        return WD_ENOMEM;
    }
    wd_iter iter = wd_iter_start(rows);
    while (wd_iter_next(&iter)) {
        episodes[iter.index] = episode_of(iter.value);
    }
    int64_t pass_k[PASS_K_MAX];
    size_t pass_k_count = 0;
    iter = wd_iter_start(wd_object_get(row, "pass_k"));
    while (pass_k_count < PASS_K_MAX && wd_iter_next(&iter)) {
        pass_k[pass_k_count++] = wd_value_int_or(iter.value, 0);
    }
    wd_status status = wd_metrics_summary(episodes, count, wd_value_int_or(wd_object_get(row, "repeat_n"), 1),
        pass_k, pass_k_count, ret_summary);
    wd_free(episodes, (count + 1) * sizeof *episodes);
    return status;
}

static wd_status replay_aggregate(
    const wd_conform_case *one, wd_value **ret_wanted, wd_value **ret_got, wd_error *error)
{
    (void)error;
    static const char *const members[] = { "live", "recorded", NULL };
    wd_value *summary = NULL;
    wd_value *live = NULL;
    wd_value *recorded = NULL;
    wd_status status = wd_conform_pick(one->row, members, ret_wanted);
    status = status == WD_OK ? summarise(one->row, &summary) : status;
    status = status == WD_OK ? rename_members(summary, live_names, &live) : status;
    status = status == WD_OK ? rename_members(summary, recorded_names, &recorded) : status;
    status = status == WD_OK ? put_time(&recorded, "start_time", "S") : status;
    status = status == WD_OK ? put_time(&recorded, "end_time", "E") : status;
    status =
        status == WD_OK ? wd_value_pack(ret_got, "{s:v,s:v}", "live", live, "recorded", recorded) : status;
    wd_value_unref(&summary);
    wd_value_unref(&live);
    wd_value_unref(&recorded);
    return status;
}

// ---- single formulas --------------------------------------------------------------------------------------

static wd_status replay_pass_at_k(
    const wd_conform_case *one, wd_value **ret_wanted, wd_value **ret_got, wd_error *error)
{
    (void)error;
    *ret_wanted = wd_value_ref(wd_object_get(one->row, "expected"));
    return wd_value_double(wd_pass_at_k(wd_value_int_or(wd_object_get(one->row, "n"), 0),
                               wd_value_int_or(wd_object_get(one->row, "c"), 0),
                               wd_value_int_or(wd_object_get(one->row, "k"), 0)),
        ret_got);
}

static wd_status replay_max_steps(
    const wd_conform_case *one, wd_value **ret_wanted, wd_value **ret_got, wd_error *error)
{
    (void)error;
    static const char *const members[] = { "expected", "error", NULL };
    const wd_value *row = one->row;
    bool grounded = wd_value_is_text(wd_object_get(row, "eval_mode"), "grounded");
    int64_t steps = 0;
    wd_value *number = NULL;
    *ret_got = wd_value_object();
    wd_status status = wd_conform_pick(row, members, ret_wanted);
    if (status != WD_OK) {
        return status;
    }
    status = wd_max_steps(text_member(row, "difficulty"), wd_object_get(row, "task_max_steps"),
        grounded && flag_of(row, "has_answer_fields", false),
        wd_value_int_or(wd_object_get(row, "cli_max_steps"), 0), &steps);
    if (status == WD_EINVAL) {
        return wd_conform_put_bool(ret_got, "error", true);
    }
    status = wd_value_int(steps, &number);
    return status == WD_OK ? wd_conform_put(ret_got, "expected", &number) : status;
}

static wd_status id_text(const wd_value *row, const char *function, wd_buffer *buffer)
{
    const char *task = wd_value_string_or(wd_object_get(row, "task_id"), "");
    if (strcmp(function, "base_task_id") == 0) {
        return wd_buffer_append(buffer, task, wd_base_task_id(task));
    }
    if (strcmp(function, "result_key") == 0) {
        return wd_result_key(task, wd_value_int_or(wd_object_get(row, "trial_id"), 0), buffer);
    }
    return wd_episode_dir(wd_value_string_or(wd_object_get(row, "episode_key"), ""), buffer);
}

static wd_status replay_id(
    const wd_conform_case *one, wd_value **ret_wanted, wd_value **ret_got, wd_error *error)
{
    (void)error;
    const wd_value *row = one->row;
    const char *function = wd_value_string_or(wd_object_get(row, "fn"), "");
    *ret_wanted = wd_value_ref(wd_object_get(row, "expected"));
    if (strcmp(function, "instance_seed") == 0) {
        uint32_t seed = wd_instance_seed(wd_value_string_or(wd_object_get(row, "task_id"), ""),
            (uint64_t)wd_value_int_or(wd_object_get(row, "instance"), 0),
            (uint32_t)wd_value_int_or(wd_object_get(row, "base_seed"), 0));
        return wd_value_int(seed, ret_got);
    }
    wd_buffer buffer = { 0 };
    wd_status status = id_text(row, function, &buffer);
    status = status == WD_OK ? wd_value_string(buffer.bytes, buffer.length, ret_got) : status;
    wd_buffer_done(&buffer);
    return status;
}

static wd_status replay_late_answer(
    const wd_conform_case *one, wd_value **ret_wanted, wd_value **ret_got, wd_error *error)
{
    (void)error;
    static const char *const answering[] = { "AT", "ATF", "CTA", "CTG" };
    const wd_value *row = one->row;
    const char *kind = wd_value_string_or(wd_object_get(row, "task_kind"), "");
    bool takes_answer = false;
    for (size_t i = 0; i < WD_COUNT_OF(answering); i++) {
        takes_answer = takes_answer || strcmp(kind, answering[i]) == 0;
    }
    bool accepted = wd_episode_accepts_late_answer(wd_stop_named(text_member(row, "stop_reason")),
        wd_value_is_text(wd_object_get(row, "judge_kind"), "pass"), takes_answer,
        flag_of(row, "has_answer_fields", false), text_member(row, "answer_action") != NULL);
    *ret_wanted = wd_value_ref(wd_object_get(row, "expected"));
    *ret_got = wd_value_bool(accepted);
    return WD_OK;
}

#define METRIC(list, function)                                                                               \
    {                                                                                                        \
        .name = list, .replay = function, .tolerance = 1e-12                                                 \
    }
static const wd_conform_list lists[] = {
    METRIC("episodes", replay_episode),
    METRIC("rewards", replay_reward),
    METRIC("progress", replay_progress),
    METRIC("pass_at_k", replay_pass_at_k),
    METRIC("aggregates", replay_aggregate),
    METRIC("max_steps", replay_max_steps),
    METRIC("ids", replay_id),
    METRIC("late_answers", replay_late_answer),
};

const wd_conform_kind wd_conform_metrics = { "metrics", lists, WD_COUNT_OF(lists) };
