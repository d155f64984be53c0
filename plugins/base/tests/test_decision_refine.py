"""How an evaluation becomes the next plan."""

from typing import Any

import pytest

from openkoi_base.decision.refine import refine
from openkoi_hookspecs import (
    Cost,
    Evaluation,
    ExecutionResult,
    Facts,
    Finding,
    Iteration,
    Plan,
    Policy,
    Section,
    Severity,
    StopReason,
)

pytestmark = pytest.mark.unit


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
        ({"end": StopReason.CYCLES}, "Stopped at the maximum number of cycles before the task was done"),
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
