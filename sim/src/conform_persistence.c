/// conform_persistence.c - replays persistence.json: stores, delayed writes, loading, adapters, resets.
#include "conform_case.h"
#include "store.h"

#include <string.h>

/// What an adapter of these files is: the state plus derived = n * 10, or a failure.
typedef struct adapter_list {
    wd_value *rows;  // {id: throws}
    int64_t calls;
} adapter_list;

static wd_status adapt(void *context, const char *app, const wd_value *overlay, wd_value **ret_view)
{
    adapter_list *known = context;
    const wd_value *throws = wd_object_get(known->rows, app);
    if (throws == NULL) {
        *ret_view = wd_value_ref(overlay);
        return WD_OK;
    }
    known->calls++;
    if (wd_value_bool_or(throws, false)) {
        return WD_ESCRIPT;
    }
    wd_value *view = wd_value_ref(overlay);
    wd_value *derived = NULL;
    wd_status status = wd_value_int(wd_value_int_or(wd_object_get(overlay, "n"), 0) * 10, &derived);
    if (status == WD_OK) {
        status = wd_object_set(&view, "derived", &derived);
    }
    wd_value_unref(&derived);
    if (status != WD_OK) {
        wd_value_unref(&view);
        return status;
    }
    *ret_view = view;
    return WD_OK;
}

typedef struct replay {
    wd_conform *run;
    wd_device *device;
    adapter_list *adapters;
    const wd_value *op;  // the step's operation
    bool refused;
    wd_value *answer;
} replay;

static wd_status call(replay *r, const char *op, const wd_value *args)
{
    return wd_conform_call(r->run, r->device, op, args, r->refused, &r->answer);
}

static wd_status register_app(replay *r, const char *keep)
{
    const wd_value *op = r->op;
    const wd_value *pick = wd_object_get(op, "pick");
    wd_value *args = NULL;
    wd_status status = wd_value_pack(&args, "{s:?v,s:?v,s:?v,s:s,s:b,s:b}", "id", wd_object_get(op, "id"),
        "initial", wd_object_get(op, "initial"), "pick", pick, "keep", pick != NULL ? "picked" : keep, "app",
        1, "noteLoaded", (int)wd_value_bool_or(wd_object_get(op, "after"), false));
    if (status == WD_OK) {
        status = call(r, "store.register", args);
    }
    wd_value_unref(&args);
    return status;
}

static wd_status do_app_store(replay *r)
{
    return register_app(r, "all");
}

static wd_status do_action_store(replay *r)
{
    return register_app(r, "noTemp");
}

static wd_status do_volatile_store(replay *r)
{
    return register_app(r, "nothing");
}

static wd_status register_os(replay *r, const char *keep)
{
    const wd_value *op = r->op;
    bool provider = wd_value_bool_or(wd_object_get(op, "provider"), false);
    bool service = !provider && wd_value_bool_or(wd_object_get(op, "service"), true);
    wd_value *args = NULL;
    wd_status status = wd_value_pack(&args, "{s:?v,s:?v,s:?v,s:s,s:b,s:b}", "id", wd_object_get(op, "id"),
        "key", wd_object_get(op, "persistName"), "initial", wd_object_get(op, "initial"), "keep", keep,
        "service", (int)service, "provider", (int)provider);
    if (status == WD_OK) {
        status = call(r, "store.register", args);
    }
    wd_value_unref(&args);
    return status;
}

static wd_status do_os_store(replay *r)
{
    return register_os(r, "all");
}

static wd_status do_os_volatile(replay *r)
{
    return register_os(r, "nothing");
}

/// The one action there is: inc sets n = (n or 0) + 1.
static wd_status do_call(replay *r)
{
    const wd_value *id = wd_object_get(r->op, "id");
    if (!wd_value_is_text(wd_object_get(r->op, "fn"), "inc")) {
        return wd_conform_differ(r->run, "fn: no action of that name");
    }
    wd_value *state = NULL;
    wd_value *args = NULL;
    wd_status status = wd_conform_call(r->run, r->device, "store.get", r->op, false, &state);
    if (status == WD_OK) {
        int64_t n = wd_value_int_or(wd_object_get(state, "n"), 0);
        status = wd_value_pack(&args, "{s:?v,s:{s:i}}", "id", id, "v", "n", n + 1);
    }
    if (status == WD_OK) {
        status = call(r, "store.set", args);
    }
    wd_value_unref(&args);
    wd_value_unref(&state);
    return status;
}

/// A member of one part of the visible state, null when it is not there.
static wd_status answer_from_state(replay *r, const char *part, const char *section)
{
    wd_value *state = NULL;
    wd_status status = wd_device_state(r->device, &state);
    if (status != WD_OK) {
        return status;
    }
    const wd_value *holder = wd_object_get(state, part);
    holder = section != NULL ? wd_object_get(holder, section) : holder;
    const wd_value *found = wd_object_get(holder, wd_value_string_or(wd_object_get(r->op, "id"), ""));
    r->answer = found != NULL ? wd_value_ref(found) : wd_value_null();
    wd_value_unref(&state);
    return WD_OK;
}

static wd_status do_snapshot(replay *r)
{
    return answer_from_state(r, "apps", NULL);
}

static wd_status do_services(replay *r)
{
    return answer_from_state(r, "os", "services");
}

static wd_status do_providers(replay *r)
{
    return answer_from_state(r, "os", "providers");
}

