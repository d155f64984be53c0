"""Past tasks as the log alone tells them."""

import gzip
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import FrameType

import pytest

from openkoi_hookspecs import (
    Cost,
    Decision,
    Event,
    KoiError,
    NextAction,
    PluginNotFoundError,
    Record,
    Response,
    RunState,
    StreamEnd,
    Task,
    Usage,
    events,
)
from openkoi_runlog import (
    PastTask,
    RunLog,
    find_task,
    list_past_tasks,
    read_task_records,
    select_from,
    summarize_runs,
)
from openkoi_runlog.record_format import add_checksum, parse_line, write_line
from openkoi_runlog.select_records import SMALL_BYTES

PAID = events.ModelResponse("acme/large", Response((), StreamEnd(Usage(input=80, output=10))), 0.25)
ENDED = events.RunCompleted(Decision(NextAction.ACCEPT, "good"), Cost(tokens=90, usd=0.25), best=0, iterations=1)


def started(text: str, parent: str = "") -> Event:
    return events.TaskStarted(Task(text, parent=parent), model="acme/large")


def logged(folder: Path, session: str, **runs: list[Event]) -> None:
    log = RunLog(folder, session, str)
    for run, happened in runs.items():
        log.append(run, happened)
    log.close()


def test_tasks_are_told_newest_first_with_how_they_ended(tmp_path: Path) -> None:
    logged(tmp_path, "s1", one=[started("first"), PAID, ENDED], two=[started("second"), events.RunFailed("no disk")])
    logged(tmp_path, "s2", three=[started("third")])
    [third, second, first] = list_past_tasks(tmp_path)

    assert ("third", "", "s2.jsonl") == (third.text, third.ended, third.segment)
    assert ("second", "failed") == (second.text, second.ended)
    assert PastTask("one", first.at, "first", "acme/large", "accept", 90, 0.25, "s1.jsonl") == first
    assert [third] == list_past_tasks(tmp_path, newest=1)


def test_sub_tasks_are_part_of_theirs(tmp_path: Path) -> None:
    logged(tmp_path, "s", one=[started("whole")], part=[started("part", parent="one"), ENDED])
    [whole] = list_past_tasks(tmp_path)

    assert ("whole", "") == (whole.text, whole.ended)
    assert {"one", "part"} == {record.run for record in read_task_records(tmp_path, whole)}


def test_what_was_archived_is_told_as_if_it_had_not_been(tmp_path: Path) -> None:
    sessions, archive = tmp_path / "sessions", tmp_path / "archive"
    logged(sessions, "s1", one=[started("first"), PAID, ENDED])
    logged(sessions, "s2", two=[started("second"), PAID, ENDED])
    before = (
        list_past_tasks(sessions),
        read_task_records(sessions, find_task(sessions, "one")),
    )
    archive.mkdir()
    (archive / "s1.jsonl.gz").write_bytes(gzip.compress((sessions / "s1.jsonl").read_bytes()))
    (sessions / "s1.jsonl").unlink()

    assert before == (
        list_past_tasks(sessions),
        read_task_records(sessions, find_task(sessions, "one")),
    )
    assert ["second", "first"] == [past.text for past in list_past_tasks(sessions)]


def test_a_damaged_line_costs_itself_alone(tmp_path: Path) -> None:
    logged(tmp_path, "s", one=[started("first")], two=[started("second")])
    path = tmp_path / "s.jsonl"
    path.write_bytes(path.read_bytes().replace(b"first", b"fir5t"))

    assert ["second"] == [past.text for past in list_past_tasks(tmp_path)]


def test_a_task_is_found_by_the_beginning_of_its_id(tmp_path: Path) -> None:
    logged(tmp_path, "s", abc1=[started("first")], abd2=[started("second")])

    assert "first" == find_task(tmp_path, "abc").text
    assert "second" == find_task(tmp_path, "").text
    with pytest.raises(KoiError, match="Several tasks start with 'ab'"):
        find_task(tmp_path, "ab")
    with pytest.raises(PluginNotFoundError):
        find_task(tmp_path, "x")


def test_where_there_is_no_log_there_are_no_tasks(tmp_path: Path) -> None:
    assert [] == list_past_tasks(tmp_path / "none")


@pytest.mark.parametrize("end", ["escalate", "failed", "accept"])
def test_a_run_that_was_resumed_and_killed_was_interrupted_in_every_list(tmp_path: Path, end: str) -> None:
    last: Event = events.RunFailed("no model")
    if end != "failed":
        last = events.RunCompleted(Decision(NextAction(end), "because"), Cost(tokens=90, usd=0.25))
    logged(tmp_path, "s", one=[started("first"), last])
    [task] = list_past_tasks(tmp_path)
    logged(tmp_path, "s", one=[events.RunResumed()])

    [past] = list_past_tasks(tmp_path)
    [summary] = summarize_runs(["s"], tmp_path, lambda run: False)

    assert (end, RunState.INTERRUPTED) == (task.status(under_way=False), summary.state)
    assert (RunState.INTERRUPTED, True, True) == (past.status(under_way=False), past.cut_short, past.resumable)
    assert (task.tokens, task.usd) == (past.tokens, past.usd)


def parsed_lines(work: Callable[[], object]) -> int:
    """Return how many lines of the log some work parses."""
    calls: list[object] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code is parse_line.__code__:
            calls.append(frame.f_lineno)

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return len(calls)


def write_days(folder: Path, days: int) -> None:
    """Write a session with a paid task, which has a sub-task, on each of so many days."""
    lines = []
    for day in range(days):
        at = (datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=day)).isoformat()
        runs = {f"task{day}": [started(f"Day {day}"), PAID, ENDED], f"part{day}": [started("part", f"task{day}"), PAID]}
        for run, happened in runs.items():
            lines += [add_checksum(write_line(Record(f"{day}{run}", at, run, event))) for event in happened]
    folder.joinpath("s.jsonl").write_bytes(b"".join(lines))


def test_of_a_large_session_only_the_newest_tasks_are_parsed(tmp_path: Path) -> None:
    write_days(tmp_path, 300)
    assert (tmp_path / "s.jsonl").stat().st_size > SMALL_BYTES

    newest = list_past_tasks(tmp_path, newest=5)

    assert ["Day 299", "Day 298", "Day 297", "Day 296", "Day 295"] == [past.text for past in newest]
    assert list_past_tasks(tmp_path)[:5] == newest
    assert 5 * 5 == parsed_lines(lambda: list_past_tasks(tmp_path, newest=5))  # two starts, found and read, and an end
    assert list_past_tasks(tmp_path) == list_past_tasks(tmp_path, newest=1_000)


def test_what_is_older_than_what_is_asked_for_is_not_parsed(tmp_path: Path) -> None:
    write_days(tmp_path, 60)
    since = (datetime(2026, 1, 1, tzinfo=UTC) + timedelta(days=50)).isoformat()
    kinds = (events.TaskStarted, events.ModelResponse)

    recent = [*select_from(tmp_path / "s.jsonl", kinds, since=since)]

    assert [record for record in select_from(tmp_path / "s.jsonl", kinds) if record.at >= since] == recent
    assert 10 * 4 == len(recent) == parsed_lines(lambda: [*select_from(tmp_path / "s.jsonl", kinds, since=since)])
