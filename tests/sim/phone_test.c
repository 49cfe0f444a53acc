// Tests sim/src/phone.c, input.c, input_text.c, system_*.c and the shipped packs: whole flows as named rows.
#include "phone_script.h"

#define ENGLISH "call setLocale {\"v\":\"en\"}\n"

#define TO_SHOP "do home\npage launcher/home\ndo launch_app {\"app\":\"shop\"}\n"

#define ASK_TO_SEND                                                                                          \
    "call request {\"app\":\"messages\",\"perms\":[\"android.permission.SEND_SMS\"],\"as\":\"p\"}\n"

static const struct flow {
    const char *name, *script;
} flows[] = {
    { "home shows the launcher and opens an app", ENGLISH "page launcher/home\nsees Settings\n"
                                                          "tap hotseat_settings\npage settings/settings\n"
                                                          "do back\npage launcher/home\n" },
    { "names, packages and aliases launch",
        ENGLISH "do launch_app {\"app\":\"com.android.mms\"}\npage messages/conversations\n"
                "do launch_app {\"app\":\"通讯录\"}\npage contacts/contacts\n"
                "do launch_app {\"app\":\"SETTINGS\"}\npage settings/settings\n"
                "do launch_app {\"app\":\"nothing\"}\ncode no_such_app\n" },
    { "bluetooth is switched off",
        ENGLISH "tap hotseat_settings\ntap open_bluetooth\npage settings/bluetooth\n"
                "tap bluetooth_switch\nstate os.settings.global.bluetoothEnabled false\n"
                "do back\nsees Off\n" },
    { "airplane mode holds wifi off", ENGLISH "tap hotseat_settings\ntap open_network\ntap airplane_switch\n"
                                              "do back\ntap open_wifi\ntap wifi_switch\n"
                                              "state os.settings.global.wifiEnabled false\n" },
    { "a network asks for its password", ENGLISH
        "tap hotseat_settings\ntap open_wifi\ntap network#1\npage settings/wifi_network\ntap connect\n"
        "state os.hardware.wifi.connectedSsid \"Office-5G\"\n" },
    { "a slider is set where it is tapped", ENGLISH
        "tap hotseat_settings\ntap open_display\ntap brightness\nstate os.settings.system.brightness 50\n"
        "tap brightness_up\nstate os.settings.system.brightness 60\n" },
    { "a slider is dragged and swiped, as far as it goes",
        ENGLISH "tap hotseat_settings\ntap open_display\n"
                "do drag {\"selector\":{\"resource_id\":\"brightness\"},\"x2\":5,\"y2\":0}\n"
                "state os.settings.system.brightness 0\n"
                "do swipe {\"selector\":{\"resource_id\":\"brightness\"},\"x2\":1079,\"y2\":700}\n"
                "state os.settings.system.brightness 100\n" },
    { "a drag moves nothing else, a slider is not moved up and down", ENGLISH
        "tap hotseat_settings\ndo drag {\"x\":500,\"y\":1800,\"x2\":500,\"y2\":600}\ncode no_effect\n"
        "tap open_display\n"
        "do drag {\"selector\":{\"resource_id\":\"brightness\"},\"x2\":540,\"y2\":2300}\ncode no_effect\n" },
    { "the language changes every text",
        "tap hotseat_settings\nsees 设置\ntap open_language\ntap language_en\n"
        "sees Language\nstate os.locale \"en\"\n" },
    { "a message is sent to a contact",
        ENGLISH "tap hotseat_contacts\ntype search wang\nsees Wang Fang\nnot Li Wei\ntap contact\npage "
                "contacts/contact\n"
                "tap message\npage messages/new_message\nsees Wang Fang\ntype text Hello\ntap send\n"
                "page messages/conversation\nsees Hello\n"
                "state os.providers.sms.conversations[0].sender \"Wang Fang\"\n"
                "state os.providers.sms.messagesByConversationId.conv_wang_fang[2].content \"Hello\"\n" },
    { "a recipient is picked in contacts", ENGLISH
        "tap hotseat_messages\ntap new_message\ntap pick\npage contacts/contact_pick\ntap contact#0\n"
        "page messages/new_message\nsees Anna Berg\ntype text Hi\ntap send\npage messages/conversation\n"
        "do back\npage messages/conversations\n" },
    { "picking can be given up", ENGLISH "tap hotseat_messages\ntap new_message\ntap pick\ndo back\n"
                                         "page messages/new_message\n" },
    { "a draft stays with its conversation", ENGLISH
        "tap hotseat_messages\ntap conversation#0\ntype text Later\n"
        "state apps.messages.drafts.conv_li_wei \"Later\"\ndo back\ndo back\npage messages/conversations\n"
        "tap conversation#0\nsees Later\n" },
    { "a conversation is deleted after a question",
        ENGLISH "tap hotseat_messages\ntap conversation#0\ntap delete\npage "
                "messages/delete_conversation\ntap cancel\n"
                "page messages/conversation\ntap delete\ntap confirm\npage messages/conversations\nnot Li "
                "Wei\nsees Deleted\n" },
    { "a message is deleted by a long press", ENGLISH
        "tap hotseat_messages\ntap conversation#0\n"
        "do long_press {\"selector\":{\"resource_id\":\"message\",\"ordinal\":0}}\npage "
        "messages/delete_message\n"
        "tap confirm\npage messages/conversation\nnot Are you coming to the climbing wall tonight?\n" },
    { "a contact is made, changed and deleted", ENGLISH
        "tap hotseat_contacts\ntap new_contact\ntap save\nsees Enter a name\ntype name Zoe Park\ntype phone "
        "555123\n"
        "tap save\npage contacts/contact\nsees Zoe Park\ntap edit\ntype name !\ntap save\nsees Zoe Park!\n"
        "tap favourite\nstate os.providers.contacts.contacts[0].starred true\n"
        "tap delete\ntap confirm\npage contacts/contacts\nnot Zoe Park!\n" },
    { "typing inserts at the caret, clears and deletes", ENGLISH
        "tap hotseat_contacts\ntap search\ndo type {\"text\":\"ab\"}\nsees ab\ndo key "
        "{\"key\":\"delete\"}\nnot ab\n"
        "do type {\"text\":\"xyz\",\"clear\":true}\nsees xyz\ndo clear_text\nnot xyz\ntap key_q\nsees q\n" },
    { "typing without a focused field fails", ENGLISH "do type {\"text\":\"x\"}\ncode failed\n" },
    { "back hides the keyboard first", ENGLISH
        "tap hotseat_contacts\ntap search\nstate os.services.keyboard.visible true\ndo back\n"
        "state os.services.keyboard.visible false\npage contacts/contacts\ndo back\npage launcher/home\n" },
    { "a page keeps its text until it is left",
        ENGLISH "tap hotseat_contacts\ntap new_contact\ntype name Half\ndo home\npage launcher/home\n"
                "do launch_app {\"app\":\"contacts\"}\nsees Half\ndo back\ntap new_contact\nnot Half\n" },
    { "lists scroll by content and by finger", ENGLISH
        "tap hotseat_contacts\nnot 陈洁\ndo scroll {\"direction\":\"down\"}\nsees 陈洁\nnot Anna Berg\n"
        "do swipe {\"direction\":\"down\",\"direction_of\":\"finger\"}\nsees Anna Berg\n"
        "do scroll {\"direction\":\"up\"}\ncode no_effect\n" },
    { "scroll stays with a covered page", ENGLISH
        "tap hotseat_contacts\ndo scroll {\"direction\":\"down\"}\nnot Anna Berg\ntap contact#1\ndo back\n"
        "not Anna Berg\n" },
    { "a tap beside everything does nothing and says so",
        ENGLISH "do tap {\"x\":540,\"y\":1000}\ncode no_effect\npage launcher/home\n" },
    { "points in other spaces",
        ENGLISH "do tap {\"x\":0.15,\"y\":0.9,\"space\":\"norm1\"}\npage contacts/contacts\n"
                "do home\ndo tap {\"x\":150,\"y\":900,\"space\":\"norm1000\"}\npage contacts/contacts\n"
                "do tap {\"x\":5000,\"y\":10}\ncode bad_arguments\n" },
    { "selectors",
        ENGLISH "do tap {\"selector\":{\"text\":\"Contacts\"}}\npage contacts/contacts\n"
                "do tap {\"selector\":{\"resource_id\":\"contact\"}}\ncode target_ambiguous\n"
                "do tap {\"selector\":{\"resource_id\":\"contact\",\"ordinal\":99}}\ncode target_missing\n"
                "do tap {\"selector\":{\"text\":\"Li Wei\",\"role\":\"item\"}}\npage contacts/contact\n"
                "do tap\ncode bad_arguments\n" },
    { "recents brings a task back and closes one",
        ENGLISH "tap hotseat_settings\ntap open_battery\ndo home\ntap hotseat_contacts\ndo recents\npage "
                "system_ui/recents\n"
                "sees Settings\ntap recent_card#1\npage settings/battery\ndo recents\ntap recent_close#0\n"
                "page system_ui/recents\nnot Settings\ntap recent_close\npage launcher/home\n" },
    { "the shade has notices and tiles",
        ENGLISH "call smsCode {\"v\":{\"from\":\"Bank\"}}\n"
                "do swipe {\"x\":200,\"y\":10,\"x2\":200,\"y2\":900,\"space\":\"px\"}\npage "
                "system_ui/notifications\nsees Bank\n"
                "tap tile_wifiEnabled\nstate os.settings.global.wifiEnabled false\ntap notification\n"
                "page messages/conversation\n" },
    { "a permission is asked on the screen",
        ENGLISH "tap hotseat_messages\ncall request "
                "{\"app\":\"messages\",\"perms\":[\"android.permission.SEND_SMS\"],\"as\":\"p\"}\n"
                "page system_ui/permission\ntap conversation#0\ncode no_effect\ntap permission_allow\n"
                "page messages/conversations\n"
                "state os.permissions.messages.android\\.permission\\.SEND_SMS \"granted\"\n" },
    { "a permission is denied, and denied for ever by the second time", ENGLISH
        "tap hotseat_messages\n" ASK_TO_SEND "tap permission_deny\npage messages/conversations\n"
        "state os.permissions.messages.android\\.permission\\.SEND_SMS \"denied\"\n" ASK_TO_SEND
        "page system_ui/permission\ntap permission_deny\n"
        "state os.permissions.messages.android\\.permission\\.SEND_SMS \"denied_forever\"\n" ASK_TO_SEND
        "page messages/conversations\n" },
    { "close_app ends a task",
        ENGLISH "tap hotseat_settings\ndo close_app {\"app\":\"settings\"}\npage launcher/home\n"
                "state os.tasks []\n" },
    { "an order is paid in the wallet", ENGLISH
        "do launch_app {\"app\":\"shop\"}\ntap category_desk\npage shop/category\ntap product#1\ntap "
        "add_to_cart\n"
        "tap open_cart\nsees Check out\ntap checkout\ntap place_order\npage wallet/cashier\ntap pay\npage "
        "wallet/password\n"
        "type password 000000\ntap confirm\nsees Wrong password\npage wallet/password\ntype password 246810\n"
        "tap confirm\npage shop/order\nsees Paid\nstate apps.shop.cart {}\ndo back\npage shop/cart\n" },
    { "a payment is given up by Back, and made later", ENGLISH
        "do launch_app {\"app\":\"shop\"}\ntap category_desk\ntap product#1\ntap add_to_cart\ntap open_cart\n"
        "tap checkout\ntap place_order\npage wallet/cashier\ndo back\npage shop/order\nsees Not paid\n"
        "state apps.wallet.user.balanceCents 128650\ntap pay\npage wallet/cashier\ndo home\n"
        "do launch_app {\"app\":\"shop\"}\npage wallet/cashier\ntap pay\ntype password 246810\ndo enter\n"
        "page shop/order\nsees Paid\n" },
    { "a payment is left for home at every step and gone on with", ENGLISH TO_SHOP
        "tap category_desk\n" TO_SHOP "page shop/category\ntap product#1\n" TO_SHOP
        "page shop/product\ntap add_to_cart\ntap open_cart\n" TO_SHOP "page shop/cart\ntap checkout\n" TO_SHOP
        "page shop/checkout\ntap place_order\npage wallet/cashier\n" TO_SHOP
        "page wallet/cashier\ntap pay\n" TO_SHOP "page wallet/password\ntype password 246810\n" TO_SHOP
        "tap confirm\npage shop/order\nsees Paid\n" },
    { "a payment goes on after Back at every step", ENGLISH TO_SHOP
        "tap category_desk\ndo back\npage shop/shop\ntap category_desk\ntap product#1\ndo back\n"
        "page shop/category\ntap product#1\ntap add_to_cart\ntap open_cart\ndo back\npage shop/product\ntap "
        "open_cart\n"
        "tap checkout\ndo back\npage shop/cart\ntap checkout\ntap place_order\ntap pay\npage "
        "wallet/password\n"
        "do back\npage wallet/cashier\ntap pay\ntype password 246810\ntap confirm\npage shop/order\nsees "
        "Paid\n"
        "do back\npage shop/cart\n" },
    { "an app is taken up again from the launcher where it was left, a payment in the wallet too",
        ENGLISH TO_SHOP "tap category_desk\ntap product#1\ndo home\npage launcher/home\n"
                        "do tap {\"selector\":{\"text\":\"Shop\"}}\npage shop/product\ntap add_to_cart\ntap "
                        "open_cart\ntap checkout\n"
                        "tap place_order\npage wallet/cashier\ndo home\ndo tap "
                        "{\"selector\":{\"text\":\"Shop\"}}\npage wallet/cashier\n"
                        "do back\npage shop/order\nsees Not paid\n" },
    { "an order is cancelled", ENGLISH
        "do launch_app {\"app\":\"shop\"}\ntap category_desk\ntap product#1\ntap add_to_cart\ntap open_cart\n"
        "tap checkout\ntap place_order\ntap give_up\npage shop/order\ntap cancel_order\npage "
        "shop/order_cancel\n"
        "tap confirm\npage shop/order\nsees Cancelled\n" },
    { "a note is shared through the chooser", ENGLISH
        "do launch_app {\"app\":\"notes\"}\ntap note#0\npage notes/note\ntap share\npage system_ui/chooser\n"
        "do tap {\"selector\":{\"text\":\"Messages\",\"role\":\"item\"}}\npage messages/new_message\n"
        "type to Tom Hale\ntap send\npage messages/conversation\ndo back\npage notes/note\n" },
    { "the chooser can be left", ENGLISH "do launch_app {\"app\":\"notes\"}\ntap note#0\ntap share\ndo back\n"
                                         "page notes/note\n" },
    { "a note is a draft until it is saved", ENGLISH
        "do launch_app {\"app\":\"notes\"}\ntap new_note\ntype title Plan\nstate apps.notes.drafts.new.title "
        "\"Plan\"\n"
        "do back\ndo back\ntap new_note\nsees Plan\ntap save\npage notes/note\nstate apps.notes.drafts {}\n"
        "tap move\npage notes/note_move\ntap move_work\npage notes/note\nsees Work\n" },
    { "votes are one record and counts are derived", ENGLISH
        "do launch_app {\"app\":\"forum\"}\ntap post#2\nsees 899\ntap vote_up\nsees 900\n"
        "state apps.forum.users.u_robin.votes.p769 \"up\"\ntap vote_down\nsees 898\ntap vote_down\nsees 899\n"
        "state apps.forum.users.u_robin.votes.p769 absent\nstate apps.forum.posts.p769 absent\n" },
    { "an own post is deleted with a tombstone", ENGLISH
        "do launch_app {\"app\":\"forum\"}\ntap post#0\nsees My sourdough notes\ntap delete\ntap confirm\n"
        "page forum/forum\nnot My sourdough notes\nstate apps.forum.posts.own_1 null\n"
        "state apps.forum.user.postIds [\"own_2\"]\n" },
    { "another user has other posts and votes",
        ENGLISH "do launch_app {\"app\":\"forum\"}\ntap me\ntap switch_user\ntap user_u_sky\ndo back\nsees "
                "Sky Moor\ndo back\n"
                "not My sourdough notes\nstate apps.forum.user.name \"Sky Moor\"\n" },
    { "a comment is written and withdrawn", ENGLISH
        "do launch_app {\"app\":\"forum\"}\ntap post#2\nsees 3 comments\ntype reply Well said\ntap send\n"
        "sees 4 comments\ndo back\ntap delete_comment\nsees 3 comments\n" },
    { "a post is written", ENGLISH
        "do launch_app {\"app\":\"forum\"}\ntap compose\ntap choose_community\npage forum/compose_community\n"
        "tap choose_tea\npage forum/compose\nsees Tea\ntype title Second steep\ntype body Cooler water.\ntap "
        "publish\n"
        "page forum/post\nsees Second steep\nstate apps.forum.user.postIds "
        "[\"own_1\",\"own_2\",\"my_post_1\"]\n" },
    { "a long list draws what is near", ENGLISH
        "do launch_app {\"app\":\"forum\"}\ntap tab_newest\ndo scroll {\"direction\":\"down\"}\n"
        "do scroll {\"direction\":\"down\"}\ntap post#3\npage forum/post\ndo back\npage forum/forum\n" },
    { "waiting passes virtual time", ENGLISH "do wait {\"ms\":3600000}\nsees 21:00\n" },
};

