// Installed apps (os.md 12, package manager): sys.packages holds their manifests in install order.
#include "package.h"

#include "coerce.h"
#include "intent.h"
#include "managers.h"

#include <string.h>

#define PACKAGES WD_AT("sys", "packages")

/// Where `app` stands in the list, or the list's length.
static size_t index_of(const wd_machine *machine, const char *app)
{
    wd_iter iter = wd_iter_start(wd_machine_get(machine, PACKAGES));
    while (wd_iter_next(&iter)) {
        if (wd_value_is_text(wd_object_get(iter.value, "id"), app)) {
            return iter.index;
        }
    }
    return wd_array_count(wd_machine_get(machine, PACKAGES));
}

const wd_value *wd_package_find(const wd_machine *machine, const char *app)
{
    return wd_array_at(wd_machine_get(machine, PACKAGES), index_of(machine, app));
}

const wd_value *wd_package_with_role(const wd_machine *machine, const char *role)
{
    wd_iter iter = wd_iter_start(wd_machine_get(machine, PACKAGES));
    while (wd_iter_next(&iter)) {
        if (wd_value_is_text(wd_object_get(iter.value, "role"), role)) {
            return iter.value;
        }
    }
    return NULL;
}

const wd_value *wd_package_name(const wd_value *manifest, int locale)
{
    const wd_value *names = wd_object_get(manifest, "name");
    const wd_value *name = wd_object_get(names, locale == WD_LOCALE_EN ? "en" : "zh");
    if (name == NULL) {
        name = wd_value_is(names, WD_KIND_STRING) ? names : wd_object_get(manifest, "displayName");
    }
    return name != NULL ? name : wd_object_get(manifest, "id");
}

// ---- look-ups ---------------------------------------------------------------------------------------------

static bool same_folded(wd_slice name, const wd_value *other)
{
    wd_slice text = wd_trimmed(other);
    return text.length == name.length && wd_slice_contains_folded(text, name);
}

static bool has_name(const wd_value *manifest, wd_slice name)
{
    const wd_value *names = wd_object_get(manifest, "name");
    if (same_folded(name, wd_object_get(manifest, "id")) || same_folded(name, wd_object_get(names, "zh")) ||
        same_folded(name, wd_object_get(names, "en")) || same_folded(name, names) ||
        same_folded(name, wd_object_get(manifest, "displayName"))) {
        return true;
    }
    wd_iter iter = wd_iter_start(wd_object_get(manifest, "aliases"));
    while (wd_iter_next(&iter)) {
        if (same_folded(name, iter.value)) {
            return true;
        }
    }
    return false;
}

static wd_status op_alias(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)error;
    wd_slice name = wd_trimmed(wd_object_get(args, "v"));
    *ret_answer = wd_value_null();
    wd_iter iter = wd_iter_start(name.length > 0 ? wd_machine_get(machine, PACKAGES) : NULL);
    while (wd_iter_next(&iter)) {
        if (has_name(iter.value, name)) {
            *ret_answer = wd_value_ref(wd_object_get(iter.value, "id"));
            break;
        }
    }
    return WD_OK;
}

static wd_status op_pkg(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)error;
    wd_slice name = wd_trimmed(wd_object_get(args, "v"));
    *ret_answer = wd_value_null();
    wd_iter iter = wd_iter_start(name.length > 0 ? wd_machine_get(machine, PACKAGES) : NULL);
    while (wd_iter_next(&iter)) {
        wd_slice other = wd_trimmed(wd_object_get(iter.value, "packageName"));
        if (other.length == name.length && memcmp(other.bytes, name.bytes, name.length) == 0) {
            *ret_answer = wd_value_ref(wd_object_get(iter.value, "id"));
            break;
        }
    }
    return WD_OK;
}

static wd_status op_is_installed(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    const char *app = NULL;
    wd_status status = wd_arg_text(args, "v", &app, error);
    *ret_answer = status == WD_OK ? wd_value_bool(wd_package_find(machine, app) != NULL) : NULL;
    return status;
}

static wd_status op_installed_ids(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)args;
    (void)error;
    wd_value *list = wd_value_array();
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(wd_machine_get(machine, PACKAGES));
    while (status == WD_OK && wd_iter_next(&iter)) {
        wd_value *id = wd_value_ref(wd_object_get(iter.value, "id"));
        status = wd_list_push(&list, &id);
    }
    return wd_give(status, &list, ret_answer);
}

static wd_status append_filter(const wd_value *manifest, const wd_value *filter, wd_value **list_p)
{
    wd_value *entry = NULL, *none = wd_value_null(), *action = NULL;
    const wd_value *type = wd_object_get(filter, "type"), *scheme = wd_object_get(filter, "scheme");
    const char *mode = wd_value_string_or(wd_object_get(filter, "launchMode"), "standard");
    const char *route = wd_value_string_or(wd_object_get(filter, "route"), "/");
    wd_status status = wd_slice_value(wd_trimmed(wd_object_get(filter, "action")), &action);
    if (status == WD_OK) {
        status = wd_value_pack(&entry, "{s:v,s:s,s:v,s:v,s:v,s:s}", "app", wd_object_get(manifest, "id"),
            "route", route, "action", action, "type", type != NULL ? type : none, "scheme",
            scheme != NULL ? scheme : none, "launchMode", mode);
    }
    if (status == WD_OK) {
        status = wd_list_push(list_p, &entry);
    }
    wd_value_unref(&none);
    wd_value_unref(&action);
    wd_value_unref(&entry);
    return status;
}

