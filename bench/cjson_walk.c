// cjson_walk.c - the baselines.
#include "cjson_walk.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

static size_t walk_objects(const cJSON *a, const cJSON *b)
{
    size_t count = 0, common = 0;
    const cJSON *partner = b->child;
    for (const cJSON *child = a->child; child != NULL; child = child->next) {
        const cJSON *other = partner;
        if (other == NULL || strcmp(other->string, child->string) != 0) {
            other = cJSON_GetObjectItemCaseSensitive(b, child->string);
        }
        if (other == NULL) {
            count += 1;
            continue;
        }
        common += 1;
        partner = other->next;
        count += wd_cjson_walk(child, other);
    }
    size_t total = 0;
    for (const cJSON *child = b->child; child != NULL; child = child->next) {
        total += 1;
    }
    return count + (total - common);
}

static size_t walk_arrays(const cJSON *a, const cJSON *b)
{
    size_t count = 0;
    const cJSON *x = a->child, *y = b->child;
    for (; x != NULL && y != NULL; x = x->next, y = y->next) {
        count += wd_cjson_walk(x, y);
    }
    for (; x != NULL; x = x->next) {
        count += 1;
    }
    for (; y != NULL; y = y->next) {
        count += 1;
    }
    return count;
}

size_t wd_cjson_walk(const cJSON *a, const cJSON *b)
{
    if ((a->type & 0xFF) != (b->type & 0xFF)) {
        return 1;
    }
    switch (a->type & 0xFF) {
    case cJSON_Number:
        return a->valuedouble == b->valuedouble ? 0 : 1;
    case cJSON_String:
        return strcmp(a->valuestring, b->valuestring) == 0 ? 0 : 1;
    case cJSON_Object:
        return walk_objects(a, b);
    case cJSON_Array:
        return walk_arrays(a, b);
    default:
        return 0;
    }
}

static uint64_t bytes_live;

static void *counting_malloc(size_t size)
{
    void *block = malloc(size);
    bytes_live += block != NULL ? malloc_usable_size(block) : 0;
    return block;
}

static void counting_free(void *block)
{
    bytes_live -= block != NULL ? malloc_usable_size(block) : 0;
    free(block);
}

void wd_cjson_count_start(void)
{
    static cJSON_Hooks hooks = { counting_malloc, counting_free };
    bytes_live = 0;
    cJSON_InitHooks(&hooks);
}

uint64_t wd_cjson_count_stop(void)
{
    cJSON_InitHooks(NULL);
    return bytes_live;
}

static cJSON *number_from(cJSON *node, size_t *left)
{
    for (; node != NULL; node = node->next) {
        if (cJSON_IsNumber(node)) {
            if (*left == 0) {
                return node;
            }
            *left -= 1;
        }
        cJSON *found = number_from(node->child, left);
        if (found != NULL) {
            return found;
        }
    }
    return NULL;
}

void wd_cjson_write_leaf(cJSON *root, size_t index)
{
    cJSON *leaf = number_from(root, &index);
    if (leaf != NULL) {
        cJSON_SetNumberValue(leaf, leaf->valuedouble + 1);
    }
}
