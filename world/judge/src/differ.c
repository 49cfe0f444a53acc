/// differ.c - the walk over two states (judge.md 12.2): objects member by member, kinds apart, lists in
/// lists.c.
#include "differ.h"

#include "matcher.h"
#include "tree/walk.h"

#include <string.h>

static wd_status add_change(wd_differ *differ, wd_step *step, const wd_value *before, const wd_value *after)
{
    wd_status status = wd_step_write_path(step, &differ->text);
    if (status == WD_OK) {
        status = wd_changes_add(differ->changes, differ->text.bytes, differ->text.length, before, after);
    }
    if (status == WD_OK && differ->matcher != NULL) {
        status = wd_matcher_note(differ->matcher, step);
    }
    return status;
}

static bool has_children(const wd_value *value)
{
    return wd_array_count(value) > 0 || wd_object_count(value) > 0;
}

// ---- a subtree that only one side has, cut into leaves (judge.md 12.4) ------------------------------------

typedef struct cut {
    wd_differ *differ;
    bool added;     // it appears; else it disappears
    bool silent;    // an ignored place: only look for leaves that an expected change covers
    bool expected;  // out: a leaf is covered by an expected change
} cut;

static wd_status cut_children(cut *how, wd_step *step, const wd_value *value);

/// Report one leaf unless this is a silent walk.
static wd_status cut_leaf(cut *how, wd_step *step, const wd_value *leaf)
{
    if (how->silent) {
        return WD_OK;
    }
    return add_change(how->differ, step, how->added ? NULL : leaf, how->added ? leaf : NULL);
}

static wd_status cut_node(void *context, wd_step *step, const wd_value *value)
{
    cut *how = context;
    wd_matcher *matcher = how->differ->matcher;
    wd_cover cover = WD_COVER_NONE;
    wd_status status =
        wd_matcher_enter(matcher, step, how->added ? NULL : value, how->added ? value : NULL, &cover);
    if (status != WD_OK) {
        return status;
    }
    bool silent = how->silent;
    if (cover == WD_COVER_EXPECTED) {
        how->expected = true;
    } else if (!has_children(value)) {
        status = cover == WD_COVER_NONE ? cut_leaf(how, step, value) : WD_OK;
    } else if (cover == WD_COVER_NONE || step->active_count > 0) {
        how->silent = silent || cover == WD_COVER_IGNORED;
        status = cut_children(how, step, value);
        how->silent = silent;
    }
    wd_matcher_leave(matcher, step);
    return status;
}

/// An element that appears with its identity: the identity member is excused along with any other leaf in it.
static wd_status cut_element(cut *how, wd_step *step, const wd_value *element)
{
    cut inside = { .differ = how->differ, .added = how->added, .silent = how->silent };
    const wd_value *identity = NULL;
    wd_step identity_step = { 0 };
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(element);
    while (status == WD_OK && wd_iter_next(&iter)) {
        wd_step child = wd_step_key(step, iter.key, iter.key_length);
        if (strcmp(iter.key, step->text) == 0) {
            identity = iter.value;
            identity_step = child;
        } else {
            status = cut_node(&inside, &child, iter.value);
        }
    }
    if (status == WD_OK && identity != NULL) {
        inside.silent = inside.silent || inside.expected;
        status = cut_node(&inside, &identity_step, identity);
    }
    how->expected = how->expected || inside.expected;
    return status;
}

static wd_status cut_children(cut *how, wd_step *step, const wd_value *value)
{
    if (wd_value_is(value, WD_KIND_ARRAY)) {
        return wd_list_children(step, value, how->added, cut_node, how);
    }
    if (how->added && step->kind == WD_SEGMENT_FILTER) {
        return cut_element(how, step, value);
    }
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(value);
    while (status == WD_OK && wd_iter_next(&iter)) {
        wd_step child = wd_step_key(step, iter.key, iter.key_length);
        status = cut_node(how, &child, iter.value);
    }
    return status;
}

