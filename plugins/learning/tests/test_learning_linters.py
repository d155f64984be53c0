"""Test learning from linter output: a code, a quoted finding, and the expected value."""

from dataclasses import replace

import pytest
from learning_builders import NOW, entry, lesson, patch, turn

from openkoi_hookspecs import Evaluation, ExecutionResult, Finding, LearningStatus, NextAction, Score
from openkoi_learning.entry import LearningEntry
from openkoi_learning.extract_lessons import extract_entries
from openkoi_learning.lesson import Lesson
from openkoi_learning.merge import merge_entries
from openkoi_learning.sameness import Relation, compare
from openkoi_learning.verdicts import judge_entries

pytestmark = pytest.mark.unit

# As ruff, mypy, ESLint, pytest and others print them, with the lines before and after.
MESSAGES = (
    ("HSE164", "AssertionError: indentation: 'tabs' != 'four spaces'", "indentation: tabs", "indentation: four spaces"),
    ("RCP108", "oven heat should be '180 °C', found '200 °C'", "oven_heat: 200 °C", "oven_heat: 180 °C"),
    ("TID251", "`requests.get` is banned: Use `shop.fetch`", "a = requests.get(b)", "a = shop.fetch(b)"),
    ("DEP001", "use of deprecated os.popen, use subprocess.run", "os.popen(x)", "subprocess.run(x)"),
    ("quotes", "Strings must use 'single quotes' but found 'double quotes'.", "q = double quotes", "q = single quotes"),
    (
        "assignment",
        'Incompatible types (expression has type "str", variable has type "int")',
        "x: str = y",
        "x: int = y",
    ),
    ("test_total", "assert '3.99' == '4.00'", "total = '3.99'", "total = '4.00'"),
)
BAD = Evaluation(scores=(Score("s", 0.3),))
GOOD = Evaluation(scores=(Score("s", 0.9),))


def lint(code: str, message: str) -> Evaluation:
    return replace(BAD, findings=(Finding(message, rule=code, where="a.py:1"),))


def taught(run: str, *turns: tuple[Evaluation, str]) -> Lesson:
    done = lesson(*(turn(judged, diff=patch("a.py", line)) for judged, line in turns))
    return replace(done, run=run)


def learn(run: str, *turns: tuple[Evaluation, str]) -> LearningEntry:
    [found] = [one for one in extract_entries(taught(run, *turns)) if one.origin == "repair"]
    return found


@pytest.mark.parametrize(("code", "message", "before", "after"), MESSAGES, ids=[one[0] for one in MESSAGES])
def test_the_content_is_what_was_expected_and_written_not_what_was_found(
    code: str, message: str, before: str, after: str
) -> None:
    entry = learn("a", (lint(code, message), before), (GOOD, after))
    [again] = taught("b", (GOOD, after)).result.iterations
    wrong = taught("c", (lint(code, message), before), (GOOD, after)).result

    assert again.work.diff.lower().count(entry.content[0]) == 1
    assert not any(one in before.lower() for one in entry.content)
    assert {entry.id} == set(judge_entries(wrong, [entry], ()).confirmed)


def test_a_new_line_that_only_says_what_the_work_had_before_is_not_a_fix() -> None:
    silent = "Do not use mutable data structures for argument defaults"
    fixed = learn("a", (lint("B006", silent), "def f(a=[]): pass"), (GOOD, "def f(a=None): pass"))
    same = taught("b", (lint("X1", "The language is wrong"), "language: french"), (GOOD, "Language: french"))

    assert ("def f(a=none): pass",) == fixed.content
    assert [] == [one for one in extract_entries(same) if one.origin == "repair"]


def test_what_a_linter_expects_is_an_opinion_even_if_no_attempt_obeys() -> None:
    message = "indentation: 'tabs' != 'four spaces'"
    ignored = lint("HSE164", message), "indentation: tabs"
    lesson = taught("a", ignored, ignored)
    lesson = replace(
        lesson, result=replace(lesson.result, decision=replace(lesson.result.decision, action=NextAction.ACCEPT_BEST))
    )
    [found] = [one for one in extract_entries(lesson) if one.origin == "repair"]

    assert (("four spaces",), LearningStatus.PROBATION) == (found.content, found.standing)


