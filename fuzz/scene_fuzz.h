/// scene_fuzz.h - what must hold of any bytes given to a screen's reader: a whole scene, or an error that
/// says why.
#ifndef SCENE_FUZZ_H
#define SCENE_FUZZ_H

#include "semantic/enrich.h"
#include "semantic/screen.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/// Parents come first, descendants lie together, windows exist.
static inline void scene_fuzz_check_nodes(const wd_scene *scene)
{
    for (size_t i = 0; i < wd_scene_node_count(scene); i++) {
        const wd_node *node = wd_scene_node(scene, i);
        wd_assert(node->id == (int32_t)i && node->parent < node->id);
        wd_assert(node->window >= -1 && node->window < (int32_t)wd_scene_window_count(scene));
        for (const wd_node *at = i > 0 ? node - 1 : NULL; at != NULL && at->id != node->parent;) {
            wd_assert(at->parent >= node->parent);  // still below the same parent
            at = at->parent >= 0 ? wd_scene_node(scene, (size_t)at->parent) : NULL;
        }
    }
}

static inline int scene_fuzz(wd_screen_format format, const uint8_t *data, size_t size)
{
    wd_scene *scene = NULL, *again = NULL;
    wd_error error = { .status = WD_OK };
    wd_screen_options options = { .format = format };
    wd_status status = wd_screen_read((const char *)data, size, &options, &scene, &error);
    wd_assert((status == WD_OK) == (scene != NULL));
    if (status != WD_OK) {
        wd_assert(error.status == status && error.text[0] != '\0');
        return 0;
    }
    scene_fuzz_check_nodes(scene);
    wd_semantic *semantic = NULL;
    wd_assert(wd_semantic_enrich(scene, &semantic) == WD_OK);
    wd_value *value = NULL;
    wd_assert(wd_semantic_to_value(semantic, &value) == WD_OK);  // all texts are UTF-8
    wd_value_unref(&value);
    wd_semantic_unref(&semantic);
    wd_assert(wd_scene_to_value(scene, &value) == WD_OK);
    wd_assert(wd_scene_from_value(value, &again, NULL) == WD_OK);
    wd_assert(wd_digest_equal(wd_scene_digest(scene), wd_scene_digest(again)));
    wd_value_unref(&value);
    wd_scene_unref(&again);
    wd_scene_unref(&scene);
    return 0;
}

#endif
