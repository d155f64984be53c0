"""How opinions become one evaluation, and an evaluation the next plan."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from openkoi.phases.evaluate import evaluate
from openkoi.phases.merge import distinct, merge, only_stricter, sound
from openkoi_hookspecs import (
    Check,
    Cost,
    Evaluation,
    EvaluationMode,
    ExecutionResult,
    Facts,
    Finding,
    Iteration,
    LimitExceededError,
    NextAction,
    Plan,
    Policy,
    Run,
    Score,
    Section,
    Severity,
    StopReason,
    Task,
    events,
    hookimpl,
)
from openkoi_log import refine
from openkoi_testing import Stage, lend, perform

GOOD = Evaluation(scores=(Score("quality", 0.9),))
SILENT = Evaluation(unavailable_reason="no answer")


@dataclass
class Opinion:
    """An evaluator that says this, or raises it, whatever it is shown; one that scores is a judge."""

    says: Evaluation | Exception | None
    judges: bool = False
    seen: list[ExecutionResult] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.judges = self.judges or (isinstance(self.says, Evaluation) and bool(self.says.scores))

    async def evaluate(self, work: ExecutionResult, run: Run) -> Evaluation | None:
        self.seen.append(work)
        if isinstance(self.says, Exception):
            raise self.says
        return self.says


def evaluated(evaluators: Mapping[str, object], workspace: Path, require: Sequence[str] = ()) -> Evaluation | None:
    """What these evaluators together say of some work."""

    async def ask() -> Evaluation | None:
        stage = Stage(evaluators=evaluators, settings={"evaluation.require": list(require)})
        async with lend(workspace, stage=stage) as run:
            return await evaluate(Plan(), ExecutionResult("done"), run)  # type: ignore[arg-type]  # lend gives out a Kernel

    return asyncio.run(ask())


# One evaluation of many.


def test_opinions_are_put_together_in_order() -> None:
    tests = Evaluation(checks=(Check("unit", True),), findings=(Finding("slow"),), suggestion="Run less.", log="ok")
    judge = Evaluation(scores=(Score("clarity", 0.7),), findings=(Finding("terse"),), suggestion="Say why.", log="hm")

    assert Evaluation(
        checks=(Check("unit", True, evaluator="tests"),),
        scores=(Score("clarity", 0.7),),
        findings=(Finding("slow", evaluator="tests"), Finding("terse", evaluator="judge")),
        suggestion="Run less. Say why.",
        log="ok\nhm",
    ) == merge({"tests": tests, "judge": judge}, {"judge"})


def test_checks_that_did_not_run_are_missing_and_leave_a_score_as_it_is() -> None:
    whole = merge({"lint": SILENT, "judge": GOOD}, {"judge"})

    assert (0.9, ("no answer",), "") == (whole.score, whole.missing, whole.unavailable_reason)


def test_a_judge_that_does_not_know_leaves_no_number_whatever_another_says() -> None:
    whole = merge({"judge": SILENT, "second": GOOD}, {"judge", "second"})

    assert ("no answer", None) == (whole.unavailable_reason, whole.score)


def test_one_that_must_be_known_makes_all_unknown_and_keeps_what_was_found() -> None:
    whole = merge({"tests": Evaluation(checks=(Check("unit", False),))}, (), ["the judge is away"])

    assert ("the judge is away", None, frozenset({"unit"})) == (whole.unavailable_reason, whole.score, whole.failing)


def test_no_opinions_are_no_judgement() -> None:
    assert None is merge({}, ()).score


def test_the_mode_is_that_of_the_opinion_that_skipped_most() -> None:
    assert EvaluationMode.INCREMENTAL is merge({"a": GOOD, "b": Evaluation(mode=EvaluationMode.INCREMENTAL)}, "ab").mode
    assert (
        EvaluationMode.FULL
        is merge({"a": GOOD, "b": Evaluation(mode=EvaluationMode.CACHED, unavailable_reason="away")}, "ab").mode
    )


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
    assert Evaluation(checks=(Check("unit", True, evaluator="a-tests"),)) == judge.seen[0].known


def test_nobody_with_an_opinion_is_no_evaluation(tmp_path: Path) -> None:
    assert None is evaluated({"a": Opinion(None), "b": Opinion(None)}, tmp_path)


def test_an_evaluator_that_raises_is_unknown_and_named(tmp_path: Path) -> None:
    broken = Opinion(RuntimeError("out of paper"), judges=True)
    said = evaluated({"judge": broken}, tmp_path)

    assert said is not None
    assert "Plugin 'judge' failed at evaluate: RuntimeError: out of paper" == said.unavailable_reason
    assert 2 == len(broken.seen)


def test_checks_that_raise_are_missing_and_not_asked_again(tmp_path: Path) -> None:
    broken = Opinion(RuntimeError("out of paper"))
    said = evaluated({"lint": broken}, tmp_path)

    assert said is not None
    assert ("Plugin 'lint' failed at evaluate: RuntimeError: out of paper",) == said.missing
    assert 1 == len(broken.seen)


def test_the_score_of_an_evaluator_that_is_not_a_judge_is_refused_by_name(tmp_path: Path) -> None:
    counting = Opinion(Evaluation(checks=(Check("words", True),), scores=(Score("words", 1.0),)))
    counting.judges = False
    done = perform(Task("Make it"), Stage(says=["Done."], evaluators={"counting": counting}))

    said = [record.event.evaluation for record in done.records if isinstance(record.event, events.EvaluationFinished)]
    warned = [record.event.text for record in done.records if isinstance(record.event, events.WarningIssued)]
    assert {()} == {one.scores for one in said}
    assert any("score of evaluator counting: it does not declare `judges = True`" in text for text in warned)


@pytest.mark.parametrize(
    ("made", "kept"),
    [
        (Evaluation(scores=(Score("quality", 1.0),)), 0.9),
        (Evaluation(scores=(Score("taste", 1.0),)), 0.9),
        (Evaluation(scores=(Score("quality", 0.9, 5.0),)), 0.9),
        (Evaluation(scores=(Score("quality", 0.2),)), 0.2),
        (Evaluation(), None),
    ],
    ids=["raised", "added", "reweighted", "lowered", "removed"],
)
def test_a_hook_may_lower_a_score_and_never_raise_or_add_one(made: Evaluation, kept: float | None) -> None:
    class Hook:
        @hookimpl
        def after_evaluate(self, evaluation: Evaluation) -> Evaluation:
            return made

    done = perform(Task("Make it"), Stage(says=["Done."], evaluators={"judge": Opinion(GOOD)}, plugins={"h": Hook()}))

    assert kept == (done.result.iterations[0].evaluation or Evaluation()).score


def test_an_evaluator_that_a_limit_keeps_from_judging_is_unknown(tmp_path: Path) -> None:
    said = evaluated({"judge": Opinion(LimitExceededError("tokens"), judges=True)}, tmp_path)

    assert said is not None
    assert "The task's limit of tokens is reached." == said.unavailable_reason


def test_an_evaluator_with_a_score_that_is_none_is_unknown(tmp_path: Path) -> None:
    said = evaluated({"judge": Opinion(Evaluation(scores=(Score("taste", 7.0),)))}, tmp_path)

    assert said is not None
    assert "taste is scored 7.0 with weight 1.0" in said.unavailable_reason


def test_a_silent_judge_does_not_leave_acceptance_to_the_checks(tmp_path: Path) -> None:
    green = Evaluation(checks=(Check("unit", True),))
    said = evaluated({"tests": Opinion(green), "judge": Opinion(SILENT, judges=True)}, tmp_path)

    assert said is not None
    assert ("no answer", None, True) == (said.unavailable_reason, said.score, said.green)


def test_a_judge_that_is_required_and_silent_forbids_acceptance(tmp_path: Path) -> None:
    away = Opinion(Evaluation(unavailable_reason="no b"))
    evaluators = {"tests": Opinion(GOOD), "b": away, "judge": Opinion(SILENT)}
    said = evaluated(evaluators, tmp_path, require=["judge", "b", "tests", "other"])

    assert said is not None
    assert ("no answer; no b; other is required and has no opinion", None) == (said.unavailable_reason, said.score)


@pytest.mark.parametrize(
    "work", [ExecutionResult("a", ended=StopReason.PERSON), ExecutionResult("a")], ids=["waits", "unjudged"]
)
def test_some_work_is_not_judged_at_all(work: ExecutionResult, tmp_path: Path) -> None:
    plan = Plan(evaluate=work.ended is StopReason.PERSON)
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
    modes = [record.event.mode for record in done.records if isinstance(record.event, events.IterationFinished)]

    assert [EvaluationMode.FULL, EvaluationMode.CACHED] == modes
    assert 1 == len(judge.seen)
    assert NextAction.ACCEPT_BEST is done.result.decision.action


RED = Evaluation(checks=(Check("unit", False), Check("old", True)), findings=(Finding("leaks", Severity.BLOCKER),))
FULL = replace(RED, scores=(Score("a", 0.2), Score("b", 0.9)), missing=("lint timed out",))


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (replace(FULL, checks=FULL.checks[1:]), "the failing check unit"),
        (replace(FULL, checks=(Check("unit", True), FULL.checks[1])), "the failing check unit"),
        (replace(FULL, checks=(Check("unit", False, required=False), FULL.checks[1])), "the failing check unit"),
        (replace(FULL, findings=()), "the blocker 'leaks'"),
        (replace(FULL, findings=(Finding("leaks"),)), "the blocker 'leaks'"),
        (replace(FULL, missing=()), "the missing check 'lint timed out'"),
        (replace(FULL, checks=(*FULL.checks, Check("mine", True))), "the passing check mine"),
        (replace(FULL, scores=FULL.scores[1:]), "only judges score"),
    ],
)
def test_a_hook_cannot_make_work_easier_to_accept(made: Evaluation, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        only_stricter(made, FULL)


def test_a_hook_may_make_it_harder() -> None:
    more = (*FULL.checks, Check("mine", False), Check("told", True, required=False))
    harder = replace(FULL, checks=more, scores=(Score("a", 0.1), Score("b", 0.9)), suggestion="Look again.")

    assert harder == only_stricter(harder, FULL)
    assert replace(FULL, scores=()) == only_stricter(replace(FULL, scores=()), FULL)


# The next plan.


def iteration(evaluation: Evaluation | None, **facts: Any) -> Iteration:
    known = Facts(**{"answered": True, "changed": True, **facts})
    return Iteration(plan=Plan(), work=ExecutionResult("Done."), evaluation=evaluation, cost=Cost(), facts=known)


def test_only_what_is_open_is_sent_back() -> None:
    blocker, important = Finding("breaks", Severity.BLOCKER), Finding("has no test")
    evaluation = Evaluation(
        findings=(important, Finding("naming", Severity.SUGGESTION), blocker), suggestion="Test it."
    )
    plan = Plan(sections=(Section("soul", "be kind"),), steps=("one",))

    assert Plan(sections=plan.sections, steps=("one",), feedback=(important, blocker), suggestion="Test it.") == refine(
        plan, iteration(evaluation)
    )


def test_what_was_mended_is_not_sent_back_again() -> None:
    plan = refine(Plan(), iteration(Evaluation(findings=(Finding("breaks"),), suggestion="Mend it.")))

    assert Plan() == refine(plan, iteration(Evaluation()))
    assert Plan() == refine(plan, iteration(None))


@pytest.mark.parametrize(
    ("facts", "title"),
    [
        ({"answered": False, "changed": False}, "Nothing was done"),
        ({"changed": False, "green": True, "policy": Policy.CHECKS}, "Nothing was done"),
        ({"end": StopReason.CYCLES}, "Stopped at the maximum number of cycles before it was done"),
        ({"end": StopReason.UNMET}, "None of the declared conditions was met"),
    ],
)
def test_a_model_that_did_nothing_or_did_not_finish_is_told_so(facts: dict[str, Any], title: str) -> None:
    assert [title] == [finding.title for finding in refine(Plan(), iteration(None, **facts)).feedback]


def test_a_persons_advice_is_a_blocker_and_comes_first() -> None:
    advice = Finding("use tabs", Severity.BLOCKER, rule="person", fix="use tabs")
    found = Evaluation(findings=(Finding("breaks"),))

    assert (advice, Finding("breaks")) == refine(Plan(), iteration(found), "use tabs").feedback
    assert (advice,) == refine(Plan(), iteration(None), "use tabs").feedback
