"""The API for plugins: ``Koi`` outside runs and ``Run`` within one. Both may gain members."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Concatenate, ParamSpec, Protocol, TypeAlias, TypeVar

from .configuration import Configuration
from .events_base import Event, Record
from .iteration import Iteration, Plan, Result
from .memory import Hit, Query
from .model import Model, Price, ProviderInfo, Request, Response
from .patterns import Pattern
from .plugin_entry import HookActivity, PluginEntry
from .posts import Post
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
    """A run in the background, as the caller that began, resumed or forked it holds it."""

    @property
    def id(self) -> str:
        """The run's id, known from the beginning."""

    async def result(self) -> Result:
        """Wait for the result; raises what ended the run without one, RunStoppedError if that was ``stop``."""

    def say(self, text: str) -> None:
        """Add a message; it is logged and sent with the next model call. Raises KoiError if the run is over."""

    def stop(self) -> None:
        """End the run now. What it did is kept, and it can be resumed; one that has not begun is not in the log."""


class Koi(Configuration, Protocol):
    """OpenKoi between runs, as commands, daemons and frontends hold it."""

    @property
    def session(self) -> str:
        """The id of this process's session in the log."""

    def plugins(self, kind: str) -> Sequence[PluginEntry]:
        """List what there is of a kind, without loading it. A plugin may define and read a kind of its own."""

    async def load(self, kind: str, name: str) -> object:
        """Load a plugin, once, and enter it if it is an asynchronous context manager; it is left with OpenKoi.

        Raises PluginNotFoundError, ConfigError, NoProviderError or PluginError.
        """

    async def load_chosen(self, kind: str) -> object | None:
        """Load the plugin of a kind that ``[use]`` names; None if it names none, or warns why that cannot be had."""

    def hook_activity(self) -> Sequence[HookActivity]:
        """List every implementation of a hook, with how it was called in this process, by any run."""

    def sessions(self) -> Sequence[str]:
        """List the sessions in the log, those that began first in front."""

    def runs(self, session: str = "") -> Sequence[RunSummary]:
        """List the runs of a session, or of all, those that began first in front; sub-tasks are part of theirs."""

    def records(self, session: str) -> Iterable[Record]:
        """Read a session's log from its beginning."""

    async def search(self, query: Query) -> Sequence[Hit]:
        """Ask the chosen memory; an unavailable one answers nothing, and says so once."""

    def providers(self) -> Sequence[ProviderInfo]:
        """List the providers that are installed and known, best first, with their default models."""

    async def resolve_model(self, name: str) -> str:
        """Return the ``provider/model`` that a role (executor, evaluator, planner, small) or a short name stands for.

        Its provider is not called. Raises ConfigError for a name of no model, NoProviderError where there is none.
        """

    async def describe_model(self, name: str) -> Model:
        """Return what is known of a model, by its role or name; its provider may be called. Raises ProviderError."""

    def price(self, name: str) -> Price | None:
        """Return the price of a ``provider/model`` as it is configured or listed; None if it is neither."""

    def warn(self, text: str) -> None:
        """Warn the user once, with the run that comes next or is under way."""

    def warnings(self) -> Sequence[str]:
        """List the warnings that no run has logged yet, for a frontend to show."""

    async def emit(self, event: Event, *, run: str = "") -> None:
        """Log an event that belongs to no run, or to the task of this id, which may have ended; listeners hear it.

        Raises PluginNotFoundError for an id that no task has.
        """

    async def ask(self, question: Question) -> str | None:
        """Ask the user. None: no answer was given in time.

        The question is put to all frontends that attend; without one it waits for ``[approvals] wait_seconds``. Until
        then ``answer_question`` answers it, in this process or another one, unless it is secret. When this returns or
        is cancelled, the question is withdrawn.
        """

    def attend(
        self, user: Callable[[Question], HookReturn[str]], *, timeout: float | None = None
    ) -> Callable[[], None]:
        """Put every question to this frontend, one at a time; call what this returns to end that.

        It is an ``async def``, or a ``def`` that answers at once, since all runs wait for that. Several frontends may
        attend, and the first answer counts: the other calls are cancelled. A frontend returns None for no answer; so
        does one that needs more than ``timeout`` seconds. Questions that wait in this process are put to it, too. One
        that raises is reported once and counts as no answer.
        """

    def consent(self, digest: str) -> str | None:
        """Return what the user answered to a question of this digest whose answer is kept; None if it is not."""

    def consents(self) -> Sequence[Consent]:
        """List the answers that are kept, the oldest first."""

    def keep_consent(self, question: Question, answer: str) -> None:
        """Keep an answer that the user gave in another way, such as by an option. Raises KoiError if it cannot."""

    def revoke_consent(self, id: str) -> Consent:
        """Forget a kept answer, by its id or the beginning of it, so that the user is asked again.

        Raises PluginNotFoundError, or KoiError for an id that several begin with.
        """

    async def pending_questions(self) -> Sequence[PendingQuestion]:
        """List the questions without an answer, the oldest first; those of other processes, too."""

    async def answer_question(self, id: str, answer: str) -> PendingQuestion:
        """Answer a question for the user, by its id or the beginning of it.

        Raises PluginNotFoundError for an id that no question has, KoiError for one that several begin with.
        """

    async def solve(self, task: Task) -> Result:
        """Run a task. Within a run it is a sub-task: paid from what is left of the run's limits."""

    def begin(self, task: Task) -> Handle:
        """Begin a task in the background; many may be under way at once. Leaving OpenKoi stops those that are."""

    def resume(self, run: str, *, settings: Mapping[str, object] = NO_SETTINGS) -> Handle:
        """Resume a run that ended before its time, by its id or the beginning of it; nothing is done or paid twice.

        It works in its own folder, with the models that it was given, and writes to the log of its own session;
        ``settings``, by dotted key, outrank those of the configuration. The id may be that of a part. Raises
        PluginNotFoundError for an unknown id, KoiError for a run that came to its end.
        """

    def fork(self, run: str, *, at: int, settings: Mapping[str, object] = NO_SETTINGS) -> Handle:
        """Begin a run as another one began, from its iteration ``at`` on, with other settings.

        ``at`` counts from zero, as in the log; ``openkoi fork --at`` counts from one, as on screen: ``at=1`` is
        ``--at 2``. The files are restored as they were then. Raises PluginNotFoundError for an unknown id; a run that
        is under way, and an iteration that it did not come to, are a KoiError of the result.
        """

    def listen(self, callback: Callable[[Record], None]) -> Callable[[], None]:
        """Call back with every record of every run, once it is logged; call what this returns to end that.

        A callback is a ``def``. One that raises, or takes more than 2 s, is reported once and called again with the
        next record. Be quick: all runs wait.
        """

    async def dry_run(self, task: Task) -> "Run":
        """Return a run without effects, to ask hooks and tool providers what they would add.

        It calls no model, as if no call were left, executes and asks nothing, and logs nothing.
        """

    async def plan(self, task: Task) -> Plan:
        """Return the plan of a task as far as no model makes it: what memory and plugins add. Nothing is logged."""

    async def receive(self, post: Post) -> Post | None:
        """Pass a post that arrived through every plugin's ``message_received``; None if one dropped it.

        The program that hosts an app calls this with each post, before it acts upon it.
        """

    async def send(self, post: Post) -> str:
        """Send a post by the app that it names, or edit the one of its id; return its id, or nothing if it is dropped.

        Every plugin's ``message_sending`` sees it first, and secrets in its texts are masked. Raises AppError.
        """

    async def propose(self, pattern: Pattern) -> Pattern | None:
        """Pass a pattern that was found through every plugin's ``on_pattern`` and log it; None if one dropped it."""

    async def drain(self) -> None:
        """Wait until all that ended runs taught is learned; it is learned in the background."""

    async def collect(
        self, hook: Callable[P, HookReturn[T]], /, *args: P.args, **facts: P.kwargs
    ) -> list[tuple[str, T]]:
        """Call every implementation of a hook with the same facts; return the plugins and their answers, in order."""

    async def fold(
        self, hook: Callable[Concatenate[T, P], HookReturn[T]], value: T, /, *args: P.args, **facts: P.kwargs
    ) -> T:
        """Pass a value through every implementation of a hook; each gets what the one before returned."""


