// The what-if of an env, as a verb of its worker.
#include "imagine.h"

#include "env_call_internal.h"

wd_status env_call_imagine(
    wd_envs *envs, const wd_env_caller *caller, const wd_value *args, wd_value **ret_result, wd_error *error)
{
    wd_env *env = NULL;
    wd_imagine_order order;
    wd_status status = env_arg_env(envs, caller, args, &env, error);
    status = status == WD_OK ? wd_imagine_read(args, &order, error) : status;
    status = status == WD_OK ? env_room(envs, 0, 0, error) : status;
    if (status == WD_OK) {
        wd_imagine_ground ground = {
            .progress = &env->progress,
            .device = env->device,
            .planned_on = env->told,
        };
        status = wd_imagine(envs, &ground, &order, ret_result, error);
    }
    return status;
}
