/// Tests semantic/src/dialect*.c: every dialect, rule by rule. Needs world/scene, world/tree.
#include "semantic/dialect.h"

#include "tree/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const wd_dialect *dialect_of(const char *name)
{
    const wd_dialect *dialect = NULL;
    if (wd_dialect_find(name, &dialect) != WD_OK) {
        fail_msg("no dialect %s", name);
    }
    return dialect;
}

static wd_reply parse(const char *dialect, const char *raw, const wd_dialect_options *options)
{
    wd_reply reply;
    assert_int_equal(wd_dialect_parse(dialect_of(dialect), raw, strlen(raw), options, &reply), WD_OK);
    assert_true(reply.count > 0);
    return reply;
}

/// The actions as JSON without their raw text, one per line; an invalid one without its reason, which is prose.
static char *printed(wd_reply *reply)
{
    static char text[8192];
    for (size_t i = 0; i < reply->count; i++) {
        wd_action *action = &reply->actions[i];
        assert_non_null(action->raw);
        assert_int_equal(wd_action_set_text(&action->raw, NULL, 0), WD_OK);
        if (action->kind == WD_ACTION_INVALID) {
            assert_non_null(action->reason);
            assert_int_equal(wd_action_set_text(&action->reason, NULL, 0), WD_OK);
        }
    }
    wd_buffer buffer = { 0 };
    assert_int_equal(wd_reply_write(reply, &buffer), WD_OK);
    assert_true(buffer.length > 0 && buffer.length < sizeof text);
    memcpy(text, buffer.bytes, buffer.length);
    text[buffer.length - 1] = '\0';  // the last newline
    wd_buffer_done(&buffer);
    return text;
}

#define INVALID "{\"kind\":\"invalid\"}"

