// scenes.c - `worldd-bench scenes [FILE]`: reading a uiautomator dump against a bare expat parse of the same
// text, and telling app and page. Without FILE, on a screen of 300 nodes of our own making.
#include "benches.h"

#include "identity.h"
#include "semantic/enrich.h"
#include "semantic/screen.h"

#include <expat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS = 59,  // of 5 nodes, and 5 around them: 300 nodes
    TEXT_MAX = 1 << 20,
    ROUNDS = 80,
    CALLS = 4,  // a round
};

typedef struct context {
    wd_bench *bench;
    char *text;
    size_t length;
    wd_scene *scene;
} context;

static void XMLCALL on_start(void *user, const XML_Char *name, const XML_Char **attributes)
{
    (void)user, (void)name, (void)attributes;
}

static void XMLCALL on_end(void *user, const XML_Char *name)
{
    (void)user, (void)name;
}

static void XMLCALL on_text(void *user, const XML_Char *text, int length)
{
    (void)user, (void)text, (void)length;
}

static void parse_bare(void *argument)
{
    context *work = argument;
    XML_Parser parser = XML_ParserCreate("UTF-8");
    XML_SetElementHandler(parser, on_start, on_end);
    XML_SetCharacterDataHandler(parser, on_text);
    if (XML_Parse(parser, work->text, (int)work->length, XML_TRUE) != XML_STATUS_OK) {
        wd_bench_fail(work->bench, "expat: %s", XML_ErrorString(XML_GetErrorCode(parser)));
    }
    XML_ParserFree(parser);
}

static void read_scene(void *argument)
{
    context *work = argument;
    wd_scene *scene = NULL;
    wd_error error;
    if (wd_screen_read(work->text, work->length, NULL, &scene, &error) != WD_OK) {
        wd_bench_fail(work->bench, "%s", error.text);
        return;
    }
    wd_scene_unref(&scene);
}

static int compare_doubles(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static void identify(void *argument)
{
    context *work = argument;
    // As the file says it: nothing explicit, so that every rule has its turn.
    const wd_scene_info *read = wd_scene_info_of(work->scene);
    wd_scene_info info = { .width = read->width, .height = read->height };
    wd_screen_view view = { wd_scene_node(work->scene, 0), wd_scene_node_count(work->scene),
        wd_scene_window(work->scene, 0), wd_scene_window_count(work->scene), &info };
    wd_identity identity;
    wd_digest key;
    wd_identify(&view, NULL, NULL, &identity);
    if (wd_page_key(work->scene, &key) != WD_OK) {
        wd_bench_fail(work->bench, "page key: out of memory");
    }
    wd_bench_use(&identity);
    wd_bench_use(&key);
}

static void enrich(void *argument)
{
    context *work = argument;
    wd_semantic *semantic = NULL;
    if (wd_semantic_enrich(work->scene, &semantic) != WD_OK) {
        wd_bench_fail(work->bench, "enrichment: out of memory");
    }
    wd_semantic_unref(&semantic);
}

/// One node as uiautomator writes it, closed by the caller.
static size_t put_node(
    char *text, const char *class_name, const char *id, const char *label, int top, bool clickable)
{
    return (size_t)sprintf(text,
        "<node index=\"0\" text=\"%s\" resource-id=\"com.example.shop:id/%s\" class=\"android.widget.%s\" "
        "package=\"com.example.shop\" content-desc=\"\" checkable=\"false\" checked=\"false\" "
        "clickable=\"%s\" "
        "enabled=\"true\" focusable=\"false\" focused=\"false\" scrollable=\"false\" "
        "long-clickable=\"false\" "
        "password=\"false\" selected=\"false\" bounds=\"[0,%d][1080,%d]\">",
        label, id, class_name, clickable ? "true" : "false", top, top + 40);
}

static size_t make_screen(char *text)
{
    char label[64];
    size_t at = (size_t)sprintf(
        text, "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\">");
    at += put_node(text + at, "FrameLayout", "content", "", 0, false);
    at += put_node(text + at, "LinearLayout", "bar", "", 60, false);
    at += put_node(text + at, "ImageButton", "up", "", 60, true);
    at += (size_t)sprintf(text + at, "</node>");
    at += put_node(text + at, "TextView", "name", "Orders &amp; returns", 60, false);
    at += (size_t)sprintf(text + at, "</node></node>");
    at += put_node(text + at, "ListView", "list", "", 120, false);
    for (int row = 0; row < ROWS; row++) {
        static const char *const parts[] = { "title", "subtitle", "price", "badge" };
        at += put_node(text + at, "RelativeLayout", "row", "", 120 + 40 * row, true);
        for (size_t part = 0; part < WD_COUNT_OF(parts); part++) {
            snprintf(label, sizeof label, "Order %d, %s", 1000 + row, parts[part]);
            at += put_node(text + at, "TextView", parts[part], label, 120 + 40 * row, false);
            at += (size_t)sprintf(text + at, "</node>");
        }
        at += (size_t)sprintf(text + at, "</node>");
    }
    return at + (size_t)sprintf(text + at, "</node></node></hierarchy>");
}

static bool load(context *work)
{
    const char *path = wd_bench_argument(work->bench);
    if (path == NULL) {
        work->text = malloc(TEXT_MAX);
        work->length = work->text != NULL ? make_screen(work->text) : 0;
        return work->text != NULL;
    }
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return false;
    }
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    work->text = malloc((size_t)size + 1);
    work->length = work->text != NULL ? fread(work->text, 1, (size_t)size, file) : 0;
    fclose(file);
    return work->text != NULL;
}

