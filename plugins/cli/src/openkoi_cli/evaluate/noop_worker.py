"""Provide a worker that does nothing: the existing work becomes its result.

The workspace is a copy of the earlier state. A sub-task copies the rest in, so that evaluators see the
earlier state first: a run records it before any sub-task changes files.
"""

import asyncio

from openkoi_hookspecs import ExecutionResult, Limits, Plan, Run, Task

from .workspace_copy import WorkspaceCopy

PART_TEXT = "Copy in the work to evaluate."
NO_ITERATIONS = Limits(iterations=0)


class NoOpWorker:
    """A worker that returns the work as it is. It has no settings."""

    async def run(self, plan: Plan, run: Run) -> ExecutionResult:
        """Copy the work in, if the workspace is a copy that waits for it."""
        copy = WorkspaceCopy.open_at(run.workspace)
        if copy and run.task.parent:
            await asyncio.to_thread(copy.bring_up_to_date)
        elif copy:
            await run.solve(Task(PART_TEXT, channel=run.task.channel, limits=NO_ITERATIONS, agent=run.task.agent))
        return ExecutionResult("")
