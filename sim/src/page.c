#include "page.h"

#include "tree/alloc.h"

#include <string.h>

static const wd_value *find_task(const wd_value *os, const char *task)
{
    wd_iter iter = wd_iter_start(wd_object_get(os, "tasks"));
    while (wd_iter_next(&iter)) {
        if (wd_value_is_text(wd_object_get(iter.value, "taskId"), task)) {
            return iter.value;
        }
    }
    return NULL;
}

static const wd_value *page_scratch(const wd_value *ui, const wd_page *page)
{
    const char *path = page->path;
    const wd_value *pages = wd_object_get(wd_object_get(ui, "pages"), page->activity);
    return wd_object_get_n(pages, path, strcspn(path, "?"));
}

wd_front wd_page_find(const wd_packs *packs, wd_device *device, const wd_value *os, wd_call *call)
{
    wd_front front = WD_FRONT_APP;
    const wd_value *machine = wd_device_machine(device);
    const wd_value *task = find_task(os, wd_value_string_or(wd_object_get(os, "activeTaskId"), ""));
    wd_page *page = &call->page;
    *page = (wd_page){ .activity = "home", .app = "launcher", .path = "/" };
    if (wd_value_bool_or(wd_object_get(os, "isRecentsVisible"), false)) {
        front = WD_FRONT_RECENTS;
    } else if (wd_value_bool_or(wd_object_get(os, "isLauncherVisible"), false) || task == NULL) {
        front = WD_FRONT_HOME;
    }
    if (front != WD_FRONT_HOME && task != NULL) {
        const wd_value *stack = wd_object_get(task, "stack");
        const wd_value *top = wd_array_at(stack, wd_array_count(stack) - 1);
        page->activity = wd_value_string_or(wd_object_get(top, "activityId"), "");
        page->app = wd_value_string_or(wd_object_get(top, "appId"), "");
        page->intent = wd_object_get(top, "intent");
        const wd_value *histories = wd_object_get(wd_object_get(machine, "sys"), "histories");
        const wd_value *history = wd_object_get(histories, page->activity);
        const int64_t index = wd_value_int_or(wd_object_get(history, "index"), 0);
        page->path = wd_value_string_or(wd_array_at(wd_object_get(history, "history"), (size_t)index), "/");
        page->pack = wd_packs_find(packs, page->app);
    } else {
        page->pack = wd_packs_home(packs);
        page->app = page->pack != NULL ? page->pack->id : page->app;
        // The launcher has no activity; its one page is kept in the scratch.
        page->path = wd_value_string_or(wd_object_get(wd_device_ui(device), "homePath"), "/");
    }
    call->pack = page->pack;
    call->device = device;
    call->os = os;
    call->overlay = wd_object_get(wd_object_get(machine, "apps"), page->app);
    if (call->overlay == NULL && page->pack != NULL) {
        call->overlay = page->pack->defaults;  // the launcher's, which never changes
    }
    call->scratch = page_scratch(wd_device_ui(device), page);
    call->now_ms = wd_device_time_ms(device);
    return front;
}

static wd_status set_in(wd_value **object_p, const char *name, size_t length, wd_value **item_p)
{
    if (*object_p == NULL) {
        *object_p = wd_value_object();
    }
    return wd_object_set_n(object_p, name, length, item_p);
}

wd_status wd_page_put_scratch(wd_device *device, const wd_page *page, wd_value **scratch_p)
{
    wd_value *ui = wd_value_ref(wd_device_ui(device));
    wd_value *pages = wd_value_ref(wd_object_get(ui, "pages"));
    wd_value *mine = wd_value_ref(wd_object_get(pages, page->activity));
    wd_status status = set_in(&mine, page->path, strcspn(page->path, "?"), scratch_p);
    status = status != WD_OK ? status : set_in(&pages, page->activity, strlen(page->activity), &mine);
    status = status != WD_OK ? status : set_in(&ui, "pages", strlen("pages"), &pages);
    status = status != WD_OK ? status : wd_device_set_ui(device, &ui);
    wd_value_unref(scratch_p);
    wd_value_unref(&mine);
    wd_value_unref(&pages);
    wd_value_unref(&ui);
    return status;
}

