"""Test repeated and contradicting observations, and the user's decisions about entries."""

from dataclasses import replace

import pytest
from learning_builders import NOW, book, entry

from openkoi_hookspecs import (
    LearningStatus,
)
from openkoi_hookspecs.events import LearningSaved
from openkoi_learning.entry import EntryEvidence, LearningEntry, Trust, archive_entry, learning_from_entry
from openkoi_learning.merge import Faults, merge_entries
from openkoi_learning.user_actions import approve_entry, dismiss_entry, pin_entry, restore_entry

pytestmark = pytest.mark.unit


@pytest.mark.row("LEARN-07", "C54")
@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("For exports, use the `semicolon`.", 1),
        ("Use `tab` for the export.", 2),
        ("Never use `semicolon` for the export.", 2),
        ("Use 3 `semicolon` for the export.", 2),
    ],
)
def test_a_paraphrase_merges_and_another_number_name_or_negation_does_not(text: str, count: int) -> None:
    proof = EntryEvidence(run="run1", rule="columns", where="export.py")
    old, new = (
        entry(proofs=(proof,)),
        entry(text, proofs=(replace(proof, run="run2"),), standing=LearningStatus.PROBATION),
    )

    known = {one.id: one for one in [old, *merge_entries([old], new, NOW)]}

    assert count == len(known)


def test_a_newer_contradiction_ends_an_opinion_that_a_result_refutes_and_results_decide_about_the_rest() -> None:
    proof = EntryEvidence(run="run1", rule="columns", where="export.py")
    verified, new = entry(proofs=(proof,)), entry("Use `tab` for the export.", proofs=(proof,))
    old = replace(verified, standing=LearningStatus.PROBATION, trust=Trust.MODEL)

    refuted = Faults(frozenset({old.id}))
    kept, ended = merge_entries([old], new, "2026-04-01T00:00:00Z", refuted)

    assert old.id == verified.id
    assert [new] == merge_entries([verified], new, NOW, refuted) == merge_entries([old], new, NOW)

    assert (new.id, LearningStatus.ARCHIVED, "2026-04-01T00:00:00Z") == (
        ended.superseded_by,
        ended.standing,
        ended.until,
    )
    assert kept == new


def test_a_guess_ends_nothing_and_a_persons_word_is_ended_by_no_machine() -> None:
    proof = EntryEvidence(run="run1", rule="columns", where="export.py")
    old, new = entry(proofs=(proof,)), entry("Use `tab` for the export.", proofs=(proof,))

    assert 1 == len(merge_entries([old], replace(new, standing=LearningStatus.PROBATION), NOW))
    assert 1 == len(merge_entries([replace(old, trust=Trust.PERSON)], new, NOW))


def test_words_that_name_a_condition_and_are_not_heeded_without_it_give_way_to_newer_ones() -> None:
    special = entry("On Windows use `tab`.", content=("tab",), when=("Port it on Windows", "Export for Windows"))
    wide = entry("Use `tab`, except on Macs.", content=("tab",), when=("Export",), trust=Trust.MODEL)
    plain = replace(special, text="Use `tab` as the separator.")
    unheeded = Faults(unheeded=frozenset({special.id}))
    entries = [merge_entries([one], wide, NOW, unheeded)[0] for one in (special, plain)]

    assert [(wide.text, Trust.MODEL), (plain.text, Trust.CHECK)] == [(one.text, one.trust) for one in entries]


def test_words_that_give_way_to_ones_of_lower_trust_end_with_their_entry_and_keep_their_subject() -> None:
    special = entry("On Windows use `tab`.", content=("tab",), when=("Port it on Windows", "Export for Windows"))
    wide = entry("Use `tab`, except on Macs.", content=("tab",), when=("Export",), trust=Trust.MODEL)
    page = replace(wide, trust=Trust.PAGE)

    kept, ended = merge_entries([special], wide, NOW, Faults(unheeded=frozenset({special.id})))
    [unchanged] = merge_entries([special], page, NOW, Faults(unheeded=frozenset({special.id})))

    assert (wide.text, special.topic, special.id) == (kept.text, kept.topic, ended.id)
    assert (False, kept.id) == (ended.is_live, ended.superseded_by)
    assert (special.text, Trust.CHECK) == (unchanged.text, unchanged.trust)


