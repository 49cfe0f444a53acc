// The order of large tables, and above all its loans: tables that are forks of each other are changed, frozen and
// dropped in every order, and after each step all read as their models do and every count is true.
#include "json.h"
#include "random.h"
#include "table.h"

#include "tree/alloc.h"
#include "tree/value.h"

#include <stdio.h>

enum {
    KEYS = 900,     // keys k0 .. k899; a table of 300 has three levels of nodes and leaves
    TABLES = 5,     // forks of each other, named a to e
    NODES = 16384,  // of the map that counts them
    ABSENT = -1,
};

typedef struct trie_herd {
    wd_value *tables[TABLES];  // NULL while there is none
    int values[TABLES][KEYS];
    int written;  // the number that was written last
} trie_herd;

// ---- counts ---------------------------------------------------------------------------------------------------

// How many references each node has that count: from live tables, and from nodes that do not borrow.
typedef struct census {
    const wd_value *nodes[NODES];
    uint32_t counted[NODES];
    bool entered[NODES];
} census;

static bool is_counted(const wd_value *value)
{
    return wd_is_node(value) && value->tag != WD_TAG_SHAPE &&
           (value->flags & (WD_FLAG_FROZEN | WD_FLAG_FOREVER)) == 0;
}

static size_t census_find(const census *all, const wd_value *node)
{
    size_t at = (size_t)((uint64_t)(uintptr_t)node * 0x9E3779B97F4A7C15u >> 48) % NODES;
    while (all->nodes[at] != NULL && all->nodes[at] != node) {
        at = (at + 1) % NODES;
    }
    return at;
}

static bool is_borrowed(const wd_value *node, uint32_t at)
{
    return node->tag == WD_TAG_TRIE && (wd_trie_of(node)->borrowed >> at & 1) != 0;
}

static void check_loan(const wd_trie_node *trie)
{
    if (trie->borrowed == 0) {
        for (const wd_trie_node *borrower = trie->partner; borrower != NULL; borrower = borrower->next) {
            assert_ptr_equal(borrower->partner, trie);
            assert_int_not_equal(borrower->borrowed, 0);
        }
        return;
    }
    assert_int_equal(trie->partner->borrowed, 0);
    assert_int_equal(trie->borrowed >> trie->count, 0);
    for (uint32_t at = 0; at < trie->count; at++) {
        if (is_borrowed(&trie->head, at)) {
            assert_ptr_equal(trie->items[at], trie->partner->items[at]);
        }
    }
}

static void census_take(census *all, const wd_value *node, bool counts)
{
    if (!is_counted(node)) {
        return;
    }
    size_t at = census_find(all, node);
    all->nodes[at] = node;
    all->counted[at] += counts;
    if (all->entered[at]) {
        return;
    }
    all->entered[at] = true;
    if (node->tag == WD_TAG_TRIE) {
        check_loan(wd_trie_of(node));
    }
    wd_links links = wd_node_links(node);
    for (uint32_t i = 0; i < links.count; i++) {
        census_take(all, links.items[i], !is_borrowed(node, i));
    }
    if (links.single != NULL) {
        census_take(all, *links.single, true);
    }
}

static void check_counts(const trie_herd *herd)
{
    census *all = calloc(1, sizeof(*all));
    for (size_t i = 0; i < TABLES; i++) {
        if (herd->tables[i] != NULL) {
            census_take(all, herd->tables[i], true);
        }
    }
    for (size_t at = 0; at < NODES; at++) {
        if (all->nodes[at] != NULL) {
            assert_int_equal(all->nodes[at]->refs, all->counted[at]);
        }
    }
    free(all);
}

static void check_contents(const trie_herd *herd)
{
    for (size_t i = 0; i < TABLES; i++) {
        size_t count = 0;
        for (int key = 0; key < KEYS && herd->tables[i] != NULL; key++) {
            char name[16], text[16];
            snprintf(name, sizeof(name), "k%d", key);
            snprintf(text, sizeof(text), "v%d", herd->values[i][key]);
            const wd_value *item = wd_object_get(herd->tables[i], name);
            assert_int_equal(item != NULL, herd->values[i][key] != ABSENT);
            assert_true(item == NULL || wd_value_is_text(item, text));
            count += item != NULL;
        }
        assert_int_equal(wd_object_count(herd->tables[i]), count);
    }
}

// ---- steps ----------------------------------------------------------------------------------------------------

