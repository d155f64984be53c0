"""Run small tasks in which a setting has an effect: the kernel, default plugins, and scripted models."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

from openkoi.app import App
from openkoi_hookspecs import (
    Amount,
    Ask,
    BudgetDay,
    BudgetRequest,
    Check,
    Cost,
    Evaluation,
    ExecutionResult,
    Hit,
    Json,
    KoiError,
    LimitExceededError,
    Message,
    Passage,
    Query,
    Record,
    Request,
    Run,
    Score,
    Section,
    Task,
    ToolCall,
    events,
    hookimpl,
)
from openkoi_runlog import encode
from openkoi_scripted import ScriptedFailure, ScriptedFailureKind
from openkoi_testing import Line, Scenario, Scripted, ScriptedTurn

DOWN = ScriptedTurn((), fails=ScriptedFailure(ScriptedFailureKind.UNAVAILABLE, "overloaded", retry_after=600.0))
ECHOES = (events.TaskStarted, events.CycleStarted, events.HookReturned, events.HooksCalled)
CLOCKS = frozenset({"seconds", "milliseconds", "microseconds", "limits"})
CHANCE = re.compile(r"[0-9a-f]{8,}(?:-[0-9a-f]{6})?|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z?")


@dataclass(frozen=True)
class Scene:
    """A task and who takes part in it; ``beside`` happens meanwhile, and it is done so many ``times`` in one home."""

    stage: Scenario
    text: str = "Write it into a.txt"
    beside: Callable[[App], Awaitable[object]] | None = None
    times: int = 1


def play(scene: Scene, settings: Mapping[str, object]) -> list[str]:
    """Do the task with these settings; return the requests, answers, calls, decisions and warnings, in order."""
    with TemporaryDirectory(prefix="openkoi-", ignore_cleanup_errors=True) as folder:
        home, workspace = Path(folder) / "home", Path(folder) / "workspace"
        workspace.mkdir()
        stage = replace(scene.stage, settings={**scene.stage.settings, **settings})
        return [
            CHANCE.sub("#", line.replace(folder, "~"))
            for _ in range(scene.times)
            for line in asyncio.run(play_in(scene, stage.build_app(workspace, home)))
        ]


async def play_in(scene: Scene, koi: App) -> list[str]:
    async with koi:
        meanwhile = asyncio.ensure_future(scene.beside(koi)) if scene.beside else None
        text = "no error"
        try:
            await koi.solve(Task(scene.text, limits=koi.services.config.limits))
            await koi.drain()
        except KoiError as error:
            text = str(error)
        if meanwhile:
            meanwhile.cancel()
            with suppress(asyncio.CancelledError):
                await meanwhile
        return [*(str(fact) for fact in facts(koi.records(koi.session))), text]


def facts(records: Iterator[Record]) -> Iterator[Json]:
    """Yield what happened, without what only repeats the settings and without clocks."""
    for record in records:
        if not isinstance(record.event, ECHOES):
            yield [record.event.name, timeless(encode(record.event))]


def timeless(value: Json) -> Json:
    """Return a value without what a clock says."""
    if isinstance(value, dict):
        return {key: timeless(one) for key, one in value.items() if key not in CLOCKS}
    return [timeless(one) for one in value] if isinstance(value, list) else value


# Who takes part.


@dataclass
class Judged:
    """An evaluator with one score an iteration, the last one again and again."""

    scores: Sequence[float]
    judges: bool = True

    async def evaluate(self, work: ExecutionResult, run: Run) -> Evaluation:
        """Return the next score."""
        value = self.scores[min(len(run.iterations), len(self.scores) - 1)]
        return Evaluation(scores=(Score("quality", value),), suggestion=f"Aim for more than {value}.")


@dataclass
class Checked:
    """An evaluator with one check, which passes or not, one state an iteration."""

    passes: Sequence[bool]

    async def evaluate(self, work: ExecutionResult, run: Run) -> Evaluation:
        """Return the state."""
        return Evaluation(checks=(Check("tests", passed=self.passes[min(len(run.iterations), len(self.passes) - 1)]),))


@dataclass
class Asking:
    """An evaluator, or a hook, that asks the model of a role."""

    role: str
    judges: bool = True

    async def evaluate(self, work: ExecutionResult, run: Run) -> Evaluation:
        """Let a model give a text without findings."""
        await self.asked(run)
        return Evaluation(scores=(Score("quality", 0.9),))

    @hookimpl
    async def before_plan(self, task: Task, run: Run) -> Sequence[Section]:
        """Let a model give advice."""
        return [Section("advice", await self.asked(run))]

    async def asked(self, run: Run) -> str:
        """Return what the model says; what is wrong where it says nothing."""
        try:
            return (await run.chat(Request([Message.user("Say something.")], model=self.role))).text
        except KoiError as error:
            return str(error)


@dataclass
class Advice:
    """A hook that gives advice, after some seconds."""

    text: str
    seconds: float = 0.0

    @hookimpl
    async def before_plan(self) -> Sequence[Section]:
        """Give it."""
        await asyncio.sleep(self.seconds)
        return [Section(self.text, self.text)]


class Gate:
    """A hook that asks before a file is written."""

    @hookimpl
    def before_tool(self, call: ToolCall) -> Ask | None:
        """Ask."""
        return Ask("This writes a file.") if call.tool == "write_file" else None


class Refuses:
    """A budget that has nothing left."""

    async def reserve(self, request: BudgetRequest) -> Amount:
        raise LimitExceededError("what the team may spend")

    async def settle(self, id: str, cost: Cost) -> None:
        """Count nothing."""

    async def days(self) -> Sequence[BudgetDay]:
        return []


@dataclass
class Remembers:
    """A memory that knows one thing."""

    queries: list[Query] = field(default_factory=list)

    async def ingest(self, records: Sequence[Record]) -> None:
        """Forget it."""

    async def search(self, query: Query) -> Sequence[Hit]:
        """Answer with it."""
        self.queries.append(query)
        return [Hit(Passage("p1", "Herons sleep in the reeds."), 0.9)]


@dataclass
class Shortens:
    """A compactor that leaves the conversation unchanged, and logs that."""

    async def compact(self, messages: Sequence[Message], run: Run) -> Sequence[Message]:
        """Say so."""
        await run.emit(events.WarningIssued("It was asked to be shorter."))
        return messages


async def approve(koi: App) -> None:
    """Answer every question with yes, as soon as it waits."""
    while True:
        for one in await koi.pending_questions():
            await koi.answer_question(one.id, "yes")
        await asyncio.sleep(0.02)


# The scenes.

WRITES = ToolCall("", "write_file", {"path": "a.txt", "content": "0\n"})


def writing_model(times: int) -> list[Line]:
    """Return a model that writes a file a number of times, and finishes after each."""
    calls = [ToolCall("", "write_file", {"path": "a.txt", "content": f"{n}\n"}) for n in range(times)]
    return list(chain.from_iterable((call, "Done.") for call in calls))


def scored_task(*scores: float, **more: object) -> Scene:
    """Return a task whose attempts get these scores."""
    return Scene(Scenario(says=writing_model(len(scores)), evaluators={"house": Judged(scores)}, **more))  # type: ignore[arg-type]  # by field name


def learning_task(*scores: float, times: int = 1, **settings: object) -> Scene:
    """Return the same with the learner enabled."""
    installed = Scenario().installed | {"hooks"}
    quiet = {f"hooks.{name}.enabled": False for name in ("skills", "project-rules", "agents", "proposals", "setup")}
    chosen = {**quiet, "hooks.learning.reflect": False, "hooks.learning.withheld": 0.0, **settings}
    return replace(scored_task(*scores, installed=installed, settings=chosen), times=times)


def asking_task(role: str, *, main: Sequence[Line] = ("Done.",), **settings: object) -> Scene:
    """Return a task in which the model of a role is asked something, beside the one that works."""
    one = Asking(role)
    hooked = {"plugins": {"asks": one}} if role == "small" else {"evaluators": {"house": one}}
    says = [WRITES, "Done."] if main == ("Done.",) else main
    others = {"other": Scripted(["Something else."]), "down": Scripted([DOWN])}
    return Scene(Scenario(says=says, providers=others, settings=settings, **hooked))  # type: ignore[arg-type]  # by field name


def calling_task(*calls: ToolCall, **settings: object) -> Scene:
    """Return a task in which these tools are called, one after the other."""
    return Scene(Scenario(says=[*calls, "Done."], settings=settings), text="Tidy up")


def repeating_model(**settings: object) -> Scene:
    """Return a model that repeats a useless call."""
    calls = [ToolCall("", "run_command", {"command": f"echo {n}"}) for n in range(34)]
    return calling_task(*calls, **settings)
