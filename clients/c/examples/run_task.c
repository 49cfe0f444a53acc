/* Run a task and print what happens, a JSON line an event, the result last.
 *
 *   cc run_task.c $(pkg-config --cflags --libs worldd-client) -o run_task
 *   WORLDD_DAEMON_DIRECTORY=/run/worldd ./run_task demo/hello [PLANNER]
 */
#include <stdio.h>
#include <stdlib.h>
#include <worldd/client.h>

static void print_event(void *context, const char *event_json)
{
    (void)context;
    puts(event_json);
}

int main(int argc, char **argv)
{
    wd_client *client = NULL;
    wd_client_error error = { 0 };
    char *result = NULL;
    if (argc < 2) {
        fprintf(stderr, "usage: %s TASK [PLANNER]\n", argv[0]);
        return 2;
    }
    int status = wd_client_connect(NULL, "run_task", 5000, &client, &error);
    if (status == WD_CLIENT_OK) {
        status =
            wd_client_run(client, argv[1], argc > 2 ? argv[2] : NULL, -1, print_event, NULL, &result, &error);
    }
    if (status == WD_CLIENT_OK) {
        puts(result);
    } else {
        fprintf(stderr, "%s: %d: %s\n", argv[0], status, error.text);
    }
    free(result);
    wd_client_close(&client);
    return status == WD_CLIENT_OK ? 0 : 1;
}
