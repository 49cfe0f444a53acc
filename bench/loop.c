// loop.c - `worldd-bench loop`: a whole plan round trip (pack, broker, ROUTER, a real planner-stub process, ROUTER,
// broker, unpack) over ipc against a bare ROUTER/DEALER exchange of the same request and reply bytes. Everything on one
// core, both in turns, so that they meet the same machine.
#include "benches.h"

#include "proto/frame.h"
#include "runtime/broker.h"
#include "runtime/codec.h"
#include "tree/alloc.h"
#include "tree/json.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zmq.h>

enum {
    NODE_COUNT = 60,
    HISTORY_COUNT = 10,
    ROUNDS = 4000,
    ROUNDS_QUICK = 400,
    ROUNDS_IN_TURN = 100,  // of one kind before the other has its turn
    PATIENCE_MS = 5000,
    PATH_SIZE = 512,
    FRAMES_MAX = 4,
    BASELINE_US = 22,  // spec/limits.md section 1, ipc on one core, between 2 KB and 64 KB
};

extern char **environ;

typedef struct loop_bench {
    wd_bench *bench;
    char directory[PATH_SIZE], planner_endpoint[PATH_SIZE], echo_endpoint[PATH_SIZE];
    pid_t planner, echo;
    void *zmq, *planner_router, *echo_router;
    wd_broker *broker;
    wd_broker_outbox outbox;
    wd_scene *scene;
    wd_semantic *semantic;
    wd_world_model *model;
    wd_value *params;
    wd_plan_request request;
    // The bytes of one exchange, for the bare one.
    uint8_t *request_bytes, *reply_bytes;
    size_t request_length, reply_length;
    wd_peer_id echo_peer;
} loop_bench;

// ---- what is sent ---------------------------------------------------------------------------------------------

static wd_status make_scene(wd_scene **ret_scene)
{
    wd_scene_builder *builder = NULL;
    wd_status status = wd_scene_builder_new(&builder);
    for (int i = 0; i < NODE_COUNT && status == WD_OK; i++) {
        char id[64], text[64];
        snprintf(id, sizeof id, "messages:id/row_%d", i);
        snprintf(text, sizeof text, "Message number %d of this conversation", i);
        wd_node node = { .parent = i == 0 ? -1 : (i - 1) / 4,
            .window = -1,
            .class_name = "android.widget.TextView",
            .package = "com.android.messages",
            .resource_id = id,
            .text = i % 3 == 0 ? NULL : text,
            .desc = i % 7 == 0 ? "a description" : NULL,
            .role = i % 3 == 0 ? "row" : "text",
            .rect = { 0, i * 40, 1080, i * 40 + 40 } };
        wd_node_set(&node, WD_NODE_CLICKABLE, i % 3 == 0 ? WD_YES : WD_NO);
        wd_node_set(&node, WD_NODE_ENABLED, WD_YES);
        status = wd_scene_builder_node(builder, &node, NULL);
    }
    wd_scene_info info = { .source_format = "device",
        .width = 1080,
        .height = 2400,
        .app_package = "com.android.messages",
        .activity = "Conversation",
        .route = "/conversation/7",
        .page = "conversation",
        .page_kind = WD_PAGE_APP };
    if (status == WD_OK) {
        status = wd_scene_builder_finish(builder, &info, ret_scene);
    }
    wd_scene_builder_destroy(&builder);
    return status;
}

static wd_status make_semantic(wd_semantic **ret_semantic)
{
    wd_scene_intent intents[8];
    wd_widget widgets[20];
    for (int i = 0; i < 8; i++) {
        intents[i] = (wd_scene_intent){ "open the conversation with Li Wei", 3 * i };
    }
    for (int i = 0; i < 20; i++) {
        widgets[i] = (wd_widget){ .node = 3 * i, .purpose = "item", .label = "Li Wei" };
    }
    wd_semantic_init init = { .page = { .app = "com.android.messages",
                                  .id = "conversation",
                                  .title = "Li Wei",
                                  .source = "device",
                                  .confidence = 1,
                                  .kind = WD_PAGE_APP,
                                  .key = { 1, 2 } },
        .intents = intents,
        .intent_count = 8,
        .widgets = widgets,
        .widget_count = 20,
        .enricher = "device" };
    return wd_semantic_new(&init, ret_semantic);
}

