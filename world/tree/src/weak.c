// weak.c - the tables of a thread's keys and shapes.
#include "heap.h"
#include "key.h"

static wd_listed **bucket_of(const wd_weak_table *table, uint64_t hash)
{
    if (table->buckets == NULL) {
        return (wd_listed **)(uintptr_t)&table->small[hash % WD_COUNT_OF(table->small)];
    }
    return &table->buckets[hash & (table->size - 1)];
}

wd_listed *wd_weak_first(const wd_weak_table *table, uint64_t hash)
{
    return *bucket_of(table, hash);
}

static void push(wd_weak_table *table, wd_listed *node)
{
    wd_listed **bucket = bucket_of(table, node->digest.low);
    node->next = *bucket;
    *bucket = node;
}

// Growing is a matter of speed only, so it may fail.
static void grow(wd_weak_table *table)
{
    wd_weak_table old = *table;
    size_t old_size = old.buckets == NULL ? WD_COUNT_OF(old.small) : old.size;
    wd_listed **buckets = wd_heap_alloc(old_size * 4 * sizeof(wd_listed *));
    if (buckets == NULL) {
        return;
    }
    table->buckets = buckets;
    table->size = old_size * 4;
    wd_listed **from = old.buckets == NULL ? old.small : old.buckets;
    for (size_t i = 0; i < old_size; i++) {
        for (wd_listed *node = from[i]; node != NULL;) {
            wd_listed *next = node->next;
            push(table, node);
            node = next;
        }
    }
    memset(table->small, 0, sizeof(table->small));
    wd_heap_free(old.buckets);
}

void wd_weak_add(wd_weak_table *table, wd_listed *node)
{
    size_t size = table->buckets == NULL ? WD_COUNT_OF(table->small) : table->size;
    if (table->count >= size) {
        grow(table);
    }
    push(table, node);
    table->count += 1;
    node->head.flags |= WD_FLAG_LISTED;
}

void wd_weak_remove(wd_weak_table *table, wd_listed *node)
{
    wd_listed **link = bucket_of(table, node->digest.low);
    while (*link != node) {
        link = &(*link)->next;
    }
    *link = node->next;
    node->head.flags &= (uint8_t)~WD_FLAG_LISTED;
    table->count -= 1;
    if (table->count == 0) {
        wd_heap_free(table->buckets);  // a thread that holds no values holds no memory
        table->buckets = NULL;
        table->size = 0;
    }
}
