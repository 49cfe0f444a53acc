/// phone.h - a device with its app packs on a 1080x2400 display: observe a scene, execute an action.
///
/// A host holds what envs share on one thread: the packs, one Lua interpreter, the screen cache. It is what sim/
/// offers to executors. Rendering never changes a device.
#ifndef SIM_PHONE_H
#define SIM_PHONE_H

#include "scene/action.h"
#include "scene/scene.h"
#include "sim/device.h"

enum { WD_PHONE_WIDTH = 1080, WD_PHONE_HEIGHT = 2400 };

/// A pack that could not be loaded: the others are.
typedef struct wd_pack_fault {
    char *directory;
    wd_error error;  // names file, line and reason
} wd_pack_fault;

/// The packs of some directories, checked and frozen; shared by hosts on all threads (counted atomically).
typedef struct wd_packs wd_packs;

/// Where packs come from: sim/ does no I/O itself.
typedef struct wd_pack_source {
    void *context;
    /// Names in a directory, sorted by bytes, "." and ".." left out, as array of texts. WD_ENOENT: no such directory.
    wd_status (*list)(void *context, const char *directory, wd_value **ret_names);
    /// A whole file; *ret_bytes is freed by wd_free(*ret_bytes, *ret_length + 1). WD_ENOENT: no such file.
    wd_status (*read)(void *context, const char *path, char **ret_bytes, size_t *ret_length);
} wd_pack_source;

/// Load every pack folder found in `directories`. A broken pack becomes a fault and the load goes on; so does a pack whose
/// id an earlier directory has. @param source  Borrowed during the call. @param[out] ret_packs  A reference.
/// @retval WD_ENOENT no such directory. @retval WD_ENOMEM. Untouched unless WD_OK is returned.
WD_NODISCARD wd_status wd_packs_load(const wd_pack_source *source, const char *const *directories,
    size_t directory_count, wd_packs **ret_packs, wd_error *error);
wd_packs *wd_packs_ref(wd_packs *packs);
void wd_packs_unref(wd_packs **packs_p);
size_t wd_packs_fault_count(const wd_packs *packs);
const wd_pack_fault *wd_packs_fault(const wd_packs *packs, size_t index);  // borrowed; index < count
/// {id: {version, digest}} of the loaded packs, for episodes. Borrowed.
const wd_value *wd_packs_identity(const wd_packs *packs);

/// The packs' code and the screens drawn lately. A host belongs to the thread that made it, with all its devices.
typedef struct wd_host wd_host;
/// @param packs  A reference is taken. @retval WD_ESCRIPT a pack's code does not load here. @retval WD_ENOMEM.
WD_NODISCARD wd_status wd_host_new(wd_packs *packs, wd_host **ret_host, wd_error *error);
void wd_host_destroy(wd_host **host_p);

/// What one call of an app's code may take.
typedef struct wd_host_limits {
    int64_t lua_instructions;
    size_t lua_bytes;  // that it may add
} wd_host_limits;
wd_host_limits wd_host_limits_default(void);
/// From the next call on. Results that only a wider limit allows differ, so it belongs to the settings of a daemon.
void wd_host_limit(wd_host *host, wd_host_limits limits);

/// Boot a phone with all packs. The device must be destroyed before the host.
WD_NODISCARD wd_status wd_host_boot(wd_host *host, uint64_t seed, wd_device **ret_device, wd_error *error);

/// The present screen. @retval WD_ESCRIPT an app's code failed; `error` names file and line.
WD_NODISCARD wd_status wd_phone_observe(
    wd_host *host, wd_device *device, wd_scene **ret_scene, wd_error *error);

/// Execute a physical action (wd_action_is_physical()). Virtual time advances by the device's action time, by
/// action->ms for `wait`. A refused action changes nothing, time included.
/// @param planned_on  The scene that a target by node id refers to; NULL: the present one. When the present screen
///                    differs from it, node targets are refused with code "target_gone".
/// @param ret_result  ok; failed (an app's code failed, ...: nothing changed but the time); refused (target_gone,
///                    target_missing, target_ambiguous, bad_arguments, no_such_app, unknown_action).
///                    A tap that hits nothing is ok with code "no_effect" and says so.
/// @retval WD_ENOMEM  only; everything else is a result.
WD_NODISCARD wd_status wd_phone_execute(wd_host *host, wd_device *device, const wd_action *action,
    const wd_scene *planned_on, wd_result *ret_result);

/// Read through an app's views (DESIGN section 5): view is "view_post", "state_user", ...; args an array.
/// @retval WD_ENOENT no such app or view. @retval WD_ESCRIPT.
WD_NODISCARD wd_status wd_phone_view(wd_host *host, const wd_value *state, const char *app, const char *view,
    const wd_value *args, wd_value **ret_value, wd_error *error);

#endif