static const struct row {
    const char *name, *dialect, *raw, *printed;
} rows[] = {
    // ---- AndroidWorld
    { "aw: click by index", "androidworld",
        "Reason: it is there. Action: {\"action_type\":\"click\",\"index\":6}",
        "{\"kind\":\"tap\",\"index\":6}" },
    { "aw: index as a string", "androidworld", "{\"action_type\":\"click\",\"index\":\"6\"}",
        "{\"kind\":\"tap\",\"index\":6}" },
    { "aw: index negative", "androidworld", "{\"action_type\":\"click\",\"index\":-1}", INVALID },
    { "aw: click by point", "androidworld", "Action: {\"action_type\":\"click\",\"x\":5,\"y\":6}",
        "{\"kind\":\"tap\",\"x\":5,\"y\":6,\"space\":\"px\"}" },
    { "aw: click on nothing", "androidworld", "{\"action_type\":\"click\"}", INVALID },
    { "aw: single quotes", "androidworld", "Action: {'action_type': 'status', 'goal_status': 'infeasible'}",
        "{\"kind\":\"abort\",\"status\":\"failure\"}" },
    { "aw: complete", "androidworld", "{\"action_type\":\"status\",\"goal_status\":\"complete\"}",
        "{\"kind\":\"complete\",\"status\":\"success\"}" },
    { "aw: status of no known word", "androidworld", "{\"action_type\":\"status\",\"goal_status\":\"done?\"}",
        INVALID },
    { "aw: text with a brace", "androidworld",
        "Action: {\"action_type\":\"input_text\",\"text\":\"a}b{\",\"index\":3}",
        "{\"kind\":\"type\",\"index\":3,\"text\":\"a}b{\"}" },
    { "aw: text with inner quotes", "androidworld",
        "Action: {\"action_type\": \"input_text\", \"text\": \"say \"hi\" twice\", \"index"
        "\": 3}",
        "{\"kind\":\"type\",\"index\":3,\"text\":\"say \\\"hi\\\" twice\"}" },
    { "aw: newline at the end submits", "androidworld",
        "{\"action_type\":\"input_text\",\"text\":\"hi\\n\",\"index\":3}",
        "{\"kind\":\"type\",\"index\":3,\"submit\":true,\"text\":\"hi\"}" },
    { "aw: scroll is the content's (bugs.md 50)", "androidworld",
        "{\"action_type\":\"scroll\",\"direction\":\"down\"}",
        "{\"kind\":\"scroll\",\"direction\":\"down\",\"direction_of\":\"content\"}" },
    { "aw: swipe is the finger's (bugs.md 50)", "androidworld",
        "{\"action_type\":\"swipe\",\"direction\":\"down\"}",
        "{\"kind\":\"swipe\",\"direction\":\"down\",\"direction_of\":\"finger\"}" },
    { "aw: scroll without direction", "androidworld", "{\"action_type\":\"scroll\"}", INVALID },
    { "aw: drag without points (bugs.md 51)", "androidworld", "{\"action_type\":\"drag_and_drop\"}",
        INVALID },
    { "aw: drag with points", "androidworld",
        "{\"action_type\":\"drag_and_drop\",\"touch_xy\":[1,2],\"lift_xy\":[3,4]}",
        "{\"kind\":\"drag\",\"x\":1,\"y\":2,\"x2\":3,\"y2\":4,\"space\":\"px\"}" },
    { "aw: unknown name (bugs.md 51)", "androidworld", "{\"action_type\":\"pinch\",\"index\":1}", INVALID },
    { "aw: unknown is no action", "androidworld", "{\"action_type\":\"unknown\"}", INVALID },
    { "aw: empty object (bugs.md 56)", "androidworld", "{}", INVALID },
    { "aw: open_app", "androidworld", "{\"action_type\":\"open_app\",\"app_name\":\"Clock\"}",
        "{\"kind\":\"launch_app\",\"app\":\"Clock\"}" },
    { "aw: open_app of nothing", "androidworld", "{\"action_type\":\"open_app\"}", INVALID },
    { "aw: back", "androidworld", "{\"action_type\":\"navigate_back\"}", "{\"kind\":\"back\"}" },
    { "aw: enter", "androidworld", "{\"action_type\":\"keyboard_enter\"}", "{\"kind\":\"enter\"}" },
    { "aw: answer", "androidworld", "{\"action_type\":\"answer\",\"text\":\"42\"}",
        "{\"kind\":\"answer\",\"text\":\"42\"}" },
    { "aw: type of AndroidControl taps and enters", "androidworld",
        "{\"action_type\":\"type\",\"x\":1,\"y\":2,\"text\":\"hi\"}",
        "{\"kind\":\"type\",\"x\":1,\"y\":2,\"space\":\"px\",\"submit\":true,\"text\":\"hi\"}" },
    { "aw: action named in the reasoning", "androidworld",
        "Reason: not {\"action_type\":\"navigate_home\"} here\nAction: {\"action_type\":\"wai"
        "t\"}",
        "{\"kind\":\"wait\"}" },
    { "aw: reasoning only", "androidworld", "Reason: I could use {\"action_type\":\"navigate_home\"}",
        INVALID },
    { "aw: fenced", "androidworld", "Action:\n```json\n{\"action_type\": \"wait\"}\n```",
        "{\"kind\":\"wait\"}" },
    // ---- UI-TARS
    { "uitars: box", "uitars", "Thought: x\nAction: click(start_box='(197,525)')",
        "{\"kind\":\"tap\",\"x\":197,\"y\":525,\"space\":\"model\"}" },
    { "uitars: box tokens", "uitars", "Action: click(start_box='<|box_start|>(495,30)<|box_end|>')",
        "{\"kind\":\"tap\",\"x\":495,\"y\":30,\"space\":\"model\"}" },
    { "uitars: point tag (bugs.md 46)", "uitars", "Action: click(point='<point>200 300</point>')",
        "{\"kind\":\"tap\",\"x\":200,\"y\":300,\"space\":\"model\"}" },
    { "uitars: point by blank (bugs.md 46)", "uitars", "Action: click(start_box='100 200')",
        "{\"kind\":\"tap\",\"x\":100,\"y\":200,\"space\":\"model\"}" },
    { "uitars: point by comma (bugs.md 46)", "uitars", "Action: click(point='<point>200, 300</point>')",
        "{\"kind\":\"tap\",\"x\":200,\"y\":300,\"space\":\"model\"}" },
    { "uitars: point without quotes", "uitars", "Action: click(point=<point>200, 300</point>)",
        "{\"kind\":\"tap\",\"x\":200,\"y\":300,\"space\":\"model\"}" },
    { "uitars: centre of a box that is no square (bugs.md 45)", "uitars",
        "Action: click(start_box='[100,200,300,280]')",
        "{\"kind\":\"tap\",\"x\":200,\"y\":240,\"space\":\"model\"}" },
    { "uitars: no number in the box (bugs.md 42)", "uitars", "Action: click(start_box='=')", INVALID },
    { "uitars: letters in the box (bugs.md 42)", "uitars", "Action: click(start_box='(a,b)')", INVALID },
    { "uitars: three numbers", "uitars", "Action: click(start_box='(1,2,3)')", INVALID },
    { "uitars: negative", "uitars", "Action: click(start_box='(-5,2)')", INVALID },
    { "uitars: no argument", "uitars", "Action: click()", INVALID },
    { "uitars: cut off", "uitars", "Thought: x\nAction: click(start_box='(19", INVALID },
    { "uitars 1.0: thousandths (bugs.md 43)", "uitars_1.0", "Action: click(start_box='(197,525)')",
        "{\"kind\":\"tap\",\"x\":197,\"y\":525,\"space\":\"norm1000\"}" },
    { "uitars 1.0: outside the range (bugs.md 43)", "uitars_1.0", "Action: click(start_box='(1197,525)')",
        INVALID },
    { "uitars: escapes", "uitars", "Action: type(content='it\\'s a \\\"test\\\"')",
        "{\"kind\":\"type\",\"text\":\"it's a \\\"test\\\"\"}" },
    { "uitars: unescaped inner quote", "uitars", "Action: type(content='it's fine')",
        "{\"kind\":\"type\",\"text\":\"it's fine\"}" },
    { "uitars: newline at the end submits", "uitars", "Action: type(content='weather\\n')",
        "{\"kind\":\"type\",\"submit\":true,\"text\":\"weather\"}" },
    { "uitars: closing bracket in the text", "uitars", "Action: type(content='f(x) :) \"') ok')",
        "{\"kind\":\"type\",\"text\":\"f(x) :) \\\"') ok\"}" },
    { "uitars: several actions", "uitars",
        "Thought: x\nAction: click(point='1 2')\n\ntype(content='a')\n\npress_enter()",
        "{\"kind\":\"tap\",\"x\":1,\"y\":2,\"space\":\"model\"}\n{\"kind\":\"type\",\"text"
        "\":\"a\"}\n{\"kind\":\"enter\"}" },
    { "uitars: last complete Action counts", "uitars",
        "Thought: a\nAction: press_home()\nThought: press_back()\nAction: click(poi", "{\"kind\":\"home\"}" },
    { "uitars: cut off behind reasoning", "uitars", "Thought: maybe press_home()\nAction: click(poi",
        INVALID },
    { "aw: last complete Action counts", "androidworld",
        "Reason: a\nAction: {\"action_type\":\"wait\"}\nReason: b\nAction: {\"action_ty",
        "{\"kind\":\"wait\"}" },
    { "uitars: remark behind the call", "uitars", "Action: press_back() # to open (the) menu",
        "{\"kind\":\"back\"}" },
    { "uitars: prose in front of the call", "uitars", "Action: I use press_back() now",
        "{\"kind\":\"back\"}" },
    { "uitars: unknown among several", "uitars", "Action: press_back()\n\nteleport()",
        "{\"kind\":\"back\"}\n{\"kind\":\"invalid\"}" },
    { "uitars: last Action counts", "uitars",
        "Thought: a\nAction: press_home()\nThought: b\nAction: press_back()", "{\"kind\":\"back\"}" },
    { "uitars: call in the reasoning", "uitars", "Thought: not click(point='1 2')\nAction: press_back()",
        "{\"kind\":\"back\"}" },
    { "uitars: reasoning only", "uitars", "Thought: I will click(point='1 2')", INVALID },
    { "uitars: scroll is the content's", "uitars",
        "Action: scroll(point='<point>540 1200</point>', direction='down')",
        "{\"kind\":\"scroll\",\"x\":540,\"y\":1200,\"space\":\"model\",\"direction\":\"down"
        "\",\"direction_of\":\"content\"}" },
    { "uitars: drag", "uitars", "Action: drag(start_box='(1,2)', end_box='(3,4)')",
        "{\"kind\":\"drag\",\"x\":1,\"y\":2,\"x2\":3,\"y2\":4,\"space\":\"model\"}" },
    { "uitars: empty time is none", "uitars", "Action: long_press(start_box='(1,2)', time='')",
        "{\"kind\":\"long_press\",\"x\":1,\"y\":2,\"space\":\"model\"}" },
    { "uitars: wait is five seconds", "uitars", "Action: wait()", "{\"kind\":\"wait\",\"ms\":5000}" },
    { "uitars: finished", "uitars", "Thought: done.\nAction: finished(content='it\\'s done')",
        "{\"kind\":\"complete\",\"text\":\"it's done\",\"status\":\"success\"}" },
    { "uitars: call_user", "uitars", "Action: call_user()", "{\"kind\":\"ask_user\"}" },
    { "uitars: unknown name", "uitars", "Action: teleport(point='1 2')", INVALID },
    { "uitars: prose", "uitars", "I am finished with this.", INVALID },
    { "uitars: empty", "uitars", "", INVALID },
    // ---- UI-Venus
    { "venus: click", "venus",
        "<think>t</think><action>Click(box=(500, 300))</action><conclusion>c</conclusion>",
        "{\"kind\":\"tap\",\"x\":500,\"y\":300,\"space\":\"norm1000\"}" },
    { "venus: scroll by points is a swipe", "venus", "Scroll(start=(1, 2), end=(3, 4))",
        "{\"kind\":\"swipe\",\"x\":1,\"y\":2,\"x2\":3,\"y2\":4,\"space\":\"norm1000\"}" },
    { "venus: back", "venus", "PressBack()", "{\"kind\":\"back\"}" },
    { "venus: out of range", "venus", "Click(box=(500, 1300))", INVALID },
    // ---- AutoGLM
    { "autoglm: closing tag (bugs.md 38)", "autoglm", "do(action=\"Tap\", element=[811,188])</answer>",
        "{\"kind\":\"tap\",\"x\":811,\"y\":188,\"space\":\"norm1000\"}" },
    { "autoglm: think and answer (bugs.md 41)", "autoglm",
        "<think>do(action=\"Home\") is wrong</think>\n<answer>\ndo(action=\"Launch\", app="
        "\"Maps\")\n</answer>",
        "{\"kind\":\"launch_app\",\"app\":\"Maps\"}" },
    { "autoglm: box tokens and prose (bugs.md 41)", "autoglm",
        "I tap it. <|begin_of_box|>do(action=\"Tap\", element=[1,2])<|end_of_box|>",
        "{\"kind\":\"tap\",\"x\":1,\"y\":2,\"space\":\"norm1000\"}" },
    { "autoglm: not a call (bugs.md 40)", "autoglm", "[{'Type': 'Type'}]", INVALID },
    { "autoglm: the word finish (bugs.md 40)", "autoglm", "I think we should finish here", INVALID },
    { "autoglm: inner quotes", "autoglm", "do(action=\"Type_Name\", text=\"say, \"world\"\")",
        "{\"kind\":\"type\",\"clear\":true,\"text\":\"say, \\\"world\\\"\"}" },
    { "autoglm: brackets in the text", "autoglm", "do(action=\"Type\", text=\"test(one)user\")",
        "{\"kind\":\"type\",\"clear\":true,\"text\":\"test(one)user\"}" },
    { "autoglm: unknown name", "autoglm", "do(action=\"Pinch\", element=[1,2])", INVALID },
    { "autoglm: no name", "autoglm", "do(element=[1,2])", INVALID },
    { "autoglm: no element", "autoglm", "do(action=\"Tap\")", INVALID },
    { "autoglm: element of one number", "autoglm", "do(action=\"Tap\", element=[5])", INVALID },
    { "autoglm: outside the range", "autoglm", "do(action=\"Tap\", element=[1080,2000])", INVALID },
    { "autoglm: cut off", "autoglm", "do(action=\"Tap\", element=[1,", INVALID },
    { "autoglm: thinking cut off", "autoglm", "<think>then finish(message=\"x\")", INVALID },
    { "autoglm: wait", "autoglm", "do(action=\"Wait\", duration=\"2 seconds\")",
        "{\"kind\":\"wait\",\"ms\":2000}" },
    { "autoglm: wait for no time", "autoglm", "do(action=\"Wait\", duration=\"a while\")", INVALID },
    { "autoglm: swipe", "autoglm", "do(action=\"Swipe\", start=[1,2], end=[3,4])",
        "{\"kind\":\"swipe\",\"x\":1,\"y\":2,\"x2\":3,\"y2\":4,\"space\":\"norm1000\"}" },
    { "autoglm: long press", "autoglm", "do(action=\"Long Press\", element=[1,2])",
        "{\"kind\":\"long_press\",\"x\":1,\"y\":2,\"space\":\"norm1000\"}" },
    { "autoglm: take over asks", "autoglm", "do(action=\"Take_over\", message=\"log in\")",
        "{\"kind\":\"ask_user\",\"text\":\"log in\"}" },
    { "autoglm: note", "autoglm", "do(action=\"Note\", message=\"True\")",
        "{\"kind\":\"note\",\"text\":\"True\"}" },
    { "autoglm: finish", "autoglm", "finish(message=\"done (all)\")",
        "{\"kind\":\"complete\",\"text\":\"done (all)\",\"status\":\"success\"}" },
    { "autoglm: last call counts", "autoglm", "do(action=\"Home\")\ndo(action=\"Back\")",
        "{\"kind\":\"back\"}" },
    // ---- Qwen
    { "qwen: tool call", "qwen_mobile_use",
        "<tool_call>\n{\"name\": \"mobile_use\", \"arguments\": {\"action\": \"system_button"
        "\", \"button\": \"Back\"}}\n</tool_call>",
        "{\"kind\":\"back\"}" },
    { "qwen: menu is recents", "qwen_mobile_use", "{\"action\":\"system_button\",\"button\":\"Menu\"}",
        "{\"kind\":\"recents\"}" },
    { "qwen: Python dictionary", "qwen_mobile_use", "{'action': 'click', 'coordinate': [540, 1200]}",
        "{\"kind\":\"tap\",\"x\":540,\"y\":1200,\"space\":\"model\"}" },
    { "qwen: arguments as text", "qwen_mobile_use",
        "{\"name\":\"mobile_use\",\"arguments\":\"{\\\"action\\\":\\\"open\\\",\\\"text"
        "\\\":\\\"Maps\\\"}\"}",
        "{\"kind\":\"launch_app\",\"app\":\"Maps\"}" },
    { "qwen: empty (bugs.md 47)", "qwen_mobile_use", "", INVALID },
    { "qwen: no tool tag (bugs.md 47)", "qwen_mobile_use", "I will click the button.", INVALID },
    { "qwen: empty object (bugs.md 56)", "qwen_mobile_use", "<tool_call>{}</tool_call>", INVALID },
    { "qwen: swipe", "qwen_mobile_use", "{\"action\":\"swipe\",\"coordinate\":[1,2],\"coordinate2\":[3,4]}",
        "{\"kind\":\"swipe\",\"x\":1,\"y\":2,\"x2\":3,\"y2\":4,\"space\":\"model\"}" },
    { "qwen: swipe without its end", "qwen_mobile_use", "{\"action\":\"swipe\",\"coordinate\":[1,2]}",
        INVALID },
    { "qwen: long press for seconds", "qwen_mobile_use",
        "{\"action\":\"long_press\",\"coordinate\":[1,2],\"time\":2}",
        "{\"kind\":\"long_press\",\"x\":1,\"y\":2,\"space\":\"model\",\"ms\":2000}" },
    { "qwen: failure aborts", "qwen_mobile_use", "{\"action\":\"terminate\",\"status\":\"failure\"}",
        "{\"kind\":\"abort\",\"status\":\"failure\"}" },
    { "qwen: terminate without status", "qwen_mobile_use", "{\"action\":\"terminate\"}", INVALID },
    { "qwen: key", "qwen_mobile_use", "{\"action\":\"key\",\"text\":\"volume_up\"}",
        "{\"kind\":\"key\",\"key\":\"volume_up\"}" },
    { "qwen: text that is a number", "qwen_mobile_use", "{\"action\":\"type\",\"text\":1234}",
        "{\"kind\":\"type\",\"text\":\"1234\"}" },
    // ---- AgentCPM
    { "agentcpm: point", "agentcpm", "{\"thought\":\"t\",\"POINT\":[689,790]}",
        "{\"kind\":\"tap\",\"x\":689,\"y\":790,\"space\":\"norm1000\"}" },
    { "agentcpm: held", "agentcpm", "{\"POINT\":[1,2],\"duration\":1000}",
        "{\"kind\":\"long_press\",\"x\":1,\"y\":2,\"space\":\"norm1000\",\"ms\":1000}" },
    { "agentcpm: 200 ms is a tap", "agentcpm", "{\"POINT\":[1,2],\"duration\":200}",
        "{\"kind\":\"tap\",\"x\":1,\"y\":2,\"space\":\"norm1000\",\"ms\":200}" },
    { "agentcpm: swipe is the finger's", "agentcpm", "{\"POINT\":[500,500],\"to\":\"up\"}",
        "{\"kind\":\"swipe\",\"x\":500,\"y\":500,\"space\":\"norm1000\",\"direction"
        "\":\"up\",\"direction_of\":\"finger\"}" },
    { "agentcpm: drag", "agentcpm", "{\"POINT\":[1,2],\"to\":[3,4]}",
        "{\"kind\":\"drag\",\"x\":1,\"y\":2,\"x2\":3,\"y2\":4,\"space\":\"norm1000\"}" },
    { "agentcpm: press", "agentcpm", "{\"PRESS\":\"HOME\"}", "{\"kind\":\"home\"}" },
    { "agentcpm: press of no key it has", "agentcpm", "{\"PRESS\":\"VOLUME\"}", INVALID },
    { "agentcpm: wait", "agentcpm", "{\"duration\":500}", "{\"kind\":\"wait\",\"ms\":500}" },
    { "agentcpm: tap and type", "agentcpm", "{\"POINT\":[1,2],\"TYPE\":\"a\",\"STATUS\":\"continue\"}",
        "{\"kind\":\"tap\",\"x\":1,\"y\":2,\"space\":\"norm1000\"}\n{\"kind\":\"type\",\"text"
        "\":\"a\"}" },
    { "agentcpm: finish", "agentcpm", "{\"STATUS\":\"finish\"}",
        "{\"kind\":\"complete\",\"status\":\"success\"}" },
    { "agentcpm: impossible", "agentcpm", "{\"STATUS\":\"impossible\"}",
        "{\"kind\":\"abort\",\"status\":\"failure\"}" },
    { "agentcpm: needs feedback", "agentcpm", "{\"STATUS\":\"need_feedback\",\"thought\":\"no account\"}",
        "{\"kind\":\"ask_user\",\"text\":\"no account\"}" },
    { "agentcpm: goes on with nothing", "agentcpm", "{\"STATUS\":\"continue\"}", INVALID },
    // ---- GELab, MobileGym
    { "gelab: click", "gelab", "<THINK>t</THINK>\nexplain:open\taction:CLICK\tpoint:500,300\tsummary:done",
        "{\"kind\":\"tap\",\"x\":500,\"y\":300,\"space\":\"norm1000\"}" },
    { "gelab: blanks for tabs", "gelab", "explain:open it action:CLICK point:500,300 summary:done",
        "{\"kind\":\"tap\",\"x\":500,\"y\":300,\"space\":\"norm1000\"}" },
    { "gelab: colon in the value", "gelab", "action:TYPE\tvalue:a: b, c\tsummary:x",
        "{\"kind\":\"type\",\"text\":\"a: b, c\"}" },
    { "gelab: slide", "gelab", "action:SLIDE\tpoint1:1,2\tpoint2:3,4",
        "{\"kind\":\"swipe\",\"x\":1,\"y\":2,\"x2\":3,\"y2\":4,\"space\":\"norm1000\"}" },
    { "gelab: wait", "gelab", "action:WAIT\tvalue:2", "{\"kind\":\"wait\",\"ms\":2000}" },
    { "gelab: complete", "gelab", "action:COMPLETE\treturn:done",
        "{\"kind\":\"complete\",\"text\":\"done\",\"status\":\"success\"}" },
    { "gelab: no action", "gelab", "explain:hm\tsummary:x", INVALID },
    { "gelab: no point", "gelab", "action:CLICK\tsummary:x", INVALID },
    { "mobilegym: click", "mobilegym", "{\"action_type\":\"CLICK\",\"action_data\":{\"point\":[375,962]}}",
        "{\"kind\":\"tap\",\"x\":375,\"y\":962,\"space\":\"norm1000\"}" },
    { "mobilegym: unknown behind NOOP", "mobilegym",
        "{\"action_type\":\"NOOP\",\"action_data\":{\"unknown_action\":\"Pinch\"}}", INVALID },
    { "mobilegym: note", "mobilegym", "{\"action_type\":\"NOOP\",\"action_data\":{\"message\":\"m\"}}",
        "{\"kind\":\"note\",\"text\":\"m\"}" },
    // ---- AppAgent
    { "appagent: label from 1", "appagent",
        "Observation: a list\nThought: open it\nAction: tap(5)\nSummary: tapped",
        "{\"kind\":\"tap\",\"index\":5}" },
    { "appagent: label 0", "appagent", "Action: tap(0)", INVALID },
    { "appagent: swipe is the finger's", "appagent", "Action: swipe(21, \"up\", \"medium\")",
        "{\"kind\":\"swipe\",\"index\":21,\"direction\":\"up\",\"direction_of\":\"finger"
        "\",\"distance\":\"medium\"}" },
    { "appagent: text with a bracket", "appagent", "Action: text(\"smile :) now\")\nSummary: typed",
        "{\"kind\":\"type\",\"text\":\"smile :) now\"}" },
    { "appagent: text that says FINISH", "appagent", "Action: text(\"FINISH the report\")",
        "{\"kind\":\"type\",\"text\":\"FINISH the report\"}" },
    { "appagent: FINISH", "appagent", "Thought: done\nAction: FINISH\nSummary: done",
        "{\"kind\":\"complete\",\"status\":\"success\"}" },
    { "appagent: prose with FINISH", "appagent", "Action: I will FINISH later", INVALID },
    { "appagent: grid asks for another view", "appagent", "Action: grid()",
        "{\"kind\":\"noop\",\"reason\":\"asks for the grid overlay\"}" },
    { "appagent: grid area without a size", "appagent", "Action: tap(5, \"center\")", INVALID },
    { "appagent: demonstration's swipe", "appagent", "swipe(4:sep:up):::com.x.y_1",
        "{\"kind\":\"swipe\",\"index\":4,\"direction\":\"up\",\"direction_of\":\"finger\"}" },
    { "appagent: demonstration's text", "appagent", "text(3:sep:\"hi (you)\"):::com.x.y_1",
        "{\"kind\":\"type\",\"index\":3,\"text\":\"hi (you)\"}" },
    { "appagent: demonstration's tap", "appagent", "tap(5):::com.x.y_1", "{\"kind\":\"tap\",\"index\":5}" },
    // ---- Mobile-Agent
    { "mobileagent: tap", "mobileagent_v2", "Tap (192, 743)",
        "{\"kind\":\"tap\",\"x\":192,\"y\":743,\"space\":\"px\"}" },
    { "mobileagent: section", "mobileagent_v2",
        "### Thought ###\nTap (1, 1)?\n### Action ###\nBack\n### Operation ###\ngo", "{\"kind\":\"back\"}" },
    { "mobileagent: open app", "mobileagent_v2", "Open app (Thunderbird)",
        "{\"kind\":\"launch_app\",\"app\":\"Thunderbird\"}" },
    { "mobileagent: type", "mobileagent_v2", "Type (\"hello (world)!\")",
        "{\"kind\":\"type\",\"text\":\"hello (world)!\"}" },
    { "mobileagent: type without brackets (bugs.md 49)", "mobileagent_v2", "Type hello", INVALID },
    { "mobileagent: type without anything (bugs.md 49)", "mobileagent_v2", "Type", INVALID },
    { "mobileagent: swipe", "mobileagent_v2", "Swipe (1, 2), (3, 4)",
        "{\"kind\":\"swipe\",\"x\":1,\"y\":2,\"x2\":3,\"y2\":4,\"space\":\"px\"}" },
    { "mobileagent: clear", "mobileagent_v2", "Clear", "{\"kind\":\"clear_text\"}" },
    { "mobileagent: stop", "mobileagent_v2", "Stop", "{\"kind\":\"complete\",\"status\":\"success\"}" },
    { "mobileagent: tap on a word", "mobileagent_v2", "Tap (Settings)", INVALID },
    { "mobileagent-e: tap", "mobileagent_e",
        "### Action ###\n{\"name\":\"Tap\",\"arguments\":{\"x\":1,\"y\":2}}",
        "{\"kind\":\"tap\",\"x\":1,\"y\":2,\"space\":\"px\"}" },
    { "mobileagent-e: shortcut", "mobileagent_e",
        "{\"name\":\"Tap_Type_and_Enter\",\"arguments\":{\"x\":1,\"y\":2,\"text\":\"a\"}}",
        "{\"kind\":\"tap\",\"x\":1,\"y\":2,\"space\":\"px\"}\n{\"kind\":\"type\",\"text"
        "\":\"a\"}\n{\"kind\":\"enter\"}" },
    { "mobileagent-e: switch app", "mobileagent_e", "{\"name\":\"Switch_App\",\"arguments\":null}",
        "{\"kind\":\"recents\"}" },
    { "mobileagent-e: unknown", "mobileagent_e", "{\"name\":\"Fly\",\"arguments\":{}}", INVALID },
    // ---- computer use
    { "anthropic: click", "anthropic_computer", "{\"action\":\"left_click\",\"coordinate\":[100,200]}",
        "{\"kind\":\"tap\",\"x\":100,\"y\":200,\"space\":\"px\"}" },
    { "anthropic: content blocks", "anthropic_computer",
        "[{\"type\":\"text\",\"text\":\"I click\"},{\"type\":\"tool_use\",\"name\":\"computer"
        "\",\"input\":{\"action\":\"key\",\"text\":\"Return\"}},{\"type\":\"tool_use\",\"name"
        "\":\"computer\",\"input\":{\"action\":\"wait\",\"duration\":1.5}}]",
        "{\"kind\":\"enter\"}\n{\"kind\":\"wait\",\"ms\":1500}" },
    { "anthropic: scroll is the content's", "anthropic_computer",
        "{\"action\":\"scroll\",\"coordinate\":[1,2],\"scroll_direction\":\"down\",\"scroll_a"
        "mount\":3}",
        "{\"kind\":\"scroll\",\"x\":1,\"y\":2,\"space\":\"px\",\"direction\":\"down\",\"direc"
        "tion_of\":\"content\",\"amount\":3}" },
    { "anthropic: drag", "anthropic_computer",
        "{\"action\":\"left_click_drag\",\"start_coordinate\":[1,2],\"coordinate\":[3,4]}",
        "{\"kind\":\"drag\",\"x\":1,\"y\":2,\"x2\":3,\"y2\":4,\"space\":\"px\"}" },
    { "anthropic: screenshot looks only", "anthropic_computer", "{\"action\":\"screenshot\"}",
        "{\"kind\":\"noop\"}" },
    { "anthropic: no coordinate", "anthropic_computer", "{\"action\":\"left_click\"}", INVALID },
    { "anthropic: mouse only", "anthropic_computer", "{\"action\":\"mouse_move\",\"coordinate\":[1,2]}",
        INVALID },
    { "openai: scroll", "openai_cua",
        "{\"type\":\"computer_call\",\"action\":{\"type\":\"scroll\",\"x\":5,\"y\":6,\"scroll"
        "_x\":0,\"scroll_y\":500}}",
        "{\"kind\":\"scroll\",\"x\":5,\"y\":6,\"space\":\"px\",\"direction\":\"down\",\"direc"
        "tion_of\":\"content\",\"amount\":500}" },
    { "openai: several actions", "openai_cua",
        "{\"type\":\"computer_call\",\"actions\":[{\"type\":\"click\",\"button\":\"left"
        "\",\"x\":1,\"y\":2},{\"type\":\"keypress\",\"keys\":[\"CTRL\",\"A\"]}]}",
        "{\"kind\":\"tap\",\"x\":1,\"y\":2,\"space\":\"px\"}\n{\"kind\":\"key\",\"key\":\"CTR"
        "L+A\"}" },
    { "openai: a whole reply", "openai_cua",
        "{\"output\":[{\"type\":\"reasoning\",\"summary\":[{\"type\":\"summary_text\",\"text"
        "\":\"why\"}]},{\"type\":\"computer_call\",\"action\":{\"type\":\"wait\"}}]}",
        "{\"kind\":\"wait\"}" },
    { "openai: right button", "openai_cua", "{\"type\":\"click\",\"button\":\"right\",\"x\":1,\"y\":2}",
        INVALID },
    { "openai: drag", "openai_cua",
        "{\"type\":\"drag\",\"path\":[{\"x\":1,\"y\":2},{\"x\":9,\"y\":9},{\"x\":3,\"y\":4}]}",
        "{\"kind\":\"drag\",\"x\":1,\"y\":2,\"x2\":3,\"y2\":4,\"space\":\"px\"}" },
    { "openai: message only", "openai_cua",
        "{\"output\":[{\"type\":\"message\",\"content\":[{\"text\":\"done\"}]}]}", INVALID },
    // ---- our own
    { "canonical: one", "canonical", "{\"kind\":\"tap\",\"x\":1,\"y\":2}",
        "{\"kind\":\"tap\",\"x\":1,\"y\":2,\"space\":\"px\"}" },
    { "canonical: several", "canonical", "[{\"kind\":\"back\"},{\"kind\":\"home\"}]",
        "{\"kind\":\"back\"}\n{\"kind\":\"home\"}" },
    { "canonical: bad argument", "canonical", "{\"kind\":\"tap\",\"x\":\"a\",\"y\":2}", INVALID },
    { "canonical: unknown kind", "canonical", "{\"kind\":\"fly\"}", INVALID },
    // ---- text
    { "byte order mark", "autoglm", "\357\273\277do(action=\"Back\")", "{\"kind\":\"back\"}" },
    { "lone surrogate", "qwen_mobile_use", "{\"action\":\"type\",\"text\":\"a\\ud83d\"}",
        "{\"kind\":\"type\",\"text\":\"a\357\277\275\"}" },
};

