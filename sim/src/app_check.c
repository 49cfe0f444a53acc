// Each rule is one row: a name and a function that looks at the pack and reports what it finds.
#include "sim/app_check.h"

#include "lua_host.h"
#include "route.h"
#include "tree/json.h"

#include <stdio.h>
#include <string.h>

enum { DEFAULTS_BYTES_MAX = 100 * 1000 };

typedef struct wd_checker {
    const wd_pack *pack;
    wd_lua *lua;
    wd_value *findings;
    const char *rule;
    wd_status status;  // WD_ENOMEM ends the check
} wd_checker;

static void report(wd_checker *checker, const char *place, const char *text)
{
    wd_value *finding = NULL;
    if (checker->status == WD_OK) {
        checker->status =
            wd_value_pack(&finding, "{s:s,s:s,s:s}", "rule", checker->rule, "place", place, "text", text);
    }
    if (checker->status == WD_OK) {
        checker->status = wd_array_append(&checker->findings, &finding);
    }
    wd_value_unref(&finding);
}

static const wd_value *entities(const wd_checker *checker)
{
    return wd_object_get(checker->pack->manifest, "entities");
}

static bool is_table(const wd_checker *checker, const char *name)
{
    wd_iter iter = wd_iter_start(entities(checker));
    while (wd_iter_next(&iter)) {
        if (wd_value_is_text(wd_object_get(iter.value, "table"), name)) {
            return true;
        }
    }
    return false;
}

// Calls `visit` for the one user, or for each of several, with where it stands.
static void each_user(wd_checker *checker, void (*visit)(wd_checker *, const char *, const wd_value *))
{
    const wd_value *defaults = checker->pack->defaults;
    if (wd_object_get(defaults, "user") != NULL) {
        visit(checker, "user", wd_object_get(defaults, "user"));
    }
    wd_iter iter = wd_iter_start(wd_object_get(defaults, "users"));
    while (wd_iter_next(&iter)) {
        char place[160];
        (void)snprintf(place, sizeof place, "users.%s", iter.key);
        visit(checker, place, iter.value);
    }
}

// ---- tables and indexes -------------------------------------------------------------------------------------------------

static void nested_table(wd_checker *checker, const char *user_place, const wd_value *user)
{
    wd_iter iter = wd_iter_start(user);
    while (wd_iter_next(&iter)) {
        bool rows = wd_object_count(iter.value) > 0;
        wd_iter inner = wd_iter_start(iter.value);
        while (wd_iter_next(&inner)) {
            rows = rows && inner.key != NULL && wd_object_get(inner.value, "id") != NULL;
        }
        if (rows || is_table(checker, iter.key)) {
            char place[256];
            (void)snprintf(place, sizeof place, "defaults.json: %s.%s", user_place, iter.key);
            report(checker, place, "an entity table stands at the top level, beside user");
        }
    }
}

static void rule_nested_tables(wd_checker *checker)
{
    each_user(checker, nested_table);
}

static void index_of_ids(wd_checker *checker, const char *user_place, const wd_value *user)
{
    wd_iter iter = wd_iter_start(user);
    while (wd_iter_next(&iter)) {
        if (!wd_value_is(iter.value, WD_KIND_ARRAY)) {
            continue;
        }
        wd_iter items = wd_iter_start(iter.value);
        while (wd_iter_next(&items)) {
            if (!wd_value_is(items.value, WD_KIND_STRING) && !wd_value_is(items.value, WD_KIND_INT)) {
                char place[256];
                (void)snprintf(place, sizeof place, "defaults.json: %s.%s", user_place, iter.key);
                report(checker, place, "an index of the user's holds ids only");
                break;
            }
        }
    }
}

static void rule_indexes(wd_checker *checker)
{
    each_user(checker, index_of_ids);
}

