"""Test when two entries are one, and what a result says about entries that were shown."""

from dataclasses import replace

import pytest
from learning_builders import NOW, entry, lesson, patch, red, turn

from openkoi_hookspecs import Check, Evaluation, ExecutionResult, Finding, Iteration, LearningStatus, NextAction, Score
from openkoi_learning.content import WorkLine, find_content, find_replacement, terms_of, work_lines
from openkoi_learning.entry import EntryEvidence
from openkoi_learning.merge import merge_entries
from openkoi_learning.sameness import Relation, compare, compare_finding
from openkoi_learning.subjects import link_subjects
from openkoi_learning.verdicts import judge_entries

pytestmark = pytest.mark.unit


def lines(*texts: str) -> list[WorkLine]:
    return work_lines(ExecutionResult("\n".join(texts)))


def found(run: str, title: str, **more: object) -> EntryEvidence:
    return EntryEvidence(run=run, iteration=1, finding=title, **more)  # type: ignore[arg-type]  # by field name


def test_two_findings_of_one_evaluation_are_never_one_thing_whatever_they_share() -> None:
    header = entry("Write `utf-8` in the header.", proofs=(found("a", "Header"),), content=("utf-8",))
    footer = entry("Write `utf-8` in the footer.", proofs=(found("a", "Footer"),), content=("utf-8",))
    later = replace(footer, proofs=(found("b", "Footer"),))

    assert Relation.DISTINCT is compare(header, footer)
    assert Relation.DISTINCT is compare(replace(header, subject="check x"), replace(footer, subject="check x"))
    assert compare(header, later) is Relation.DUPLICATE


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Use `tab` as the separator.", "The delimiter must be `tab`.", True),
        ("Use `tab` as the separator.", "Use `comma` as the separator.", False),
        ("Wait 3 seconds.", "Wait 5 seconds.", False),
        ("Use `tab` as the separator.", "Never use `tab` as the separator.", False),
        ("Sort the rows by name before export.", "Sort rows by name before the export!", True),
        ("Sort the rows by name.", "Water the roses.", False),
    ],
)
def test_advice_is_the_same_when_its_names_and_numbers_are(one: str, other: str, same: bool) -> None:
    assert same is (compare(entry(one), entry(other)) is Relation.DUPLICATE)


def test_a_finding_about_something_else_with_the_same_words_is_not_about_an_entry() -> None:
    amber = "Take late amber for the maximum wait of the authentication screen."
    screen = entry(amber, content=("maximum wait",), proofs=(found("a", amber, rule="style"),))
    runner = Finding("The maximum wait of the job runner must be guarded ember.", rule="style")
    itself = Finding("Early amber is the maximum wait of the authentication screen.", rule="style")

    assert compare_finding(screen, runner, ()) < Relation.SIMILAR <= compare_finding(screen, itself, ())


def test_a_name_with_a_suffix_is_another_name_and_a_longer_phrase_may_be_the_same() -> None:
    short, long = entry("Set `pdm`.", content=("pdm",)), entry("Set `pdm.lock`.", content=("pdm.lock",))
    worded = entry("Set the lock file to pdm.", content=("pdm lock file",))
    about = found("a", "Wrong lock file")

    assert compare(short, replace(long, proofs=(about,))) is not Relation.DUPLICATE
    assert compare(short, replace(worded, proofs=(about,))) is Relation.DUPLICATE


def test_checks_of_their_own_keep_equal_advice_apart() -> None:
    one, other = (entry(f"Use `utf-8` for {name}.", subject=f"check {name}") for name in ("input", "output"))

    assert compare(one, other) is not Relation.DUPLICATE
    assert compare(one, replace(other, subject="")) is Relation.DUPLICATE


def test_entries_that_are_worded_alike_beside_their_content_are_about_similar_subjects() -> None:
    tab, comma = entry("Use `tab` as the separator."), entry("Use `comma` as the separator.")

    assert compare(tab, comma) is Relation.SIMILAR
    assert compare(tab, entry("Use `comma` in the greeting of the letter.")) is not Relation.SIMILAR


def test_the_content_of_plain_advice_is_what_a_new_line_shares_with_it_and_nothing_had_before() -> None:
    before, after = lines("The colour is dark red."), lines("I chose pale blue for the colour.")

    assert ("pale blue",) == find_content("Set the colour to pale blue.", after, before)
    assert () == find_content("Keep it simple.", after, before)
    assert () == find_content("Make a pause of 3 seconds.", lines("I make a pause of 5 bars."), before, {"paus"})
    assert () == find_content("Set the colour to pale blue.", lines("I set the unit to cents."), before)
    assert ("a.lock",) == find_content("Take a.lock for the lock file rather than b.lock.")
    assert ("`tab`".strip("`"),) == find_content("Use `tab`.", after, before)


def test_the_content_of_an_advice_is_not_its_verb_and_of_two_new_phrases_the_one_that_ends_its_line() -> None:
    before, after = lines("level of the pond: low drum"), lines("Tide mark: late fern.")

    assert ("late fern",) == find_content("Set the tide mark of the pond to late fern.", after, before)
    assert () == find_content("Set the height to pale moss.", lines("I set the height to low drum."), (), {"height"})