def test_what_a_person_dismissed_stays_away_however_often_it_is_learned() -> None:
    [again] = merge_entries([dismiss_entry(entry(), NOW)], entry(), NOW)

    assert LearningStatus.ARCHIVED is again.standing


def test_deeds_of_a_person() -> None:
    gone = archive_entry(entry(), NOW, "quarantined")

    assert LearningStatus.PROBATION is restore_entry(gone, NOW).standing
    assert restore_entry(gone, NOW).is_live
    assert (True, LearningStatus.ACTIVE) == (pin_entry(gone, NOW).pinned, pin_entry(gone, NOW).standing)
    assert not approve_entry(entry(trust=Trust.PAGE), NOW).is_untrusted


def test_another_plugin_may_archive_what_the_ledger_noted() -> None:
    one = entry()
    changed = replace(learning_from_entry(one), status=LearningStatus.ARCHIVED)

    assert not book([one], ("r", LearningSaved(changed))).entries[one.id].is_live


@pytest.mark.row("C19")
def test_a_pattern_of_old_is_a_heuristic() -> None:
    old = replace(learning_from_entry(entry()), kind="pattern")

    assert "heuristic" == book([], ("r", LearningSaved(old))).entries[old.id].kind


def test_pinning_approves_only_while_it_lasts() -> None:
    read = entry(trust=Trust.PAGE)

    restored = restore_entry(dismiss_entry(pin_entry(read, NOW), NOW), NOW)

    assert not pin_entry(read, NOW).is_untrusted
    assert (True, Trust.PAGE, False) == (restored.is_untrusted, restored.trust, restored.pinned)


def test_an_approval_ends_with_the_entry_and_what_the_user_wrote_stays_the_users() -> None:
    model, own = entry(trust=Trust.MODEL), entry(trust=Trust.PERSON, origin="user")

    def restored(one: LearningEntry) -> LearningEntry:
        return restore_entry(dismiss_entry(approve_entry(one, NOW), NOW), NOW)

    assert (True, Trust.PAGE) == (restored(model).is_untrusted, restored(model).trust)
    assert (False, Trust.PERSON) == (restored(own).is_untrusted, restored(own).trust)


def test_what_only_was_found_often_is_noted_once_a_rule_and_ends_once_an_entry_advises_about_it() -> None:
    def often(title: str, run: str) -> LearningEntry:
        proof = EntryEvidence(run=run, rule="style", finding=title)
        text = f"Check style before answering; it was blocked by: {title}"
        return replace(entry(text, origin="pattern", proofs=(proof,)), kind="anti_pattern")

    first, again = often("Use `tab`.", "a"), often("The mark must be `tab`.", "b")
    advice = entry("Take `tab` as the mark.", content=("tab",), proofs=(EntryEvidence(run="c", rule="style"),))
    known = {one.id: one for one in (advice, *merge_entries([first], again, NOW))}

    assert {first.id, advice.id} == set(known)
    assert [advice.id, first.id] == [one.id for one in merge_entries([known[first.id]], advice, NOW)]
    assert not merge_entries([known[first.id]], advice, NOW)[1].is_live


def test_a_line_that_seemed_to_fix_one_check_is_not_kept_where_an_entry_about_another_check_advises_it() -> None:
    advice = entry("Take `tab` as the mark.", advice="Take `tab` as the mark.", content=("tab",), subject="check mark")
    line = entry(
        "width: fixed by `mark = tab`", advice="fixed by `mark = tab`", content=("tab",), subject="check width"
    )

    assert [advice.id, line.id] == [one.id for one in merge_entries([line], advice, NOW)]
    assert [line.id] == [one.id for one in merge_entries([replace(advice, content=("nib",))], line, NOW)]