static void created_list(wd_checker *checker, const char *outer, const wd_value *record)
{
    wd_iter iter = wd_iter_start(record);
    while (wd_iter_next(&iter)) {
        if (strncmp(iter.key, "created", 7) == 0 && wd_value_is(iter.value, WD_KIND_ARRAY)) {
            char place[256];
            (void)snprintf(
                place, sizeof place, "defaults.json: %s%s%s", outer, outer[0] != '\0' ? "." : "", iter.key);
            report(checker, place,
                "own content stands in its table and in an index of ids, not in a created list");
        }
    }
}

static void rule_created_lists(wd_checker *checker)
{
    created_list(checker, "", checker->pack->defaults);
    each_user(checker, created_list);
}

static void parallel_lists(wd_checker *checker, const char *user_place, const wd_value *user)
{
    static const char *const pairs[][2] = { { "upvotedIds", "downvotedIds" }, { "likedIds", "dislikedIds" },
        { "upvotedPostIds", "downvotedPostIds" }, { "likedPostIds", "dislikedPostIds" } };
    for (size_t i = 0; i < WD_COUNT_OF(pairs); i++) {
        if (wd_object_get(user, pairs[i][0]) != NULL && wd_object_get(user, pairs[i][1]) != NULL) {
            char place[256];
            (void)snprintf(place, sizeof place, "defaults.json: %s.%s", user_place, pairs[i][0]);
            report(checker, place, "relations that exclude each other are one record of id and value");
        }
    }
}

static void rule_exclusive(wd_checker *checker)
{
    each_user(checker, parallel_lists);
}

// followingCount beside followingIds.
static void stored_count(wd_checker *checker, const char *user_place, const wd_value *user)
{
    wd_iter iter = wd_iter_start(user);
    while (wd_iter_next(&iter)) {
        const size_t length = iter.key_length;
        if (length <= 5 || strcmp(iter.key + length - 5, "Count") != 0) {
            continue;
        }
        char ids[160];
        (void)snprintf(ids, sizeof ids, "%.*sIds", (int)(length - 5), iter.key);
        if (wd_object_get(user, ids) != NULL) {
            char place[256];
            (void)snprintf(place, sizeof place, "defaults.json: %s.%s", user_place, iter.key);
            report(checker, place, "a count is stored or derived, never both");
        }
    }
}

static void rule_counts(wd_checker *checker)
{
    each_user(checker, stored_count);
}

// ---- settings and texts -------------------------------------------------------------------------------------------------

static void rule_settings_name(wd_checker *checker)
{
    static const char *const wrong[] = { "preferences", "config", "initialSettings", "defaultAlarms" };
    const bool system = wd_value_is_text(wd_object_get(checker->pack->manifest, "role"), "system settings");
    for (size_t i = system ? 1 : 0; i < WD_COUNT_OF(wrong); i++) {
        if (wd_object_get(checker->pack->defaults, wrong[i]) != NULL) {
            char place[128];
            (void)snprintf(place, sizeof place, "defaults.json: %s", wrong[i]);
            report(checker, place, "an app's settings are called settings");
        }
    }
}

// With pages below /settings/... a page's settings nest as its path does; with one page they are flat.
static void rule_settings_nesting(wd_checker *checker)
{
    wd_value *routes = NULL;
    checker->status = wd_lua_names(checker->lua, checker->pack, "screens", &routes);
    wd_iter iter = wd_iter_start(wd_object_get(checker->pack->defaults, "settings"));
    while (checker->status == WD_OK && wd_iter_next(&iter)) {
        if (!wd_value_is(iter.value, WD_KIND_OBJECT)) {
            continue;
        }
        char wanted[160];
        (void)snprintf(wanted, sizeof wanted, "/settings/%s", iter.key);
        bool found = false;
        wd_iter all = wd_iter_start(routes);
        while (wd_iter_next(&all)) {
            found = found || strncmp(wd_value_string_or(all.value, ""), wanted, strlen(wanted)) == 0;
        }
        if (!found) {
            char place[160];
            (void)snprintf(place, sizeof place, "defaults.json: settings.%s", iter.key);
            report(checker, place, "settings nest as the settings pages do: there is no page of this name");
        }
    }
    wd_value_unref(&routes);
}

