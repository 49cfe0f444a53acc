// Pending intents (os.md 3.7): a token is "pi:" and the base64 of {kind: "activity" | "broadcast", intent}.
#include "intent.h"
#include "services.h"

#include <string.h>

enum { TOKEN_LENGTH_MAX = 1024 * 1024 };

static const char prefix[] = "pi:";
static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static wd_status encode(const char *bytes, size_t length, wd_buffer *buffer)
{
    wd_status status = WD_OK;
    for (size_t at = 0; status == WD_OK && at < length; at += 3) {
        unsigned char in[3] = { 0 };
        size_t count = length - at < 3 ? length - at : 3;
        memcpy(in, bytes + at, count);
        char out[4] = { alphabet[in[0] >> 2], alphabet[(in[0] & 3) << 4 | in[1] >> 4],
            count > 1 ? alphabet[(in[1] & 15) << 2 | in[2] >> 6] : '=',
            count > 2 ? alphabet[in[2] & 63] : '=' };
        status = wd_buffer_append(buffer, out, sizeof out);
    }
    return status;
}

/// False when the text is no base64.
static wd_status decode(const char *text, size_t length, wd_buffer *buffer, bool *ret_valid)
{
    wd_status status = wd_buffer_text(buffer, "");
    uint32_t bits = 0;
    int count = 0;
    while (length > 0 && text[length - 1] == '=') {
        length--;
    }
    *ret_valid = true;
    for (size_t i = 0; status == WD_OK && i < length; i++) {
        const char *found = memchr(alphabet, text[i], 64);
        if (found == NULL) {
            *ret_valid = false;
            return WD_OK;
        }
        bits = bits << 6 | (uint32_t)(found - alphabet);
        count += 6;
        if (count >= 8) {
            count -= 8;
            char byte = (char)(bits >> count & 0xff);
            status = wd_buffer_append(buffer, &byte, 1);
        }
    }
    return status;
}

static wd_status make_token(const char *kind, const wd_value *intent, wd_value **ret_token)
{
    wd_value *content = NULL;
    wd_buffer json = { 0 }, token = { 0 };
    wd_status status = wd_value_pack(&content, "{s:s,s:v}", "kind", kind, "intent", intent);
    if (status == WD_OK) {
        status = wd_json_write(content, WD_JSON_COMPACT, &json);
    }
    if (status == WD_OK) {
        status = wd_buffer_text(&token, prefix);
    }
    if (status == WD_OK) {
        status = encode(json.bytes, json.length, &token);
    }
    if (status == WD_OK) {
        status = wd_value_string(token.bytes, token.length, ret_token);
    }
    wd_value_unref(&content);
    wd_buffer_done(&json);
    wd_buffer_done(&token);
    return status;
}

/// *ret_content stays NULL when the token is none. A body that is no base64 is read as JSON.
static wd_status read_token(const char *token, wd_value **ret_content)
{
    wd_slice text = wd_slice_trim(token, strlen(token));
    wd_buffer bytes = { 0 };
    bool valid = false;
    if (text.length > TOKEN_LENGTH_MAX || strncmp(text.bytes, prefix, strlen(prefix)) != 0) {
        return WD_OK;
    }
    text.bytes += strlen(prefix);
    text.length -= strlen(prefix);
    wd_status status = decode(text.bytes, text.length, &bytes, &valid);
    if (status == WD_OK) {
        status = valid ? wd_json_parse(bytes.bytes, bytes.length, ret_content, NULL)
                       : wd_json_parse(text.bytes, text.length, ret_content, NULL);
    }
    wd_buffer_done(&bytes);
    return status == WD_ENOMEM ? status : WD_OK;
}

/// The first filter that takes the intent, in install order; never a chooser.
static wd_status send_activity(wd_machine *machine, const wd_value *intent, wd_error *error)
{
    wd_value *packages = wd_value_ref(wd_machine_get(machine, WD_AT("sys", "packages")));
    wd_status status = WD_OK;
    wd_iter iter = wd_iter_start(packages);
    while (wd_iter_next(&iter)) {
        const wd_value *filter = wd_intent_match(iter.value, intent);
        if (filter == NULL) {
            continue;
        }
        const char *own = wd_value_string_or(wd_object_get(filter, "route"), "/");
        const char *given = wd_value_string_or(wd_object_get(intent, "route"), "");
        const char *route = given[0] != '\0' ? given : own;
        status = wd_task_open_app(
            machine, wd_value_as_string(wd_object_get(iter.value, "id"), NULL), route, error);
        break;
    }
    wd_value_unref(&packages);
    return status;
}

wd_status wd_pending_intent_send(wd_machine *machine, const char *token, wd_error *error)
{
    wd_value *content = NULL;
    wd_status status = read_token(token, &content);
    const wd_value *kind = wd_object_get(content, "kind"), *intent = wd_object_get(content, "intent");
    if (status == WD_OK && wd_value_is_text(kind, "activity")) {
        status = send_activity(machine, intent, error);
    } else if (status == WD_OK && wd_value_is_text(kind, "broadcast")) {
        wd_value *extras = wd_value_ref(wd_object_get(intent, "extras"));
        status = wd_machine_broadcast_data(machine, wd_value_string_or(wd_object_get(intent, "action"), ""),
            wd_object_get(intent, "data"), &extras);
    }
    wd_value_unref(&content);
    return status;
}

static wd_status op_activity(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)machine;
    const wd_value *intent = NULL;
    wd_status status = wd_arg_object(args, "v", &intent, error);
    return status == WD_OK ? make_token("activity", intent, ret_answer) : status;
}

static wd_status op_broadcast(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)machine;
    const wd_value *intent = NULL;
    wd_status status = wd_arg_object(args, "v", &intent, error);
    return status == WD_OK ? make_token("broadcast", intent, ret_answer) : status;
}

static wd_status op_send(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    const char *token = NULL;
    wd_status status = wd_arg_text(args, "token", &token, error);
    return status == WD_OK ? wd_pending_intent_send(machine, token, error) : status;
}

const wd_op wd_ops_pending_intent[] = {
    { "piActivity", op_activity },
    { "piBroadcast", op_broadcast },
    { "piSend", op_send },
    { NULL, NULL },
};
