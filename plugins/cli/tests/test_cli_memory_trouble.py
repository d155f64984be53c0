"""What the commands of memory say where it is in use, newer, told nothing or set wrongly."""

import asyncio
import sys
from pathlib import Path

import pytest
from cli_process import Shell, shell

from openkoi_base.files.filelock import try_lock_file
from openkoi_duckdb import DuckDB
from openkoi_duckdb.lock import LockTimeout, hold_lock
from openkoi_runlog import RunLog
from openkoi_testing.contracts.memory_log import run_records

SILENT = '''
class Silent:
    """A memory that cannot be searched."""

    async def ingest(self, records):
        pass

    async def search(self, query):
        raise OSError("the cable is out")
'''


@pytest.fixture
def openkoi(tmp_path: Path) -> Shell:
    """A command line whose log holds a task."""
    here = shell(tmp_path)
    log = RunLog(here.home / "data" / "sessions", "20260301T090000-aaaaaaaa", str)
    log.append("run0", [record.event for record in run_records("run0", "Mend the parser")])
    log.close()
    return here


def configured(openkoi: Shell, text: str) -> Shell:
    (openkoi.home / "config.toml").write_text(text)
    return openkoi


def file_of(openkoi: Shell) -> Path:
    return openkoi.home / "data" / "openkoi.db"


@pytest.mark.skipif(sys.platform == "win32", reason="only DuckDB's own lock is there")
def test_tables_in_use_are_said_so_and_a_search_does_not_need_them(openkoi: Shell) -> None:
    configured(openkoi, "[memory.duckdb]\nseconds = 0.05\n")
    assert 0 == openkoi("memory", "tables").returncode

    with hold_lock(file_of(openkoi).with_name("openkoi.db.lock"), LockTimeout(1.0)):
        tables, result = openkoi("memory", "tables"), openkoi("memory", "search", "parser")

    assert (1, "") == (tables.returncode, tables.stdout)
    assert "in use by another process" in tables.stderr
    assert (0, "") == (result.returncode, result.stderr)
    assert "Mend the parser" in result.stdout


def test_a_search_while_another_process_writes_finds_what_is_there(openkoi: Shell) -> None:
    configured(openkoi, "[memory.duckdb]\nseconds = 0.05\n")
    asyncio.run(DuckDB(path=file_of(openkoi)).ingest(run_records("old", "Paint the calendar")))

    with try_lock_file(file_of(openkoi).with_name("openkoi.db.index.lock")) as mine:
        result = openkoi("memory", "search", "calendar")

    assert mine
    assert "Paint the calendar" in result.stdout
    assert "Memory could not be updated, so the newest tasks are missing" in result.stderr
    assert "in use by another process" in result.stderr
    assert "Mend the parser" in openkoi("memory", "search", "parser").stdout


def test_a_memory_that_cannot_be_searched_is_not_one_that_found_nothing(openkoi: Shell) -> None:
    other = configured(openkoi, '[use]\nmemory = "acme"\n').with_plugin(SILENT, memory="acme:Silent")

    result = other("memory", "search", "parser")

    assert (1, "") == (result.returncode, result.stdout)
    assert "Search failed: the cable is out" in result.stderr


def test_a_setting_that_the_memory_in_use_does_not_know_is_named(openkoi: Shell) -> None:
    configured(openkoi, '[use]\nmemory = "sqlite"\n\n[memory.sqlite]\nembedder = "minilm"\n')

    assert "! memory.sqlite.embedder in " in openkoi("memory", "search", "parser").stderr


@pytest.mark.row("MEM-14")
@pytest.mark.parametrize("size", ["-5", "nan"])
def test_a_limit_below_nothing_is_refused(openkoi: Shell, size: str) -> None:
    result = configured(openkoi, f"[memory]\nmax_storage_mb = {size}\n")("memory", "stats")

    assert 0 != result.returncode
    assert f"is {size}; it should be 0 or more." in result.stderr


def test_an_import_names_what_it_leaves_where_it_is(openkoi: Shell, tmp_path: Path) -> None:
    configured(openkoi, "[safety]\nmax_cost_usd = 1.0\n")
    openkoi("export", "--output", "out")
    (tmp_path / "other").mkdir()

    result = shell(tmp_path / "other")("import", str(next(tmp_path.rglob("out"))))

    assert "14 records imported" in result.stdout
    assert "Only the log was imported. " in result.stdout
    assert " also contains config.toml. To keep them, copy the files to " in result.stdout
