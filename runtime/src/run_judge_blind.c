// Judging a run whose device tells no state: by what was answered, by what was done, and by the route.
#include "run_judge_internal.h"

#include "judge/answers.h"
#include "tree/alloc.h"
#include "tree/text.h"

#include <string.h>

static wd_status add_text(wd_value **list_p, const char *text)
{
    wd_value *item = NULL;
    wd_status status = wd_value_text(text, &item);
    status = status == WD_OK ? wd_array_append(list_p, &item) : status;
    wd_value_unref(&item);
    return status;
}

static wd_status keep(wd_value **object_p, const char *name, const wd_value *member)
{
    wd_value *kept = wd_value_ref(member);
    wd_status status = kept == NULL ? WD_OK : wd_object_set(object_p, name, &kept);
    wd_value_unref(&kept);
    return status;
}

/// Of the criteria only the route can be seen, and that only where the screen tells it.
static wd_status divide_criteria(
    const wd_value *criteria, bool has_route, wd_value **kept_p, wd_value **unjudged_p)
{
    wd_value *kept = wd_value_object();
    wd_status status = WD_OK;
    wd_iter one = wd_iter_start(wd_value_is(criteria, WD_KIND_OBJECT) ? criteria : NULL);
    while (status == WD_OK && wd_iter_next(&one)) {
        if (has_route && strcmp(one.key, "route") == 0) {
            status = keep(&kept, "route", one.value);
            continue;
        }
        wd_buffer name = { 0 };
        status = wd_buffer_format(&name, "criteria.%s", one.key);
        status = status == WD_OK ? add_text(unjudged_p, name.bytes) : status;
        wd_buffer_done(&name);
    }
    if (status == WD_OK && wd_object_count(kept) > 0) {
        status = keep(kept_p, "criteria", kept);
    }
    wd_value_unref(&kept);
    return status;
}

/// What of the task can be judged without a state, and the names of what cannot.
static wd_status divide(
    const wd_value *document, bool has_route, wd_value **ret_kept, wd_value **ret_unjudged)
{
    const wd_value *answer = wd_object_get(document, "answer"), *check = wd_object_get(document, "check");
    wd_value *kept = wd_value_object(), *unjudged = wd_value_array();
    wd_status status = keep(&kept, "params", wd_object_get(document, "params"));
    status = status == WD_OK ? keep(&kept, "order", wd_object_get(document, "order")) : status;
    if (status == WD_OK && answer != NULL && !wd_value_is(answer, WD_KIND_NULL)) {
        status =
            wd_answer_reads_state(answer) ? add_text(&unjudged, "answer") : keep(&kept, "answer", answer);
    }
    status = status == WD_OK
                 ? divide_criteria(wd_object_get(document, "criteria"), has_route, &kept, &unjudged)
                 : status;
    if (status == WD_OK && check != NULL && !wd_value_is(check, WD_KIND_NULL)) {
        status = add_text(&unjudged, "check");
    }
    if (status != WD_OK) {
        wd_value_unref(&kept);
        wd_value_unref(&unjudged);
        return status;
    }
    *ret_kept = kept;
    *ret_unjudged = unjudged;
    return WD_OK;
}

static wd_status no_verdict(wd_value **ret_verdict)
{
    return wd_value_pack(ret_verdict, "{s:b,s:b,s:d,s:[],s:[],s:[],s:s}", "success", 0, "passed", 0,
        "progress", 0.0, "checks", "side_effects", "undone", "error",
        "the device tells no state: nothing that the task demands can be judged");
}

/// The verdict says what it leaves open: nothing is known about other changes, and a demand that was not
/// judged was not met.
static wd_status qualify(wd_value **verdict_p, wd_value **unjudged_p)
{
    bool whole = wd_array_count(*unjudged_p) == 0;
    wd_status status = wd_object_remove(verdict_p, "clean");
    status = status == WD_ENOENT ? WD_OK : status;
    if (!whole) {
        static const char *const claims[] = { "success", "passed" };
        for (size_t i = 0; status == WD_OK && i < WD_COUNT_OF(claims); i++) {
            wd_value *no = wd_value_bool(false);
            status = wd_object_set(verdict_p, claims[i], &no);
            wd_value_unref(&no);
        }
    }
    status = status == WD_OK ? add_text(unjudged_p, "side effects") : status;
    return status == WD_OK ? wd_object_set(verdict_p, "unjudged", unjudged_p) : status;
}

wd_status wd_run_judge_blind(const wd_task_context *context, wd_value **ret_verdict)
{
    wd_value *kept = NULL, *unjudged = NULL, *verdict = NULL, *nothing = wd_value_object();
    bool has_route = context->scene != NULL && wd_scene_info_of(context->scene)->route != NULL;
    wd_status status = divide(context->task->document, has_route, &kept, &unjudged);
    bool judges = wd_array_count(wd_object_get(kept, "order")) > 0 || wd_object_get(kept, "answer") != NULL ||
                  wd_object_get(kept, "criteria") != NULL;
    if (status == WD_OK && judges) {
        wd_judge_input input = { .initial = nothing, .final = nothing };
        status = wd_run_judge_with(context, kept, &input, &verdict);
    } else if (status == WD_OK && wd_array_count(unjudged) > 0) {
        status = no_verdict(&verdict);
    }
    status = status == WD_OK && verdict != NULL ? qualify(&verdict, &unjudged) : status;
    if (status == WD_OK) {
        *ret_verdict = verdict;
        verdict = NULL;
    }
    wd_value_unref(&kept);
    wd_value_unref(&unjudged);
    wd_value_unref(&verdict);
    wd_value_unref(&nothing);
    return status;
}
