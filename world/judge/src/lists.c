/// lists.c - comparing two lists (judge.md 12.2): by identity, as multisets, or by index.
///
/// Elements are matched by occurrence: the i-th copy of the old list goes with the i-th of the new one. While
/// both lists run in step that is the pair at hand; only what comes after the first difference is sorted and
/// matched.
#include "differ.h"
#include "grow.h"
#include "sort.h"
#include "tree/walk.h"

#include <math.h>
#include <string.h>

typedef enum list_kind { LIST_BY_INDEX, LIST_BY_IDENTITY, LIST_FLAT } list_kind;

typedef struct list_plan {
    list_kind kind;
    const wd_key *field;  // BY_IDENTITY
} list_plan;

const char *wd_list_identity_field(const wd_value *list)
{
    int identity = wd_array_traits_of(list).identity;
    return identity >= 0 ? wd_key_text(wd_identity_key((unsigned)identity)) : NULL;
}

/// Either list may be NULL: only one side has it.
static list_plan make_plan(const wd_value *before, const wd_value *after)
{
    wd_array_traits old_traits = wd_array_traits_of(before);
    wd_array_traits new_traits = wd_array_traits_of(after);
    int identity = old_traits.identity >= 0 ? old_traits.identity : new_traits.identity;
    if (identity >= 0) {
        unsigned containers = (old_traits.container_ids | new_traits.container_ids) >> identity & 1;
        return (list_plan){ .kind = containers ? LIST_BY_INDEX : LIST_BY_IDENTITY,
            .field = wd_identity_key((unsigned)identity) };
    }
    bool flat = !old_traits.has_container && !new_traits.has_container;
    return (list_plan){ .kind = flat ? LIST_FLAT : LIST_BY_INDEX };
}

// ---- matching by occurrence -------------------------------------------------------------------------------

/// One element that takes part in the matching: by its identity, or by itself in a flat list.
typedef struct entry {
    const wd_value *scalar;
    const wd_value *element;
    const wd_value *spelling;  // the first equal scalar of its list
    size_t index;
    const struct entry *match;  // in the other list; NULL: surplus
} entry;

/// What is left of two lists once they no longer run in step.
typedef struct tails {
    entry *entries;  // of the old list, then of the new one
    size_t capacity;
    size_t old_count, new_count;
    entry **order;  // old ones sorted, new ones sorted, room for sorting
    size_t order_size;
} tails;

static int scalar_rank(const wd_value *scalar)
{
    wd_kind kind = wd_value_kind(scalar);
    return kind == WD_KIND_DOUBLE ? WD_KIND_INT : (int)kind;
}

static int compare_scalars(const wd_value *a, const wd_value *b)
{
    if (a == b) {
        return 0;  // one node, or equal immediates
    }
    int rank = scalar_rank(a);
    int other_rank = scalar_rank(b);
    if (rank != other_rank) {
        return rank - other_rank;
    }
    switch (rank) {
    case WD_KIND_STRING:
        return strcmp(wd_value_as_string(a, NULL), wd_value_as_string(b, NULL));
    case WD_KIND_INT:
        return wd_number_compare(a, b);
    case WD_KIND_BOOL:
        return (int)wd_value_as_bool(a) - (int)wd_value_as_bool(b);
    default:
        return 0;
    }
}

static int compare_entries(const void *a, const void *b)
{
    const entry *const *left = a;
    const entry *const *right = b;
    return compare_scalars((*left)->scalar, (*right)->scalar);
}

static void tails_done(tails *left)
{
    wd_free(left->entries, left->capacity * sizeof left->entries[0]);
    wd_free(left->order, left->order_size);
}

