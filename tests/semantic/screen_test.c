// Reading screens, format by format: one named row per rule, and per bug report of others (spec/bugs.md) that
// is about parsing or telling app and page.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "screen_fixture.h"
#include "semantic/enrich.h"
#include "tree/alloc.h"

/// A node of com.x with text, description and bounds.
#define NODE(class_name, text, desc, bounds)                                                                 \
    "<node text=\"" text "\" content-desc=\"" desc "\" class=\"android." class_name                          \
    "\" package=\"com.x\" clickable=\"false\" bounds=\"" bounds "\"/>"
#define SCREEN(inner)                                                                                        \
    "<hierarchy rotation=\"0\"><node class=\"android.widget.FrameLayout\" package=\"com.x\" "                \
    "bounds=\"[0,0][100,200]\">" inner "</node></hierarchy>"

/// What a row expects; a field that is NULL or negative is not looked at, "" is "absent".
static const struct screen_case {
    const char *name, *input;
    wd_status status;
    const char *error;  // a part of it
    int parse;
    int nodes;
    const char *format, *app, *activity, *page;
    int kind;
    const char *warning;  // a part of one of them
    const char *text1;    // text of node 1
} screen_cases[] = {
    // ---- characters ----
    { "bug 1: a character of four bytes is kept",
        SCREEN(NODE("widget.TextView", "ok \xF0\x9F\x98\x80", "", "[0,0][9,9]")), WD_OK, NULL, WD_PARSE_OK, 2,
        NULL, "com.x", NULL, NULL, -1, NULL, "ok \xF0\x9F\x98\x80" },
    { "bug 1: a lone surrogate by number becomes U+FFFD",
        SCREEN(NODE("widget.TextView", "a&#xD83C;b", "", "[0,0][9,9]")), WD_OK, NULL, WD_PARSE_RECOVERED, 2,
        NULL, "com.x", NULL, NULL, -1, "1 illegal characters",
        "a\xEF\xBF\xBD"
        "b" },
    { "bug 2: a surrogate pair by number is one character",
        SCREEN(NODE("widget.TextView", "&#55357;&#56832;", "", "[0,0][9,9]")), WD_OK, NULL,
        WD_PARSE_RECOVERED, 2, NULL, "com.x", NULL, NULL, -1, "1 surrogate pairs joined",
        "\xF0\x9F\x98\x80" },
    { "bug 3: half a pair in bytes is one U+FFFD",
        SCREEN(NODE("widget.TextView", "x\xED\xA0\x80y", "", "[0,0][9,9]")), WD_OK, NULL, WD_PARSE_RECOVERED,
        2, NULL, "com.x", NULL, NULL, -1, "1 illegal characters", "x\xEF\xBF\xBDy" },
    { "bug 4: a pair in modified UTF-8 is one character",
        SCREEN(NODE("widget.TextView", "\xED\xA0\xBD\xED\xB8\x80", "", "[0,0][9,9]")), WD_OK, NULL,
        WD_PARSE_RECOVERED, 2, NULL, "com.x", NULL, NULL, -1, "1 surrogate pairs joined",
        "\xF0\x9F\x98\x80" },
    { "bug 8: bytes that are no UTF-8 are replaced",
        SCREEN(NODE("widget.TextView", "\xC0\x80\xFF", "", "[0,0][9,9]")), WD_OK, NULL, WD_PARSE_RECOVERED, 2,
        NULL, "com.x", NULL, NULL, -1, "3 illegal characters", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD" },
    { "a control character is replaced", SCREEN(NODE("widget.TextView", "a\x01z", "", "[0,0][9,9]")), WD_OK,
        NULL, WD_PARSE_RECOVERED, 2, NULL, NULL, NULL, NULL, -1, "1 illegal characters", "a\xEF\xBF\xBDz" },
    { "a control character by number is replaced",
        SCREEN(NODE("widget.TextView", "a&#11;z", "", "[0,0][9,9]")), WD_OK, NULL, WD_PARSE_RECOVERED, 2,
        NULL, NULL, NULL, NULL, -1, "1 illegal characters", "a\xEF\xBF\xBDz" },
    { "a bare ampersand is taken literally", SCREEN(NODE("widget.TextView", "A & B &x; &", "", "[0,0][9,9]")),
        WD_OK, NULL, WD_PARSE_RECOVERED, 2, NULL, NULL, NULL, NULL, -1, "3 bare ampersands", "A & B &x; &" },
    { "entities and newlines by number are decoded",
        SCREEN(NODE("widget.TextView", "&lt;a&gt; &amp;&#10;&#x41;&quot;&apos;", "", "[0,0][9,9]")), WD_OK,
        NULL, WD_PARSE_OK, 2, NULL, NULL, NULL, NULL, -1, NULL, "<a> &\nA\"'" },
    // ---- failed captures ----
    { "bug 5: nothing at all is a failed capture", "", WD_ECORRUPT, "capture failed", .nodes = -1 },
    { "bug 6: a parser's error page is a failed capture",
        "<html><body><parsererror>bad</parsererror></body></html>", WD_ECORRUPT, "capture failed",
        .nodes = -1 },
    { "bug 7: an error element inside the tree is a failed capture",
        "<hierarchy><parsererror>x</parsererror>" NODE("view.View", "", "", "[0,0][9,9]") "</hierarchy>",
        WD_ECORRUPT, "the tree is an error message", .nodes = -1 },
    { "bug 12: the word Killed is a failed capture", "Killed \n", WD_ECORRUPT, "capture failed: Killed",
        .nodes = -1 },
    { "bug 13: a null root is a failed capture, its text kept",
        "ERROR: null root node returned by UiTestAutomationBridge.", WD_ECORRUPT, "null root node returned",
        .nodes = -1 },
    { "no idle state is a failed capture", "ERROR: could not get idle state.", WD_ECORRUPT, "idle state",
        .nodes = -1 },
    { "the status line alone is a failed capture", "UI hierchary dumped to: /dev/tty\n", WD_ECORRUPT,
        "capture failed: UI hierchary", .nodes = -1 },
    { "an empty tree is a failed capture", "<?xml version='1.0'?><hierarchy rotation=\"0\"/>", WD_ECORRUPT,
        "the tree is empty", .nodes = -1 },
    { "a root without size is a failed capture",
        "<hierarchy><node package=\"com.x\" bounds=\"[0,0][0,0]\"/></hierarchy>", WD_ECORRUPT,
        "nothing in the tree has a size", .nodes = -1 },
    { "a dump cut off in the middle is an error", "<hierarchy><node bounds=\"[0,0][9,9]\"><node bou",
        WD_ECORRUPT, "XML: ", .nodes = -1 },
    { "a dump with a tag left out is an error",
        "<hierarchy><node bounds=\"[0,0][9,9]\"><node bounds=\"[0,0][9,9]\"/></hierarchy>", WD_ECORRUPT,
        "mismatched tag", .nodes = -1 },
    { "an attribute broken by a quote is an error",
        "<hierarchy><node text=\"a\"b\" bounds=\"[0,0][9,9]\"/></hierarchy>", WD_ECORRUPT,
        "XML: ", .nodes = -1 },
    // ---- around the root ----
    { "bug 10: the status line behind the root is cut",
        SCREEN(NODE("view.View", "a", "", "[0,0][9,9]")) "UI hierchary dumped to: /dev/tty\n", WD_OK, NULL,
        WD_PARSE_RECOVERED, 2, "uiautomator_xml", "com.x", NULL, NULL, -1,
        "bytes after the root cut: UI hierchary", "a" },
    { "bug 11: junk on either side is cut",
        "dumped\n" SCREEN(NODE("view.View", "a", "", "[0,0][9,9]")) "\nOK", WD_OK, NULL, WD_PARSE_RECOVERED,
        2, NULL, "com.x", NULL, NULL, -1, "bytes before the root cut", "a" },
    { "a second dump behind the first is cut",
        SCREEN(NODE("view.View", "a", "", "[0,0][9,9]")) SCREEN(NODE("view.View", "b", "", "[0,0][9,9]")),
        WD_OK, NULL, WD_PARSE_RECOVERED, 2, NULL, NULL, NULL, NULL, -1, "after the root cut", "a" },
    { "an unquoted declaration is cut", "<?xml version=1.0 encoding=UTF-8?>" SCREEN(""), WD_OK, NULL,
        WD_PARSE_RECOVERED, 1, NULL, "com.x", NULL, NULL, -1, "before the root cut", NULL },
    { "a byte order mark, a declaration and a comment are fine",
        "\xEF\xBB\xBF<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>\r\n<!-- x -->" SCREEN(
            "") "\r\n",
        WD_OK, NULL, WD_PARSE_OK, 1, NULL, "com.x", NULL, NULL, -1, NULL, NULL },
    { "a comment behind the root is fine", SCREEN("") "<!-- x -->", WD_OK, NULL, WD_PARSE_OK, 1, NULL, NULL,
        NULL, NULL, -1, NULL, NULL },
    // ---- nodes ----
    { "bug 15: a WebView without children is content unknown",
        SCREEN(NODE("webkit.WebView", "", "", "[0,0][100,200]")), WD_OK, NULL, WD_PARSE_OK, 2, NULL, NULL,
        NULL, NULL, -1, "content of 1 WebView unknown", NULL },
    { "bug 16: an empty field without text, description and id is kept",
        SCREEN("<node NAF=\"true\" class=\"android.widget.EditText\" package=\"com.x\" clickable=\"true\" "
               "enabled=\"true\" "
               "bounds=\"[0,0][9,9]\"/>"),
        WD_OK, NULL, WD_PARSE_OK, 2, NULL, NULL, NULL, NULL, -1, NULL, NULL },
    { "an element without bounds is no node",
        SCREEN("<node text=\"a\"/>" NODE("view.View", "b", "", "[0,0][9,9]")), WD_OK, NULL, WD_PARSE_OK, 2,
        NULL, NULL, NULL, NULL, -1, "1 elements without bounds", "b" },
    { "text between elements is ignored", SCREEN("... " NODE("view.View", "b", "", "[0,0][9,9]")), WD_OK,
        NULL, WD_PARSE_OK, 2, NULL, NULL, NULL, NULL, -1, "text between elements", "b" },
    { "unreadable bounds are unknown", SCREEN("<node text=\"a\" bounds=\"[0,0][9,9\"/>"), WD_OK, NULL,
        WD_PARSE_OK, 2, NULL, NULL, NULL, NULL, -1, NULL, "a" },
    // ---- app by the tree ----
    { "bug 35: an empty package is no app",
        "<hierarchy><node package=\"\" bounds=\"[0,0][9,9]\"/></hierarchy>", WD_OK, NULL, WD_PARSE_OK, 1,
        NULL, "", NULL, "", -1, NULL, NULL },
    { "system panels first, the app last: the app",
        "<hierarchy><node package=\"com.android.systemui\" bounds=\"[0,0][100,9]\"/><node "
        "package=\"com.samsung.android.app.cocktailbarservice\" bounds=\"[90,0][100,200]\"/><node "
        "package=\"com.x\" "
        "bounds=\"[0,0][100,200]\"/></hierarchy>",
        WD_OK, NULL, WD_PARSE_OK, 3, NULL, "com.x", NULL, NULL, WD_PAGE_APP, NULL, NULL },
    { "of two apps the one with the focus",
        "<hierarchy><node package=\"com.miui.home\" bounds=\"[0,0][100,200]\"/><node package=\"com.x\" "
        "bounds=\"[0,50][100,200]\"><node focused=\"true\" package=\"com.x\" "
        "bounds=\"[0,50][9,60]\"/></node></hierarchy>",
        WD_OK, NULL, WD_PARSE_OK, 3, NULL, "com.x", NULL, NULL, -1, NULL, NULL },
    { "of two apps without focus the larger",
        "<hierarchy><node package=\"com.small\" bounds=\"[0,0][100,50]\"/><node package=\"com.x\" "
        "bounds=\"[0,0][100,200]\"/></hierarchy>",
        WD_OK, NULL, WD_PARSE_OK, 2, NULL, "com.x", NULL, NULL, -1, NULL, NULL },
    { "two packages in one tree: the majority",
        "<hierarchy><node package=\"com.acme.launcher3\" bounds=\"[0,0][100,200]\"><node "
        "package=\"com.acme.launcher3\" "
        "bounds=\"[0,0][9,9]\"/><node package=\"com.weather\" bounds=\"[0,20][9,29]\"/></node></hierarchy>",
        WD_OK, NULL, WD_PARSE_OK, 3, NULL, "com.acme.launcher3", NULL, "", WD_PAGE_LAUNCHER, NULL, NULL },
    { "a keyboard is never the app",
        "<hierarchy><node package=\"com.google.android.inputmethod.latin\" bounds=\"[0,100][100,200]\"><node "
        "focused=\"true\" package=\"com.google.android.inputmethod.latin\" "
        "bounds=\"[0,100][9,110]\"/></node><node "
        "package=\"com.x\" bounds=\"[0,0][100,100]\"/></hierarchy>",
        WD_OK, NULL, WD_PARSE_OK, 3, NULL, "com.x", NULL, NULL, -1, NULL, NULL },
    { "nothing but the lock screen: the system UI, keyguard",
        "<hierarchy><node package=\"com.android.systemui\" bounds=\"[0,0][100,200]\"><node text=\"12:00\" "
        "resource-id=\"com.android.systemui:id/keyguard_clock\" package=\"com.android.systemui\" "
        "bounds=\"[0,0][90,90]\"/></node></hierarchy>",
        WD_OK, NULL, WD_PARSE_OK, 2, NULL, "com.android.systemui", NULL, "", WD_PAGE_KEYGUARD, NULL, NULL },
    { "nothing but quick settings: the system UI, shade",
        "<hierarchy><node package=\"com.android.systemui\" bounds=\"[0,0][100,200]\"><node text=\"Wi-Fi\" "
        "resource-id=\"com.android.systemui:id/tile_label\" package=\"com.android.systemui\" "
        "bounds=\"[0,0][90,90]\"/></node></hierarchy>",
        WD_OK, NULL, WD_PARSE_OK, 2, NULL, "com.android.systemui", NULL, "", WD_PAGE_SHADE, NULL, NULL },
    { "the lock screen of old is the framework's",
        "<hierarchy><node package=\"android\" class=\"android.widget.FrameLayout\" "
        "bounds=\"[0,0][100,200]\"><node "
        "text=\"Slide\" package=\"android\" bounds=\"[0,0][90,9]\"/></node></hierarchy>",
        WD_OK, NULL, WD_PARSE_OK, 2, NULL, "android", NULL, "", WD_PAGE_KEYGUARD, NULL, NULL },
    { "a permission dialog is the permission controller",
        "<hierarchy><node package=\"com.android.permissioncontroller\" bounds=\"[10,50][90,150]\"><node "
        "text=\"Allow X to "
        "record audio?\" resource-id=\"com.android.permissioncontroller:id/permission_message\" "
        "package=\"com.android.permissioncontroller\" bounds=\"[10,60][90,70]\"/></node></hierarchy>",
        WD_OK, NULL, WD_PARSE_OK, 2, NULL, "com.android.permissioncontroller", NULL,
        "Allow X to record audio?", WD_PAGE_PERMISSION, NULL, NULL },
    // ---- several windows ----
    { "windows: the focused application of display 0",
        "<displays><display id=\"0\"><window title=\"bar\" type=\"TYPE_SYSTEM\" layer=\"9\" "
        "focused=\"false\" "
        "active=\"false\" bounds=\"[0,0][100,9]\"><hierarchy rotation=\"0\"><node "
        "package=\"com.android.systemui\" "
        "bounds=\"[0,0][100,9]\"/></hierarchy></window><window type=\"TYPE_APPLICATION\" layer=\"1\" "
        "focused=\"true\" "
        "active=\"true\" bounds=\"[0,0][100,200]\"><hierarchy><node package=\"com.x\" "
        "bounds=\"[0,0][100,200]\"/>"
        "</hierarchy></window></display><display id=\"2\"><window type=\"TYPE_APPLICATION\" focused=\"true\" "
        "active=\"true\" bounds=\"[0,0][100,200]\"><hierarchy><node package=\"com.car\" "
        "bounds=\"[0,0][100,200]\"/>"
        "</hierarchy></window></display></displays>",
        WD_OK, NULL, WD_PARSE_OK, 3, "uiautomator_windows_xml", "com.x", NULL, NULL, -1, NULL, NULL },
    { "windows: the focused shade hides the app",
        "<displays><display id=\"0\"><window type=\"TYPE_SYSTEM\" focused=\"true\" "
        "bounds=\"[0,0][100,200]\"><hierarchy>"
        "<node package=\"com.android.systemui\" bounds=\"[0,0][100,200]\"/></hierarchy></window><window "
        "type=\"TYPE_APPLICATION\" focused=\"false\" bounds=\"[0,0][100,200]\"><hierarchy><node "
        "package=\"com.x\" "
        "bounds=\"[0,0][100,200]\"/></hierarchy></window></display></displays>",
        WD_OK, NULL, WD_PARSE_OK, 2, NULL, "com.android.systemui", NULL, "", WD_PAGE_SHADE, NULL, NULL },
    // ---- Appium ----
    { "Appium: the tag is the class, absent texts are absent",
        "<hierarchy index=\"0\" class=\"hierarchy\" rotation=\"0\" width=\"100\" "
        "height=\"180\">\r\n<android.widget.Button "
        "package=\"com.x\" text=\"Go\" displayed=\"true\" bounds=\"[0,0][100,200]\"/>\r\n</hierarchy>",
        WD_OK, NULL, WD_PARSE_OK, 1, "appium_xml", "com.x", NULL, NULL, -1, NULL, NULL },
    // ---- DroidBot ----
    { "DroidBot: the activity is authoritative, also against the views",
        "{\"tag\":\"t\",\"foreground_activity\":\"com.perm/.Grant\",\"activity_stack\":[\"com.perm/.Grant\","
        "\"com.x/"
        ".Main\"],\"width\":100,\"height\":200,\"views\":[{\"temp_id\":0,\"parent\":-1,\"package\":\"com.x\","
        "\"class\":\"a.View\",\"text\":null,\"visible\":true,\"bounds\":[[0,0],[100,200]]}]}",
        WD_OK, NULL, WD_PARSE_OK, 1, "droidbot_state", "com.perm", "com.perm.Grant", "Grant", -1,
        "no node is of the app in focus", NULL },
    { "bug 19: a state without views is a failed capture",
        "{\"foreground_activity\":\"com.x/.Main\",\"views\":[]}", WD_ECORRUPT, "the tree is empty",
        .nodes = -1 },
    { "DroidBot: a state cut off is an error",
        "{\"foreground_activity\":\"com.x/.Main\",\"views\":[{\"bounds\":[[0,0],", WD_ECORRUPT,
        "JSON: ", .nodes = -1 },
    { "DroidBot: views in any order come in pre-order",
        "{\"foreground_activity\":\"com.x/.Main\",\"views\":[{\"temp_id\":7,\"parent\":3,\"text\":\"leaf\","
        "\"bounds\":[[0,0],[9,9]]},{\"temp_id\":3,\"parent\":-1,\"text\":\"root\",\"bounds\":[[0,0],[100,200]"
        "]}]}",
        WD_OK, NULL, WD_PARSE_OK, 2, NULL, "com.x", NULL, NULL, -1, NULL, "leaf" },
    { "DroidBot: views that are their own ancestors are cut loose",
        "{\"foreground_activity\":\"com.x/"
        ".Main\",\"views\":[{\"temp_id\":1,\"parent\":2,\"bounds\":[[0,0],[9,9]]},"
        "{\"temp_id\":2,\"parent\":1,\"text\":\"two\",\"bounds\":[[0,0],[9,9]]}]}",
        WD_OK, NULL, WD_PARSE_RECOVERED, 2, NULL, NULL, NULL, NULL, -1, "1 nodes were their own ancestors",
        NULL },
    // ---- AndroidWorld ----
    { "AndroidWorld: printed elements",
        "UIElement(text='It\\'s', content_description=\"say \\\"x\\\"\", "
        "class_name='android.widget.TextView', "
        "bbox=BoundingBox(x_min=0, x_max=100, y_min=0, y_max=200), bbox_pixels=BoundingBox(x_min=0, "
        "x_max=100, y_min=0, "
        "y_max=200), hint_text=None, is_checked=False, is_clickable=True, is_editable=None, "
        "package_name='com.x', "
        "resource_name=None, metadata={'a': (1, 2)}, resource_id='')\n"
        "UIElement(text='\\u4f60\\n', package_name='com.x', bbox_pixels=None)\n",
        WD_OK, NULL, WD_PARSE_OK, 2, "androidworld_uielement_repr", "com.x", NULL, NULL, -1, NULL,
        "\xE4\xBD\xA0\n" },
    { "AndroidWorld: mixed packages in a transition: the majority",
        "[{\"package_name\":\"com.acme.launcher\",\"is_clickable\":false,\"bbox_pixels\":{\"x_min\":0,\"x_"
        "max\":9,"
        "\"y_min\":0,\"y_max\":9}},{\"package_name\":\"com.x\",\"bbox_pixels\":[0,100,0,200]},{\"package_"
        "name\":\"com.x\","
        "\"text\":\"b\",\"bbox_pixels\":[0,100,0,200]}]",
        WD_OK, NULL, WD_PARSE_OK, 3, "androidworld_uielement_json", "com.x", NULL, NULL, -1, NULL, NULL },
    { "AndroidWorld: lines of a run's history with Python booleans",
        "UI element 0: {\"index\": 0, \"text\": \"a\", \"bbox_pixels\": [0, 100, 0, 200], \"is_clickable\": "
        "True}\n"
        "UI element 1: {\"index\": 1, \"text\": \"b\", \"bbox_pixels\": [0, 9, 0, 9], \"is_clickable\": "
        "False, "
        "\"package_name\": None}\n",
        WD_OK, NULL, WD_PARSE_OK, 2, "androidworld_uielement_json", "", NULL, NULL, -1, NULL, "b" },
    { "AndroidWorld: a printed element cut off is an error",
        "UIElement(text='a', bbox=BoundingBox(x_min=0, x_m", WD_ECORRUPT, "a side of the box expected",
        .nodes = -1 },
    // ---- forest ----
    { "bug 21: a forest gives every window and node",
        "{\"windows\":[{\"windowType\":\"TYPE_INPUT_METHOD\",\"layer\":2,\"isFocused\":true,\"tree\":{"
        "\"nodes\":["
        "{\"uniqueId\":1,\"packageName\":\"com.ime\",\"boundsInScreen\":{\"top\":100,\"right\":100,"
        "\"bottom\":200}}]}},"
        "{\"windowType\":\"TYPE_APPLICATION\",\"title\":\"Main\",\"isActive\":true,\"tree\":{\"nodes\":[{"
        "\"uniqueId\":1,"
        "\"packageName\":\"com.x\",\"childIds\":[2],\"boundsInScreen\":{\"right\":100,\"bottom\":200}},{"
        "\"uniqueId\":2,"
        "\"packageName\":\"com.x\",\"text\":\"a\",\"isClickable\":true,\"boundsInScreen\":{\"right\":9,"
        "\"bottom\":9}}]}}]}",
        WD_OK, NULL, WD_PARSE_OK, 3, "accessibility_forest", "com.x", NULL, NULL, -1, NULL, NULL },
    { "a forest in the proto's own names",
        "{\"windows\":[{\"window_type\":1,\"is_active\":true,\"tree\":{\"nodes\":[{\"unique_id\":0,\"package_"
        "name\":"
        "\"com.x\",\"bounds_in_screen\":{\"left\":0,\"top\":0,\"right\":100,\"bottom\":200}}]}}]}",
        WD_OK, NULL, WD_PARSE_OK, 1, "accessibility_forest", "com.x", NULL, NULL, -1, NULL, NULL },
    // ---- RICO, Maestro, droidrun ----
    { "RICO: activity, arrays of descriptions, null children",
        "{\"activity_name\":\"com.x/"
        "com.x.ui.Main\",\"activity\":{\"root\":{\"class\":\"a.View\",\"bounds\":[0,0,1440,2560],"
        "\"children\":[null,{\"class\":\"a.Text\",\"text\":\"t\",\"content-desc\":[\"d\"],\"ancestors\":[\"a."
        "View\"],"
        "\"bounds\":[0,0,9,9],\"clickable\":true}]},\"added_fragments\":[]},\"is_keyboard_deployed\":false}",
        WD_OK, NULL, WD_PARSE_OK, 2, "rico", "com.x", "com.x.ui.Main", "ui.Main", -1, NULL, "t" },
    { "RICO annotations: the root at the top",
        "{\"ancestors\":[],\"class\":\"a.View\",\"bounds\":[0,0,1440,2560],\"componentLabel\":\"List\","
        "\"children\":["
        "{\"text\":\"t\",\"bounds\":[0,0,9,9]}]}",
        WD_OK, NULL, WD_PARSE_OK, 2, "rico", "", NULL, NULL, -1, NULL, "t" },
    { "Maestro: attributes as strings, no package",
        "{\"attributes\":{\"bounds\":\"[0,0][100,200]\",\"text\":\"\"},\"children\":[{\"attributes\":{"
        "\"text\":\"t\","
        "\"accessibilityText\":\"d\",\"resource-id\":\"com.x:id/"
        "a\",\"bounds\":\"[0,0][9,9]\",\"enabled\":\"true\"},"
        "\"clickable\":true,\"children\":[]}]}",
        WD_OK, NULL, WD_PARSE_OK, 2, "maestro_hierarchy", "", NULL, NULL, -1, NULL, "t" },
    { "droidrun: tree, state and context",
        "{\"a11y_tree\":[{\"index\":1,\"className\":\"FrameLayout\",\"resourceId\":\"\",\"text\":\"\","
        "\"bounds\":\"0,0,100,"
        "200\",\"children\":[{\"index\":2,\"className\":\"Button\",\"text\":\"t\",\"bounds\":\"0,0,9,9\","
        "\"children\":[]}]}],"
        "\"phone_state\":{\"currentApp\":\"Shop\",\"packageName\":\"com.x\",\"isEditable\":false},\"device_"
        "context\":"
        "{\"screen_bounds\":{\"width\":100,\"height\":200}}}",
        WD_OK, NULL, WD_PARSE_OK, 2, "droidrun_portal", "com.x", NULL, NULL, -1, NULL, "t" },
    { "droidrun: over the content provider",
        "Row: 0 "
        "result={\"status\":\"success\",\"result\":\"{\\\"a11y_tree\\\":{\\\"className\\\":\\\"View\\\","
        "\\\"boundsInScreen\\\":{\\\"left\\\":0,\\\"top\\\":0,\\\"right\\\":100,\\\"bottom\\\":200}},"
        "\\\"phone_state\\\":"
        "{\\\"packageName\\\":\\\"com.x\\\"}}\"}",
        WD_OK, NULL, WD_PARSE_OK, 1, "droidrun_portal", "com.x", NULL, NULL, -1, NULL, NULL },
    // ---- what is not read ----
    { "a Detox hierarchy is told from a screen",
        "<?xml version=\"1.0\"?><ViewHierarchy><View x=\"0\"/></ViewHierarchy>", WD_EUNSUPPORTED, "Detox",
        .nodes = -1 },
    { "utg.js is told from a screen", "var utg = {\"nodes\":[]}", WD_EUNSUPPORTED, "utg.js", .nodes = -1 },
    { "an iOS page source is told from a screen", "<XCUIElementTypeApplication name=\"x\"/>", WD_EUNSUPPORTED,
        "iOS", .nodes = -1 },
    { "some other text is no screen", "Lorem ipsum dolor", WD_EUNSUPPORTED, "no known screen format",
        .nodes = -1 },
};

static void check_text(const char *expected, const char *read)
{
    if (expected == NULL) {
        return;
    }
    if (expected[0] == '\0') {
        assert_null(read);
        return;
    }
    assert_non_null(read);
    assert_string_equal(read, expected);
}

static bool has_warning(const wd_scene *scene, const char *part)
{
    for (size_t i = 0; i < wd_scene_warning_count(scene); i++) {
        if (strstr(wd_scene_warning(scene, i), part) != NULL) {
            return true;
        }
    }
    return false;
}

static void check_scene(const struct screen_case *row, const wd_scene *scene)
{
    const wd_scene_info *info = wd_scene_info_of(scene);
    assert_int_equal(info->parse_status, row->parse);
    assert_int_equal(wd_scene_node_count(scene), row->nodes);
    check_text(row->format, info->source_format);
    check_text(row->app, info->app_package);
    check_text(row->activity, info->activity);
    check_text(row->page, info->page);
    assert_true((info->app_package == NULL) == (info->app_source == NULL));
    assert_true((info->page == NULL) == (info->page_source == NULL));
    if (row->kind >= 0) {
        assert_string_equal(wd_page_kind_name(info->page_kind), wd_page_kind_name((wd_page_kind)row->kind));
    }
    if (row->warning != NULL && !has_warning(scene, row->warning)) {
        fail_msg("no warning says \"%s\"", row->warning);
    }
    if (row->text1 != NULL) {
        assert_string_equal(wd_scene_node(scene, 1)->text, row->text1);
    }
}

static void screen_is_read(void **state)
{
    const struct screen_case *row = *state;
    wd_scene *scene = NULL;
    wd_error error = { .status = WD_OK };
    wd_status status = wd_screen_read(row->input, strlen(row->input), NULL, &scene, &error);
    if (status != row->status) {
        fail_msg("%s: %s", wd_status_name(status), error.text);
    }
    if (status != WD_OK) {
        assert_null(scene);
        assert_int_equal(error.status, status);
        if (strstr(error.text, row->error) == NULL) {
            fail_msg("\"%s\" expected in \"%s\"", row->error, error.text);
        }
        return;
    }
    check_scene(row, scene);
    wd_scene_unref(&scene);
}

/// Every allocation of every reader fails once: no leak, and never half a scene.
static void every_allocation_may_fail(void **state)
{
    const struct screen_case *row = *state;
    uint64_t before = wd_alloc_stats_get().bytes_live;
    wd_status status = WD_ENOMEM;
    for (long calls = 0; status == WD_ENOMEM; calls++) {
        assert_in_range(calls, 0, 400);
        wd_scene *scene = NULL;
        wd_alloc_fail_after(calls);
        status = wd_screen_read(row->input, strlen(row->input), NULL, &scene, NULL);
        wd_alloc_fail_after(-1);
        assert_true(status == row->status || status == WD_ENOMEM);
        assert_true((scene != NULL) == (status == WD_OK));
        wd_scene_unref(&scene);
        assert_int_equal(wd_alloc_stats_get().bytes_live, before);
    }
}

// ---- what does not fit a row ------------------------------------------------------------------------------

static wd_scene *read_with(const char *input, const wd_screen_options *options)
{
    wd_scene *scene = NULL;
    wd_error error;
    if (wd_screen_read(input, strlen(input), options, &scene, &error) != WD_OK) {
        fail_msg("%s", error.text);
    }
    return scene;
}

static void flat_lists_become_trees(void **state)
{
    (void)state;
    wd_scene *scene = read_with("{\"foreground_activity\":\"com.x/.Main\",\"views\":["
                                "{\"temp_id\":5,\"parent\":2,\"text\":\"e\",\"bounds\":[[0,0],[9,9]]},"
                                "{\"temp_id\":2,\"parent\":1,\"text\":\"b\",\"bounds\":[[0,0],[9,9]]},"
                                "{\"temp_id\":4,\"parent\":1,\"text\":\"d\",\"bounds\":[[0,0],[9,9]]},"
                                "{\"temp_id\":1,\"parent\":-1,\"text\":\"a\",\"bounds\":[[0,0],[9,9]]},"
                                "{\"temp_id\":9,\"parent\":77,\"text\":\"f\",\"bounds\":[[0,0],[9,9]]}]}",
        NULL);
    static const struct placed {
        const char *text;
        int parent;
    } placed[] = { { "a", -1 }, { "b", 0 }, { "e", 1 }, { "d", 0 }, { "f", -1 } };
    assert_int_equal(wd_scene_node_count(scene), WD_COUNT_OF(placed));
    for (size_t i = 0; i < WD_COUNT_OF(placed); i++) {
        assert_string_equal(wd_scene_node(scene, i)->text, placed[i].text);
        assert_int_equal(wd_scene_node(scene, i)->parent, placed[i].parent);
    }
    wd_scene_unref(&scene);
}

static void flags_are_three_valued(void **state)
{
    (void)state;
    wd_scene *scene = read_with("UIElement(is_clickable=True, is_checked=False, is_editable=None, "
                                "bbox=BoundingBox(x_min=0, x_max=9, y_min=0, "
                                "y_max=9))",
        NULL);
    const wd_node *node = wd_scene_node(scene, 0);
    assert_int_equal(wd_node_get(node, WD_NODE_CLICKABLE), WD_YES);
    assert_int_equal(wd_node_get(node, WD_NODE_CHECKED), WD_NO);
    assert_int_equal(wd_node_get(node, WD_NODE_EDITABLE), WD_UNKNOWN);
    assert_null(node->text);
    wd_scene_unref(&scene);

    scene = read_with(
        "<hierarchy><node text=\"\" clickable=\"TRUE\" checked=\"\" enabled=\"true\" focused=\"false\" "
        "visible-to-user=\"false\" bounds=\"[0,0][9,9]\"/></hierarchy>",
        NULL);
    node = wd_scene_node(scene, 0);
    assert_int_equal(wd_node_get(node, WD_NODE_CLICKABLE), WD_UNKNOWN);
    assert_int_equal(wd_node_get(node, WD_NODE_CHECKED), WD_UNKNOWN);
    assert_int_equal(wd_node_get(node, WD_NODE_ENABLED), WD_YES);
    assert_int_equal(wd_node_get(node, WD_NODE_FOCUSED), WD_NO);
    assert_int_equal(wd_node_get(node, WD_NODE_VISIBLE), WD_NO);
    assert_int_equal(wd_node_get(node, WD_NODE_PASSWORD), WD_UNKNOWN);
    assert_string_equal(node->text, "");  // present and empty
    assert_null(node->desc);              // absent
    wd_scene_unref(&scene);

    scene =
        read_with("{\"windows\":[{\"windowType\":1,\"tree\":{\"nodes\":[{\"uniqueId\":1,\"boundsInScreen\":"
                  "{\"right\":9,\"bottom\":9}}]}}]}",
            NULL);
    assert_int_equal(wd_node_get(wd_scene_node(scene, 0), WD_NODE_CLICKABLE), WD_NO);  // protobuf's default
    wd_scene_unref(&scene);
}

static const struct rect_case {
    const char *name, *bounds;
    wd_rect_state rect_state;
    wd_rect rect;
} rect_cases[] = {
    { "bug 23: a node that overlaps by one pixel is on the screen", "[-50,-50][1,1]", WD_RECT_OK,
        { -50, -50, 1, 1 } },
    { "bug 23: a node left of the display is offscreen", "[-50,0][0,9]", WD_RECT_OFFSCREEN,
        { -50, 0, 0, 9 } },
    { "bug 24: a node without width is empty", "[5,0][5,9]", WD_RECT_EMPTY, { 5, 0, 5, 9 } },
    { "a node whose bounds run backwards is inverted", "[0,0][-9,9]", WD_RECT_INVERTED, { 0, 0, -9, 9 } },
    { "bounds with a blank are unreadable", "[0, 0][9,9]", WD_RECT_UNKNOWN, { 0, 0, 0, 0 } },
    { "bounds beyond 32 bits are unreadable", "[0,0][9,2147483648]", WD_RECT_UNKNOWN, { 0, 0, 0, 0 } },
    { "the largest bounds are read", "[0,0][9,2147483647]", WD_RECT_OK, { 0, 0, 9, 2147483647 } },
    { "empty bounds are unreadable", "", WD_RECT_UNKNOWN, { 0, 0, 0, 0 } },
};

static void rect_is_kept_and_judged(void **state)
{
    const struct rect_case *row = *state;
    char input[512];
    snprintf(input, sizeof input,
        "<hierarchy><node bounds=\"[0,0][100,200]\"><node clickable=\"true\" "
        "bounds=\"%s\"/></node></hierarchy>",
        row->bounds);
    wd_scene *scene = read_with(input, NULL);
    const wd_node *node = wd_scene_node(scene, 1);
    assert_non_null(node);
    assert_int_equal(node->rect_state, row->rect_state);
    assert_memory_equal(&node->rect, &row->rect, sizeof row->rect);
    wd_scene_unref(&scene);
}

static void orientation_is_that_of_the_bounds(void **state)
{
    (void)state;  // bug 25
    wd_scene *scene =
        read_with("<hierarchy rotation=\"1\"><node bounds=\"[0,0][1080,1920]\"/></hierarchy>", NULL);
    assert_int_equal(wd_scene_info_of(scene)->width, 1080);
    assert_int_equal(wd_scene_info_of(scene)->height, 1920);
    assert_string_equal(wd_scene_info_of(scene)->rotation_raw, "1");
    wd_scene_unref(&scene);
}

static void size_is_the_largest_known(void **state)
{
    (void)state;
    const char *dialog = "<hierarchy><node package=\"com.x\" bounds=\"[34,626][686,1057]\"/></hierarchy>";
    wd_scene *scene = read_with(dialog, &(wd_screen_options){ .width = 720, .height = 1608 });
    assert_int_equal(wd_scene_info_of(scene)->width, 720);
    assert_int_equal(wd_scene_info_of(scene)->height, 1608);
    wd_scene_unref(&scene);
    scene = read_with(
        "<hierarchy width=\"1080\" height=\"2254\"><a.B bounds=\"[0,0][1080,2400]\"/></hierarchy>", NULL);
    assert_int_equal(wd_scene_info_of(scene)->height, 2400);
    wd_scene_unref(&scene);
    scene = read_with("{\"foreground_activity\":\"a.b/.C\",\"views\":[{\"bounds\":[[0,0],[1080,1920]]},"
                      "{\"parent\":0,\"bounds\":[[1080,0],[2160,1920]]}]}",
        NULL);
    assert_int_equal(wd_scene_info_of(scene)->width, 1080);
    assert_int_equal(wd_scene_node(scene, 1)->rect_state, WD_RECT_OFFSCREEN);
    wd_scene_unref(&scene);
}

static void fractions_need_the_display(void **state)
{
    (void)state;
    const char *input =
        "[{\"is_clickable\":true,\"text\":\"a\",\"bbox\":{\"x_min\":0.5,\"x_max\":1.0,\"y_min\":0,"
        "\"y_max\":0.25}}]";
    wd_scene *scene = read_with(input, &(wd_screen_options){ .width = 1000, .height = 2000 });
    wd_rect expected = { 500, 0, 1000, 500 };
    assert_memory_equal(&wd_scene_node(scene, 0)->rect, &expected, sizeof expected);
    wd_scene_unref(&scene);
    scene = read_with(input, NULL);
    assert_int_equal(wd_scene_node(scene, 0)->rect_state, WD_RECT_UNKNOWN);
    wd_scene_unref(&scene);
}

static void format_can_be_forced(void **state)
{
    (void)state;
    wd_scene *scene = NULL;
    wd_error error;
    const char *input = "{\"views\":[{\"bounds\":[[0,0],[9,9]],\"content-desc\":\"x\"}]}";
    wd_screen_options options = { .format = WD_SCREEN_DROIDBOT_STATE };
    assert_int_equal(wd_screen_read(input, strlen(input), &options, &scene, &error), WD_OK);
    wd_scene_unref(&scene);
    options.format = WD_SCREEN_UIAUTOMATOR_XML;
    assert_int_equal(wd_screen_read(input, strlen(input), &options, &scene, &error), WD_ECORRUPT);
    assert_null(scene);
    for (int format = 0; format < WD_SCREEN_FORMAT_COUNT; format++) {
        wd_screen_format parsed = WD_SCREEN_AUTO;
        assert_int_equal(
            wd_screen_format_parse(wd_screen_format_name((wd_screen_format)format), &parsed), WD_OK);
        assert_int_equal(parsed, format);
    }
    assert_int_equal(wd_screen_format_parse("png", &options.format), WD_ENOENT);
}

static void companion_beats_the_tree(void **state)
{
    (void)state;
    const char *dumpsys = "  mCurrentFocus=Window{1 u0 com.y/.Second}\n";
    wd_screen_options options = { .companion = dumpsys, .companion_length = strlen(dumpsys) };
    wd_scene *scene = read_with(SCREEN(""), &options);
    assert_string_equal(wd_scene_info_of(scene)->app_package, "com.y");
    assert_string_equal(wd_scene_info_of(scene)->app_source, "focused_window");
    assert_string_equal(wd_scene_info_of(scene)->activity, "com.y.Second");
    assert_string_equal(wd_scene_info_of(scene)->page, "Second");
    assert_string_equal(wd_scene_info_of(scene)->page_source, "activity");
    wd_scene_unref(&scene);
    options.companion = "mCurrentFocus=null";
    options.companion_length = strlen(options.companion);
    scene = read_with(SCREEN(""), &options);
    assert_string_equal(wd_scene_info_of(scene)->app_package, "com.x");
    assert_string_equal(wd_scene_info_of(scene)->app_source, "tree");
    wd_scene_unref(&scene);
}

static void app_of_the_caller_is_the_last_resort(void **state)
{
    (void)state;
    const char *input = "{\"attributes\":{\"bounds\":\"[0,0][9,9]\"},\"children\":[]}";
    wd_scene *scene = read_with(input, &(wd_screen_options){ .app_package = "com.mine" });
    assert_string_equal(wd_scene_info_of(scene)->app_package, "com.mine");
    assert_string_equal(wd_scene_info_of(scene)->app_source, "caller");
    wd_scene_unref(&scene);
    scene = read_with(SCREEN(""), &(wd_screen_options){ .app_package = "com.mine" });
    assert_string_equal(wd_scene_info_of(scene)->app_package, "com.x");
    wd_scene_unref(&scene);
}

#define PERMISSION                                                                                           \
    "<hierarchy><node package=\"com.android.permissioncontroller\" text=\"Allow?\" "                         \
    "bounds=\"[10,50][90,150]\"/></hierarchy>"

static void app_behind_a_dialog_is_kept(void **state)
{
    (void)state;
    wd_scene *app = read_with(SCREEN(""), NULL);
    assert_null(wd_scene_info_of(app)->background_app);
    wd_scene *first = read_with(PERMISSION, &(wd_screen_options){ .previous = app });
    assert_string_equal(wd_scene_info_of(first)->background_app, "com.x");
    wd_scene *second = read_with(PERMISSION, &(wd_screen_options){ .previous = first });
    assert_string_equal(wd_scene_info_of(second)->background_app, "com.x");
    wd_scene *back = read_with(SCREEN(""), &(wd_screen_options){ .previous = second });
    assert_null(wd_scene_info_of(back)->background_app);
    wd_scene_unref(&app);
    wd_scene_unref(&first);
    wd_scene_unref(&second);
    wd_scene_unref(&back);
}

static void same_tree_after_an_action_is_suspect(void **state)
{
    (void)state;
    wd_scene *before = read_with(SCREEN(NODE("widget.TextView", "a", "", "[0,0][9,9]")), NULL);
    wd_screen_options options = { .previous = before, .page_should_change = true };
    wd_scene *same = read_with(SCREEN(NODE("widget.TextView", "a", "", "[0,0][9,9]")), &options);
    assert_true(wd_scene_info_of(same)->stale_suspect);
    assert_true(has_warning(same, "same as before"));
    wd_scene *other = read_with(SCREEN(NODE("widget.TextView", "b", "", "[0,0][9,9]")), &options);
    assert_false(wd_scene_info_of(other)->stale_suspect);
    options.page_should_change = false;
    wd_scene *idle = read_with(SCREEN(NODE("widget.TextView", "a", "", "[0,0][9,9]")), &options);
    assert_false(wd_scene_info_of(idle)->stale_suspect);
    wd_scene_unref(&before);
    wd_scene_unref(&same);
    wd_scene_unref(&other);
    wd_scene_unref(&idle);
}

static void system_bars_are_no_part_of_the_digest(void **state)
{
    (void)state;
#define WITH_CLOCK(clock)                                                                                    \
    "<hierarchy><node package=\"com.android.systemui\" bounds=\"[0,0][100,9]\"><node text=\"" clock          \
    "\" package=\"com.android.systemui\" bounds=\"[0,0][9,9]\"/></node><node package=\"com.x\" text=\"a\" "  \
    "bounds=\"[0,0][100,200]\"/></hierarchy>"
    wd_scene *noon = read_with(WITH_CLOCK("12:00"), NULL), *later = read_with(WITH_CLOCK("12:01"), NULL);
    assert_true(wd_scene_node(noon, 1)->system_ui);
    assert_false(wd_scene_node(noon, 2)->system_ui);
    assert_true(wd_digest_equal(wd_scene_digest(noon), wd_scene_digest(later)));
    wd_scene_unref(&noon);
    wd_scene_unref(&later);
}

static void canonical_scene_reads_back(void **state)
{
    (void)state;
    const char *input =
        "{\"source_format\":\"x\",\"app_package\":\"com.x\",\"app_source\":\"peer\",\"nodes\":[{\"text\":"
        "\"a\"}]}";
    wd_scene *scene = read_with(input, NULL);
    assert_string_equal(wd_scene_info_of(scene)->app_source, "peer");
    wd_scene_unref(&scene);
}

int main(void)
{
    static const struct CMUnitTest others[] = {
        cmocka_unit_test(flat_lists_become_trees),
        cmocka_unit_test(flags_are_three_valued),
        cmocka_unit_test(orientation_is_that_of_the_bounds),
        cmocka_unit_test(size_is_the_largest_known),
        cmocka_unit_test(fractions_need_the_display),
        cmocka_unit_test(format_can_be_forced),
        cmocka_unit_test(companion_beats_the_tree),
        cmocka_unit_test(app_of_the_caller_is_the_last_resort),
        cmocka_unit_test(app_behind_a_dialog_is_kept),
        cmocka_unit_test(same_tree_after_an_action_is_suspect),
        cmocka_unit_test(system_bars_are_no_part_of_the_digest),
        cmocka_unit_test(canonical_scene_reads_back),
    };
    static struct CMUnitTest
        tests[WD_COUNT_OF(others) + WD_COUNT_OF(rect_cases) + 2 * WD_COUNT_OF(screen_cases)];
    static char names[WD_COUNT_OF(screen_cases)][160];
    size_t count = WD_COUNT_OF(others);
    memcpy(tests, others, sizeof others);
    for (size_t i = 0; i < WD_COUNT_OF(rect_cases); i++) {
        void *row = (void *)(uintptr_t)&rect_cases[i];
        tests[count++] = (struct CMUnitTest){ rect_cases[i].name, rect_is_kept_and_judged, NULL, NULL, row };
    }
    for (size_t i = 0; i < WD_COUNT_OF(screen_cases); i++) {
        void *row = (void *)(uintptr_t)&screen_cases[i];
        snprintf(names[i], sizeof names[i], "memory fails: %s", screen_cases[i].name);
        tests[count++] = (struct CMUnitTest){ screen_cases[i].name, screen_is_read, NULL, NULL, row };
        tests[count++] = (struct CMUnitTest){ names[i], every_allocation_may_fail, NULL, NULL, row };
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
