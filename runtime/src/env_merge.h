/// env_merge.h - one answer out of the answers of several workers.
#ifndef RUNTIME_ENV_MERGE_H
#define RUNTIME_ENV_MERGE_H

#include "runtime/env_pool.h"

/// Is it a verb that every worker answers, each for its own envs?
bool wd_env_merge_everywhere(const char *verb);

/// @param parts  In the order sent; NULL: that one found no memory. @retval as the first part that failed.
WD_NODISCARD wd_status wd_env_merge(
    const char *verb, wd_env_job *const *parts, size_t count, wd_value **ret_result, wd_error *error);

/// The slots of all parts in the order asked, as a packed EnvBatchReply.
WD_NODISCARD wd_status wd_env_merge_batch(uint64_t request_id, wd_env_job *const *parts, size_t part_count,
    size_t slot_count, uint8_t **ret_body, size_t *ret_length, wd_error *error);

// ---- shared by the sources of merging ---------------------------------------------------------------------------------

/// Why a part failed. NULL stands for one that found no memory.
WD_NODISCARD wd_status wd_env_part_failure(const wd_env_job *part, wd_error *error);
/// One tree out of the rows of all workers: copies of a snapshot count for the one that they are copies of.
WD_NODISCARD wd_status wd_env_merge_lineage(wd_env_job *const *parts, size_t count, wd_value **ret_result);

#endif
