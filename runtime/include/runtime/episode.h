/// episode.h - the recorded file of a run: JSON Lines, appended and flushed line by line (DESIGN section 9).
///
///   {"type":"header",...}    format version, task, options, digests of the app packs, the initial machine
///   {"type":"scene",...}     each scene once, by digest, with its semantic scene when there is one
///   {"type":"begin",...}     the first scene and the WorldState after it
///   {"type":"step",...}      scene, plan, action, result, delta of the state, WorldState, digests
///   {"type":"end",...}       ending, answer
///   {"type":"verdict",...}
///
/// A killed writer loses at most the step in flight: a reader takes everything up to the last whole line. No wall clock
/// enters a file; the same run gives the same bytes. Fields: docs/episodes.md.
#ifndef RUNTIME_EPISODE_H
#define RUNTIME_EPISODE_H

#include "runtime/run.h"

enum {
    WD_EPISODE_VERSION = 1,
    WD_EPISODE_LINE_MAX = 64 * 1024 * 1024,  // bytes of one line
};

typedef struct wd_episode_writer wd_episode_writer;

/// Create `path` (mode 0600); it must not exist. @retval WD_EIO, WD_EEXIST `error` names the file and the reason.
WD_NODISCARD wd_status wd_episode_create(const char *path, wd_episode_writer **ret_writer, wd_error *error);
/// Closes the file; what was written stays.
void wd_episode_close(wd_episode_writer **writer_p);
/// Nothing more will be written: make the file one zstd frame of the same lines, under its name with ".zst" behind it,
/// which wd_episode_path() gives from then on. Readers take both forms.
/// @retval WD_EIO, WD_ENOMEM  `error` says why; the file stays as it is, under its name.
WD_NODISCARD wd_status wd_episode_compress(wd_episode_writer *writer, wd_error *error);
const char *wd_episode_path(const wd_episode_writer *writer);

/// What the header says besides the run.
typedef struct wd_episode_opening {
    const wd_task *task;
    const wd_run_options *options;
    const char *executor;
    const char *run_id;
    uint64_t seed;
    const wd_value *packs;    // identity of the app packs, or NULL
    const wd_value *machine;  // the initial machine, or NULL when the executor has none
} wd_episode_opening;

WD_NODISCARD wd_status wd_episode_header_write(
    wd_episode_writer *writer, const wd_episode_opening *opening, wd_error *error);
/// Write what became whole since the last call: the begin, steps, and the end when the run is over.
WD_NODISCARD wd_status wd_episode_run_write(wd_episode_writer *writer, const wd_run *run, wd_error *error);
/// The same piece by piece, for recordings that are no runs of ours. Steps come in order, from index 0.
WD_NODISCARD wd_status wd_episode_begin_write(
    wd_episode_writer *writer, const wd_task_context *context, wd_error *error);
WD_NODISCARD wd_status wd_episode_step_write(
    wd_episode_writer *writer, const wd_run_step_record *record, wd_error *error);
/// @param text, answer  NULL when there is nothing to say.
WD_NODISCARD wd_status wd_episode_end_write(wd_episode_writer *writer, wd_ending ending, const char *text,
    size_t steps, const char *answer, wd_error *error);
/// The verdict as the judge gave it.
WD_NODISCARD wd_status wd_episode_verdict_write(
    wd_episode_writer *writer, const wd_value *verdict, wd_error *error);

/// The lines of an episode in either form, NUL-terminated; wd_free(text, length + 1).
/// @retval WD_EIO, WD_ENOMEM, WD_ECORRUPT, WD_ELIMIT  `error` names the file.
WD_NODISCARD wd_status wd_episode_text(
    const char *path, char **ret_text, size_t *ret_length, wd_error *error);
/// A read file: values of its lines, in order.
typedef struct wd_episode {
    wd_value *header, *begin, *end, *verdict;  // NULL when the line is missing
    wd_value *scenes;                          // {digest: line}
    wd_value *steps;                           // array of lines
    bool cut;                                  // the last line was not whole, or the end is missing
    size_t bytes_lost;                         // of a last line that was not whole
} wd_episode;

/// Does the file begin as an episode of ours? False for folders and for what cannot be read.
bool wd_episode_is_own(const char *path);
/// Read everything up to the last whole line. @retval WD_ECORRUPT a line before the last is damaged (`error` has its
/// number), or there is no header. @retval WD_EVERSION.
WD_NODISCARD wd_status wd_episode_load(const char *path, wd_episode *ret_episode, wd_error *error);
void wd_episode_done(wd_episode *episode);

#endif