static void reply_gives_actions(void **state)
{
    const struct row *row = *state;
    wd_reply reply = parse(row->dialect, row->raw, NULL);
    assert_true(row->raw[0] == '\0' || strlen(reply.actions[0].raw) > 0);
    char reason[200] = "";
    if (reply.actions[0].reason != NULL) {
        (void)snprintf(reason, sizeof reason, "%s", reply.actions[0].reason);
    }
    const char *text = printed(&reply);
    if (strcmp(text, row->printed) != 0) {
        fail_msg("\ngot      %s\nexpected %s\nreason   %s", text, row->printed, reason);
    }
    wd_reply_done(&reply);
}

// ---- single rules ---------------------------------------------------------------------------------------------

static void thought_stands_beside(void **state)
{
    (void)state;
    static const struct {
        const char *dialect, *raw, *thought;
    } thoughts[] = {
        { "uitars", "Thought: look\nat this\nAction: press_back()", "look\nat this" },
        { "androidworld", "Reason: because. Action: {\"action_type\":\"wait\"}", "because." },
        { "autoglm", "<think> so </think><answer>do(action=\"Back\")</answer>", "so" },
        { "autoglm", "I go back. do(action=\"Back\")", "I go back." },
        { "agentcpm", "{\"thought\":\"hm\",\"PRESS\":\"BACK\"}", "hm" },
        { "appagent", "Observation: o\nThought: t\nAction: tap(1)\nSummary: s", "t" },
        { "qwen_mobile_use",
            "<thinking>t</thinking><tool_call>{\"action\":\"key\",\"text\":\"a\"}</tool_call>", "t" },
        { "openai_cua", "[{\"type\":\"reasoning\",\"summary\":[{\"text\":\"why\"}]},{\"type\":\"wait\"}]",
            "why" },
        { "autoglm", "do(action=\"Back\")", NULL },
    };
    for (size_t i = 0; i < WD_COUNT_OF(thoughts); i++) {
        wd_reply reply = parse(thoughts[i].dialect, thoughts[i].raw, NULL);
        if (thoughts[i].thought == NULL) {
            assert_null(reply.thought);
        } else {
            assert_non_null(reply.thought);
            assert_string_equal(reply.thought, thoughts[i].thought);
        }
        wd_reply_done(&reply);
    }
}

