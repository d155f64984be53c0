"""Embed OpenKoi in a program with its own timer: ``embedding_run.py app|cli MODEL``.

It prints as JSON how often its timer rang meanwhile, whether the signal is still its own, and what the task said.
"""

import asyncio
import json
import signal
import sys
from pathlib import Path
from types import FrameType

from openkoi import main
from openkoi.open_app import open_app
from openkoi_hookspecs import Task, events

TASK = "What is it?"
rings: list[int] = []


def ring(number: int, _frame: FrameType | None) -> None:
    """Record the timer's signal."""
    rings.append(number)


async def solve(model: str) -> dict[str, object]:
    """Do a task by the library."""
    async with open_app(Path.cwd(), flags={"model": model}) as koi:
        result = await koi.solve(Task(TASK))
        warnings = [one.event.text for one in koi.records(koi.session) if isinstance(one.event, events.WarningIssued)]
    return {"text": result.text, "warnings": warnings}


def run_command_line(model: str) -> dict[str, object]:
    """Do a task by the command line, within this process."""
    sys.argv = ["openkoi", "-m", model, "--no-judge", TASK]
    try:
        main()
    except SystemExit as done:
        return {"status": done.code}
    return {"status": None}


if __name__ == "__main__":
    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
    reply = asyncio.run(solve(sys.argv[2])) if sys.argv[1] == "app" else run_command_line(sys.argv[2])
    own = signal.getsignal(signal.SIGALRM) is ring and signal.getitimer(signal.ITIMER_REAL)[1] > 0
    signal.setitimer(signal.ITIMER_REAL, 0)
    print(json.dumps({"rings": len(rings), "own": own, **reply}))
