"""Test the cost of judging after the first iteration, compared with showing the judge whole files each time.

Tokens are counted as four characters each, over all that the judge is given to read.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from difflib import unified_diff
from pathlib import Path

import pytest

from openkoi_hookspecs import Chunk, ExecutionResult, Model, Request, StreamEnd, Task, Text, Usage
from openkoi_judge import Judge
from openkoi_judge.evidence import format_task, format_work
from openkoi_judge.rubrics_library import load_rubrics
from openkoi_judge.system_prompt import build_instructions
from openkoi_testing import Scenario, make_run

TASK = Task("Make every part add one more", category="code")
NAMES = ("correctness", "safety", "style", "completeness")
(RUBRIC,) = (rubric for rubric in load_rubrics().rubrics if rubric.name == "code-review")


@dataclass(slots=True)
class Counting:
    """A judge that reports one finding less each time, and counts the tokens it reads."""

    scores: list[float]
    read: list[int] = field(default_factory=list)

    async def models(self) -> list[Model]:
        return [Model("script", context=200_000, output=8_000)]

    async def chat(self, request: Request) -> AsyncIterator[Chunk]:
        text = "".join(part.text for part in request.messages[0].parts if isinstance(part, Text))
        self.read.append(len(text) + sum(map(len, request.system)))
        value = self.scores[min(len(self.read), len(self.scores)) - 1]
        partial = "BEGIN verdict" in text
        rows = [{"dimension": "correctness", "score": value}] if partial else dict.fromkeys(NAMES, value)
        yield Text(json.dumps({"scores": rows, "findings": [], "resolved": [], "suggestion": ""}))
        yield StreamEnd(Usage())


def file(size: int, repair: int) -> str:
    """A source file with a number of tokens, whose first parts are fixed."""
    parts = [
        f"def part_{n}(given: int) -> int:\n    return given * {n} + {n + (n < repair)}\n\n\n"
        for n in range(size // 15)
    ]
    return "".join(parts)


def tokens(root: Path, before: str, states: list[str], scores: list[float]) -> tuple[list[int], int]:
    """The tokens that the judge read for each state, and the tokens of the whole file."""
    model = Counting(scores)

    async def judging() -> list[int]:
        took = []
        judge = Judge(votes=1, max_diff=200_000)
        async with make_run(root, task=TASK, stage=Scenario(model=model)) as run:
            for state in states:
                (root / "parts.py").write_text(state, encoding="utf-8")
                lines = unified_diff(before.splitlines(), state.splitlines(), "a/parts.py", "b/parts.py", lineterm="")
                diff = "diff --git a/parts.py b/parts.py\n" + "\n".join(lines)
                already = sum(model.read)
                await judge.evaluate(ExecutionResult("Mended.", diff=diff, files=("parts.py",)), run)
                took.append((sum(model.read) - already) // 4)
        return took

    took = asyncio.run(judging())
    whole = (
        *build_instructions(RUBRIC),
        format_task(TASK),
        format_work(ExecutionResult("Mended." + states[-1]), 10**6),
    )
    return took, sum(map(len, whole)) // 4


@pytest.mark.row("TOK-10")
@pytest.mark.parametrize("size", [7_000, 16_000])
def test_of_a_long_file_that_is_edited_the_change_is_read(tmp_path: Path, size: int) -> None:
    states = [file(size, repair) for repair in (4, 7, 9)]

    took, whole = tokens(tmp_path, file(size, 0), states, [0.6, 0.7, 0.75])

    assert sum(took[1:]) <= 0.5 * 2 * whole, f"{took} against {whole} each time"


@pytest.mark.row("TOK-10")
@pytest.mark.parametrize("size", [7_000, 16_000])
def test_of_a_long_file_that_is_new_the_change_is_read_and_the_whole_once_more(tmp_path: Path, size: int) -> None:
    states = [file(size, repair) for repair in (4, 7)]

    took, whole = tokens(tmp_path, "", states, [0.6, 0.7])

    assert took[1] <= 0.5 * whole, f"{took} against {whole} each time"


@pytest.mark.row("TOK-10")
@pytest.mark.parametrize("last", [0.75, 0.85], ids=["rejected", "accepted"])
def test_of_a_new_file_that_is_judged_in_full_again_what_stands_is_not_read_again(tmp_path: Path, last: float) -> None:
    size = 7_000
    states = [file(size, repair) for repair in (4, 7, 9)]

    took, whole = tokens(tmp_path, "", states, [0.6, 0.7, last])

    assert sum(took[1:]) <= 0.5 * 2 * whole, f"{took} against {whole} each time"
