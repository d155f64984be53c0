"""The API for plugins: ``Koi`` outside runs and ``Run`` within one. Both may gain members."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Concatenate, ParamSpec, Protocol, TypeAlias, TypeVar

from .configuration import Configuration
from .events_base import Event, Record
from .iteration import Iteration, Plan, Result
from .memory import Hit, Query
from .model import Model, ProviderInfo, Request, Response
from .patterns import Pattern
from .plugin_entry import HookActivity, PluginEntry
from .posts import Post
from .price import Price
from .questions import Consent, PendingQuestion, Question
from .run_summary import RunSummary
from .sandbox import Command, CommandResult
from .task import Cost, Limits, Task
from .tool import Tool, ToolCall, ToolResult

T = TypeVar("T")
P = ParamSpec("P")

HookReturn: TypeAlias = T | Awaitable[T | None] | None
NO_SETTINGS: Mapping[str, object] = MappingProxyType({})


class Handle(Protocol):
    """A run in the background, for the caller that started, resumed or forked it."""

    @property
    def id(self) -> str:
        """The run's id, known from the beginning."""

    async def result(self) -> Result:
        """Wait for the result; raise the error that ended the run, which is RunStoppedError after ``stop``."""

    def say(self, text: str) -> None:
        """Add a message; it is logged and sent with the next model call. Raises KoiError if the run is over."""

    def stop(self) -> None:
        """Stop the run now. Its work is kept, and it can be resumed; one that has not started is not in the log."""


class Koi(Configuration, Protocol):
    """OpenKoi outside runs, for commands, daemons and frontends."""

    @property
    def session(self) -> str:
        """The id of this process's session in the log."""

    def plugins(self, kind: str) -> Sequence[PluginEntry]:
        """List the plugins of a kind, without loading them. A plugin may define and read its own kind."""

    async def load(self, kind: str, name: str) -> object:
        """Load a plugin, once, and enter it if it is an asynchronous context manager; it is exited when OpenKoi closes.

        Raises PluginNotFoundError, ConfigError, NoProviderError or PluginError.
        """

    async def load_chosen(self, kind: str) -> object | None:
        """Load the plugin of a kind that ``[use]`` selects; None if there is none, or if it fails, with a warning."""

    def hook_activity(self) -> Sequence[HookActivity]:
        """List every implementation of a hook, with how it was called in this process, by any run."""

    def sessions(self) -> Sequence[str]:
        """List the sessions in the log, oldest first."""

    def runs(self, session: str = "") -> Sequence[RunSummary]:
        """List the runs of a session, or of all, oldest first; sub-tasks are part of their run."""

    def records(self, session: str) -> Iterable[Record]:
        """Read a session's log from its beginning."""

    async def search(self, query: Query) -> Sequence[Hit]:
        """Search the chosen memory; an unavailable one returns nothing, and warns once."""

    def providers(self) -> Sequence[ProviderInfo]:
        """List the providers that are installed and known, best first, with their default models."""

    async def resolve_model(self, name: str) -> str:
        """Return the ``provider/model`` for a role (executor, evaluator, planner, small) or a short name.

        Its provider is not called. Raises ConfigError for an unknown name, NoProviderError if there is no model.
        """

    async def describe_model(self, name: str) -> Model:
        """Return what is known about a model, by role or name; its provider may be called. Raises ProviderError."""

    def price(self, name: str) -> Price | None:
        """Return the price of a ``provider/model`` as it is configured or listed; None if it is neither."""

    def warn(self, text: str) -> None:
        """Warn the user once, in the current run or the next one."""

    def warnings(self) -> Sequence[str]:
        """List the warnings that no run has logged yet, for a frontend to show."""

    async def emit(self, event: Event, *, run: str = "") -> None:
        """Log an event outside runs, or for the task of this id, which may have ended; listeners receive it.

        Raises PluginNotFoundError if no task has this id.
        """

    async def ask(self, question: Question) -> str | None:
        """Ask the user. None: no answer was given in time.

        The question goes to all attached frontends; without one it waits for ``[approvals] wait_seconds``. Until then
        ``answer_question`` answers it, in this process or another one, unless it is secret. When this returns or is
        cancelled, the question is withdrawn.
        """

    def attend(
        self, user: Callable[[Question], HookReturn[str]], *, timeout: float | None = None
    ) -> Callable[[], None]:
        """Send every question to this frontend, one at a time; call the returned function to stop.

        The frontend is an ``async def``, or a ``def`` that answers at once, since all runs wait for it. Several
        frontends may attend, and the first answer counts: the other calls are cancelled. A frontend returns None for no
        answer; so does one that needs more than ``timeout`` seconds. Questions that already wait in this process are
        sent to it as well. One that raises is reported once and counts as no answer.
        """

    def consent(self, digest: str) -> str | None:
        """Return the user's kept answer to a question with this digest; None if there is none."""

    def consents(self) -> Sequence[Consent]:
        """List the kept answers, oldest first."""

    def keep_consent(self, question: Question, answer: str) -> None:
        """Keep an answer that the user gave in another way, such as by an option. Raises KoiError if it cannot."""

    def revoke_consent(self, id: str) -> Consent:
        """Delete a kept answer, by its id or a prefix of it, so that the user is asked again.

        Raises PluginNotFoundError, or KoiError for an ambiguous prefix.
        """

    async def pending_questions(self) -> Sequence[PendingQuestion]:
        """List the questions without an answer, oldest first, including those of other processes."""

    async def answer_question(self, id: str, answer: str) -> PendingQuestion:
        """Answer a question for the user, by its id or a prefix of it.

        Raises PluginNotFoundError for an unknown id, KoiError for an ambiguous prefix.
        """

    async def solve(self, task: Task) -> Result:
        """Run a task. Within a run it is a sub-task: charged to what is left of the run's limits."""

    def begin(self, task: Task) -> Handle:
        """Start a task in the background; many may run at once. Closing OpenKoi stops them."""

    def resume(self, run: str, *, settings: Mapping[str, object] = NO_SETTINGS) -> Handle:
        """Resume an unfinished run, by its id or a prefix of it; nothing is done or charged twice.

        It works in its own folder, with its own models, and writes to the log of its own session; ``settings``, by
        dotted key, override those of the configuration. The id may be that of a sub-task. Raises PluginNotFoundError
        for an unknown id, KoiError for a run that is complete.
        """

    def fork(self, run: str, *, at: int, settings: Mapping[str, object] = NO_SETTINGS) -> Handle:
        """Start a new run from iteration ``at`` of another one, with different settings.

        ``at`` counts from zero, as in the log; ``openkoi fork --at`` counts from one, as on screen: ``at=1`` is ``--at
        2``. The files are restored to their state then. Raises PluginNotFoundError for an unknown id; for an active
        run, and for an iteration that it did not reach, the result is a KoiError.
        """

    def listen(self, callback: Callable[[Record], None]) -> Callable[[], None]:
        """Call back with every record of every run, once it is logged; call the returned function to stop.

        A callback is a ``def``. One that raises, or takes more than 2 s, is reported once and called again with the
        next record. Be quick: all runs wait.
        """

    async def dry_run(self, task: Task) -> "Run":
        """Return a run without effects, for asking hooks and tool providers what they would add.

        It makes no model calls, as if no call were left, executes and asks nothing, and logs nothing.
        """

    async def plan(self, task: Task) -> Plan:
        """Return the part of a task's plan that needs no model: what memory and plugins add. Nothing is logged."""

    async def receive(self, post: Post) -> Post | None:
        """Pass an incoming post through every plugin's ``message_received``; None if one dropped it.

        The program that hosts an app calls this with each post, before it acts on it.
        """

    async def send(self, post: Post) -> str:
        """Send a post with the app that it names, or edit the one with its id; return its id, or nothing if dropped.

        Every plugin's ``message_sending`` sees it first, and secrets in its texts are masked. Raises AppError.
        """

    async def propose(self, pattern: Pattern) -> Pattern | None:
        """Pass a detected pattern through every plugin's ``on_pattern`` and log it; None if one dropped it."""

    async def drain(self) -> None:
        """Wait until finished runs have been learned from, which happens in the background."""

    async def collect(
        self, hook: Callable[P, HookReturn[T]], /, *args: P.args, **facts: P.kwargs
    ) -> list[tuple[str, T]]:
        """Call every implementation of a hook with the same facts; return the plugins and their results, in order."""

    async def fold(
        self, hook: Callable[Concatenate[T, P], HookReturn[T]], value: T, /, *args: P.args, **facts: P.kwargs
    ) -> T:
        """Pass a value through every implementation of a hook; each receives what the previous one returned."""