/// Take the elements of `list` from `start` on; `field` NULL takes each for itself, else those that have it.
/// `side` is the count of the list: the old one is taken first.
static wd_status take_entries(
    tails *left, const wd_value *list, size_t start, const wd_key *field, size_t *side)
{
    size_t count = left->old_count + left->new_count;
    for (size_t i = start; i < wd_array_count(list); i++) {
        const wd_value *element = wd_array_at(list, i);
        const wd_value *scalar = field != NULL ? wd_object_get_key(element, field) : element;
        if (scalar == NULL) {
            continue;
        }
        wd_status status = wd_grow((void **)&left->entries, &left->capacity, count, sizeof left->entries[0]);
        if (status != WD_OK) {
            return status;
        }
        left->entries[count++] =
            (entry){ .scalar = scalar, .element = element, .spelling = scalar, .index = i };
        *side += 1;
    }
    return WD_OK;
}

/// Sort both sides and pair equal scalars off, first with first. Sorting is stable, so occurrence decides.
static wd_status match_entries(tails *left)
{
    size_t total = left->old_count + left->new_count;
    if (total == 0) {
        return WD_OK;
    }
    left->order_size = 2 * total * sizeof left->order[0];
    left->order = wd_alloc(left->order_size);
    if (left->order == NULL) {
        return WD_ENOMEM;
    }
    for (size_t i = 0; i < total; i++) {
        left->order[i] = &left->entries[i];
    }
    entry **old_order = left->order;
    entry **new_order = left->order + left->old_count;
    entry **scratch = left->order + total;
    wd_sort(old_order, scratch, left->old_count, sizeof *scratch, compare_entries);
    wd_sort(new_order, scratch, left->new_count, sizeof *scratch, compare_entries);
    for (size_t i = 1; i < total; i++) {
        if (i != left->old_count && compare_entries(&left->order[i - 1], &left->order[i]) == 0) {
            left->order[i]->spelling = left->order[i - 1]->spelling;
        }
    }
    for (size_t i = 0, j = 0; i < left->old_count && j < left->new_count;) {
        int order = compare_entries(&old_order[i], &new_order[j]);
        if (order == 0) {
            old_order[i]->match = new_order[j];
            new_order[j]->match = old_order[i];
        }
        i += order <= 0;
        j += order >= 0;
    }
    return WD_OK;
}

static const entry *new_entries(const tails *left)
{
    return left->entries + left->old_count;
}

// ---- by identity ------------------------------------------------------------------------------------------

/// Of two equal scalars: only numbers can be written in two ways.
static bool same_spelling(const wd_value *a, const wd_value *b)
{
    if (a == b || !wd_value_is_number(a)) {
        return true;
    }
    return wd_value_kind(a) == wd_value_kind(b) &&
           signbit(wd_value_as_double(a)) == signbit(wd_value_as_double(b));
}

static wd_status count_distinct(const wd_value *list, const wd_key *field, size_t *ret_count)
{
    tails all = { 0 };
    wd_status status = take_entries(&all, list, 0, field, &all.old_count);
    status = status == WD_OK ? match_entries(&all) : status;
    size_t count = 0;
    for (size_t i = 0; status == WD_OK && i < all.old_count; i++) {
        count += i == 0 || compare_entries(&all.order[i - 1], &all.order[i]) != 0;
    }
    tails_done(&all);
    *ret_count = count;
    return status;
}

typedef struct list_pair {
    wd_differ *differ;
    wd_step *step;
    const wd_value *before, *after;
    const wd_key *field;
} list_pair;

/// The spelling a matched pair is shown with: the new list's unless that has more distinct identities.
static wd_status pair_label(
    const list_pair *lists, const wd_value *old_id, const wd_value *new_id, const wd_value **ret_label)
{
    *ret_label = new_id;
    if (same_spelling(old_id, new_id)) {
        return WD_OK;
    }
    size_t old_count = 0, new_count = 0;
    wd_status status = count_distinct(lists->before, lists->field, &old_count);
    status = status == WD_OK ? count_distinct(lists->after, lists->field, &new_count) : status;
    if (new_count > old_count) {
        *ret_label = old_id;
    }
    return status;
}

