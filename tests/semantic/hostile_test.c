// Screens made to hurt: huge, deep, full of entities. Memory stays within eight times the input and 64 MiB,
// by the allocator's own count (expat's included), and each ends in a scene or a clear error.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "screen_fixture.h"
#include "semantic/enrich.h"
#include "tree/alloc.h"

enum { MIB = 1024 * 1024, DEPTH = 100 * 1000, MILLION = 1000 * 1000 };

/// A text that grows; plain malloc, so that it does not count as the reader's.
typedef struct text {
    char *bytes;
    size_t length, capacity;
} text;

static void add(text *out, const char *part)
{
    size_t length = strlen(part);
    if (out->length + length + 1 > out->capacity) {
        out->capacity = (out->length + length + 1) * 2;
        out->bytes = realloc(out->bytes, out->capacity);
        assert_non_null(out->bytes);
    }
    memcpy(out->bytes + out->length, part, length + 1);
    out->length += length;
}

static void add_times(text *out, const char *part, size_t times)
{
    for (size_t i = 0; i < times; i++) {
        add(out, part);
    }
}

static const char full_node[] =
    "<node index=\"0\" text=\"Some text &amp; more\" resource-id=\"com.x:id/row\" "
    "class=\"android.widget.TextView\" "
    "package=\"com.x\" content-desc=\"\" checkable=\"false\" checked=\"false\" clickable=\"true\" "
    "enabled=\"true\" "
    "focusable=\"false\" focused=\"false\" scrollable=\"false\" long-clickable=\"false\" password=\"false\" "
    "selected=\"false\" bounds=\"[0,0][1080,2400]\" />";

static void make_50_mb(text *out)
{
    add(out, "<hierarchy rotation=\"0\">");
    add_times(out, full_node, 50 * MIB / (sizeof full_node - 1));
    add(out, "</hierarchy>");
}

static void make_million_nodes(text *out)
{
    add(out, "<hierarchy><node bounds=\"[0,0][9,9]\">");
    add_times(out, "<node bounds=\"[0,0][9,9]\"/>", MILLION - 1);
    add(out, "</node></hierarchy>");
}

static void make_too_many_nodes(text *out)
{
    add(out, "<hierarchy><node bounds=\"[0,0][9,9]\">");
    add_times(out, "<node bounds=\"[0,0][9,9]\"/>", MILLION);
    add(out, "</node></hierarchy>");
}

static void make_million_bars(text *out)  // each looks like what titles are searched in
{
    add(out, "<hierarchy><node bounds=\"[0,0][90,90]\">");
    add_times(out,
        "<node class=\"Toolbar\" resource-id=\"a:id/page_title\" text=\"Title\" clickable=\"true\" "
        "bounds=\"[0,0][90,9]\"/>",
        MILLION / 20);
    add(out, "</node></hierarchy>");
}

static void make_deep_xml(text *out)
{
    add(out, "<hierarchy>");
    add_times(out, "<node class=\"View\" bounds=\"[0,0][9,9]\">", DEPTH);
    add_times(out, "</node>", DEPTH);
    add(out, "</hierarchy>");
}

static void make_long_attribute(text *out)
{
    add(out, "<hierarchy><node bounds=\"[0,0][9,9]\" text=\"");
    add_times(out, "0123456789abcde&#10;", MIB / 2);
    add(out, "\"/></hierarchy>");
}

static void make_entity_bomb(text *out)
{
    add(out, "<?xml version=\"1.0\"?><!DOCTYPE b [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b "
             "\"&a;&a;&a;&a;&a;&a;&a;&a;\">"
             "<!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;\"><!ENTITY d \"&c;&c;&c;&c;&c;&c;&c;&c;\">]>"
             "<hierarchy><node text=\"&d;\" bounds=\"[0,0][9,9]\"/></hierarchy>");
}

static void make_external_entity(text *out)
{
    add(out, "<!DOCTYPE h [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><hierarchy>"
             "<node text=\"&x;\" bounds=\"[0,0][9,9]\"/></hierarchy>");
}

static void make_inner_doctype(text *out)
{
    add(out,
        "<hierarchy><!DOCTYPE h [<!ENTITY x \"y\">]><node text=\"&x;\" bounds=\"[0,0][9,9]\"/></hierarchy>");
}

static void make_many_windows(text *out)
{
    add(out, "<displays><display id=\"0\">");
    add_times(out, "<window type=\"TYPE_APPLICATION\"><hierarchy/></window>", 1000);
    add(out, "</display></displays>");
}

static void make_deep_maestro(text *out)
{
    add_times(out, "{\"attributes\":{\"bounds\":\"[0,0][9,9]\",\"class\":\"View\"},\"children\":[", DEPTH);
    add(out, "{\"attributes\":{\"bounds\":\"[0,0][9,9]\"}}");
    add_times(out, "]}", DEPTH);
}

static void make_deep_brackets(text *out)
{
    add(out, "{\"activity_name\":\"a.b/c\",\"x\":");
    add_times(out, "[", 2 * MILLION);
}

static void make_numbers(text *out)
{
    add(out, "{\"foreground_activity\":\"a.b/.C\",\"views\":[{\"bounds\":[[0,0],[9,9]]}],\"x\":[1");
    add_times(out, ",1", 2 * MIB);
    add(out, "]}");
}

