"""Resume a run where it ended, or fork it at one of its iterations, with its original folder and models.

Nothing is done twice: calls whose results are in the log are replayed from it (``replay``).
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import replace

from openkoi_base.files import lock_run
from openkoi_base.files.diffs import warning_of
from openkoi_hookspecs import ConfigError, Result, events
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_loader.early_settings import check_settings
from openkoi_models import check_models
from openkoi_runlog import ForkPoint, PastTask, find_fork_point, rename_runs
from openkoi_runlog.changed_since import refuse_fork, refuse_verdict
from openkoi_runlog.past_run import PastRun, read_past_run, replace_models
from openkoi_settings import Config, with_settings

from .run_origin import RunOrigin
from .run_starter import RunStarter
from .services import Services


@dataclass(frozen=True, slots=True)
class ContinuedRuns:
    """Continues runs. ``configured`` yields the ``RunStarter`` of another configuration."""

    services: Services
    configured: Callable[[Config], AbstractAsyncContextManager[RunStarter]]

    async def resume(self, past: PastTask, changed: Mapping[str, object]) -> Result:
        """Resume a run where it ended, with ``changed`` settings; raise KoiError while it is active."""
        with lock_run(self.services.running, past.run):  # before the log is read: no other process adds to this run
            known = await self.read(past)
            async with self.configured(self.config_of(known, changed)) as starter:
                return await resume(known, starter, changed)

    async def fork(self, past: PastTask, at: int, changed: Mapping[str, object], fresh: str) -> Result:
        """Start a new run from iteration ``at`` of another one, with ``changed`` settings."""
        with lock_run(self.services.running, past.run):
            known = await self.read(past)
        async with self.configured(self.config_of(known, changed)) as starter:
            return await fork(known, starter, at, changed, fresh)

    async def read(self, past: PastTask) -> PastRun:
        """Read a run from the log, without blocking other runs."""
        return await asyncio.to_thread(read_past_run, self.services.config.paths.sessions, past)

    def config_of(self, past: PastRun, changed: Mapping[str, object]) -> Config:
        """Return the configuration of a run's folder, overridden by the run's models and then by these settings."""
        folder = past.folder(self.services.config.workspace)
        config = replace(self.services.config_of(folder), workspace=folder)
        return with_settings(config, replace_models(past.models, changed))


async def resume(past: PastRun, starter: RunStarter, changed: Mapping[str, object]) -> Result:
    """Resume a run where it ended.

    If only a verdict is missing, raises FilesChangedError if the files have changed since the run.
    """
    services, task = starter.services, past.start_event.task
    if checkpoints := await services.components.checkpoints():
        await refuse_verdict(checkpoints, services.config.workspace, past.records, past.id)
    limits = services.config.limits_with(task.effective_limits, changed)
    return await starter.run_in_workspace(replace(task, limits=limits), RunOrigin(id=past.id, records=past.records))


async def fork(past: PastRun, starter: RunStarter, at: int, changed: Mapping[str, object], fresh: str) -> Result:
    """Start a run from an iteration of another one; if that is impossible, raise KoiError before any file changes."""
    services = starter.services
    beginning = find_fork_point(past.records, past.id, at)
    await check_settings(changed, services.config, services.components)
    await check_models(beginning.task.agent, services.router, services.warn_once)
    limits = services.config.limits_with(beginning.task.effective_limits, changed)
    task = replace(beginning.task, limits=limits, session=services.session)
    # before anything is logged: a fork that is killed here cannot be resumed over half its files
    before = await restore_beginning(beginning, fresh, services)
    forked = events.RunForked(past.id, at, {key: str(value) for key, value in changed.items()}, before)
    written = services.publish(fresh, [forked])
    for run, event in rename_runs(beginning, fresh, task):
        written += services.publish(run, [event])
    return await starter.run(task, RunOrigin(id=fresh, records=written))


async def restore_beginning(beginning: ForkPoint, fresh: str, services: Services) -> str:
    """Restore the files to the start of the fork; return the checkpoint of their state before that."""
    if not beginning.checkpoint:
        return ""
    if (checkpoints := await services.components.checkpoints()) is None:
        raise ConfigError("Cannot fork: no plugin saves checkpoints. Set `checkpoints` under [use] in the config file.")
    workspace = services.config.workspace
    await refuse_fork(checkpoints, workspace, beginning.checkpoint, beginning.last)
    before = await checkpoints.create(workspace, run=fresh)
    done = await checkpoints.restore(workspace, beginning.checkpoint, since=beginning.last, run=fresh)
    if text := warning_of(done):
        services.warn_once(text)
    return before
