/// dialect_call.h - calls in a reply: do(action="Tap", element=[1,2]), click(point='<point>1 2</point>'), tap(5).
#ifndef SEMANTIC_DIALECT_CALL_H
#define SEMANTIC_DIALECT_CALL_H

#include "dialect_text.h"

enum { WD_CALL_ARGS_MAX = 16 };

/// One call. `args` is an object: named arguments by their name, the others by their position ("0", "1").
/// A quoted argument is a string with its escapes resolved, a list an array, a bare word a string or a number.
typedef struct wd_call {
    wd_span name, whole;  // borrowed from the text that was searched
    wd_value *args;
} wd_call;

void wd_call_done(wd_call *call);

/// A walk through the calls of a text; start it with wd_call_search_of().
typedef struct wd_call_search {
    wd_span text;
    size_t at;
    size_t budget;  // bytes that failed tries may still read: together they are linear in the text
} wd_call_search;
wd_call_search wd_call_search_of(wd_span text);

/// The next complete call whose name is one of `names` (ended by NULL, ASCII case ignored; a NULL list takes any
/// name). Text around it is skipped, and so is a call without its closing bracket. A quoted argument ends at a quote
/// behind which the call ends or another argument begins, so inner quotes may be left unescaped.
/// @retval WD_ENOENT  there are no more.
WD_NODISCARD wd_status wd_call_next(wd_call_search *search, const char *const *names, wd_call *ret_call);

/// The last one. @retval WD_ENOENT  there is none.
WD_NODISCARD wd_status wd_call_last(wd_span text, const char *const *names, wd_call *ret_call);

#endif
