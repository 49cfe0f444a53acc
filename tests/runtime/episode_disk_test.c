// Runs begin while the recorded ones leave room. Sources: episode_disk.c.
#include "episode_disk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char directory[64];

static int make_directory(void **state)
{
    (void)state;
    strcpy(directory, "/tmp/worldd-disk-XXXXXX");
    return mkdtemp(directory) == NULL ? -1 : 0;
}

static void put(const char *name, size_t bytes)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (size_t i = 0; i < bytes; i++) {
        assert_int_equal(fputc('x', file), 'x');
    }
    fclose(file);
}

static void drop(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    unlink(path);
}

static int remove_directory(void **state)
{
    (void)state;
    drop("a");
    drop("b");
    return rmdir(directory);
}

static void the_bound_holds_at_its_edge(void **state)
{
    (void)state;
    wd_episode_disk disk = { 0 }, unbounded = { 0 };
    wd_error error;
    put("a", 600);
    put("b", 400);
    assert_int_equal(wd_episode_disk_room(&disk, directory, 1000, 0, &error), WD_OK);
    put("b", 401);
    // A count holds for a while, then what came meanwhile is seen, and what went.
    assert_int_equal(wd_episode_disk_room(&disk, directory, 1000, WD_EPISODE_COUNT_MS - 1, &error), WD_OK);
    assert_int_equal(wd_episode_disk_room(&disk, directory, 1000, WD_EPISODE_COUNT_MS, &error), WD_ELIMIT);
    assert_non_null(strstr(error.text, "has 1001 bytes and the limit is 1000"));
    assert_int_equal(wd_episode_disk_room(&unbounded, directory, 0, 0, &error), WD_OK);
    drop("b");
    assert_int_equal(wd_episode_disk_room(&disk, directory, 1000, 2 * WD_EPISODE_COUNT_MS, &error), WD_OK);
}

static void what_kills_left_is_removed(void **state)
{
    (void)state;
    char mine[64];
    snprintf(mine, sizeof mine, "c.jsonl.zst.%d.tmp", (int)getpid());
    const struct {
        const char *name;
        bool stays;
    } files[] = {
        { "a.jsonl", false },  // its frame is in place
        { "a.jsonl.zst", true },
        { "b.jsonl", true },  // cut by a kill: all there is of it
        { "b.jsonl.zst.2147483647.tmp", false },
        { mine, true },  // of a process that lives
        { "d.jsonl.zst.x.tmp", true },
        { "d.jsonl.zst.2147483647.tmp2", true },
        { "e.txt", true },
        { "jsonl", true },
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        put(files[i].name, 1);
    }
    wd_episode_disk_tidy(directory);
    wd_episode_disk_tidy("/nonexistent/worldd");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", directory, files[i].name);
        bool there = access(path, F_OK) == 0;
        if (there != files[i].stays) {
            fail_msg("%s %s", files[i].name, there ? "stayed" : "went");
        }
        drop(files[i].name);
    }
}

static void a_folder_that_is_not_there_is_empty(void **state)
{
    (void)state;
    wd_episode_disk disk = { 0 };
    wd_error error;
    assert_int_equal(wd_episode_disk_room(&disk, "/nonexistent/worldd", 1, 0, &error), WD_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_bound_holds_at_its_edge, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(what_kills_left_is_removed, make_directory, remove_directory),
        cmocka_unit_test(a_folder_that_is_not_there_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
