"""Test whether entries help or harm, how their worth decays, and their resulting status."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from learning_builders import NOW, book, entry

from openkoi_hookspecs import Event, LearningStatus, Record
from openkoi_learning.credit_assignment import is_refuted, status_changes
from openkoi_learning.decay import Decay, decayed_worth, expires_at
from openkoi_learning.effectiveness import (
    EntryOutcome,
    count_outcomes,
    estimate_uplift,
    estimate_utility,
    holdout_rate,
    is_harmful,
    is_idle,
    random_share,
)
from openkoi_learning.entry import EntryEvidence, LearningEntry, Trust
from openkoi_learning.events import EntriesShown, EntryUpdated, OutcomeCredited
from openkoi_learning.relevance import Evidence
from openkoi_learning.user_actions import restore_entry

pytestmark = pytest.mark.unit


def used(*outcomes: str) -> list[EntryOutcome]:
    """``+`` shown and passed, ``-`` shown and blamed, ``o`` shown and failed elsewhere, ``w``, ``W`` withheld."""
    return [
        EntryOutcome(str(n), "m", kind in "+-o", kind in "+W", kind in "-w") for n, kind in enumerate("".join(outcomes))
    ]  # fmt: skip


@pytest.mark.parametrize("usual", [0.05, 0.5, 0.95])
@pytest.mark.parametrize("uses", ["", "+" * 20, "-" * 20, "w" * 20, "W" * 20])
def test_without_runs_on_both_sides_the_lift_may_be_help_or_harm(uses: str, usual: float) -> None:
    found = estimate_uplift(used(uses), usual)

    assert -1 <= found.low < 0 < found.high <= 1
    assert found.high - found.low > 1


def test_the_lift_compares_with_and_without() -> None:
    helps, harms = estimate_uplift(used("+" * 20, "w" * 8), 0.5), estimate_uplift(used("-" * 8, "W" * 8), 0.5)

    assert helps.low > 0 > harms.high
    assert estimate_uplift(used("+" * 3, "w"), 0.5).low < 0


def test_harm_is_what_held_out_runs_show() -> None:
    assert is_harmful(used("oooooo", "W" * 12), 0.8)
    assert not is_harmful(used("++++oo", "W" * 3), 0.6)
    assert not is_harmful(used("------"), 0.6)


@pytest.mark.parametrize(
    ("outcomes", "harmful"), [("-", True), ("+-", False), ("+--", False), ("+---", True), ("+--+-", False), ("", False)]
)
def test_three_refutations_in_a_row_or_one_without_any_confirmation_archive_an_entry(
    outcomes: str, harmful: bool
) -> None:
    evidence = [Evidence(number, frozenset(), one == "+") for number, one in enumerate(outcomes)]

    assert harmful is is_refuted(evidence, visible=True)


def test_what_no_result_can_show_is_not_archived_after_one_bad_attempt() -> None:
    once = [Evidence(0, frozenset(), confirmed=False)]

    assert not is_refuted(once, visible=False)
    assert is_refuted([replace(once[0], number=number) for number in range(3)], visible=False)


def test_what_makes_no_difference_is_found_out() -> None:
    assert is_idle(used("+" * 40, "W" * 12), 0.95)
    assert not is_idle(used("+" * 40, "w" * 6), 0.9)


def test_worth_falls_with_harm_more_than_it_rises_with_help() -> None:
    assert estimate_utility((), 0.5) == 0.5
    assert estimate_utility(used("+-"), 0.5) < 0.5 < estimate_utility(used("+"), 0.5)
    assert (3, 1, 1, 1) == tuple(
        getattr(count_outcomes(used("+-ow")), name) for name in ("shown", "helpful", "harmful", "withheld")
    )


def test_drawing_lots_is_the_same_for_the_same_run_and_fair_over_many() -> None:
    assert random_share("r", "e") == random_share("r", "e")
    assert 0.07 < sum(random_share(str(run), "e") < 0.1 for run in range(2000)) / 2000 < 0.13
    rates = [holdout_rate(count_outcomes(used("+" * shown)), 0.1, proved=shown > 50) for shown in (0, 30, 60)]
    assert rates == sorted(rates, reverse=True)
    assert [0.1, 0.05] == pytest.approx([rates[0], rates[-1]])


def test_an_entry_that_results_confirm_is_held_out_less_with_each_run_that_was_without_it() -> None:
    rates = [holdout_rate(count_outcomes(used("+" * 60, "w" * without)), 0.1, proved=True) for without in (0, 1, 3)]

    assert [0.05, 0.025, 0.0125] == pytest.approx(rates)


@pytest.mark.row("C22", "MEM-12")
@given(st.lists(st.integers(0, 90), max_size=8))
def test_any_number_of_runs_fades_an_entry_as_much_as_one(days: list[int]) -> None:
    asked = [
        decayed_worth(0.8, "2026-01-01T00:00:00Z", f"2026-{1 + day // 30:02}-{1 + day % 28:02}T00:00:00Z")
        for day in days
    ]

    assert all(0 < one <= 0.8 for one in asked)
    assert pytest.approx(0.44, abs=0.01) == decayed_worth(0.8, "2026-01-01T00:00:00Z", "2026-03-26T00:00:00Z")
    assert "2026-10" == expires_at(0.8, "2026-01-01T00:00:00Z")[:7]
    assert "2026-05" == expires_at(0.8, "2026-01-01T00:00:00Z", Decay(per_week=0.1))[:7]
    assert "2026-04" == expires_at(0.8, "2026-01-01T00:00:00Z", Decay(hide_below=0.4))[:7]


@pytest.mark.row("MEM-13", "C54")
def test_help_restarts_the_clock_and_being_shown_does_not() -> None:
    one = entry(since="2026-01-01T00:00:00Z")
    failed = [("r1", EntriesShown("export", "pond", "m", (one.id,))), ("r1", OutcomeCredited(False))]
    passed = [("r2", EntriesShown("export", "pond", "m", (one.id,))), ("r2", OutcomeCredited(True))]

    assert ("2026-01-01T00:00:00Z", 0) == (
        book([one], *failed).last_helped(one),
        count_outcomes(book([one], *failed).outcomes(one.id)).helpful,
    )
    assert (NOW, 1) == (
        book([one], *failed, *passed).last_helped(one),
        count_outcomes(book([one], *passed).outcomes(one.id)).helpful,
    )


def tried(id: str, text: str, withheld: str) -> list[tuple[str, Event]]:
    """Runs in which an entry was shown, then runs in which it was withheld: ``+`` passed, ``-`` did not."""
    output: list[tuple[str, Event]] = []
    for number, (there, went) in enumerate([(True, one) for one in text] + [(False, one) for one in withheld]):
        visit = EntriesShown("export", "pond", "m", (id,)) if there else EntriesShown("export", "pond", "m", (), (id,))
        output += [(f"r{number}", visit), (f"r{number}", OutcomeCredited(went == "+"))]
    return output


def test_probation_ends_when_runs_without_it_prove_that_it_helps_and_what_was_read_stays_quoted() -> None:
    guess = entry("Export invoices by `tab`.", standing=LearningStatus.PROBATION, trust=Trust.MODEL)

    def settling(one: LearningEntry, text: str, withheld: str) -> list[tuple[LearningStatus, bool]]:
        state = book([one], *tried(one.id, text, withheld))
        return [(each.standing, each.is_untrusted) for each in status_changes(state, [one.id], "pond", NOW)]

    assert [] == settling(guess, "+", "")
    assert [] == settling(guess, "+" * 12, "--")
    assert [] == settling(guess, "+" * 12, "++++")
    assert [(LearningStatus.ACTIVE, False)] == settling(guess, "+" * 12, "----")
    assert [] == settling(replace(guess, trust=Trust.PAGE), "+" * 12, "----")
    assert [] == settling(replace(guess, trust=Trust.TOOL), "+" * 12, "----")


def test_what_only_happened_often_must_make_a_difference_before_it_is_more_than_a_guess() -> None:
    bare = entry("Check x before answering.", standing=LearningStatus.PROBATION, trust=Trust.MODEL, origin="pattern")
    helped = [
        one
        for n in range(9)
        for one in ((f"r{n}", EntriesShown("export", "pond", "m", (bare.id,))), (f"r{n}", OutcomeCredited(True)))
    ]
    missed = [
        one
        for n in range(9)
        for one in ((f"w{n}", EntriesShown("x", "pond", "m", (), (bare.id,))), (f"w{n}", OutcomeCredited(False)))
    ]

    assert [] == list(status_changes(book([bare], *helped), [bare.id], "pond", NOW))
    assert [LearningStatus.ACTIVE] == [
        one.standing for one in status_changes(book([bare], *missed, *helped), [bare.id], "pond", NOW)
    ]


def test_what_a_result_refuted_in_any_task_is_not_verified_by_results_of_others() -> None:
    facts = {"standing": LearningStatus.PROBATION, "trust": Trust.MODEL, "subject": "separator"}
    proof = EntryEvidence(run="first", finding="Wrong separator", checked=True)
    tab = entry("Use `tab`.", content=("tab",), proofs=(proof,), when=("Export on windows",), **facts)
    comma = entry("Use `comma`.", content=("comma",), **facts)

    def settled(other: str, right: str, wrong: tuple[str, ...]) -> list[LearningStatus]:
        events: list[tuple[str, Event]] = []
        for number in range(12):
            task, confirmed, refuted = (other, (right,), wrong) if number % 2 else ("Export on windows", (tab.id,), ())
            run, shown = f"r{number}", EntriesShown(task, "pond", "m", ())
            events += [(run, shown), (run, OutcomeCredited(True, confirmed=confirmed, refuted=refuted))]
        return [one.standing for one in status_changes(book([tab, comma], *events), [tab.id], "pond", NOW)]

    assert [LearningStatus.ACTIVE] == settled("Export on windows", tab.id, ())
    assert [] == settled("Export on linux", comma.id, (tab.id,))


def test_what_the_user_restores_is_measured_again_so_that_its_next_run_does_not_archive_it_again() -> None:
    rule = entry("Export invoices by `tab`.")
    shown, held = EntriesShown("export", "pond", "m", (rule.id,)), EntriesShown("export", "pond", "m", (), (rule.id,))
    runs = [(f"run{n}", shown if n % 2 else held) for n in range(20)]
    ends = [(run, OutcomeCredited(one is held, refuted=(rule.id,))) for run, one in runs]
    state, again = book([rule], *runs, *ends), [("last", shown), ("last", OutcomeCredited(True))]

    [gone] = status_changes(state, [rule.id], "pond", NOW)
    for number, (run, event) in enumerate(
        [("", EntryUpdated(gone)), ("", EntryUpdated(restore_entry(gone, NOW))), *again]
    ):
        state.apply(Record(f"z{number}", NOW, run, event))

    assert not gone.is_live
    assert [] == list(status_changes(state, [rule.id], "pond", NOW))


def test_what_changes_in_a_restored_entry_does_not_make_it_measured_from_the_beginning_again() -> None:
    rule = entry("Export invoices by `tab`.")
    restored = restore_entry(replace(rule, standing=LearningStatus.ARCHIVED, until=NOW), NOW)
    shown = EntriesShown("export", "pond", "m", (rule.id,))
    story: list[tuple[str, Event]] = [("", EntryUpdated(restored)), ("run", shown), ("run", OutcomeCredited(True))]
    state = book([replace(rule, standing=LearningStatus.ARCHIVED, until=NOW)], *story)

    state.apply(Record("z", NOW, "", EntryUpdated(replace(restored, when=("export invoices",)))))

    assert 1 == len(state.outcomes(rule.id))
