"""Run a real task over a scripted model: everything is the kernel's own except the model's words.

Memory and installed hooks, evaluators and providers are disabled, so that a test sees its own plugins only; tools,
sandbox, checkpoints and compactor are the installed ones.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import field
from pathlib import Path
from tempfile import TemporaryDirectory

from openkoi.app import App
from openkoi.open_app import build_app
from openkoi_hookspecs import Baseline, Limits, Paths, Provider, Record, Result, Run, SupportsBaseline, Task, events
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_loader.plugin_discovery import Scan, scan
from openkoi_runlog import blob_folder, list_segments, store_blobs
from openkoi_runlog.record_format import add_checksum, read_line, write_line
from openkoi_scripted import Line, Scripted
from openkoi_settings import Config, Setting, keys, plugin_keys

INSTALLED_KINDS = frozenset({"tools", "sandboxes", "checkpoints", "compactors", "questions", "budgets"})
MODEL = "scripted/script"
DEFAULT_SETTINGS: Mapping[str, object] = {
    plugin_keys.USE_SANDBOX.name: "plain",
    plugin_keys.USE_CHECKPOINTS.name: "store",
    plugin_keys.USE_COMPACTOR.name: "rolling-window",
    plugin_keys.USE_QUESTIONS.name: "files",
    keys.DEFAULT_MODEL.name: MODEL,
    keys.MODEL_PRICE.at(MODEL).name: [0.0, 0.0],
}
DEFAULT_LINES = ("done",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """Describe a run: what the model ``says``, or the ``model``; plugins by name; settings by dotted key.

    ``says`` are the model's turns, the last of which repeats: a text, a ``ToolCall``, or several parts. ``plugins`` are
    hooks; ``others`` are plugins by kind, such as ``{"workers": {"lines": Lines()}}``. Of the installed plugins, only
    the kinds in ``installed`` are used.
    """

    says: Sequence[Line] = DEFAULT_LINES
    model: Provider | None = None
    providers: Mapping[str, Provider] = field(default_factory=dict)
    plugins: Mapping[str, object] = field(default_factory=dict)
    evaluators: Mapping[str, object] = field(default_factory=dict)
    tool_providers: Mapping[str, object] = field(default_factory=dict)
    others: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    memory: object | None = None
    settings: Mapping[str, object] = field(default_factory=dict)
    installed: frozenset[str] = INSTALLED_KINDS

    def build_app(self, workspace: Path, home: Path) -> App:
        """Return an OpenKoi with these plugins, which keeps its files in ``home``."""
        provided: dict[str, Mapping[str, object]] = {
            "providers": {"scripted": self.model or Scripted(self.says), **self.providers},
            "hooks": self.plugins,
            "evaluators": self.evaluators,
            "tools": self.tool_providers,
            **self.others,
        }
        budget = {plugin_keys.USE_BUDGET.name: "files"} if "budgets" in self.installed else {}
        chosen = {**DEFAULT_SETTINGS, **budget, **self.settings}
        if self.memory is not None:
            provided["memory"] = {"given": self.memory}
            chosen[plugin_keys.USE_MEMORY.name] = "given"
        settings = {key: Setting(value, "the test") for key, value in chosen.items()}
        found = tuple(one for one in scan().found if one.kind in self.installed)
        paths = Paths(home / "config.toml", home / "data")
        return build_app(
            Config(settings, paths, workspace, environment=dict(os.environ)), Scan(found, (), ()), provided
        )


@asynccontextmanager
async def make_run(
    workspace: Path, *, task: Task | str = "a task", says: Sequence[Line] = DEFAULT_LINES, stage: Scenario | None = None
) -> AsyncIterator[Run]:
    """Yield a run that has not begun, to call a plugin with. Its model says these lines in turn."""
    with TemporaryDirectory(prefix="openkoi-", ignore_cleanup_errors=True) as home:
        async with (stage or Scenario(says=says)).build_app(workspace, Path(home)) as koi:
            yield await koi.run_starter.make_run(Task(task) if isinstance(task, str) else task)


async def logged_baseline(evaluator: SupportsBaseline, run: Run) -> Baseline | None:
    """Return an evaluator's baseline as a run hands it back: written to the log and read again."""
    baseline = await evaluator.baseline(run)
    if baseline is None:
        return None
    record = Record("", "", run.id, events.ChecksBaseline(baseline))
    event = read_line(add_checksum(write_line(record))).event
    assert isinstance(event, events.ChecksBaseline), f"The log cannot store this baseline: {baseline}"
    return event.baseline


def write_log(home: Path, records: Sequence[Record]) -> None:
    """Write the log of a session, such as the beginning of one, as a killed process leaves it."""
    session = next(one.event.task.session for one in records if isinstance(one.event, events.TaskStarted))
    folder = home / "data" / "sessions"
    folder.mkdir(parents=True, exist_ok=True)
    for path in list_segments(folder, session):
        path.unlink()
    blobs: dict[str, bytes] = {}
    path = folder / f"{session}.jsonl"
    path.write_bytes(b"".join(add_checksum(write_line(record, blobs=blobs)) for record in records))
    store_blobs(blobs, blob_folder(path))


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A finished run: its result and all log records."""

    result: Result
    records: tuple[Record, ...]


def run_task(
    task: Task | str,
    *,
    says: Sequence[Line] = DEFAULT_LINES,
    plugins: Mapping[str, object] | None = None,
    evaluators: Mapping[str, object] | None = None,
    workspace: Path | None = None,
    limits: Limits | None = None,
) -> Result:
    """Run a task with these plugins and a model that says these lines in turn; the last line repeats."""
    stage = Scenario(says=says, plugins=plugins or {}, evaluators=evaluators or {})
    given = Task(task, limits=limits or Limits()) if isinstance(task, str) else task
    return run_scenario(given, stage, workspace).result


def run_scenario(task: Task, stage: Scenario, workspace: Path | None = None) -> FinishedRun:
    """Run a task in a scenario, in a folder of its own if none is given."""
    with TemporaryDirectory(prefix="openkoi-", ignore_cleanup_errors=True) as folder:
        home, own = Path(folder) / "home", Path(folder) / "workspace"
        own.mkdir()
        return asyncio.run(run_with_app(task, stage.build_app(workspace or own, home)))


async def run_with_app(task: Task, koi: App) -> FinishedRun:
    async with koi:
        result = await koi.solve(task)
        await koi.drain()
        return FinishedRun(result, tuple(koi.records(koi.session)))