class Run(Protocol):
    """The current task: its state, and methods that are charged to the task, bound by its limits and logged."""

    @property
    def id(self) -> str:
        """The run's own id, the same in every record of it."""

    @property
    def outermost(self) -> str:
        """The id of the task's run that this one is part of; its own id if it is not a sub-task."""

    @property
    def task(self) -> Task:
        """The task, with defaults for everything it leaves open."""

    @property
    def limits(self) -> Limits:
        """The limits of the task."""

    @property
    def cost(self) -> Cost:
        """What has been used so far, including sub-tasks and plugins."""

    @property
    def iterations(self) -> Sequence[Iteration]:
        """The complete iterations, oldest first."""

    @property
    def workspace(self) -> Path:
        """The folder of the task."""

    @property
    def koi(self) -> Koi:
        """OpenKoi, for everything that is not charged to the task."""

    async def search(self, query: Query) -> Sequence[Hit]:
        """Search the chosen memory; an unavailable one returns nothing, and warns once."""

    async def ask(self, question: Question) -> str | None:
        """Ask the user; the task's clock stops meanwhile. None: no answer was given in time.

        When this returns or is cancelled, the question is withdrawn: it can no longer be answered.
        """

    async def solve(self, task: Task) -> Result:
        """Run a task. Within a run it is a sub-task: charged to what is left of the run's limits."""

    async def collect(
        self, hook: Callable[P, HookReturn[T]], /, *args: P.args, **facts: P.kwargs
    ) -> list[tuple[str, T]]:
        """Call every implementation of a hook with the same facts; return the plugins and their results, in order."""

    async def fold(
        self, hook: Callable[Concatenate[T, P], HookReturn[T]], value: T, /, *args: P.args, **facts: P.kwargs
    ) -> T:
        """Pass a value through every implementation of a hook; each receives what the previous one returned."""

    async def chat(self, request: Request) -> Response:
        """Call a model. The worst case is reserved first; raise LimitExceededError rather than exceed a limit."""

    async def execute(self, command: Command) -> CommandResult:
        """Run a command in the workspace, inside the chosen sandbox."""

    async def list_tools(self) -> Sequence[Tool]:
        """List the tools that a model is offered in this run; ``call`` may call them. Each provider is asked once."""

    async def call(self, call: ToolCall) -> ToolResult:
        """Call a tool as the model does: guarded, logged, bound by the limits, and not repeated after a resume.

        The id of the call is filled in. The result is not added to the conversation; a call that is denied, fails, or
        names no tool, has a failed result. If it needs the user's approval and gets no answer, the call has failed for
        a hook or a tool, and the work of an agent runner ends and waits to be resumed. Raises LimitExceededError if
        calls are nested more than eight deep.
        """

    async def emit(self, event: Event) -> None:
        """Log an event, then pass it to listeners. Return when a durable one that is not batched is on disk."""
