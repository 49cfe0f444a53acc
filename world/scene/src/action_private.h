/// action_private.h - what action.c and action_value.c share: the action's words and strings as tables.
#ifndef SCENE_ACTION_PRIVATE_H
#define SCENE_ACTION_PRIVATE_H

#include "scene/action.h"

enum { WD_ACTION_STRING_COUNT = 11, WD_DIRECTION_COUNT = WD_DIR_RIGHT + 1 };

/// Where a string lives and what it is called: copying, comparing, reading and writing walk one table.
typedef struct wd_action_string {
    const char *name;
    size_t offset;
    bool in_selector;
} wd_action_string;
extern const wd_action_string wd_action_strings[WD_ACTION_STRING_COUNT];

static inline char **wd_action_string_at(wd_action *action, const wd_action_string *string)
{
    return (char **)(void *)((char *)action + string->offset);
}

static inline const char *wd_action_string_get(const wd_action *action, const wd_action_string *string)
{
    return *(const char *const *)(const void *)((const char *)action + string->offset);
}

extern const char *const wd_space_names[WD_SPACE_COUNT];
extern const char *const wd_direction_names[WD_DIRECTION_COUNT];
extern const double wd_space_max[WD_SPACE_COUNT];  // largest coordinate; the smallest is 0

/// Place of the name in names[0..count), `count` when it is not there.
size_t wd_name_index(const char *const *names, size_t count, const char *name);

#endif
