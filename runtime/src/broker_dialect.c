#include "broker_internal.h"

#include "runtime/codec.h"
#include "semantic/dialect.h"
#include "tree/text.h"

static wd_status take_actions(wd_plan_reply *reply, const wd_reply *words)
{
    wd_status status = WD_OK;
    size_t count = words->count > WD_PLAN_STEPS_MAX ? WD_PLAN_STEPS_MAX : words->count;
    for (size_t i = 0; status == WD_OK && i < count; i++) {
        wd_step *step = &reply->steps[i];
        status = wd_action_copy(&words->actions[i], &step->action);
        if (status == WD_OK) {
            reply->step_count = i + 1;
            status = wd_action_args_to_value(&step->action, &step->args);  // the raw words stand in the reply
        }
    }
    if (status == WD_OK && count > 0 && !wd_text_copy(words->thought, &reply->steps[0].thought)) {
        status = WD_ENOMEM;
    }
    return status;
}

wd_status broker_read_dialect(const wd_hello *hello, wd_plan_reply *reply, wd_error *error)
{
    const wd_dialect *dialect = NULL;
    if (reply->raw_reply == NULL || reply->step_count > 0) {
        return WD_OK;
    }
    if (wd_dialect_find(reply->dialect, &dialect) != WD_OK) {
        return wd_error_set(error, WD_ENOENT, "dialect: \"%.64s\" is none that worldd reads", reply->dialect);
    }
    // The space is what the planner said in Hello, else the dialect's own; never guessed from a point.
    wd_dialect_options options = {
        .has_space = hello->has_space,
        .space = hello->space,
        .image_width = (int32_t)hello->model_width,
        .image_height = (int32_t)hello->model_height,
    };
    wd_reply words;
    wd_status status =
        wd_dialect_parse(dialect, reply->raw_reply, strlen(reply->raw_reply), &options, &words);
    if (status == WD_OK) {
        status = take_actions(reply, &words);
        wd_reply_done(&words);
    }
    return status == WD_OK ? WD_OK : wd_error_set(error, status, "raw_reply: %s", wd_status_text(status));
}
