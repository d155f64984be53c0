"""What an evaluation comes to, and how it is told. Pure."""

import json
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from jsonschema import Draft7Validator

from openkoi_cli.evaluate.json_output import report_to_json
from openkoi_cli.evaluate.report import (
    EvaluationReport,
    FindingRoot,
    build_report,
    describe_reason,
    exit_status,
    number_findings,
)
from openkoi_cli.evaluate.sarif import report_to_sarif
from openkoi_cli.evaluate.text_output import format_markdown, format_text
from openkoi_hookspecs import (
    Check,
    Cost,
    Decision,
    Evaluation,
    ExecutionResult,
    Finding,
    Iteration,
    NextAction,
    Plan,
    Result,
    Score,
    Severity,
    Task,
)

HERE = FindingRoot("", lambda path: path in {"src/a b.py", "pond.py"})
BELOW = FindingRoot("packages/pond", HERE.contains)
RED = Finding("test_depth fails", rule="test_depth", where="pond.py:7", detail="E assert 1 == 2", fix="Add one.")
STYLE = Finding("unused import", Severity.SUGGESTION, rule="F401", where="src/a b.py:1:3")
VAGUE = Finding("it is unclear", Severity.BLOCKER, rule="clarity", where="the second paragraph")
JUDGED = Evaluation(
    checks=(Check("test_depth", passed=False), Check("test_more", passed=True)),
    scores=(Score("quality", 0.5),),
    findings=(STYLE, RED, VAGUE),
)
MESSAGE = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}
PLACE = {
    "type": "object",
    "additionalProperties": False,
    "required": ["artifactLocation"],
    "properties": {
        "artifactLocation": {
            "type": "object",
            "additionalProperties": False,
            "properties": {"uri": {"type": "string", "pattern": "^[^ ]+$"}, "uriBaseId": {"type": "string"}},
        },
        "region": {
            "type": "object",
            "additionalProperties": False,
            "properties": {"startLine": {"type": "integer", "minimum": 1}},
        },
    },
}
RESULT = {
    "type": "object",
    "additionalProperties": False,
    "required": ["message"],
    "properties": {
        "ruleId": {"type": "string"},
        "ruleIndex": {"type": "integer", "minimum": -1},
        "level": {"enum": ["none", "note", "warning", "error"]},
        "message": MESSAGE,
        "locations": {"type": "array", "minItems": 1, "items": {"properties": {"physicalLocation": PLACE}}},
        "partialFingerprints": {"type": "object", "additionalProperties": {"type": "string"}},
        "properties": {"type": "object"},
    },
}
# As much of SARIF 2.1.0 as we write, as strict as the standard's own schema.
SARIF = {
    "type": "object",
    "additionalProperties": False,
    "required": ["version", "runs"],
    "properties": {
        "$schema": {"type": "string"},
        "version": {"enum": ["2.1.0"]},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool"],
                "properties": {
                    "tool": {"type": "object", "required": ["driver"]},
                    "invocations": {"type": "array", "items": {"required": ["executionSuccessful"]}},
                    "results": {"type": "array", "items": RESULT},
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                },
            },
        },
    },
}


def result_of(decision: NextAction, evaluation: Evaluation | None = JUDGED) -> Result:
    best = Iteration(plan=Plan(), work=ExecutionResult(""), evaluation=evaluation, cost=Cost())
    return Result(Task("t"), Decision(decision, "because"), best=best, iterations=[best], cost=Cost())


def judged(evaluation: Evaluation = JUDGED, ground: FindingRoot = HERE) -> EvaluationReport:
    return build_report(result_of(NextAction.ACCEPT_BEST, evaluation), "pond", ground)


def sarif_of(report: EvaluationReport) -> Any:  # JSON: its shape is validated
    reply = json.loads(json.dumps(report_to_sarif(report, "1")))
    Draft7Validator(SARIF).validate(reply)
    return reply["runs"][0]


def test_the_gravest_finding_comes_first_and_each_has_a_place() -> None:
    found = [(one.id, one.location, one.path, one.line) for one in number_findings(JUDGED, HERE)]

    assert [
        ("F1", "the second paragraph", "", 0),
        ("F2", "pond.py:7", "pond.py", 7),
        ("F3", "src/a b.py:1", "src/a b.py", 1),
    ] == found


def test_places_are_told_from_where_a_person_stands() -> None:
    assert ("packages/pond/pond.py", 7) == BELOW.resolve("./pond.py:7:2")


