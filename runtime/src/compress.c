#include "compress.h"

#include "tree/alloc.h"

#include <string.h>
#include <zstd.h>

enum { LEVEL = 3 };  // 211 kB of state in half a millisecond

wd_status wd_compress(
    const void *bytes, size_t length, char **ret_packed, size_t *ret_length, wd_error *error)
{
    size_t capacity = ZSTD_compressBound(length);
    ZSTD_CCtx *context = ZSTD_createCCtx();
    char *packed = wd_alloc(capacity);
    size_t size = 0;
    if (context != NULL && packed != NULL) {
        ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, LEVEL);
        ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
        size = ZSTD_compress2(context, packed, capacity, bytes, length);
    }
    bool packed_it = context != NULL && packed != NULL && !ZSTD_isError(size);
    ZSTD_freeCCtx(context);
    char *fitted = packed_it ? wd_realloc(packed, capacity, size) : NULL;
    if (fitted == NULL) {
        wd_free(packed, packed == NULL ? 0 : capacity);
        return wd_error_set(error, WD_ENOMEM, "compression: out of memory");
    }
    *ret_packed = fitted;
    *ret_length = size;
    return WD_OK;
}

wd_status wd_decompress(
    const void *packed, size_t length, size_t maximum, char **ret_bytes, size_t *ret_length, wd_error *error)
{
    unsigned long long size = ZSTD_getFrameContentSize(packed, length);
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN) {
        return wd_error_set(error, WD_ECORRUPT, "no whole zstd frame");
    }
    if (size > maximum) {
        return wd_error_set(error, WD_ELIMIT, "unpacks to %llu bytes, over %zu", size, maximum);
    }
    char *bytes = wd_alloc((size_t)size + 1);
    if (bytes == NULL) {
        return wd_error_set(error, WD_ENOMEM, "compression: out of memory");
    }
    size_t got = ZSTD_decompress(bytes, (size_t)size, packed, length);
    if (ZSTD_isError(got) || got != size) {
        wd_free(bytes, (size_t)size + 1);
        return wd_error_set(
            error, WD_ECORRUPT, "damaged: %s", ZSTD_isError(got) ? ZSTD_getErrorName(got) : "cut");
    }
    bytes[got] = '\0';
    *ret_bytes = bytes;
    *ret_length = got;
    return WD_OK;
}

bool wd_is_compressed(const void *bytes, size_t length)
{
    static const unsigned char magic[] = { 0x28, 0xb5, 0x2f, 0xfd };
    return length >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}
