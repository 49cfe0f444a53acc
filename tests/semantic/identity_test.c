// Page kind, title and "same page?" key: one row per rule of formats.md 5.2, on small screens of our own.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "screen_fixture.h"
#include "semantic/enrich.h"

// A screen of 1000 x 2000. N: class, id, text, description, bounds, further attributes.
#define N(class_name, id, text, desc, bounds, more)                                                          \
    "<node class=\"android.widget." class_name "\" resource-id=\"" id "\" text=\"" text                      \
    "\" content-desc=\"" desc "\" package=\"com.x\" bounds=\"" bounds "\" " more "/>"
#define OPEN(class_name, id, bounds)                                                                         \
    "<node class=\"android.widget." class_name "\" resource-id=\"" id                                        \
    "\" package=\"com.x\" bounds=\"" bounds "\">"
#define SCREEN(inner) "<hierarchy>" OPEN("FrameLayout", "", "[0,0][1000,2000]") inner "</node></hierarchy>"
#define CLICK "clickable=\"true\""
#define UP N("ImageButton", "", "", "Navigate up", "[0,80][140,220]", CLICK)

static const struct title_case {
    const char *name, *input;
    const char *title;  // NULL: none
    const char *source;
    double low, high;  // of the confidence
} title_cases[] = {
    { "an id that says toolbar title",
        SCREEN(N("TextView", "com.x:id/toolbar_title", "Orders", "", "[150,100][400,160]", "")), "Orders",
        "title_id", 0.8, 1 },
    { "an id in camel case",
        SCREEN(N("TextView", "com.x:id/tvToolbarTitle", "Orders", "", "[150,900][400,960]", "")), "Orders",
        "title_id", 0.8, 1 },
    { "an id of a part that cards have too, at the top",
        SCREEN(N("TextView", "com.x:id/page_title", "Orders", "", "[150,200][400,260]", "")), "Orders",
        "title_id", 0.8, 1 },
    { "the same further down: less sure",
        SCREEN(N("TextView", "com.x:id/activity_title", "Sale!", "", "[150,900][400,960]", "")), "Sale!",
        "title_id", 0.5, 0.79 },
    { "an id that stands many times counts only at the top",
        SCREEN(N("TextView", "a:id/page_title", "One", "", "[0,900][400,960]", "")
                N("TextView", "a:id/page_title", "Two", "", "[0,1000][400,1060]", "")),
        NULL, NULL, 0, 0 },
    { "an alert of the app's own kind is no dialog",
        SCREEN(N("TextView", "a:id/price_alert_title", "Alerts", "", "[0,900][400,960]", "")), NULL, NULL, 0,
        0 },
    { "a plain title of a list row is no page title",
        SCREEN(N("TextView", "a:id/title", "Row", "", "[0,900][400,960]", "")), NULL, NULL, 0, 0 },
    { "a subtitle is no title",
        SCREEN(N("TextView", "a:id/toolbar_subtitle", "3 items", "", "[0,100][400,160]", "")), NULL, NULL, 0,
        0 },
    { "the text beside the button that leads up",
        SCREEN(UP N("TextView", "", "Orders", "", "[160,110][400,190]", "")), "Orders", "title_row", 0.8, 1 },
    { "beside a button that says back in Chinese",
        SCREEN(N("ImageView", "a:id/k", "", "\xE8\xBF\x94\xE5\x9B\x9E", "[0,80][140,220]", CLICK)
                N("TextView", "", "Orders", "", "[400,110][600,190]", "")),
        "Orders", "title_row", 0.8, 1 },
    { "beside an unnamed button in the corner: less sure",
        SCREEN(N("TextView", "a:id/n", "", "", "[0,80][100,220]", CLICK)
                N("TextView", "", "Orders", "", "[130,110][400,190]", CLICK)),
        "Orders", "title_row", 0.5, 0.79 },
    { "right to left: the text left of a button on the right",
        SCREEN(N("ImageButton", "", "", "Navigate up", "[860,80][1000,220]", CLICK)
                N("TextView", "", "Orders", "", "[600,110][840,190]", "")),
        "Orders", "title_row", 0.8, 1 },
    { "a search query beside the button is no title",
        SCREEN(UP N("EditText", "a:id/q", "shoes", "", "[160,110][900,190]", "")), NULL, NULL, 0, 0 },
    { "a query shown as a text is no title",
        SCREEN(UP N("TextView", "a:id/search_src_text", "shoes", "", "[160,110][900,190]", "")), NULL, NULL,
        0, 0 },
    { "an action at the far end of the row is no title",
        SCREEN(UP N("TextView", "", "Save", "", "[850,110][980,190]", "")), NULL, NULL, 0, 0 },
    { "a text below the row is no title",
        SCREEN(UP N("TextView", "", "Orders", "", "[160,500][400,560]", "")), NULL, NULL, 0, 0 },
    { "the text in a toolbar",
        "<hierarchy>" OPEN("FrameLayout", "", "[0,0][1000,2000]") OPEN("Toolbar", "", "[0,80][1000,220]")
            N("TextView", "", "Orders", "", "[40,110][300,190]", "")
                N("Button", "", "Filter", "", "[800,110][960,190]", CLICK) "</node></node></hierarchy>",
        "Orders", "toolbar", 0.5, 0.79 },
    { "the text in a bar named so",
        "<hierarchy>" OPEN("FrameLayout", "", "[0,0][1000,2000]")
            OPEN("RelativeLayout", "a:id/top_bar_1", "[0,80][1000,220]")
                N("TextView", "", "Orders", "", "[40,110][300,190]", "") "</node></node></hierarchy>",
        "Orders", "toolbar", 0.5, 0.79 },
    { "what can be tapped in a bar is no title",
        "<hierarchy>" OPEN("FrameLayout", "", "[0,0][1000,2000]") OPEN("Toolbar", "",
            "[0,80][1000,220]") "<node class=\"a.L\" package=\"com.x\" clickable=\"true\" "
                                "bounds=\"[40,100][300,200]\">" N("TextView", "", "Deliver to Home", "",
                                    "[40,110][300,190]", "") "</node></node></node></hierarchy>",
        NULL, NULL, 0, 0 },
    { "a feedback button does not lead back",
        SCREEN(N("ImageView", "a:id/feedback_button", "", "", "[860,80][1000,220]", CLICK)
                N("TextView", "", "Hello Ann", "", "[600,110][840,190]", "")),
        NULL, NULL, 0, 0 },
    { "a dialog without a button has no title",
        "<hierarchy>" OPEN("FrameLayout", "", "[100,500][900,900]")
            N("TextView", "", "Loading", "", "[120,520][800,580]", "") "</node></hierarchy>",
        NULL, NULL, 0, 0 },
    { "a selected tab in a bar is no title",
        "<hierarchy>" OPEN("FrameLayout", "", "[0,0][1000,2000]")
            OPEN("RelativeLayout", "a:id/appbar", "[0,80][1000,220]") N("TextView", "", "Chats", "",
                "[40,110][300,190]", "selected=\"true\"") "</node></node></hierarchy>",
        NULL, NULL, 0, 0 },
    { "a clock at the top is no title", SCREEN(UP N("TextView", "", "12:05", "", "[160,110][400,190]", "")),
        NULL, NULL, 0, 0 },
    { "a percentage is no title", SCREEN(UP N("TextView", "", "85%", "", "[160,110][400,190]", "")), NULL,
        NULL, 0, 0 },
    { "the word null is no title", SCREEN(UP N("TextView", "", "null", "", "[160,110][400,190]", "")), NULL,
        NULL, 0, 0 },
    { "a glyph of an icon font is no title",
        SCREEN(UP N("TextView", "", "&#xe921;", "", "[160,110][400,190]", "")), NULL, NULL, 0, 0 },
    { "an emoji is no title", SCREEN(UP N("TextView", "", "\xF0\x9F\x98\x80", "", "[160,110][400,190]", "")),
        NULL, NULL, 0, 0 },
    { "60 characters are a title",
        SCREEN(UP N("TextView", "", "23456789012345678901234567890123456789012345678901234567890a", "",
            "[160,110][400,190]", "")),
        "23456789012345678901234567890123456789012345678901234567890a", "title_row", 0.8, 1 },
    { "61 characters are not",
        SCREEN(UP N("TextView", "", "123456789012345678901234567890123456789012345678901234567890a", "",
            "[160,110][400,190]", "")),
        NULL, NULL, 0, 0 },
    { "an invisible mark around a title is left out",
        SCREEN(UP N("TextView", "", "&#x200e; Orders&#xA0;", "", "[160,110][400,190]", "")), "Orders",
        "title_row", 0.8, 1 },
    { "bug 18: a title under another fragment does not count",
        SCREEN(UP N("TextView", "", "Covered", "", "[160,110][400,190]", "")
                N("ListView", "", "", "", "[0,0][1000,2000]", "scrollable=\"true\"")),
        NULL, NULL, 0, 0 },
    { "an invisible title does not count",
        SCREEN(UP N(
            "TextView", "a:id/page_title", "Old", "", "[160,110][400,190]", "visible-to-user=\"false\"")),
        NULL, NULL, 0, 0 },
    { "a dialog's title by id",
        "<hierarchy>" OPEN("FrameLayout", "", "[100,500][900,900]")
            N("TextView", "android:id/alertTitle", "Delete?", "", "[120,520][800,580]", "") N(
                "Button", "android:id/button1", "OK", "", "[700,800][880,880]", CLICK) "</node></hierarchy>",
        "Delete?", "title_id", 0.8, 1 },
    { "a dialog's first text",
        "<hierarchy>" OPEN("FrameLayout", "", "[100,500][900,900]")
            N("TextView", "", "Leave the group?", "", "[120,520][800,580]", "")
                N("Button", "", "Leave", "", "[700,800][880,880]", CLICK) "</node></hierarchy>",
        "Leave the group?", "dialog", 0.5, 0.79 },
    { "a dialog's first text beside a way out: sure",
        "<hierarchy>" OPEN("FrameLayout", "", "[100,500][900,900]") N("TextView", "", "Leave the group?", "",
            "[120,520][800,580]", "") N("TextView", "", "CANCEL", "", "[300,800][480,880]", CLICK)
            N("TextView", "", "Leave", "", "[700,800][880,880]", CLICK) "</node></hierarchy>",
        "Leave the group?", "dialog", 0.8, 1 },
    { "the only text of a strip along the top",
        SCREEN(OPEN("View", "", "[0,0][1000,220]") N("View", "", "", "Sign in", "[700,100][960,180]",
            "") "</node>" N("EditText", "", "", "", "[0,300][1000,400]", "")),
        "Sign in", "app_bar", 0.5, 0.79 },
    { "confirmed by the selected tab: sure",
        SCREEN(OPEN("View", "", "[0,0][1000,220]") N("TextView", "", "Settings", "", "[40,100][300,180]",
            "") "</node>"
                "<node class=\"a.View\" package=\"com.x\" selected=\"true\" "
                "bounds=\"[700,1800][1000,2000]\">" N(
                    "TextView", "", "Settings", "", "[720,1900][980,1980]", "") "</node>"),
        "Settings", "app_bar", 0.8, 1 },
    { "two texts in the strip are no title",
        SCREEN(OPEN("View", "", "[0,0][1000,220]") N("TextView", "", "Good morning", "", "[40,60][300,120]",
            "") N("TextView", "", "Ann", "", "[40,130][300,190]", "") "</node>"),
        NULL, NULL, 0, 0 },
    { "a strip to search in has no title",
        SCREEN(OPEN("View", "", "[0,0][1000,220]") N("TextView", "", "Find", "", "[40,60][300,120]", "")
                N("EditText", "", "", "", "[40,130][900,190]", "") "</node>"),
        NULL, NULL, 0, 0 },
    { "a picture as wide as the strip is its title, a logo is not",
        SCREEN(OPEN("View", "", "[0,0][1000,220]")
                N("ImageView", "", "", "Super Shop", "[100,100][800,180]", "") "</node>"),
        "Super Shop", "app_bar", 0.5, 0.79 },
    { "a logo in the strip is no title",
        SCREEN(OPEN("View", "", "[0,0][1000,220]")
                N("ImageView", "", "", "Logo", "[40,100][140,180]", "") "</node>"),
        NULL, NULL, 0, 0 },
    { "a strip in the middle is no bar",
        SCREEN(OPEN("View", "", "[0,600][1000,820]")
                N("TextView", "", "Offers", "", "[40,700][300,780]", "") "</node>"),
        NULL, NULL, 0, 0 },
    { "the title at the top of a bottom sheet",
        SCREEN(N("V", "a:id/touch_outside", "", "", "[0,0][1000,2000]", CLICK)
                OPEN("F", "a:id/design_bottom_sheet", "[0,800][1000,2000]")
                    N("TextView", "a:id/title", "Offers", "", "[40,820][400,900]", "")
                        N("TextView", "a:id/title", "First offer", "", "[40,1500][400,1580]", "") "</node>"),
        "Offers", "sheet", 0.5, 0.79 },
    { "the first short text near the top is no title",
        SCREEN(N("TextView", "", "Welcome", "", "[40,110][300,190]", "")), NULL, NULL, 0, 0 },
};

