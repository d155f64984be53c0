"""Test what every `Frontend` promises, by starting it over a scripted model with given arguments and input."""

import asyncio
import io
from collections.abc import Mapping, Sequence
from dataclasses import field
from inspect import isawaitable
from pathlib import Path
from typing import Any, ClassVar, cast

import pytest

from openkoi.app import App
from openkoi_hookspecs import (
    ConfigError,
    Event,
    Frontend,
    Installation,
    InstalledPlugin,
    KoiError,
    OpenedKoi,
    Paths,
    PluginNotFoundError,
    PluginState,
    Reader,
    events,
    hookimpl,
)
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.run import NO_SETTINGS
from openkoi_loader.installation import explain_broken, list_installed
from openkoi_loader.plugin_discovery import scan
from openkoi_loader.reader import read_installation
from openkoi_scripted import Line
from openkoi_settings import Setting, keys

from ..scenario import Scenario

VERSION = "1.2.3"
SECRET = "sk-canary-4f2a9c1e7b3d"
UNKNOWN = "--no-such-option"


class Seen:
    """Records the events of all runs, as a hook receives them."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    @hookimpl
    def on_event(self, event: Event) -> None:
        """Keep it."""
        self.events.append(event)


@dataclass(slots=True)
class ScenarioLauncher:
    """A ``Launcher`` that opens a scenario, and tracks what was opened and not left."""

    scenario: Scenario
    workspace: Path
    home: Path
    arguments: Sequence[str] = ()
    version: str = VERSION
    fails: str = ""
    opened: list[App] = field(default_factory=list)

    def plugins(self, kind: str) -> Sequence[InstalledPlugin]:
        """List what is installed."""
        return [one for one in scan().found if one.kind == kind]

    def installation(self, *, config: str = "") -> Installation:
        """Return the installation, as if nothing were configured."""
        return list_installed(scan(), self.paths())

    def check(self, plugin: PluginState) -> str:
        """Import a plugin."""
        return explain_broken(scan(), plugin)

    def paths(self, *, config: str = "") -> Paths:
        """Return the folder of the scenario's files."""
        return Paths(self.home / "config.toml", self.home / "data")

    def read(self, workspace: Path | None = None, *, config: str = "") -> Reader:
        """Return the configuration of the scenario's home, from bundles alone."""
        return read_installation(scan(), self.paths(), workspace or self.workspace)

    def open(
        self,
        workspace: Path | None = None,
        *,
        config: str = "",
        flags: Mapping[str, object] = NO_SETTINGS,
        settings: Mapping[str, object] = NO_SETTINGS,
    ) -> OpenedKoi:
        """Open the scenario; the secret is one that a provider's key might be."""
        if self.fails:
            raise ConfigError(self.fails)
        app = self.scenario.build_app(workspace or self.workspace, self.home)
        app.conceal(SECRET)
        own = cast(dict[str, Setting], app.services.config.settings)
        own.update({key: Setting(value, "the frontend") for key, value in settings.items()})
        self.opened.append(app)
        return cast(OpenedKoi, app)

    def start(self, name: str, arguments: Sequence[str] = (), *, config: str = "") -> int:
        """Raise, because there is no other frontend."""
        raise PluginNotFoundError("frontends", name)

    @property
    def apps_left_open(self) -> list[App]:
        """What was entered and not left: its log or plugins are still open."""
        return [app for app in self.opened if app.services.components.lifespans.entered or app.background_runs.tasks]


class FrontendContract:
    """Inherit it: ``class TestMine(FrontendContract): subject = Mine()``.

    Called with ``task_words`` and ``task_input`` on standard input, the frontend runs the task and exits. With
    ``help_words``, it shows its help; leave them empty if it has none. The model answers ``ANSWER``.
    """

    ANSWER: ClassVar[str] = f"It is done, and the key is {SECRET}."
    subject: ClassVar[Frontend]
    task_words: ClassVar[Sequence[str]] = ()
    task_input: ClassVar[str] = ""
    help_words: ClassVar[Sequence[str]] = ()

    @pytest.fixture
    def launcher(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ScenarioLauncher:
        """Return the launcher of the frontend, with a model that answers, in an empty folder and home."""
        workspace, home = tmp_path / "workspace", tmp_path / "home"
        workspace.mkdir()
        home.mkdir()
        monkeypatch.setenv("OPENKOI_HOME", str(home))
        monkeypatch.chdir(workspace)
        says: tuple[Line, ...] = (self.ANSWER,)
        scenario = Scenario(says=says, plugins={"seen": Seen()}, settings={keys.LIMITS["iterations"].name: 0})
        return ScenarioLauncher(scenario, workspace, home, self.task_words)

    def start(self, launcher: ScenarioLauncher, monkeypatch: pytest.MonkeyPatch, given: str = "") -> Any:
        """Run the frontend until it ends; return its status."""
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(given.encode())))

        async def wait(status: Any) -> Any:
            return await status

        status = self.subject.run(launcher)
        return asyncio.run(wait(status)) if isawaitable(status) else status

    def events_of(self, launcher: ScenarioLauncher) -> list[Event]:
        """Return the events of all runs."""
        return cast(Seen, launcher.scenario.plugins["seen"]).events

    def test_it_does_a_task_and_shows_the_answer(
        self, launcher: ScenarioLauncher, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
    ) -> None:
        status = self.start(launcher, monkeypatch, self.task_input)
        output = capfd.readouterr()

        assert any(isinstance(event, events.RunCompleted) for event in self.events_of(launcher)), output.err
        assert 0 == (status or 0)
        assert "It is done" in output.out

    def test_it_shows_no_secret(
        self, launcher: ScenarioLauncher, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
    ) -> None:
        """Output of runs passes through ``koi.redact`` before it is shown."""
        self.start(launcher, monkeypatch, self.task_input)
        output = capfd.readouterr()

        assert SECRET not in output.out + output.err

    def test_what_it_opened_is_left(
        self, launcher: ScenarioLauncher, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
    ) -> None:
        """All runs have ended, and all plugins are closed."""
        self.start(launcher, monkeypatch, self.task_input)

        assert launcher.opened
        assert [] == launcher.apps_left_open

    def test_it_ends_with_its_input(
        self, launcher: ScenarioLauncher, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
    ) -> None:
        """Without a task, it exits by itself, with a status."""
        launcher.arguments = ()
        status = self.start(launcher, monkeypatch)

        assert status is None or isinstance(status, int)

    def test_an_unreadable_configuration_is_reported_in_a_sentence(
        self, launcher: ScenarioLauncher, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
    ) -> None:
        """As a ``KoiError``, or by the frontend itself and with a status of its own."""
        launcher.fails = "Invalid TOML in config.toml (line 1)."
        output = ""
        try:
            status: object = self.start(launcher, monkeypatch, self.task_input)
        except KoiError as error:
            status, output = 1, str(error)

        assert status
        assert launcher.fails in output + capfd.readouterr().err

    def test_it_explains_itself(
        self, launcher: ScenarioLauncher, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
    ) -> None:
        """Without doing anything."""
        if not self.help_words:
            pytest.skip("It has no help to show.")
        launcher.arguments = self.help_words
        status = self.start(launcher, monkeypatch)

        assert 0 == (status or 0)
        assert capfd.readouterr().out.strip()
        assert [] == self.events_of(launcher)
