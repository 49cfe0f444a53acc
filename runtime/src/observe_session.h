/// observe_session.h - worldd's memory for an agent loop that drives a phone of its own: the loop posts each step's screen,
/// action and result, and hears the WorldState and what changed. Nothing is executed; everything is recorded.
#ifndef RUNTIME_OBSERVE_SESSION_H
#define RUNTIME_OBSERVE_SESSION_H

#include "passive.h"

enum {
    WD_OBSERVE_SESSIONS_MAX = 256,
    WD_OBSERVE_ID_MAX = 64,
};

typedef struct wd_observe_session wd_observe_session;

/// @param path  The episode file; must not exist. @param task  Copied.
WD_NODISCARD wd_status wd_observe_session_new(const char *id, const char *path, const wd_task *task,
    const wd_run_options *options, wd_observe_session **ret_session, wd_error *error);
/// The last line of the episode: `ending`, `text` (may be NULL). Nothing is posted after it.
void wd_observe_session_end(wd_observe_session *session, wd_ending ending, const char *text);
void wd_observe_session_destroy(wd_observe_session **session_p);
const char *wd_observe_session_id(const wd_observe_session *session);
/// Its recording; borrowed.
wd_episode_writer *wd_observe_session_episode(wd_observe_session *session);

/// Take one post: {"screen"?: text in any format, "format"?, "companion"?, "action"?: {"kind",..}, "dialect"?, "reply"?,
/// "args"?, "outcome"?: "ok"|"failed"|"refused", "code"?, "thought"?}. The first post is the first screen and has no
/// action. *ret_answer: {"session","step","world","report"?,"failure"?}.
/// @retval WD_EINVAL, WD_ETYPE, WD_ENOENT  `error` names the member; nothing was taken.
WD_NODISCARD wd_status wd_observe_session_post(
    wd_observe_session *session, const wd_value *post, wd_value **ret_answer, wd_error *error);

#endif