/// One entry per filter that takes the intent, in install order.
static wd_status op_query_intents(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    const wd_value *intent = NULL;
    wd_status status = wd_arg_object(args, "v", &intent, error);
    wd_value *list = wd_value_array();
    wd_iter packages = wd_iter_start(status == WD_OK ? wd_machine_get(machine, PACKAGES) : NULL);
    while (status == WD_OK && wd_iter_next(&packages)) {
        wd_iter filters = wd_iter_start(wd_object_get(packages.value, "intentFilters"));
        while (status == WD_OK && wd_iter_next(&filters)) {
            if (wd_intent_filter_matches(filters.value, intent)) {
                status = append_filter(packages.value, filters.value, &list);
            }
        }
    }
    return wd_give(status, &list, ret_answer);
}

// ---- install, uninstall -----------------------------------------------------------------------------------

static wd_status announce(wd_machine *machine, const char *action, const wd_value *manifest)
{
    wd_value *extras = NULL;
    wd_status status = wd_value_pack(&extras, "{s:v,s:?v}", "appId", wd_object_get(manifest, "id"),
        "packageName", wd_object_get(manifest, "packageName"));
    return status == WD_OK ? wd_machine_broadcast(machine, action, &extras) : status;
}

static wd_status op_install(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    const wd_value *manifest = wd_object_get(args, "v");
    const char *id = wd_value_string_or(wd_object_get(manifest, "id"), "");
    if (id[0] == '\0') {
        return wd_error_set(error, WD_EINVAL, "v.id: a text is needed");
    }
    if (wd_package_find(machine, id) != NULL) {
        return WD_OK;
    }
    if (wd_array_count(wd_machine_get(machine, PACKAGES)) >= WD_PACKAGES_MAX) {
        return wd_error_set(error, WD_ELIMIT, "v: %d apps are installed already", WD_PACKAGES_MAX);
    }
    wd_value *list = wd_value_ref(wd_machine_get(machine, PACKAGES)), *item = wd_value_ref(manifest);
    wd_status status = wd_list_push(&list, &item);
    if (status == WD_OK) {
        status = wd_machine_put(machine, PACKAGES, &list);
    }
    wd_value_unref(&list);
    return status == WD_OK ? announce(machine, "android.intent.action.PACKAGE_ADDED", manifest) : status;
}

static wd_status op_uninstall(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    const char *id = NULL;
    wd_status status = wd_arg_text(args, "v", &id, error);
    if (status != WD_OK || wd_package_find(machine, id) == NULL) {
        return status;
    }
    wd_value *list = wd_value_ref(wd_machine_get(machine, PACKAGES));
    wd_value *manifest = wd_value_ref(wd_package_find(machine, id));
    status = wd_array_remove(&list, index_of(machine, id));
    if (status == WD_OK) {
        status = wd_machine_put(machine, PACKAGES, &list);
    }
    if (status == WD_OK) {
        status = announce(machine, "android.intent.action.PACKAGE_REMOVED", manifest);
    }
    wd_value_unref(&list);
    wd_value_unref(&manifest);
    return status;
}

const wd_op wd_ops_package[] = {
    { "alias", op_alias },
    { "pkg", op_pkg },
    { "isInstalled", op_is_installed },
    { "installedIds", op_installed_ids },
    { "queryIntents", op_query_intents },
    { "install", op_install },
    { "uninstall", op_uninstall },
    { NULL, NULL },
};

// ---- view -------------------------------------------------------------------------------------------------

/// Insert by id, so that the list is sorted as state shows it.
static wd_status insert_sorted(wd_value **list_p, wd_value **entry_p)
{
    const char *id = wd_value_string_or(wd_object_get(*entry_p, "id"), "");
    size_t index = wd_array_count(*list_p);
    while (index > 0 &&
           strcmp(wd_value_string_or(wd_object_get(wd_array_at(*list_p, index - 1), "id"), ""), id) > 0) {
        index--;
    }
    return wd_list_insert_at(list_p, index, entry_p);
}

wd_status wd_view_installed_apps(const wd_machine *machine, wd_value **ret_view)
{
    int locale = wd_locale_of(machine->root);
    wd_value *list = wd_value_array();
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(wd_machine_get(machine, PACKAGES));
    while (status == WD_OK && wd_iter_next(&iter)) {
        wd_value *entry = NULL;
        status = wd_value_pack(&entry, "{s:v,s:v,s:?v,s:?v,s:?v,s:?v}", "id", wd_object_get(iter.value, "id"),
            "name", wd_package_name(iter.value, locale), "packageName",
            wd_object_get(iter.value, "packageName"), "type", wd_object_get(iter.value, "type"), "version",
            wd_object_get(iter.value, "version"), "versionCode", wd_object_get(iter.value, "versionCode"));
        if (status == WD_OK) {
            status = insert_sorted(&list, &entry);
        }
        wd_value_unref(&entry);
    }
    return wd_give(status, &list, ret_view);
}
