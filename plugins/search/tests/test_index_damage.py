"""Test truncated, flipped and missing segments, a full disk, a locked folder, and killed writers."""

import asyncio
import logging
import os
import random
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from openkoi_base.files.filelock import try_lock_file
from openkoi_hookspecs import KoiError, Query
from openkoi_search.indexed_memory import IndexedMemory
from openkoi_search.memory_file_errors import MemoryBusyError, MemoryUnusableError
from openkoi_search.segment_file import MAGIC
from openkoi_search.segment_folder import TEMPORARY
from openkoi_testing.contracts.memory import ids_of, search_project
from openkoi_testing.contracts.memory_log import LINE_BYTES, many_runs, run_records
from openkoi_testing.full_disk import limit_file_size

REBUILT = "It is being rebuilt from the run log."
RUN = run_records("r1", "Fix the parser")
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="limits and signals of POSIX")


def memory(folder: Path, seconds: float = 1.0) -> IndexedMemory:
    """Return the index as a new process would have it."""
    return IndexedMemory(folder / "index", seconds, dimensions=256, weight=0.3)


def filled(folder: Path) -> Path:
    """Return the only segment of a new index."""
    asyncio.run(memory(folder).ingest(RUN))
    (segment,) = (folder / "index").glob("*.segment")
    return segment


def cut(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data))]


def flip(data: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(data))
    return data[:place] + bytes([data[place] ^ 1 << chance.randrange(8)]) + data[place + 1 :]


def tear(data: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(data) - 1)
    return data[:place] + bytes(len(data) - place)


def garble(data: bytes, chance: random.Random) -> bytes:
    return chance.randbytes(len(data))


def empty(data: bytes, chance: random.Random) -> bytes:
    return b""


Damage = Callable[[bytes, random.Random], bytes]


@pytest.mark.parametrize("seeds", [range(12), pytest.param(range(12, 300), marks=pytest.mark.campaign)], ids=len)
@pytest.mark.parametrize("damage", [cut, flip, tear, garble, empty])
def test_a_damaged_segment_answers_nothing_wrong_and_is_said_and_built_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, damage: Damage, seeds: range
) -> None:
    right = {text: search_project(memory(filled(tmp_path).parents[1]), text) for text in ("parser", "mean.py fix")}

    for seed in seeds:
        caplog.clear()
        (segment,) = (tmp_path / "index").glob("*.segment")
        segment.write_bytes(damage(segment.read_bytes(), random.Random(seed)))
        again = memory(tmp_path)
        with caplog.at_level(logging.WARNING, "openkoi"):
            found = {text: search_project(again, text) for text in right}
            asyncio.run(again.ingest(run_records("r2", "Paint the calendar", start=60.0)))
        if "rebuilt from the run log" in caplog.text:
            assert {} == {text: hits for text, hits in found.items() if hits and hits != right[text]}
            assert "r1.jsonl" not in asyncio.run(again.offsets())
        else:
            assert right == found, seed
        asyncio.run(again.reset())
        filled(tmp_path)


@pytest.mark.parametrize("other", [b"koi-segment-4\n\0\0", b"koi-segment-10\n\0"])
def test_an_index_of_another_version_is_not_called_damaged_and_built_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, other: bytes
) -> None:
    segment = filled(tmp_path)
    data = segment.read_bytes().replace(MAGIC, other)
    for n in range(30):
        (segment.parent / f"{n:012}-added-{n}.segment").write_bytes(data)
    segment.unlink()

    with caplog.at_level(logging.WARNING, "openkoi"):
        assert {} == asyncio.run(memory(tmp_path).offsets())

    assert [
        f"The memory in {tmp_path / 'index'} was written by another version of OpenKoi. {REBUILT}"
    ] == caplog.messages
    assert [] == [*tmp_path.glob("*.bad-*")]
    assert [] == [*segment.parent.iterdir()]
    asyncio.run(memory(tmp_path).ingest(RUN))
    assert ["r1"] == ids_of(search_project(memory(tmp_path), "parser"))


