"""What all runs of a process share: settings, plugins, hooks, the log, memory, models and the user."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from openkoi_files import Asker, Daybook, Questions, tightened
from openkoi_hookspecs import Event, Hit, Koi, Memory, Query, Record
from openkoi_log import RunLog, session_id
from openkoi_models import Catalogue, ModelRouter, daily_budget
from openkoi_redact import Redactor
from openkoi_settings import Config, keys

from .background import Background
from .components import Components
from .hooks import Hooks
from .memory_sync import MemorySync
from .model_access import ModelAccess
from .pending_warnings import PendingWarnings
from .plugin_sources import ask_sources
from .plugins import Plugins
from .publisher import Publisher
from .redaction import Announcements
from .unknown_settings import find_unknown_settings

DRAIN_TIMEOUT = 2.0


@dataclass(slots=True)
class Services:
    """The parts that runs use. ``koi`` is what plugins are lent for whatever is not charged to a task."""

    config: Config
    plugins: Plugins
    redactor: Redactor
    session: str = field(default_factory=session_id)
    warnings: PendingWarnings = field(default_factory=PendingWarnings)
    started: bool = False
    catalogue: Catalogue = field(default_factory=Catalogue)
    load_config: Callable[[Path], Config] | None = None
    koi: Koi = field(init=False)
    components: Components = field(init=False)
    hooks: Hooks = field(init=False)
    log: RunLog = field(init=False)
    publisher: Publisher = field(init=False)
    models: ModelAccess = field(init=False)
    router: ModelRouter = field(init=False)
    asker: Asker = field(init=False)
    background: Background = field(init=False)
    day: Daybook | None = field(init=False)

    def __post_init__(self) -> None:
        config = self.config
        self.background = Background(self.warn_once)
        self.plugins.warn = self.warn_once
        self.components = Components(self.plugins, self.warn_once)
        self.hooks = Hooks(
            lambda fault: self.warn_once(str(fault)),
            order=config[keys.HOOK_ORDER],
            patience=config[keys.HOOK_DEADLINE],
        )
        self.log = RunLog(config.paths.sessions, self.session, self.redactor)
        self.publisher = Publisher(self.log, Announcements(self.redactor), self.warn_once)
        self.day = daily_budget(config)
        questions = Questions(config.paths.data / "questions")
        self.asker = Asker(questions, config[keys.WAIT_SECONDS], redact=self.redactor)
        self.models = ModelAccess(config, self.components, self.redactor, lambda: self.koi)
        self.router = ModelRouter(config, self.catalogue, self.models.provider, self.models.find_model)
        self.warnings.texts += [*config.warnings, *tightened(config.paths.credentials)]

    def start(self) -> None:
        """Let plugins find plugins, and register the hooks; once."""
        if self.started:
            return
        self.started = True
        found = [*ask_sources(self.plugins, self.koi), *self.plugins.shadowed_warnings]
        hooks, errors = self.plugins.load_all("hooks")
        self.warnings.texts += [*found, *map(str, [*errors, *self.hooks.register(hooks)])]
        self.warnings.texts += find_unknown_settings(self.config, self.plugins)

    async def close(self) -> None:
        """Finish what runs in the background, for two seconds at most, then leave the log and the plugins."""
        try:
            await self.background.close(DRAIN_TIMEOUT)
        finally:
            self.log.close()
            await self.components.exit_stack.aclose()

    def config_of(self, workspace: Path) -> Config:
        """Return the configuration of a folder: the user's, and the folder's own as far as a project may set it."""
        if self.load_config is None or workspace.resolve() == self.config.workspace.resolve():
            return self.config
        config = self.load_config(workspace)
        for warning in config.warnings:
            self.warn_once(warning)
        return config

    async def search(self, query: Query) -> Sequence[Hit]:
        """Search the configured memory; without one, or when it fails, there are no hits."""
        memory = await self.components.memory()
        return await self.memory_sync.search(memory, query) if memory else ()

    async def update_memory(self) -> None:
        """Give memory the records that it has not seen."""
        memory: Memory | None = await self.components.memory()
        if memory:
            await self.memory_sync.remember(memory)

    @property
    def memory_sync(self) -> MemorySync:
        """How memory is given the log, and searched."""
        return MemorySync(self.config.paths.sessions, self.warn_once)

    @property
    def running(self) -> Path:
        """The folder that says which runs are under way."""
        return self.config.paths.data / "running"

    def publish(self, run: str, happened: Sequence[Event]) -> list[Record]:
        """Log events, then pass them to whoever listens."""
        return self.publisher.publish(run, happened)

    def warn_once(self, text: str) -> None:
        """Keep a warning for the run that comes next, or is under way, unless it was given before."""
        self.warnings.add(text)
