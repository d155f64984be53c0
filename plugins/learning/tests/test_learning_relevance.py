"""Test which words of a task make an entry relevant: by earlier evidence, and by themselves."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from openkoi_hookspecs import Hit, LearningStatus, Passage, Recall, Record, Task
from openkoi_learning.content import terms_of
from openkoi_learning.entry import EntryEvidence, LearningEntry, Trust
from openkoi_learning.events import EntriesShown, EntryUpdated, OutcomeCredited
from openkoi_learning.recalled_tasks import find_similar
from openkoi_learning.relevance import Evidence, Rivals, needed_share, right_share, score_rivals
from openkoi_learning.selection import TaskQuery
from openkoi_learning.state import LearningState
from openkoi_learning.views import format_page

pytestmark = pytest.mark.unit

NOW = "2026-03-01T00:00:00Z"
PROOF = EntryEvidence(run="r", finding="charset does not fit")
ENTRY = LearningEntry(
    "e1", "heuristic", "charset does not fit: Use `utf-8-sig`.", project="pond", trust=Trust.CHECK, proofs=(PROOF,),
    standing=LearningStatus.ACTIVE, since=NOW,
)  # fmt: skip

VERBS = ("Write", "Plot", "Fix", "Move", "Test", "Merge", "Check", "Draft")
NAMES = ("invoice", "map", "login", "backup", "parser", "list", "feed", "letter")


def lived(*tasks: tuple[str, bool, bool], when: tuple[str, ...] = ()) -> LearningState:
    """A learning state after some tasks: their words, whether the entry was shown, and whether it was to blame."""
    book = LearningState()
    book.apply(Record("e", NOW, "r", EntryUpdated(replace(ENTRY, when=when))))
    for number, (text, shown, blamed) in enumerate(tasks):
        run = f"r{number}"
        book.apply(Record(run, NOW, run, EntriesShown(text, "pond", "m", ("e1",) if shown else ())))
        book.apply(Record(f"{run}!", NOW, run, OutcomeCredited(not blamed, ("e1",) if blamed else ())))
    return book


def needed(book: LearningState, task: str) -> float:
    """How likely a task needs the entry."""
    entry = book.entries["e1"]
    rows = [(one.number, one.words) for one in book.evidence("e1", "pond")]
    return needed_share(terms_of(task), rows, terms_of(entry.text), book.history("pond"))


def scores(task: str, evidence: Mapping[str, Sequence[Evidence]], **states: str) -> Mapping[str, float]:
    """How entries about one subject compare in a task, of which some state a condition."""
    rivals = Rivals(evidence, {id: terms_of(text) for id, text in states.items()})
    return score_rivals(rivals.applicable(terms_of(task)))


def seen(id: str, *tasks: str, start: int = 0, confirmed: bool = True) -> dict[str, list[Evidence]]:
    """Runs that say something about an entry, each third number one of them."""
    return {id: [Evidence(start + 3 * at, terms_of(task), confirmed) for at, task in enumerate(tasks)]}


def test_the_words_of_tasks_that_needed_an_entry_mean_it_whatever_its_own_words_are() -> None:
    book = lived(("Ingest goods from the feed", True, True))

    assert needed(book, "Ingest goods from the feed before noon") > 0.5 > needed(book, "Water the roses")


def test_a_word_that_many_other_tasks_have_means_little() -> None:
    often = [(f"Water the roses before noon in bed {number}", False, False) for number in range(9)]
    book = lived(*often, ("Ingest goods before noon", True, False))

    assert needed(book, "Cut the hedge before noon") < 0.35 < needed(book, "Ingest goods")


def test_an_entry_that_most_tasks_needed_is_needed_in_every_task() -> None:
    rule = lived(*[(f"Task about w{number}", True, False) for number in range(9)])
    topic = lived(*[(f"Task about w{number}", number < 3, False) for number in range(9)])

    assert needed(rule, "Something quite new") > 0.8 > 0.3 > needed(topic, "Something quite new")


def test_newer_evidence_counts_for_more_than_older() -> None:
    good, bad = (Evidence(0, frozenset(), confirmed=True), Evidence(1, frozenset(), confirmed=False))

    assert right_share([bad, replace(good, number=2)], 0.5) > 0.5 > right_share([good, bad], 0.5)
    assert 0.8 == right_share([], 0.8)


def test_of_two_entries_about_one_subject_the_one_that_was_right_in_such_tasks_wins() -> None:
    usual = [Evidence(number, terms_of(f"Export the invoice w{number}"), confirmed=True) for number in range(0, 8, 2)]
    special = [
        Evidence(number, terms_of(f"Export the invoice on Windows w{number}"), confirmed=True) for number in (1, 3, 7)
    ]

    def winner(task: str) -> str:
        found = scores(task, {"usual": usual, "special": special})
        return max(found, key=lambda one: found[one])

    assert ("special", "usual") == (winner("Export an invoice on Windows"), winner("Export an invoice"))


def test_a_condition_that_an_entry_states_counts_from_its_first_task_on() -> None:
    usual, special = (
        seen("usual", *["Export the invoice"] * 4),
        seen("special", "Export the invoice on Windows", start=1),
    )

    def lead(**states: str) -> float:
        found = scores("Export an invoice on Windows", {**usual, **special}, **states)
        return found["special"] - found["usual"]

    assert lead(special="Windows") > 0 > lead()


def test_a_word_that_only_goes_along_with_a_condition_is_none() -> None:
    tasks = ["Print for a council", "Paint", "Print for a council", "Mend"] * 3 + [
        "Bind for a council",
        "Print",
        "Mend",
    ]
    right: dict[str, list[Evidence]] = {"special": [], "usual": []}
    for number, task in enumerate(tasks):
        id = "special" if "council" in task else "usual"
        right[id].append(Evidence(number, terms_of(task), confirmed=True))

    assert terms_of("council") == Rivals(right, {}).conditions()


def test_a_refuted_entry_gives_way_to_the_one_that_was_accepted_instead() -> None:
    old = seen("old", *["Export the invoice"] * 3)["old"] + seen("", "Export it", start=9, confirmed=False)[""]
    found = scores("Export an invoice", {"old": old, **seen("new", "Export it", start=9)})

    assert found["new"] > found["old"]


def test_after_a_change_the_newer_of_two_entries_wins_soon() -> None:
    old = [Evidence(number, terms_of(f"Export the invoice w{number}"), confirmed=True) for number in range(9)]
    new = [Evidence(number, terms_of(f"Export the invoice w{number}"), confirmed=True) for number in (9, 10, 11)]
    found = scores("Export an invoice", {"old": old, "new": new})

    assert found["new"] > found["old"]


def test_of_past_tasks_those_are_told_that_are_alike_and_quote_nothing_that_was_put_away() -> None:
    book = lived()
    wrong = replace(ENTRY, id="e2", advice="Set the charset of goods to `latin`.", standing=LearningStatus.ARCHIVED)
    book.apply(Record("f", NOW, "r", EntryUpdated(wrong)))
    alike = Hit(Passage("1", "Ingest goods from the feed\nAccepted after 1 iteration.", kind="task"), 1.0)
    misled = Hit(Passage("2", f"Ingest goods\nFixed during the task: charset: {wrong.advice}", kind="task"), 1.0)
    other = Hit(Passage("3", "Water the roses before noon", kind="task"), 1.0)
    task = Task("Ingest goods before noon")
    query = TaskQuery(run="r", text=task.text, project="pond", now=NOW)

    assert [alike] == list(find_similar(Recall([alike, misled, other]), book, query, task).hits)
    hit = replace(other, similarity=0.5)
    assert [alike, hit] == list(find_similar(Recall([alike, hit]), book, query, task).hits)


@pytest.mark.parametrize(
    ("tasks", "everywhere"),
    [
        ([f"Update the sales report of {month} 2026-0{month}" for month in range(1, 9)], False),
        ([f"{verb} the {name}" for verb, name in zip(VERBS, NAMES, strict=True)], True),
    ],
    ids=["near-copies", "unlike"],
)
def test_only_what_unlike_tasks_needed_is_needed_in_every_task(tasks: list[str], everywhere: bool) -> None:
    book = lived(*[(task, True, False) for task in tasks])

    assert everywhere is (needed(book, "Something quite new") > 0.5)
    count, where = (8, "every task of the project") if everywhere else (1, "similar tasks")
    assert f"  needed:    by 8 of 8 tasks, {count} not counting near-copies; shown in {where}\n" in format_page(
        book, book.entries["e1"], NOW
    )
