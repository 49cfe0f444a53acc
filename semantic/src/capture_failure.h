/// capture_failure.h - texts that stand where a dump should be: the capture failed, and nothing is on record.
#ifndef SEMANTIC_CAPTURE_FAILURE_H
#define SEMANTIC_CAPTURE_FAILURE_H

#include "text_util.h"

bool wd_is_capture_failure(wd_span text);

#endif