static wd_status diff_matched(const list_pair *lists, const wd_value *old_id, const wd_value *old_element,
    const wd_value *new_id, const wd_value *new_element)
{
    if (old_element == new_element) {
        return WD_OK;
    }
    const wd_value *label = NULL;
    wd_status status = pair_label(lists, old_id, new_id, &label);
    if (status != WD_OK) {
        return status;
    }
    wd_step child = wd_step_element(lists->step, WD_SEGMENT_FILTER, wd_key_text(lists->field), label);
    return wd_differ_pair(lists->differ, &child, old_element, new_element);
}

/// "field=A before field=B" (judge.md 12.2), the values not escaped.
static wd_status order_text(
    const char *field, const wd_value *first, const wd_value *second, wd_value **ret_text)
{
    wd_buffer buffer = { 0 };
    wd_status status = wd_buffer_format(&buffer, "%s=", field);
    status = status == WD_OK ? wd_scalar_text(first, &buffer) : status;
    status = status == WD_OK ? wd_buffer_format(&buffer, " before %s=", field) : status;
    status = status == WD_OK ? wd_scalar_text(second, &buffer) : status;
    status = status == WD_OK ? wd_value_string(buffer.bytes, buffer.length, ret_text) : status;
    wd_buffer_done(&buffer);
    return status;
}

static wd_status report_relative_order(const list_pair *lists, const wd_value *first, const wd_value *second)
{
    static const char name[] = "_relative_order";
    wd_value *before = NULL;
    wd_value *after = NULL;
    wd_status status = order_text(wd_key_text(lists->field), first, second, &before);
    status = status == WD_OK ? order_text(wd_key_text(lists->field), second, first, &after) : status;
    if (status == WD_OK) {
        wd_step child = wd_step_key(lists->step, name, sizeof name - 1);
        status = wd_differ_report(lists->differ, &child, before, after);
    }
    wd_value_unref(&before);
    wd_value_unref(&after);
    return status;
}

static wd_status diff_identified(const list_pair *lists, const tails *left)
{
    const entry *previous = NULL;
    bool ordered = true;
    wd_status status = WD_OK;
    for (size_t i = 0; status == WD_OK && i < left->old_count; i++) {
        const entry *old_entry = &left->entries[i];
        if (old_entry->match == NULL) {
            wd_step child =
                wd_step_element(lists->step, WD_SEGMENT_FILTER, wd_key_text(lists->field), old_entry->scalar);
            status = wd_differ_pair(lists->differ, &child, old_entry->element, NULL);
            continue;
        }
        status = diff_matched(lists, old_entry->scalar, old_entry->element, old_entry->match->scalar,
            old_entry->match->element);
        if (status == WD_OK && ordered && previous != NULL &&
            old_entry->match->index < previous->match->index) {
            ordered = false;
            status = report_relative_order(lists, previous->scalar, old_entry->scalar);
        }
        previous = old_entry;
    }
    for (size_t i = 0; status == WD_OK && i < left->new_count; i++) {
        const entry *new_entry = &new_entries(left)[i];
        if (new_entry->match == NULL) {
            wd_step child =
                wd_step_element(lists->step, WD_SEGMENT_FILTER, wd_key_text(lists->field), new_entry->scalar);
            status = wd_differ_pair(lists->differ, &child, NULL, new_entry->element);
        }
    }
    return status;
}

/// The next element from `iter` on that has no identity.
static bool next_rest(wd_iter *iter, const wd_key *field)
{
    bool more;
    do {
        more = wd_iter_next(iter);
    } while (more && wd_object_get_key(iter->value, field) != NULL);
    return more;
}

