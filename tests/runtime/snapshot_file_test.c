// Snapshot files: what is saved is loaded; each way to be wrong is told. Sources: snapshot_file.c, compress.c.
#include "json.h"

#include "runtime/file.h"
#include "runtime/snapshot_file.h"
#include "tree/alloc.h"

#include <stdio.h>
#include <stdlib.h>
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

static void write_file(const char *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
}

/// A good file with its byte `at` (from the end when negative) turned into `byte`, or cut there when `byte` is -1.
static const struct damage_row {
    const char *name;
    int at, byte;
    wd_status status;
} damage_rows[] = {
    { "another magic", 0, 'X', WD_ECORRUPT },
    { "a later version", 6, 2, WD_EVERSION },
    { "no version", 6, 0, WD_EVERSION },
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
    if (row->byte >= 0) {
        bytes[at] = bytes[at] == (char)row->byte ? (char)(row->byte + 1) : (char)row->byte;
    }
    write_file(bytes, row->byte < 0 ? at : length);
    assert_int_equal(wd_snapshot_load(path, &back, &error), row->status);
    assert_null(back);
    assert_int_equal(strncmp(error.text, path, strlen(path)), 0);
    wd_free(bytes, length + 1);
    wd_value_unref(&bundle);
}

/// A good file and its bytes, which are the caller's.
static wd_value *good_file(char **ret_bytes, size_t *ret_length)
{
    wd_value *bundle =
        json_of("{\"machine\":{\"os\":[1,2,3,4,5,6,7,8,9,10],\"apps\":{\"a\":\"aaaaaaaaaaaaaaaaaaaa\"}}}");
    wd_error error;
    assert_int_equal(wd_snapshot_save(path, bundle, &error), WD_OK);
    assert_int_equal(wd_file_read(path, ret_bytes, ret_length, &error), WD_OK);
    return bundle;
}

static void a_file_cut_anywhere_is_refused(void **state)
{
    (void)state;
    char *bytes = NULL;
    size_t length = 0;
    wd_value *bundle = good_file(&bytes, &length), *back = NULL;
    wd_error error;
    for (size_t cut = 0; cut < length; cut++) {
        write_file(bytes, cut);
        assert_int_equal(wd_snapshot_load(path, &back, &error), WD_ECORRUPT);
        assert_null(back);
        assert_int_equal(strncmp(error.text, path, strlen(path)), 0);
    }
    char *longer = malloc(length + 1);
    memcpy(longer, bytes, length);
    longer[length] = 'x';
    write_file(longer, length + 1);  // nor is one with more behind it
    assert_int_equal(wd_snapshot_load(path, &back, &error), WD_ECORRUPT);
    free(longer);
    wd_free(bytes, length + 1);
    wd_value_unref(&bundle);
}

/// Few bits of a zstd frame mean nothing; turned, they give the same snapshot. Any other is noticed.
static void a_turned_bit_gives_no_other_snapshot(void **state)
{
    (void)state;
    char *bytes = NULL;
    size_t length = 0, unnoticed = 0;
    wd_value *bundle = good_file(&bytes, &length);
    for (size_t bit = 0; bit < 8 * length; bit++) {
        wd_value *back = NULL;
        wd_error error;
        bytes[bit / 8] ^= (char)(1u << bit % 8);
        write_file(bytes, length);
        wd_status status = wd_snapshot_load(path, &back, &error);
        if (status == WD_OK) {
            assert_true(wd_value_equal(bundle, back));
            unnoticed += 1;
        } else {
            assert_true(status == WD_ECORRUPT || status == WD_EVERSION || status == WD_ELIMIT);
            assert_null(back);
        }
        wd_value_unref(&back);
        bytes[bit / 8] ^= (char)(1u << bit % 8);
    }
    assert_in_range(unnoticed, 0, 8);
    wd_free(bytes, length + 1);
    wd_value_unref(&bundle);
}

/// The size that a frame claims is looked at before memory is taken for it.
static void a_frame_that_claims_too_much_is_refused(void **state)
{
    (void)state;
    for (uint64_t over = 0; over < 2; over++) {
        // Magic; content size in eight bytes, one segment.
        char bytes[] = "WDSNAP\1\0\x28\xb5\x2f\xfd\xe0\0\0\0\0\0\0\0\0";
        uint64_t size = WD_SNAPSHOT_BYTES_MAX + over;
        wd_value *back = NULL;
        wd_error error;
        for (size_t i = 0; i < 8; i++) {
            bytes[13 + i] = (char)(size >> 8 * i);
        }
        write_file(bytes, sizeof bytes - 1);
        assert_int_equal(wd_snapshot_load(path, &back, &error), over ? WD_ELIMIT : WD_ECORRUPT);
    }
}

int main(void)
{
    static const struct CMUnitTest single[] = {
        cmocka_unit_test(what_is_saved_is_loaded),
        cmocka_unit_test(a_file_cut_anywhere_is_refused),
        cmocka_unit_test(a_turned_bit_gives_no_other_snapshot),
        cmocka_unit_test(a_frame_that_claims_too_much_is_refused),
    };
    static struct CMUnitTest tests[WD_COUNT_OF(damage_rows) + WD_COUNT_OF(single)];
    memcpy(tests, single, sizeof single);
    for (size_t i = 0; i < WD_COUNT_OF(damage_rows); i++) {
        tests[WD_COUNT_OF(single) + i] = (struct CMUnitTest){ .name = damage_rows[i].name,
            .test_func = damage_is_told,
            .initial_state = (void *)(uintptr_t)&damage_rows[i] };
    }
    return _cmocka_run_group_tests(
        "snapshot_file", tests, WD_COUNT_OF(tests), make_directory, remove_directory);
}
