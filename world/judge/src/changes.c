/// changes.c - the list of changes: building, order, and its JSON form. differ.c finds them.
#include "change_list.h"
#include "grow.h"
#include "sort.h"

#include <string.h>

enum { TEXT_BLOCK_SIZE = 4096 };

struct wd_text_block {
    struct wd_text_block *next;
    size_t size, used;  // of bytes
    char bytes[];
};

wd_status wd_changes_new(wd_changes **ret_changes)
{
    wd_changes *changes = wd_alloc_zero(1, sizeof *changes);
    if (changes == NULL) {
        return WD_ENOMEM;
    }
    *ret_changes = changes;
    return WD_OK;
}

static void drop_sides(wd_change *change)
{
    wd_value *before = (wd_value *)(uintptr_t)change->before;
    wd_value *after = (wd_value *)(uintptr_t)change->after;
    wd_value_unref(&before);
    wd_value_unref(&after);
}

void wd_changes_destroy(wd_changes **changes_p)
{
    wd_changes *changes = *changes_p;
    if (changes == NULL) {
        return;
    }
    for (size_t i = 0; i < changes->count; i++) {
        drop_sides(&changes->items[i]);
    }
    while (changes->texts != NULL) {
        struct wd_text_block *block = changes->texts;
        changes->texts = block->next;
        wd_free(block, sizeof *block + block->size);
    }
    wd_free(changes->items, changes->capacity * sizeof changes->items[0]);
    wd_free(changes, sizeof *changes);
    *changes_p = NULL;
}

size_t wd_changes_count(const wd_changes *changes)
{
    return changes != NULL ? changes->count : 0;
}

const wd_change *wd_changes_at(const wd_changes *changes, size_t index)
{
    wd_assert(changes != NULL && index < changes->count);
    return &changes->items[index];
}

/// Room for a path that stays where it is while the list grows.
static char *text_room(wd_changes *changes, size_t size)
{
    struct wd_text_block *block = changes->texts;
    if (block == NULL || block->size - block->used < size) {
        size_t block_size = size > TEXT_BLOCK_SIZE ? size : TEXT_BLOCK_SIZE - sizeof *block;
        block = wd_alloc(sizeof *block + block_size);
        if (block == NULL) {
            return NULL;
        }
        *block = (struct wd_text_block){ .next = changes->texts, .size = block_size };
        changes->texts = block;
    }
    char *room = block->bytes + block->used;
    block->used += size;
    return room;
}

wd_status wd_changes_add(
    wd_changes *changes, const char *path, size_t length, const wd_value *before, const wd_value *after)
{
    wd_status status =
        wd_grow((void **)&changes->items, &changes->capacity, changes->count, sizeof changes->items[0]);
    if (status != WD_OK) {
        return status;
    }
    char *text = text_room(changes, length + 1);
    if (text == NULL) {
        return WD_ENOMEM;
    }
    if (length > 0) {
        memcpy(text, path, length);
    }
    text[length] = '\0';
    changes->items[changes->count++] = (wd_change){
        .path = text,
        .path_length = length,
        .before = wd_value_ref(before),
        .after = wd_value_ref(after),
    };
    return WD_OK;
}

void wd_changes_drop(wd_changes *changes, const bool *flags)
{
    size_t kept = 0;
    for (size_t i = 0; i < changes->count; i++) {
        if (flags[i]) {
            drop_sides(&changes->items[i]);
        } else {
            changes->items[kept++] = changes->items[i];
        }
    }
    changes->count = kept;
}

// ---- order ------------------------------------------------------------------------------------------------

static int compare_bytes(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t common = a_length < b_length ? a_length : b_length;
    int order = common > 0 ? memcmp(a, b, common) : 0;
    return order != 0 ? order : (a_length > b_length) - (a_length < b_length);
}

static int compare_paths(const void *a, const void *b)
{
    const wd_change *left = a;
    const wd_change *right = b;
    return compare_bytes(left->path, left->path_length, right->path, right->path_length);
}

/// Of entries with one path: their sides as canonical text, and where they stood.
typedef struct sides {
    wd_buffer before, after;
    size_t index;
} sides;

static int compare_side(const wd_buffer *a, const wd_buffer *b)
{
    return compare_bytes(a->bytes, a->length, b->bytes, b->length);  // absent has no bytes: it comes first
}

static int compare_sides(const void *a, const void *b)
{
    const sides *left = a;
    const sides *right = b;
    int order = compare_side(&left->before, &right->before);
    return order != 0 ? order : compare_side(&left->after, &right->after);
}

