// All packs of some directories: found by being there, checked, frozen, counted.
#include "pack.h"

#include "lua_host.h"
#include "tree/alloc.h"
#include "tree/patch.h"

#include <stdatomic.h>
#include <string.h>

enum { FAULTS_MAX = 256 };

struct wd_packs {
    atomic_uint refs;
    wd_pack packs[WD_PACKS_MAX];
    size_t count;
    wd_pack_fault faults[FAULTS_MAX];
    size_t fault_count;
    wd_value *manifests, *defaults, *os, *identity;
};

wd_packs *wd_packs_ref(wd_packs *packs)
{
    atomic_fetch_add(&packs->refs, 1);
    return packs;
}

void wd_packs_unref(wd_packs **packs_p)
{
    wd_packs *packs = *packs_p;
    *packs_p = NULL;
    if (packs == NULL || atomic_fetch_sub(&packs->refs, 1) != 1) {
        return;
    }
    for (size_t i = 0; i < packs->count; i++) {
        wd_pack_done(&packs->packs[i]);
    }
    for (size_t i = 0; i < packs->fault_count; i++) {
        wd_free(packs->faults[i].directory, strlen(packs->faults[i].directory) + 1);
    }
    wd_value_unref(&packs->manifests);
    wd_value_unref(&packs->defaults);
    wd_value_unref(&packs->os);
    wd_value_unref(&packs->identity);
    wd_free(packs, sizeof *packs);
}

size_t wd_packs_count(const wd_packs *packs)
{
    return packs->count;
}

const wd_pack *wd_packs_at(const wd_packs *packs, size_t index)
{
    return &packs->packs[index];
}

const wd_pack *wd_packs_find(const wd_packs *packs, const char *id)
{
    for (size_t i = 0; i < packs->count; i++) {
        if (strcmp(packs->packs[i].id, id) == 0) {
            return &packs->packs[i];
        }
    }
    return NULL;
}

const wd_pack *wd_packs_home(const wd_packs *packs)
{
    for (size_t i = 0; i < packs->count; i++) {
        if (packs->packs[i].home) {
            return &packs->packs[i];
        }
    }
    return NULL;
}

const wd_value *wd_packs_manifests(const wd_packs *packs)
{
    return packs->manifests;
}

const wd_value *wd_packs_defaults(const wd_packs *packs)
{
    return packs->defaults;
}

const wd_value *wd_packs_os(const wd_packs *packs)
{
    return packs->os;
}

size_t wd_packs_fault_count(const wd_packs *packs)
{
    return packs->fault_count;
}

const wd_pack_fault *wd_packs_fault(const wd_packs *packs, size_t index)
{
    return index < packs->fault_count ? &packs->faults[index] : NULL;
}

const wd_value *wd_packs_identity(const wd_packs *packs)
{
    return packs->identity;
}

static wd_status add_fault(wd_packs *packs, const char *directory, const char *id, const wd_error *error)
{
    if (packs->fault_count == FAULTS_MAX) {
        return WD_OK;  // what is wrong with the first ones is enough to read
    }
    const size_t room = strlen(directory) + 1 + strlen(id);
    char *path = wd_alloc(room + 1);
    if (path == NULL) {
        return WD_ENOMEM;
    }
    memcpy(path, directory, strlen(directory));
    path[strlen(directory)] = '/';
    memcpy(path + strlen(directory) + 1, id, strlen(id) + 1);
    packs->faults[packs->fault_count++] = (wd_pack_fault){ .directory = path, .error = *error };
    return WD_OK;
}

static wd_status load_pack(
    wd_packs *packs, const wd_pack_source *source, const char *directory, const char *id, wd_error *error)
{
    if (wd_packs_find(packs, id) != NULL) {
        return wd_error_set(error, WD_EEXIST, "%s: another directory has a pack of this id already", id);
    }
    if (packs->count == WD_PACKS_MAX) {
        return wd_error_set(error, WD_ELIMIT, "%s: more than %d packs", id, WD_PACKS_MAX);
    }
    wd_pack pack = { 0 };
    wd_status status = wd_pack_read(source, directory, id, &pack, error);
    if (status != WD_OK) {
        return status;
    }
    status = wd_lua_try(&pack, error);  // does app.lua load? A host must not find out that it does not
    if (status != WD_OK) {
        wd_pack_done(&pack);
        return status;
    }
    packs->packs[packs->count++] = pack;
    return WD_OK;
}

