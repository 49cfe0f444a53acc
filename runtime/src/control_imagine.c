// What-if on the control socket: of an env on its worker, of a run here.
#include "control_args.h"
#include "imagine.h"
#include "service_internal.h"

#include <string.h>

/// The workers know it by a verb of their own.
static wd_status imagine_env(wd_service *service, const wd_control_peer *peer, const wd_control *control,
    int64_t now_ms, wd_error *error)
{
    wd_control call = *control;
    strcpy(call.verb, "env_imagine");
    return wd_control_env_call(service, peer, &call, now_ms, error);
}

wd_status wd_service_imagine(
    const wd_service_run *run, const wd_imagine_order *order, wd_value **ret_result, wd_error *error)
{
    if (run->device == NULL) {
        return wd_error_set(error, WD_EUNSUPPORTED,
            "imagine: the run's phone is a peer's; only simulated ones can be forked");
    }
    return wd_imagine_run(run->run, &run->sim, order, ret_result, error);
}

wd_status wd_control_imagine(wd_service *service, const wd_control_peer *peer, const wd_control *control,
    int64_t now_ms, wd_service_outbox *outbox, wd_value **ret_result, wd_error *error)
{
    (void)outbox;
    wd_service_run *run = NULL;
    wd_imagine_order order;
    bool has_env = wd_object_get(control->args, "env") != NULL;
    if (has_env == (wd_object_get(control->args, "run") != NULL)) {
        return wd_error_set(error, WD_EINVAL, "args: give one of env, run");
    }
    if (has_env) {
        return imagine_env(service, peer, control, now_ms, error);
    }
    wd_status status = wd_control_open_run(service, peer, control, &run, error);
    status = status == WD_OK ? wd_imagine_read(control->args, &order, error) : status;
    return status == WD_OK ? wd_service_imagine(run, &order, ret_result, error) : status;
}
