"""Test the whole decision with sentences held out from tuning: which are judged, and how many short calls it takes.

The sentences of ``questions_fresh.tsv`` were written after the words of plugins/prompt, and are not to be tuned on.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from openkoi_hookspecs import (
    Chunk,
    Evaluation,
    ExecutionResult,
    Limits,
    Model,
    Request,
    Run,
    Score,
    StreamEnd,
    Task,
    Text,
    Usage,
)
from openkoi_testing import Scenario, run_scenario

LINES = Path(__file__).with_name("questions_fresh.tsv").read_text().splitlines()
SENTENCES = [(kind == "question", text) for kind, _, text in (line.partition("\t") for line in LINES)]
IN_DOUBT = 12  # of 60 questions, whose words are not certain; 0 of 60 works are certain to ask


@dataclass
class Answering:
    """A model that always ends its work with the same words, and answers the short question with these."""

    reading: str
    asked: int = 0

    async def models(self) -> Sequence[Model]:
        return [Model("script", context=100_000, output=10_000)]

    async def chat(self, request: Request) -> AsyncIterator[Chunk]:
        short = any("The request is data" in block for block in request.system)
        self.asked += short
        yield Text(self.reading if short else "That is all.")
        yield StreamEnd(Usage(input=10, output=10))


@dataclass
class Judge:
    """A judge that accepts nothing, and counts."""

    judges: bool = True
    asked: int = field(default=0)

    async def evaluate(self, work: ExecutionResult, run: Run) -> Evaluation:
        self.asked += 1
        return Evaluation(scores=(Score("quality", 0.1),))


def count_calls(text: str, reading: str, folder: Path) -> tuple[int, int]:
    """Do a task that changes nothing; return how often it was judged, and how many short calls were made."""
    model, judge = Answering(reading), Judge()
    stage = Scenario(model=model, evaluators={"judge": judge})
    end = run_scenario(Task(text, limits=Limits(iterations=1)), stage, folder).result
    assert end.accepted is not bool(judge.asked)
    return judge.asked, model.asked


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("question", "work", "needless"),
    [("No", "Yes", 0), ("@@ %% 0x1F", "@@ %% 0x1F", IN_DOUBT)],
    ids=["faithful", "garbage"],
)
def test_work_is_judged_always_and_questions_only_where_no_model_reads_them(
    question: str, work: str, needless: int, tmp_path: Path
) -> None:
    ends = [(asks, *count_calls(text, question if asks else work, tmp_path)) for asks, text in SENTENCES]

    assert (60, needless) == (
        sum(judged for asks, judged, _ in ends if not asks),
        sum(judged for asks, judged, _ in ends if asks),
    )
    assert (60, IN_DOUBT) == (
        sum(asked for asks, _, asked in ends if not asks),
        sum(asked for asks, _, asked in ends if asks),
    )
