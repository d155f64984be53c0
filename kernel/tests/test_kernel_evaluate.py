"""How opinions become one evaluation, and an evaluation the next plan."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from openkoi.phases.evaluate import distinct, evaluate, merge, sound
from openkoi.phases.refine import refine
from openkoi_hookspecs import (
    Check,
    Decision,
    Ended,
    Evaluation,
    Finding,
    LimitReached,
    Mode,
    Plan,
    Run,
    Score,
    Section,
    Severity,
    Task,
    Work,
    events,
)
from openkoi_testing import Stage, lend, perform

GOOD = Evaluation(scores=(Score("quality", 0.9),))
SILENT = Evaluation(unknown="no answer")


@dataclass
class Opinion:
    """An evaluator that says this, or raises it, whatever it is shown."""

    says: Evaluation | Exception | None
    seen: list[Work] = field(default_factory=list)

    async def evaluate(self, work: Work, run: Run) -> Evaluation | None:
        self.seen.append(work)
        if isinstance(self.says, Exception):
            raise self.says
        return self.says


def evaluated(evaluators: Mapping[str, object], workspace: Path, require: Sequence[str] = ()) -> Evaluation | None:
    """What these evaluators together say of some work."""

    async def ask() -> Evaluation | None:
        stage = Stage(evaluators=evaluators, settings={"evaluation.require": list(require)})
        async with lend(workspace, stage=stage) as run:
            return await evaluate(Plan(), Work("done"), run)  # type: ignore[arg-type]  # lend gives out a Kernel

    return asyncio.run(ask())


# One evaluation of many.


def test_opinions_are_put_together_in_order() -> None:
    tests = Evaluation(checks=(Check("unit", True),), findings=(Finding("slow"),), suggestion="Run less.", log="ok")
    judge = Evaluation(scores=(Score("clarity", 0.7),), findings=(Finding("terse"),), suggestion="Say why.", log="hm")

    assert Evaluation(
        checks=(Check("unit", True),),
        scores=(Score("clarity", 0.7),),
        findings=(Finding("slow"), Finding("terse")),
        suggestion="Run less. Say why.",
        log="ok\nhm",
    ) == merge([tests, judge])


def test_an_opinion_that_is_unknown_leaves_the_known_ones() -> None:
    assert GOOD == merge([SILENT, GOOD])


def test_what_nobody_knows_is_unknown_and_never_a_number() -> None:
    whole = merge([SILENT, Evaluation(unknown="no key")])

    assert ("no answer; no key", None) == (whole.unknown, whole.score)


def test_one_that_must_be_known_makes_all_unknown_and_keeps_what_was_found() -> None:
    whole = merge([Evaluation(checks=(Check("unit", False),))], ["the judge is away"])

    assert ("the judge is away", None, frozenset({"unit"})) == (whole.unknown, whole.score, whole.failing)


def test_no_opinions_are_no_judgement() -> None:
    assert None is merge([]).score


def test_the_mode_is_that_of_the_opinion_that_was_spared_most() -> None:
    assert Mode.INCREMENTAL is merge([GOOD, Evaluation(mode=Mode.INCREMENTAL)]).mode
    assert Mode.FULL is merge([GOOD, Evaluation(mode=Mode.CACHED, unknown="away")]).mode


def test_of_findings_that_are_the_same_the_severest_stands_in_the_place_of_the_first() -> None:
    mild, other = Finding("leaks", Severity.SUGGESTION, rule="R1", where="a.py:3"), Finding("slow")
    severe = Finding("leaks", Severity.BLOCKER, rule="R1", where="a.py:3", fix="close it")

    assert (severe, other) == distinct([mild, other, severe])
    assert (severe, other) == distinct([severe, other, mild])


@pytest.mark.parametrize("other", [Finding("leaks", where="a.py:9"), Finding("leaks", rule="R2"), Finding("spills")])
def test_findings_of_another_place_rule_or_title_are_others(other: Finding) -> None:
    first = Finding("leaks", where="a.py:3")

    assert (first, other) == distinct([first, other])


@pytest.mark.parametrize(
    "score",
    [
        Score("x", 1.01),
        Score("x", -0.01),
        Score("x", float("nan")),
        Score("x", float("inf")),
        Score("x", 0.5, -1.0),
        Score("x", 0.5, float("nan")),
        Score("x", 0.5, float("inf")),
    ],
)
def test_scores_that_are_no_scores_are_refused(score: Score) -> None:
    with pytest.raises(ValueError, match="x is scored"):
        sound(Evaluation(scores=(score,)))


# Asking the evaluators.


def test_evaluators_see_what_those_before_them_found(tmp_path: Path) -> None:
    tests, judge = Opinion(Evaluation(checks=(Check("unit", True),))), Opinion(GOOD)
    evaluated({"a-tests": tests, "judge": judge}, tmp_path)

    assert None is tests.seen[0].known
    assert tests.says == judge.seen[0].known


def test_nobody_with_an_opinion_is_no_evaluation(tmp_path: Path) -> None:
    assert None is evaluated({"a": Opinion(None), "b": Opinion(None)}, tmp_path)


def test_an_evaluator_that_raises_is_unknown_and_named(tmp_path: Path) -> None:
    said = evaluated({"judge": Opinion(RuntimeError("out of paper"))}, tmp_path)

    assert said is not None
    assert "Plugin 'judge' failed at evaluate: RuntimeError: out of paper" == said.unknown


def test_an_evaluator_that_a_limit_keeps_from_judging_is_unknown(tmp_path: Path) -> None:
    said = evaluated({"judge": Opinion(LimitReached("tokens"))}, tmp_path)

    assert said is not None
    assert "judge could not be asked: The task's limit of tokens is reached." == said.unknown


def test_an_evaluator_with_a_score_that_is_none_is_unknown(tmp_path: Path) -> None:
    said = evaluated({"judge": Opinion(Evaluation(scores=(Score("taste", 7.0),)))}, tmp_path)

    assert said is not None
    assert "taste is scored 7.0 with weight 1.0" in said.unknown


def test_a_judge_that_is_not_required_leaves_acceptance_to_the_checks(tmp_path: Path) -> None:
    green = Evaluation(checks=(Check("unit", True),))

    assert green == evaluated({"tests": Opinion(green), "judge": Opinion(SILENT)}, tmp_path)


def test_a_judge_that_is_required_and_silent_forbids_acceptance(tmp_path: Path) -> None:
    away = Opinion(Evaluation(unknown="no b"))
    evaluators = {"tests": Opinion(GOOD), "b": away, "judge": Opinion(SILENT)}
    said = evaluated(evaluators, tmp_path, require=["judge", "b", "tests"])

    assert said is not None
    assert ("no answer; no b", None) == (said.unknown, said.score)


@pytest.mark.parametrize("work", [Work("a", ended=Ended.PERSON), Work("a")], ids=["waits", "unjudged"])
def test_some_work_is_not_judged_at_all(work: Work, tmp_path: Path) -> None:
    plan = Plan(judged=work.ended is Ended.PERSON)
    judge = Opinion(GOOD)

    async def ask() -> Evaluation | None:
        async with lend(tmp_path, stage=Stage(evaluators={"judge": judge})) as run:
            return await evaluate(plan, work, run)  # type: ignore[arg-type]  # lend gives out a Kernel

    assert None is asyncio.run(ask())
    assert [] == judge.seen


@pytest.mark.row("EVAL-17", "TOK-09")
def test_the_same_work_again_is_not_judged_again() -> None:
    judge = Opinion(Evaluation(scores=(Score("quality", 0.5),)))
    done = perform(Task("a task"), Stage(says=["the same words"], evaluators={"judge": judge}))
    modes = [record.event.mode for record in done.records if isinstance(record.event, events.Iterated)]

    assert [Mode.FULL, Mode.CACHED] == modes
    assert 1 == len(judge.seen)
    assert Decision.ACCEPT_BEST is done.result.ruling.decision


# The next plan.


def test_only_what_is_open_is_sent_back() -> None:
    blocker, important = Finding("breaks", Severity.BLOCKER), Finding("has no test")
    evaluation = Evaluation(
        findings=(important, Finding("naming", Severity.SUGGESTION), blocker), suggestion="Test it."
    )
    plan = Plan(sections=(Section("soul", "be kind"),), steps=("one",))

    assert Plan(sections=plan.sections, steps=("one",), feedback=(important, blocker), suggestion="Test it.") == refine(
        plan, evaluation
    )


def test_what_was_mended_is_not_sent_back_again() -> None:
    plan = refine(Plan(), Evaluation(findings=(Finding("breaks"),), suggestion="Mend it."))

    assert Plan() == refine(plan, Evaluation())
    assert Plan() == refine(plan, None)


def test_a_persons_advice_is_a_blocker_and_comes_first() -> None:
    advice = Finding("use tabs", Severity.BLOCKER, rule="person", fix="use tabs")

    assert (advice, Finding("breaks")) == refine(Plan(), Evaluation(findings=(Finding("breaks"),)), "use tabs").feedback
    assert (advice,) == refine(Plan(), None, "use tabs").feedback
