// delta.c - two states and anything as a delta, a line each: a delta leads from one state to the other and back,
// and one that was not made from the state is refused, never half applied.
#include "fuzz.h"

#include "tree/delta.h"

static void assert_leads_there_and_back(const wd_value *before, const wd_value *after)
{
    wd_value *delta = NULL, *inverse = NULL, *there = NULL, *back = NULL;
    wd_status status = wd_delta_make(before, after, &delta);
    if (status == WD_ELIMIT) {
        return;  // values that nest so deep that a delta cannot hold them
    }
    wd_assert(status == WD_OK);
    wd_assert(wd_delta_apply(before, delta, &there, NULL) == WD_OK);
    fuzz_assert_prints_alike(there, after);
    wd_assert(wd_delta_invert(delta, &inverse, NULL) == WD_OK);
    wd_assert(wd_delta_apply(after, inverse, &back, NULL) == WD_OK);
    fuzz_assert_prints_alike(back, before);
    wd_value_unref(&delta);
    wd_value_unref(&inverse);
    wd_value_unref(&there);
    wd_value_unref(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_text texts[3];
    fuzz_cut(data, size, texts, 3);
    wd_value *before = fuzz_parse(texts[0]), *after = fuzz_parse(texts[1]), *delta = fuzz_parse(texts[2]);
    if (before != NULL && after != NULL) {
        assert_leads_there_and_back(before, after);
    }
    if (before != NULL && delta != NULL) {
        wd_value *copy = fuzz_rebuilt(before), *result = NULL, *inverse = NULL;
        if (wd_delta_apply(before, delta, &result, NULL) == WD_OK) {
            assert_leads_there_and_back(before, result);
        }
        (void)wd_delta_invert(delta, &inverse, NULL);
        fuzz_assert_prints_alike(before, copy);
        wd_value_unref(&copy);
        wd_value_unref(&result);
        wd_value_unref(&inverse);
    }
    wd_value_unref(&before);
    wd_value_unref(&after);
    wd_value_unref(&delta);
    fuzz_assert_clean();
    return 0;
}
