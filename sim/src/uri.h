/// uri.h - content://authority[path][?query][#fragment] (os.md 11, D26).
#ifndef SIM_URI_H
#define SIM_URI_H

#include "coerce.h"

enum { WD_URI_LENGTH_MAX = 64 * 1024 };

/// A parsed URI. The slices point into the text it was parsed from.
typedef struct wd_uri {
    wd_slice text;       // trimmed
    wd_slice authority;  // not empty
    wd_slice path;       // from '/', no slash at the end; "/" when there is none
    wd_value *query;     // [[name, value], ...], decoded
} wd_uri;

/// @retval WD_EINVAL another scheme or no authority. @retval WD_ELIMIT too long.
WD_NODISCARD wd_status wd_uri_parse(const char *text, wd_uri *ret_uri, wd_error *error);
void wd_uri_done(wd_uri *uri);
/// The first value of a query name, or NULL. Borrowed from the URI.
const wd_value *wd_uri_query(const wd_uri *uri, const char *name);
/// Is the path exactly `path`?
bool wd_uri_is(const wd_uri *uri, const char *path);
/// The one segment that follows `parent` ("/contacts"): *ret_segment, not empty, without '/'.
bool wd_uri_below(const wd_uri *uri, const char *parent, wd_slice *ret_segment);
/// Are two paths the same, or is one above the other, segment by segment (D24)?
bool wd_uri_paths_meet(wd_slice a, wd_slice b);

#endif
