/// coerce.h - how texts, numbers and flags of loosely typed input are read (os.md section 6 and vectors'
/// "text coercion").
///
/// The OS behind os.md was written in JavaScript; where decisions.md keeps its readings, they live here,
/// once.
#ifndef SIM_COERCE_H
#define SIM_COERCE_H

#include "tree/json.h"
#include "tree/value.h"

/// A piece of a text, not NUL-terminated. Borrowed.
typedef struct wd_slice {
    const char *bytes;
    size_t length;
} wd_slice;

/// `text` without white space (Unicode's too) at both ends.
wd_slice wd_slice_trim(const char *text, size_t length);
/// The string's trimmed text; empty for NULL and anything that is no string.
wd_slice wd_trimmed(const wd_value *text);
bool wd_slice_is(wd_slice slice, const char *text);
/// ASCII case folded: slice contains `needle`.
bool wd_slice_contains_folded(wd_slice slice, wd_slice needle);
WD_NODISCARD wd_status wd_slice_value(wd_slice slice, wd_value **ret_text);

/// Not one of absent, null, false, 0, "".
bool wd_truthy(const wd_value *value);
/// Text of a value: a string as it is, numbers in decimal (5, 5.5, never 5.0), true, false; absent and null
/// are ""; arrays and objects are compact JSON.
WD_NODISCARD wd_status wd_text_form(const wd_value *value, wd_value **ret_text);
/// The number a value reads as: numbers, numeric texts (blank is 0), null 0, booleans 0 and 1. False for
/// anything else.
bool wd_number_form(const wd_value *value, double *ret_number);
/// A text that is a decimal number, blanks around it allowed; blank is no number here.
bool wd_numeric_text(wd_slice text, double *ret_number);
/// Round half up, then clamp. `number` must be finite.
int64_t wd_clamp_round(double number, int64_t low, int64_t high);
/// An integral double becomes an int, so that 5.0 is stored as 5.
WD_NODISCARD wd_status wd_value_number(double number, wd_value **ret_number);
/// The six texts of decision D14 and booleans. False for anything else.
bool wd_flag_form(const wd_value *value, bool *ret_flag);

/// Set, append and insert as the tree does, but the item is taken also on failure, so that it can be made in
/// place.
WD_NODISCARD wd_status wd_member_put(wd_value **object_p, const char *key, wd_value **item_p);
WD_NODISCARD wd_status wd_member_put_n(
    wd_value **object_p, const char *key, size_t length, wd_value **item_p);
WD_NODISCARD wd_status wd_list_push(wd_value **list_p, wd_value **item_p);
WD_NODISCARD wd_status wd_list_insert_at(wd_value **list_p, size_t index, wd_value **item_p);
/// The same with one more reference to `value`, which stays the caller's.
WD_NODISCARD wd_status wd_set_ref(wd_value **object_p, const char *key, const wd_value *value);
WD_NODISCARD wd_status wd_append_ref(wd_value **list_p, const wd_value *value);
/// The end of a function that builds a value: give it out when `status` is WD_OK, else drop it.
WD_NODISCARD wd_status wd_give(wd_status status, wd_value **value_p, wd_value **ret_value);

/// {"$number": "NaN"}: input that is no finite number.
bool wd_value_is_no_number(const wd_value *value);
/// {"$unset": true}.
bool wd_value_is_unset(const wd_value *value);
/// Does {"$number": ...} stand anywhere in `value`?
bool wd_value_holds_no_number(const wd_value *value);
/// A copy of `value` without {"$undefined": true} and {"$number": ...} in it, at all depths.
WD_NODISCARD wd_status wd_without_nothing(const wd_value *value, wd_value **ret_value);

/// Bytes of the UTF-8 character at `text` (at least 1; `length` > 0).
size_t wd_utf8_char(const char *text, size_t length);

#endif
