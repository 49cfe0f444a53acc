// Ten thousand recorded steps through WorldModel: reading the episode's file included.
#include "bench.h"
#include "benches.h"

#include "runtime/replay.h"
#include "tree/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { STEPS = 10 * 1000, SCREENS = 50, NODES = 60 };

/// The same scene as the reader will make of it, so that steps can name it by digest.
static wd_status write_scene(FILE *file, int number, char ret_digest[WD_DIGEST_TEXT_SIZE])
{
    wd_scene_builder *builder = NULL;
    wd_scene *scene = NULL;
    wd_value *value = NULL;
    wd_buffer text = { 0 };
    wd_status status = wd_scene_builder_new(&builder);
    for (int i = 0; status == WD_OK && i < NODES; i++) {
        char label[32], id[32];
        snprintf(label, sizeof label, "line %d of %d", i, number);
        snprintf(id, sizeof id, "org.example:id/n%d", i);
        wd_node node = { .parent = i == 0 ? -1 : 0,
            .window = -1,
            .class_name = "android.widget.TextView",
            .package = "org.example",
            .resource_id = id,
            .text = label,
            .rect = { 0, i * 40, 1080, i * 40 + 40 } };
        wd_node_set(&node, WD_NODE_CLICKABLE, i % 3 == 0 ? WD_YES : WD_NO);
        status = wd_scene_builder_node(builder, &node, NULL);
    }
    if (status == WD_OK) {
        wd_scene_info info = { .source_format = "device",
            .app_package = "org.example",
            .app_source = "device",
            .route = "/list",
            .width = 1080,
            .height = 2400 };
        status = wd_scene_builder_finish(builder, &info, &scene);
    }
    status = status == WD_OK ? wd_scene_to_value(scene, &value) : status;
    status = status == WD_OK ? wd_json_write(value, WD_JSON_COMPACT, &text) : status;
    if (status == WD_OK) {
        wd_digest_text(wd_scene_digest(scene), ret_digest);
        fprintf(file, "{\"type\":\"scene\",\"digest\":\"%s\",\"scene\":%s}\n", ret_digest, text.bytes);
    }
    wd_buffer_done(&text);
    wd_value_unref(&value);
    wd_scene_unref(&scene);
    wd_scene_builder_destroy(&builder);
    return status;
}

static bool write_episode(const char *path)
{
    static char digests[SCREENS][WD_DIGEST_TEXT_SIZE];
    FILE *file = fopen(path, "we");
    bool whole = file != NULL;
    if (whole) {
        fputs("{\"type\":\"header\",\"format\":\"worldd-episode\",\"version\":1,\"run\":\"bench\","
              "\"executor\":\"observed\","
              "\"task\":{\"id\":\"bench\",\"instruction\":\"\"}}\n",
            file);
    }
    for (int i = 0; whole && i < SCREENS; i++) {
        whole = write_scene(file, i, digests[i]) == WD_OK;
    }
    if (whole) {
        fprintf(file, "{\"type\":\"begin\",\"scene\":\"%s\"}\n", digests[0]);
    }
    for (int i = 0; whole && i < STEPS; i++) {
        fprintf(file,
            "{\"type\":\"step\",\"index\":%d,\"scene\":\"%s\",\"action\":{\"kind\":\"tap\",\"x\":%d,\"y\":40,"
            "\"space\":\"px\"},"
            "\"args\":{\"remember\":{\"n\":%d}},\"result\":{\"outcome\":\"ok\",\"code\":\"ok\"},\"observed\":"
            "true,"
            "\"scene_after\":\"%s\"}\n",
            i, digests[i % SCREENS], i % 1080, i, digests[(i + 1) % SCREENS]);
    }
    return file != NULL && fclose(file) == 0 && whole;
}

static void count(void *context, const wd_passive_step *step)
{
    *(size_t *)context += step->action != NULL;
}

void bench_replay_row(wd_bench *bench)
{
    char path[] = "/tmp/worldd-bench-XXXXXX";
    int descriptor = mkstemp(path);
    if (descriptor < 0 || !write_episode(path)) {
        wd_bench_fail(bench, "cannot write %s", path);
        return;
    }
    close(descriptor);
    wd_run_options options = wd_run_options_default();
    wd_episode episode = { 0 };
    wd_error error = { 0 };
    size_t steps = 0;
    uint64_t start = wd_bench_now_ns();
    wd_status status = wd_episode_load(path, &episode, &error);
    status = status == WD_OK ? wd_replay_passive(&episode, &options, count, &steps, &error) : status;
    double seconds = (double)(wd_bench_now_ns() - start) / 1e9;
    wd_episode_done(&episode);
    unlink(path);
    if (status != WD_OK || steps != STEPS) {
        wd_bench_fail(bench, "%zu of %d steps: %s", steps, STEPS, error.text);
        return;
    }
    wd_bench_add(bench, &(wd_bench_row){ .name = "10,000 recorded steps", .value = seconds, .unit = "s" });
}
