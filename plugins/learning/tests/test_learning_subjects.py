"""Test what distinguishes subjects with similar values, and that a subject keeps its history across entries."""

from dataclasses import replace

import pytest
from learning_builders import NEVER, NOW, asked, book, changes, entry, green, lesson, patch, red, turn

from openkoi_hookspecs import (
    Check,
    Cost,
    Evaluation,
    ExecutionResult,
    Finding,
    Iteration,
    LearningStatus,
    NextAction,
    Plan,
    Result,
    Score,
)
from openkoi_learning.credit_assignment import applicable_evidence
from openkoi_learning.entry import EntryEvidence, LearningEntry, Trust, archive_entry
from openkoi_learning.entry_subject import set_name
from openkoi_learning.events import EntriesShown, OutcomeCredited
from openkoi_learning.lesson import Lesson
from openkoi_learning.merge import merge_entries
from openkoi_learning.promotion import restore_local
from openkoi_learning.provenance import SourcesRead
from openkoi_learning.repairs import find_repairs
from openkoi_learning.sameness import Relation, compare, group_entries
from openkoi_learning.selection import select_entries
from openkoi_learning.subjects import link_subjects
from openkoi_learning.user_actions import dismiss_entry
from openkoi_learning.verdicts import judge_entries

pytestmark = pytest.mark.unit

SHOWN = ("tide", "moss", "reed", "carp", "heron", "frog")
PAIR = (("port", 8443), ("wait", 30))
GOOD = Evaluation(checks=(Check("columns", passed=True),), scores=(Score("s", 0.9),))


def settings(*lines: str, judged: Evaluation) -> Iteration:
    """An attempt that wrote a file of settings."""
    work = ExecutionResult("Done.", diff=patch("api.yaml", *lines))
    return Iteration(plan=Plan(), work=work, evaluation=judged, cost=Cost())


def casing(what: str, value: str, run: str = "a", was: str = "lowercase") -> LearningEntry:
    """An entry that a finding taught, after which a line of settings was changed."""
    name = f"{what}_case"
    proof = EntryEvidence(
        run=run, finding=f"The {what} case is off", diff="d", replaced=f"{name}: {was}", replacement=f"{name}: {value}"
    )
    text = f"The {what} case should be `{value}`, not `{was}`."
    return entry(text, content=(value,), advice=text, proofs=(proof,), standing=LearningStatus.PROBATION)


def test_lines_that_set_different_names_are_about_different_subjects_even_if_they_set_the_same() -> None:
    field, segment = casing("field", "kebab"), casing("segment", "kebab", "b")
    changed = casing("segment", "camel", "c", was="kebab")

    assert ["field case", "segment case"] == [set_name(one) for one in (field, segment)]
    assert [False, False] == [
        (compare(field, segment) is Relation.DUPLICATE),
        (compare(field, changed) is Relation.SIMILAR),
    ]
    assert compare(field, casing("field", "kebab", "b")) is Relation.DUPLICATE
    assert [segment.topic] == [
        one.topic for one in merge_entries([field, segment], changed, NOW) if one.text == changed.text
    ]


def test_two_findings_of_one_check_are_about_two_subjects_and_neither_outvotes_the_other() -> None:
    port, wait = (
        Finding(f"The {name} is off", rule="columns", fix=f"Set `{name}` to `{value}`.") for name, value in PAIR
    )
    before, after = (tuple(f"{name}: {value}" for name, value in pair) for pair in ((("port", 80), ("wait", 5)), PAIR))
    both = lesson(settings(*before, judged=red(port, wait)), settings(*after, judged=GOOD))
    learned = list(find_repairs(both))
    first, other = (replace(one, subject="check columns") for one in learned)
    apart = [replace(first, proofs=tuple(replace(proof, run="b") for proof in first.proofs)), other]

    assert [True, True] == [one.standing is LearningStatus.ACTIVE for one in learned]
    assert 2 == len({one.topic for one in learned})
    assert compare(*apart) is not Relation.SAME_SUBJECT
    assert [apart[1].id] == list(applicable_evidence(book(apart), apart[1], "pond"))


