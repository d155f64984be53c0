"""Format a report as one JSON object."""

from openkoi_hookspecs import Json

from .report import EvaluationReport, NumberedFinding

SCHEMA = "openkoi.evaluation/1"


def report_to_json(report: EvaluationReport) -> dict[str, Json]:
    """Return the whole report, with stable names."""
    evaluation, spent = report.evaluation, report.spent
    weight = sum(one.weight for one in evaluation.scores) or 1.0
    return {
        "schema": SCHEMA,
        "subject": report.subject,
        "accepted": report.is_accepted,
        "status": report.status,
        "reason": report.reason,
        "score": evaluation.score,
        "quality_threshold": report.quality,
        "unknown": evaluation.unavailable_reason,
        "checks": [{"name": one.name, "passed": one.passed, "required": one.required} for one in evaluation.checks],
        "scores": [
            {"dimension": one.dimension, "score": one.value, "weight": round(one.weight / weight, 4)}
            for one in evaluation.scores
        ],
        "findings": [issue_to_json(issue) for issue in report.issues],
        "suggestion": evaluation.suggestion,
        "evaluators": list(report.evaluators),
        "model_asked": report.used_model,
        "warnings": list(report.warnings),
        "usage": {"tokens": spent.tokens, "calls": spent.calls},
        "cost_usd": spent.usd,
    }


def issue_to_json(issue: NumberedFinding) -> dict[str, Json]:
    """Return one finding, with its location as given, and as path and line if they are known."""
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
