"""Envs over the control socket: batches, exactly once, watching, vanishing, workers."""
import json
import pathlib
import select

import pytest

from conftest import PLANS, episode_bytes, until
from load import answers_of, batch, batch_reply, create, digests, error_of
from peers import Doors, wire

SETTINGS = {"kind": "launch_app", "app": "settings"}
BLUETOOTH = {"id": "t", "instruction": "off", "apps": ["settings"], "max_steps": 3,
             "criteria": {"os.settings.global.bluetoothEnabled": False},
             "expected_changes": ["os.settings.global.bluetoothEnabled"]}
BIG = {"os": {"settings": {"system": {"big": "x" * 70000}}}}         # more than the smallest frame holds


@pytest.fixture
def doors(make_daemon):
    doors = Doors(make_daemon("env.workers=2"))
    yield doors
    doors.close()


def test_an_env_lives_and_is_judged(doors):
    client = doors.client().greet()
    made = client.control("env_create", seed=1, task=BLUETOOTH, observe="full")
    env = made["env"]
    assert made["observation"]["scene"]["nodes"]
    client.control("env_step", env=env, action=SETTINGS)
    client.control("env_step", env=env, action={"kind": "tap", "selector": {"resource_id": "open_bluetooth"}})
    last = client.control("env_step", env=env, observe="changed",
                          action={"kind": "tap", "selector": {"resource_id": "bluetooth_switch"}})
    assert last["ending"] == "step_limit" and last["verdict"]["passed"]
    assert client.control("env_state", env=env, path="os.settings.global.bluetoothEnabled") is False
    assert client.control("env_close", env=env) == {"closed": 1}
    assert "there is no env" in error_of(client, "env_step", env=env, action=SETTINGS)


def test_a_batch_steps_many_and_one_bad_slot_fails_alone(doors):
    client = doors.client().greet()
    envs = [create(client, seed=n) for n in range(6)]                # three on each worker
    asked = envs[:3] + ["00" * 16] + envs[3:]
    kind, reply = batch_reply(client, batch(client, asked, ["launch_app"], [SETTINGS], observe="full"))
    assert kind == "ENV_BATCH_REPLY"
    assert list(reply.status) == [0, 0, 0, 7, 0, 0, 0]               # ENOENT
    assert reply.text[3].startswith("args.env: there is no env")
    assert [bool(o) for o in reply.observation_json] == [True] * 3 + [False] + [True] * 3
    for index, env in enumerate(asked):
        if index != 3:
            assert digests(reply)[index] == client.control("env_observe", env=env, observe="none")["digest"]


@pytest.mark.parametrize("fields, text", [
    ({"env_ids": b""}, "env_ids: must be 16 bytes"),
    ({"env_ids": b"x" * 15}, "env_ids: must be 16 bytes"),
    ({"env_ids": b"x" * 16 * 4097}, "env_ids: 4097 slots"),
    ({"actions": []}, "actions: 0 for 1 slots"),
    ({"args_json": [b"{}", b"{}"]}, "args_json: 2 for 1 slots"),
    ({"observe": "half"}, "observe: \"half\" is none of"),
    ({"request_id": 0}, "request_id: must not be 0"),
])
def test_a_bad_batch_names_the_field(doors, fields, text):
    client = doors.client().greet()
    good = {"request_id": 1, "env_ids": b"x" * 16, "actions": ["home"]}
    client.send("ENV_BATCH", wire.SCHEMA["EnvBatch"](**{**good, **fields}))
    kind, message = client.receive("ERROR", "ENV_BATCH_REPLY")
    assert kind == "ERROR" and message.text.startswith(text), message.text


