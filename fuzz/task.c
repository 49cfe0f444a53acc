// task.c - a task template and a state, a line each: it is bound and drawn or refused with a text; what was drawn is
// drawn again with the same seed; a bound task binds again to the same.
#include "fuzz.h"

#include "runtime/sampler.h"
#include "runtime/task.h"

/// Draw the parameters that need no phone; NULL: refused.
static wd_value *drawn(const wd_value *document, const wd_value *state)
{
    wd_value *params = wd_value_object();
    wd_draw draw = { 1 };
    wd_error error = { .text = "" };
    wd_status status = wd_sample(NULL, wd_object_get(document, "parameters"), state, &draw, &params, &error);
    wd_assert(status == WD_OK || error.text[0] != '\0');
    if (status != WD_OK) {
        wd_value_unref(&params);
    }
    return params;
}

static void check(const wd_value *document, const wd_value *state)
{
    wd_value *params = drawn(document, state), *again = drawn(document, state);
    wd_assert(wd_value_equal(params, again));
    wd_task task, twice;
    wd_error error = { .text = "" };
    if (wd_task_bind(document, params, &task, &error) == WD_OK) {
        wd_assert(task.id[0] != '\0' && task.step_limit > 0);
        wd_assert(wd_task_check_names(&task, &error) == WD_OK || error.text[0] != '\0');
        wd_assert(wd_task_copy(&task, &twice) == WD_OK);
        wd_assert(wd_value_equal(task.document, twice.document));
        wd_task_done(&twice);
        wd_task_done(&task);
    } else {
        wd_assert(error.text[0] != '\0');
    }
    wd_value_unref(&params);
    wd_value_unref(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_text texts[2];
    fuzz_cut(data, size, texts, 2);
    wd_value *document = fuzz_parse(texts[0]), *state = fuzz_parse(texts[1]);
    if (wd_value_is(document, WD_KIND_OBJECT)) {
        check(document, state);
    }
    wd_value_unref(&document);
    wd_value_unref(&state);
    return 0;
}
