// tree.c - the state tree: what snapshots, forks, updates, differences, reading and writing cost, each beside what
// cJSON takes for the same on the same input.
#include "benches.h"
#include "cjson_walk.h"
#include "phone_state.h"
#include "places.h"

#include "judge/changes.h"
#include "tree/alloc.h"
#include "tree/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SEED = 20260104,
    PLACES = 64,  // leaves that the update rows take in turn
    ENTITY_LEAVES = 8,
    FORKS = 256,
    SNAPSHOTS = 121,
    LEAVES_PER_STEP = 4,
    BATCH = 256,            // updates timed in one go
    CJSON_PARSE_US = 1144,  // limits.md section 3, of 210,756 bytes
    CJSON_WALK_US = 150,    // limits.md section 4, of the same
    LIMITS_BYTES = 210756,
    LIMITS_LEAVES = 7163,
};

// One state, its text, and what cJSON makes of it.
typedef struct tree_subject {
    wd_value *root;
    wd_places places;
    wd_buffer text;
    cJSON *cjson;
    wd_value *work;  // what a row changes
    size_t turn;
    wd_status status;
} tree_subject;

static void check(tree_subject *subject, wd_status status)
{
    subject->status = subject->status != WD_OK ? subject->status : status;
}

static const wd_place *next_place(tree_subject *subject)
{
    subject->turn = (subject->turn + 1) % subject->places.count;
    return &subject->places.items[subject->turn];
}

static void subject_done(tree_subject *subject)
{
    wd_value_unref(&subject->work);
    wd_value_unref(&subject->root);
    wd_places_done(&subject->places);
    wd_buffer_done(&subject->text);
    cJSON_Delete(subject->cjson);
}

// `leaves` zero: the phone alone; else tables are added until there are about that many.
static void subject_init(tree_subject *subject, size_t leaves, const char *prefix, size_t places)
{
    *subject = (tree_subject){ .status = WD_OK };
    check(subject, wd_phone_state_make(SEED, leaves / ENTITY_LEAVES, &subject->root));
    if (subject->status == WD_OK) {
        check(subject, wd_places_pick(subject->root, prefix, SEED, places, &subject->places));
    }
}

static void add_row(wd_bench *bench, const char *name, double value, const char *unit, double baseline)
{
    wd_bench_add(bench, &(wd_bench_row){ .name = name, .value = value, .unit = unit, .baseline = baseline });
}

// ---- snapshots ------------------------------------------------------------------------------------------------

static void snapshot_write_drop(void *context)
{
    tree_subject *subject = context;
    wd_value *snapshot = wd_value_ref(subject->work);
    check(subject, wd_place_write(next_place(subject), &subject->work));
    wd_value_unref(&snapshot);
}

static double time_snapshot(wd_bench *bench, size_t leaves, const char *prefix)
{
    tree_subject subject;
    subject_init(&subject, leaves, prefix, PLACES);
    subject.work = wd_value_ref(subject.root);
    wd_value_unref(&subject.root);
    double ns = wd_bench_time(bench, snapshot_write_drop, &subject);
    if (subject.status != WD_OK) {
        wd_bench_fail(bench, "snapshot: %s", wd_status_text(subject.status));
    }
    subject_done(&subject);
    return ns / 1e3;
}

static void restore(void *context)
{
    tree_subject *subject = context;
    wd_value *root = wd_value_ref(subject->root);
    wd_value_unref(&subject->work);
    subject->work = root;
}

static void bench_snapshots(wd_bench *bench)
{
    add_row(bench, "snapshot, write, drop", time_snapshot(bench, 0, NULL), "us", 0);
    double small = time_snapshot(bench, 10000, "store");
    add_row(bench, "snapshot, write, drop in tables, 10^4 leaves", small, "us", 0);
    add_row(bench, "snapshot, write, drop in tables, 10^5 leaves", time_snapshot(bench, 100000, "store"),
        "us", small);
    size_t many = wd_bench_quick(bench) ? 300000 : 1000000;
    add_row(bench, "snapshot, write, drop in tables, 10^6 leaves", time_snapshot(bench, many, "store"), "us",
        small);
    tree_subject subject;
    subject_init(&subject, 0, NULL, PLACES);
    subject.work = wd_value_ref(subject.root);
    add_row(bench, "restore", wd_bench_time(bench, restore, &subject), "ns", 0);
    subject_done(&subject);
}