def test_calls_in_a_list_fail_alone(doors):
    client = doors.client().greet()
    calls = [{"verb": "env_create", "args": {"seed": 3, "task": BLUETOOTH}},
             {"verb": "env_create", "args": {"task": {"id": ""}}},
             {"verb": "env_create", "args": {"task": "demo/hello", "seed": 3}},
             {"verb": "env_create", "args": {"task": "no/such"}},
             {"verb": "env_list"}]
    results = client.control("env_calls", calls=calls)["results"]
    assert ["result" in r for r in results] == [True, False, True, False, False]
    assert results[3]["error"] == {"code": 7, "text": 'there is no task "no/such" that can be read'}     # ENOENT
    assert [row["task"] for row in client.control("env_list")["envs"]].count("demo/hello") == 1


def test_a_client_that_dies_in_mid_batch_harms_nobody(doors):
    steady, dying = doors.client("steady").greet(), doors.client("dying").greet()
    own, alone = create(steady, seed=5), create(steady, seed=5)
    expected = steady.control("env_step", env=alone, action=SETTINGS)["digest"]
    envs = [create(dying, seed=n) for n in range(64)]
    for turn in range(20):
        batch(dying, envs, ["launch_app" if turn % 2 else "home"], [SETTINGS], observe="full")
    dying.close()                                                    # nobody takes the answers
    assert steady.control("env_step", env=own, action=SETTINGS)["digest"] == expected
    assert len(steady.control("env_list")["envs"]) >= 2


def test_a_fork_is_spread_over_workers_and_has_its_parents_future(doors):
    client = doors.client().greet()
    env = create(client, seed=5)
    client.control("env_step", env=env, action=SETTINGS)
    forked = client.control("env_fork", env=env, count=7)
    assert len(set(forked["envs"])) == 7
    assert {id[-2:] for id in forked["envs"]} == {"00", "01"}        # where they live
    _, reply = batch_reply(client, batch(client, [env, *forked["envs"]], ["back"]))
    assert len(set(digests(reply))) == 1
    stats = client.control("env_stats")
    assert [worker["envs"] for worker in stats["workers"]] in ([4, 4], [5, 3], [3, 5])
    client.control("env_restore", env=env, snapshot=forked["snapshot"])
    other = next(id for id in forked["envs"] if id[-2:] != env[-2:])
    back = client.control("env_restore", env=other, snapshot=forked["snapshot"])
    assert back["digest"] == client.control("env_observe", env=env, observe="none")["digest"]
    assert client.control("env_diff", before=forked["snapshot"], env=other) == []
    assert client.control("env_close", envs=forked["envs"]) == {"closed": 7}


def test_a_repeated_request_has_one_effect(doors):
    client = doors.client().greet()
    env = create(client, seed=1)
    ids = [batch(client, [env], ["launch_app"], [SETTINGS]) for _ in range(1)]
    _, first = batch_reply(client, ids[0])
    batch(client, [env], ["launch_app"], [SETTINGS], request_id=ids[0])
    _, again = batch_reply(client, ids[0])
    assert again == first
    # The same process on a new connection.
    back = doors.client("again")
    back.instance = client.instance
    back.greet()
    batch(back, [env], ["launch_app"], [SETTINGS], request_id=ids[0])
    _, third = batch_reply(back, ids[0])
    assert third == first
    back.request_id = client.request_id
    assert back.control("env_observe", env=env, observe="none")["steps"] == 1


def test_what_was_forgotten_is_refused_without_effect(doors):
    client = doors.client().greet()
    env = create(client, seed=1)
    first = client.ask("env_step", env=env, action=SETTINGS)
    client.answer(first)
    for _ in range(256):
        client.control("status")
    client.request_id = first - 1
    assert "so old that nobody knows" in error_of(client, "env_step", env=env, action=SETTINGS)
    client.request_id = 1000
    assert client.control("env_observe", env=env, observe="none")["steps"] == 1


def test_envs_of_a_vanished_client_are_closed_but_not_detached_ones(make_daemon):
    doors = Doors(make_daemon("env.workers=2", "env.orphan_ms=500"))
    client = doors.client().greet()
    env = create(client, seed=1)
    kept = create(client, seed=2)
    client.control("env_detach", env=kept, name="mine")
    client.close()
    other = doors.client("other").greet()
    until("the env is closed", lambda: other.control("env_stats")["envs"] == 1)
    assert other.control("env_attach", name="mine")["env"] == kept
    assert "there is no env" in error_of(other, "env_observe", env=env)
    doors.close()


