"""Test a memory file that is missing, in use, damaged, foreign or of another version."""

import asyncio
import logging
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from openkoi_duckdb import MemoryBusyError, MemoryUnusableError
from openkoi_duckdb.lock import LockTimeout, hold_lock
from openkoi_duckdb.table_memory import TableMemory
from openkoi_hookspecs import Query
from openkoi_testing.contracts.memory import ids_of, search_project
from openkoi_testing.contracts.memory_log import LINE_BYTES, run_records

RUN = run_records("r1", "Mend the parser")
ALL = {"r1.jsonl": len(RUN) * LINE_BYTES}


def memory(folder: Path, seconds: float = 1.0) -> TableMemory:
    """Return the memory of a folder."""
    return TableMemory(path=folder / "openkoi.db", seconds=seconds)


def test_asking_does_not_make_a_file(tmp_path: Path) -> None:
    empty = memory(tmp_path / "data")

    assert [] == asyncio.run(empty.search(Query("anything")))
    assert {} == asyncio.run(empty.offsets())
    facts = {"file": str(empty.file.path), "size": "0KB", "entries": "0", "embedder": "none; search uses words only"}
    assert facts == asyncio.run(empty.health())
    assert not (tmp_path / "data").exists()


def test_absorbing_nothing_does_not_make_a_file(tmp_path: Path) -> None:
    asyncio.run(memory(tmp_path).ingest([]))

    assert [] == list(tmp_path.iterdir())


def test_examining_counts_tasks_and_learnings(tmp_path: Path) -> None:
    full = memory(tmp_path)
    asyncio.run(full.ingest(RUN + run_records("r2", "Paint")))

    seen = asyncio.run(full.health())

    assert "2" == seen["entries"]
    assert seen["size"].endswith(("KB", "MB"))


@pytest.mark.skipif(sys.platform == "win32", reason="file modes have no effect there")
def test_the_file_is_private(tmp_path: Path) -> None:
    asyncio.run(memory(tmp_path).ingest(RUN))

    assert 0o600 == stat.S_IMODE((tmp_path / "openkoi.db").stat().st_mode)


@pytest.mark.skipif(sys.platform == "win32", reason="only DuckDB's own lock is there")
def test_a_file_in_use_is_waited_for_and_then_left_alone(tmp_path: Path) -> None:
    asyncio.run(memory(tmp_path).ingest(RUN))
    busy = memory(tmp_path, seconds=0.05)

    with hold_lock(tmp_path / "openkoi.db.lock", LockTimeout(1.0)):
        with pytest.raises(MemoryBusyError, match="Nothing is lost"):
            asyncio.run(busy.ingest(RUN))
        with pytest.raises(MemoryBusyError):
            asyncio.run(busy.search(Query("parser")))
    assert ["r1"] == ids_of(search_project(busy, "parser"))


def test_a_file_that_another_program_has_open_is_busy_too(tmp_path: Path) -> None:
    import duckdb

    asyncio.run(memory(tmp_path).ingest(RUN))

    with duckdb.connect(tmp_path / "openkoi.db"), pytest.raises(MemoryBusyError):
        asyncio.run(memory(tmp_path, seconds=0.05).search(Query("parser")))


def test_an_unwritable_place_is_reported(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file where the folder should be")

    with pytest.raises(MemoryUnusableError, match="cannot be used"):
        asyncio.run(memory(tmp_path / "data").ingest(RUN))


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def garbled(path: Path) -> None:
    path.write_bytes(b"no database at all " * 1_000)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5_000])


def flipped(path: Path) -> None:
    path.write_bytes(bytes(byte ^ 255 if 4_096 <= n < 4_200 else byte for n, byte in enumerate(path.read_bytes())))


def flipped_within(path: Path) -> None:
    path.write_bytes(bytes(byte ^ 255 if n > 40_000 else byte for n, byte in enumerate(path.read_bytes())))


def foreign(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE tasks (id)")
    other.close()


DAMAGES = [
    cut,
    flipped,
    *(pytest.param(one, marks=pytest.mark.campaign) for one in (emptied, garbled, flipped_within, foreign)),
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_moved_aside_and_built_again(
    tmp_path: Path, damage: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    asyncio.run(memory(tmp_path).ingest(RUN))
    damage(tmp_path / "openkoi.db")
    again = memory(tmp_path)

    with caplog.at_level(logging.WARNING, "openkoi"):
        assert {} == asyncio.run(again.offsets())

    assert ["openkoi.db.bad-"] == [path.name[:15] for path in tmp_path.glob("*.bad-*")]
    assert "is being rebuilt from the run log" in caplog.text
    asyncio.run(again.ingest(RUN))
    assert ALL == asyncio.run(again.offsets())
    assert ["r1"] == ids_of(search_project(again, "parser"))


def test_a_file_lost_in_mid_run_takes_no_offsets_so_that_the_next_start_reads_all(tmp_path: Path) -> None:
    first = memory(tmp_path)
    asyncio.run(first.ingest(RUN[:5]))
    asyncio.run(first.offsets())
    garbled(tmp_path / "openkoi.db")

    asyncio.run(first.ingest(RUN[5:]))

    assert {} == asyncio.run(memory(tmp_path).offsets())


def test_a_folder_in_the_place_of_the_old_view_is_not_in_the_way_of_a_rebuild(tmp_path: Path) -> None:
    (tmp_path / "openkoi.db").mkdir()
    for _ in range(2):
        assert tmp_path / "openkoi.db.old" == asyncio.run(memory(tmp_path).reset())
        asyncio.run(memory(tmp_path).ingest(RUN))

    assert ["r1"] == ids_of(search_project(memory(tmp_path), "parser"))


def test_health_opens_the_file_only_if_nothing_is_noted_beside_it(tmp_path: Path) -> None:
    asyncio.run(memory(tmp_path).ingest(RUN))
    text = asyncio.run(memory(tmp_path).health())["entries"]
    code = """
import asyncio, sys
from pathlib import Path
from openkoi_duckdb.table_memory import TableMemory
print(asyncio.run(TableMemory(path=Path(sys.argv[1])).health())["entries"], "_duckdb" in sys.modules)
"""
    arguments = [sys.executable, "-c", code, str(memory(tmp_path).file.path)]

    unchanged = subprocess.run(arguments, capture_output=True, text=True, check=True).stdout.split()
    memory(tmp_path).file.beside("seen").unlink()
    unknown = subprocess.run(arguments, capture_output=True, text=True, check=True).stdout.split()

    assert [text, "False"] == unchanged
    assert [text, "True"] == unknown
