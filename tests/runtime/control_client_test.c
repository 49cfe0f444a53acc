// The control client where no worldd is: what it says, and that threads may make their first clients at once.
#include "json.h"

#include "runtime/control_client.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 8, PROCESSES = 25, TIMEOUT_MS = 1 };

static const char nowhere[] = "ipc:///nowhere/at/all.sock";

typedef struct crowd {
    pthread_barrier_t barrier;
    wd_status statuses[THREADS];
} crowd;

typedef struct member {
    crowd *all;
    size_t index;
} member;

static void *join_in(void *context)
{
    member *own = context;
    wd_control_client *client = NULL;
    wd_error error = { 0 };
    pthread_barrier_wait(&own->all->barrier);
    own->all->statuses[own->index] = wd_control_client_new(nowhere, "test", TIMEOUT_MS, &client, &error);
    return NULL;
}

/// In a process of its own, for only the first clients of a process can meet.
static int crowd_of_clients(void)
{
    crowd all;
    pthread_t threads[THREADS];
    member members[THREADS];
    pthread_barrier_init(&all.barrier, NULL, THREADS);
    for (size_t i = 0; i < THREADS; i++) {
        members[i] = (member){ .all = &all, .index = i };
        if (pthread_create(&threads[i], NULL, join_in, &members[i]) != 0) {
            return 2;
        }
    }
    int code = 0;
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        code |= all.statuses[i] == WD_OK;
    }
    return code;
}

static void threads_make_their_first_clients_at_once(void **state)
{
    (void)state;
    for (int i = 0; i < PROCESSES; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            _exit(crowd_of_clients());
        }
        int how = 0;
        assert_int_equal(waitpid(child, &how, 0), child);
        assert_true(WIFEXITED(how));
        assert_int_equal(WEXITSTATUS(how), 0);
    }
}

static void nobody_there_is_said(void **state)
{
    (void)state;
    wd_control_client *client = NULL;
    wd_error error = { 0 };
    assert_int_not_equal(wd_control_client_new(nowhere, "test", TIMEOUT_MS, &client, &error), WD_OK);
    assert_null(client);
    assert_true(error.text[0] != '\0');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_make_their_first_clients_at_once),
        cmocka_unit_test(nobody_there_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