static void space_comes_from_the_options(void **state)
{
    (void)state;
    wd_dialect_options options = { .has_space = true, .space = WD_SPACE_NORM1000 };
    wd_reply reply = parse("uitars", "Action: click(start_box='(500,891)')", &options);
    assert_string_equal(printed(&reply), "{\"kind\":\"tap\",\"x\":500,\"y\":891,\"space\":\"norm1000\"}");
    wd_reply_done(&reply);
    // The very same point is out of range in another space: nothing is guessed from the numbers.
    options.space = WD_SPACE_NORM1;
    reply = parse("uitars", "Action: click(start_box='(500,891)')", &options);
    assert_string_equal(printed(&reply), INVALID);
    wd_reply_done(&reply);
}

static void sizes_bound_points(void **state)
{
    (void)state;
    wd_dialect_options options = {
        .image_width = 1000, .image_height = 2000, .display_width = 1080, .display_height = 2400
    };
    static const struct {
        const char *dialect, *raw;
        wd_action_kind kind;
    } bounds[] = {
        { "uitars", "Action: click(start_box='(1000,2000)')", WD_ACTION_TAP },
        { "uitars", "Action: click(start_box='(1001,2000)')", WD_ACTION_INVALID },
        { "mobileagent_v2", "Tap (1080, 2400)", WD_ACTION_TAP },
        { "mobileagent_v2", "Tap (1080, 2401)", WD_ACTION_INVALID },
    };
    for (size_t i = 0; i < WD_COUNT_OF(bounds); i++) {
        wd_reply reply = parse(bounds[i].dialect, bounds[i].raw, &options);
        assert_int_equal(reply.actions[0].kind, bounds[i].kind);
        wd_reply_done(&reply);
    }
}

