"""What the state of learning keeps of a project's runs, however many there are."""

from collections.abc import Iterator

from learning_builders import NOW, book, entry

from openkoi_hookspecs import Event, Task, events
from openkoi_learning.entry import EntryEvidence
from openkoi_learning.events import EntriesShown, OutcomeCredited
from openkoi_learning.state import LearningState

FEW, MANY = 300, 600


def lived(count: int, *, first: int = 0) -> Iterator[tuple[str, Event]]:
    """Runs that were shown an entry, and that nobody evaluated."""
    for number in range(first, first + count):
        run = f"r{number}"
        yield run, events.TaskStarted(Task("Water the roses", project="pond"), "m")
        yield run, EntriesShown("Water the roses", "pond", "m", ("e",))


def size(state: LearningState) -> int:
    """How many runs are remembered in all places."""
    lists = (*state.projects.values(), *state.eligible_runs.values())
    return len(state.exposures) + len(state.origins) + sum(map(len, lists))


def test_a_process_of_many_tasks_remembers_no_more_runs() -> None:
    few, many = (book([], *lived(count)) for count in (FEW, MANY))

    assert size(few) == size(many) > 0
    assert (FEW, MANY) == (few.history("pond").count, many.history("pond").count)


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
