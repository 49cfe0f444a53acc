// targets.c - what each row must reach. The one place for such figures.
#include "bench.h"

#include <string.h>

static const wd_target targets[] = {
    { "self", "one clock reading", WD_TARGET_VALUE_MAX, 10000 },
    { "scenes", "uiautomator XML to scene", WD_TARGET_RATIO_MAX, 2 },
    { "scenes", "identity", WD_TARGET_VALUE_MAX, 100 },  // us on 300 nodes
    { "device", "lifecycle operation", WD_TARGET_VALUE_MAX, 2 },
    { "device", "manager call", WD_TARGET_VALUE_MAX, 2 },
    { "device", "inject of 10 leaves", WD_TARGET_VALUE_MAX, 10 },
    { "device", "reset", WD_TARGET_VALUE_MAX, 20 },
    { "device", "fork and drop", WD_TARGET_VALUE_MAX, 1 },
    { "device", "fork memory", WD_TARGET_VALUE_MAX, 1 },
};

const wd_target *wd_target_next(const wd_target *after, const char *bench, const char *row)
{
    const wd_target *end = targets + WD_COUNT_OF(targets);
    for (const wd_target *target = after == NULL ? targets : after + 1; target < end; target++) {
        if (strcmp(target->bench, bench) == 0 && strcmp(target->row, row) == 0) {
            return target;
        }
    }
    return NULL;
}
