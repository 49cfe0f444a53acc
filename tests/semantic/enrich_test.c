// Semantic scenes: what a device's app declares is taken as it is; on foreign screens each purpose is a row.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "screen_fixture.h"
#include "semantic/enrich.h"
#include "tree/alloc.h"
#include "tree/json.h"

#define N(class_name, id, text, desc, bounds, more)                                                          \
    "<node class=\"android.widget." class_name "\" resource-id=\"" id "\" text=\"" text                      \
    "\" content-desc=\"" desc "\" package=\"com.x\" bounds=\"" bounds "\" " more "/>"
#define OPEN(class_name, id, bounds, more)                                                                   \
    "<node class=\"android.widget." class_name "\" resource-id=\"" id                                        \
    "\" package=\"com.x\" bounds=\"" bounds "\" " more ">"
#define SCREEN(inner)                                                                                        \
    "<hierarchy>" OPEN("FrameLayout", "", "[0,0][1000,2000]", "") inner "</node></hierarchy>"
#define DIALOG(inner)                                                                                        \
    "<hierarchy>" OPEN("FrameLayout", "", "[100,500][900,900]", "") N("TextView", "android:id/alertTitle",   \
        "Sure?", "", "[120,520][800,580]", "") inner "</node></hierarchy>"
#define CLICK "clickable=\"true\""

static const struct purpose_case {
    const char *name, *input;
    int node;
    const char *purpose, *label, *intent;  // NULL: none
} purpose_cases[] = {
    { "a search box by its id",
        SCREEN(N("EditText", "a:id/search_box", "", "", "[0,0][9,9]", "hint=\"Find shops\"")), 1, "search",
        "Find shops", "search" },
    { "a search button by its word", SCREEN(N("ImageButton", "", "", "Search", "[0,0][9,9]", CLICK)), 1,
        "search", "Search", "search" },
    { "a text field with its hint", SCREEN(N("EditText", "a:id/e", "", "", "[0,0][9,9]", "hint=\"E-mail\"")),
        1, "field", "E-mail", "fill in E-mail" },
    { "a text field with the text above it",
        SCREEN(N("TextView", "", "Your name", "", "[0,100][500,140]", "")
                N("EditText", "", "Ann", "", "[0,150][500,220]", "")),
        2, "field", "Your name", "fill in Your name" },
    { "a text field with the text left of it",
        SCREEN(N("TextView", "", "City", "", "[0,150][100,220]", "")
                N("EditText", "", "", "", "[110,150][500,220]", "")),
        2, "field", "City", "fill in City" },
    { "a button that submits", SCREEN(N("Button", "", "Sign in", "", "[0,0][9,9]", CLICK)), 1, "submit",
        "Sign in", "Sign in" },
    { "a button that submits, in Japanese",
        SCREEN(N("Button", "", "\xE9\x80\x81\xE4\xBF\xA1", "", "[0,0][9,9]", CLICK)), 1, "submit",
        "\xE9\x80\x81\xE4\xBF\xA1", "\xE9\x80\x81\xE4\xBF\xA1" },
    { "a button that leads back", SCREEN(N("ImageButton", "", "", "Navigate up", "[0,0][9,9]", CLICK)), 1,
        "back", "Navigate up", "go back" },
    { "a button that closes", SCREEN(N("ImageView", "", "", "Close", "[0,0][9,9]", CLICK)), 1, "dismiss",
        "Close", "close" },
    { "a button that opens a menu", SCREEN(N("ImageView", "", "", "More options", "[0,0][9,9]", CLICK)), 1,
        "menu", "More options", "open the menu" },
    { "a switch with its own text",
        SCREEN(N("Switch", "", "Wi-Fi", "", "[0,0][9,9]", CLICK " checkable=\"true\"")), 1, "toggle", "Wi-Fi",
        "switch Wi-Fi" },
    { "a switch named by its row",
        SCREEN(OPEN("LinearLayout", "", "[0,0][1000,100]", "")
                N("TextView", "", "Bluetooth", "", "[0,0][500,100]", "")
                    N("Switch", "", "", "", "[800,0][1000,100]", CLICK " checkable=\"true\"") "</node>"),
        3, "toggle", "Bluetooth", "switch Bluetooth" },
    { "a tab",
        SCREEN(OPEN("TabLayout", "a:id/tabs", "[0,0][1000,100]", "")
                N("LinearLayout", "", "", "Chats", "[0,0][9,9]", CLICK) "</node>"),
        2, "tab", "Chats", "go to tab Chats" },
    { "a list item is named by the first text in it",
        SCREEN(OPEN("ListView", "", "[0,0][1000,1000]", "") OPEN("LinearLayout", "", "[0,0][1000,100]", CLICK)
                N("ImageView", "", "", "", "[0,0][9,9]", "")
                    N("TextView", "", "Ann", "", "[10,0][500,100]", "") "</node></node>"),
        2, "item", "Ann", "open Ann" },
    { "some other button", SCREEN(N("Button", "", "Compare", "", "[0,0][9,9]", CLICK)), 1, "button",
        "Compare", "press Compare" },
    { "an actionable node without any name", SCREEN(N("ImageView", "", "", "", "[0,0][9,9]", CLICK)), 1,
        "button", NULL, NULL },
    { "a text is no widget", SCREEN(N("TextView", "", "Search", "", "[0,0][9,9]", "")), 1, NULL, NULL, NULL },
    { "a dialog's positive button",
        DIALOG(N("Button", "android:id/button1", "Weg damit", "", "[700,800][880,880]", CLICK)), 2, "confirm",
        "Weg damit", "confirm: Weg damit" },
    { "a dialog's negative button", DIALOG(N("Button", "", "Not now", "", "[500,800][680,880]", CLICK)), 2,
        "cancel", "Not now", "cancel: Not now" },
    { "an invisible button is nothing to act on",
        SCREEN(N("Button", "", "Send", "", "[0,0][9,9]", CLICK " visible-to-user=\"false\"")), 1, NULL, NULL,
        NULL },
};

