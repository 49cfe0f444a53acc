// Who hears of what, what is told of a long event, and what is counted as dropped. Sources: watch.c.
#include "watch.h"

#include "json.h"
#include "rows.h"

#include "proto/frame.h"
#include "tree/alloc.h"

#include "proto/worldd.pb-c.h"

#include <stdio.h>
#include <stdlib.h>

static const wd_env_owner mine = { .bytes = { 1 }, .user = 1 }, other = { .bytes = { 2 }, .user = 1 },
                          stranger = { .bytes = { 3 }, .user = 2 };  // another user

static wd_watcher watcher_of(wd_watch_kind kind, const char *what, uint64_t request_id)
{
    wd_watcher watcher = {
        .peer = { .bytes = { 9 }, .length = 1 }, .kind = kind, .request_id = request_id, .user = mine.user
    };
    memcpy(watcher.instance, mine.bytes, sizeof watcher.instance);
    snprintf(watcher.what, sizeof watcher.what, "%s", what);
    return watcher;
}

static const struct hear_row {
    const char *name;
    wd_watch_kind kind;
    const char *what;
    const char *run, *env;  // what the event is about
    const wd_env_owner *owner;
    bool others;  // what others own may be seen
    bool hears;
} hear_rows[] = {
    { "all hears of a run", WD_WATCH_ALL, "", "r1", NULL, &other, false, true },
    { "all hears of an env", WD_WATCH_ALL, "", NULL, "e1", &other, false, true },
    { "a run hears of itself", WD_WATCH_RUN, "r1", "r1", NULL, &other, false, true },
    { "a run hears of no other", WD_WATCH_RUN, "r1", "r2", NULL, &mine, false, false },
    { "a run hears of no env of its name", WD_WATCH_RUN, "r1", NULL, "r1", &mine, false, false },
    { "an env hears of itself", WD_WATCH_ENV, "e1", NULL, "e1", &other, false, true },
    { "an env hears of no other", WD_WATCH_ENV, "e1", NULL, "e2", &mine, false, false },
    { "an env hears of no run of its name", WD_WATCH_ENV, "e1", "e1", NULL, &mine, false, false },
    { "mine hears of a run of mine", WD_WATCH_MINE, "", "r1", NULL, &mine, false, true },
    { "mine hears of an env of mine", WD_WATCH_MINE, "", NULL, "e1", &mine, false, true },
    { "mine hears of no other's env", WD_WATCH_MINE, "", NULL, "e1", &other, false, false },
    { "all hears of no other user's env", WD_WATCH_ALL, "", NULL, "e1", &stranger, false, false },
    { "who may see others hears of it", WD_WATCH_ALL, "", NULL, "e1", &stranger, true, true },
    { "nor does who knows its id", WD_WATCH_ENV, "e1", NULL, "e1", &stranger, false, false },
};

static void who_hears(void **state)
{
    const struct hear_row *row = *state;
    wd_watch *watch = calloc(1, sizeof *watch);
    wd_watcher watcher = watcher_of(row->kind, row->what, 7);
    watcher.others = row->others;
    wd_broker_outbox outbox = { 0 };
    wd_value *event = json_of("{\"event\":\"step\"}");
    wd_error error;
    assert_int_equal(wd_watch_add(watch, &watcher, &error), WD_OK);
    assert_int_equal(wd_watch_wants_envs(watch), row->kind != WD_WATCH_RUN);
    assert_int_equal(wd_watch_tell(watch, row->run, row->env, row->owner, event, &outbox), WD_OK);
    assert_int_equal(outbox.send_count, row->hears);
    wd_value_unref(&event);
    wd_broker_outbox_done(&outbox);
    free(watch);
}

/// The event of a Progress; the sequence goes to *ret_sequence.
static wd_value *event_of(const wd_broker_send *send, uint64_t *ret_sequence)
{
    Worldd__V1__Progress *progress = worldd__v1__progress__unpack(NULL, send->body_length, send->body);
    assert_non_null(progress);
    char *text = wd_strndup((const char *)progress->event_json.data, progress->event_json.len);
    *ret_sequence = progress->sequence;
    wd_value *event = json_of(text);
    wd_free(text, progress->event_json.len + 1);
    worldd__v1__progress__free_unpacked(progress, NULL);
    return event;
}

/// {"event", "changes": [a text of `changes` bytes], "pad": a text of `pad` bytes}
static wd_value *long_event(size_t changes, size_t pad)
{
    char *text = calloc(1, changes + pad + 1);
    wd_value *event = NULL;
    memset(text, 'x', changes + pad);
    assert_int_equal(
        wd_value_pack(&event, "{s:s,s:s,s:s}", "event", "step", "changes", text + pad, "pad", text + changes),
        WD_OK);
    free(text);
    return event;
}

static const struct length_row {
    const char *name;
    size_t changes, pad;
    bool told, with_changes;
} length_rows[] = {
    { "a short event is told whole", 100, 100, true, true },
    { "changes that do not fit are left out", WD_WATCH_EVENT_BYTES_MAX, 100, true, false },
    { "what does not fit without them is dropped", 100, WD_WATCH_EVENT_BYTES_MAX, false, false },
};

