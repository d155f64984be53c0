"""Explain a run's decisions, as ``--why`` shows them: gates, weights, and each vote of a judge.

Reads the report only: it explains recorded decisions and makes none.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from openkoi_base.counts import format_count
from openkoi_base.decision.merge import normalize_weights
from openkoi_base.decision.quality_threshold import meets
from openkoi_base.decision.stop_rules import is_reliable
from openkoi_base.files.diffs import format_names
from openkoi_hookspecs import (
    Check,
    Deny,
    Evaluation,
    EvaluationMode,
    Facts,
    Finding,
    Policy,
    Prospect,
    Score,
    Severity,
    events,
)
from openkoi_hookspecs.evaluation import RED_CAP
from openkoi_runlog import IterationView

from .formatting import format_held_out, truncate_line
from .report import RunReport
from .result_json import share_saved

MAX_NAMED = 3
NOT_EVALUATED = "not evaluated"
REUSED_SCORE = "unchanged since the last iteration; reused its score"
CLOSE_VOTE = "the first vote was close to the threshold"
NO_CHANGE = "nothing was changed"
CONTROLS = {
    events.ControlOutcome.SOUND: "the work contains text aimed at the evaluator; a control run showed it had no effect",
    events.ControlOutcome.DICTATED: "text in the work dictated the score, so the score was discarded",
    events.ControlOutcome.BLIND: "the judge also accepted the work with half of it removed, so the score was discarded",
}
FACTS = {
    "answered": "the model answered",
    "changed": "files were changed",
    "green": "required checks pass",
    "red": "required checks fail",
    "question": "the task was a question",
}
POLICIES = {
    Policy.JUDGE: "a judge decides",
    Policy.CHECKS: "checks decide",
    Policy.NONE: "nothing is evaluated",
}
TITLE_WIDTH = 10


def explain_run(report: RunReport) -> Iterator[str]:
    """Yield the limits that applied, and each iteration with the reasons for its decision."""
    if report.task is None:
        yield "The start of this task is missing from the log, so its decision cannot be explained."
        return
    limits, iterations = report.task.effective_limits, report.iterations
    yield f"[why] {truncate_line(report.task.text, 60)}"
    yield f"  threshold {limits.quality_threshold:.2f}, at most {format_count(limits.iterations, 'iteration')}"
    yield from format_held_out(report.held_out)
    for one in iterations:
        denials = report.denials.get(one.number, ())
        yield from format_iteration(one, report.judgings.get(one.number, ()), denials, limits.quality_threshold)
    if len(iterations) > 1 and report.completion:
        yield f"  best: iteration {report.completion.best + 1}"
    if report.failed:
        yield f"  {truncate_line(report.failed, 160)}"


def format_iteration(
    one: IterationView,
    judgings: Sequence[events.JudgeVoted],
    denials: Sequence[events.HookReturned],
    threshold: float,
) -> Iterator[str]:
    """Yield the lines of one iteration."""
    if one.decision:
        yield f"  iteration {one.number + 1}: {one.decision.action}: {truncate_line(one.decision.reason, 160)}"
        yield f"    {'facts':<{TITLE_WIDTH}}{format_facts(one.facts)}"
    if one.classified:
        yield f"    {'request':<{TITLE_WIDTH}}{format_request(one.classified)}"
    yield from (f"    {'denied':<{TITLE_WIDTH}}{text}" for text in format_denials(denials))
    rows = format_judgment(one.evaluation, threshold) if one.evaluation else [("judged", NOT_EVALUATED)]
    reused = REUSED_SCORE if one.mode is EvaluationMode.CACHED and not judgings else ""
    cause = NO_CHANGE if one.work and not one.work.changed else CLOSE_VOTE
    votes = [line for judging in judgings for line in format_votes(judging, cause)]
    yield from (f"    {title:<{TITLE_WIDTH}}{text}" for title, text in (*rows, ("judged", reused), *votes) if text)


def format_facts(facts: Facts) -> str:
    """Return the facts of a decision in one line."""
    end = f"ended: {facts.end}" + (f" ({facts.limit})" if facts.limit else "")
    judged = f"judged {facts.judged:.2f}" if facts.judged is not None else "not judged"
    turned = f"{format_count(len(facts.turned), 'check')} fixed" if facts.turned else ""
    true = [words for name, words in FACTS.items() if getattr(facts, name)]
    return ", ".join(filter(None, (end, *true, turned, judged, POLICIES[facts.policy])))


def format_denials(denials: Sequence[events.HookReturned]) -> Iterator[str]:
    """Yield each plugin that denied calls, with the reasons and the number of calls."""
    for text, number in Counter(f"{one.plugin}: {reason_of(one.answer)}".rstrip(": ") for one in denials).items():
        yield truncate_line(text, 160) + (f" ({number} times)" if number > 1 else "")


def reason_of(answer: object) -> str:
    """Return the reason for a denial, from a live event or from the log."""
    return (
        answer.reason if isinstance(answer, Deny) else str(answer.get("reason", "")) if isinstance(answer, dict) else ""
    )


def format_request(found: events.RequestClassified) -> str:
    """Return whether the request was classified as a question, and by which words or model."""
    if found.by == events.WORDS:
        return "a question, judging by its wording"
    kind = "a question" if found.question else "work"
    return f"{kind}: asked whether it requests a change, the {found.by} model {truncate_line(found.reason, 100)}"


def format_judgment(evaluation: Evaluation, threshold: float) -> Iterator[tuple[str, str]]:
    """Yield the gates, the weights, the findings and the score."""
    yield "checks", format_check_count(evaluation.checks)
    yield from (("gate", sentence) for sentence in list_gates(evaluation))
    if evaluation.scores:
        yield "weights", ", ".join(format_weights(evaluation.scores))
    yield "findings", format_findings(evaluation.findings)
    yield "score", format_score(evaluation, threshold)
    if evaluation.prospect:
        yield "another", format_prospect(evaluation.prospect)


def format_check_count(checks: Sequence[Check]) -> str:
    """Return the number of checks, and the first failing ones by name."""
    if not checks:
        return "no checks ran"
    red = [one for one in checks if not one.passed]
    named = f": {format_names([*map(format_failed_check, red)], MAX_NAMED, '; ')}" if red else ""
    return f"{format_count(len(checks), 'check')}, {len(red) or 'none'} red{named}"


def format_failed_check(check: Check) -> str:
    """Return the name of a failed check, who reported it, and whether it gates."""
    name = f"{check.name} ({check.evaluator})" if check.evaluator else check.name
    return name if check.required else f"{name} (informational: it failed before the work began)"


def list_gates(evaluation: Evaluation) -> Iterator[str]:
    """Yield what prevents acceptance, whatever the score."""
    if evaluation.unavailable_reason:
        yield f"no judgment: {truncate_line(evaluation.unavailable_reason, 160)}"
    if evaluation.failing:
        count = format_count(len(evaluation.failing), "required check")
        yield f"{count} failed: the score is capped at {RED_CAP:.2f}"
    yield from (f"a blocker is open: {format_finding(finding)}" for finding in evaluation.blockers)


def format_findings(findings: Sequence[Finding]) -> str:
    """Return the number of findings by severity, and their effect."""
    counts = {severity: sum(one.severity is severity for one in findings) for severity in Severity}
    parts = [f"{count} {severity}" for severity, count in counts.items() if count]
    return f"{', '.join(parts)} (blockers cap a dimension at 0.30; important findings reduce it)" if parts else "none"


def format_finding(finding: Finding) -> str:
    return truncate_line(finding.title) + (f" ({finding.where})" if finding.where else "")


def format_weights(scores: Sequence[Score]) -> list[str]:
    """Return each score with its share of the total."""
    return [f"{one.dimension} {one.value:.2f} ({one.weight:.0%})" for one in normalize_weights(scores)]


def format_score(evaluation: Evaluation, threshold: float) -> str:
    """Return the score, its value before the cap, and its side of the threshold."""
    score, uncapped = evaluation.score, replace(evaluation, checks=()).score
    if score is None:
        return "none"
    capped = f", capped from {uncapped:.2f}" if uncapped is not None and uncapped > score else ""
    side = "reaches" if meets(score, threshold) else "is below"
    return f"{score:.2f}{capped}; it {side} {threshold:.2f}"


def format_prospect(prospect: Prospect) -> str:
    """Return the chance that another iteration helps, and whether the estimate may end the run."""
    chance = f"the estimated chance that another iteration helps is {prospect.chance:.0%}"
    after = f"estimated from {format_count(prospect.seen, 'iteration')} of this project"
    if prospect.error is None:
        return f"{chance}, {after}, too few to rely on"
    kind = "reliable" if is_reliable(prospect) else "too inaccurate to rely on"
    return f"{chance}, {after}; calibration error {prospect.error:.2f}, {kind}"


def format_votes(judging: events.JudgeVoted, cause: str) -> Iterator[tuple[str, str]]:
    """Yield the judge, its rubric, each vote, the reason for more than one, and remarks."""
    yield "judge", f"{judging.rubric}, {judging.mode}{format_request_size(judging)}"
    for number, vote in enumerate(judging.votes, 1):
        yield (
            f"  vote {number}",
            f"{mean_score(vote):.2f}  {', '.join(f'{one.dimension} {one.value:.2f}' for one in vote)}",
        )
    if len(judging.votes) > 1:
        yield "  median", f"{', '.join(format_medians(judging.votes))}: {cause}"
    if judging.carried_over:
        yield "  carried", f"{', '.join(judging.carried_over)}, carried over from the previous evaluation"
    yield "  note", judging.note
    yield "  note", CONTROLS.get(judging.control, "")


def format_request_size(judging: events.JudgeVoted) -> str:
    """Return how many calls were made, and the share of tokens that was saved."""
    if judging.skipped:
        return ", no model was called"
    share = share_saved([judging])
    return f", {format_count(judging.calls, 'call')}" + (f", {share:.0%} of its tokens saved" if share >= 0.005 else "")


def mean_score(vote: Iterable[Score]) -> float:
    """Return the weighted mean of a vote."""
    return Evaluation(scores=tuple(vote)).score or 0.0


def format_medians(votes: Sequence[Sequence[Score]]) -> Iterator[str]:
    """Yield the median of each dimension, as the judge takes it."""
    from statistics import median

    for name in [score.dimension for score in votes[0]]:
        values = [score.value for vote in votes for score in vote if score.dimension == name]
        yield f"{name} {median(values):.2f}"
