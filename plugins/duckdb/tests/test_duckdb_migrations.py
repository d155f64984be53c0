"""From one version of the tables to another: wholly or not at all, whoever else is there and whatever happens."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from openkoi_duckdb import DuckDB, MemoryNewerError, MemoryUnusableError
from openkoi_duckdb.file import MemoryFile
from openkoi_duckdb.lock import LockTimeout, hold_lock
from openkoi_duckdb.migrations import MIGRATIONS, Migration, Plan, newest
from openkoi_duckdb.sql import select_rows
from openkoi_duckdb.versions import take_back, versions_of
from openkoi_hookspecs import KoiError, Query
from openkoi_testing.contracts.memory import ids_of, search_project
from openkoi_testing.contracts.memory_log import run_records

RUN = run_records("r1", "Mend the parser")
NOW = newest(MIGRATIONS)
ADD = Migration(NOW + 1, "a column", "ALTER TABLE tasks ADD COLUMN mood VARCHAR", "ALTER TABLE tasks DROP COLUMN mood")
CLEAR = Migration(NOW + 2, "no findings", "DROP TABLE findings", "CREATE TABLE findings (id VARCHAR)", destructive=True)
CLEAR_NEXT = replace(CLEAR, version=NOW + 1)
TWICE = Migration(NOW + 1, "half of it fails", f"{ADD.up}; SELECT no_such_column FROM tasks", "SELECT 1")
SLOW = Migration(
    NOW + 1,
    "takes its time",
    f"{ADD.up}; CREATE TABLE slow AS SELECT sum(a.range * b.range) FROM range(1000000) a, range(1000000) b",
    "SELECT 1",
)
CHILD = """
import sys
from dataclasses import replace
from pathlib import Path
from openkoi_duckdb import DuckDB
from openkoi_duckdb.migrations import MIGRATIONS, Migration

file, up, limit = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
if limit:
    import resource
    sys.dont_write_bytecode = True
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
plan = (*MIGRATIONS, Migration(len(MIGRATIONS) + 1, "more", up, "SELECT 1", destructive=bool(limit)))
print("ready", flush=True)
sys.stdin.readline()
try:
    replace(DuckDB(path=file, seconds=30.0).file, plan=plan).read(lambda connection: 1)
except Exception as error:
    print(type(error).__name__, error)
"""

KILLED = """
import os, signal, sys
from dataclasses import replace
from pathlib import Path
from openkoi_duckdb import DuckDB
from openkoi_duckdb.migrations import MIGRATIONS, Migration

left = int(sys.argv[3])

def count(frame, event, argument):
    global left
    left -= event in ("call", "c_call")
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)

plan = (*MIGRATIONS, Migration(len(MIGRATIONS) + 1, "less", sys.argv[2], "SELECT 1", destructive=True))
file = replace(DuckDB(path=Path(sys.argv[1])).file, plan=plan)
import duckdb
sys.setprofile(count)
file.read(lambda connection: 1)
"""


def with_tables(folder: Path, plan: Plan = MIGRATIONS) -> MemoryFile:
    """A file with something in it, for a code that knows these steps."""
    memory = DuckDB(path=folder / "openkoi.db", seconds=60.0)
    memory.file.path.write_bytes(filled())
    return replace(memory.file, plan=plan)


@cache
def filled() -> bytes:
    """A file with something in it, made once."""
    with TemporaryDirectory() as folder:
        memory = DuckDB(path=Path(folder, "openkoi.db"))
        asyncio.run(memory.ingest(RUN))
        return memory.file.path.read_bytes()


def columns(file: MemoryFile) -> set[str]:
    """The tables' columns, by a reader that changes nothing."""
    statement = "SELECT table_name || '.' || column_name FROM duckdb_columns() WHERE database_name = 'koi'"
    told = replace(file, plan=None).read(lambda connection: select_rows(connection, statement))
    return {str(name) for (name,) in told or ()}


def version(file: MemoryFile) -> int:
    versions = versions_of(file)
    return versions.current if versions else -1


