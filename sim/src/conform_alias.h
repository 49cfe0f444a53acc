/// conform_alias.h - drawn ids in vectors: "<c#1>", "<msg#2>", ... stand for the first contact, the second
/// message we drew an id for. Ours are "c_1", "msg_2", ...; both may stand inside longer texts (URIs) and in
/// keys.
#ifndef SIM_CONFORM_ALIAS_H
#define SIM_CONFORM_ALIAS_H

#include "conform_case.h"

/// Our value as the vectors write it: drawn ids as aliases, an avatar's colour of the palette as "<palette>",
/// the digits of a code as "<code>".
WD_NODISCARD wd_status wd_conform_alias(const wd_value *ours, wd_value **ret_theirs);
/// Compare what the vectors want with ours as they would write it; NULL is absent.
WD_NODISCARD wd_status wd_conform_expect_aliased(
    wd_conform *run, const char *what, const wd_value *wanted, const wd_value *got);
/// A vector's value as ours: aliases as drawn ids.
WD_NODISCARD wd_status wd_conform_unalias(const wd_value *theirs, wd_value **ret_ours);

#endif
