// Frozen regions: what is shared, what keeps what alive, and four threads that read, fork, freeze and drop.
#include "json.h"

#include "tree/alloc.h"
#include "tree/path.h"

#include <pthread.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 200, MEMBERS = 200 };

static wd_value *base_value(void)
{
    wd_value *table = wd_value_object(), *list = wd_value_array(), *root;
    for (int i = 0; i < MEMBERS; i++) {
        char key[16];
        wd_value *item;
        snprintf(key, sizeof(key), "k%d", i);
        assert_int_equal(wd_value_pack(&item, "{s:s,s:i}", "id", key, "n", (int64_t)i), WD_OK);
        wd_value *again = wd_value_ref(item);
        assert_int_equal(wd_object_set(&table, key, &item), WD_OK);
        assert_int_equal(wd_array_append(&list, &again), WD_OK);
    }
    assert_int_equal(wd_value_pack(&root, "{s:V,s:V}", "table", table, "list", list), WD_OK);
    return root;
}

static void freezing_again_copies_only_what_is_new(void **state)
{
    (void)state;
    wd_value *root = base_value(), *frozen, *same, *fork, *refrozen, *item = wd_value_bool(true);
    assert_int_equal(wd_value_freeze(root, &frozen), WD_OK);
    wd_value_unref(&root);
    uint64_t first = wd_alloc_shared_bytes_live();
    assert_int_equal(wd_value_freeze(frozen, &same), WD_OK);
    assert_ptr_equal(same, frozen);
    fork = wd_value_ref(frozen);
    assert_int_equal(wd_value_set_path(&fork, "table.k7.n", &item), WD_OK);
    assert_int_equal(wd_value_freeze(fork, &refrozen), WD_OK);
    assert_true((wd_alloc_shared_bytes_live() - first) * 5 < first);
    assert_ptr_equal(wd_object_get(refrozen, "list"), wd_object_get(frozen, "list"));
    wd_value_unref(&fork);
    wd_value_unref(&same);
    wd_value_unref(&frozen);
    // The second region points into the first and keeps it.
    assert_int_equal(wd_value_int_or(wd_value_get_path(refrozen, "table.k8.n"), -1), 8);
    assert_true(wd_value_bool_or(wd_value_get_path(refrozen, "table.k7.n"), false));
    wd_value_unref(&refrozen);
    assert_int_equal(wd_alloc_shared_bytes_live(), 0);
    assert_int_equal(wd_alloc_stats_get().bytes_live, 0);
}

static void shared_parts_are_copied_once(void **state)
{
    (void)state;
    wd_value *node = json_of("[\"a text that takes some room\"]");
    for (int i = 0; i < 60; i++) {  // 2^60 leaves, if sharing were lost
        wd_value *outer;
        assert_int_equal(wd_value_pack(&outer, "[v,v]", node, node), WD_OK);
        wd_value_unref(&node);
        node = outer;
    }
    wd_value *frozen;
    assert_int_equal(wd_value_freeze(node, &frozen), WD_OK);
    assert_true(wd_alloc_shared_bytes_live() < 16384);
    wd_value_unref(&node);
    wd_value_unref(&frozen);
}

// Each region holds the one before it. Depth has a bound, so every hundredth link starts a new tree.
static void a_long_row_of_regions_is_dropped(void **state)
{
    (void)state;
    wd_value *value = json_of("{\"n\":0}");
    for (int64_t i = 0; i < 20000; i++) {
        wd_value *fork, *frozen, *last = i % 100 == 0 ? wd_value_null() : value;
        assert_int_equal(wd_value_pack(&fork, "{s:i,s:v}", "n", i, "last", last), WD_OK);
        assert_int_equal(wd_value_freeze(fork, &frozen), WD_OK);
        wd_value_unref(&fork);
        wd_value_unref(&value);
        value = frozen;
    }
    wd_value_unref(&value);
    assert_int_equal(wd_alloc_shared_bytes_live(), 0);
}

// ---- threads --------------------------------------------------------------------------------------------------

typedef struct freeze_worker {
    pthread_t thread;
    const wd_value *base;
    wd_value *result;  // frozen: another thread drops it
    bool good;
} freeze_worker;

static bool work_round(freeze_worker *worker, int round)
{
    char path[32];
    wd_value *fork = wd_value_ref(worker->base), *number = NULL, *frozen = NULL;
    snprintf(path, sizeof(path), "table.k%d.n", round % MEMBERS);
    bool good = wd_value_int(round, &number) == WD_OK && wd_value_set_path(&fork, path, &number) == WD_OK;
    good = good && wd_value_int_or(wd_value_get_path(fork, path), -1) == round;
    good = good && wd_value_int_or(wd_value_get_path(worker->base, path), -1) == round % MEMBERS;
    good = good && wd_value_equal(fork, worker->base) == (round < MEMBERS);
    good = good && wd_digest_equal(wd_value_digest(fork), wd_value_digest(worker->base)) == (round < MEMBERS);
    good = good && wd_value_freeze(fork, &frozen) == WD_OK;
    wd_value_unref(&fork);
    if (good) {
        wd_value_unref(&worker->result);
        worker->result = frozen;
    }
    return good;
}

static void *work(void *context)
{
    freeze_worker *worker = context;
    worker->good = true;
    for (int round = 0; round < ROUNDS * 2 && worker->good; round++) {
        worker->good = work_round(worker, round);
    }
    worker->good = worker->good && wd_alloc_stats_get().bytes_live == 0;
    return NULL;
}

static void threads_share_a_base(void **state)
{
    (void)state;
    wd_value *root = base_value(), *frozen;
    assert_int_equal(wd_value_freeze(root, &frozen), WD_OK);
    wd_value_unref(&root);
    freeze_worker workers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (freeze_worker){ .base = frozen };
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
        assert_true(workers[i].good);
    }
    wd_value_unref(&frozen);  // what the threads made keeps the base alive
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(wd_value_int_or(wd_value_get_path(workers[i].result, "table.k3.n"), -1), 3);
        wd_value_unref(&workers[i].result);
    }
    assert_int_equal(wd_alloc_shared_bytes_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(freezing_again_copies_only_what_is_new),
        cmocka_unit_test(shared_parts_are_copied_once),
        cmocka_unit_test(a_long_row_of_regions_is_dropped),
        cmocka_unit_test(threads_share_a_base),
    };
    return cmocka_run_group_tests_name("freeze", tests, NULL, NULL);
}
