"""Run OpenKoi in one process, for the command line, daemons and other programs. Implements ``Koi``."""

from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import field, replace
from functools import partial
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar

from openkoi_base.files import is_run_active
from openkoi_base.isolation import checks_arguments
from openkoi_hookspecs import (
    Consent,
    Event,
    Hit,
    HookActivity,
    HookReturn,
    Koi,
    Model,
    Pattern,
    PendingQuestion,
    Plan,
    PluginEntry,
    Price,
    ProviderInfo,
    Query,
    Question,
    Record,
    Result,
    RunSummary,
    Task,
)
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.posts import Post
from openkoi_hookspecs.run import NO_SETTINGS
from openkoi_runlog import find_task, list_sessions, read_segment, summarize_runs
from openkoi_runlog.publisher import Listener
from openkoi_settings import Config

from .app_configuration import AppConfiguration
from .ask_user import User
from .handle import BackgroundRuns, RunHandle
from .posts import propose_pattern, receive_post, send_post
from .run_origin import ALONE, RunOrigin
from .run_starter import RunStarter
from .services import plugin_settings

if TYPE_CHECKING:
    from .run import TaskRun

T = TypeVar("T")
P = ParamSpec("P")


@checks_arguments(Koi)
@dataclass(frozen=True, slots=True)
class App(AppConfiguration):
    """Enter it before use; leaving it stops active runs and finishes background work."""

    background_runs: BackgroundRuns = field(default_factory=BackgroundRuns)
    run_starter: RunStarter = field(init=False)

    def __post_init__(self) -> None:
        self.services.koi = self
        object.__setattr__(self, "run_starter", RunStarter(self.services))

    async def __aenter__(self) -> Self:
        await self.services.start()
        return self

    async def __aexit__(self, *error: Any) -> None:
        try:
            await self.background_runs.stop()
        finally:
            await self.services.close()

    # Tasks

    async def solve(self, task: Task) -> Result:
        """Run a task; open and close OpenKoi unless the caller has opened it."""
        async with nullcontext() if self.services.started else self:
            return await self.run_as_configured(task)

    def begin(self, task: Task) -> RunHandle:
        """Begin a task in the background."""
        run = token_hex(10)
        return self.begin_run(self.run_as_configured(task, RunOrigin(id=run)), run)

    def begin_run(self, work: Coroutine[Any, Any, Result], run: str) -> RunHandle:
        """Begin a run in the background. Its inbox is kept until it ends, even if the same run is started again."""
        inboxes, inbox = self.services.inboxes, list[str]()
        handle = self.background_runs.begin(work, run, inboxes.setdefault(run, inbox))
        if inboxes[run] is inbox:
            handle.task.add_done_callback(lambda _: inboxes.pop(run))
        return handle

    async def run_as_configured(self, task: Task, origin: RunOrigin = ALONE) -> Result:
        """Run a task with the configuration of its folder."""
        folder = self.run_starter.workspace_of(task)
        async with self.lend_app(replace(self.services.config_of(folder), workspace=folder)) as starter:
            return await starter.run(task, origin)

    def resume(self, run: str, *, settings: Mapping[str, object] = NO_SETTINGS) -> RunHandle:
        """Resume an unfinished run, by its id or a prefix of it."""
        from openkoi_runlog.past_run import find_unfinished

        from .resume_and_fork import ContinuedRuns

        past = find_unfinished(self.services.config.paths.sessions, run)
        return self.begin_run(ContinuedRuns(self.services, self.lend_app).resume(past, settings), past.run)

    def fork(self, run: str, *, at: int, settings: Mapping[str, object] = NO_SETTINGS) -> RunHandle:
        """Start a new run from iteration ``at`` of another one, with different settings."""
        from .resume_and_fork import ContinuedRuns

        past, fresh = find_task(self.services.config.paths.sessions, run), token_hex(10)
        return self.begin_run(ContinuedRuns(self.services, self.lend_app).fork(past, at, settings, fresh), fresh)

    @asynccontextmanager
    async def lend_app(self, config: Config) -> AsyncIterator[RunStarter]:
        """Yield a run starter with another configuration; plugins that read the changed settings are loaded for it."""
        await self.services.start()
        if plugin_settings(config) == plugin_settings(self.services.config):
            yield RunStarter(self.services.with_config(config))
            return
        other = App(self.services.with_plugins(config), self.background_runs)
        try:
            yield other.run_starter
        finally:
            self.services.background.start(other.services.leave_plugins(None))

    async def dry_run(self, task: Task) -> "TaskRun":
        """Return a run of a task that has no effects."""
        return await self.run_starter.make_dry_run(task)

    async def plan(self, task: Task) -> Plan:
        """Return the part of a task's plan that needs no model."""
        from .phases.plan import preview_plan

        return await preview_plan(await self.dry_run(task))

    def listen(self, callback: Listener) -> Callable[[], None]:
        """Call back with every record of every run once it is logged; return a function that stops this."""
        return self.services.publisher.listen(callback)

    async def drain(self) -> None:
        """Wait until finished runs have been learned from."""
        await self.services.background.drain()

    # Hooks and plugins

    async def collect(
        self, hook: Callable[P, HookReturn[T]], /, *args: P.args, **facts: P.kwargs
    ) -> list[tuple[str, T]]:
        """Call every implementation of a hook with the same facts."""
        await self.services.start()
        return await self.services.hooks.collect(hook, *args, **facts)

    async def fold(
        self, hook: Callable[Concatenate[T, P], HookReturn[T]], value: T, /, *args: P.args, **facts: P.kwargs
    ) -> T:
        """Pass a value through every implementation of a hook."""
        await self.services.start()
        return await self.services.hooks.fold(hook, value, *args, **facts)

    def hook_activity(self) -> Sequence[HookActivity]:
        """List every implementation of a hook, with how it was called in this process."""
        return self.services.hooks.activity()

    def plugins(self, kind: str) -> Sequence[PluginEntry]:
        """List the plugins of a kind without loading them."""
        there = self.services.plugins.plugins(kind)
        return [replace(entry, load=partial(self.load, kind, entry.name)) for entry in there]

    async def load(self, kind: str, name: str) -> object:
        """Load a plugin, once, and enter it if it is an asynchronous context manager."""
        return await self.services.components.plugin(kind, name)

    async def load_chosen(self, kind: str) -> object | None:
        """Load the plugin of a kind that ``[use]`` names."""
        return await self.services.components.configured_plugin(kind)

    def providers(self) -> Sequence[ProviderInfo]:
        """List the providers that are installed and known, best first, with their default models."""
        installed = {entry.name for entry in self.plugins("providers")}
        return [info for info in self.services.catalogue.providers if info.provider in installed]

    async def resolve_model(self, name: str) -> str:
        """Return the ``provider/model`` that a role or a short name stands for."""
        return (await self.services.router.choice(name)).name

    async def describe_model(self, name: str) -> Model:
        """Return what is known about a model, by its role or name."""
        full = await self.resolve_model(name)
        return replace((await self.services.router.complete_model(full)).model, name=full)

    def price(self, name: str) -> Price | None:
        """Return the price of a model as it is configured or listed."""
        return self.services.router.listed_price(name)

    # The log and memory

    @property
    def session(self) -> str:
        """The id of this process's session."""
        return self.services.session

    def sessions(self) -> Sequence[str]:
        """List the sessions in the log, oldest first."""
        return list_sessions(self.services.config.paths.sessions)

    def runs(self, session: str = "") -> Sequence[RunSummary]:
        """List the runs of a session, or of all, oldest first."""
        folder, under_way = self.services.config.paths.sessions, partial(is_run_active, self.services.running)
        return summarize_runs([session] if session else self.sessions(), folder, under_way)

    def records(self, session: str) -> Iterator[Record]:
        """Read a session's log from its beginning."""
        for path in self.services.logs.segments(session):
            yield from read_segment(path, report=self.warn)

    async def search(self, query: Query) -> Sequence[Hit]:
        """Search the configured memory; without one, or if it fails, there are no hits."""
        return await self.services.memory.search(query)

    async def emit(self, event: Event, *, run: str = "") -> None:
        """Log an event outside runs, or for the task with this id."""
        self.services.publish_of_task(run, event) if run else self.services.publish("", [event])

    # Apps and patterns

    async def receive(self, post: Post) -> Post | None:
        """Pass an incoming post through every plugin."""
        return await receive_post(post, self)

    async def send(self, post: Post) -> str:
        """Send a post with the app that it names, or edit the one with its id; return its id, or nothing if dropped."""
        return await send_post(post, self)

    async def propose(self, pattern: Pattern) -> Pattern | None:
        """Pass a pattern through every plugin and log it; None if one dropped it."""
        return await propose_pattern(pattern, self)

    # The user

    def warn(self, text: str) -> None:
        """Warn the user once, in the current run or the next one."""
        self.services.warn_once(text)

    def warnings(self) -> Sequence[str]:
        """List the warnings that no run has logged yet."""
        return tuple(self.services.warnings.texts)

    def attend(self, user: User, *, timeout: float | None = None) -> Callable[[], None]:
        """Send every question to this frontend; return a function that stops this."""
        return self.services.user_questions.attend(user, timeout)

    async def ask(self, question: Question) -> str | None:
        """Ask the user outside runs; return None if there is no answer."""
        from .pending_questions import ask_outside_runs

        return await ask_outside_runs(question, self.services)

    def consent(self, digest: str) -> str | None:
        """Return the user's kept answer to a question with this digest."""
        return self.services.consents.get(digest)

    def consents(self) -> Sequence[Consent]:
        """List the user's kept answers, oldest first."""
        return self.services.consents.list_all()

    def keep_consent(self, question: Question, answer: str) -> None:
        """Keep an answer that the user gave in another way."""
        self.services.keep_answer(question, answer)

    def revoke_consent(self, id: str) -> Consent:
        """Delete a kept answer, by its id or a prefix of it."""
        return self.services.consents.remove(id)

    async def pending_questions(self) -> Sequence[PendingQuestion]:
        """List the questions without an answer, oldest first; delete those of ended runs and programs."""
        from .pending_questions import pending_questions

        return await pending_questions(self.services)

    async def answer_question(self, id: str, answer: str) -> PendingQuestion:
        """Answer a question for the user, by its id or a prefix of it."""
        from .pending_questions import answer_question

        return await answer_question(id, answer, self.services)
