/// conform_answers.c - golden cases of answers: fields, spoken values, numerals, dates, whole sheets.
#include "conform_list.h"
#include "judge/answers.h"
#include "judge/numerals.h"
#include "judge/verdict.h"

static wd_answer_clock clock_of(const wd_value *row)
{
    const wd_value *ms = wd_object_get(row, "clock_ms");
    return (wd_answer_clock){ .known = wd_value_is_number(ms), .ms = wd_value_int_or(ms, 0) };
}

/// {match} of the row, and of the judge.
static wd_status give_match(
    wd_status status, const wd_conform_case *one, bool match, wd_value **ret_wanted, wd_value **ret_got)
{
    *ret_wanted = wd_value_ref(wd_object_get(one->row, "match"));
    *ret_got = wd_value_bool(match);
    return status;
}

static wd_status replay_field(
    const wd_conform_case *one, wd_value **ret_wanted, wd_value **ret_got, wd_error *error)
{
    (void)error;
    bool match = false;
    wd_status status = wd_answer_field(wd_object_get(one->row, "field"), wd_object_get(one->row, "expected"),
        wd_object_get(one->row, "given"), clock_of(one->row), &match);
    return give_match(status, one, match, ret_wanted, ret_got);
}

static wd_status replay_value(
    const wd_conform_case *one, wd_value **ret_wanted, wd_value **ret_got, wd_error *error)
{
    bool match = false;
    wd_status status = wd_answer_spoken(
        wd_object_get(one->row, "expected"), wd_object_get(one->row, "given"), &match, error);
    return give_match(status, one, match, ret_wanted, ret_got);
}

static wd_status replay_duration(
    const wd_conform_case *one, wd_value **ret_wanted, wd_value **ret_got, wd_error *error)
{
    (void)error;
    bool match = false;
    wd_status status =
        wd_answer_duration(wd_object_get(one->row, "expected"), wd_object_get(one->row, "given"), &match);
    return give_match(status, one, match, ret_wanted, ret_got);
}

static wd_status replay_numeral(
    const wd_conform_case *one, wd_value **ret_wanted, wd_value **ret_got, wd_error *error)
{
    (void)error;
    size_t length = 0;
    const char *text = wd_value_as_string(wd_object_get(one->row, "text"), &length);
    wd_buffer buffer = { 0 };
    *ret_wanted = wd_value_ref(wd_object_get(one->row, "result"));
    wd_status status = wd_numerals_normalise(text, length, &buffer);
    status = status == WD_OK ? wd_value_string(buffer.bytes, buffer.length, ret_got) : status;
    wd_buffer_done(&buffer);
    return status;
}

/// The order of labels is free: each becomes a member.
static wd_status as_members(const wd_value *labels, wd_value **ret_members)
{
    *ret_members = wd_value_object();
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(labels);
    while (status == WD_OK && wd_iter_next(&iter)) {
        status = wd_conform_put_bool(ret_members, wd_value_as_string(iter.value, NULL), true);
    }
    return status;
}

static wd_status replay_date_label(
    const wd_conform_case *one, wd_value **ret_wanted, wd_value **ret_got, wd_error *error)
{
    (void)error;
    size_t length = 0;
    const char *date = wd_value_as_string(wd_object_get(one->row, "date"), &length);
    wd_value *labels = NULL;
    wd_status status = wd_answer_date_labels(date, length, clock_of(one->row), &labels);
    status = status == WD_OK ? as_members(wd_object_get(one->row, "labels"), ret_wanted) : status;
    status = status == WD_OK ? as_members(labels, ret_got) : status;
    wd_value_unref(&labels);
    return status;
}

/// The row's wanted values are no paths, whatever they look like.
static wd_status literally(const wd_value *wanted, wd_value **ret_answer)
{
    if (!wd_value_is(wanted, WD_KIND_OBJECT)) {
        return wanted != NULL ? wd_value_pack(ret_answer, "{s:v}", "$value", wanted) : WD_OK;
    }
    *ret_answer = wd_value_object();
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(wanted);
    while (status == WD_OK && wd_iter_next(&iter)) {
        wd_value *slot = NULL;
        status = literally(iter.value, &slot);
        status = status == WD_OK ? wd_conform_put(ret_answer, iter.key, &slot) : status;
    }
    return status;
}

