"""Do a three-iteration run that kills itself after a number of records: ``crash_run.py HOME WORKSPACE STEP``.

What was acknowledged is told on stdout, an id a line, as soon as the log says it is safe.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path

from openkoi_hookspecs import Check, Evaluation, ExecutionResult, Finding, Record, Run, Severity, Task, ToolCall
from openkoi_testing import Line, Scenario

SAYS: list[Line] = [
    ToolCall("1", "write_file", {"path": "a.txt", "content": "one\n"}),
    "A first draft.",
    ToolCall("2", "edit_file", {"path": "a.txt", "search": "one", "replace": "two"}),
    "A second draft.",
    [
        ToolCall("3", "edit_file", {"path": "a.txt", "search": "two", "replace": "three"}),
        ToolCall("4", "list_files", {"path": "."}),
    ],
    "A third draft.",
]


class Counting:
    """An evaluator that wants a third draft."""

    async def evaluate(self, work: ExecutionResult, run: Run) -> Evaluation:
        """Accept work that counts to three."""
        number = len(run.iterations)
        checks = tuple(Check(f"step {n}", passed=n <= number) for n in range(3))
        missing = Finding(f"It does not count to {number + 1}", Severity.IMPORTANT, fix="Count on.")
        return Evaluation(checks=checks, findings=() if number == 2 else (missing,))


async def solve(home: Path, workspace: Path, step: int) -> None:
    """Do the task, and kill this process at the step."""
    koi = Scenario(says=SAYS, evaluators={"counting": Counting()}).build_app(workspace, home)
    left = step

    def acknowledge(record: Record) -> None:
        os.write(1, f"{record.id}\n".encode())

    def tell(record: Record) -> None:
        nonlocal left
        if record.event.durable and record.event.batched:  # on the disk when this turn of the event loop ends
            asyncio.get_running_loop().call_soon(acknowledge, record)
        elif record.event.durable:
            acknowledge(record)
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    koi.listen(tell)
    async with koi:
        await koi.solve(Task("Write three steps into a.txt"))


if __name__ == "__main__":
    asyncio.run(solve(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])))
