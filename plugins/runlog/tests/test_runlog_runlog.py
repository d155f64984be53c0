"""The run log keeps what was acknowledged, whatever happens to the process, the disk or the file."""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from openkoi_base.files.filelock import HAS_LOCKS, is_locked
from openkoi_base.redact import MASK, Redactor
from openkoi_hookspecs import Record, Response, StreamEnd, Usage, events
from openkoi_runlog import LogWriteError, RunLog, list_segments, new_session_id, read_segment

posix = pytest.mark.skipif(os.name != "posix", reason="modes, limits and locks are POSIX's")
FILLING = """
import resource, sys
from pathlib import Path
from openkoi_runlog import LogWriteError, RunLog
from openkoi_hookspecs import events

log = RunLog(Path(sys.argv[1]), "s", str)
log.append("run", [events.WarningIssued("first")])
sys.dont_write_bytecode = True
resource.setrlimit(resource.RLIMIT_FSIZE, (log.path.stat().st_size + 100, resource.RLIM_INFINITY))
try:
    log.append("run", [events.WarningIssued("second"), events.WarningIssued("x" * 500)])
except LogWriteError as fault:
    print(fault)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
log.append("run", [events.WarningIssued("third")])
"""
WRITING = """
import sys
from pathlib import Path
from openkoi_runlog import RunLog
from openkoi_hookspecs import events

log = RunLog(Path(sys.argv[1]), "s", str)
sys.stdin.readline()
for number in range(25):
    log.append(sys.argv[2], [events.ModelDelta(f"{sys.argv[2]} {number}"), events.WarningIssued("durable")])
"""


def log_in(folder: Path, session: str = "s") -> RunLog:
    return RunLog(folder, session, Redactor())


def written(folder: Path, *texts: str, session: str = "s") -> list[Record]:
    """Records of a log that was closed again."""
    log = log_in(folder, session)
    records = log.append("run", [events.WarningIssued(text) for text in texts])
    log.close()
    return records


def read(path: Path, start: int = 0) -> tuple[list[str], list[str]]:
    """The texts in a segment, and what was reported while reading it."""
    reply: list[str] = []
    records = list(read_segment(path, start, reply.append))
    return [record.event.text for record in records if isinstance(record.event, events.WarningIssued)], reply


def child(script: str, *arguments: str) -> subprocess.Popen[str]:
    line = [sys.executable, "-c", script, *arguments]
    return subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(processes: Sequence[subprocess.Popen[str]]) -> list[str]:
    """What they print when they are let go; they begin together."""
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    outputs = [process.communicate(timeout=60) for process in processes]
    assert ["" for _ in processes] == [errors for _, errors in outputs]
    return [output for output, _ in outputs]


# Written and read.


def test_what_was_written_is_read_again_with_the_place_where_it_stands(tmp_path: Path) -> None:
    records = written(tmp_path, "one", "two")
    again = list(read_segment(tmp_path / "s.jsonl"))

    assert [(one.id, one.at, one.run, one.event, "s.jsonl") for one in records] == [
        (one.id, one.at, one.run, one.event, one.segment) for one in again
    ]
    assert (tmp_path / "s.jsonl").stat().st_size == again[-1].end


def test_reading_goes_on_from_where_it_stopped(tmp_path: Path) -> None:
    written(tmp_path, "one", "two", "three")
    first = next(iter(read_segment(tmp_path / "s.jsonl")))

    assert (["two", "three"], []) == read(tmp_path / "s.jsonl", first.end)


def test_ids_are_unique_and_times_never_go_back(tmp_path: Path) -> None:
    records = [*written(tmp_path, *"abcdef"), *written(tmp_path, *"ghi")]

    assert len(records) == len({record.id for record in records})
    assert sorted(record.at for record in records) == [record.at for record in records]


def test_nothing_is_made_before_the_first_record(tmp_path: Path) -> None:
    log_in(tmp_path / "sessions").close()

    assert not (tmp_path / "sessions").exists()


@posix
@pytest.mark.row("SEC-02")
def test_the_log_is_its_users_alone(tmp_path: Path) -> None:
    written(tmp_path / "data" / "sessions", "one")

    assert [0o700, 0o700, 0o600] == [
        (tmp_path / "data" / part).stat().st_mode & 0o777 for part in (".", "sessions", "sessions/s.jsonl")
    ]


def test_secrets_do_not_reach_the_file(tmp_path: Path) -> None:
    log = RunLog(tmp_path, "s", Redactor(["123456", 'my "secret"']))
    paid = events.ModelResponse("m", Response((), StreamEnd(Usage())), 0.123456)
    log.append("run", [events.WarningIssued('\n123456 and my "secret"'), paid])
    log.close()

    assert ([f"\n{MASK} and {MASK}"], []) == read(tmp_path / "s.jsonl")
    assert paid == list(read_segment(tmp_path / "s.jsonl"))[1].event


def test_a_secret_that_becomes_known_is_masked_in_what_was_clean_before(tmp_path: Path) -> None:
    redactor = Redactor()
    log = RunLog(tmp_path, "s", redactor)
    for _ in range(2):
        log.append("run", [events.WarningIssued("the carp of tomorrow")])
    redactor.hold("carp of tomorrow", "POND")
    log.append("run", [events.WarningIssued("the carp of tomorrow")])
    log.close()

    assert (["the carp of tomorrow"] * 2 + [f"the {MASK}"], []) == read(tmp_path / "s.jsonl")


