// Who is in front, by dumpsys text: one row per way of saying it (formats.md 1.9) and per bug report.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "semantic/screen.h"

static const struct focus_case {
    const char *name, *text, *package, *activity, *source;
} focus_cases[] = {
    { "a focused window", "  mCurrentFocus=Window{85a52f2 u0 com.x/com.x.ui.Main}\n", "com.x",
        "com.x.ui.Main", "focused_window" },
    { "a short activity is below the package", "mCurrentFocus=Window{1 u0 com.x/.Main}", "com.x",
        "com.x.Main", "focused_window" },
    { "no user field", "mCurrentFocus=Window{1 com.x/.Main paused=false}", "com.x", "com.x.Main",
        "focused_window" },
    { "bugs 31, 32: a popup has only a package, its activity stays unknown",
        "mCurrentFocus=Window{1 u0 PopupWindow:3ab}\nmCurrentFocus=Window{2 u0 com.x}\n", "com.x", "",
        "focused_window" },
    { "bug 27: only the focus line, not the first window",
        "Window #9 Window{1 u0 com.edge/.Panel}:\n mAttrs={ty=BASE_APPLICATION}\n mViewVisibility=0x0\n"
        "mCurrentFocus=Window{2 u0 com.x/.Main}\n",
        "com.x", "com.x.Main", "focused_window" },
    { "bug 28: null is unknown", "mCurrentFocus=null\nmFocusedApp=null\n", "", "", NULL },
    { "bug 28: no focus line at all is unknown", "WINDOW MANAGER DUMP\nnothing\n", "", "", NULL },
    { "bug 29: topResumedActivity", "  topResumedActivity=ActivityRecord{d u0 com.x/.Main t9}\n", "com.x",
        "com.x.Main", "resumed_activity" },
    { "bug 29: ResumedActivity", "  ResumedActivity: ActivityRecord{d u0 com.x/.Main t9}\n", "com.x",
        "com.x.Main", "resumed_activity" },
    { "bug 37: mResumedActivity and mFocusedActivity",
        "mFocusedActivity: ActivityRecord{d u0 com.x/.Main t9}", "com.x", "com.x.Main", "resumed_activity" },
    { "bug 31: nulls before and after are skipped",
        "mCurrentFocus=null\nmCurrentFocus=Window{2 u0 com.x/.Main}\nmCurrentFocus=null\n", "com.x",
        "com.x.Main", "focused_window" },
    { "bug 34: vendor fields and wrapped lines",
        "mFocusedApp=AppWindowToken{38600b56 token=Token{9ea1171\n ActivityRecord{2 u0 com.y/.No t181}}}\r\n"
        "  mResumedActivity: ActivityRecord{8d u0 com.x/.Main, isShadow:false, isHide:1 t181}}\r\n",
        "com.x", "com.x.Main", "resumed_activity" },
    { "bug 35: an empty name is no app", "mCurrentFocus=Window{1 u0 }\n", "", "", NULL },
    { "a window without activity and a focused app",
        "mCurrentFocus=Window{1 u0 StatusBar}\nmFocusedApp=ActivityRecord{2 u0 com.x/.Main t1}\n", "com.x",
        "com.x.Main", "focused_app" },
    { "the focused window wins over the focused app",
        "mFocusedApp=ActivityRecord{2 u0 com.y/.Player t1}\nmCurrentFocus=Window{1 u0 com.x/.Home}\n",
        "com.x", "com.x.Home", "focused_window" },
    { "closing braces and a comma after the activity",
        "mFocusedApp=ActivityRecord{2 u0 com.x/.Main}}, isShadow:false", "com.x", "com.x.Main",
        "focused_app" },
    { "a cover display's home is not in front",
        "mFocusedApp=ActivityRecord{1 u0 com.android.systemui/.subscreen.Home t9}\n"
        "mFocusedApp=ActivityRecord{2 u0 com.x/y.Main t4}\n",
        "com.x", "y.Main", "focused_app" },
    { "another display is not looked at",
        "Display: mDisplayId=2\n mCurrentFocus=Window{1 u0 com.car/.Map}\nDisplay: mDisplayId=0\n"
        " mCurrentFocus=Window{2 u0 com.x/.Main}\n",
        "com.x", "com.x.Main", "focused_window" },
    { "dumpsys activity top: the last task is in front",
        "TASK 1\n  ACTIVITY com.y/.Back 1a pid=1\nTASK 2\n  ACTIVITY com.x/.Main 2b pid=2\n", "com.x",
        "com.x.Main", "resumed_activity" },
    { "a history record", "  * Hist #0: ActivityRecord{2 u0 com.x/.Main t1}\n", "com.x", "com.x.Main",
        "resumed_activity" },
    { "a window list without focus: the first shown application",
        "Window #2 Window{1 u0 com.y/.Hidden}:\n mAttrs={(0,0) ty=BASE_APPLICATION}\n mViewVisibility=0x8 x\n"
        "Window #1 Window{2 u0 com.x/.Main}:\n mAttrs={(0,0) ty=BASE_APPLICATION}\n mViewVisibility=0x0 x\n",
        "com.x", "com.x.Main", "window_list" },
    { "a package without dot is no package", "mCurrentFocus=Window{1 u0 RecentsPanel/x}", "", "", NULL },
    { "the framework's chooser",
        "mCurrentFocus=Window{1 u0 android/com.android.internal.app.ResolverActivity}", "android",
        "com.android.internal.app.ResolverActivity", "focused_window" },
    { "an inner class", "mCurrentFocus=Window{1 u0 com.x/.Main$Inner_1}", "com.x", "com.x.Main$Inner_1",
        "focused_window" },
};

static void focus_is_found(void **state)
{
    const struct focus_case *row = *state;
    wd_focus focus;
    memset(&focus, 0xAA, sizeof focus);
    wd_focus_read(row->text, strlen(row->text), &focus);
    assert_string_equal(focus.package, row->package);
    assert_string_equal(focus.activity, row->activity);
    if (row->source == NULL) {
        assert_null(focus.source);
    } else {
        assert_string_equal(focus.source, row->source);
    }
}

static void names_are_bounded(void **state)
{
    (void)state;
    char text[2 * WD_FOCUS_TEXT_MAX + 64];
    for (int length = WD_FOCUS_TEXT_MAX - 1; length <= WD_FOCUS_TEXT_MAX; length++) {
        strcpy(text, "mCurrentFocus=Window{1 u0 com.x/");
        size_t at = strlen(text);
        memset(text + at, 'a', (size_t)length);
        strcpy(text + at + length, "}");
        wd_focus focus;
        wd_focus_read(text, strlen(text), &focus);
        assert_int_equal(strlen(focus.activity), length < WD_FOCUS_TEXT_MAX ? length : 0);
    }
}

int main(void)
{
    struct CMUnitTest tests[WD_COUNT_OF(focus_cases) + 1] = { cmocka_unit_test(names_are_bounded) };
    for (size_t i = 0; i < WD_COUNT_OF(focus_cases); i++) {
        void *row = (void *)(uintptr_t)&focus_cases[i];
        tests[i + 1] = (struct CMUnitTest){ focus_cases[i].name, focus_is_found, NULL, NULL, row };
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