static wd_scene *read_screen(const char *input)
{
    wd_scene *scene = NULL;
    wd_error error;
    wd_screen_options options = { .width = 1000, .height = 2000 };
    if (wd_screen_read(input, strlen(input), &options, &scene, &error) != WD_OK) {
        fail_msg("%s", error.text);
    }
    return scene;
}

static const wd_widget *widget_of(const wd_semantic_init *content, int node)
{
    for (size_t i = 0; i < content->widget_count; i++) {
        if (content->widgets[i].node == node) {
            return &content->widgets[i];
        }
    }
    return NULL;
}

static const char *intent_of(const wd_semantic_init *content, int node)
{
    for (size_t i = 0; i < content->intent_count; i++) {
        if (content->intents[i].node == node) {
            return content->intents[i].text;
        }
    }
    return NULL;
}

static void check_text(const char *read, const char *expected)
{
    if (expected == NULL) {
        assert_null(read);
    } else {
        assert_non_null(read);
        assert_string_equal(read, expected);
    }
}

static void purpose_is_told(void **state)
{
    const struct purpose_case *row = *state;
    wd_scene *scene = read_screen(row->input);
    wd_semantic *semantic = NULL;
    assert_int_equal(wd_semantic_enrich(scene, &semantic), WD_OK);
    const wd_semantic_init *content = wd_semantic_get(semantic);
    assert_string_equal(content->enricher, "rules");
    const wd_widget *widget = widget_of(content, row->node);
    check_text(widget != NULL ? widget->purpose : NULL, row->purpose);
    check_text(widget != NULL ? widget->label : NULL, row->label);
    check_text(intent_of(content, row->node), row->intent);
    wd_semantic_unref(&semantic);
    wd_scene_unref(&scene);
}

static void page_comes_with_source_and_confidence(void **state)
{
    (void)state;
    wd_scene *scene =
        read_screen(SCREEN(N("TextView", "a:id/toolbar_title", "Orders", "", "[150,100][400,160]", "")));
    wd_semantic *semantic = NULL;
    assert_int_equal(wd_semantic_enrich(scene, &semantic), WD_OK);
    const wd_page_identity *page = &wd_semantic_get(semantic)->page;
    assert_string_equal(page->app, "com.x");
    assert_string_equal(page->app_source, "tree");
    assert_string_equal(page->id, "Orders");
    assert_string_equal(page->title, "Orders");
    assert_string_equal(page->source, "title_id");
    assert_true(page->confidence >= 0.8);
    assert_int_equal(page->kind, WD_PAGE_APP);
    wd_semantic_unref(&semantic);
    wd_scene_unref(&scene);
}

