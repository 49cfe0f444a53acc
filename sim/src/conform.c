#include "conform_case.h"

#include <string.h>

// One row a kind.
static const struct kind {
    const char *name;
    const char *list;  // the file's member that holds the cases
    wd_conform_kind replay;
} kinds[] = {
    { "lifecycle", "sequences", wd_conform_lifecycle },
    { "lifecycle-walks", "sequences", wd_conform_lifecycle },
    { "merge", "cases", wd_conform_merge },
    { "persistence", "sequences", wd_conform_persistence },
    { "managers", "sequences", wd_conform_managers },
    { "permissions", "sequences", wd_conform_permissions },
    { "providers", "sequences", wd_conform_providers },
    { "services", "sequences", wd_conform_services },
};

static const char *const kind_names[] = {
    "lifecycle",
    "lifecycle-walks",
    "merge",
    "persistence",
    "managers",
    "permissions",
    "providers",
    "services",
};

const char *const *wd_device_conform_kinds(size_t *ret_count)
{
    *ret_count = WD_COUNT_OF(kind_names);
    return kind_names;
}

static void run_done(wd_conform *run)
{
    wd_conform_forget_ids(run);
    wd_buffer_done(&run->difference);
    wd_buffer_done(&run->path);
}

static wd_status replay_all(const struct kind *kind, const wd_value *file, const wd_value *packages,
    wd_conform_report report, void *context, wd_conform_counts *counts)
{
    const wd_value *list = wd_object_get(file, kind->list);
    wd_status status = WD_OK;
    for (size_t i = 0; i < wd_array_count(list) && status == WD_OK; i++) {
        const wd_value *one = wd_array_at(list, i);
        wd_conform run = { .packages = packages, .id = wd_value_string_or(wd_object_get(one, "id"), "?") };
        status = kind->replay(file, one, &run);
        if (status == WD_OK) {
            counts->cases++;
            counts->hold += !run.failed;
            counts->fail += run.failed;
            if (run.failed && report != NULL) {
                report(context, run.id, run.difference.bytes);
            }
        }
        run_done(&run);
    }
    return status;
}

wd_status wd_device_conform(const char *kind, const wd_value *file, wd_conform_report report, void *context,
    wd_conform_counts *ret_counts, wd_error *error)
{
    size_t at = 0;
    while (at < WD_COUNT_OF(kinds) && strcmp(kinds[at].name, kind) != 0) {
        at++;
    }
    if (at == WD_COUNT_OF(kinds)) {
        return wd_error_set(error, WD_ENOENT, "%s: no kind of device vectors", kind);
    }
    if (!wd_value_is(wd_object_get(file, kinds[at].list), WD_KIND_ARRAY)) {
        return wd_error_set(error, WD_ETYPE, "%s: a list is wanted", kinds[at].list);
    }
    wd_value *apps = NULL;
    wd_status status = wd_json_parse(wd_fixture_apps_text, wd_fixture_apps_text_length, &apps, error);
    wd_conform_counts counts = { 0 };
    if (status == WD_OK) {
        status = replay_all(&kinds[at], file, wd_object_get(apps, "apps"), report, context, &counts);
    }
    wd_value_unref(&apps);
    if (status == WD_OK) {
        *ret_counts = counts;
    }
    return status;
}
