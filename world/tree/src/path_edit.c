// path_edit.c - setting and removing by path.
#include "path.h"

// How far the path leads: the first segment that finds nothing, or the last one.
typedef struct path_reach {
    size_t last;   // index of the segment where the change happens; path->count when nothing is left of it
    bool missing;  // its child is not there yet
    unsigned containers;  // on the way, the changed one included
} path_reach;

static wd_status reach_fail(
    const wd_path *path, size_t at, wd_status status, const char *what, wd_error *error)
{
    const wd_segment *segment = &path->segments[at];
    return wd_error_set(error, status, "path, segment %zu '%.*s': %s", at + 1,
        (int)(segment->raw_length < 80 ? segment->raw_length : 80), segment->raw, what);
}

// What is missing can be made when it is a member below an object and only members follow.
static wd_status check_missing(const wd_path *path, size_t at, const wd_value *container, wd_error *error)
{
    if (!wd_value_is(container, WD_KIND_ARRAY) && !wd_value_is(container, WD_KIND_OBJECT)) {
        return reach_fail(path, at, WD_ETYPE, "a scalar is in the way", error);
    }
    if (path->segments[at].kind != WD_SEGMENT_KEY || !wd_value_is(container, WD_KIND_OBJECT)) {
        return reach_fail(path, at, WD_ENOENT, "no such element", error);
    }
    for (size_t i = at + 1; i < path->count; i++) {
        if (path->segments[i].kind != WD_SEGMENT_KEY) {
            return reach_fail(path, i, WD_ENOENT, "no such element", error);
        }
    }
    return WD_OK;
}

static wd_status find_reach(const wd_path *path, const wd_value *root, path_reach *reach, wd_error *error)
{
    *reach = (path_reach){ .last = path->count };
    const wd_value *value = root;
    for (size_t i = 0; i < path->count; i++) {
        if (wd_segment_is_skipped(&path->segments[i])) {
            continue;
        }
        const wd_value *child;
        size_t index;
        wd_segment_find(&path->segments[i], &path->names[i], value, false, &child, &index);
        reach->last = i;
        reach->containers += 1;
        if (child == NULL) {
            reach->missing = true;
            return check_missing(path, i, value, error);
        }
        value = child;
    }
    return WD_OK;
}

// Go down one segment that leads to something, unsharing on the way.
static wd_status step_down(const wd_path *path, size_t at, unsigned height, wd_value ***slot_p)
{
    const wd_value *child;
    size_t index;
    if (wd_value_is(**slot_p, WD_KIND_OBJECT)) {
        return wd_object_slot(*slot_p, &path->names[at], false, height, slot_p);
    }
    wd_segment_find(&path->segments[at], &path->names[at], **slot_p, false, &child, &index);
    return wd_array_slot(*slot_p, index, height, slot_p);
}

// `item` wrapped in the objects that the segments after `last` ask for. Borrowed; a new reference.
static wd_status wrap(const wd_path *path, size_t last, const wd_value *item, wd_value **ret_tail)
{
    wd_value *tail = wd_value_ref(item);
    for (size_t i = path->count; i > last + 1; i--) {
        if (wd_segment_is_skipped(&path->segments[i - 1])) {
            continue;
        }
        wd_value *object = wd_value_object();
        wd_status status = wd_object_set_name(&object, &path->names[i - 1], &tail);
        if (status != WD_OK) {
            wd_value_unref(&tail);
            return status;
        }
        tail = object;
    }
    *ret_tail = tail;
    return WD_OK;
}

// Put `tail` where the path leads. Containers on the way read as before until the very end.
static wd_status place(
    wd_value **root_p, const wd_path *path, const path_reach *reach, unsigned height, wd_value **tail_p)
{
    wd_value **slot = root_p;
    unsigned below = reach->containers - 1 + height;
    for (size_t i = 0; i < reach->last; i++) {
        if (!wd_segment_is_skipped(&path->segments[i])) {
            wd_status status = step_down(path, i, below, &slot);
            if (status != WD_OK) {
                return status;
            }
            below -= 1;
        }
    }
    if (reach->last < path->count) {
        wd_status status = reach->missing
                               ? wd_object_slot(slot, &path->names[reach->last], true, height, &slot)
                               : step_down(path, reach->last, height, &slot);
        if (status != WD_OK) {
            return status;
        }
    }
    wd_slot_replace(slot, tail_p);
    return WD_OK;
}

wd_status wd_path_set(wd_value **root_p, const wd_path *path, wd_value **item_p, wd_error *error)
{
    path_reach reach;
    wd_status status = find_reach(path, *root_p, &reach, error);
    if (status != WD_OK) {
        return status;
    }
    wd_value *tail;
    unsigned height = 0;
    status = wrap(path, reach.last, *item_p, &tail);
    if (status == WD_OK) {
        status = wd_height_with(tail, &height);
        if (status == WD_OK && height - 1 + reach.containers > WD_VALUE_DEPTH_MAX) {
            status = WD_ELIMIT;
        }
        if (status == WD_OK) {
            status = place(root_p, path, &reach, height - 1, &tail);
        }
        wd_value_unref(&tail);
    }
    if (status != WD_OK) {
        return wd_error_set(error, status, "path: %s", wd_status_text(status));
    }
    wd_value_unref(item_p);
    return WD_OK;
}

wd_status wd_value_set_path(wd_value **root_p, const char *text, wd_value **item_p)
{
    wd_path *path;
    wd_status status = wd_path_parse(text, strlen(text), &path, NULL);
    if (status == WD_OK) {
        status = wd_path_set(root_p, path, item_p, NULL);
        wd_path_destroy(&path);
    }
    return status;
}

wd_status wd_path_remove(wd_value **root_p, const wd_path *path)
{
    path_reach reach;
    wd_status status = find_reach(path, *root_p, &reach, NULL);
    if (status != WD_OK || reach.missing || reach.last == path->count) {
        return WD_ENOENT;
    }
    wd_value **slot = root_p;
    for (size_t i = 0; i < reach.last; i++) {
        if (!wd_segment_is_skipped(&path->segments[i])) {
            status = step_down(path, i, 0, &slot);
            if (status != WD_OK) {
                return status;
            }
        }
    }
    if (wd_value_is(*slot, WD_KIND_OBJECT)) {
        return wd_object_remove_name(slot, &path->names[reach.last]);
    }
    const wd_value *child;
    size_t index;
    wd_segment_find(&path->segments[reach.last], &path->names[reach.last], *slot, false, &child, &index);
    return wd_array_remove(slot, index);
}
