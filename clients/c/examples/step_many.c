/* Step a group of forks of one phone in one message, two messages in flight, and print what each came to.
 *
 *   cc step_many.c $(pkg-config --cflags --libs worldd-client) -o step_many
 *   WORLDD_DAEMON_DIRECTORY=/run/worldd ./step_many ENV...          (ids, as env_create and env_fork answer them)
 */
#include <stdio.h>
#include <stdlib.h>
#include <worldd/client.h>

static void print_reply(const wd_client_reply *reply, char **names)
{
    for (size_t i = 0; i < wd_client_reply_count(reply); i++) {
        wd_client_slot slot = wd_client_reply_at(reply, i);
        printf("%s step %u: %s %.*s\n", names[i], slot.step, slot.status == 0 ? slot.code : slot.text,
            (int)slot.observation.length, slot.observation.text);
    }
}

static int step_twice(wd_client *client, int count, char **names, wd_client_error *error)
{
    wd_client_batch *batch = NULL;
    uint64_t tickets[2] = { 0, 0 };
    int status = wd_client_batch_new(&batch, error);
    if (status == WD_CLIENT_OK) {
        wd_client_batch_observe(batch, WD_CLIENT_OBSERVE_CHANGED);
        status = wd_client_batch_share(batch, "launch_app", "{\"app\":\"settings\"}", error);
    }
    for (int i = 0; status == WD_CLIENT_OK && i < count; i++) {
        wd_client_env_id env;
        if (wd_client_env_id_parse(names[i], &env) != WD_CLIENT_OK) {
            snprintf(error->text, sizeof error->text, "%s is no id", names[i]);
            status = WD_CLIENT_EINVAL;
        } else {
            status = wd_client_batch_add(batch, &env, NULL, NULL, error);
        }
    }
    for (int i = 0; status == WD_CLIENT_OK && i < 2; i++) {
        status = wd_client_batch_send(client, batch, 30000, &tickets[i], error);
    }
    for (int i = 0; status == WD_CLIENT_OK && i < 2; i++) {
        wd_client_reply *reply = NULL;
        status = wd_client_batch_receive(client, &tickets[i], &reply, error);
        if (status == WD_CLIENT_OK) {
            print_reply(reply, names);
        }
        wd_client_reply_destroy(&reply);
    }
    wd_client_batch_destroy(&batch);
    return status;
}

int main(int argc, char **argv)
{
    wd_client *client = NULL;
    wd_client_error error = { 0 };
    if (argc < 2) {
        fprintf(stderr, "usage: %s ENV...\n", argv[0]);
        return 2;
    }
    int status = wd_client_connect(NULL, "step_many", 5000, &client, &error);
    if (status == WD_CLIENT_OK) {
        status = step_twice(client, argc - 1, argv + 1, &error);
    }
    if (status != WD_CLIENT_OK) {
        fprintf(stderr, "%s: %d: %s\n", argv[0], status, error.text);
    }
    wd_client_close(&client);
    return status == WD_CLIENT_OK ? 0 : 1;
}
