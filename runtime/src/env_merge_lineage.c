// The lineage of all workers as one tree. A snapshot lives on one worker; others have copies under the same id, and know
// its parent by id.
#include "env_merge.h"

static const char *text_at(const wd_value *row, const char *name)
{
    return wd_value_string_or(wd_object_get(row, name), "");
}

static wd_status set_number(wd_value **row_p, const char *name, int64_t number)
{
    wd_value *value = NULL;
    wd_status status = wd_value_int(number, &value);
    status = status == WD_OK ? wd_object_set(row_p, name, &value) : status;
    wd_value_unref(&value);
    return status;
}

/// What both rows of one snapshot say together. Where only copies are left, the snapshot itself was forgotten.
static wd_status join(const wd_value *one, const wd_value *other, wd_value **ret_row)
{
    bool other_is_home = wd_object_get(other, "copy") == NULL;
    int64_t envs = wd_value_int_or(wd_object_get(one, "envs"), 0);
    wd_value *row = wd_value_ref(other_is_home ? other : one);
    wd_status status = set_number(&row, "envs", envs + wd_value_int_or(wd_object_get(other, "envs"), 0));
    if (status != WD_OK) {
        wd_value_unref(&row);
        return status;
    }
    *ret_row = row;
    return WD_OK;
}

/// Put the row under its id, and count it as a child where it is the first of its snapshot.
static wd_status gather(const wd_value *row, wd_value **rows_p, wd_value **children_p)
{
    const char *id = text_at(row, "snapshot"), *parent = text_at(row, "parent");
    const wd_value *known = wd_object_get(*rows_p, id);
    wd_value *joined = NULL;
    wd_status status = WD_OK;
    if (known == NULL) {
        joined = wd_value_ref(row);
        if (parent[0] != '\0') {
            status =
                set_number(children_p, parent, 1 + wd_value_int_or(wd_object_get(*children_p, parent), 0));
        }
    } else {
        status = join(known, row, &joined);
    }
    status = status == WD_OK ? wd_object_set(rows_p, id, &joined) : status;
    wd_value_unref(&joined);
    return status;
}

/// The row as it is told.
static wd_status finish(const wd_value *row, const wd_value *children, wd_value **list_p)
{
    wd_value *told = wd_value_ref(row), *no = wd_value_bool(false);
    int64_t count = wd_value_int_or(wd_object_get(children, text_at(row, "snapshot")), 0);
    wd_status status = set_number(&told, "children", count);
    if (status == WD_OK && wd_object_get(told, "copy") != NULL) {
        status = wd_object_set(&told, "kept", &no);
        status = status == WD_OK ? wd_object_remove(&told, "copy") : status;
    }
    status = status == WD_OK ? wd_array_append(list_p, &told) : status;
    wd_value_unref(&told);
    wd_value_unref(&no);
    return status;
}

wd_status wd_env_merge_lineage(wd_env_job *const *parts, size_t count, wd_value **ret_result)
{
    wd_value *rows = wd_value_object(), *children = wd_value_object(), *list = wd_value_array();
    wd_status status = WD_OK;
    for (size_t i = 0; status == WD_OK && i < count; i++) {
        wd_iter iter = wd_iter_start(parts[i]->result);
        while (status == WD_OK && wd_iter_next(&iter)) {
            status = gather(iter.value, &rows, &children);
        }
    }
    wd_iter iter = wd_iter_start(rows);
    while (status == WD_OK && wd_iter_next(&iter)) {
        status = finish(iter.value, children, &list);
    }
    wd_value_unref(&rows);
    wd_value_unref(&children);
    if (status != WD_OK) {
        wd_value_unref(&list);
        return status;
    }
    *ret_result = list;
    return WD_OK;
}