/// A WorldState with a full history and some variables.
static wd_status make_model(const wd_scene *scene, const wd_semantic *semantic, wd_world_model **ret_model)
{
    wd_world_options options = wd_world_options_default();
    wd_status status = wd_world_model_new(&options, ret_model, NULL);
    if (status == WD_OK) {
        status = wd_world_model_begin(*ret_model, scene, semantic);
    }
    for (int i = 0; i < HISTORY_COUNT && status == WD_OK; i++) {
        char args[128];
        int length = snprintf(args, sizeof args,
            "{\"node\":%d,\"remember\":{\"name_%d\":\"the value remembered %d\"}}", i, i, i);
        wd_step step = { .args = NULL };
        wd_action_init(&step.action, WD_ACTION_TAP);
        wd_observe_report report = { .step_index = 0 };
        wd_result result = wd_result_ok();
        status = wd_json_parse(args, (size_t)length, &step.args, NULL);
        if (status == WD_OK) {
            status = wd_world_model_observe(*ret_model, scene, semantic, &step, &result, &report);
        }
        wd_observe_report_done(&report);
        wd_step_done(&step);
    }
    return status;
}

static wd_status make_request(loop_bench *loop)
{
    static const char params[] = "{\"contact\":\"Li Wei\",\"texts\":[\"one\",\"two\"]}";
    wd_status status = make_scene(&loop->scene);
    if (status == WD_OK) {
        status = make_semantic(&loop->semantic);
    }
    if (status == WD_OK) {
        status = make_model(loop->scene, loop->semantic, &loop->model);
    }
    if (status == WD_OK) {
        status = wd_json_parse(params, sizeof params - 1, &loop->params, NULL);
    }
    if (status == WD_OK) {
        loop->request = (wd_plan_request){ .run_id = "bench",
            .task_id = "messages.write_twice",
            .instruction = "Send two messages to Li Wei",
            .params = loop->params,
            .step_index = HISTORY_COUNT,
            .steps_left = 20,
            .scene = loop->scene,
            .semantic = loop->semantic,
            .world = wd_world_model_state(loop->model) };
    }
    return status;
}

// ---- the other processes --------------------------------------------------------------------------------------

/// The bare peer: the first message is the reply that it gives to every later one.
static _Noreturn void echo_main(const char *endpoint)
{
    static uint8_t buffer[WD_FRAME_SIZE_MAX], reply[WD_FRAME_SIZE_MAX], header[WD_FRAME_HEADER_SIZE];
    void *zmq = zmq_ctx_new(), *socket = zmq_socket(zmq, ZMQ_DEALER);
    wd_frame_write(WD_MSG_PLAN_REPLY, header);
    if (socket == NULL || zmq_connect(socket, endpoint) != 0 || zmq_send(socket, "", 0, 0) != 0) {
        _exit(1);
    }
    (void)zmq_recv(socket, buffer, sizeof buffer, 0);
    int reply_length = zmq_recv(socket, reply, sizeof reply, 0);
    while (reply_length >= 0 && zmq_recv(socket, buffer, sizeof buffer, 0) >= 0 &&
           zmq_recv(socket, buffer, sizeof buffer, 0) >= 0) {
        (void)zmq_send(socket, header, sizeof header, ZMQ_SNDMORE);
        (void)zmq_send(socket, reply, (size_t)reply_length, 0);
    }
    _exit(0);
}

static bool write_script(const char *path)
{
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        return false;
    }
    fputs("{\"plans\":[{\"until\":{\"current_page\":\"never\"},\"at_most\":1000000000,\"steps\":["
          "{\"action\":\"type\",\"args\":{\"selector\":{\"resource_id\":\"text\"},\"text\":\"Dear "
          "{contact}\"}},"
          "{\"action\":\"tap\",\"args\":{\"selector\":{\"resource_id\":\"send\"},\"remember\":{\"sent\":1}}}]"
          "}]}",
        file);
    return fclose(file) == 0;
}

/// planner-stub beside this program.
static bool start_planner(loop_bench *loop)
{
    char program[PATH_SIZE], script[2 * PATH_SIZE];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 16);
    char *slash = length <= 0 ? NULL : memrchr(program, '/', (size_t)length);
    snprintf(script, sizeof script, "%s/script.json", loop->directory);
    if (slash == NULL || !write_script(script)) {
        return false;
    }
    strcpy(slash, "/planner-stub");
    char *arguments[] = { program, (char[]){ "--quiet" }, (char[]){ "--endpoint" }, loop->planner_endpoint,
        (char[]){ "--script" }, script, NULL };
    return posix_spawn(&loop->planner, program, NULL, NULL, arguments, environ) == 0;
}

