"""What holds beyond the task is saved before the turns go: on probation, as data, each thing once."""

from pathlib import Path

import pytest

from openkoi_compaction import FactExtracting
from openkoi_compaction.facts import learning_of, parse_facts, repeats_memory
from openkoi_hookspecs import (
    Agent,
    Hit,
    Learning,
    LearningStatus,
    Limits,
    Recall,
    Run,
    Task,
    ToolCall,
    events,
    hookimpl,
)
from openkoi_scripted import Scripted
from openkoi_testing import Scenario, run_scenario
from openkoi_testing.scenario import FinishedRun

NOTES = "Facts:\n- Tests run with make check.\n- The parser is in src/date.py.\n\nOpen: the empty list."


def done(folder: Path, notes: str, **plugins: object) -> FinishedRun:
    """Read three long files with little room, and note what is needed of the first."""
    for number in range(4):
        (folder / f"{number}.md").write_text("Line of a file.\n" * 400)
    calls = [ToolCall("", "read_file", {"path": f"{number}.md"}) for number in range(4)]
    stage = Scenario(
        model=Scripted([*calls[:3], notes, calls[3], notes, "Mended."]),
        plugins=plugins,
        others={"compactors": {"fact-extracting": FactExtracting()}},
        settings={"use.compactor": "fact-extracting"},
    )
    agent = Agent(name="digger", context=4000)
    return run_scenario(Task("Mend it.", limits=Limits(iterations=0), agent=agent), stage, folder)


def learned(rehearsed: FinishedRun) -> list[Learning]:
    return [r.event.learning for r in rehearsed.records if isinstance(r.event, events.LearningSaved)]


@pytest.mark.row("MEM-08", "C32")
def test_facts_are_saved_before_the_turns_go(tmp_path: Path) -> None:
    rehearsed = done(tmp_path, NOTES)
    names = [record.event.name for record in rehearsed.records]

    assert "Mended." == rehearsed.result.text
    assert ["Tests run with make check.", "The parser is in src/date.py."] == [one.text for one in learned(rehearsed)]
    assert names.index("learning.saved") < names.index("history.compressed")
    assert all(one.untrusted and one.status is LearningStatus.PROBATION for one in learned(rehearsed))


class Reminder:
    """Memory that knows about the parser."""

    @hookimpl
    def after_recall(self, recall: Recall, task: Task, run: Run) -> Recall:
        return Recall((Hit(Learning("x", "fact", "the Parser is in `src/date.py`"), 1.0),))


@pytest.mark.row("C32")
def test_what_memory_had_shown_is_not_saved_again(tmp_path: Path) -> None:
    saved = learned(done(tmp_path, NOTES, reminder=Reminder()))

    assert {"Tests run with make check."} == {one.text for one in saved}


@pytest.mark.parametrize("fact", ["The parser is in src/time.py.", "The parser was rewritten in Rust last summer."])
def test_a_fact_that_says_something_else_is_no_repetition(fact: str) -> None:
    assert not repeats_memory(fact, ["The parser is in src/date.py."])


def test_whoever_has_a_say_in_learnings_has_it_here(tmp_path: Path) -> None:
    class Doubter:
        @hookimpl
        def on_learning(self, learning: Learning, run: Run) -> Learning:
            return Learning(learning.id, "fact", learning.text, status=LearningStatus.ARCHIVED)

    assert {LearningStatus.ARCHIVED} == {one.status for one in learned(done(tmp_path, NOTES, doubter=Doubter()))}


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (NOTES, ["Tests run with make check.", "The parser is in src/date.py."]),
        ("**Facts**\n* One.\n* One.\n# Open\n- Mend it.", ["One."]),
        ("Open:\n- Mend it.", []),
        (f"Facts:\n- {'x' * 201}\n- Short.", ["Short."]),
        ("Facts:\n" + "\n".join(f"- {n}." for n in range(12)), [f"{n}." for n in range(8)]),
        ("", []),
    ],
)
def test_facts_are_the_lines_below_their_heading(output: str, expected: list[str]) -> None:
    assert expected == parse_facts(output)


def test_the_same_words_are_the_same_learning() -> None:
    assert learning_of("Tests run  with Make check.", "r1").id == learning_of("tests run with make check.", "r2").id
