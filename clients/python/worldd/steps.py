"""Steps and actions: what is done on a phone."""
from __future__ import annotations

from typing import Any, Union

from .errors import InvalidRequest


class Step:
    """One planned action: Step("tap", node=7), Step("type", text="hi", remember={"said": "hi"}).

    docs/protocol.md section 5 lists actions and arguments. `thought` is recorded, not executed.
    """

    def __init__(self, action: str, thought: str = "", **args: Any) -> None:
        self.action, self.thought, self.args = action, thought, args

    def __repr__(self) -> str:
        return f"Step({self.action!r}, {', '.join(f'{name}={value!r}' for name, value in self.args.items())})"


def complete(status: str = "success") -> Step:
    """The step that ends a run: status "success", "failure" or "unknown"."""
    return Step("complete", status=status)


def abort(reason: str) -> Step:
    """The step that gives a run up."""
    return Step("abort", reason=reason)


Action = Union[str, dict[str, Any], Step]


def action_json(action: Action) -> dict[str, Any]:
    """An action as worldd reads it: "back", {"kind": "tap", "node": 7} or Step("tap", node=7). Raises InvalidRequest."""
    if isinstance(action, Step):
        return {"kind": action.action, **action.args}
    if isinstance(action, str):
        return {"kind": action}
    if not isinstance(action, dict) or not isinstance(action.get("kind"), str):
        raise InvalidRequest(2, f"action: {action!r} has no kind")
    return action
