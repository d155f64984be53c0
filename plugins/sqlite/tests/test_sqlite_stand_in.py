"""Test that queries are answered from the run log, by a view in memory, while the file cannot be opened."""

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

import pytest

from openkoi_sqlite import SQLite
from openkoi_sqlite.schema import VERSION
from openkoi_testing.contracts.memory import ids_of, search_project
from openkoi_testing.contracts.memory_log import LINE_BYTES, run_records

RUN = run_records("r1", "Mend the parser")
ALL = {"r1.jsonl": len(RUN) * LINE_BYTES}


@contextmanager
def newer(path: Path) -> Iterator[None]:
    """A file of a newer version."""
    change(path, 99)
    yield
    change(path, VERSION)


@contextmanager
def held(path: Path) -> Iterator[None]:
    """A file that another program keeps to itself."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        yield


def change(path: Path, version: int) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute(f"PRAGMA user_version = {version}")


@pytest.mark.parametrize("trouble", [newer, held])
def test_the_log_answers_until_the_file_can(
    tmp_path: Path, trouble: Callable[[Path], AbstractContextManager[None]], caplog: pytest.LogCaptureFixture
) -> None:
    memory = SQLite(path=tmp_path / "memory.db", seconds=0.05)
    asyncio.run(memory.ingest(RUN[:-1]))

    with trouble(memory.path), caplog.at_level(logging.WARNING, "openkoi"):
        assert {} == asyncio.run(memory.offsets())
        asyncio.run(memory.ingest(RUN))
        assert ALL == asyncio.run(memory.offsets())
        assert ["r1"] == ids_of(search_project(memory, "parser"))

    assert 1 == caplog.text.count("Until then, OpenKoi searches the run log directly")
    assert {"r1.jsonl": (len(RUN) - 1) * LINE_BYTES} == asyncio.run(memory.offsets())
