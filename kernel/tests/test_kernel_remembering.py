"""Memory is told what is new in the log, and all of it again when it loses meanwhile what it knew."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from openkoi.remembering import Remembering
from openkoi_duckdb import DuckDB
from openkoi_hookspecs import Query, Record
from openkoi_log import RunLog
from openkoi_sqlite import SQLite
from openkoi_testing.contracts.memory import ids
from openkoi_testing.contracts.memory_log import a_run

PARSER = Query("mend the parser", project="koi", kinds=("task",))


class StruckDuckDB(DuckDB):
    """DuckDB's memory, whose file is damaged after it was looked at and before it is written."""

    struck = False

    async def absorb(self, records: Sequence[Record]) -> None:
        if not self.struck:
            self.struck = True
            self.file.path.write_bytes(b"no database at all " * 1_000)
        await super().absorb(records)


class StruckSQLite(SQLite):
    """The same of SQLite's."""

    struck = False

    async def absorb(self, records: Sequence[Record]) -> None:
        if not self.struck:
            self.struck = True
            self.path.write_bytes(b"no database at all " * 1_000)
        await super().absorb(records)


class Counting(DuckDB):
    """DuckDB's memory that counts what it is told."""

    told = 0

    async def absorb(self, records: Sequence[Record]) -> None:
        self.told += len(records)
        await super().absorb(records)


def logged(folder: Path, *runs: str) -> Remembering:
    """The log after these runs, a session each."""
    for run in runs:
        log = RunLog(folder / "sessions", run, str)
        log.append(run, [record.event for record in a_run(run, f"Mend the parser of {run}")])
        log.close()
    return Remembering(folder / "sessions", pytest.fail)


@pytest.mark.parametrize(("sound", "struck"), [(DuckDB, StruckDuckDB), (SQLite, StruckSQLite)])
def test_what_memory_loses_while_it_is_told_is_told_again_in_the_same_run(
    tmp_path: Path, sound: type[DuckDB | SQLite], struck: type[DuckDB | SQLite]
) -> None:
    path = tmp_path / "memory.db"
    asyncio.run(logged(tmp_path, "r1", "r2").remember(sound(path=path)))

    hits = asyncio.run(logged(tmp_path, "r3").search(struck(path=path), PARSER))

    assert {"r1", "r2", "r3"} == set(ids(hits))
    assert 1 == len([*tmp_path.glob("memory.db.bad-*")])


def test_who_lost_nothing_is_told_everything_once(tmp_path: Path) -> None:
    memory = Counting(path=tmp_path / "memory.db")

    for run in ("r1", "r2"):
        asyncio.run(logged(tmp_path, run).remember(memory))

    assert 2 * len(a_run("r", "Mend it")) == memory.told
