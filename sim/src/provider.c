#include "provider.h"

#include "tree/patch.h"

#include <string.h>

#define OBSERVERS WD_AT("sys", "observers")
#define PROVIDERS(name) WD_AT("os", "providers", name)

static const wd_provider *const builtin[] = { &wd_provider_contacts, &wd_provider_sms, &wd_provider_media };

// ---- shared helpers ---------------------------------------------------------------------------------------

const wd_value *wd_given(const wd_value *values, const char *key)
{
    const wd_value *value = wd_object_get(values, key);
    return value != NULL && wd_value_is_undefined(value) ? NULL : value;
}

const wd_value *wd_list_find(const wd_value *list, wd_slice id, size_t *ret_index)
{
    wd_iter iter = wd_iter_start(list);
    while (wd_iter_next(&iter)) {
        const wd_value *other = wd_object_get(iter.value, "id");
        size_t length = 0;
        const char *bytes = wd_value_is(other, WD_KIND_STRING) ? wd_value_as_string(other, &length) : NULL;
        if (bytes != NULL && length == id.length && memcmp(bytes, id.bytes, length) == 0) {
            *ret_index = iter.index;
            return iter.value;
        }
    }
    *ret_index = wd_array_count(list);
    return NULL;
}

wd_status wd_draw_id(wd_machine *machine, const char *prefix, const wd_value *list, wd_value **ret_id)
{
    char counter[16] = "";
    size_t length = strlen(prefix) - 1, index = 0;
    wd_assert(length < sizeof counter);
    memcpy(counter, prefix, length);
    for (;;) {
        int64_t number = 0;
        wd_status status = wd_machine_draw(machine, counter, &number);
        if (status == WD_OK) {
            status = wd_value_format(ret_id, "%s%lld", prefix, (long long)number);
        }
        if (status != WD_OK || wd_list_find(list, wd_trimmed(*ret_id), &index) == NULL) {
            return status;
        }
        wd_value_unref(ret_id);
    }
}

wd_status wd_uri_make(const char *base, const wd_value *id, wd_value **ret_uri)
{
    return wd_value_format(ret_uri, "content://%s/%s", base, wd_value_as_string(id, NULL));
}

wd_status wd_list_prepend(wd_value **list_p, wd_value **item_p)
{
    return wd_list_insert_at(list_p, 0, item_p);
}

// ---- notices ----------------------------------------------------------------------------------------------

static wd_status tell_observers(wd_machine *machine, const wd_uri *uri, const wd_value *text)
{
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(wd_machine_get(machine, OBSERVERS));
    while (status == WD_OK && wd_iter_next(&iter)) {
        wd_slice authority = wd_trimmed(wd_object_get(iter.value, "authority"));
        wd_slice path = wd_trimmed(wd_object_get(iter.value, "path"));
        if (authority.length == uri->authority.length &&
            memcmp(authority.bytes, uri->authority.bytes, authority.length) == 0 &&
            wd_uri_paths_meet(path, uri->path)) {
            wd_value *event = NULL;
            status =
                wd_value_pack(&event, "{s:v,s:v}", "observer", wd_object_get(iter.value, "as"), "uri", text);
            if (status == WD_OK) {
                status = wd_machine_event(machine, &event);
            }
        }
    }
    return status;
}

static wd_status notify(wd_machine *machine, const char *uri_text, wd_error *error)
{
    wd_uri uri = { 0 };
    wd_value *text = NULL, *data = NULL, *extras = NULL;
    wd_status status = wd_uri_parse(uri_text, &uri, error);
    if (status == WD_OK) {
        status = wd_slice_value(uri.text, &text);
    }
    if (status == WD_OK) {
        status = tell_observers(machine, &uri, text);
    }
    if (status == WD_OK) {
        status = wd_value_pack(&data, "{s:v}", "uri", text);
    }
    if (status == WD_OK) {
        extras = wd_value_ref(data);
        status = wd_machine_broadcast_data(machine, "os.intent.action.PROVIDER_CHANGED", data, &extras);
    }
    wd_value_unref(&text);
    wd_value_unref(&data);
    wd_uri_done(&uri);
    return status;
}

wd_status wd_provider_notify(wd_machine *machine, const char *uri)
{
    return notify(machine, uri, NULL);
}

// ---- dispatch ---------------------------------------------------------------------------------------------

