#include "ui_arena.h"

#include "tree/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK_SIZE = 16 * 1024, ALIGN = 16 };

void wd_ui_arena_done(wd_ui_arena *arena)
{
    for (wd_ui_kept *kept = arena->kept; kept != NULL; kept = kept->next) {
        wd_value_unref(&kept->value);
    }
    for (wd_ui_block *block = arena->blocks; block != NULL;) {
        wd_ui_block *next = block->next;
        wd_free(block, block->size);
        block = next;
    }
    *arena = (wd_ui_arena){ 0 };
}

static size_t align_up(size_t size)
{
    return (size + ALIGN - 1) / ALIGN * ALIGN;
}

static void *take(wd_ui_arena *arena, size_t size)
{
    size = align_up(size);
    wd_ui_block *block = arena->blocks;
    if (block == NULL || block->size - block->used < size) {
        const size_t head = align_up(sizeof *block);
        const size_t whole = head + size > BLOCK_SIZE ? head + size : BLOCK_SIZE;
        block = wd_alloc(whole);
        if (block == NULL) {
            return NULL;
        }
        *block = (wd_ui_block){ .next = arena->blocks, .size = whole, .used = head };
        arena->blocks = block;
    }
    void *bytes = (char *)block + block->used;
    block->used += size;
    return bytes;
}

void *wd_ui_arena_get(wd_ui_arena *arena, size_t size)
{
    void *bytes = take(arena, size);
    return bytes != NULL ? memset(bytes, 0, size) : NULL;
}

const char *wd_ui_arena_text(wd_ui_arena *arena, const char *text, size_t length)
{
    char *copy = take(arena, length + 1);
    if (copy != NULL) {
        if (length > 0) {
            memcpy(copy, text, length);
        }
        copy[length] = '\0';
    }
    return copy;
}

const char *wd_ui_arena_format(wd_ui_arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char text[1024];
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    wd_assert(length >= 0);
    const size_t kept = (size_t)length < sizeof text ? (size_t)length : sizeof text - 1;
    return wd_ui_arena_text(arena, text, kept);
}

wd_status wd_ui_arena_keep(wd_ui_arena *arena, wd_value **value_p)
{
    wd_ui_kept *kept = wd_ui_arena_get(arena, sizeof *kept);
    if (kept == NULL) {
        wd_value_unref(value_p);
        return WD_ENOMEM;
    }
    *kept = (wd_ui_kept){ .next = arena->kept, .value = *value_p };
    arena->kept = kept;
    *value_p = NULL;
    return WD_OK;
}
