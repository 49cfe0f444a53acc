// Requests for permissions: one queue for the whole device, one dialog at a time (os.md 10, D20).
#include "permission.h"

#include "coerce.h"

#include <string.h>

static const char granted[] = "granted", denied[] = "denied", forever[] = "denied_forever";

#define QUEUE WD_AT("sys", "permissions", "queue")

const wd_value *wd_permission_dialog(const wd_machine *machine)
{
    return wd_array_at(wd_machine_get(machine, QUEUE), 0);
}

bool wd_permission_dialog_open(const wd_machine *machine)
{
    return wd_permission_dialog(machine) != NULL;
}

/// Sort the ids of a request into those to ask for and those that are answered already.
static wd_status sort_ids(
    const wd_machine *machine, const wd_value *request, wd_value **asked_p, wd_value **answers_p)
{
    const char *app = wd_value_string_or(wd_object_get(request, "app"), "");
    wd_status status = WD_OK;
    wd_value *seen = wd_value_object();
    wd_iter iter = wd_iter_start(wd_object_get(request, "perms"));
    while (status == WD_OK && wd_iter_next(&iter)) {
        const char *id = wd_value_string_or(iter.value, "");
        if (!wd_permission_is_known(id) || wd_object_get(seen, id) != NULL) {
            continue;
        }
        const char *now = wd_permission_check(machine, app, id);
        wd_value *mark = wd_value_null(), *item = wd_value_ref(iter.value);
        status = wd_member_put(&seen, id, &mark);
        if (status == WD_OK && strcmp(now, granted) != 0 && strcmp(now, forever) != 0) {
            status = wd_list_push(asked_p, &item);
        } else if (status == WD_OK) {
            wd_value *text = NULL;
            status = wd_value_text(now, &text);
            if (status == WD_OK) {
                status = wd_member_put(answers_p, id, &text);
            }
        }
        wd_value_unref(&item);
    }
    wd_value_unref(&seen);
    return status;
}

static wd_status pop_request(wd_machine *machine)
{
    wd_value *queue = wd_value_ref(wd_machine_get(machine, QUEUE));
    wd_status status = wd_array_remove(&queue, 0);
    if (status == WD_OK) {
        return wd_machine_put(machine, QUEUE, &queue);
    }
    wd_value_unref(&queue);
    return status;
}

/// The first request is answered: tell, and take it out. Takes *results_p.
static wd_status resolve(wd_machine *machine, wd_value **results_p)
{
    wd_value *event = NULL;
    wd_value *results = *results_p;
    *results_p = NULL;
    wd_status status = wd_value_pack(&event, "{s:v,s:V}", "resolved",
        wd_object_get(wd_permission_dialog(machine), "as"), "results", results);
    if (status == WD_OK) {
        status = wd_machine_event(machine, &event);
    }
    return status == WD_OK ? pop_request(machine) : status;
}

/// Put the first request's dialog up. Takes *asked_p and *answers_p.
static wd_status open_dialog(wd_machine *machine, wd_value **asked_p, wd_value **answers_p)
{
    wd_value *queue = wd_value_ref(wd_machine_get(machine, QUEUE));
    wd_value *request = wd_value_ref(wd_array_at(queue, 0)), *event = NULL, *due = NULL;
    wd_value *tick = wd_value_bool(false);
    wd_status status = wd_value_pack(&event, "{s:s,s:v,s:v,s:?v}", "dialog", "open", "app",
        wd_object_get(request, "app"), "perms", *asked_p, "rationale", wd_object_get(request, "rationale"));
    if (status == WD_OK) {
        status = wd_value_int(wd_machine_now(machine) + WD_PERMISSION_TIMEOUT_MS, &due);
    }
    if (status == WD_OK) {
        status = wd_member_put(&request, "asked", asked_p);
    }
    if (status == WD_OK) {
        status = wd_member_put(&request, "answers", answers_p);
    }
    if (status == WD_OK) {
        status = wd_member_put(&request, "due", &due);
    }
    if (status == WD_OK) {
        status = wd_member_put(&request, "tick", &tick);
    }
    if (status == WD_OK) {
        status = wd_array_set(&queue, 0, &request);
    }
    if (status == WD_OK) {
        status = wd_machine_put(machine, QUEUE, &queue);
    }
    if (status == WD_OK) {
        status = wd_machine_event(machine, &event);
    }
    wd_value_unref(&queue);
    wd_value_unref(&request);
    wd_value_unref(&due);
    wd_value_unref(&event);
    return status;
}

