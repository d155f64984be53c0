"""Test evaluators that look for defects, and those that ask one question: what they see, and their results."""

import asyncio
from pathlib import Path

import pytest

from openkoi_hookspecs import (
    Check,
    Cost,
    Evaluation,
    ExecutionResult,
    Response,
    StreamEnd,
    Task,
    Text,
    ToolResult,
    Usage,
)
from openkoi_hookspecs.events import Event, InnerLoopEnded, IterationFinished, ModelResponse, ToolCallFinished
from openkoi_judge import Expectations, Judge
from openkoi_testing import Scenario, Scripted, make_run

HEAD = "---\nname: build\nkind: evaluator\ndescription: Looks at the build.\nmetadata:\n"
REPLY = ModelResponse("scripted/script", Response((Text("."),), StreamEnd(Usage())), 0.0)
HAPPENED = (
    REPLY,
    IterationFinished(0, None, Cost()),
    REPLY,
    ToolCallFinished(ToolResult("12 passed")),
    REPLY,
    InnerLoopEnded("answered"),
)


def rubric(data: Path, metadata: str, body: str = "Run the tests again.") -> Path:
    file = data / "evaluators" / "user" / "build" / "SKILL.md"
    file.parent.mkdir(parents=True)
    file.write_text(f"{HEAD}{metadata}---\n{body}\n", encoding="utf-8")
    return data


def expecting(data: Path, metadata: str) -> Expectations:
    return Expectations(rubrics=("build",), folder=rubric(data, metadata))


def heard(
    judge: Judge | Expectations, workspace: Path, *says: str, happened: tuple[Event, ...] = HAPPENED
) -> tuple[Evaluation, Scripted]:
    model = Scripted(says, repeat_last=False)

    async def judging() -> Evaluation | None:
        async with make_run(workspace, stage=Scenario(model=model)) as run:
            for event in happened:
                await run.emit(event)
            return await judge.evaluate(ExecutionResult("It is done."), run)

    evaluation = asyncio.run(judging())
    assert evaluation is not None
    return evaluation, model


@pytest.mark.row("LOOP-22", "LOOP-24")
@pytest.mark.parametrize(
    ("metadata", "passed"),
    [
        ("  method: contains\n  expect: is done\n", [True]),
        ("  method: contains\n  expect: [is done, is good]\n", [True, False]),
        ("  method: contains\n  of: finalToolResult\n  expect: 12 passed\n", [True]),
        ("  method: contains\n  of: final_tool_result\n  expect: failed\n", [False]),
        ("  method: regex\n  of: finalToolResult\n  expect: '^\\d+ passed$'\n", [True]),
        ("  method: regex\n  of: cycles\n  expect: '^[1-2]$'\n", [True]),
        ("  method: regex\n  of: terminatedBy\n  expect: '^answered$'\n", [True]),
    ],
)
def test_what_is_expected_is_a_check_and_no_score_without_asking_a_model(
    tmp_path: Path, metadata: str, passed: list[bool]
) -> None:
    evaluation, model = heard(expecting(tmp_path, metadata), tmp_path)

    assert passed == [check.passed for check in evaluation.checks]
    assert ([], ()) == (model.asked, evaluation.scores)


def test_a_judge_refuses_a_rubric_that_asks_no_model(tmp_path: Path) -> None:
    folder = rubric(tmp_path, "  method: contains\n  expect: is done\n")
    evaluation, model = heard(Judge(rubric="build", folder=folder), tmp_path)

    assert ([], ()) == (model.asked, evaluation.scores)
    assert "[evaluators.expectations]" in evaluation.unavailable_reason


@pytest.mark.parametrize("chosen", ["  categories: [coding]\n", ""])
def test_expectations_hold_for_the_tasks_of_their_category_and_those_that_name_them(
    tmp_path: Path, chosen: str
) -> None:
    folder = rubric(tmp_path, f"  method: contains\n  expect: is done\n{chosen}")
    task = Task("Build it.", category="coding") if chosen else Task("Build it. Use the build evaluator.")

    async def checked(task: Task) -> Evaluation | None:
        async with make_run(tmp_path, stage=Scenario(model=Scripted([])), task=task) as run:
            return await Expectations(folder=folder).evaluate(ExecutionResult("It is done."), run)

    evaluation = asyncio.run(checked(task))
    assert evaluation is not None
    assert (Check("build: is done", passed=True),) == evaluation.checks
    assert asyncio.run(checked(Task("Sing.", category="music"))) is None


def test_what_is_missing_is_a_finding_with_the_evaluator_s_advice(tmp_path: Path) -> None:
    evaluation, _ = heard(
        expecting(tmp_path, "  method: contains\n  of: finalToolResult\n  expect: 13 passed\n"), tmp_path
    )

    assert (Check("build: 13 passed", passed=False),) == evaluation.checks
    assert [("build expects finalToolResult to contain: 13 passed", "Run the tests again.")] == [
        (finding.title, finding.fix) for finding in evaluation.findings
    ]


@pytest.mark.row("LOOP-24", "LOOP-22")
def test_one_question_is_asked_about_the_work_and_how_it_came_about(tmp_path: Path) -> None:
    evaluation, model = heard(
        Judge(rubric="build", folder=rubric(tmp_path, "  method: llm_judge\n", "Is the build really green?")),
        tmp_path,
        *['{"scores": {"verdict": 0.9}, "findings": []}'] * 3,
    )

    request, *again = model.asked
    assert [request.messages] * 2 == [one.messages for one in again]
    message = "".join(part.text for part in request.messages[0].parts if isinstance(part, Text))
    assert pytest.approx(0.9) == evaluation.score
    assert "Is the build really green?" in request.system[0]
    assert all(text in message for text in ("BEGIN finalToolResult", "12 passed", "BEGIN cycles", "BEGIN terminatedBy"))


def test_of_nothing_that_happened_there_is_nothing_to_find(tmp_path: Path) -> None:
    evaluation, _ = heard(
        expecting(tmp_path, "  method: regex\n  of: cycles\n  expect: '^0$'\n"), tmp_path, happened=()
    )

    assert [True] == [check.passed for check in evaluation.checks]
