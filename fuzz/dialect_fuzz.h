/// dialect_fuzz.h - what must hold of any bytes given to a dialect: at least one action, and each of them is one that
/// can be written down and read back; an invalid one says why and keeps its raw text.
#ifndef DIALECT_FUZZ_H
#define DIALECT_FUZZ_H

#include "semantic/dialect.h"

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void dialect_fuzz_check(const wd_action *action)
{
    wd_value *value = NULL;
    wd_action again;
    wd_error error;
    wd_assert(action->raw != NULL);
    wd_assert(action->kind != WD_ACTION_INVALID || action->reason != NULL);
    wd_assert(wd_action_to_value(action, &value) == WD_OK);
    wd_assert(wd_action_from_value(wd_action_kind_name(action->kind), value, &again, &error) == WD_OK);
    wd_assert(wd_action_equal(action, &again));
    wd_action_done(&again);
    wd_value_unref(&value);
}

static inline int dialect_fuzz(const char *name, const uint8_t *data, size_t size)
{
    static const wd_dialect_options sizes = {
        .image_width = 1000, .image_height = 2000, .display_width = 1080, .display_height = 2400
    };
    const wd_dialect *dialect = NULL;
    wd_assert(wd_dialect_find(name, &dialect) == WD_OK);
    for (int known = 0; known < 2; known++) {
        wd_reply reply;
        wd_assert(
            wd_dialect_parse(dialect, (const char *)data, size, known ? &sizes : NULL, &reply) == WD_OK);
        wd_assert(reply.count > 0 && reply.count <= WD_REPLY_ACTIONS_MAX);
        for (size_t i = 0; i < reply.count; i++) {
            dialect_fuzz_check(&reply.actions[i]);
        }
        wd_reply_done(&reply);
    }
    return 0;
}

#endif
