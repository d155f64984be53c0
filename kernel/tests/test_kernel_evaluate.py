"""How evaluators are asked."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from openkoi.phases.evaluate import evaluate
from openkoi_hookspecs import (
    Check,
    Evaluation,
    EvaluationMode,
    ExecutionResult,
    LimitExceededError,
    NextAction,
    Plan,
    Run,
    Score,
    StopReason,
    Task,
    events,
    hookimpl,
)
from openkoi_testing import Scenario, make_run, run_scenario

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
        stage = Scenario(evaluators=evaluators, settings={"evaluation.require": list(require)})
        async with make_run(workspace, stage=stage) as run:
            return await evaluate(Plan(), ExecutionResult("done"), run)  # type: ignore[arg-type]  # lend gives out a Kernel

    return asyncio.run(ask())


def test_evaluators_see_what_those_before_them_found(tmp_path: Path) -> None:
    tests, judge = Opinion(Evaluation(checks=(Check("unit", True),))), Opinion(GOOD)
    evaluated({"a-tests": tests, "judge": judge}, tmp_path)

    assert None is tests.seen[0].known
    assert Evaluation(checks=(Check("unit", True, evaluator="a-tests"),)) == judge.seen[0].known


def test_nobody_with_an_opinion_is_no_evaluation(tmp_path: Path) -> None:
    assert None is evaluated({"a": Opinion(None), "b": Opinion(None)}, tmp_path)


def test_an_evaluator_that_raises_is_unknown_and_named(tmp_path: Path) -> None:
    broken = Opinion(RuntimeError("out of paper"), judges=True)
    reply = evaluated({"judge": broken}, tmp_path)

    assert reply is not None
    assert "Plugin 'judge' failed at evaluate: RuntimeError: out of paper" == reply.unavailable_reason
    assert 2 == len(broken.seen)


def test_checks_that_raise_are_missing_and_not_asked_again(tmp_path: Path) -> None:
    broken = Opinion(RuntimeError("out of paper"))
    reply = evaluated({"lint": broken}, tmp_path)

    assert reply is not None
    assert ("Plugin 'lint' failed at evaluate: RuntimeError: out of paper",) == reply.missing
    assert 1 == len(broken.seen)


def test_the_score_of_an_evaluator_that_is_not_a_judge_is_refused_by_name(tmp_path: Path) -> None:
    counting = Opinion(Evaluation(checks=(Check("words", True),), scores=(Score("words", 1.0),)))
    counting.judges = False
    run = run_scenario(Task("Make it"), Scenario(says=["Done."], evaluators={"counting": counting}))

    reply = [record.event.evaluation for record in run.records if isinstance(record.event, events.EvaluationFinished)]
    warned = [record.event.text for record in run.records if isinstance(record.event, events.WarningIssued)]
    assert {()} == {one.scores for one in reply}
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

    run = run_scenario(
        Task("Make it"), Scenario(says=["Done."], evaluators={"judge": Opinion(GOOD)}, plugins={"h": Hook()})
    )

    assert kept == (run.result.iterations[0].evaluation or Evaluation()).score


def test_an_evaluator_that_a_limit_keeps_from_judging_is_unknown(tmp_path: Path) -> None:
    reply = evaluated({"judge": Opinion(LimitExceededError("tokens"), judges=True)}, tmp_path)

    assert reply is not None
    assert "The task's limit was reached: tokens." == reply.unavailable_reason


def test_an_evaluator_with_a_score_that_is_none_is_unknown(tmp_path: Path) -> None:
    reply = evaluated({"judge": Opinion(Evaluation(scores=(Score("taste", 7.0),)))}, tmp_path)

    assert reply is not None
    assert "taste has score 7 and weight 1; a score must be 0 to 1" in reply.unavailable_reason


def test_a_silent_judge_does_not_leave_acceptance_to_the_checks(tmp_path: Path) -> None:
    green = Evaluation(checks=(Check("unit", True),))
    reply = evaluated({"tests": Opinion(green), "judge": Opinion(SILENT, judges=True)}, tmp_path)

    assert reply is not None
    assert ("no answer", None, True) == (reply.unavailable_reason, reply.score, reply.green)


def test_a_judge_that_is_required_and_silent_forbids_acceptance(tmp_path: Path) -> None:
    away = Opinion(Evaluation(unavailable_reason="no b"))
    evaluators = {"tests": Opinion(GOOD), "b": away, "judge": Opinion(SILENT)}
    reply = evaluated(evaluators, tmp_path, require=["judge", "b", "tests", "other"])

    assert reply is not None
    assert ("no answer; no b; other is required, but returned no evaluation", None) == (
        reply.unavailable_reason,
        reply.score,
    )


@pytest.mark.parametrize(
    "work", [ExecutionResult("a", ended=StopReason.PERSON), ExecutionResult("a")], ids=["waits", "unjudged"]
)
def test_some_work_is_not_judged_at_all(work: ExecutionResult, tmp_path: Path) -> None:
    plan = Plan(evaluate=work.ended is StopReason.PERSON)
    judge = Opinion(GOOD)

    async def ask() -> Evaluation | None:
        async with make_run(tmp_path, stage=Scenario(evaluators={"judge": judge})) as run:
            return await evaluate(plan, work, run)  # type: ignore[arg-type]  # lend gives out a Kernel

    assert None is asyncio.run(ask())
    assert [] == judge.seen


@pytest.mark.row("EVAL-17", "TOK-09")
def test_the_same_work_again_is_not_judged_again() -> None:
    judge = Opinion(Evaluation(scores=(Score("quality", 0.5),)))
    run = run_scenario(Task("a task"), Scenario(says=["the same words"], evaluators={"judge": judge}))
    modes = [record.event.mode for record in run.records if isinstance(record.event, events.IterationFinished)]

    assert [EvaluationMode.FULL, EvaluationMode.CACHED] == modes
    assert 1 == len(judge.seen)
    assert NextAction.ACCEPT_BEST is run.result.decision.action