/// All of them on the core of this process, before this process has any thread or socket.
static bool start_processes(loop_bench *loop)
{
    cpu_set_t core;
    CPU_ZERO(&core);
    CPU_SET(0, &core);
    const char *base = getenv("TMPDIR");
    snprintf(loop->directory, sizeof loop->directory, "%s/worldd-bench-XXXXXX", base == NULL ? "/tmp" : base);
    if (sched_setaffinity(0, sizeof core, &core) != 0 || mkdtemp(loop->directory) == NULL) {
        return false;
    }
    snprintf(loop->planner_endpoint, PATH_SIZE, "ipc://%.400s/planner", loop->directory);
    snprintf(loop->echo_endpoint, PATH_SIZE, "ipc://%.400s/echo", loop->directory);
    loop->echo = fork();
    if (loop->echo == 0) {
        echo_main(loop->echo_endpoint);
    }
    return loop->echo > 0 && start_planner(loop);
}

static void stop_processes(loop_bench *loop)
{
    const pid_t processes[] = { loop->planner, loop->echo };
    for (size_t i = 0; i < WD_COUNT_OF(processes); i++) {
        if (processes[i] > 0) {
            kill(processes[i], SIGKILL);
            waitpid(processes[i], NULL, 0);
        }
    }
    static const char *const files[] = { "planner", "echo", "script.json" };
    for (size_t i = 0; i < WD_COUNT_OF(files); i++) {
        char path[2 * PATH_SIZE];
        snprintf(path, sizeof path, "%s/%s", loop->directory, files[i]);
        unlink(path);
    }
    rmdir(loop->directory);
}

// ---- worldd's side --------------------------------------------------------------------------------------------

static void *open_router(loop_bench *loop, const char *endpoint)
{
    int mandatory = 1, linger = 0, patience = PATIENCE_MS;
    void *router = zmq_socket(loop->zmq, ZMQ_ROUTER);
    bool opened = router != NULL &&
                  zmq_setsockopt(router, ZMQ_ROUTER_MANDATORY, &mandatory, sizeof mandatory) == 0 &&
                  zmq_setsockopt(router, ZMQ_LINGER, &linger, sizeof linger) == 0 &&
                  zmq_setsockopt(router, ZMQ_RCVTIMEO, &patience, sizeof patience) == 0 &&
                  zmq_bind(router, endpoint) == 0;
    if (!opened) {
        wd_bench_fail(loop->bench, "%s: %s", endpoint, zmq_strerror(errno));
    }
    return router;
}

/// Send what the broker wants sent.
static void send_all(loop_bench *loop)
{
    for (size_t i = 0; i < loop->outbox.send_count; i++) {
        const wd_broker_send *send = &loop->outbox.sends[i];
        uint8_t header[WD_FRAME_HEADER_SIZE];
        wd_frame_write(send->kind, header);
        (void)zmq_send(loop->planner_router, send->peer.bytes, send->peer.length, ZMQ_SNDMORE | ZMQ_DONTWAIT);
        (void)zmq_send(loop->planner_router, header, sizeof header, ZMQ_SNDMORE | ZMQ_DONTWAIT);
        (void)zmq_send(loop->planner_router, send->body, send->body_length, ZMQ_DONTWAIT);
    }
}

static int64_t now_ms(void)
{
    return (int64_t)(wd_bench_now_ns() / 1000000);
}

