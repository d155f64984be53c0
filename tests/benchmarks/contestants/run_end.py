"""Run tasks with a number of steps, with or without text, and report the cost of memory after each answer.

OpenKoi as it ships.
"""

import asyncio
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.contestants.ours import PLENTY, opened
from benchmarks.turns import done, take_turns, task

from openkoi.app import App
from openkoi_hookspecs import Task


async def end(koi: App, steps: int, said: int = 0) -> float:
    """Run a task; return the milliseconds of processor time between its answer and the end of its intake."""
    result = await koi.solve(Task(task(steps, said), limits=PLENTY))
    done(result.text)
    started = time.process_time()
    await koi.drain()
    return 1_000 * (time.process_time() - started)


def read_log(folder: Path) -> float:
    """Return the milliseconds of processor time that reading the lines of the log takes."""
    started = time.process_time()
    for path in folder.rglob("*.jsonl"):
        with path.open("rb") as lines:
            sum(map(len, lines))
    return 1_000 * (time.process_time() - started)


async def turn(asked: dict[str, int]) -> list[float]:
    """Return both costs of a run, in a home that is new."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        async with opened(Path(folder)) as koi:
            await end(koi, 1)  # what is imported once a process is not the run's
            return [await end(koi, asked["steps"], asked["said"]), read_log(Path(folder))]


if __name__ == "__main__":
    with asyncio.Runner() as runner:
        take_turns("openkoi", lambda asked: runner.run(turn(asked)))
