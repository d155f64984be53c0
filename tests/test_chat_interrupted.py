"""Esc reads what the task changed from the records that the chat has seen, however long its session is."""

import asyncio
from io import StringIO
from pathlib import Path

from chat_measurements import write_session

from openkoi_chat.changes import read_view
from openkoi_chat.interruption import UNTOUCHED, ask_what_to_keep
from openkoi_chat.line_mode import PlainView
from openkoi_hookspecs import Record, Task, events
from openkoi_runlog.report import build_report
from openkoi_testing import Scenario


def test_an_interruption_does_not_read_the_log(tmp_path: Path) -> None:
    started = Record("1", "2026-01-01T00:00:00", "f" * 20, events.TaskStarted(Task("Wait")))
    koi, page = Scenario().build_app(tmp_path, tmp_path / "home"), StringIO()

    asyncio.run(ask_what_to_keep(PlainView(page), koi, tmp_path / "no-log", build_report([started])))

    assert f"{UNTOUCHED}\n" == page.getvalue()


def test_a_task_is_read_from_the_log_without_the_others_of_its_session(tmp_path: Path) -> None:
    sessions = tmp_path / "sessions"
    sessions.mkdir()
    write_session(sessions, tmp_path, 5)
    (segment,) = sessions.glob("*.jsonl")
    lines = segment.read_bytes().splitlines(keepends=True)
    others = [
        line[:-9] + b"#" * 8 + b"\n" if b"Answer" in line and b"Answer 3." not in line else line for line in lines
    ]
    segment.write_bytes(b"".join(others))

    view = read_view(sessions, f"{3:020x}")

    assert "Message 3:" in view.task.text
    assert view.completed
