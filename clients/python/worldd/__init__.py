"""worldd for Python: run tasks, write planners, give an agent loop a memory.

    with worldd.World.private() as world:                         # or worldd.World("ipc:///run/worldd/control.sock")
        with worldd.FunctionPlanner(world.daemon.planner_endpoint, lambda request: worldd.complete()):
            print(world.run("demo/hello").verdict)

docs/python.md is the guide; worldd.aio holds the asyncio variant, worldd.testing pytest fixtures, worldd.mcp an MCP server.
"""
from .adb import AdbExecutor
from .daemon import Daemon
from .enricher import Enricher
from .env import Env, Snapshot, VecEnv
from .errors import (BudgetExceeded, ConnectionLost, DaemonFailed, DeadlineExceeded, InvalidRequest, LimitExceeded, NotFound,
                     NotPermitted, NotReachable, OutOfStep, Rejected, RequestError, Superseded, Unsupported, WorlddError)
from .executor import Act, ActionFailed, ActionRefused, CaptureFailed, Executor, Order, Screen
from .folder import FolderExecutor
from .imagine import Imagined
from .planner import FunctionPlanner, Node, Plan, PlanFailed, Planner, Request
from .steps import Step, abort, complete
from .tracker import WorldTracker
from .trajectories import TrajectoryWriter
from .views import Observation, RunResult, Scene, WorldState
from .watch import Watch
from .world import World

__version__ = "0.1.0"
__all__ = ["Act", "ActionFailed", "ActionRefused", "AdbExecutor", "BudgetExceeded", "CaptureFailed",
           "ConnectionLost", "Daemon", "DaemonFailed", "DeadlineExceeded", "Enricher", "Env", "Executor",
           "FolderExecutor", "FunctionPlanner", "Imagined", "InvalidRequest", "LimitExceeded", "Node",
           "NotFound", "NotPermitted", "NotReachable", "Observation", "Order", "OutOfStep", "Plan",
           "PlanFailed", "Planner", "Rejected", "Request", "RequestError", "RunResult", "Scene", "Screen",
           "Snapshot", "Step", "Superseded", "TrajectoryWriter", "Unsupported", "VecEnv", "Watch", "World",
           "WorldState", "WorldTracker", "WorlddError", "abort", "complete"]
