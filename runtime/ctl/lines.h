/// lines.h - commands that answer one case a line: JSON in, JSON out, a bad line is an answer too.
#ifndef CTL_LINES_H
#define CTL_LINES_H

#include "ctl.h"

/// Answer one case. *ret_result is printed on one line; on an error {"error": text} is.
typedef wd_status (*ctl_line_function)(const wd_value *line, wd_value **ret_result, wd_error *error);

/// Read standard input to its end, a line at a time. @return exit code: CTL_OK also when lines were bad.
int ctl_each_line(ctl_line_function function);

#endif
