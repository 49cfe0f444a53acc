// Providers beyond the vectors (uri.c, provider.c, provider_contacts.c, provider_sms.c, provider_media.c,
// sms_receiver.c).
#include "op_rows.h"

#define STATE(p, v)                                                                                          \
    {                                                                                                        \
        .op = "@state", .args = "{\"path\":\"os.providers." p "\"}", .answer = v                             \
    }

static const op_row rows[] = {
    { "a URI names its parts",
        { ASK("parseUri", "{\"uri\":\"content://a/b//?x&=y&q=%41+%zz#f\"}",
              "{\"uri\":\"content://a/b//?x&=y&q=%41+%zz#f\",\"authority\":\"a\",\"path\":\"/b\","
              "\"query\":[[\"x\",\"\"],[\"\",\"y\"],[\"q\",\"A %zz\"]]}"),
            ASK("parseUri", "{\"uri\":\"content://a?x=%ff\"}",
                "{\"uri\":\"content://a?x=%ff\",\"authority\":\"a\",\"path\":\"/"
                "\",\"query\":[[\"x\",\"%ff\"]]}"),
            REFUSED("parseUri", "{\"uri\":\"content:/a\"}", WD_EINVAL),
            REFUSED("parseUri", "{\"uri\":7}", WD_ETYPE) } },
    { "an unknown authority is refused",
        { REFUSED("query", "{\"uri\":\"content://nobody/x\"}", WD_ENOENT),
            REFUSED("insert", "{\"uri\":\"content://nobody/x\",\"values\":{}}", WD_ENOENT),
            REFUSED("insert", "{\"uri\":\"content://contacts/contacts\"}", WD_EINVAL) } },
    { "ids are drawn past those that are taken",
        { DO("insert", "{\"uri\":\"content://contacts/contacts\",\"values\":{\"id\":\"c_1\"}}"),
            ASK("insert", "{\"uri\":\"content://contacts/contacts\",\"values\":{}}",
                "\"content://contacts/contacts/c_2\"") } },
    { "a message of another thread takes its id",
        { DO("insert", "{\"uri\":\"content://sms/conversations\",\"values\":{\"sender\":\"A\"}}"),
            DO("insert", "{\"uri\":\"content://sms/conversations\",\"values\":{\"sender\":\"B\"}}"),
            DO("insert",
                "{\"uri\":\"content://sms/messages?conversationId=conv_1\",\"values\":{\"id\":\"m\"}}"),
            REFUSED("insert",
                "{\"uri\":\"content://sms/messages?conversationId=conv_2\",\"values\":{\"id\":\"m\"}}",
                WD_EEXIST) } },
    { "a number finds its contact",
        { DO("insert", "{\"uri\":\"content://contacts/"
                       "contacts\",\"values\":{\"displayName\":\"Ada\",\"phone\":\"+1 555-0100\"}}"),
            DO("sms", "{\"v\":{\"from\":\" 5550100 \",\"body\":\" hi \"}}"),
            STATE("sms.conversations[0].sender", "\"Ada\""),
            STATE("sms.messagesByConversationId.conv_1[0].content", "\"hi\""),
            { .op = "@state",
                .args = "{\"path\":\"os.notifications.items[0].route\"}",
                .answer = "\"/conversation/conv_1\"" },
            DO("sms", "{\"v\":{\"from\":\"5550100\",\"body\":\"\"}}"),
            STATE("sms.conversations[0].messageCount", "1"), STATE("sms.conversations[1]", "null") } },
    { "observers hear of what is above and below, and of nothing beside",
        { DO("observe", "{\"uri\":\"content://contacts/contacts/c_1\",\"as\":\"one\"}"),
            DO("observe", "{\"uri\":\"content://contacts\",\"as\":\"all\"}"),
            DO("observe", "{\"uri\":\"content://contacts/contacts/c_10\",\"as\":\"ten\"}"),
            DO("notify", "{\"uri\":\"content://contacts/contacts/c_1/x\"}"),
            EVENTS("[{\"observer\":\"one\",\"uri\":\"content://contacts/contacts/c_1/x\"},"
                   "{\"observer\":\"all\",\"uri\":\"content://contacts/contacts/c_1/x\"},"
                   "{\"broadcast\":\"os.intent.action.PROVIDER_CHANGED\","
                   "\"data\":{\"uri\":\"content://contacts/contacts/c_1/x\"},"
                   "\"extras\":{\"uri\":\"content://contacts/contacts/c_1/x\"}}]"),
            DO("unobserve", "{\"as\":\"all\"}"), DO("notify", "{\"uri\":\"content://sms\"}"),
            EVENTS(
                "[{\"broadcast\":\"os.intent.action.PROVIDER_CHANGED\",\"data\":{\"uri\":\"content://sms\"},"
                "\"extras\":{\"uri\":\"content://sms\"}}]") } },
    { "an inserted image is in no state, and goes with a reload",
        { ASK("insert",
              "{\"uri\":\"content://media/images\",\"values\":{\"id\":\"i\",\"mimeType\":\"image/png\"}}",
              "\"content://media/images/i\""),
            ASK("query", "{\"uri\":\"content://media/images/i\"}",
                "{\"items\":[{\"id\":\"i\",\"type\":\"image\",\"uri\":\"data:image/png;base64,\","
                "\"name\":\"IMG_1767528000000.png\",\"mimeType\":\"image/png\",\"size\":0,"
                "\"createdAt\":1767528000000,\"path\":\"/sdcard/DCIM/Camera/IMG_1767528000000.png\","
                "\"favorite\":false}],\"count\":1}"),
            REFUSED("insert", "{\"uri\":\"content://media/images\",\"values\":{\"id\":\"i\"}}", WD_EEXIST),
            REFUSED("insert", "{\"uri\":\"content://media/videos\",\"values\":{}}", WD_EINVAL),
            DO("update", "{\"uri\":\"content://media/images/i\",\"values\":{\"favorite\":true}}"),
            STATE("media.favorites", "[\"/sdcard/DCIM/Camera/IMG_1767528000000.png\"]"),
            ASK("delete", "{\"uri\":\"content://media/images/i\"}", "1"), STATE("media.favorites", "[]"),
            ASK("delete", "{\"uri\":\"content://media/images/i\"}", "0") } },
    { "files show as images, videos and albums",
        { ASK("query",
              "{\"uri\":\"content://media/images/"
              "seed__sdcard_Pictures_Screenshots_Screenshot_20260104.png\"}",
              "{\"items\":[{\"id\":\"seed__sdcard_Pictures_Screenshots_Screenshot_20260104.png\",\"type\":"
              "\"image\","
              "\"uri\":\"file:///sdcard/Pictures/Screenshots/Screenshot_20260104.png\","
              "\"name\":\"Screenshot_20260104.png\",\"mimeType\":\"image/png\",\"size\":65536,"
              "\"createdAt\":1767528000000,\"path\":\"/sdcard/Pictures/Screenshots/Screenshot_20260104.png\","
              "\"favorite\":false}],\"count\":1}"),
            DO("fsDelete", "{\"path\":\"/sdcard/DCIM\"}"), DO("fsDelete", "{\"path\":\"/sdcard/Pictures\"}"),
            ASK("query", "{\"uri\":\"content://media/images/albums\"}",
                "{\"items\":[{\"id\":\"all\",\"name\":\"全部\",\"type\":\"system\",\"count\":0,"
                "\"pathPattern\":\"/sdcard\"}],\"count\":1}"),
            ASK("query", "{\"uri\":\"content://media/videos\"}", "{\"items\":[],\"count\":0}") } },
    { "a patch of providers is all or nothing",
        { REFUSED("@inject", "{\"os\":{\"providers\":{\"media\":{\"favorites\":[\"/x\"]},\"sms\":null}}}",
              WD_ETYPE),
            STATE("media.favorites", "[]"),
            DO("@inject",
                "{\"os\":{\"providers\":{\"nobody\":{\"a\":1},\"media\":{\"favorites[]\":\"/x\"}}}}"),
            STATE("media.favorites", "[\"/x\"]"), STATE("nobody", "null") } },
};

int main(void)
{
    return op_rows_run("providers", rows, sizeof rows / sizeof rows[0]);
}
