// key.c - keys of objects: the process's interned ones, and the thread's.
#include "key.h"

#include "heap.h"

#include "tree/json.h"

#include <pthread.h>
#include <stdatomic.h>

static _Thread_local wd_weak_table thread_keys;

wd_name wd_name_of(const char *text, size_t length)
{
    return (wd_name){ .text = text, .length = length, .digest = wd_digest_of_text(text, length) };
}

wd_name wd_name_of_key(const wd_key *key)
{
    return (wd_name){ .text = key->text, .length = key->length, .digest = key->digest, .key = key };
}

static size_t size_for(size_t length)
{
    return sizeof(wd_key) + length + 1;
}

size_t wd_key_size(const wd_key *key)
{
    return size_for(key->length);
}

void wd_key_free(wd_key *key)
{
    if ((key->head.flags & WD_FLAG_LISTED) != 0) {
        wd_weak_remove(&thread_keys, (wd_listed *)key);
    }
    wd_free(key, wd_key_size(key));
}

static void key_fill(wd_key *key, const wd_name *name, uint8_t flags)
{
    flags |= wd_text_is_plain(name->text, name->length) ? WD_FLAG_PLAIN : 0;
    key->head = (wd_value){ .refs = 1, .tag = WD_TAG_KEY, .flags = flags };
    key->length = (uint32_t)name->length;
    key->digest = name->digest;
    key->next = NULL;
    memcpy(key->text, name->text, name->length);
    key->text[name->length] = '\0';
}

static const wd_key *find_in_chain(const wd_listed *first, const wd_name *name)
{
    const wd_key *key = (const wd_key *)first;
    while (key != NULL && !wd_key_is(key, name)) {
        key = (const wd_key *)key->next;
    }
    return key;
}

// ---- interned keys --------------------------------------------------------------------------------------------

// One table for the process, filled at start-up mostly. Readers take no lock: chains only ever grow at their head.
enum { INTERN_BUCKETS = 4096 };
static _Atomic(wd_listed *) intern_table[INTERN_BUCKETS];
static pthread_mutex_t intern_lock = PTHREAD_MUTEX_INITIALIZER;

static const wd_key *intern_find(const wd_name *name)
{
    const wd_listed *first =
        atomic_load_explicit(&intern_table[name->digest.low % INTERN_BUCKETS], memory_order_acquire);
    return find_in_chain(first, name);
}

static wd_status check_name(const char *text, size_t length)
{
    if (length > WD_VALUE_STRING_MAX) {
        return WD_ELIMIT;
    }
    return wd_utf8_valid(text, length) ? WD_OK : WD_EUTF8;
}

wd_status wd_key_intern(const char *text, size_t length, const wd_key **ret_key)
{
    wd_status status = check_name(text, length);
    if (status != WD_OK) {
        return status;
    }
    wd_name name = wd_name_of(text, length);
    pthread_mutex_lock(&intern_lock);
    const wd_key *key = intern_find(&name);
    if (key == NULL) {
        wd_key *fresh = wd_heap_alloc(size_for(length));  // lives as long as the process: nobody's to count
        if (fresh != NULL) {
            _Atomic(wd_listed *) *bucket = &intern_table[name.digest.low % INTERN_BUCKETS];
            key_fill(fresh, &name, WD_FLAG_FOREVER);
            fresh->next = atomic_load_explicit(bucket, memory_order_relaxed);
            atomic_store_explicit(bucket, (wd_listed *)fresh, memory_order_release);
        }
        key = fresh;
    }
    pthread_mutex_unlock(&intern_lock);
    if (key == NULL) {
        return WD_ENOMEM;
    }
    *ret_key = key;
    return WD_OK;
}

const char *wd_key_text(const wd_key *key)
{
    return key->text;
}

wd_status wd_key_make(const wd_name *name, const wd_key **ret_key)
{
    const wd_key *found = name->key;
    found = found != NULL ? found : find_in_chain(wd_weak_first(&thread_keys, name->digest.low), name);
    found = found != NULL ? found : intern_find(name);
    if (found != NULL) {
        wd_node_ref(&found->head);
        *ret_key = found;
        return WD_OK;
    }
    wd_status status = check_name(name->text, name->length);
    if (status != WD_OK) {
        return status;
    }
    wd_key *key = wd_alloc(size_for(name->length));
    if (key == NULL) {
        return WD_ENOMEM;
    }
    key_fill(key, name, 0);
    wd_weak_add(&thread_keys, (wd_listed *)key);
    *ret_key = key;
    return WD_OK;
}
