/// codec.h - between our structs and the protobuf bodies of proto/worldd.proto. The only part of runtime/ that names
/// protobuf-c. Unpacking has a memory budget; every string is checked as UTF-8, every JSON by the strict reader; an
/// error names the field.
#ifndef RUNTIME_CODEC_H
#define RUNTIME_CODEC_H

#include "model/world_model.h"
#include "runtime/broker.h"

enum {
    WD_PLAN_STEPS_MAX = 32,                  // steps of one reply
    WD_PLAN_RESULTS_MAX = 32,                // results told with one request
    WD_CODEC_BUDGET_MAX = 16 * 1024 * 1024,  // bytes one body may take unpacked
    WD_PLAN_THOUGHT_MAX = 64 * 1024,         // bytes of one step's thought
    WD_PLAN_RAW_MAX = 256 * 1024,            // bytes of raw_reply
    WD_PLAN_MODEL_MAX = 256,                 // bytes of model and of dialect
    WD_ENRICH_TEXT_MAX = 4 * 1024,           // bytes of one text of an enricher's semantic scene
    WD_THOUGHT_TEXT_MAX = 4 * 1024,          // bytes of one PlanThought
    WD_CAPTURE_TEXT_MAX =
        4 * 1024,  // bytes of an executor's failure, of its format's name and of a result's text
    WD_CAPTURE_SIDE_MAX = 100 * 1000,  // pixels of a display's width and height
    WD_RESULT_CODE_MAX = 64,           // bytes of an executor's result code
};

/// A result as it goes to the planner.
typedef struct wd_plan_result {
    uint32_t step_index;
    wd_action_kind kind;
    const wd_value *args;  // borrowed, or NULL
    wd_result result;
    const wd_observe_report *report;  // borrowed, or NULL
} wd_plan_result;

/// Everything a planner is told; all borrowed during the call.
typedef struct wd_plan_request {
    const char *run_id;
    const char *task_id, *instruction;
    const wd_value *params;  // object or NULL
    const wd_value *apps;    // array of texts or NULL
    uint32_t step_index, steps_left;
    const wd_scene *scene;        // NULL: capture failed
    const wd_semantic *semantic;  // NULL: off
    const wd_world_state *world;  // NULL: off
    const wd_plan_result *results;
    size_t result_count;     // the last WD_PLAN_RESULTS_MAX are sent
    const char *user_reply;  // or NULL
    uint32_t imagine_left;   // steps that may still be tried in thought
} wd_plan_request;

/// @param ret_body  Of *ret_length bytes, freed with wd_free(*ret_body, *ret_length).
WD_NODISCARD wd_status wd_codec_pack_plan_request(
    const wd_plan_request *request, uint8_t **ret_body, size_t *ret_length);

/// A planner's reply, decoded and checked. Steps whose action is unknown or whose arguments are bad keep kind
/// WD_ACTION_INVALID with the reason and the raw name, so that the runner can refuse them by name.
struct wd_plan_reply {
    uint64_t request_id;
    wd_step steps[WD_PLAN_STEPS_MAX];
    size_t step_count;
    char *model;  // NULL: not told
    uint64_t tokens_in, tokens_out;
    double cost;
    char *raw_reply, *dialect;  // NULL: not given
};
void wd_plan_reply_destroy(wd_plan_reply **reply_p);
WD_NODISCARD wd_status wd_codec_unpack_plan_reply(
    const void *body, size_t length, wd_plan_reply **ret_reply, wd_error *error);

/// An action as a planned step names it. What is unknown or has wrong arguments becomes kind WD_ACTION_INVALID, as above.
/// @param args  Object or NULL. @retval WD_ENOMEM only.
WD_NODISCARD wd_status wd_codec_read_action(const char *name, const wd_value *args, wd_action *ret_action);

/// What an enricher is told; all borrowed during the call.
typedef struct wd_enrich_request {
    const char *run_id, *instruction;
    const wd_scene *scene;
    const wd_semantic *suggestion;
} wd_enrich_request;

/// @param ret_body  As above.
WD_NODISCARD wd_status wd_codec_pack_enrich_request(
    const wd_enrich_request *request, uint8_t **ret_body, size_t *ret_length);
/// The semantic scene of an enricher's reply, checked against the scene it is of: every node is one of the scene's,
/// there are not more widgets than nodes. @param enricher  Who answered; what the body says about that does not count.
/// @retval WD_EINVAL, WD_ELIMIT, WD_ETYPE, WD_EPARSE, WD_EPROTO, WD_EUTF8, WD_ENOMEM  `error` names the field.
WD_NODISCARD wd_status wd_codec_unpack_enrich_reply(const void *body, size_t length,
    const wd_enrich_ground *ground, const char *enricher, wd_semantic **ret_semantic, wd_error *error);

/// A piece of what a planner thinks. @param ret_text  Freed with wd_text_free().
/// @retval WD_EINVAL, WD_ELIMIT, WD_EPROTO, WD_EUTF8, WD_ENOMEM  `error` names the field.
WD_NODISCARD wd_status wd_codec_unpack_thought(
    const void *body, size_t length, char **ret_text, wd_error *error);

// ---- executors (codec_execute.c) --------------------------------------------------------------------------------

/// @param ret_body  As above.
WD_NODISCARD wd_status wd_codec_pack_observe_request(
    const char *run_id, uint8_t **ret_body, size_t *ret_length);

/// What an executor captured, unread.
struct wd_capture {
    char *screen;  // not ended by a NUL; NULL: none
    size_t screen_length;
    char *companion;  // the same
    size_t companion_length;
    char *format;           // its name; NULL: to be told from the content
    char *failure;          // why there is no screen; NULL: there is one
    int32_t width, height;  // pixels of the display; 0: not known
};
void wd_capture_destroy(wd_capture **capture_p);
/// @retval WD_EINVAL, WD_ELIMIT, WD_EPROTO, WD_EUTF8, WD_ENOMEM  `error` names the field.
WD_NODISCARD wd_status wd_codec_unpack_observe_reply(
    const void *body, size_t length, wd_capture **ret_capture, wd_error *error);

/// What an executor is told to do; all borrowed during the call.
typedef struct wd_execute_request {
    const char *run_id;
    const wd_action *action;
    const wd_node *node;  // the target; NULL: a point, or none
    bool has_point, has_end;
    int32_t x, y, end_x, end_y;  // pixels; where the finger starts and ends
} wd_execute_request;
/// @param ret_body  As above.
WD_NODISCARD wd_status wd_codec_pack_execute_request(
    const wd_execute_request *request, uint8_t **ret_body, size_t *ret_length);

/// A code that worldd does not know, or that does not go with the outcome, becomes the outcome's own and opens the text.
/// @retval WD_EINVAL, WD_ELIMIT, WD_EPROTO, WD_EUTF8, WD_ENOMEM  `error` names the field.
WD_NODISCARD wd_status wd_codec_unpack_execute_reply(
    const void *body, size_t length, wd_result *ret_result, wd_error *error);

#endif
