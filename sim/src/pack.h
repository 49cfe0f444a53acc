/// pack.h - one loaded app pack: its files, checked and frozen. Read by every host, written by nobody.
#ifndef SIM_PACK_H
#define SIM_PACK_H

#include "sim/phone.h"

enum {
    WD_PACK_FILE_MAX = 256 * 1024 * 1024,  // bytes of one data file
    WD_PACK_SOURCE_MAX = 1024 * 1024,      // bytes of app.lua
    WD_PACKS_MAX = 256,
};

typedef struct wd_pack {
    char *id;            // the folder's name
    char *directory;     // where it was found, for messages
    wd_value *manifest;  // object
    wd_value *defaults;  // overlay at boot; object
    wd_value *data;      // world data: {file name without .json: content}
    wd_value *strings;   // {"en": {key: text}, "zh": {key: text}}
    wd_value *os;        // patch over the OS defaults (os.json); object, maybe empty
    char *source;        // app.lua
    size_t source_length;
    bool home;         // role "home": the launcher; not installed as an app
    wd_digest digest;  // of everything above
} wd_pack;

size_t wd_packs_count(const wd_packs *packs);
const wd_pack *wd_packs_at(const wd_packs *packs, size_t index);
/// By id; NULL when there is none.
const wd_pack *wd_packs_find(const wd_packs *packs, const char *id);
const wd_pack *wd_packs_home(const wd_packs *packs);  // NULL when no pack has the role
/// What a device boots with: manifests in install order, {id: overlay}, patch over the OS defaults. Borrowed.
const wd_value *wd_packs_manifests(const wd_packs *packs);
const wd_value *wd_packs_defaults(const wd_packs *packs);
const wd_value *wd_packs_os(const wd_packs *packs);

/// Read one folder. On failure `error` names file, line and reason, and *pack is empty.
WD_NODISCARD wd_status wd_pack_read(
    const wd_pack_source *source, const char *directory, const char *id, wd_pack *pack, wd_error *error);
void wd_pack_done(wd_pack *pack);

/// A declared entity of the manifest (an element of "entities"), by its name; NULL when there is none.
const wd_value *wd_pack_entity(const wd_pack *pack, const char *name, size_t length);
/// Does `overlay` hold complete entities only (DESIGN section 5)? Null is a tombstone.
/// @retval WD_EINVAL `error` names table, entity and what is missing.
WD_NODISCARD wd_status wd_pack_check_overlay(const wd_pack *pack, const wd_value *overlay, wd_error *error);

#endif
