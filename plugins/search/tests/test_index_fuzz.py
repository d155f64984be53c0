"""Test that an index with damaged files gives right answers, or offsets from which to read the log again.

A missing newest segment causes no warning: the index is as it was before that segment was added.
"""

import asyncio
import logging
import random
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from openkoi_hookspecs import Hit, Query, Record
from openkoi_search.indexed_memory import IndexedMemory
from openkoi_search.segment_file import MAGIC, decode_segment
from openkoi_testing.contracts.memory_log import SUBJECTS, many_runs, run_records

Damage = Callable[[list[Path], random.Random], None]
SAYS_REBUILT = "rebuilt from the run log"


def flip(segments: list[Path], chance: random.Random) -> None:
    data = bytearray((path := chance.choice(segments)).read_bytes())
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    path.write_bytes(data)


def flip_start(segments: list[Path], chance: random.Random) -> None:
    data = bytearray((path := chance.choice(segments)).read_bytes())
    data[chance.randrange(400)] ^= 1 << chance.randrange(8)
    path.write_bytes(data)


def flip_entry(segments: list[Path], chance: random.Random) -> None:
    """Change an entry that belongs to no document."""
    path = chance.choice(segments)
    data, kind = bytearray(path.read_bytes()), chance.choice(list(b"cfglmnot"))
    file = decode_segment(bytes(data))
    places = [place for place in range(len(file)) if file.key(place)[0] == kind]
    if places:
        data[file.values_at + file.value_starts[chance.choice(places) + 1] - 1] ^= 1
    path.write_bytes(data)


def cut(segments: list[Path], chance: random.Random) -> None:
    path = chance.choice(segments)
    path.write_bytes(path.read_bytes()[: chance.choice([0, 8, 20, chance.randrange(path.stat().st_size)])])


def lengthen(segments: list[Path], chance: random.Random) -> None:
    path = chance.choice(segments)
    path.write_bytes(path.read_bytes() + chance.randbytes(chance.randrange(1, 100)))


def swap(segments: list[Path], chance: random.Random) -> None:
    one, other = chance.sample(segments, 2)
    first, second = one.read_bytes(), other.read_bytes()
    one.write_bytes(second)
    other.write_bytes(first)


def delete(segments: list[Path], chance: random.Random) -> None:
    chance.choice(segments).unlink()


def rename(segments: list[Path], chance: random.Random) -> None:
    path = chance.choice(segments)
    path.rename(path.with_name(chance.choice(["x.segment", f"{9:012}-added-x.segment", f"{1:012}-merged-x.segment"])))


def copy(segments: list[Path], chance: random.Random) -> None:
    path = chance.choice(segments)
    shutil.copy(path, path.with_name(f"{chance.randrange(1, 20):012}-{chance.choice(['added', 'merged'])}-x.segment"))


def another_version(segments: list[Path], chance: random.Random) -> None:
    path = chance.choice(segments)
    path.write_bytes(path.read_bytes().replace(MAGIC, chance.choice([b"koi-segment-6\n\0\0", b"koi-segment-10\n\0"])))


def another_index(segments: list[Path], chance: random.Random) -> None:
    place = chance.randrange(len(segments))
    beside = IndexedMemory(segments[0].parent.with_name("beside"), dimensions=256, weight=0.3)
    for n in range(place + 1):
        asyncio.run(beside.ingest(run_records(f"other{n}", "Fix the parser of others", start=60.0 * n)))
    foreign = sorted(beside.path.glob("*.segment"))[-1]
    segments[place].unlink()
    shutil.copy(foreign, segments[place].with_name(foreign.name))
    beside.discard()


DAMAGES = [flip, flip_start, flip_entry, cut, lengthen, swap, delete, rename, copy, another_version, another_index]


@pytest.fixture(scope="module")
def log() -> Sequence[Record]:
    """Return the log of the index: runs that change facts about others, and each add a segment."""
    return many_runs(40)


@pytest.fixture(scope="module")
def whole(log: Sequence[Record], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an index of eight segments, one of them merged."""
    folder = tmp_path_factory.mktemp("whole") / "index"
    for start in range(0, len(log), size := -(-len(log) // 20)):
        asyncio.run(memory(folder).ingest(log[start : start + size]))
    assert len([*folder.glob("*-added-*")]) > 4
    assert [*folder.glob("*-merged-*")]
    return folder


def memory(folder: Path) -> IndexedMemory:
    """Return the index as a new process would have it."""
    return IndexedMemory(folder, dimensions=256, weight=0.3)


def hits(subject: IndexedMemory) -> list[Sequence[Hit]]:
    """Return the results of questions, with scores."""
    queries = (Query(f"Fix the {name}", scope="all", limit=20) for name in SUBJECTS[:6])
    return [asyncio.run(subject.search(query)) for query in queries]


@pytest.mark.parametrize("seeds", [range(6), pytest.param(range(6, 400), marks=pytest.mark.campaign)], ids=len)
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_index_answers_rightly_or_knows_that_it_lacks_what_it_lost(
    tmp_path: Path, whole: Path, log: Sequence[Record], caplog: pytest.LogCaptureFixture, damage: Damage, seeds: range
) -> None:
    right, folder, added = hits(memory(whole)), tmp_path / "index", {log[4].segment: log[4].end}
    known = asyncio.run(memory(whole).offsets())
    for seed in seeds:
        caplog.clear()
        shutil.copytree(whole, folder)
        chance = random.Random(seed)
        damage(sorted(folder.glob("*.segment")), chance)
        subject = memory(folder)

        with caplog.at_level(logging.WARNING, "openkoi"):
            asyncio.run(subject.offsets())
            asyncio.run(memory(folder).health())
            if chance.random() < 0.5:
                asyncio.run(subject.ingest(log[:5]))
            found = hits(subject)
            ends = asyncio.run(memory(folder).offsets())
            if SAYS_REBUILT in caplog.text:
                assert ends in ({}, added)
            if ends != known:
                asyncio.run(memory(folder).ingest(log))
                found = hits(memory(folder))
            assert right == found, seed
        for path in tmp_path.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def test_a_folder_named_like_a_segment_is_moved_aside_with_the_index(tmp_path: Path, whole: Path) -> None:
    shutil.copytree(whole, tmp_path / "index")
    (tmp_path / "index" / f"{99:012}-added-x.segment").mkdir()

    assert not any(hits(memory(tmp_path / "index")))
    assert 1 == len([*tmp_path.glob("*.bad-*")])


def test_a_merge_that_meets_a_damaged_segment_never_replaces_any(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    subject = memory(tmp_path / "index")
    for n in range(12):
        asyncio.run(subject.ingest(run_records(f"first{n}", f"Fix the {SUBJECTS[n]}", start=60.0 * n)))
    first = min((tmp_path / "index").glob("*.segment"))
    data = bytearray(first.read_bytes())
    data[-1] ^= 1  # a word that no question below contains
    first.write_bytes(data)
    again = memory(tmp_path / "index")
    asyncio.run(again.offsets())

    with caplog.at_level(logging.WARNING, "openkoi"):
        for n in range(30):
            asyncio.run(again.ingest(run_records(f"run{n}", "Fix the parser", start=9_000 + 60.0 * n)))

    assert SAYS_REBUILT in caplog.text
    assert {} == asyncio.run(memory(tmp_path / "index").offsets())
    assert any(hits(memory(tmp_path / "index")))