static wd_scene *read_screen(const char *input)
{
    wd_scene *scene = NULL;
    wd_error error;
    if (wd_screen_read(input, strlen(input), NULL, &scene, &error) != WD_OK) {
        fail_msg("%s", error.text);
    }
    return scene;
}

static void title_is_told(void **state)
{
    const struct title_case *row = *state;
    wd_scene *scene = read_screen(row->input);
    const wd_scene_info *info = wd_scene_info_of(scene);
    if (row->title == NULL) {
        if (info->page != NULL) {
            fail_msg("\"%s\" by %s", info->page, info->page_source);
        }
    } else {
        assert_non_null(info->page);
        assert_string_equal(info->page, row->title);
        assert_string_equal(info->page_source, row->source);
        assert_true(info->page_confidence >= row->low && info->page_confidence <= row->high);
    }
    wd_scene_unref(&scene);
}

#define FIVE                                                                                                 \
    N("V", "", "", "", "[300,80][400,90]", "")                                                               \
    N("V", "", "", "", "[300,80][400,90]", "")                                                               \
    N("V", "", "", "", "[300,80][400,90]", "")                                                               \
    N("V", "", "", "", "[300,80][400,90]", "") N("V", "", "", "", "[300,80][400,90]", "")

static const struct kind_case {
    const char *name, *input;
    wd_page_kind kind;
} kind_cases[] = {
    { "a full window is an app", SCREEN(""), WD_PAGE_APP },
    { "a small window with buttons is a dialog",
        "<hierarchy>" OPEN("F", "", "[100,500][900,900]") N("TextView", "", "Sure?", "", "[120,520][800,580]",
            "") N("Button", "", "Yes", "", "[700,800][880,880]", CLICK) "</node></hierarchy>",
        WD_PAGE_DIALOG },
    { "many nodes inset from the edge are an app",
        "<hierarchy>" OPEN("F", "", "[300,80][1000,2000]") FIVE FIVE FIVE FIVE "</node></hierarchy>",
        WD_PAGE_APP },
    { "a small list is a popup",
        "<hierarchy>" OPEN("ListView", "", "[600,100][1000,400]")
            N("TextView", "", "One", "", "[620,120][900,180]", "")
                N("TextView", "", "Two", "", "[620,220][900,280]", "") "</node></hierarchy>",
        WD_PAGE_POPUP },
    { "a window along the bottom is a sheet",
        "<hierarchy>" OPEN("F", "", "[0,900][1000,2000]")
            N("TextView", "", "Share", "", "[40,920][300,980]", "") "</node></hierarchy>",
        WD_PAGE_SHEET },
    { "the design library's bottom sheet is a sheet",
        SCREEN(N("V", "a:id/touch_outside", "", "", "[0,0][1000,2000]", CLICK)
                N("F", "a:id/design_bottom_sheet", "", "", "[0,800][1000,2000]", "")),
        WD_PAGE_SHEET },
    { "a panel from the edge named drawer is a drawer",
        SCREEN(N("L", "a:id/left_drawer", "", "", "[0,0][800,2000]", "")), WD_PAGE_DRAWER },
    { "a drawer layout alone is no drawer",
        SCREEN(N("L", "a:id/drawer_layout", "", "", "[0,0][1000,2000]", "")), WD_PAGE_APP },
    { "a strip that closes is a drawer's",
        SCREEN(N("View", "", "", "Close navigation menu", "[800,0][1000,2000]", CLICK)), WD_PAGE_DRAWER },
    { "React Native's red box is an error overlay",
        SCREEN(N("Button", "a:id/rn_redbox_dismiss_button", "", "", "[0,0][9,9]", "")),
        WD_PAGE_ERROR_OVERLAY },
};

