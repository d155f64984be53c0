"""Run tasks of so many steps, and report the cost of memory after each answer; OpenKoi as it ships."""

import asyncio
import json
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.contestants.ours import PLENTY, opened
from benchmarks.turns import done, task

from openkoi.app import App
from openkoi_hookspecs import Task


async def end(koi: App, steps: int) -> float:
    """Run a task; return the seconds of processor time between its answer and the end of its intake."""
    result = await koi.solve(Task(task(steps), limits=PLENTY))
    done(result.text)
    started = time.process_time()
    await koi.drain()
    return time.process_time() - started


def read_log(folder: Path) -> float:
    """Return the seconds of processor time that reading the lines of the log takes."""
    started = time.process_time()
    for path in folder.rglob("*.jsonl"):
        with path.open("rb") as lines:
            sum(map(len, lines))
    return time.process_time() - started


def main() -> None:
    """Answer each number of steps with both costs."""
    with asyncio.Runner() as runner:
        for line in sys.stdin:
            with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
                koi = opened(Path(folder))
                runner.run(koi.__aenter__())
                runner.run(end(koi, 1))  # what is imported once a process is not the run's
                found = runner.run(end(koi, int(line)))
                print(json.dumps([found, read_log(Path(folder))]), flush=True)
                runner.run(koi.__aexit__(None, None, None))


if __name__ == "__main__":
    main()
