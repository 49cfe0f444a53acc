/// ops.c - the operations of all parts under their names, and typed reading of arguments.
#include "device_struct.h"
#include "package.h"
#include "permission.h"
#include "provider.h"
#include "services.h"

#include <pthread.h>
#include <string.h>

// One array a part. Names are unique over all of them.
static const wd_op *const parts[] = {
    wd_ops_task,
    wd_ops_launch,
    wd_ops_intent,
    wd_ops_back,
    wd_ops_store,
    wd_ops_manager,
    wd_ops_preference,
    wd_ops_permission,
    wd_ops_permission_request,
    wd_ops_provider,
    wd_ops_sms,
    wd_ops_clipboard,
    wd_ops_notification,
    wd_ops_alarm,
    wd_ops_media_session,
    wd_ops_time,
    wd_ops_location,
    wd_ops_pending_intent,
    wd_ops_broadcast,
    wd_ops_file_system,
    wd_ops_launcher,
    wd_ops_shade,
    wd_ops_keyboard,
    wd_ops_package,
};

enum { OPS_MAX = 256, OPS_SLOTS = 1024 };  // open addressing, at most a quarter full

static const wd_op *slots[OPS_SLOTS];
static const char *names[OPS_MAX];
static size_t name_count;
static pthread_once_t joined = PTHREAD_ONCE_INIT;  // not call_once: ThreadSanitizer does not know it

static size_t name_hash(const char *name)
{
    uint32_t hash = 2166136261U;  // FNV-1a
    for (; *name != '\0'; name++) {
        hash = (hash ^ (unsigned char)*name) * 16777619U;
    }
    return hash % OPS_SLOTS;
}

static const wd_op **slot_of(const char *name)
{
    size_t at = name_hash(name);
    while (slots[at] != NULL && strcmp(slots[at]->name, name) != 0) {
        at = (at + 1) % OPS_SLOTS;
    }
    return &slots[at];
}

static void join_parts(void)
{
    for (size_t i = 0; i < WD_COUNT_OF(parts); i++) {
        for (const wd_op *op = parts[i]; op->name != NULL; op++) {
            const wd_op **slot = slot_of(op->name);
            wd_assert(*slot == NULL && name_count < OPS_MAX);
            *slot = op;
            names[name_count++] = op->name;
        }
    }
}

const wd_op *wd_op_find(const char *name)
{
    pthread_once(&joined, join_parts);
    return *slot_of(name);
}

const char *const *wd_device_op_list(size_t *ret_count)
{
    pthread_once(&joined, join_parts);
    *ret_count = name_count;
    return names;
}

// ---- arguments --------------------------------------------------------------------------------------------

static wd_status arg_of_kind(const wd_value *args, const char *name, wd_kind kind, bool optional,
    const wd_value **ret_arg, wd_error *error)
{
    const wd_value *arg = wd_object_get(args, name);
    if (arg == NULL) {
        return optional ? WD_OK : wd_error_set(error, WD_EINVAL, "%s: missing", name);
    }
    if (wd_value_kind(arg) != kind) {
        return wd_error_set(error, WD_ETYPE, "%s: %s is wanted, not %s", name, wd_kind_name(kind),
            wd_kind_name(wd_value_kind(arg)));
    }
    *ret_arg = arg;
    return WD_OK;
}

static wd_status arg_text(
    const wd_value *args, const char *name, bool optional, const char **ret_text, wd_error *error)
{
    const wd_value *arg = NULL;
    wd_status status = arg_of_kind(args, name, WD_KIND_STRING, optional, &arg, error);
    if (status == WD_OK && arg != NULL) {
        *ret_text = wd_value_as_string(arg, NULL);
    }
    return status;
}

static wd_status arg_bool(
    const wd_value *args, const char *name, bool optional, bool *ret_flag, wd_error *error)
{
    const wd_value *arg = NULL;
    wd_status status = arg_of_kind(args, name, WD_KIND_BOOL, optional, &arg, error);
    if (status == WD_OK && arg != NULL) {
        *ret_flag = wd_value_as_bool(arg);
    }
    return status;
}

wd_status wd_arg_text(const wd_value *args, const char *name, const char **ret_text, wd_error *error)
{
    return arg_text(args, name, false, ret_text, error);
}

wd_status wd_arg_text_optional(const wd_value *args, const char *name, const char **ret_text, wd_error *error)
{
    return arg_text(args, name, true, ret_text, error);
}

wd_status wd_arg_bool(const wd_value *args, const char *name, bool *ret_flag, wd_error *error)
{
    return arg_bool(args, name, false, ret_flag, error);
}

wd_status wd_arg_bool_optional(const wd_value *args, const char *name, bool *ret_flag, wd_error *error)
{
    return arg_bool(args, name, true, ret_flag, error);
}

wd_status wd_arg_object(const wd_value *args, const char *name, const wd_value **ret_object, wd_error *error)
{
    return arg_of_kind(args, name, WD_KIND_OBJECT, false, ret_object, error);
}
