"""Test the file of the SQLite memory: the contract of memory files, and SQLite's specifics."""

import asyncio
import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from openkoi_hookspecs import Query
from openkoi_sqlite import MemoryNewerError, MemoryUnusableError, SQLite
from openkoi_testing.contracts.memory import ids_of, search_project
from openkoi_testing.contracts.memory_file import MemoryFileContract
from openkoi_testing.contracts.memory_log import many_runs, run_records
from openkoi_testing.full_disk import limit_file_size

RUN = run_records("r1", "Mend the parser")


class TestSQLiteFile(MemoryFileContract):
    subject = SQLite

    @contextmanager
    def hold_lock(self, path: Path) -> Iterator[None]:
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            yield


def memory(folder: Path, seconds: float = 1.0) -> SQLite:
    return SQLite(path=folder / "memory.db", seconds=seconds)


def test_it_answers_while_another_process_writes(tmp_path: Path) -> None:
    asyncio.run(memory(tmp_path).ingest(RUN))

    with TestSQLiteFile().hold_lock(tmp_path / "memory.db"):
        assert ["r1"] == ids_of(search_project(memory(tmp_path, 0.05), "parser"))


def test_a_file_of_a_newer_openkoi_is_left_alone(tmp_path: Path) -> None:
    asyncio.run(memory(tmp_path).ingest(RUN))
    with closing(sqlite3.connect(tmp_path / "memory.db")) as other:
        other.execute("PRAGMA user_version = 99")

    with pytest.raises(MemoryNewerError, match="version 99"):
        asyncio.run(memory(tmp_path).search(Query("parser")))
    assert [] == [*tmp_path.glob("*.bad-*")]


def test_tables_of_another_program_make_way(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "memory.db")) as other:
        other.execute("CREATE TABLE tasks (id)")

    asyncio.run(memory(tmp_path).ingest(RUN))

    assert ["r1"] == ids_of(search_project(memory(tmp_path), "parser"))
    assert 1 == len([*tmp_path.glob("*.bad-*")])


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE documents SET memo = replace(memo, 'invoice', 'payroll')",
        "UPDATE documents SET scope = 'everyone'",
        "UPDATE words_data SET block = zeroblob(length(block)) WHERE id > 10",
        "UPDATE words_docsize SET sz = x'7f'",
        "DELETE FROM documents",
    ],
)
def test_what_something_else_changed_never_answers(tmp_path: Path, change: str) -> None:
    asyncio.run(memory(tmp_path).ingest(many_runs(6)))
    with closing(sqlite3.connect(tmp_path / "memory.db")) as other, other:
        other.execute(change)

    assert [] == search_project(memory(tmp_path), "invoice parser cache login ledger", project="a")
    assert 1 == len([*tmp_path.glob("*.bad-*")])


def test_offsets_that_something_else_changed_are_not_believed(tmp_path: Path) -> None:
    asyncio.run(memory(tmp_path).ingest(RUN))
    with closing(sqlite3.connect(tmp_path / "memory.db")) as other, other:
        other.execute("UPDATE segments SET seen = seen + 1")

    assert {} == asyncio.run(memory(tmp_path).offsets())


def test_what_is_left_of_a_deleted_file_is_not_taken_for_the_next_ones(tmp_path: Path) -> None:
    asyncio.run(memory(tmp_path).ingest(RUN))
    (tmp_path / "memory.db").replace(tmp_path / "memory.db-wal")

    asyncio.run(memory(tmp_path).ingest(run_records("r2", "Mend the parser")))

    assert ["r2"] == ids_of(search_project(memory(tmp_path), "parser"))


def test_it_makes_way_for_a_rebuild_and_says_where_it_is(tmp_path: Path) -> None:
    subject = memory(tmp_path)
    assert asyncio.run(subject.reset()) is None
    asyncio.run(subject.ingest(RUN))

    assert tmp_path / "memory.db.old" == asyncio.run(subject.reset())
    assert {} == asyncio.run(subject.offsets())
    asyncio.run(subject.ingest(RUN))
    assert "1" == asyncio.run(subject.health())["entries"]


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
@pytest.mark.parametrize("name", ["memory.db", "memory.db-wal"])
@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo], ids=["folder", "pipe"])
def test_what_is_no_file_makes_way_and_never_keeps_anybody_waiting(
    tmp_path: Path, name: str, make: Callable[[Path], None]
) -> None:
    asyncio.run(memory(tmp_path).ingest(RUN))
    (tmp_path / name).unlink(missing_ok=True)
    make(tmp_path / name)

    assert [] == search_project(memory(tmp_path), "parser")
    asyncio.run(memory(tmp_path).ingest(RUN))
    assert ["r1"] == ids_of(search_project(memory(tmp_path), "parser"))


def test_a_folder_in_the_place_of_the_old_view_is_not_in_the_way_of_a_rebuild(tmp_path: Path) -> None:
    (tmp_path / "memory.db").mkdir()
    for _ in range(2):
        assert tmp_path / "memory.db.old" == asyncio.run(memory(tmp_path).reset())
        asyncio.run(memory(tmp_path).ingest(RUN))

    assert ["r1"] == ids_of(search_project(memory(tmp_path), "parser"))


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
def test_a_full_disk_leaves_nothing_behind(tmp_path: Path) -> None:
    with limit_file_size(20_000), pytest.raises(MemoryUnusableError, match="Free some space"):
        asyncio.run(memory(tmp_path).ingest(RUN))

    assert [".memory.db.lock"] == [path.name for path in tmp_path.iterdir()]
    asyncio.run(memory(tmp_path).ingest(RUN))
    assert ["r1"] == ids_of(search_project(memory(tmp_path), "parser"))
