"""Put OpenKoi together from its configuration, in one place. Knows all that is chosen; decides nothing itself."""

import asyncio
import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING

from openkoi_files import project_id, under_way
from openkoi_hookspecs import Event, KoiError, ProviderUnavailableError, Record, Result, Task, events
from openkoi_log import beginning_of, renamed
from openkoi_models import FILE, Catalogue
from openkoi_redact import CURRENT

from .config import Config, load_config, with_settings
from .diffs import changed_files, format_names
from .house import ALONE, House, ParentRun
from .model_roles import executor_of
from .paths import find_paths
from .plugins import Plugins
from .redaction import make_redactor
from .registry import Scan, scan, with_preferences
from .unicode import sanitize_text
from .workspace_state import named

if TYPE_CHECKING:
    from .run import TaskRun

SHOWN = 3
Provided = Mapping[str, Mapping[str, object]]


class Assembly(House):
    """A whole OpenKoi: what the command line, tests and other programs hold. Implements ``Koi``."""

    async def solve(self, task: Task, nested: ParentRun = ALONE) -> Result:
        """Do a task in the workspace; whatever ends it without a result is written down before it flies on."""
        if not self.started:
            async with self:
                return await self.solve(task, nested)
        run = await self.make_run(task, nested)
        with nullcontext() if nested.depth else under_way(self.running, run.id):
            for id, lost in () if nested.depth else run.replay.lost:
                self.publish(id, [lost])
            if run.replay.active or (nested.records and not nested.depth):
                self.publish(run.id, [events.RunResumed(self.config.models_said)])
            return await self.run_logged(run)

    @property
    def running(self) -> Path:
        """Where it is noted which runs are under way."""
        return self.config.paths.data / "running"

    async def resume(self, records: Sequence[Record], id: str, changed: Mapping[str, object] | None = None) -> Result:
        """Resume a run where it ended, with ``changed`` settings over its limits; raises KoiError without one.

        Where only a verdict is missing, raises FilesChangedError if the files are not as the run left them.
        """
        from .changed import refuse_verdict

        self.start()
        started = next((record.event for record in records if record.run == id and is_start(record)), None)
        if not isinstance(started, events.TaskStarted):
            raise KoiError(f"The log holds no beginning of the run {id!r}, so it cannot be resumed.")
        if keeper := await self.components.checkpoints():
            await refuse_verdict(keeper, self.config.workspace, records, id)
        task = replace(started.task, limits=self.config.limits_with(started.task.effective_limits, changed or {}))
        return await self.solve(task, ParentRun(id=id, records=records))

    async def fork(self, records: Sequence[Record], id: str, at: int, changed: Mapping[str, object]) -> Result:
        """Begin a run as another one began, from its iteration ``at`` on with these settings; raises KoiError."""
        from .changed import refuse_fork
        from .early_settings import check_settings

        self.start()
        fresh, beginning = token_hex(10), beginning_of(records, id, at)
        await check_settings(self, changed)
        await self.check_models(beginning.task)
        limits = self.config.limits_with(beginning.task.effective_limits, changed)
        task = replace(beginning.task, limits=limits, session=self.session)
        keeper = await self.components.checkpoints() if beginning.checkpoint else None
        now = ""
        if keeper:
            await refuse_fork(keeper, self.config.workspace, beginning.checkpoint, beginning.last)
            now = await keeper.create(self.config.workspace, run=fresh)
            # before anything is written down: a fork that is killed here cannot be resumed over half its files
            done = await keeper.restore(self.config.workspace, beginning.checkpoint, since=beginning.last, run=fresh)
            if left := {**done.conflicts, **done.left}:
                self.warn_once(f"Not every file could be restored: {named(left)}.")
        said = {key: str(value) for key, value in changed.items()}
        written = self.publish(fresh, [events.RunForked(id, at, said, now)])
        for run, event in renamed(beginning, fresh, task):
            written += self.publish(run, [event])
        return await self.solve(task, ParentRun(id=fresh, records=written))

    async def run_logged(self, run: "TaskRun") -> Result:
        """The result of a run; whatever ends it without one is written down before it flies on."""
        from .loop import solve

        try:
            result = await solve(run)
        except BaseException as error:  # the log must say how the run ended, whatever ended it
            files: tuple[str, ...] = ()
            try:
                files = await changed_by(run, error)
            finally:
                with suppress(KoiError):
                    left = unfinished_warning(files, touched=run.touched)
                    self.publish(run.id, (*self.warnings(), *left, events.RunFailed(failure_reason(error), files)))
            raise
        score, task = result.best.evaluation.score if result.best.evaluation else None, run.task
        used = events.UsageRecorded("Task", task.text, category=task.category, channel=task.channel, score=score)
        with suppress(KoiError):
            await run.emit(used, *self.warnings())
        return result

    async def make_run(self, task: Task, nested: ParentRun = ALONE) -> "TaskRun":
        """A run of the task that has not begun. Raises what stands in its way before anything is written down.

        What does tasks is imported where a task is done: who only searches memory does not wait for it.
        """
        from openkoi_prompt import infer_category

        from .baselines import resume_baselines
        from .phases.facts import is_judge
        from .run import TaskRun

        self.start()
        evaluators = await self.components.evaluators()
        await self.check_models(task)
        workspace = Path(task.workspace) if task.workspace else self.config.workspace
        if not os.access(workspace, os.W_OK):
            self.warn_once(f"{workspace} is not writable: nothing can be changed in it.")
        known = replace(
            task,
            text=sanitize_text(task.text),
            context=sanitize_text(task.context),
            category=task.category or infer_category(task.text),
            session=task.session or self.session,
            limits=task.limits or self.config_of(workspace).limits,
            project=task.project or project_id(workspace),
            judge=task.judge and not self.config.get("evaluation.checks_only", bool, False),
        )
        if not known.judge:
            evaluators = {name: one for name, one in evaluators.items() if not is_judge(one)}
        run = TaskRun(self, known, workspace, nested, evaluators=evaluators)
        resume_baselines(run)
        return run

    async def check_models(self, task: Task) -> None:
        """Look at the models of all roles that matter; whom a worker asks that works alone is seen when it does."""
        if executor := executor_of(task.agent):
            for role in self.router.configured_roles():
                await self.check_role(executor if role == "executor" else role)

    async def check_role(self, role: str) -> None:
        """Look at the models of a role, until one is there; what the last one lacks is what stands in the way.

        Who could not stand in for it is named now, and not in the emergency.
        """
        first, *others = await self.router.chain(role)
        for name in others:
            try:
                await self.router.load(name.partition("/")[0])
            except KoiError as error:
                self.warn_once(f"{name} cannot stand in for {first}: {error}")
                self.router.excluded.add(name)
        chain = await self.router.chain(role)
        for name in chain:
            try:
                await self.router.resolved(name)
                return
            except ProviderUnavailableError:
                if name == chain[-1]:
                    raise