wd_bench_function bench_scenes;

/// Both in turns, so that whatever else the machine does meets both; the median of each, in microseconds.
static void time_in_turns(context *work, double *ret_value, double *ret_baseline)
{
    double values[ROUNDS], baselines[ROUNDS];
    size_t rounds = wd_bench_quick(work->bench) ? ROUNDS / 4 : ROUNDS;
    for (size_t i = 0; i < rounds; i++) {
        uint64_t start = wd_bench_now_ns();
        for (int call = 0; call < CALLS; call++) {
            parse_bare(work);
        }
        uint64_t middle = wd_bench_now_ns();
        for (int call = 0; call < CALLS; call++) {
            read_scene(work);
        }
        uint64_t end = wd_bench_now_ns();
        baselines[i] = (double)(middle - start) / CALLS / 1000;
        values[i] = (double)(end - middle) / CALLS / 1000;
    }
    qsort(values, rounds, sizeof *values, compare_doubles);
    qsort(baselines, rounds, sizeof *baselines, compare_doubles);
    *ret_value = values[rounds / 2];
    *ret_baseline = baselines[rounds / 2];
}

void bench_scenes(wd_bench *bench)
{
    context work = { .bench = bench };
    if (!load(&work) || wd_screen_read(work.text, work.length, NULL, &work.scene, NULL) != WD_OK) {
        wd_bench_fail(bench, "no screen to measure on");
        free(work.text);
        return;
    }
    wd_bench_row reading = { .name = "uiautomator XML to scene", .unit = "us" };
    time_in_turns(&work, &reading.value, &reading.baseline);
    wd_bench_add(bench, &reading);
    const struct measured {
        const char *name;
        void (*body)(void *context);
    } rows[] = { { "identity", identify }, { "semantic scene by rule", enrich } };
    for (size_t i = 0; i < WD_COUNT_OF(rows); i++) {
        double value = wd_bench_time(bench, rows[i].body, &work) / 1000;
        wd_bench_add(bench, &(wd_bench_row){ .name = rows[i].name, .value = value, .unit = "us" });
    }
    bench_replay_row(bench);
    wd_scene_unref(&work.scene);
    free(work.text);
}
