#include "task_lua.h"

#include "lookup.h"

#include "judge/criteria.h"
#include "sim/phone.h"
#include "tree/alloc.h"

#include <string.h>

// ---- the script as a pack of its own ------------------------------------------------------------------------------

#define CHECK_PACK "check"

/// What calls the script's function: a view, which is how anything outside reads through the host.
static const char view_source[] = "\nviews.run = function(ctx, input) return check(input) end\n";

static const struct {
    const char *path, *text;
} pack_files[] = {
    { "tasks/check/manifest.json",
        "{\"id\":\"check\",\"packageName\":\"org.worldd.check\",\"name\":{\"en\":\"Check\",\"zh\":\"检查\"},"
        "\"aliases\":[],\"type\":\"third-party\",\"version\":\"1\",\"versionCode\":1,\"permissions\":[],"
        "\"intentFilters\":[]}" },
    { "tasks/check/defaults.json", "{}" },
    { "tasks/check/strings.json", "{\"en\":{},\"zh\":{}}" },
};

static wd_status list_pack(void *context, const char *directory, wd_value **ret_names)
{
    (void)context;
    return strcmp(directory, "tasks") == 0 ? wd_value_pack(ret_names, "[s]", CHECK_PACK) : WD_ENOENT;
}

static wd_status read_pack(void *context, const char *path, char **ret_bytes, size_t *ret_length)
{
    const char *text = strcmp(path, "tasks/check/app.lua") == 0 ? context : NULL;
    for (size_t i = 0; text == NULL && i < WD_COUNT_OF(pack_files); i++) {
        text = strcmp(path, pack_files[i].path) == 0 ? pack_files[i].text : NULL;
    }
    if (text == NULL) {
        return WD_ENOENT;
    }
    *ret_length = strlen(text);
    *ret_bytes = wd_strndup(text, *ret_length);
    return *ret_bytes == NULL ? WD_ENOMEM : WD_OK;
}

/// A host with that script alone: no app and no world data is in its reach.
static wd_status host_new(char *source, wd_host **ret_host, wd_error *error)
{
    static const char *const directories[] = { "tasks" };
    wd_pack_source files = { .context = source, .list = list_pack, .read = read_pack };
    wd_packs *packs = NULL;
    wd_status status = wd_packs_load(&files, directories, WD_COUNT_OF(directories), &packs, error);
    if (status == WD_OK && wd_packs_fault_count(packs) > 0) {
        *error = wd_packs_fault(packs, 0)->error;
        status = WD_ESCRIPT;
    }
    status = status == WD_OK ? wd_host_new(packs, ret_host, error) : status;
    wd_packs_unref(&packs);
    return status;
}

// ---- calling it ---------------------------------------------------------------------------------------------------

/// One check of the script's list, brought into the judge's form.
static wd_status take_check(const wd_value *given, size_t index, wd_value **checks_p, wd_error *error)
{
    const char *field = wd_value_string_or(wd_object_get(given, "field"), NULL);
    const wd_value *passed = wd_object_get(given, "passed"), *expected = wd_object_get(given, "expected");
    if (field == NULL || !wd_value_is(passed, WD_KIND_BOOL)) {
        return wd_error_set(
            error, WD_ESCRIPT, "check %zu: wants \"field\", a text, and \"passed\", true or false", index);
    }
    wd_value *none = wd_value_null(), *check = NULL;
    wd_status status = wd_check_make(field, expected == NULL ? none : expected,
        wd_object_get(given, "actual"), wd_value_as_bool(passed), &check);
    status = status == WD_OK ? wd_array_append(checks_p, &check) : status;
    wd_value_unref(&check);
    wd_value_unref(&none);
    return status;
}

static wd_status take_checks(const wd_value *given, wd_value **ret_checks, wd_error *error)
{
    if (wd_array_count(given) == 0) {
        return wd_error_set(error, WD_ESCRIPT, "check() must return a list with at least one check");
    }
    wd_value *checks = wd_value_array();
    wd_status status = WD_OK;
    wd_iter one = wd_iter_start(given);
    while (status == WD_OK && wd_iter_next(&one)) {
        status = take_check(one.value, one.index, &checks, error);
    }
    if (status != WD_OK) {
        wd_value_unref(&checks);
        return status;
    }
    *ret_checks = checks;
    return WD_OK;
}