static void title_stands_beside_an_activity(void **state)
{
    (void)state;
    const char *input =
        "{\"foreground_activity\":\"com.x/.Detail\",\"width\":1000,\"height\":2000,\"views\":[{\"temp_id\":0,"
        "\"package\":\"com.x\",\"bounds\":[[0,0],[1000,2000]]},{\"temp_id\":1,\"parent\":0,\"text\":"
        "\"Orders\","
        "\"resource_id\":\"a:id/toolbar_title\",\"package\":\"com.x\",\"bounds\":[[0,50],[400,120]]}]}";
    wd_scene *scene = read_screen(input);
    wd_semantic *semantic = NULL;
    assert_int_equal(wd_semantic_enrich(scene, &semantic), WD_OK);
    const wd_page_identity *page = &wd_semantic_get(semantic)->page;
    assert_string_equal(page->id, "Detail");
    assert_string_equal(page->source, "activity");
    assert_string_equal(page->title, "Orders");
    wd_semantic_unref(&semantic);
    wd_scene_unref(&scene);
}

static void peer_may_give_nodes_only(void **state)
{
    (void)state;
    const char *input =
        "{\"source_format\":\"peer\",\"width\":1000,\"height\":2000,\"parse_status\":\"ok\",\"nodes\":["
        "{\"package\":\"com.x\",\"rect\":[0,0,1000,2000]},{\"parent\":0,\"package\":\"com.x\",\"text\":"
        "\"Orders\","
        "\"resource_id\":\"a:id/toolbar_title\",\"rect\":[0,50,400,120]}]}";
    wd_scene *scene = read_screen(input);
    wd_semantic *semantic = NULL;
    assert_int_equal(wd_semantic_enrich(scene, &semantic), WD_OK);
    assert_string_equal(wd_semantic_get(semantic)->page.app, "com.x");
    assert_string_equal(wd_semantic_get(semantic)->page.title, "Orders");
    wd_semantic_unref(&semantic);
    wd_scene_unref(&scene);
}

// ---- device -----------------------------------------------------------------------------------------------

static wd_scene *device_scene(const char *page, const char *route)
{
    wd_scene_builder *builder = NULL;
    wd_scene *scene = NULL;
    wd_value *params = NULL;
    assert_int_equal(wd_json_parse("{\"thread\":2}", 12, &params, NULL), WD_OK);
    assert_int_equal(wd_scene_builder_new(&builder), WD_OK);
    wd_node nodes[] = {
        { .parent = -1, .window = -1, .role = "list", .rect = { 0, 0, 100, 200 } },
        { .parent = 0,
            .window = -1,
            .role = "button",
            .text = "Send",
            .purpose = "submit",
            .rect = { 0, 0, 9, 9 } },
    };
    for (size_t i = 0; i < WD_COUNT_OF(nodes); i++) {
        assert_int_equal(wd_scene_builder_node(builder, &nodes[i], NULL), WD_OK);
    }
    assert_int_equal(wd_scene_builder_intent(builder, &(wd_scene_intent){ "send the message", 1 }), WD_OK);
    wd_scene_info info = { .source_format = "device",
        .app_package = "messages",
        .app_source = "device",
        .page = page,
        .page_source = page != NULL ? "device" : NULL,
        .route = route,
        .page_params = params,
        .page_kind = WD_PAGE_APP };
    assert_int_equal(wd_scene_builder_finish(builder, &info, &scene), WD_OK);
    wd_scene_builder_destroy(&builder);
    wd_value_unref(&params);
    return scene;
}

