/// device_walk_test.c - model checking by random walk: rules that hold after every step, forks with the same
/// future, what a reload keeps, and resets that leave nothing behind.
///
/// device_walk_test [STEPS [SEED]]: 100,000 steps by default; scripts/soak asks for 1,000,000.
#include "walk.h"

#include <inttypes.h>
#include <stdio.h>

enum { STEPS_DEFAULT = 100000, FORK_EVERY = 1000, FUTURE_STEPS = 40, RESET_STATES = 10000, RESET_STEPS = 7 };

static uint64_t steps_wanted = STEPS_DEFAULT;
static uint64_t seed_wanted = 20260104;

static void drop_events(wd_device *device)
{
    wd_value *events = wd_device_take_events(device);
    assert_in_range(wd_array_count(events), 0, WD_DEVICE_EVENTS_MAX);
    wd_value_unref(&events);
}

/// Both futures driven alike end in the same machine.
static void check_fork(random_walk *walk)
{
    wd_device *one = NULL;
    wd_device *two = NULL;
    assert_int_equal(wd_device_fork(walk->device, &one), WD_OK);
    assert_int_equal(wd_device_fork(walk->device, &two), WD_OK);
    wd_digest before = wd_device_digest(walk->device);
    random_walk left = walk_start(walk->state, one);
    random_walk right = walk_start(walk->state, two);
    for (int i = 0; i < FUTURE_STEPS; i++) {
        assert_int_equal(walk_step(&left), walk_step(&right));
        assert_true(wd_digest_equal(wd_device_digest(one), wd_device_digest(two)));
    }
    assert_true(
        wd_digest_equal(before, wd_device_digest(walk->device)));  // and the trunk knows nothing of it
    walk_done(&left);
    walk_done(&right);
    wd_device_destroy(&one);
    wd_device_destroy(&two);
}

static void assert_same_part(const wd_value *before, const wd_value *after, const char *part)
{
    if (!wd_value_equal(part_of(before, part), part_of(after, part))) {
        fail_msg("%s is not what it was before the reload", part);
    }
}

/// An overlay without what is never stored.
static wd_value *kept_of(const wd_value *overlay)
{
    wd_value *kept = wd_value_ref(overlay);
    if (wd_object_get(kept, "_temp") != NULL) {
        assert_int_equal(wd_object_remove(&kept, "_temp"), WD_OK);
    }
    return kept;
}

/// Persisted and reloaded, only volatile stores and `_temp` differ.
static void check_reload(const random_walk *walk)
{
    static const char *const persistent[] = { "os.settings", "os.hardware", "os.permissions",
        "os.preferences", "os.build", "os.telephony", "os.clipboard", "os.launcher", "os.providers",
        "os.fileSystem", "sys.clock", "sys.counters" };
    wd_device *copy = NULL;
    assert_int_equal(wd_device_fork(walk->device, &copy), WD_OK);
    assert_int_equal(wd_device_reload(copy), WD_OK);
    const wd_value *before = wd_device_machine(walk->device);
    const wd_value *after = wd_device_machine(copy);
    for (size_t i = 0; i < WD_COUNT_OF(persistent); i++) {
        assert_same_part(before, after, persistent[i]);
    }
    assert_int_equal(wd_array_count(part_of(after, "os.tasks")), 0);
    assert_null(part_of(after, "sys.chooser"));
    assert_null(part_of(after, "sys.ui"));
    wd_iter iter = wd_iter_start(part_of(before, "apps"));
    while (wd_iter_next(&iter)) {
        wd_value *wanted = kept_of(iter.value);
        wd_value *found = kept_of(wd_object_get(part_of(after, "apps"), iter.key));
        if (found != NULL && !wd_value_equal(wanted, found)) {
            fail_msg("apps.%s is not what it was before the reload", iter.key);
        }
        wd_value_unref(&wanted);
        wd_value_unref(&found);
    }
    wd_device_destroy(&copy);
}

