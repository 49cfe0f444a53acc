/// preference.h - the key-value settings that apps read and write (os.md 7, D13, D14).
///
/// os.preferences holds what was written: unowned keys as they are, volumes clamped, build- and SIM-backed
/// texts raw. A preference that mirrors a managed field is there only once it was written, and always equals
/// the field (D13).
#ifndef SIM_PREFERENCE_H
#define SIM_PREFERENCE_H

#include "managers.h"

/// Write through the owner of `key` (aliases are resolved; a blank key does nothing, an undefined value
/// neither).
/// @retval WD_ETYPE the owner refuses the type; nothing changed.
WD_NODISCARD wd_status wd_preference_set(
    wd_machine *machine, const char *key, const wd_value *value, wd_error *error);
/// What reading `key` gives: the owner's answer, else the stored value. *ret_value is NULL when there is
/// none.
WD_NODISCARD wd_status wd_preference_get(const wd_machine *machine, const char *key, wd_value **ret_value);
/// Bring the written mirrors up to date with their fields.
WD_NODISCARD wd_status wd_preference_sync(wd_machine *machine);
/// After a reload: mirrors that stored preferences hold count as written, and follow their fields.
WD_NODISCARD wd_status wd_preference_adopt(wd_machine *machine);
/// {canonical key: value of the field} of all mirrored preferences.
WD_NODISCARD wd_status wd_preference_mirrors(const wd_machine *machine, wd_value **ret_mirrors);
/// Is this the key of a preference that mirrors a field?
bool wd_preference_is_mirror(const char *key);

/// A derived reading: *ret_text stays NULL when there is none. One per row of the table in preference.c.
typedef wd_status (*wd_preference_reader)(const wd_machine *machine, wd_value **ret_text);
wd_status wd_read_address(const wd_machine *machine, wd_value **ret_text);
wd_status wd_read_battery_level(const wd_machine *machine, wd_value **ret_text);
wd_status wd_read_battery_status(const wd_machine *machine, wd_value **ret_text);
wd_status wd_read_locale(const wd_machine *machine, wd_value **ret_text);
wd_status wd_read_network_type(const wd_machine *machine, wd_value **ret_text);
wd_status wd_read_signal_strength(const wd_machine *machine, wd_value **ret_text);
wd_status wd_read_service_state(const wd_machine *machine, wd_value **ret_text);
wd_status wd_read_data_state(const wd_machine *machine, wd_value **ret_text);
wd_status wd_read_area_info(const wd_machine *machine, wd_value **ret_text);
wd_status wd_read_operator(const wd_machine *machine, wd_value **ret_text);
wd_status wd_read_roaming(const wd_machine *machine, wd_value **ret_text);
wd_status wd_read_sim_status(const wd_machine *machine, wd_value **ret_text);
wd_status wd_read_phone_number(const wd_machine *machine, wd_value **ret_text);
wd_status wd_read_phone_number_1(const wd_machine *machine, wd_value **ret_text);
wd_status wd_read_phone_number_2(const wd_machine *machine, wd_value **ret_text);
wd_status wd_read_iccid(const wd_machine *machine, wd_value **ret_text);
wd_status wd_read_up_time(const wd_machine *machine, wd_value **ret_text);
wd_status wd_read_hardware_version(const wd_machine *machine, wd_value **ret_text);
wd_status wd_read_account(const wd_machine *machine, wd_value **ret_text);

/// The meaning of a battery_status text; false when it has none.
bool wd_battery_status_parse(wd_slice text, bool *ret_charging, bool *ret_fast);

#endif
