// path_edit.c - setting and removing by path.
//
// Both go down once, making each container on the way unshared, and write at the end. A root that is shared is
// replaced only after that, so whoever asked keeps the very same root when something is missing or memory is out.
#include "path.h"

static wd_status edit_fail(
    const wd_path *path, size_t at, wd_status status, const char *what, wd_error *error)
{
    const wd_segment *segment = &path->segments[at];
    return wd_error_set(error, status, "path, segment %zu '%.*s': %s", at + 1,
        (int)(segment->raw_length < 80 ? segment->raw_length : 80), segment->raw, what);
}

// Segments that lead somewhere.
static size_t count_steps(const wd_path *path)
{
    size_t count = 0;
    for (size_t i = 0; i < path->count; i++) {
        count += !wd_segment_is_skipped(&path->segments[i]);
    }
    return count;
}

// Go down one segment. What is put below the child must be no higher than `height`. @retval WD_ENOENT.
static wd_status step_down(const wd_path *path, size_t at, unsigned height, wd_value ***slot_p)
{
    const wd_segment *segment = &path->segments[at];
    if (segment->kind == WD_SEGMENT_KEY && wd_value_is(**slot_p, WD_KIND_OBJECT)) {
        return wd_object_slot(*slot_p, &path->names[at], false, height, slot_p);
    }
    const wd_value *child;
    size_t index;
    wd_segment_find(segment, &path->names[at], **slot_p, false, &child, &index);
    return child != NULL ? wd_array_slot(*slot_p, index, height, slot_p) : WD_ENOENT;
}

// What is missing can be made when it is a member of an object and only members follow.
static wd_status check_missing(const wd_path *path, size_t at, const wd_value *container, wd_error *error)
{
    bool object = wd_value_is(container, WD_KIND_OBJECT);
    if (!object && !wd_value_is(container, WD_KIND_ARRAY)) {
        return edit_fail(path, at, WD_ETYPE, "a scalar is in the way", error);
    }
    for (size_t i = at; i < path->count; i++) {
        if (!object || path->segments[i].kind != WD_SEGMENT_KEY) {
            return edit_fail(path, i, WD_ENOENT, "no such element", error);
        }
    }
    return WD_OK;
}

// `item` wrapped in the objects that the segments after `at` ask for. Borrowed; a new reference.
static wd_status wrap(const wd_path *path, size_t at, const wd_value *item, wd_value **ret_tail)
{
    wd_value *tail = wd_value_ref(item);
    for (size_t i = path->count - 1; i > at; i--) {
        if (wd_segment_is_skipped(&path->segments[i])) {
            continue;
        }
        wd_value *object = wd_value_object();
        wd_status status = wd_object_set_name(&object, &path->names[i], &tail);
        if (status != WD_OK) {
            wd_value_unref(&tail);
            return status;
        }
        tail = object;
    }
    *ret_tail = tail;
    return WD_OK;
}

// The member that segment `at` names is missing: add it, and all that is below it.
static wd_status add_missing(
    wd_value **slot, const wd_path *path, size_t at, unsigned height, const wd_value *item, wd_error *error)
{
    wd_value *tail;
    wd_status status = check_missing(path, at, *slot, error);
    if (status != WD_OK) {
        return status;
    }
    status = wrap(path, at, item, &tail);
    if (status == WD_OK) {
        status = wd_object_slot(slot, &path->names[at], true, height, &slot);
        if (status == WD_OK) {
            wd_slot_replace(slot, &tail);
        }
        wd_value_unref(&tail);
    }
    return status == WD_OK ? WD_OK : edit_fail(path, at, status, wd_status_text(status), error);
}

static wd_status set_below(
    wd_value **slot, const wd_path *path, unsigned height, const wd_value *item, wd_error *error)
{
    for (size_t i = 0; i < path->count; i++) {
        if (wd_segment_is_skipped(&path->segments[i])) {
            continue;
        }
        height -= 1;
        wd_status status = step_down(path, i, height, &slot);
        if (status == WD_ENOENT) {
            return add_missing(slot, path, i, height, item, error);
        }
        if (status != WD_OK) {
            return edit_fail(path, i, status, wd_status_text(status), error);
        }
    }
    wd_value *own = wd_value_ref(item);
    wd_slot_replace(slot, &own);
    return WD_OK;
}

// The root may be written in place?
static bool is_unique(const wd_value *root)
{
    return wd_is_node(root) && wd_node_unique(root);
}

wd_status wd_path_set(wd_value **root_p, const wd_path *path, wd_value **item_p, wd_error *error)
{
    unsigned height;
    size_t steps = count_steps(path);
    if (wd_height_with(*item_p, &height) != WD_OK || height - 1 + steps > WD_VALUE_DEPTH_MAX) {
        return wd_error_set(error, WD_ELIMIT, "path: nested too deep");
    }
    height = height - 1 + (unsigned)steps;
    wd_status status;
    if (is_unique(*root_p)) {
        status = set_below(root_p, path, height, *item_p, error);
    } else {
        wd_value *work = wd_value_ref(*root_p);
        status = set_below(&work, path, height, *item_p, error);
        if (status == WD_OK) {
            wd_slot_replace(root_p, &work);
        }
        wd_value_unref(&work);
    }
    if (status == WD_OK) {
        wd_value_unref(item_p);
    }
    return status;
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

static wd_status remove_below(wd_value **slot, const wd_path *path, size_t steps)
{
    wd_status status = WD_ENOENT;
    size_t at = 0;
    for (; at < path->count; at++) {
        if (wd_segment_is_skipped(&path->segments[at])) {
            continue;
        }
        if (steps == 1) {
            break;
        }
        steps -= 1;
        status = step_down(path, at, 0, &slot);
        if (status != WD_OK) {
            return status;
        }
    }
    if (at == path->count) {
        return WD_ENOENT;  // no segment: the root itself stays
    }
    if (path->segments[at].kind == WD_SEGMENT_KEY && wd_value_is(*slot, WD_KIND_OBJECT)) {
        return wd_object_remove_name(slot, &path->names[at]);
    }
    const wd_value *child;
    size_t index;
    wd_segment_find(&path->segments[at], &path->names[at], *slot, false, &child, &index);
    return child != NULL ? wd_array_remove(slot, index) : WD_ENOENT;
}

wd_status wd_path_remove(wd_value **root_p, const wd_path *path)
{
    size_t steps = count_steps(path);
    if (is_unique(*root_p)) {
        return remove_below(root_p, path, steps);
    }
    wd_value *work = wd_value_ref(*root_p);
    wd_status status = remove_below(&work, path, steps);
    if (status == WD_OK) {
        wd_slot_replace(root_p, &work);
    }
    wd_value_unref(&work);
    return status;
}