static void kind_is_told(void **state)
{
    const struct kind_case *row = *state;
    wd_scene *scene = NULL;
    wd_error error;
    wd_screen_options options = { .width = 1000, .height = 2000 };
    assert_int_equal(wd_screen_read(row->input, strlen(row->input), &options, &scene, &error), WD_OK);
    assert_string_equal(wd_page_kind_name(wd_scene_info_of(scene)->page_kind), wd_page_kind_name(row->kind));
    wd_scene_unref(&scene);
}

// ---- same page? -------------------------------------------------------------------------------------------

#define ROW(text) N("TextView", "a:id/name", text, "", "[0,300][500,380]", "")
#define BUTTON(text) N("Button", "a:id/send", text, "", "[0,500][500,580]", CLICK)

static const struct key_case {
    const char *name, *one, *other;
    bool same;
} key_cases[] = {
    { "bug 60: other texts are the same page", SCREEN(ROW("12:00") BUTTON("Send")),
        SCREEN(ROW("12:01") BUTTON("Sent")), true },
    { "bug 60: one more row is the same page", SCREEN(ROW("a") BUTTON("b")),
        SCREEN(ROW("a") ROW("c") BUTTON("b")), true },
    { "bug 20: containers that a list leaves out make no other page", SCREEN(ROW("a") BUTTON("b")),
        "UIElement(text='a', class_name='android.widget.TextView', resource_id='a:id/name', "
        "package_name='com.x', "
        "is_clickable=False, bbox_pixels=BoundingBox(x_min=0, x_max=500, y_min=300, y_max=380))\n"
        "UIElement(text='b', class_name='android.widget.Button', resource_id='a:id/send', "
        "package_name='com.x', "
        "is_clickable=True, bbox_pixels=BoundingBox(x_min=0, x_max=500, y_min=500, y_max=580))\n",
        true },
    { "another button is another page", SCREEN(ROW("a") BUTTON("b")),
        SCREEN(ROW("a") BUTTON("b") N("Button", "a:id/more", "", "", "[0,600][9,680]", CLICK)), false },
    { "equal titles alone are not the same page",
        SCREEN(UP N("TextView", "", "Details", "", "[160,110][400,190]", "")),
        SCREEN(UP N("TextView", "", "Details", "", "[160,110][400,190]", "") BUTTON("b")), false },
};

