"""Enrichers as processes, right and wrong ones: what the run knows, what the episode says, and that nothing waits for long."""
import json
import pathlib

import pytest

from conftest import PLANS, ROOT, episode_bytes, until
from test_planners import BLUETOOTH, CALM, SCRIPT, planner_log, start_python


@pytest.fixture
def enriched(make_daemon):
    """enriched(how, *settings) is a daemon that wants any enricher, with a planner and an enricher "reader"."""
    def start(how, *settings, wanted="*"):
        daemon = make_daemon(*CALM, f"semantic.enricher={wanted}", *settings)
        daemon.planner(SCRIPT, "stub")
        start_python(daemon, "reader", ROOT / "tests/e2e/enricher.py", daemon.planner_endpoint, "reader", how)
        return daemon
    return start


def rows(path):
    return [json.loads(line) for line in episode_bytes(path).splitlines()]


def meanings(result):
    """The semantic scenes that the episode holds, by the digest of their scene."""
    return {row["digest"]: row["semantic"] for row in rows(result["episode"]) if row["type"] == "scene"}


def heard(daemon, kind):
    said = map(json.loads, planner_log(daemon, "reader").splitlines())
    return [row for row in said if row["kind"] == kind]


def counted(daemon):
    return daemon.status()[0]["scenes"]


def test_what_an_enricher_says_is_used_recorded_and_replayed(enriched):
    daemon = enriched("right")
    _, result = daemon.run(BLUETOOTH)
    assert result["verdict"]["passed"], result
    found = meanings(result)
    assert {meaning["enricher"] for meaning in found.values()} == {"reader"}        # by its Hello, not by its word
    assert all(meaning["page"]["title"].startswith("read: ") for meaning in found.values())
    asked = heard(daemon, "ENRICH_REQUEST")
    assert sorted(row["digest"] for row in asked) == sorted(found)                   # each scene once
    assert {(row["instruction"] != "", row["suggested_by"]) for row in asked} == {(True, "device")}
    assert all(0 < row["deadline_ms"] <= 2000 and row["nodes"] > 0 for row in asked)
    assert counted(daemon) == {"enriched": len(found), "fallbacks": 0}
    assert rows(result["episode"])[0]["options"]["enricher"] == "*"
    daemon.stop()                                                                    # a replay asks nobody
    for flags in ([], ["--passive"]):
        assert daemon.ctl("replay", *flags, result["episode"]).returncode == 0


FAULTS = {
    "late": ("ENRICH_CANCEL", "deadline"),
    "wrong": ("ERROR", "semantic.widgets"),
    "unable": None,
    "dead": None,
}


@pytest.mark.parametrize("how", FAULTS)
def test_an_enricher_that_fails_leaves_worldds_own(enriched, how):
    daemon = enriched(how, "semantic.deadline_ms=200")
    _, result = daemon.run(BLUETOOTH)
    assert result["verdict"]["passed"], result
    found = meanings(result)
    assert {meaning["enricher"] for meaning in found.values()} == {"device"}
    assert counted(daemon) == {"enriched": 0, "fallbacks": len(found)}
    assert len(heard(daemon, "ENRICH_REQUEST")) == (1 if how == "dead" else len(found))
    if FAULTS[how]:
        kind, text = FAULTS[how]
        until("what it is told", lambda: len(heard(daemon, kind)) == len(found))
        assert all(row["said"].startswith(text) for row in heard(daemon, kind))
    assert daemon.status()[0]["planners"]["malformed"] == (len(found) if how == "wrong" else 0)


def test_a_run_may_name_its_enricher_or_want_none(enriched):
    daemon = enriched("right", wanted="")
    for option, makers in (("reader", {"reader"}), ("somebody", {"device"}), ("true", {"reader"}), ("false", {"device"})):
        _, result = daemon.run(BLUETOOTH, "-o", f"enricher={option}")
        assert result["verdict"]["passed"], result
        assert {meaning["enricher"] for meaning in meanings(result).values()} == makers, option
    done = daemon.ctl("run", BLUETOOTH, "-o", "enricher=[1]")
    assert done.returncode != 0 and "args.options.enricher: must be" in done.stderr, done.stderr


def test_semantic_scenes_that_are_off_are_not_asked_for(enriched):
    daemon = enriched("right", "semantic.enabled=false")
    _, result = daemon.run(BLUETOOTH)
    assert result["steps"] > 0 and not any("semantic" in row for row in rows(result["episode"]))
    assert heard(daemon, "ENRICH_REQUEST") == []


def test_an_enricher_that_nobody_wants_changes_nothing(enriched, make_daemon):
    """The same run beside one and without one: the same episode, byte for byte."""
    beside, without = enriched("right", wanted=""), make_daemon(*CALM, name="without")
    without.planner(PLANS / "bluetooth_off.json", "stub")
    episodes = [daemon.run(BLUETOOTH, "--run-id", "same")[1]["episode"] for daemon in (beside, without)]
    assert pathlib.Path(episodes[0]).read_bytes() == pathlib.Path(episodes[1]).read_bytes()
    assert heard(beside, "ENRICH_REQUEST") == []
