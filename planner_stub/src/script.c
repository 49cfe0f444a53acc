#include "planner_stub/script.h"

#include "planner_stub/json_text.h"
#include "planner_stub/view.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_MAX = 32, RETRIES_DEFAULT = 1, AT_MOST_DEFAULT = 10, SCRIPT_SIZE_MAX = 1024 * 1024 };

/// One plan of one run.
typedef struct flat_plan {
    const cJSON *plan;
    cJSON *bindings;
} flat_plan;

typedef struct script_run {
    char *id;
    flat_plan *plans;
    size_t plan_count;
    size_t next;     // plan to give next
    size_t given;    // plan given last; plan_count: none
    unsigned tries;  // of `next`
    uint64_t used;   // script->clock when it last asked
} script_run;

struct wd_script {
    cJSON *json;
    script_run runs[WD_SCRIPT_RUNS_MAX];
    uint64_t clock;
    bool ended;
};

static void *fail(char *ret_error, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void *fail(char *ret_error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(ret_error, WD_SCRIPT_ERROR_MAX, format, args);
    va_end(args);
    return NULL;
}

static const cJSON *member(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static const char *text_of(const cJSON *object, const char *name)
{
    return cJSON_GetStringValue(member(object, name));
}

static unsigned number_of(const cJSON *object, const char *name, unsigned fallback)
{
    const cJSON *number = member(object, name);
    return cJSON_IsNumber(number) && number->valuedouble >= 0 ? (unsigned)number->valuedouble : fallback;
}

// ---- loading --------------------------------------------------------------------------------------------------

/// Every plan has steps with actions, or is a for_each around plans. @return false: `ret_error` says where not.
static bool check_plans(const cJSON *plans, int depth, char *ret_error)
{
    const cJSON *plan = NULL;
    int index = 0;
    if (!cJSON_IsArray(plans) || depth > WD_SCRIPT_DEPTH_MAX) {
        fail(ret_error, "plans: must be a list, at most %d inside each other", (int)WD_SCRIPT_DEPTH_MAX);
        return false;
    }
    cJSON_ArrayForEach(plan, plans)
    {
        const cJSON *steps = member(plan, "steps"), *step = NULL;
        if (member(plan, "for_each") != NULL) {
            if (text_of(plan, "as") == NULL || !check_plans(member(plan, "plans"), depth + 1, ret_error)) {
                fail(ret_error, "plans[%d]: for_each needs `as` and `plans`", index);
                return false;
            }
        } else if (!cJSON_IsArray(steps) || cJSON_GetArraySize(steps) == 0 ||
                   cJSON_GetArraySize(steps) > STEPS_MAX) {
            fail(ret_error, "plans[%d]: needs 1 to %d steps", index, (int)STEPS_MAX);
            return false;
        }
        cJSON_ArrayForEach(step, steps)
        {
            if (text_of(step, "action") == NULL) {
                fail(ret_error, "plans[%d]: a step needs an action", index);
                return false;
            }
        }
        index++;
    }
    return true;
}

wd_script *wd_script_parse(const char *text, char ret_error[WD_SCRIPT_ERROR_MAX])
{
    const char *end = NULL;
    cJSON *json = cJSON_ParseWithOpts(text, &end, true);
    if (json == NULL) {
        return fail(ret_error, "no JSON, at byte %td", end == NULL ? 0 : end - text);
    }
    wd_script *script = check_plans(member(json, "plans"), 0, ret_error) ? calloc(1, sizeof *script) : NULL;
    if (script == NULL) {
        cJSON_Delete(json);
        return NULL;
    }
    script->json = json;
    if (text_of(member(json, "finish"), "action") == NULL) {
        static const char standard[] = "{\"action\":\"complete\",\"args\":{\"status\":\"success\"}}";
        cJSON_DeleteItemFromObjectCaseSensitive(json, "finish");
        cJSON_AddItemToObject(json, "finish", cJSON_Parse(standard));
    }
    return script;
}

wd_script *wd_script_load(const char *path, char ret_error[WD_SCRIPT_ERROR_MAX])
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return fail(ret_error, "%s: %s", path, strerror(errno));
    }
    char *text = calloc(1, SCRIPT_SIZE_MAX + 1);
    size_t length = text == NULL ? 0 : fread(text, 1, SCRIPT_SIZE_MAX, file);
    fclose(file);
    char why[WD_SCRIPT_ERROR_MAX] = "empty, or longer than may be";
    wd_script *script = length > 0 && length < SCRIPT_SIZE_MAX ? wd_script_parse(text, why) : NULL;
    free(text);
    return script != NULL ? script : fail(ret_error, "%.100s: %.140s", path, why);
}