/// Quotas count a subtree that appears as one.
static wd_status start_group(wd_differ *differ, wd_step *step, const wd_value *value)
{
    if (!wd_matcher_has_quotas(differ->matcher)) {
        return WD_OK;
    }
    wd_status status = wd_step_write_path(step, &differ->text);
    return status == WD_OK ? wd_matcher_group_start(differ->matcher, step, &differ->text, value) : status;
}

/// `step` is entered, and no pattern covers it.
static wd_status cut_subtree(wd_differ *differ, wd_step *step, const wd_value *value, bool added)
{
    wd_status status = added ? start_group(differ, step, value) : WD_OK;
    if (status == WD_OK) {
        cut how = { .differ = differ, .added = added };
        status = cut_children(&how, step, value);
        wd_matcher_group_end(differ->matcher);
    }
    return status;
}

// ---- two sides --------------------------------------------------------------------------------------------

/// Member by member, without what both share.
static wd_status diff_objects(wd_differ *differ, wd_step *step, const wd_value *before, const wd_value *after)
{
    wd_status status = WD_OK;
    wd_pair_walk pair = wd_pair_start(before, after);
    while (status == WD_OK && wd_pair_next(&pair)) {
        wd_step child = wd_step_key(step, pair.key, pair.key_length);
        status = wd_differ_pair(differ, &child, pair.before, pair.after);
    }
    return status;
}

/// Two containers of one kind.
static wd_status diff_containers(
    wd_differ *differ, wd_step *step, const wd_value *before, const wd_value *after)
{
    return wd_value_kind(before) == WD_KIND_OBJECT ? diff_objects(differ, step, before, after)
                                                   : wd_differ_lists(differ, step, before, after);
}

/// A change of scalar or kind, or something that only one side has.
static wd_status diff_change(wd_differ *differ, wd_step *step, const wd_value *before, const wd_value *after)
{
    const wd_value *only = before == NULL ? after : after == NULL ? before : NULL;
    if (only != NULL && differ->matcher != NULL && has_children(only)) {
        return cut_subtree(differ, step, only, before == NULL);
    }
    return add_change(differ, step, before, after);
}

typedef wd_status diff_function(
    wd_differ *differ, wd_step *step, const wd_value *before, const wd_value *after);

/// Go on with `inside` unless a pattern covers the place.
static wd_status enter_and(
    wd_differ *differ, wd_step *step, const wd_value *before, const wd_value *after, diff_function *inside)
{
    if (differ->matcher == NULL) {
        return inside(differ, step, before, after);
    }
    wd_cover cover = WD_COVER_NONE;
    wd_status status = wd_matcher_enter(differ->matcher, step, before, after, &cover);
    if (status != WD_OK) {
        return status;
    }
    if (cover == WD_COVER_NONE) {
        status = inside(differ, step, before, after);
    }
    wd_matcher_leave(differ->matcher, step);
    return status;
}

wd_status wd_differ_pair(wd_differ *differ, wd_step *step, const wd_value *before, const wd_value *after)
{
    if (before == after) {
        return WD_OK;
    }
    if (before != NULL && after != NULL) {
        wd_kind kind = wd_value_kind(before);
        if (kind < WD_KIND_ARRAY) {
            if (wd_value_equal(before, after)) {
                return WD_OK;
            }
        } else if (kind == wd_value_kind(after)) {
            return enter_and(differ, step, before, after, diff_containers);
        }
    }
    return enter_and(differ, step, before, after, diff_change);
}

wd_status wd_differ_report(wd_differ *differ, wd_step *step, const wd_value *before, const wd_value *after)
{
    return enter_and(differ, step, before, after, add_change);
}

wd_status wd_changes_make(const wd_value *before, const wd_value *after, wd_changes **ret_changes)
{
    wd_changes *changes = NULL;
    wd_status status = wd_changes_new(&changes);
    if (status != WD_OK) {
        return status;
    }
    wd_differ differ = { .changes = changes };
    wd_step root = { .up = NULL };
    status = wd_differ_pair(&differ, &root, before, after);
    status = status == WD_OK ? wd_changes_sort(changes) : status;
    wd_buffer_done(&differ.text);
    if (status != WD_OK) {
        wd_changes_destroy(&changes);
        return status;
    }
    *ret_changes = changes;
    return WD_OK;
}
