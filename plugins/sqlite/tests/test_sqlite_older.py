"""Test that an older OpenKoi's file is replaced completely or not at all, whenever that is interrupted."""

import asyncio
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from openkoi_sqlite import SQLite
from openkoi_testing.contracts.memory import ids_of, search_project
from openkoi_testing.contracts.memory_log import run_records

RUN = run_records("r1", "Mend the parser")
KILLED = """
import asyncio, os, signal, sys, threading
from pathlib import Path
from openkoi_sqlite import SQLite
from openkoi_testing.contracts.memory_log import run_records

left = int(sys.argv[2])

def count(frame, event, argument):
    global left
    left -= event in ("call", "c_call")
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)

import openkoi_sqlite.file, openkoi_sqlite.ingest
records = run_records("r1", "Mend the parser")
threading.setprofile(count)
asyncio.run(SQLite(path=Path(sys.argv[1])).ingest(records))
"""


def older(folder: Path) -> Path:
    """A file as an older OpenKoi made it, with some content."""
    path = folder / "memory.sqlite"
    with closing(sqlite3.connect(path)) as other:
        other.executescript(
            "PRAGMA user_version = 1; CREATE TABLE documents (id TEXT); INSERT INTO documents VALUES (1)"
        )
    return path


@pytest.mark.row("MIG-02", "MIG-03")
@pytest.mark.skipif(os.name != "posix", reason="nothing is killed like that elsewhere")
@pytest.mark.parametrize(
    "calls", [500, *(pytest.param(n, marks=pytest.mark.campaign) for n in [*range(1, 600, 40), *range(600, 9000, 600)])]
)
def test_a_process_killed_while_an_older_file_makes_way_leaves_nothing_half_done(tmp_path: Path, calls: int) -> None:
    path = older(tmp_path)
    subprocess.run([sys.executable, "-c", KILLED, str(path), str(calls)], check=False, timeout=60, capture_output=True)

    memory = SQLite(path=path)
    asyncio.run(memory.ingest(RUN))

    assert ["r1"] == ids_of(search_project(memory, "parser"))
    assert "1" == asyncio.run(memory.health())["entries"]
    (kept,) = (one for one in tmp_path.glob("*.bad-*") if not one.name.endswith(("-wal", "-shm")))
    with closing(sqlite3.connect(kept)) as other:
        assert [("1",)] == other.execute("SELECT id FROM documents").fetchall()