static void run_clear(script_run *run)
{
    for (size_t i = 0; i < run->plan_count; i++) {
        cJSON_Delete(run->plans[i].bindings);
    }
    free(run->plans);
    free(run->id);
    *run = (script_run){ 0 };
}

void wd_script_destroy(wd_script **script_p)
{
    wd_script *script = *script_p;
    if (script == NULL) {
        return;
    }
    for (size_t i = 0; i < WD_SCRIPT_RUNS_MAX; i++) {
        run_clear(&script->runs[i]);
    }
    cJSON_Delete(script->json);
    free(script);
    *script_p = NULL;
}

// ---- unfolding ------------------------------------------------------------------------------------------------

static bool unfold(
    script_run *run, wd_view *view, const cJSON *plans, const cJSON *bindings, char *ret_error);

/// One for_each: its plans once per element, each with the element bound.
static bool unfold_each(
    script_run *run, wd_view *view, const cJSON *plan, const cJSON *bindings, char *ret_error)
{
    view->bindings = bindings;
    cJSON *list = wd_view_resolve(view, member(plan, "for_each"));
    bool done = cJSON_IsArray(list);
    if (!done) {
        fail(ret_error, "for_each: %s", view->error[0] != '\0' ? view->error : "must be a list");
    }
    const cJSON *element = NULL;
    cJSON_ArrayForEach(element, list)
    {
        cJSON *inner = bindings == NULL ? cJSON_CreateObject() : cJSON_Duplicate(bindings, true);
        const char *name = text_of(plan, "as");
        cJSON_DeleteItemFromObjectCaseSensitive(inner, name);
        cJSON_AddItemToObject(inner, name, cJSON_Duplicate(element, true));
        done = done && unfold(run, view, member(plan, "plans"), inner, ret_error);
        cJSON_Delete(inner);
    }
    cJSON_Delete(list);
    return done;
}

static bool unfold(script_run *run, wd_view *view, const cJSON *plans, const cJSON *bindings, char *ret_error)
{
    const cJSON *plan = NULL;
    cJSON_ArrayForEach(plan, plans)
    {
        if (member(plan, "for_each") != NULL) {
            if (!unfold_each(run, view, plan, bindings, ret_error)) {
                return false;
            }
            continue;
        }
        if (run->plan_count == WD_SCRIPT_PLANS_MAX) {
            fail(ret_error, "more than %d plans", (int)WD_SCRIPT_PLANS_MAX);
            return false;
        }
        run->plans[run->plan_count++] =
            (flat_plan){ plan, bindings == NULL ? NULL : cJSON_Duplicate(bindings, true) };
    }
    return true;
}

/// The run's place in the script; a run not known starts at the beginning.
static script_run *run_find(wd_script *script, wd_view *view, char *ret_error)
{
    const char *id = view->request->run_id;
    script_run *oldest = &script->runs[0];
    for (size_t i = 0; i < WD_SCRIPT_RUNS_MAX; i++) {
        script_run *run = &script->runs[i];
        if (run->id != NULL && strcmp(run->id, id) == 0) {
            return run;
        }
        oldest = run->used < oldest->used ? run : oldest;
    }
    run_clear(oldest);
    oldest->id = strdup(id);
    oldest->plans = calloc(WD_SCRIPT_PLANS_MAX, sizeof *oldest->plans);
    if (oldest->id == NULL || oldest->plans == NULL) {
        run_clear(oldest);
        return fail(ret_error, "out of memory");
    }
    if (!unfold(oldest, view, member(script->json, "plans"), NULL, ret_error)) {
        run_clear(oldest);
        return NULL;
    }
    oldest->given = oldest->plan_count;
    return oldest;
}