def test_watchers_hear_of_steps_and_changes(doors):
    client, other = doors.client().greet(), doors.client("other").greet()
    env, another = create(client, seed=1), create(client, seed=1)
    mine = client.ask("watch", mine=True)
    one = other.ask("watch", env=env)
    client.in_step(1)
    other.in_step(1)
    for target in (another, env):
        batch(client, [target], ["launch_app"], [SETTINGS])
    _, event = other.receive("PROGRESS")
    told = json.loads(event.event_json)
    assert (event.request_id, told["event"], told["env"], told["dropped"]) == (one, "step", env, 0)
    assert any(change["path"].startswith("os.") for change in told["changes"])
    heard = {json.loads(client.receive("PROGRESS")[1].event_json)["env"] for _ in range(2)}
    assert heard == {env, another}
    client.control("unwatch", request=mine)


def test_a_deadline_that_passed_leaves_no_effect(doors):
    client = doors.client().greet()
    envs = [create(client, seed=1) for _ in range(2)]
    for _ in range(4):                                               # keep the worker busy
        batch(client, [envs[0]] * 1000, ["launch_app"], [SETTINGS])
    client.request_id += 1
    message = wire.SCHEMA["EnvBatch"](request_id=client.request_id, env_ids=bytes.fromhex(envs[0]),
                                      actions=["home"], deadline_ms=1)
    client.send("ENV_BATCH", message)
    kind, reply = batch_reply(client, client.request_id)
    assert kind == "ENV_BATCH_REPLY" and list(reply.status) == [16]  # ETIMEOUT
    assert client.control("env_observe", env=envs[0], observe="none")["steps"] == 4000


def test_a_cancelled_batch_stops_between_slots_and_is_answered_once(doors):
    client = doors.client().greet()
    env, other = create(client, seed=1), create(client, seed=1)      # one on each worker
    slots = [env, other] * 2000
    long = batch(client, slots, ["launch_app"], [SETTINGS])
    behind = [batch(client, slots, ["home"]) for _ in range(3)]      # time for the cancels to come
    queued = batch(client, [env], ["home"])
    stopping = [client.ask("cancel", request=request) for request in (queued, *behind[::-1], long)]
    by_id = answers_of(client, [long, *behind, queued, *stopping])
    steps = {id: client.control("env_observe", env=id, observe="none")["steps"] for id in (env, other)}
    for id in (env, other):
        for request in (long, *behind):
            status = [s for s, slot in zip(by_id[request][1].status, slots) if slot == id]
            done = status.index(17) if 17 in status else len(status)     # ECANCELED
            assert status == [0] * done + [17] * (len(status) - done)    # up to one slot, and none after it
            steps[id] -= done
        assert steps[id] == 0
    assert list(by_id[queued][1].status) == [17] and by_id[queued][1].text[0].startswith("cancelled before it began")
    batch(client, slots, ["launch_app"], [SETTINGS], request_id=long)
    assert batch_reply(client, long)[1] == by_id[long][1]            # a repeated id gets what is remembered
    assert "no request of yours" in error_of(client, "cancel", request=long)


def test_a_cancelled_call_is_not_done_and_nobody_elses_can_be_cancelled(doors):
    client, other = doors.client().greet(), doors.client("other").greet()
    env = create(client, seed=1)
    for _ in range(4):                                               # keep the worker busy
        batch(client, [env] * 1000, ["launch_app"], [SETTINGS])
    snapshot = client.ask("env_snapshot", env=env)
    fork = client.ask("env_fork", env=env, count=4)
    other.send("CONTROL", wire.SCHEMA["Control"](request_id=100, verb="cancel",
                                                 args_json=json.dumps({"request": fork}).encode()))
    stopping = [client.ask("cancel", request=request) for request in (snapshot, fork)]
    by_id = answers_of(client, [snapshot, fork, *stopping])
    assert [by_id[request][0] for request in stopping] == ["REPLY"] * 2
    assert all("cancelled" in by_id[request][1].text for request in (snapshot, fork))
    assert "no request of yours" in other.receive("ERROR", "REPLY")[1].text
    stats = client.control("env_stats")
    assert (stats["envs"], stats["snapshots"], stats["steps"]) == (1, 0, 4000)


