#include "runtime/mutation.h"

#include "tree/path.h"

#include <stdio.h>
#include <string.h>

enum { DEPTH_MAX = 16, PLACE_MAX = 512 };

/// Where a person's changes end up; "apps.*" stands for each app's overlay.
static const char *const roots[] = { "settings.global", "settings.system", "providers.contacts",
    "providers.sms" };

/// A walk over the leaves below one place, which keeps one of them, each with the same chance.
typedef struct leaf_walk {
    wd_draw *draw;
    uint64_t seen;
    char path[PLACE_MAX];  // of the place where the walk is
    size_t length;
    char chosen[PLACE_MAX];
    const wd_value *value;  // at `chosen`
} leaf_walk;

static bool is_plain(const char *key)
{
    return key[0] != '\0' && key[0] != '_' && strpbrk(key, ".[]\\=*") == NULL;
}

/// Append to the path; false when it becomes too long.
static bool enter(leaf_walk *walk, const char *mark, const char *text, const char *end)
{
    size_t room = sizeof walk->path - walk->length;
    int length = snprintf(walk->path + walk->length, room, "%s%s%s", mark, text, end);
    if (length < 0 || (size_t)length >= room) {
        walk->path[walk->length] = '\0';
        return false;
    }
    walk->length += (size_t)length;
    return true;
}

static void leave(leaf_walk *walk, size_t length)
{
    walk->length = length;
    walk->path[length] = '\0';
}

static void visit(leaf_walk *walk, const wd_value *value, unsigned depth);

/// Elements with an id are places that a patch can name; lists without stay as they are.
static void visit_list(leaf_walk *walk, const wd_value *list, unsigned depth)
{
    wd_iter element = wd_iter_start(list);
    while (wd_iter_next(&element)) {
        const char *id = wd_value_string_or(wd_object_get(element.value, "id"), NULL);
        size_t length = walk->length;
        if (id != NULL && is_plain(id) && enter(walk, "[id=", id, "]")) {
            visit(walk, element.value, depth + 1);
            leave(walk, length);
        }
    }
}

static void visit_object(leaf_walk *walk, const wd_value *object, unsigned depth)
{
    wd_iter member = wd_iter_start(object);
    while (wd_iter_next(&member)) {
        size_t length = walk->length;
        bool identity = strcmp(member.key, "id") == 0;  // another one would be another thing
        if (!identity && is_plain(member.key) && enter(walk, ".", member.key, "")) {
            visit(walk, member.value, depth + 1);
            leave(walk, length);
        }
    }
}

static void visit(leaf_walk *walk, const wd_value *value, unsigned depth)
{
    if (depth > DEPTH_MAX || wd_value_is(value, WD_KIND_NULL)) {
        return;
    }
    if (wd_value_is(value, WD_KIND_OBJECT)) {
        visit_object(walk, value, depth);
        return;
    }
    if (wd_value_is(value, WD_KIND_ARRAY)) {
        visit_list(walk, value, depth);
        return;
    }
    walk->seen += 1;
    if (wd_draw_below(walk->draw, walk->seen) == 0) {
        memcpy(walk->chosen, walk->path, walk->length + 1);
        walk->value = value;
    }
}

/// Choose an app or a part of the system first, so that a large one does not drown the others; then one leaf of it.
static void choose_leaf(leaf_walk *walk, const wd_value *state)
{
    const wd_value *apps = wd_object_get(state, "apps");
    uint64_t at = wd_draw_below(walk->draw, wd_object_count(apps) + WD_COUNT_OF(roots));
    const char *name = at < WD_COUNT_OF(roots) ? roots[at] : NULL;
    const wd_value *top = wd_object_get(state, name != NULL ? "os" : "apps");
    wd_iter app = wd_iter_start(name != NULL ? NULL : apps);
    for (uint64_t i = WD_COUNT_OF(roots); name == NULL && wd_iter_next(&app); i++) {
        name = i == at ? app.key : NULL;
    }
    walk->length = 0;
    if (name != NULL && enter(walk, top == apps ? "apps." : "os.", name, "")) {
        visit(walk, wd_value_get_path(top, name), 0);
    }
}