// ---- choosing -------------------------------------------------------------------------------------------------

/// The last step that was executed or refused without success; NULL: all went well.
static const Worldd__V1__StepResult *failed_step(const Worldd__V1__PlanRequest *request)
{
    for (size_t i = 0; i < request->n_results; i++) {
        if (strcmp(request->results[i]->outcome, "ok") != 0) {
            return request->results[i];
        }
    }
    return NULL;
}

/// Take notice of how the plan given last went. @return false: too often wrong; `ret_error` says what.
static bool take_results(
    const wd_script *script, script_run *run, const Worldd__V1__PlanRequest *request, char *ret_error)
{
    const Worldd__V1__StepResult *failed = failed_step(request);
    if (run->given == run->plan_count || request->n_results == 0) {
        run->given = run->plan_count;
        return true;  // none was given, or it came too late and was not executed
    }
    const cJSON *plan = run->plans[run->given].plan;
    bool forgiven = failed == NULL || cJSON_IsTrue(member(plan, "may_fail"));
    if (forgiven && member(plan, "until") == NULL) {
        run->next = run->given + 1;
        run->tries = 0;
    } else if (!forgiven && run->tries > number_of(script->json, "retries", RETRIES_DEFAULT)) {
        fail(ret_error, "%s: %s: %s", failed->action, failed->code, failed->text);
        return false;
    }
    run->given = run->plan_count;
    return true;
}

static bool plan_is_done(wd_view *view, const flat_plan *flat)
{
    const cJSON *when = member(flat->plan, "when");
    const cJSON *skip_when = member(flat->plan, "skip_when");
    const cJSON *until = member(flat->plan, "until");
    view->bindings = flat->bindings;
    return (when != NULL && !wd_view_holds(view, when)) ||
           (skip_when != NULL && wd_view_holds(view, skip_when)) ||
           (until != NULL && wd_view_holds(view, until));
}

/// The next plan that is not done already. @return NULL at the end of the script, or with view->error set.
static const flat_plan *next_plan(script_run *run, wd_view *view)
{
    while (
        run->next < run->plan_count && plan_is_done(view, &run->plans[run->next]) && view->error[0] == '\0') {
        run->next++;
        run->tries = 0;
    }
    return run->next < run->plan_count && view->error[0] == '\0' ? &run->plans[run->next] : NULL;
}

// ---- answering ------------------------------------------------------------------------------------------------

typedef struct reply_builder {
    Worldd__V1__PlanReply message;
    Worldd__V1__PlannedStep steps[STEPS_MAX], *pointers[STEPS_MAX];
    cJSON *thoughts[STEPS_MAX];
    bool ended;  // a step completes or aborts
} reply_builder;

static char *lend(const char *text)
{
    return (char *)(uintptr_t)text;  // protobuf-c's strings are not const, though packing only reads them
}

/// Takes `args` and `thought` (NULL: none); `action` must outlive the reply. @return false: memory is out.
static bool put_step(reply_builder *reply, const char *action, cJSON *args, cJSON *thought)
{
    size_t index = reply->message.n_steps++;
    Worldd__V1__PlannedStep *row = &reply->steps[index];
    worldd__v1__planned_step__init(row);
    row->action = lend(action);
    row->args_json.data = (uint8_t *)wd_json_text(args, &row->args_json.len);
    if (cJSON_IsString(thought)) {
        row->thought = thought->valuestring;
    }
    reply->pointers[index] = row;
    reply->thoughts[index] = thought;
    reply->ended = reply->ended || strcmp(action, "complete") == 0 || strcmp(action, "abort") == 0;
    cJSON_Delete(args);
    return row->args_json.data != NULL;
}

