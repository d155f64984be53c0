"""Test which entries a run is shown, and in which order."""

import sys
from dataclasses import replace

import pytest
from learning_builders import NEVER, NOW, asked, book, entry

from openkoi_hookspecs import (
    Hit,
    LearningStatus,
    Passage,
    Recall,
    Record,
)
from openkoi_learning.content import read_line
from openkoi_learning.entry import EntryEvidence, LearningEntry, Trust
from openkoi_learning.events import EntriesShown, OutcomeCredited
from openkoi_learning.recalled_tasks import fit_past_tasks, is_held_out, past_tasks_of
from openkoi_learning.selection import Selection, SelectionRules, select_entries
from openkoi_learning.thresholds import MAX_COMPARED
from openkoi_learning.user_actions import pin_entry
from openkoi_learning.views import format_list

pytestmark = pytest.mark.unit


def test_a_projects_memory_never_leaves_it() -> None:
    state = book([entry("Export invoices by `tab`.", project="lake"), entry("Export invoices by `x`.", scope="user")])

    assert ["Export invoices by `x`."] == [one.text for one in select_entries(state, asked(), NEVER).shown]


def test_what_is_not_about_the_task_is_not_shown_however_much_room_there_is() -> None:
    state = book([entry("Export invoices by `tab`."), entry("Water the roses.")])

    assert ["Export invoices by `tab`."] == [one.text for one in select_entries(state, asked(), NEVER).shown]


@pytest.mark.row("MEM-11", "C68")
def test_similar_tasks_are_told_only_where_half_of_the_room_is_left_and_three_at_most() -> None:
    past = Recall(tuple(Hit(Passage(f"p{n}", f"Task {n} went well."), 0.5) for n in range(5)))
    few, many = Selection((entry(),), ()), Selection(tuple(entry("x" * 190) for _ in range(7)), ())

    assert (3, 0) == (
        len(fit_past_tasks(past, few, SelectionRules())),
        len(fit_past_tasks(past, many, SelectionRules())),
    )


def test_past_tasks_are_held_out_of_some_runs_and_of_none_once_they_are_pinned() -> None:
    state, draws = book([]), [asked(run=f"r{n}") for n in range(300)]
    past = past_tasks_of(state, draws[0])

    def share(one: LearningEntry) -> float:
        return sum(is_held_out(state, one, query, SelectionRules()) for query in draws) / len(draws)

    assert 0.05 < share(past) < 0.15
    assert 0.0 == share(pin_entry(past, NOW))


@pytest.mark.row("C68")
def test_eight_entries_and_six_hundred_tokens_at_most_and_usually_no_more_than_what_is_likely_needed() -> None:
    many = [entry(f"Export invoices number_{n} {f'w{n}ll x{n} y{n} ' * 9}", base=0.9) for n in range(20)]
    doubtful = [replace(one, base=0.6) for one in many]

    assert 8 == len(select_entries(book(many), asked(), NEVER).shown)
    assert 120 >= sum(one.tokens for one in select_entries(book(doubtful), asked(), NEVER).shown) > 60
    assert (
        sum(one.tokens for one in select_entries(book(many), asked(), SelectionRules(tokens=100, withheld=0.0)).shown)
        <= 100
    )


@pytest.mark.row("C20", "LEARN-08")
def test_preferences_are_recalled_and_traps_stand_first() -> None:
    output = book(
        [
            entry("Export invoices by `tab`."),
            replace(entry("Export invoices politely."), kind="preference", trust=Trust.PERSON),
            replace(entry("Do not: export invoices twice."), kind="anti_pattern"),
        ]
    )

    assert ["anti_pattern", "heuristic", "preference"] == sorted(
        one.kind for one in select_entries(output, asked(), NEVER).shown
    )
    assert "anti_pattern" == select_entries(output, asked(), NEVER).shown[0].kind


def test_the_same_run_is_shown_the_same() -> None:
    guess = {"standing": LearningStatus.PROBATION, "trust": Trust.MODEL}
    state = book([entry(f"Export invoices w{n} x{n} by step_{n}.", **guess) for n in range(12)])

    assert select_entries(state, asked(), SelectionRules()) == select_entries(state, asked(), SelectionRules())
    assert any(select_entries(state, asked(run=str(n)), SelectionRules(withheld=0.3)).withheld for n in range(20))


def test_what_a_person_stands_for_is_never_withheld() -> None:
    mine = entry("Export invoices by `tab`.", trust=Trust.PERSON)
    always = SelectionRules(withheld=1.0)

    assert () == select_entries(book([mine]), asked(), always).withheld
    guess = replace(mine, trust=Trust.MODEL, standing=LearningStatus.PROBATION)
    assert select_entries(book([guess]), asked(), always).withheld