// "Shanghai - Chengdu" in a field of its own is a label made for the eye. Texts that people write are left alone.
static void look_for_labels(wd_checker *checker, const char *place, const wd_value *value, int depth)
{
    static const char *const names[] = { "route", "label", "range", "trip", "period" };
    wd_iter iter = wd_iter_start(value);
    while (depth < WD_VALUE_DEPTH_MAX && wd_iter_next(&iter)) {
        char inner[320];
        (void)snprintf(inner, sizeof inner, "%s.%s", place, iter.key != NULL ? iter.key : "[]");
        bool semantic = false;
        for (size_t i = 0; iter.key != NULL && i < WD_COUNT_OF(names); i++) {
            semantic = semantic || strcmp(names[i], iter.key) == 0;
        }
        if (semantic && wd_value_is(iter.value, WD_KIND_STRING) &&
            strstr(wd_value_as_string(iter.value, NULL), " - ") != NULL) {
            report(checker, inner, "a display text stands where fields of their own belong");
        }
        look_for_labels(checker, inner, iter.value, depth + 1);
    }
}

static void rule_display_texts(wd_checker *checker)
{
    look_for_labels(checker, "defaults.json: ", checker->pack->defaults, 0);
}

// ---- files ----------------------------------------------------------------------------------------------------------------

static void rule_defaults_size(wd_checker *checker)
{
    wd_buffer text = { 0 };
    checker->status = wd_json_write(checker->pack->defaults, WD_JSON_COMPACT, &text);
    if (checker->status == WD_OK && text.length > DEFAULTS_BYTES_MAX) {
        report(checker, "defaults.json", "more than 100 kB: what is only shown belongs in data/");
    }
    wd_buffer_done(&text);
}

static void rule_data_names(wd_checker *checker)
{
    const char *id = checker->pack->id;
    wd_iter iter = wd_iter_start(checker->pack->data);
    while (wd_iter_next(&iter)) {
        bool camel = iter.key[0] >= 'a' && iter.key[0] <= 'z';
        for (const char *at = iter.key; *at != '\0'; at++) {
            camel = camel &&
                    ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9'));
        }
        const bool prefixed = strncmp(iter.key, id, strlen(id)) == 0 && iter.key[strlen(id)] >= 'A' &&
                              iter.key[strlen(id)] <= 'Z';
        if (!camel || prefixed) {
            char place[256];
            (void)snprintf(place, sizeof place, "data/%s.json", iter.key);
            report(checker, place, "a data file has a camelCase name of its content, without prefix or dots");
        }
    }
}

static void rule_loaders(wd_checker *checker)
{
    const wd_value *loaders = wd_object_get(checker->pack->manifest, "loaders");
    wd_iter iter = wd_iter_start(loaders);
    while (wd_iter_next(&iter)) {
        const char *name = wd_value_string_or(wd_object_get(iter.value, "name"), "");
        if (strncmp(name, "load", 4) != 0 || name[4] < 'A' || name[4] > 'Z') {
            report(checker, "manifest.json: loaders", "a loader is called load<Type>");
        }
    }
    if (wd_array_count(loaders) > 0 &&
        !wd_value_is(wd_object_get(checker->pack->manifest, "preload"), WD_KIND_BOOL)) {
        report(checker, "manifest.json: preload", "a pack with loaders says whether they are to preload");
    }
}

static void rule_temp(wd_checker *checker)
{
    static const char *const allowed[] = { "loading", "focus", "drag", "hover", "open", "animation" };
    wd_iter iter = wd_iter_start(wd_object_get(checker->pack->defaults, "_temp"));
    while (wd_iter_next(&iter)) {
        bool fine = false;
        for (size_t i = 0; i < WD_COUNT_OF(allowed); i++) {
            fine = fine || strncmp(iter.key, allowed[i], strlen(allowed[i])) == 0;
        }
        if (!fine) {
            char place[160];
            (void)snprintf(place, sizeof place, "defaults.json: _temp.%s", iter.key);
            report(checker, place, "_temp holds loading, focus, drag, hover, open, animation only");
        }
    }
}

// ---- code -----------------------------------------------------------------------------------------------------------------

