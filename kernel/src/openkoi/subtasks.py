"""Run a sub-task within a run: it spends from the remaining budget, and its changes count as the task's."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

from openkoi_hookspecs import ExecutionResult, LimitExceededError, Result, StopReason, Task
from openkoi_runlog import subtask_id

from .baselines import capture_baseline
from .run import TaskRun
from .run_origin import RunOrigin

MAX_DEPTH = 8


async def solve_subtask(task: Task, run: TaskRun, start: Callable[[Task, RunOrigin], Awaitable[Result]]) -> Result:
    """Run a sub-task in the task's session and, unless it names another folder, in the task's folder."""
    if run.origin.depth >= MAX_DEPTH:
        raise LimitExceededError("nested tasks")
    id = subtask_id(run.id, run.activity.subtasks)
    run.activity.subtasks += 1
    await capture_baseline(run)
    run.touched = True
    part = RunOrigin(run.budget, run.origin.depth + 1, id, run.origin.records, run.outermost)
    workspace = task.workspace or run.task.workspace
    nested = replace(task, parent=run.id, session=run.task.session, workspace=workspace)
    result = await start(nested, part)
    note_part(result.iterations[-1].work, run)
    return result


def note_part(work: ExecutionResult, run: TaskRun) -> None:
    """Add a sub-task's calls and limit to the run's; its decision is not used."""
    run.effects.calls += work.calls
    if work.ended in (StopReason.BUDGET, StopReason.TIME):
        run.note_limit(work.limit or work.ended)
