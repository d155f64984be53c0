"""Retrieve from memory what is known about the task."""

from openkoi_hookspecs import Recall, events, hooks
from openkoi_models import ModelChoice, executor_of
from openkoi_prompt import build_recall_query
from openkoi_runlog import list_past_tasks

from ..run import TaskRun


async def recall(run: TaskRun) -> Recall:
    """Return what memory found, after every plugin's changes."""
    await run.emit(await make_started_event(run), *run.services.warnings.take())
    if known := run.replay.pop_event(events.RecallFinished):
        return known.recall
    recall = await ask_memory(run)
    await run.emit(events.RecallFinished(recall))
    return recall


async def ask_memory(run: TaskRun) -> Recall:
    """Return what memory knows about the task, after every plugin's changes."""
    found = Recall(tuple(await run.search(build_recall_query(run.task))))
    return await run.fold(hooks.after_recall, found, task=run.task, run=run)


async def make_started_event(run: TaskRun) -> events.TaskStarted:
    """Return the first event of the log: the task, and its model if it needs one."""
    executor = executor_of(run.task.agent)
    chosen = await run.services.router.choice(executor) if executor else ModelChoice("")
    first = bool(chosen.origin) and not list_past_tasks(run.services.config.paths.sessions, newest=1)
    return events.TaskStarted(
        run.task,
        model=chosen.name,
        workspace=str(run.workspace),
        origin=chosen.origin,
        first=first,
        models=run.services.config.models_from_flags,
    )
