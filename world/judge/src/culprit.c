/// culprit.c - walking a trace forward: which places differ from the initial state, since when, until when.
#include "judge/culprit.h"

#include "expectation_set.h"
#include "grow.h"
#include "rule_set.h"

#include <string.h>

typedef struct deed_list {
    wd_deed *items;
    size_t count, capacity;
} deed_list;

struct wd_deeds {
    deed_list final, undone;
    wd_changes **reports;  // own the changes that the deeds point to, one per state looked at
    size_t report_count, report_capacity;
};

static wd_status add_deed(deed_list *list, wd_deed deed)
{
    wd_status status = wd_grow((void **)&list->items, &list->capacity, list->count, sizeof list->items[0]);
    if (status == WD_OK) {
        list->items[list->count++] = deed;
    }
    return status;
}

static void list_done(deed_list *list)
{
    wd_free(list->items, list->capacity * sizeof list->items[0]);
    *list = (deed_list){ 0 };
}

void wd_deeds_destroy(wd_deeds **deeds_p)
{
    wd_deeds *deeds = *deeds_p;
    if (deeds == NULL) {
        return;
    }
    list_done(&deeds->final);
    list_done(&deeds->undone);
    for (size_t i = 0; i < deeds->report_count; i++) {
        wd_changes_destroy(&deeds->reports[i]);
    }
    wd_free(deeds->reports, deeds->report_capacity * sizeof deeds->reports[0]);
    wd_free(deeds, sizeof *deeds);
    *deeds_p = NULL;
}

/// What a walk along the trace carries.
typedef struct walk {
    const wd_expectations *set;
    const wd_value *initial;
    wd_deeds *deeds;
    deed_list open;  // places that differ now, sorted by path
} walk;

static int compare_paths(const wd_change *a, const wd_change *b)
{
    return strcmp(a->path, b->path);
}

static bool same_sides(const wd_change *a, const wd_change *b)
{
    return wd_value_equal(a->before, b->before) && wd_value_equal(a->after, b->after);
}

/// Close a deed at step `number`, unless the task lets the place change and only minds the value.
static wd_status undo(walk *along, wd_deed deed, int64_t number)
{
    bool allowed = false;
    wd_status status = wd_expectations_allows(along->set, deed.change->path, &allowed);
    if (status != WD_OK || allowed) {
        return status;
    }
    deed.last_step = number;
    return add_deed(&along->deeds->undone, deed);
}

/// Compare what differs now with what differed before.
static wd_status merge(walk *along, const wd_changes *report, int64_t number)
{
    deed_list next = { 0 };
    size_t old_at = 0, new_at = 0, new_count = wd_changes_count(report);
    wd_status status = WD_OK;
    while (status == WD_OK && (old_at < along->open.count || new_at < new_count)) {
        const wd_deed *was = old_at < along->open.count ? &along->open.items[old_at] : NULL;
        const wd_change *is = new_at < new_count ? wd_changes_at(report, new_at) : NULL;
        int order = was == NULL ? 1 : is == NULL ? -1 : compare_paths(was->change, is);
        if (order < 0) {
            status = undo(along, *was, number);
        } else {
            wd_deed deed = { .change = is, .step = number, .last_step = number };
            if (order == 0) {
                deed.step = was->step;
                deed.last_step = same_sides(was->change, is) ? was->last_step : number;
            }
            status = add_deed(&next, deed);
        }
        old_at += order <= 0;
        new_at += order >= 0;
    }
    if (status != WD_OK) {
        list_done(&next);
        return status;
    }
    list_done(&along->open);
    along->open = next;
    return WD_OK;
}

static wd_status look_at(walk *along, const wd_value *state, int64_t number)
{
    wd_deeds *deeds = along->deeds;
    wd_status status = wd_grow(
        (void **)&deeds->reports, &deeds->report_capacity, deeds->report_count, sizeof deeds->reports[0]);
    if (status != WD_OK) {
        return status;
    }
    wd_value *visible = NULL;
    wd_changes *report = NULL;
    status = wd_rules_visible(state, &visible);
    if (status == WD_OK) {
        status = wd_expectations_unexpected(along->set, along->initial, visible, &report);
    }
    wd_value_unref(&visible);
    if (status != WD_OK) {
        return status;
    }
    deeds->reports[deeds->report_count++] = report;
    return merge(along, report, number);
}

static wd_status walk_trace(walk *along, const wd_value *final, const wd_trace *trace)
{
    const wd_value *last = along->initial;
    int64_t number = -1;
    wd_status status = WD_OK;
    for (size_t i = 0; status == WD_OK && i < trace->count; i++) {
        const wd_trace_step *step = &trace->steps[i];
        number = step->number;
        if (step->state != NULL && !wd_value_same(step->state, last)) {
            status = look_at(along, step->state, number);
            last = step->state;
        }
    }
    if (status == WD_OK && !wd_value_same(final, last)) {
        status = look_at(along, final, number);
    }
    return status;
}

static int compare_deeds(const wd_deed *a, const wd_deed *b)
{
    int order = compare_paths(a->change, b->change);
    return order != 0 ? order : (a->step > b->step) - (a->step < b->step);
}

/// Deeds are closed in the order of the trace; few, so insertion will do.
static void sort_undone(deed_list *list)
{
    for (size_t i = 1; i < list->count; i++) {
        wd_deed deed = list->items[i];
        size_t at = i;
        for (; at > 0 && compare_deeds(&list->items[at - 1], &deed) > 0; at--) {
            list->items[at] = list->items[at - 1];
        }
        list->items[at] = deed;
    }
}

wd_status wd_deeds_find(const wd_rules *rules, const wd_value *initial, const wd_value *final,
    const wd_trace *trace, wd_deeds **ret_deeds, wd_error *error)
{
    walk along = { 0 };
    wd_expectations *own = NULL;
    wd_value *before = NULL;
    wd_value *after = NULL;
    along.deeds = wd_alloc_zero(1, sizeof *along.deeds);
    wd_status status = along.deeds != NULL ? WD_OK : WD_ENOMEM;
    status = status == WD_OK ? wd_rules_visible(initial, &before) : status;
    status = status == WD_OK ? wd_rules_visible(final, &after) : status;
    if (status == WD_OK) {
        along.initial = before;
        status = wd_rules_expectations(rules, before, after, &along.set, &own, error);
    }
    status = status == WD_OK ? walk_trace(&along, after, trace) : status;
    if (status == WD_OK) {
        sort_undone(&along.deeds->undone);
        along.deeds->final = along.open;
        *ret_deeds = along.deeds;
    } else {
        list_done(&along.open);
        wd_deeds_destroy(&along.deeds);
    }
    wd_expectations_destroy(&own);
    wd_value_unref(&before);
    wd_value_unref(&after);
    return status;
}

size_t wd_deeds_count(const wd_deeds *deeds)
{
    return deeds != NULL ? deeds->final.count : 0;
}

const wd_deed *wd_deeds_at(const wd_deeds *deeds, size_t index)
{
    wd_assert(index < wd_deeds_count(deeds));
    return &deeds->final.items[index];
}

size_t wd_deeds_undone_count(const wd_deeds *deeds)
{
    return deeds != NULL ? deeds->undone.count : 0;
}

const wd_deed *wd_deeds_undone_at(const wd_deeds *deeds, size_t index)
{
    wd_assert(index < wd_deeds_undone_count(deeds));
    return &deeds->undone.items[index];
}