def test_a_finding_of_an_entrys_check_about_another_setting_does_not_blame_the_entry() -> None:
    port, wait = (
        Finding(f"The {name} is off", rule="columns", fix=f"Set `{name}` to `{value}`.") for name, value in PAIR
    )
    fixed = lesson(settings("port: 80", judged=red(port)), settings("port: 8443", judged=GOOD))
    [known] = find_repairs(fixed)

    def refuted(line: str, finding: Finding) -> set[str]:
        failed = Evaluation(checks=(Check("columns", passed=False),), findings=(finding,))
        result = lesson(settings("port: 8443", line, judged=failed)).result
        result = replace(result, decision=replace(result.decision, action=NextAction.ACCEPT_BEST))
        return set(judge_entries(result, [known], {known.id}).refuted)

    assert ("columns", "port") == (known.check, set_name(known))
    assert [set(), {known.id}] == [refuted("wait: 5", one) for one in (wait, port)]


def test_entries_of_one_topic_that_set_different_names_are_two_subjects_of_a_task() -> None:
    field, segment = (
        replace(casing(what, "kebab", what), subject="check columns", id=what) for what in ("field", "segment")
    )
    rival = replace(casing("field", "camel", "c"), subject="check columns", id="rival")

    assert [["field", "rival"], ["segment"]] == [
        [one.id for one in group] for group in group_entries([field, segment, rival])
    ]


def test_marks_at_the_ends_make_no_difference_to_what_one_name_is_set_to() -> None:
    plain, marked = casing("folder", "media"), casing("folder", "media/", "b")

    assert compare(plain, marked) is Relation.DUPLICATE
    assert compare(replace(plain, proofs=()), marked) is not Relation.DUPLICATE
    assert compare(casing("test", "*_test.py"), casing("test", "test_*.py", "b")) is not Relation.DUPLICATE


def test_a_variable_that_an_advice_does_not_name_is_not_what_it_is_about() -> None:
    proof = EntryEvidence(run="a", diff="d", replaced="p = os.path.join(a)", replacement="p = pathlib.path(a)")
    other = replace(proof, run="b", replaced="q = os.path.join(b)", replacement="q = pathlib.path(b)")
    one, more = (entry("Use `pathlib`.", content=("pathlib",), proofs=(each,)) for each in (proof, other))

    assert "" == set_name(one)
    assert compare(one, more) is Relation.DUPLICATE


def test_findings_of_different_rules_are_about_different_subjects_however_alike_they_are_worded() -> None:
    tab, comma = (
        entry(f"Use `{value}` as the mark.", proofs=(EntryEvidence(run="a", rule=rule),))
        for value, rule in (("tab", "W101"), ("comma", "W102"))
    )

    assert compare(tab, comma) is not Relation.SIMILAR
    assert compare(tab, replace(comma, proofs=tab.proofs)) is Relation.SIMILAR
    assert compare(tab, entry("The mark must be `tab`.", proofs=comma.proofs)) is Relation.DUPLICATE


def test_an_advice_is_followed_where_the_line_has_its_value_even_if_another_line_had_it_before() -> None:
    wrong = Finding("The field case is off", fix="The field case should be `kebab`, not `camel`.")
    run = lesson(
        settings("query_case: kebab", "field_case: camel", judged=red(wrong)),
        settings("query_case: kebab", "field_case: kebab", judged=GOOD),
    )

    assert [("kebab",)] == [one.content for one in find_repairs(run)]


def test_a_finding_without_advice_is_learned_from_where_another_line_has_what_it_expects() -> None:
    wrong = Finding("Field case should be 'kebab', found 'camel'", rule="API101")
    before, after = ("query_case: kebab", "field_case: camel"), ("query_case: kebab", "field_case: kebab")
    fixed = lesson(settings(*before, judged=red(wrong)), settings(*after, judged=GOOD))
    ignored = lesson(settings(*before, judged=red(wrong)), settings(*before, judged=red(wrong)))

    assert [("kebab",)] == [one.content for one in find_repairs(fixed)]
    assert {(("kebab",), "field case")} == {(one.content, set_name(one)) for one in find_repairs(ignored)}


