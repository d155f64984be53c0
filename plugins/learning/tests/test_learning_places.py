"""Test when the file and symbol of a finding distinguish two subjects."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import islice

import pytest
from learning_builders import NEVER, asked, book, changes, lesson, patch, turn
from places_family import cases

from openkoi_hookspecs import Check, Evaluation, Finding, NextAction, Score
from openkoi_learning.entry import LearningEntry
from openkoi_learning.entry_subject import places_of
from openkoi_learning.lesson import Lesson
from openkoi_learning.provenance import SourcesRead
from openkoi_learning.sameness import Relation, compare, have_different_places
from openkoi_learning.selection import select_entries
from openkoi_learning.verdicts import judge_entries

pytestmark = pytest.mark.unit

SUITE = "tests/test_shop.py::test_all"


def repaired(run: str, path: str, line: str, finding: Finding, task: str = "Fix the shop") -> Lesson:
    """A run in which one global check failed, until a line in a file fixed it."""
    was, now = (Evaluation(checks=(Check(SUITE, passed=good, evaluator="tests"),)) for good in (False, True))
    wrong = replace(was, findings=(replace(finding, evaluator="tests"),))
    done = lesson(
        replace(turn(wrong), work=replace(turn(None).work, diff=patch(path, "x = 1"))),
        replace(turn(now), work=replace(turn(None).work, diff=patch(path, line))),
    )
    text = replace(done.result.task, text=task)
    return replace(done, run=run, result=replace(done.result, task=text))


def learned(*runs: Lesson) -> list[LearningEntry]:
    """The live entries after some runs."""
    known: dict[str, LearningEntry] = {}
    for run in runs:
        known |= {one.id: one for one in changes(known.values(), run, SourcesRead())}
    return [one for one in known.values() if one.is_live]


def failing(path: str, title: str, fix: str) -> Finding:
    return Finding(title, rule=SUITE, where=f"{path}:3", fix=fix)


BILLING = repaired(
    "a",
    "billing.py",
    "unit = 'cents'",
    failing("billing.py", "Amounts are off", "In `billing.py`, the unit must be `cents`."),
)
REPORT = repaired(
    "b",
    "report.py",
    "unit = 'euros'",
    failing("report.py", "Sums are off", "In `report.py`, the unit must be `euros`."),
)


def shown(entries: Iterable[LearningEntry], task: str) -> set[str]:
    return {one.stance for one in select_entries(book(list(entries)), asked(task), NEVER).shown}


def test_advice_that_names_its_files_is_about_two_subjects_of_one_check() -> None:
    billing, report = learned(BILLING, REPORT)

    assert compare(billing, report) is not Relation.SAME_SUBJECT
    assert billing.topic != report.topic
    assert {SUITE} == {billing.check, report.check}
    assert 2 == len(shown([billing, report], "Fix the shop"))


def test_advice_that_names_no_file_is_an_alternative_wherever_its_check_was_red() -> None:
    euros = repaired("b", "report.py", "unit = 'euros'", failing("report.py", "Sums are off", "Use `euros`."))
    cents = repaired("a", "billing.py", "unit = 'cents'", failing("billing.py", "Amounts are off", "Use `cents`."))
    one, other = learned(cents, euros)

    assert compare(one, other) is Relation.SAME_SUBJECT
    assert 1 == len(shown([one, other], "Fix the shop"))


def test_other_advice_about_one_file_is_an_alternative() -> None:
    finding = failing("src/billing.py", "Amounts are off", "In `billing.py`, the unit must be `mills`.")
    one, other = learned(BILLING, repaired("b", "src/billing.py", "unit = 'mills'", finding))

    assert compare(one, other) is Relation.SAME_SUBJECT


def test_a_symbol_tells_subjects_apart_and_a_file_beside_it_does_not() -> None:
    told = (
        ("parse_date fails", "`parse_date` must accept `iso`.", "iso"),
        ("parse_date fails again", "In `dates.py`, `parse_date` must accept `rfc`.", "rfc"),
        ("format_date fails", "`format_date` must accept `utc`.", "utc"),
    )
    parse, again, form = learned(
        *(repaired(title, "dates.py", f"kind = '{kind}'", failing("dates.py", title, fix)) for title, fix, kind in told)
    )

    assert [{"parse_date"}, {"parse_date", "dates.py"}, {"format_date"}] == [
        set(places_of(one)) for one in (parse, again, form)
    ]
    assert [True, False] == [(compare(parse, one) is Relation.SAME_SUBJECT) for one in (again, form)]


def test_a_rule_of_the_whole_project_is_one_entry_whichever_files_its_findings_name() -> None:
    files = ("billing.py", "report.py", "dates.py")
    runs = [
        repaired(run, path, "from pathlib import Path", failing(path, "Old path", f"Use `pathlib` in `{path}`."))
        for run, path in zip("abc", files, strict=True)
    ]
    [one] = learned(*runs)

    assert 3 == len(one.proofs)
    assert (SUITE, set()) == (one.check, set(places_of(one)))
    assert (
        compare(one, learned(repaired("d", "z.py", "import os", failing("z.py", "Old", "Use `os`.")))[0])
        is Relation.SAME_SUBJECT
    )


def test_findings_of_a_judge_are_told_apart_by_the_files_that_they_name() -> None:
    def opinion(path: str, unit: str) -> LearningEntry:
        fix = f"Write the amounts, totals, taxes, discounts and prices of {path} in `{unit}`."
        [one] = learned(
            repaired(f"{path} {unit}", path, f"unit = '{unit}'", Finding("Wrong unit", where=path, fix=fix))
        )
        return one

    billing, report = opinion("billing.py", "cents"), opinion("report.py", "euros")

    assert compare(billing, report) is not Relation.SIMILAR
    assert compare(billing, opinion("billing.py", "mills")) is Relation.SIMILAR
    assert compare(billing, opinion("report.py", "cents")) is Relation.DUPLICATE


def test_a_check_that_stays_red_because_of_another_file_refutes_nothing() -> None:
    [billing] = learned(BILLING)
    red = Evaluation(
        checks=(Check(SUITE, passed=False),),
        scores=(Score("s", 0.4),),
        findings=(failing("report.py", "Sums are off", ""),),
    )

    def refuted(judged: Evaluation) -> set[str]:
        work = replace(turn(None).work, diff=patch("billing.py", "unit = 'cents'"))
        result = lesson(replace(turn(judged), work=work)).result
        result = replace(result, decision=replace(result.decision, action=NextAction.ACCEPT_BEST))
        return set(judge_entries(result, [billing], {billing.id}).refuted)

    assert set() == refuted(red)
    assert {billing.id} == refuted(replace(red, findings=(failing("billing.py", "Amounts are off", ""),)))
    assert {billing.id} == refuted(replace(red, findings=()))


def test_however_advice_names_its_file_two_files_are_two_places_and_one_is_one() -> None:
    entries: dict[str, list[LearningEntry]] = {}
    for path, title, fix in islice(cases(), 0, None, 4):
        finding = Finding(title, where=f"{path}:3", fix=fix)
        entries.setdefault(path, []).extend(learned(repaired("a", path, "unit = 'cents'", finding)))
    every = [(path, one) for path, some in entries.items() for one in some]

    assert 250 == len(every)
    for path, one in every:
        assert path.rpartition("/")[2] in places_of(one), one.stance
        assert [] == [
            (one.stance, other.stance)
            for place, other in every[::7]
            if have_different_places(one, other) is not (path != place)
        ]


def test_words_with_dots_are_not_places_where_the_advice_names_no_file() -> None:
    beside = "e.g. at 10 a.m., i.e. since v1.2.rc, by https://docs.acme.com/units.html"
    [one] = learned(
        repaired("a", "shop.py", "unit = 'cents'", Finding(f"Off {beside}", where="shop.py:3", fix=f"Use it {beside}"))
    )

    assert set() == places_of(one)
