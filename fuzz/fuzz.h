/// fuzz.h - what the fuzz targets share. A broken property aborts, which libFuzzer reports with the input.
#ifndef FUZZ_H
#define FUZZ_H

#include "tree/alloc.h"
#include "tree/json.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/// Cut the input at its line feeds into up to `count` texts; the last takes the rest. Missing ones are empty.
typedef struct fuzz_text {
    const char *bytes;
    size_t length;
} fuzz_text;

static inline void fuzz_cut(const uint8_t *data, size_t size, fuzz_text *texts, size_t count)
{
    const char *at = (const char *)data, *end = at + size;
    for (size_t i = 0; i < count; i++) {
        const char *stop = i + 1 < count && at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
        stop = stop != NULL ? stop : end;
        texts[i] = (fuzz_text){ at, (size_t)(stop - at) };
        at = stop < end ? stop + 1 : end;
    }
}

static inline wd_value *fuzz_parse(fuzz_text text)
{
    wd_value *value = NULL;
    return wd_json_parse(text.bytes, text.length, &value, NULL) == WD_OK ? value : NULL;
}

/// The text of a value; the buffer is the caller's.
static inline void fuzz_print(const wd_value *value, wd_json_style style, wd_buffer *buffer)
{
    wd_assert(wd_json_write(value, style, buffer) == WD_OK);
}

static inline void fuzz_assert_prints_alike(const wd_value *a, const wd_value *b)
{
    wd_buffer x = { 0 }, y = { 0 };
    fuzz_print(a, WD_JSON_COMPACT, &x);
    fuzz_print(b, WD_JSON_COMPACT, &y);
    wd_assert(x.length == y.length && memcmp(x.bytes, y.bytes, x.length) == 0);
    wd_buffer_done(&x);
    wd_buffer_done(&y);
}

/// A tree of the same content that shares nothing with `value`.
static inline wd_value *fuzz_rebuilt(const wd_value *value)
{
    wd_buffer text = { 0 };
    wd_value *other = NULL;
    fuzz_print(value, WD_JSON_COMPACT, &text);
    wd_assert(wd_json_parse(text.bytes, text.length, &other, NULL) == WD_OK);
    wd_buffer_done(&text);
    return other;
}

/// Nothing of the tree's is left.
static inline void fuzz_assert_clean(void)
{
    wd_assert(wd_alloc_stats_get().bytes_live == 0);
}

#endif
