"""A verdict as SARIF 2.1.0, which code hosts and editors show beside the lines. Pure.

A severity is a level; a finding's identity is its fingerprint, so that a host tells a new one from one that moved.
"""

from collections.abc import Sequence
from urllib.parse import quote

from openkoi_hookspecs import Json, Severity

from .verdict import Issue, Verdict

HOME = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS = {Severity.BLOCKER: "error", Severity.IMPORTANT: "warning", Severity.SUGGESTION: "note"}
FINGERPRINT = "openkoiFinding/v1"
UNNAMED = "finding"
ROOT = "%SRCROOT%"


def as_sarif(verdict: Verdict, version: str) -> dict[str, Json]:
    """One run of one tool."""
    rules = list(dict.fromkeys(rule_of(issue) for issue in verdict.issues))
    driver: dict[str, Json] = {"name": "OpenKoi", "version": version, "rules": [rule(one) for one in rules]}
    run: dict[str, Json] = {
        "tool": {"driver": driver},
        "invocations": [invocation(verdict)],
        "results": [result(issue, rules) for issue in verdict.issues],
        "columnKind": "utf16CodeUnits",
        "properties": {"accepted": verdict.accepted, "score": verdict.evaluation.score, "reason": verdict.reason},
    }
    return {"$schema": HOME, "version": "2.1.0", "runs": [run]}


def rule_of(issue: Issue) -> str:
    """What was broken: a linter's code, a test's name, a dimension."""
    return issue.finding.rule or UNNAMED


def rule(name: str) -> dict[str, Json]:
    """A rule, as far as it is known here."""
    return {"id": name, "shortDescription": {"text": name}}


def invocation(verdict: Verdict) -> dict[str, Json]:
    """How the evaluation itself went, and what it warns of."""
    said: list[Json] = [{"level": "warning", "message": {"text": text}} for text in verdict.warnings]
    return {
        "executionSuccessful": not verdict.evaluation.unavailable_reason,
        "exitCode": verdict.status,
        "toolExecutionNotifications": said,
    }


def result(issue: Issue, rules: Sequence[str]) -> dict[str, Json]:
    """One finding."""
    return {
        "ruleId": rule_of(issue),
        "ruleIndex": rules.index(rule_of(issue)),
        "level": LEVELS[issue.finding.severity],
        "message": {"text": message(issue)},
        "locations": [{"physicalLocation": place(issue)}],
        "partialFingerprints": {FINGERPRINT: issue.fingerprint},
        "properties": {"severity": issue.finding.severity.value, "id": issue.id},
    }


def message(issue: Issue) -> str:
    """What is wrong, how it shows, and what to do."""
    finding = issue.finding
    elsewhere = f"At {finding.where}." if finding.where and not issue.path else ""
    return "\n\n".join(filter(None, (finding.title, elsewhere, finding.detail, finding.fix)))


def place(issue: Issue) -> dict[str, Json]:
    """The file and the line; of a finding without a place the whole project, for hosts want one of each."""
    uri = quote(issue.path, safe="/", errors="surrogateescape") if issue.path else "."
    absolute = uri.startswith("/")
    where: dict[str, Json] = {"uri": f"file://{uri}"} if absolute else {"uri": uri, "uriBaseId": ROOT}
    return {"artifactLocation": where, **({"region": {"startLine": issue.line}} if issue.line else {})}
