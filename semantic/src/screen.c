#include "semantic/screen.h"

#include "screen_draft.h"
#include "text_util.h"
#include "tree/json.h"

#include <string.h>

static wd_screen_reader *const readers[WD_SCREEN_FORMAT_COUNT] = {
    [WD_SCREEN_UIAUTOMATOR_XML] = wd_read_xml,
    [WD_SCREEN_UIAUTOMATOR_WINDOWS_XML] = wd_read_xml,
    [WD_SCREEN_APPIUM_XML] = wd_read_xml,
    [WD_SCREEN_DROIDBOT_STATE] = wd_read_droidbot,
    [WD_SCREEN_ANDROIDWORLD_REPR] = wd_read_androidworld_repr,
    [WD_SCREEN_ANDROIDWORLD_JSON] = wd_read_androidworld_json,
    [WD_SCREEN_ACCESSIBILITY_FOREST] = wd_read_forest,
    [WD_SCREEN_RICO] = wd_read_rico,
    [WD_SCREEN_MAESTRO] = wd_read_maestro,
    [WD_SCREEN_DROIDRUN] = wd_read_droidrun,
    [WD_SCREEN_DUMPSYS] = wd_read_dumpsys,
};

enum { QUOTE_MAX = 160 };  // bytes of a failed capture's text in the error

static wd_status refuse_failure(wd_span text, wd_error *error)
{
    text = wd_span_trim_invisible(text);
    if (text.length == 0) {
        return wd_error_set(error, WD_ECORRUPT, "capture failed: nothing was written");
    }
    return wd_error_set(error, WD_ECORRUPT, "capture failed: %.*s",
        (int)(text.length < QUOTE_MAX ? text.length : QUOTE_MAX), text.at);
}

/// A format that we can name but do not read, so that the error helps.
static wd_status refuse_unknown(wd_span text, wd_error *error)
{
    static const struct other_format {
        const char *mark, *name;
    } others[] = {
        { "<ViewHierarchy", "a Detox view hierarchy" },
        { "<XCUIElementType", "an iOS page source" },
        { "<AppiumAUT", "an iOS page source" },
        { "var utg", "DroidBot's utg.js, which has no nodes" },
        { "<html", "an HTML page" },
        { "\x80\x04\x95", "a Python pickle, which is never opened" },
    };
    for (size_t i = 0; i < WD_COUNT_OF(others); i++) {
        if (memmem(text.at, text.length, others[i].mark, strlen(others[i].mark)) != NULL) {
            return wd_error_set(error, WD_EUNSUPPORTED, "this is %s", others[i].name);
        }
    }
    return wd_error_set(error, WD_EUNSUPPORTED, "no known screen format; name one to read it anyway");
}

/// Our own JSON is taken as it is: whoever wrote it has judged it.
static wd_status read_canonical(wd_span text, wd_scene **ret_scene, wd_error *error)
{
    wd_value *value = NULL;
    wd_status status = wd_json_parse(text.at, text.length, &value, error);
    if (status == WD_OK) {
        status = wd_scene_from_value(value, ret_scene, error);
    }
    wd_value_unref(&value);
    return status;
}

static wd_status read_foreign(wd_screen_format format, wd_span text, const wd_screen_options *options,
    wd_scene **ret_scene, wd_error *error)
{
    wd_error place = { .status = WD_OK };
    wd_screen_draft draft = {
        .options = options,
        .info = { .source_format = wd_screen_format_name(format), .captured_at_ms = options->captured_at_ms },
        .error = &place,
    };
    wd_status status = wd_scene_builder_new(&draft.builder);
    if (status == WD_OK) {
        status = readers[format](&draft, text.at, text.length);
    }
    if (status == WD_OK) {
        status = wd_draft_finish(&draft, ret_scene);
    }
    wd_scene_builder_destroy(&draft.builder);
    if (status == WD_OK) {
        return WD_OK;
    }
    if (place.status == WD_OK && status == WD_ELIMIT) {
        return wd_error_set(error, status, "more than %d nodes", (int)WD_SCENE_NODES_MAX);
    }
    return wd_error_set(error, status, "%s", place.status != WD_OK ? place.text : wd_status_text(status));
}

wd_status wd_screen_read(
    const char *bytes, size_t length, const wd_screen_options *options, wd_scene **ret_scene, wd_error *error)
{
    static const wd_screen_options defaults;
    options = options != NULL ? options : &defaults;
    wd_assert((unsigned)options->format < WD_SCREEN_FORMAT_COUNT);
    wd_span text = { bytes, length };
    if (length > WD_SCREEN_BYTES_MAX) {
        return wd_error_set(error, WD_ELIMIT, "%zu bytes are more than %d", length, (int)WD_SCREEN_BYTES_MAX);
    }
    wd_screen_format format = options->format;
    if (format == WD_SCREEN_AUTO) {
        format = wd_screen_recognise(bytes, length);
    }
    if (format == WD_SCREEN_AUTO) {
        return refuse_unknown(text, error);
    }
    if (format == WD_SCREEN_FAILURE) {
        return refuse_failure(text, error);
    }
    if (format == WD_SCREEN_CANONICAL) {
        return read_canonical(text, ret_scene, error);
    }
    return read_foreign(format, text, options, ret_scene, error);
}
