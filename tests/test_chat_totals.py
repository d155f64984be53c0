"""What a session has cost is kept, and only what was written since is read."""

from pathlib import Path

import pytest
from chat_measurements import write_session

from openkoi_chat.costs import UNFINISHED, list_steps
from openkoi_chat.session_totals import FILE, Totals, read_totals
from openkoi_hookspecs import Response, Task, Text, Usage, events
from openkoi_hookspecs.model import StreamEnd
from openkoi_runlog import RunLog, list_sessions, read_segment
from openkoi_runlog.run_replay import find_lost_requests

RESPONSE = events.ModelResponse("m", Response((Text("More."),), StreamEnd(Usage(input=1, output=1))), 0.5)
STARTED, PART = (events.TaskStarted(Task("More", parent=parent)) for parent in ("", "f" * 20))


@pytest.fixture
def session(tmp_path: Path) -> str:
    (tmp_path / "sessions").mkdir()
    write_session(tmp_path / "sessions", tmp_path, 3)
    return next(iter(list_sessions(tmp_path / "sessions")))


def test_only_what_is_new_is_read(tmp_path: Path, session: str) -> None:
    sessions = tmp_path / "sessions"
    first = read_totals(sessions, session, tmp_path)
    (segment,) = sessions.glob("*.jsonl")
    whole = segment.read_bytes()
    segment.write_bytes(b"x" * len(whole))  # what was read is not read again
    log = RunLog(sessions, session, lambda text: text)
    log.append("f" * 20, (STARTED, PART, RESPONSE), sync=False)
    log.close()

    assert (3, 0.003) == (first.tasks, round(first.usd, 6))
    found = read_totals(sessions, session, tmp_path)
    assert (4, 0.503) == (found.tasks, round(found.usd, 6))
    assert found == read_totals(sessions, session, tmp_path)


@pytest.mark.parametrize("parts", [1, 3])
def test_a_call_that_was_killed_while_it_streamed_is_counted_until_it_is_settled(
    tmp_path: Path, session: str, parts: int
) -> None:
    sessions, lost = tmp_path / "sessions", Usage(input=100, output=20)
    log = RunLog(sessions, session, lambda text: text)
    log.append("f" * 20, (STARTED,), sync=False)
    for part in range(1, parts + 1):  # written again while the answer grows
        log.append("f" * 20, (events.ModelRequest("m", lost, 0.2 * part, lease="one"),), sync=False)
    log.append("f" * 20, (events.ModelRequest("m", Usage(), 0.0, lease="nothing"),), sync=False)
    log.close()

    assert (4, round(0.003 + 0.2 * parts, 6)) == rounded(read_totals(sessions, session, tmp_path))
    records = [one for path in sessions.glob("*.jsonl") for one in read_segment(path)]
    steps = list_steps(records, find_lost_requests(records))
    assert [("More", "an incomplete answer", 0.2 * parts)] == [
        (one.task, one.purpose, one.usd) for one in steps if one.purpose == UNFINISHED
    ]

    log = RunLog(sessions, session, lambda text: text)
    log.append("f" * 20, (events.ModelResponseBroken("m", lost, 0.25, lease="one"),), sync=False)
    log.close()
    assert (4, 0.253) == rounded(read_totals(sessions, session, tmp_path))


def rounded(totals: Totals) -> tuple[int, float]:
    """Return the tasks and the cost."""
    return totals.tasks, round(totals.usd, 6)


@pytest.mark.parametrize("kept", ["", "[]", '{"S": 4}', '{"S": {"words": 1}}'])
def test_what_is_kept_may_be_damaged(tmp_path: Path, session: str, kept: str) -> None:
    (tmp_path / FILE).write_text(kept.replace("S", session))

    assert 3 == read_totals(tmp_path / "sessions", session, tmp_path).tasks
    assert {"totals.json"} == {path.name for path in tmp_path.iterdir() if path.suffix in (".json", ".new")}


def test_a_session_that_is_not_there_has_cost_nothing(tmp_path: Path) -> None:
    assert Totals() == read_totals(tmp_path, "20260101T000000-0123456789a", tmp_path)