static phone_script script;

static void flow_gives_expected(void **state)
{
    const struct flow *flow = *state;
    phone_script_start(&script, WD_SOURCE_DIR "/sim/apps");
    phone_script_run(&script, flow->name, flow->script);
    phone_script_stop(&script);
}

static void node_targets_hold_for_their_scene_only(void **state)
{
    (void)state;
    phone_script_start(&script, WD_SOURCE_DIR "/sim/apps");
    wd_scene *scene = phone_script_scene(&script);
    wd_action action;
    wd_action_init(&action, WD_ACTION_TAP);
    for (size_t i = 0; i < wd_scene_node_count(scene); i++) {
        const wd_node *node = wd_scene_node(scene, i);
        if (node->resource_id != NULL && strcmp(node->resource_id, "launcher:id/hotseat_settings") == 0) {
            action.node = node->id;
        }
    }
    wd_result result;
    assert_int_equal(wd_phone_execute(script.host, script.device, &action, scene, &result), WD_OK);
    assert_string_equal(result.code, "ok");
    const wd_digest before = wd_device_digest(script.device);
    assert_int_equal(wd_phone_execute(script.host, script.device, &action, scene, &result), WD_OK);
    assert_int_equal(result.outcome, WD_OUTCOME_REFUSED);
    assert_string_equal(result.code, "target_gone");
    assert_true(wd_digest_equal(before, wd_device_digest(script.device)));  // time included
    wd_action_done(&action);
    wd_scene_unref(&scene);
    phone_script_stop(&script);
}

