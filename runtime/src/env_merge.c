#include "env_merge.h"

#include "codec_batch.h"
#include "tree/alloc.h"

#include <string.h>

wd_status wd_env_part_failure(const wd_env_job *part, wd_error *error)
{
    if (part == NULL) {
        return wd_error_set(error, WD_ENOMEM, "envs: out of memory");
    }
    return part->error.status == WD_OK ? WD_OK
                                       : wd_error_set(error, part->error.status, "%s", part->error.text);
}

static wd_status append_all(wd_value **list_p, const wd_value *more)
{
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(more);
    while (status == WD_OK && wd_iter_next(&iter)) {
        wd_value *item = wd_value_ref(iter.value);
        status = wd_array_append(list_p, &item);
        wd_value_unref(&item);
    }
    return status;
}

/// Arrays called `name` one after another.
static wd_status concat(wd_env_job *const *parts, size_t count, const char *name, wd_value **ret_list)
{
    wd_value *list = wd_value_array();
    wd_status status = WD_OK;
    for (size_t i = 0; status == WD_OK && i < count; i++) {
        const wd_value *result = parts[i]->result;
        status = append_all(&list, name == NULL ? result : wd_object_get(result, name));
    }
    if (status != WD_OK) {
        wd_value_unref(&list);
        return status;
    }
    *ret_list = list;
    return WD_OK;
}

static int64_t sum(wd_env_job *const *parts, size_t count, const char *name)
{
    int64_t total = 0;
    for (size_t i = 0; i < count; i++) {
        total += wd_value_int_or(wd_object_get(parts[i]->result, name), 0);
    }
    return total;
}

static wd_status merge_list(wd_env_job *const *parts, size_t count, wd_value **ret_result)
{
    wd_value *list = NULL;
    wd_status status = concat(parts, count, "envs", &list);
    return status == WD_OK
               ? wd_value_pack(ret_result, "{s:V,s:i}", "envs", list, "more", sum(parts, count, "more"))
               : status;
}

/// Whoever has the name; nobody: {}.
static wd_status merge_named(wd_env_job *const *parts, size_t count, wd_value **ret_result)
{
    for (size_t i = 0; i < count; i++) {
        if (wd_object_get(parts[i]->result, "env") != NULL) {
            *ret_result = wd_value_ref(parts[i]->result);
            return WD_OK;
        }
    }
    *ret_result = wd_value_object();
    return WD_OK;
}

static wd_status merge_close(wd_env_job *const *parts, size_t count, wd_value **ret_result)
{
    return wd_value_pack(ret_result, "{s:i}", "closed", sum(parts, count, "closed"));
}

/// The sums, and the numbers of each worker.
static wd_status merge_stats(wd_env_job *const *parts, size_t count, wd_value **ret_result)
{
    static const char *const names[] = { "envs", "snapshots", "copies", "forgotten", "created", "forked",
        "closed", "steps", "imagined", "bytes" };
    wd_value *workers = wd_value_array(), *result = wd_value_object();
    wd_status status = WD_OK;
    for (size_t i = 0; status == WD_OK && i < WD_COUNT_OF(names); i++) {
        wd_value *total = NULL;
        status = wd_value_int(sum(parts, count, names[i]), &total);
        status = status == WD_OK ? wd_object_set(&result, names[i], &total) : status;
        wd_value_unref(&total);
    }
    for (size_t i = 0; status == WD_OK && i < count; i++) {
        wd_value *row = wd_value_ref(parts[i]->result);
        status = wd_array_append(&workers, &row);
        wd_value_unref(&row);
    }
    status = status == WD_OK ? wd_object_set(&result, "workers", &workers) : status;
    wd_value_unref(&workers);
    if (status != WD_OK) {
        wd_value_unref(&result);
        return status;
    }
    *ret_result = result;
    return WD_OK;
}

/// Imports stand between the shares of a fork; all shares come from one snapshot.
static wd_status merge_fork(wd_env_job *const *parts, size_t count, wd_value **ret_result)
{
    wd_value *list = NULL;
    wd_status status = concat(parts, count, "envs", &list);
    return status == WD_OK ? wd_value_pack(ret_result, "{s:v,s:V}", "snapshot",
                                 wd_object_get(parts[count - 1]->result, "snapshot"), "envs", list)
                           : status;
}

static const struct merge_row {
    const char *verb;
    bool everywhere;
    wd_status (*merge)(wd_env_job *const *parts, size_t count, wd_value **ret_result);
} merge_rows[] = {
    { "env_list", true, merge_list },
    { "env_lineage", true, wd_env_merge_lineage },
    { "env_named", true, merge_named },
    { "env_stats", true, merge_stats },
    { "env_close", false, merge_close },
    { "env_fork", false, merge_fork },
};

static const struct merge_row *find_row(const char *verb)
{
    for (size_t i = 0; i < WD_COUNT_OF(merge_rows); i++) {
        if (strcmp(merge_rows[i].verb, verb) == 0) {
            return &merge_rows[i];
        }
    }
    return NULL;
}

bool wd_env_merge_everywhere(const char *verb)
{
    const struct merge_row *row = find_row(verb);
    return (row != NULL && row->everywhere) || strcmp(verb, "env_attach") == 0;
}