/// Another value of the same kind.
static wd_status changed(const wd_value *value, wd_value **ret_value)
{
    switch (wd_value_kind(value)) {
    case WD_KIND_BOOL:
        *ret_value = wd_value_bool(!wd_value_as_bool(value));
        return WD_OK;
    case WD_KIND_INT:
        return wd_value_int(
            wd_value_as_int(value) > 50 ? wd_value_as_int(value) - 7 : wd_value_as_int(value) + 7, ret_value);
    case WD_KIND_STRING:
        return wd_value_format(ret_value, "%.100s (changed)", wd_value_as_string(value, NULL));
    default:
        return wd_value_text("changed", ret_value);
    }
}

/// A patch that puts `value` at `path`: members nested, an element's brackets kept with its list's key.
static wd_status patch_of(const char *path, const wd_value *value, wd_value **ret_patch)
{
    char text[PLACE_MAX];
    snprintf(text, sizeof text, "%s", path);
    wd_value *patch = wd_value_ref(value);
    wd_status status = WD_OK;
    for (char *dot = text; status == WD_OK && dot != NULL;) {
        wd_value *outer = NULL;
        dot = strrchr(text, '.');
        status = wd_value_pack(&outer, "{s:v}", dot == NULL ? text : dot + 1, patch);
        wd_value_unref(&patch);
        patch = outer;
        if (dot != NULL) {
            *dot = '\0';
        }
    }
    *ret_patch = patch;
    return status;
}

/// Does the patch change the state in a way that the rules do not excuse, at that very place?
static wd_status try_patch(const wd_rules *rules, const wd_device *start, const wd_value *initial,
    const wd_value *patch, const char *place, bool *ret_foreign, wd_error *error)
{
    wd_device *fork = NULL;
    wd_value *after = NULL;
    wd_changes *changes = NULL;
    wd_error refusal;
    *ret_foreign = false;
    wd_status status = wd_device_fork(start, &fork);
    if (status == WD_OK && wd_device_inject(fork, patch, true, false, &refusal) == WD_OK) {
        status = wd_device_state(fork, &after);
        status = status == WD_OK ? wd_rules_unexpected(rules, initial, after, &changes, error) : status;
    }
    for (size_t i = 0; status == WD_OK && i < wd_changes_count(changes); i++) {
        *ret_foreign = *ret_foreign || strcmp(wd_changes_at(changes, i)->path, place) == 0;
    }
    wd_changes_destroy(&changes);
    wd_value_unref(&after);
    wd_device_destroy(&fork);
    return status;
}

wd_status wd_mutation_draw(const wd_rules *rules, const wd_device *start, const wd_value *initial,
    wd_draw *draw, wd_mutation *ret_mutation, wd_error *error)
{
    for (int i = 0; i < WD_MUTATION_TRIES_MAX; i++) {
        leaf_walk walk = { .draw = draw };
        wd_mutation mutation = { 0 };
        wd_value *value = NULL;
        bool foreign = false;
        choose_leaf(&walk, initial);
        if (walk.value == NULL) {
            continue;
        }
        wd_status status = changed(walk.value, &value);
        status = status == WD_OK ? patch_of(walk.chosen, value, &mutation.patch) : status;
        status = status == WD_OK ? wd_value_text(walk.chosen, &mutation.place) : status;
        if (status == WD_OK) {
            status = try_patch(rules, start, initial, mutation.patch, walk.chosen, &foreign, error);
        }
        wd_value_unref(&value);
        if (status == WD_OK && foreign) {
            *ret_mutation = mutation;
            return WD_OK;
        }
        wd_mutation_done(&mutation);
        if (status != WD_OK) {
            return status;
        }
    }
    return wd_error_set(
        error, WD_ENOENT, "no foreign change in %d draws: the task excuses too much", WD_MUTATION_TRIES_MAX);
}

void wd_mutation_done(wd_mutation *mutation)
{
    wd_value_unref(&mutation->patch);
    wd_value_unref(&mutation->place);
}
