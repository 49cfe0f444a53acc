/// session.h - a planner's side of the wire: Hello, heartbeats, requests and answers, and starting over when worldd is
/// gone (proto/README.md). One DEALER socket on one thread; never blocks longer than its next heartbeat.
#ifndef PLANNER_STUB_SESSION_H
#define PLANNER_STUB_SESSION_H

#include "proto/worldd.pb-c.h"

#include <stdbool.h>
#include <stdint.h>

/// What a planner may do wrong on purpose, for tests of those who depend on it.
typedef enum wd_fault {
    WD_FAULT_NONE,
    WD_FAULT_HANG,      // beats, but never answers
    WD_FAULT_SILENT,    // after the first request neither beats nor answers
    WD_FAULT_DIE,       // exits when asked
    WD_FAULT_TWICE,     // answers each request twice
    WD_FAULT_GARBAGE,   // answers with a body of which only the id can be read
    WD_FAULT_STRANGER,  // answers, before the right answer, a request that was never made
    WD_FAULT_REFUSE,    // answers PlanError, not retryable
    WD_FAULT_COUNT,
} wd_fault;
const char *wd_fault_name(wd_fault fault);  // "none", "hang", ...

typedef struct wd_session_options {
    const char *endpoint;
    const char *name;
    uint32_t max_inflight;
    uint32_t think_ms;    // how long each answer takes; heartbeats go on meanwhile
    uint32_t give_up_ms;  // exit when worldd cannot be reached for so long; 0: never
    wd_fault fault;
    bool once;   // exit after the answer that ends a run
    bool quiet;  // say nothing on standard output
} wd_session_options;

/// Answers one request: a packed PlanReply of *ret_length bytes, freed by the session with free(); NULL: a PlanError
/// with the text in `ret_error`. *ret_ended: this answer ends its run.
typedef uint8_t *wd_plan_function(void *context, const Worldd__V1__PlanRequest *request, size_t *ret_length,
    bool *ret_ended, char ret_error[256]);

/// Serve until SIGTERM or SIGINT, or as the options say. @return the program's exit status: 0 as asked, 1 gave up,
/// 2 rejected for good, 3 superseded by a newer instance of the name.
int wd_session_run(const wd_session_options *options, wd_plan_function *plan, void *context);

#endif