static void grid_areas_become_points(void **state)
{
    (void)state;
    // 1080 has cells of 120 pixels (9 columns), 2400 of 120 (20 rows).
    wd_dialect_options options = { .display_width = 1080, .display_height = 2400 };
    static const struct {
        const char *raw, *printed;
    } grid[] = {
        { "Action: tap(11, \"top-left\")", "{\"kind\":\"tap\",\"x\":150,\"y\":150,\"space\":\"px\"}" },
        { "Action: swipe(1, \"center\", 180, \"bottom-right\")",
            "{\"kind\":\"swipe\",\"x\":60,\"y\":60,\"x2\":1050,\"y2\":2370,\"space\":\"px\"}" },
        { "Action: tap(181, \"center\")", INVALID },
        { "Action: tap(1, \"middle\")", INVALID },
    };
    for (size_t i = 0; i < WD_COUNT_OF(grid); i++) {
        wd_reply reply = parse("appagent", grid[i].raw, &options);
        assert_string_equal(printed(&reply), grid[i].printed);
        wd_reply_done(&reply);
    }
}

static void points_become_pixels(void **state)
{
    (void)state;
    wd_dialect_options sizes = {
        .image_width = 500, .image_height = 1000, .display_width = 1080, .display_height = 2400
    };
    wd_action action;
    wd_error error;
    wd_action_init(&action, WD_ACTION_TAP);
    assert_int_equal(wd_action_to_pixels(&action, &sizes, NULL), WD_OK);  // no point, nothing to do
    action.has_point = true;
    action.x = 500;
    action.y = 891;
    action.space = WD_SPACE_NORM1000;
    assert_int_equal(wd_action_to_pixels(&action, &sizes, NULL), WD_OK);
    assert_int_equal(action.space, WD_SPACE_PX);
    assert_int_equal((int)action.x, 540);
    assert_int_equal((int)action.y, 2138);
    action.x = 250;
    action.y = 500;
    action.space = WD_SPACE_MODEL;
    sizes.image_width = 0;
    assert_int_equal(wd_action_to_pixels(&action, &sizes, &error), WD_EINVAL);
    assert_int_equal(action.space, WD_SPACE_MODEL);
    sizes.image_width = 500;
    assert_int_equal(wd_action_to_pixels(&action, &sizes, NULL), WD_OK);
    assert_int_equal((int)action.x, 540);
    assert_int_equal((int)action.y, 1200);
}

