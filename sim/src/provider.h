/// provider.h - content providers: query, insert, update, delete by content:// URI, and who is told (os.md
/// 11).
///
///   os.providers.<authority>   the state of contacts, sms, media and of what packs add
///   sys.observers              [{as, authority, path}] in order of registration
///   sys.media.images           images that apps inserted: in memory only, newest first, not in the state
#ifndef SIM_PROVIDER_H
#define SIM_PROVIDER_H

#include "machine.h"
#include "uri.h"

enum { WD_OBSERVERS_MAX = 1024 };

/// What a provider of the OS does. `values` is an object.
typedef struct wd_provider {
    const char *authority;
    /// *ret_items: a list.
    wd_status (*query)(wd_machine *machine, const wd_uri *uri, wd_value **ret_items);
    /// *ret_uri: a text. The change notice goes to it.
    wd_status (*insert)(
        wd_machine *machine, const wd_uri *uri, const wd_value *values, wd_value **ret_uri, wd_error *error);
    /// *ret_count is 0 on entry; with more, a change notice follows.
    wd_status (*update)(wd_machine *machine, const wd_uri *uri, const wd_value *values, int64_t *ret_count);
    wd_status (*remove)(wd_machine *machine, const wd_uri *uri, int64_t *ret_count);
} wd_provider;
extern const wd_provider wd_provider_contacts, wd_provider_sms, wd_provider_media;

/// Tell observers, and broadcast PROVIDER_CHANGED.
WD_NODISCARD wd_status wd_provider_notify(wd_machine *machine, const char *uri);

// ---- shared by the providers ------------------------------------------------------------------------------

/// A member of an operation's values; undefined is absent. Borrowed.
const wd_value *wd_given(const wd_value *values, const char *key);
/// Element with this id in a list of objects; *ret_index is the list's length when there is none. Borrowed.
const wd_value *wd_list_find(const wd_value *list, wd_slice id, size_t *ret_index);
/// "<prefix><n>" with the next number of the counter that is no id in `list`; the counter is the prefix
/// without '_'.
WD_NODISCARD wd_status wd_draw_id(
    wd_machine *machine, const char *prefix, const wd_value *list, wd_value **ret_id);
/// content://<base>/<id>.
WD_NODISCARD wd_status wd_uri_make(const char *base, const wd_value *id, wd_value **ret_uri);
/// Prepend, taking *item_p on success.
WD_NODISCARD wd_status wd_list_prepend(wd_value **list_p, wd_value **item_p);

// ---- contacts (provider_contacts.c), texts (sms_receiver.c) -----------------------------------------------

/// displayName of the first contact one of whose numbers contains the digits of `phone`; NULL without digits
/// or match.
const wd_value *wd_contact_name_of_phone(const wd_machine *machine, wd_slice phone);
/// The conversation with this sender, else phone number, else a new one in front. *ret_index: where it
/// stands.
WD_NODISCARD wd_status wd_conversation_get_or_create(
    wd_machine *machine, wd_slice sender, wd_slice phone, wd_value **ret_id);
/// Append a message to an existing conversation, which moves to the front. *message_p is taken.
WD_NODISCARD wd_status wd_conversation_append(
    wd_machine *machine, const wd_value *conversation, wd_value **message_p);
extern const wd_op wd_ops_sms[];

#endif