static void drop(trie_herd *herd, size_t table)
{
    wd_value_unref(&herd->tables[table]);
}

static void fork_to(trie_herd *herd, size_t table, size_t from)
{
    drop(herd, table);
    herd->tables[table] = wd_value_ref(herd->tables[from]);
    memcpy(herd->values[table], herd->values[from], sizeof(herd->values[table]));
}

static wd_status write_key(trie_herd *herd, size_t table, int key)
{
    char name[16];
    wd_value *item = NULL;
    snprintf(name, sizeof(name), "k%d", key);
    wd_status status = wd_value_format(&item, "v%d", ++herd->written);
    if (status == WD_OK) {
        status = wd_object_set(&herd->tables[table], name, &item);
    }
    wd_value_unref(&item);
    if (status == WD_OK) {
        herd->values[table][key] = herd->written;
    }
    return status;
}

static wd_status remove_key(trie_herd *herd, size_t table, int key)
{
    char name[16];
    snprintf(name, sizeof(name), "k%d", key);
    wd_status status = wd_object_remove(&herd->tables[table], name);
    if (status == WD_OK) {
        herd->values[table][key] = ABSENT;
    }
    return status;
}

static wd_status freeze(trie_herd *herd, size_t table)
{
    wd_value *frozen = NULL;
    wd_status status = wd_value_freeze(herd->tables[table], &frozen);
    if (status == WD_OK) {
        drop(herd, table);
        herd->tables[table] = frozen;
    }
    return status;
}

static void herd_init(trie_herd *herd, int count)
{
    *herd = (trie_herd){ .written = 0 };
    memset(herd->values, ABSENT, sizeof(herd->values));
    herd->tables[0] = wd_value_object();
    for (int key = 0; key < count; key++) {
        assert_int_equal(write_key(herd, 0, key), WD_OK);
    }
}

static void herd_done(trie_herd *herd)
{
    for (size_t i = 0; i < TABLES; i++) {
        drop(herd, i);
    }
    assert_int_equal(wd_alloc_stats_get().bytes_live, 0);
    assert_int_equal(wd_alloc_shared_bytes_live(), 0);
}

// ---- scripts --------------------------------------------------------------------------------------------------

// A script starts with a table `a` of 300 members. "ba": b becomes a fork of a. "b7": k7 is written in b, added when it
// is not there. "b-7": removed. "b-16-300": all these, the last one left. "b*": frozen. "b!": dropped.
static const struct script {
    const char *name, *steps;
} scripts[] = {
    { "the snapshot is dropped first", "ba a7 b!" },
    { "the writer is dropped first", "ba a7 a!" },
    { "two writes under one node", "ba a7 a8 b!" },
    { "two writes far apart", "ba a7 a299 b! a7" },
    { "both sides write the same leaf", "ba a7 b7 a! b8" },
    { "both sides write beside each other", "ba a7 b20 a21 b6 b! a7" },
    { "the lender writes what it lent", "ba a7 b7 b299 a!" },
    { "three borrow from one, which is dropped", "ba ca da b7 c7 d290 a! b8 c150 d7" },
    { "three borrow from one, the middle one is dropped", "ba ca da b7 c8 d9 c! a7 b! d10 a!" },
    { "three borrow from one, the first one is dropped", "ba ca da b7 c8 d9 b! a7 d! c10" },
    { "three borrow from one, the last one is dropped", "ba ca da b7 c8 d9 d! a7 c! b10" },
    { "three borrow from one, which writes", "ba ca da b7 c8 d9 a7 a290 d! c! b!" },
    { "a copy of a borrower", "ba a7 ca a8 b! c9 a!" },
    { "a copy of a borrower outlives both", "ba a7 ca a8 b! a! c7" },
    { "a snapshot after each write", "ba a7 ca a8 da a9 ea a10 c! b! d! a11 e!" },
    { "the writer adds a leaf", "ba a7 a301 a302 a303 a304 a305 b8 b!" },
    { "the snapshot adds a leaf", "ba a7 b301 b302 b303 b304 b305 b306 a8 a!" },
    { "the lender adds a leaf to what it lent", "ba b299 a301 a302 a303 a304 a305 b! a299 a305" },
    { "a node is copied for more room", "ba a301 a302 a303 a304 a305 b299 b301 b! a7" },
    { "the writer removes a leaf", "ba a7 a-0-7 b8 b0 b! a20" },
    { "the snapshot removes a leaf", "ba a7 b-0-7 b20 a! b21" },
    { "a borrower removes the last leaf of a node", "ba a290 a-256-299 b290 b!" },
    { "what borrowed gets small", "ba a7 a-16-299 a-15 b8 b!" },
    { "the lender is frozen", "ba a7 b* a8 a! b9 b10" },
    { "the borrower is frozen", "ba a7 a* b8 a9 b! a10" },
    { "forks of what is frozen", "a* ba ca b7 db d8 c9 b! d! a!" },
    { "a frozen fork of a borrower", "ba a7 ca c* a8 c9 b! a!" },
};

