"""A verdict for programs: one object. Pure."""

from openkoi_hookspecs import Json

from .verdict import Issue, Verdict

SCHEMA = "openkoi.evaluation/1"


def as_object(verdict: Verdict) -> dict[str, Json]:
    """All of it, by stable names."""
    said, spent = verdict.evaluation, verdict.spent
    weight = sum(one.weight for one in said.scores) or 1.0
    return {
        "schema": SCHEMA,
        "subject": verdict.subject,
        "accepted": verdict.accepted,
        "status": verdict.status,
        "reason": verdict.reason,
        "score": said.score,
        "quality_threshold": verdict.quality,
        "unknown": said.unavailable_reason,
        "checks": [{"name": one.name, "passed": one.passed, "required": one.required} for one in said.checks],
        "scores": [
            {"dimension": one.dimension, "score": one.value, "weight": round(one.weight / weight, 4)}
            for one in said.scores
        ],
        "findings": [found(issue) for issue in verdict.issues],
        "suggestion": said.suggestion,
        "evaluators": list(verdict.evaluators),
        "model_asked": verdict.asked,
        "warnings": list(verdict.warnings),
        "usage": {"tokens": spent.tokens, "calls": spent.calls},
        "cost_usd": spent.usd,
    }


def found(issue: Issue) -> dict[str, Json]:
    """One finding; its place as it was given, and as path and line where that is known."""
    finding = issue.finding
    return {
        "id": issue.id,
        "severity": finding.severity.value,
        "rule": finding.rule,
        "title": finding.title,
        "location": issue.where,
        "path": issue.path,
        "line": issue.line or None,
        "detail": finding.detail,
        "fix": finding.fix,
        "fingerprint": issue.fingerprint,
    }
