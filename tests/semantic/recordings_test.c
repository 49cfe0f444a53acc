// Real screens: each file of ../shared/recordings with a screen's row in EXPECTED.json is one named test.
// Skipped with a note when the recordings are not there.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "screen_fixture.h"
#include "semantic/enrich.h"
#include "semantic/score.h"
#include "tree/json.h"

enum { SCREENS_MAX = 2048 };

static char recordings[3000];
static wd_value *table;
static wd_score score;

typedef struct recording {
    const char *path;  // the table's key
    const wd_value *expected;
    wd_scene *scene;  // NULL: could not be read
    wd_error error;
} recording;

// ---- counting what a row of the table counts --------------------------------------------------------------

static bool ends(const char *text, const char *suffix)
{
    size_t length = text != NULL ? strlen(text) : 0, size = strlen(suffix);
    return length >= size && strcmp(text + length - size, suffix) == 0;
}

typedef bool node_question(const wd_node *node, int argument);

static bool is_node(const wd_node *node, int unused)
{
    (void)unused;
    return node != NULL;
}

static bool has_flag(const wd_node *node, int flag)
{
    return wd_node_is(node, (wd_node_flag)flag);
}

static bool lacks_flag(const wd_node *node, int flag)
{
    return wd_node_get(node, (wd_node_flag)flag) == WD_UNKNOWN;
}

static bool has_rect(const wd_node *node, int state)
{
    return node->rect_state == (wd_rect_state)state;
}

static bool is_negative(const wd_node *node, int unused)
{
    (void)unused;
    wd_rect rect = node->rect;
    return rect.left < 0 || rect.top < 0 || rect.right < 0 || rect.bottom < 0;
}

static bool is_edit_field(const wd_node *node, int unused)
{
    (void)unused;
    return ends(node->class_name, "EditText");
}

static bool is_webview(const wd_node *node, int unused)
{
    (void)unused;
    return ends(node->class_name, "WebView");
}

static const struct counted_field {
    const char *name;
    node_question *question;
    int argument;
} counted_fields[] = {
    { "nodes", is_node, 0 },
    { "elements", is_node, 0 },
    { "clickable", has_flag, WD_NODE_CLICKABLE },
    { "long_clickable", has_flag, WD_NODE_LONG_CLICKABLE },
    { "checkable", has_flag, WD_NODE_CHECKABLE },
    { "checked", has_flag, WD_NODE_CHECKED },
    { "scrollable", has_flag, WD_NODE_SCROLLABLE },
    { "enabled", has_flag, WD_NODE_ENABLED },
    { "focused", has_flag, WD_NODE_FOCUSED },
    { "selected", has_flag, WD_NODE_SELECTED },
    { "password", has_flag, WD_NODE_PASSWORD },
    { "editable", has_flag, WD_NODE_EDITABLE },
    { "visible_true", has_flag, WD_NODE_VISIBLE },
    { "editable_none", lacks_flag, WD_NODE_EDITABLE },
    { "zero_area", has_rect, WD_RECT_EMPTY },
    { "inverted", has_rect, WD_RECT_INVERTED },
    { "bad_bounds", has_rect, WD_RECT_UNKNOWN },
    { "negative", is_negative, 0 },
    { "edit_fields", is_edit_field, 0 },
    { "webviews", is_webview, 0 },
};

static void check_counts(const recording *row)
{
    for (size_t i = 0; i < WD_COUNT_OF(counted_fields); i++) {
        const struct counted_field *field = &counted_fields[i];
        const wd_value *expected = wd_object_get(row->expected, field->name);
        if (!wd_value_is(expected, WD_KIND_INT)) {
            continue;
        }
        int64_t count = 0;
        for (size_t n = 0; n < wd_scene_node_count(row->scene); n++) {
            count += field->question(wd_scene_node(row->scene, n), field->argument);
        }
        if (count != wd_value_as_int(expected)) {
            fail_msg("%s: %lld expected, %lld read", field->name, (long long)wd_value_as_int(expected),
                (long long)count);
        }
    }
}

static void check_packages(const recording *row)
{
    wd_iter iter = wd_iter_start(wd_object_get(row->expected, "packages"));
    while (wd_iter_next(&iter)) {
        int64_t count = 0;
        for (size_t i = 0; i < wd_scene_node_count(row->scene); i++) {
            const char *package = wd_scene_node(row->scene, i)->package;
            count += strcmp(package != NULL ? package : "null", iter.key) == 0;
        }
        assert_int_equal(count, wd_value_as_int(iter.value));
    }
}

/// All non-empty texts (or descriptions) in document order.
static void check_texts(const recording *row, const char *name, bool desc)
{
    const wd_value *expected = wd_object_get(row->expected, name);
    if (expected == NULL) {
        return;
    }
    size_t at = 0;
    for (size_t i = 0; i < wd_scene_node_count(row->scene); i++) {
        const wd_node *node = wd_scene_node(row->scene, i);
        const char *text = desc ? node->desc : node->text;
        if (text != NULL && text[0] != '\0') {
            assert_string_equal(text, wd_value_string_or(wd_array_at(expected, at), "(none)"));
            at += 1;
        }
    }
    assert_int_equal(at, wd_array_count(expected));
}

static void check_text_or_null(const wd_value *expected, const char *read)
{
    if (wd_value_is(expected, WD_KIND_STRING)) {
        assert_non_null(read);
        assert_string_equal(read, wd_value_as_string(expected, NULL));
    } else if (expected != NULL) {
        assert_null(read);
    }
}