def test_an_index_lost_in_mid_run_takes_no_offsets_so_that_the_next_start_reads_all(tmp_path: Path) -> None:
    first = memory(tmp_path)
    asyncio.run(first.ingest(RUN[:5]))
    asyncio.run(first.offsets())
    for path in (tmp_path / "index").glob("*.segment"):
        path.unlink()

    asyncio.run(first.ingest(RUN[5:]))

    assert {} == asyncio.run(memory(tmp_path).offsets())


@POSIX
@pytest.mark.parametrize("room", [0, 100, 2_000])
def test_on_a_full_disk_nothing_is_lost_or_left_behind(tmp_path: Path, room: int) -> None:
    segment = filled(tmp_path)
    before = segment.read_bytes()

    with limit_file_size(room), pytest.raises(MemoryUnusableError, match="cannot be used"):
        asyncio.run(memory(tmp_path).ingest(many_runs(4)))

    assert [(segment, before)] == [(path, path.read_bytes()) for path in segment.parent.iterdir()]
    asyncio.run(memory(tmp_path).ingest(many_runs(4)))
    assert ["r1"] == ids_of(search_project(memory(tmp_path), "parser", limit=1, scope="project"))


@POSIX
def test_a_merge_on_a_full_disk_leaves_the_segments_as_they_were(tmp_path: Path) -> None:
    log, subject = many_runs(60), memory(tmp_path)
    until = 0
    while len(subject.folder.names()) < 12:
        asyncio.run(subject.ingest(log[until : until + 14]))
        until += 14
    largest = max(path.stat().st_size for path in (tmp_path / "index").iterdir())

    with limit_file_size(largest + 500), pytest.raises(KoiError, match="cannot be used"):
        asyncio.run(
            memory(tmp_path).ingest(log[until : until + 14])
        )  # the first segment of a process is merged at once

    fresh = IndexedMemory(tmp_path / "fresh", dimensions=256, weight=0.3)
    asyncio.run(fresh.ingest(log[: until + 14]))
    asyncio.run(memory(tmp_path).ingest(log[: until + 14]))
    assert search_project(fresh, "fix", project="a") == search_project(memory(tmp_path), "fix", project="a")


def test_a_folder_that_another_process_writes_is_busy_for_writers_alone(tmp_path: Path) -> None:
    filled(tmp_path)

    with try_lock_file(tmp_path / "index.lock") as mine:
        assert mine
        with pytest.raises(MemoryBusyError, match="Nothing is lost"):
            asyncio.run(memory(tmp_path, seconds=0.05).ingest(many_runs(1)))
        assert ["r1"] == ids_of(search_project(memory(tmp_path), "parser"))
    assert {"r1.jsonl": len(RUN) * LINE_BYTES} == asyncio.run(memory(tmp_path).offsets())


def test_an_unwritable_place_is_reported(tmp_path: Path) -> None:
    (tmp_path / "index").write_text("a file where the folder should be")

    with pytest.raises(MemoryUnusableError, match="cannot be used"):
        asyncio.run(memory(tmp_path).ingest(RUN))


def test_asking_and_absorbing_nothing_make_no_files(tmp_path: Path) -> None:
    empty_memory = memory(tmp_path)

    assert [] == asyncio.run(empty_memory.search(Query("anything")))
    assert {} == asyncio.run(empty_memory.offsets())
    asyncio.run(empty_memory.ingest([]))
    assert [] == list(tmp_path.iterdir())


@POSIX
def test_the_index_is_for_its_user_alone(tmp_path: Path) -> None:
    segment = filled(tmp_path)

    assert {0o600} == {stat.S_IMODE(path.stat().st_mode) for path in segment.parent.iterdir()}
    assert 0o700 == stat.S_IMODE(segment.parent.stat().st_mode)