/// Receive one message and hand it to the broker. @return false: none came in time.
static bool receive_one(loop_bench *loop)
{
    zmq_msg_t frames[FRAMES_MAX];
    size_t count = 0;
    for (bool more = true; more && count < FRAMES_MAX; count++) {
        zmq_msg_init(&frames[count]);
        if (zmq_msg_recv(&frames[count], loop->planner_router, 0) < 0) {
            zmq_msg_close(&frames[count]);
            break;
        }
        more = zmq_msg_more(&frames[count]) != 0;
    }
    wd_status status = WD_ETIMEOUT;
    if (count == 3 && zmq_msg_size(&frames[0]) <= WD_PEER_ID_MAX) {
        wd_broker_message message = { .roles = WD_ROLES_ALL,
            .header = zmq_msg_data(&frames[1]),
            .header_length = zmq_msg_size(&frames[1]),
            .body = zmq_msg_data(&frames[2]),
            .body_length = zmq_msg_size(&frames[2]),
            .frame_count = 2 };
        message.peer.length = (uint8_t)zmq_msg_size(&frames[0]);
        memcpy(message.peer.bytes, zmq_msg_data(&frames[0]), message.peer.length);
        if (loop->reply_bytes == NULL && message.body_length > 0) {  // one is kept for the bare exchange
            loop->reply_bytes = wd_alloc(message.body_length);
            loop->reply_length = message.body_length;
            memcpy(loop->reply_bytes, message.body, message.body_length);
        }
        status = wd_broker_receive(loop->broker, &message, now_ms(), &loop->outbox);
    }
    for (size_t i = 0; i < count; i++) {
        zmq_msg_close(&frames[i]);
    }
    return status == WD_OK;
}

/// One plan, from the structs of the run to the decoded steps.
static bool plan_once(loop_bench *loop)
{
    uint8_t *body = NULL;
    size_t length = 0;
    uint64_t id = 0;
    wd_status status = wd_codec_pack_plan_request(&loop->request, &body, &length);
    if (status == WD_OK) {
        status =
            wd_broker_request(loop->broker, NULL, body, length, PATIENCE_MS, 0, now_ms(), &id, &loop->outbox);
        wd_free(body, length);
    }
    if (status != WD_OK) {
        return false;
    }
    bool answered = false;
    while (!answered) {
        send_all(loop);
        wd_broker_outbox_clear(&loop->outbox);
        if (!receive_one(loop)) {
            return false;
        }
        bool due = wd_broker_next_ms(loop->broker) <= now_ms();
        if (due && wd_broker_tick(loop->broker, now_ms(), &loop->outbox) != WD_OK) {
            return false;
        }
        answered = loop->outbox.outcome_count > 0;
    }
    bool planned = loop->outbox.outcomes[0].end == WD_PLAN_REPLY;
    send_all(loop);
    wd_broker_outbox_clear(&loop->outbox);
    return planned;
}

/// One bare exchange of the same bytes.
static bool echo_once(loop_bench *loop)
{
    static uint8_t buffer[WD_FRAME_SIZE_MAX];
    uint8_t header[WD_FRAME_HEADER_SIZE];
    wd_frame_write(WD_MSG_PLAN_REQUEST, header);
    (void)zmq_send(loop->echo_router, loop->echo_peer.bytes, loop->echo_peer.length, ZMQ_SNDMORE);
    (void)zmq_send(loop->echo_router, header, sizeof header, ZMQ_SNDMORE);
    (void)zmq_send(loop->echo_router, loop->request_bytes, loop->request_length, 0);
    return zmq_recv(loop->echo_router, buffer, sizeof buffer, 0) >= 0 &&
           zmq_recv(loop->echo_router, buffer, sizeof buffer, 0) >= 0 &&
           zmq_recv(loop->echo_router, buffer, sizeof buffer, 0) == (int)loop->reply_length;
}

// ---- measuring ------------------------------------------------------------------------------------------------

static bool time_rounds(loop_bench *loop, bool (*once)(loop_bench *), double *samples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t start = wd_bench_now_ns();
        if (!once(loop)) {
            wd_bench_fail(loop->bench, "a round trip failed");
            return false;
        }
        samples[i] = (double)(wd_bench_now_ns() - start) / 1000;
    }
    return true;
}

static void measure(loop_bench *loop)
{
    size_t rounds = wd_bench_quick(loop->bench) ? ROUNDS_QUICK : ROUNDS;
    double *plans = calloc(rounds, sizeof *plans), *echoes = calloc(rounds, sizeof *echoes);
    bool timed = plans != NULL && echoes != NULL && time_rounds(loop, plan_once, plans, ROUNDS_IN_TURN) &&
                 time_rounds(loop, echo_once, echoes, ROUNDS_IN_TURN);  // warm up
    for (size_t i = 0; timed && i + ROUNDS_IN_TURN <= rounds; i += ROUNDS_IN_TURN) {
        timed = time_rounds(loop, plan_once, plans + i, ROUNDS_IN_TURN) &&
                time_rounds(loop, echo_once, echoes + i, ROUNDS_IN_TURN);
    }
    if (timed) {
        wd_bench_add(loop->bench, &(wd_bench_row){ .name = "plan round trip",
                                      .value = wd_bench_median(plans, rounds),
                                      .unit = "us",
                                      .baseline = wd_bench_median(echoes, rounds),
                                      .baseline_expected = BASELINE_US });
    }
    free(plans);
    free(echoes);
}

