"""`FolderExecutor`: a folder of recorded screens as a phone, to try planners and formats on.

Files are screens in any format of docs/formats.md, in order of their names; each action leads to the next. A file NAME.json
beside NAME.xml tells instead which action leads where; the first row that matches counts, and one without conditions always does:

    {"actions": [{"action": "tap", "resource_id": "save", "to": "004_saved.xml"}, {"action": "back", "to": "001_home.xml"}]}

A condition is `action`, a member of the action's arguments ("app", "text", ...) or of the node meant ("resource_id", "text",
"desc"). Without a row that matches, and at the end of the folder, nothing happens: the step fails with no_effect.
NAME.window.txt is what `dumpsys window` said with NAME.xml.
"""
from __future__ import annotations

import json
import pathlib
import threading
from typing import Any, Callable, Optional

from .executor import Act, ActionFailed, Executor, Order, Screen

COMPANION = ".window.txt"
RUNS_MAX = 64                # places kept; the oldest run begins anew


class Page:
    """A screen of the folder, and where its actions lead."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        beside = path.with_suffix(".json")
        self.actions: Optional[list[dict[str, Any]]] = None      # None: every action leads to the next page
        if beside.exists():
            try:
                self.actions = json.loads(beside.read_text(encoding="utf-8")).get("actions")
            except (ValueError, AttributeError) as error:
                raise ValueError(f"{beside}: {error}") from None
            if self.actions is not None and not all(isinstance(row, dict) and isinstance(row.get("to"), str)
                                                    for row in self.actions):
                raise ValueError(f"{beside}: actions: must be objects with a file name `to`")

    def screen(self) -> Screen:
        companion = self.path.with_name(self.path.stem + COMPANION)
        return Screen(self.path.read_bytes(), companion.read_bytes() if companion.exists() else b"")

    def leads_to(self, order: Act) -> Optional[str]:
        """The name of the page; None: of none."""
        for row in self.actions or []:
            if all(_has(order, name, value) for name, value in row.items() if name != "to"):
                return str(row["to"])
        return None


class FolderExecutor(Executor):
    """A folder of screens. Each run begins at the first. Raises ValueError when the folder has none, or says where a file is
    wrong."""

    def __init__(self, endpoint: str, folder: pathlib.Path, name: str = "folder", max_inflight: int = 1,
                 log: Optional[Callable[[str], None]] = None) -> None:
        super().__init__(endpoint, name, max_inflight, log)
        paths = sorted(path for path in pathlib.Path(folder).iterdir()
                       if path.is_file() and path.suffix != ".json" and not path.name.endswith(COMPANION))
        if not paths:
            raise ValueError(f"{folder}: no screens")
        self.pages = [Page(path) for path in paths]
        self._numbers = {path.name: number for number, path in enumerate(paths)}
        for page in self.pages:
            for row in page.actions or []:
                if row["to"] not in self._numbers:
                    raise ValueError(f"{page.path.with_suffix('.json')}: to: there is no {row['to']}")
        self._places: dict[str, int] = {}
        self._lock = threading.Lock()

    def _place(self, run: str) -> int:
        with self._lock:
            if run not in self._places:
                if len(self._places) >= RUNS_MAX:
                    del self._places[next(iter(self._places))]
                self._places[run] = 0
            return self._places[run]

    def observe(self, order: Order) -> Screen:
        """The present screen of the run."""
        return self.pages[self._place(order.run)].screen()

    def execute(self, order: Act) -> Optional[str]:
        """Go to where the action leads."""
        number = self._place(order.run)
        page = self.pages[number]
        if page.actions is None:
            if number + 1 == len(self.pages):
                raise ActionFailed(f"the folder ends with {page.path.name}", "no_effect")
            number += 1
        else:
            name = page.leads_to(order)
            if name is None:
                raise ActionFailed(f"{page.path.name} does not tell where {order.action} leads", "no_effect")
            number = self._numbers[name]
        with self._lock:
            self._places[order.run] = number
        return f"now {self.pages[number].path.name}"


def _has(order: Act, name: str, value: Any) -> bool:
    if name == "action":
        return bool(order.action == value)
    if name == "resource_id":
        return str(order.target.get(name, "")).split(":id/")[-1] == str(value).split(":id/")[-1]
    return bool(value in (order.args.get(name), order.target.get(name)))
