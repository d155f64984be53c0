"""What an audit finds: every kind of loss by its name, and nothing in a log that is whole."""

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from openkoi_cli.archive.audit import audit_log
from openkoi_cli.archive.compress_log import archive_oldest
from openkoi_cli.archive.segments import Log, Segment
from openkoi_cli.archive.statistics import measure_log
from openkoi_runlog import RunLog
from openkoi_testing.contracts.memory_log import run_records

FIRST = "20260302T090000-aaaaaaaa"


def a_log(data: Path, *sessions: str) -> Log:
    """A log with a run in each of these sessions."""
    for session in sessions or (FIRST, FIRST, "20260303T090000-bbbbbbbb"):
        log = RunLog(data / "sessions", session, str)
        log.append(f"r{session}", [record.event for record in run_records("r", "Mend it")])
        log.close()
    return Log(data)


def texts(log: Log) -> list[str]:
    return [str(fault) for fault in audit_log(log).errors]


def test_nothing_is_wrong_with_a_log_that_is_whole(tmp_path: Path) -> None:
    audit = audit_log(a_log(tmp_path))

    assert (3, 0, 42, []) == (audit.segments, audit.archived, audit.records, audit.errors)
    assert [] == texts(Log(tmp_path / "nothing there"))


def changed(path: Path, change: Callable[[list[bytes]], list[bytes]]) -> None:
    path.write_bytes(b"".join(change(path.read_bytes().splitlines(keepends=True))))


def flipped(path: Path) -> str:
    changed(path, lambda output: [*output[:2], output[2].replace(b'"run":"r', b'"run":"q'), *output[3:]])
    return "line 3: it is damaged: the checksum does not match"


def torn(path: Path) -> str:
    changed(path, lambda output: [*output[:-1], output[-1][:-5]])
    return "line 14: it is incomplete, because writing it was interrupted"


def taken_out(path: Path) -> str:
    changed(path, lambda output: [*output[:4], *output[6:]])
    return "line 5: 2 records are missing before this line"


def doubled(path: Path) -> str:
    changed(path, lambda output: [*output, output[3]])
    return "line 15: duplicate record"


def unreadable(path: Path) -> str:
    path.unlink()
    path.mkdir()
    return "it cannot be read: Is a directory"


def gone(path: Path) -> str:
    path.unlink()
    return "it is missing, although a later part of its session exists"


@pytest.mark.parametrize("damage", [flipped, torn, taken_out, doubled, unreadable, gone])
def test_each_kind_of_loss_is_named_with_its_file(tmp_path: Path, damage: Callable[[Path], str]) -> None:
    log = a_log(tmp_path)

    reply = damage(log.sessions / f"{FIRST}.jsonl")

    assert [f"{FIRST}.jsonl"] == [text[: len(FIRST) + 6] for text in texts(log)]
    assert reply in texts(log)[0]


def test_a_line_that_is_still_being_written_is_no_loss(tmp_path: Path) -> None:
    log = RunLog(tmp_path / "sessions", FIRST, str)
    log.append("r1", [record.event for record in run_records("r", "Mend it")])
    os.write(log.file, b'{"ts":"2026')

    before = texts(Log(tmp_path))
    log.close()

    assert [] == before
    assert 1 == len(texts(Log(tmp_path)))


@pytest.mark.parametrize("damage", [lambda data: data[:-20], lambda data: b"no gzip at all", lambda data: b""])
def test_damage_to_what_was_put_away_is_found(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    log = a_log(tmp_path)
    archive_oldest(log, 1)
    path = log.archive / f"{FIRST}.jsonl.gz"

    path.write_bytes(damage(path.read_bytes()))

    assert [f"{FIRST}.jsonl"] == [text[: len(FIRST) + 6] for text in texts(log)]


def test_the_figures_count_what_was_put_away_too(tmp_path: Path) -> None:
    log = a_log(tmp_path)
    before = measure_log(log)
    archive_oldest(log, 1)

    output = measure_log(log)

    assert (2, 2, 42) == (output.sessions, output.tasks, output.records)
    assert (1, before.oldest, before.newest) == (output.archived_sessions, output.oldest, output.newest)
    assert 0 < output.archived_size < before.size - output.size


def test_a_segment_in_both_places_is_read_once(tmp_path: Path) -> None:
    log = a_log(tmp_path)
    log.archive.mkdir()
    first = log.segments()[0]
    (log.archive / f"{first.name}.gz").write_bytes(gzip.compress(first.path.read_bytes()))

    assert [] == texts(log)
    assert first == log.segments()[0] == Segment(log.sessions / f"{FIRST}.jsonl")