// ---- updates --------------------------------------------------------------------------------------------------

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Microseconds of one write into a fork whose base is held elsewhere. Taking and dropping the forks is not timed.
static double time_shared_update(wd_bench *bench, tree_subject *subject)
{
    enum { SAMPLES = 101 };
    double samples[SAMPLES];
    wd_value *forks[BATCH];
    (void)bench;
    for (size_t i = 0; i < SAMPLES; i++) {
        for (size_t j = 0; j < BATCH; j++) {
            forks[j] = wd_value_ref(subject->root);
        }
        uint64_t start = wd_bench_now_ns();
        for (size_t j = 0; j < BATCH; j++) {
            check(subject, wd_place_write(next_place(subject), &forks[j]));
        }
        samples[i] = (double)(wd_bench_now_ns() - start) / BATCH / 1e3;
        for (size_t j = 0; j < BATCH; j++) {
            wd_value_unref(&forks[j]);
        }
    }
    qsort(samples, SAMPLES, sizeof(samples[0]), compare_doubles);
    return samples[SAMPLES / 2];
}

static void write_in_place(void *context)
{
    tree_subject *subject = context;
    check(subject, wd_place_write(next_place(subject), &subject->work));
}

// A root with one object of so many small entries, and places in it.
static void table_init(tree_subject *subject, size_t entries)
{
    *subject = (tree_subject){ .status = WD_OK };
    wd_value *table = wd_value_object();
    for (size_t i = 0; i < entries && subject->status == WD_OK; i++) {
        char id[32];
        wd_value *entry = NULL;
        snprintf(id, sizeof(id), "e%zu", i);
        check(
            subject, wd_value_pack(&entry, "{s:i,s:i,s:b}", "id", (int64_t)i, "count", (int64_t)1, "on", 1));
        if (subject->status == WD_OK) {
            check(subject, wd_object_set(&table, id, &entry));
        }
        wd_value_unref(&entry);
    }
    check(subject, wd_value_pack(&subject->root, "{s:V}", "table", table));
    check(subject, wd_places_pick(subject->root, NULL, SEED, PLACES, &subject->places));
}

static double time_table_update(wd_bench *bench, size_t entries)
{
    tree_subject subject;
    table_init(&subject, entries);
    double us = time_shared_update(bench, &subject);
    if (subject.status != WD_OK) {
        wd_bench_fail(bench, "table of %zu: %s", entries, wd_status_text(subject.status));
    }
    subject_done(&subject);
    return us;
}

static void bench_updates(wd_bench *bench)
{
    tree_subject subject;
    subject_init(&subject, 0, NULL, PLACES);
    add_row(bench, "update while shared", time_shared_update(bench, &subject), "us", 0);
    subject.work = wd_value_ref(subject.root);
    wd_value_unref(&subject.root);
    add_row(bench, "update while not shared", wd_bench_time(bench, write_in_place, &subject), "ns", 0);
    subject_done(&subject);
    double small = time_table_update(bench, 10);
    add_row(bench, "update in a table of 10 entries", small, "us", 0);
    add_row(bench, "update in a table of 10^4 entries", time_table_update(bench, 10000), "us", small);
    add_row(bench, "update in a table of 10^6 entries", time_table_update(bench, 1000000), "us", small);
}

// ---- forks ----------------------------------------------------------------------------------------------------

static void with_text(tree_subject *subject)
{
    check(subject, wd_json_write(subject->root, WD_JSON_COMPACT, &subject->text));
    if (subject->status == WD_OK) {
        subject->cjson = cJSON_ParseWithLength(subject->text.bytes, subject->text.length);
    }
}

typedef struct fork_row {
    tree_subject *subject;
    wd_value *forks[FORKS];
    cJSON *copies[FORKS];
} fork_row;

static void fork_all(void *context)
{
    fork_row *row = context;
    for (size_t i = 0; i < FORKS; i++) {
        row->forks[i] = wd_value_ref(row->subject->root);
        check(row->subject, wd_place_write(&row->subject->places.items[i], &row->forks[i]));
    }
}

static void drop_forks(void *context)
{
    fork_row *row = context;
    for (size_t i = 0; i < FORKS; i++) {
        wd_value_unref(&row->forks[i]);
    }
}

static void copy_all(void *context)
{
    fork_row *row = context;
    for (size_t i = 0; i < FORKS; i++) {
        row->copies[i] = cJSON_Duplicate(row->subject->cjson, 1);
        wd_cjson_write_leaf(row->copies[i], i);
    }
}