def results(*lines: str) -> Result:
    """A run that was accepted at once."""
    return lesson(settings(*lines, judged=GOOD)).result


def test_a_result_confirms_what_the_line_about_it_shows_and_no_other_line() -> None:
    field, segment = casing("field", "kebab"), casing("segment", "kebab", "b")

    verdicts = judge_entries(results("segment_case: kebab", "field_case: camel"), [field, segment], ())

    assert {segment.id} == set(verdicts.confirmed)


def test_a_subject_is_needed_where_any_of_its_entries_was_even_if_that_one_ended() -> None:
    old = entry("Use `tab`.", content=("tab",))
    new = entry("Use `comma`.", content=("comma",), subject=old.topic)
    runs = [(f"run{n}", EntriesShown(f"Draw a {word}", "pond", "m")) for n, word in enumerate(SHOWN)]
    right = [new.id if n in (1, 5) else old.id for n in range(len(SHOWN))]
    ends = [(f"run{n}", OutcomeCredited(True, confirmed=(id,))) for n, id in enumerate(right)]

    def shown(*entries: LearningEntry) -> list[str]:
        task = asked("Water the roses")
        return [one.text for one in select_entries(book(entries, *runs, *ends), task, NEVER).shown]

    ended = archive_entry(old, NOW, "archived: another rule turned out to be right")
    assert [new.text] == shown(ended, new)
    assert [] == shown(replace(ended, subject="another"), new)


def test_what_several_results_confirm_is_a_subject_of_its_own_however_alike_it_is_worded() -> None:
    one, other = (
        entry(f"Replace `202` with `{n}` for the {w} status.", content=(n,))
        for n, w in (("303", "new"), ("205", "old"))
    )

    def shown(runs: int) -> int:
        pairs = [(f"run{n}", (one, other)[n % 2]) for n in range(2 * runs)]
        began = [(run, EntriesShown(f"Set the status of {right.id}", "pond", "m")) for run, right in pairs]
        ended = [(run, OutcomeCredited(True, confirmed=(right.id,))) for run, right in pairs]
        return len(select_entries(book([one, other], *began, *ended), asked("Set the status"), NEVER).shown)

    assert compare(one, other) is Relation.SIMILAR
    assert [1, 2] == [shown(2), shown(3)]


def test_an_entry_that_ended_keeps_its_subject_and_the_reason_for_its_end() -> None:
    run = lesson(settings("mark: tab", judged=red(Finding("x"))), settings("mark: comma", judged=GOOD)).result
    tab, comma = (entry(f"Use `{one}`.", content=(one,)) for one in ("tab", "comma"))
    gone = archive_entry(entry("Use `pipe`.", subject=comma.id), NOW, "dismissed by you")

    moved = {one.id: one for one in link_subjects(run, [tab, comma, gone], judge_entries(run, [tab, comma], ()))}

    assert [tab.topic, tab.topic] == [moved[comma.id].topic, moved[gone.id].topic]
    assert "dismissed by you" == moved[gone.id].reason


def test_each_run_that_taught_an_entry_counts_with_the_words_of_its_own_task() -> None:
    proofs = tuple(EntryEvidence(run=f"run{n}") for n in range(3))
    again = entry("Use `tab`.", proofs=proofs, when=("Draw a carp", "Draw a frog"))  # the first two tasks were equal
    runs = [(f"run{n}", EntriesShown(f"Draw a {word}", "pond", "m")) for n, word in enumerate(("carp", "carp", "frog"))]

    state = book([again], *runs)

    assert [(0, "carp"), (1, "carp"), (2, "frog")] == [
        (number, next(iter(words & {"carp", "frog"}))) for number, words in state.taught(again, "pond")
    ]


