/// conform_criteria.c - golden cases of criteria, look-ups, templates and absolute keys.
#include "conform_list.h"
#include "judge/scope.h"
#include "judge/template.h"
#include "judge/verdict.h"

/// The task judged, at the route of the row or its default.
static wd_status judge_row(const wd_value *row, const wd_rules *rules, wd_verdict **ret_verdict)
{
    wd_value *home = NULL;
    wd_status status = wd_value_pack(&home, "{s:s}", "path", "/home");
    if (status == WD_OK) {
        const wd_value *route = wd_object_get(row, "route");
        wd_judge_input input = {
            .rules = rules,
            .initial = wd_object_get(row, "init"),
            .final = wd_object_get(row, "curr"),
            .route = route != NULL ? route : home,
            .answer = wd_value_string_or(wd_object_get(row, "given"), NULL),
        };
        status = wd_judge(&input, ret_verdict);
    }
    wd_value_unref(&home);
    return status;
}

static wd_status replay_case(
    const wd_conform_case *one, wd_value **ret_wanted, wd_value **ret_got, wd_error *error)
{
    (void)error;
    static const char *const members[] = { "checks", "success", "progress", "declared", "error", NULL };
    wd_rules *rules = NULL;
    wd_verdict *verdict = NULL;
    wd_value *declared = NULL;
    wd_value *patterns = NULL;
    wd_value *checks = NULL;
    wd_value *progress = NULL;
    *ret_got = wd_value_object();
    wd_status status = wd_conform_pick(one->row, members, ret_wanted);
    status = status == WD_OK ? wd_rules_new(one->row, &rules) : status;
    status = status == WD_OK ? judge_row(one->row, rules, &verdict) : status;
    if (status == WD_OK && wd_rules_error(rules) == NULL) {
        status = wd_rules_patterns(
            rules, wd_object_get(one->row, "init"), wd_object_get(one->row, "curr"), &declared, &patterns);
        status = status == WD_OK ? wd_conform_put(ret_got, "declared", &declared) : status;
    }
    if (status == WD_OK) {
        checks = wd_value_ref(verdict->checks);
        status = wd_value_double(verdict->progress, &progress);
        status = status == WD_OK ? wd_conform_put(ret_got, "progress", &progress) : status;
        status = status == WD_OK ? wd_conform_put(ret_got, "checks", &checks) : status;
        status = status == WD_OK ? wd_conform_put_bool(ret_got, "success", verdict->success) : status;
        if (status == WD_OK && verdict->error != NULL) {
            status = wd_conform_put_bool(ret_got, "error", true);
        }
    }
    wd_value_unref(&declared);
    wd_value_unref(&patterns);
    wd_value_unref(&checks);
    wd_value_unref(&progress);
    wd_verdict_destroy(&verdict);
    wd_rules_destroy(&rules);
    return status;
}

static wd_status replay_look_up(
    const wd_conform_case *one, wd_value **ret_wanted, wd_value **ret_got, wd_error *error)
{
    (void)error;
    size_t length = 0;
    const char *text = wd_value_as_string(wd_object_get(one->row, "path"), &length);
    wd_path *path = NULL;
    wd_status status = wd_path_parse(text, length, &path, NULL);
    if (status == WD_OK) {
        *ret_got = wd_value_ref(wd_path_get(path, wd_object_get(one->row, "state"), true));
    }
    wd_path_destroy(&path);
    *ret_wanted = wd_value_ref(wd_object_get(one->row, "value"));
    return status == WD_ENOMEM ? status : WD_OK;
}

static wd_status text_of_buffer(wd_status status, wd_buffer *buffer, wd_value **ret_text)
{
    if (status == WD_OK) {
        status = wd_value_string(buffer->bytes != NULL ? buffer->bytes : "", buffer->length, ret_text);
    }
    wd_buffer_done(buffer);
    return status;
}

static wd_status replay_template(
    const wd_conform_case *one, wd_value **ret_wanted, wd_value **ret_got, wd_error *error)
{
    (void)error;
    size_t length = 0;
    const char *text = wd_value_as_string(wd_object_get(one->row, "text"), &length);
    wd_buffer buffer = { 0 };
    *ret_wanted = wd_value_ref(wd_object_get(one->row, "result"));
    wd_status status = wd_template_fill(text, length, wd_object_get(one->row, "params"), &buffer);
    return text_of_buffer(status, &buffer, ret_got);
}

static wd_status replay_absolute(
    const wd_conform_case *one, wd_value **ret_wanted, wd_value **ret_got, wd_error *error)
{
    (void)error;
    size_t length = 0;
    const char *key = wd_value_as_string(wd_object_get(one->row, "key"), &length);
    wd_buffer buffer = { 0 };
    *ret_wanted = wd_value_ref(wd_object_get(one->row, "path"));
    wd_status status = wd_scope_criterion(key, length, wd_object_get(one->row, "apps"), &buffer);
    return text_of_buffer(status, &buffer, ret_got);
}

static const wd_conform_list lists[] = {
    { .name = "cases", .replay = replay_case },
    { .name = "look_ups", .replay = replay_look_up },
    { .name = "templates", .replay = replay_template },
    { .name = "absolute", .replay = replay_absolute },
};

const wd_conform_kind wd_conform_criteria = { "criteria", lists, WD_COUNT_OF(lists) };
