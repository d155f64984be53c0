"""Test that a file of an older version is moved aside and rebuilt from the run log, and a newer one left alone."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from openkoi_duckdb import MemoryNewerError
from openkoi_duckdb.schema import VERSION
from openkoi_duckdb.table_memory import TableMemory
from openkoi_hookspecs import Query
from openkoi_testing.contracts.memory import ids_of, search_project
from openkoi_testing.contracts.memory_log import run_records

RUN = run_records("r1", "Mend the parser")
OLDER = "DELETE FROM _migrations; INSERT INTO _migrations VALUES (1, 'first tables', '2026'), (2, 'more', '2026')"
CHILD = """
import asyncio, sys
from pathlib import Path
from openkoi_duckdb.table_memory import TableMemory
sys.stdin.readline()
print(asyncio.run(TableMemory(path=Path(sys.argv[1]), seconds=30.0).offsets()))
"""


def filled(folder: Path, statement: str = "SELECT 1") -> TableMemory:
    """Return a memory with one run, whose file was then changed by a statement."""
    memory = TableMemory(path=folder / "openkoi.db", seconds=60.0)
    asyncio.run(memory.ingest(RUN))
    memory.file.write(lambda connection: connection.execute(statement) and 1)
    return TableMemory(path=memory.file.path, seconds=60.0)


@pytest.mark.row("MIG-01", "MIG-03")
def test_an_older_file_is_kept_beside_and_memory_asks_for_the_whole_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    memory = filled(tmp_path, OLDER)

    assert {} == asyncio.run(memory.offsets())
    asyncio.run(memory.ingest(RUN))

    assert ["r1"] == ids_of(search_project(memory, "parser"))
    assert (tmp_path / "openkoi.db.bak.v2").is_file()
    assert "openkoi.db.bak.v2; memory is rebuilt from the run log" in caplog.text


@pytest.mark.row("MIG-01")
def test_of_two_processes_one_moves_an_older_file(tmp_path: Path) -> None:
    memory = filled(tmp_path, OLDER)
    order = [sys.executable, "-c", CHILD, str(memory.file.path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    children = [subprocess.Popen(order, text=True, **pipes) for _ in range(2)]  # type: ignore[call-overload]  # pipes

    output = [child.communicate("\n", timeout=60) for child in children]

    assert ["{}\n", "{}\n"] == [out for out, _ in output]
    assert 1 == sum("bak.v2" in reply for _, reply in output)
    assert (tmp_path / "openkoi.db.bak.v2").is_file()


@pytest.mark.row("MIG-01")
def test_a_file_of_a_newer_version_is_left_alone_and_said_so(tmp_path: Path) -> None:
    memory = filled(tmp_path, "UPDATE _migrations SET version = version + 1")
    before = memory.file.path.read_bytes()

    for work in (memory.search(Query("parser")), memory.ingest(RUN), memory.health()):
        with pytest.raises(MemoryNewerError, match=f"version {VERSION + 1}, .* up to {VERSION}"):
            asyncio.run(work)
    assert before == memory.file.path.read_bytes()


@pytest.mark.parametrize("statement", ["UPDATE _migrations SET version = -9", "DROP TABLE _migrations"])
def test_a_file_whose_version_makes_no_sense_is_moved_aside(tmp_path: Path, statement: str) -> None:
    memory = filled(tmp_path, statement)

    assert {} == asyncio.run(memory.offsets())
    assert 1 == len([*tmp_path.glob("*.bad-*")])


def test_a_file_that_makes_way_can_be_looked_at_still(tmp_path: Path) -> None:
    memory = filled(tmp_path)

    old = asyncio.run(memory.reset())

    assert tmp_path / "openkoi.db.old" == old
    assert ["r1"] == ids_of(search_project(TableMemory(path=tmp_path / "openkoi.db.old"), "parser"))
    assert [] == search_project(memory, "parser")
    assert None is asyncio.run(memory.reset())
