// dumpsys text (formats.md 1.9): which window has the focus, which activity is resumed. A companion of a
// dump, or all there is; then the scene names the app and has no nodes.
#include "screen_draft.h"
#include "text_util.h"

#include <string.h>

/// One way of saying who is in front. The lower, the better.
static const struct focus_key {
    const char *key, *source;
} focus_keys[] = {
    { "mCurrentFocus=", "focused_window" }, { "mFocusedWindow=", "focused_window" },
    { "mFocusedApp=", "focused_app" }, { "topResumedActivity=", "resumed_activity" },
    { "mResumedActivity:", "resumed_activity" }, { "mResumedActivity=", "resumed_activity" },
    { "ResumedActivity:", "resumed_activity" }, { "ResumedActivity=", "resumed_activity" },
    { "mFocusedActivity:", "resumed_activity" },
    { "* Hist #", "resumed_activity" },  // the top of the first task
};

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '.';
}

static bool is_package(wd_span text)
{
    bool dot = false;
    for (size_t i = 0; i < text.length; i++) {
        dot |= text.at[i] == '.';
        if (!is_name(text.at[i])) {
            return false;
        }
    }
    bool letter = text.length > 0 &&
                  ((text.at[0] >= 'a' && text.at[0] <= 'z') || (text.at[0] >= 'A' && text.at[0] <= 'Z'));
    return letter && dot && text.length < WD_FOCUS_TEXT_MAX;
}

/// "pkg/.Act" into package and full class. False: `text` is no component.
static bool read_component(wd_span text, wd_focus *focus)
{
    const char *slash = memchr(text.at, '/', text.length);
    if (slash == NULL) {
        return false;
    }
    wd_span package = { text.at, (size_t)(slash - text.at) };
    wd_span activity = { slash + 1, 0 };
    size_t rest = text.length - package.length - 1;
    while (activity.length < rest && is_name(activity.at[activity.length])) {
        activity.length += 1;
    }
    bool short_name = activity.length > 0 && activity.at[0] == '.';
    size_t full = activity.length + (short_name ? package.length : 0);
    bool framework =
        wd_span_is(package, "android");  // the one package without a dot: its chooser, its lock screen
    if ((!framework && !is_package(package)) || activity.length == 0 || full >= WD_FOCUS_TEXT_MAX) {
        return false;
    }
    memcpy(focus->package, package.at, package.length);
    focus->package[package.length] = '\0';
    size_t prefix = short_name ? package.length : 0;
    memcpy(focus->activity, package.at, prefix);
    memcpy(focus->activity + prefix, activity.at, activity.length);
    focus->activity[full] = '\0';
    return true;
}

static bool ends_word(char c)
{
    return c == '\0' || strchr(" {}=,\t\r\n", c) != NULL;
}

/// The first component in a line, or, in a window's title, a bare package (a popup has no activity).
static bool read_line(wd_span line, bool bare, wd_focus *ret_focus)
{
    wd_focus focus = { .source = NULL };
    bool found = false;
    for (size_t at = 0; at < line.length && !found;) {
        size_t length = 0;
        while (at + length < line.length && !ends_word(line.at[at + length])) {
            length += 1;
        }
        wd_span word = { line.at + at, length };
        found = read_component(word, &focus);
        if (!found && bare && is_package(word)) {
            memcpy(focus.package, word.at, word.length);
            found = true;
        }
        at += length + 1;
    }
    if (found) {
        *ret_focus = focus;
    }
    return found;
}

static bool next_line(wd_span *rest, wd_span *ret_line)
{
    if (rest->length == 0) {
        return false;
    }
    const char *end = memchr(rest->at, '\n', rest->length);
    size_t used = end != NULL ? (size_t)(end - rest->at) + 1 : rest->length;
    *ret_line = wd_span_trim_blanks((wd_span){ rest->at, used });
    *rest = (wd_span){ rest->at + used, rest->length - used };
    return true;
}

/// Display headings part the text; only the default display says who is in front. Cover displays list no
/// heading in short excerpts, but their home activity belongs to the system UI.
static bool is_other_display(wd_span line, bool *ret_heading)
{
    *ret_heading = wd_span_starts(line, "Display: mDisplayId=") || wd_span_starts(line, "Display #");
    if (!*ret_heading) {
        return false;
    }
    size_t digit = wd_span_starts(line, "Display #") ? strlen("Display #") : strlen("Display: mDisplayId=");
    return line.length > digit && line.at[digit] != '0';
}