static wd_status load_directory(
    wd_packs *packs, const wd_pack_source *source, const char *directory, wd_error *error)
{
    wd_value *names = NULL;
    wd_status status = source->list(source->context, directory, &names);
    if (status != WD_OK) {
        return wd_error_set(error, status, "%s: %s", directory, wd_status_text(status));
    }
    wd_iter iter = wd_iter_start(names);
    while (status == WD_OK && wd_iter_next(&iter)) {
        const char *id = wd_value_string_or(iter.value, "");
        wd_error fault = { 0 };
        status = load_pack(packs, source, directory, id, &fault);
        if (status != WD_OK && status != WD_ENOMEM) {
            status = add_fault(packs, directory, id, &fault);
        }
    }
    wd_value_unref(&names);
    return status;
}

// What devices boot with. The home pack is no installed app.
static wd_status join(wd_packs *packs, wd_error *error)
{
    wd_value *manifests = wd_value_array();
    wd_value *defaults = wd_value_object();
    wd_value *os = wd_value_object();
    wd_value *identity = wd_value_object();
    wd_status status = WD_OK;
    // Install order: third-party packs first, then system packs, each by id (os.md 3.7).
    for (int system = 0; system <= 1; system++) {
        for (size_t i = 0; status == WD_OK && i < packs->count; i++) {
            const wd_pack *pack = &packs->packs[i];
            if (wd_value_is_text(wd_object_get(pack->manifest, "type"), "system") != (system == 1)) {
                continue;
            }
            wd_value *item = wd_value_ref(pack->manifest);
            status = pack->home ? WD_OK : wd_array_append(&manifests, &item);
            wd_value_unref(&item);
            item = wd_value_ref(pack->defaults);
            status = status != WD_OK || pack->home ? status : wd_object_set(&defaults, pack->id, &item);
            wd_value_unref(&item);
            char text[WD_DIGEST_TEXT_SIZE];
            wd_digest_text(pack->digest, text);
            status = status != WD_OK ? status
                                     : wd_value_pack(&item, "{s:v,s:s}", "version",
                                           wd_object_get(pack->manifest, "version"), "digest", text);
            status = status != WD_OK ? status : wd_object_set(&identity, pack->id, &item);
            wd_value_unref(&item);
            wd_value *merged = NULL;
            status = status != WD_OK ? status : wd_patch_merge(os, pack->os, WD_PATCH_DEEP, &merged, error);
            if (status == WD_OK) {
                wd_value_unref(&os);
                os = merged;
            }
        }
    }
    status = status != WD_OK ? status : wd_value_freeze(manifests, &packs->manifests);
    status = status != WD_OK ? status : wd_value_freeze(defaults, &packs->defaults);
    status = status != WD_OK ? status : wd_value_freeze(os, &packs->os);
    status = status != WD_OK ? status : wd_value_freeze(identity, &packs->identity);
    wd_value_unref(&manifests);
    wd_value_unref(&defaults);
    wd_value_unref(&os);
    wd_value_unref(&identity);
    return status;
}

wd_status wd_packs_load(const wd_pack_source *source, const char *const *directories, size_t directory_count,
    wd_packs **ret_packs, wd_error *error)
{
    wd_packs *packs = wd_alloc_zero(1, sizeof *packs);
    if (packs == NULL) {
        return wd_error_set(error, WD_ENOMEM, "packs: out of memory");
    }
    atomic_init(&packs->refs, 1);
    wd_status status = WD_OK;
    for (size_t i = 0; status == WD_OK && i < directory_count; i++) {
        status = load_directory(packs, source, directories[i], error);
    }
    status = status != WD_OK ? status : join(packs, error);
    if (status != WD_OK) {
        wd_packs_unref(&packs);
        return status;
    }
    *ret_packs = packs;
    return WD_OK;
}