def test_what_a_check_bore_out_is_shown_when_it_first_fits() -> None:
    proved = entry("Export invoices by `tab`.", trust=Trust.CHECK, proofs=(EntryEvidence(run="run1", rule="columns"),))
    state, always = book([proved]), SelectionRules(withheld=1.0)
    first = select_entries(state, asked(), always)
    state.apply(Record("s", NOW, "r1", EntriesShown("Export the invoices", "pond", "m", (proved.id,))))
    state.apply(Record("c", NOW, "r1", OutcomeCredited(True)))

    assert [proved] == list(first.shown)
    assert [proved.id] == [one.id for one in select_entries(state, asked(), always).withheld]


def test_of_two_that_contradict_each_other_only_the_better_is_shown() -> None:
    proof = EntryEvidence(run="run1", rule="columns")
    state = book(
        [
            entry("Export invoices by `tab`.", proofs=(proof,)),
            entry("Export invoices by `x`.", proofs=(proof,), base=0.9),
        ]
    )

    assert ["Export invoices by `x`."] == [one.text for one in select_entries(state, asked(), NEVER).shown]


FIX = "fixed by `return a + b`"
FIXED = [
    entry(f"test_{name}: {FIX}", advice=FIX, content=("a + b",), subject=f"check test_{name}", when=("Fix the tests",))
    for name in ("one", "two", "three")
]


def test_a_line_that_fixed_several_checks_is_shown_once_and_not_when_it_is_held_out() -> None:
    state = book(FIXED)
    always = SelectionRules(withheld=1.0)
    used = [(f"run{n}", EntriesShown("Fix the tests", "pond", "m", (FIXED[0].id,))) for n in range(2)]
    ended = [(run, OutcomeCredited(True, confirmed=(FIXED[0].id,))) for run, _ in used]

    held = [select_entries(book(FIXED, *used, *ended), asked("Fix the tests", run=run), always) for run in "abcdefghij"]

    assert 1 == len(select_entries(state, asked("Fix the tests"), NEVER).shown)
    assert {0, 1} == {len(one.withheld) for one in held}
    assert {1} == {len(one.shown) + len(one.withheld) for one in held}


def test_a_line_that_fixed_several_checks_is_listed_once_in_full_before_the_other_checks() -> None:
    first, *others = format_list(book(FIXED), FIXED).splitlines()

    assert "`return a + b`" in first
    assert [True, True] == ["fixed by the same line" in one for one in others]
    assert {one.id for one in FIXED} == {line.split()[0] for line in (first, *others)}


def test_what_faded_is_not_shown_and_what_helped_since_is() -> None:
    old = entry("Export invoices by `tab`.", since="2024-01-01T00:00:00Z")

    assert () == select_entries(book([old]), asked(), NEVER).shown
    assert 1 == len(select_entries(book([replace(old, pinned=True)]), asked(), NEVER).shown)


def test_what_only_happened_often_is_kept_for_review_and_not_shown() -> None:
    bare = entry(
        "Check the export of invoices.", standing=LearningStatus.PROBATION, trust=Trust.MODEL, origin="pattern"
    )
    advice = entry("Export invoices by `tab`.", standing=LearningStatus.PROBATION, trust=Trust.MODEL)

    assert [advice.text] == [one.text for one in select_entries(book([bare, advice]), asked(), NEVER).shown]
    assert () == select_entries(book([bare]), asked(), NEVER).shown


def test_a_task_compares_some_of_many_entries_that_it_needs_in_pairs() -> None:
    many = [
        entry(f"Case of key {n} is `kebab{n}`.", content=(f"kebab{n}",), when=("Export the carp",)) for n in range(300)
    ]
    many = [replace(one, id=f"e{n}") for n, one in enumerate(many)]
    pairs: list[str] = []

    sys.setprofile(lambda frame, what, _: pairs.append(what) if frame.f_code.co_name == "are_alternatives" else None)
    try:
        shown = select_entries(book(many), asked("Export the carp with the case of its keys"), NEVER).shown
    finally:
        sys.setprofile(None)

    assert shown
    assert pairs.count("call") <= MAX_COMPARED * (MAX_COMPARED - 1) / 2


def test_a_line_of_many_spaces_is_read_at_once() -> None:
    assert ["", "a key"] == [read_line(text).sets for text in (f"x{' ' * 300_000}y", "a key = 1")]
