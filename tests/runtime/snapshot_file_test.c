// Snapshot files: what is saved is loaded; each way to be wrong is told. Sources: snapshot_file.c, compress.c.
#include "json.h"

#include "runtime/file.h"
#include "runtime/snapshot_file.h"
#include "tree/alloc.h"

#include <stdio.h>
#include <unistd.h>

static char path[256];

static int make_directory(void **state)
{
    (void)state;
    char directory[] = "/tmp/worldd-snapshot-XXXXXX";
    if (mkdtemp(directory) == NULL) {
        return -1;
    }
    snprintf(path, sizeof path, "%s/one.wdsnap", directory);
    return 0;
}

static int remove_directory(void **state)
{
    (void)state;
    unlink(path);
    *strrchr(path, '/') = '\0';
    return rmdir(path);
}

static void what_is_saved_is_loaded(void **state)
{
    (void)state;
    wd_value *bundle = json_of("{\"machine\":{\"os\":{\"a\":1.0,\"b\":[null,\"\u5988\"]}},\"steps\":3}"),
             *back = NULL;
    wd_error error;
    assert_int_equal(wd_snapshot_save(path, bundle, &error), WD_OK);
    assert_int_equal(wd_snapshot_load(path, &back, &error), WD_OK);
    assert_true(wd_value_equal(bundle, back));
    wd_value_unref(&bundle);
    wd_value_unref(&back);
}

/// A good file with its byte `at` (from the end when negative) turned into `byte`, or cut there when `byte` is -1.
static const struct damage_row {
    const char *name;
    int at, byte;
    wd_status status;
} damage_rows[] = {
    { "another magic", 0, 'X', WD_ECORRUPT },
    { "a later version", 6, 2, WD_EVERSION },
    { "a much later version", 7, 1, WD_EVERSION },
    { "no zstd frame", 8, 0, WD_ECORRUPT },
    { "cut in the header", 5, -1, WD_ECORRUPT },
    { "cut after the header", 8, -1, WD_ECORRUPT },
    { "cut in the frame", 20, -1, WD_ECORRUPT },
    { "another checksum", -1, 0, WD_ECORRUPT },
};

static void damage_is_told(void **state)
{
    const struct damage_row *row = *state;
    wd_value *bundle = json_of("{\"machine\":{\"os\":[1,2,3,4,5,6,7,8,9,10]}}"), *back = NULL;
    char *bytes = NULL;
    size_t length = 0;
    wd_error error;
    assert_int_equal(wd_snapshot_save(path, bundle, &error), WD_OK);
    assert_int_equal(wd_file_read(path, &bytes, &length, &error), WD_OK);
    size_t at = row->at < 0 ? length - (size_t)-row->at : (size_t)row->at;
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    if (row->byte >= 0) {
        bytes[at] = bytes[at] == (char)row->byte ? (char)(row->byte + 1) : (char)row->byte;
    }
    assert_int_equal(fwrite(bytes, 1, row->byte < 0 ? at : length, file), row->byte < 0 ? at : length);
    fclose(file);
    assert_int_equal(wd_snapshot_load(path, &back, &error), row->status);
    assert_null(back);
    assert_int_equal(strncmp(error.text, path, strlen(path)), 0);
    wd_free(bytes, length + 1);
    wd_value_unref(&bundle);
}

int main(void)
{
    static struct CMUnitTest tests[WD_COUNT_OF(damage_rows) + 1] = { cmocka_unit_test(
        what_is_saved_is_loaded) };
    for (size_t i = 0; i < WD_COUNT_OF(damage_rows); i++) {
        tests[i + 1] = (struct CMUnitTest){ .name = damage_rows[i].name,
            .test_func = damage_is_told,
            .initial_state = (void *)(uintptr_t)&damage_rows[i] };
    }
    return _cmocka_run_group_tests(
        "snapshot_file", tests, WD_COUNT_OF(tests), make_directory, remove_directory);
}