/// Serve requests until one has to ask.
static wd_status serve(wd_machine *machine)
{
    wd_status status = WD_OK;
    const wd_value *request = NULL;
    while (status == WD_OK && (request = wd_permission_dialog(machine)) != NULL) {
        wd_value *asked = wd_value_array(), *answers = wd_value_object();
        bool open = false;
        status = sort_ids(machine, request, &asked, &answers);
        if (status == WD_OK && wd_array_count(asked) > 0) {
            open = true;
            status = open_dialog(machine, &asked, &answers);
        } else if (status == WD_OK) {
            status = resolve(machine, &answers);
        }
        wd_value_unref(&asked);
        wd_value_unref(&answers);
        if (open) {
            break;
        }
    }
    return status;
}

/// Write the answer to one id. `given` NULL, unknown or not_requested counts as denied.
static wd_status answer_one(
    wd_machine *machine, const char *app, const char *id, const wd_value *given, wd_value **results_p)
{
    const char *written = granted;
    wd_status status = wd_value_is_text(given, granted) ? wd_permission_grant(machine, app, id)
                                                        : wd_permission_count_refusal(machine, app, id,
                                                              wd_value_is_text(given, forever), &written);
    wd_value *text = NULL;
    if (status == WD_OK) {
        status = wd_value_text(written, &text);
    }
    return status == WD_OK ? wd_member_put(results_p, id, &text) : status;
}

/// Answer the open dialog: `results` {id: status}, or NULL and `all` for every id; then the next request's
/// turn.
static wd_status answer(wd_machine *machine, const wd_value *results, const char *all)
{
    wd_value *request = wd_value_ref(wd_permission_dialog(machine)), *given = NULL;
    wd_value *answers = wd_value_ref(wd_object_get(request, "answers"));
    const char *app = wd_value_string_or(wd_object_get(request, "app"), "");
    wd_status status = wd_value_text(all, &given);
    wd_iter iter = wd_iter_start(wd_object_get(request, "asked"));
    while (status == WD_OK && wd_iter_next(&iter)) {
        const char *id = wd_value_string_or(iter.value, "");
        status = answer_one(machine, app, id, results != NULL ? wd_object_get(results, id) : given, &answers);
    }
    if (status == WD_OK) {
        status = resolve(machine, &answers);
    }
    wd_value_unref(&answers);
    wd_value_unref(&request);
    wd_value_unref(&given);
    return status == WD_OK ? serve(machine) : status;
}

wd_status wd_permission_refuse(wd_machine *machine)
{
    const wd_value *request = wd_permission_dialog(machine);
    bool tick = wd_value_bool_or(wd_object_get(request, "tick"), false);
    return request == NULL ? WD_OK : answer(machine, NULL, tick ? forever : denied);
}

int64_t wd_permission_due_ms(const wd_machine *machine)
{
    return wd_value_int_or(wd_object_get(wd_permission_dialog(machine), "due"), INT64_MAX);
}

wd_status wd_permission_run_due(wd_machine *machine)
{
    return wd_permission_due_ms(machine) <= wd_machine_now(machine) ? answer(machine, NULL, denied) : WD_OK;
}

/// Set a member of the first request. Takes *value_p.
static wd_status set_in_dialog(wd_machine *machine, const char *member, wd_value **value_p)
{
    wd_value *queue = wd_value_ref(wd_machine_get(machine, QUEUE));
    wd_value *request = wd_value_ref(wd_array_at(queue, 0));
    wd_status status = wd_member_put(&request, member, value_p);
    if (status == WD_OK) {
        status = wd_array_set(&queue, 0, &request);
    }
    if (status == WD_OK) {
        status = wd_machine_put(machine, QUEUE, &queue);
    }
    wd_value_unref(&queue);
    wd_value_unref(&request);
    return status;
}