def started(file: MemoryFile, up: str, limit: int = 0) -> "subprocess.Popen[str]":
    """A process that waits for a line, and then opens the file and takes one step more."""
    order = [sys.executable, "-c", CHILD, str(file.path), up, str(limit)]
    child = subprocess.Popen(order, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    child.stdout.readline()
    return child


def free(lock: Path) -> bool:
    """Whether nobody has the file."""
    with hold_lock(lock, LockTimeout(0.0)) as mine:
        return mine


def told(child: "subprocess.Popen[str]") -> str:
    """Let it go on, and wait for its end."""
    return child.communicate("\n", timeout=60)[0]


@pytest.mark.row("MIG-01")
def test_the_first_opening_takes_every_step_and_writes_each_down(tmp_path: Path) -> None:
    versions = versions_of(with_tables(tmp_path))

    assert versions is not None
    assert [(one.version, one.name) for one in MIGRATIONS] == [(number, name) for number, name, _ in versions.taken]
    assert [] == versions.missing


def test_steps_are_numbered_without_a_gap_and_go_both_ways() -> None:
    assert [*range(1, len(MIGRATIONS) + 1)] == [one.version for one in MIGRATIONS]
    assert all(one.up.strip() and one.down.strip() for one in MIGRATIONS)


@pytest.mark.row("MIG-01", "MIG-04")
def test_an_older_file_is_brought_up_to_date_by_who_only_reads(tmp_path: Path) -> None:
    file = with_tables(tmp_path, (*MIGRATIONS, ADD))

    assert [("r1", None)] == file.read(lambda connection: select_rows(connection, "SELECT id, mood FROM tasks"))
    assert NOW + 1 == version(file)
    assert [] == [*tmp_path.glob("*.bak*")]


@pytest.mark.row("MIG-03")
def test_a_destructive_step_keeps_a_copy_first(tmp_path: Path) -> None:
    file = with_tables(tmp_path, (*MIGRATIONS, ADD, CLEAR))

    file.read(lambda connection: 1)

    assert "findings.id" not in columns(file)
    kept = replace(file, path=file.beside(f"bak.v{NOW + 1}"))
    assert NOW + 1 == version(kept)
    assert {"findings.id", "tasks.mood"} <= columns(kept)
    assert 0o600 == kept.path.stat().st_mode & 0o777 or os.name != "posix"


def test_a_copy_removes_what_one_left_that_was_killed(tmp_path: Path) -> None:
    file = with_tables(tmp_path, (*MIGRATIONS, CLEAR_NEXT))
    file.path.with_name(f".{file.path.name}.bak.v1.4711").touch()

    file.read(lambda connection: 1)

    assert [f"{file.path.name}.bak.v{NOW}"] == [path.name for path in tmp_path.glob("*.bak*")]


@pytest.mark.row("MIG-02")
@pytest.mark.skipif(os.name != "posix", reason="nothing is killed like that elsewhere")
@pytest.mark.parametrize(
    "calls", [900, *(pytest.param(n, marks=pytest.mark.campaign) for n in [*range(1, 1000, 40), *range(905, 1000, 10)])]
)
def test_a_process_killed_anywhere_on_the_way_leaves_one_version_or_the_other(tmp_path: Path, calls: int) -> None:
    file = with_tables(tmp_path, (*MIGRATIONS, CLEAR_NEXT))
    take_back(replace(file, plan=MIGRATIONS), 1)
    for path in tmp_path.glob("*.bak*"):
        path.unlink()

    subprocess.run([sys.executable, "-c", KILLED, str(file.path), CLEAR_NEXT.up, str(calls)], check=False, timeout=60)

    file.read(lambda connection: 1)
    assert NOW + 1 == version(file)
    assert "findings.id" not in columns(file)
    kept = replace(file, path=file.beside(f"bak.v{NOW}"), plan=MIGRATIONS)
    for one in (file, kept):
        assert [("r1",)] == one.read(lambda connection: select_rows(connection, "SELECT id FROM tasks"))


@pytest.mark.row("MIG-02")
def test_a_step_that_fails_in_the_middle_leaves_nothing_of_itself(tmp_path: Path) -> None:
    file = with_tables(tmp_path, (*MIGRATIONS, TWICE))

    with pytest.raises(MemoryUnusableError):
        file.read(lambda connection: 1)

    assert NOW == version(file)
    assert "tasks.mood" not in columns(file)
    assert ["r1"] == ids_of(search_project(DuckDB(path=file.path), "parser"))


@pytest.mark.row("MIG-02")
@pytest.mark.skipif(os.name != "posix", reason="nothing is killed like that elsewhere")
def test_a_process_killed_in_the_middle_of_a_step_leaves_the_version_before(tmp_path: Path) -> None:
    file = with_tables(tmp_path)
    child = started(file, SLOW.up)
    assert child.stdin is not None
    print(file=child.stdin, flush=True)
    lock = file.beside("lock")
    while free(lock):
        time.sleep(0.01)
    assert child.poll() is None

    child.send_signal(signal.SIGKILL)
    child.communicate()

    assert NOW == version(file)
    assert "tasks.mood" not in columns(file)
    assert ["r1"] == ids_of(search_project(DuckDB(path=file.path), "parser"))
    replace(file, plan=(*MIGRATIONS, ADD)).read(lambda connection: 1)
    assert NOW + 1 == version(file)


@pytest.mark.row("MIG-01")
def test_two_processes_that_migrate_at_once_take_each_step_once(tmp_path: Path) -> None:
    file = with_tables(tmp_path)
    children = [started(file, ADD.up) for _ in range(2)]
    for child in children:
        assert child.stdin is not None
        print(file=child.stdin, flush=True)

    assert ["", ""] == [child.communicate(timeout=60)[0] for child in children]
    assert NOW + 1 == version(file)
    assert "tasks.mood" in columns(file)


@pytest.mark.row("MIG-02")
@pytest.mark.skipif(os.name != "posix", reason="a limit for the size of files")
@pytest.mark.parametrize(
    ("up", "room"),
    [
        (ADD.up, -4096),
        pytest.param(
            f"{ADD.up}; CREATE TABLE much AS SELECT uuid() AS a FROM range(1000000)",
            1 << 20,
            marks=pytest.mark.campaign,
        ),
    ],
    ids=["for the copy before it", "for the step"],
)
def test_a_disk_that_is_full_leaves_the_version_before(tmp_path: Path, up: str, room: int) -> None:
    file = with_tables(tmp_path)

    said = told(started(file, up, file.size + room))

    assert said.startswith("MemoryUnusable"), said
    assert "Make room" in said
    assert NOW == version(file)
    assert "tasks.mood" not in columns(file)
    assert ["r1"] == ids_of(search_project(DuckDB(path=file.path), "parser"))
    assert [] == [path.name for path in tmp_path.iterdir() if path.name.startswith(".") or ".bad" in path.name]


@pytest.mark.row("MIG-01")
def test_a_file_of_a_newer_version_is_left_alone_and_said_so(tmp_path: Path) -> None:
    with_tables(tmp_path, (*MIGRATIONS, ADD)).read(lambda connection: 1)
    older = DuckDB(path=tmp_path / "openkoi.db", seconds=1.0)
    before = older.file.path.read_bytes()

    for work in (older.search(Query("parser")), older.ingest(RUN), older.health()):
        with pytest.raises(MemoryNewerError, match=f"version {NOW + 1}, .* this one knows {NOW}"):
            asyncio.run(work)
    with pytest.raises(MemoryNewerError):
        take_back(older.file)
    assert before == older.file.path.read_bytes()


@pytest.mark.row("CLI-11")
@pytest.mark.parametrize("to", [0, *(pytest.param(n, marks=pytest.mark.campaign) for n in (1, NOW - 1, NOW))])
def test_a_file_goes_back_to_any_version_and_comes_again(tmp_path: Path, to: int) -> None:
    file = with_tables(tmp_path)
    before = columns(file)

    back = take_back(file, to)

    assert [*range(NOW, to, -1)] == [step.migration.version for step in back]
    assert to == version(file)
    assert all(file.beside(f"bak.v{step.before}").exists() for step in back)
    again = DuckDB(path=file.path)
    asyncio.run(again.ingest(RUN))
    assert before == columns(file)
    assert ["r1"] == ids_of(search_project(again, "parser"))


def test_without_a_number_one_step_is_taken_back(tmp_path: Path) -> None:
    file = with_tables(tmp_path)

    take_back(file)

    assert NOW - 1 == version(file)


@pytest.mark.parametrize("to", [NOW + 1, -1])
def test_there_is_no_way_back_to_what_never_was(tmp_path: Path, to: int) -> None:
    with pytest.raises(KoiError, match="can be reverted to versions 0 to"):
        take_back(with_tables(tmp_path), to)


def test_without_a_file_there_is_nothing_to_take_back(tmp_path: Path) -> None:
    with pytest.raises(KoiError, match="No memory file"):
        take_back(DuckDB(path=tmp_path / "openkoi.db").file)


STRANGE: Sequence[str] = ("UPDATE _migrations SET version = 9 WHERE version = 1", "DROP TABLE _migrations")


@pytest.mark.parametrize("statement", [STRANGE[0], *(pytest.param(n, marks=pytest.mark.campaign) for n in STRANGE[1:])])
def test_a_file_whose_steps_make_no_sense_is_moved_aside(tmp_path: Path, statement: str) -> None:
    file = with_tables(tmp_path)
    replace(file, plan=None).write(lambda connection: connection.execute(statement) and 1)

    assert {} == asyncio.run(DuckDB(path=file.path).offsets())
    assert 1 == len([*tmp_path.glob("*.bad-*")])


def test_a_file_that_makes_way_can_be_looked_at_still(tmp_path: Path) -> None:
    memory = DuckDB(path=tmp_path / "openkoi.db")
    asyncio.run(memory.ingest(RUN))

    old = asyncio.run(memory.reset())

    assert tmp_path / "openkoi.db.old" == old
    assert ["r1"] == ids_of(search_project(DuckDB(path=tmp_path / "openkoi.db.old"), "parser"))
    assert [] == search_project(memory, "parser")
    assert None is asyncio.run(memory.reset())
