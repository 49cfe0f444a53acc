// The "same page?" key. Two tools see the same page differently: an element list drops containers, a dump
// keeps them. So only nodes that all of them keep take part: those that can be acted on, and those whose id
// names a text.
#include "identity.h"
#include "semantic/enrich.h"
#include "tree/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static bool can_be_acted_on(const wd_node *node)
{
    return wd_node_is(node, WD_NODE_CLICKABLE) || wd_node_is(node, WD_NODE_LONG_CLICKABLE) ||
           wd_node_is(node, WD_NODE_CHECKABLE) || wd_node_is(node, WD_NODE_EDITABLE) ||
           wd_text_ends(node->class_name, "EditText");
}

/// What a node adds to the key; 0: nothing.
static uint64_t trait_of(const wd_node *node)
{
    const char *name = wd_id_name(node->resource_id);
    bool names_text = name[0] != '\0' && node->text != NULL && node->text[0] != '\0';
    if (!can_be_acted_on(node) && !names_text) {
        return 0;
    }
    const char *class_name = wd_class_short(node->class_name);
    uint64_t hash = XXH3_64bits_withSeed(class_name, strlen(class_name), 1);
    hash = XXH3_64bits_withSeed(name, strlen(name), hash);
    return hash != 0 ? hash : 1;
}

static int compare_traits(const void *a, const void *b)
{
    const uint64_t *left = a, *right = b;
    return *left < *right ? -1 : *left > *right;
}

static uint64_t hash_name(const char *text, uint64_t seed)
{
    return text == NULL ? XXH3_64bits_withSeed("", 0, seed + 1)
                        : XXH3_64bits_withSeed(text, strlen(text), seed);
}

/// The page's own name, where the app or recorder gave one; a title read off the screen is a text.
static bool names_page(const wd_scene_info *info)
{
    return info->page_source != NULL &&
           (strcmp(info->page_source, "device") == 0 || strcmp(info->page_source, "route") == 0);
}

wd_status wd_page_key(const wd_scene *scene, wd_digest *ret_key)
{
    const wd_scene_info *info = wd_scene_info_of(scene);
    size_t node_count = wd_scene_node_count(scene), count = 0;
    uint64_t *traits = wd_alloc((node_count + 3) * sizeof *traits);
    if (traits == NULL) {
        return WD_ENOMEM;
    }
    for (size_t i = 0; i < node_count; i++) {
        const wd_node *node = wd_scene_node(scene, i);
        uint64_t trait = node->system_ui || !wd_scene_node_visible(scene, node) ? 0 : trait_of(node);
        if (trait != 0) {
            traits[count++] = trait;
        }
    }
    qsort(traits, count, sizeof *traits, compare_traits);
    size_t unique = 0;
    for (size_t i = 0; i < count; i++) {
        if (unique == 0 || traits[unique - 1] != traits[i]) {
            traits[unique++] = traits[i];
        }
    }
    traits[unique++] = hash_name(info->app_package, 2);
    traits[unique++] = hash_name(info->activity, 3);
    traits[unique++] = hash_name(names_page(info) ? info->page : NULL, 4);
    XXH128_hash_t hash = XXH3_128bits(traits, unique * sizeof *traits);
    wd_free(traits, (node_count + 3) * sizeof *traits);
    *ret_key = (wd_digest){ .high = hash.high64, .low = hash.low64 };
    return WD_OK;
}
