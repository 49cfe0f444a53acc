#include "capture_failure.h"

#include "tree/status.h"

#include <string.h>

enum { FAILURE_TEXT_MAX = 8 * 1024 };  // a tool's complaint is short; longer text is something else

/// What uiautomator, adb, the shell and the drivers on top of them print instead of a tree.
static const char *const complaints[] = {
    "hierchary dumped to",  // the misspelling is the tool's; with no tree around, it is all there is
    "hierarchy dumped to",
    "killed",
    "null root node",
    "could not get idle state",
    "error:",
    "error ",
    "exception",
    "failed",
    "not found",
    "no such file",
    "permission denied",
    "timed out",
    "timeout",
    "segmentation fault",
    "parsererror",
    "inaccessible",
    "usage: uiautomator",
};

bool wd_is_capture_failure(wd_span text)
{
    text = wd_span_trim_invisible(text);
    if (text.length == 0) {
        return true;
    }
    if (text.length > FAILURE_TEXT_MAX) {
        return false;
    }
    char copy[FAILURE_TEXT_MAX + 1];
    memcpy(copy, text.at, text.length);
    copy[text.length] = '\0';
    for (size_t i = 0; i < WD_COUNT_OF(complaints); i++) {
        if (wd_text_contains(copy, complaints[i])) {
            return true;
        }
    }
    return strcmp(copy, "null") == 0 || strcmp(copy, "{}") == 0 || strcmp(copy, "[]") == 0;
}
