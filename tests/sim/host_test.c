// Tests sim/src/host.c and deps.c: booting, the screen cache, and what lack of memory does.
#include "device_struct.h"
#include "host.h"

#include "phone_script.h"

static phone_script script;

static int start(void **state)
{
    (void)state;
    phone_script_start(&script, WD_SOURCE_DIR "/sim/apps");
    phone_script_call(&script, "setLocale", "{\"v\":\"en\"}");
    return 0;
}

static int stop(void **state)
{
    (void)state;
    phone_script_stop(&script);
    return 0;
}

static void boot_equals_a_boot_of_its_own(void **state)
{
    (void)state;
    static const uint64_t seeds[] = { 0, 1, 7, UINT64_MAX };
    for (size_t i = 0; i < WD_COUNT_OF(seeds); i++) {
        wd_device_options options = wd_device_options_default();
        options.packages = wd_packs_manifests(script.packs);
        options.app_defaults = wd_packs_defaults(script.packs);
        options.os_defaults = wd_packs_os(script.packs);
        options.hooks = &script.host->hooks;
        options.seed = seeds[i];
        wd_device *own = NULL;
        wd_device *forked = NULL;
        assert_int_equal(wd_device_new(&options, &own, NULL), WD_OK);
        assert_int_equal(wd_host_boot(script.host, seeds[i], &forked, NULL), WD_OK);
        assert_true(wd_digest_equal(wd_device_digest(own), wd_device_digest(forked)));
        assert_true(wd_device_random(own) == wd_device_random(forked));
        assert_int_equal(wd_device_reset(own, true), WD_OK);
        assert_int_equal(wd_device_reset(forked, true), WD_OK);
        assert_true(wd_digest_equal(wd_device_digest(own), wd_device_digest(forked)));
        wd_device_destroy(&own);
        wd_device_destroy(&forked);
    }
}

// Was the present screen drawn (true) or found drawn already?
static bool draws(wd_device *device)
{
    const uint64_t drawn = script.host->drawn_count;
    wd_scene *scene = NULL;
    assert_int_equal(wd_phone_observe(script.host, device, &scene, NULL), WD_OK);
    wd_scene_unref(&scene);
    return script.host->drawn_count != drawn;
}

static void a_screen_is_drawn_again_when_what_it_read_changed(void **state)
{
    (void)state;
    static const struct {
        const char *name, *op, *args;
        bool draws;
    } cases[] = {
        { "nothing", NULL, NULL, false },
        { "an unread setting of an unread part", "setPref", "{\"key\":\"x\",\"v\":\"y\"}", false },
        { "a read flag", "wifi", "{\"v\":false}", true },
        { "the status bar's battery", "batteryPercent", "{\"v\":12}", true },
        { "the language", "setLocale", "{\"v\":\"zh-Hans\"}", true },
        { "the shade", "shade.open", "{\"kind\":\"control\"}", true },
    };
    phone_script_call(&script, "os.launchApp", "{\"app\":\"contacts\"}");
    (void)draws(script.device);
    for (size_t i = 0; i < WD_COUNT_OF(cases); i++) {
        wd_device *fork = NULL;
        wd_device *kept = script.device;
        assert_int_equal(wd_device_fork(script.device, &fork), WD_OK);
        script.device = fork;
        if (cases[i].op != NULL) {
            phone_script_call(&script, cases[i].op, cases[i].args);
        }
        script.device = kept;
        if (draws(fork) != cases[i].draws) {
            fail_msg("%s: drawn %d", cases[i].name, !cases[i].draws);
        }
        assert_false(draws(fork));  // and then it is there
        wd_device_destroy(&fork);
    }
}

static void phones_that_agree_share_a_screen(void **state)
{
    (void)state;
    wd_device *first = NULL;
    wd_device *second = NULL;
    assert_int_equal(wd_host_boot(script.host, 11, &first, NULL), WD_OK);
    assert_int_equal(wd_host_boot(script.host, 12, &second, NULL), WD_OK);
    (void)draws(first);
    assert_false(draws(second));
    wd_device_destroy(&first);
    wd_device_destroy(&second);
}

/// More than a bucket keeps, all on the same page, each with a battery of its own.
static void phones_that_take_turns_find_the_screens_they_were_seen_on(void **state)
{
    enum { PHONES = 4 * WD_CACHE_DEPTH };
    wd_device *phones[PHONES], *kept = script.device;
    (void)state;
    for (int i = 0; i < PHONES; i++) {
        char args[32];
        snprintf(args, sizeof args, "{\"v\":%d}", 20 + i);
        assert_int_equal(wd_device_fork(kept, &phones[i]), WD_OK);
        script.device = phones[i];
        phone_script_call(&script, "batteryPercent", args);
        assert_true(draws(phones[i]));
    }
    script.device = kept;
    for (int i = 0; i < PHONES; i++) {
        assert_false(draws(phones[i]));
        wd_device *fork = NULL;  // it was never looked at, and its parent's screen has left the bucket
        assert_int_equal(wd_device_fork(phones[i], &fork), WD_OK);
        assert_true(draws(fork));
        assert_false(draws(fork));
        wd_device_destroy(&fork);
    }
    for (int i = 0; i < PHONES; i++) {
        wd_device_destroy(&phones[i]);
    }
}

