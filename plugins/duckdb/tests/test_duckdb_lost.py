"""What was acknowledged is never lost and never doubled: many processes log tasks and absorb them, and are killed."""

import asyncio
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from openkoi_duckdb import DuckDB
from openkoi_hookspecs import Record
from openkoi_log import read_segment

WORK = """
import asyncio, os, sys
from pathlib import Path
from openkoi_duckdb import DuckDB
from openkoi_hookspecs import Decision, Ruling, Spend, Task
from openkoi_hookspecs.events import RunCompleted, TaskStarted
from openkoi_log import RunLog, read_segment

folder, name, tasks = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
told = os.open(folder / f"{name}.told", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
log, memory = RunLog(folder / "sessions", name, str), DuckDB(path=folder / "openkoi.db", seconds=60.0)
ended = RunCompleted(Ruling(Decision.ACCEPT, "good"), Spend(), best=0, iterations=1)

async def remember():
    seen = await memory.seen()
    for path in (folder / "sessions").glob("*.jsonl"):
        if path.stat().st_size > seen.get(path.name, 0):
            await memory.absorb(list(read_segment(path, seen.get(path.name, 0), str)))

for n in range(tasks):
    run = f"{name}-{os.getpid()}-{n}"
    log.append(run, [TaskStarted(Task(f"Task {run}", session=name, project="p")), ended])
    os.write(told, f"{run}\\n".encode())
    if n % 20 == 19:
        asyncio.run(remember())
"""


@pytest.mark.campaign
@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
@pytest.mark.timeout(600)
def test_nothing_acknowledged_is_lost_or_doubled_however_often_processes_are_killed(tmp_path: Path) -> None:
    kills = killed_again_and_again(tmp_path, processes=8, tasks=200)
    records, told = list(log(tmp_path)), acknowledged(tmp_path)
    grown, anew = DuckDB(path=tmp_path / "openkoi.db", seconds=60.0), DuckDB(path=tmp_path / "anew.db")
    for memory in (grown, anew):
        asyncio.run(memory.absorb(records))

    assert kills > 3
    assert {1} == set(Counter(record.id for record in records).values())
    assert {2} == {count for run, count in Counter(record.run for record in records).items() if run in told}
    assert tasks_of(grown) == tasks_of(anew)
    assert told <= set(tasks_of(grown))
    assert 8 * 200 <= len(told)


def killed_again_and_again(folder: Path, processes: int, tasks: int) -> int:
    """Let processes work until each has done its tasks, and kill one of them now and then; return how often."""
    chance, kills = random.Random(11), 0
    running: dict[str, subprocess.Popen[bytes]] = {}
    until = time.monotonic() + 240
    while time.monotonic() < until:
        left = {f"w{n}": tasks - len(acknowledged(folder, f"w{n}")) for n in range(processes)}
        for name, number in left.items():
            if number > 0 and (name not in running or running[name].poll() is not None):
                running[name] = subprocess.Popen([sys.executable, "-c", WORK, str(folder), name, str(number)])
        at_work = [one for one in running.values() if one.poll() is None]
        if not at_work:
            break
        time.sleep(chance.uniform(0.2, 1.5))
        chance.choice(at_work).kill()
        kills += 1
    return kills


def acknowledged(folder: Path, name: str = "*") -> set[str]:
    """The runs that were acknowledged; a line that was cut by a kill is none."""
    return {line for path in folder.glob(f"{name}.told") for line in path.read_text().split("\n")[:-1]}


def log(folder: Path) -> Iterator[Record]:
    """Every record of the log."""
    for path in sorted((folder / "sessions").glob("*.jsonl")):
        yield from read_segment(path, 0, lambda _: None)


def tasks_of(memory: DuckDB) -> list[str]:
    """The runs that are remembered."""
    found = memory.file.read(lambda c: c.execute("SELECT id FROM tasks ORDER BY id").fetchall())
    return [id for (id,) in found or []]
