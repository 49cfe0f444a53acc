/// store.h - the stores behind the state: how long each lives, how it is kept, when it is written (os.md 13,
/// D15).
///
/// What is kept stands in sys.storage: {key: form}. A form is {"state": ..., "version": 0}, sharing its nodes
/// with the store it was saved from, so that saving costs no copy and no text; or, when a third party put it
/// there, the text as it came. sys.writes holds what is still to be saved: {key: due time} or {key: {"due",
/// "text"}}.
#ifndef SIM_STORE_H
#define SIM_STORE_H

#include "machine.h"
#include "tree/json.h"

enum {
    WD_STORE_DELAY_MS = 300,  // a write waits this long for a newer one
    WD_STORE_KEY_MAX = 256,   // bytes of a storage key
    WD_STORE_REGISTERED_MAX = 1024,
};

typedef enum wd_lifetime {
    WD_LIFETIME_PERSISTENT,  // survives a reload
    WD_LIFETIME_VOLATILE,    // gone on a reload
    WD_LIFETIME_DERIVED,     // computed from other parts; never stored
} wd_lifetime;

/// A part of `os` or of `sys` and its lifetime.
typedef struct wd_store_part {
    const char *name;
    wd_lifetime lifetime;
    const char
        *key;  // persistent parts of `os`: the storage key that keeps it, together with others of that key
} wd_store_part;

/// Every member of the visible `os` in the order of os.md 14; and the members of `sys` that survive a reload.
const wd_store_part *wd_store_os_parts(size_t *ret_count);
const char *const *wd_store_lasting_sys(size_t *ret_count);

/// The bits of wd_machine.dirty for a part of `os`; 0 when it is not persistent.
uint32_t wd_store_dirty_bits(const char *part);

/// Schedule the writes of persistent parts that were put since `before` and differ from it. Clears
/// machine->dirty.
WD_NODISCARD wd_status wd_store_settle(wd_machine *machine, const wd_value *before);
/// Schedule the write of an app's store.
WD_NODISCARD wd_status wd_store_touch_app(wd_machine *machine, const char *app);

/// The timer of delayed writes.
int64_t wd_store_due_ms(const wd_machine *machine);
WD_NODISCARD wd_status wd_store_run_due(wd_machine *machine);

WD_NODISCARD wd_status wd_store_delay_text(wd_machine *machine, const char *key, const char *text);
WD_NODISCARD wd_status wd_store_put_text(wd_machine *machine, const char *key, const char *text);
WD_NODISCARD wd_status wd_store_put_state(wd_machine *machine, const char *key, const wd_value *state);
/// Save, or forget, what is pending for one key or (NULL) for all.
WD_NODISCARD wd_status wd_store_flush(wd_machine *machine, const char *key);
WD_NODISCARD wd_status wd_store_cancel(wd_machine *machine, const char *key);

/// Let the write pending for `key` save what its store holds now, whatever becomes of the store before it is due.
WD_NODISCARD wd_status wd_store_hold_pending(wd_machine *machine, const char *key);

/// Append the stored text of `key` to `buffer`. @retval WD_ENOENT nothing is stored.
WD_NODISCARD wd_status wd_store_text(const wd_machine *machine, const char *key, wd_buffer *buffer);

/// The stored state of an app without a store: the object `state` of a form, or a bare object that has no
/// such key. *ret_state is NULL when there is none (nothing stored, broken text, a list, a scalar). New
/// reference.
WD_NODISCARD wd_status wd_store_fallback(const wd_machine *machine, const char *key, wd_value **ret_state);

/// `initial` with the stored state of `key` laid over it, one level deep. A form of another version is left
/// alone; broken text too, and then *ret_loaded is false: loading did not get done.
WD_NODISCARD wd_status wd_store_hydrate(const wd_machine *machine, const char *key, const wd_value *initial,
    wd_value **ret_state, bool *ret_loaded);

// ---- registered stores (store_registry.c) -----------------------------------------------------------------

/// What is written of a store's state.
typedef enum wd_store_keep {
    WD_KEEP_ALL,
    WD_KEEP_NO_TEMP,  // the member `_temp` is left out; what app packs have
    WD_KEEP_PICKED,   // only the listed members
    WD_KEEP_NOTHING,  // a volatile store
} wd_store_keep;

typedef struct wd_store_spec {
    const char *id;
    const char *key;          // NULL: the id
    const wd_value *initial;  // object
    const wd_value *pick;     // array of member names for WD_KEEP_PICKED
    wd_store_keep keep;
    bool is_app;  // its state is apps.<id>; else a service or provider with its own state
    bool is_service, is_provider;
    bool note_loaded;  // append the id to sys.hydrated once loading is done
} wd_store_spec;

/// Register a store and load it; an earlier one of that id is replaced. @retval WD_ELIMIT, WD_EINVAL.
WD_NODISCARD wd_status wd_store_register(wd_machine *machine, const wd_store_spec *spec, wd_error *error);
/// The state of a registered or an app's store, borrowed; NULL when there is none.
const wd_value *wd_store_state(const wd_machine *machine, const char *id);
/// Lay an object over the state of a store, one level deep, and schedule its write. @retval WD_ENOENT.
WD_NODISCARD wd_status wd_store_set(
    wd_machine *machine, const char *id, const wd_value *members, wd_error *error);
/// Back to the initial state: every app store (those of packs as `boot` has them), or every registered OS
/// store.
WD_NODISCARD wd_status wd_store_reset_apps(wd_machine *machine, const wd_value *boot);
WD_NODISCARD wd_status wd_store_reset_services(wd_machine *machine);
/// What is written of the store that owns `key`: *ret_state is NULL when no store does. New reference.
WD_NODISCARD wd_status wd_store_kept_state(const wd_machine *machine, const char *key, wd_value **ret_state);
/// Put the initial (or, `hydrate`, the stored) state of every registered store into a machine that has just
/// been replaced by its boot root.
WD_NODISCARD wd_status wd_store_reinstate(wd_machine *machine, const wd_value *stores, bool hydrate);
/// A copy of `state` without the member `_temp`; the same node when it has none. New reference.
WD_NODISCARD wd_status wd_store_without_temp(const wd_value *state, wd_value **ret_state);

#endif