static bool in_history(const wd_value *history, const char *path, size_t length)
{
    wd_iter iter = wd_iter_start(wd_object_get(history, "history"));
    const int64_t index = wd_value_int_or(wd_object_get(history, "index"), 0);
    while (wd_iter_next(&iter) && (int64_t)iter.index <= index) {
        const char *entry = wd_value_string_or(iter.value, "");
        if (strcspn(entry, "?") == length && memcmp(entry, path, length) == 0) {
            return true;
        }
    }
    return false;
}

// The pages of `activity` that its history still leads to; NULL when none is left.
static wd_status prune_activity(
    const wd_value *history, const wd_value *pages, bool home, wd_value **ret_kept)
{
    wd_value *kept = NULL;
    wd_iter iter = wd_iter_start(pages);
    wd_status status = WD_OK;
    while (status == WD_OK && wd_iter_next(&iter)) {
        if (home || in_history(history, iter.key, iter.key_length)) {
            wd_value *page = wd_value_ref(iter.value);
            status = set_in(&kept, iter.key, iter.key_length, &page);
            wd_value_unref(&page);
        }
    }
    *ret_kept = kept;
    return status;
}

static wd_status prune_pages(const wd_value *histories, const wd_value *pages, wd_value **ret_kept)
{
    wd_value *kept = NULL;
    wd_iter iter = wd_iter_start(pages);
    wd_status status = WD_OK;
    while (status == WD_OK && wd_iter_next(&iter)) {
        const wd_value *history = wd_object_get(histories, iter.key);
        wd_value *mine = NULL;
        status = prune_activity(history, iter.value, strcmp(iter.key, "home") == 0, &mine);
        if (status == WD_OK && mine != NULL) {
            status = set_in(&kept, iter.key, iter.key_length, &mine);
        }
        wd_value_unref(&mine);
    }
    *ret_kept = kept;
    return status;
}

// Does a page lie about that no history leads to? Mostly none does, and nothing is built.
static bool any_gone(const wd_value *histories, const wd_value *pages)
{
    wd_iter iter = wd_iter_start(pages);
    while (wd_iter_next(&iter)) {
        const wd_value *history = wd_object_get(histories, iter.key);
        const bool home = strcmp(iter.key, "home") == 0;
        wd_iter page = wd_iter_start(iter.value);
        while (!home && wd_iter_next(&page)) {
            if (!in_history(history, page.key, page.key_length)) {
                return true;
            }
        }
    }
    return false;
}

wd_status wd_page_prune(wd_device *device)
{
    const wd_value *now = wd_device_ui(device);
    if (now == NULL) {
        return WD_OK;
    }
    const wd_value *histories = wd_object_get(wd_object_get(wd_device_machine(device), "sys"), "histories");
    const wd_value *toast = wd_object_get(now, "toast");
    const bool over =
        toast != NULL && wd_value_int_or(wd_object_get(toast, "until"), 0) <= wd_device_time_ms(device);
    const bool gone = any_gone(histories, wd_object_get(now, "pages"));
    if (!over && !gone) {
        return WD_OK;
    }
    wd_value *ui = wd_value_ref(now);
    wd_value *pages = NULL;
    wd_status status = over ? wd_object_remove(&ui, "toast") : WD_OK;
    if (status == WD_OK && gone) {
        status = prune_pages(histories, wd_object_get(now, "pages"), &pages);
        if (status == WD_OK) {
            status = pages != NULL ? wd_object_set(&ui, "pages", &pages) : wd_object_remove(&ui, "pages");
        }
    }
    status = status != WD_OK ? status : wd_device_set_ui(device, &ui);
    wd_value_unref(&pages);
    wd_value_unref(&ui);
    return status;
}