typedef enum action {
    ACTION_QUERY,
    ACTION_INSERT,
    ACTION_UPDATE,
    ACTION_DELETE,
} action;
static const char *const action_names[] = { "query", "insert", "update", "delete" };

static const wd_provider *find_builtin(wd_slice authority)
{
    for (size_t i = 0; i < WD_COUNT_OF(builtin); i++) {
        if (wd_slice_is(authority, builtin[i]->authority)) {
            return builtin[i];
        }
    }
    return NULL;
}

static wd_status query(
    wd_machine *machine, const wd_provider *provider, const wd_uri *uri, wd_value **ret_answer)
{
    wd_value *items = NULL;
    wd_status status = provider->query(machine, uri, &items);
    if (status != WD_OK) {
        return status;
    }
    return wd_value_pack(ret_answer, "{s:V,s:i}", "items", items, "count", (int64_t)wd_array_count(items));
}

static wd_status count_and_notify(
    wd_machine *machine, const wd_uri *uri, int64_t count, wd_value **ret_answer)
{
    wd_status status = wd_value_int(count, ret_answer);
    wd_value *text = NULL;
    if (status == WD_OK && count > 0) {
        status = wd_slice_value(uri->text, &text);
    }
    if (text != NULL) {
        status = wd_provider_notify(machine, wd_value_as_string(text, NULL));
    }
    wd_value_unref(&text);
    return status;
}

static wd_status call_builtin(wd_machine *machine, const wd_provider *provider, action what,
    const wd_uri *uri, const wd_value *values, wd_value **ret_answer, wd_error *error)
{
    wd_status status = WD_OK;
    int64_t count = 0;
    switch (what) {
    case ACTION_QUERY:
        return query(machine, provider, uri, ret_answer);
    case ACTION_INSERT:
        status = provider->insert(machine, uri, values, ret_answer, error);
        return status == WD_OK ? wd_provider_notify(machine, wd_value_as_string(*ret_answer, NULL)) : status;
    case ACTION_UPDATE:
        status = provider->update(machine, uri, values, &count);
        break;
    case ACTION_DELETE:
        status = provider->remove(machine, uri, &count);
        break;
    }
    return status == WD_OK ? count_and_notify(machine, uri, count, ret_answer) : status;
}

/// Does an installed pack declare this provider? Manifests list authorities, or objects with one.
static bool is_declared(const wd_machine *machine, wd_slice authority)
{
    wd_iter packages = wd_iter_start(wd_machine_get(machine, WD_AT("sys", "packages")));
    while (wd_iter_next(&packages)) {
        wd_iter iter = wd_iter_start(wd_object_get(packages.value, "providers"));
        while (wd_iter_next(&iter)) {
            const wd_value *name = wd_object_get(iter.value, "authority");
            wd_slice text = wd_trimmed(name != NULL ? name : iter.value);
            if (text.length == authority.length && memcmp(text.bytes, authority.bytes, text.length) == 0) {
                return true;
            }
        }
    }
    return false;
}

static wd_status call_pack(wd_machine *machine, const wd_value *authority, action what, const wd_value *args,
    const wd_uri *uri, wd_value **ret_answer, wd_error *error)
{
    wd_status status = machine->hooks->provide(machine->hooks->context, machine->device,
        wd_value_as_string(authority, NULL), action_names[what], args, ret_answer, error);
    if (status != WD_OK || what == ACTION_QUERY) {
        return status;
    }
    if (what == ACTION_INSERT && wd_value_is(*ret_answer, WD_KIND_STRING)) {
        return notify(machine, wd_value_as_string(*ret_answer, NULL), error);
    }
    int64_t count = what == ACTION_INSERT ? 1 : wd_value_int_or(*ret_answer, 0);
    wd_value *answer = NULL;
    status = count_and_notify(machine, uri, count, &answer);
    wd_value_unref(&answer);
    return status;
}

static wd_status call(
    wd_machine *machine, action what, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    const char *text = NULL;
    const wd_value *values = wd_object_get(args, "values");
    wd_status status = wd_arg_text(args, "uri", &text, error);
    if (status == WD_OK && (what == ACTION_INSERT || what == ACTION_UPDATE)) {
        status = wd_arg_object(args, "values", &values, error);
    }
    wd_uri uri = { 0 };
    if (status == WD_OK) {
        status = wd_uri_parse(text, &uri, error);
    }
    if (status != WD_OK) {
        return status;
    }
    const wd_provider *provider = find_builtin(uri.authority);
    wd_value *authority = NULL;
    status = wd_slice_value(uri.authority, &authority);
    if (status == WD_OK && provider != NULL) {
        status = call_builtin(machine, provider, what, &uri, values, ret_answer, error);
    } else if (status == WD_OK && machine->hooks != NULL && machine->hooks->provide != NULL &&
               is_declared(machine, uri.authority)) {
        status = call_pack(machine, authority, what, args, &uri, ret_answer, error);
    } else if (status == WD_OK) {
        status = wd_error_set(error, WD_ENOENT, "uri: no provider %s", wd_value_as_string(authority, NULL));
    }
    wd_value_unref(&authority);
    wd_uri_done(&uri);
    return status;
}

