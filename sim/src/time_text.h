/// time_text.h - dates in the device's zone, to and from text (os.md 12, D29).
#ifndef SIM_TIME_TEXT_H
#define SIM_TIME_TEXT_H

#include "coerce.h"
#include "machine.h"

typedef struct wd_civil {
    int64_t year;
    int month, day;  // 1..12, 1..31
    int hour, minute, second, ms;
    int weekday;  // 0 is Sunday
} wd_civil;

/// The device's zone in minutes east of UTC.
int64_t wd_zone_min(const wd_machine *machine);
wd_civil wd_civil_local(int64_t time_ms, int64_t zone_min);
/// Parts may overflow: month 13 is January of the next year, day 0 the last of the month before, ... `month`
/// from 1.
int64_t wd_time_of_parts(const int64_t parts[7], int64_t zone_min);
/// "YYYY-MM-DD[ HH:MM[:SS[.mmm]]]", with a blank or T, in the device's zone; a 'Z' or "+08:00" at the end
/// names another.
bool wd_time_parse(wd_slice text, int64_t zone_min, int64_t *ret_time_ms);
/// "[+-]?(n[wdhms])+": milliseconds.
bool wd_duration_parse(wd_slice text, int64_t *ret_ms);
/// "HH:MM" of now.
WD_NODISCARD wd_status wd_clock_text(const wd_machine *machine, wd_value **ret_text);
/// "1月4日", "Jan 4" and "周日", "Sun" in a locale (WD_LOCALE_*).
WD_NODISCARD wd_status wd_date_text(wd_civil date, int locale, wd_value **ret_text);
const char *wd_weekday_text(wd_civil date, int locale);

#endif