static void make_many_views(text *out)
{
    add(out, "{\"foreground_activity\":\"a.b/"
             ".C\",\"views\":[{\"temp_id\":0,\"parent\":-1,\"bounds\":[[0,0],[9,9]]}");
    add_times(out, ",{\"temp_id\":1,\"parent\":0,\"class\":\"android.view.View\",\"bounds\":[[0,0],[9,9]]}",
        MILLION / 5);
    add(out, "]}");
}

static void make_chain_of_views(text *out)  // each the child of the next: worst for whoever climbs
{
    char view[128];
    add(out, "{\"foreground_activity\":\"a.b/.C\",\"views\":[");
    for (int i = 0; i < DEPTH; i++) {
        snprintf(view, sizeof view, "{\"temp_id\":%d,\"parent\":%d,\"bounds\":[[0,0],[9,9]]},", i, i + 1);
        add(out, view);
    }
    add(out, "{\"temp_id\":-5,\"parent\":-1}]}");
}

static void make_long_json_text(text *out)
{
    add(out, "{\"attributes\":{\"bounds\":\"[0,0][9,9]\",\"text\":\"");
    add_times(out, "0123456789abcd\\n", 10 * MIB / 16);
    add(out, "\"}}");
}

static void make_many_elements(text *out)
{
    add_times(out,
        "UIElement(text='a', bbox_pixels=BoundingBox(x_min=0, x_max=9, y_min=0, y_max=9), "
        "is_clickable=True)\n",
        MILLION / 10);
}

static const struct hostile_case {
    const char *name;
    void (*make)(text *out);
    wd_status status;
    size_t nodes;       // of the scene
    const char *error;  // a part of it
} hostile_cases[] = {
    { "a dump of 50 MB", make_50_mb, WD_OK, 50 * MIB / (sizeof full_node - 1), NULL },
    { "a million nodes", make_million_nodes, WD_OK, MILLION, NULL },
    { "a million nodes and one", make_too_many_nodes, WD_ELIMIT, 0, "more than 1000000 nodes" },
    { "many bars and titles", make_million_bars, WD_OK, MILLION / 20 + 1, NULL },
    { "nodes 100,000 deep", make_deep_xml, WD_OK, DEPTH, NULL },
    { "an attribute of 10 MB", make_long_attribute, WD_OK, 1, NULL },
    { "an entity bomb", make_entity_bomb, WD_ECORRUPT, 0, "document type" },
    { "an external entity", make_external_entity, WD_ECORRUPT, 0, "document type" },
    { "a document type inside the root", make_inner_doctype, WD_ECORRUPT, 0, "XML: " },
    { "more windows than there can be", make_many_windows, WD_ELIMIT, 0, "more than 64 windows" },
    { "Maestro nodes 100,000 deep", make_deep_maestro, WD_OK, DEPTH + 1, NULL },
    { "two million open brackets", make_deep_brackets, WD_ELIMIT, 0, "nested too deep" },
    { "millions of numbers that are no part of the screen", make_numbers, WD_OK, 1, NULL },
    { "many views with one id", make_many_views, WD_OK, MILLION / 5 + 1, NULL },
    { "a chain of views from last to first", make_chain_of_views, WD_OK, DEPTH + 1, NULL },
    { "a JSON text of 10 MB", make_long_json_text, WD_OK, 1, NULL },
    { "many printed elements", make_many_elements, WD_OK, MILLION / 10, NULL },
};

static void screen_does_not_hurt(void **state)
{
    const struct hostile_case *row = *state;
    text input = { .length = 0 };
    row->make(&input);
    wd_scene *scene = NULL;
    wd_error error = { .status = WD_OK };
    uint64_t before = wd_alloc_stats_get().bytes_live;
    wd_alloc_reset_peak();
    wd_status status = wd_screen_read(input.bytes, input.length, NULL, &scene, &error);
    uint64_t peak = wd_alloc_stats_get().bytes_peak - before;
    if (status != row->status) {
        fail_msg("%s: %s", wd_status_name(status), error.text);
    }
    if (peak > 8 * (uint64_t)input.length + 64 * MIB) {
        fail_msg("%zu MiB for an input of %zu MiB", (size_t)(peak / MIB), input.length / MIB);
    }
    if (status == WD_OK) {
        assert_int_equal(wd_scene_node_count(scene), row->nodes);
        wd_semantic *semantic = NULL;
        assert_int_equal(wd_semantic_enrich(scene, &semantic), WD_OK);
        wd_semantic_unref(&semantic);
        (void)wd_scene_digest(scene);
    } else {
        assert_non_null(strstr(error.text, row->error));
        assert_null(scene);
    }
    wd_scene_unref(&scene);
    assert_int_equal(wd_alloc_stats_get().bytes_live, before);
    free(input.bytes);
}

int main(void)
{
    struct CMUnitTest tests[WD_COUNT_OF(hostile_cases)];
    for (size_t i = 0; i < WD_COUNT_OF(hostile_cases); i++) {
        void *row = (void *)(uintptr_t)&hostile_cases[i];
        tests[i] = (struct CMUnitTest){ hostile_cases[i].name, screen_does_not_hurt, NULL, NULL, row };
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
