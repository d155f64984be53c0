"""Test the effect of certificates: which rubric is chosen, whose scores are lowered, whose judgment only informs."""

import asyncio
import json
from pathlib import Path

import pytest

from openkoi_base.skillfile.evaluator import Rubric
from openkoi_hookspecs import Evaluation, ExecutionResult, Severity, Task
from openkoi_hookspecs.events import WarningIssued
from openkoi_judge import Judge
from openkoi_judge.abridge import abridge_diff
from openkoi_judge.certificates import load_certificates
from openkoi_judge.choose_rubric import choose_rubric, sort_by_merit
from openkoi_judge.rubrics_library import load_rubrics, search_locations
from openkoi_testing import Scenario, make_run

TASK = Task("Sort it", category="whatever")
BUG = {"severity": "blocker", "dimension": "quality", "title": "Wrong order"}
EVALUATOR = """---
name: {name}
kind: evaluator
description: {name}
metadata: {{categories: [code], dimensions: [{{name: one, weight: 1.0, description: one}}]}}
---
Look.
"""


def rubric(name: str, folder: Path | None = None) -> Rubric:
    return next(one for one in load_rubrics(search_locations(folder, None, ())).rubrics if one.name == name)


def certify(folder: Path, one: Rubric, **facts: object) -> None:
    """Write a certificate as the certification does."""
    whole = {
        **{"format": 1, "rubric": one.name, "stamp": Judge().stamp(one), "model": "scripted/script"},
        **{"passed": True, "reasons": [], "leniency": 0.0, "measures": {"detection": 0.9, "false_alarms": 0.0}},
        **facts,
    }
    place = folder / "certificates" / one.name
    place.mkdir(parents=True, exist_ok=True)
    (place / f"{len(list(place.iterdir()))}.json").write_text(json.dumps(whole), encoding="utf-8")


def judged(folder: Path, *, require_certified: bool = False) -> tuple[Evaluation, list[str]]:
    """The result of one judgment of 0.9 with a blocker, and the warnings."""
    says = json.dumps({"scores": dict.fromkeys(("relevance", "quality", "completeness"), 0.9), "findings": [BUG]})
    judge = Judge(votes=1, folder=folder, require_certified=require_certified)

    async def judging() -> tuple[Evaluation, list[str]]:
        async with make_run(folder, task=TASK, stage=Scenario(says=[says])) as run:
            reply = await judge.evaluate(ExecutionResult("Sorted."), run) or Evaluation()
            events = [record.event for record in run.koi.records(run.task.session)]
        return reply, [event.text for event in events if isinstance(event, WarningIssued)]

    return asyncio.run(judging())


def test_without_a_certificate_it_informs_and_does_not_gate(tmp_path: Path) -> None:
    reply, warned = judged(tmp_path, require_certified=True)

    assert reply.score is None
    assert not reply.blockers
    assert [("Wrong order", Severity.IMPORTANT)] == [(found.title, found.severity) for found in reply.findings]
    assert "scripted/script has no certificate" in warned[0]
    assert "the judgment by general is informational: scripted/script has no certificate" == (reply.unavailable_reason)
    assert ((), (), "") == (reply.checks, reply.missing, reply.log)


def test_with_a_passed_one_it_decides(tmp_path: Path) -> None:
    certify(tmp_path, rubric("general"))

    reply, warned = judged(tmp_path, require_certified=True)

    assert reply.blockers
    assert not warned


@pytest.mark.parametrize(
    "facts",
    [{"passed": False, "reasons": ["drift"]}, {"model": "acme/other"}, {"stamp": "old"}, {"format": 2}],
    ids=["not passed", "another model", "an older rubric", "another format"],
)
def test_one_that_does_not_hold_is_none(tmp_path: Path, facts: dict[str, object]) -> None:
    certify(tmp_path, rubric("general"), **facts)

    assert judged(tmp_path, require_certified=True)[0].score is None


def test_nothing_is_asked_of_certificates_unless_required(tmp_path: Path) -> None:
    assert judged(tmp_path)[0].score is not None


def test_the_newest_holds(tmp_path: Path) -> None:
    certify(tmp_path, rubric("general"))
    certify(tmp_path, rubric("general"), passed=False, reasons=["it drifted"])

    assert "it drifted" in judged(tmp_path, require_certified=True)[1][0]


def test_what_a_judge_is_known_to_give_too_much_is_taken_off(tmp_path: Path) -> None:
    plain = {score.dimension: score.value for score in judged(tmp_path)[0].scores}

    certify(tmp_path, rubric("general"), leniency=0.08)

    lowered = {score.dimension: score.value for score in judged(tmp_path)[0].scores}
    assert round(plain["relevance"] - 0.08, 3) == round(lowered["relevance"], 3)


def test_a_damaged_one_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "certificates" / "general").mkdir(parents=True)
    (tmp_path / "certificates" / "general" / "a.json").write_text("[]", encoding="utf-8")

    assert () == load_certificates(tmp_path, "general", "any").certificates


@pytest.mark.row("EVAL-15", "C55")
def test_of_one_source_the_better_certified_is_chosen_and_sources_go_before(tmp_path: Path) -> None:
    for name in ("alpha", "beta"):
        file = tmp_path / "evaluators" / "user" / name / "SKILL.md"
        file.parent.mkdir(parents=True)
        file.write_text(EVALUATOR.format(name=name), encoding="utf-8")
    library = load_rubrics(search_locations(tmp_path, None, ()))

    def chosen(**merits: float) -> str:
        order = sort_by_merit(library, lambda one: merits.get(one.name.replace("-", "_"), -1.0))
        return choose_rubric(order, "", Task("Fix it", category="code")).name

    assert "alpha" == chosen()
    assert "beta" == chosen(beta=0.7)
    assert "alpha" == chosen(beta=0.7, alpha=0.8)
    assert "alpha" == chosen(code_review=1.0)


def test_of_a_new_file_what_was_read_before_is_told_by_its_names() -> None:
    old = "".join(f"def part_{n}():\n    return {n}\n\n\n" for n in range(60))
    new = old.replace("return 50\n", "return 51\n")
    lines = "".join(f"+{line}\n" for line in new.splitlines())
    diff = f"diff --git a/a.py b/a.py\n--- /dev/null\n+++ b/a.py\n@@ -0,0 +1,240 @@\n{lines}"

    short = abridge_diff(diff, {"a.py": old}, {"a.py": new})

    assert len(short) < len(diff) / 2
    assert "return 51" in short
    assert "part_30" in short
    assert diff == abridge_diff(diff, {}, {"a.py": new})
