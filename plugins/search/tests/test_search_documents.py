"""Test that records become searchable documents in any order."""

from random import Random

from openkoi_hookspecs import Learning, LearningStatus, Query, Record, Task
from openkoi_hookspecs.events import LearningSaved, TaskStarted
from openkoi_search.documents import MemoryDocument, documents_of
from openkoi_search.scopes import EVERYONE, scope_of
from openkoi_testing.contracts.memory_log import many_runs, run_records, talk_records


def found(records: list[Record]) -> set[MemoryDocument]:
    return set(documents_of(records))


def saved(id: str, run: str, at: int, **fields: object) -> Record:
    learning = Learning("l1", "fact", f"The pond is {at} metres deep", **fields)  # type: ignore[arg-type]  # of any kind
    return Record(id, f"2026-01-01T00:00:0{at}", run, LearningSaved(learning))


def test_any_order_gives_the_same_documents() -> None:
    log = [*many_runs(4), *talk_records("run1", "The parser of the ledger needs a fixture for grammars.")]
    mixed = [*log]
    Random(7).shuffle(mixed)

    assert found(log) == found(mixed)
    assert {"task", "transcript"} <= {one.memo.kind for one in found(log)}


def test_a_task_without_a_result_and_a_run_without_its_beginning_are_not_found() -> None:
    records = run_records("r1", "Fix the invoice parser")

    assert [] == [*documents_of(records[:-2])]
    assert [] == [*documents_of(records[1:])]


def test_a_learning_is_in_the_project_of_the_first_run_that_saved_it_as_it_was_saved_last() -> None:
    home = [Record(f"s{run}", "2026-01-01", run, TaskStarted(Task("t", project=run))) for run in ("one", "other")]
    [document] = documents_of([saved("b", "other", 2), *home, saved("a", "one", 1)])

    assert (scope_of("one"), "The pond is 2 metres deep") == (document.scope, document.memo.text)


def test_a_learning_for_everyone_is_in_everyone_s_scope_and_an_archived_one_in_none() -> None:
    [document] = documents_of([saved("a", "one", 1, scope="global")])

    assert EVERYONE == document.scope
    assert [] == [*documents_of([saved("a", "one", 1), saved("b", "one", 2, status=LearningStatus.ARCHIVED)])]


def test_a_query_sees_the_scope_of_its_project_and_its_kinds_and_keys() -> None:
    document = MemoryDocument(Learning("l1", "fact", "Deep"), scope_of("one"), "", ("pond.py",))

    assert document.answers(Query("deep", project="one"))
    assert document.answers(Query("deep", scope="all", keys=("pond.py", "a.py"), kinds=("fact",)))
    assert not document.answers(Query("deep", project="other"))
    assert not document.answers(Query("deep", project="one", kinds=("task",)))
    assert not document.answers(Query("deep", project="one", keys=("a.py",)))
