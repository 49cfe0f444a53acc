/* A whole planner in C: it taps the first thing on the screen whose label stands in the instruction, and is content when
 * nothing new does.
 *
 *   cc hello_planner.c $(pkg-config --cflags --libs worldd-client) -o hello_planner
 *   ./hello_planner ipc:///run/worldd/planner.sock
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <worldd/planner.h>
#include <worldd/worldd.pb-c.h>

enum { TAPPED_MAX = 256 };

/* What was tapped already, "RUN LABEL"; the oldest is forgotten first. */
static char tapped[TAPPED_MAX][128];
static unsigned tapped_count;

static int was_tapped(const char *run, const char *label)
{
    char *entry = tapped[tapped_count % TAPPED_MAX], key[sizeof tapped[0]];
    snprintf(key, sizeof key, "%s %s", run, label);
    for (unsigned i = 0; i < TAPPED_MAX; i++) {
        if (strcmp(tapped[i], key) == 0) {
            return 1;
        }
    }
    strcpy(entry, key);
    tapped_count++;
    return 0;
}

static int stands_in(const char *text, const char *label)
{
    size_t length = strlen(label);
    while (*text != '\0' && strncasecmp(text, label, length) != 0) {
        text++;
    }
    return length > 2 && *text != '\0';
}

/* The slow part: ask your model here, on another thread if it takes longer than a few heartbeats. */
static void plan(
    const Worldd__V1__PlanRequest *request, Worldd__V1__PlannedStep *step, char *args, size_t size)
{
    static char tap[] = "tap", complete[] = "complete";
    for (size_t i = 0; request->scene != NULL && i < request->scene->n_nodes; i++) {
        const Worldd__V1__Node *node = request->scene->nodes[i];
        if (!node->system_ui && stands_in(request->task->instruction, node->text) &&
            !was_tapped(request->run_id, node->text)) {
            step->action = tap;
            snprintf(args, size, "{\"node\":%d}", (int)node->id);
            printf("%s: tap %s\n", request->run_id, node->text);
            return;
        }
    }
    step->action = complete;
    snprintf(args, size, "{\"status\":\"success\"}");
    printf("%s: complete\n", request->run_id);
}

static int answer(wd_planner *planner, const wd_planner_event *asked, wd_client_error *error)
{
    Worldd__V1__PlanRequest *request = worldd__v1__plan_request__unpack(NULL, asked->length, asked->body);
    if (request == NULL || request->task == NULL) {
        worldd__v1__plan_request__free_unpacked(request, NULL);
        return WD_CLIENT_EPROTO;
    }
    Worldd__V1__PlanReply reply;
    Worldd__V1__PlannedStep step, *steps[] = { &step };
    char args[64];
    uint8_t packed[256];
    worldd__v1__plan_reply__init(&reply);
    worldd__v1__planned_step__init(&step);
    plan(request, &step, args, sizeof args);
    fflush(stdout);
    step.args_json = (ProtobufCBinaryData){ strlen(args), (uint8_t *)args };
    reply.request_id = request->request_id;
    reply.n_steps = 1;
    reply.steps = steps;
    worldd__v1__plan_request__free_unpacked(request, NULL);
    return wd_planner_reply(planner, packed, worldd__v1__plan_reply__pack(&reply, packed), error);
}

int main(int argc, char **argv)
{
    wd_planner_options options = { .endpoint = argc > 1 ? argv[1] : NULL, .name = "hello", .wake_fd = -1 };
    wd_planner_event event = { 0 };
    wd_client_error error = { 0 };
    wd_planner *planner = NULL;
    int status = wd_planner_open(&options, &planner, &error);
    while (
        status == WD_CLIENT_OK && event.kind != WD_PLANNER_SUPERSEDED && event.kind != WD_PLANNER_REJECTED) {
        status = wd_planner_wait(planner, -1, &event, &error);
        if (status == WD_CLIENT_OK && event.kind == WD_PLANNER_REQUEST) {
            answer(
                planner, &event, &error); /* what cannot be sent is lost with its worldd; waiting goes on */
        }
    }
    fprintf(stderr, "hello: %s\n", status == WD_CLIENT_OK ? event.text : error.text);
    wd_planner_close(&planner);
    return 1;
}