static void a_long_event_is_cut_and_then_counted(void **state)
{
    const struct length_row *row = *state;
    wd_watch *watch = calloc(1, sizeof *watch);
    wd_watcher watcher = watcher_of(WD_WATCH_ALL, "", 7);
    wd_broker_outbox outbox = { 0 };
    wd_value *event = long_event(row->changes, row->pad), *next = json_of("{\"event\":\"next\"}");
    wd_error error;
    uint64_t sequence = 0;
    assert_int_equal(wd_watch_add(watch, &watcher, &error), WD_OK);
    assert_int_equal(wd_watch_tell(watch, NULL, "e", &mine, event, &outbox), WD_OK);
    assert_int_equal(outbox.send_count, row->told);
    if (row->told) {
        wd_value *heard = event_of(&outbox.sends[0], &sequence);
        assert_true(outbox.sends[0].body_length <= WD_WATCH_EVENT_BYTES_MAX);
        assert_int_equal(outbox.sends[0].kind, WD_MSG_PROGRESS);
        assert_int_equal(wd_object_get(heard, "changes") != NULL, row->with_changes);
        assert_int_equal(sequence, 1);
        wd_value_unref(&heard);
    }
    wd_broker_outbox_clear(&outbox);
    assert_int_equal(wd_watch_tell(watch, NULL, "e", &mine, next, &outbox), WD_OK);
    wd_value *heard = event_of(&outbox.sends[0], &sequence);
    assert_int_equal(wd_value_int_or(wd_object_get(heard, "dropped"), -1), row->told ? 0 : 1);
    wd_value_unref(&heard);
    wd_value_unref(&event);
    wd_value_unref(&next);
    wd_broker_outbox_done(&outbox);
    free(watch);
}

/// What the socket had no room for counts for the watch that it was for, and for no other of the same peer.
static void dropped_events_are_counted_for_each_watch(void **state)
{
    (void)state;
    wd_watch *watch = calloc(1, sizeof *watch);
    wd_watcher one = watcher_of(WD_WATCH_ALL, "", 1), two = watcher_of(WD_WATCH_ALL, "", 2);
    wd_broker_outbox outbox = { 0 };
    wd_value *event = json_of("{\"event\":\"step\"}");
    wd_error error;
    uint64_t sequence = 0;
    assert_int_equal(wd_watch_add(watch, &one, &error), WD_OK);
    assert_int_equal(wd_watch_add(watch, &two, &error), WD_OK);
    for (int i = 0; i < 3; i++) {
        wd_watch_dropped(watch, &one.peer, 1);
    }
    assert_int_equal(wd_watch_tell(watch, NULL, "e", &mine, event, &outbox), WD_OK);
    assert_int_equal(outbox.send_count, 2);
    for (size_t i = 0; i < 2; i++) {
        wd_value *heard = event_of(&outbox.sends[i], &sequence);
        assert_int_equal(wd_value_int_or(wd_object_get(heard, "dropped"), -1), i == 0 ? 3 : 0);
        wd_value_unref(&heard);
    }
    wd_value_unref(&event);
    wd_broker_outbox_done(&outbox);
    free(watch);
}

static void events_that_nobody_knew_count_for_all_who_might_have_heard(void **state)
{
    (void)state;
    wd_watch *watch = calloc(1, sizeof *watch);
    wd_watcher all = watcher_of(WD_WATCH_ALL, "", 1), run = watcher_of(WD_WATCH_RUN, "r", 2);
    wd_error error;
    assert_int_equal(wd_watch_add(watch, &all, &error), WD_OK);
    assert_int_equal(wd_watch_add(watch, &run, &error), WD_OK);
    wd_watch_missed(watch, 5);
    assert_int_equal(watch->list[0].dropped, 5);
    assert_int_equal(watch->list[1].dropped, 0);
    free(watch);
}

static void watches_hold_their_bound(void **state)
{
    (void)state;
    wd_watch *watch = calloc(1, sizeof *watch);
    wd_error error;
    for (uint64_t id = 1; id <= WD_WATCHERS_MAX + 1; id++) {
        wd_watcher watcher = watcher_of(WD_WATCH_ALL, "", id);
        assert_int_equal(wd_watch_add(watch, &watcher, &error), id <= WD_WATCHERS_MAX ? WD_OK : WD_ELIMIT);
    }
    assert_int_equal(wd_watch_count(watch, mine.bytes), WD_WATCHERS_MAX);
    assert_int_equal(wd_watch_end(watch, other.bytes, 1), WD_ENOENT);  // nobody ends another's
    assert_int_equal(wd_watch_end(watch, mine.bytes, 1), WD_OK);
    assert_int_equal(wd_watch_end(watch, mine.bytes, 1), WD_ENOENT);
    wd_watcher again = watcher_of(WD_WATCH_ALL, "", 1);
    assert_int_equal(wd_watch_add(watch, &again, &error), WD_OK);
    free(watch);
}

int main(void)
{
    static const struct CMUnitTest single[] = {
        cmocka_unit_test(dropped_events_are_counted_for_each_watch),
        cmocka_unit_test(events_that_nobody_knew_count_for_all_who_might_have_heard),
        cmocka_unit_test(watches_hold_their_bound),
    };
    static struct CMUnitTest tests[WD_COUNT_OF(single) + WD_COUNT_OF(hear_rows) + WD_COUNT_OF(length_rows)];
    size_t count = WD_COUNT_OF(single);
    memcpy(tests, single, sizeof single);
    ADD_ROWS(hear_rows, who_hears)
    ADD_ROWS(length_rows, a_long_event_is_cut_and_then_counted)
    return _cmocka_run_group_tests("watch", tests, count, NULL, NULL);
}