static void invariants_hold_along_the_walk(void **state)
{
    (void)state;
    printf("seed %" PRIu64 ", %" PRIu64 " steps\n", seed_wanted, steps_wanted);
    wd_device *device = walk_device();
    random_walk walk = walk_start(seed_wanted, device);
    uint64_t refused = 0;
    for (uint64_t i = 1; i <= steps_wanted; i++) {
        wd_digest before = wd_device_digest(device);
        wd_status status = walk_step(&walk);
        if (status != WD_OK) {
            refused++;
            if (!wd_digest_equal(before, wd_device_digest(device))) {
                fail_msg("step %" PRIu64 ": %s was refused (%s), but the machine has changed", i, walk.last,
                    walk.error.text);
            }
        }
        walk_check_invariants(&walk);
        if (i % FORK_EVERY == 0) {
            check_fork(&walk);
            check_reload(&walk);
            drop_events(device);
        }
    }
    printf("%" PRIu64 " steps were refused and changed nothing\n", refused);
    assert_true(steps_wanted < FORK_EVERY || (refused > 0 && refused < steps_wanted / 2));
    walk_done(&walk);
    wd_device_destroy(&device);
}

static void reset_equals_boot_from_random_states(void **state)
{
    (void)state;
    wd_device *device = walk_device();
    wd_digest boot = wd_device_digest(device);
    random_walk walk = walk_start(seed_wanted + 1, device);
    for (int i = 0; i < RESET_STATES; i++) {
        for (int k = 0; k < RESET_STEPS; k++) {
            (void)walk_step(&walk);
        }
        wd_device *copy = NULL;
        assert_int_equal(wd_device_fork(device, &copy), WD_OK);
        assert_int_equal(wd_device_reset(copy, i % 2 == 0), WD_OK);
        assert_true(wd_digest_equal(wd_device_digest(copy), boot));
        wd_device_destroy(&copy);
    }
    drop_events(device);
    walk_done(&walk);
    wd_device_destroy(&device);
}

/// `value` with one part somewhere in it replaced by something else. New reference.
static wd_value *damaged(random_walk *walk, const wd_value *value)
{
    static const char *const texts[] = { "null", "true", "-1", "1e300", "\"x\"", "[]", "{}", "[[null]]",
        "{\"a\":{}}" };
    bool container = wd_array_count(value) > 0 || wd_object_count(value) > 0;
    if (!container || walk_random(walk, 6) == 0) {
        return json_of(texts[walk_random(walk, WD_COUNT_OF(texts))]);
    }
    size_t count = wd_array_count(value) + wd_object_count(value);
    size_t chosen = walk_random(walk, count);
    wd_value *copy = wd_value_ref(value);
    wd_iter iter = wd_iter_start(value);
    for (size_t i = 0; wd_iter_next(&iter); i++) {
        if (i == chosen) {
            wd_value *child = damaged(walk, iter.value);
            wd_status status =
                iter.key != NULL ? wd_object_set(&copy, iter.key, &child) : wd_array_set(&copy, i, &child);
            assert_int_equal(status, WD_OK);
        }
    }
    return copy;
}

/// A machine from outside that is not as it should be is refused, or at least nothing breaks that builds on it.
static void a_damaged_machine_breaks_nothing(void **state)
{
    (void)state;
    enum { MACHINES = 1500, STEPS = 25 };
    wd_device *device = walk_device();
    random_walk walk = walk_start(seed_wanted + 2, device);
    for (int i = 0; i < MACHINES; i++) {
        (void)walk_step(&walk);
        wd_value *machine = wd_device_capture(device);
        for (uint64_t k = 0; k <= walk_random(&walk, 3); k++) {
            wd_value *next = damaged(&walk, machine);
            wd_value_unref(&machine);
            machine = next;
        }
        wd_device *copy = NULL;
        assert_int_equal(wd_device_fork(device, &copy), WD_OK);
        random_walk other = walk_start(walk.state, copy);
        if (wd_device_restore(copy, machine, NULL) == WD_OK) {
            for (int k = 0; k < STEPS; k++) {
                wd_value *shown = NULL;
                (void)walk_step(&other);
                assert_int_equal(wd_device_state(copy, &shown), WD_OK);
                wd_value_unref(&shown);
            }
        }
        walk_done(&other);
        wd_device_destroy(&copy);
        wd_value_unref(&machine);
    }
    drop_events(device);
    walk_done(&walk);
    wd_device_destroy(&device);
}

int main(int argc, char **argv)
{
    steps_wanted = argc > 1 ? strtoull(argv[1], NULL, 10) : steps_wanted;
    seed_wanted = argc > 2 ? strtoull(argv[2], NULL, 10) : seed_wanted;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(invariants_hold_along_the_walk),
        cmocka_unit_test(reset_equals_boot_from_random_states),
        cmocka_unit_test(a_damaged_machine_breaks_nothing),
    };
    return cmocka_run_group_tests_name("device walk", tests, NULL, NULL);
}
