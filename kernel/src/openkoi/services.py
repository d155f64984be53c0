"""The services that all runs of a process share: settings, plugins, hooks, the log, memory, models and the user."""

import asyncio
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from copy import copy
from dataclasses import field, replace
from functools import partial
from pathlib import Path

from openkoi_base.files import ConsentStore, restrict_permissions
from openkoi_base.redact import Redactor
from openkoi_hookspecs import (
    Event,
    Koi,
    KoiError,
    PendingQuestion,
    Question,
    Questions,
    Record,
)
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_loader.components import Components
from openkoi_loader.hooks import Hooks
from openkoi_loader.plugins import Plugins
from openkoi_loader.unknown_settings import find_unknown_settings
from openkoi_loader.workspace_plugins import WorkspacePlugins
from openkoi_models import Catalogue, ModelRouter, SharedBudget
from openkoi_models.model_access import ModelAccess
from openkoi_runlog import RunLog, find_run, new_session_id
from openkoi_runlog.announcements import Announcements
from openkoi_runlog.memory_sync import MemorySync
from openkoi_runlog.pending_warnings import PendingWarnings
from openkoi_runlog.publisher import Publisher
from openkoi_runlog.session_logs import SessionLogs
from openkoi_settings import Config, keys, plugin_keys

from .ask_user import UserQuestions
from .background import Background

DRAIN_TIMEOUT = 2.0
STARTING: ContextVar[WorkspacePlugins | None] = ContextVar("starting", default=None)


def plugin_settings(config: Config) -> dict[str, object]:
    """Return the settings that plugins may read: all except limits and the models of roles."""
    own = {key.name for key in (*keys.LIMITS.values(), keys.DEFAULT_MODEL, *keys.MODEL_OF.values())}
    return {name: setting.value for name, setting in config.settings.items() if name not in own}


