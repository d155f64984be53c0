"""What is said to be spared, held against what is: runs of the kernel over a model that counts what it is sent.

The model counts a token for four characters, and has what it was sent before in its cache. A way of sparing is measured
where it applies: the shares are of what would have been sent there without it.
"""

import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

import pytest

from openkoi_hookspecs import (
    Check,
    Chunk,
    Evaluation,
    EvaluationMode,
    ExecutionResult,
    Limits,
    Message,
    Price,
    Record,
    Request,
    Run,
    StreamEnd,
    Task,
    Text,
    ToolCall,
    ToolResult,
    Usage,
    events,
)
from openkoi_judge import Judge
from openkoi_runlog.report import Saving, build_report, measure_savings
from openkoi_runlog.report.result_json import share_saved
from openkoi_scripted import Line, Scripted
from openkoi_testing import Scenario, run_scenario

NAMES = ("correctness", "safety", "style", "completeness")
PRICE = Price(3.0, 15.0, 0.3, 3.75)
BUG = {"severity": "important", "dimension": "correctness", "title": "Wrong order", "location": "sort.py:1", "fix": "<"}
NIT = {"severity": "suggestion", "dimension": "style", "title": "Names", "description": "Say what they are. " * 9}
PRINTED = "test_sort.py::test_each_part PASSED\n" * 150