static void check_info(const recording *row)
{
    const wd_scene_info *info = wd_scene_info_of(row->scene);
    const wd_value *rotation = wd_object_get(row->expected, "rotation");
    check_text_or_null(wd_object_get(row->expected, "format"), info->source_format);
    check_text_or_null(wd_value_is(rotation, WD_KIND_STRING) ? rotation : NULL, info->rotation_raw);
    check_text_or_null(wd_object_get(row->expected, "activity"), info->activity);
    check_text_or_null(wd_object_get(row->expected, "current_app"), info->app_package);
    const wd_value *screen = wd_object_get(row->expected, "screen");
    if (wd_value_is(wd_array_at(screen, 0), WD_KIND_INT)) {
        assert_int_equal(info->width, wd_value_as_int(wd_array_at(screen, 0)));
        assert_int_equal(info->height, wd_value_as_int(wd_array_at(screen, 1)));
    }
    const wd_value *corner = wd_object_get(row->expected, "right_bottom");
    if (corner != NULL) {  // the display is at least that large
        assert_true(info->width >= wd_value_as_int(wd_array_at(corner, 0)));
        assert_true(info->height >= wd_value_as_int(wd_array_at(corner, 1)));
    }
}

static void screen_gives_expected(void **state)
{
    const recording *row = *state;
    const char *parse = wd_value_string_or(wd_object_get(row->expected, "parse"), "ok");
    const wd_value *format = wd_object_get(row->expected, "format");
    if (strcmp(parse, "fail") == 0 || wd_value_is_text(format, "uiautomator_failure")) {
        assert_null(row->scene);
        return;
    }
    if (row->scene == NULL) {
        fail_msg("not read: %s", row->error.text);
    }
    assert_int_equal(wd_scene_info_of(row->scene)->parse_status,
        strcmp(parse, "ok") == 0 ? WD_PARSE_OK : WD_PARSE_RECOVERED);
    check_info(row);
    check_counts(row);
    check_packages(row);
    check_texts(row, "texts", false);
    check_texts(row, "descs", true);
    wd_semantic *semantic = NULL;
    assert_int_equal(wd_semantic_enrich(row->scene, &semantic), WD_OK);
    wd_semantic_unref(&semantic);
}

static double share(uint64_t part, uint64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 1;
}

static void targets_are_reached(void **state)
{
    (void)state;
    print_message("app %d/%d, titles known %d given %d right %d, high given %d right %d, kind %d/%d\n",
        (int)score.app.right, (int)score.app.known, (int)score.page.known, (int)score.page.given,
        (int)score.page.right, (int)score.page_high.given, (int)score.page_high.right, (int)score.kind.right,
        (int)score.kind.known);
    assert_int_equal(score.app.right, score.app.known);
    assert_int_equal(score.app.right, score.app.given);
    assert_true(share(score.page.right, score.page.known) >= 0.5);
    assert_true(share(score.page.right, score.page.given) >= 0.9);
    assert_true(share(score.page_high.given, score.page.given) >= 0.5);
    assert_int_equal(score.page_high.right, score.page_high.given);
}

static void print_line(const recording *row, wd_score_line line)
{
    static const wd_scene_info nothing;
    const wd_scene_info *info = row->scene != NULL ? wd_scene_info_of(row->scene) : &nothing;
    print_message("%-58s app %-6s page %-6s kind %-6s | %s | %s | %s %.2f | %s %s\n", row->path,
        wd_score_verdict_name(line.app), wd_score_verdict_name(line.page), wd_score_verdict_name(line.kind),
        wd_value_string_or(wd_object_get(row->expected, "title"), "-"), info->page != NULL ? info->page : "-",
        info->page_source != NULL ? info->page_source : "-", info->page_confidence,
        wd_page_kind_name(info->page_kind), row->scene == NULL ? row->error.text : "");
}

static void read_recording(recording *row)
{
    size_t length = 0;
    char *bytes = fixture_file(recordings, row->path, &length);
    if (bytes == NULL) {
        snprintf(row->error.text, sizeof row->error.text, "no such file");
        return;
    }
    if (wd_screen_read(bytes, length, NULL, &row->scene, &row->error) != WD_OK) {
        row->scene = NULL;
    }
    free(bytes);
    wd_score_line line = wd_score_add(&score, row->expected, row->scene);
    if (getenv("WORLDD_SCORE_LINES") != NULL) {
        print_line(row, line);
    }
}

int main(void)
{
    static recording rows[SCREENS_MAX];
    static struct CMUnitTest tests[SCREENS_MAX + 1];
    size_t count = 0, length = 0;
    snprintf(recordings, sizeof recordings, "%s/recordings", fixture_shared());
    char *text = fixture_file(recordings, "EXPECTED.json", &length);
    if (text == NULL) {
        print_message("skipped: no recordings in %s\n", recordings);
        return 0;
    }
    wd_error error;
    if (wd_json_parse(text, length, &table, &error) != WD_OK) {
        print_error("EXPECTED.json: %s\n", error.text);
        return 1;
    }
    free(text);
    wd_iter iter = wd_iter_start(table);
    while (wd_iter_next(&iter) && count < SCREENS_MAX) {
        if (wd_score_is_screen(iter.value)) {
            rows[count] = (recording){ .path = iter.key, .expected = iter.value };
            read_recording(&rows[count]);
            tests[count] = (struct CMUnitTest){ iter.key, screen_gives_expected, NULL, NULL, &rows[count] };
            count += 1;
        }
    }
    tests[count] = (struct CMUnitTest){ "targets are reached", targets_are_reached, NULL, NULL, NULL };
    int failed = _cmocka_run_group_tests("recordings", tests, count + 1, NULL, NULL);
    for (size_t i = 0; i < count; i++) {
        wd_scene_unref(&rows[i].scene);
    }
    wd_value_unref(&table);
    return failed;
}