static wd_status do_adapter(replay *r)
{
    const char *id = wd_value_string_or(wd_object_get(r->op, "id"), "");
    wd_value *throws = wd_value_bool(wd_value_bool_or(wd_object_get(r->op, "throws"), false));
    wd_status status = wd_object_set(&r->adapters->rows, id, &throws);
    wd_value_unref(&throws);
    return status != WD_OK ? status : wd_device_invalidate(r->device, id);
}

static wd_status do_invalidate(replay *r)
{
    return wd_device_invalidate(r->device, wd_value_string_or(wd_object_get(r->op, "id"), ""));
}

static wd_status do_adapter_calls(replay *r)
{
    return wd_value_int(r->adapters->calls, &r->answer);
}

static wd_status do_reset_state(replay *r)
{
    return wd_device_reset(r->device, false);
}

static wd_status do_set_state_nothing(replay *r)
{
    wd_value *nothing = wd_value_object();
    wd_status status = wd_device_inject(r->device, nothing, true, false, NULL);
    wd_value_unref(&nothing);
    return status;
}

static wd_status do_tick(replay *r)
{
    return wd_device_advance(r->device, wd_value_int_or(wd_object_get(r->op, "ms"), 0));
}

static const struct verb {
    const char *name;
    const char *ours;                 // the operation that takes the same arguments
    wd_status (*perform)(replay *r);  // or what is to be done
} verbs[] = {
    { "put", "store.put", NULL },
    { "debounced", "store.debounced", NULL },
    { "immediate", "store.immediate", NULL },
    { "flushKey", "store.flush", NULL },
    { "flushAll", "store.flush", NULL },
    { "cancel", "store.cancel", NULL },
    { "cancelAll", "store.cancel", NULL },
    { "appStore", NULL, do_app_store },
    { "actionStore", NULL, do_action_store },
    { "volatileStore", NULL, do_volatile_store },
    { "osStore", NULL, do_os_store },
    { "osVolatile", NULL, do_os_volatile },
    { "set", "store.set", NULL },
    { "get", "store.get", NULL },
    { "call", NULL, do_call },
    { "snapshot", NULL, do_snapshot },
    { "services", NULL, do_services },
    { "providers", NULL, do_providers },
    { "adapter", NULL, do_adapter },
    { "invalidate", NULL, do_invalidate },
    { "adapterCalls", NULL, do_adapter_calls },
    { "hydrated", "store.hydrated", NULL },
    { "resetApps", "store.resetApps", NULL },
    { "resetOs", "store.resetServices", NULL },
    { "resetState", NULL, do_reset_state },
    { "setStateNothing", NULL, do_set_state_nothing },
    { "tick", NULL, do_tick },
};

/// The texts under the watched keys.
static wd_status expect_storage(replay *r, const wd_value *keys, const wd_value *step)
{
    wd_machine machine = { .root = wd_device_capture(r->device) };
    wd_value *storage = wd_value_object();
    wd_status status = WD_OK;
    for (size_t i = 0; i < wd_array_count(keys) && status == WD_OK; i++) {
        const char *key = wd_value_string_or(wd_array_at(keys, i), "");
        wd_buffer buffer = { 0 };
        wd_value *text = NULL;
        wd_status found = wd_store_text(&machine, key, &buffer);
        if (found == WD_OK) {
            status = wd_value_string(buffer.bytes != NULL ? buffer.bytes : "", buffer.length, &text);
        } else if (found != WD_ENOENT) {
            status = found;
        }
        if (status == WD_OK && text != NULL) {
            status = wd_object_set(&storage, key, &text);
        }
        wd_value_unref(&text);
        wd_buffer_done(&buffer);
    }
    if (status == WD_OK) {
        status = wd_conform_expect(r->run, "storage", wd_object_get(step, "storage"), storage);
    }
    wd_value_unref(&storage);
    wd_value_unref(&machine.root);
    return status;
}

static wd_status replay_step(replay *r, const wd_value *keys, const wd_value *step)
{
    r->op = wd_object_get(step, "op");
    r->refused = wd_value_bool_or(wd_object_get(step, "error"), false);
    r->run->op = wd_value_string_or(wd_object_get(r->op, "op"), "");
    size_t at = 0;
    while (at < WD_COUNT_OF(verbs) && strcmp(verbs[at].name, r->run->op) != 0) {
        at++;
    }
    if (at == WD_COUNT_OF(verbs)) {
        return wd_conform_differ(r->run, "op: none of ours");
    }
    wd_status status = verbs[at].ours != NULL ? call(r, verbs[at].ours, r->op) : verbs[at].perform(r);
    if (status == WD_OK) {
        status = expect_storage(r, keys, step);
    }
    const wd_value *ret = wd_object_get(step, "ret");
    if (status == WD_OK && ret != NULL) {
        status = wd_conform_expect(r->run, "ret", ret, r->answer);
    }
    wd_value_unref(&r->answer);
    return status;
}

wd_status wd_conform_persistence(const wd_value *file, const wd_value *one, wd_conform *run)
{
    (void)file;
    adapter_list adapters = { .rows = wd_value_object() };
    wd_device_hooks hooks = { .context = &adapters, .adapt = adapt };
    replay r = { .run = run, .adapters = &adapters };
    wd_status status = wd_conform_device(run, &hooks, &r.device);
    const wd_value *steps = wd_object_get(one, "steps");
    for (size_t i = 0; i < wd_array_count(steps) && status == WD_OK && !run->failed; i++) {
        run->step = i + 1;
        status = replay_step(&r, wd_object_get(one, "keys"), wd_array_at(steps, i));
    }
    wd_device_destroy(&r.device);
    wd_value_unref(&adapters.rows);
    return status;
}
