/// chooser.c - which app shall act on an intent, asked when several can (os.md 3.7, D7). sys.chooser is
/// {intent, matches [{app, route, launchMode}], callerApp, newTask, forResult, callback?}; absent while none
/// is open.
#include "intent.h"
#include "task.h"

#define CHOOSER WD_AT("sys", "chooser")

bool wd_chooser_open(const wd_machine *machine)
{
    return wd_machine_get(machine, CHOOSER) != NULL;
}

wd_status wd_chooser_ask(wd_machine *machine, const wd_launch *launch, const wd_value *matches)
{
    wd_value *chooser = NULL;
    wd_status status = wd_value_pack(&chooser, "{s:v,s:v,s:?s,s:b,s:b,s:?s}", "intent", launch->intent,
        "matches", matches, "callerApp", launch->caller_app, "newTask", (int)launch->new_task, "forResult",
        (int)launch->for_result, "callback", launch->callback);
    return status != WD_OK ? status : wd_machine_put(machine, CHOOSER, &chooser);
}

wd_status wd_chooser_cancel(wd_machine *machine)
{
    const wd_value *chooser = wd_machine_get(machine, CHOOSER);
    if (chooser == NULL) {
        return WD_OK;
    }
    wd_value *callback = wd_value_ref(wd_object_get(chooser, "callback"));
    wd_status status = wd_machine_drop(machine, CHOOSER);
    if (status == WD_OK && callback != NULL) {
        wd_value *event = NULL;
        status =
            wd_value_pack(&event, "{s:v,s:{s:s}}", "callback", callback, "result", "resultCode", "CANCELED");
        if (status == WD_OK) {
            status = wd_machine_defer(machine, &event);
        }
    }
    wd_value_unref(&callback);
    return status;
}

wd_status wd_chooser_choose(wd_machine *machine, const char *app, wd_error *error)
{
    wd_value *chooser = wd_value_ref(wd_machine_get(machine, CHOOSER));
    if (chooser == NULL) {
        return WD_OK;
    }
    const wd_value *matches = wd_object_get(chooser, "matches");
    size_t at = 0;
    while (at < wd_array_count(matches) &&
           !wd_value_is_text(wd_object_get(wd_array_at(matches, at), "app"), app)) {
        at++;
    }
    wd_status status = WD_OK;
    if (at == wd_array_count(matches)) {
        status = wd_error_set(error, WD_ENOENT, "app: %.80s is not listed in the chooser", app);
    } else {
        status = wd_machine_drop(machine, CHOOSER);
    }
    if (status == WD_OK) {
        bool launched = false;
        wd_launch launch = {
            .target = app,
            .intent = wd_object_get(chooser, "intent"),
            .caller_app = wd_value_string_or(wd_object_get(chooser, "callerApp"), NULL),
            .callback = wd_value_string_or(wd_object_get(chooser, "callback"), NULL),
            .new_task = wd_value_bool_or(wd_object_get(chooser, "newTask"), false),
            .for_result = wd_value_bool_or(wd_object_get(chooser, "forResult"), false),
        };
        status = wd_launch_target(machine, &launch, &launched);
    }
    wd_value_unref(&chooser);
    return status;
}
