// `worldctl episode export`: an episode as training data, the lines that clients/python/examples/collect_transitions.py
// writes of its own rollouts.
#include "trajectory.h"

#include "judge/metrics.h"
#include "runtime/episode.h"
#include "runtime/run_judge.h"

#include <string.h>

static wd_ending ending_of(const wd_episode *episode)
{
    for (int ending = WD_END_COMPLETE; ending <= WD_END_CANCELED; ending++) {
        if (wd_value_is_text(wd_object_get(episode->end, "ending"), wd_ending_name((wd_ending)ending))) {
            return (wd_ending)ending;
        }
    }
    return WD_END_NONE;  // the recording was cut
}

/// The scene of that digest, or with `digests` the digest itself; `none` for a capture that failed.
static const wd_value *observation(
    const wd_episode *episode, const wd_value *digest, bool digests, const wd_value *none)
{
    const wd_value *line = wd_object_get(episode->scenes, wd_value_string_or(digest, ""));
    const wd_value *shown = digests ? digest : wd_object_get(line, "scene");
    return shown == NULL ? none : shown;
}

wd_status ctl_trajectory_print(const char *path, bool digests, FILE *out, size_t *ret_count, wd_error *error)
{
    wd_episode episode;
    wd_status status = wd_episode_load(path, &episode, error);
    if (status != WD_OK) {
        return status;
    }
    const wd_value *task = wd_object_get(wd_object_get(episode.header, "task"), "id");
    const wd_value *run = wd_object_get(episode.header, "run"),
                   *verdict = wd_object_get(episode.verdict, "verdict");
    wd_ending ending = ending_of(&episode);
    bool finished = wd_stop_is_finished(wd_stop_named(wd_ending_stop_reason(ending)));
    double worth = verdict == NULL ? 0 : wd_verdict_reward(wd_value_string_or(task, ""), ending, verdict);
    wd_value *none = wd_value_null();
    wd_iter iter = wd_iter_start(episode.steps);
    size_t count = 0;
    while (status == WD_OK && wd_iter_next(&iter)) {
        const wd_value *step = iter.value;
        bool last = iter.index + 1 == wd_array_count(episode.steps);
        wd_value *line = NULL;
        wd_buffer text = { 0 };
        status = wd_value_pack(&line, "{s:?v,s:?v,s:i,s:v,s:?v,s:d,s:b,s:b,s:v}", "episode", run, "task",
            task, "step", (int64_t)iter.index, "observation",
            observation(&episode, wd_object_get(step, "scene"), digests, none), "action",
            wd_object_get(step, "action"), "reward", last ? worth : 0.0, "terminated",
            (int)(last && finished), "truncated", (int)(last && !finished), "next",
            observation(&episode, wd_object_get(step, "scene_after"), digests, none));
        status = status == WD_OK ? wd_json_write(line, WD_JSON_COMPACT, &text) : status;
        if (status == WD_OK && fprintf(out, "%s\n", text.bytes) < 0) {
            status = wd_error_set(error, WD_EIO, "the output cannot be written");
        }
        wd_buffer_done(&text);
        wd_value_unref(&line);
        count += status == WD_OK;
    }
    wd_value_unref(&none);
    wd_episode_done(&episode);
    *ret_count = count;
    return status;
}
