"""How long until a record is on the disk, beside a plain line, and SQLite with its write-ahead log and full sync.

Each takes a turn with the same bytes, on the same disk, so that what else the disk is busy with hits both.
"""

import os
import sqlite3
import statistics
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from openkoi_hookspecs import ToolResult
from openkoi_hookspecs.events import ToolCallFinished
from openkoi_runlog import RunLog

from .contest import table

TURNS = 400
EVENT = ToolCallFinished(ToolResult("a line of what a tool printed\n" * 30, call="call-1"))


def show(rounds: int) -> None:
    """Print a table, and what it should be."""
    found: dict[str, list[float]] = {}
    with TemporaryDirectory(dir=Path.cwd()) as folder:
        log = RunLog(Path(folder) / "sessions", "session", str)
        with closing(sqlite3.connect(Path(folder) / "peer.db")) as peer, (Path(folder) / "lines").open("ab") as plain:
            peer.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE records (id, line)")
            line = written(log)

            def insert() -> None:
                peer.execute("INSERT INTO records VALUES (?, ?)", (len(found), line))
                peer.commit()

            def write() -> None:
                os.write(plain.fileno(), line.encode())
                getattr(os, "fdatasync", os.fsync)(plain.fileno())

            ways: dict[str, Callable[[], object]] = {
                "a line, written and synced": write,
                "SQLite, WAL, FULL": insert,
                "the run log": lambda: log.append("run", [EVENT]),
            }
            for _ in range(TURNS * rounds):
                for name, way in ways.items():
                    found.setdefault(name, []).append(timed(way))
        log.close()
    print(
        table([f"{TURNS * rounds} records, ms", "p50", "p99"], [[name, *median_and_p99(found[name])] for name in ways])
    )
    print("Goals: p50 at most 1.5 times that of SQLite, p99 not above it.")


def written(log: RunLog) -> str:
    """Return the line that a record is, so that both write the same."""
    log.append("run", [EVENT])
    return log.path.read_text("utf-8")


def timed(way: Callable[[], object]) -> float:
    """Milliseconds that something takes."""
    start = perf_counter()
    way()
    return 1_000 * (perf_counter() - start)


def median_and_p99(times: list[float]) -> tuple[str, str]:
    """Return the middle, and that which one in a hundred is above."""
    return f"{statistics.median(times):.2f}", f"{statistics.quantiles(times, n=100)[98]:.2f}"
