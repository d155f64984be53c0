"""Read a recorded task: its request, its folder, and the responses of models."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from openkoi_hookspecs import KoiError, NextAction, Record, Task, events
from openkoi_hookspecs.lazy_dataclass import dataclass

from .recorded_model import Recording

if TYPE_CHECKING:
    from openkoi_hookspecs import OpenedKoi, PluginEntry

    from ..invocation import Invocation

AFTER_REQUESTS = frozenset({"after_execute", "after_evaluate", "before_learn", "on_learning"})
EXECUTOR = "executor"
NOT_OVER = "Task {id} has no result. To resume it, run `openkoi resume {id}`."


@dataclass(frozen=True, slots=True)
class PastTaskRun:
    """A finished task. ``checkpoint`` is the state of its files before the first change; empty if it changed none."""

    id: str
    task: Task
    workspace: Path
    model: str
    accepted: bool
    checkpoint: str
    responses: Sequence[events.ModelResponse]
    answers: Sequence[events.HookReturned]

    @property
    def usd(self) -> float:
        """The cost of its model calls, in dollars."""
        return sum(one.usd for one in self.responses)

    @property
    def models(self) -> Mapping[str, str]:
        """The model of each role that was called, as ``provider/model``; the executor's if no judge was called."""
        named = {one.role: one.model for one in self.responses}
        return {"evaluator": named.get(EXECUTOR, self.model), EXECUTOR: self.model, **named}

    def request_changers(self, plugins: "Sequence[PluginEntry]") -> frozenset[int]:
        """Return the indexes of the plugins whose hooks or tools affect the requests to models."""
        named = {one.plugin for one in self.answers if one.hook not in AFTER_REQUESTS}
        found = (place for place, one in enumerate(plugins) if one.kind != "hooks" or one.name in named)
        return frozenset(place for place in found if plugins[place].kind in ("hooks", "tools"))

    def recording(self, koi: "OpenedKoi") -> Recording:
        """Return the responses for replays."""
        return Recording(self.models, [*self.responses], koi)


def read_past(invocation: "Invocation", task_id: str) -> PastTaskRun:
    """Return a task of the log; raise KoiError if it has no result or no folder."""
    from openkoi_runlog import build_view, find_task, missing_folder_error, read_task_records

    sessions = invocation.paths.sessions
    past = find_task(sessions, task_id)
    records = read_task_records(sessions, past)
    started, completed = (last_of(records, past.run, kind) for kind in (events.TaskStarted, events.RunCompleted))
    if not isinstance(started, events.TaskStarted) or not isinstance(completed, events.RunCompleted):
        raise KoiError(NOT_OVER.format(id=past.run[:8]))
    workspace = Path(started.workspace)
    if not workspace.is_dir():
        raise missing_folder_error(past.run, workspace)
    return PastTaskRun(
        past.run,
        replace(started.task, parent=""),
        workspace,
        started.model,
        completed.decision.action is NextAction.ACCEPT,
        build_view(records, past.run).checkpoints.before,
        [one.event for one in records if isinstance(one.event, events.ModelResponse)],
        [one.event for one in records if isinstance(one.event, events.HookReturned)],
    )


def last_of(records: Sequence[Record], run: str, kind: type[events.Event]) -> events.Event | None:
    """Return a run's last event of a kind."""
    found = [one.event for one in records if one.run == run and isinstance(one.event, kind)]
    return found[-1] if found else None
