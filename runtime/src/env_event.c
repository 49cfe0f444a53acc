#include "env_event.h"

#include "judge/changes.h"

wd_status wd_env_changes(
    const wd_value *before, const wd_value *after, wd_value **ret_list, int64_t *ret_more)
{
    wd_changes *changes = NULL;
    wd_value *list = wd_value_array();
    wd_status status = wd_changes_make(before, after, &changes);
    size_t count = wd_changes_count(changes);
    size_t told = count < WD_ENV_CHANGES_MAX ? count : WD_ENV_CHANGES_MAX;
    for (size_t i = 0; status == WD_OK && i < told; i++) {
        wd_value *row = NULL;
        status = wd_change_to_value(wd_changes_at(changes, i), &row);
        status = status == WD_OK ? wd_array_append(&list, &row) : status;
        wd_value_unref(&row);
    }
    wd_changes_destroy(&changes);
    if (status != WD_OK) {
        wd_value_unref(&list);
        return status;
    }
    *ret_list = list;
    *ret_more = (int64_t)(count - told);
    return WD_OK;
}

static void tell(const wd_env_caller *caller, const wd_env *env, wd_status status, wd_value **event_p)
{
    if (status == WD_OK) {
        wd_env_owner owner = wd_env_owner_of(env);
        caller->tell(caller->context, &owner, *event_p);
    }
    wd_value_unref(event_p);
}

void wd_env_tell_step(const wd_env_caller *caller, wd_env *env, const wd_value *before, const char *kind,
    const wd_value *args, const wd_env_stepped *stepped)
{
    char id[WD_ENV_ID_TEXT_SIZE], digest[WD_DIGEST_TEXT_SIZE];
    wd_env_id own = wd_env_id_of(env);
    wd_value *after = NULL, *changes = NULL, *event = NULL;
    int64_t more = 0;
    wd_env_id_text(&own, id);
    wd_digest_text(stepped->machine, digest);
    wd_status status = wd_env_state(env, &after);
    status = status == WD_OK ? wd_env_changes(before, after, &changes, &more) : status;
    if (status == WD_OK) {
        const wd_result *result = &stepped->result;
        status = wd_value_pack(&event, "{s:s,s:s,s:i,s:s,s:?v,s:s,s:s,s:?s,s:s,s:b,s:?s,s:?v,s:v,s:i}",
            "event", "step", "env", id, "index", (int64_t)stepped->index, "action", kind, "args", args,
            "outcome", wd_outcome_name(result->outcome), "code", result->code, "text",
            result->text[0] == '\0' ? NULL : result->text, "digest", digest, "reset", (int)stepped->reset,
            "ending", stepped->ending == WD_END_NONE ? NULL : wd_ending_name(stepped->ending), "verdict",
            stepped->verdict, "changes", changes, "changes_more", more);
    }
    tell(caller, env, status, &event);
    wd_value_unref(&after);
    wd_value_unref(&changes);
}

void wd_env_tell_verdict(const wd_env_caller *caller, wd_env *env, const wd_value *verdict)
{
    char id[WD_ENV_ID_TEXT_SIZE];
    wd_env_id own = wd_env_id_of(env);
    wd_value *event = NULL;
    wd_env_id_text(&own, id);
    wd_status status =
        wd_value_pack(&event, "{s:s,s:s,s:v}", "event", "verdict", "env", id, "verdict", verdict);
    tell(caller, env, status, &event);
}
