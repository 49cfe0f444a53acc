"""Golden bytes: every kind of message as it goes over the wire, beside what it says (proto/golden/).

    golden.py > ../../proto/golden/v1.0.txt      makes the file of this version; done once per minor version, for a
                                                 file that a released worldd could have sent must decode for ever
"""
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "clients/python"))
from worldd import wire  # noqa: E402

ID = bytes(range(16))
SCENE = dict(digest=ID, source_format="device", width=1080, height=2400, app_package="messages",
             activity="Conversation", route="/conversation/7", page="conversation", page_kind="app",
             nodes=[dict(id=0, parent=-1, window=0, class_name="FrameLayout",
                         rect=dict(left=0, top=0, right=1080, bottom=2400), flags_known=1024, flags_yes=1024),
                    dict(id=1, parent=0, window=-1, package="messages", resource_id="messages:id/send",
                         text="Send", desc="Send the message", hint="h", role="button", purpose="submit",
                         rect=dict(left=-5, top=2200, right=1040, bottom=2300), flags_yes=65, flags_known=73,
                         system_ui=True)],
             intents=[dict(text="send the message", node=1), dict(text="go back", node=-1)],
             page_params_json=b'{"id":7}', warnings=["cut 7 bytes"], parse_status="ok")
SEMANTIC = dict(app="messages", page_id="conversation", title="妈妈", source="device", confidence=0.9,
                page_kind="app", background_app="launcher", params_json=b'{"id":7}', page_key=ID,
                intents=[dict(text="send the message", node=1)],
                widgets=[dict(node=1, purpose="submit", label="Send")], enricher="device")