// ---- operations -------------------------------------------------------------------------------------------

/// Keep the listed members of each item of a query's answer. An empty list keeps all.
static wd_status project(const wd_value *keys, wd_value **answer_p)
{
    wd_value *items = wd_value_array();
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(wd_object_get(*answer_p, "items"));
    while (status == WD_OK && wd_iter_next(&iter)) {
        wd_value *item = wd_value_object();
        for (size_t i = 0; status == WD_OK && i < wd_array_count(keys); i++) {
            const char *key = wd_value_string_or(wd_array_at(keys, i), "");
            wd_value *member = wd_value_ref(wd_object_get(iter.value, key));
            if (member != NULL) {
                status = wd_member_put(&item, key, &member);
            }
        }
        if (status == WD_OK) {
            status = wd_list_push(&items, &item);
        }
        wd_value_unref(&item);
    }
    if (status == WD_OK) {
        status = wd_member_put(answer_p, "items", &items);
    }
    wd_value_unref(&items);
    return status;
}

static wd_status op_query(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    const wd_value *keys = wd_object_get(args, "projection");
    wd_status status = call(machine, ACTION_QUERY, args, ret_answer, error);
    if (status != WD_OK || wd_array_count(keys) == 0) {
        return status;
    }
    wd_uri uri = { 0 };
    status = wd_uri_parse(wd_value_as_string(wd_object_get(args, "uri"), NULL), &uri, error);
    if (status == WD_OK && wd_slice_is(uri.authority, "contacts")) {  // the only one that projects
        status = project(keys, ret_answer);
    }
    wd_uri_done(&uri);
    return status;
}

static wd_status op_insert(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    return call(machine, ACTION_INSERT, args, ret_answer, error);
}

static wd_status op_update(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    return call(machine, ACTION_UPDATE, args, ret_answer, error);
}

static wd_status op_delete(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    return call(machine, ACTION_DELETE, args, ret_answer, error);
}

static wd_status op_parse_uri(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)machine;
    const char *text = NULL;
    wd_uri uri = { 0 };
    wd_status status = wd_arg_text(args, "uri", &text, error);
    if (status == WD_OK) {
        status = wd_uri_parse(text, &uri, error);
    }
    wd_value *whole = NULL, *authority = NULL, *path = NULL;
    if (status == WD_OK) {
        status = wd_slice_value(uri.text, &whole);
    }
    if (status == WD_OK) {
        status = wd_slice_value(uri.authority, &authority);
    }
    if (status == WD_OK) {
        status = wd_slice_value(uri.path, &path);
    }
    if (status == WD_OK) {
        status = wd_value_pack(ret_answer, "{s:v,s:v,s:v,s:v}", "uri", whole, "authority", authority, "path",
            path, "query", uri.query);
    }
    wd_value_unref(&whole);
    wd_value_unref(&authority);
    wd_value_unref(&path);
    wd_uri_done(&uri);
    return status;
}

static wd_status op_observe(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    const char *text = NULL, *as = NULL;
    wd_uri uri = { 0 };
    wd_status status = wd_arg_text(args, "uri", &text, error);
    if (status == WD_OK) {
        status = wd_arg_text(args, "as", &as, error);
    }
    if (status == WD_OK) {
        status = wd_uri_parse(text, &uri, error);
    }
    if (status != WD_OK) {
        return status;
    }
    wd_value *list = wd_value_ref(wd_machine_get(machine, OBSERVERS)), *row = NULL;
    wd_value *authority = NULL, *path = NULL;
    list = list != NULL ? list : wd_value_array();
    if (wd_array_count(list) >= WD_OBSERVERS_MAX) {
        status = wd_error_set(error, WD_ELIMIT, "as: %d observers are registered already", WD_OBSERVERS_MAX);
    }
    if (status == WD_OK) {
        status = wd_slice_value(uri.authority, &authority);
    }
    if (status == WD_OK) {
        status = wd_slice_value(uri.path, &path);
    }
    if (status == WD_OK) {
        status = wd_value_pack(&row, "{s:s,s:v,s:v}", "as", as, "authority", authority, "path", path);
    }
    if (status == WD_OK) {
        status = wd_list_push(&list, &row);
    }
    if (status == WD_OK) {
        status = wd_machine_put(machine, OBSERVERS, &list);
    }
    wd_value_unref(&list);
    wd_value_unref(&authority);
    wd_value_unref(&path);
    wd_uri_done(&uri);
    return status;
}

