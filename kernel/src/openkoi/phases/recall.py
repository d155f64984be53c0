"""Ask memory what it knows about the task. Knows queries; knows no backend."""

from openkoi_hookspecs import Query, Recall, events, moments

from ..kernel import Kernel

SHARE = 10


async def recall(run: Kernel) -> Recall:
    """What of memory will be shown, within a tenth of the task's tokens."""
    task = run.task
    await run.emit(
        events.TaskStarted(task, model=run.house.cast.name("executor"), workspace=str(run.workspace)),
        *run.house.warnings(),
    )
    query = Query(task.text, project=task.project, tokens=task.limits.tokens // SHARE)
    found = Recall(tuple(await run.search(query)))
    shown = await run.fold(moments.after_recall, found, task=task, run=run)
    await run.emit(events.Recalled(shown))
    return shown
