"""Test which findings count as fixed, which line fixed them, and what is learned from advice alone."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from learning_builders import patch

from openkoi_hookspecs import (
    Check,
    Cost,
    Decision,
    Evaluation,
    ExecutionResult,
    Finding,
    Iteration,
    LearningStatus,
    NextAction,
    Plan,
    Result,
    Score,
    Severity,
    Task,
)
from openkoi_learning.entry import LearningEntry
from openkoi_learning.extract_lessons import extract_entries
from openkoi_learning.lesson import Lesson

pytestmark = pytest.mark.unit

SEPARATOR = Finding("wrong separator", fix="Use `pipe` as the separator.")
CHARSET = Finding("charset does not fit", fix="Set the charset to `latin`.")


def judged(score: float, *findings: Finding, suggestion: str = "", red: Sequence[str] = ()) -> Evaluation:
    checks = tuple(Check(name, passed=False) for name in red)
    return Evaluation(checks=checks, scores=(Score("s", score),), findings=findings, suggestion=suggestion)


def learned(*turns: tuple[Evaluation, str], standing: LearningStatus = LearningStatus.PROBATION) -> list[str]:
    """The advice of this status after a run with these judgments, each with the diff of its work."""
    return [one.advice for one in extracted(*turns) if one.standing is standing]


def extracted(*turns: tuple[Evaluation, str]) -> Sequence[LearningEntry]:
    """The entries from such a run."""
    iterations = [
        Iteration(plan=Plan(), work=ExecutionResult("", diff=diff), evaluation=one, cost=Cost()) for one, diff in turns
    ]
    decision = Decision(NextAction.ACCEPT, "")
    result = Result(Task("Export", project="pond"), decision, best=iterations[-1], iterations=iterations, cost=Cost())
    return extract_entries(Lesson(run="r", result=result, project="pond"))


def test_a_finding_that_may_be_there_in_other_words_is_not_repaired() -> None:
    reworded = Finding("Trouble with the encoding")

    assert [] == learned((judged(0.3, SEPARATOR, CHARSET), ""), (judged(0.6, reworded), ""))
    assert [SEPARATOR.fix] == learned((judged(0.3, SEPARATOR, CHARSET), ""), (judged(0.6, CHARSET), ""))


def test_a_finding_whose_check_turned_green_is_repaired_whatever_is_left() -> None:
    own = replace(SEPARATOR, rule="test_separator"), replace(CHARSET, rule="test_charset")
    before = judged(0.3, *own, red=("test_separator", "test_charset"))
    after = judged(0.6, Finding("Trouble with the encoding"), red=("test_charset",))
    after = replace(after, checks=(*after.checks, Check("test_separator", passed=True)))
    diff = patch("export.py", "separator = pipe")

    assert [SEPARATOR.fix] == learned((before, ""), (after, diff), standing=LearningStatus.ACTIVE)
    assert [] == learned((before, ""), (after, ""), standing=LearningStatus.ACTIVE)


def test_what_gained_nothing_taught_nothing() -> None:
    assert [] == learned((judged(0.5, SEPARATOR), ""), (judged(0.5), ""))


def test_of_the_lines_that_changed_the_one_that_a_finding_speaks_of_mended_it() -> None:
    bare = Finding("The separator is wrong")
    diff = patch("export.toml", 'unit = "cents"', 'separator = "pipe"')

    assert ['fixed by `separator = "pipe"`'] == learned((judged(0.3, bare), ""), (judged(0.9), diff))
    assert [] == learned((judged(0.3, Finding("Not good yet")), ""), (judged(0.9), diff))
    assert ["fixed by `x = 1`"] == learned(
        (judged(0.3, Finding("Not good yet")), ""), (judged(0.9), patch("x.py", "x = 1"))
    )


def test_where_nothing_was_found_the_advice_that_helped_is_learned() -> None:
    hinted = judged(0.5, suggestion="Better with `pipe` for the separator.")

    assert ["Better with `pipe` for the separator."] == learned((hinted, ""), (judged(0.9), ""))


def test_what_the_last_work_lacks_is_the_content_of_advice_even_if_an_earlier_work_was_better() -> None:
    change = Finding("The separator is off", fix="Change the separator from `tab` to `pipe`.")
    works = (("separator: comma", judged(0.5)), ("separator: tab", judged(0.4, change)))
    done = [Iteration(plan=Plan(), work=ExecutionResult(text), evaluation=one, cost=Cost()) for text, one in works]
    decision = Decision(NextAction.ACCEPT_BEST, "")
    result = Result(Task("Export", project="pond"), decision, best=done[0], iterations=done, cost=Cost())

    assert [("pipe",)] == [one.content for one in extract_entries(Lesson(run="r", result=result, project="pond"))]


def test_a_title_that_only_names_its_subject_is_no_advice_where_the_next_work_sets_a_name() -> None:
    wrong = Finding("Wrong handling of repeats of the background consumer")
    other = Finding("Wrong amount of logging")
    works = ("retry policy of the queue: `a`\nlog: 1", "handling of repeats of the background consumer: `b`\nlevel: 2")
    judgements = (judged(0.5, wrong, other), judged(0.9))
    done = [
        Iteration(plan=Plan(), work=ExecutionResult(text), evaluation=one, cost=Cost())
        for text, one in zip(works, judgements, strict=True)
    ]
    result = Result(Task("Export"), Decision(NextAction.ACCEPT, ""), best=done[-1], iterations=done, cost=Cost())

    assert [] == [one.text for one in extract_entries(Lesson(run="r", result=result, project="pond"))]


def test_a_line_that_follows_the_advice_of_another_finding_fixed_nothing_else() -> None:
    tone = Finding("Wrong tone of the label", rule="test_tone", fix="Set the tone to `calm`.")
    date = Finding("Problem with the date format of the parcel tag", rule="test_date")
    before = judged(0.3, tone, date, red=("test_tone", "test_date"))
    after = replace(judged(0.9), checks=tuple(Check(name, passed=True) for name in ("test_tone", "test_date")))
    was, now = (
        patch("a.toml", f"tone of the parcel tag = '{one}'", f"days = '{two}'") for one, two in ("xy", ("calm", "iso"))
    )

    fixed = "fixed by `days = 'iso'`"
    assert [tone.fix, fixed] == learned((before, was), (after, now), standing=LearningStatus.ACTIVE)


def test_a_pattern_does_not_repeat_an_advice_that_the_run_taught() -> None:
    titles = "Set the tone to `calm`.", "Problem with the greeting", "Problem with the mood"
    blockers = [Finding(one, Severity.BLOCKER, rule="style") for one in titles]
    before, after = judged(0.3, *blockers), judged(0.9)

    works = (patch("a.toml", f"tone = '{one}'") for one in ("loud", "calm"))

    found = extracted(*zip((before, after), works, strict=True))
    pattern = next(one for one in found if one.origin == "pattern")

    assert "Problem with the greeting; Problem with the mood" in pattern.text
    assert "calm" not in pattern.text
