"""Envs over several workers as one service: names, the lineage tree, copies of snapshots, forks all or none."""
import pytest

from load import answers_of, batch, batch_reply, create, digests, error_of
from peers import Doors

SETTINGS = {"kind": "launch_app", "app": "settings"}


@pytest.fixture
def doors(make_daemon, request):
    doors = Doors(make_daemon(*getattr(request, "param", ["env.workers=3"])))
    yield doors
    doors.close()


@pytest.fixture
def client(doors):
    return doors.client().greet()


def test_a_name_is_given_once_in_the_whole_daemon(client):
    envs = [create(client, seed=1) for _ in range(3)]                # one on each worker
    client.control("env_detach", env=envs[0], name="one")
    assert client.control("env_named", name="one") == {"env": envs[0]} and client.control("env_named", name="two") == {}
    assert 'another env is called "one"' in error_of(client, "env_detach", env=envs[1], name="one")
    client.control("env_detach", env=envs[0], name="one")            # its own name again
    asked = [client.ask("env_detach", env=env, name="two") for env in envs[1:]]      # both at once
    kinds = sorted(kind for kind, _ in answers_of(client, asked).values())
    assert kinds == ["ERROR", "REPLY"]
    client.control("env_close", env=envs[0])                         # a closed env gives its name back
    free = next(env for env in envs[1:] if client.control("env_named", name="two")["env"] != env)
    client.control("env_detach", env=free, name="one")
    assert client.control("env_attach", name="one")["env"] == free
    assert "no env is called" in error_of(client, "env_attach", name="one")


def test_the_lineage_is_one_tree_and_any_node_is_forked_and_restored(client):
    env = create(client, seed=2)
    root = client.control("env_fork", env=env, count=3)
    tips = []
    for number, fork in enumerate(root["envs"]):
        for _ in range(number + 1):
            client.control("env_step", env=fork, action=SETTINGS)
        tips.append(client.control("env_fork", env=fork, count=3))
    rows = {row["snapshot"]: row for row in client.control("env_lineage")}
    assert set(rows) == {root["snapshot"], *(tip["snapshot"] for tip in tips)}
    assert "parent" not in rows[root["snapshot"]] and rows[root["snapshot"]]["children"] == 3
    for tip in tips:
        assert rows[tip["snapshot"]]["parent"] == root["snapshot"]
        assert (rows[tip["snapshot"]]["envs"], rows[tip["snapshot"]]["kept"]) == (4, True)
    assert all("copy" not in row for row in rows.values())
    for id, row in rows.items():                                     # anywhere, by anybody's env
        for other in root["envs"]:
            assert client.control("env_restore", env=other, snapshot=id)["digest"] == row["digest"]
        _, reply = batch_reply(client, batch(client, client.control("env_fork", snapshot=id, count=3)["envs"], ["noop"]))
        assert set(digests(reply)) == {row["digest"]}


def test_forgetting_a_snapshot_forgets_its_copies_and_hurts_no_fork(client):
    forked = client.control("env_fork", env=create(client, seed=2), count=6)
    stats = client.control("env_stats")
    assert (stats["snapshots"], stats["copies"], stats["forgotten"]) == (1, 2, 0)
    client.control("env_forget", snapshot=forked["snapshot"])
    stats = client.control("env_stats")
    assert (stats["snapshots"], stats["copies"], stats["forgotten"]) == (0, 0, 3)
    [row] = client.control("env_lineage")
    assert (row["kept"], row["envs"]) == (False, 7)
    assert "no such snapshot" in error_of(client, "env_fork", snapshot=forked["snapshot"], count=3)
    assert "no such snapshot" in error_of(client, "env_forget", snapshot=forked["snapshot"])
    _, reply = batch_reply(client, batch(client, forked["envs"], ["launch_app"], [SETTINGS]))
    assert list(reply.status) == [0] * 6 and len(set(digests(reply))) == 1
    client.control("env_close", envs=forked["envs"])
    assert client.control("env_stats")["forgotten"] == 1             # the env that was forked stands on it still


@pytest.mark.parametrize("doors", [["env.workers=2", "env.envs_max=6"]], indirect=True)
def test_a_fork_that_cannot_be_made_whole_leaves_nothing(client):
    env = create(client, seed=1)
    assert "the limit is" in error_of(client, "env_fork", env=env, count=6)      # three each, and one is there
    stats = client.control("env_stats")
    assert (stats["envs"], stats["snapshots"]) == (1, 0)
    assert len(client.control("env_fork", env=env, count=4)["envs"]) == 4


def test_a_fork_holds_its_bound_over_workers(client):
    env = create(client, seed=1)
    assert "from 0 to 65536" in error_of(client, "env_fork", env=env, count=65537)
    assert "must be 1 to 65536" in error_of(client, "env_fork", env=env, count=0)
    assert client.control("env_stats")["snapshots"] == 0


def test_nobody_chooses_the_id_of_a_snapshot(client):
    env = create(client, seed=1)
    kept = client.control("env_snapshot", env=env)["snapshot"]
    bundle = client.control("env_export", snapshot=kept)
    assert "an id of its own" in error_of(client, "env_import", snapshot=kept[:-2] + "01", bundle=bundle)
    calls = [{"verb": "env_import", "args": {"snapshot": kept, "bundle": bundle}},
             {"verb": "env_detach", "args": {"env": env, "name": "n"}}, {"verb": "env_forget", "args": {"snapshot": kept}}]
    results = client.control("env_calls", calls=calls)["results"]
    assert [result["error"]["code"] for result in results] == [2, 20, 20]        # EINVAL, EUNSUPPORTED
    forged = {**bundle, "shared": {"parent": kept, "state": {"os": {}, "apps": {}}, "initial": {}}}
    fresh = client.control("env_import", bundle=forged)["snapshot"]  # what only workers tell each other is not believed
    fork = client.control("env_fork", snapshot=fresh, count=1)["envs"][0]
    assert client.control("env_state", env=fork) == client.control("env_state", env=env)
    assert "parent" not in {row["snapshot"]: row for row in client.control("env_lineage")}[fresh]