static void rule_filters(wd_checker *checker)
{
    wd_value *routes = NULL;
    checker->status = wd_lua_names(checker->lua, checker->pack, "screens", &routes);
    wd_iter iter = wd_iter_start(wd_object_get(checker->pack->manifest, "intentFilters"));
    while (checker->status == WD_OK && wd_iter_next(&iter)) {
        const char *route = wd_value_string_or(wd_object_get(iter.value, "route"), "/");
        bool found = false;
        wd_iter all = wd_iter_start(routes);
        while (wd_iter_next(&all)) {
            found = found || wd_route_fits(wd_value_string_or(all.value, ""), route);
        }
        if (!found) {
            report(checker, "manifest.json: intentFilters", "a filter's route has no page");
        }
    }
    wd_value_unref(&routes);
}

// A page to start from is what makes all others reachable; `app graph` walks the rest.
static void rule_root(wd_checker *checker)
{
    wd_value *routes = NULL;
    checker->status = wd_lua_names(checker->lua, checker->pack, "screens", &routes);
    bool found = false;
    wd_iter all = wd_iter_start(routes);
    while (checker->status == WD_OK && wd_iter_next(&all)) {
        found = found || wd_value_is_text(all.value, "/");
    }
    if (checker->status == WD_OK && !found) {
        report(checker, "app.lua", "there is no page \"/\"");
    }
    wd_value_unref(&routes);
}

// Structural constants (tabs, grids, keys) stand in app.lua: they are the same for every user.
static void rule_constants(wd_checker *checker)
{
    static const char *const names[] = { "tabs", "tabBar", "menu", "serviceGrid", "featureFlags", "columns" };
    for (size_t i = 0; i < WD_COUNT_OF(names); i++) {
        if (wd_object_get(checker->pack->defaults, names[i]) != NULL) {
            char place[128];
            (void)snprintf(place, sizeof place, "defaults.json: %s", names[i]);
            report(checker, place, "a structural constant stands in app.lua");
        }
    }
}

static const struct wd_rule {
    const char *name;
    void (*look)(wd_checker *checker);
} rules[] = {
    { "nested-table", rule_nested_tables },
    { "index-of-ids", rule_indexes },
    { "created-list", rule_created_lists },
    { "exclusive-record", rule_exclusive },
    { "count-twice", rule_counts },
    { "settings-name", rule_settings_name },
    { "settings-nesting", rule_settings_nesting },
    { "display-text", rule_display_texts },
    { "defaults-size", rule_defaults_size },
    { "data-name", rule_data_names },
    { "loader-name", rule_loaders },
    { "temp", rule_temp },
    { "filter-page", rule_filters },
    { "root-page", rule_root },
    { "constant", rule_constants },
};

const char *wd_app_check_rule(size_t index)
{
    return index == 0 ? "load" : index <= WD_COUNT_OF(rules) ? rules[index - 1].name : NULL;
}

wd_status wd_app_check(const wd_pack_source *source, const char *directory, const char *id,
    wd_value **ret_findings, wd_error *error)
{
    wd_pack pack = { 0 };
    wd_error fault = { 0 };
    wd_checker checker = { .findings = wd_value_array(), .rule = "load" };
    wd_status status = wd_pack_read(source, directory, id, &pack, &fault);
    status = status != WD_OK ? status : wd_lua_new_of(&pack, &checker.lua, &fault);
    if (status == WD_OK) {
        checker.pack = &pack;
        for (size_t i = 0; i < WD_COUNT_OF(rules) && checker.status == WD_OK; i++) {
            checker.rule = rules[i].name;
            rules[i].look(&checker);
        }
    } else if (status != WD_ENOMEM) {
        report(&checker, id, fault.text);
    } else {
        checker.status = status;
    }
    wd_lua_destroy(&checker.lua);
    wd_pack_done(&pack);
    if (checker.status != WD_OK) {
        wd_value_unref(&checker.findings);
        return wd_error_set(error, checker.status, "%s: %s", id, wd_status_text(checker.status));
    }
    *ret_findings = checker.findings;
    return WD_OK;
}
