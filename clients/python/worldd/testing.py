"""pytest fixtures. Installed with the package they are there by themselves; from the source tree:

    pytest_plugins = ["worldd.testing"]

    def test_mine(worldd_world):
        assert worldd_world.status()["packs"] > 0
"""
from __future__ import annotations

import pathlib
from typing import Callable, Iterator

import pytest

from .daemon import Daemon
from .world import World


@pytest.fixture
def make_worldd(tmp_path: pathlib.Path) -> Iterator[Callable[..., Daemon]]:
    """make_worldd(*settings) starts a daemon in a directory of the test's own; all are ended after it, and must have
    ended cleanly."""
    daemons: list[Daemon] = []

    def make(*settings: str) -> Daemon:
        daemons.append(Daemon(tmp_path / f"worldd{len(daemons)}", settings))
        return daemons[-1].start()

    yield make
    for daemon in daemons:
        code = daemon.stop()
        assert code in (0, -9), f"worldd ended with {code}:\n{daemon.log_text()}"


@pytest.fixture
def worldd_daemon(make_worldd: Callable[..., Daemon]) -> Daemon:
    """A daemon of the test's own."""
    return make_worldd()


@pytest.fixture
def worldd_world(worldd_daemon: Daemon) -> Iterator[World]:
    """A World connected to it."""
    with World(worldd_daemon.control_endpoint) as world:
        yield world
