// Drives the installed C client as told on standard input, a command a line, so that a test can restart the daemon between two:
//   VERB TIMEOUT_MS ARGS_JSON     -> "STATUS EVENTS TEXT": 0 and the answer, or a status and its text
//   !batch, !send TIMEOUT_MS OBSERVE <tab> ACTION <tab> ARGS {<tab> ENV <tab> ACTION <tab> ARGS}
//                                 -> the slots of the answer, or the ticket; "-" for an action or arguments: none
//   !receive 0 TICKET             -> "TICKET SLOTS"; TICKET 0: whichever is answered first
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <worldd/client.h>

enum { LINE_MAX_SIZE = 1 << 20 };

static void count_event(void *context, const char *event_json)
{
    int *events = context;
    *events += event_json[0] == '{';
}

/// The next field of a line; NULL for "-" and where there is none.
static const char *field(char **rest)
{
    char *text = *rest, *tab = text == NULL ? NULL : strchr(text, '\t');
    if (tab != NULL) {
        *tab = '\0';
    }
    *rest = tab == NULL ? NULL : tab + 1;
    return text == NULL || strcmp(text, "-") == 0 ? NULL : text;
}

static int build(char *line, wd_client_batch *batch, wd_client_error *error)
{
    const char *observe = field(&line), *action = field(&line), *args = field(&line);
    int status = wd_client_batch_share(batch, action, args, error);
    wd_client_batch_observe(batch, observe == NULL                ? WD_CLIENT_OBSERVE_NONE
                                   : strcmp(observe, "full") == 0 ? WD_CLIENT_OBSERVE_FULL
                                                                  : WD_CLIENT_OBSERVE_CHANGED);
    while (status == WD_CLIENT_OK && line != NULL) {
        wd_client_env_id env;
        const char *id = field(&line);
        if (wd_client_env_id_parse(id == NULL ? "" : id, &env) != WD_CLIENT_OK) {
            snprintf(error->text, sizeof error->text, "no id");
            return WD_CLIENT_EINVAL;
        }
        action = field(&line);
        args = field(&line);
        status = wd_client_batch_add(batch, &env, action, args, error);
    }
    return status;
}

/// A JSON string, its quotes told as apostrophes.
static void print_text(const char *text)
{
    putchar('"');
    for (; *text != '\0'; text++) {
        putchar(*text == '"' ? '\'' : *text);
    }
    putchar('"');
}

/// [[status, text, outcome, code, step, begun_anew, ending, digest, observation, final_observation, verdict], ...]
static void print_reply(const wd_client_reply *reply)
{
    for (size_t i = 0; i < wd_client_reply_count(reply); i++) {
        wd_client_slot slot = wd_client_reply_at(reply, i);
        const wd_client_json *json[] = { &slot.observation, &slot.final_observation, &slot.verdict };
        printf("%s[%d,", i == 0 ? "[" : ",", slot.status);
        print_text(slot.text);
        printf(
            ",%d,\"%s\",%u,%d,\"%s\",\"", slot.outcome, slot.code, slot.step, slot.begun_anew, slot.ending);
        for (int byte = 0; byte < WD_CLIENT_ID_SIZE; byte++) {
            printf("%02x", slot.digest[byte]);
        }
        printf("\"");
        for (size_t j = 0; j < 3; j++) {
            printf(",%.*s", json[j]->length == 0 ? 4 : (int)json[j]->length,
                json[j]->length == 0 ? "null" : json[j]->text);
        }
        printf("]");
    }
    printf("]\n");
}

static void do_batch(wd_client *client, const char *verb, int timeout_ms, char *rest)
{
    wd_client_batch *batch = NULL;
    wd_client_reply *reply = NULL;
    wd_client_error error = { 0 };
    uint64_t ticket = strcmp(verb, "!receive") == 0 ? strtoull(rest, NULL, 10) : 0;
    int status = wd_client_batch_new(&batch, &error);
    if (strcmp(verb, "!receive") == 0) {
        status = wd_client_batch_receive(client, &ticket, &reply, &error);
    } else {
        status = status == WD_CLIENT_OK ? build(rest, batch, &error) : status;
        if (status == WD_CLIENT_OK && strcmp(verb, "!send") == 0) {
            status = wd_client_batch_send(client, batch, timeout_ms, &ticket, &error);
        } else if (status == WD_CLIENT_OK) {
            status = wd_client_batch_step(client, batch, timeout_ms, &reply, &error);
        }
    }
    printf("%d %llu ", status, (unsigned long long)ticket);
    if (reply != NULL) {
        print_reply(reply);
    } else {
        puts(error.text);
    }
    wd_client_reply_destroy(&reply);
    wd_client_batch_destroy(&batch);
}

int main(int argc, char **argv)
{
    wd_client *client = NULL;
    wd_client_error error = { 0 };
    static char line[LINE_MAX_SIZE], verb[64];
    int status = WD_CLIENT_EINVAL;
    if (argc == 3) {
        status = wd_client_connect(argv[1], argv[2], 1500, &client, &error);
    } else if (argc == 6) {
        wd_client_keys keys = { argv[3], argv[4], argv[5] };
        status = wd_client_connect_with_keys(argv[1], argv[2], 1500, &keys, &client, &error);
    }
    printf("%d %s\n", status, error.text);
    fflush(stdout);
    while (status == WD_CLIENT_OK && fgets(line, sizeof line, stdin) != NULL) {
        int timeout_ms = 0, at = 0, events = 0;
        char *answer = NULL;
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "%63s %d %n", verb, &timeout_ms, &at) < 2) {
            return 2;
        }
        if (verb[0] == '!') {
            do_batch(client, verb, timeout_ms, line + at);
            fflush(stdout);
            continue;
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
