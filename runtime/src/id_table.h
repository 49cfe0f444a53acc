/// id_table.h - finds things by 128-bit ids: open addressing, no order that anything may depend on.
#ifndef RUNTIME_ID_TABLE_H
#define RUNTIME_ID_TABLE_H

#include "runtime/env.h"

/// Zero-initialise; drop with wd_id_table_done(). Items are borrowed and hold their id themselves.
typedef struct wd_id_table {
    struct wd_id_slot *slots;  // capacity of them, a power of two, or NULL
    size_t capacity, count;
} wd_id_table;

void wd_id_table_done(wd_id_table *table);
void *wd_id_table_find(const wd_id_table *table, const wd_env_id *id);  // NULL: none
/// @param item  Not NULL. The id must be new. @retval WD_ENOMEM nothing changed.
WD_NODISCARD wd_status wd_id_table_add(wd_id_table *table, const wd_env_id *id, void *item);
void wd_id_table_remove(wd_id_table *table, const wd_env_id *id);  // which must be there
/// Walk all items: *at starts at 0; NULL at the end. The item last returned may be removed when *at is then set back by
/// one: what moves up to fill its slot is seen next.
void *wd_id_table_next(const wd_id_table *table, size_t *at);

#endif