static void pack_request(void *context)
{
    loop_bench *loop = context;
    uint8_t *body = NULL;
    size_t length = 0;
    if (wd_codec_pack_plan_request(&loop->request, &body, &length) == WD_OK) {
        wd_bench_use(body);
        wd_free(body, length);
    }
}

static void unpack_reply(void *context)
{
    loop_bench *loop = context;
    wd_plan_reply *reply = NULL;
    if (wd_codec_unpack_plan_reply(loop->reply_bytes, loop->reply_length, &reply, NULL) == WD_OK) {
        wd_bench_use(reply);
        wd_plan_reply_destroy(&reply);
    }
}

/// Wait for both peers, take one exchange's bytes, and give the bare peer its reply.
static bool meet_peers(loop_bench *loop)
{
    wd_broker_options options = wd_broker_options_default();
    options.heartbeat_ms = 10000;  // not in the middle of it
    if (wd_broker_new(&options, &loop->broker) != WD_OK || !receive_one(loop)) {
        return false;
    }
    send_all(loop);  // Welcome
    wd_broker_outbox_clear(&loop->outbox);
    wd_free(loop->reply_bytes, loop->reply_length);  // that was the Hello
    loop->reply_bytes = NULL;
    if (!plan_once(loop) || loop->reply_bytes == NULL ||
        wd_codec_pack_plan_request(&loop->request, &loop->request_bytes, &loop->request_length) != WD_OK) {
        return false;
    }
    int length = zmq_recv(loop->echo_router, loop->echo_peer.bytes, WD_PEER_ID_MAX, 0);
    loop->echo_peer.length = (uint8_t)(length < 0 ? 0 : length);
    return length > 0 && zmq_recv(loop->echo_router, NULL, 0, 0) == 0 &&
           zmq_send(loop->echo_router, loop->echo_peer.bytes, (size_t)length, ZMQ_SNDMORE) >= 0 &&
           zmq_send(loop->echo_router, "", 0, ZMQ_SNDMORE) >= 0 &&
           zmq_send(loop->echo_router, loop->reply_bytes, loop->reply_length, 0) >= 0;
}

void bench_loop(wd_bench *bench)
{
    loop_bench loop = { .bench = bench };
    bool ready = start_processes(&loop) && make_request(&loop) == WD_OK;
    loop.zmq = ready ? zmq_ctx_new() : NULL;
    if (loop.zmq != NULL) {
        loop.planner_router = open_router(&loop, loop.planner_endpoint);
        loop.echo_router = open_router(&loop, loop.echo_endpoint);
        ready = meet_peers(&loop);
    }
    if (ready) {
        measure(&loop);
        wd_bench_add(bench, &(wd_bench_row){ .name = "pack a plan request",
                                .value = wd_bench_time(bench, pack_request, &loop) / 1000,
                                .unit = "us" });
        wd_bench_add(bench, &(wd_bench_row){ .name = "unpack a plan reply",
                                .value = wd_bench_time(bench, unpack_reply, &loop) / 1000,
                                .unit = "us" });
        wd_bench_add(bench,
            &(wd_bench_row){ .name = "a plan request", .value = (double)loop.request_length, .unit = "B" });
    } else {
        wd_bench_fail(bench, "planner-stub beside this program could not be reached");
    }
    if (loop.zmq != NULL) {
        zmq_close(loop.planner_router);
        zmq_close(loop.echo_router);
        zmq_ctx_term(loop.zmq);
    }
    stop_processes(&loop);
    wd_broker_outbox_done(&loop.outbox);
    wd_broker_destroy(&loop.broker);
    wd_free(loop.request_bytes, loop.request_length);
    wd_free(loop.reply_bytes, loop.reply_length);
    wd_scene_unref(&loop.scene);
    wd_semantic_unref(&loop.semantic);
    wd_world_model_destroy(&loop.model);
    wd_value_unref(&loop.params);
}
