/// matcher.c - carrying the patterns along a walk, and charging quotas after it.
#include "matcher.h"

#include "grow.h"
#include "judge/operators.h"

wd_status wd_matcher_init(wd_matcher *matcher, const wd_expectations *set, wd_step *root)
{
    *matcher = (wd_matcher){ .set = set };
    root->active_first = 0;
    root->active_count = (uint32_t)set->count;
    root->quota = -1;
    if (set->quota_count > 0) {
        wd_status status = wd_changes_new(&matcher->groups);
        if (status != WD_OK) {
            return status;
        }
    }
    size_t room = set->count * 2 + 8;
    matcher->active = wd_alloc(room * sizeof matcher->active[0]);
    if (matcher->active == NULL) {
        wd_matcher_done(matcher);
        return WD_ENOMEM;
    }
    matcher->active_capacity = room;
    for (size_t i = 0; i < set->count; i++) {
        matcher->active[i] = (uint32_t)i;
    }
    matcher->active_count = set->count;
    return WD_OK;
}

void wd_matcher_done(wd_matcher *matcher)
{
    wd_free(matcher->active, matcher->active_capacity * sizeof matcher->active[0]);
    wd_free(matcher->leftovers, matcher->leftover_capacity * sizeof matcher->leftovers[0]);
    wd_free(matcher->group_quotas, matcher->group_capacity * sizeof matcher->group_quotas[0]);
    wd_changes_destroy(&matcher->groups);
    wd_buffer_done(&matcher->text);
    *matcher = (wd_matcher){ 0 };
}

/// The step's text for patterns; an element's is written once, when the first pattern asks.
static wd_status step_text(wd_matcher *matcher, const wd_step *step, const char **text, size_t *length)
{
    if (*text != NULL) {
        return WD_OK;
    }
    if (step->kind == WD_SEGMENT_KEY) {
        *text = step->text;
        *length = step->length;
        return WD_OK;
    }
    matcher->text.length = 0;
    wd_status status = wd_step_write_plain(step, &matcher->text);
    *text = matcher->text.bytes;
    *length = matcher->text.length;
    return status;
}

/// A pattern ends at this step: does it excuse what happens here?
static void complete(
    const wd_expectation *item, wd_step *step, const wd_value *before, const wd_value *after, wd_cover *cover)
{
    if (item->quota >= 0) {
        if (step->quota < 0 || item->quota < step->quota) {
            step->quota = item->quota;
        }
        return;
    }
    bool holds = (item->to == NULL || wd_operators_hold(item->to, after)) &&
                 (item->from == NULL || wd_operators_hold(item->from, before));
    if (holds) {
        wd_cover covers = item->expected ? WD_COVER_EXPECTED : WD_COVER_IGNORED;
        *cover = covers > *cover ? covers : *cover;
    }
}

wd_status wd_matcher_enter(
    wd_matcher *matcher, wd_step *step, const wd_value *before, const wd_value *after, wd_cover *ret_cover)
{
    const wd_step *up = step->up;
    *ret_cover = WD_COVER_NONE;
    if (up == NULL) {
        return WD_OK;  // the root: wd_matcher_init() filled it in
    }
    step->active_first = (uint32_t)matcher->active_count;
    step->active_count = 0;
    step->quota = up->quota;
    const char *text = NULL;
    size_t length = 0;
    for (uint32_t i = 0; i < up->active_count; i++) {
        uint32_t index = matcher->active[up->active_first + i];
        const wd_expectation *item = &matcher->set->items[index];
        const wd_pattern_segment *segment = &item->pattern->segments[step->depth - 1];
        wd_status status = segment->any ? WD_OK : step_text(matcher, step, &text, &length);
        if (status == WD_OK) {
            status = wd_grow((void **)&matcher->active, &matcher->active_capacity, matcher->active_count,
                sizeof matcher->active[0]);
        }
        if (status != WD_OK) {
            matcher->active_count = step->active_first;
            return status;
        }
        if (!wd_pattern_segment_matches(segment, step->kind != WD_SEGMENT_KEY, text, length)) {
            continue;
        }
        if (item->pattern->count == step->depth) {
            complete(item, step, before, after, ret_cover);
        } else {
            matcher->active[matcher->active_count++] = index;
            step->active_count += 1;
        }
    }
    return WD_OK;
}