static void drop_copies(void *context)
{
    fork_row *row = context;
    for (size_t i = 0; i < FORKS; i++) {
        cJSON_Delete(row->copies[i]);
    }
}

static void bench_forks(wd_bench *bench)
{
    tree_subject subject;
    subject_init(&subject, 0, NULL, FORKS);
    with_text(&subject);
    fork_row row = { .subject = &subject };
    double ours = wd_bench_time_once(bench, NULL, fork_all, drop_forks, &row) / 1e6;
    double theirs = wd_bench_time_once(bench, NULL, copy_all, drop_copies, &row) / 1e6;
    add_row(bench, "fork 256, write a leaf in each", ours, "ms", theirs);
    uint64_t before = wd_alloc_stats_get().bytes_live;
    fork_all(&row);
    double bytes = (double)(wd_alloc_stats_get().bytes_live - before);
    drop_forks(&row);
    wd_cjson_count_start();
    copy_all(&row);
    uint64_t copied = wd_cjson_count_stop();
    drop_copies(&row);
    add_row(bench, "memory of these 256 forks", bytes / 1024, "KiB", (double)copied / 1024);
    before = wd_alloc_stats_get().bytes_live;
    wd_value *fork = wd_value_ref(subject.root);
    for (size_t i = 0; i < 20; i++) {
        check(&subject, wd_place_write(&subject.places.items[i], &fork));
    }
    bytes = (double)(wd_alloc_stats_get().bytes_live - before);
    wd_value_unref(&fork);
    add_row(bench, "memory of a fork, 20 leaves changed", bytes / 1024, "KiB", (double)copied / FORKS / 1024);
    if (subject.status != WD_OK) {
        wd_bench_fail(bench, "forks: %s", wd_status_text(subject.status));
    }
    subject_done(&subject);
}

// A run: a snapshot after each step is kept, each step changes a few leaves anywhere.
static void bench_run(wd_bench *bench)
{
    tree_subject subject;
    subject_init(&subject, 0, NULL, SNAPSHOTS * LEAVES_PER_STEP);
    with_text(&subject);
    wd_cjson_count_start();
    cJSON *copy = cJSON_Duplicate(subject.cjson, 1);
    uint64_t copied = wd_cjson_count_stop();
    cJSON_Delete(copy);
    wd_value *snapshots[SNAPSHOTS], *state = wd_value_ref(subject.root);
    uint64_t before = wd_alloc_stats_get().bytes_live;
    for (size_t i = 0; i < SNAPSHOTS; i++) {
        for (size_t j = 0; j < LEAVES_PER_STEP; j++) {
            check(&subject, wd_place_write(&subject.places.items[i * LEAVES_PER_STEP + j], &state));
        }
        snapshots[i] = wd_value_ref(state);
    }
    double bytes = (double)(wd_alloc_stats_get().bytes_live - before);
    add_row(
        bench, "run of 121 snapshots, 4 leaves a step", bytes / 1e3, "kB", (double)copied * SNAPSHOTS / 1e3);
    for (size_t i = 0; i < SNAPSHOTS; i++) {
        wd_value_unref(&snapshots[i]);
    }
    wd_value_unref(&state);
    subject_done(&subject);
}

// ---- reading and writing --------------------------------------------------------------------------------------

static void parse_ours(void *context)
{
    tree_subject *subject = context;
    wd_value *value = NULL;
    check(subject, wd_json_parse(subject->text.bytes, subject->text.length, &value, NULL));
    wd_value_unref(&value);
}

static void parse_theirs(void *context)
{
    tree_subject *subject = context;
    cJSON_Delete(cJSON_ParseWithLength(subject->text.bytes, subject->text.length));
}

static void print_ours(void *context)
{
    tree_subject *subject = context;
    wd_buffer buffer = { 0 };
    check(subject, wd_json_write(subject->root, WD_JSON_COMPACT, &buffer));
    wd_bench_use(buffer.bytes);
    wd_buffer_done(&buffer);
}

static void print_theirs(void *context)
{
    tree_subject *subject = context;
    char *text = cJSON_PrintUnformatted(subject->cjson);
    wd_bench_use(text);
    free(text);
}

static void digest_ours(void *context)
{
    tree_subject *subject = context;
    check(subject, wd_place_write(next_place(subject), &subject->work));
    wd_digest digest = wd_value_digest(subject->work);
    wd_bench_use(&digest);
}

