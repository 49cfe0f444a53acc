#include "place.h"

#include "tree/text.h"

void wd_place_done(wd_place_now *place)
{
    wd_text_free(&place->app);
    wd_text_free(&place->page);
}

wd_status wd_place_copy(const wd_place_now *place, wd_place_now *ret_copy)
{
    wd_place_now copy = *place;
    copy.app = copy.page = NULL;
    if (!wd_text_copy(place->app, &copy.app) || !wd_text_copy(place->page, &copy.page)) {
        wd_place_done(&copy);
        return WD_ENOMEM;
    }
    *ret_copy = copy;
    return WD_OK;
}

void wd_place_intention(
    const wd_step *step, const wd_result *result, const char *launcher, const char **ret_app, bool *ret_void)
{
    *ret_app = NULL;
    *ret_void = false;
    if (result->outcome != WD_OUTCOME_OK) {
        return;
    }
    switch (step->action.kind) {
    case WD_ACTION_LAUNCH_APP:
        *ret_app = wd_text_given(step->action.app) ? step->action.app : NULL;
        *ret_void = *ret_app == NULL;
        break;
    case WD_ACTION_HOME:
        *ret_app = launcher;
        *ret_void = launcher == NULL;
        break;
    case WD_ACTION_BACK:
    case WD_ACTION_RECENTS:
    case WD_ACTION_CLOSE_APP:
        *ret_void = true;
        break;
    default:
        break;
    }
}

/// Page of a raw scene: route without query, else activity, else title.
static const char *raw_page(const wd_scene_info *info, size_t *ret_length)
{
    if (wd_text_given(info->route)) {
        *ret_length = strcspn(info->route, "?");
        return info->route;
    }
    const char *page = wd_text_given(info->activity) ? info->activity
                       : wd_text_given(info->page)   ? info->page
                                                     : NULL;
    *ret_length = page == NULL ? 0 : strlen(page);
    return page;
}

/// *ret_place stays empty (app NULL) when neither scene names an app.
static wd_status place_observed(const wd_scene *scene, const wd_semantic *semantic, wd_place_now *ret_place)
{
    const wd_page_identity *identity = semantic == NULL ? NULL : &wd_semantic_get(semantic)->page;
    const wd_scene_info *info = scene == NULL ? NULL : wd_scene_info_of(scene);
    wd_place_now at = { 0 };
    const char *app = NULL, *page = NULL;
    size_t page_length = 0;
    if (identity != NULL && wd_text_given(identity->app)) {
        app = identity->app;
        at.app_source = WD_SOURCE_SEMANTIC;
    } else if (info != NULL && wd_text_given(info->app_package)) {
        app = info->app_package;
        at.app_source = WD_SOURCE_SCENE;
    }
    if (app == NULL) {
        return WD_OK;
    }
    if (identity != NULL && wd_text_given(identity->id)) {
        page = identity->id;
        page_length = strlen(page);
        at.page_source = WD_SOURCE_SEMANTIC;
    } else if (info != NULL && (page = raw_page(info, &page_length)) != NULL) {
        at.page_source = WD_SOURCE_SCENE;
    }
    at.app = wd_strndup(app, strlen(app));
    at.page = page == NULL ? NULL : wd_strndup(page, page_length);
    if (at.app == NULL || (page != NULL && at.page == NULL)) {
        wd_place_done(&at);
        return WD_ENOMEM;
    }
    *ret_place = at;
    return WD_OK;
}

wd_status wd_place_derive(const wd_place_now *old, const wd_scene *scene, const wd_semantic *semantic,
    const char *intended_app, wd_place_now *ret_place)
{
    wd_place_now at = { 0 };
    wd_status status = place_observed(scene, semantic, &at);
    if (status == WD_OK && at.app == NULL && intended_app != NULL) {
        at.app_source = WD_SOURCE_ACTION;
        status = wd_text_copy(intended_app, &at.app) ? WD_OK : WD_ENOMEM;
    } else if (status == WD_OK && at.app == NULL) {
        status = wd_place_copy(old, &at);
        at.stale = true;
    }
    if (status != WD_OK) {
        return status;
    }
    *ret_place = at;
    return WD_OK;
}