/// The line of a key that is best: on the default display, an app rather than the system UI, the first.
static bool find_key(wd_span text, const char *key, bool bare, wd_focus *ret_focus)
{
    bool other_display = false, found = false;
    wd_span line;
    while (next_line(&text, &line)) {
        bool heading = false;
        bool other = is_other_display(line, &heading);
        other_display = heading ? other : other_display;
        wd_focus focus;
        if (other_display || !wd_span_starts(line, key) ||
            !read_line((wd_span){ line.at + strlen(key), line.length - strlen(key) }, bare, &focus)) {
            continue;
        }
        if (!found || strcmp(ret_focus->package, "com.android.systemui") == 0) {
            *ret_focus = focus;
            found = true;
        }
    }
    return found;
}

/// `dumpsys activity top` lists the tasks from the back to the front: "ACTIVITY pkg/.Act 1a2b3c pid=1234".
static bool find_top(wd_span text, wd_focus *ret_focus)
{
    bool found = false;
    wd_span line;
    while (next_line(&text, &line)) {
        wd_focus focus;
        if (wd_span_starts(line, "ACTIVITY ") && !wd_span_starts(line, "ACTIVITY MANAGER") &&
            read_line((wd_span){ line.at + 9, line.length - 9 }, false, &focus)) {
            *ret_focus = focus;
            found = true;
        }
    }
    return found;
}

static bool contains(wd_span line, const char *part)
{
    return memmem(line.at, line.length, part, strlen(part)) != NULL;
}

/// Without any focus line: the first window of an application in the list, shown ones before hidden ones.
static bool find_window(wd_span text, wd_focus *ret_focus)
{
    bool found = false, pending = false, application = false;
    wd_focus candidate = { .source = NULL };
    wd_span line;
    while (next_line(&text, &line)) {
        if (wd_span_starts(line, "Window #")) {
            application = false;
            pending = read_line(line, false, &candidate);
        }
        application |= contains(line, "ty=BASE_APPLICATION") || contains(line, "ty=1 ");
        if (!pending || !application || !contains(line, "mViewVisibility=")) {
            continue;
        }
        pending = false;
        if (contains(line, "mViewVisibility=0x0")) {
            *ret_focus = candidate;
            return true;
        }
        if (!found) {
            *ret_focus = candidate;
            found = true;
        }
    }
    return found;
}

void wd_focus_read(const char *text, size_t length, wd_focus *ret_focus)
{
    wd_span whole = { text, length };
    wd_focus focus = { .source = NULL };
    for (size_t i = 0; i < WD_COUNT_OF(focus_keys); i++) {
        bool window_title = strcmp(focus_keys[i].source, "focused_window") == 0;
        if (find_key(whole, focus_keys[i].key, window_title, &focus)) {
            focus.source = focus_keys[i].source;
            *ret_focus = focus;
            return;
        }
    }
    if (find_top(whole, &focus)) {
        focus.source = "resumed_activity";
    } else if (find_window(whole, &focus)) {
        focus.source = "window_list";
    }
    *ret_focus = focus;
}

wd_status wd_read_dumpsys(wd_screen_draft *draft, const char *bytes, size_t length)
{
    wd_focus focus;
    wd_focus_read(bytes, length, &focus);
    draft->without_nodes = true;
    if (focus.source == NULL) {
        return wd_scene_builder_warning(draft->builder, "no window or activity in front is named");
    }
    draft->info.app_package = wd_draft_text(draft, focus.package, strlen(focus.package));
    draft->info.app_source = focus.source;
    if (focus.activity[0] != '\0') {
        draft->info.activity = wd_draft_text(draft, focus.activity, strlen(focus.activity));
        draft->info.activity_source = focus.source;
    }
    bool copied =
        draft->info.app_package != NULL && (focus.activity[0] == '\0' || draft->info.activity != NULL);
    return copied ? wd_scene_builder_warning(draft->builder, "dumpsys text: no tree") : WD_ENOMEM;
}
