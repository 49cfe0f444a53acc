/// store_ops.c - registering, reading and writing stores and what is stored, by name ("store.*").
#include "store.h"

#include <string.h>

typedef wd_status (*on_key)(wd_machine *machine, const char *key);
typedef wd_status (*on_key_text)(wd_machine *machine, const char *key, const char *text);

static wd_status key_of(const wd_value *args, const char *name, const char **ret_key, wd_error *error)
{
    wd_status status = wd_arg_text(args, name, ret_key, error);
    if (status == WD_OK && ((*ret_key)[0] == '\0' || strlen(*ret_key) > WD_STORE_KEY_MAX)) {
        return wd_error_set(error, WD_EINVAL, "%s: empty or longer than %d bytes", name, WD_STORE_KEY_MAX);
    }
    return status;
}

static wd_status write_text(wd_machine *machine, const wd_value *args, on_key_text perform, wd_error *error)
{
    const char *key = NULL;
    const char *text = NULL;
    wd_status status = key_of(args, "key", &key, error);
    if (status == WD_OK) {
        status = wd_arg_text(args, "text", &text, error);
    }
    return status != WD_OK ? status : perform(machine, key, text);
}

/// By a third party, past the stores: what is pending stays pending.
static wd_status put_behind(wd_machine *machine, const char *key, const char *text)
{
    return wd_machine_put_text(machine, WD_AT("sys", "storage", key), text);
}

static wd_status op_put(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    return write_text(machine, args, put_behind, error);
}

static wd_status op_debounced(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    return write_text(machine, args, wd_store_delay_text, error);
}

static wd_status op_immediate(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    return write_text(machine, args, wd_store_put_text, error);
}

/// For one key, or for all when none is named.
static wd_status on_pending(wd_machine *machine, const wd_value *args, on_key perform, wd_error *error)
{
    const char *key = NULL;
    wd_status status = wd_arg_text_optional(args, "key", &key, error);
    return status != WD_OK ? status : perform(machine, key);
}

static wd_status op_flush(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    return on_pending(machine, args, wd_store_flush, error);
}

static wd_status op_cancel(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    return on_pending(machine, args, wd_store_cancel, error);
}

static wd_status op_text(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    const char *key = NULL;
    wd_buffer buffer = { 0 };
    wd_status status = key_of(args, "key", &key, error);
    if (status == WD_OK) {
        status = wd_store_text(machine, key, &buffer);
    }
    if (status == WD_ENOENT) {
        *ret_answer = wd_value_null();
        status = WD_OK;
    } else if (status == WD_OK) {
        status = wd_value_string(buffer.bytes != NULL ? buffer.bytes : "", buffer.length, ret_answer);
    }
    wd_buffer_done(&buffer);
    return status;
}

/// {id, key?, initial, keep all|noTemp|picked|nothing, pick?, app|service|provider?, noteLoaded?}
static wd_status op_register(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    static const char *const keeps[] = { "all", "noTemp", "picked", "nothing" };  // in order of wd_store_keep
    (void)ret_answer;
    wd_store_spec spec = { 0 };
    const char *keep = "all";
    wd_status status = key_of(args, "id", &spec.id, error);
    if (status == WD_OK) {
        status = wd_arg_text_optional(args, "key", &spec.key, error);
    }
    if (status == WD_OK) {
        status = wd_arg_object(args, "initial", &spec.initial, error);
    }
    if (status == WD_OK) {
        status = wd_arg_text_optional(args, "keep", &keep, error);
    }
    const struct {
        const char *name;
        bool *flag;
    } flags[] = {
        { "app", &spec.is_app },
        { "service", &spec.is_service },
        { "provider", &spec.is_provider },
        { "noteLoaded", &spec.note_loaded },
    };
    for (size_t i = 0; i < WD_COUNT_OF(flags) && status == WD_OK; i++) {
        status = wd_arg_bool_optional(args, flags[i].name, flags[i].flag, error);
    }
    if (status != WD_OK) {
        return status;
    }
    size_t at = 0;
    while (at < WD_COUNT_OF(keeps) && strcmp(keeps[at], keep) != 0) {
        at++;
    }
    if (at == WD_COUNT_OF(keeps)) {
        return wd_error_set(error, WD_EINVAL, "keep: all, noTemp, picked or nothing is wanted");
    }
    spec.keep = (wd_store_keep)at;
    spec.pick = wd_object_get(args, "pick");
    if (spec.keep == WD_KEEP_PICKED && !wd_value_is(spec.pick, WD_KIND_ARRAY)) {
        return wd_error_set(error, WD_EINVAL, "pick: a list of member names is wanted");
    }
    return wd_store_register(machine, &spec, error);
}

static wd_status op_get(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    const char *id = NULL;
    wd_status status = key_of(args, "id", &id, error);
    if (status == WD_OK) {
        const wd_value *state = wd_store_state(machine, id);
        *ret_answer = state != NULL ? wd_value_ref(state) : wd_value_null();
    }
    return status;
}

static wd_status op_set(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    const char *id = NULL;
    wd_status status = key_of(args, "id", &id, error);
    return status != WD_OK ? status : wd_store_set(machine, id, wd_object_get(args, "v"), error);
}

static wd_status op_hydrated(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)args;
    (void)error;
    const wd_value *ids = wd_machine_get(machine, WD_AT("sys", "hydrated"));
    *ret_answer = ids != NULL ? wd_value_ref(ids) : wd_value_array();
    return WD_OK;
}

static wd_status op_reset_apps(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)args;
    (void)ret_answer;
    (void)error;
    return wd_store_reset_apps(machine, wd_machine_boot(machine));
}

static wd_status op_reset_services(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)args;
    (void)ret_answer;
    (void)error;
    return wd_store_reset_services(machine);
}

const wd_op wd_ops_store[] = {
    { "store.put", op_put },
    { "store.debounced", op_debounced },
    { "store.immediate", op_immediate },
    { "store.flush", op_flush },
    { "store.cancel", op_cancel },
    { "store.text", op_text },
    { "store.register", op_register },
    { "store.get", op_get },
    { "store.set", op_set },
    { "store.hydrated", op_hydrated },
    { "store.resetApps", op_reset_apps },
    { "store.resetServices", op_reset_services },
    { NULL, NULL },
};