def fixed(check: str, line: str, was: str, finding: Finding) -> Lesson:
    """A run whose check passed once a line of settings was changed."""
    failed, passed = (
        Evaluation(checks=(Check(check, passed=good),), scores=(Score("s", 0.9 if good else 0.4),))
        for good in (False, True)
    )
    return lesson(settings(was, judged=replace(failed, findings=(finding,))), settings(line, judged=passed))


@pytest.mark.parametrize("backwards", [False, True])
def test_settings_with_equal_values_are_both_learned_whichever_was_first(backwards: bool) -> None:
    short = Finding("The timeout is too short", rule="timeouts", fix="The timeout should be `30`, not `10`.")
    runs = [
        fixed("timeouts", "timeout: 30", "timeout: 10", short),
        fixed("retries", "retries: 30", "retries: 3", Finding("The sync test failed", rule="retries")),
    ]
    known: dict[str, LearningEntry] = {}
    for run in reversed(runs) if backwards else runs:
        known |= {one.id: one for one in changes(known.values(), run, SourcesRead())}

    assert {short.fix, "retries: fixed by `retries: 30`"} == {one.text for one in known.values() if one.is_live}


@pytest.mark.parametrize(("trust", "count"), [(Trust.MODEL, 1), (Trust.CHECK, 0)])
def test_a_verified_line_is_learned_beside_an_opinion_about_it_and_not_beside_verified_advice(
    trust: Trust, count: int
) -> None:
    known = entry("Take `tab` as the mark.", content=("tab",), subject="check mark", trust=trust)
    line = "fixed by `mark = tab`"
    new = entry(f"width: {line}", advice=line, content=("tab",), subject="check width")

    assert count == len(changes([known], lesson(turn(green())), SourcesRead(), more=[new]))


def test_global_advice_that_is_reworded_still_replaces_that_of_other_projects_until_it_is_contradicted() -> None:
    text = "Use `tab` in frog columns."
    known = replace(entry(text, content=("tab",), trust=Trust.MODEL, project=""), id="whole", scope="user")
    known = replace(known, when=("Draw a frog",), standing=LearningStatus.PROBATION)
    twin = archive_entry(entry("Use `tab`.", project="lake"), NOW, "replaced by whole", by="whole")
    again = entry("Use `tab` in columns.", content=("tab",), trust=Trust.MODEL, when=("Draw a carp",))

    changed = {one.id: one for one in changes([known, twin], lesson(turn(green())), SourcesRead(), more=[again])}

    assert (LearningStatus.ARCHIVED, again.id) == (changed[known.id].standing, changed[known.id].superseded_by)
    assert "user" == changed[again.id].scope
    assert (False, again.id) == (changed[twin.id].is_live, changed[twin.id].superseded_by)
    assert "contradicted" not in changed[twin.id].reason

    [back] = restore_local(changed.values(), archive_entry(changed[again.id], NOW, "contradicted by x"), "pond", NOW)

    assert (twin.id, True) == (back.id, back.is_live)


@pytest.mark.parametrize("forgotten", [False, True])
def test_a_subject_that_moves_restores_nothing_in_other_projects(forgotten: bool) -> None:
    def mark(name: str, run: str, **more: object) -> LearningEntry:
        proof = EntryEvidence(run=run, rule="style", finding=f"The mark must be `{name}`, not `comma`")
        return entry(f"Use `{name}` as the mark, not `comma`.", content=(name,), proofs=(proof,), **more)

    tab, pipe = mark("tab", "a", subject="mark"), mark("pipe", "c", subject="check columns")
    whole = replace(mark("colon", "b", subject="mark"), id="whole", scope="user", project="")
    whole = dismiss_entry(whole, NOW) if forgotten else whole
    twin = archive_entry(entry("Use `colon`.", project="lake"), NOW, "replaced by whole", by="whole")

    changed = {one.id: one for one in changes([tab, whole, twin], lesson(turn(green())), SourcesRead(), more=[pipe])}

    assert (pipe.topic, not forgotten) == (changed[whole.id].topic, changed[whole.id].is_live)
    assert twin.id not in changed
