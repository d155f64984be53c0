"""Format a report as SARIF 2.1.0, which code hosts and editors show next to the lines.

A severity is a level; a finding's identity is its fingerprint, so that a host distinguishes new findings from those
that moved.
"""

from collections.abc import Sequence
from urllib.parse import quote

from openkoi_hookspecs import Json, Severity

from .report import EvaluationReport, NumberedFinding

SCHEMA_URL = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS = {Severity.BLOCKER: "error", Severity.IMPORTANT: "warning", Severity.SUGGESTION: "note"}
FINGERPRINT = "openkoiFinding/v1"
DEFAULT_RULE = "finding"
SOURCE_ROOT = "%SRCROOT%"


def report_to_sarif(report: EvaluationReport, version: str) -> dict[str, Json]:
    """Return one run of one tool."""
    rules = list(dict.fromkeys(rule_name(issue) for issue in report.issues))
    driver: dict[str, Json] = {"name": "OpenKoi", "version": version, "rules": [rule_to_sarif(one) for one in rules]}
    run: dict[str, Json] = {
        "tool": {"driver": driver},
        "invocations": [invocation_to_sarif(report)],
        "results": [issue_to_sarif(issue, rules) for issue in report.issues],
        "columnKind": "utf16CodeUnits",
        "properties": {"accepted": report.is_accepted, "score": report.evaluation.score, "reason": report.reason},
    }
    return {"$schema": SCHEMA_URL, "version": "2.1.0", "runs": [run]}


def rule_name(issue: NumberedFinding) -> str:
    """Return the violated rule: a linter's code, a test's name, a dimension."""
    return issue.finding.rule or DEFAULT_RULE


def rule_to_sarif(name: str) -> dict[str, Json]:
    """Return what is known about a rule."""
    return {"id": name, "shortDescription": {"text": name}}


def invocation_to_sarif(report: EvaluationReport) -> dict[str, Json]:
    """Return how the evaluation itself went, and its warnings."""
    notifications: list[Json] = [{"level": "warning", "message": {"text": text}} for text in report.warnings]
    return {
        "executionSuccessful": not report.evaluation.unavailable_reason,
        "exitCode": report.status,
        "toolExecutionNotifications": notifications,
    }


def issue_to_sarif(issue: NumberedFinding, rules: Sequence[str]) -> dict[str, Json]:
    """Return one finding."""
    return {
        "ruleId": rule_name(issue),
        "ruleIndex": rules.index(rule_name(issue)),
        "level": LEVELS[issue.finding.severity],
        "message": {"text": issue_message(issue)},
        "locations": [{"physicalLocation": issue_location(issue)}],
        "partialFingerprints": {FINGERPRINT: issue.fingerprint},
        "properties": {"severity": issue.finding.severity.value, "id": issue.id},
    }


def issue_message(issue: NumberedFinding) -> str:
    """Return what is wrong, the evidence, and what to do."""
    finding = issue.finding
    elsewhere = f"At {finding.where}." if finding.where and not issue.path else ""
    return "\n\n".join(filter(None, (finding.title, elsewhere, finding.detail, finding.fix)))


def issue_location(issue: NumberedFinding) -> dict[str, Json]:
    """Return the file and the line; for a finding without a place the whole project, because hosts require one."""
    uri = quote(issue.path, safe="/", errors="surrogateescape") if issue.path else "."
    absolute = uri.startswith("/")
    where: dict[str, Json] = {"uri": f"file://{uri}"} if absolute else {"uri": uri, "uriBaseId": SOURCE_ROOT}
    return {"artifactLocation": where, **({"region": {"startLine": issue.line}} if issue.line else {})}