static void key_is_told(void **state)
{
    const struct key_case *row = *state;
    wd_scene *one = read_screen(row->one), *other = read_screen(row->other);
    wd_digest one_key, other_key;
    assert_int_equal(wd_page_key(one, &one_key), WD_OK);
    assert_int_equal(wd_page_key(other, &other_key), WD_OK);
    assert_int_equal(wd_digest_equal(one_key, other_key), row->same);
    wd_scene_unref(&one);
    wd_scene_unref(&other);
}

int main(void)
{
    struct CMUnitTest tests[WD_COUNT_OF(title_cases) + WD_COUNT_OF(kind_cases) + WD_COUNT_OF(key_cases)];
    size_t count = 0;
    for (size_t i = 0; i < WD_COUNT_OF(title_cases); i++) {
        void *row = (void *)(uintptr_t)&title_cases[i];
        tests[count++] = (struct CMUnitTest){ title_cases[i].name, title_is_told, NULL, NULL, row };
    }
    for (size_t i = 0; i < WD_COUNT_OF(kind_cases); i++) {
        void *row = (void *)(uintptr_t)&kind_cases[i];
        tests[count++] = (struct CMUnitTest){ kind_cases[i].name, kind_is_told, NULL, NULL, row };
    }
    for (size_t i = 0; i < WD_COUNT_OF(key_cases); i++) {
        void *row = (void *)(uintptr_t)&key_cases[i];
        tests[count++] = (struct CMUnitTest){ key_cases[i].name, key_is_told, NULL, NULL, row };
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