void wd_matcher_leave(wd_matcher *matcher, const wd_step *step)
{
    if (step->up != NULL) {
        matcher->active_count = step->active_first;
    }
}

// ---- quotas -----------------------------------------------------------------------------------------------

wd_status wd_matcher_group_start(
    wd_matcher *matcher, const wd_step *step, const wd_buffer *path, const wd_value *subtree)
{
    size_t count = wd_changes_count(matcher->groups);
    wd_status status = wd_grow(
        (void **)&matcher->group_quotas, &matcher->group_capacity, count, sizeof matcher->group_quotas[0]);
    if (status == WD_OK) {
        status = wd_changes_add(matcher->groups, path->bytes, path->length, NULL, subtree);
    }
    if (status == WD_OK) {
        matcher->group_quotas[count] = step->quota;
        matcher->group = (uint32_t)count + 1;
    }
    return status;
}

void wd_matcher_group_end(wd_matcher *matcher)
{
    matcher->group = 0;
}

wd_status wd_matcher_note(wd_matcher *matcher, const wd_step *step)
{
    if (matcher->groups == NULL) {
        return WD_OK;
    }
    wd_status status = wd_grow((void **)&matcher->leftovers, &matcher->leftover_capacity,
        matcher->leftover_count, sizeof matcher->leftovers[0]);
    if (status == WD_OK) {
        matcher->leftovers[matcher->leftover_count++] =
            (wd_leftover){ .quota = step->quota, .group = matcher->group };
    }
    return status;
}

/// One addition per change or, for a subtree that stands at or below a prefix, one for all that is left of
/// it.
static size_t list_additions(const wd_matcher *matcher, const wd_changes *changes, wd_addition *additions)
{
    size_t count = 0;
    uint32_t last_group = 0;
    for (size_t i = 0; i < changes->count; i++) {
        wd_leftover leftover = matcher->leftovers[i];
        if (changes->items[i].before != NULL) {
            continue;
        }
        uint32_t group = leftover.group;
        if (group != 0 && matcher->group_quotas[group - 1] >= 0) {
            if (group != last_group) {  // the leaves of a group follow one another
                additions[count++] = (wd_addition){ .change = matcher->groups->items[group - 1],
                    .quota = matcher->group_quotas[group - 1],
                    .index = i,
                    .group = group };
            }
            last_group = group;
        } else if (leftover.quota >= 0) {
            additions[count++] =
                (wd_addition){ .change = changes->items[i], .quota = leftover.quota, .index = i };
        }
    }
    return count;
}

static void spend(const wd_matcher *matcher, const wd_addition *additions, size_t count, size_t change_count,
    uint32_t *allowed, bool *excused)
{
    for (size_t i = 0; i < count; i++) {
        const wd_addition *addition = &additions[i];
        if (allowed[addition->quota] == 0) {
            continue;
        }
        allowed[addition->quota] -= 1;
        excused[addition->index] = true;
        for (size_t leaf = addition->index + 1; addition->group != 0 && leaf < change_count; leaf++) {
            if (matcher->leftovers[leaf].group != addition->group) {
                break;
            }
            excused[leaf] = true;
        }
    }
}

wd_status wd_matcher_charge(wd_matcher *matcher, wd_changes *changes)
{
    size_t change_count = changes->count;
    size_t quota_count = matcher->set->quota_count;
    if (change_count == 0 || quota_count == 0) {
        return WD_OK;
    }
    wd_addition *additions = wd_alloc(change_count * sizeof *additions);
    uint32_t *allowed = wd_alloc(quota_count * sizeof *allowed);
    bool *excused = wd_alloc_zero(change_count, sizeof *excused);
    wd_status status = additions != NULL && allowed != NULL && excused != NULL ? WD_OK : WD_ENOMEM;
    if (status == WD_OK) {
        memcpy(allowed, matcher->set->quotas, quota_count * sizeof *allowed);
        size_t count = list_additions(matcher, changes, additions);
        status = wd_change_records_sort(additions, count, sizeof *additions);
        if (status == WD_OK) {
            spend(matcher, additions, count, change_count, allowed, excused);
            wd_changes_drop(changes, excused);
        }
    }
    wd_free(additions, change_count * sizeof *additions);
    wd_free(allowed, quota_count * sizeof *allowed);
    wd_free(excused, change_count * sizeof *excused);
    return status;
}
