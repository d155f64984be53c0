"""What a session has cost is kept, and only what was written since is read."""

from pathlib import Path

import pytest
from chat_measurements import write_session

from openkoi_chat.session_totals import FILE, Totals, read_totals
from openkoi_hookspecs import Response, Task, Text, Usage, events
from openkoi_hookspecs.model import StreamEnd
from openkoi_runlog import RunLog, list_sessions

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


@pytest.mark.parametrize("kept", ["", "[]", '{"S": 4}', '{"S": {"words": 1}}'])
def test_what_is_kept_may_be_damaged(tmp_path: Path, session: str, kept: str) -> None:
    (tmp_path / FILE).write_text(kept.replace("S", session))

    assert 3 == read_totals(tmp_path / "sessions", session, tmp_path).tasks
    assert {"totals.json"} == {path.name for path in tmp_path.iterdir() if path.suffix in (".json", ".new")}


def test_a_session_that_is_not_there_has_cost_nothing(tmp_path: Path) -> None:
    assert Totals() == read_totals(tmp_path, "20260101T000000-0123456789a", tmp_path)
