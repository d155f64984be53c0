"""Test that the learning state equals the log, wherever its files are, with each record once and in order."""

import logging
from pathlib import Path

import pytest

from openkoi_cli.archive.compress_log import archive_oldest
from openkoi_cli.archive.segments import Log
from openkoi_hookspecs import Event, Hit, Learning, LearningStatus, Recall
from openkoi_hookspecs.events import RecallFinished
from openkoi_learning.entry import LearningEntry
from openkoi_learning.events import EntriesShown, EntryUpdated, OutcomeCredited
from openkoi_learning.log_view import LEARNING_EVENTS, LearningLogView
from openkoi_learning.sources import SourceReader
from openkoi_runlog import RunLog, list_all_segments, read_new
from openkoi_testing.contracts.memory_log import run_records

RULE = LearningEntry("aa11", "heuristic", "Use `tab`.", standing=LearningStatus.ACTIVE)
SHOWN = EntriesShown("Export the invoices", "pond", "test/model", ("aa11",), ())
DAYS = tuple(f"2026030{n}T090000-aaaaaaaa" for n in range(1, 5))


def written(data: Path, session: str, run: str, *events: Event) -> None:
    """A separate session, as another process would write it."""
    log = RunLog(data / "sessions", session, str)
    log.append(run, events)
    log.close()


def lived(data: Path, *days: str) -> LearningLogView:
    """The view of a log in which an entry was noted, and shown and credited on each day."""
    written(data, "20260101T090000-aaaaaaaa", "r", EntryUpdated(RULE))
    for day in days:
        written(data, day, day, SHOWN, OutcomeCredited(True, ()))
    return LearningLogView(data / "sessions")


def uses(log_view: LearningLogView) -> list[str]:
    """The runs that are known to have had the entry."""
    return [use.run for use in log_view.read_now().outcomes("aa11")]


def put_away(data: Path) -> None:
    """All but the newest session."""
    assert archive_oldest(Log(data), 1)


def test_what_is_put_away_is_known_all_the_same(tmp_path: Path) -> None:
    log_view = lived(tmp_path, *DAYS)

    put_away(tmp_path)

    assert list(DAYS) == uses(log_view)
    assert "Use `tab`." == log_view.state.entries["aa11"].text


def test_what_is_put_away_between_two_looks_is_counted_once(tmp_path: Path) -> None:
    log_view = lived(tmp_path, *DAYS[:3])
    assert list(DAYS[:3]) == uses(log_view)

    put_away(tmp_path)
    written(tmp_path, DAYS[3], DAYS[3], SHOWN, OutcomeCredited(True, ()))

    assert 2 == len(log_view.new_records())
    assert [] == log_view.new_records()


def test_what_was_written_after_the_last_look_is_read_from_where_it_was_put_away(tmp_path: Path) -> None:
    log_view = lived(tmp_path)
    log = RunLog(tmp_path / "sessions", DAYS[0], str)
    log.append("r1", [SHOWN])
    log_view.read_now()
    log.append("r1", [OutcomeCredited(True, ())])
    log.close()
    written(tmp_path, DAYS[1], "r2", SHOWN, OutcomeCredited(False, ()))

    put_away(tmp_path)

    assert ["r1", "r2"] == uses(log_view)


def test_what_is_put_away_during_a_look_is_read_from_there_once(tmp_path: Path) -> None:
    log_view = lived(tmp_path, *DAYS)
    listed = list_all_segments(tmp_path / "sessions")

    put_away(tmp_path)

    assert 9 == sum(len(read_new(path, LEARNING_EVENTS, log_view.ends)) for path in listed)
    assert [] == log_view.new_records()


def test_a_torn_tail_that_was_put_away_is_looked_at_no_more(tmp_path: Path) -> None:
    log_view = lived(tmp_path, *DAYS)
    with (tmp_path / "sessions" / f"{DAYS[0]}.jsonl").open("ab") as file:
        file.write(b'{"ts":"2026')
    log_view.read_now()

    put_away(tmp_path)

    assert [] == log_view.new_records()
    assert log_view.ends[f"{DAYS[0]}.jsonl"] == sum(map(len, Log(tmp_path).segments()[1].open()))


def test_what_was_put_away_is_unpacked_once_and_for_all(tmp_path: Path) -> None:
    lived(tmp_path, *DAYS)
    put_away(tmp_path)
    first = LearningLogView(tmp_path / "sessions").new_records()

    for packed in (tmp_path / "archive").glob("*.gz"):
        packed.write_bytes(b"x" * 100 + packed.read_bytes()[-8:])

    assert 9 == len(first)
    assert first == LearningLogView(tmp_path / "sessions").new_records()


@pytest.mark.parametrize("damage", ["", "00000000\n{}", "no cache"])
def test_what_was_kept_of_it_may_be_lost(tmp_path: Path, damage: str) -> None:
    lived(tmp_path, *DAYS)
    put_away(tmp_path)
    assert list(DAYS) == uses(LearningLogView(tmp_path / "sessions"))

    (tmp_path / "cache" / "ledger.json").write_text(damage)

    assert list(DAYS) == uses(LearningLogView(tmp_path / "sessions"))


def test_a_file_that_cannot_be_read_costs_itself_alone_and_is_named_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    log_view = lived(tmp_path, *DAYS)
    (tmp_path / "sessions" / "20250101T000000-link.jsonl").symlink_to(tmp_path / "nowhere")
    (tmp_path / "sessions" / "20250102T000000-folder.jsonl").mkdir()
    (tmp_path / "archive").mkdir()
    (tmp_path / "archive" / "20250103T000000-damaged.jsonl.gz").write_bytes(b"no archive at all")

    with caplog.at_level(logging.WARNING, "openkoi"):
        rows = [uses(log_view), uses(log_view)]

    assert [list(DAYS)] * 2 == rows
    assert ["damaged", "folder", "link"] == sorted(
        word for message in caplog.messages for word in ("link", "folder", "damaged") if f"-{word}.jsonl" in message
    )


def test_how_a_run_went_is_told_wherever_its_session_lies(tmp_path: Path) -> None:
    written(tmp_path, DAYS[0], "r1", *(record.event for record in run_records("r1", "Mend it")))
    written(tmp_path, DAYS[1], "r2", RecallFinished(Recall((Hit(Learning("aa11", "heuristic", "Use `tab`."), 1.0),))))
    log_view = lived(tmp_path, DAYS[2])
    before = log_view.rebuild_result("r1", DAYS[0])

    put_away(tmp_path)

    assert before is not None
    assert before == log_view.rebuild_result("r1", DAYS[0])
    assert ("Use `tab`.",) == SourceReader(log_view, list).read("r2", DAYS[1]).recalled
