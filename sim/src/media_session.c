// What is playing (os.md 12): one session, or none.
#include "services.h"

#define ACTIVE WD_AT("os", "services", "media_session", "active")

static wd_status op_set(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    const wd_value *session = wd_object_get(args, "v");
    wd_value *none = NULL, *copy = NULL;
    if (!wd_value_is(session, WD_KIND_OBJECT) && !wd_value_is(session, WD_KIND_NULL)) {
        return wd_error_set(error, WD_ETYPE, "v: a session or null is needed");
    }
    if (wd_value_equal(wd_machine_get(machine, ACTIVE), session)) {
        return WD_OK;
    }
    copy = wd_value_ref(session);
    wd_status status = wd_machine_put(machine, ACTIVE, &copy);
    return status == WD_OK ? wd_machine_broadcast(machine, "com.miui.os.MEDIA_SESSION_CHANGED", &none)
                           : status;
}

static wd_status op_get(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)args;
    (void)error;
    const wd_value *session = wd_machine_get(machine, ACTIVE);
    *ret_answer = session != NULL ? wd_value_ref(session) : wd_value_null();
    return WD_OK;
}

const wd_op wd_ops_media_session[] = {
    { "mediaSet", op_set },
    { "mediaGet", op_get },
    { NULL, NULL },
};
