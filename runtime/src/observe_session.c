#include "observe_session.h"

#include "seen_screens.h"
#include "semantic/dialect.h"
#include "tree/text.h"

struct wd_observe_session {
    char *id;
    wd_episode_writer *writer;
    wd_passive passive;
    wd_seen_screens seen;
    wd_value *answer;  // of the post being taken; made by the visitor
    wd_status answer_status;
};

/// The visitor of the passive feed: turn what was derived into the answer.
static void take_answer(void *context, const wd_passive_step *step)
{
    wd_observe_session *session = context;
    wd_value *world = NULL, *report = NULL;
    wd_status status = WD_OK;
    if (step->world != NULL) {
        status = wd_world_state_to_value(step->world, true, &world);
    }
    if (status == WD_OK && step->report != NULL) {
        status = wd_observe_report_to_value(step->report, &report);
    }
    if (status == WD_OK) {
        status = wd_value_pack(&session->answer, "{s:s,s:i,s:?v,s:?v,s:?s}", "session", session->id, "step",
            (int64_t)step->index, "world", world, "report", report, "failure",
            step->failure[0] == '\0' ? NULL : step->failure);
    }
    wd_value_unref(&world);
    wd_value_unref(&report);
    session->answer_status = status;
}

wd_status wd_observe_session_new(const char *id, const char *path, const wd_task *task,
    const wd_run_options *options, wd_observe_session **ret_session, wd_error *error)
{
    wd_observe_session *session = wd_alloc_zero(1, sizeof *session);
    if (session == NULL || !wd_text_copy(id, &session->id)) {
        wd_free(session, sizeof *session);
        return wd_error_set(error, WD_ENOMEM, "session: out of memory");
    }
    wd_episode_opening opening = { .task = task, .options = options, .executor = "observed", .run_id = id };
    wd_status status = wd_episode_create(path, &session->writer, error);
    status = status == WD_OK ? wd_episode_header_write(session->writer, &opening, error) : status;
    if (status == WD_OK) {
        status = wd_passive_start(&session->passive, options, session->writer, take_answer, session, error);
    }
    if (status != WD_OK) {
        wd_observe_session_destroy(&session);
        return status;
    }
    *ret_session = session;
    return WD_OK;
}

void wd_observe_session_end(wd_observe_session *session, wd_ending ending, const char *text)
{
    wd_status ended =
        wd_episode_end_write(session->writer, ending, text, session->passive.step_index, NULL, NULL);
    (void)ended;  // a full disk: the episode stays cut, as after a kill
}

void wd_observe_session_destroy(wd_observe_session **session_p)
{
    wd_observe_session *session = *session_p;
    if (session == NULL) {
        return;
    }
    if (session->passive.model != NULL) {
        wd_passive_done(&session->passive);
    }
    wd_episode_close(&session->writer);
    wd_seen_screens_done(&session->seen);
    wd_text_free(&session->id);
    wd_free(session, sizeof *session);
    *session_p = NULL;
}

const char *wd_observe_session_id(const wd_observe_session *session)
{
    return session->id;
}

wd_episode_writer *wd_observe_session_episode(wd_observe_session *session)
{
    return session->writer;
}

// ---- reading a post ---------------------------------------------------------------------------------------------

static wd_status text_member(const wd_value *post, const char *name, const char **ret_text, wd_error *error)
{
    const wd_value *member = wd_object_get(post, name);
    *ret_text = wd_value_string_or(member, NULL);
    return member == NULL || *ret_text != NULL
               ? WD_OK
               : wd_error_set(error, WD_ETYPE, "args.%s: must be a text", name);
}

/// The screen of a post. A capture failure is no error: *ret_scene stays NULL and ret_failure says why.
static wd_status read_screen(wd_observe_session *session, const wd_value *post, wd_scene **ret_scene,
    wd_error *ret_failure, wd_error *error)
{
    const char *screen = NULL, *companion = NULL, *format = NULL;
    wd_status status = text_member(post, "screen", &screen, error);
    status = status == WD_OK ? text_member(post, "companion", &companion, error) : status;
    status = status == WD_OK ? text_member(post, "format", &format, error) : status;
    if (status == WD_OK && screen == NULL) {
        wd_error_set(ret_failure, WD_ENOENT, "no screen was posted");
    } else if (status == WD_OK) {
        wd_screen_post captured = {
            .bytes = screen,
            .length = strlen(screen),
            .format = format,
            .companion = companion,
            .companion_length = companion == NULL ? 0 : strlen(companion),
        };
        wd_error why = { 0 };
        status = wd_seen_screens_read(&session->seen, &captured, ret_scene, ret_failure, &why);
        status = status == WD_OK ? WD_OK : wd_error_set(error, status, "args.%s", why.text);
    }
    return status;
}

