"""Resume a run where it ended, or fork it at one of its iterations."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from secrets import token_hex

from openkoi_hookspecs import Checkpoints, KoiError, Record, Result, events
from openkoi_log import Beginning, beginning_of, renamed
from openkoi_models import check_models

from .changed import refuse_fork, refuse_verdict
from .early_settings import check_settings
from .parent_run import ParentRun
from .runs import Runs
from .services import Services
from .workspace_state import named


async def resume(records: Sequence[Record], id: str, changed: Mapping[str, object], runs: Runs) -> Result:
    """Resume a run where it ended, with ``changed`` settings over its limits; raises KoiError without one.

    Where only a verdict is missing, raises FilesChangedError if the files are not as the run left them.
    """
    services = runs.services
    services.start()
    started = next((one.event for one in records if one.run == id and isinstance(one.event, events.TaskStarted)), None)
    if not isinstance(started, events.TaskStarted):
        raise KoiError(f"The log holds no beginning of the run {id!r}, so it cannot be resumed.")
    if keeper := await services.components.checkpoints():
        await refuse_verdict(keeper, services.config.workspace, records, id)
    task = replace(started.task, limits=services.config.limits_with(started.task.effective_limits, changed))
    return await runs.solve(task, ParentRun(id=id, records=records))


async def fork(records: Sequence[Record], id: str, at: int, changed: Mapping[str, object], runs: Runs) -> Result:
    """Begin a run as another one began, from its iteration ``at`` on with these settings; raises KoiError."""
    services = runs.services
    services.start()
    fresh, beginning = token_hex(10), beginning_of(records, id, at)
    await check_settings(services, changed)
    await check_models(beginning.task.agent, services.router, services.warn_once)
    limits = services.config.limits_with(beginning.task.effective_limits, changed)
    task = replace(beginning.task, limits=limits, session=services.session)
    keeper = await services.components.checkpoints() if beginning.checkpoint else None
    # before anything is logged: a fork that is killed here cannot be resumed over half its files
    before = await restore_beginning(keeper, beginning, fresh, services) if keeper else ""
    texts = {key: str(value) for key, value in changed.items()}
    written = services.publish(fresh, [events.RunForked(id, at, texts, before)])
    for run, event in renamed(beginning, fresh, task):
        written += services.publish(run, [event])
    return await runs.solve(task, ParentRun(id=fresh, records=written))


async def restore_beginning(keeper: Checkpoints, beginning: Beginning, fresh: str, services: Services) -> str:
    """Restore the files as they were at the fork; return the checkpoint of how they were until now."""
    workspace = services.config.workspace
    await refuse_fork(keeper, workspace, beginning.checkpoint, beginning.last)
    before = await keeper.create(workspace, run=fresh)
    done = await keeper.restore(workspace, beginning.checkpoint, since=beginning.last, run=fresh)
    if left := {**done.conflicts, **done.left}:
        services.warn_once(f"Not every file could be restored: {named(left)}.")
    return before
