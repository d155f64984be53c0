"""One task under way. Implements ``Run``: whatever it does is charged to the task, bound by its limits and logged.

Holds what the phases share: the conversation, the tools, the checkpoints. Knows no phase.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path
from secrets import token_hex
from typing import Concatenate, ParamSpec, TypeVar

from openkoi_budget import Budget
from openkoi_files import name_of
from openkoi_hookspecs import (
    Agent,
    Baseline,
    Command,
    CommandResult,
    Cost,
    Evaluator,
    Event,
    ExecutionResult,
    Hit,
    HookReturn,
    Iteration,
    KoiError,
    LimitExceededError,
    Message,
    Query,
    Question,
    Request,
    Response,
    Result,
    Role,
    StopReason,
    Task,
    Tool,
    events,
)
from openkoi_log import Rerun, part_of, rerun_of
from openkoi_progress import Footprints, Standstill

from .asking import Asking
from .baselines import take_baselines
from .caging import strong_enough
from .conversation import Conversation
from .deadline import wait_for
from .effects import EffectLog
from .house import ALONE, Nested
from .lodger import Lodger
from .roles import EXECUTOR, executor_of
from .versions import Versions

T = TypeVar("T")
P = ParamSpec("P")
TELLING: ContextVar[bool] = ContextVar("telling", default=False)
DEEPEST = 8
NOBODY = Agent(name="")


@dataclass(slots=True)
class Kernel(Lodger):
    """A run, as plugins are lent it and as the phases carry it."""

    task: Task
    workspace: Path
    nested: Nested = ALONE
    id: str = ""
    iterations: tuple[Iteration, ...] = ()
    evaluators: dict[str, Evaluator] = field(default_factory=dict)
    tools: tuple[Tool, ...] = ()
    offered: tuple[Tool, ...] = ()
    talk: Conversation = field(default_factory=Conversation)
    footprints: Footprints = field(default_factory=Footprints)
    touched: bool = False
    baselines: dict[str, Baseline] = field(default_factory=dict)
    effects: EffectLog = field(default_factory=EffectLog)
    limit_noted: str = ""
    settling: asyncio.Lock = field(default_factory=asyncio.Lock)
    settled: bool = False
    classified: bool = False
    unkept: bool | None = None
    astray: bool = False
    uncaged: bool = False
    approved: frozenset[str] = frozenset()
    children: int = 0
    lapped: Cost = Cost()
    past: Rerun = field(init=False)
    budget: Budget = field(init=False)
    asking: Asking = field(init=False)
    versions: Versions = field(init=False)
    standstill: Standstill = field(init=False)

    def __post_init__(self) -> None:
        self.id = self.nested.id or token_hex(10)
        self.past = rerun_of(self.nested.records, self.id)
        self.budget = Budget(self.task.limits, self.nested.budget or self.house.day)
        self.budget.started -= self.past.seconds
        self.lapped = self.past.lapped
        self.approved = self.past.approved
        for paid in self.past.paid:
            self.budget.remember(
                paid.usage if isinstance(paid, events.ModelResponseBroken) else paid.response.done.usage, paid.usd
            )
        self.asking = Asking(self.budget, self.house.cast, self.emit, executor_of(self.task.agent) or EXECUTOR)
        self.standstill = Standstill(self.house.config.ceilings)
        keeper, house = self.house.sockets.checkpoints, self.house
        self.versions = Versions(self.workspace, self.outermost, keeper, house.warn_once, lambda: self.seconds_left)

    @property
    def outermost(self) -> str:
        """The id of the task's run that this one is a part of."""
        return self.nested.outermost or self.id

    @property
    def agent(self) -> Agent:
        """Who does the task; nobody in particular, as a rule."""
        return self.task.agent or NOBODY

    @property
    def cost(self) -> Cost:
        """What has been used so far, by anyone."""
        return self.budget.cost

    def lap(self) -> Cost:
        """What has been used since this was asked last; of iterations that are in the log already, nothing."""
        if self.past.written[events.IterationFinished] > 0:
            return Cost()
        before, now = self.lapped, self.cost
        self.lapped = now
        return now - before

    # What a Koi can do, within this task.

    async def search(self, query: Query) -> Sequence[Hit]:
        """Ask memory; what is wrong with it is said."""
        try:
            return await self.in_time(self.house.search(query))
        except LimitExceededError:
            self.house.warn_once("Memory did not answer in the time that the task has.")
            return ()
        finally:
            await self.warn()

    async def ask(self, question: Question) -> str | None:
        """Ask the person there is; the task's time stands still until the answer."""
        id = name_of(question, self.id)
        await self.emit(events.QuestionAsked(id, question.text))
        with self.budget.standing_still():
            answer = await self.house.asker.ask(question, self.id)
        await self.emit(events.QuestionAnswered(id, answer))
        return answer

    async def solve(self, task: Task) -> Result:
        """Do a sub-task, paid from what is left. What it changes is a change of this task's."""
        if self.nested.depth >= DEEPEST:
            raise LimitExceededError("nested tasks")
        id = part_of(self.id, self.children)
        self.children += 1
        await self.settle_baseline()
        self.touched = True
        part = Nested(self.budget, self.nested.depth + 1, id, self.nested.records, self.outermost)
        workspace = task.workspace or self.task.workspace
        nested = replace(task, parent=self.id, session=self.task.session, workspace=workspace)
        result = await self.house.solve(nested, part)
        self.note_part(result.iterations[-1].work)
        return result

    def note_part(self, work: ExecutionResult) -> None:
        """Take over how a sub-task ended and what it did; its own verdict does not count here."""
        self.effects.calls += work.calls
        if work.ended in (StopReason.BUDGET, StopReason.TIME):
            self.note_limit(work.limit or work.ended)

    def note_limit(self, limit: str) -> None:
        """Record that a hook, a tool or a sub-task of this run reached a limit."""
        self.limit_noted = self.limit_noted or limit

    @property
    def seconds_left(self) -> float:
        """How long the task may still take."""
        return self.budget.seconds_left

    @property
    def limited(self) -> str:
        """The limit that was reached first; empty if none was."""
        return self.budget.refused or self.limit_noted

    async def collect(
        self, moment: Callable[P, HookReturn[T]], /, *args: P.args, **facts: P.kwargs
    ) -> list[tuple[str, T]]:
        """Ask every plugin at a moment."""
        said = await self.house.hooks.collect(moment, *args, **facts)
        await self.warn()
        return said

    async def fold(
        self, moment: Callable[Concatenate[T, P], HookReturn[T]], value: T, /, *args: P.args, **facts: P.kwargs
    ) -> T:
        """Pass a value through every plugin at a moment."""
        value = await self.house.hooks.fold(moment, value, *args, **facts)
        await self.warn()
        return value

    # What is a run's own.

    async def chat(self, request: Request) -> Response:
        """Call a model; the worst case is reserved first. What was answered before is not asked again."""
        known = self.past.answer(request)
        return await self.asking.chat(request) if known is None else known.response

    async def execute(self, command: Command) -> CommandResult:
        """Run a command in the workspace, inside the chosen sandbox, no longer than the task may last."""
        if self.budget.seconds_left <= 0:
            raise LimitExceededError("seconds")
        sandbox = await self.house.sockets.sandbox()
        if sandbox is None:
            raise KoiError("No sandbox is installed, so no command can be run. Install openkoi-sandbox.")
        await strong_enough(sandbox, self)
        without = command.hide_env | self.house.redactor.names(self.house.config.environment)
        seconds, approved = min(command.seconds, self.budget.seconds_left), command.approved | self.approved
        bounded = replace(command, seconds=seconds, hide_env=without, approved=approved)
        done = await sandbox.execute(bounded, self.workspace)
        for event in done.events:
            await self.emit(event)
        return done

    async def approve(self, paths: Sequence[str]) -> None:
        """Let commands change paths that they may not change otherwise, as the user has allowed."""
        if paths:
            self.approved |= {*paths}
            await self.emit(events.PathsApproved(tuple(paths)))

    async def in_time(self, awaited: Awaitable[T]) -> T:
        """Wait for a plugin no longer than the task may last; raises LimitExceededError."""
        return await wait_for(awaited, self.budget.seconds_left, self.budget.deadlines)

    async def emit(self, event: Event, *more: Event) -> None:
        """Write events down, then tell whoever listens. A listener's own events are written and not told again."""
        happened = [one for one in (event, *more) if not self.past.covers(one)]
        if not happened:
            return
        self.house.tell(self.id, happened)
        if TELLING.get() or not self.house.hooks.voices.get("on_event"):
            return
        before = TELLING.set(True)
        try:
            for each in happened:
                await self.house.hooks.tell(event=each, run=self)
        finally:
            TELLING.reset(before)

    async def warn(self) -> None:
        """Say what the house has to warn of."""
        if warnings := self.house.warnings():
            await self.emit(*warnings)

    async def say(self, text: str, *, fresh: bool = False) -> None:
        """Add a message of ours to the conversation, or begin a new one with it."""
        known = self.past.take(events.MessageAdded)
        message, fresh = (known.message, known.new_conversation) if known else (Message.user(text), fresh)
        if fresh:
            self.talk, self.standstill = Conversation(self.talk.system), Standstill(self.house.config.ceilings)
        self.talk.say(message)
        if known is None:
            await self.emit(events.MessageAdded(message, fresh))

    async def window(self) -> int:
        """How many tokens the model that works can read."""
        if self.agent.context:
            return self.agent.context
        first, *_ = await self.house.cast.chain(self.agent.model or EXECUTOR)
        return (await self.house.cast.player(first)).model.context

    def heard(self, reply: Response) -> None:
        """Add the model's turn to the conversation."""
        self.talk.say(Message(Role.ASSISTANT, reply.parts))

    # The workspace, and how it was.

    async def settle_baseline(self) -> None:
        """Before the first change: keep the files as they are, and let evaluators see how things stand."""
        async with self.settling:
            if self.settled:
                return
            self.settled = True
            self.versions.origin = await self.versions.take()
            self.footprints.begin(self.workspace)
            await self.emit(events.BaselineSaved(self.versions.origin))
            await take_baselines(self)

    async def go_back_to(self, work: ExecutionResult) -> None:
        """Bring the files back as this work left them; what cannot be brought back is said."""
        await self.versions.go_back_to(work)
        await self.warn()
