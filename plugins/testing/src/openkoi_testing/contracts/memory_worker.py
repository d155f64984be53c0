"""Log tasks in another process, acknowledge each, and occasionally let memory ingest the new records."""

import asyncio
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path

from openkoi_hookspecs import Cost, Decision, Memory, NextAction, Record, SupportsOffsets, Task
from openkoi_hookspecs.events import RunCompleted, TaskStarted
from openkoi_runlog import RunLog, read_segment

INGEST_INTERVAL = 20


async def ingest_new(memory: Memory, sessions: Path) -> None:
    """Ingest what memory has not seen."""
    assert isinstance(memory, SupportsOffsets)
    for records in read_new(sessions, await memory.offsets()):
        await memory.ingest(records)


def read_new(sessions: Path, seen: Mapping[str, int]) -> Iterator[Sequence[Record]]:
    """Yield the new part of each file of the log."""
    for path in sessions.glob("*.jsonl"):
        if path.stat().st_size > seen.get(path.name, 0):
            yield list(read_segment(path, seen.get(path.name, 0), lambda _: None))


def run_tasks(folder: Path, name: str, tasks: int, memory: Memory) -> None:
    """Do a number of tasks; acknowledge each when it is in the log."""
    acknowledged = os.open(folder / f"{name}.acknowledged", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    log = RunLog(folder / "sessions", name, str)
    ended = RunCompleted(Decision(NextAction.ACCEPT, "good"), Cost(), best=0, iterations=1)
    for number in range(tasks):
        run = f"{name}-{os.getpid()}-{number}"
        log.append(run, [TaskStarted(Task(f"Task {run}", session=name, project="p")), ended])
        os.write(acknowledged, f"{run}\n".encode())
        if number % INGEST_INTERVAL == INGEST_INTERVAL - 1:
            asyncio.run(ingest_new(memory, folder / "sessions"))


if __name__ == "__main__":
    place, mine, many, module, subject, file = sys.argv[1:]
    kept = getattr(import_module(module), subject)(path=Path(place) / file, seconds=60.0)
    run_tasks(Path(place), mine, int(many), kept)
