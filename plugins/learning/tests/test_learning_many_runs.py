"""Test what the learning state keeps about a project's runs, however many there are."""

import asyncio
import tracemalloc
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import cast

import pytest
from learning_builders import COMMAS, NOW, book, entry, green, lesson, red, turn
from learning_moments import Lent, Log, session_of

from openkoi_hookspecs import Cost, Event, Iteration, Recall, Record, Run, Task, events
from openkoi_learning import LearningHook
from openkoi_learning.entry import EntryEvidence
from openkoi_learning.events import EntriesShown, OutcomeCredited
from openkoi_learning.log_view import LearningLogView
from openkoi_learning.state import LearningState

FEW, MANY = 600, 1_200


def lived(count: int, *, first: int = 0) -> Iterator[tuple[str, Event]]:
    """Runs that were shown an entry and not evaluated."""
    for number in range(first, first + count):
        run = f"r{number}"
        task = f"Water the roses in bed{number}x{number}"
        yield run, events.TaskStarted(Task(task, project="pond"), "m")
        yield run, EntriesShown(task, "pond", "m", ("e",))


def size(state: LearningState) -> int:
    """The number of remembered runs in all places, and of the words of their tasks."""
    lists = (*state.projects.values(), *state.eligible_runs.values(), *state.words.values())
    return len(state.exposures) + len(state.origins) + sum(map(len, lists))


def test_a_process_of_many_tasks_remembers_no_more_runs() -> None:
    few, many = (book([], *lived(count)) for count in (FEW, MANY))

    assert size(few) == size(many) > 0
    assert (FEW, MANY) == (few.history("pond").count, many.history("pond").count)


def test_a_word_is_forgotten_when_few_tasks_had_it_long_ago() -> None:
    early = [(f"f{n}", EntriesShown("Prune the ivy", "pond", "m")) for n in range(3)]
    once = [("o", EntriesShown("Paint the gate", "pond", "m"))]
    late = [("l", EntriesShown("Feed the carp", "pond", "m"))]

    history = book([], *early, *once, *lived(MANY), *late).history("pond")

    assert [3, 0, 1] == [history.tasks_with(word, 0) for word in ("ivi", "gate", "carp")]
    assert history.tasks_with("rose", 0) == MANY


def test_a_run_that_says_how_an_entry_did_is_remembered() -> None:
    first = [*lived(1), ("r0", OutcomeCredited(passed=True))]

    state = book([], *first, *lived(MANY, first=1))

    assert ["r0"] == [one.run for one in state.outcomes("e")]
    assert state.history("pond").tasks_with("rose", 0) == MANY + 1


def test_a_run_that_taught_an_entry_is_remembered_with_its_number() -> None:
    known = entry(proofs=(EntryEvidence(run="r7", finding="x"),), when=("Water the roses",))

    state = book([known], *lived(MANY))

    assert [7] == [number for number, _ in state.taught(known, "pond")]
    assert state.exposures["r7"].at == NOW


def test_what_a_forgotten_run_proved_still_counts() -> None:
    first = EntriesShown("Paint the gate", "pond", "m")
    outcome = OutcomeCredited(passed=False, confirmed=("e",))

    state = book([], ("r", first), ("r", outcome), *lived(MANY))

    assert "r" not in state.exposures
    assert [True] == [one.confirmed for one in state.evidence("e", "pond")]


def memory_of_a_look(folder: Path, sessions: int) -> int:
    """Return how many bytes are read to find nothing new in a log with a number of sessions."""
    for number in range(sessions):
        (folder / f"20260301T{number:06d}-aaaaaaaa.jsonl").write_text("{}\n")
    view = LearningLogView(folder)
    view.read_now()
    view.read_now()
    tracemalloc.start()
    try:
        view.read_now()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_look_for_news_takes_no_more_memory_with_more_sessions(tmp_path: Path) -> None:
    few, many = (memory_of_a_look(tmp_path, count) for count in (100, 800))

    assert many - few < 8 * 700  # not so much as an address each


class CountedView(LearningLogView):
    """A log view that counts how often it checks the log, and how often it reads a whole run."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.counts = Counter[str]()

    def new_records(self) -> list[Record]:
        self.counts["news"] += 1
        return super().new_records()

    def records_of(self, kinds: Iterable[type[Event]], run: str, session: str) -> Iterator[Record]:
        self.counts["runs"] += 1
        return super().records_of(kinds, run, session)


@pytest.mark.parametrize(
    ("turns", "news", "runs"),
    [((turn(None),), 3, 0), ((turn(green()),), 4, 0), ((turn(red(COMMAS)), turn(green())), 5, 1)],
)
def test_the_log_of_a_run_is_only_read_again_when_it_taught_something(
    turns: tuple[Iteration, ...], news: int, runs: int, tmp_path: Path
) -> None:
    id = "00000001"
    result = lesson(*turns, task=Task("Export the invoices", project="pond", session=session_of(id))).result
    hook = LearningHook(sessions=tmp_path, reflect=False)
    hook.log_view = view = CountedView(tmp_path)
    run = Lent(id, result.task, Log(tmp_path))

    async def story() -> None:
        await run.emit(events.TaskStarted(result.task, "m"))
        await hook.after_recall(Recall(()), result.task, cast(Run, run))  # all of a run that it needs
        await run.emit(events.RunCompleted(result.decision, Cost()))
        await hook.before_learn(result, cast(Run, run))  # as above

    asyncio.run(story())

    assert {"news": news, "runs": runs} == {"runs": 0, **view.counts}


def test_a_process_keeps_nothing_of_runs_that_were_interrupted(tmp_path: Path) -> None:
    hook, task = LearningHook(sessions=tmp_path), Task("Export the invoices", project="pond", session="one")
    run = cast(Run, Lent("00000001", task, Log(tmp_path)))  # all of a run that it needs

    asyncio.run(hook.after_recall(Recall(), task, run))
    hook.on_event(events.RunFailed("interrupted"), run)

    assert set() == hook.without_messages
