"""Run learners in the ponds: the learning hook with its own log, no memory, and an oracle."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol, cast

from learning_ponds import Pond, Thing, Variation

from openkoi_hookspecs import (
    Cost,
    Event,
    Learning,
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
from openkoi_learning import LearningHook
from openkoi_learning.lesson import first_attempt_passed
from openkoi_runlog.record_format import add_checksum, write_line

SESSION = 20


class Learner(Protocol):
    """A learner with memory."""

    async def advise(self, task: Task, needs: Sequence[Thing]) -> Sequence[str]:
        """The lines shown to the model."""

    async def learn(self, result: Result) -> None:
        """Learn from the outcome."""


class Nobody:
    """No memory at all."""

    async def advise(self, task: Task, needs: Sequence[Thing]) -> Sequence[str]:
        return ()

    async def learn(self, result: Result) -> None:
        """Nothing is kept."""


class Oracle(Nobody):
    """Knows everything."""

    async def advise(self, task: Task, needs: Sequence[Thing]) -> Sequence[str]:
        return [f"{one.way} for the {one.name}" for one in needs]


@dataclass(slots=True)
class Lent:
    """A minimal run for the learning hook: a log, and the pond's small model."""

    id: str
    task: Task
    log: "Log"
    says: Sequence[str] = ()

    async def emit(self, *happened: Event) -> None:
        self.log.write(self.id, happened)

    async def fold(self, moment: object, value: Learning, **facts: object) -> Learning:
        return value

    async def chat(self, request: Request) -> Response:
        return Response((Text("\n".join(self.says) or "NONE"),), StreamEnd(Usage()))


@dataclass(slots=True)
class Log:
    """A run log of many short sessions, not synced because nothing outlives the test."""

    folder: Path
    began: datetime = field(default_factory=lambda: datetime.now(UTC))
    count: int = 0

    def write(self, run: str, happened: Sequence[Event]) -> None:
        with (self.folder / f"{session_of(run)}.jsonl").open("ab") as file:
            for event in happened:
                self.count += 1
                at = (
                    (self.began + timedelta(microseconds=self.count))
                    .isoformat(timespec="microseconds")
                    .replace("+00:00", "Z")
                )
                file.write(add_checksum(write_line(Record(f"{self.count:08}", at, run, event), str)))


def session_of(run: str) -> str:
    return f"session{int(run) // SESSION:03}"


@dataclass(slots=True)
class Moments:
    """The learning hook, called as the kernel calls it: after recall, and before learning."""

    pond: Pond
    folder: Path
    ledger: LearningHook = field(init=False)
    log: Log = field(init=False)
    run: Lent = field(init=False)
    runs: int = 0
    tokens: int = 0

    def __post_init__(self) -> None:
        self.ledger = LearningHook(sessions=self.folder, reflection_seconds=60.0)
        self.log = Log(self.folder)

    async def advise(self, task: Task, needs: Sequence[Thing]) -> Sequence[str]:
        id = f"{self.runs:08}"
        self.runs += 1
        task = replace(task, session=session_of(id))
        self.run = Lent(id, task, self.log)
        await self.run.emit(events.TaskStarted(task, model="pond/model"))
        recall = await self.ledger.after_recall(Recall(()), task, cast(Run, self.run))  # all of a run that it needs
        await self.run.emit(events.RecallFinished(recall))
        texts = [hit.item.text for hit in recall.hits]
        self.tokens += sum(-(-len(text) // 4) + 4 for text in texts)
        return texts

    async def learn(self, result: Result) -> None:
        self.run.says = list(self.pond.guesses(result))
        await self.run.emit(events.RunCompleted(result.decision, Cost()))
        for learning in await self.ledger.before_learn(result, cast(Run, self.run)):  # as above
            await self.run.emit(events.LearningSaved(learning))


@dataclass(slots=True)
class Course:
    """A learner's results: whether each first attempt passed, and how many wrong entries each task was shown."""

    passes: list[bool] = field(default_factory=list)
    harmful: list[int] = field(default_factory=list)
    tokens: float = 0.0

    def share(self, start: int, end: int | None = None) -> float:
        part = self.passes[start:end]
        return sum(part) / len(part)


class Inline(ThreadPoolExecutor):
    """Runs work at once, since switching threads would take most of the time here."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **more: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        future.set_result(fn(*args, **more))
        return future


async def lived(pond: Pond, learner: Learner, tasks: int, drift: int) -> Course:
    asyncio.get_running_loop().set_default_executor(Inline())
    course = Course()
    for number in range(tasks):
        if number == drift:
            pond.drift()
        task, needs = pond.task()
        advice = await learner.advise(task, needs)
        result = pond.result(task, needs, advice)
        await learner.learn(result)
        course.passes.append(bool(first_attempt_passed(result)))
        course.harmful.append(sum(pond.misleading(task.project, text) for text in advice))
    course.tokens = learner.tokens / tasks if isinstance(learner, Moments) else 0.0
    return course


def live(like: Variation, seed: int, who: str, tasks: int = 500, drift: int = -1) -> Course:
    """Do a number of tasks in a world: without memory, with the learning hook, or with the oracle."""
    pond = Pond(like, seed)
    with TemporaryDirectory() as folder:
        learners: dict[str, Learner] = {"none": Nobody(), "ours": Moments(pond, Path(folder)), "oracle": Oracle()}
        return asyncio.run(lived(pond, learners[who], tasks, drift))
