// Services beyond the vectors (clipboard.c, notification.c, shade.c, keyboard.c, alarm.c, media_session.c,
// time.c, location.c, pending_intent.c, package.c, broadcast.c, file_system.c, launcher.c, permission.c).
#include "op_rows.h"

#define STATE(p, v)                                                                                          \
    {                                                                                                        \
        .op = "@state", .args = "{\"path\":\"os." p "\"}", .answer = v                                       \
    }
#define DO(name, a)                                                                                          \
    {                                                                                                        \
        .op = name, .args = a                                                                                \
    }
#define ASK(name, a, v)                                                                                      \
    {                                                                                                        \
        .op = name, .args = a, .answer = v                                                                   \
    }
#define REFUSED(name, a, why)                                                                                \
    {                                                                                                        \
        .op = name, .args = a, .status = why                                                                 \
    }
#define EVENTS(v)                                                                                            \
    {                                                                                                        \
        .op = "@events", .answer = v                                                                         \
    }

static const op_row rows[] = {
    { "history has 20 entries and a limit",
        { DO("clipText", "{\"v\":\"a\"}"), DO("clipText", "{\"v\":\"b\"}"),
            ASK("clipHistory", "{\"limit\":1.9}",
                "[{\"type\":\"text\",\"content\":\"b\",\"timestamp\":1767528000000}]"),
            ASK("clipHistory", "{\"limit\":0}", "[]"), ASK("clipHistory", "{\"limit\":-3}", "[]") } },
    { "state shows four members of the newest entry",
        { DO("clipWrite", "{\"v\":{\"type\":\"text\",\"content\":true,\"label\":1}}"),
            STATE("clipboard", "{\"type\":\"text\",\"content\":\"true\",\"timestamp\":1767528000000}") } },
    { "a stored clipboard is put in order",
        { DO("store.put",
              "{\"key\":\"os_clipboard_v1\",\"text\":\"{\\\"state\\\":{\\\"current\\\":null,\\\"history\\\":["
              "{\\\"type\\\":\\\"text\\\"},{\\\"type\\\":\\\"text\\\",\\\"content\\\":\\\"x\\\","
              "\\\"timestamp\\\":5}]},"
              "\\\"version\\\":0}\"}"),
            DO("@reload", NULL),
            STATE("clipboard", "{\"type\":\"text\",\"content\":\"x\",\"timestamp\":5}") } },
    { "notices of one app are cleared",
        { DO("push", "{\"v\":{\"id\":\"1\",\"appId\":\"sms\",\"title\":\"a\"}}"),
            DO("push", "{\"v\":{\"id\":\"2\",\"appId\":\"notes\",\"title\":\"b\",\"read\":true}}"),
            STATE("notifications.unreadCount", "1"), DO("clearForApp", "{\"app\":\"sms\"}"),
            STATE("notifications.items[0].id", "\"2\""), STATE("notifications.unreadCount", "0") } },
    { "routes are compared without a slash in front",
        { DO("push", "{\"v\":{\"id\":\"1\",\"appId\":\"a\",\"title\":\"t\",\"route\":\"/c/1\"}}"),
            DO("push", "{\"v\":{\"id\":\"2\",\"appId\":\"a\",\"title\":\"t\",\"route\":\"c/2\"}}"),
            DO("dismissByRoute", "{\"app\":\"\",\"route\":\"c/1\"}"), STATE("notifications.unreadCount", "2"),
            DO("dismissByRoute", "{\"app\":\"a\",\"route\":\" c/1 \"}"),
            STATE("notifications.items[0].id", "\"2\""),
            DO("dismissByRoute", "{\"app\":\"a\",\"route\":\"/c/2\"}"),
            STATE("notifications.items", "[]") } },
    { "a tap opens where the notice leads",
        { DO("shadeOpen", "{\"kind\":\"notifications\"}"),
            DO("push", "{\"v\":{\"id\":\"1\",\"appId\":\"sms\",\"title\":\"a\",\"route\":\"/c/1\"}}"),
            ASK("notification.tap", "{\"id\":\"1\"}", "true"), STATE("activeAppId", "\"sms\""),
            STATE("shade.open", "false"), STATE("notifications.items", "[]"),
            ASK("os.getAppRoute", "{}", "{\"app\":\"sms\",\"path\":\"/c/1\"}"),
            ASK("notification.tap", "{\"id\":\"1\"}", "false") } },
    { "a new notice hangs over the screen for five seconds",
        { DO("push", "{\"v\":{\"id\":\"1\",\"title\":\"a\"}}"),
            ASK("@machine", "{\"path\":\"sys.headsUp.id\"}", "\"1\""), DO("@advance", "{\"ms\":4999}"),
            ASK("@machine", "{\"path\":\"sys.headsUp.id\"}", "\"1\""), DO("@advance", "{\"ms\":1}"),
            ASK("@machine", "{\"path\":\"sys.headsUp\"}", "null"),
            DO("push", "{\"v\":{\"id\":\"2\",\"title\":\"a\",\"importance\":\"low\"}}"),
            ASK("@machine", "{\"path\":\"sys.headsUp\"}", "null"), DO("dnd", "{\"v\":true}"),
            DO("push", "{\"v\":{\"id\":\"3\",\"title\":\"a\"}}"),
            ASK("@machine", "{\"path\":\"sys.headsUp\"}", "null") } },
    { "a notice that is read or gone hangs no longer",
        { DO("push", "{\"v\":{\"id\":\"1\",\"title\":\"a\"}}"), DO("markRead", "{\"id\":\"1\"}"),
            ASK("@machine", "{\"path\":\"sys.headsUp\"}", "null"),
            DO("push", "{\"v\":{\"id\":\"2\",\"title\":\"a\"}}"), DO("dismiss", "{\"id\":\"2\"}"),
            ASK("@machine", "{\"path\":\"sys.headsUp\"}", "null"),
            DO("setPref", "{\"key\":\"key_popup_window\",\"v\":\"on\"}"),
            DO("push", "{\"v\":{\"id\":\"3\",\"title\":\"a\"}}"),
            ASK("@machine", "{\"path\":\"sys.headsUp\"}", "null") } },
    { "the same shade kind closes, the other switches",
        { DO("shadeToggle", "{\"kind\":\"control\"}"), STATE("shade", "{\"open\":true,\"kind\":\"control\"}"),
            DO("shadeToggle", "{\"kind\":\"notifications\"}"),
            STATE("shade", "{\"open\":true,\"kind\":\"notifications\"}"),
            DO("shadeToggle", "{\"kind\":\"notifications\"}"),
            STATE("shade", "{\"open\":false,\"kind\":\"notifications\"}"),
            REFUSED("shadeOpen", "{\"kind\":\"else\"}", WD_EINVAL), DO("shadeClose", "{}") } },
    { "an alarm needs texts and a time",
        { REFUSED("alarmSet", "{\"v\":{\"id\":1}}", WD_ETYPE),
            REFUSED("alarmSet", "{\"v\":{\"id\":\"1\",\"ownerPackage\":\"a\"}}", WD_ETYPE),
            REFUSED("alarmFor", "{\"owner\":\"a\",\"v\":{}}", WD_ETYPE) } },
    { "time is set, never below 1970",
        { REFUSED("setSim", "{\"v\":-1}", WD_EINVAL), REFUSED("setSim", "{\"v\":\"soon\"}", WD_EINVAL),
            REFUSED("@advance", "{\"ms\":-1}", WD_EINVAL), DO("setSim", "{\"v\":0}"),
            ASK("timeNow", "{}", "0") } },
    { "a dialog waits for as long as it had left when the clock is set",
        { DO("request", "{\"app\":\"map\",\"perms\":[\"android.permission.CAMERA\"],\"as\":\"r\"}"),
            DO("@advance", "{\"ms\":50000}"), DO("setSim", "{\"v\":\"2027-01-01\"}"),
            DO("@advance", "{\"ms\":9999}"), STATE("permissions", "{}"), DO("@advance", "{\"ms\":1}"),
            STATE("permissions", "{\"map\":{\"android.permission.CAMERA\":\"denied\"}}") } },
    { "texts of dates", { ASK("parseTs", "{\"v\":\"2026-01-04 20:00\"}", "1767528000000"),
                            ASK("parseTs", "{\"v\":\"2026-01-04T20:00:01\"}", "1767528001000"),
                            ASK("parseTs", "{\"v\":\"2026-01-04\"}", "1767456000000"),
                            ASK("parseTs", "{\"v\":\"2026-01-04T12:00:00Z\"}", "1767528000000"),
                            ASK("parseTs", "{\"v\":\"tomorrow\"}", "0"), ASK("parseTs", "{\"v\":\"\"}", "0"),
                            ASK("localParts", "{\"v\":[2026,0,4,20]}", "1767528000000"),
                            ASK("localParts", "{\"v\":[2025,12,4,20]}", "1767528000000"),
                            REFUSED("localParts", "{\"v\":[2026,0]}", WD_EINVAL),
                            REFUSED("localParts", "{\"v\":[2026,0,\"4\"]}", WD_ETYPE) } },
    { "data timestamps",
        { ASK("resolveTs", "{\"v\":5}", "5"), ASK("resolveTs", "{\"v\":-1000}", "1767527999000"),
            ASK("resolveTs", "{\"v\":\"1d2h\"}", "1767621600000"),
            ASK("resolveTs", "{\"v\":\"-1w\"}", "1766923200000"),
            ASK("resolveTs", "{\"v\":\"+30s\"}", "1767528030000"),
            ASK("resolveTs", "{\"v\":\"2026-01-04 20:01\"}", "1767528060000"),
            ASK("resolveTs", "{\"v\":\"never\"}", "1767528000000"),
            ASK("resolveTs", "{\"v\":null}", "1767528000000") } },
    { "a place is a city or a point",
        { REFUSED("locSet", "{\"v\":{\"latitude\":1}}", WD_ETYPE),
            REFUSED("locErr", "{\"code\":4}", WD_EINVAL), REFUSED("locErr", "{\"code\":0}", WD_EINVAL),
            DO("locSet", "{\"v\":\" TOKYO \"}"), STATE("location.coords.latitude", "35.6762"),
            DO("locReal", "{}"), STATE("location.coords", "null") } },
    { "a pending intent is a token",
        { ASK("piActivity", "{\"v\":{\"action\":\"ACTION_DIAL\"}}",
              "\"pi:eyJraW5kIjoiYWN0aXZpdHkiLCJpbnRlbnQiOnsiYWN0aW9uIjoiQUNUSU9OX0RJQUwifX0=\""),
            DO("piSend", "{\"token\":\"pi:"
                         "eyJraW5kIjoiYWN0aXZpdHkiLCJpbnRlbnQiOnsiYWN0aW9uIjoiQUNUSU9OX0RJQUwifX0=\"}"),
            STATE("activeAppId", "\"contacts\""), STATE("tasks[0].wasExternallyRouted", "true"),
            DO("piSend", "{\"token\":\"garbage\"}"), DO("piSend", "{\"token\":\"pi:%%%\"}") } },
    { "a body that is no base64 is read as it is",
        { DO("piSend", "{\"token\":\"pi:{\\\"kind\\\":\\\"broadcast\\\",\\\"intent\\\":{\\\"action\\\":"
                       "\\\"x\\\"}}\"}"),
            EVENTS("[{\"broadcast\":\"x\"}]") } },
    { "receivers come after the sender's return, ordered ones before",
        { DO("receiver", "{\"action\":\" a \",\"as\":\"low\",\"priority\":1}"),
            DO("receiver", "{\"action\":\"a\",\"as\":\"high\",\"priority\":9,\"throws\":true}"),
            DO("receiver", "{\"action\":\"a\",\"as\":\"same\",\"priority\":9}"),
            DO("sendMark", "{\"v\":{\"action\":\"a\",\"extras\":{\"k\":1}}}"),
            EVENTS("[{\"broadcast\":\"a\",\"extras\":{\"k\":1}},{\"mark\":\"returned from send\"},"
                   "{\"receiver\":\"low\",\"intent\":{\"action\":\"a\",\"extras\":{\"k\":1}}},"
                   "{\"receiver\":\"high\",\"intent\":{\"action\":\"a\",\"extras\":{\"k\":1}}},"
                   "{\"receiver\":\"same\",\"intent\":{\"action\":\"a\",\"extras\":{\"k\":1}}}]"),
            DO("unreceiver", "{\"as\":\"low\"}"), DO("sendOrdered", "{\"v\":{\"action\":\"a\"}}"),
            EVENTS("[{\"broadcast\":\"a\"},{\"receiver\":\"high\",\"intent\":{\"action\":\"a\"}},"
                   "{\"receiver\":\"same\",\"intent\":{\"action\":\"a\"}},{\"mark\":\"returned from "
                   "sendOrdered\"}]"),
            DO("sendOrdered", "{\"v\":{\"action\":\" \"}}"),
            EVENTS("[{\"mark\":\"returned from sendOrdered\"}]") } },
    { "a minute ticks", { DO("@advance", "{\"ms\":59999}"), EVENTS("[]"), DO("@advance", "{\"ms\":1}"),
                            EVENTS("[{\"broadcast\":\"android.intent.action.TIME_TICK\",\"extras\":{\"now\":"
                                   "1767528060000}}]") } },
    { "files: parents are made, an overwrite keeps the id",
        { DO("fsWrite", "{\"path\":\"/sdcard/New/a.txt\",\"mimeType\":\"text/plain\",\"content\":\"hey\"}"),
            ASK("fsStat", "{\"path\":\"/sdcard/New/a.txt\"}",
                "{\"id\":\"file_1\",\"name\":\"a.txt\",\"type\":\"file\",\"parentId\":\"dir_1\","
                "\"path\":\"/sdcard/New/a.txt\",\"size\":3,\"mimeType\":\"text/"
                "plain\",\"createdAt\":1767528000000,"
                "\"modifiedAt\":1767528000000,\"storage\":\"external\",\"content\":\"hey\"}"),
            DO("@advance", "{\"ms\":5}"), DO("fsWrite", "{\"path\":\"/sdcard/New/a.txt\",\"size\":9}"),
            ASK("fsStat", "{\"path\":\"/sdcard/New/a.txt\"}",
                "{\"id\":\"file_1\",\"name\":\"a.txt\",\"type\":\"file\",\"parentId\":\"dir_1\","
                "\"path\":\"/sdcard/New/a.txt\",\"size\":9,\"mimeType\":\"application/octet-stream\","
                "\"createdAt\":1767528000000,\"modifiedAt\":1767528000005,\"storage\":\"external\"}"),
            REFUSED("fsWrite", "{\"path\":\"/sdcard/New\"}", WD_EEXIST),
            REFUSED("fsWrite", "{\"path\":\"/sdcard/New/a.txt/b\"}", WD_EEXIST),
            REFUSED("fsWrite", "{\"path\":\"relative\"}", WD_EINVAL),
            REFUSED("fsWrite", "{\"path\":\"/a/../b\"}", WD_EINVAL) } },
    { "files: a folder moves with what is in it",
        { DO("fsWrite", "{\"path\":\"/sdcard/A/b/c\"}"),
            REFUSED("fsMove", "{\"from\":\"/sdcard/A\",\"to\":\"/sdcard/A/b/d\"}", WD_EINVAL),
            REFUSED("fsMove", "{\"from\":\"/sdcard/A\",\"to\":\"/sdcard/DCIM\"}", WD_EEXIST),
            REFUSED("fsMove", "{\"from\":\"/sdcard/nope\",\"to\":\"/sdcard/x\"}", WD_ENOENT),
            DO("fsMove", "{\"from\":\"/sdcard/A\",\"to\":\"/sdcard/Z/A2\"}"),
            ASK("fsStat", "{\"path\":\"/sdcard/A/b/c\"}", "null"),
            ASK("fsStat", "{\"path\":\"/sdcard/Z/A2/b/c\"}",
                "{\"id\":\"file_1\",\"name\":\"c\",\"type\":\"file\",\"parentId\":\"dir_2\","
                "\"path\":\"/sdcard/Z/A2/b/c\",\"size\":0,\"mimeType\":\"application/octet-stream\","
                "\"createdAt\":1767528000000,\"modifiedAt\":1767528000000,\"storage\":\"external\"}"),
            REFUSED("fsCopy", "{\"from\":\"/sdcard/Z\",\"to\":\"/sdcard/Y\"}", WD_EINVAL),
            DO("fsCopy", "{\"from\":\"/sdcard/Z/A2/b/c\",\"to\":\"/sdcard/Y\"}"),
            DO("fsDelete", "{\"path\":\"/sdcard/Z\"}"),
            ASK("fsStat", "{\"path\":\"/sdcard/Z/A2/b\"}", "null"),
            REFUSED("fsDelete", "{\"path\":\"/\"}", WD_EINVAL) } },
    { "an app without an id cannot be installed",
        { REFUSED("install", "{\"v\":{}}", WD_EINVAL), REFUSED("install", "{}", WD_EINVAL),
            DO("install", "{\"v\":{\"id\":\"new\",\"packageName\":\"n\"}}"),
            ASK("isInstalled", "{\"v\":\"new\"}", "true"), DO("os.launchApp", "{\"app\":\"new\"}"),
            STATE("activeAppId", "\"new\"") } },
    { "permissions: unknown app, id, status",
        { REFUSED("grant", "{\"app\":\"ghost\",\"perm\":\"android.permission.CAMERA\"}", WD_ENOENT),
            REFUSED("grant", "{\"app\":\"map\",\"perm\":\"CAMERA\"}", WD_ENOENT),
            REFUSED("request", "{\"app\":\"ghost\",\"perms\":[]}", WD_ENOENT),
            REFUSED("dialog", "{\"answer\":\"maybe\"}", WD_EINVAL),
            REFUSED("@inject", "{\"os\":{\"permissions\":{\"ghost\":{}}}}", WD_ENOENT),
            REFUSED("@inject", "{\"os\":{\"permissions\":{\"map\":5}}}", WD_ETYPE),
            ASK("checkMany",
                "{\"app\":\"ghost\",\"perms\":[\"x\",\"android.permission.CAMERA\",\"android.permission."
                "CAMERA\"]}",
                "{\"android.permission.CAMERA\":\"not_requested\"}") } },
    { "permissions: Back refuses, for ever when ticked",
        { DO("request", "{\"app\":\"map\",\"perms\":[\"android.permission.CAMERA\"],\"as\":\"r\"}"),
            DO("dialogTick", "{\"v\":true}"), DO("os.handleBack", "{}"),
            STATE("permissions", "{\"map\":{\"android.permission.CAMERA\":\"denied_forever\"}}"),
            REFUSED("dialogTick", "{\"v\":true}", WD_ESTATE) } },
    { "permissions: $unset forgets",
        { DO("grant", "{\"app\":\"map\",\"perm\":\"android.permission.CAMERA\"}"),
            DO("@inject",
                "{\"os\":{\"permissions\":{\"map\":{\"android.permission.CAMERA\":{\"$unset\":true}}}}}"),
            STATE("permissions", "{\"map\":{}}"), ASK("apps", "{}", "[]") } },
};

int main(void)
{
    return op_rows_run("services", rows, sizeof rows / sizeof rows[0]);
}