/// The task of a sheet row: what it wants, and which sort of judge it has beside the sheet.
static wd_status sheet_task(const wd_value *row, wd_value **ret_task)
{
    bool criteria = wd_value_is_text(wd_object_get(row, "judge"), "criteria");
    bool custom = wd_value_is_text(wd_object_get(row, "judge"), "custom");
    wd_value *goals = NULL;
    wd_value *field = wd_value_object();  // the task declares fields whatever the sheet holds
    wd_value *fields = NULL;
    wd_status status = criteria ? wd_value_pack(&goals, "{s:i}", "a", (int64_t)1) : WD_OK;
    wd_value *answer = NULL;
    status = status == WD_OK ? wd_value_pack(&fields, "[v]", field) : status;
    status = status == WD_OK ? literally(wd_object_get(row, "expected"), &answer) : status;
    if (status == WD_OK) {
        status = wd_value_pack(ret_task, "{s:[s],s:?v,s:?v,s:?v,s:v,s:?s}", "apps", "w", "criteria", goals,
            "answer", answer, "expected_response", wd_object_get(row, "expected_list"), "answer_fields",
            fields, "check", custom ? "custom" : NULL);
    }
    wd_value_unref(&goals);
    wd_value_unref(&answer);
    wd_value_unref(&field);
    wd_value_unref(&fields);
    return status;
}

static wd_status sheet_state(const wd_value *row, wd_value **ret_state)
{
    wd_value *store = NULL;
    wd_status status = WD_OK;
    if (wd_value_bool_or(wd_object_get(row, "sheet_present"), true)) {
        status = wd_value_pack(&store, "{s:v,s:v,s:v}", "fields", wd_object_get(row, "fields"), "answers",
            wd_object_get(row, "answers"), "submitted", wd_object_get(row, "submitted"));
    }
    if (status == WD_OK) {
        status = wd_value_pack(
            ret_state, "{s:{s:{s:i},s:?v},s:{}}", "apps", "w", "a", (int64_t)1, "answer_sheet", store, "os");
    }
    wd_value_unref(&store);
    return status;
}

/// A custom check that adds nothing to the answer's own.
static wd_status no_check(void *context, const char *name, const struct wd_judge_input *input,
    wd_value **ret_checks, wd_error *error)
{
    (void)context;
    (void)name;
    (void)input;
    (void)error;
    *ret_checks = wd_value_array();
    return WD_OK;
}

static wd_status replay_sheet(
    const wd_conform_case *one, wd_value **ret_wanted, wd_value **ret_got, wd_error *error)
{
    (void)error;
    static const char *const members[] = { "checks", "success", "progress", "error", NULL };
    wd_judge_functions functions = { .check = no_check };
    wd_value *task = NULL;
    wd_value *state = NULL;
    wd_value *checks = NULL;
    wd_value *progress = NULL;
    wd_rules *rules = NULL;
    wd_verdict *verdict = NULL;
    *ret_got = wd_value_object();
    wd_status status = wd_conform_pick(one->row, members, ret_wanted);
    status = status == WD_OK ? sheet_task(one->row, &task) : status;
    status = status == WD_OK ? sheet_state(one->row, &state) : status;
    status = status == WD_OK ? wd_rules_new(task, &rules) : status;
    if (status == WD_OK) {
        wd_judge_input input = {
            .rules = rules,
            .initial = state,
            .final = state,
            .answer = wd_value_string_or(wd_object_get(one->row, "spoken"), NULL),
            .grounded = wd_value_is_text(wd_object_get(one->row, "mode"), "grounded"),
            .clock = clock_of(one->row),
            .functions = &functions,
        };
        status = wd_judge(&input, &verdict);
    }
    if (status == WD_OK && verdict->error != NULL) {
        status = wd_conform_put_bool(ret_got, "error", true);
    } else if (status == WD_OK) {
        checks = wd_value_ref(verdict->checks);
        status = wd_value_double(verdict->progress, &progress);
        status = status == WD_OK ? wd_conform_put(ret_got, "progress", &progress) : status;
        status = status == WD_OK ? wd_conform_put(ret_got, "checks", &checks) : status;
        status = status == WD_OK ? wd_conform_put_bool(ret_got, "success", verdict->success) : status;
    }
    wd_value_unref(&checks);
    wd_value_unref(&progress);
    wd_verdict_destroy(&verdict);
    wd_rules_destroy(&rules);
    wd_value_unref(&task);
    wd_value_unref(&state);
    return status;
}

static const wd_conform_list lists[] = {
    { .name = "fields", .replay = replay_field },
    { .name = "values", .replay = replay_value },
    { .name = "durations", .replay = replay_duration },
    { .name = "numerals", .replay = replay_numeral },
    { .name = "date_labels", .replay = replay_date_label },
    { .name = "sheets", .replay = replay_sheet },
};

const wd_conform_kind wd_conform_answers = { "answers", lists, WD_COUNT_OF(lists) };
