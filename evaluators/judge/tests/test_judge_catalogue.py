"""Test the whole judge with the catalogue of faults: how often it asks, and that no answer leads to a wrong score."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from data_files import fault_cases

from openkoi_hookspecs import Evaluation, ExecutionResult, LimitExceededError, Limits, NextAction, Task
from openkoi_judge import Judge
from openkoi_testing import Scenario, Scripted, make_run, run_scenario

ROOMY = Task("Do it", limits=Limits(tokens=10_000_000))
LONGER = "the answer was longer than was paid for, and nothing more is asked"
HEAD = "---\nname: faults\nkind: evaluator\nmetadata:\n  dimensions:\n"


def cases() -> list[Any]:
    return [pytest.param(case, id=case["id"]) for case in fault_cases("eval")]


def judge(data: Path, names: list[str]) -> Judge:
    file = data / "evaluators" / "user" / "faults" / "SKILL.md"
    file.parent.mkdir(parents=True)
    rows = "".join(f"    - {{name: {name}, weight: {1 / len(names):.4f}}}\n" for name in names)
    file.write_text(f"{HEAD}{rows}---\n", encoding="utf-8")
    return Judge(rubric="faults", folder=data, votes=1)


@pytest.mark.parametrize("case", cases())
def test_every_fault_gives_the_right_scores_or_none_and_is_asked_for_once_more(
    case: dict[str, Any], tmp_path: Path
) -> None:
    given, expected = case["given"], case["expect"]
    model = Scripted([given["text"], given["text"]], repeat_last=False)

    async def judging() -> Evaluation:
        async with make_run(tmp_path, task=ROOMY, stage=Scenario(model=model)) as run:
            try:
                return await judge(tmp_path, given["rubric"]).evaluate(ExecutionResult("Done."), run) or Evaluation()
            except LimitExceededError:
                return Evaluation(unavailable_reason=LONGER)

    evaluation = asyncio.run(judging())

    if evaluation.unavailable_reason:
        assert "invalid" in expected["outcome"]
        asks = 1 if evaluation.unavailable_reason == LONGER else 2
        assert (asks, None, ()) == (len(model.asked), evaluation.score, evaluation.scores)
        return
    assert expected["outcome"].startswith("ok")
    assert expected["scores"] == {score.dimension: score.value for score in evaluation.scores}
    assert json.dumps([finding.title for finding in evaluation.findings]).encode()
    assert (2 if "truncated" in expected.get("flags", ()) else 1) == len(model.asked)


@pytest.mark.parametrize("case", [case for case in cases() if "accept" in case.values[0]["expect"]])
def test_what_is_not_to_be_accepted_is_not_accepted(case: dict[str, Any], tmp_path: Path) -> None:
    names, reply = case["given"]["rubric"], case["given"]["text"]
    stage = Scenario(
        says=["Done.", reply, "Done so.", reply, "Done at last.", reply], evaluators={"judge": judge(tmp_path, names)}
    )

    result = run_scenario(Task("Do it"), stage, tmp_path).result

    assert result.decision.action is not NextAction.ACCEPT