static void device_declares(void **state)
{
    (void)state;
    wd_scene *scene = device_scene("conversation", "/thread/2?from=list");
    wd_semantic *semantic = NULL;
    assert_int_equal(wd_semantic_enrich(scene, &semantic), WD_OK);
    const wd_semantic_init *content = wd_semantic_get(semantic);
    assert_string_equal(content->enricher, "device");
    assert_string_equal(content->page.app, "messages");
    assert_string_equal(content->page.id, "conversation");
    assert_string_equal(content->page.source, "device");
    assert_true(content->page.confidence == 1);
    assert_int_equal(wd_value_int_or(wd_object_get(content->page.params, "thread"), -1), 2);
    assert_int_equal(content->widget_count, 1);
    assert_string_equal(widget_of(content, 1)->purpose, "submit");
    assert_string_equal(widget_of(content, 1)->label, "Send");
    assert_string_equal(intent_of(content, 1), "send the message");
    wd_semantic_unref(&semantic);
    wd_scene_unref(&scene);
}

static void device_page_falls_back_to_the_route(void **state)
{
    (void)state;
    wd_scene *scene = device_scene(NULL, "/thread/2?from=list"), *unknown = device_scene(NULL, NULL);
    wd_semantic *semantic = NULL;
    assert_int_equal(wd_semantic_enrich(scene, &semantic), WD_OK);
    assert_string_equal(wd_semantic_get(semantic)->page.id, "/thread/2");
    assert_string_equal(wd_semantic_get(semantic)->page.source, "route");
    wd_semantic_unref(&semantic);
    assert_int_equal(wd_semantic_enrich(unknown, &semantic), WD_OK);
    assert_null(wd_semantic_get(semantic)->page.id);
    assert_null(wd_semantic_get(semantic)->page.source);
    assert_true(wd_semantic_get(semantic)->page.confidence == 0);
    wd_semantic_unref(&semantic);
    wd_scene_unref(&scene);
    wd_scene_unref(&unknown);
}

static void device_pages_have_keys_of_their_own(void **state)
{
    (void)state;
    wd_scene *one = device_scene("wifi", NULL), *other = device_scene("bluetooth", NULL);
    wd_digest one_key, other_key;
    assert_int_equal(wd_page_key(one, &one_key), WD_OK);
    assert_int_equal(wd_page_key(other, &other_key), WD_OK);
    assert_false(wd_digest_equal(one_key, other_key));
    wd_scene_unref(&one);
    wd_scene_unref(&other);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    wd_scene *scenes[] = { device_scene("conversation", NULL), read_screen(purpose_cases[13].input) };
    for (size_t i = 0; i < WD_COUNT_OF(scenes); i++) {
        uint64_t before = wd_alloc_stats_get().bytes_live;
        wd_semantic *semantic = NULL;
        for (long calls = 0; semantic == NULL; calls++) {
            assert_in_range(calls, 0, 100);
            wd_alloc_fail_after(calls);
            wd_status status = wd_semantic_enrich(scenes[i], &semantic);
            wd_alloc_fail_after(-1);
            assert_int_equal(status, semantic == NULL ? WD_ENOMEM : WD_OK);
            assert_true(semantic != NULL || wd_alloc_stats_get().bytes_live == before);
        }
        wd_semantic_unref(&semantic);
        wd_scene_unref(&scenes[i]);
    }
}

int main(void)
{
    static const struct CMUnitTest others[] = {
        cmocka_unit_test(page_comes_with_source_and_confidence),
        cmocka_unit_test(title_stands_beside_an_activity),
        cmocka_unit_test(peer_may_give_nodes_only),
        cmocka_unit_test(device_declares),
        cmocka_unit_test(device_page_falls_back_to_the_route),
        cmocka_unit_test(device_pages_have_keys_of_their_own),
        cmocka_unit_test(every_allocation_may_fail),
    };
    static struct CMUnitTest tests[WD_COUNT_OF(others) + WD_COUNT_OF(purpose_cases)];
    memcpy(tests, others, sizeof others);
    for (size_t i = 0; i < WD_COUNT_OF(purpose_cases); i++) {
        void *row = (void *)(uintptr_t)&purpose_cases[i];
        tests[WD_COUNT_OF(others) + i] =
            (struct CMUnitTest){ purpose_cases[i].name, purpose_is_told, NULL, NULL, row };
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
