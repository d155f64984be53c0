"""Format a verdict as one JSON object."""

from openkoi_hookspecs import Json

from .verdict import NumberedFinding, Verdict

SCHEMA = "openkoi.evaluation/1"


def verdict_to_json(verdict: Verdict) -> dict[str, Json]:
    """Return all of a verdict, by stable names."""
    evaluation, spent = verdict.evaluation, verdict.spent
    weight = sum(one.weight for one in evaluation.scores) or 1.0
    return {
        "schema": SCHEMA,
        "subject": verdict.subject,
        "accepted": verdict.is_accepted,
        "status": verdict.status,
        "reason": verdict.reason,
        "score": evaluation.score,
        "quality_threshold": verdict.quality,
        "unknown": evaluation.unavailable_reason,
        "checks": [{"name": one.name, "passed": one.passed, "required": one.required} for one in evaluation.checks],
        "scores": [
            {"dimension": one.dimension, "score": one.value, "weight": round(one.weight / weight, 4)}
            for one in evaluation.scores
        ],
        "findings": [issue_to_json(issue) for issue in verdict.issues],
        "suggestion": evaluation.suggestion,
        "evaluators": list(verdict.evaluators),
        "model_asked": verdict.used_model,
        "warnings": list(verdict.warnings),
        "usage": {"tokens": spent.tokens, "calls": spent.calls},
        "cost_usd": spent.usd,
    }


def issue_to_json(issue: NumberedFinding) -> dict[str, Json]:
    """Return one finding; its place as it was given, and as path and line where that is known."""
    finding = issue.finding
    return {
        "id": issue.id,
        "severity": finding.severity.value,
        "rule": finding.rule,
        "title": finding.title,
        "location": issue.location,
        "path": issue.path,
        "line": issue.line or None,
        "detail": finding.detail,
        "fix": finding.fix,
        "fingerprint": issue.fingerprint,
    }
