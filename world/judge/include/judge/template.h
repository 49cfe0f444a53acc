/// template.h - putting a task's parameters into its texts (judge.md 2.4, 2.5). Texts are NUL-terminated.
#ifndef JUDGE_TEMPLATE_H
#define JUDGE_TEMPLATE_H

#include "tree/json.h"

enum { WD_TEMPLATE_WIDTH_MAX = 1000 };  // width and precision of a format specification

/// Keys and labels: each `{name}` of a parameter becomes the parameter's text; everything else stays as it
/// is.
WD_NODISCARD wd_status wd_template_fill(
    const char *text, size_t length, const wd_value *params, wd_buffer *buffer);

/// Brace formatting as Python does it: `{name}`, `{name:>4}`, `{name:.2f}`, `{{` and `}}`.
/// @retval WD_ENOENT  the error names the parameter that is not there.
/// @retval WD_EPARSE  an unbalanced brace, a positional field, or a specification that is not understood.
WD_NODISCARD wd_status wd_template_format(
    const char *text, size_t length, const wd_value *params, wd_buffer *buffer, wd_error *error);

/// A wanted value: a string that is one `{name}` becomes the parameter itself, kind and all; other strings
/// are formatted, and stay as they are when a name is unknown; arrays are done element by element, and the
/// arguments of an operator object likewise. All else is taken as it is.
/// @retval WD_EPARSE  see above.
WD_NODISCARD wd_status wd_template_value(
    const wd_value *value, const wd_value *params, wd_value **ret_value, wd_error *error);

#endif
