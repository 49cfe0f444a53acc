"""The package builds with Debian's setuptools, works where it is unpacked, and is typed."""
import os
import shutil
import subprocess
import sys
import zipfile

import pytest

from conftest import ROOT


@pytest.fixture
def sources(tmp_path):
    """A copy, links followed: a build leaves its dirt in it."""
    return shutil.copytree(ROOT / "clients/python", tmp_path / "sources",
                           ignore=shutil.ignore_patterns("build", "__pycache__", "*.egg-info", ".mypy_cache"))


def build(sources, *arguments):
    done = subprocess.run([sys.executable, "setup.py", "-q", *arguments], cwd=sources, capture_output=True, text=True,
                          timeout=120)
    assert done.returncode == 0, done.stderr


def test_a_wheel_out_of_the_sdist_works_alone(sources, tmp_path):
    build(sources, "sdist", "-d", tmp_path)
    shutil.unpack_archive(next(tmp_path.glob("worldd-*.tar.gz")), tmp_path)
    unpacked = next(path for path in tmp_path.glob("worldd-*") if path.is_dir())
    build(unpacked, "bdist_wheel", "-d", tmp_path)
    wheel = next(tmp_path.glob("*.whl"))
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    env = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    done = subprocess.run([sys.executable, "-B", "-c", "import worldd, worldd.aio, worldd.mcp; print(worldd.__file__)\n"
                           "with worldd.World.private() as world: print(worldd.__version__, world.status()['version'])"],
                          cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    package, daemon = done.stdout.splitlines()[-1].split()
    assert str(tmp_path / "site") in done.stdout and package == daemon.split("-")[0], "both are of one version"
    assert "worldd-executor = worldd.executors:main" in next((tmp_path / "site").glob("*.dist-info/entry_points.txt")).read_text()
    told = subprocess.run([sys.executable, "-B", "-m", "worldd.executors", "--help"], env=env, cwd=tmp_path, capture_output=True, text=True)
    assert "examples:" in told.stdout


@pytest.mark.skipif(shutil.which("mypy") is None, reason="mypy is not installed")
def test_it_is_strictly_typed(tmp_path):
    done = subprocess.run(["mypy", "--strict", "--cache-dir", tmp_path], cwd=ROOT / "clients/python", capture_output=True,
                          text=True, timeout=300)
    assert done.returncode == 0, done.stdout
