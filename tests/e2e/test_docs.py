"""Documents that do what they say: every `$ command` in a console block runs, every link leads somewhere, the README's planner
is the shipped file and works in an empty folder."""
import os
import pathlib
import re
import subprocess

import pytest

from conftest import BIN, PLANS, ROOT, until

DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "proto").glob("*.md"),
                    *(ROOT / "planner_stub").glob("*.md")])


def commands_of(path):
    for block in re.findall(r"^```console\n(.*?)^```", path.read_text(encoding="utf-8"), re.M | re.S):
        for line in block.splitlines():
            if line.startswith("$ "):
                yield line[2:]


WITH_COMMANDS = [path for path in DOCUMENTS if any(commands_of(path))]


@pytest.fixture
def bench_of_documents(make_daemon, tmp_path):
    """What the documents take for granted: a daemon with planners, an episode, files to work on."""
    daemon = make_daemon()
    daemon.planner(PLANS / "bluetooth_off.json", "stub")
    _, result = daemon.run("demo/bluetooth_off")
    (tmp_path / "work").mkdir()
    return daemon, {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", "EPISODE": result["episode"], "REPO": str(ROOT),
                    "WORLDD_DAEMON_DIRECTORY": str(daemon.directory)}, tmp_path / "work"


@pytest.mark.parametrize("path", WITH_COMMANDS, ids=lambda path: path.name)
def test_commands_run(path, bench_of_documents):
    _, env, work = bench_of_documents
    for command in commands_of(path):
        done = subprocess.run(["bash", "-c", command], cwd=work, env=env, capture_output=True, text=True, timeout=120)
        assert done.returncode in (0, 1), f"{path.name}: {command}\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(path):
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (path.parent / target).exists(), f"{path.name}: {target}"


def readme_planner():
    return re.search(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.M | re.S).group(1)


def test_the_readmes_planner_is_the_shipped_one():
    assert readme_planner() == (ROOT / "planner_stub/python/hello_planner.py").read_text(encoding="utf-8")


def test_the_readmes_planner_works_in_an_empty_folder(make_daemon, tmp_path):
    daemon = make_daemon()
    folder = tmp_path / "empty"
    folder.mkdir()
    (folder / "planner.py").write_text(readme_planner(), encoding="utf-8")
    child = subprocess.Popen(["/usr/bin/python3", "planner.py", daemon.planner_endpoint], cwd=folder)
    daemon.children.append(child)
    until("the planner", lambda: any(peer["name"] == "hello" for peer in daemon.status()[1]))
    events, result = daemon.run("demo/hello")
    assert result["ending"] == "complete" and result["world"]["current_app"] == "settings"
    assert result["verdict"]["passed"], result["verdict"]
    assert any("tapped" in event.get("remembered", []) for event in events)


@pytest.mark.parametrize("program", ["worldd", "worldctl"])
def test_the_manual_names_every_option_and_command(program):
    manual = (ROOT / f"docs/man/{program}.1").read_text(encoding="utf-8").replace("\\-", "-")
    shown = subprocess.run([BIN / program, "--help"], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"--([a-z-]+)", shown) if program == "worldd" else re.findall(r"^  ([a-z]+) +[a-z]", shown, re.M)
    assert names
    for name in set(names) - {"help", "usage", "version"}:
        assert re.search(rf"\\fB(--)?{name}\\fR", manual) or f"\\fB{name}\\fR" in manual, f"{program}.1: {name}"


def test_the_manual_names_every_setting():
    manual = (ROOT / "docs/man/worldd.conf.5").read_text(encoding="utf-8")
    shown = subprocess.run([BIN / "worldd", "--settings"], capture_output=True, text=True, check=True).stdout
    settings = re.findall(r"^(\S+) \(WORLDD_\w+\)\n    (.*)$", shown, re.M)
    assert len(settings) > 30
    for name, text in settings:
        assert f".TP\n\\fB{name}\\fR\n{text}\n" in manual, f"worldd.conf.5: {name}: {text}"
