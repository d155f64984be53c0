"""What a task has to say to be about an entry: what its words have meant before, and what they say by themselves."""

from dataclasses import replace

import pytest

from openkoi_hookspecs import Hit, LearningStatus, Passage, Recall, Record, Task
from openkoi_learning.entry import EntryEvidence, LearningEntry, Trust, archive_entry
from openkoi_learning.events import EntriesShown, EntryUpdated, OutcomeCredited
from openkoi_learning.hook import find_similar
from openkoi_learning.relevance import contained_share, is_similar, relevance_of, score_words
from openkoi_learning.selection import TaskQuery
from openkoi_learning.state import LearningState

pytestmark = pytest.mark.unit

NOW = "2026-03-01T00:00:00Z"
PROOF = EntryEvidence(run="r", finding="charset does not fit")
ENTRY = LearningEntry(
    "e1", "heuristic", "charset does not fit: Use `utf-8-sig`.", project="pond", trust=Trust.CHECK, proofs=(PROOF,),
    standing=LearningStatus.ACTIVE, since=NOW,
)  # fmt: skip


def lived(*tasks: tuple[str, bool, bool], when: tuple[str, ...] = ()) -> LearningState:
    """A ledger after some tasks: their words, whether the entry was shown, and whether it was to blame."""
    book = LearningState()
    book.apply(Record("e", NOW, "r", EntryUpdated(replace(ENTRY, when=when))))
    for number, (text, shown, blamed) in enumerate(tasks):
        run = f"r{number}"
        book.apply(Record(run, NOW, run, EntriesShown(text, "pond", "m", ("e1",) if shown else ())))
        book.apply(Record(f"{run}!", NOW, run, OutcomeCredited(not blamed, ("e1",) if blamed else ())))
    return book


def relevance(book: LearningState, task: str) -> float:
    entry, weighed = book.entries["e1"], book.weigh_task(task, "pond")
    return relevance_of(entry, score_words(entry, weighed.words, book.word_statistics(entry, "pond")), weighed)


def test_the_words_in_which_a_fault_came_up_mean_its_entry_whatever_its_own_words_are() -> None:
    book = lived(("Ingest goods from the feed", False, True), when=("Ingest goods from the feed",))

    assert relevance(book, "Ingest goods from the feed before noon") > 0.5
    assert 0.0 == relevance(book, "Water the roses")


def test_a_word_that_many_other_tasks_have_means_little() -> None:
    often = [(f"Water the roses before noon in bed {number}", False, False) for number in range(9)]
    book = lived(("Ingest goods before noon", False, True), *often, when=("Ingest goods before noon",))

    assert relevance(book, "Cut the hedge before noon") < 0.25 < relevance(book, "Ingest goods")


def test_to_be_shown_where_all_went_well_tells_nothing_against_an_entry() -> None:
    well = [("Ingest goods from the feed", True, False)] * 12
    book = lived(("Ingest goods from the feed", False, True), *well, when=("Ingest goods from the feed",))

    assert relevance(book, "Ingest goods from the feed") > 0.25


def test_two_words_of_its_own_are_enough_for_an_entry_that_was_never_needed_yet() -> None:
    book = lived(("Mend the charset and the fit of the coat", False, False))

    assert relevance(book, "Does the charset fit") > 0.5


def test_how_much_of_a_task_stands_in_a_text_is_told_by_its_rare_words() -> None:
    task = lived(*[(f"Water bed {number} before noon", False, False) for number in range(9)]).weigh_task(
        "Ingest goods before noon", "pond"
    )

    assert (
        contained_share(task, "Ingest goods from the feed") > 0.5 > contained_share(task, "Water the roses before noon")
    )
    assert 0.0 == contained_share(lived().weigh_task("", "pond"), "x")


def test_what_takes_the_place_of_another_is_needed_where_that_was() -> None:
    book = lived(("Ingest goods from the feed", False, True), when=("Ingest goods from the feed",))
    newer = replace(ENTRY, id="e2", text="charset: Use `latin`.", when=("Load the articles",))
    book.apply(Record("f", NOW, "r", EntryUpdated(newer)))
    before = book.word_statistics(newer, "pond").subject_counts.get("feed", 0)
    book.apply(Record("g", NOW, "r", EntryUpdated(archive_entry(book.entries["e1"], NOW, "contradicted", by="e2"))))

    assert (0, 1) == (before, book.word_statistics(newer, "pond").subject_counts["feed"])


def test_of_past_tasks_those_are_told_that_are_alike_and_quote_nothing_that_was_put_away() -> None:
    book = lived(*[(f"Water bed {number} before noon", False, False) for number in range(9)])
    wrong = replace(ENTRY, id="e2", advice="Set the charset of goods to `latin`.", standing=LearningStatus.ARCHIVED)
    book.apply(Record("f", NOW, "r", EntryUpdated(wrong)))
    alike = Hit(Passage("1", "Ingest goods from the feed\nAccepted after 1 iteration.", kind="task"), 1.0)
    misled = Hit(Passage("2", f"Ingest goods\nFixed during the task: charset: {wrong.advice}", kind="task"), 1.0)
    other = Hit(Passage("3", "Water the roses before noon", kind="task"), 1.0)
    task = Task("Ingest goods before noon")
    asked = TaskQuery(run="r", text=task.text, project="pond", now=NOW)

    assert [alike] == list(find_similar(Recall([alike, misled, other]), book, asked, task).hits)
    meant = replace(other, similarity=0.5)
    assert [alike, meant] == list(find_similar(Recall([alike, meant]), book, asked, task).hits)


def test_a_text_is_like_a_task_by_most_of_its_words_or_by_a_name() -> None:
    task = lived(("Summarise invoice 4711 of customer Meier", False, False)).weigh_task(
        "Summarise invoice 4712 of customer Meier", "pond"
    )

    assert is_similar(task, "Summarise invoice 4711 of customer Meier")
    assert not is_similar(task, "Summarise the weather")
    assert not is_similar(lived().weigh_task("", "pond"), "Summarise invoice 4711")
    assert is_similar(lived().weigh_task("Fix error E1234 in the parser", "pond"), "Handle E1234 when parsing")
