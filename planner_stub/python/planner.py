#!/usr/bin/python3
"""A planner that follows a plan script: the same scripts as the C planner-stub (planner_stub/README.md).

    planner.py --endpoint ipc:///run/worldd/planner.sock --script ../plans/bluetooth_off.json [--name NAME]
"""
import argparse
import collections
import json
import os
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "../../clients/python"))
from worldd import wire  # noqa: E402

FLAGS = ("clickable", "long_clickable", "checkable", "checked", "scrollable", "editable", "enabled", "focused",
         "selected", "password", "visible")      # in the order of the bits of Node.flags_yes
STEPS_MAX, PLANS_MAX, RUNS_MAX, DEPTH_MAX = 32, 1024, 64, 8
PLACEHOLDER = re.compile(r"\{([^{}]{1,63})\}")


class ScriptError(Exception):
    """The script cannot go on, or cannot be read; the text says why."""


# ---- looking at the request -----------------------------------------------------------------------------------

def id_matches(have, wanted):
    return have == wanted or (":id/" in have and have.split(":id/", 1)[1] == wanted)


def node_matches(node, selector):
    """As a step's selector: all given parts must match."""
    text, checked = selector.get("text"), selector.get("checked")
    return (not node.system_ui
            and ("resource_id" not in selector or id_matches(node.resource_id, selector["resource_id"]))
            and (text is None or text.strip() in (node.text.strip(), node.desc.strip()))
            and ("role" not in selector or node.role == selector["role"])
            and (not isinstance(checked, bool) or take(node, "checked", known=False) == checked))


def select(scene, selector):
    """(node, count): the node is None when none matches, or several do and no ordinal says which."""
    found = [node for node in scene.nodes if node_matches(node, selector)]
    ordinal = selector.get("ordinal")
    if ordinal is not None:
        return (found[ordinal] if 0 <= ordinal < len(found) else None), len(found)
    return (found[0] if len(found) == 1 else None), len(found)


def take(node, what, known=True):
    if what in FLAGS:
        bit = 1 << FLAGS.index(what)
        return bool(node.flags_yes & bit) if not known or node.flags_known & bit else None
    if what == "label":
        return node.text or node.desc or node.hint
    if what in ("text", "desc", "hint", "resource_id", "role", "id"):
        return getattr(node, what)
    raise ScriptError(f'take: "{what}" is nothing a node has')


class View:
    """What a script may look at: the request, and the bindings of for_each."""

    def __init__(self, request, bindings=None):
        self.request, self.bindings = request, bindings or {}
        self.params = self._object(request.task.params_json, "task.params_json")
        self.variables = self._object(request.world.variables_json, "world.variables_json")
        self.has_world = request.HasField("world")

    @staticmethod
    def _object(text, field):
        value = json.loads(text) if text else {}
        if not isinstance(value, dict):
            raise ScriptError(f"{field}: no JSON object")
        return value

    def look_up(self, name):
        for place in (self.bindings, self.params):
            if name in place:
                return place[name]
        if name.startswith("var.") and name[4:] in self.variables:
            return self.variables[name[4:]]
        if self.has_world and name in ("world.current_app", "world.current_page", "world.last_change"):
            return getattr(self.request.world, name[6:])
        raise ScriptError(f"{{{name}}}: no such parameter, variable or binding")

    def resolve(self, template):
        if isinstance(template, str):
            whole = PLACEHOLDER.fullmatch(template)
            if whole:
                return self.look_up(whole[1])
            return PLACEHOLDER.sub(lambda match: self._plain(self.look_up(match[1])), template)
        if isinstance(template, list):
            return [self.resolve(item) for item in template]
        if isinstance(template, dict):
            if "$scene" in template:
                return self._from_scene(template)
            return {key: self.resolve(item) for key, item in template.items()}
        return template

    @staticmethod
    def _plain(value):
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, float):
            return f"{value:.15g}"
        return str(value) if isinstance(value, (str, int)) else ""

    def _from_scene(self, template):
        node, count = select(self.request.scene, self.resolve(template["$scene"]))
        what = template.get("take", "text")
        if what == "count":
            return count
        if node is None:
            raise ScriptError("$scene: " + ("several nodes match the selector" if count
                                            else "no node matches the selector"))
        return take(node, what)

    # ---- conditions

    def holds(self, condition):
        if not isinstance(condition, dict):
            raise ScriptError("a condition must be an object")
        return all(self._member_holds(name, wanted) for name, wanted in condition.items())

    def _member_holds(self, name, wanted):
        if name == "not":
            return not self.holds(wanted)
        if name == "any":
            return any(self.holds(item) for item in wanted)
        wanted, request = self.resolve(wanted), self.request
        if name == "current_app":
            return self.has_world and text_is(request.world.current_app, wanted)
        if name == "current_page":
            return self.has_world and text_is(request.world.current_page, wanted)
        if name == "title":
            return text_is(request.semantic.title, wanted)
        if name == "page_params":
            text = request.semantic.params_json if request.HasField("semantic") else request.scene.page_params_json
            return bool(text) and members_are(json.loads(text), wanted)
        if name == "variables":
            return members_are(self.variables, wanted)
        if name == "task":
            return members_are(self.params, wanted)
        if name == "scene":
            return select(request.scene, wanted)[1] > 0
        raise ScriptError(f'condition "{name}" is unknown')


def text_is(text, wanted):
    """`wanted` is a text, or a list of which one must do; an unknown ("") is equal to nothing."""
    return text != "" and (text in wanted if isinstance(wanted, list) else text == wanted)


def equal(have, wanted):
    """true is no 1."""
    return isinstance(have, bool) == isinstance(wanted, bool) and have == wanted


def members_are(have, wanted):
    return all(have.get(key) is None if value is None else key in have and equal(have[key], value)
               for key, value in wanted.items())