/// The first worker that knows the name answers; when none does, none of their errors is better than another.
static wd_status first_that_can(
    wd_env_job *const *parts, size_t count, wd_value **ret_result, wd_error *error)
{
    for (size_t i = 0; i < count; i++) {
        if (parts[i] != NULL && parts[i]->error.status == WD_OK) {
            *ret_result = wd_value_ref(parts[i]->result);
            return WD_OK;
        }
    }
    return wd_env_part_failure(parts[0], error);
}

/// {"results": [{"result"} or {"error": {"code", "text"}}]}: each call fails alone.
static wd_status merge_calls(wd_env_job *const *parts, size_t count, wd_value **ret_result)
{
    wd_value *list = wd_value_array();
    wd_status status = WD_OK;
    for (size_t i = 0; status == WD_OK && i < count; i++) {
        wd_error error;
        wd_value *row = NULL;
        status = wd_env_part_failure(parts[i], &error) == WD_OK
                     ? wd_value_pack(&row, "{s:v}", "result", parts[i]->result)
                     : wd_value_pack(
                           &row, "{s:{s:i,s:s}}", "error", "code", (int64_t)error.status, "text", error.text);
        status = status == WD_OK ? wd_array_append(&list, &row) : status;
        wd_value_unref(&row);
    }
    if (status != WD_OK) {
        wd_value_unref(&list);
        return status;
    }
    return wd_value_pack(ret_result, "{s:V}", "results", list);
}

wd_status wd_env_merge(
    const char *verb, wd_env_job *const *parts, size_t count, wd_value **ret_result, wd_error *error)
{
    wd_status status = WD_OK;
    if (strcmp(verb, "env_calls") == 0) {
        status = merge_calls(parts, count, ret_result);
        return status == WD_OK ? WD_OK : wd_error_set(error, status, "envs: %s", wd_status_text(status));
    }
    if (strcmp(verb, "env_attach") == 0) {
        return first_that_can(parts, count, ret_result, error);
    }
    if (strcmp(verb, "env_forget") ==
        0) {  // the last part is its home's; copies elsewhere expire in any case
        parts += count - 1;
        count = 1;
    }
    for (size_t i = 0; status == WD_OK && i < count; i++) {
        status = wd_env_part_failure(parts[i], error);
    }
    if (status != WD_OK) {
        return status;
    }
    const struct merge_row *row = find_row(verb);
    if (row == NULL || count == 1) {  // what came before the last part only prepared it
        *ret_result = wd_value_ref(parts[count - 1]->result);
        if (row == NULL || !row->everywhere) {
            return WD_OK;
        }
        wd_value_unref(ret_result);
    }
    status = row->merge(parts, count, ret_result);
    return status == WD_OK ? WD_OK : wd_error_set(error, status, "envs: %s", wd_status_text(status));
}

/// A batch whose answer fits into no frame: what it did stands, and is said.
static wd_status too_long(const wd_env_job *const *parts, size_t part_count, wd_error *error)
{
    for (size_t p = 0; p < part_count; p++) {
        if (parts[p] != NULL && parts[p]->overflow) {
            return wd_error_set(error, WD_ELIMIT,
                "the batch was done, but its answer is over %d bytes; ask for fewer slots, or to observe "
                "less",
                WD_ENV_OUTPUT_MAX);
        }
    }
    return WD_OK;
}

wd_status wd_env_merge_batch(uint64_t request_id, wd_env_job *const *parts, size_t part_count,
    size_t slot_count, uint8_t **ret_body, size_t *ret_length, wd_error *error)
{
    static const wd_env_slot lost = { .status = WD_ENOMEM };  // its part found no memory
    if (too_long((const wd_env_job *const *)parts, part_count, error) != WD_OK) {
        return WD_ELIMIT;
    }
    wd_env_batch_answer *answers = wd_alloc_zero(slot_count, sizeof *answers);
    wd_env_slot *timed_out = wd_alloc_zero(1, sizeof *timed_out);
    wd_status status = answers == NULL || timed_out == NULL ? WD_ENOMEM : WD_OK;
    for (size_t i = 0; status == WD_OK && i < slot_count; i++) {
        answers[i].slot = &lost;
    }
    for (size_t p = 0; status == WD_OK && p < part_count; p++) {
        const wd_env_job *part = parts[p];
        for (size_t i = 0; part != NULL && i < part->slot_count; i++) {
            const wd_env_slot *slot = &part->slots[i];
            answers[slot->index] = (wd_env_batch_answer){ slot, part->output };
            if (part->error.status != WD_OK && slot->status == WD_OK) {  // the part was not begun
                timed_out->status = part->error.status;
                answers[slot->index].slot = timed_out;
            }
        }
    }
    if (status == WD_OK) {
        status = wd_codec_pack_env_batch_reply(request_id, answers, slot_count, ret_body, ret_length);
    }
    if (answers != NULL) {
        wd_free(answers, slot_count * sizeof *answers);
    }
    wd_free(timed_out, timed_out == NULL ? 0 : sizeof *timed_out);
    return status == WD_OK ? WD_OK : wd_error_set(error, status, "batch: %s", wd_status_text(status));
}
