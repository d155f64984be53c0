"""Provide a worker that does nothing: the existing work becomes its result.

The workspace is a copy of the earlier state. To bring the rest in is a part of the task, so that evaluators see the
copy first: a part may change files, and a run records the state before anything does.
"""

import asyncio

from openkoi_hookspecs import ExecutionResult, Limits, Plan, Run, Task

from .workspace_copy import WorkspaceCopy

PART_TEXT = "Copy in the work to evaluate."
NO_ITERATIONS = Limits(iterations=0)


class NoOpWorker:
    """Return the work as it is. There is nothing to configure."""

    async def run(self, plan: Plan, run: Run) -> ExecutionResult:
        """Bring the work in, where the workspace is a copy that waits for it."""
        copy = WorkspaceCopy.open_at(run.workspace)
        if copy and run.task.parent:
            await asyncio.to_thread(copy.bring_up_to_date)
        elif copy:
            await run.solve(Task(PART_TEXT, channel=run.task.channel, limits=NO_ITERATIONS, agent=run.task.agent))
        return ExecutionResult("")
