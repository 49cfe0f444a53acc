/// episode_id.h - names and seeds of task instances and episodes (judge.md 8.5 and 11, J14).
#ifndef JUDGE_EPISODE_ID_H
#define JUDGE_EPISODE_ID_H

#include "tree/json.h"

/// CRC-32 (as in gzip) of bytes[0..length).
uint32_t wd_crc32(const char *bytes, size_t length);

/// The seed of instance `instance` of a task: run seed XOR CRC-32 of "task_id:instance".
uint32_t wd_instance_seed(const char *task_id, uint64_t instance, uint32_t run_seed);

/// Length of `task_id` without a final `_i<digits>`.
size_t wd_base_task_id(const char *task_id);

/// Append "<task_id>__t<trial>": one result of a resumable suite.
WD_NODISCARD wd_status wd_result_key(const char *task_id, int64_t trial, wd_buffer *buffer);

/// Append the folder's name for an episode key: its letters, digits and `._-`, cut to 64, and eight digits of
/// a digest that tells keys apart that look alike.
WD_NODISCARD wd_status wd_episode_dir(const char *key, wd_buffer *buffer);

#endif
