"""A screen and what is known, as text for a model or a person."""
from __future__ import annotations

import json

from .planner import Node, Request

LABEL_MAX = 120              # characters of a node's label
SHOWN_FLAGS = ("clickable", "editable", "scrollable", "focused", "selected")
USABLE = ("clickable", "editable", "scrollable", "checkable")


def node_text(node: Node) -> str:
    """[7] item "Bluetooth" #open_bluetooth clickable"""
    label = node.label if len(node.label) <= LABEL_MAX else node.label[:LABEL_MAX] + "..."
    parts = [f"[{node.id}]", node.role or "element", json.dumps(label, ensure_ascii=False)]
    if node.resource_id:
        parts.append("#" + node.resource_id.split(":id/")[-1])
    if node.text and node.hint and node.text != node.hint:
        parts.append(f"hint {json.dumps(node.hint, ensure_ascii=False)}")
    if node.flags.get("checkable"):
        parts.append("on" if node.flags.get("checked") else "off")
    parts += [name for name in SHOWN_FLAGS if node.flags.get(name)]
    if node.flags.get("enabled") is False:
        parts.append("disabled")
    return " ".join(parts)


def middle_text(node: Node, width: int, height: int, space: str) -> str:
    """Where a node is: " at (x,y)" in the space "px", "norm1" or "norm1000"; "" for the space ""."""
    x, y = (node.rect[0] + node.rect[2]) / 2, (node.rect[1] + node.rect[3]) / 2
    if not space or width == 0 or height == 0:
        return ""
    if space == "px":
        return f" at ({int(x)},{int(y)})"
    x, y = x / width, y / height
    return f" at ({x:.3f},{y:.3f})" if space == "norm1" else f" at ({int(1000 * x)},{int(1000 * y)})"


def screen_text(request: Request, nodes_max: int = 150, space: str = "") -> str:
    """The screen, a node a line: what has a label or can be used, in reading order."""
    if not request.has_scene:
        return "The screen could not be captured."
    scene = request.message.scene
    lines = [node_text(node) + middle_text(node, scene.width, scene.height, space) for node in request.nodes()
             if node.label or any(node.flags.get(name) for name in USABLE)]
    more = [] if len(lines) <= nodes_max else [f"... {len(lines) - nodes_max} more"]
    head = f"Screen {scene.width}x{scene.height}, app {request.app or 'unknown'}, page {request.page or 'unknown'}:"
    return "\n".join([head, *lines[:nodes_max], *more])


def results_text(request: Request) -> str:
    """How the steps since the last plan went, a line each; "" when there were none."""
    lines = []
    for result in request.results:
        line = f"step {result['step']} {result['action']} {json.dumps(result['args'], ensure_ascii=False)}: {result['outcome']}"
        lines.append(line if result["outcome"] == "ok" else f"{line}, {result['code']} {result['text']}".rstrip())
    return "\n".join(lines)


def turn_text(request: Request, nodes_max: int = 150, space: str = "") -> str:
    """All that is new: results, the user's reply, the WorldState with its signals, the screen."""
    parts = [results_text(request)]
    if request.user_reply:
        parts.append("The user answers: " + request.user_reply)
    if request.world is not None:
        parts.append("Known: " + str(request.world))
    parts += [f"{request.steps_left} steps left.", screen_text(request, nodes_max, space)]
    return "\n".join(part for part in parts if part)
