// digest.c - the 128-bit digest; docs/state-tree.md defines it byte by byte.
#include "key.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

__extension__ typedef unsigned __int128 wd_u128;

// Seeds that keep kinds apart. Fixed: digests go into episodes.
enum {
    SEED_NULL = 1,
    SEED_BOOL,
    SEED_INT,
    SEED_DOUBLE,
    SEED_STRING,
    SEED_ARRAY,
    SEED_OBJECT,
    SEED_MEMBER,
};

// Arrays are a polynomial in BASE modulo 2^127 - 1, so that the digest of a run of elements is the same however
// the run is cut: digest(A B) = digest(A) * BASE^|B| + digest(B).
#define PRIME ((((wd_u128)1) << 127) - 1)
#define BASE (((wd_u128)0x2d358dccaa6c78a5 << 64) | 0x8bb84b93962eacc9)

static wd_u128 reduce(wd_u128 number)
{
    number = (number & PRIME) + (number >> 127);
    return number >= PRIME ? number - PRIME : number;
}

static wd_u128 multiply(wd_u128 a, wd_u128 b)
{
    uint64_t a1 = (uint64_t)(a >> 64), a0 = (uint64_t)a, b1 = (uint64_t)(b >> 64), b0 = (uint64_t)b;
    wd_u128 low = (wd_u128)a0 * b0;
    wd_u128 middle =
        (wd_u128)a0 * b1 + (wd_u128)a1 * b0;  // both factors' high halves have 63 bits: no overflow
    wd_u128 high = (wd_u128)a1 * b1 + (middle >> 64);
    wd_u128 sum = low + (middle << 64);
    high += sum < low;
    // The product is high * 2^128 + sum, and 2^128 is 2 modulo the prime.
    return reduce(reduce(high << 1) + reduce(sum));
}

static wd_u128 wide(wd_digest digest)
{
    return (wd_u128)digest.high << 64 | digest.low;
}

static wd_digest narrow(wd_u128 number)
{
    return (wd_digest){ .high = (uint64_t)(number >> 64), .low = (uint64_t)number };
}

static void put_le64(unsigned char *bytes, uint64_t number)
{
    for (int i = 0; i < 8; i++) {
        bytes[i] = (unsigned char)(number >> (8 * i));
    }
}

static wd_digest hash(const void *bytes, size_t length, uint64_t seed)
{
    XXH128_hash_t digest = XXH3_128bits_withSeed(bytes, length, seed);
    return (wd_digest){ .high = digest.high64, .low = digest.low64 };
}

static wd_digest hash_word(uint64_t word, uint64_t seed)
{
    unsigned char bytes[8];
    put_le64(bytes, word);
    return hash(bytes, sizeof(bytes), seed);
}

static wd_digest hash_sum(wd_digest sum, uint64_t count, uint64_t seed)
{
    unsigned char bytes[24];
    put_le64(bytes, sum.low);
    put_le64(bytes + 8, sum.high);
    put_le64(bytes + 16, count);
    return hash(bytes, sizeof(bytes), seed);
}

wd_digest wd_digest_of_text(const char *text, size_t length)
{
    return hash(text, length, SEED_STRING);
}

static wd_digest digest_of_double(double number)
{
    int64_t integer;
    if (wd_double_to_int(number, &integer)) {
        return hash_word((uint64_t)integer, SEED_INT);  // 1.0 equals 1, -0.0 equals 0
    }
    uint64_t bits;
    memcpy(&bits, &number, sizeof(bits));
    return hash_word(bits, SEED_DOUBLE);
}

static wd_digest digest_of_member(const wd_key *key, const wd_value *value)
{
    unsigned char bytes[32];
    wd_digest digest = wd_value_digest(value);
    put_le64(bytes, key->digest.low);
    put_le64(bytes + 8, key->digest.high);
    put_le64(bytes + 16, digest.low);
    put_le64(bytes + 24, digest.high);
    return hash(bytes, sizeof(bytes), SEED_MEMBER);
}

// ---- containers: what is cached is the run of elements, or the sum over members, of each node -----------------

static wd_u128 power_of_base(uint32_t exponent)
{
    wd_u128 power = 1, square = BASE;
    for (; exponent != 0; exponent >>= 1) {
        power = (exponent & 1) != 0 ? multiply(power, square) : power;
        square = multiply(square, square);
    }
    return power;
}