static void run_step(trie_herd *herd, const char *step)
{
    size_t table = (size_t)(step[0] - 'a');
    char *rest;
    if (step[1] == '!') {
        drop(herd, table);
    } else if (step[1] == '*') {
        assert_int_equal(freeze(herd, table), WD_OK);
    } else if (step[1] >= 'a') {
        fork_to(herd, table, (size_t)(step[1] - 'a'));
    } else if (step[1] == '-') {
        int first = (int)strtol(step + 2, &rest, 10);
        int last = *rest == '-' ? (int)strtol(rest + 1, NULL, 10) : first;
        for (int key = first; key <= last; key++) {
            assert_int_equal(remove_key(herd, table, key), WD_OK);
        }
    } else {
        assert_int_equal(write_key(herd, table, (int)strtol(step + 1, NULL, 10)), WD_OK);
    }
}

static void script_holds(void **state)
{
    const struct script *script = *state;
    trie_herd *all = malloc(sizeof(*all));
    herd_init(all, 300);
    char steps[128], *left;
    snprintf(steps, sizeof(steps), "%s", script->steps);
    for (char *step = strtok_r(steps, " ", &left); step != NULL; step = strtok_r(NULL, " ", &left)) {
        run_step(all, step);
        check_counts(all);
        check_contents(all);
    }
    herd_done(all);
    free(all);
}

// ---- any steps ------------------------------------------------------------------------------------------------

enum { STEPS = 1200 };

// One step, perhaps with memory running out in it; then it has failed and changed nothing.
static void random_step(random_source *random, trie_herd *herd)
{
    size_t table = random_below(random, TABLES), from = random_below(random, TABLES);
    if (herd->tables[table] == NULL || random_below(random, 8) == 0) {
        if (herd->tables[from] != NULL && from != table) {
            fork_to(herd, table, from);
        }
        return;
    }
    size_t live = 0;
    for (size_t i = 0; i < TABLES; i++) {
        live += herd->tables[i] != NULL;
    }
    uint32_t what = random_below(random, 64);
    int key = (int)random_below(random, random_below(random, 4) == 0 ? KEYS : 320);
    wd_status status = WD_OK;
    wd_alloc_fail_after(random_below(random, 5) == 0 ? (long)random_below(random, 12) : -1);
    if (what < 2 && live > 1) {
        drop(herd, table);
    } else if (what == 2) {
        status = freeze(herd, table);
    } else if (what < 16 && herd->values[table][key] != ABSENT &&
               wd_object_count(herd->tables[table]) > 200) {
        status = remove_key(herd, table, key);
    } else {
        status = write_key(herd, table, key);
    }
    wd_alloc_fail_after(-1);
    assert_true(status == WD_OK || status == WD_ENOMEM);
}

static void any_steps_hold(void **state)
{
    (void)state;
    trie_herd *all = malloc(sizeof(*all));
    for (uint64_t seed = 1; seed <= 4; seed++) {
        random_source random = random_seeded("any steps", seed);
        herd_init(all, 300);
        for (int i = 0; i < STEPS; i++) {
            random_step(&random, all);
            check_counts(all);
            if (i % 16 == 0) {
                check_contents(all);
            }
        }
        check_contents(all);
        herd_done(all);
    }
    free(all);
}

int main(void)
{
    struct CMUnitTest tests[WD_COUNT_OF(scripts) + 1] = { cmocka_unit_test(any_steps_hold) };
    for (size_t i = 0; i < WD_COUNT_OF(scripts); i++) {
        tests[i + 1] = (struct CMUnitTest){ .name = scripts[i].name,
            .test_func = script_holds,
            .initial_state = (void *)(uintptr_t)&scripts[i] };
    }
    return cmocka_run_group_tests_name("trie", tests, NULL, NULL);
}