static size_t kept_screens(void)
{
    size_t count = 0;
    for (size_t i = 0; i < WD_SHOWN_MAX; i++) {
        const wd_shown *shown = &script.host->shown[i];
        assert_true(shown->device == NULL ? shown->screen == NULL : shown->device->shown == shown);
        count += shown->device != NULL;
    }
    return count;
}

/// More phones than the table has places are looked at; what is kept goes with its phone, whichever goes first.
static void the_screen_of_a_phone_goes_with_it(void **state)
{
    (void)state;
    static wd_device *forks[WD_SHOWN_MAX + 3];
    const size_t before = kept_screens();
    for (size_t i = 0; i < WD_COUNT_OF(forks); i++) {
        assert_int_equal(wd_device_fork(script.device, &forks[i]), WD_OK);
        (void)draws(forks[i]);
    }
    assert_int_equal(kept_screens(), WD_SHOWN_MAX);
    assert_null(forks[0]->shown);  // the first made room for the last
    (void)draws(forks[0]);
    assert_non_null(forks[0]->shown);
    for (size_t i = 0; i < WD_COUNT_OF(forks); i++) {
        wd_device_destroy(&forks[i]);
    }
    assert_true(kept_screens() <= before);
    wd_host *other = NULL;
    wd_device *survivor = NULL;
    wd_scene *scene = NULL;
    assert_int_equal(wd_host_new(script.packs, &other, NULL), WD_OK);
    assert_int_equal(wd_host_boot(other, 1, &survivor, NULL), WD_OK);
    assert_int_equal(wd_phone_observe(other, survivor, &scene, NULL), WD_OK);
    wd_scene_unref(&scene);
    wd_host_destroy(&other);
    assert_null(survivor->shown);
    wd_device_destroy(&survivor);
}

static void user_content_survives_a_reload(void **state)
{
    (void)state;
    wd_device *fork = NULL;
    wd_device *kept = script.device;
    assert_int_equal(wd_device_fork(script.device, &fork), WD_OK);
    script.device = fork;
    phone_script_run(&script, "reload",
        "do launch_app {\"app\":\"notes\"}\ntap new_note\ntype title Kept\ntap save\n"
        "do launch_app {\"app\":\"forum\"}\ntap post#2\ntap vote_up\n"
        "do launch_app {\"app\":\"messages\"}\ntap conversation#0\ntype text Unsent\n");
    phone_script_act(&script, "wait", "{\"ms\":5000}");
    assert_int_equal(wd_device_reload(fork), WD_OK);
    phone_script_run(&script, "reload",
        "page launcher/home\nstate apps.messages.drafts.conv_li_wei \"Unsent\"\n"
        "state apps.forum.users.u_robin.votes.p769 \"up\"\n"
        "do launch_app {\"app\":\"notes\"}\nsees Kept\n");
    wd_device_destroy(&fork);
    script.device = kept;
}

// Fail each allocation of a drawing in turn: each failure says so and changes nothing, and then it works.
static void drawing_survives_lack_of_memory(void **state)
{
    (void)state;
    enum { ALLOCATIONS_MAX = 20000 };
    wd_device *device = NULL;
    assert_int_equal(wd_host_boot(script.host, 99, &device, NULL), WD_OK);
    const wd_digest before = wd_device_digest(device);
    wd_scene *scene = NULL;
    long calls = 0;
    phone_script fresh;
    phone_script_start(&fresh, WD_SOURCE_DIR "/sim/apps");  // its cache is empty
    for (; scene == NULL; calls++) {
        assert_in_range(calls, 0, ALLOCATIONS_MAX);
        wd_error error = { 0 };
        wd_alloc_fail_after(calls);
        const wd_status status = wd_phone_observe(fresh.host, fresh.device, &scene, &error);
        wd_alloc_fail_after(-1);
        if (status != (scene == NULL ? WD_ENOMEM : WD_OK)) {
            fail_msg("allocation %ld: %s: %s", calls, wd_status_name(status), error.text);
        }
    }
    wd_scene_unref(&scene);
    phone_script_stop(&fresh);
    assert_true(wd_digest_equal(before, wd_device_digest(device)));
    wd_device_destroy(&device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boot_equals_a_boot_of_its_own),
        cmocka_unit_test(a_screen_is_drawn_again_when_what_it_read_changed),
        cmocka_unit_test(phones_that_agree_share_a_screen),
        cmocka_unit_test(phones_that_take_turns_find_the_screens_they_were_seen_on),
        cmocka_unit_test(the_screen_of_a_phone_goes_with_it),
        cmocka_unit_test(user_content_survives_a_reload),
        cmocka_unit_test(drawing_survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