static void replies_are_cut_from_a_stream(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t length;
        const char *replies[3];
    } streams[] = {
        { "{\"id\":1,\"raw\":\"a\\nb\"}\n\n\"c\"\n", 26, { "a\nb", "c", NULL } },
        { "Thought: x\nAction: y\n", 21, { "Thought: x\nAction: y\n", NULL } },
        { "{\"action\":\"wait\"}\n", 18, { "{\"action\":\"wait\"}\n", NULL } },
        { "a\nb\0c", 5, { "a\nb", "c", NULL } },
        { "", 0, { "", NULL } },
    };
    for (size_t i = 0; i < WD_COUNT_OF(streams); i++) {
        wd_buffer reply = { 0 };
        size_t at = 0;
        for (size_t n = 0; streams[i].replies[n] != NULL; n++) {
            assert_int_equal(wd_replies_next(streams[i].text, streams[i].length, &at, &reply), WD_OK);
            assert_int_equal(reply.length, strlen(streams[i].replies[n]));
            assert_string_equal(reply.bytes, streams[i].replies[n]);
        }
        assert_int_equal(wd_replies_next(streams[i].text, streams[i].length, &at, &reply), WD_ENOENT);
        wd_buffer_done(&reply);
    }
}

static void limits_hold_at_their_edges(void **state)
{
    (void)state;
    // One action past the limit is refused in its place; nothing after it is taken.
    wd_buffer buffer = { 0 };
    assert_int_equal(wd_buffer_text(&buffer, "[{\"kind\":\"home\"}"), WD_OK);
    for (int i = 0; i < WD_REPLY_ACTIONS_MAX + 5; i++) {
        assert_int_equal(wd_buffer_text(&buffer, ",{\"kind\":\"back\"}"), WD_OK);
    }
    assert_int_equal(wd_buffer_text(&buffer, "]"), WD_OK);
    wd_reply reply = parse("canonical", buffer.bytes, NULL);
    assert_int_equal(reply.count, WD_REPLY_ACTIONS_MAX);
    assert_int_equal(reply.actions[WD_REPLY_ACTIONS_MAX - 2].kind, WD_ACTION_BACK);
    assert_int_equal(reply.actions[WD_REPLY_ACTIONS_MAX - 1].kind, WD_ACTION_INVALID);
    wd_reply_done(&reply);
    wd_buffer_done(&buffer);

    // A reply of the largest size is read, one byte more is not.
    char *large = malloc(WD_REPLY_TEXT_MAX + 1);
    assert_non_null(large);
    memset(large, ' ', WD_REPLY_TEXT_MAX + 1);
    memcpy(large, "PressBack()", 11);
    assert_int_equal(wd_dialect_parse(dialect_of("venus"), large, WD_REPLY_TEXT_MAX, NULL, &reply), WD_OK);
    assert_int_equal(reply.actions[0].kind, WD_ACTION_BACK);
    wd_reply_done(&reply);
    assert_int_equal(
        wd_dialect_parse(dialect_of("venus"), large, WD_REPLY_TEXT_MAX + 1, NULL, &reply), WD_OK);
    assert_int_equal(reply.actions[0].kind, WD_ACTION_INVALID);
    wd_reply_done(&reply);
    free(large);
}

