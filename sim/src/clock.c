/// clock.c - virtual time: it passes only when told, and what is due meanwhile happens in order of due time
/// (D29).
#include "device_struct.h"

#include "permission.h"
#include "services.h"
#include "store.h"

// One row a kind of work. On ties the earlier row runs first.
static const wd_timer timers[] = {
    { "delayed writes", wd_store_due_ms, wd_store_run_due },
    { "permission time-outs", wd_permission_due_ms, wd_permission_run_due },
    { "heads-up notices", wd_heads_up_due_ms, wd_heads_up_run_due },
    { "minute ticks", wd_minute_due_ms, wd_minute_run_due },
};

wd_status wd_clock_advance(wd_machine *machine, int64_t ms)
{
    wd_assert(ms >= 0);
    int64_t target = wd_machine_now(machine) + ms;
    for (;;) {
        const wd_timer *next = NULL;
        int64_t due = INT64_MAX;
        for (size_t i = 0; i < WD_COUNT_OF(timers); i++) {
            int64_t at = timers[i].due_ms(machine);
            if (at < due) {
                due = at;
                next = &timers[i];
            }
        }
        if (next == NULL || due > target) {
            return wd_machine_put_int(machine, WD_AT("sys", "clock"), target);
        }
        wd_status status = WD_OK;
        if (due > wd_machine_now(machine)) {
            status = wd_machine_put_int(machine, WD_AT("sys", "clock"), due);
        }
        if (status == WD_OK) {
            status = next->run(machine);
        }
        if (status != WD_OK) {
            return status;
        }
        wd_assert(next->due_ms(machine) > due);  // else time would stand still
    }
}
