"""Test a memory whose processes are killed: what was acknowledged is never lost and never doubled.

Eight processes log tasks and absorb them, and are killed now and then, so this takes a while: mark what inherits it.

class TestMineKilled(MemoryKilledContract):
    subject = Mine

    def tasks(self, memory):       # the ids of the tasks that are remembered, in order
        ...
"""

import asyncio
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

from openkoi_hookspecs import Memory, Record
from openkoi_runlog import read_segment

WORKER_SCRIPT = Path(__file__).with_name("memory_worker.py")
MAX_SECONDS = 240


class MemoryKilledContract:
    """Inherit it, name the ``subject``, a class at the top of its module, and list the tasks it remembers."""

    subject: type[Any]
    name: ClassVar[str] = "memory.db"

    def tasks(self, memory: Any) -> Sequence[str]:
        """Return the tasks that are remembered, in order."""
        raise TypeError(f"{type(self).__name__} must override tasks()")

    def test_nothing_acknowledged_is_lost_or_doubled_however_often_processes_are_killed(self, tmp_path: Path) -> None:
        kills = self.run_with_kills(tmp_path, processes=8, tasks=200)
        records, acknowledged = list(read_log(tmp_path)), read_acknowledged(tmp_path)
        grown, fresh = (self.ingest_and_list(tmp_path / name, records) for name in (self.name, "fresh.db"))

        assert kills > 3
        assert {1} == set(Counter(record.id for record in records).values())
        assert {2} == {count for run, count in Counter(record.run for record in records).items() if run in acknowledged}
        assert grown == fresh
        assert acknowledged <= set(grown)
        assert 8 * 200 <= len(acknowledged)

    def ingest_and_list(self, path: Path, records: Sequence[Record]) -> Sequence[str]:
        """Return the tasks that a memory remembers after it ingested these."""
        memory: Memory = self.subject(path=path, seconds=60.0)
        asyncio.run(memory.ingest(records))
        return self.tasks(memory)

    def run_with_kills(self, folder: Path, processes: int, tasks: int) -> int:
        """Let processes work until each has done its tasks, and occasionally kill one; return how often."""
        chance, kills = random.Random(11), 0
        running: dict[str, subprocess.Popen[bytes]] = {}
        until = time.monotonic() + MAX_SECONDS
        while time.monotonic() < until:
            left = {f"w{n}": tasks - len(read_acknowledged(folder, f"w{n}")) for n in range(processes)}
            for name, number in left.items():
                if number > 0 and (name not in running or running[name].poll() is not None):
                    running[name] = self.start_worker(folder, name, number)
            at_work = [one for one in running.values() if one.poll() is None]
            if not at_work:
                break
            time.sleep(chance.uniform(0.2, 1.5))
            chance.choice(at_work).kill()
            kills += 1
        return kills

    def start_worker(self, folder: Path, name: str, tasks: int) -> "subprocess.Popen[bytes]":
        """Start a process that does a number of tasks."""
        subject = self.subject
        arguments = [str(folder), name, str(tasks), subject.__module__, subject.__qualname__, self.name]
        return subprocess.Popen([sys.executable, str(WORKER_SCRIPT), *arguments])


def read_acknowledged(folder: Path, name: str = "*") -> set[str]:
    """Return the runs that were acknowledged; skip a line that was truncated by a kill."""
    return {line for path in folder.glob(f"{name}.acknowledged") for line in path.read_text().split("\n")[:-1]}


def read_log(folder: Path) -> Iterator[Record]:
    """Yield every record of the log."""
    for path in sorted((folder / "sessions").glob("*.jsonl")):
        yield from read_segment(path, 0, lambda _: None)
