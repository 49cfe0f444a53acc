// Texts that arrive: stored by the provider, announced by a notice (os.md 11, D22).
#include "package.h"
#include "provider.h"
#include "services.h"
#include "time_text.h"

#include <string.h>

enum { CODE_LENGTH_MIN = 4, CODE_LENGTH_DEFAULT = 6, CODE_LENGTH_MAX = 10 };

/// The app that texts belong to: the one with that role.
static const char *sms_app(const wd_machine *machine)
{
    return wd_value_string_or(wd_object_get(wd_package_with_role(machine, "default SMS app"), "id"), "sms");
}

static wd_status post_notice(
    wd_machine *machine, wd_slice name, const wd_value *body, const wd_value *conversation)
{
    wd_value *title = NULL, *route = NULL, *input = NULL, *stored = NULL;
    wd_status status = wd_slice_value(name, &title);
    if (status == WD_OK) {
        status = wd_value_format(&route, "/conversation/%s", wd_value_as_string(conversation, NULL));
    }
    if (status == WD_OK) {
        status = wd_value_pack(&input, "{s:s,s:v,s:v,s:s,s:v}", "appId", sms_app(machine), "title", title,
            "body", body, "importance", "high", "route", route);
    }
    if (status == WD_OK) {
        status = wd_notification_push(machine, input, &stored);
    }
    wd_value_unref(&title);
    wd_value_unref(&route);
    wd_value_unref(&input);
    wd_value_unref(&stored);
    return status;
}

/// Deliver a text. Nothing when the sender or the text is blank.
static wd_status deliver(wd_machine *machine, wd_slice from, wd_slice body)
{
    wd_value *conversation = NULL, *id = NULL, *text = NULL, *time = NULL, *message = NULL, *uri = NULL;
    const wd_value *contact = wd_contact_name_of_phone(machine, from);
    wd_slice name = wd_trimmed(contact).length > 0 ? wd_trimmed(contact) : from;
    if (from.length == 0 || body.length == 0) {
        return WD_OK;
    }
    wd_status status = wd_conversation_get_or_create(machine, name, (wd_slice){ "", 0 }, &conversation);
    if (status == WD_OK) {
        status = wd_draw_id(machine, "msg_", NULL, &id);
    }
    if (status == WD_OK) {
        status = wd_slice_value(body, &text);
    }
    if (status == WD_OK) {
        status = wd_clock_text(machine, &time);
    }
    if (status == WD_OK) {
        status = wd_value_pack(
            &message, "{s:v,s:v,s:v,s:b}", "id", id, "content", text, "timestamp", time, "isOutgoing", false);
    }
    if (status == WD_OK) {
        status = wd_conversation_append(machine, conversation, &message);
    }
    if (status == WD_OK) {
        status = wd_uri_make("sms/conversations", conversation, &uri);
    }
    if (status == WD_OK) {
        status = wd_provider_notify(machine, wd_value_as_string(uri, NULL));
    }
    if (status == WD_OK) {
        status = post_notice(machine, name, text, conversation);
    }
    wd_value_unref(&conversation);
    wd_value_unref(&id);
    wd_value_unref(&text);
    wd_value_unref(&time);
    wd_value_unref(&message);
    wd_value_unref(&uri);
    return status;
}

/// Announce a text, then deliver it.
static wd_status receive(wd_machine *machine, wd_slice from, wd_slice body)
{
    wd_value *sender = NULL, *text = NULL, *extras = NULL;
    if (from.length == 0 || body.length == 0) {
        return WD_OK;
    }
    wd_status status = wd_slice_value(from, &sender);
    if (status == WD_OK) {
        status = wd_slice_value(body, &text);
    }
    if (status == WD_OK) {
        status = wd_value_pack(&extras, "{s:v,s:v}", "from", sender, "body", text);
    }
    if (status == WD_OK) {
        status = wd_machine_broadcast(machine, "android.provider.Telephony.SMS_RECEIVED", &extras);
    }
    wd_value_unref(&sender);
    wd_value_unref(&text);
    return status == WD_OK ? deliver(machine, from, body) : status;
}

// ---- operations -------------------------------------------------------------------------------------------

static wd_status op_sms(wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    const wd_value *text = NULL;
    wd_status status = wd_arg_object(args, "v", &text, error);
    return status == WD_OK ? receive(machine, wd_trimmed(wd_object_get(text, "from")),
                                 wd_trimmed(wd_object_get(text, "body")))
                           : status;
}

static wd_status op_incoming(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    (void)ret_answer;
    (void)error;
    return deliver(machine, wd_trimmed(wd_object_get(args, "from")), wd_trimmed(wd_object_get(args, "body")));
}

/// A text with random digits; the answer tells them: {codeLength, code}.
static wd_status op_sms_code(
    wd_machine *machine, const wd_value *args, wd_value **ret_answer, wd_error *error)
{
    const wd_value *options = wd_object_get(args, "v"), *body = NULL;
    wd_slice from = wd_trimmed(wd_object_get(options, "from"));
    double wanted = CODE_LENGTH_DEFAULT;
    char code[CODE_LENGTH_MAX + 1] = "";
    if (from.length == 0) {
        return wd_error_set(error, WD_EINVAL, "v.from: a text is needed");
    }
    (void)wd_number_form(wd_object_get(options, "codeLength"), &wanted);
    int64_t length = wd_clamp_round(wanted, CODE_LENGTH_MIN, CODE_LENGTH_MAX);
    for (int64_t i = 0; i < length; i++) {
        code[i] = (char)('0' + wd_machine_random_below(machine, 10));
    }
    wd_value *sender = NULL, *text = NULL;
    wd_status status = wd_slice_value(from, &sender);
    if (status == WD_OK) {
        status =
            wd_value_format(&text, "【%s】验证码：%s，5分钟内有效", wd_value_as_string(sender, NULL), code);
        body = text;
    }
    if (status == WD_OK) {
        status = receive(machine, from, wd_trimmed(body));
    }
    if (status == WD_OK) {
        status = wd_value_pack(ret_answer, "{s:i,s:s}", "codeLength", length, "code", code);
    }
    wd_value_unref(&sender);
    wd_value_unref(&text);
    return status;
}

const wd_op wd_ops_sms[] = {
    { "sms", op_sms },
    { "incoming", op_incoming },
    { "smsCode", op_sms_code },
    { NULL, NULL },
};
