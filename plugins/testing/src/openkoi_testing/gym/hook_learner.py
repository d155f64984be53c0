"""Let hooks learn: their ``after_recall`` and ``before_learn`` are called as the kernel calls them, with a log on disk.

This is the fast path: no kernel, no model behind a socket. Its curves are those of the kernel's path in ``runs``.
"""

import asyncio
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Protocol, cast

from openkoi_hookspecs import (
    Cost,
    Event,
    Learning,
    LearningStatus,
    Recall,
    Record,
    Request,
    Response,
    Result,
    Run,
    StreamEnd,
    Task,
    Text,
    Usage,
    events,
)
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_runlog.record_format import add_checksum, write_line

from .learners import KnownItem, Memory
from .world import GymTask

TASKS_A_SESSION = 20
LIVE = (LearningStatus.PROBATION, LearningStatus.ACTIVE)


class LearningHooks(Protocol):
    """The hooks of a learner."""

    async def after_recall(self, recall: Recall, task: Task, run: Run) -> Recall:
        """Select the entries to show."""

    async def before_learn(self, result: Result, run: Run) -> Sequence[Learning]:
        """Learn from a run."""


@dataclass(slots=True)
class SessionLog:
    """A log of many sessions in a folder, in the run log's format; nothing is synced to the disk."""

    folder: Path
    began: datetime = field(default_factory=lambda: datetime.now(UTC))
    learned: dict[str, tuple[str, Learning]] = field(default_factory=dict)
    held_out: tuple[str, ...] = ()
    count: int = 0

    def write(self, run: "LoggedRun", happened: Sequence[Event]) -> None:
        """Append events, and remember what was learned last of each id."""
        with (self.folder / f"{run.task.session}.jsonl").open("ab") as file:
            for event in happened:
                self.count += 1
                at = (self.began + timedelta(microseconds=self.count)).isoformat(timespec="microseconds")
                record = Record(f"{self.count:08}", at.replace("+00:00", "Z"), run.id, event)
                file.write(add_checksum(write_line(record, str)))
                self.held_out = getattr(event, "withheld", self.held_out)
                if isinstance(event, events.LearningSaved):
                    project = self.learned.get(event.learning.id, (run.task.project,))[0]
                    self.learned[event.learning.id] = project, event.learning


@dataclass(slots=True)
class LoggedRun:
    """A run with the parts that a learner needs: its id, its task, a log, and a model with no lesson."""

    id: str
    task: Task
    log: SessionLog

    async def emit(self, *happened: Event) -> None:
        """Log events."""
        self.log.write(self, happened)

    async def fold(self, hook: object, value: Learning, **facts: object) -> Learning:
        """Return a learning unchanged."""
        return value

    async def chat(self, request: Request) -> Response:
        """Answer that there is no lesson."""
        return Response((Text("NONE"),), StreamEnd(Usage()))


@dataclass(slots=True)
class HookLearner:
    """A learner that is a hook; ``make`` returns it for a folder of logs. ``world`` begins the ids of its runs.

    Which runs hold an entry out depends on their ids, and should not be the same ones in all worlds.
    """

    folder: Path
    make: Callable[[Path], LearningHooks]
    world: str
    hook: LearningHooks = field(init=False)
    log: SessionLog = field(init=False)
    run: LoggedRun = field(init=False)
    runs: int = 0

    def __post_init__(self) -> None:
        self.hook, self.log = self.make(self.folder), SessionLog(self.folder)

    async def recall(self, task: GymTask) -> Sequence[str]:
        """Return the lines that the hook shows."""
        asyncio.get_running_loop().set_default_executor(SameThread())
        session = f"session{self.runs // TASKS_A_SESSION:04}"
        asked = Task(task.text, project=task.project, category=task.kind, session=session)
        self.run = LoggedRun(f"{self.world} {self.runs:08}", asked, self.log)
        self.runs += 1
        await self.run.emit(events.TaskStarted(asked, model="gym/model"))
        recall = await self.hook.after_recall(Recall(), asked, cast(Run, self.run))  # all of a run that it needs
        await self.run.emit(events.RecallFinished(recall))
        return [line for hit in recall.hits for line in hit.item.text.splitlines()]

    async def learn(self, task: GymTask, result: Result) -> None:
        """Give the hook the run."""
        await self.run.emit(events.RunCompleted(result.decision, Cost()))
        for learning in await self.hook.before_learn(result, cast(Run, self.run)):  # as above
            await self.run.emit(events.LearningSaved(learning))

    def items(self) -> Collection[KnownItem]:
        """Return the active entries."""
        return [one for one in self.memory().items if one.live]

    def memory(self) -> Memory:
        """Return the learned entries, and those that this run held out."""
        known = self.log.learned
        items = [
            KnownItem(
                project if one.scope == "project" else "",
                one.text,
                one.status is LearningStatus.ACTIVE,
                one.status in LIVE and not one.superseded_by,
            )
            for project, one in known.values()
        ]
        return Memory(items, [known[id][1].text for id in self.log.held_out if id in known])


class SameThread(ThreadPoolExecutor):
    """Do work at once: switching threads would take most of the time here."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **more: Any) -> "Future[Any]":
        """Return a future that is done."""
        done: Future[Any] = Future()
        done.set_result(fn(*args, **more))
        return done
