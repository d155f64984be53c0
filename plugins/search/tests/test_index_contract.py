"""Test the index with the contracts of memories, including damaged files and killed processes."""

import asyncio
import json
import sys
import tracemalloc
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import pytest

from openkoi_hookspecs import Record
from openkoi_search.indexed_memory import IndexedMemory
from openkoi_search.segment import MAX_SEARCHED_NUMBERS, EntryKind
from openkoi_search.segment_file import encode_segment
from openkoi_search.segment_folder import ALL_STEPS, LARGE_BYTES, choose_merge
from openkoi_search.segment_index import SegmentIndex
from openkoi_search.segment_merge import start_merge
from openkoi_testing import HealthContract, MemoryContract
from openkoi_testing.contracts.memory import search_project
from openkoi_testing.contracts.memory_killed import MemoryKilledContract
from openkoi_testing.contracts.memory_log import many_runs


class TestIndex(MemoryContract):
    subject = IndexedMemory


class TestIndexWithPieces(TestIndex):
    def settings(self, folder: Path) -> dict[str, object]:
        """Compare pieces of words as well."""
        return {**super().settings(folder), "dimensions": 1024, "weight": 0.3}


class TestHealth(HealthContract):
    @pytest.fixture
    def plugin(self, tmp_path: Path) -> object:
        return IndexedMemory(tmp_path / "index")


@pytest.mark.campaign
@pytest.mark.timeout(600)
class TestKilled(MemoryKilledContract):
    subject = IndexedMemory

    def tasks(self, memory: IndexedMemory) -> Sequence[str]:
        """Return the runs with a summary."""
        found = [
            json.loads(value.partition(b"\n")[0])[0]
            for segment, dead in memory.folder.read().living
            for row, (_, value) in enumerate(segment.file.entries(EntryKind.DOCUMENT.value))
            if row not in dead
        ]
        return sorted(found)


def ingest_in_parts(memory: IndexedMemory, log: Sequence[Record], size: int) -> None:
    """Ingest a log in many small batches, so that segments are merged."""
    for start in range(0, len(log), size):
        asyncio.run(memory.ingest(log[start : start + size]))


def test_merged_segments_answer_as_one_does(tmp_path: Path) -> None:
    log = many_runs(30)
    parts, whole = IndexedMemory(tmp_path / "parts"), IndexedMemory(tmp_path / "whole")

    ingest_in_parts(parts, log, 5)
    asyncio.run(whole.ingest(log))

    assert 1 == len(whole.folder.names())
    assert 1 < len(parts.folder.names()) <= 12
    for text in ("fix the parser", "the ledger of the webhook", "nothing at all"):
        for scope in ("project", "all"):
            first, second = (search_project(one, text, project="a", scope=scope) for one in (parts, whole))
            assert first == second
    assert asyncio.run(parts.offsets()) == asyncio.run(whole.offsets())


def test_a_segment_is_encoded_without_a_copy_of_its_values() -> None:
    entries = [(f"{number:06}".encode(), bytes(1_000)) for number in range(2_000)]

    tracemalloc.start()
    try:
        size, (_, most) = (
            len(b"".join(chain.from_iterable(encode_segment({}, entries)))),
            tracemalloc.get_traced_memory(),
        )
    finally:
        tracemalloc.stop()

    assert size > 2_000_000
    assert most < 1.5 * size


def test_a_merge_holds_no_copy_of_what_it_writes_as_it_was(tmp_path: Path) -> None:
    memory = IndexedMemory(tmp_path / "index")
    ingest_in_parts(memory, many_runs(60), 100)
    index = memory.folder.read()

    merge = start_merge(index, 0)
    merge.work(ALL_STEPS)

    copied = [one for one in merge.parts if isinstance(one, memoryview)]
    entries = [
        entry for segment in index.segments for kind in (b"d", b"v", b"f") for entry in segment.file.entries(kind)
    ]
    sources = {id(segment.file.data) for segment in index.segments}
    assert len(copied) > len(entries) * 0.9
    assert {id(one.obj) for one in copied if one} <= sources


def test_a_process_that_holds_the_index_sees_what_others_add_and_merge(tmp_path: Path) -> None:
    log = many_runs(30)
    reader, writer = IndexedMemory(tmp_path / "index"), IndexedMemory(tmp_path / "index")
    for start in range(0, len(log), 20):
        asyncio.run(writer.ingest(log[start : start + 20]))
        fresh = IndexedMemory(tmp_path / "index")
        assert search_project(fresh, "parser", scope="all") == search_project(reader, "parser", scope="all")


def test_what_a_writer_knows_of_outdated_documents_is_what_a_new_process_finds(tmp_path: Path) -> None:
    log = many_runs(30)
    memory, outdated = IndexedMemory(tmp_path / "index"), 0

    for start in range(0, len(log), 3):
        asyncio.run(memory.ingest(log[start : start + 3]))
        held = memory.folder.index
        assert SegmentIndex(held.segments).dead == held.dead
        outdated += sum(map(len, held.dead))

    assert outdated


@pytest.mark.parametrize("count", [1, MAX_SEARCHED_NUMBERS, MAX_SEARCHED_NUMBERS + 1, 400])
def test_the_rows_of_documents_are_found_however_many_are_asked_for(tmp_path: Path, count: int) -> None:
    memory = IndexedMemory(tmp_path / "index")
    asyncio.run(memory.ingest(many_runs(30)))
    [segment] = memory.folder.read().segments
    column = segment.numbers.tobytes()
    between = [int.from_bytes(column[at : at + 8], sys.byteorder, signed=True) for at in range(4, len(column) - 8, 8)]
    asked = [*segment.numbers, *between, 0, -1][:: -(-(2 * segment.size + 1) // count)]

    expected = {number: row for row, number in enumerate(segment.numbers) if number in asked}
    assert expected == segment.find_rows(asked)
    assert {} == segment.find_rows(between[:count])


@pytest.mark.parametrize(
    ("first", "sizes"),
    [
        (None, [5]),
        (None, [1] * 12),
        (0, [1] * 13),
        (1, [100, *[1] * 13]),
        (0, [20, *[1] * 13]),
        (None, [LARGE_BYTES, *[1] * 12]),
        (1, [LARGE_BYTES, *[1] * 13]),
        (13, [*[1] * 13, LARGE_BYTES + 1, *[1] * 13][1:]),
        (12, [10**5 - n for n in range(12)] + [1, 1]),
    ],
)
def test_small_segments_are_merged_with_others_of_their_size(first: int | None, sizes: Sequence[int]) -> None:
    assert first == choose_merge(sizes)