static void freeze_ours(void *context)
{
    tree_subject *subject = context;
    wd_value *frozen = NULL;
    check(subject, wd_value_freeze(subject->root, &frozen));
    wd_value_unref(&frozen);
}

// Returns what the walk of two cJSON trees is expected to take, in microseconds: what limits.md measured, scaled by
// how fast cJSON_Parse is here and today, by byte, and by the number of leaves.
static double bench_text(wd_bench *bench)
{
    tree_subject subject;
    subject_init(&subject, 0, NULL, PLACES);
    with_text(&subject);
    double parsed = wd_bench_time(bench, parse_theirs, &subject) / 1e3;
    add_row(bench, "parse", wd_bench_time(bench, parse_ours, &subject) / 1e3, "us", parsed);
    double printed = wd_bench_time(bench, print_theirs, &subject) / 1e3;
    add_row(bench, "print", wd_bench_time(bench, print_ours, &subject) / 1e3, "us", printed);
    subject.work = wd_value_ref(subject.root);
    add_row(bench, "write a leaf, digest of the whole", wd_bench_time(bench, digest_ours, &subject) / 1e3,
        "us", 0);
    add_row(bench, "freeze the whole", wd_bench_time(bench, freeze_ours, &subject) / 1e3, "us", 0);
    wd_value_size size = wd_value_measure(subject.root);
    add_row(bench, "leaves of the state", (double)size.leaves, "", 0);
    add_row(bench, "its text", (double)subject.text.length / 1e3, "kB", 0);
    add_row(bench, "its memory", (double)size.bytes / 1e3, "kB", 0);
    double speed = parsed / (double)subject.text.length / ((double)CJSON_PARSE_US / LIMITS_BYTES);
    subject_done(&subject);
    return CJSON_WALK_US * speed * (double)size.leaves / LIMITS_LEAVES;
}

// ---- differences ----------------------------------------------------------------------------------------------

typedef struct tree_pair {
    wd_value *before, *after;
    cJSON *cjson_before, *cjson_after;
    size_t changes;
    wd_status status;
} tree_pair;

static void changes_ours(void *context)
{
    tree_pair *pair = context;
    wd_changes *changes = NULL;
    wd_status status = wd_changes_make(pair->before, pair->after, &changes);
    pair->status = status != WD_OK ? status : pair->status;
    pair->changes = wd_changes_count(changes);
    wd_changes_destroy(&changes);
}

static void changes_theirs(void *context)
{
    tree_pair *pair = context;
    size_t count = wd_cjson_walk(pair->cjson_before, pair->cjson_after);
    wd_bench_use(&count);
}

static cJSON *cjson_of(const wd_value *value)
{
    wd_buffer text = { 0 };
    cJSON *tree = NULL;
    if (wd_json_write(value, WD_JSON_COMPACT, &text) == WD_OK) {
        tree = cJSON_ParseWithLength(text.bytes, text.length);
    }
    wd_buffer_done(&text);
    return tree;
}

static wd_value *without_ancestry(const wd_value *value)
{
    wd_buffer text = { 0 };
    wd_value *other = NULL;
    if (wd_json_write(value, WD_JSON_COMPACT, &text) != WD_OK ||
        wd_json_parse(text.bytes, text.length, &other, NULL) != WD_OK) {
        other = wd_value_null();
    }
    wd_buffer_done(&text);
    return other;
}

// Change the first `count` places. The baseline is left out for the large states.
static void pair_init(tree_pair *pair, const tree_subject *subject, size_t count, bool baseline)
{
    *pair = (tree_pair){ .before = wd_value_ref(subject->root), .after = wd_value_ref(subject->root) };
    for (size_t i = 0; i < count; i++) {
        wd_status status = wd_place_write(&subject->places.items[i], &pair->after);
        pair->status = status != WD_OK ? status : pair->status;
    }
    if (baseline) {
        pair->cjson_before = cjson_of(pair->before);
        pair->cjson_after = cjson_of(pair->after);
    }
}

static void pair_done(wd_bench *bench, tree_pair *pair, size_t wanted)
{
    if (pair->status != WD_OK || pair->changes != wanted) {
        wd_bench_fail(bench, "changes: %s, %zu of %zu", wd_status_text(pair->status), pair->changes, wanted);
    }
    wd_value_unref(&pair->before);
    wd_value_unref(&pair->after);
    cJSON_Delete(pair->cjson_before);
    cJSON_Delete(pair->cjson_after);
}