/// Elements without identity, paired by rank.
static wd_status diff_rest(const list_pair *lists, size_t start)
{
    wd_iter old_iter = wd_iter_start(lists->before);
    wd_iter new_iter = wd_iter_start(lists->after);
    wd_status status = WD_OK;
    while (status == WD_OK) {
        bool has_old = next_rest(&old_iter, lists->field);
        bool has_new = next_rest(&new_iter, lists->field);
        if (!has_old && !has_new) {
            break;
        }
        if (has_old && has_new && old_iter.index < start && new_iter.index < start) {
            continue;  // compared while the lists ran in step
        }
        wd_step child = wd_step_index(lists->step, has_new ? new_iter.index : old_iter.index);
        status = wd_differ_pair(
            lists->differ, &child, has_old ? old_iter.value : NULL, has_new ? new_iter.value : NULL);
    }
    return status;
}

/// Compare while both lists run in step: equal identities, or none, at the same index; what is shared does.
/// *ret_start is where they part, or the end of both.
static wd_status diff_in_step(const list_pair *lists, size_t shorter, size_t *ret_start)
{
    *ret_start = shorter;
    wd_status status = WD_OK;
    wd_pair_walk pair = wd_pair_start(lists->before, lists->after);
    while (status == WD_OK && wd_pair_next(&pair) && pair.index < *ret_start) {
        const wd_value *old_id = wd_object_get_key(pair.before, lists->field);
        const wd_value *new_id = wd_object_get_key(pair.after, lists->field);
        if (old_id != NULL && new_id != NULL && compare_scalars(old_id, new_id) == 0) {
            status = diff_matched(lists, old_id, pair.before, new_id, pair.after);
        } else if (old_id == NULL && new_id == NULL) {
            wd_step child = wd_step_index(lists->step, pair.index);
            status = wd_differ_pair(lists->differ, &child, pair.before, pair.after);
        } else {
            *ret_start = pair.index;
        }
    }
    return status;
}

static wd_status diff_by_identity(const list_pair *lists)
{
    size_t old_count = wd_array_count(lists->before);
    size_t new_count = wd_array_count(lists->after);
    size_t start = 0;
    wd_status status = diff_in_step(lists, old_count < new_count ? old_count : new_count, &start);
    if (status != WD_OK || (start == old_count && start == new_count)) {
        return status;
    }
    tails left = { 0 };
    status = take_entries(&left, lists->before, start, lists->field, &left.old_count);
    if (status == WD_OK) {
        status = take_entries(&left, lists->after, start, lists->field, &left.new_count);
    }
    status = status == WD_OK ? match_entries(&left) : status;
    status = status == WD_OK ? diff_identified(lists, &left) : status;
    bool rest = left.old_count + left.new_count < old_count - start + new_count - start;
    tails_done(&left);
    return status == WD_OK && rest ? diff_rest(lists, start) : status;
}

// ---- flat and by index ------------------------------------------------------------------------------------

static wd_status diff_surplus(
    const list_pair *lists, const entry *entries, size_t count, wd_segment_kind kind)
{
    wd_status status = WD_OK;
    for (size_t i = 0; status == WD_OK && i < count; i++) {
        if (entries[i].match != NULL) {
            continue;
        }
        const wd_value *shown = entries[i].spelling;
        wd_step child = wd_step_element(lists->step, kind, NULL, shown);
        bool added = kind == WD_SEGMENT_ADDED;
        status = wd_differ_pair(lists->differ, &child, added ? NULL : shown, added ? shown : NULL);
    }
    return status;
}

static wd_status report_order(const list_pair *lists, const tails *left)
{
    static const char name[] = "_order";
    size_t last = 0;
    for (size_t i = 0; i < left->old_count; i++) {
        const entry *match = left->entries[i].match;
        if (match != NULL && match->index < last) {
            wd_step child = wd_step_key(lists->step, name, sizeof name - 1);
            return wd_differ_report(lists->differ, &child, lists->before, lists->after);
        }
        last = match != NULL ? match->index : last;
    }
    return WD_OK;
}

/// Where two flat lists part.
static size_t flat_start(const list_pair *lists)
{
    size_t old_count = wd_array_count(lists->before);
    size_t new_count = wd_array_count(lists->after);
    size_t end = old_count < new_count ? old_count : new_count;
    wd_pair_walk pair = wd_pair_start(lists->before, lists->after);
    while (wd_pair_next(&pair) && pair.index < end) {
        if (compare_scalars(pair.before, pair.after) != 0) {
            return pair.index;
        }
    }
    return end;
}

