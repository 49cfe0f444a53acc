#include "semantic/score.h"

#include "text_util.h"

#include <string.h>

static const double high_confidence = 0.8;

const char *wd_score_verdict_name(wd_score_verdict verdict)
{
    static const char *const names[] = { "-", "right", "missed", "wrong" };
    wd_assert((unsigned)verdict < WD_COUNT_OF(names));
    return names[verdict];
}

bool wd_score_is_screen(const wd_value *expected)
{
    const char *format = wd_value_string_or(wd_object_get(expected, "format"), "");
    static const char *const formats[] = { "uiautomator_xml", "uiautomator_windows_xml", "appium_xml",
        "uiautomator_failure", "droidbot_state", "androidworld_uielement_repr", "dumpsys_window" };
    for (size_t i = 0; i < WD_COUNT_OF(formats); i++) {
        if (strcmp(formats[i], format) == 0) {
            return true;
        }
    }
    return false;
}

static wd_score_verdict judge(wd_score_count *count, const wd_value *expected, const char *given)
{
    if (expected == NULL) {
        return WD_SCORE_NONE;
    }
    bool known = wd_value_is(expected, WD_KIND_STRING);
    count->known += known;
    count->given += given != NULL;
    if (given == NULL) {
        return known ? WD_SCORE_MISSED : WD_SCORE_RIGHT;
    }
    wd_span wanted = wd_span_trim_invisible(wd_span_of(wd_value_string_or(expected, NULL)));
    wd_span got = wd_span_trim_invisible(wd_span_of(given));
    if (!known || wanted.length != got.length || memcmp(wanted.at, got.at, got.length) != 0) {
        return WD_SCORE_WRONG;
    }
    count->right += 1;
    return WD_SCORE_RIGHT;
}

static const char *expected_parse_name(const wd_scene *scene)
{
    if (scene == NULL) {
        return "fail";
    }
    return wd_scene_info_of(scene)->parse_status == WD_PARSE_OK ? "ok" : "recover";
}

/// A page named by a route or an activity is no title.
static bool is_title(const wd_scene_info *info)
{
    return info->page != NULL && info->page_source != NULL && strcmp(info->page_source, "activity") != 0 &&
           strcmp(info->page_source, "route") != 0;
}

wd_score_line wd_score_add(wd_score *score, const wd_value *expected, const wd_scene *scene)
{
    static const wd_scene_info nothing;
    const wd_scene_info *info = scene != NULL ? wd_scene_info_of(scene) : &nothing;
    const char *page = is_title(info) ? info->page : NULL;
    const wd_value *title = wd_object_get(expected, "title");
    score->screens += 1;
    wd_score_line line = {
        .parse = judge(&score->parse, wd_object_get(expected, "parse"), expected_parse_name(scene)),
        .app = judge(&score->app, wd_object_get(expected, "current_app"), info->app_package),
        .page = judge(&score->page, title, page),
        .kind = judge(&score->kind, wd_object_get(expected, "page_kind"),
            info->page_kind != WD_PAGE_UNKNOWN ? wd_page_kind_name(info->page_kind) : NULL),
    };
    if (page != NULL && info->page_confidence >= high_confidence) {
        (void)judge(&score->page_high, title, page);
    }
    return line;
}

static wd_status put_count(wd_value **object_p, const char *name, wd_score_count count)
{
    wd_value *item = NULL;
    wd_status status = wd_value_pack(&item, "{s:i,s:i,s:i}", "known", (int64_t)count.known, "given",
        (int64_t)count.given, "right", (int64_t)count.right);
    const struct ratio {
        const char *name;
        uint64_t of;
    } ratios[] = { { "precision", count.given }, { "recall", count.known } };
    for (size_t i = 0; i < WD_COUNT_OF(ratios) && status == WD_OK; i++) {
        wd_value *ratio = NULL;
        if (ratios[i].of > 0) {
            status = wd_value_double((double)count.right / (double)ratios[i].of, &ratio);
            if (status == WD_OK) {
                status = wd_object_set(&item, ratios[i].name, &ratio);
            }
        }
        wd_value_unref(&ratio);
    }
    if (status == WD_OK) {
        status = wd_object_set(object_p, name, &item);
    }
    wd_value_unref(&item);
    return status;
}

wd_status wd_score_to_value(const wd_score *score, wd_value **ret_value)
{
    wd_value *object = NULL;
    wd_status status = wd_value_pack(&object, "{s:i}", "screens", (int64_t)score->screens);
    const struct part {
        const char *name;
        wd_score_count count;
    } parts[] = { { "parse", score->parse }, { "app", score->app }, { "page", score->page },
        { "page_high", score->page_high }, { "kind", score->kind } };
    for (size_t i = 0; i < WD_COUNT_OF(parts) && status == WD_OK; i++) {
        status = put_count(&object, parts[i].name, parts[i].count);
    }
    if (status != WD_OK) {
        wd_value_unref(&object);
        return status;
    }
    *ret_value = object;
    return WD_OK;
}
