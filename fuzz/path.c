// path.c - paths: what is parsed can be written again and leads to the same place; setting makes it found.
#include "fuzz.h"

#include "tree/path.h"

static const char state_text[] = "{\"a\":{\"b\":[1,{\"id\":\"x\",\"n\":{\"m\":1.5}},[2,[3]],null],\"c.d\":{"
                                 "\"e[f]\":true}},\"\":{\"\":0},\"0\":[[]]}";

static wd_status write_segment(const wd_segment *segment, bool first, wd_buffer *buffer)
{
    if (segment->kind == WD_SEGMENT_KEY) {
        return wd_path_write_key(buffer, first, segment->text, segment->text_length);
    }
    return wd_buffer_format(buffer, "[%.*s]", (int)segment->raw_length, segment->raw);
}

// Written again segment by segment, the path parses into the same segments.
static void assert_writes_back(const wd_path *path)
{
    wd_buffer text = { 0 };
    for (size_t i = 0; i < wd_path_count(path); i++) {
        wd_assert(write_segment(wd_path_at(path, i), i == 0, &text) == WD_OK);
    }
    wd_path *again = NULL;
    wd_assert(
        text.length > WD_PATH_TEXT_MAX || wd_path_parse(text.bytes, text.length, &again, NULL) == WD_OK);
    for (size_t i = 0; again != NULL && i < wd_path_count(path); i++) {
        const wd_segment *x = wd_path_at(path, i), *y = wd_path_at(again, i);
        wd_assert(x->kind == y->kind && x->text_length == y->text_length && x->index == y->index);
        wd_assert(memcmp(x->text, y->text, x->text_length) == 0);
    }
    wd_path_destroy(&again);
    wd_buffer_done(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (memchr(data, 0, size) != NULL) {
        return 0;  // no text of ours holds U+0000, and it cannot be printed with %s
    }
    wd_path *path = NULL;
    if (wd_path_parse((const char *)data, size, &path, NULL) != WD_OK) {
        fuzz_assert_clean();
        return 0;
    }
    assert_writes_back(path);
    wd_value *state = NULL, *item = NULL;
    wd_assert(wd_json_parse(state_text, sizeof(state_text) - 1, &state, NULL) == WD_OK);
    wd_value *snapshot = wd_value_ref(state), *untouched = fuzz_rebuilt(state);
    (void)wd_path_get(path, state, true);
    wd_assert(wd_value_text("put here", &item) == WD_OK);
    if (wd_path_set(&state, path, &item, NULL) == WD_OK) {
        const wd_value *found = wd_path_get(path, state, false);
        wd_assert(found == NULL || wd_value_is_text(found, "put here"));  // a filter may no longer match
        (void)wd_path_remove(&state, path);
    } else {
        wd_assert(wd_value_same(state, snapshot));
    }
    fuzz_assert_prints_alike(snapshot, untouched);
    wd_value_unref(&untouched);
    wd_value_unref(&snapshot);
    wd_value_unref(&state);
    wd_value_unref(&item);
    wd_path_destroy(&path);
    fuzz_assert_clean();
    return 0;
}
