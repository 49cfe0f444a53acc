// Which format a text is in, by what it begins with: names of files say nothing.
#include "capture_failure.h"
#include "semantic/screen.h"
#include "text_util.h"

#include <string.h>

static const char *const format_names[WD_SCREEN_FORMAT_COUNT] = {
#define X(name, text) [WD_SCREEN_##name] = text,
    WD_SCREEN_FORMAT_TABLE(X)
#undef X
};

enum {
    HEAD_MAX = 64 * 1024,     // bytes looked at
    ROOT_TAG_MAX = 4 * 1024,  // of the root's tag
};

const char *wd_screen_format_name(wd_screen_format format)
{
    wd_assert((unsigned)format < WD_SCREEN_FORMAT_COUNT);
    return format_names[format];
}

wd_status wd_screen_format_parse(const char *name, wd_screen_format *ret_format)
{
    for (int i = 0; i < WD_SCREEN_FORMAT_COUNT; i++) {
        if (strcmp(format_names[i], name) == 0) {
            *ret_format = (wd_screen_format)i;
            return WD_OK;
        }
    }
    return WD_ENOENT;
}

static const char *find(wd_span text, const char *part)
{
    return memmem(text.at, text.length, part, strlen(part));
}

/// The first of several marks of one format.
static bool has_any(wd_span text, const char *const *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (find(text, parts[i]) != NULL) {
            return true;
        }
    }
    return false;
}

/// Appium's root says the display's size; uiautomator's does not.
static wd_screen_format xml_format(wd_span text)
{
    const char *hierarchy = find(text, "<hierarchy");
    const char *displays = find(text, "<displays");
    if (displays != NULL && (hierarchy == NULL || displays < hierarchy)) {
        return WD_SCREEN_UIAUTOMATOR_WINDOWS_XML;
    }
    if (hierarchy == NULL) {
        return WD_SCREEN_AUTO;
    }
    size_t rest = (size_t)(text.at + text.length - hierarchy);
    rest = rest < ROOT_TAG_MAX ? rest : ROOT_TAG_MAX;
    const char *end = memchr(hierarchy, '>', rest);
    wd_span tag = { hierarchy, end != NULL ? (size_t)(end - hierarchy) : rest };
    return find(tag, " width=") != NULL ? WD_SCREEN_APPIUM_XML : WD_SCREEN_UIAUTOMATOR_XML;
}

static const struct json_mark {
    const char *mark;
    wd_screen_format format;
} json_marks[] = {
    // Most telling first: a key of an outer format may also stand inside a node of another.
    { "\"foreground_activity\"", WD_SCREEN_DROIDBOT_STATE },
    { "\"state_str\"", WD_SCREEN_DROIDBOT_STATE },
    { "\"a11y_tree\"", WD_SCREEN_DROIDRUN },
    { "\"phone_state\"", WD_SCREEN_DROIDRUN },
    { "\"source_format\"", WD_SCREEN_CANONICAL },
    { "\"parse_status\"", WD_SCREEN_CANONICAL },
    { "\"activity_name\"", WD_SCREEN_RICO },
    { "\"added_fragments\"", WD_SCREEN_RICO },
    { "\"componentLabel\"", WD_SCREEN_RICO },
    { "\"bounds_in_screen\"", WD_SCREEN_ACCESSIBILITY_FOREST },
    { "\"unique_id\"", WD_SCREEN_ACCESSIBILITY_FOREST },
    { "\"uniqueId\"", WD_SCREEN_ACCESSIBILITY_FOREST },
    { "\"windowType\"", WD_SCREEN_ACCESSIBILITY_FOREST },
    { "\"window_type\"", WD_SCREEN_ACCESSIBILITY_FOREST },
    { "\"boundsInScreen\"", WD_SCREEN_DROIDRUN },
    { "\"bbox_pixels\"", WD_SCREEN_ANDROIDWORLD_JSON },
    { "\"is_clickable\"", WD_SCREEN_ANDROIDWORLD_JSON },
    { "\"accessibilityText\"", WD_SCREEN_MAESTRO },
    { "\"ignoreBoundsFiltering\"", WD_SCREEN_MAESTRO },
    { "\"attributes\"", WD_SCREEN_MAESTRO },
    { "\"windows\"", WD_SCREEN_ACCESSIBILITY_FOREST },
    { "\"ancestors\"", WD_SCREEN_RICO },
    { "\"content-desc\"", WD_SCREEN_RICO },
    { "\"className\"", WD_SCREEN_DROIDRUN },
    { "\"views\"", WD_SCREEN_DROIDBOT_STATE },
};

static wd_screen_format json_format(wd_span text)
{
    for (size_t i = 0; i < WD_COUNT_OF(json_marks); i++) {
        if (find(text, json_marks[i].mark) != NULL) {
            return json_marks[i].format;
        }
    }
    return WD_SCREEN_AUTO;
}

wd_screen_format wd_screen_recognise(const char *bytes, size_t length)
{
    wd_span text = { bytes, length < HEAD_MAX ? length : HEAD_MAX };
    if (wd_span_starts(text, "\xEF\xBB\xBF")) {
        text = (wd_span){ text.at + 3, text.length - 3 };
    }
    text = wd_span_trim_blanks(text);
    static const char *const dumpsys_marks[] = { "mCurrentFocus=", "mFocusedApp=", "mFocusedWindow=",
        "esumedActivity", "WINDOW MANAGER", "ACTIVITY MANAGER", "  ACTIVITY ", "Window #" };
    wd_screen_format format = WD_SCREEN_AUTO;
    if (wd_span_starts(text, "{") || wd_span_starts(text, "[")) {
        format = json_format(text);
    } else if (wd_span_starts(text, "UIElement(") || wd_span_starts(text, "[UIElement(")) {
        format = WD_SCREEN_ANDROIDWORLD_REPR;
    } else if (wd_span_starts(text, "UI element ")) {
        format = WD_SCREEN_ANDROIDWORLD_JSON;
    } else if (wd_span_starts(text, "Row: ") && find(text, "result=") != NULL) {
        format = WD_SCREEN_DROIDRUN;
    }
    if (format == WD_SCREEN_AUTO) {
        format = xml_format(text);
    }
    if (format == WD_SCREEN_AUTO && has_any(text, dumpsys_marks, WD_COUNT_OF(dumpsys_marks))) {
        format = WD_SCREEN_DUMPSYS;
    }
    if (format == WD_SCREEN_AUTO && wd_is_capture_failure(text)) {
        format = WD_SCREEN_FAILURE;
    }
    return format;
}