@pytest.mark.parametrize(
    ("before", "after", "old", "new", "gave_way"),
    [
        ("separator: tab", "separator: comma", "tab", "comma", True),
        ("We settled on four portions.", "The yield is two portions.", "four portions", "two portions", True),
        ("retry(wait=30, attempts=3)", "retry(wait=30, attempts=5)", "attempts=3", "attempts=5", True),
        ("retry(wait=30, attempts=3)", "retry(wait=30, attempts=5)", "wait=30", "attempts=5", False),
    ],
)
def test_an_entry_whose_content_gave_way_to_another_is_about_the_same_subject(
    before: str, after: str, old: str, new: str, gave_way: bool
) -> None:
    line = find_replacement(lines("a = 1", before), lines("a = 1", after), (new,))
    assert line
    proof = found("a", "x", replaced=line.old, replacement=line.new)
    known, more = entry(f"Use `{old}`.", content=(old,)), entry(f"Use `{new}`.", content=(new,), proofs=(proof,))

    assert gave_way is (known.topic == merge_entries([known], more, NOW)[0].topic)


def test_a_refuted_entry_and_the_one_in_whose_place_it_was_are_about_one_subject() -> None:
    good = Evaluation(scores=(Score("s", 0.9),))
    ended = lesson(
        work("Make four portions.\nAdd salt.", red(Finding("x"))), work("Make two portions.\nAdd salt.", good)
    )
    four, two = (entry(f"Use `{one} portions`.", content=(f"{one} portions",)) for one in ("four", "two"))

    [moved] = link_subjects(ended.result, [four, two], judge_entries(ended.result, [four, two], ()))

    assert (two.id, four.topic) == (moved.id, moved.topic)


def work(text: str, evaluation: Evaluation) -> Iteration:
    return replace(turn(evaluation), work=ExecutionResult(text))


def test_an_accepted_result_confirms_what_it_shows_and_refutes_what_is_gone() -> None:
    good = Evaluation(scores=(Score("s", 0.9),))
    result = lesson(work("sep: tab\nend: lf", red(Finding("x"))), work("sep: comma\nend: lf", good)).result
    tab, comma, lf, other = (entry(f"Use `{one}`.", content=(one,)) for one in ("tab", "comma", "lf", "pipe"))

    verdicts = judge_entries(result, [tab, comma, lf, other], {tab.id, other.id})

    assert [{comma.id, lf.id}, {tab.id}] == [set(verdicts.confirmed), set(verdicts.refuted)]
    assert {tab.id, comma.id} == set(verdicts.blamed)


def test_of_a_result_that_was_not_accepted_only_an_own_check_says_something() -> None:
    checks = Check("sep", passed=True), Check("end", passed=False)
    result = lesson(work("sep: tab\nend: lf\nx: y", Evaluation(checks=checks, scores=(Score("s", 0.9),)))).result
    result = replace(result, decision=replace(result.decision, action=NextAction.ACCEPT_BEST))
    sep, end = (
        entry(f"Use `{one}`.", content=(one,), subject=f"check {c}") for one, c in (("tab", "sep"), ("lf", "end"))
    )

    verdicts = judge_entries(result, [sep, end, entry("Use `y`.", content=("y",))], ())

    assert [{sep.id}, {end.id}] == [set(verdicts.confirmed), set(verdicts.refuted)]


def test_work_in_files_is_read_from_what_was_added() -> None:
    report = work_lines(ExecutionResult("Answer.", diff=patch("a.py", "x = 1", "y = 2")))

    assert ["x = 1", "y = 2"] == [line.text for line in report]
    assert terms_of("Answer") - {word for line in report for word in line.terms}


def test_the_same_advice_again_adds_evidence_and_keeps_what_both_have_in_common() -> None:
    first = entry("Use `tab`.", content=("tab", "x"), standing=LearningStatus.PROBATION, proofs=(found("a", "x"),))
    again = replace(first, content=("tab",), standing=LearningStatus.ACTIVE, proofs=(found("b", "y"),))

    [kept] = merge_entries([first], again, NOW)

    assert (("tab",), LearningStatus.ACTIVE, 2) == (kept.content, kept.standing, len(kept.proofs))


def test_advice_says_the_same_as_a_content_that_it_affirms_and_not_as_one_that_it_denies() -> None:
    known = entry("Set the restart policy to `never-restart`.", content=("never-restart",))
    same = "We do not accept unless-stopped as the policy on crashes. Go with never-restart. (Except on staging.)"
    other = "Take always-restart for the policy on crashes rather than never-restart."

    unit = entry("Set the pause to 157 units.", content=("157 units",))

    assert [True, False] == [(compare(known, entry(text)) is Relation.DUPLICATE) for text in (same, other)]
    assert [True, False] == [
        (compare(unit, entry(f"Switch the pause to 157 {word}.")) is Relation.DUPLICATE) for word in ("units", "bars")
    ]
