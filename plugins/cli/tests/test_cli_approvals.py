"""What waits for a person is told so that it can be judged, and answered so that a no is never a yes."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click
import pytest

from openkoi.app import App
from openkoi_cli.answering import YES, how, meant, no_because, yes_to
from openkoi_cli.approvals import fact, lines
from openkoi_cli.person import answered_elsewhere
from openkoi_cli.plain import plain
from openkoi_cli.waiting import Began, Pending, age, is_over, outermost, pending
from openkoi_files import Questions
from openkoi_hookspecs import (
    Cost,
    Decision,
    Event,
    KoiError,
    Limits,
    PendingQuestion,
    PluginNotFoundError,
    Question,
    Task,
    events,
)
from openkoi_hookspecs import NextAction as Ends
from openkoi_testing import Stage

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
GATE = Question("This writes a file.\nAllow write_file?", choices=("yes", "no"))
FREE = Question("What should be done?")
CHOICE = Question("Which colour?", choices=("red", "blue"))


def asked(id: str, question: Question = GATE, *, at: datetime = NOW, run: str = "run-1") -> Pending:
    return Pending(PendingQuestion(id, run, at.isoformat(), question), "Write a letter")


@pytest.mark.row("LOOP-19")
@pytest.mark.parametrize("reason", ["", "yes", " Y ", "allow", "approve", "yes, but not there", "ok"])
def test_no_reason_is_taken_for_a_yes(reason: str) -> None:
    said = no_because(reason)

    assert said.lower() not in YES
    assert said.startswith("no")
    assert reason.strip() in said


def test_yes_is_said_in_the_question_s_own_words() -> None:
    assert ["yes", "Allow", "", ""] == [
        yes_to(question) for question in (GATE, Question("?", choices=("Deny", "Allow")), FREE, CHOICE)
    ]
    assert "red, blue" in how(asked("4f2a", CHOICE))
    assert "--answer TEXT" in how(asked("4f2a", FREE))


def test_without_an_id_the_only_one_is_meant() -> None:
    only, free = asked("4f2a"), asked("77aa", FREE)

    assert only is meant([only], "")
    assert only is meant([only, free], "")
    assert free is meant([free], "")
    assert free is meant([only, free], "77")


def test_what_is_meant_must_be_clear() -> None:
    two = [asked("4f2a"), asked("4f99")]

    with pytest.raises(click.UsageError, match="4f2a, 4f99"):
        meant(two, "")
    with pytest.raises(click.UsageError, match="2 questions"):
        meant(two, "4f")
    with pytest.raises(PluginNotFoundError, match="4f2a"):
        meant(two, "everything")
    with pytest.raises(KoiError, match="Nothing waits"):
        meant([], "")


def test_what_hides_or_moves_the_cursor_is_shown_as_what_it_is() -> None:
    hostile = Question("Allow rm\u202e fr-\x1b[2K\x9b2K\u200b ok?\nNew line\r", choices=("yes", "no"))
    told = "\n".join(lines([asked("4f2a", hostile)], NOW))

    assert all(sign.isprintable() or sign == "\n" for sign in told)
    assert r"rm\u202e fr-\x1b[2K\x9b2K\u200b ok?" in told
    assert "a\nb" == plain("a\nb")


def test_a_very_long_question_says_that_it_is_longer() -> None:
    long = asked("4f2a", Question("x" * 5000, choices=("yes", "no")))
    told = "\n".join(lines([long], NOW))

    assert len(told) < 2500
    assert "3000 characters more" in told
    assert "x" * 5000 == fact(long)["question"]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(-5, "just now"), (59, "just now"), (60, "1 minute ago"), (7300, "2 hours ago"), (180_000, "2 days ago")],
)
def test_its_age_is_told_in_words(seconds: int, words: str) -> None:
    assert words == age((NOW - timedelta(seconds=seconds)).isoformat(), NOW)


def test_a_time_that_cannot_be_read_costs_nothing() -> None:
    assert ["just now", "just now"] == [age(at, NOW) for at in ("yesterday", "")]
    assert "1 hour ago" == age("2026-03-01T11:00:00", NOW)


def test_a_run_that_goes_round_in_its_parents_ends_somewhere() -> None:
    runs = {"a": Began("A", "b", "s"), "b": Began("B", "a", "s"), "c": Began("C", "d", "s"), "d": Began("D", "", "s")}

    assert "d" == outermost("c", runs)
    assert outermost("a", runs) in runs
    assert "gone" == outermost("gone", runs)


@pytest.mark.parametrize(
    ("ended", "over"), [("", False), ("escalate", False), ("accept", True), ("abort_budget", True)]
)
def test_whoever_can_be_resumed_is_not_over(ended: str, over: bool) -> None:
    runs = {"part": Began("Part", "whole", "s"), "whole": Began("Whole", "", "s", ended)}

    assert [over, over, False] == [is_over(run, runs) for run in ("part", "whole", "unknown")]


def house(tmp_path: Path, happened: Sequence[tuple[str, Event]] = ()) -> App:
    """An OpenKoi in whose log this has happened, by run."""
    koi = Stage().assemble(tmp_path, tmp_path / "home")
    for run, event in happened:
        koi.services.publish(run, [event])
    koi.services.log.close()
    return koi


def wait(kept: Questions, id: str, run: str, days: float = 0) -> None:
    kept.put(PendingQuestion(id, run, (datetime.now(UTC) - timedelta(days=days)).isoformat(), GATE))


def test_what_is_a_month_old_is_put_away_answered_or_not(tmp_path: Path) -> None:
    koi = house(tmp_path)
    for id, days in (("new", 29), ("old", 31), ("answered", 31)):
        wait(koi.services.asker.kept, id, "run-1", days)
    koi.answer_question("answered", "yes")

    assert ["new"] == [one.waiting.id for one in pending(koi)]
    assert ["new.json"] == [path.name for path in koi.services.asker.kept.folder.iterdir()]


def test_the_task_is_named_and_what_to_go_on_with(tmp_path: Path) -> None:
    part = Task("Write the letter", parent="whole")
    koi = house(tmp_path, [("whole", events.TaskStarted(Task("Write"))), ("part", events.TaskStarted(part))])
    wait(koi.services.asker.kept, "a", "whole", 1)
    wait(koi.services.asker.kept, "b", "part", 0.5)
    wait(koi.services.asker.kept, "c", "unknown")

    told = [(one.task, one.resume) for one in pending(koi)]
    assert [("Write", "whole"), ("Write the letter", "whole"), ("", "")] == told


def test_a_question_of_a_run_that_is_over_is_put_away(tmp_path: Path) -> None:
    over = events.RunCompleted(Decision(Ends.ACCEPT, "good"), Cost())
    koi = house(tmp_path, [("run-1", events.TaskStarted(Task("Write", limits=Limits()))), ("run-1", over)])
    wait(koi.services.asker.kept, "a", "run-1")

    assert [] == pending(koi)
    assert [] == list(koi.services.asker.kept.folder.iterdir())


def test_a_prompt_knows_that_its_question_was_answered_elsewhere(tmp_path: Path) -> None:
    kept = Questions(tmp_path)
    kept.put(PendingQuestion("a", "run-1", NOW.isoformat(), GATE))
    kept.put(PendingQuestion("b", "run-1", NOW.isoformat(), FREE))
    kept.answer_question("b", "Leave it")

    assert ["", "Leave it"] == [answered_elsewhere(question, kept) for question in (GATE, FREE)]
