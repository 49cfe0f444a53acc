/// device_struct.h - what a device is made of. Everything that belongs to its state is in machine.root.
#ifndef SIM_DEVICE_STRUCT_H
#define SIM_DEVICE_STRUCT_H

#include "machine.h"

/// Views of `os` and `apps` already built, shared by the forks of a device until one of them builds others
/// (state.c).
typedef struct wd_view_cache wd_view_cache;
wd_view_cache *wd_view_cache_ref(wd_view_cache *cache);
void wd_view_cache_unref(wd_view_cache **cache_p);
/// The visible state of `machine`; *cache_p (NULL: none yet) remembers it. Changes nothing else.
WD_NODISCARD wd_status wd_state_view(
    const wd_machine *machine, wd_view_cache **cache_p, wd_value **ret_state);

/// From now on `state` is what the machine `root` shows.
WD_NODISCARD wd_status wd_view_cache_set(
    wd_view_cache **cache_p, const wd_value *root, const wd_value *state);
/// Let the view of an app be built anew. @retval WD_ENOMEM.
WD_NODISCARD wd_status wd_view_cache_forget(wd_view_cache **cache_p, const char *app);

/// Are these manifests (boot.c)? @retval WD_EINVAL `error` names what is wrong.
WD_NODISCARD wd_status wd_packages_check(const wd_value *packages, wd_error *error);
/// May `root` replace that of `now` (restore.c)? @retval WD_EINVAL `error` names what is missing.
WD_NODISCARD wd_status wd_machine_check(const wd_value *root, const wd_machine *now, wd_error *error);

struct wd_device {
    wd_machine machine;
    wd_value *boot;          // the root right after boot: what a reset swaps in
    wd_view_cache *cache;    // NULL until the first state
    struct wd_shown *shown;  // its last screen, in its host's table; NULL: none is kept there
};

/// The device goes: its last screen is kept no longer (host.c). NULL is fine.
void wd_shown_forget(struct wd_shown *shown);

/// Let `ms` of virtual time pass (clock.c).
WD_NODISCARD wd_status wd_clock_advance(wd_machine *machine, int64_t ms);

/// The row of an operation, or NULL (ops.c).
const wd_op *wd_op_find(const char *name);

/// Fill `device` (its machine empty) with the state after boot (boot.c).
WD_NODISCARD wd_status wd_boot(wd_machine *machine, const wd_device_options *options, wd_error *error);

/// Append "background", "foreground" and "destroy" events for what differs between `before` and now
/// (lifecycle.c).
WD_NODISCARD wd_status wd_lifecycle_events(wd_machine *machine, const wd_value *before);

/// Merge a patch of the whole state through its owners (inject.c).
WD_NODISCARD wd_status wd_inject(wd_machine *machine, const wd_value *patch, bool deep, wd_error *error);

/// Store an app's overlay after check_overlay (inject.c). Takes *overlay_p on success.
WD_NODISCARD wd_status wd_inject_overlay(
    wd_machine *machine, const char *app, wd_value **overlay_p, wd_error *error);

/// Factory reset, and reload: both start from the root after boot (reset.c).
WD_NODISCARD wd_status wd_reset(wd_machine *machine, const wd_value *boot);
WD_NODISCARD wd_status wd_reload(wd_machine *machine, const wd_value *boot);

#endif