wd_status wd_permission_shift(wd_machine *machine, int64_t ms)
{
    int64_t due = wd_permission_due_ms(machine);
    wd_value *moved = NULL;
    if (due == INT64_MAX) {
        return WD_OK;
    }
    wd_status status = wd_value_int(due + ms, &moved);
    return status == WD_OK ? set_in_dialog(machine, "due", &moved) : status;
}

// ---- operations -------------------------------------------------------------------------------------------

static wd_status op_request(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    const char *app = NULL, *as = "", *rationale = NULL;
    const wd_value *ids = wd_object_get(args, "perms");
    wd_status status = wd_arg_text(args, "app", &app, error);
    if (status == WD_OK) {
        status = wd_arg_text_optional(args, "as", &as, error);
    }
    if (status == WD_OK) {
        status = wd_arg_text_optional(args, "rationale", &rationale, error);
    }
    if (status != WD_OK) {
        return status;
    }
    if (!wd_value_is(ids, WD_KIND_ARRAY)) {
        return wd_error_set(error, WD_ETYPE, "perms: a list is needed");
    }
    if (wd_package_find(machine, app) == NULL) {
        return wd_error_set(error, WD_ENOENT, "app: %s is not installed", app);
    }
    wd_value *queue = wd_value_ref(wd_machine_get(machine, QUEUE)), *request = NULL;
    if (queue == NULL) {
        queue = wd_value_array();
    }
    size_t waiting = wd_array_count(queue);
    if (waiting >= WD_PERMISSION_QUEUE_MAX) {
        wd_value_unref(&queue);
        return wd_error_set(error, WD_ELIMIT, "perms: %d requests wait already", WD_PERMISSION_QUEUE_MAX);
    }
    status = wd_value_pack(
        &request, "{s:s,s:s,s:v,s:?s}", "as", as, "app", app, "perms", ids, "rationale", rationale);
    if (status == WD_OK) {
        status = wd_list_push(&queue, &request);
    }
    if (status == WD_OK) {
        status = wd_machine_put(machine, QUEUE, &queue);
    }
    wd_value_unref(&queue);
    wd_value_unref(&request);
    return status == WD_OK && waiting == 0 ? serve(machine) : status;
}

static wd_status op_dialog(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    static const struct choice {
        const char *name, *status;
    } choices[] = { { "allow", granted }, { "deny", denied }, { "denyForever", forever },
        { "none", denied } };
    const char *name = NULL, *all = NULL;
    bool wrong_id = false;
    wd_status status = wd_arg_text(args, "answer", &name, error);
    if (status == WD_OK) {
        status = wd_arg_bool_optional(args, "wrongId", &wrong_id, error);
    }
    if (status != WD_OK) {
        return status;
    }
    for (size_t i = 0; i < WD_COUNT_OF(choices); i++) {
        all = strcmp(choices[i].name, name) == 0 ? choices[i].status : all;
    }
    bool custom = strcmp(name, "custom") == 0, refused = strcmp(name, "refuse") == 0;
    if (all == NULL && !custom && !refused) {
        return wd_error_set(error, WD_EINVAL, "answer: %s is none", name);
    }
    bool open = wd_permission_dialog_open(machine);
    *ret_answer = wd_value_bool(open);
    if (!open || wrong_id) {
        return WD_OK;
    }
    if (refused) {
        return wd_permission_refuse(machine);
    }
    return answer(machine, custom ? wd_object_get(args, "results") : NULL, custom ? denied : all);
}

/// The box "don't ask again" of the open dialog.
static wd_status op_tick(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    bool tick = false;
    wd_status status = wd_arg_bool(args, "v", &tick, error);
    if (status != WD_OK) {
        return status;
    }
    if (!wd_permission_dialog_open(machine)) {
        return wd_error_set(error, WD_ESTATE, "no permission dialog is open");
    }
    wd_value *flag = wd_value_bool(tick);
    return set_in_dialog(machine, "tick", &flag);
}

const wd_op wd_ops_permission_request[] = {
    { "request", op_request },
    { "dialog", op_dialog },
    { "dialogTick", op_tick },
    { NULL, NULL },
};
