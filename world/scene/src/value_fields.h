/// value_fields.h - writing a struct's fields into a JSON object and reading them back, with errors that name
/// them.
#ifndef SCENE_VALUE_FIELDS_H
#define SCENE_VALUE_FIELDS_H

#include "scene/scene.h"

/// Runs `call` unless something failed before.
#define TRY(status, call) ((status) == WD_OK ? (void)((status) = (call)) : (void)0)

// Writers: set one member of *object_p; a NULL text or value leaves it out.
WD_NODISCARD wd_status wd_put_text(wd_value **object_p, const char *name, const char *text);
WD_NODISCARD wd_status wd_put_int(wd_value **object_p, const char *name, int64_t number);
WD_NODISCARD wd_status wd_put_double(wd_value **object_p, const char *name, double number);
WD_NODISCARD wd_status wd_put_bool(wd_value **object_p, const char *name, bool flag);
WD_NODISCARD wd_status wd_put_value(wd_value **object_p, const char *name, const wd_value *value);
/// Takes *item_p, also on failure.
WD_NODISCARD wd_status wd_put_taken(wd_value **object_p, const char *name, wd_value **item_p);
WD_NODISCARD wd_status wd_append_taken(wd_value **array_p, wd_value **item_p);

/// Reads members of one object. The first that does not fit is named in `error` and kept in `status`; later
/// reads then give their fallback. Texts are borrowed from the object.
typedef struct wd_field_reader {
    const wd_value *object;
    wd_status status;
    wd_error *error;
} wd_field_reader;

const char *wd_read_text(wd_field_reader *reader, const char *name);  // NULL when absent
int64_t wd_read_int(wd_field_reader *reader, const char *name, int64_t low, int64_t high, int64_t fallback);
double wd_read_double(wd_field_reader *reader, const char *name, double low, double high, double fallback);
bool wd_read_bool(wd_field_reader *reader, const char *name, bool fallback);
/// The index of the text in `names`, `fallback` when absent.
int wd_read_name(
    wd_field_reader *reader, const char *name, const char *const *names, int count, int fallback);
/// A member of this kind, NULL when absent.
const wd_value *wd_read_kind(wd_field_reader *reader, const char *name, wd_kind kind);
/// Note what is wrong with a member, unless something was wrong before.
void wd_read_refuse(wd_field_reader *reader, const char *format, ...) WD_PRINTF(2, 3);

// ---- intents, which scenes and semantic scenes have in common ---------------------------------------------

WD_NODISCARD wd_status wd_put_intents(wd_value **object_p, const wd_scene_intent *intents, size_t count);
/// `intents` has room for WD_SCENE_INTENTS_MAX; their texts are borrowed from the object, their nodes are -1
/// or below `node_count`.
WD_NODISCARD wd_status wd_read_intents(
    wd_field_reader *reader, int64_t node_count, wd_scene_intent *intents, size_t *ret_count);

#endif
