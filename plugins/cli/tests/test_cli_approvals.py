"""What waits for a person is told so that it can be judged, and answered so that a no is never a yes."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click
import pytest

from openkoi.app import App
from openkoi_cli.answers import explain_answer, find_question, find_yes, format_no
from openkoi_cli.approvals import format_questions, question_to_json
from openkoi_cli.escape import escape_controls
from openkoi_cli.pending import Pending, format_age, list_pending
from openkoi_cli.prompt_user import TerminalPrompt
from openkoi_hookspecs import (
    Event,
    KoiError,
    PendingQuestion,
    PluginNotFoundError,
    Question,
    Record,
    Task,
    events,
    is_yes,
)
from openkoi_local import FileQuestions
from openkoi_testing import Scenario

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
GATE = Question("This writes a file.\nAllow write_file?", choices=("yes", "no"))
FREE = Question("What should be done?")
CHOICE = Question("Which colour?", choices=("red", "blue"))


def asked(id: str, question: Question = GATE, *, at: datetime = NOW, run: str = "run-1") -> Pending:
    return Pending(PendingQuestion(id, run, at.isoformat(), question), "Write a letter")


@pytest.mark.row("LOOP-19")
@pytest.mark.parametrize("reason", ["", "yes", " Y ", "allow", "approve", "yes, but not there", "ok"])
def test_no_reason_is_taken_for_a_yes(reason: str) -> None:
    reply = format_no(reason)

    assert not is_yes(reply)
    assert reply.startswith("no")
    assert reason.strip() in reply


def test_yes_is_said_in_the_question_s_own_words() -> None:
    assert ["yes", "Allow", "", ""] == [
        find_yes(question) for question in (GATE, Question("?", choices=("Deny", "Allow")), FREE, CHOICE)
    ]
    assert "red, blue" in explain_answer(asked("4f2a", CHOICE))
    assert "--answer TEXT" in explain_answer(asked("4f2a", FREE))


def test_without_an_id_the_only_one_is_meant() -> None:
    only, free = asked("4f2a"), asked("77aa", FREE)

    assert only is find_question([only], "")
    assert only is find_question([only, free], "")
    assert free is find_question([free], "")
    assert free is find_question([only, free], "77")


def test_what_is_meant_must_be_clear() -> None:
    two = [asked("4f2a"), asked("4f99")]

    with pytest.raises(click.UsageError, match="4f2a, 4f99"):
        find_question(two, "")
    with pytest.raises(click.UsageError, match="2 questions"):
        find_question(two, "4f")
    with pytest.raises(PluginNotFoundError, match="4f2a"):
        find_question(two, "everything")
    with pytest.raises(KoiError, match="No question is waiting"):
        find_question([], "")


def test_what_hides_or_moves_the_cursor_is_shown_as_what_it_is() -> None:
    hostile = Question("Allow rm\u202e fr-\x1b[2K\x9b2K\u200b ok?\nNew line\r", choices=("yes", "no"))
    output = "\n".join(format_questions([asked("4f2a", hostile)], NOW))

    assert all(sign.isprintable() or sign == "\n" for sign in output)
    assert r"rm\u202e fr-\x1b[2K\x9b2K\u200b ok?" in output
    assert "a\nb" == escape_controls("a\nb")


def test_a_very_long_question_says_that_it_is_longer() -> None:
    long = asked("4f2a", Question("x" * 5000, choices=("yes", "no")))
    output = "\n".join(format_questions([long], NOW))

    assert len(output) < 2500
    assert "3,000 characters more" in output
    assert "x" * 5000 == question_to_json(long)["question"]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(-5, "just now"), (59, "just now"), (60, "1 minute ago"), (7300, "2 hours ago"), (180_000, "2 days ago")],
)
def test_its_age_is_told_in_words(seconds: int, words: str) -> None:
    assert words == format_age((NOW - timedelta(seconds=seconds)).isoformat(), NOW)


def test_a_time_that_cannot_be_read_costs_nothing() -> None:
    assert ["just now", "just now"] == [format_age(at, NOW) for at in ("yesterday", "")]
    assert "1 hour ago" == format_age("2026-03-01T11:00:00", NOW)


def house(tmp_path: Path, happened: Sequence[tuple[str, Event]] = ()) -> App:
    """An OpenKoi in whose log this has happened, by run."""
    koi = Scenario().build_app(tmp_path, tmp_path / "home")
    for run, event in happened:
        koi.services.publish(run, [event])
    koi.services.log.close()
    return koi


def test_the_task_is_named_and_what_to_resume(tmp_path: Path) -> None:
    part = Task("Write the letter", parent="whole")
    koi = house(tmp_path, [("whole", events.TaskStarted(Task("Write"))), ("part", events.TaskStarted(part))])

    async def ask() -> list[Pending]:
        questions = FileQuestions(folder=tmp_path / "home" / "data" / "questions")
        for number, run in enumerate(("whole", "part", "unknown")):
            at = (datetime.now(UTC) + timedelta(seconds=number)).isoformat()
            question = PendingQuestion(run, run, at, GATE, outermost="whole", session=koi.session)
            await questions.put(question)
        return await list_pending(koi)

    there = asyncio.run(ask())
    assert [("Write", "whole"), ("Write the letter", "whole"), ("", "whole")] == [
        (one.task, one.resume) for one in there
    ]


def test_the_terminal_says_what_was_answered_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    terminal = TerminalPrompt()
    for id, question in (("a", GATE), ("b", FREE)):
        terminal.observe(Record("r", "", "run-1", events.QuestionAsked(id, question.text)))
    terminal.left.add(FREE.text)
    terminal.observe(Record("r", "", "run-1", events.QuestionAnswered("a", "yes")))
    terminal.observe(Record("r", "", "run-1", events.QuestionAnswered("b", "Leave it")))

    assert "\n  Answered in another process: Leave it\n" == capsys.readouterr().err


def test_who_asks_outside_tasks_is_named() -> None:
    output = "\n".join(format_questions([Pending(PendingQuestion("4f2a", "", NOW.isoformat(), GATE, alive=True))], NOW))

    assert "asked by OpenKoi, outside any task" in output
    assert "resume" not in output