@dataclass(slots=True)
class Services:
    """The parts that runs share. ``koi`` is passed to plugins for what is not charged to a task.

    ``inboxes`` are the user's messages that background runs have not read yet, by run.
    """

    config: Config
    plugins: Plugins
    redactor: Redactor
    session: str = field(default_factory=new_session_id)
    warnings: PendingWarnings = field(default_factory=PendingWarnings)
    started: bool = False
    starting: asyncio.Lock = field(default_factory=asyncio.Lock)
    catalogue: Catalogue = field(default_factory=Catalogue)
    load_config: Callable[[Path], Config] | None = None
    inboxes: dict[str, list[str]] = field(default_factory=dict)
    koi: Koi = field(init=False)
    components: Components = field(init=False)
    workspaces: WorkspacePlugins = field(init=False)
    logs: SessionLogs = field(init=False)
    log: RunLog = field(init=False)
    publisher: Publisher = field(init=False)
    models: ModelAccess = field(init=False)
    router: ModelRouter = field(init=False)
    memory: MemorySync = field(init=False)
    user_questions: UserQuestions = field(init=False)
    background: Background = field(init=False)
    budget: SharedBudget = field(init=False)

    def __post_init__(self) -> None:
        config = self.config
        self.background = Background(self.warn_once)
        self.plugins.warn = self.warn_once
        self.components = Components(self.plugins, self.warn_once, self.start)
        make_hooks = partial(Hooks, self.warn_once, config[plugin_keys.HOOK_ORDER], config[plugin_keys.HOOK_DEADLINE])
        self.workspaces = WorkspacePlugins(self.components, lambda: self.koi, make_hooks)
        self.logs = SessionLogs(config.paths.sessions, self.redactor)
        self.log = self.logs.open(self.session)
        self.memory = MemorySync(config.paths.sessions, self.warn_once, self.components.memory)
        self.publisher = Publisher(self.log, Announcements(self.redactor), self.warn_once, [self.memory.count_text])
        self.budget = SharedBudget(config, self.components.plugin, self.warn_once)
        self.user_questions = UserQuestions(self.questions, config[keys.WAIT_SECONDS], self.warn_once)
        self.models = ModelAccess(config, self.components, self.redactor, lambda: self.koi)
        self.router = ModelRouter(config, self.catalogue, self.models.provider, self.models.find_model)
        self.warnings.texts += [*config.warnings, *restrict_permissions(config.paths.credentials)]

    async def start(self) -> None:
        """Ask the sources for plugins, and register the hooks, once. Sources that use OpenKoi meanwhile do not wait."""
        if self.started or STARTING.get() is self.workspaces:
            return
        async with self.starting:
            if self.started:
                return
            before = STARTING.set(self.workspaces)
            try:
                await self.workspaces.refresh(None)
            finally:
                STARTING.reset(before)
            self.warnings.texts += find_unknown_settings(self.config, self.plugins)
            self.started = True

    @property
    def hooks(self) -> Hooks:
        """The hooks outside runs, and for runs in OpenKoi's own workspace; none before the start."""
        return self.workspaces.hooks.get(None) or self.workspaces.make_hooks()

    async def close(self) -> None:
        """Finish background work, for at most two seconds, then close the log and the plugins."""
        try:
            await self.leave_plugins(DRAIN_TIMEOUT)
        finally:
            self.log.close()

    async def leave_plugins(self, seconds: float | None) -> None:
        """Finish background work, for at most this many seconds, then close the plugins."""
        try:
            await self.background.close(seconds)
        finally:
            await self.components.close()

    def writing_to(self, log: RunLog) -> "Services":
        """Return the same services with the log of another session."""
        if log is self.log:
            return self
        services = copy(self)
        services.log, services.publisher = log, replace(self.publisher, log=log)
        return services

    def with_config(self, config: Config) -> "Services":
        """Return the same services and plugins with another configuration for the kernel."""
        if config == self.config:
            return self
        services = copy(self)
        services.config, services.models = config, replace(self.models, config=config)
        services.router = ModelRouter(config, self.catalogue, services.models.provider, services.models.find_model)
        return services

    def with_plugins(self, config: Config) -> "Services":
        """Return services with their own plugins, but the same log, listeners and user."""
        plugins = replace(self.plugins, config=config, sourced={})
        services = Services(config, plugins, self.redactor, self.session, self.warnings, catalogue=self.catalogue)
        services.load_config = self.load_config
        services.logs, services.log, services.publisher = self.logs, self.log, self.publisher
        services.user_questions, services.budget, services.inboxes = self.user_questions, self.budget, self.inboxes
        return services

    @property
    def consents(self) -> ConsentStore:
        """The user's answers that are kept."""
        return ConsentStore(self.config.paths.data / "consents.json")

    def keep_answer(self, question: Question, answer: str) -> None:
        """Keep the user's answer to a question; raises KoiError if it cannot be written."""
        shown = replace(question, text=self.redactor(question.text), digest=question.identity)
        self.consents.add(shown, answer)

    async def ask(self, question: Question, waiting: PendingQuestion, *, stays: bool = False) -> str | None:
        """Ask the user; an answer that is consent is kept, unless it is unclear: then it is asked for again."""
        answer = await self.user_questions.ask(waiting, stays=stays)
        if question.keep and answer is not None and question.is_decided_by(answer):
            try:
                self.keep_answer(question, answer)
            except KoiError as error:
                self.warn_once(f"Your answer could not be saved, so you will be asked again: {error}")
        return answer

    async def questions(self) -> Questions | None:
        """Return the store of questions for other processes; None if none is chosen."""
        store: Questions | None = await self.components.configured_plugin("questions")
        return store

    def config_of(self, workspace: Path) -> Config:
        """Return the configuration of a folder: the user's, and the folder's own settings that a project may set."""
        if self.load_config is None or workspace.resolve() == self.config.workspace.resolve():
            return self.config
        config = self.load_config(workspace)
        for warning in config.warnings:
            self.warn_once(warning)
        return config

    @property
    def running(self) -> Path:
        """The folder with a locked file for each active run."""
        return self.config.paths.running

    def publish(self, run: str, happened: Sequence[Event]) -> list[Record]:
        """Log events, then pass them to listeners."""
        return self.publisher.publish(run, happened)

    def publish_of_task(self, id: str, event: Event) -> None:
        """Log an event of a task that may have ended, in the log of its session."""
        session, run = find_run(self.config.paths.sessions, id)
        with self.logs.open_for_writing(session) as log:
            self.writing_to(log).publish(run, [event])

    def warn_once(self, text: str) -> None:
        """Keep a warning for the current run or the next one, unless it was given before."""
        self.warnings.add(text)