def test_a_watch_and_a_run_are_cancelled_by_their_request(doors):
    client = doors.client().greet()
    asked = [client.ask("watch", mine=True), client.ask("run", task="demo/hello")]
    stopping = [client.ask("cancel", request=request) for request in asked]
    by_id = answers_of(client, asked + stopping)
    assert {kind for kind, _ in by_id.values()} == {"REPLY"}
    assert json.loads(by_id[asked[1]][1].result_json)["ending"] == "cancelled"
    assert "must be the id" in error_of(client, "cancel", request="x")


@pytest.mark.parametrize("max_frame", [0, 65536])
def test_an_answer_that_fits_into_no_frame_is_an_error_and_its_effect_stands(doors, max_frame):
    client, other = doors.client().greet(max_frame=max_frame), doors.client("other").greet()
    env = create(client, seed=1)
    slots = 512 if max_frame == 0 else 64
    request = batch(client, [env] * slots, ["home"], observe="full")
    kind, message = batch_reply(client, request)
    assert kind == "ERROR" and message.code == 6 and "was done, but its answer" in message.text     # ELIMIT
    batch(client, [env] * slots, ["home"], observe="full", request_id=request)
    assert batch_reply(client, request) == (kind, message)           # nothing is done again
    assert client.control("env_observe", env=env, observe="none")["steps"] == slots
    assert other.control("env_stats")["steps"] == slots
    if max_frame:                                                    # a call
        client.control("env_inject", env=env, patch=BIG)
        assert "was done, but its answer" in error_of(client, "env_state", env=env)
        assert other.control("env_state", env=env)["os"]


def test_progress_that_fits_into_no_frame_is_left_out(doors):
    planner, client = doors.planner().greet(), doors.client().greet(max_frame=65536)
    run = client.ask("run", task="demo/hello")
    planner.reply(planner.receive("PLAN_REQUEST")[1], ("note", {"text": "x" * 65536}), ("complete", {"status": "success"}))
    heard = []
    while True:
        kind, message = client.receive("PROGRESS", "REPLY", "ERROR")
        if kind != "PROGRESS":
            break
        heard.append(message.sequence)
    assert message.request_id == run and "was done, but its answer" in message.text      # which has the note as well
    assert client.control("runs") == []
    assert 2 not in heard and heard[0] == 1 and heard[-1] > 2, heard


def test_what_was_answered_to_a_wider_client_is_told_as_too_long(doors):
    client = doors.client().greet()
    env = create(client, seed=1)
    client.control("env_inject", env=env, patch=BIG)
    request = client.ask("env_state", env=env)
    state = client.answer(request)
    back = doors.client("again")
    back.instance = client.instance
    back.greet(max_frame=65536)
    back.request_id = request - 1
    assert "over the 65536 of a frame" in error_of(back, "env_state", env=env)
    back.greet()
    back.request_id = request - 1
    assert back.control("env_state", env=env) == state


def test_a_step_leaves_other_clients_alone(doors):
    one, two = doors.client("one").greet(), doors.client("two").greet()
    env = create(one, seed=1)
    assert two.control("env_list")["envs"] == []                     # ids are told to nobody
    assert one.control("env_list")["envs"][0]["env"] == env


def test_a_template_is_drawn_and_set_up_as_in_runs(doors):
    client = doors.client().greet()
    template = {"id": "t", "instruction": "{what}", "params": {"what": "off"},
                "setup": {"os": {"settings": {"system": {"brightness": 7}}}}}
    env = create(client, seed=1, task=template)
    assert client.control("env_state", env=env, path="os.settings.system.brightness") == 7
    client.control("env_inject", env=env, patch={"os": {"settings": {"system": {"brightness": 9}}}})
    client.control("env_reset", env=env)
    assert client.control("env_state", env=env, path="os.settings.system.brightness") == 7
    client.control("env_reset", env=env, seed=2)
    assert client.control("env_state", env=env, path="os.settings.system.brightness") == 7