/// One view of both states: {init, final}.
static wd_status view_both(
    wd_host *host, const wd_value *view, const wd_judge_input *input, wd_value **ret_both, wd_error *error)
{
    wd_value *initial = NULL, *final = NULL;
    wd_status status = wd_lookup_view(host, view, input->initial, &initial, error);
    status = status == WD_OK ? wd_lookup_view(host, view, input->final, &final, error) : status;
    status = status == WD_OK ? wd_value_pack(ret_both, "{s:v,s:v}", "init", initial, "final", final) : status;
    wd_value_unref(&initial);
    wd_value_unref(&final);
    return status;
}

/// {name: {init, final}} of the views that the task declares.
static wd_status views_of(
    const wd_task_judging *judging, const wd_judge_input *input, wd_value **ret_views, wd_error *error)
{
    const wd_value *declared = wd_object_get(judging->task->document, "views");
    if (wd_object_count(declared) > WD_TASK_VIEWS_MAX) {
        return wd_error_set(error, WD_ELIMIT, "views: over %d", WD_TASK_VIEWS_MAX);
    }
    wd_value *filled = NULL, *views = wd_value_object();
    wd_status status = declared == NULL ? WD_OK : wd_task_fill(declared, judging->task->params, &filled);
    wd_iter view = wd_iter_start(filled);
    while (status == WD_OK && wd_iter_next(&view)) {
        wd_value *both = NULL;
        status = view_both(judging->host, view.value, input, &both, error);
        if (status != WD_OK) {
            wd_error_prefix(error, "views.%s", view.key);
        }
        status = status == WD_OK ? wd_object_set(&views, view.key, &both) : status;
        wd_value_unref(&both);
    }
    wd_value_unref(&filled);
    if (status != WD_OK) {
        wd_value_unref(&views);
        return status;
    }
    *ret_views = views;
    return WD_OK;
}

/// The one argument of check().
static wd_status input_of(
    const wd_task_judging *judging, const wd_judge_input *input, wd_value **ret_args, wd_error *error)
{
    wd_value *views = NULL;
    wd_status status = views_of(judging, input, &views, error);
    status = status == WD_OK
                 ? wd_value_pack(ret_args, "[{s:v,s:v,s:v,s:?s,s:v}]", "init", input->initial, "final",
                       input->final, "params", judging->task->params, "answer", input->answer, "views", views)
                 : status;
    wd_value_unref(&views);
    return status;
}

wd_status wd_task_lua_check(
    const wd_task_judging *judging, const wd_judge_input *input, wd_value **ret_checks, wd_error *error)
{
    size_t length = 0;
    const wd_value *lua = wd_object_get(judging->task->document, "lua");
    if (!wd_value_is(lua, WD_KIND_STRING)) {
        return wd_error_set(error, WD_EINVAL, "lua: the task has no script");
    }
    const char *script = wd_value_as_string(lua, &length);
    if (length > WD_TASK_LUA_MAX) {
        return wd_error_set(error, WD_ELIMIT, "lua: over %d bytes", WD_TASK_LUA_MAX);
    }
    wd_buffer source = { 0 };
    wd_host *host = NULL;
    wd_value *args = NULL, *state = NULL, *given = NULL;
    wd_status status = wd_buffer_append(&source, script, length);
    status = status == WD_OK ? wd_buffer_text(&source, view_source) : status;
    status = status == WD_OK ? host_new(source.bytes, &host, error) : status;
    status = status == WD_OK ? input_of(judging, input, &args, error) : status;
    status = status == WD_OK ? wd_value_pack(&state, "{s:{},s:{s:{}}}", "os", "apps", CHECK_PACK) : status;
    status = status == WD_OK ? wd_phone_view(host, state, CHECK_PACK, "run", args, &given, error) : status;
    status = status == WD_OK ? take_checks(given, ret_checks, error) : status;
    wd_value_unref(&given);
    wd_value_unref(&state);
    wd_value_unref(&args);
    wd_host_destroy(&host);
    wd_buffer_done(&source);
    return status;
}