static wd_digest run_of_elements(wd_value *node)
{
    wd_digest *cache = &wd_array_of(node)->digest;
    if ((node->flags & WD_FLAG_DIGEST) != 0) {
        return *cache;
    }
    wd_links links = wd_node_links(node);
    wd_u128 run = 0;
    for (uint32_t i = 0; i < links.count; i++) {
        wd_value *child = links.items[i];
        if (node->tag == WD_TAG_ARRAY) {
            run = multiply(run, BASE) + reduce(wide(wd_value_digest(child)));
        } else {
            run =
                multiply(run, power_of_base((uint32_t)wd_array_count(child))) + wide(run_of_elements(child));
        }
        run = reduce(run);
    }
    *cache = narrow(run);
    node->flags |= WD_FLAG_DIGEST;
    return *cache;
}

static wd_digest sum_of_members(wd_value *node)
{
    wd_digest *cache = &wd_object_of(node)->digest;
    if ((node->flags & WD_FLAG_DIGEST) != 0) {
        return *cache;
    }
    wd_links links = wd_node_links(node);
    wd_u128 sum = 0;
    if (node->tag == WD_TAG_TABLE) {
        sum = wide(sum_of_members(wd_table_of(node)->order));
    } else {
        for (uint32_t i = 0; i < links.count; i++) {
            sum += node->tag == WD_TAG_OBJECT
                       ? wide(digest_of_member(wd_object_of(node)->shape->keys[i], links.items[i]))
                       : wide(sum_of_members(links.items[i]));
        }
    }
    *cache = narrow(sum);
    node->flags |= WD_FLAG_DIGEST;
    return *cache;
}

static wd_digest digest_of_container(const wd_value *value, bool object)
{
    wd_digest sum = { 0 };
    if (wd_is_node(value)) {
        wd_value *node = wd_from_bits(wd_bits(value));
        sum = object ? sum_of_members(node) : run_of_elements(node);
    }
    return object ? hash_sum(sum, wd_object_count(value), SEED_OBJECT)
                  : hash_sum(sum, wd_array_count(value), SEED_ARRAY);
}

wd_digest wd_value_digest(const wd_value *value)
{
    size_t length;
    switch (wd_value_kind(value)) {
    case WD_KIND_NULL:
        return hash("", 0, SEED_NULL);
    case WD_KIND_BOOL:
        return hash(wd_value_as_bool(value) ? "\1" : "\0", 1, SEED_BOOL);
    case WD_KIND_INT:
        return hash_word((uint64_t)wd_value_as_int(value), SEED_INT);
    case WD_KIND_DOUBLE:
        return digest_of_double(wd_value_as_double(value));
    case WD_KIND_STRING: {
        const char *text = wd_value_as_string(value, &length);
        return wd_digest_of_text(text, length);
    }
    case WD_KIND_ARRAY:
        return digest_of_container(value, false);
    case WD_KIND_OBJECT:
        return digest_of_container(value, true);
    }
    wd_assert(!"a kind of ours");
    return (wd_digest){ 0 };
}

bool wd_digest_equal(wd_digest a, wd_digest b)
{
    return a.high == b.high && a.low == b.low;
}

void wd_digest_text(wd_digest digest, char ret_text[WD_DIGEST_TEXT_SIZE])
{
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < 16; i++) {
        ret_text[i] = digits[digest.high >> (60 - 4 * i) & 15];
        ret_text[16 + i] = digits[digest.low >> (60 - 4 * i) & 15];
    }
    ret_text[32] = '\0';
}

wd_status wd_digest_parse(const char *text, wd_digest *ret_digest)
{
    wd_digest digest = { 0 };
    for (int i = 0; i < 32; i++) {
        uint64_t *half = i < 16 ? &digest.high : &digest.low;
        if (text[i] >= '0' && text[i] <= '9') {
            *half = *half << 4 | (uint64_t)(text[i] - '0');
        } else if (text[i] >= 'a' && text[i] <= 'f') {
            *half = *half << 4 | (uint64_t)(text[i] - 'a' + 10);
        } else {
            return WD_EPARSE;
        }
    }
    if (text[32] != '\0') {
        return WD_EPARSE;
    }
    *ret_digest = digest;
    return WD_OK;
}