static bool has_number(const wd_value *list, size_t start)
{
    for (size_t i = start; i < wd_array_count(list); i++) {
        if (wd_value_is_number(wd_array_at(list, i))) {
            return true;
        }
    }
    return false;
}

static wd_status diff_flat(const list_pair *lists)
{
    size_t start = flat_start(lists);
    if (start == wd_array_count(lists->before) && start == wd_array_count(lists->after)) {
        return WD_OK;
    }
    if (has_number(lists->before, start) || has_number(lists->after, start)) {
        start = 0;  // a surplus number is shown as its list first spelled it, perhaps in the part in step
    }
    tails left = { 0 };
    wd_status status = take_entries(&left, lists->before, start, NULL, &left.old_count);
    status = status == WD_OK ? take_entries(&left, lists->after, start, NULL, &left.new_count) : status;
    status = status == WD_OK ? match_entries(&left) : status;
    if (status == WD_OK) {
        status = diff_surplus(lists, left.entries, left.old_count, WD_SEGMENT_REMOVED);
    }
    if (status == WD_OK) {
        status = diff_surplus(lists, new_entries(&left), left.new_count, WD_SEGMENT_ADDED);
    }
    status = status == WD_OK ? report_order(lists, &left) : status;
    tails_done(&left);
    return status;
}

static wd_status diff_by_index(const list_pair *lists)
{
    wd_status status = WD_OK;
    wd_pair_walk pair = wd_pair_start(lists->before, lists->after);
    while (status == WD_OK && wd_pair_next(&pair)) {
        wd_step child = wd_step_index(lists->step, pair.index);
        status = wd_differ_pair(lists->differ, &child, pair.before, pair.after);
    }
    return status;
}

wd_status wd_differ_lists(wd_differ *differ, wd_step *step, const wd_value *before, const wd_value *after)
{
    list_plan plan = make_plan(before, after);
    list_pair lists = {
        .differ = differ, .step = step, .before = before, .after = after, .field = plan.field
    };
    switch (plan.kind) {
    case LIST_BY_IDENTITY:
        return diff_by_identity(&lists);
    case LIST_FLAT:
        return diff_flat(&lists);
    default:
        return diff_by_index(&lists);
    }
}

/// Elements of a flat list that only one side has, each in its list's first spelling.
static wd_status flat_children(
    wd_step *step, const wd_value *list, bool added, wd_child_visit visit, void *context)
{
    tails all = { 0 };
    wd_status status = take_entries(&all, list, 0, NULL, &all.old_count);
    status = status == WD_OK ? match_entries(&all) : status;
    wd_segment_kind kind = added ? WD_SEGMENT_ADDED : WD_SEGMENT_REMOVED;
    for (size_t i = 0; status == WD_OK && i < all.old_count; i++) {
        wd_step child = wd_step_element(step, kind, NULL, all.entries[i].spelling);
        status = visit(context, &child, all.entries[i].spelling);
    }
    tails_done(&all);
    return status;
}

wd_status wd_list_children(
    wd_step *step, const wd_value *list, bool added, wd_child_visit visit, void *context)
{
    list_plan plan = make_plan(list, NULL);
    if (plan.kind == LIST_FLAT) {
        return flat_children(step, list, added, visit, context);
    }
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(list);
    while (status == WD_OK && wd_iter_next(&iter)) {
        const wd_value *id = plan.kind == LIST_BY_IDENTITY ? wd_object_get_key(iter.value, plan.field) : NULL;
        wd_step child = id != NULL ? wd_step_element(step, WD_SEGMENT_FILTER, wd_key_text(plan.field), id)
                                   : wd_step_index(step, iter.index);
        status = visit(context, &child, iter.value);
    }
    return status;
}