static void reply_clear(reply_builder *reply)
{
    for (size_t i = 0; i < reply->message.n_steps; i++) {
        cJSON_Delete(reply->thoughts[i]);
        free(reply->steps[i].args_json.data);
    }
    reply->message.n_steps = 0;
    reply->ended = false;
}

/// A step of the script, filled in. @return false: view->error says why, or memory is out.
static bool add_step(reply_builder *reply, wd_view *view, const cJSON *step)
{
    const cJSON *args = member(step, "args"), *thought = member(step, "thought");
    cJSON *filled = args == NULL ? cJSON_CreateObject() : wd_view_resolve(view, args);
    cJSON *said = thought == NULL || filled == NULL ? NULL : wd_view_resolve(view, thought);
    if (filled == NULL || (thought != NULL && said == NULL)) {
        cJSON_Delete(filled);
        return false;
    }
    return put_step(reply, text_of(step, "action"), filled, said);
}

/// The steps of `flat`, or `finish` when the script is at its end.
static bool add_plan(
    reply_builder *reply, wd_view *view, const wd_script *script, script_run *run, const flat_plan *flat)
{
    if (flat == NULL) {
        view->bindings = NULL;
        return add_step(reply, view, member(script->json, "finish"));
    }
    const cJSON *step = NULL;
    cJSON_ArrayForEach(step, member(flat->plan, "steps"))
    {
        if (!add_step(reply, view, step)) {
            return false;
        }
    }
    run->given = run->next;
    run->tries++;
    return true;
}

/// @return false with `ret_why` set: the run cannot go on.
static bool answer(wd_script *script, wd_view *view, reply_builder *reply, char *ret_why)
{
    script_run *run = run_find(script, view, ret_why);
    if (run == NULL) {
        return false;
    }
    run->used = ++script->clock;
    if (!take_results(script, run, view->request, ret_why)) {
        return false;
    }
    const flat_plan *flat = next_plan(run, view);
    if (flat != NULL && member(flat->plan, "until") != NULL &&
        run->tries >= number_of(flat->plan, "at_most", AT_MOST_DEFAULT)) {
        fail(ret_why, "plan %zu: not there after %u tries", run->next, run->tries);
        return false;
    }
    if (view->error[0] != '\0' || !add_plan(reply, view, script, run, flat)) {
        fail(ret_why, "plan %zu: %s", run->next, view->error[0] != '\0' ? view->error : "out of memory");
        return false;
    }
    return true;
}

uint8_t *wd_script_plan(wd_script *script, const Worldd__V1__PlanRequest *request, size_t *ret_length,
    char ret_error[WD_SCRIPT_ERROR_MAX])
{
    wd_view view;
    reply_builder reply = { .ended = false };
    worldd__v1__plan_reply__init(&reply.message);
    reply.message.request_id = request->request_id;
    reply.message.steps = reply.pointers;
    reply.message.model = lend("planner-stub");
    bool made = wd_view_open(&view, request);
    if (!made) {
        fail(ret_error, "%s", view.error);
    } else {
        char why[WD_SCRIPT_ERROR_MAX] = "";
        if (!answer(script, &view, &reply, why)) {
            reply_clear(&reply);
            cJSON *args = cJSON_CreateObject();
            cJSON_AddStringToObject(args, "reason", why);
            made = put_step(&reply, "abort", args, NULL);
        }
        script->ended = reply.ended;
    }
    uint8_t *body = made ? malloc(worldd__v1__plan_reply__get_packed_size(&reply.message)) : NULL;
    if (body != NULL) {
        *ret_length = worldd__v1__plan_reply__pack(&reply.message, body);
    } else if (made) {
        fail(ret_error, "out of memory");
    }
    reply_clear(&reply);
    wd_view_close(&view);
    return body;
}

bool wd_script_ended(const wd_script *script)
{
    return script->ended;
}