static void add_changes_row(wd_bench *bench, const char *name, tree_pair *pair, double expected_us)
{
    double ours = wd_bench_time(bench, changes_ours, pair) / 1e3;
    double theirs = wd_bench_time(bench, changes_theirs, pair) / 1e3;
    wd_bench_add(bench, &(wd_bench_row){ .name = name,
                            .value = ours,
                            .unit = "us",
                            .baseline = theirs,
                            .baseline_expected = expected_us,
                            .baseline_strict = true });
}

static double time_table_changes(wd_bench *bench, size_t leaves, size_t count)
{
    tree_subject subject;
    tree_pair pair;
    subject_init(&subject, leaves, "store", count);
    pair_init(&pair, &subject, count, false);
    double us = wd_bench_time(bench, changes_ours, &pair) / 1e3;
    pair_done(bench, &pair, count);
    subject_done(&subject);
    return us;
}

static void bench_changes(wd_bench *bench, double expected_us)
{
    static const struct {
        const char *name;
        size_t count;
    } rows[] = { { "changes of 1 leaf", 1 }, { "changes of 10 leaves", 10 },
        { "changes of 100 leaves", 100 } };
    tree_subject subject;
    subject_init(&subject, 0, NULL, 100);
    for (size_t i = 0; i < WD_COUNT_OF(rows); i++) {
        tree_pair pair;
        pair_init(&pair, &subject, rows[i].count, true);
        add_changes_row(bench, rows[i].name, &pair, expected_us);
        pair_done(bench, &pair, rows[i].count);
    }
    tree_pair pair;
    pair_init(&pair, &subject, 10, true);
    wd_value_unref(&pair.after);
    pair.after = without_ancestry(pair.before);
    cJSON_Delete(pair.cjson_after);
    pair.cjson_after = cjson_of(pair.after);
    add_changes_row(bench, "changes without common ancestry", &pair, expected_us);
    pair_done(bench, &pair, 0);
    subject_done(&subject);
    size_t many = wd_bench_quick(bench) ? 300000 : 1000000;
    for (size_t count = 10; count <= 100; count *= 10) {
        char name[64];
        double small = time_table_changes(bench, 10000, count);
        snprintf(name, sizeof(name), "changes of %zu leaves in tables, 10^4 leaves", count);
        add_row(bench, name, small, "us", 0);
        snprintf(name, sizeof(name), "changes of %zu leaves in tables, 10^6 leaves", count);
        add_row(bench, name, time_table_changes(bench, many, count), "us", small);
    }
}

void bench_tree(wd_bench *bench)
{
    double expected_us = bench_text(bench);
    bench_snapshots(bench);
    bench_updates(bench);
    bench_forks(bench);
    bench_run(bench);
    bench_changes(bench, expected_us);
}

// ---- for callgrind --------------------------------------------------------------------------------------------

enum { HOT_CALLS = 1000, HOT_TEXT_CALLS = 20 };

static double time_hot(void (*body)(void *context), void *context, size_t calls)
{
    uint64_t start = wd_bench_now_ns();
    for (size_t i = 0; i < calls; i++) {
        body(context);
    }
    return (double)(wd_bench_now_ns() - start) / (double)calls / 1e3;
}

// The hottest four, a fixed number of times: valgrind --tool=callgrind --toggle-collect=FUNCTION worldd-bench tree-hot
void bench_tree_hot(wd_bench *bench)
{
    tree_subject subject;
    tree_pair pair;
    subject_init(&subject, 0, NULL, PLACES);
    with_text(&subject);
    pair_init(&pair, &subject, 1, false);
    subject.work = wd_value_ref(subject.root);
    add_row(bench, "snapshot_write_drop x1000", time_hot(snapshot_write_drop, &subject, HOT_CALLS), "us", 0);
    add_row(bench, "changes_ours x1000, 1 leaf", time_hot(changes_ours, &pair, HOT_CALLS), "us", 0);
    add_row(bench, "parse_ours x20", time_hot(parse_ours, &subject, HOT_TEXT_CALLS), "us", 0);
    add_row(bench, "print_ours x20", time_hot(print_ours, &subject, HOT_TEXT_CALLS), "us", 0);
    pair_done(bench, &pair, 1);
    subject_done(&subject);
}