class Run(Protocol):
    """One task under way: facts as of now, and methods that are charged to the task, bound by its limits and logged."""

    @property
    def id(self) -> str:
        """The run's own id, the same in every record of it."""

    @property
    def outermost(self) -> str:
        """The id of the task's run that this one is a part of; its own if it is none."""

    @property
    def task(self) -> Task:
        """What is to be done, with all that was left open filled in."""

    @property
    def limits(self) -> Limits:
        """The limits that bind it."""

    @property
    def cost(self) -> Cost:
        """What has been used so far, by sub-tasks and plugins too."""

    @property
    def iterations(self) -> Sequence[Iteration]:
        """The iterations that are over, oldest first."""

    @property
    def workspace(self) -> Path:
        """The folder that is worked in."""

    @property
    def koi(self) -> Koi:
        """OpenKoi, for what is not charged to the task."""

    async def search(self, query: Query) -> Sequence[Hit]:
        """Ask the chosen memory; an unavailable one answers nothing, and says so once."""

    async def ask(self, question: Question) -> str | None:
        """Ask the user; the task's time stands still meanwhile. None: no answer was given in time.

        When this returns or is cancelled, the question is withdrawn: it can no longer be answered.
        """

    async def solve(self, task: Task) -> Result:
        """Run a task. Within a run it is a sub-task: paid from what is left of the run's limits."""

    async def collect(
        self, hook: Callable[P, HookReturn[T]], /, *args: P.args, **facts: P.kwargs
    ) -> list[tuple[str, T]]:
        """Call every implementation of a hook with the same facts; return the plugins and their answers, in order."""

    async def fold(
        self, hook: Callable[Concatenate[T, P], HookReturn[T]], value: T, /, *args: P.args, **facts: P.kwargs
    ) -> T:
        """Pass a value through every implementation of a hook; each gets what the one before returned."""

    async def chat(self, request: Request) -> Response:
        """Call a model. The worst case is reserved first; raises LimitExceededError rather than pass a limit."""

    async def execute(self, command: Command) -> CommandResult:
        """Run a command in the workspace, inside the chosen sandbox."""

    async def list_tools(self) -> Sequence[Tool]:
        """List the tools that a model is offered in this run; ``call`` may call them. Each provider is asked once."""

    async def call(self, call: ToolCall) -> ToolResult:
        """Call a tool as the model does: guarded, logged, bound by the limits, and not again when the run is resumed.

        The id of the call is filled in. The result is not added to the conversation; a call that is denied, fails, or
        names no tool, has a failed result. If the user must allow it and does not answer, the call has failed for a
        hook or a tool, and the work of an agent runner ends and waits to be resumed. Raises LimitExceededError where
        calls make calls more than eight deep.
        """

    async def emit(self, event: Event) -> None:
        """Log an event, then pass it to listeners. Returns when a durable one that is not batched is on the disk."""
