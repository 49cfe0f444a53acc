// traits.c - what comparing an array needs to know of all its elements, cached per node.
#include "traits.h"

#include "key.h"

#include <pthread.h>

// ---- the names ------------------------------------------------------------------------------------------------

static const char *const identity_names[WD_IDENTITY_COUNT] = { "id", "wxid", "mid", "uid", "bookId", "chatId",
    "contactId", "messageId", "key" };
static const wd_key *identity_keys[WD_IDENTITY_COUNT];
static pthread_once_t identity_once = PTHREAD_ONCE_INIT;

static void identity_intern(void)
{
    for (unsigned i = 0; i < WD_IDENTITY_COUNT; i++) {
        wd_status status = wd_key_intern(identity_names[i], strlen(identity_names[i]), &identity_keys[i]);
        wd_assert(status == WD_OK);  // nine short keys, once in the life of a process
    }
}

const wd_key *wd_identity_key(unsigned index)
{
    wd_assert(index < WD_IDENTITY_COUNT);
    pthread_once(&identity_once, identity_intern);
    return identity_keys[index];
}

// ---- traits in a word, as nodes keep them ---------------------------------------------------------------------

enum {
    IDS_MASK = (1 << WD_IDENTITY_COUNT) - 1,  // container_ids
    HAS_CONTAINER = 1 << 16,
    HAS_OBJECT = 1 << 17,
    FIRST_SHIFT = 18,  // 1 + identity of the first object; 0: it has none
};

// Where a shape has the identity names. Elements mostly come in runs of one shape.
typedef struct shape_ids {
    const wd_shape *shape;
    uint32_t slots[WD_IDENTITY_COUNT];
} shape_ids;

static void find_ids(shape_ids *ids, const wd_shape *shape)
{
    ids->shape = shape;
    for (unsigned i = 0; i < WD_IDENTITY_COUNT; i++) {
        wd_name name = wd_name_of_key(wd_identity_key(i));
        ids->slots[i] = wd_shape_find(shape, &name);
    }
}

static bool is_container(const wd_value *value)
{
    return value != NULL && wd_height(value) > 0;
}

static uint32_t traits_of_object(const wd_value *object, shape_ids *ids)
{
    uint32_t traits = HAS_OBJECT | HAS_CONTAINER, first = 0;
    bool flat = wd_has_tag(object, WD_TAG_OBJECT);
    if (flat && wd_object_of(object)->shape != ids->shape) {
        find_ids(ids, wd_object_of(object)->shape);
    }
    for (unsigned i = WD_IDENTITY_COUNT; i > 0; i--) {
        const wd_value *id =
            flat && ids->slots[i - 1] != WD_SLOT_NONE ? wd_object_of(object)->items[ids->slots[i - 1]] : NULL;
        if (!flat) {
            id = wd_object_get_key(object, wd_identity_key(i - 1));
        }
        first = id != NULL ? i : first;
        traits |= is_container(id) ? (uint32_t)1 << (i - 1) : 0;
    }
    return traits | first << FIRST_SHIFT;
}

// Of two runs of elements, one after the other.
static uint32_t join(uint32_t left, uint32_t right)
{
    uint32_t both = (left | right) & (IDS_MASK | HAS_CONTAINER | HAS_OBJECT);
    return both | ((left & HAS_OBJECT) != 0 ? left : right) >> FIRST_SHIFT << FIRST_SHIFT;
}

static uint32_t traits_of_node(wd_value *node)
{
    bool leaf = node->tag == WD_TAG_ARRAY;
    uint32_t *cache = leaf ? &wd_array_of(node)->traits : &wd_list_of(node)->traits;
    if ((node->flags & WD_FLAG_TRAITS) != 0) {
        return *cache;
    }
    wd_links links = wd_node_links(node);
    uint32_t traits = 0;
    shape_ids ids = { .shape = NULL };
    for (uint32_t i = 0; i < links.count; i++) {
        wd_value *item = links.items[i];
        if (!leaf) {
            traits = join(traits, traits_of_node(item));
        } else if (is_container(item)) {
            bool object = wd_value_kind(item) == WD_KIND_OBJECT;
            traits = join(traits, object ? traits_of_object(item, &ids) : HAS_CONTAINER);
        }
    }
    *cache = traits;
    node->flags |= WD_FLAG_TRAITS;
    return traits;
}

wd_array_traits wd_array_traits_of(const wd_value *array)
{
    uint32_t traits = wd_array_count(array) > 0 ? traits_of_node(wd_from_bits(wd_bits(array))) : 0;
    return (wd_array_traits){
        .has_container = (traits & HAS_CONTAINER) != 0,
        .identity = (int)(traits >> FIRST_SHIFT) - 1,
        .container_ids = traits & IDS_MASK,
    };
}

void wd_traits_settle(const wd_value *node)
{
    if (node->tag == WD_TAG_ARRAY || node->tag == WD_TAG_LIST) {
        (void)traits_of_node(wd_from_bits(wd_bits(node)));
    }
}
