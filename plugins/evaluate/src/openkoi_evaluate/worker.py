"""The worker that does nothing of its own: what is there already comes in as its work. Knows no evaluator.

The workspace is a copy as things stood before. To bring the rest in is a part of the task, so that evaluators look at
the copy first: a part may change files, and a run notes how things stand before anything does.
"""

import asyncio

from openkoi_hookspecs import ExecutionResult, Limits, Plan, Run, Task

from .copy import Copy

PART = "Bring in the work that is to be evaluated."
ONCE = Limits(iterations=0)


class AsItStands:
    """Returns the work as it stands. There is nothing to configure."""

    async def run(self, plan: Plan, run: Run) -> ExecutionResult:
        """Let the work come in, where the workspace is a copy that waits for it."""
        copy = Copy.at(run.workspace)
        if copy and run.task.parent:
            await asyncio.to_thread(copy.arrive)
        elif copy:
            await run.solve(Task(PART, channel=run.task.channel, limits=ONCE, agent=run.task.agent))
        return ExecutionResult("")