# Segments.


def test_each_writer_has_a_segment_of_its_own_and_never_adds_to_an_old_one(tmp_path: Path) -> None:
    first, second = log_in(tmp_path), log_in(tmp_path)
    for log, text in ((first, "a"), (second, "b"), (first, "c")):
        log.append("run", [events.WarningIssued(text)])
    first.close()
    first.append("run", [events.WarningIssued("d")])

    assert ["s.jsonl", "s.2.jsonl", "s.3.jsonl"] == [path.name for path in list_segments(tmp_path, "s")]
    assert [["a", "c"], ["b"], ["d"]] == [read(path)[0] for path in list_segments(tmp_path, "s")]


def test_segments_are_listed_in_the_order_in_which_they_were_made(tmp_path: Path) -> None:
    for _ in range(11):
        written(tmp_path, "a")
    written(tmp_path, "b", session="s1")
    written(tmp_path, "b", session="r")

    numbered = ["s.jsonl", *(f"s.{number}.jsonl" for number in range(2, 12))]
    assert numbered == [path.name for path in list_segments(tmp_path, "s")]
    assert ["r.jsonl", *numbered, "s1.jsonl"] == [path.name for path in list_segments(tmp_path)]


def test_a_folder_that_is_not_there_has_no_segments(tmp_path: Path) -> None:
    assert [] == list_segments(tmp_path / "none")


def test_sessions_sort_by_time_and_differ() -> None:
    names: list[str] = []
    for _ in range(20):
        names.append(new_session_id())
        time.sleep(0.00001)

    assert sorted(set(names)) == names
    assert names[0][:8].isdigit()


# What was never acknowledged, and what was damaged.


@pytest.mark.parametrize("cut", [1, 10, 60])
def test_a_torn_tail_is_skipped_when_nobody_writes_the_file(tmp_path: Path, cut: int) -> None:
    written(tmp_path, "one", "two")
    path = tmp_path / "s.jsonl"
    path.write_bytes(path.read_bytes()[:-cut])

    assert (["one"], ["s.jsonl ends in an incomplete line, because writing it was interrupted."]) == read(path)


@posix
def test_a_torn_tail_waits_for_its_writer(tmp_path: Path) -> None:
    log = log_in(tmp_path)
    log.append("run", [events.WarningIssued("one")])
    os.write(log.file, b'{"ts":"half')

    assert (["one"], []) == read(log.path)
    assert is_locked(log.path)
    log.close()
    assert not is_locked(log.path)


@posix
def test_a_lock_is_seen_by_other_processes(tmp_path: Path) -> None:
    assert HAS_LOCKS
    log = log_in(tmp_path)
    log.append("run", [events.WarningIssued("one")])
    script = "import sys, pathlib, openkoi_base.files.filelock as f; print(f.is_locked(pathlib.Path(sys.argv[1])))"

    assert ["True\n"] == ended([child(script, str(log.path))])


@pytest.mark.parametrize("damage", [b"", b"garbage", b"{}", b"\0\xff\r", b'{"type":"a","crc":"00000000"}'])
def test_damage_in_the_middle_is_reported_and_passed_over(tmp_path: Path, damage: bytes) -> None:
    written(tmp_path, "one", "two", "three")
    path = tmp_path / "s.jsonl"
    first, _, third = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + damage + b"\n" + third)
    texts, reply = read(path)

    assert ["one", "three"] == texts
    assert 1 == len(reply)
    assert reply[0].startswith(f"s.jsonl is damaged before byte {len(first) + len(damage) + 1}: ")


def test_a_flipped_byte_loses_its_own_line_only(tmp_path: Path) -> None:
    written(tmp_path, "one", "two", "three")
    path = tmp_path / "s.jsonl"
    path.write_bytes(path.read_bytes().replace(b"two", b"twO"))

    assert ["one", "three"] == read(path)[0]


# A disk that is full, or not there.


@posix
def test_a_write_that_fails_leaves_no_half_line_and_says_so(tmp_path: Path) -> None:
    reply = ended([child(FILLING, str(tmp_path))])

    assert [
        f"The run log {tmp_path / 's.jsonl'} cannot be written: File too large. Free some space and continue.\n"
    ] == reply
    assert (["first", "third"], []) == read(tmp_path / "s.jsonl")


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")

    with pytest.raises(
        LogWriteError, match=r"run log in .*data.sessions: .*\. Move the file that is in the way and continue\."
    ):
        written(tmp_path / "data" / "sessions", "one")


# Many at once.


def test_eight_processes_write_one_session_at_once(tmp_path: Path) -> None:
    ended([child(WRITING, str(tmp_path), f"run-{number}") for number in range(8)])
    reply: list[str] = []
    records = [record for path in list_segments(tmp_path, "s") for record in read_segment(path, report=reply.append)]

    assert 8 == len(list_segments(tmp_path, "s"))
    assert [] == reply
    assert 8 * 50 == len({record.id for record in records})
    for number in range(8):
        spoke = [
            one.event for one in records if one.run == f"run-{number}" and isinstance(one.event, events.ModelDelta)
        ]
        assert [f"run-{number} {n}" for n in range(25)] == [event.text for event in spoke]
