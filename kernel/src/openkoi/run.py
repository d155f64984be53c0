"""Implement ``Run``, a task while it runs: everything it does is charged to the task, bound by its limits and logged.

Contains what the phases share: the conversation, the tools, the checkpoints.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from dataclasses import KW_ONLY, field
from pathlib import Path
from secrets import token_hex
from typing import Concatenate, ParamSpec, TypeVar

from openkoi.progress import SeenStates, StuckDetector, StuckLimits
from openkoi_base.decision.effects import EffectLog
from openkoi_base.isolation import checks_arguments, with_timeout
from openkoi_base.schema.deferred_tools import visible_tools
from openkoi_hookspecs import (
    Agent,
    Command,
    CommandResult,
    Cost,
    Evaluator,
    Event,
    ExecutionResult,
    Hit,
    HookReturn,
    Iteration,
    Koi,
    LimitExceededError,
    Limits,
    Query,
    Question,
    Request,
    Response,
    Result,
    Run,
    Task,
    Tool,
    ToolCall,
    ToolResult,
    events,
)
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_loader.hooks import HookCaller, Hooks
from openkoi_loader.tool_lists import list_tools
from openkoi_models import EXECUTOR, CallBudget, ModelClient, ResolvedModel, TaskBudget, executor_of
from openkoi_prompt.conversation import Conversation
from openkoi_runlog import RunReplay, build_replay
from openkoi_settings import keys

from .ask_user import pending_question
from .run_origin import ALONE, RunOrigin
from .run_state import BaselineState, RunActivity, RunTools
from .sandbox_runner import SandboxRunner
from .services import Services
from .workspace_checkpoints import WorkspaceState

T = TypeVar("T")
P = ParamSpec("P")
NOTIFYING: ContextVar[bool] = ContextVar("telling", default=False)
NO_AGENT = Agent(name="")


@checks_arguments(Run, unchecked={"emit", "collect", "fold"}, late={"chat"})  # the kernel calls these in each cycle
@dataclass(slots=True)
class TaskRun:
    """A run, as plugins and phases use it."""

    services: Services
    task: Task
    workspace: Path
    origin: RunOrigin = ALONE
    _: KW_ONLY
    solve_subtask: Callable[[Task, "TaskRun"], Awaitable[Result]]
    call_tool: Callable[[ToolCall, "TaskRun"], Awaitable[ToolResult]]
    hooks: Hooks
    root: Path | None = None
    id: str = ""
    iterations: tuple[Iteration, ...] = ()
    evaluators: dict[str, Evaluator] = field(default_factory=dict)
    tools: RunTools = field(default_factory=RunTools)
    activity: RunActivity = field(default_factory=RunActivity)
    conversation: Conversation = field(default_factory=Conversation)
    seen_states: SeenStates = field(default_factory=SeenStates)
    touched: bool = False
    baseline: BaselineState = field(default_factory=BaselineState)
    effects: EffectLog = field(default_factory=EffectLog)
    limit_noted: str = ""
    classified: bool = False
    astray: bool = False
    learning: asyncio.Task[None] | None = None
    reported_cost: Cost = Cost()
    replay: RunReplay = field(init=False)
    budget: TaskBudget = field(init=False)
    sandbox_runner: SandboxRunner = field(init=False)
    models: ModelClient = field(init=False)
    workspace_state: WorkspaceState = field(init=False)
    stuck_detector: StuckDetector = field(init=False)

    def __post_init__(self) -> None:
        self.id = self.origin.id or token_hex(10)
        self.replay = build_replay(self.origin.records, self.id)
        self.budget = TaskBudget(self.limits, self.origin.budget)
        self.budget.started -= self.replay.seconds
        self.reported_cost = self.replay.iteration_cost
        self.sandbox_runner = SandboxRunner(self.services, self, self.replay.approved)
        for paid in self.replay.paid:
            self.budget.remember(paid.usage, paid.usd)
        payer = CallBudget(self.budget, self.services.budget, self.outermost)
        self.models = ModelClient(payer, self.services.router, self.emit, executor_of(self.task.agent) or EXECUTOR)
        loops = (keys.LOOP_WARNING, keys.LOOP_CRITICAL, keys.LOOP_BREAKER)
        self.stuck_detector = StuckDetector(StuckLimits(*(self.services.config[key] for key in loops)))
        services, seconds_left = self.services, lambda: self.seconds_left
        self.hooks = self.hooks.called_by(HookCaller(self.emit, seconds_left, self.note_limit))
        checkpoints, warn = services.components.checkpoints, services.warn_once
        self.workspace_state = WorkspaceState(self.workspace, self.outermost, checkpoints, warn, seconds_left)

    @property
    def outermost(self) -> str:
        """The id of the task's run that this one is a part of."""
        return self.origin.outermost or self.id

    @property
    def inbox(self) -> list[str]:
        """The user's messages that the run has not read yet."""
        return self.services.inboxes.get(self.id, [])

    @property
    def koi(self) -> Koi:
        """OpenKoi, for everything that is not charged to the task."""
        return self.services.koi

    @property
    def limits(self) -> Limits:
        """The limits of the task."""
        return self.task.effective_limits

    @property
    def agent(self) -> Agent:
        """The agent that does the task; by default one without a definition."""
        return self.task.agent or NO_AGENT

    @property
    def cost(self) -> Cost:
        """What has been used so far, including sub-tasks and plugins."""
        return self.budget.cost

    def take_iteration_cost(self) -> Cost:
        """Return the cost since the last call; nothing for iterations that are already in the log."""
        if self.replay.written[events.IterationFinished] > 0:
            return Cost()
        before, now = self.reported_cost, self.cost
        self.reported_cost = now
        return now - before

    # What a Koi can do, within this task.

    async def search(self, query: Query) -> Sequence[Hit]:
        """Ask memory; warn if it fails."""
        try:
            return await self.with_deadline(self.services.memory.search(query))
        except LimitExceededError:
            self.services.warn_once("Memory did not answer within the task's time limit.")
            return ()
        finally:
            await self.warn()

    async def ask(self, question: Question, *, stays: bool = False) -> str | None:
        """Ask the user; the task's clock stops meanwhile. A kept answer is used again without asking.

        A question that ``stays`` can be answered after the run has ended without an answer, and is then resumed.
        """
        if (kept := self.services.consents.answer_to(question)) is not None:
            return kept
        waiting = pending_question(question, self.services.redactor, self)
        await self.emit(events.QuestionAsked(waiting.id, waiting.question.text))
        try:
            with self.budget.pause():
                answer = await self.services.ask(question, waiting, stays=stays)
        except asyncio.CancelledError:
            self.services.publish(self.id, [] if stays else [events.QuestionAnswered(waiting.id, None)])
            raise
        await self.emit(events.QuestionAnswered(waiting.id, answer))
        return answer

    async def solve(self, task: Task) -> Result:
        """Run a sub-task with the remaining budget. Its changes count as this task's."""
        return await self.solve_subtask(task, self)

    async def list_tools(self) -> Sequence[Tool]:
        """List the tools that a model is offered; deferred tools only by name, until the model asks for a schema."""
        if not self.tools.listed:
            tool_providers = await self.services.components.tool_providers(self.root)
            listed = await list_tools(
                tool_providers,
                lambda provider: self.with_deadline(provider.tools(self)),
                self.agent.tools,
                self.services.warn_once,
            )
            await self.warn()
            offered = visible_tools(listed)
            self.tools = RunTools((*listed, *(tool for tool in offered if tool not in listed)), offered, listed=True)
        return self.tools.offered

    async def call(self, call: ToolCall) -> ToolResult:
        """Call a tool as the model does."""
        return await self.call_tool(call, self)

    def note_limit(self, limit: str) -> None:
        """Record that a hook, tool or sub-task of this run reached a limit."""
        self.limit_noted = self.limit_noted or limit

    @property
    def seconds_left(self) -> float:
        """How long the task may still take."""
        return self.budget.seconds_left

    @property
    def reached_limit(self) -> str:
        """The limit that was reached first; empty if none was."""
        return self.budget.refused or self.limit_noted

    async def collect(
        self, hook: Callable[P, HookReturn[T]], /, *args: P.args, **facts: P.kwargs
    ) -> list[tuple[str, T]]:
        """Call every implementation of a hook with the same facts."""
        answers = await self.hooks.collect(hook, *args, **facts)
        await self.warn()
        return answers

    async def fold(
        self, hook: Callable[Concatenate[T, P], HookReturn[T]], value: T, /, *args: P.args, **facts: P.kwargs
    ) -> T:
        """Pass a value through every implementation of a hook."""
        value = await self.hooks.fold(hook, value, *args, **facts)
        await self.warn()
        return value

    # What is a run's own.

    async def chat(self, request: Request) -> Response:
        """Call a model; the worst case is reserved first. A logged answer is not asked for again."""
        known = self.replay.pop_response(request)
        return await self.models.chat(request) if known is None else known.response

    async def execute(self, command: Command) -> CommandResult:
        """Run a command in the workspace, inside the chosen sandbox, no longer than the task may last."""
        return await self.sandbox_runner.execute(command, self.workspace, self.seconds_left)

    async def approve(self, paths: Sequence[str]) -> None:
        """Let commands change these otherwise protected paths, as the user has allowed."""
        if paths:
            self.sandbox_runner.approved |= {*paths}
            await self.emit(events.PathsApproved(tuple(paths)))

    async def with_deadline(self, awaited: Awaitable[T]) -> T:
        """Wait for a plugin no longer than the task may last; raises LimitExceededError."""
        return await with_timeout(awaited, self.budget.seconds_left, self.budget.deadlines)

    async def emit(self, event: Event, *more: Event) -> None:
        """Log events, then pass them to listeners; events that a listener emits are logged only."""
        happened = self.replay.without_covered((event, *more))
        if not happened:
            return
        await self.services.publisher.publish_together(self.id, happened)
        if NOTIFYING.get() or not (followed := self.hooks.select_followed(happened)):
            return
        before = NOTIFYING.set(True)
        try:
            for each in followed:
                await self.hooks.notify(each, self)
        finally:
            NOTIFYING.reset(before)

    async def warn(self) -> None:
        """Log the pending warnings."""
        if warnings := self.services.warnings.take():
            await self.emit(*warnings)

    async def window(self) -> int:
        """Return the context size of the executor's model, in tokens."""
        return self.agent.context or (await self.executor()).model.context

    async def executor(self) -> ResolvedModel:
        """Return the model that does the task."""
        first, *_ = await self.services.router.chain(self.agent.model or EXECUTOR)
        return await self.services.router.resolve_model(first)

    # The workspace, and how it was.

    async def go_back_to(self, work: ExecutionResult) -> None:
        """Restore the files as this work left them; warn about those that cannot be restored."""
        await self.workspace_state.restore_to(work)
        await self.warn()
