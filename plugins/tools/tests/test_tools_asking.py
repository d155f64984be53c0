"""Test ``ask_user``: the user's exact words, or that no user answers."""

import asyncio
from pathlib import Path

import pytest

from openkoi_hookspecs import Json, Limits, Question, StopReason, Task, ToolCall, ToolError, ToolResult
from openkoi_testing import Scenario, run_scenario
from openkoi_tools import WorkspaceTools


def test_a_person_is_asked_and_heard_word_for_word(tmp_path: Path) -> None:
    questions, answer = asyncio.run(asking("the <b>blue</b> one", tmp_path, question="Which?", choices=["red", "blue"]))

    assert [Question("Which?", choices=("red", "blue"))] == questions
    assert ToolResult("the <b>blue</b> one") == answer


def test_when_nobody_is_there_the_model_is_told_to_decide(tmp_path: Path) -> None:
    _, answer = asyncio.run(asking(None, tmp_path, question="Which?"))

    assert not answer.failed
    assert "No user answered." in answer.text
    assert "Decide yourself, continue, and state in your final answer what you assumed." in answer.text


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"question": " "}, "The question is empty."),
        ({"question": "Which?", "choices": "red"}, "The argument 'choices' must be a list, not 'red'."),
        ({"question": "Which?", "choices": ["red", 1]}, r"'choices\[1\]' must be text, not 1"),
    ],
)
def test_what_is_no_question_is_refused(tmp_path: Path, arguments: dict[str, Json], sentence: str) -> None:
    with pytest.raises(ToolError, match=sentence):
        asyncio.run(asking("yes", tmp_path, **arguments))


@pytest.mark.row("SAFE-03")
def test_a_run_that_only_asks_and_is_not_answered_comes_to_an_end(tmp_path: Path) -> None:
    lines = [ToolCall(str(n), "ask_user", {"question": f"Shall I do {n}?"}) for n in range(60)]

    run = run_scenario(Task("a task", limits=Limits(cycles=60)), Scenario(says=lines), tmp_path)

    assert StopReason.LOOP is run.result.best.work.ended


async def asking(reply: str | None, workspace: Path, **arguments: Json) -> tuple[list[Question], ToolResult]:
    """Ask a user with this answer; return the question, and the text for the model."""
    questions: list[Question] = []

    async def user(question: Question) -> str | None:
        questions.append(question)
        return reply

    home = workspace / "home"
    async with Scenario().build_app(workspace, home) as koi:
        koi.attend(user)
        tools = {
            tool.name: tool for tool in await WorkspaceTools().tools(await koi.run_starter.make_run(Task("a task")))
        }
        return questions, await tools["ask_user"].call(arguments)