def test_worldctl_watches_and_shows_top(doors):
    watching = doors.daemon.ctl_started("watch")
    client = doors.client().greet()
    env = create(client, seed=1)

    def line():
        batch_reply(client, batch(client, [env], ["home"]))
        return select.select([watching.stdout], [], [], 0.05)[0]
    until("worldctl watches", line)
    assert watching.stdout.readline().split()[0] == env[:8]
    top = doors.daemon.ctl("top", "-n", "1")
    assert top.returncode == 0 and "envs 1 " in top.stdout, top.stdout + top.stderr


def test_a_snapshot_travels_to_another_daemon(doors, make_daemon, tmp_path):
    client = doors.client().greet()
    env = create(client, seed=4)
    client.control("env_step", env=env, action=SETTINGS)
    kept = client.control("env_snapshot", env=env)
    path = tmp_path / "one.wdsnap"
    saved = doors.daemon.ctl("snapshot", "save", kept["snapshot"], path)
    assert saved.stdout.strip() == kept["digest"], saved.stderr
    other = Doors(make_daemon(name="second"))
    loaded = other.daemon.ctl("snapshot", "load", path)
    assert loaded.returncode == 0, loaded.stderr
    there = other.client().greet()
    fork = there.control("env_fork", snapshot=loaded.stdout.strip())["envs"][0]
    ends = [peer.control("env_step", env=id, action={"kind": "back"}) for peer, id in ((client, env), (there, fork))]
    assert ends[0]["digest"] == ends[1]["digest"] and ends[1]["index"] == 1
    other.close()
    path.write_bytes(path.read_bytes()[:-1])
    cut = doors.daemon.ctl("snapshot", "load", path)
    assert cut.returncode == 2 and "damaged" in cut.stderr, cut.stderr


def test_a_finished_episode_is_compressed_and_read_all_the_same(make_daemon):
    daemon = make_daemon()
    daemon.planner(PLANS / "bluetooth_off.json", "steady")
    _, result = daemon.run("demo/bluetooth_off")
    path = pathlib.Path(result["episode"])
    assert path.suffixes == [".jsonl", ".zst"] and path.read_bytes()[:4] == b"\x28\xb5\x2f\xfd"
    assert [one.name for one in path.parent.iterdir()] == [path.name], "the lines are not kept beside it"
    done = daemon.ctl("replay", path)
    assert done.returncode == 0, done.stdout + done.stderr
    plain = make_daemon("daemon.compress_episodes=false", name="plain")
    plain.planner(PLANS / "bluetooth_off.json", "steady")
    _, same = plain.run("demo/bluetooth_off")
    assert pathlib.Path(same["episode"]).read_bytes() == episode_bytes(path) and same["episode"].endswith(".jsonl")
    path.write_bytes(path.read_bytes()[:-9])
    done = daemon.ctl("episode", "cat", path)
    assert done.returncode == 2 and done.stdout == "", done.stderr


