/// page.h - which page is in front, and the scratch that belongs to it.
#ifndef SIM_PAGE_H
#define SIM_PAGE_H

#include "call.h"

/// What stands in front of everything else decides how the scene is called.
typedef enum wd_front {
    WD_FRONT_APP,
    WD_FRONT_HOME,
    WD_FRONT_RECENTS,
} wd_front;

/// Fill call->page, pack, overlay, scratch, now from the device and `os` (its visible state, which must outlive the
/// call). Borrowed from the machine until it changes.
wd_front wd_page_find(const wd_packs *packs, wd_device *device, const wd_value *os, wd_call *call);

/// The platform's scratch, sys.ui: {pages: {activity: {path without query: page scratch}}, toast, set, drawn}.
/// A page's scratch: {scroll, fields: {id: text}, focus, caret}.
WD_NODISCARD wd_status wd_page_put_scratch(wd_device *device, const wd_page *page, wd_value **scratch_p);
/// Drop the scratch of pages that no history leads to any more, and a toast that is over.
WD_NODISCARD wd_status wd_page_prune(wd_device *device);

#endif
