"""A view is built again beside the one in use, which stays when that fails."""

import asyncio
import sys
from pathlib import Path

import pytest

from openkoi_cli.archive.segments import Log
from openkoi_cli.memory_rebuild import ingest_log
from openkoi_duckdb import DuckDB
from openkoi_hookspecs import KoiError, Record
from openkoi_runlog import RunLog, read_segment
from openkoi_sqlite import SQLite
from openkoi_testing.contracts.memory import ids_of, search_project
from openkoi_testing.contracts.memory_log import run_records
from openkoi_testing.full_disk import limit_file_size

KINDS = [(DuckDB, 1_000, "memory.db.index.old"), (SQLite, 20_000, "memory.db.old")]


@pytest.fixture
def log(tmp_path: Path) -> Log:
    """A log of one task."""
    log = RunLog(tmp_path / "sessions", "20260301T090000-aaaaaaaa", str)
    log.append("run0", [record.event for record in run_records("run0", "Mend the parser")])
    log.close()
    return Log(tmp_path)


def records(log: Log) -> list[Record]:
    (segment,) = log.segments()
    return list(read_segment(segment.path, 0, print))


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
@pytest.mark.parametrize(("kind", "size", "_"), KINDS)
def test_on_a_full_disk_the_view_as_it_was_stays_in_use_and_nothing_is_left_beside(
    tmp_path: Path, log: Log, kind: type[DuckDB | SQLite], size: int, _: str
) -> None:
    memory = kind(path=tmp_path / "memory.db")
    asyncio.run(memory.ingest(records(log)))
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    with (
        limit_file_size(size),
        pytest.raises(KoiError, match=r"was not rebuilt; the previous tables stay in use\. .*"),
    ):
        asyncio.run(ingest_log(memory, log))

    assert before == {path: path.read_bytes() for path in before}
    assert [] == [path.name for path in tmp_path.iterdir() if ".new" in path.name or ".old" in path.name]
    assert ["run0"] == ids_of(search_project(kind(path=tmp_path / "memory.db"), "parser"))


@pytest.mark.parametrize(("kind", "_", "old"), KINDS)
def test_what_was_built_takes_the_place_of_the_view(
    tmp_path: Path, log: Log, kind: type[DuckDB | SQLite], _: int, old: str
) -> None:
    memory = kind(path=tmp_path / "memory.db")
    asyncio.run(memory.ingest(run_records("stray", "Mend the parser")))

    result = asyncio.run(ingest_log(memory, log))

    assert (
        f"The previous tables are kept in {tmp_path / old}. Delete them when you no longer need them."
        == result.lines[-1]
    )
    assert ["run0"] == ids_of(search_project(memory, "parser"))
    assert [] == [path.name for path in tmp_path.iterdir() if ".new" in path.name]
