"""The log is kept within its limit without losing a byte, and without touching what somebody writes."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from openkoi_cli.archive.audit import audit_log
from openkoi_cli.archive.compress_log import archive_oldest, log_size
from openkoi_cli.archive.lines import read_lines
from openkoi_cli.archive.segments import Log
from openkoi_runlog import RunLog
from openkoi_testing.contracts.memory_log import run_records

SESSIONS = [f"2026030{n}T090000-aaaaaaaa" for n in range(1, 6)]
EVENTS = [record.event for record in run_records("r", "Mend it")]
CHILD = """
import resource, sys
from pathlib import Path
from openkoi_cli.archive.compress_log import archive_oldest
from openkoi_cli.archive.segments import Log
limit = int(sys.argv[2])
if limit:
    sys.dont_write_bytecode = True
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
print("ready", flush=True)
sys.stdin.readline()
try:
    print(len(archive_oldest(Log(Path(sys.argv[1])), 1)))
except OSError as error:
    print(error.strerror)
"""


def a_log(data: Path, *sessions: str) -> Log:
    """A log with two segments in each of these sessions."""
    for session in (sessions or SESSIONS) * 2:
        log = RunLog(data / "sessions", session, str)
        log.append(f"r{session}", EVENTS)
        log.close()
    return Log(data)


def lines(log: Log) -> list[bytes]:
    return [line.raw for segment in log.segments() for line in read_lines(segment)]


def child(log: Log, limit: int = 0) -> "subprocess.Popen[str]":
    """A process that puts away all it may, once it is told to."""
    order = [sys.executable, "-c", CHILD, str(log.data), str(limit)]
    started = subprocess.Popen(order, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert started.stdout is not None
    started.stdout.readline()
    return started


@pytest.mark.row("MEM-14")
def test_the_oldest_sessions_are_put_away_until_it_fits(tmp_path: Path) -> None:
    log = a_log(tmp_path)
    before, size = lines(log), log_size(log)

    texts = archive_oldest(log, size - 1)

    assert [f"{SESSIONS[0]}.jsonl"] == texts
    assert log_size(log) < size
    assert before == lines(log)
    assert not (log.sessions / texts[0]).exists()
    assert ([], []) == (archive_oldest(log, size - 1), audit_log(log).errors)


def test_the_newest_session_stays_as_it_is(tmp_path: Path) -> None:
    log = a_log(tmp_path)

    texts = archive_oldest(log, 1)

    assert 8 == len(texts)
    assert {SESSIONS[-1]} == {segment.session for segment in log.segments() if not segment.is_archived}
    assert [] == archive_oldest(log, 1)


def test_a_file_that_is_written_is_not_touched(tmp_path: Path) -> None:
    log = a_log(tmp_path)
    writer = RunLog(log.sessions, SESSIONS[0], str)
    writer.append("r", EVENTS[:1])

    texts = archive_oldest(log, 1)
    writer.append("r", EVENTS[1:])
    writer.close()

    assert writer.name not in texts
    assert 154 == audit_log(log).records
    assert [] == audit_log(log).errors


def test_what_a_program_that_lives_long_has_written_before_is_put_away(tmp_path: Path) -> None:
    writer = RunLog(tmp_path / "sessions", SESSIONS[0], str, largest=1)
    for n in range(3):
        writer.append(f"r{n}", EVENTS)
    log = Log(tmp_path)
    before = lines(log)

    texts = archive_oldest(log, 1)
    writer.append("r3", EVENTS)
    writer.close()

    assert [f"{SESSIONS[0]}.jsonl", f"{SESSIONS[0]}.2.jsonl"] == texts
    assert before == lines(log)[: len(before)]
    assert ([], 4 * len(EVENTS)) == (audit_log(log).errors, audit_log(log).records)


def test_a_segment_that_has_just_been_made_is_not_touched(tmp_path: Path) -> None:
    log = a_log(tmp_path)
    fresh = log.sessions / f"{SESSIONS[0]}.3.jsonl"
    fresh.touch()

    texts = archive_oldest(log, 1)

    assert fresh.exists()
    assert fresh.name not in texts


def test_what_cannot_be_read_is_left_alone_and_the_rest_is_put_away(tmp_path: Path) -> None:
    log = a_log(tmp_path)
    (log.sessions / "20250101T090000-aaaaaaaa.jsonl").mkdir()
    (log.sessions / "20250102T090000-aaaaaaaa.jsonl").symlink_to(tmp_path / "nowhere")

    assert 8 == len(archive_oldest(log, 1))


def test_what_is_in_the_way_is_not_overwritten(tmp_path: Path) -> None:
    log = a_log(tmp_path)
    log.archive.mkdir()
    other = log.archive / f"{SESSIONS[0]}.jsonl.gz"
    other.write_bytes(b"another thing")

    archive_oldest(log, 1)

    assert b"another thing" == other.read_bytes()
    assert (log.sessions / f"{SESSIONS[0]}.jsonl").exists()


@pytest.mark.skipif(os.name != "posix", reason="modes, limits and signals of POSIX")
def test_what_is_put_away_is_private(tmp_path: Path) -> None:
    log = a_log(tmp_path)

    archive_oldest(log, 1)

    assert 0o700 == log.archive.stat().st_mode & 0o777
    assert {0o600} == {path.stat().st_mode & 0o777 for path in log.archive.iterdir()}


@pytest.mark.skipif(os.name != "posix", reason="limits of POSIX")
def test_without_room_nothing_is_lost(tmp_path: Path) -> None:
    log = a_log(tmp_path)
    before = lines(log)

    reply = child(log, 100).communicate("\n", timeout=60)[0]

    assert "File too large\n" == reply
    assert before == lines(log)
    assert [] == [path.name for path in log.archive.iterdir() if path.name != ".archive.lock"]


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_process_killed_at_any_time_loses_nothing(tmp_path: Path) -> None:
    for n in range(6):
        log = a_log(tmp_path / str(n))
        before = lines(log)
        killed = child(log)
        assert killed.stdin is not None
        print(file=killed.stdin, flush=True)
        time.sleep(n * 0.004)
        killed.kill()
        killed.communicate()

        assert before == lines(log)
        archive_oldest(log, 1)
        assert before == lines(log)
        assert [] == audit_log(log).errors


def test_two_processes_at_once_put_each_away_once(tmp_path: Path) -> None:
    log = a_log(tmp_path)
    before = lines(log)
    children = [child(log) for _ in range(2)]
    for one in children:
        assert one.stdin is not None
        print(file=one.stdin, flush=True)

    assert ["0\n", "8\n"] == sorted(one.communicate(timeout=60)[0] for one in children)
    assert before == lines(log)