static void arguments_hold_at_their_edges(void **state)
{
    (void)state;
    // Typed text of the largest size is typed, one byte more makes the action invalid, not shorter.
    for (size_t over = 0; over < 2; over++) {
        wd_buffer raw = { 0 };
        assert_int_equal(wd_buffer_text(&raw, "Action: type(content='"), WD_OK);
        for (size_t i = 0; i < WD_ACTION_TEXT_MAX + over; i++) {
            assert_int_equal(wd_buffer_append(&raw, "a", 1), WD_OK);
        }
        assert_int_equal(wd_buffer_text(&raw, "')"), WD_OK);
        wd_reply reply = parse("uitars", raw.bytes, NULL);
        assert_int_equal(reply.actions[0].kind, over == 0 ? WD_ACTION_TYPE : WD_ACTION_INVALID);
        assert_int_equal(strlen(reply.actions[0].raw), WD_ACTION_TEXT_MAX);
        wd_reply_done(&reply);
        wd_buffer_done(&raw);
    }
    // A call takes sixteen arguments; one with more is no call we know.
    for (int over = 0; over < 2; over++) {
        wd_buffer raw = { 0 };
        assert_int_equal(wd_buffer_text(&raw, "do(action=\"Back\""), WD_OK);
        for (int i = 1; i < 16 + over; i++) {
            assert_int_equal(wd_buffer_format(&raw, ", a%d=%d", i, i), WD_OK);
        }
        assert_int_equal(wd_buffer_text(&raw, ")"), WD_OK);
        wd_reply reply = parse("autoglm", raw.bytes, NULL);
        assert_int_equal(reply.actions[0].kind, over == 0 ? WD_ACTION_BACK : WD_ACTION_INVALID);
        wd_reply_done(&reply);
        wd_buffer_done(&raw);
    }
}

