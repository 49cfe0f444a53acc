// diff.c - a state and a patch, a line each: the change report of the patched state does not depend on what the
// two states share, nothing differs from itself, and equal states give an empty report.
#include "fuzz.h"

#include "judge/changes.h"
#include "tree/patch.h"

static wd_value *report(const wd_value *before, const wd_value *after)
{
    wd_changes *changes = NULL;
    wd_value *list = NULL;
    wd_assert(wd_changes_make(before, after, &changes) == WD_OK);
    wd_status status = wd_changes_to_value(changes, &list);
    wd_assert(status == WD_OK || status == WD_ELIMIT);  // sides that nest too deep for a list around them
    wd_assert((wd_changes_count(changes) == 0) == wd_value_equal(before, after));
    wd_changes_destroy(&changes);
    return list != NULL ? list : wd_value_null();
}

static void check(const wd_value *before, const wd_value *after)
{
    wd_value *other = fuzz_rebuilt(after);
    wd_value *shared = report(before, after), *apart = report(before, other), *none = report(after, other);
    fuzz_assert_prints_alike(shared, apart);
    wd_assert(wd_array_count(none) == 0);
    wd_value_unref(&none);
    wd_value_unref(&apart);
    wd_value_unref(&shared);
    wd_value_unref(&other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_text texts[2];
    fuzz_cut(data, size, texts, 2);
    wd_value *before = fuzz_parse(texts[0]), *patch = fuzz_parse(texts[1]), *after = NULL;
    if (before != NULL && patch != NULL) {
        check(before, patch);
        if (wd_patch_merge(before, patch, WD_PATCH_DEEP, &after, NULL) == WD_OK) {
            check(before, after);
        }
    }
    wd_value_unref(&before);
    wd_value_unref(&patch);
    wd_value_unref(&after);
    fuzz_assert_clean();
    return 0;
}