SAMPLES = {
    "HELLO": dict(min_major=1, max_major=1, max_minor=0, features=["thoughts", "what_if"], role="planner", name="demo-1",
                  instance=ID, max_inflight=4, max_frame=8388608, coord_space="model", model_width=512,
                  model_height=1024),
    "WELCOME": dict(major=1, minor=0, session=ID, heartbeat_ms=1000, liveness=5, max_frame=4194304, boot_id=ID[::-1],
                    features=["thoughts"]),
    "REJECT": dict(code=12, text="max_major: the peer speaks 2 to 3, worldd speaks 1", min_major=1, max_major=1),
    "PING": dict(sequence=300),
    "PONG": dict(sequence=18446744073709551615),
    "WHO_ARE_YOU": dict(),
    "GOODBYE": dict(reason="superseded"),
    "ERROR": dict(request_id=17, code=3, text="steps[2].args_json: line 1, column 5: expected ':'", retryable=True,
                  imagine_id=3),
    "PLAN_REQUEST": dict(
        request_id=17, run_id="run-1", attempt=2, deadline_ms=30000,
        task=dict(id="messages.write_to_contact", instruction="Write to 妈妈", params_json=b'{"contact":"\xe5\xa6\x88"}',
                  apps=["messages", "contacts"]),
        step_index=3, steps_left=17,
        scene=SCENE, semantic=SEMANTIC,
        world=dict(current_app="messages", current_app_source="semantic", current_page="conversation",
                   current_page_source="semantic", stale=True, variables_json=b'{"old":true}',
                   history=[dict(step_index=0, app="launcher", page="home", scene_digest=ID, action="launch_app",
                                 args_json=b'{"app":"messages"}', outcome="ok", code="ok")],
                   step_index=3, repeat_count=2, last_change="page home -> conversation",
                   signals_json=b'{"no_effect":0}'),
        results=[dict(step_index=2, action="tap", args_json=b'{"node":1}', outcome="refused", code="target_gone",
                      text="node 1 is gone",
                      report=dict(step_index=2, remembered=["old"], forgotten=["older"], refused="over 64 KiB",
                                  app_changed=True, page_changed=True, last_change="nothing"))],
        user_reply="yes", imagine_left=200),
    "PLAN_REPLY": dict(
        request_id=17,
        steps=[dict(action="tap", args_json=b'{"node":1,"remember":{"sent":true}}', thought="send it"),
               dict(action="complete", args_json=b'{"status":"success"}')],
        model="gpt-x", tokens_in=1200, tokens_out=34, cost=0.0125, raw_reply="tap(1)", dialect="json"),
    "PLAN_ERROR": dict(request_id=17, text="the model is overloaded", retryable=True),
    "PLAN_CANCEL": dict(request_id=17, reason="deadline"),
    "ENRICH_REQUEST": dict(
        request_id=18, run_id="run-1", attempt=1, deadline_ms=2000, instruction="Write to 妈妈",
        scene=SCENE, suggestion={**SEMANTIC, "title": "7", "enricher": "rules"}),
    "ENRICH_REPLY": dict(request_id=18, semantic={**SEMANTIC, "source": "a model", "enricher": "reader-1"}),
    "ENRICH_ERROR": dict(request_id=18, text="the model is overloaded", retryable=True),
    "ENRICH_CANCEL": dict(request_id=18, reason="deadline"),
    "OBSERVE_REQUEST": dict(request_id=19, run_id="run-1", attempt=2, deadline_ms=30000),
    "OBSERVE_REPLY": dict(request_id=19, screen=b"<hierarchy rotation=\"0\"/>", format="uiautomator_xml",
                          companion=b"mCurrentFocus=null", failure="no idle state", width=1080, height=2400),
    "EXECUTE_REQUEST": dict(
        request_id=20, run_id="run-1", attempt=1, deadline_ms=30000, action="swipe",
        args_json=b'{"node":7,"direction":"up"}',
        target=dict(point=dict(x=540, y=1200), node=7, rect=dict(left=0, top=-3, right=1080, bottom=2400),
                    resource_id="com.example:id/list", text="Inbox", desc="Messages", class_name="android.widget.ListView"),
        end=dict(x=540, y=240)),
    "EXECUTE_REPLY": dict(request_id=20, outcome="failed", code="no_such_app", text="adb: device offline"),
    "EXECUTOR_ERROR": dict(request_id=20, text="the phone was unplugged", retryable=True),
    "EXECUTOR_CANCEL": dict(request_id=20, reason="cancelled by a client"),
    "PLAN_THOUGHT": dict(request_id=17, text="妈妈 is the second contact"),
    "CONTROL": dict(request_id=5, verb="run", args_json=b'{"task":"settings.bluetooth_off"}', deadline_ms=60000),
    "PROGRESS": dict(request_id=5, sequence=1, event_json=b'{"step":0}'),
    "REPLY": dict(request_id=5, result_json=b'{"passed":true}'),
    "ENV_BATCH": dict(request_id=6, deadline_ms=5000, env_ids=ID + ID[::-1], actions=["tap", "back"],
                      args_json=[b'{"x":540,"y":1200}', b""], observe="changed"),
    "ENV_BATCH_REPLY": dict(
        request_id=6, status=[0, 7], text=["nothing is there", "args.env: there is no env"], outcome=[0, 0],
        code=["no_effect", ""], step=[3, 0], flags=[1, 0], ending=["complete", ""], digests=ID + bytes(16),
        observation_json=[b'{"count":1}', b""], final_observation_json=[b'{"count":2}', b""],
        verdict_json=[b'{"passed":true}', b"{}"]),
    "IMAGINE": dict(imagine_id=3, request_id=17, args_json=b'{"candidates":[[{"kind":"tap","node":1}],[]]}'),
    "IMAGINE_REPLY": dict(imagine_id=3, result_json=b'{"spent":2,"candidates":[]}'),
}


def body_class(kind):
    return wire.SCHEMA[wire.BODIES.get(kind) or "".join(word.capitalize() for word in kind.split("_"))]


def lines(message, path=""):
    """Every field that is there, in the order of the numbers: "steps[0].action = "tap""."""
    for field, value in message.ListFields():
        repeated = field.label == field.LABEL_REPEATED
        for index, item in enumerate(value if repeated else [value]):
            name = f"{path}{field.name}[{index}]" if repeated else path + field.name
            if field.type == field.TYPE_MESSAGE:
                yield from lines(item, name + ".")
            elif field.type == field.TYPE_BYTES:
                yield f"{name} = {item.hex()}"
            elif field.type == field.TYPE_STRING:
                yield f'{name} = "{item}"'
            elif field.type == field.TYPE_DOUBLE:
                yield f"{name} = {item:.17g}"
            else:
                yield f"{name} = {json.dumps(item)}"


def main():
    print("# Every message of protocol 1.0 as bytes, and what it says. Decoded by tests/proto/golden_test.c and\n"
          "# tests/python/test_golden.py. Never changed: another minor version adds a file of its own.")
    for kind, sample in SAMPLES.items():
        body = body_class(kind)(**sample)
        print(f"\n{kind}\nheader {wire.header(kind).hex()}\nbody {body.SerializeToString(deterministic=True).hex()}")
        print("\n".join(lines(body)), end="\n" if sample else "")


if __name__ == "__main__":
    main()
