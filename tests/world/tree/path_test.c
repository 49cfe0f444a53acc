// Paths: the grammar, look-ups, setting and removing, and the text that is written.
#include "json.h"

#include "tree/alloc.h"
#include "tree/path.h"

// ---- look-ups -------------------------------------------------------------------------------------------------

static const char state_text[] =
    "{\"a\":{\"b\":[10,20,{\"id\":\"x\",\"n\":{\"m\":1.5}},{\"id\":7,\"t\":\"Bobby\"},[1]],"
    "\"c.d\":{\"e[f]\":true}},\"0\":{\"1\":null},\"\":{\"z\":5}}";

static const struct get_case {
    const char *name, *path, *found;  // found NULL: absent
} get_cases[] = {
    { "member", "a.b[0]", "10" },
    { "empty keys are skipped", ".a..b[1].", "20" },
    { "the empty path is the root's", "0.1", "null" },
    { "digits address an element", "a.b.1", "20" },
    { "digits name a member of an object", "0.1", "null" },
    { "an index names no member", "[0]", NULL },
    { "leading zeros", "a.b[01]", "20" },
    { "last element", "a.b[-1]", "[1]" },
    { "past the end", "a.b[5]", NULL },
    { "an index beyond all numbers", "a.b[99999999999999999999]", NULL },
    { "filter", "a.b[id=x].n.m", "1.5" },
    { "filter by a number's text", "a.b[id=7].t", "\"Bobby\"" },
    { "nested field", "a.b[n.m=1.5].id", "\"x\"" },
    { "filter finds nothing", "a.b[id=y]", NULL },
    { "filter without fallback", "a.b[t=Bob]", NULL },
    { "escaped keys", "a.c\\.d.e\\[f]", "true" },
    { "any element leads nowhere", "a.b[]", NULL },
    { "open bracket", "a.b[0", NULL },
    { "text after a bracket", "a.b[0]x", NULL },
    { "backslash at the end", "a\\", NULL },
};

static void look_up_finds(void **state)
{
    const struct get_case *row = *state;
    wd_value *root = json_of(state_text);
    const wd_value *found = wd_value_get_path(root, row->path);
    if (row->found == NULL) {
        assert_null(found);
    } else {
        assert_non_null(found);
        assert_json(found, row->found);
    }
    wd_value_unref(&root);
}

static void substring_is_a_fallback(void **state)
{
    (void)state;
    wd_value *root = json_of("[{\"t\":\"Bobby\"},{\"t\":\"Bo\"},{\"t\":12}]");
    static const struct {
        const char *path;
        int index;
    } rows[] = { { "[t=Bo]", 1 }, { "[t=obb]", 0 }, { "[t=1]", -1 } };
    for (size_t i = 0; i < WD_COUNT_OF(rows); i++) {
        wd_path *path;
        assert_int_equal(wd_path_parse(rows[i].path, strlen(rows[i].path), &path, NULL), WD_OK);
        const wd_value *wanted = rows[i].index >= 0 ? wd_array_at(root, (size_t)rows[i].index) : NULL;
        assert_ptr_equal(wd_path_get(path, root, true), wanted);
        wd_path_destroy(&path);
    }
    wd_value_unref(&root);
}

// ---- setting --------------------------------------------------------------------------------------------------

static const struct set_case {
    const char *name, *root, *path;
    wd_status status;
    const char *result;
} set_cases[] = {
    { "member", "{\"a\":{\"b\":1}}", "a.b", WD_OK, "{\"a\":{\"b\":true}}" },
    { "missing members are made", "{\"a\":1}", "b.c.d", WD_OK, "{\"a\":1,\"b\":{\"c\":{\"d\":true}}}" },
    { "the root", "{\"a\":1}", "", WD_OK, "true" },
    { "element", "{\"a\":[1,2]}", "a[1]", WD_OK, "{\"a\":[1,true]}" },
    { "last element", "{\"a\":[1,2]}", "a[-1]", WD_OK, "{\"a\":[1,true]}" },
    { "in a filtered element", "[{\"id\":1},{\"id\":2}]", "[id=2].x", WD_OK,
        "[{\"id\":1},{\"id\":2,\"x\":true}]" },
    { "no such element", "{\"a\":[1,2]}", "a[2]", WD_ENOENT, NULL },
    { "nothing to filter", "{\"a\":[1,2]}", "a[id=2]", WD_ENOENT, NULL },
    { "an element of what is missing", "{\"a\":1}", "b[0].c", WD_ENOENT, NULL },
    { "a scalar in the way", "{\"a\":1}", "a.b", WD_ETYPE, NULL },
    { "null in the way", "{\"a\":null}", "a.b", WD_ETYPE, NULL },
};

static void set_changes(void **state)
{
    const struct set_case *row = *state;
    for (int shared = 0; shared < 2; shared++) {
        wd_value *root = json_of(row->root), *snapshot = shared ? wd_value_ref(root) : NULL, *before = root;
        wd_value *item = wd_value_bool(true);
        assert_int_equal(wd_value_set_path(&root, row->path, &item), row->status);
        assert_json(root, row->status == WD_OK ? row->result : row->root);
        if (row->status == WD_OK) {
            assert_null(item);
        } else {
            assert_ptr_equal(root, before);
            assert_non_null(item);
        }
        if (shared) {
            assert_json(snapshot, row->root);
        }
        wd_value_unref(&snapshot);
        wd_value_unref(&root);
    }
    assert_int_equal(wd_alloc_stats_get().bytes_live, 0);
}