def test_equal_values_of_two_rules_and_different_values_of_one_are_told_apart() -> None:
    first, second = (
        learn(run, (lint("X1", f"wrap column '{used}' should be '88'"), f"wrap: {used}"), (GOOD, "wrap: 88"))
        for run, used in (("a", "70"), ("b", "90"))
    )
    other = learn("c", (lint("X2", "batch size '70' should be '90'"), "batch: 70"), (GOOD, "batch: 90"))

    assert compare(first, second) is Relation.DUPLICATE
    assert compare(first, other) is not Relation.DUPLICATE
    assert compare(first, other) is not Relation.SAME_SUBJECT


def test_findings_of_one_rule_that_name_a_common_value_are_about_one_subject_under_any_condition() -> None:
    plain = learn("a", (lint("X1", "assets: 'media/' != 'static/'"), "assets: media/"), (GOOD, "assets: static/"))
    special = learn(
        "b",
        (lint("X1", "For vendored parts: assets: 'media/' != 'public/'"), "assets: media/"),
        (GOOD, "assets: public/"),
    )
    nameless = learn("c", (lint("X1", "use of deprecated 'os.popen'"), "os.popen(x)"), (GOOD, "subprocess.run(x)"))

    changed = {one.id: one for one in merge_entries([plain, nameless], special, NOW)}

    assert plain.topic == changed[special.id].topic
    assert nameless.id not in changed


def test_a_finding_that_quotes_what_the_work_has_and_expects_another_is_against_it() -> None:
    known = entry("assets: 'media/' != 'static/'", content=("static/",), proofs=())
    result = taught("a", (lint("X1", "assets: 'static/' != 'public/'"), "assets: static/")).result
    result = replace(result, decision=replace(result.decision, action=NextAction.ACCEPT_BEST))

    assert {known.id} == set(judge_entries(result, [known], {known.id}).refuted)


def test_a_value_that_is_not_blamed_beside_other_findings_is_confirmed_by_less_than_an_accepted_result() -> None:
    known = entry("lines: end with 'LF'", content=("lf",))
    judged = lint("X1", "assets: 'static/' != 'public/'")
    result = lesson(replace(turn(judged), work=ExecutionResult("assets: static/\nlines: LF"))).result
    result = replace(result, decision=replace(result.decision, action=NextAction.ACCEPT_BEST))
    verdicts = judge_entries(result, [known], {known.id})

    assert [set(), set(), {known.id}] == [set(verdicts.confirmed), set(verdicts.refuted), set(verdicts.unblamed)]


def mistyped(found: str, wanted: str) -> str:
    return f'Incompatible types in assignment (expression has type "{found}", variable has type "{wanted}")'


def test_findings_of_one_rule_that_name_other_things_neither_refute_an_entry_nor_take_its_place() -> None:
    known = learn("a", (lint("assignment", mistyped("int", "Money")), "p: int"), (GOOD, "p: Money"))
    other = learn("b", (lint("assignment", mistyped("str", "Url")), "q: str"), (GOOD, "q: Url"))
    rival = learn("c", (lint("assignment", mistyped("int", "Cents")), "p: int"), (GOOD, "p: Cents"))
    bad = taught("d", (lint("assignment", mistyped("str", "Url")), "p: Money\n+q: str")).result
    bad = replace(bad, decision=replace(bad.decision, action=NextAction.ACCEPT_BEST))
    against = taught("e", (lint("assignment", mistyped("Money", "int")), "p: Money")).result
    against = replace(against, decision=replace(against.decision, action=NextAction.ACCEPT_BEST))

    assert frozenset() == judge_entries(bad, [known], {known.id}).refuted
    assert {known.id} == judge_entries(against, [known], {known.id}).refuted
    assert [False, True] == [compare(known, one).may_contradict for one in (other, rival)]