def test_what_a_killed_writer_left_is_ignored_and_removed(tmp_path: Path) -> None:
    segment = filled(tmp_path)
    unfinished = segment.with_name(f"{TEMPORARY}0123")
    unfinished.write_bytes(segment.read_bytes()[:300])
    subject = memory(tmp_path)
    before = search_project(subject, "parser")
    for n in range(12):
        asyncio.run(memory(tmp_path).ingest(run_records(f"x{n}", "Paint the calendar", start=60.0 * n)))
    merged = subject.folder.read()
    segment.write_bytes(b"a segment that was merged, and could not be deleted")

    asyncio.run(memory(tmp_path).ingest(run_records("y", "Paint the fence", start=9_000.0)))

    assert segment.name not in {one.name for one in merged.segments}
    assert before == search_project(memory(tmp_path), "parser")
    assert not unfinished.exists()
    assert not segment.exists()


WRITER = """
import asyncio, sys
from pathlib import Path
from openkoi_search.segment_file import MAGIC
from openkoi_search.indexed_memory import IndexedMemory
from openkoi_testing.contracts.memory_log import run_records

memory, name = IndexedMemory(Path(sys.argv[1]), 60.0, dimensions=256, weight=0.3), sys.argv[2]
for n in range(10_000):
    asyncio.run(memory.ingest(run_records(f"{name}-{n}", f"Fix the parser number{n}", start=60.0 * n)))
    print(f"{name}-{n}", flush=True)
"""


@POSIX
@pytest.mark.parametrize("rounds", [4, pytest.param(200, marks=[pytest.mark.campaign, pytest.mark.timeout(900)])])
def test_writers_that_are_killed_at_any_moment_lose_and_damage_nothing(tmp_path: Path, rounds: int) -> None:
    chance, acknowledged = random.Random(3), set[str]()
    for turn in range(rounds):
        children = [
            subprocess.Popen(
                [sys.executable, "-c", WRITER, str(tmp_path / "index"), f"{turn}{n}"], stdout=subprocess.PIPE, text=True
            )
            for n in range(2)
        ]
        acknowledged |= {child.stdout.readline().strip() for child in children if child.stdout}
        time.sleep(chance.uniform(0.2, 1.0))
        for child in children:
            os.kill(child.pid, signal.SIGKILL)
        acknowledged |= {line for child in children for line in read_lines(child)}

    found = memory(tmp_path)
    hits = asyncio.run(found.search(Query("parser", project="koi", limit=100_000, tokens=10**9)))

    assert acknowledged
    assert acknowledged <= set(ids_of(hits))
    assert len(hits) == len(set(ids_of(hits)))
    assert [] == [*tmp_path.glob("*.bad-*")]


def read_lines(child: "subprocess.Popen[str]") -> Sequence[str]:
    """Return the complete lines that a killed process has written."""
    reply, _ = child.communicate()
    return reply.split("\n")[:-1]


IMPORTS = """
import asyncio, sys
from pathlib import Path
from openkoi_duckdb import DuckDB
from openkoi_hookspecs import Query
from openkoi_testing.contracts.memory_log import run_records

memory = DuckDB(path=Path(sys.argv[1]))
asyncio.run(memory.ingest(run_records("r1", "Fix the parser")))
hits = [asyncio.run(DuckDB(path=Path(sys.argv[1])).search(Query("parser", project="koi"))) for _ in range(3)]
asyncio.run(memory.health())
print(len(hits[2]), *({"duckdb", "_duckdb", "numpy", "sqlite3"} & sys.modules.keys()))
"""


def test_neither_adding_nor_searching_imports_a_database_or_numpy(tmp_path: Path) -> None:
    output = subprocess.run(
        [sys.executable, "-c", IMPORTS, str(tmp_path / "openkoi.db")], capture_output=True, text=True, check=True
    )

    assert "1\n" == output.stdout
    assert not (tmp_path / "openkoi.db").exists()


@POSIX
def test_a_folder_in_place_of_a_segment_is_damage_and_the_index_is_rebuilt(tmp_path: Path) -> None:
    segment = filled(tmp_path)
    segment.unlink()
    segment.mkdir()

    assert {} == asyncio.run(memory(tmp_path).offsets())
    assert 1 == len([*tmp_path.glob("*.bad-*")])