static const struct remove_case {
    const char *name, *root, *path;
    wd_status status;
    const char *result;
} remove_cases[] = {
    { "remove a member", "{\"a\":{\"b\":1,\"c\":2}}", "a.b", WD_OK, "{\"a\":{\"c\":2}}" },
    { "remove an element", "{\"a\":[1,2]}", "a[0]", WD_OK, "{\"a\":[2]}" },
    { "remove what a filter finds", "[{\"id\":1},{\"id\":2}]", "[id=1]", WD_OK, "[{\"id\":2}]" },
    { "remove what is missing", "{\"a\":1}", "b.c", WD_ENOENT, NULL },
    { "remove the root", "{\"a\":1}", "", WD_ENOENT, NULL },
};

static void remove_changes(void **state)
{
    const struct remove_case *row = *state;
    wd_value *root = json_of(row->root), *snapshot = wd_value_ref(root);
    wd_path *path;
    assert_int_equal(wd_path_parse(row->path, strlen(row->path), &path, NULL), WD_OK);
    assert_int_equal(wd_path_remove(&root, path), row->status);
    assert_json(root, row->status == WD_OK ? row->result : row->root);
    assert_json(snapshot, row->root);
    wd_path_destroy(&path);
    wd_value_unref(&snapshot);
    wd_value_unref(&root);
}

// ---- limits and text ------------------------------------------------------------------------------------------

static void limits_have_an_edge(void **state)
{
    (void)state;
    char text[2 * (WD_PATH_SEGMENTS_MAX + 1)];
    for (size_t count = WD_PATH_SEGMENTS_MAX; count <= WD_PATH_SEGMENTS_MAX + 1; count++) {
        memset(text, 'k', 2 * count);
        for (size_t i = 1; i < 2 * count; i += 2) {
            text[i] = '.';
        }
        wd_path *path = NULL;
        wd_status status = wd_path_parse(text, 2 * count - 1, &path, NULL);
        assert_int_equal(status, count > WD_PATH_SEGMENTS_MAX ? WD_ELIMIT : WD_OK);
        wd_path_destroy(&path);
    }
    // A path as deep as trees may be can be set; one level more is refused and changes nothing.
    for (size_t count = WD_VALUE_DEPTH_MAX; count <= WD_VALUE_DEPTH_MAX + 1; count++) {
        wd_value *root = json_of("{\"a\":1}"), *item = wd_value_null();
        text[2 * count - 1] = '\0';
        wd_status status = wd_value_set_path(&root, text, &item);
        assert_int_equal(status, count > WD_VALUE_DEPTH_MAX ? WD_ELIMIT : WD_OK);
        assert_int_equal(wd_object_count(root), count > WD_VALUE_DEPTH_MAX ? 1 : 2);
        wd_value_unref(&root);
        text[2 * count - 1] = '.';
    }
}

static void written_text_is_escaped(void **state)
{
    (void)state;
    wd_buffer buffer = { 0 };
    wd_value *text = json_of("\"x]\\\\y.z\""), *number = json_of("1.0"), *list = json_of("[1]");
    assert_int_equal(wd_path_write_key(&buffer, true, "a.b", 3), WD_OK);
    assert_int_equal(wd_path_write_key(&buffer, false, "c[\\", 3), WD_OK);
    assert_int_equal(wd_path_write_index(&buffer, 12), WD_OK);
    assert_int_equal(wd_path_write_element(&buffer, WD_SEGMENT_FILTER, "id", text), WD_OK);
    assert_int_equal(wd_path_write_element(&buffer, WD_SEGMENT_ADDED, NULL, number), WD_OK);
    assert_int_equal(wd_path_write_element(&buffer, WD_SEGMENT_REMOVED, NULL, text), WD_OK);
    assert_int_equal(wd_path_write_element(&buffer, WD_SEGMENT_REMOVED, NULL, list), WD_ETYPE);
    assert_string_equal(buffer.bytes, "a\\.b.c\\[\\\\[12][id=x\\]\\\\y.z][+=1.0][-=x\\]\\\\y.z]");
    wd_path *path;
    assert_int_equal(wd_path_parse(buffer.bytes, buffer.length, &path, NULL), WD_OK);
    static const wd_segment_kind kinds[] = { WD_SEGMENT_KEY, WD_SEGMENT_KEY, WD_SEGMENT_INDEX,
        WD_SEGMENT_FILTER, WD_SEGMENT_ADDED, WD_SEGMENT_REMOVED };
    assert_int_equal(wd_path_count(path), WD_COUNT_OF(kinds));
    for (size_t i = 0; i < WD_COUNT_OF(kinds); i++) {
        assert_int_equal(wd_path_at(path, i)->kind, kinds[i]);
    }
    assert_string_equal(wd_path_at(path, 3)->text, "x]\\y.z");
    wd_path_destroy(&path);
    wd_buffer_done(&buffer);
    wd_value_unref(&text);
    wd_value_unref(&number);
    wd_value_unref(&list);
}

#define ROWS(cases, function)                                                                                \
    for (size_t i = 0; i < WD_COUNT_OF(cases); i++) {                                                        \
        tests[count++] = (struct CMUnitTest){ .name = (cases)[i].name,                                       \
            .test_func = (function),                                                                         \
            .initial_state = (void *)(uintptr_t) & (cases)[i] };                                             \
    }

int main(void)
{
    struct CMUnitTest tests[WD_COUNT_OF(get_cases) + WD_COUNT_OF(set_cases) + WD_COUNT_OF(remove_cases) + 3];
    size_t count = 0;
    ROWS(get_cases, look_up_finds)
    ROWS(set_cases, set_changes)
    ROWS(remove_cases, remove_changes)
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(substring_is_a_fallback);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(limits_have_an_edge);
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(written_text_is_escaped);
    return cmocka_run_group_tests_name("path", tests, NULL, NULL);
}