def is_start(record: Record) -> bool:
    return isinstance(record.event, events.TaskStarted)


async def changed_by(run: "TaskRun", error: BaseException) -> tuple[str, ...]:
    """Return the files that a failed run has changed so far. An interrupted run ends at once and does not compare."""
    if not run.baseline_done or not isinstance(error, Exception):
        return ()
    return changed_files(await run.workspace_state.changes(await run.workspace_state.checkpoint()) or "")


def unfinished_warning(files: Sequence[str], *, touched: bool) -> list[Event]:
    """Warn of the files that a run left changed when it ended in the middle of its work."""
    if files:
        changed = f"Changed: {format_names(files, SHOWN)}. To undo this, run `openkoi undo`."
        return [events.WarningIssued(f"Stopped before the work was finished. {changed}")]
    if not touched:
        return []
    return [
        events.WarningIssued(
            "Stopped before the work was finished; some files may have changed. Review them before continuing."
        )
    ]


def failure_reason(error: BaseException) -> str:
    if isinstance(error, (KeyboardInterrupt, asyncio.CancelledError)):
        return "interrupted"
    return str(error) or type(error).__name__


def build_app(config: Config, found: Scan, provided: Provided | None = None, bundles: Sequence[Path] = ()) -> Assembly:
    """Build what the configuration asks for, loading nothing yet. ``provided`` are plugins of the caller's own."""
    redactor = make_redactor(config)
    CURRENT.set(redactor)
    plugins = Plugins(config, redactor, found.found, provided or {})
    catalogue = Catalogue([bundle / FILE for bundle in bundles])
    return Assembly(config, plugins, redactor, pending=[*found.broken, *map(str, found.clashes)], catalogue=catalogue)


def open_app(
    workspace: Path,
    *,
    flags: Mapping[str, object] | None = None,
    config: str = "",
    environment: Mapping[str, str] = os.environ,
    found: Scan | None = None,
    settings: Mapping[str, object] | None = None,
) -> Assembly:
    """OpenKoi as it is installed and configured here. ``found`` is what is installed, if that is known already.

    ``flags`` are named as on the command line, ``settings`` as in the configuration, by dotted key; both outrank it.
    """
    found = scan() if found is None else found
    paths = find_paths(environment, config)
    bundles = bundle_folders(found)

    def load(folder: Path) -> Config:
        there = load_config(paths, folder, bundles=bundles, flags=flags, environment=environment)
        return with_settings(there, settings or {})

    whole = load(workspace)
    app = build_app(whole, as_preferred(found, whole), bundles=bundles)
    app.load_config = load
    return app


def as_preferred(found: Scan, config: Config) -> Scan:
    """The same with the winners that the configuration prefers, if it prefers any."""
    preferred = config.table("plugins.prefer").items()
    named = ((key.partition("."), str(one.value)) for key, one in preferred)
    return (
        with_preferences(found, frozenset((kind, name, winner) for (kind, _, name), winner in named))
        if preferred
        else found
    )


def bundle_folders(found: Scan) -> list[Path]:
    """Where the bundles' files lie, in the order of their names; the default one is the weakest."""
    bundles = sorted(
        (one for one in found.found if one.kind == "bundles"), key=lambda one: (one.name != "default", one)
    )
    return [folder for one in bundles if (folder := package_folder(one.target))]


def package_folder(package: str) -> Path | None:
    try:
        spec = find_spec(package)
    except (ImportError, ValueError):
        return None
    places = list(spec.submodule_search_locations or ()) if spec else []
    return Path(places[0]) if places else None