static wd_status op_unobserve(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    const char *as = NULL;
    wd_status status = wd_arg_text(args, "as", &as, error);
    wd_value *list = wd_value_ref(status == WD_OK ? wd_machine_get(machine, OBSERVERS) : NULL);
    for (size_t i = wd_array_count(list); status == WD_OK && i-- > 0;) {
        if (wd_value_is_text(wd_object_get(wd_array_at(list, i), "as"), as)) {
            status = wd_array_remove(&list, i);
        }
    }
    if (status == WD_OK && list != NULL) {
        return wd_machine_put(machine, OBSERVERS, &list);
    }
    wd_value_unref(&list);
    return status;
}

static wd_status op_notify(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    const char *text = NULL;
    wd_status status = wd_arg_text(args, "uri", &text, error);
    return status == WD_OK ? notify(machine, text, error) : status;
}

/// Replace the states of the three providers without a notice.
static wd_status op_seed(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    const wd_value *contacts = wd_object_get(args, "contacts"), *sms = NULL, *media = NULL;
    wd_value *state = NULL;
    wd_status status = wd_arg_object(args, "sms", &sms, error);
    if (status == WD_OK) {
        status = wd_arg_object(args, "media", &media, error);
    }
    if (status == WD_OK && !wd_value_is(contacts, WD_KIND_ARRAY)) {
        return wd_error_set(error, WD_ETYPE, "contacts: a list is needed");
    }
    if (status == WD_OK) {
        status = wd_value_pack(&state, "{s:v}", "contacts", contacts);
    }
    if (status == WD_OK) {
        status = wd_machine_put(machine, PROVIDERS("contacts"), &state);
    }
    if (status == WD_OK) {
        state = wd_value_ref(sms);
        status = wd_machine_put(machine, PROVIDERS("sms"), &state);
    }
    if (status == WD_OK) {
        state = wd_value_ref(media);
        status = wd_machine_put(machine, PROVIDERS("media"), &state);
    }
    return status;
}

const wd_op wd_ops_provider[] = {
    { "parseUri", op_parse_uri },
    { "query", op_query },
    { "insert", op_insert },
    { "update", op_update },
    { "delete", op_delete },
    { "observe", op_observe },
    { "unobserve", op_unobserve },
    { "notify", op_notify },
    { "seed", op_seed },
    { NULL, NULL },
};

// ---- inject -----------------------------------------------------------------------------------------------

wd_status wd_inject_providers(wd_machine *machine, const wd_value *patch, wd_error *error)
{
    wd_status status = WD_OK;
    if (!wd_value_is(patch, WD_KIND_OBJECT)) {
        return wd_error_set(error, WD_ETYPE, "an object is needed");
    }
    wd_iter iter = wd_iter_start(patch);
    while (status == WD_OK && wd_iter_next(&iter)) {
        const wd_value *base = wd_machine_get(machine, PROVIDERS(iter.key));
        wd_value *merged = NULL, *uri = NULL;
        if (base == NULL || wd_value_is_undefined(iter.value)) {
            continue;
        }
        if (wd_value_is_unset(iter.value)) {
            return wd_error_set(error, WD_ETYPE, "%s: an object is needed", iter.key);
        }
        status = wd_patch_merge(base, iter.value, WD_PATCH_DEEP, &merged, error);
        if (status != WD_OK) {
            wd_error_prefix(error, "%s", iter.key);
            return status;
        }
        status = wd_machine_put(machine, PROVIDERS(iter.key), &merged);
        if (status == WD_OK) {
            status = wd_value_format(&uri, "content://%s", iter.key);
        }
        if (status == WD_OK) {
            status = wd_provider_notify(machine, wd_value_as_string(uri, NULL));
        }
        wd_value_unref(&uri);
    }
    return status;
}
