/// status.h - the one status enum of worldd, and the error record that says what was wrong and where.
///
/// A wd_status is for what can happen: input, peers, memory, limits. For our own bugs there is wd_assert().
/// Numbers are fixed: they go over the wire and into episodes.
#ifndef TREE_STATUS_H
#define TREE_STATUS_H

#include <stddef.h>

#define WD_NODISCARD __attribute__((warn_unused_result))
#define WD_PRINTF(format_at, args_at) __attribute__((format(printf, format_at, args_at)))

//        name           no.  text
#define WD_STATUS_TABLE(X)                                                                                   \
    X(OK, 0, "ok")                                                                                           \
    X(ENOMEM, 1, "out of memory")                                                                            \
    X(EINVAL, 2, "invalid argument")                                                                         \
    X(EPARSE, 3, "malformed text")                                                                           \
    X(EUTF8, 4, "invalid UTF-8")                                                                             \
    X(ETYPE, 5, "wrong type")                                                                                \
    X(ELIMIT, 6, "limit exceeded")                                                                           \
    X(ENOENT, 7, "not found")                                                                                \
    X(EEXIST, 8, "exists already")                                                                           \
    X(ESTATE, 9, "not possible in this state")                                                               \
    X(EIO, 10, "input/output error")                                                                         \
    X(ECORRUPT, 11, "damaged data")                                                                          \
    X(EVERSION, 12, "unsupported version")                                                                   \
    X(EPROTO, 13, "protocol violation")                                                                      \
    X(EDENIED, 14, "not permitted")                                                                          \
    X(EBUSY, 15, "busy")                                                                                     \
    X(ETIMEOUT, 16, "deadline passed")                                                                       \
    X(ECANCELED, 17, "cancelled")                                                                            \
    X(EGONE, 18, "target gone")                                                                              \
    X(EAMBIGUOUS, 19, "target ambiguous")                                                                    \
    X(EUNSUPPORTED, 20, "unsupported")                                                                       \
    X(ESCRIPT, 21, "script error")                                                                           \
    X(ENOPEER, 22, "no such peer")                                                                           \
    X(EPEERLOST, 23, "peer lost")                                                                            \
    X(EOUTDATED, 24, "outdated")

typedef enum wd_status {
#define X(name, number, text) WD_##name = (number),
    WD_STATUS_TABLE(X)
#undef X
} wd_status;

/// Short lower-case text of `status`, e.g. "limit exceeded". Static, never NULL; "unknown status" otherwise.
const char *wd_status_text(wd_status status);

/// The enum's name without prefix, e.g. "ELIMIT". Static, never NULL; "EUNKNOWN" otherwise.
const char *wd_status_name(wd_status status);

enum { WD_ERROR_TEXT_MAX = 320 };

/// What was wrong and where, for people. Functions that judge input take one as their last argument; it may be
/// NULL, is written only when they fail, and needs no clean-up.
typedef struct wd_error {
    wd_status status;
    char text[WD_ERROR_TEXT_MAX];  // UTF-8, NUL-terminated, cut at a character boundary when too long
} wd_error;

/// Fill `error` (NULL is allowed) and return `status`, so that a caller can write
/// `return wd_error_set(error, WD_EINVAL, "args.x: %d is beyond the screen", x);`
wd_status wd_error_set(wd_error *error, wd_status status, const char *format, ...) WD_PRINTF(3, 4);

/// Put "prefix: " in front of the text already in `error` (NULL is allowed): the caller's name for the place.
void wd_error_prefix(wd_error *error, const char *format, ...) WD_PRINTF(2, 3);

/// Our own bugs. Stays on in release; prints file, line and the expression, then aborts.
#define wd_assert(expression) ((expression) ? (void)0 : wd_assert_fail(#expression, __FILE__, __LINE__))
_Noreturn void wd_assert_fail(const char *expression, const char *file, int line);

#define WD_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#endif
