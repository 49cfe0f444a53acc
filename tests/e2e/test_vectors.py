"""Golden cases through the command line: every file of vectors, and what the offline tools make of them."""
import json
import subprocess

import pytest

from conftest import BIN, ROOT, SHARED

VECTORS = ROOT / "tests/vectors"
KINDS = ["diff", "side_effects", "criteria", "answers", "metrics", "lifecycle", "lifecycle-walks", "merge", "managers",
         "permissions", "providers", "services", "persistence"]


def ctl(*args, stdin=None, timeout=250):
    return subprocess.run([BIN / "worldctl", *map(str, args)], capture_output=True, text=True, input=stdin,
                          timeout=timeout)


def conform(kind, path):
    done = ctl("conform", kind, path)
    assert done.returncode == 0, "\n".join(done.stdout.splitlines()[-12:]) + done.stderr
    assert done.stdout.splitlines()[-1].endswith(" 0 fail")


@pytest.mark.parametrize("kind", KINDS)
def test_all_rows_hold(kind):
    conform(kind, VECTORS / f"{kind}.json")


@pytest.mark.parametrize("kind, name", [("diff", "diff-real"), ("tasks", "tasks")])
def test_reference_data_holds(kind, name):
    path = SHARED / f"reference/{name}.json"
    if not path.exists():
        pytest.skip(f"{path} is not here")
    conform(kind, path)


def test_a_failing_row_is_named_and_the_exit_code_is_1(tmp_path):
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({"cases": [
        {"name": "right", "before": {"a": 1}, "after": {"a": 2}, "changes": [{"path": "a", "before": 1, "after": 2}]},
        {"name": "wrong", "before": {"a": 1}, "after": {"a": 2}, "changes": []}]}))
    done = ctl("conform", "diff", path)
    assert done.returncode == 1 and "wrong" in done.stdout
    assert done.stdout.splitlines()[-1] == "2 cases: 1 hold, 1 fail"


def strict(value):
    """JSON text that keeps 1 and 1.0 apart and ignores the order of members."""
    return json.dumps(value, sort_keys=True)


def test_diff_jsonl_answers_every_case():
    cases = json.loads((VECTORS / "diff.json").read_text())["cases"]
    lines = [json.dumps({"before": case["before"], "after": case["after"]}) for case in cases]
    lines.insert(1, "{broken")
    done = ctl("diff", "--jsonl", stdin="\n".join(lines) + "\n")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0 and "line 1, column" in answers.pop(1)["error"]
    assert len(answers) == len(cases)
    for case, answer in zip(cases, answers):
        assert strict(answer["changes"]) == strict(case["changes"]), case["name"]


def test_patch_jsonl_answers_every_case():
    """merge.json, its refusals included; what is asked of a whole phone (managed members) is conform's."""
    cases = json.loads((VECTORS / "merge.json").read_text())["cases"]
    fields = ("state", "patch", "deep", "target", "stored")
    done = ctl("patch", "--jsonl", stdin="".join(json.dumps({f: c[f] for f in fields if f in c}) + "\n" for c in cases))
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0 and len(answers) == len(cases)
    wrong = []
    for case, answer in zip(cases, answers):
        if case.get("error"):
            right = "error" in answer
        else:
            right = strict(answer.get("state")) == strict(case["result"])
        if not right:
            wrong.append(f'{case["id"]} {case["target"]}: {answer} wanted {case.get("result")}')
    assert not wrong, f"{len(wrong)} of {len(cases)}:\n" + "\n".join(wrong[:10])
