// patch.c - base and patch, a line each: merging changes neither, and failing allocations leak nothing.
#include "fuzz.h"

#include "tree/patch.h"

static void merge(const wd_value *base, const wd_value *patch, wd_patch_mode mode, long fail_after)
{
    wd_value *merged = NULL;
    wd_alloc_fail_after(fail_after);
    wd_status status = wd_patch_merge(base, patch, mode, &merged, NULL);
    wd_alloc_fail_after(-1);
    wd_assert((status == WD_OK) == (merged != NULL));
    if (merged != NULL) {
        wd_value *other = fuzz_rebuilt(merged);
        wd_assert(wd_value_equal(merged, other));
        wd_assert(wd_digest_equal(wd_value_digest(merged), wd_value_digest(other)));
        wd_value_unref(&other);
    }
    wd_value_unref(&merged);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_text texts[2];
    fuzz_cut(data, size, texts, 2);
    wd_value *base = fuzz_parse(texts[0]), *patch = fuzz_parse(texts[1]);
    if (base != NULL && patch != NULL) {
        wd_value *base_copy = fuzz_rebuilt(base), *patch_copy = fuzz_rebuilt(patch);
        merge(base, patch, WD_PATCH_DEEP, -1);
        merge(base, patch, WD_PATCH_SHALLOW, -1);
        merge(base, patch, WD_PATCH_DEEP, (long)(size % 23));
        merge(NULL, patch, WD_PATCH_DEEP, -1);
        fuzz_assert_prints_alike(base, base_copy);
        fuzz_assert_prints_alike(patch, patch_copy);
        wd_value_unref(&base_copy);
        wd_value_unref(&patch_copy);
    }
    wd_value_unref(&base);
    wd_value_unref(&patch);
    fuzz_assert_clean();
    return 0;
}
