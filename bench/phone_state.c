// phone_state.c - a synthetic phone's state. Every number and text comes from the seed.
#include "phone_state.h"

#include <stdio.h>

typedef struct phone_maker {
    uint64_t state;    // splitmix64
    wd_status status;  // the first failure; nothing is made after it
    wd_status packed;  // what the last PACK gave
} phone_maker;

static uint64_t next(phone_maker *maker)
{
    maker->state += 0x9E3779B97F4A7C15u;
    uint64_t mixed = maker->state;
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
    return mixed ^ mixed >> 31;
}

static size_t below(phone_maker *maker, size_t bound)
{
    return (size_t)(next(maker) >> 33) % bound;
}

static int64_t number(phone_maker *maker, size_t bound)
{
    return (int64_t)below(maker, bound);
}

// Some words, 20 to 50 bytes.
static const char *words(phone_maker *maker, char text[96])
{
    static const char *const vocabulary[] = { "alarm", "bright", "call", "data", "evening", "family", "green",
        "hotel", "invite", "journey", "kitchen", "letter", "morning", "notice", "order", "photo", "quiet",
        "reply", "station", "ticket", "update", "video", "weather", "yesterday" };
    size_t length = 0;
    for (size_t left = 4 + below(maker, 5); left > 0; left--) {
        length += (size_t)snprintf(text + length, 96 - length, "%s%s", length > 0 ? " " : "",
            vocabulary[below(maker, sizeof(vocabulary) / sizeof(vocabulary[0]))]);
    }
    return text;
}

// ---- building blocks: a failure stays in the maker, and what is made after it is null -------------------------

static void put(phone_maker *maker, wd_value **object_p, const char *name, wd_value *item)
{
    if (maker->status == WD_OK) {
        maker->status = wd_object_set(object_p, name, &item);
    }
    wd_value_unref(&item);
}

static void add(phone_maker *maker, wd_value **array_p, wd_value *item)
{
    if (maker->status == WD_OK) {
        maker->status = wd_array_append(array_p, &item);
    }
    wd_value_unref(&item);
}

static wd_value *pack_done(phone_maker *maker, wd_value *value)
{
    if (maker->packed != WD_OK) {
        maker->status = maker->packed;
        return wd_value_null();
    }
    return value;
}

#define PACK(maker, value, ...)                                                                              \
    ((maker)->packed = wd_value_pack(&(value), __VA_ARGS__), pack_done((maker), (value)))

typedef wd_value *record_maker(phone_maker *maker, size_t index);

static wd_value *list_of(phone_maker *maker, size_t count, record_maker *record)
{
    wd_value *list = wd_value_array();
    for (size_t i = 0; i < count && maker->status == WD_OK; i++) {
        add(maker, &list, record(maker, i));
    }
    return list;
}

static wd_value *flags_of(phone_maker *maker, size_t count, const char *prefix)
{
    wd_value *object = wd_value_object();
    for (size_t i = 0; i < count; i++) {
        char name[96];
        snprintf(name, sizeof(name), "%s%zuEnabled", prefix, i);
        put(maker, &object, name, wd_value_bool(below(maker, 2) == 0));
    }
    return object;
}

static wd_value *texts_of(phone_maker *maker, size_t count, const char *prefix)
{
    wd_value *object = wd_value_object();
    for (size_t i = 0; i < count; i++) {
        char name[96], text[96];
        wd_value *value = NULL;
        snprintf(name, sizeof(name), "%s_%zu", prefix, i);
        put(maker, &object, name, PACK(maker, value, "s", words(maker, text)));
    }
    return object;
}

// ---- records --------------------------------------------------------------------------------------------------

