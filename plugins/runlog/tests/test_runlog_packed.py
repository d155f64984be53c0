"""A segment is the same wherever it lies, and one session's times never go back, whatever the clock says."""

import gzip
import os
import sys
from pathlib import Path
from types import FrameType

import pytest

from openkoi_hookspecs import events
from openkoi_runlog import RunLog, has_more, list_all_segments, list_grown_segments, read_segment

AHEAD = "2126-01-01T00:00:00.000000Z"


def written(data: Path, *texts: str, session: str = "s", last: str = "") -> Path:
    """A segment as a process writes it whose clock says ``last``, if that is later than now."""
    log = RunLog(data / "sessions", session, str)
    log.last = last
    log.append("run", [events.WarningIssued(text) for text in texts])
    log.close()
    return log.path


def put_away(path: Path) -> Path:
    """The same, compressed, in the archive."""
    packed = path.parent.parent / "archive" / f"{path.name}.gz"
    packed.parent.mkdir(exist_ok=True)
    packed.write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()
    return packed


def test_all_segments_are_listed_in_their_order_wherever_they_lie_and_each_once(tmp_path: Path) -> None:
    for session in ("a", "b", "b", "c"):
        written(tmp_path, "one", session=session)
    for name in ("a.jsonl", "b.2.jsonl"):
        put_away(tmp_path / "sessions" / name)
    (tmp_path / "archive" / "c.jsonl.gz").write_bytes(b"it is just being put away")

    names = ["a.jsonl.gz", "b.jsonl", "b.2.jsonl.gz", "c.jsonl"]
    assert names == [path.name for path in list_all_segments(tmp_path / "sessions")]
    assert names[1:3] == [path.name for path in list_all_segments(tmp_path / "sessions", "b")]


def test_segments_that_have_grown_are_found_by_looking_at_each_folder_once(tmp_path: Path) -> None:
    seen = {path.name: path.stat().st_size for path in (written(tmp_path, "one", session=name) for name in "abcd")}
    for name in ("a.jsonl", "b.jsonl"):
        put_away(tmp_path / "sessions" / name)
    (tmp_path / "archive" / "c.jsonl.gz").write_bytes(b"it is just being put away")
    seen["b.jsonl"] -= 1
    seen["c.jsonl"] -= 1
    found, scanned = list[Path](), list[object]()

    def note(_: FrameType, event: str, function: object) -> None:
        if event == "c_call" and function is os.scandir:
            scanned.append(function)

    sys.setprofile(note)
    try:
        found += list_grown_segments(tmp_path / "sessions", seen)
    finally:
        sys.setprofile(None)

    assert [tmp_path / "archive" / "b.jsonl.gz", tmp_path / "sessions" / "c.jsonl"] == found
    assert 2 == len(scanned)


def test_records_are_the_same_after_their_segment_was_put_away(tmp_path: Path) -> None:
    path = written(tmp_path, "one", "two", "three")
    records = list(read_segment(path))

    packed = put_away(path)

    assert records == list(read_segment(packed)) == list(read_segment(path))
    assert records[1:] == list(read_segment(packed, records[0].end))


def test_a_segment_has_more_until_its_end_was_seen(tmp_path: Path) -> None:
    path = written(tmp_path, "one", "two")
    first, last = (record.end for record in read_segment(path))

    packed = put_away(path)

    assert [True, True, False] == [has_more(packed, seen) for seen in (0, first, last)]


@pytest.mark.parametrize("cut", [0, 3, 200])
def test_what_is_left_of_a_damaged_archive_is_no_accident(tmp_path: Path, cut: int) -> None:
    packed = put_away(written(tmp_path, *(f"number {n}" for n in range(2_000))))
    packed.write_bytes(packed.read_bytes()[:-cut] if cut else b"")
    reply: list[str] = []

    output = list(read_segment(packed, report=reply.append))

    assert [f"number {n}" for n in range(len(output))] == [getattr(record.event, "text", "") for record in output]
    assert [] == reply
    assert has_more(packed, 0)


def test_a_new_segment_takes_no_name_of_one_that_was_put_away(tmp_path: Path) -> None:
    put_away(written(tmp_path, "one"))

    path = written(tmp_path, "two")

    assert "s.2.jsonl" == path.name
    assert 2 == len(list_all_segments(tmp_path / "sessions", "s"))


@pytest.mark.parametrize("away", [False, True])
def test_a_session_goes_on_after_all_that_it_says_though_the_clock_was_set_back(tmp_path: Path, away: bool) -> None:
    first = written(tmp_path, "one", "two", last=AHEAD)
    if away:
        put_away(first)

    written(tmp_path, "three", "four")

    records = [record for path in list_all_segments(tmp_path / "sessions") for record in read_segment(path)]
    in_time = sorted(records, key=lambda record: (record.at, record.id))
    assert ["one", "two", "three", "four"] == [getattr(record.event, "text", "") for record in in_time]
    assert [AHEAD, AHEAD.replace("0Z", "1Z")] == sorted({record.at for record in records})


def test_other_sessions_go_by_the_clock(tmp_path: Path) -> None:
    written(tmp_path, "one", last=AHEAD)

    path = written(tmp_path, "two", session="t")

    assert [True] == [record.at < AHEAD for record in read_segment(path)]
