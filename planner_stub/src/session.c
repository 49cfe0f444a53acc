#include "planner_stub/session.h"

#include "scratch.h"
#include "worldd/planner.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

enum {
    JOBS_MAX = 64,  // requests being thought about
    GO_ON = -1,     // no exit status yet
};

typedef struct plan_job {
    uint64_t request_id;
    uint8_t *reply;  // NULL: refused with `error`
    size_t reply_length;
    int64_t due_ms;  // when the thinking is over
    bool ends_run;
    char error[256];
} plan_job;

typedef struct planner_session {
    const wd_session_options *options;
    wd_plan_function *plan;
    void *context;
    wd_planner *planner;
    int signal_fd;
    plan_job jobs[JOBS_MAX];
    size_t job_count;
    wd_scratch scratch;  // of the request being planned
    bool mute;           // WD_FAULT_SILENT took effect
    int exit_status;
} planner_session;

static const char *const fault_names[WD_FAULT_COUNT] = { "none", "hang", "silent", "die", "twice", "garbage",
    "stranger", "refuse" };

const char *wd_fault_name(wd_fault fault)
{
    return fault_names[fault];
}

static int64_t clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void say(const planner_session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(const planner_session *session, const char *format, ...)
{
    if (!session->options->quiet) {
        va_list args;
        va_start(args, format);
        printf("planner %s: ", session->options->name);
        vprintf(format, args);
        putchar('\n');
        fflush(stdout);
        va_end(args);
    }
}

// ---- jobs -----------------------------------------------------------------------------------------------------

static void job_drop(planner_session *session, size_t index)
{
    free(session->jobs[index].reply);
    session->job_count--;
    memmove(&session->jobs[index], &session->jobs[index + 1],
        (session->job_count - index) * sizeof session->jobs[0]);
}

static void jobs_drop(planner_session *session)
{
    while (session->job_count > 0) {
        job_drop(session, session->job_count - 1);
    }
}

/// The job's answer, or what the fault makes of it. What cannot be sent is lost with its worldd: LOST comes next.
static void job_send(planner_session *session, const plan_job *job)
{
    wd_fault fault = session->options->fault;
    if (fault == WD_FAULT_REFUSE || job->reply == NULL) {
        wd_planner_refuse(session->planner, job->request_id,
            job->reply == NULL ? job->error : "told to refuse", false, NULL);
        return;
    }
    if (fault == WD_FAULT_STRANGER) {
        static const uint8_t stranger[] = { 0x08, 0xff, 0xff, 0xff, 0x7f, 0x12, 0x06, 0x0a, 0x04, 'b', 'a',
            'c', 'k' };
        wd_planner_reply(session->planner, stranger, sizeof stranger, NULL);
    }
    if (fault == WD_FAULT_GARBAGE) {  // the id can be read, and nothing after it
        Worldd__V1__PlanCancel id;
        uint8_t garbage[32];
        worldd__v1__plan_cancel__init(&id);
        id.request_id = job->request_id;
        size_t length = worldd__v1__plan_cancel__pack(&id, garbage);
        memset(garbage + length, 0xff, 3);
        wd_planner_reply(session->planner, garbage, length + 3, NULL);
        return;
    }
    for (int i = 0; i < (fault == WD_FAULT_TWICE ? 2 : 1); i++) {
        wd_planner_reply(session->planner, job->reply, job->reply_length, NULL);
    }
}

/// Send what has been thought about long enough.
static void jobs_finish(planner_session *session)
{
    int64_t now_ms = clock_ms();
    for (size_t i = 0; i < session->job_count;) {
        if (session->jobs[i].due_ms > now_ms || session->options->fault == WD_FAULT_HANG) {
            i++;
            continue;
        }
        job_send(session, &session->jobs[i]);
        if (session->jobs[i].ends_run && session->options->once) {
            session->exit_status = 0;
        }
        job_drop(session, i);
    }
}

static void job_cancel(planner_session *session, uint64_t request_id)
{
    for (size_t i = 0; i < session->job_count; i++) {
        if (session->jobs[i].request_id == request_id) {
            say(session, "request %llu is not wanted any more", (unsigned long long)request_id);
            job_drop(session, i);
            return;
        }
    }
}

static void job_start(planner_session *session, const wd_planner_event *asked)
{
    wd_scratch_reset(&session->scratch);
    Worldd__V1__PlanRequest *request =
        worldd__v1__plan_request__unpack(&session->scratch.allocator, asked->length, asked->body);
    if (request == NULL) {
        wd_planner_refuse(session->planner, 0, "the request cannot be read", false, NULL);
        return;
    }
    if (session->options->fault == WD_FAULT_DIE) {
        _exit(9);
    }
    session->mute = session->options->fault == WD_FAULT_SILENT;
    if (session->job_count == JOBS_MAX) {
        wd_planner_refuse(session->planner, request->request_id, "too many requests at once", false, NULL);
    } else {
        plan_job *job = &session->jobs[session->job_count++];
        *job = (plan_job){ .request_id = request->request_id };
        job->due_ms = clock_ms() + session->options->think_ms;
        job->reply = session->plan(session->context, request, &job->reply_length, &job->ends_run, job->error);
        say(session, "run %s, step %u: asked", request->run_id, request->step_index);
    }
}

/// How long nothing of our own is due; -1: ever.
static int idle_ms(const planner_session *session)
{
    int64_t due_ms = INT64_MAX, now_ms = clock_ms();
    for (size_t i = 0; i < session->job_count && session->options->fault != WD_FAULT_HANG; i++) {
        due_ms = session->jobs[i].due_ms < due_ms ? session->jobs[i].due_ms : due_ms;
    }
    return due_ms == INT64_MAX ? -1 : due_ms <= now_ms ? 0 : (int)(due_ms - now_ms);
}

// ---- the loop -------------------------------------------------------------------------------------------------

static void take_event(planner_session *session, const wd_planner_event *event)
{
    switch (event->kind) {
    case WD_PLANNER_NOTHING:
        break;
    case WD_PLANNER_AWAKE:  // a signal asks to leave
        session->exit_status = 0;
        break;
    case WD_PLANNER_WELCOME:
        say(session, "welcome");
        break;
    case WD_PLANNER_REQUEST:
        job_start(session, event);
        break;
    case WD_PLANNER_CANCEL:
        job_cancel(session, event->request_id);
        break;
    case WD_PLANNER_LOST:
        say(session, "%s", event->text);
        jobs_drop(session);
        break;
    case WD_PLANNER_COMPLAINT:
        say(session, "worldd says: %s", event->text);
        break;
    case WD_PLANNER_SUPERSEDED:
        say(session, "%s", event->text);
        session->exit_status = 3;
        break;
    case WD_PLANNER_REJECTED:
        fprintf(stderr, "planner %s: %s\n", session->options->name, event->text);
        session->exit_status = 2;
        break;
    }
}

/// Out of reach for longer than the options allow?
static bool gives_up(const planner_session *session)
{
    const wd_session_options *options = session->options;
    return options->give_up_ms > 0 && wd_planner_unreached_ms(session->planner) > options->give_up_ms;
}

static void serve(planner_session *session)
{
    const wd_session_options *options = session->options;
    while (session->exit_status == GO_ON) {
        wd_planner_event event;
        wd_client_error error = { 0 };
        int wait_ms = idle_ms(session);
        if (options->give_up_ms > 0 && (wait_ms < 0 || wait_ms > (int)options->give_up_ms)) {
            wait_ms = (int)options->give_up_ms;
        }
        if (wd_planner_wait(session->planner, wait_ms, &event, &error) != WD_CLIENT_OK) {
            fprintf(stderr, "planner %s: %s\n", options->name, error.text);
            session->exit_status = 2;
            return;
        }
        take_event(session, &event);
        if (session->mute) {  // only a signal helps
            struct pollfd signals = { .fd = session->signal_fd, .events = POLLIN };
            poll(&signals, 1, -1);
            _exit(0);
        }
        jobs_finish(session);
        if (session->exit_status == GO_ON && gives_up(session)) {
            fprintf(stderr, "planner %s: worldd cannot be reached at %s\n", options->name, options->endpoint);
            session->exit_status = 1;
        }
    }
}

int wd_session_run(const wd_session_options *options, wd_plan_function *plan, void *context)
{
    planner_session session = { .options = options, .plan = plan, .context = context, .exit_status = GO_ON };
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    session.signal_fd = signalfd(-1, &signals, SFD_CLOEXEC);
    if (session.signal_fd < 0) {
        fprintf(stderr, "planner %s: %s\n", options->name, strerror(errno));
        return 1;
    }
    wd_client_error error = { 0 };
    wd_planner_options planner = {
        .endpoint = options->endpoint,
        .name = options->name,
        .max_inflight = options->max_inflight,
        .wake_fd = session.signal_fd,
    };
    if (wd_planner_open(&planner, &session.planner, &error) == WD_CLIENT_OK) {
        serve(&session);
    } else {
        fprintf(stderr, "planner %s: %s\n", options->name, error.text);
        session.exit_status = 2;
    }
    jobs_drop(&session);
    wd_scratch_done(&session.scratch);
    wd_planner_close(&session.planner);
    close(session.signal_fd);
    return session.exit_status;
}