static wd_status write_side(const wd_value *side, wd_buffer *buffer)
{
    return side != NULL ? wd_json_write(side, WD_JSON_CANONICAL, buffer) : WD_OK;
}

/// Put `count` entries that share a path in order of their sides.
static wd_status sort_run(char *items, size_t count, size_t size, char *scratch)
{
    sides *texts = wd_alloc_zero(2 * count, sizeof *texts);
    if (texts == NULL) {
        return WD_ENOMEM;
    }
    wd_status status = WD_OK;
    for (size_t i = 0; status == WD_OK && i < count; i++) {
        const wd_change *change = (const wd_change *)(const void *)(items + i * size);
        texts[i].index = i;
        status = write_side(change->before, &texts[i].before);
        status = status == WD_OK ? write_side(change->after, &texts[i].after) : status;
    }
    if (status == WD_OK) {
        wd_sort(texts, texts + count, count, sizeof *texts, compare_sides);
        for (size_t i = 0; i < count; i++) {
            memcpy(scratch + i * size, items + texts[i].index * size, size);
        }
        memcpy(items, scratch, count * size);
    }
    for (size_t i = 0; i < count; i++) {
        wd_buffer_done(&texts[i].before);
        wd_buffer_done(&texts[i].after);
    }
    wd_free(texts, 2 * count * sizeof *texts);
    return status;
}

wd_status wd_change_records_sort(void *items, size_t count, size_t size)
{
    if (count < 2) {
        return WD_OK;
    }
    char *scratch = wd_alloc(count * size);
    if (scratch == NULL) {
        return WD_ENOMEM;
    }
    wd_sort(items, scratch, count, size, compare_paths);
    wd_status status = WD_OK;
    char *first = items;
    for (size_t i = 0; status == WD_OK && i < count;) {
        size_t run = 1;
        while (i + run < count && compare_paths(first + i * size, first + (i + run) * size) == 0) {
            run += 1;
        }
        if (run > 1) {
            status = sort_run(first + i * size, run, size, scratch);
        }
        i += run;
    }
    wd_free(scratch, count * size);
    return status;
}

wd_status wd_changes_sort(wd_changes *changes)
{
    return wd_change_records_sort(changes->items, changes->count, sizeof changes->items[0]);
}

// ---- JSON form --------------------------------------------------------------------------------------------

wd_status wd_change_to_value(const wd_change *change, wd_value **ret_entry)
{
    return wd_value_pack(
        ret_entry, "{s:s,s:?v,s:?v}", "path", change->path, "before", change->before, "after", change->after);
}

wd_status wd_changes_to_value(const wd_changes *changes, wd_value **ret_list)
{
    wd_value *list = wd_value_array();
    wd_status status = WD_OK;
    for (size_t i = 0; status == WD_OK && i < wd_changes_count(changes); i++) {
        wd_value *entry = NULL;
        status = wd_change_to_value(&changes->items[i], &entry);
        status = status == WD_OK ? wd_array_append(&list, &entry) : status;
        wd_value_unref(&entry);
    }
    if (status != WD_OK) {
        wd_value_unref(&list);
        return status;
    }
    *ret_list = list;
    return WD_OK;
}

wd_status wd_changes_from_value(const wd_value *list, wd_changes **ret_changes, wd_error *error)
{
    if (!wd_value_is(list, WD_KIND_ARRAY)) {
        return wd_error_set(error, WD_ETYPE, "changes: expected an array");
    }
    wd_changes *changes = NULL;
    wd_status status = wd_changes_new(&changes);
    wd_iter iter = wd_iter_start(list);
    while (status == WD_OK && wd_iter_next(&iter)) {
        const wd_value *path = wd_object_get(iter.value, "path");
        if (!wd_value_is(path, WD_KIND_STRING)) {
            status = wd_error_set(error, WD_ETYPE, "changes[%zu].path: expected a string", iter.index);
            break;
        }
        size_t length = 0;
        const char *text = wd_value_as_string(path, &length);
        status = wd_changes_add(
            changes, text, length, wd_object_get(iter.value, "before"), wd_object_get(iter.value, "after"));
    }
    status = status == WD_OK ? wd_changes_sort(changes) : status;
    if (status != WD_OK) {
        wd_changes_destroy(&changes);
        return status == WD_ENOMEM ? wd_error_set(error, status, "out of memory") : status;
    }
    *ret_changes = changes;
    return WD_OK;
}