static wd_value *contact(phone_maker *maker, size_t index)
{
    char id[32], name[96], phone[32], mail[64];
    wd_value *value = NULL;
    snprintf(id, sizeof(id), "contact_%zu", index);
    snprintf(phone, sizeof(phone), "+86 138 %08zu", below(maker, 100000000));
    snprintf(mail, sizeof(mail), "person.%zu@example.org", index);
    return PACK(maker, value, "{s:s,s:s,s:s,s:s,s:b}", "id", id, "name", words(maker, name), "phone", phone,
        "email", mail, "starred", below(maker, 5) == 0);
}

static wd_value *message(phone_maker *maker, size_t index)
{
    char id[32], body[96];
    wd_value *value = NULL;
    snprintf(id, sizeof(id), "m%zu_%zu", index, below(maker, 1000000));
    return PACK(maker, value, "{s:s,s:s,s:i,s:b}", "id", id, "body", words(maker, body), "date",
        INT64_C(1767528000000) + number(maker, 100000000), "read", below(maker, 2) == 0);
}

static wd_value *sms_thread(phone_maker *maker, size_t index)
{
    char id[32], address[32];
    wd_value *value = NULL;
    snprintf(id, sizeof(id), "thread_%zu", index);
    snprintf(address, sizeof(address), "+86 139 %08zu", below(maker, 100000000));
    return PACK(
        maker, value, "{s:s,s:s,s:V}", "id", id, "address", address, "messages", list_of(maker, 7, message));
}

static wd_value *medium(phone_maker *maker, size_t index)
{
    char id[32], uri[64], name[96];
    wd_value *value = NULL;
    snprintf(id, sizeof(id), "media_%zu", index);
    snprintf(uri, sizeof(uri), "content://media/images/%zu", index);
    return PACK(maker, value, "{s:s,s:s,s:s,s:s,s:i,s:i,s:i,s:i}", "id", id, "uri", uri, "name",
        words(maker, name), "mime", "image/jpeg", "size", number(maker, 5000000), "width",
        number(maker, 4000), "height", number(maker, 4000), "date",
        INT64_C(1767528000000) + number(maker, 100000000));
}

static wd_value *notification(phone_maker *maker, size_t index)
{
    char id[32], title[96], text[96];
    wd_value *value = NULL;
    snprintf(id, sizeof(id), "n%zu", index);
    return PACK(maker, value, "{s:s,s:s,s:s,s:s,s:i,s:b}", "id", id, "appId", "messages", "title",
        words(maker, title), "text", words(maker, text), "timestamp",
        INT64_C(1767528000000) + number(maker, 100000000), "read", below(maker, 2) == 0);
}

static wd_value *post(phone_maker *maker, size_t index)
{
    char id[32], title[96], text[96];
    wd_value *value = NULL;
    snprintf(id, sizeof(id), "p%zu", index);
    return PACK(maker, value, "{s:s,s:s,s:s,s:i,s:b,s:d,s:{s:s,s:i}}", "id", id, "title", words(maker, title),
        "text", words(maker, text), "likes", number(maker, 10000), "liked", below(maker, 2) == 0, "score",
        (double)below(maker, 1000) / 100, "author", "name", "somebody", "level", number(maker, 60));
}

static wd_value *task(phone_maker *maker, size_t index)
{
    wd_value *value = NULL;
    char id[32], activity[32];
    snprintf(id, sizeof(id), "task_%zu", index);
    snprintf(activity, sizeof(activity), "activity_%zu", below(maker, 1000));
    return PACK(maker, value, "{s:s,s:s,s:i,s:[{s:s,s:s,s:s}]}", "id", id, "appId", "messages", "lastActive",
        number(maker, 100000), "stack", "activityId", activity, "appId", "messages", "initialRoute", "/home");
}

static wd_value *entity(phone_maker *maker, size_t index)
{
    char id[32], name[96];
    wd_value *value = NULL;
    snprintf(id, sizeof(id), "e%zu", index);
    return PACK(maker, value, "{s:s,s:s,s:i,s:i,s:b,s:d,s:i,s:n}", "id", id, "name", words(maker, name),
        "price", number(maker, 100000), "stock", number(maker, 100), "listed", below(maker, 2) == 0, "rating",
        (double)below(maker, 50) / 10, "seller", number(maker, 1000), "note");
}

