"""What runs share: the plugins, the log, memory, and the person. Implements ``Koi`` but for solving.

Knows sockets and files; knows no task, phase or prompt.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from openkoi_budget import Budget
from openkoi_files import Answers, Asker, Daybook, Questions, Setting, configure, save_key, saved_names, tightened
from openkoi_hookspecs import (
    DiscoveredProvider,
    Event,
    Hit,
    HookReturn,
    Memory,
    NoProviderError,
    PendingQuestion,
    PluginEntry,
    Provider,
    ProviderInfo,
    Query,
    Question,
    Record,
    Result,
    Task,
    events,
    hooks,
)
from openkoi_log import RunLog, read_segment, segments, session_id
from openkoi_models import Catalogue
from openkoi_redact import Redactor

from .background import Background
from .components import Components
from .config import Config
from .handle import BackgroundRuns, RunHandle
from .hooks import ASYNC_TIMEOUT, Hooks
from .memory_sync import MemorySync
from .model_discovery import Discovery, ModelChoice
from .model_roles import ModelRouter
from .plugin_sources import ask_sources
from .plugins import Plugins
from .recordable import refuse_unrecordable
from .redaction import Announcements
from .unknown_settings import find_unknown_settings

T = TypeVar("T")
P = ParamSpec("P")
Listener = Callable[[Record], None]
DRAIN_TIMEOUT = 2.0


@dataclass(frozen=True, slots=True)
class ParentRun:
    """Where a run stands: so deep in others, paid from their budget. ``records`` tell what it did before, by its id."""

    budget: Budget | None = None
    depth: int = 0
    id: str = ""
    records: Sequence[Record] = ()
    outermost: str = ""
    inbox: list[str] = field(default_factory=list)


ALONE = ParentRun()


@dataclass(slots=True)
class House(ABC):
    """One process's OpenKoi. Enter it before use; leaving it does what is left to do."""

    config: Config
    registry: Plugins
    redactor: Redactor
    session: str = field(default_factory=session_id)
    subscribers: list[Listener] = field(default_factory=list)
    pending: list[str] = field(default_factory=list)
    background_runs: BackgroundRuns = field(default_factory=BackgroundRuns)
    warned: set[str] = field(default_factory=set)
    started: bool = False
    catalogue: Catalogue = field(default_factory=Catalogue)
    load_config: Callable[[Path], Config] | None = None
    components: Components = field(init=False)
    hooks: Hooks = field(init=False)
    log: RunLog = field(init=False)
    announcements: Announcements = field(init=False)
    router: ModelRouter = field(init=False)
    asker: Asker = field(init=False)
    background: Background = field(init=False)
    day: Daybook | None = field(init=False)

    def __post_init__(self) -> None:
        self.background = Background(self.warn_once)
        self.registry.warn = self.warn_once
        self.components = Components(self.registry, self.warn_once)
        self.hooks = Hooks(
            lambda fault: self.warn_once(str(fault)),
            order=self.config.strings("hooks.order", ()),
            patience=self.config.get("hooks.deadline_seconds", float, ASYNC_TIMEOUT),
        )
        self.log = RunLog(self.config.paths.sessions, self.session, self.redactor)
        self.announcements = Announcements(self.redactor)
        self.day = self.config.day
        patience = self.config.get("approvals.wait_seconds", float, 0.0)
        self.asker = Asker(Questions(self.config.paths.data / "questions"), patience)
        self.router = ModelRouter(self.config, self.catalogue, self.provider, self.find_model)
        self.pending += [*self.config.warnings, *tightened(self.config.paths.credentials)]

    async def __aenter__(self) -> Self:
        self.start()
        return self

    def start(self) -> None:
        """Let plugins find plugins, and register the hooks; once."""
        if self.started:
            return
        self.started = True
        self.pending += ask_sources(self.registry, self)
        self.pending += self.registry.shadowed_warnings
        hooks, faults = self.registry.load_all("hooks")
        self.pending += map(str, [*faults, *self.hooks.register(hooks)])
        self.pending += find_unknown_settings(self.config, self.registry)

    async def __aexit__(self, *error: Any) -> None:
        try:
            await self.close()
        finally:
            self.log.close()
            await self.components.exit_stack.aclose()

    @abstractmethod
    async def solve(self, task: Task, nested: ParentRun = ALONE) -> Result:
        """Do a task, also as a part of another one."""

    def config_of(self, workspace: Path) -> Config:
        """The configuration of a folder: the user's, and the folder's own as far as a project may set it."""
        if self.load_config is None or workspace.resolve() == self.config.workspace.resolve():
            return self.config
        config = self.load_config(workspace)
        for warning in config.warnings:
            self.warn_once(warning)
        return config

    async def collect(
        self, moment: Callable[P, HookReturn[T]], /, *args: P.args, **facts: P.kwargs
    ) -> list[tuple[str, T]]:
        """Ask every plugin at a moment."""
        self.start()
        return await self.hooks.collect(moment, *args, **facts)

    async def fold(
        self, moment: Callable[Concatenate[T, P], HookReturn[T]], value: T, /, *args: P.args, **facts: P.kwargs
    ) -> T:
        """Pass a value through every plugin at a moment."""
        self.start()
        return await self.hooks.fold(moment, value, *args, **facts)

    def plugins(self, kind: str) -> Sequence[PluginEntry]:
        """List what there is of a kind, without loading it."""
        return self.registry.plugins(kind)

    def records(self, session: str) -> Iterator[Record]:
        """Read a session's log from its beginning."""
        for path in segments(self.config.paths.sessions, session):
            yield from read_segment(path, report=self.warn_once)

    async def search(self, query: Query) -> Sequence[Hit]:
        """Ask the chosen memory; one that fails, or is not there, answers nothing."""
        memory = await self.components.memory()
        return await self.remembering.search(memory, query) if memory else ()

    async def remember(self) -> None:
        """Give memory the records that it has not seen."""
        memory: Memory | None = await self.components.memory()
        if memory:
            await self.remembering.remember(memory)

    @property
    def remembering(self) -> MemorySync:
        """How memory is told of the log, and asked."""
        return MemorySync(self.config.paths.sessions, self.warn_once)

    async def provider(self, name: str) -> Provider:
        """A provider by name; where its key is missing, it is looked for."""
        refuse_unrecordable(name, self.config, self.registry)
        try:
            return await self.components.provider(name)
        except NoProviderError:
            if not await self.discovery.key_for(name):
                raise
            return await self.components.provider(name)

    async def find_model(self) -> ModelChoice:
        """A model where none is configured."""
        return await self.discovery.find()

    @property
    def discovery(self) -> Discovery:
        """How models are found."""
        return Discovery(self.discovered, self.ask, self.lend_key, Answers(self.config.paths.data / "answers.json"))

    async def discovered(self) -> list[DiscoveredProvider]:
        """What plugins found, of those providers that are installed."""
        installed = {entry.name for entry in self.plugins("providers")}
        said = await self.collect(hooks.find_models, koi=self)
        for found in (one for _, many in said for one in many):
            self.redactor.hold(found.key, found.origin)
        return [one for _, many in said for one in many if one.provider in installed]

    def lend_key(self, found: DiscoveredProvider) -> None:
        """Let the provider be built with a key that was found."""
        if found.key:
            self.redactor.hold(found.key)
            self.registry.keys[found.provider] = Setting(found.key, found.origin)

    def providers(self) -> Sequence[ProviderInfo]:
        """The providers that are installed and known, best first, with their default models."""
        installed = {entry.name for entry in self.plugins("providers")}
        return [offer for offer in self.catalogue.providers if offer.provider in installed]

    def saved_keys(self) -> Sequence[str]:
        """The providers whose keys are saved."""
        return saved_names(self.config.paths.credentials)

    def save_key(self, provider: str, key: str) -> Path:
        """Keep a key for its user alone, in the place of an older one."""
        self.redactor.hold(key)
        return save_key(self.config.paths.credentials, provider, key)

    def set_setting(self, key: str, value: str) -> Path:
        """Set a dotted key in the user's configuration."""
        return configure(self.config.paths.config, key, value)

    async def ask(self, question: Question) -> str | None:
        """Ask the person there is; None when nobody is."""
        return await self.asker.ask(question)

    def pending_questions(self) -> Sequence[PendingQuestion]:
        """What runs have asked and nobody has answered, the oldest first."""
        return self.asker.kept.pending_questions()

    def answer_question(self, id: str, answer: str) -> PendingQuestion:
        """Answer a question in a person's name."""
        return self.asker.kept.answer_question(id, answer)

    def publish(self, run: str, happened: Sequence[Event]) -> list[Record]:
        """Write events to the log, then show them to the faces."""
        records = self.log.append(run, happened)
        if masked := self.announcements.of(run, happened):
            records += self.log.append(run, masked)
        for record in records:
            for listener in self.subscribers:
                listener(record)
        return records

    def warn_once(self, text: str) -> None:
        """Keep a warning for the run that comes next, or is under way, unless it was said already."""
        if text not in self.warned:
            self.warned.add(text)
            self.pending.append(text)

    def warnings(self) -> list[Event]:
        """What there is to warn of, once."""
        said = [events.WarningIssued(text) for text in dict.fromkeys(self.pending)]
        self.pending.clear()
        return list(said)

    def listen(self, callback: Listener) -> Callable[[], None]:
        """Call back with every record of every run, once it is logged; call what this returns to end that."""

        def safely(record: Record) -> None:
            try:
                callback(record)
            except Exception as error:  # whoever listens must not end a run
                self.warn_once(f"A listener failed: {type(error).__name__}: {error}.")

        self.subscribers.append(safely)
        return lambda: self.subscribers.remove(safely)

    def begin(self, task: Task) -> RunHandle:
        """Begin a task in the background."""
        self.start()
        place = ParentRun(id=token_hex(10))
        return self.background_runs.begin(self.solve(task, place), place.id, place.inbox)

    async def drain(self) -> None:
        """Wait until all that ended runs taught is learned."""
        await self.background.drain()

    async def close(self) -> None:
        """Stop the runs that are under way, and do what is left, for two seconds at most."""
        await self.background_runs.stop()
        await self.background.close(DRAIN_TIMEOUT)