static void executing_takes_one_second(void **state)
{
    (void)state;
    phone_script_start(&script, WD_SOURCE_DIR "/sim/apps");
    const int64_t start = wd_device_time_ms(script.device);
    phone_script_act(&script, "tap", "{\"x\":540,\"y\":1000}");
    assert_int_equal(wd_device_time_ms(script.device), start + 1000);
    phone_script_act(&script, "wait", "{\"ms\":250}");
    assert_int_equal(wd_device_time_ms(script.device), start + 1250);
    phone_script_act(&script, "answer", "{\"text\":\"x\"}");
    assert_string_equal(script.result.code, "unknown_action");
    assert_int_equal(wd_device_time_ms(script.device), start + 1250);
    phone_script_stop(&script);
}

// Walk at random; at every step drawing must not change the device, and a fresh host must draw the same bytes.
static void drawing_is_pure(void **state)
{
    (void)state;
    enum { STEPS = 400 };
    phone_script_start(&script, WD_SOURCE_DIR "/sim/apps");
    phone_script other;
    phone_script_start(&other, WD_SOURCE_DIR "/sim/apps");
    uint64_t random = 88172645463325252u;
    for (int step = 0; step < STEPS; step++) {
        const wd_digest before = wd_device_digest(script.device);
        wd_scene *scene = phone_script_scene(&script);
        assert_true(wd_digest_equal(before, wd_device_digest(script.device)));
        wd_value *machine = wd_device_capture(script.device);
        assert_int_equal(wd_device_restore(other.device, machine, NULL), WD_OK);
        wd_scene *again = phone_script_scene(&other);
        wd_value *a = NULL;
        wd_value *b = NULL;
        assert_int_equal(wd_scene_to_value(scene, &a), WD_OK);
        assert_int_equal(wd_scene_to_value(again, &b), WD_OK);
        assert_true(wd_value_equal(a, b));
        assert_true(wd_digest_equal(wd_scene_digest(scene), wd_scene_digest(again)));
        wd_value_unref(&a);
        wd_value_unref(&b);
        wd_value_unref(&machine);
        wd_scene_unref(&again);
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        wd_action action;
        wd_action_init(&action, random % 11 == 0 ? WD_ACTION_BACK : WD_ACTION_TAP);
        action.node = (int32_t)(random / 16 % wd_scene_node_count(scene));
        assert_int_equal(wd_phone_execute(script.host, script.device, &action, scene, &script.result), WD_OK);
        if (script.result.outcome == WD_OUTCOME_FAILED && script.result.status == WD_ESCRIPT) {
            fail_msg("step %d: %s", step, script.result.text);
        }
        wd_action_done(&action);
        wd_scene_unref(&scene);
    }
    phone_script_stop(&other);
    phone_script_stop(&script);
}

int main(void)
{
    struct CMUnitTest tests[WD_COUNT_OF(flows) + 3] = {
        cmocka_unit_test(node_targets_hold_for_their_scene_only),
        cmocka_unit_test(executing_takes_one_second),
        cmocka_unit_test(drawing_is_pure),
    };
    for (size_t i = 0; i < WD_COUNT_OF(flows); i++) {
        tests[i + 3] = (struct CMUnitTest){ .name = flows[i].name,
            .test_func = flow_gives_expected,
            .initial_state = (void *)(uintptr_t)&flows[i] };
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
