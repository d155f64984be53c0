"""Run a world through the kernel: a model behind the provider's socket, an evaluator, real prompts, a real log."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import ClassVar

from openkoi.app import App
from openkoi_hookspecs import (
    Chunk,
    Evaluation,
    ExecutionResult,
    FinishReason,
    LearningStatus,
    Message,
    Model,
    Record,
    Request,
    Run,
    StreamEnd,
    Task,
    Text,
    ToolCall,
    Usage,
    events,
)
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_testing.gym.hook_learner import LIVE, TASKS_A_SESSION
from openkoi_testing.gym.learners import KnownItem
from openkoi_testing.gym.runs import LIMITS, Course, measure_items, measure_step
from openkoi_testing.gym.world import GymTask, Prompt, World
from openkoi_testing.scenario import Scenario

TASK = re.compile(r"\A# Task\n\n(?P<task>.*?)(?:\n\n|\Z)", re.DOTALL)


@dataclass(slots=True)
class GymModel:
    """A provider that reads a prompt and lets the world's model attempt the task; asked for lessons, it has none."""

    world: World
    task: GymTask = GymTask("", "")
    shown: tuple[str, ...] = ()
    tried: list[str] = field(default_factory=list)
    calls: int = 0

    async def models(self) -> Sequence[Model]:
        """Return the one model."""
        return [Model("script", context=100_000, output=4_000)]

    async def chat(self, request: Request) -> AsyncIterator[Chunk]:
        """Answer with a work, or write it to the file."""
        writes = self.world.path and isinstance(request.messages[-1].parts[-1], Text) and bool(request.tools)
        if not request.tools:
            yield Text("NONE")
        elif self.world.path and not writes:
            yield Text("Done.")
        else:
            yield self.hand_in(self.attempt(request))
        yield StreamEnd(Usage(input=500, output=50), FinishReason.TOOLS if writes else FinishReason.END)

    def hand_in(self, work: str) -> Text | ToolCall:
        """Return a work as an answer or as a call that writes it."""
        self.calls += 1
        if not self.world.path:
            return Text(work)
        return ToolCall(f"call{self.calls}", "write_file", {"path": self.world.path, "content": work + "\n"})

    def attempt(self, request: Request) -> str:
        """Let the world's model attempt the task of a request."""
        first, last = words(request.messages[0]), words(request.messages[-1])
        found = TASK.match(first)
        feedback = last.splitlines() if self.tried else ()
        if found and not self.tried:
            self.shown = tuple(line.removeprefix("- ") for line in first[len(found[0]) :].splitlines() if line.strip())
        work = self.world.attempt(Prompt(task=self.task, shown=self.shown, feedback=feedback, tried=tuple(self.tried)))
        self.tried.append(work)
        return work


def words(message: Message) -> str:
    """Return the text of a message."""
    return "\n".join(part.text for part in message.parts if isinstance(part, Text))


@dataclass(slots=True)
class GymEvaluator:
    """An evaluator that asks the world."""

    world: World
    model: GymModel
    judges: ClassVar[bool] = True

    async def evaluate(self, work: ExecutionResult, run: Run) -> Evaluation:
        """Return the world's evaluation of the current work."""
        path = run.workspace / self.world.path
        text = path.read_text(encoding="utf-8") if self.world.path and path.is_file() else work.text
        return self.world.evaluate(self.model.task, text, first=not run.iterations)


def recalled_lines(record: Record, run: str) -> Iterator[str]:
    """Yield the lines that a run was shown."""
    if record.run == run and isinstance(record.event, events.RecallFinished):
        yield from (line for hit in record.event.recall.hits for line in hit.item.text.splitlines())


@dataclass(slots=True)
class KernelRuns:
    """The tasks of a world, in sessions over an app that ``stage`` makes of the world's model and evaluator."""

    world: World
    home: Path
    stage: Callable[[Scenario, Path], Scenario]
    model: GymModel = field(init=False)
    course: Course = field(default_factory=Course)
    learned: dict[str, tuple[str, events.LearningSaved]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.model = GymModel(self.world)

    def run(self, tasks: int) -> Course:
        """Do some tasks, a few in each simulated process."""
        for start in range(0, tasks, TASKS_A_SESSION):
            asyncio.run(self.run_session(min(TASKS_A_SESSION, tasks - start)))
        live = [(project, one.learning) for project, one in self.learned.values() if one.learning.status in LIVE]
        items = [KnownItem(home, one.text, one.status is LearningStatus.ACTIVE) for home, one in live]
        measure_items(self.course, self.world, items)
        return self.course

    async def run_session(self, tasks: int) -> None:
        """Do some tasks in one app, then record the learned entries."""
        plain = Scenario(model=self.model, evaluators={"judge": GymEvaluator(self.world, self.model)})
        async with self.stage(plain, self.home).build_app(self.home, self.home) as koi:
            for _ in range(tasks):
                await self.run_task(koi)
            homes: Mapping[str, str] = {
                one.run: one.event.task.project
                for one in koi.records(koi.session)
                if isinstance(one.event, events.TaskStarted)
            }
            for one in koi.records(koi.session):
                if isinstance(one.event, events.LearningSaved):
                    home = self.learned.get(one.event.learning.id, (homes.get(one.run, ""),))[0]
                    self.learned[one.event.learning.id] = home, one.event

    async def run_task(self, koi: App) -> None:
        """Do the next task in its project's folder."""
        task = self.world.next_task()
        folder = self.home / task.project
        folder.mkdir(exist_ok=True)
        (folder / (self.world.path or "none")).unlink(missing_ok=True)
        self.model.task, self.model.shown = task, ()
        self.model.tried.clear()
        asked = Task(task.text, project=task.project, category=task.kind, workspace=str(folder), limits=LIMITS)
        result = await koi.solve(asked)
        await koi.drain()
        lines = [line for one in koi.records(koi.session) for line in recalled_lines(one, result.run)]
        self.course.steps.append(measure_step(self.world, task, lines, result))