// ---- the two halves -------------------------------------------------------------------------------------------

static wd_value *make_os(phone_maker *maker)
{
    wd_value *os = wd_value_object(), *value = NULL;
    put(maker, &os, "tasks", list_of(maker, 6, task));
    put(maker, &os, "activeTaskId", PACK(maker, value, "s", "task_0"));
    put(maker, &os, "isLauncherVisible", wd_value_bool(false));
    put(maker, &os, "settings",
        PACK(maker, value, "{s:V,s:V}", "global", flags_of(maker, 24, "option"), "system",
            texts_of(maker, 20, "setting")));
    put(maker, &os, "hardware",
        PACK(maker, value, "{s:{s:i,s:b},s:{s:i,s:s},s:V}", "battery", "percent", number(maker, 100),
            "charging", 0, "wifi", "level", number(maker, 5), "ssid", "home-5g", "sensors",
            flags_of(maker, 12, "sensor")));
    wd_value *permissions = wd_value_object();
    for (size_t i = 0; i < 13; i++) {
        char name[32];
        snprintf(name, sizeof(name), "app%zu", i);
        put(maker, &permissions, name, flags_of(maker, 6, "permission"));
    }
    put(maker, &os, "permissions", permissions);
    put(maker, &os, "preferences", texts_of(maker, 110, "preference"));
    put(maker, &os, "notifications",
        PACK(maker, value, "{s:V,s:i}", "items", list_of(maker, 40, notification), "unreadCount",
            number(maker, 40)));
    put(maker, &os, "providers",
        PACK(maker, value, "{s:{s:V},s:{s:V},s:{s:V}}", "contacts", "items", list_of(maker, 70, contact),
            "sms", "threads", list_of(maker, 40, sms_thread), "media", "items", list_of(maker, 100, medium)));
    return os;
}

static wd_value *make_apps(phone_maker *maker, size_t entities)
{
    static const size_t posts[] = { 263, 60, 45, 40, 36, 32, 28, 24, 20, 16, 12, 8, 4 };
    wd_value *apps = wd_value_object(), *value = NULL;
    for (size_t i = 0; i < sizeof(posts) / sizeof(posts[0]); i++) {
        char name[32], text[96];
        snprintf(name, sizeof(name), "app%zu", i);
        put(maker, &apps, name,
            PACK(maker, value, "{s:i,s:{s:s,s:s,s:i},s:V,s:V,s:V}", "version", number(maker, 100), "user",
                "id", "u1", "name", words(maker, text), "age", number(maker, 90), "settings",
                flags_of(maker, 12, "feature"), "drafts", texts_of(maker, 10, "draft"), "posts",
                list_of(maker, posts[i], post)));
    }
    wd_value *tables = wd_value_object();
    for (size_t i = 0; i < 4 && entities > 0; i++) {
        wd_value *table = wd_value_object();
        for (size_t j = 0; j < entities / 4 && maker->status == WD_OK; j++) {
            char id[32];
            snprintf(id, sizeof(id), "e%zu", j);
            put(maker, &table, id, entity(maker, j));
        }
        char name[32];
        snprintf(name, sizeof(name), "table%zu", i);
        put(maker, &tables, name, table);
    }
    if (entities > 0) {
        put(maker, &apps, "store", tables);
    } else {
        wd_value_unref(&tables);
    }
    return apps;
}

wd_status wd_phone_state_make(uint64_t seed, size_t entities, wd_value **ret_state)
{
    phone_maker maker = { .state = seed };
    wd_value *state = wd_value_object();
    put(&maker, &state, "os", make_os(&maker));
    put(&maker, &state, "apps", make_apps(&maker, entities));
    if (maker.status != WD_OK) {
        wd_value_unref(&state);
        return maker.status;
    }
    *ret_state = state;
    return WD_OK;
}