/// The action: canonical, or a model's reply in its dialect (its first action).
static wd_status read_action(const wd_value *post, wd_action *ret_action, wd_error *error)
{
    const wd_value *action = wd_object_get(post, "action");
    const char *dialect_name = NULL, *reply_text = NULL;
    wd_status status = text_member(post, "dialect", &dialect_name, error);
    status = status == WD_OK ? text_member(post, "reply", &reply_text, error) : status;
    if (status != WD_OK) {
        return status;
    }
    if (action != NULL) {
        const char *kind = wd_value_string_or(wd_object_get(action, "kind"), "");
        status = wd_action_from_value(kind, action, ret_action, error);
        if (status != WD_OK) {
            wd_error_prefix(error, "args.action");
        }
        return status;
    }
    if (reply_text == NULL || dialect_name == NULL) {
        wd_action_init(ret_action, WD_ACTION_NOOP);  // what was done is not told
        return WD_OK;
    }
    const wd_dialect *dialect = NULL;
    wd_reply reply;
    if (wd_dialect_find(dialect_name, &dialect) != WD_OK) {
        return wd_error_set(error, WD_ENOENT, "args.dialect: \"%s\" is no dialect", dialect_name);
    }
    status = wd_dialect_parse(dialect, reply_text, strlen(reply_text), NULL, &reply);
    if (status == WD_OK) {
        status = wd_action_copy(&reply.actions[0], ret_action);
        wd_reply_done(&reply);
    }
    return status == WD_OK ? WD_OK : wd_error_set(error, status, "args.reply: %s", wd_status_text(status));
}

static wd_status read_result(
    const wd_value *post, const wd_action *action, wd_result *ret_result, wd_error *error)
{
    const char *outcome = NULL;
    wd_status status = text_member(post, "outcome", &outcome, error);
    if (status != WD_OK) {
        return status;
    }
    if (outcome == NULL || strcmp(outcome, "ok") == 0) {
        *ret_result = wd_result_ok();
    } else if (strcmp(outcome, "failed") == 0) {
        *ret_result = wd_result_make(WD_OUTCOME_FAILED, WD_ESTATE, "failed", "as posted");
    } else if (strcmp(outcome, "refused") == 0) {
        *ret_result = wd_result_make(WD_OUTCOME_REFUSED, WD_ESTATE, "not_executed", "as posted");
    } else {
        return wd_error_set(error, WD_EINVAL, "args.outcome: \"%s\" is none of ok, failed, refused", outcome);
    }
    if (action->kind == WD_ACTION_INVALID) {
        *ret_result = wd_result_make(WD_OUTCOME_REFUSED, WD_EINVAL, "unknown_action", "%s",
            action->reason == NULL ? "invalid action" : action->reason);
    }
    return WD_OK;
}

static wd_status read_step(const wd_value *post, wd_step *ret_step, wd_result *ret_result, wd_error *error)
{
    const wd_value *args = wd_object_get(post, "args");
    const char *thought = NULL;
    if (args != NULL && !wd_value_is(args, WD_KIND_OBJECT)) {
        return wd_error_set(error, WD_ETYPE, "args.args: must be an object");
    }
    wd_status status = text_member(post, "thought", &thought, error);
    status = status == WD_OK ? read_action(post, &ret_step->action, error) : status;
    if (status != WD_OK) {
        return status;
    }
    ret_step->args = wd_value_ref(args);
    if (!wd_text_copy(thought, &ret_step->thought)) {
        return wd_error_set(error, WD_ENOMEM, "args: out of memory");
    }
    return read_result(post, &ret_step->action, ret_result, error);
}

wd_status wd_observe_session_post(
    wd_observe_session *session, const wd_value *post, wd_value **ret_answer, wd_error *error)
{
    wd_scene *scene = NULL;
    wd_error failure = { 0 };
    wd_step step = { 0 };
    wd_result result = wd_result_ok();
    bool first = session->passive.index == 0;
    wd_action_init(&step.action, WD_ACTION_NOOP);
    wd_status status = first ? WD_OK : read_step(post, &step, &result, error);
    status = status == WD_OK ? read_screen(session, post, &scene, &failure, error) : status;
    if (status == WD_OK) {
        wd_passive_input input = {
            .name = "",
            .scene = scene,
            .step = first ? NULL : &step,
            .result = first ? NULL : &result,
            .failure = scene == NULL ? failure.text : "",
        };
        status = wd_passive_feed(&session->passive, &input, error);
        status = status == WD_OK ? session->answer_status : status;
    }
    if (status == WD_OK) {
        if (scene != NULL) {
            wd_seen_screens_remember(&session->seen, scene);
        }
        *ret_answer = session->answer;
        session->answer = NULL;
    }
    wd_value_unref(&session->answer);
    wd_scene_unref(&scene);
    wd_step_done(&step);
    return status;
}