/// Texts that would cost the square of their length if a failed try were repeated at every place.
static void hostile_texts_are_linear(void **state)
{
    (void)state;
    static const char *const pieces[] = { "{\"a", "{}{\"a", "do(", "do(a=\"", "do(a=\"b\")do(a=\"", "[[[[",
        "{{{{", "<think>", "Action:\n", "\"\\\"", "(((", "click(point='<point>", "a\"),b=", "a()b(" };
    enum { SIZE = 64 * 1024 };
    char *text = malloc(SIZE);
    assert_non_null(text);
    for (size_t p = 0; p < WD_COUNT_OF(pieces); p++) {
        size_t length = strlen(pieces[p]);
        for (size_t i = 0; i + length <= SIZE; i += length) {
            memcpy(text + i, pieces[p], length);
        }
        const wd_dialect *dialect;
        for (size_t d = 0; (dialect = wd_dialect_at(d)) != NULL; d++) {
            wd_reply reply;
            assert_int_equal(wd_dialect_parse(dialect, text, SIZE - SIZE % length, NULL, &reply), WD_OK);
            assert_true(reply.count > 0);
            wd_reply_done(&reply);
        }
    }
    free(text);
}

static void every_dialect_fails_cleanly_without_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < WD_COUNT_OF(rows); i++) {
        wd_reply reply;
        wd_status status = WD_ENOMEM;
        uint64_t live = wd_alloc_stats_get().bytes_live;
        for (long calls = 0; status != WD_OK; calls++) {
            assert_in_range(calls, 0, 300);
            wd_alloc_fail_after(calls);
            status =
                wd_dialect_parse(dialect_of(rows[i].dialect), rows[i].raw, strlen(rows[i].raw), NULL, &reply);
            wd_alloc_fail_after(-1);
            assert_true(status == WD_OK || status == WD_ENOMEM);
            if (status != WD_OK && wd_alloc_stats_get().bytes_live != live) {
                fail_msg("%s: bytes are left after failure %ld", rows[i].name, calls);
            }
        }
        if (strcmp(printed(&reply), rows[i].printed) != 0) {
            fail_msg("%s: short memory changed the answer", rows[i].name);
        }
        wd_reply_done(&reply);
    }
}

static void bytes_that_are_no_text_are_replaced(void **state)
{
    (void)state;
    static const char raw[] = "do(action=\"Type\", text=\"a\xff\0\")";
    wd_reply reply;
    assert_int_equal(wd_dialect_parse(dialect_of("autoglm"), raw, sizeof raw - 1, NULL, &reply), WD_OK);
    assert_string_equal(reply.actions[0].text, "a\xef\xbf\xbd\xef\xbf\xbd");
    wd_reply_done(&reply);
}

static void dialects_have_names(void **state)
{
    (void)state;
    const wd_dialect *dialect;
    for (size_t i = 0; (dialect = wd_dialect_at(i)) != NULL; i++) {
        assert_ptr_equal(dialect_of(wd_dialect_name(dialect)), dialect);
        assert_true(strlen(wd_dialect_about(dialect)) > 0);
    }
    assert_int_equal(wd_dialect_find("klingon", &dialect), WD_ENOENT);
    assert_ptr_equal(dialect_of("gui_owl"), dialect_of("qwen_mobile_use"));
    assert_ptr_equal(dialect_of("UI-TARS 1.5"), dialect_of("uitars"));
    assert_int_equal(wd_dialect_space(dialect_of("uitars_1.0")), WD_SPACE_NORM1000);
}

int main(void)
{
    static const struct CMUnitTest rules[] = {
        cmocka_unit_test(thought_stands_beside),
        cmocka_unit_test(space_comes_from_the_options),
        cmocka_unit_test(sizes_bound_points),
        cmocka_unit_test(grid_areas_become_points),
        cmocka_unit_test(points_become_pixels),
        cmocka_unit_test(replies_are_cut_from_a_stream),
        cmocka_unit_test(limits_hold_at_their_edges),
        cmocka_unit_test(arguments_hold_at_their_edges),
        cmocka_unit_test(hostile_texts_are_linear),
        cmocka_unit_test(every_dialect_fails_cleanly_without_memory),
        cmocka_unit_test(bytes_that_are_no_text_are_replaced),
        cmocka_unit_test(dialects_have_names),
    };
    enum { RULES = WD_COUNT_OF(rules), ROWS = WD_COUNT_OF(rows) };
    struct CMUnitTest tests[RULES + ROWS];
    memcpy(tests, rules, sizeof rules);
    for (size_t i = 0; i < ROWS; i++) {
        tests[RULES + i] = (struct CMUnitTest){ .name = rows[i].name,
            .test_func = reply_gives_actions,
            .initial_state = (void *)(uintptr_t)&rows[i] };
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
