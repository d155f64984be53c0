"""Test a judge known to overlook defects: it must first reject half of the work."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from openkoi_hookspecs import Chunk, Evaluation, ExecutionResult, Model, Request, StreamEnd, Task, Text, Usage
from openkoi_hookspecs.events import JudgeVoted
from openkoi_judge import Judge
from openkoi_judge.ablation_check import halve_work
from openkoi_judge.rubrics_library import load_rubrics
from openkoi_testing import Scenario, make_run

NAMES = ("relevance", "quality", "completeness")
WORDS = "".join(f"Line {n} of ten.\n" for n in range(1, 11))
DIFF = """\
diff --git a/koi.py b/koi.py
--- a/koi.py
+++ b/koi.py
@@ -1,3 +1,3 @@
-old one
+new one
 stays
-old two
+new two
"""
WORK = ExecutionResult(WORDS, diff=DIFF, files=("koi.py",))


@dataclass(slots=True)
class Reader:
    """A model that gives one score if it sees the whole text, and another if it sees less."""

    whole: float
    half: float
    asked: list[str] = field(default_factory=list)

    async def models(self) -> list[Model]:
        return [Model("script", context=200_000, output=8_000)]

    async def chat(self, request: Request) -> AsyncIterator[Chunk]:
        words = "".join(part.text for part in request.messages[-1].parts if isinstance(part, Text))
        self.asked.append(words)
        value = self.whole if "Line 10" in words else self.half
        yield Text(json.dumps({"scores": dict.fromkeys(NAMES, value), "findings": []}))
        yield StreamEnd(Usage())


def certify(folder: Path, detection: float, passed: bool) -> None:
    general = next(one for one in load_rubrics().rubrics if one.name == "general")
    measures = {"detection": detection, "false_alarms": 0.0}
    facts = {"stamp": Judge().stamp(general), "passed": passed, "leniency": 0.0, "measures": measures}
    place = folder / "certificates" / "general"
    place.mkdir(parents=True)
    text = json.dumps({"format": 1, "rubric": "general", "model": "scripted/script", "reasons": [], **facts})
    (place / "1.json").write_text(text, encoding="utf-8")


def judged(folder: Path, model: Reader) -> tuple[Evaluation, list[str]]:
    """The result of one judgment, and the calls it took."""

    async def judging() -> tuple[Evaluation, list[str]]:
        async with make_run(folder, task=Task("Write ten lines"), stage=Scenario(model=model)) as run:
            reply = await Judge(rubric="general", folder=folder).evaluate(WORK, run) or Evaluation()
            voted = [
                record.event for record in run.koi.records(run.task.session) if isinstance(record.event, JudgeVoted)
            ]
        return reply, [vote.control for vote in voted]

    return asyncio.run(judging())


def test_a_judge_that_would_accept_half_of_the_work_as_well_is_not_believed(tmp_path: Path) -> None:
    certify(tmp_path, 0.6, passed=False)

    reply, proofs = judged(tmp_path, Reader(0.95, 0.95))

    assert (None, ()) == (reply.score, reply.scores)
    assert ["The judge would also accept half of this work"] == [finding.title for finding in reply.blockers]
    assert ["blind"] == proofs


def test_one_that_sees_what_is_missing_is_believed(tmp_path: Path) -> None:
    certify(tmp_path, 0.6, passed=False)
    model = Reader(0.95, 0.4)

    reply, _ = judged(tmp_path, model)

    assert reply.score is not None
    assert 0.95 == pytest.approx(reply.score)
    assert 2 == len(model.asked)


@pytest.mark.parametrize(("detection", "passed"), [(0.9, True), (0.9, False)], ids=["certified", "bad otherwise"])
def test_one_that_finds_defects_is_not_tried(tmp_path: Path, detection: float, passed: bool) -> None:
    certify(tmp_path, detection, passed)
    model = Reader(0.95, 0.95)

    assert judged(tmp_path, model)[0].score is not None
    assert 1 == len(model.asked)


def test_without_a_certificate_nobody_is_tried(tmp_path: Path) -> None:
    model = Reader(0.95, 0.95)

    assert judged(tmp_path, model)[0].score is not None
    assert 1 == len(model.asked)


def test_what_is_not_accepted_needs_no_trial(tmp_path: Path) -> None:
    certify(tmp_path, 0.6, passed=False)
    model = Reader(0.5, 0.5)

    assert judged(tmp_path, model)[0].score is not None
    assert 1 == len(model.asked)


def test_half_of_a_change_leaves_its_second_half_undone() -> None:
    half = halve_work(ExecutionResult("Changed both.", diff=DIFF))

    assert DIFF.replace("-old two\n+new two\n", " old two\n") == half.diff
    assert "Change" == half.text


def test_half_of_one_line_is_nothing() -> None:
    assert "+" not in halve_work(ExecutionResult("", diff="@@ -0,0 +1 @@\n+one\n")).diff.partition("\n")[2]