def test_each_slot_is_reset_to_a_task_and_parameters_of_its_own(doors):
    client = doors.client().greet()
    envs = [create(client, seed=1, task=BLUETOOTH, auto_reset="same_step") for _ in range(4)]
    template = {"id": "u", "instruction": "{what}", "params": {"what": "x"}, "max_steps": 1,
                "setup": {"os": {"settings": {"system": {"brightness": 7}}}}}
    each = [{"seed": 5}, {"task": template, "params": {"what": "on"}}, {"task": {"id": ""}}, {"params": {"what": "on"}}]
    calls = [{"verb": "env_reset", "args": {"env": env, **args}} for env, args in zip(envs, each)]
    results = client.control("env_calls", calls=calls)["results"]
    assert ["result" in result for result in results] == [True, True, False, False]
    assert results[3]["error"]["text"] == "args.params: give the task as well"
    rows = {row["env"]: row for row in client.control("env_list")["envs"]}
    assert [(rows[env]["task"], rows[env]["seed"]) for env in envs] == [("t", 5), ("u", 1), ("t", 1), ("t", 1)]
    assert client.control("env_state", env=envs[1], path="os.settings.system.brightness") == 7
    before = client.control("env_observe", env=envs[1])["observation"]
    _, reply = batch_reply(client, batch(client, envs, ["launch_app"], [SETTINGS], observe="full"))
    assert list(reply.ending) == ["", "step_limit", "", ""] and list(reply.flags) == [0, 1, 0, 0]
    assert [bool(verdict) for verdict in reply.verdict_json] == [False, True, False, False]
    assert json.loads(reply.final_observation_json[1])["scene"]["app_package"] == "settings"
    assert json.loads(reply.observation_json[1])["digest"] == before["digest"]   # the first of the next episode


def test_an_env_that_a_batch_names_twice_is_stepped_twice_in_order(doors):
    client = doors.client().greet()
    env, alone, other = (create(client, seed=n) for n in (1, 1, 2))
    kinds = ["launch_app", "home", "launch_app"]
    arguments = [SETTINGS, {}, {"app": "notes"}]
    _, reply = batch_reply(client, batch(client, [env, other, env], kinds, arguments))
    one_by_one = [client.control("env_step", env=alone, action={"kind": kind, **args})["digest"]
                  for kind, args in zip(kinds[::2], arguments[::2])]
    assert list(reply.status) == [0, 0, 0] and list(reply.step) == [0, 0, 1]
    assert digests(reply)[::2] == one_by_one


def resident_kib(daemon):
    text = pathlib.Path(f"/proc/{daemon.process.pid}/status").read_text()
    return int(text.split("VmRSS:")[1].split()[0])


def test_a_watcher_that_stops_reading_costs_bounded_memory(make_daemon, monkeypatch):
    monkeypatch.setenv("ASAN_OPTIONS", "quarantine_size_mb=1")       # what was freed is not to count
    doors = Doors(make_daemon("env.workers=2"))
    client, deaf = doors.client().greet(), doors.client("deaf", RCVHWM=1).greet()
    deaf.ask("watch")
    deaf.in_step(1)
    env = create(client, seed=1)
    batch_reply(client, batch(client, [env] * 2500, ["home"]))       # its queue is full by now
    before = resident_kib(doors.daemon)
    for _ in range(3):
        batch_reply(client, batch(client, [env] * 2500, ["home"]))
        assert client.control("env_observe", env=env, observe="none")["digest"]
    assert client.control("env_observe", env=env, observe="none")["steps"] == 10000
    assert resident_kib(doors.daemon) - before < 48 * 1024           # the batches themselves, not the events
    first = json.loads(deaf.receive("PROGRESS")[1].event_json)
    assert (first["index"], first["dropped"]) == (0, 0)
    doors.close()


def test_a_slow_watcher_delays_nobody_and_is_told_what_it_missed(doors):
    client, slow = doors.client().greet(), doors.client("slow", RCVHWM=1).greet()
    slow.ask("watch")
    slow.in_step(1)
    env = create(client, seed=1)
    for _ in range(2):                                               # far more events than its queue holds
        batch_reply(client, batch(client, [env] * 4000, ["home"]))
    assert client.control("env_observe", env=env, observe="none")["steps"] == 8000
    told = [json.loads(slow.receive("PROGRESS")[1].event_json) for _ in range(250)]
    assert [event["index"] for event in told] == list(range(250))    # in order, up to where it got full

    def caught_up():
        client.control("env_step", env=env, action={"kind": "home"})
        event = json.loads(slow.receive("PROGRESS")[1].event_json)
        told.append(event)
        return event["dropped"]
    dropped = until("it is told", caught_up)
    assert len(told) + dropped == told[-1]["index"] + 1              # nothing is lost unsaid
