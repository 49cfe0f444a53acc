// places.c - picking leaves.
#include "places.h"

#include <stdlib.h>
#include <string.h>

typedef struct place_picker {
    wd_places *places;
    size_t *wanted;  // numbers of leaves, ascending
    size_t picked, leaf;
    wd_buffer text;  // path to where the walk is
    uint64_t random;
} place_picker;

static uint64_t next_random(uint64_t *state)
{
    *state += 0x9E3779B97F4A7C15u;
    uint64_t mixed = *state;
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
    return mixed ^ mixed >> 31;
}

static wd_status other_value(place_picker *picker, const wd_value *leaf, wd_value **ret_value)
{
    int64_t number = (int64_t)(next_random(&picker->random) >> 34);
    switch (wd_value_kind(leaf)) {
    case WD_KIND_BOOL:
        *ret_value = wd_value_bool(!wd_value_as_bool(leaf));
        return WD_OK;
    case WD_KIND_DOUBLE:
        return wd_value_double((double)number / 64, ret_value);
    case WD_KIND_STRING:
        return wd_value_format(ret_value, "written %lld", (long long)number);
    default:
        return wd_value_int(number, ret_value);
    }
}

static wd_status pick_leaf(place_picker *picker, const wd_value *leaf)
{
    wd_status status = WD_OK;
    while (status == WD_OK && picker->picked < picker->places->count &&
           picker->wanted[picker->picked] == picker->leaf) {
        wd_place *place = &picker->places->items[picker->picked++];
        status = wd_path_parse(picker->text.bytes, picker->text.length, &place->path, NULL);
        if (status == WD_OK) {
            status = other_value(picker, leaf, &place->value);
        }
    }
    picker->leaf += 1;
    return status;
}

static wd_status walk(place_picker *picker, const wd_value *value)
{
    if (!wd_value_is(value, WD_KIND_OBJECT) && !wd_value_is(value, WD_KIND_ARRAY)) {
        return pick_leaf(picker, value);
    }
    size_t length = picker->text.length;
    wd_iter iter = wd_iter_start(value);
    wd_status status = WD_OK;
    while (status == WD_OK && wd_iter_next(&iter)) {
        if (iter.key != NULL && strcmp(iter.key, "id") == 0) {
            continue;  // with another identity it would be another element
        }
        status = iter.key != NULL ? wd_path_write_key(&picker->text, length == 0, iter.key, iter.key_length)
                                  : wd_path_write_index(&picker->text, iter.index);
        if (status == WD_OK) {
            status = walk(picker, iter.value);
        }
        picker->text.length = length;
    }
    return status;
}

static int compare_sizes(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

wd_status wd_places_pick(
    const wd_value *root, const char *prefix, uint64_t seed, size_t count, wd_places *ret_places)
{
    wd_places places = { .items = calloc(count, sizeof(wd_place)), .count = count };
    place_picker picker = { .places = &places, .wanted = calloc(count, sizeof(size_t)), .random = seed };
    wd_status status = places.items != NULL && picker.wanted != NULL ? WD_OK : WD_ENOMEM;
    if (status == WD_OK && prefix != NULL) {
        status = wd_buffer_format(&picker.text, "apps.%s", prefix);
        root = wd_value_get_path(root, picker.text.bytes);
    }
    if (status == WD_OK) {
        places.count = 0;
        status = walk(&picker, root);  // picks nothing, counts the leaves
        size_t leaves = picker.leaf;
        places.count = count;
        picker.leaf = 0;
        bool distinct = count * 4 < leaves;
        for (size_t i = 0; i < count; i++) {
            picker.wanted[i] =
                (size_t)(next_random(&picker.random) >> 20) % (leaves - (distinct ? count : 0));
        }
        qsort(picker.wanted, count, sizeof(size_t), compare_sizes);
        for (size_t i = 1; i < count && distinct; i++) {
            bool again = picker.wanted[i] <= picker.wanted[i - 1];
            picker.wanted[i] = again ? picker.wanted[i - 1] + 1 : picker.wanted[i];
        }
        status = status == WD_OK ? walk(&picker, root) : status;
    }
    for (size_t i = count; status == WD_OK && i > 1; i--) {
        size_t other = (size_t)(next_random(&picker.random) >> 20) % i;
        wd_place swapped = places.items[i - 1];
        places.items[i - 1] = places.items[other];
        places.items[other] = swapped;
    }
    free(picker.wanted);
    wd_buffer_done(&picker.text);
    if (status != WD_OK) {
        wd_places_done(&places);
        return status;
    }
    *ret_places = places;
    return WD_OK;
}

void wd_places_done(wd_places *places)
{
    for (size_t i = 0; places->items != NULL && i < places->count; i++) {
        wd_path_destroy(&places->items[i].path);
        wd_value_unref(&places->items[i].value);
    }
    free(places->items);
    *places = (wd_places){ 0 };
}

wd_status wd_place_write(const wd_place *place, wd_value **root_p)
{
    wd_value *value = wd_value_ref(place->value);
    wd_status status = wd_path_set(root_p, place->path, &value, NULL);
    wd_value_unref(&value);
    return status;
}
