"""Test a duel: both sides as recorded, an unchanged folder, and an unchanged learning state."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from openkoi_hookspecs import Event, Koi, KoiError, LearningStatus, Plan, Question, Record, Task, events
from openkoi_learning.comparison import EntryComparison
from openkoi_learning.entry import LearningEntry, Trust
from openkoi_learning.events import EntriesShown, EntryUpdated, OutcomeCredited
from openkoi_learning.hook import prepare_comparison
from openkoi_learning.replay import Attempt, RecordedTask, format_results, replayable_run, restore_folder
from openkoi_learning.selection import SelectionRules, TaskQuery, select_entries
from openkoi_learning.state import LearningState

NOW = "2026-03-01T00:00:00Z"
RULE = LearningEntry(
    "aa11", "heuristic", "Use `tab`.", standing=LearningStatus.ACTIVE, trust=Trust.CHECK, project="pond", since=NOW
)


@dataclass(slots=True)
class Nobody:
    """A Koi with a log and without a user."""

    log: list[Record] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def records(self, session: str) -> Iterable[Record]:
        return self.log

    async def ask(self, question: Question) -> str | None:
        self.asked.append(question.text)
        return None


def book_of(*output: tuple[str, Event]) -> LearningState:
    book = LearningState()
    for number, (run, event) in enumerate((("", EntryUpdated(RULE)), *output)):
        book.apply(Record(f"{number:03}", NOW, run, event))
    return book


def record(run: str, event: Event) -> Record:
    return Record("1", NOW, run, event)


def test_the_record_tells_both_sides_and_without_a_person_nothing_is_done_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    started = events.TaskStarted(Task("Export", session="s"), workspace=str(tmp_path))
    output = [(run, EntriesShown("Export", "pond", "m", ("aa11",))) for run in ("r1", "r2")]
    book = book_of(("r1", started), *output, ("r1", OutcomeCredited(True)), ("r2", OutcomeCredited(False, ("aa11",))))
    koi = Nobody([record("r1", started)])

    EntryComparison(as_koi(koi), book, RULE).run(None)

    reply = capsys.readouterr().out
    assert "with:      1 of 2 first attempts passed" in reply
    assert "without:   no tasks yet" in reply
    assert "not measured yet: it was shown in 2 runs, and held out of none" in reply
    assert "openkoi learn duel aa11 --again N" in reply
    assert ["Replay 1 recorded task,"] == [question[:23] for question in koi.asked]


def as_koi(koi: Nobody) -> Koi:
    return koi  # type: ignore[return-value]  # a duel asks nothing else of it here


def test_the_sides_of_a_duel_differ_in_the_entry_alone_wherever_they_are_fought() -> None:
    book = book_of(
        ("", EntryUpdated(LearningEntry("bb22", "heuristic", "Export by `comma`.", project="pond", since=NOW)))
    )
    query = TaskQuery(run="r", text="Export the invoices", project="a copy", now=NOW)

    sides = [
        select_entries(*prepare_comparison(book, query, f"{side} aa11"), SelectionRules(withheld=0.0)).shown
        for side in ("with", "without")
    ]

    assert [["aa11", "bb22"], ["bb22"]] == [sorted(one.id for one in entries) for entries in sides]
    with pytest.raises(KoiError, match="no such entry"):
        prepare_comparison(book, query, "with zz")


def test_a_part_of_a_task_and_one_whose_folder_is_gone_cannot_be_done_again(tmp_path: Path) -> None:
    whole = record("r", events.TaskStarted(Task("Export"), workspace=str(tmp_path)))
    kept, plan = record("r", events.BaselineSaved("before")), record("r", events.PlanReady(Plan()))
    part = record("p", events.TaskStarted(Task("Export", parent="r"), workspace=str(tmp_path)))
    gone = record("g", events.TaskStarted(Task("Export"), workspace=str(tmp_path / "gone")))

    assert RecordedTask("r", Task("Export"), tmp_path, "before") == replayable_run([whole, plan, kept, part, gone], "r")
    assert [None, None] == [replayable_run([whole, part, gone], run) for run in ("p", "g")]


PATCH = """\
diff --git a/a.txt b/a.txt
--- a/a.txt
+++ b/a.txt
@@ -1 +1 @@
-before
+after
"""


def test_a_task_is_done_again_in_a_copy_as_the_folder_was_and_the_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "pond").mkdir()
    (tmp_path / "pond" / "a.txt").write_text("after\n")
    one = RecordedTask("r", Task("Export"), tmp_path / "pond", "before")

    restore_folder(one, PATCH, tmp_path / "copy")

    assert "before\n" == (tmp_path / "copy" / "a.txt").read_text()
    assert "after\n" == (tmp_path / "pond" / "a.txt").read_text()
    with pytest.raises(KoiError, match="to its state before task r"):
        restore_folder(one, PATCH.replace("after", "other"), tmp_path / "again")


def test_how_it_came_out() -> None:
    bouts = [{"with": Attempt(True, 0.25), "without": Attempt(passed, 0.5)} for passed in (True, False)]

    assert [
        "  with:      2 of 2 first attempts passed ($0.5000)",
        "  without:   1 of 2 first attempts passed ($1.0000)",
        "  with the entry, 1 of 2 tasks went better and 0 went worse",
    ] == list(format_results(bouts))
