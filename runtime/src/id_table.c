#include "id_table.h"

#include "tree/alloc.h"

#include <string.h>

enum { CAPACITY_FIRST = 64 };

typedef struct wd_id_slot {
    wd_env_id id;
    void *item;  // NULL: free
} wd_id_slot;

void wd_id_table_done(wd_id_table *table)
{
    if (table->slots != NULL) {
        wd_free(table->slots, table->capacity * sizeof *table->slots);
    }
    *table = (wd_id_table){ 0 };
}

/// Where the search for an id begins. Ids are random, seeds are not: so both halves are mixed.
static size_t home_of(const wd_id_table *table, const wd_env_id *id)
{
    uint64_t halves[2];
    memcpy(halves, id->bytes, sizeof halves);
    uint64_t mixed = (halves[0] ^ (halves[1] << 32 | halves[1] >> 32)) * UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(mixed >> 32) & (table->capacity - 1);
}

/// The slot of the id, or the free one where it would go. The table is never full.
static size_t slot_of(const wd_id_table *table, const wd_env_id *id)
{
    size_t at = home_of(table, id);
    while (table->slots[at].item != NULL && memcmp(&table->slots[at].id, id, sizeof *id) != 0) {
        at = (at + 1) & (table->capacity - 1);
    }
    return at;
}

void *wd_id_table_find(const wd_id_table *table, const wd_env_id *id)
{
    return table->capacity == 0 ? NULL : table->slots[slot_of(table, id)].item;
}

static wd_status grow(wd_id_table *table)
{
    wd_id_table larger = { .capacity = table->capacity == 0 ? CAPACITY_FIRST : 2 * table->capacity };
    larger.slots = wd_alloc_zero(larger.capacity, sizeof *larger.slots);
    if (larger.slots == NULL) {
        return WD_ENOMEM;
    }
    for (size_t i = 0; i < table->capacity; i++) {
        if (table->slots[i].item != NULL) {
            larger.slots[slot_of(&larger, &table->slots[i].id)] = table->slots[i];
        }
    }
    larger.count = table->count;
    wd_id_table_done(table);
    *table = larger;
    return WD_OK;
}

wd_status wd_id_table_add(wd_id_table *table, const wd_env_id *id, void *item)
{
    wd_assert(item != NULL);
    if (4 * (table->count + 1) > 3 * table->capacity && grow(table) != WD_OK) {
        return WD_ENOMEM;
    }
    size_t at = slot_of(table, id);
    wd_assert(table->slots[at].item == NULL);
    table->slots[at] = (wd_id_slot){ *id, item };
    table->count += 1;
    return WD_OK;
}

void wd_id_table_remove(wd_id_table *table, const wd_env_id *id)
{
    size_t hole = slot_of(table, id), mask = table->capacity - 1;
    wd_assert(table->slots[hole].item != NULL);
    // Close the gap: whoever was pushed past it moves up, so that a search never ends too early.
    for (size_t at = (hole + 1) & mask; table->slots[at].item != NULL; at = (at + 1) & mask) {
        size_t home = home_of(table, &table->slots[at].id);
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            table->slots[hole] = table->slots[at];
            hole = at;
        }
    }
    table->slots[hole].item = NULL;
    table->count -= 1;
}

void *wd_id_table_next(const wd_id_table *table, size_t *at)
{
    while (*at < table->capacity) {
        void *item = table->slots[(*at)++].item;
        if (item != NULL) {
            return item;
        }
    }
    return NULL;
}
