// What a screen was drawn from, and whether that is still so.
#include "call.h"

#include <string.h>

const wd_value *wd_dep_read(const wd_call *call, const wd_dep *dep)
{
    switch (dep->kind) {
    case WD_DEP_STATE:
        return dep->name != NULL ? wd_object_get(call->overlay, dep->name) : call->overlay;
    case WD_DEP_OS: {
        const wd_value *outer = wd_object_get(call->os, dep->name);
        return dep->inner != NULL ? wd_object_get(outer, dep->inner) : outer;
    }
    case WD_DEP_SCRATCH:
        return call->scratch;
    case WD_DEP_INTENT:
        return call->page.intent;
    case WD_DEP_UI:
        return call->device != NULL ? wd_object_get(wd_device_ui(call->device), dep->name) : NULL;
    case WD_DEP_SYS:
        return call->device != NULL
                   ? wd_object_get(wd_object_get(wd_device_machine(call->device), "sys"), dep->name)
                   : NULL;
    case WD_DEP_TIME:
        return NULL;
    }
    return NULL;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

void wd_deps_note(wd_call *call, wd_dep_kind kind, const char *name, const char *inner, int64_t unit_ms)
{
    wd_deps *deps = call->deps;
    if (deps == NULL || deps->too_many) {
        return;
    }
    for (size_t i = 0; i < deps->count; i++) {
        const wd_dep *known = &deps->items[i];
        if (known->kind == kind && known->asked == name && known->unit_ms == unit_ms &&
            same_text(known->name, name) && same_text(known->inner, inner)) {
            return;
        }
    }
    for (size_t i = 0; i < deps->count; i++) {
        const wd_dep *known = &deps->items[i];
        if (known->kind == kind && known->unit_ms == unit_ms && same_text(known->name, name) &&
            same_text(known->inner, inner)) {
            return;
        }
    }
    wd_dep dep = { .kind = kind, .asked = name, .unit_ms = unit_ms };
    dep.name = name != NULL ? wd_ui_arena_text(call->arena, name, strlen(name)) : NULL;
    dep.inner = inner != NULL ? wd_ui_arena_text(call->arena, inner, strlen(inner)) : NULL;
    if (deps->count == WD_DEPS_MAX || (name != NULL && dep.name == NULL) ||
        (inner != NULL && dep.inner == NULL)) {
        deps->too_many = true;
        return;
    }
    dep.at = unit_ms > 0 ? call->now_ms / unit_ms : 0;
    dep.value = wd_value_ref(wd_dep_read(call, &dep));
    deps->items[deps->count++] = dep;
}

void wd_deps_done(wd_deps *deps)
{
    for (size_t i = 0; i < deps->count; i++) {
        wd_value_unref(&deps->items[i].value);
    }
    deps->count = 0;
}

static bool same_value(const wd_value *a, const wd_value *b)
{
    return a == b || (a != NULL && b != NULL && wd_value_same(a, b));
}

bool wd_deps_hold(const wd_deps *deps, const wd_call *call)
{
    if (deps->too_many) {
        return false;
    }
    for (size_t i = 0; i < deps->count; i++) {
        const wd_dep *dep = &deps->items[i];
        if (dep->unit_ms > 0 ? dep->at != call->now_ms / dep->unit_ms
                             : !same_value(dep->value, wd_dep_read(call, dep))) {
            return false;
        }
    }
    return true;
}
