/// intent_ops.c - starting activities by intent, the chooser, and reading intents back (os.md 3.7).
#include "intent.h"
#include "task.h"

/// The target, when one is named or only one app takes the intent; else *ret_matches (several: ask; none:
/// give up).
static wd_status resolve(wd_machine *machine, wd_launch *launch, wd_value **ret_matches)
{
    if (launch->target != NULL) {
        return WD_OK;
    }
    wd_status status = wd_intent_matches(machine, launch->intent, ret_matches);
    if (status == WD_OK && wd_array_count(*ret_matches) == 1) {
        launch->target = wd_value_string_or(wd_object_get(wd_array_at(*ret_matches, 0), "app"), NULL);
    }
    return status;
}

static wd_status start(wd_machine *machine, wd_launch *launch, wd_value **ret_answer)
{
    wd_value *matches = NULL;
    // The front moves on while it is launched from, so the name of the caller is held.
    wd_value *caller = wd_value_ref(wd_object_get(wd_task_top(wd_task_active(machine).task), "appId"));
    launch->caller_app = wd_value_string_or(caller, NULL);
    bool started = false;
    wd_status status = resolve(machine, launch, &matches);
    if (status == WD_OK && launch->target != NULL) {
        status = wd_launch_target(machine, launch, &started);
    } else if (status == WD_OK && wd_array_count(matches) > 1 && !wd_chooser_open(machine) &&
               caller != NULL) {
        started = true;
        status = wd_chooser_ask(machine, launch, matches);
    }
    wd_value_unref(&caller);
    wd_value_unref(&matches);
    *ret_answer = wd_value_bool(started);
    return status;
}

static wd_status read_launch(const wd_value *args, wd_launch *ret_launch, wd_error *error)
{
    wd_launch launch = { 0 };
    wd_status status = wd_arg_object(args, "intent", &launch.intent, error);
    if (status == WD_OK) {
        status = wd_arg_text_optional(args, "target", &launch.target, error);
    }
    if (status == WD_OK) {
        status = wd_arg_bool_optional(args, "newTask", &launch.new_task, error);
    }
    if (status == WD_OK) {
        status = wd_arg_text_optional(args, "cb", &launch.callback, error);
    }
    const char *route = NULL;
    if (status == WD_OK) {
        status = wd_arg_text_optional(launch.intent, "route", &route, error);
    }
    *ret_launch = launch;
    return status;
}

static wd_status op_start(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    wd_launch launch;
    wd_status status = read_launch(args, &launch, error);
    launch.callback = NULL;
    return status != WD_OK ? status : start(machine, &launch, ret_answer);
}

static wd_status op_start_for_result(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    wd_launch launch;
    wd_status status = read_launch(args, &launch, error);
    launch.for_result = true;
    launch.new_task = false;
    return status != WD_OK ? status : start(machine, &launch, ret_answer);
}

static wd_status op_choose(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    const char *app = NULL;
    wd_status status = wd_arg_text(args, "app", &app, error);
    return status != WD_OK ? status : wd_chooser_choose(machine, app, error);
}

static wd_status op_cancel_chooser(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)args;
    (void)ret_answer;
    (void)error;
    return wd_chooser_cancel(machine);
}

// ---- reading ----------------------------------------------------------------------------------------------

/// Intent of the topmost activity of `stack` whose `member` is `wanted`; NULL when none has one.
static const wd_value *intent_in(const wd_value *stack, const char *member, const char *wanted)
{
    for (size_t at = wd_array_count(stack); at > 0; at--) {
        const wd_value *activity = wd_array_at(stack, at - 1);
        const wd_value *intent = wd_object_get(activity, "intent");
        if (intent != NULL && wd_value_is_text(wd_object_get(activity, member), wanted)) {
            return intent;
        }
    }
    return NULL;
}

static const wd_value *find_intent(const wd_machine *machine, const char *wanted)
{
    const wd_value *active = wd_task_active(machine).task;
    if (wanted == NULL) {
        return wd_object_get(wd_task_top(active), "intent");
    }
    const wd_value *tasks = wd_machine_get(machine, WD_AT("os", "tasks"));
    for (size_t i = 0; i < wd_array_count(tasks); i++) {
        const wd_value *stack = wd_object_get(wd_array_at(tasks, i), "stack");
        const wd_value *intent = intent_in(stack, "activityId", wanted);
        if (intent != NULL) {
            return intent;
        }
    }
    return intent_in(wd_object_get(active, "stack"), "appId", wanted);
}

static wd_status op_get_payload(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    const char *wanted = NULL;
    wd_status status = wd_arg_text_optional(args, "arg", &wanted, error);
    if (status == WD_OK) {
        const wd_value *intent = find_intent(machine, wanted);
        *ret_answer = intent != NULL ? wd_value_ref(intent) : wd_value_null();
    }
    return status;
}

static wd_status op_has_active(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)args;
    (void)error;
    bool found = false;
    const wd_value *tasks = wd_machine_get(machine, WD_AT("os", "tasks"));
    for (size_t i = 0; i < wd_array_count(tasks) && !found; i++) {
        const wd_value *stack = wd_object_get(wd_array_at(tasks, i), "stack");
        for (size_t k = 0; k < wd_array_count(stack) && !found; k++) {
            const wd_value *activity = wd_array_at(stack, k);
            found =
                wd_object_get(activity, "requestCode") != NULL && wd_object_get(activity, "intent") != NULL;
        }
    }
    *ret_answer = wd_value_bool(found);
    return WD_OK;
}

static wd_status op_resolve(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    const wd_value *intent = NULL;
    wd_value *matches = NULL;
    wd_value *apps = wd_value_array();
    wd_status status = wd_arg_object(args, "intent", &intent, error);
    if (status == WD_OK) {
        status = wd_intent_matches(machine, intent, &matches);
    }
    for (size_t i = 0; i < wd_array_count(matches) && status == WD_OK; i++) {
        wd_value *app = wd_value_ref(wd_object_get(wd_array_at(matches, i), "app"));
        status = wd_array_append(&apps, &app);
        wd_value_unref(&app);
    }
    wd_value_unref(&matches);
    if (status != WD_OK) {
        wd_value_unref(&apps);
        return status;
    }
    *ret_answer = apps;
    return WD_OK;
}

const wd_op wd_ops_intent[] = {
    { "os.startActivity", op_start },
    { "os.startActivityForResult", op_start_for_result },
    { "os.chooseIntentActivity", op_choose },
    { "os.cancelIntentChooser", op_cancel_chooser },
    { "os.getIntentPayload", op_get_payload },
    { "os.hasActiveIntent", op_has_active },
    { "os.resolveActivity", op_resolve },
    { NULL, NULL },
};
