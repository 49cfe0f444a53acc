/// host.h - what the phones of one thread share: packs, interpreter, screens drawn already.
#ifndef SIM_HOST_H
#define SIM_HOST_H

#include "screen.h"

enum {
    WD_CACHE_BUCKETS = 512,  // by app and path
    WD_CACHE_DEPTH = 2,   // screens kept of one bucket, the latest first: more drive out what is read again
    WD_SHOWN_MAX = 2048,  // devices whose last screen is kept; some 20 KiB each
};

/// The screen that a device was last looked at on; each knows the other, and goes with it. Both NULL: a free place.
typedef struct wd_shown {
    wd_device *device;
    wd_screen *screen;
} wd_shown;

struct wd_host {
    wd_packs *packs;
    wd_lua *lua;
    wd_device_hooks hooks;
    // Booted with seed 0, never touched: other phones are its forks. NULL until one is wanted.
    wd_device *first;
    wd_screen *cache[WD_CACHE_BUCKETS][WD_CACHE_DEPTH];
    // Of the devices looked at lately: many that take turns on one page drive each other out of its bucket, and each is
    // acted on next from the screen that it was just seen on.
    wd_shown shown[WD_SHOWN_MAX];
    size_t shown_next;                   // the place that is given to the next device
    uint64_t drawn_count, cached_count;  // screens drawn, screens found drawn already
};

/// The present screen of a device: from the cache when all it was drawn from is the same, else drawn.
/// A new reference.
WD_NODISCARD wd_status wd_host_screen(
    wd_host *host, wd_device *device, wd_screen **ret_screen, wd_error *error);

/// Run an action of the app in front; its draft is written. The caller puts the machine back on failure.
WD_NODISCARD wd_status wd_host_action(
    wd_host *host, wd_device *device, const char *name, const wd_value *args, wd_error *error);

/// A result for an app: `name` is "app:function"; results.<function>(ctx, result) of that app runs as an action.
/// A name of another form is nobody's.
WD_NODISCARD wd_status wd_host_result(
    wd_host *host, wd_device *device, const char *name, const wd_value *result, wd_error *error);

#endif