def tokens(request: Request) -> list[int]:
    """How long each piece of a request is, the steadiest first."""
    tools = [tool.description + str(tool.parameters) for tool in request.tools]
    return [len(text) // 4 for text in (*tools, *request.system, *map(words, request.messages))]


def words(message: Message) -> str:
    """A message as text."""
    texts = [part.text if isinstance(part, (Text, ToolResult)) else str(part) for part in message.parts]
    return "\n".join(texts)


class Metered(Scripted):
    """A model with a cache, which counts."""

    def __init__(self, turns: Sequence[Line]) -> None:
        super().__init__(turns)
        self.seen: dict[int, list[str]] = {}

    async def chat(self, request: Request) -> AsyncIterator[Chunk]:
        pieces = [*request.system, *map(words, request.messages)]
        before = self.seen.get(len(request.tools), [])
        self.seen[len(request.tools)] = pieces
        same = next((n for n, (old, new) in enumerate(zip(before, pieces, strict=False)) if old != new), len(before))
        counted = tokens(request)
        cached = sum(counted[: len(request.tools) + same]) if before else 0
        async for chunk in super().chat(request):
            if isinstance(chunk, StreamEnd):
                yield replace(chunk, usage=Usage(input=sum(counted) - cached, cache_read=cached, output=200))
            else:
                yield chunk


@dataclass(slots=True)
class Suite:
    """Checks that are red as often as it is said, and print a lot."""

    red: int = 0
    asked: int = 0

    async def evaluate(self, work: ExecutionResult, run: Run) -> Evaluation:
        self.asked += 1
        return Evaluation(checks=(Check("tests", self.asked > self.red),), log=PRINTED)


def scores(value: float, *findings: dict[str, str]) -> str:
    return json.dumps({"scores": dict.fromkeys(NAMES, value), "findings": findings, "suggestion": "Look again."})


def partly(value: float, *resolved: int) -> str:
    rows = [{"dimension": "correctness", "score": value}]
    return json.dumps({"scores": rows, "findings": [], "resolved": resolved, "suggestion": "Go on."})


def source(parts: int) -> str:
    return "".join(f"def part_{n}(given: int) -> int:\n    return given * {n} + {n * 7}\n\n\n" for n in range(parts))


def edit(number: int) -> ToolCall:
    search = f"given * {number} + {number * 7}"
    return ToolCall(f"e{number}", "edit_file", {"path": "sort.py", "search": search, "replace": f"given * {number}"})


def done(parts: int, tests: Suite, *says: Line) -> tuple[Record, ...]:
    """A run that writes a long file first."""
    writes = ToolCall("w", "write_file", {"path": "sort.py", "content": source(parts)})
    stage = Scenario(
        model=Metered([writes, "Written.", *says]),
        evaluators={"tests": tests, "judge": Judge(votes=1)},
        settings={"evaluation.order": ["tests", "judge"]},
    )
    task = Task("Sort the list in sort.py", category="code", limits=Limits(iterations=4, tokens=2_000_000))
    return run_scenario(task, stage).records


def repair_steps(parts: int) -> tuple[Record, ...]:
    """What was found is mended step by step: the change is judged, and in the end all of it."""
    says = scores(0.5, BUG, NIT), edit(3), "Mended.", partly(0.7, 1), edit(9), "Mended more.", scores(0.95)
    return done(parts, Suite(), *says)


def green(parts: int) -> tuple[Record, ...]:
    """The judge is sure, and a test is red; then it is green."""
    return done(parts, Suite(red=1), scores(0.96), edit(3), "Green.")


def astray(parts: int) -> tuple[Record, ...]:
    """The second attempt is worse: the third begins anew from the first."""
    return done(parts, Suite(), scores(0.7, BUG), edit(3), "Other.", partly(0.05), edit(9), "Better.", scores(0.95))


def of_requests(records: Sequence[Record], by: Saving) -> float:
    """The share that was spared of the requests in which it was."""
    saved = {one.at: one.tokens for one in measure_savings(records) if one.by is by}
    sent = sum(
        read(one.event.usage) for one in records if isinstance(one.event, events.ModelResponse) and one.at in saved
    )
    return sum(saved.values()) / (sum(saved.values()) + sent)


def of_judgements(records: Sequence[Record], mode: EvaluationMode) -> float:
    """The share that was spared of the judgements that were come by so."""
    report = build_report(records)
    return fmean(share_saved(report.judgings[one.number]) for one in report.iterations if one.mode is mode)


def of_dollars(records: Sequence[Record], *ways: Saving) -> float:
    """The share of the dollars that these ways spared."""
    saved = sum(one.usd or 0.0 for one in measure_savings(records, lambda _: PRICE) if one.by in ways)
    usages = [one.event.usage for one in records if isinstance(one.event, events.ModelResponse)]
    paid = sum(
        one.input * PRICE.input + one.cache_read * PRICE.cache_read + one.output * PRICE.output for one in usages
    )
    return saved / (saved + paid / 1e6)


def read(usage: Usage) -> int:
    return usage.input + usage.cache_read


def of_dollars_cached(records: Sequence[Record]) -> float:
    """What was spared of the price of the tokens that were read from the cache."""
    saved = [one for one in measure_savings(records, lambda _: PRICE) if one.by is Saving.PROMPT_CACHE]
    return sum(one.usd or 0.0 for one in saved) * 1e6 / sum(one.tokens * PRICE.input for one in saved)


def measured(parts: int) -> dict[str, float]:
    """What is said, and what is measured of it for a file of so many parts."""
    step, sure, records = repair_steps(parts), green(parts), astray(parts)
    return {
        "delta feedback: 60-80 % of iteration 2 and later": of_requests(step, Saving.DELTA),
        "compression: 40-60 % of iteration 2 and later": of_requests(records, Saving.COMPRESSION),
        "evaluation skipped: 100 % of it": of_judgements(sure, EvaluationMode.SKIPPED),
        "incremental evaluation: 40-70 % of it": of_judgements(step, EvaluationMode.INCREMENTAL),
        "prompt caching: 90 % of what is in the cache": of_dollars_cached(step),
        "the whole example: 67-80 % of the dollars": of_dollars(step, *Saving),
    }


@pytest.mark.row("TOK-10", "C47")
def test_each_way_of_sparing_spares_something_in_a_real_run() -> None:
    shares = measured(300)

    assert all(0 < share <= 1 for share in shares.values()), shares
    assert 1.0 == shares["evaluation skipped: 100 % of it"]


@pytest.mark.campaign
@pytest.mark.row("TOK-10")
def test_campaign_of_claims(capsys: pytest.CaptureFixture[str]) -> None:
    sizes = {parts: measured(parts) for parts in (300, 450, 600)}

    with capsys.disabled():
        for claim in sizes[300]:
            print(f"\n{claim:52} measured {', '.join(f'{shares[claim]:.0%}' for shares in sizes.values())}", end="")