# ---- following the script -------------------------------------------------------------------------------------

class Run:
    """One run's place in the script."""

    def __init__(self, plans):
        self.plans, self.next, self.given, self.tries = plans, 0, None, 0


class Script:
    def __init__(self, document):
        self.document = document
        self._check(document.get("plans"), 0)
        self.finish = document.get("finish", {"action": "complete", "args": {"status": "success"}})
        self.retries = document.get("retries", 1)
        self.runs = collections.OrderedDict()    # run id: Run, the longest idle first

    @classmethod
    def load(cls, path):
        with open(path, encoding="utf-8") as file:
            return cls(json.load(file))

    def _check(self, plans, depth):
        if not isinstance(plans, list) or depth > DEPTH_MAX:
            raise ScriptError(f"plans: must be a list, at most {DEPTH_MAX} inside each other")
        for index, plan in enumerate(plans):
            if "for_each" in plan:
                if "as" not in plan:
                    raise ScriptError(f"plans[{index}]: for_each needs `as` and `plans`")
                self._check(plan.get("plans"), depth + 1)
            elif not 1 <= len(plan.get("steps", ())) <= STEPS_MAX:
                raise ScriptError(f"plans[{index}]: needs 1 to {STEPS_MAX} steps")
            for step in plan.get("steps", ()):
                if not isinstance(step.get("action"), str):
                    raise ScriptError(f"plans[{index}]: a step needs an action")

    def _unfold(self, request, plans, bindings):
        """Every plan with its bindings, for_each unfolded."""
        for plan in plans:
            if "for_each" not in plan:
                yield plan, bindings
                continue
            elements = View(request, bindings).resolve(plan["for_each"])
            if not isinstance(elements, list):
                raise ScriptError("for_each: must be a list")
            for element in elements:
                yield from self._unfold(request, plan["plans"], {**bindings, plan["as"]: element})

    def _run_of(self, request):
        """A run not known starts at the beginning; its WorldState says what may be skipped."""
        run = self.runs.pop(request.run_id, None)
        if run is None:
            plans = list(self._unfold(request, self.document["plans"], {}))
            if len(plans) > PLANS_MAX:
                raise ScriptError(f"more than {PLANS_MAX} plans")
            run = Run(plans)
        self.runs[request.run_id] = run
        if len(self.runs) > RUNS_MAX:
            self.runs.popitem(last=False)
        return run

    def _take_results(self, run, request):
        """Take notice of how the plan given last went."""
        given, run.given = run.given, None
        if given is None or not request.results:
            return                               # none was given, or it came too late and was not executed
        plan = run.plans[given][0]
        failed = next((result for result in request.results if result.outcome != "ok"), None)
        forgiven = failed is None or plan.get("may_fail") is True
        if forgiven and "until" not in plan:
            run.next, run.tries = given + 1, 0
        elif not forgiven and run.tries > self.retries:
            raise ScriptError(f"{failed.action}: {failed.code}: {failed.text}")

    @staticmethod
    def _is_done(view, plan):
        return (("when" in plan and not view.holds(plan["when"]))
                or ("skip_when" in plan and view.holds(plan["skip_when"]))
                or ("until" in plan and view.holds(plan["until"])))

    def _next_plan(self, run, request):
        """(plan, its view) of the next plan that is not done already; (None, None) at the end."""
        while run.next < len(run.plans):
            plan, bindings = run.plans[run.next]
            view = View(request, bindings)
            if not self._is_done(view, plan):
                return plan, view
            run.next, run.tries = run.next + 1, 0
        return None, None

    def _steps(self, request):
        """The next plan's steps: (action, args, thought) each."""
        run = self._run_of(request)
        self._take_results(run, request)
        try:
            plan, view = self._next_plan(run, request)
            if plan is None:
                return [self._fill(View(request), self.finish)]
            if "until" in plan and run.tries >= plan.get("at_most", 10):
                raise ScriptError(f"not there after {run.tries} tries")
            steps = [self._fill(view, step) for step in plan["steps"]]
        except ScriptError as error:
            raise ScriptError(f"plan {run.next}: {error}") from None
        run.given, run.tries = run.next, run.tries + 1
        return steps

    @staticmethod
    def _fill(view, step):
        return step["action"], view.resolve(step.get("args", {})), view.resolve(step.get("thought", ""))

    def plan(self, request):
        """The next plan of the run that asks."""
        try:
            steps = self._steps(request)
        except ScriptError as error:
            steps = [("abort", {"reason": str(error)}, "")]
        reply = wire.SCHEMA["PlanReply"](request_id=request.request_id, model="planner.py")
        for action, args, thought in steps:
            text = json.dumps(args, ensure_ascii=False, separators=(",", ":")).encode()
            reply.steps.add(action=action, args_json=text, thought=thought)
        return reply


def main():
    parser = argparse.ArgumentParser(description="A planner that follows a plan script.")
    parser.add_argument("--endpoint", "-e", default=os.environ.get("WORLDD_PLANNER"))
    parser.add_argument("--script", "-s", required=True)
    parser.add_argument("--name", "-n", default="python")
    parser.add_argument("--quiet", "-q", action="store_true")
    arguments = parser.parse_args()
    if not arguments.endpoint:
        parser.error("--endpoint or $WORLDD_PLANNER is needed")
    try:
        script = Script.load(arguments.script)
    except (OSError, ValueError, ScriptError) as error:
        print(f"planner.py: {arguments.script}: {error}", file=sys.stderr)
        return 2
    # One at a time: the script's places in its runs are not guarded by a lock.
    return wire.serve(arguments.endpoint, arguments.name, script.plan, 1, not arguments.quiet)


if __name__ == "__main__":
    sys.exit(main())