def test_a_fingerprint_stays_when_lines_move_and_tells_twins_apart() -> None:
    moved = replace(RED, where="pond.py:99")

    first, second = (next(number_findings(Evaluation(findings=(one, STYLE)), HERE)).fingerprint for one in (RED, moved))
    twins = {one.fingerprint for one in number_findings(Evaluation(findings=(RED, moved)), HERE)}

    assert first == second
    assert 2 == len(twins)


def test_a_red_check_that_nobody_explains_is_a_finding() -> None:
    silent = Evaluation(checks=(Check("make test", passed=False), Check("old", passed=False, required=False)))

    assert ["make test fails"] == [one.finding.title for one in number_findings(silent, HERE)]


@pytest.mark.parametrize(
    ("decision", "evaluation", "status"),
    [
        (NextAction.ACCEPT, JUDGED, 0),
        (NextAction.ACCEPT, None, 0),
        (NextAction.ACCEPT_BEST, JUDGED, 3),
        (NextAction.ABORT_BUDGET, JUDGED, 3),
        (NextAction.ABORT_BUDGET, Evaluation(unavailable_reason="no money"), 4),
        (NextAction.ABORT_TIMEOUT, None, 5),
        (NextAction.ESCALATE, JUDGED, 3),
    ],
)
def test_the_status_says_how_it_ended(decision: NextAction, evaluation: Evaluation | None, status: int) -> None:
    assert status == exit_status(result_of(decision, evaluation))


def test_only_what_is_accepted_ends_with_zero() -> None:
    evaluations = (None, JUDGED, Evaluation(unavailable_reason="?"), Evaluation())

    statuses = {(one, exit_status(result_of(one, reply))) for one, reply in product(NextAction, evaluations)}

    assert {NextAction.ACCEPT} == {one for one, status in statuses if status == 0}


def test_the_reason_names_what_speaks_against_it() -> None:
    assert "1 check fails, 1 blocker is open, score 0.50 of 0.80" == describe_reason(result_of(NextAction.ACCEPT_BEST))
    assert "because" == describe_reason(result_of(NextAction.ACCEPT_BEST, Evaluation(unavailable_reason="no model")))


@pytest.mark.row("C80")
def test_sarif_is_valid_and_has_levels_rules_places_and_fingerprints() -> None:
    run = sarif_of(judged(ground=BELOW))

    first, second, third = run["results"]
    assert ["error", "warning", "note"] == [first["level"], second["level"], third["level"]]
    assert ["clarity", "test_depth", "F401"] == [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert "packages/pond/src/a%20b.py" == third["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert {"startLine": 7} == second["locations"][0]["physicalLocation"]["region"]
    assert "At the second paragraph." in first["message"]["text"]


def test_sarif_of_accepted_work_has_no_results() -> None:
    run = sarif_of(judged(Evaluation(checks=(Check("t", passed=True),))))

    assert [] == run["results"]


@pytest.mark.row("C80")
def test_markdown_is_a_table_in_which_nothing_of_a_finding_is_markup() -> None:
    hostile = Finding("<img src=x> | **now**\nnext", rule="r", where="pond.py:7")

    page = format_markdown(judged(Evaluation(findings=(hostile,), checks=(Check("t", passed=True),))))

    assert r"| ⚠️ F1 | `pond.py:7` | \<img src=x\> \| \*\*now\*\* next |" in page


def test_text_begins_a_finding_with_a_place_that_a_terminal_can_follow() -> None:
    lines = format_text(judged()).splitlines()

    assert "✗ not accepted: pond: 1 check fails, 1 blocker is open, score 0.50 of 0.80" == lines[0]
    assert ["F2 important  pond.py:7", "  test_depth fails", "    E assert 1 == 2", "  → Add one."] == lines[5:9]
    assert "1 of 2 checks pass · quality 0.50 · no model was called" == lines[-1]


def test_a_long_line_of_what_was_printed_is_cut() -> None:
    long = replace(RED, detail=f"got: {'x' * 5000}")

    assert max(map(len, format_text(judged(Evaluation(findings=(long,)))).splitlines())) < 250


def test_json_holds_all_of_it() -> None:
    reply = report_to_json(replace(judged(), warnings=("no judge",), evaluators=("testrunner",)))

    assert ("openkoi.evaluation/1", False, 3, 0.5) == (
        reply["schema"],
        reply["accepted"],
        reply["status"],
        reply["score"],
    )
    assert (["testrunner"], ["no judge"]) == (reply["evaluators"], reply["warnings"])
    assert {"pond.py", ""} <= {one["path"] for one in reply["findings"]}  # type: ignore[union-attr,index,call-overload]  # JSON
