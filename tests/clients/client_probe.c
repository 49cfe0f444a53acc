// Drives the installed C client as told on standard input, a command a line, so that a test can restart the daemon between two:
//   VERB TIMEOUT_MS ARGS_JSON     -> "STATUS TEXT": 0 and the answer, or a status and its text
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <worldd/client.h>

static void count_event(void *context, const char *event_json)
{
    int *events = context;
    *events += event_json[0] == '{';
}

int main(int argc, char **argv)
{
    wd_client *client = NULL;
    wd_client_error error = { 0 };
    static char line[1 << 16], verb[64];
    int status = argc != 3 ? WD_CLIENT_EINVAL : wd_client_connect(argv[1], argv[2], 1500, &client, &error);
    printf("%d %s\n", status, error.text);
    fflush(stdout);
    while (status == WD_CLIENT_OK && fgets(line, sizeof line, stdin) != NULL) {
        int timeout_ms = 0, at = 0, events = 0;
        char *answer = NULL;
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "%63s %d %n", verb, &timeout_ms, &at) < 2) {
            return 2;
        }
        int told =
            strcmp(verb, "run-task") == 0
                ? wd_client_run(client, line + at, NULL, timeout_ms, count_event, &events, &answer, &error)
                : wd_client_request(client, verb, line[at] == '\0' ? NULL : line + at, timeout_ms,
                      count_event, &events, &answer, &error);
        printf("%d %d %s\n", told, events, told == WD_CLIENT_OK ? answer : error.text);
        fflush(stdout);
        free(answer);
    }
    wd_client_close(&client);
    return status == WD_CLIENT_OK ? 0 : 1;
}
