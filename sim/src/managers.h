/// managers.h - the only writers of constrained fields of `os.settings` and `os.hardware` (os.md 6, D1, D13
/// to D18).
///
/// Where things are:
///   os.settings.global    16 flags and the language, os.settings.system  5 percentages
///   os.hardware           battery, cellular, wifi, bluetooth, storage, hotspot, nearbyWifi, nearbyBluetooth,
///                         flags
///   os.build, os.telephony  the effective records: defaults with overrides applied (os.md 8)
///   sys.managers          what managers remember: silentBeforeDnd (bool, absent when do-not-disturb is off),
///                         globalDefaults (settings.global at boot, what quick settings reset to),
///                         batteryLow (the latch: bool, absent is false), mirrored (int: bit i is set when
///                         the preference of row i of the mirror table was written and hence shows in
///                         os.preferences)
///
/// Managers write; nobody announces a changed field there. wd_announce() compares the fields before and after
/// a whole operation, so each broadcast is sent once, and exactly when what it reports has changed (D18).
#ifndef SIM_MANAGERS_H
#define SIM_MANAGERS_H

#include "coerce.h"
#include "machine.h"

/// The type of an operation's function, to declare many in one line.
typedef wd_status wd_op_function_type(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error);

#define WD_GLOBAL(key) WD_AT("os", "settings", "global", key)
#define WD_SYSTEM(key) WD_AT("os", "settings", "system", key)
#define WD_HARDWARE(...) WD_AT("os", "hardware", __VA_ARGS__)

/// Tell what changed between the machine tree `before` and now: CONNECTIVITY_CHANGE, STATUS_BAR_CHANGED,
/// LOCALE_CHANGED, and bring stored preferences that mirror fields up to date (D13). To be called once after
/// every operation, inject and restore. Costs two look-ups when neither settings nor hardware changed.
WD_NODISCARD wd_status wd_announce(wd_machine *machine, const wd_value *before);

// ---- typed access -----------------------------------------------------------------------------------------

bool wd_flag(const wd_machine *machine, wd_place place);  // false when absent
/// Write only when different, so that unchanged parts stay the same nodes.
WD_NODISCARD wd_status wd_set_flag(wd_machine *machine, wd_place place, bool flag);
WD_NODISCARD wd_status wd_set_int(wd_machine *machine, wd_place place, int64_t number);
WD_NODISCARD wd_status wd_set_value(wd_machine *machine, wd_place place, const wd_value *value);

// ---- connectivity (connectivity.c) ------------------------------------------------------------------------

WD_NODISCARD wd_status wd_wifi_set(wd_machine *machine, bool on);
WD_NODISCARD wd_status wd_mobile_data_set(wd_machine *machine, bool on);
WD_NODISCARD wd_status wd_bluetooth_set(wd_machine *machine, bool on);
WD_NODISCARD wd_status wd_airplane_set(wd_machine *machine, bool on);
WD_NODISCARD wd_status wd_hotspot_set(wd_machine *machine, bool on);
WD_NODISCARD wd_status wd_vpn_set(wd_machine *machine, bool on);
WD_NODISCARD wd_status wd_wifi_set_address(wd_machine *machine, wd_slice address);  // empty: none
WD_NODISCARD wd_status wd_device_name_set(wd_machine *machine, wd_slice name);      // empty: build.marketName
WD_NODISCARD wd_status wd_nearby_wifi_set(wd_machine *machine, const wd_value *list);
WD_NODISCARD wd_status wd_nearby_bluetooth_set(wd_machine *machine, const wd_value *list);
WD_NODISCARD wd_status wd_wifi_connect(wd_machine *machine, wd_slice ssid);
WD_NODISCARD wd_status wd_wifi_disconnect(wd_machine *machine);
WD_NODISCARD wd_status wd_bluetooth_connect(wd_machine *machine, const wd_value *mac, bool *ret_connected);
WD_NODISCARD wd_status wd_bluetooth_disconnect(wd_machine *machine, const wd_value *mac);
/// After a write that went past the calls above: what airplane mode and Wi-Fi off force to zero is zero (D1,
/// D16).
WD_NODISCARD wd_status wd_radio_settle(wd_machine *machine);
/// Preference wifi_password__<ssid> = "12345678" for listed secured access points that have none.
WD_NODISCARD wd_status wd_wifi_default_passwords(wd_machine *machine, const wd_value *list);

// ---- audio, battery, display (audio.c, battery.c, display.c) ----------------------------------------------

WD_NODISCARD wd_status wd_silent_set(wd_machine *machine, bool on);
WD_NODISCARD wd_status wd_dnd_set(wd_machine *machine, bool on);
WD_NODISCARD wd_status wd_battery_set_percent(wd_machine *machine, double percent);
/// `fast` NULL: fastCharging stays.
WD_NODISCARD wd_status wd_battery_set_charging(wd_machine *machine, bool charging, const bool *fast);
WD_NODISCARD wd_status wd_battery_set_cycles(wd_machine *machine, double cycles);
/// One of the five fields of settings.system, rounded and clamped to 0..100.
WD_NODISCARD wd_status wd_percent_set(wd_machine *machine, const char *field, double percent);

// ---- quick settings, locale, build (quick_settings.c, locale.c, build.c) ----------------------------------

/// Set a flag of settings.global through its manager, or plainly when it has none.
WD_NODISCARD wd_status wd_global_set(wd_machine *machine, const char *key, bool on);
/// Is this a flag with a quick setting? Index in the order of settings.global, or -1.
int wd_quick_setting_index(const char *key);

/// Operations of the quick settings and the status bar (os.md 6.5, 6.6).
wd_op_function_type wd_op_qs_set, wd_op_qs_toggle, wd_op_qs_get, wd_op_qs_reset, wd_op_status_bar;

enum { WD_LOCALE_ZH, WD_LOCALE_EN };
int wd_locale_of_text(const wd_value *text);  // normalised: "en", "en-*", "en_*" are English
int wd_locale_of(const wd_value *root);       // of a machine tree
const char *wd_locale_name(int locale);       // "zh-Hans", "en"
WD_NODISCARD wd_status wd_locale_set(wd_machine *machine, const wd_value *text);

/// The default data SIM's record, else the first one; NULL without SIMs. Borrowed.
const wd_value *wd_sim_default(const wd_machine *machine, size_t *ret_index);
/// Set a text field of the SIM in slot 1 or 2 (0: the default data SIM); a missing slot gets a new SIM.
WD_NODISCARD wd_status wd_sim_set_text(wd_machine *machine, int slot, const char *field, wd_slice text);
WD_NODISCARD wd_status wd_build_set(wd_machine *machine, const char *key, const wd_value *value);

/// Store a preference as it is, owners aside. Keys that start with a base a manager owns are not meant.
WD_NODISCARD wd_status wd_preference_store(wd_machine *machine, const char *key, const wd_value *value);

#endif
