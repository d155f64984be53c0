"""Test that a process merges many segments in steps, and loses nothing whatever happens between two steps."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from openkoi_hookspecs import Hit, Query, Record
from openkoi_search.indexed_memory import IndexedMemory
from openkoi_search.segment_folder import MAX_SEGMENTS
from openkoi_testing.contracts.memory_log import SUBJECTS, run_records, talk_records

TASKS = 120


def memory(folder: Path) -> IndexedMemory:
    """Return the index as a new process would have it."""
    return IndexedMemory(folder / "index", dimensions=256, weight=0.3)


def task(number: int) -> list[Record]:
    """Return the records of a task about one of the subjects."""
    subject, other = SUBJECTS[number % len(SUBJECTS)], SUBJECTS[number % 7]
    start = 60.0 * number
    started, *rest = run_records(f"task{number}", f"Fix the {subject} of the {other}", start=start)
    said = talk_records(f"task{number}", f"The {other} number{number} needs a fixture.", start=start + 0.5)
    return [started, *said, *rest]


def add(subject: IndexedMemory, numbers: range) -> list[int]:
    """Add tasks one by one; return how many segments there are after each."""
    found = []
    for number in numbers:
        asyncio.run(subject.ingest(task(number)))
        found.append(len(subject.folder.names()))
    return found


def hits(subject: IndexedMemory) -> list[Sequence[Hit]]:
    """Return the results of questions, with scores."""
    texts = ["number3 fixture", *(f"Fix the {name}" for name in SUBJECTS[:7])]
    return [asyncio.run(subject.search(Query(text, project="koi", limit=50))) for text in texts]


def expected(folder: Path, tasks: int) -> list[Sequence[Hit]]:
    """Return the results of an index to which a number of tasks were added at once."""
    whole = IndexedMemory(folder / f"whole{tasks}", dimensions=256, weight=0.3)
    asyncio.run(whole.ingest([record for number in range(tasks) for record in task(number)]))
    return hits(whole)


def start_merging(subject: IndexedMemory) -> int:
    """Add tasks until a merge is under way; return how many."""
    tasks = 0
    while not subject.folder.merges:
        add(subject, range(tasks, tasks + 1))
        tasks += 1
    return tasks


def test_a_merge_in_steps_changes_no_answer_and_keeps_segments_few(tmp_path: Path) -> None:
    subject = memory(tmp_path)
    counts: list[int] = []
    for tasks in range(0, TASKS, 10):
        counts += add(subject, range(tasks, tasks + 10))
        assert expected(tmp_path, tasks + 10) == hits(subject) == hits(memory(tmp_path))

    assert MAX_SEGMENTS + 1 < max(counts) < 3 * MAX_SEGMENTS


def test_the_first_segment_of_a_process_is_merged_at_once_with_too_many_others(tmp_path: Path) -> None:
    for number in range(3 * MAX_SEGMENTS):
        [segments] = add(memory(tmp_path), range(number, number + 1))
        assert segments <= MAX_SEGMENTS


def test_a_merge_under_way_is_dropped_if_another_process_merged_its_segments(tmp_path: Path) -> None:
    subject = memory(tmp_path)
    tasks = start_merging(subject)
    [underway] = subject.folder.merges

    add(memory(tmp_path), range(tasks, tasks + 1))
    add(subject, range(tasks + 1, tasks + 12))

    assert not {*underway.names} & {*subject.folder.names()}
    assert underway not in subject.folder.merges
    assert expected(tmp_path, tasks + 12) == hits(subject) == hits(memory(tmp_path))


def test_a_merge_under_way_replaces_its_segments_behind_what_another_process_added(tmp_path: Path) -> None:
    subject, other = memory(tmp_path), memory(tmp_path)
    add(other, range(1))
    add(subject, range(1, 2))
    tasks = 2
    while not subject.folder.merges:
        add(subject, range(tasks, tasks + 1))
        tasks += 1

    [underway] = subject.folder.merges
    asyncio.run(other.ingest([*task(tasks), *task(0), *talk_records("task1", "More about the parser.", start=9_000.0)]))
    add(subject, range(tasks + 1, tasks + 6))

    whole = IndexedMemory(tmp_path / "whole", dimensions=256, weight=0.3)
    records = [record for number in range(tasks + 6) for record in task(number)]
    asyncio.run(whole.ingest([*records, *talk_records("task1", "More about the parser.", start=9_000.0)]))
    assert underway.name in subject.folder.names()
    assert not {*underway.names} & {*subject.folder.names()}
    assert hits(whole) == hits(subject) == hits(memory(tmp_path))
