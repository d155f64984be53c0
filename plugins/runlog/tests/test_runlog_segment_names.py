"""A session may have any name; its files have one that every file system takes."""

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openkoi_hookspecs import Cost, Decision, KoiError, Limits, NextAction, Task, events
from openkoi_runlog import RunLog, find_task, iterate_past_sessions, list_past_tasks, list_segments
from openkoi_runlog.segment_names import file_stem, parse_segment_name, segment_name


@pytest.mark.unit
@given(st.text(min_size=1, max_size=16), st.integers(1, 99))
def test_a_session_is_read_back_from_the_name_of_its_file(session: str, number: int) -> None:
    name = segment_name(session, number)

    assert (session, number) == parse_segment_name(Path(name))
    assert set() == set(name) & set('/\\:*?"<>|[]')


@pytest.mark.unit
@pytest.mark.parametrize("session", ["", "a" * 201, "/" * 100])
def test_a_session_without_a_name_or_with_a_very_long_one_is_refused(session: str) -> None:
    with pytest.raises(KoiError, match="cannot be written"):
        file_stem(session)


def test_sessions_whose_names_begin_alike_are_kept_apart(tmp_path: Path) -> None:
    for session in ("slack:C1", "slack:C12", "slack", "a*"):
        log = RunLog(tmp_path, session, str)
        log.append("run", [events.WarningIssued(session)])
        log.close()

    assert ["slack%3AC1.jsonl"] == [path.name for path in list_segments(tmp_path, "slack:C1")]
    assert ["a%2A.jsonl"] == [path.name for path in list_segments(tmp_path, "a*")]


def test_the_last_task_is_the_newest_one_whatever_its_session_is_called(tmp_path: Path) -> None:
    for run, session in (("1", "zebra"), ("2", "20260101T000000-00000abcdef"), ("3", "ant")):
        log = RunLog(tmp_path, session, str)
        log.append(run, [events.TaskStarted(Task(run, limits=Limits(), session=session))])
        log.append(run, [events.RunCompleted(Decision(NextAction.ACCEPT, ""), Cost())])
        log.close()

        assert run == find_task(tmp_path, "").run


def test_the_folder_is_listed_as_often_for_many_sessions_as_for_few(tmp_path: Path) -> None:
    listed: list[str] = []
    sys.addaudithook(lambda event, details: listed.append(event) if event == "os.scandir" else None)

    scans = []
    for count in (2, 30):
        for number in range(count):
            log = RunLog(tmp_path / str(count), f"s{number}", str)
            log.append(f"r{number}", [events.TaskStarted(Task("Wait.", limits=Limits(), session=log.session))])
            log.close()
        listed.clear()
        assert (
            count == len(list_past_tasks(tmp_path / str(count))) == len([*iterate_past_sessions(tmp_path / str(count))])
        )
        scans.append(len(listed))

    assert scans[0] == scans[1]
