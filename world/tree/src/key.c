// key.c - keys of objects: the process's interned ones, and the thread's.
#include "key.h"

#include "heap.h"

#include "tree/json.h"

#include <pthread.h>
#include <stdatomic.h>

static _Thread_local wd_weak_table thread_keys;

// ---- digests of names met before --------------------------------------------------------------------------------

// Looking a member up by text costs its digest, and the names are few: the thread remembers them. Three words, which
// overlap in short names, hold every byte of a name of up to MEMO_NAME_MAX, so an entry is compared without its text.
enum { MEMO_NAME_MAX = 24, MEMO_ENTRIES = 512 };

typedef struct memo_entry {
    uint64_t first, last, middle;
    uint64_t length;  // 0: empty, as no entry is made for the empty name
    wd_digest digest;
} memo_entry;

static _Thread_local memo_entry memo[MEMO_ENTRIES];

// Apart, so that the common way needs few registers.
__attribute__((noinline)) static void memo_fill(
    memo_entry *entry, uint64_t first, uint64_t last, uint64_t middle, const char *text, size_t length)
{
    *entry = (memo_entry){ first, last, middle, length, wd_digest_of_text(text, length) };
}

wd_name wd_name_of(const char *text, size_t length)
{
    if (length == 0 || length > MEMO_NAME_MAX) {
        return (wd_name){ .text = text, .length = length, .digest = wd_digest_of_text(text, length) };
    }
    uint64_t first, last = 0, middle = 0;
    if (length >= 8) {
        first = wd_load_64(text);
        last = wd_load_64(text + length - 8);
        middle = length > 16 ? wd_load_64(text + 8) : 0;
    } else if (length >= 4) {
        first = wd_load_32(text) | wd_load_32(text + length - 4) << 32;
    } else {
        first = (uint64_t)(unsigned char)text[0] | (uint64_t)(unsigned char)text[length / 2] << 8 |
                (uint64_t)(unsigned char)text[length - 1] << 16;
    }
    uint64_t mixed =
        (first ^ length) * 0x9E3779B97F4A7C15u + last * 0x9FB21C651E98DF25u + middle * 0xD6E8FEB86659FD93u;
    memo_entry *entry = &memo[(mixed >> 40) % MEMO_ENTRIES];
    if (((entry->first ^ first) | (entry->last ^ last) | (entry->middle ^ middle) |
            (entry->length ^ length)) != 0) {
        memo_fill(entry, first, last, middle, text, length);
    }
    return (wd_name){ .text = text, .length = length, .digest = entry->digest };
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
