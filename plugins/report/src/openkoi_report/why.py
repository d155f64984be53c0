"""Why a run was decided as it was: what gated, what counted how much, what each vote of a judge said. Pure.

Told from a report alone, so from the log alone; it repeats what was decided and decides nothing.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from openkoi_hookspecs import Check, Evaluation, EvaluationMode, Facts, Finding, Score, Severity, events
from openkoi_hookspecs.evaluation import RED_CAP
from openkoi_runlog import IterationView
from openkoi_runlog.decision.history import meets
from openkoi_runlog.decision.merge import shares

from .figures import format_list, plural, truncate_line
from .iterations import share_saved
from .report import RunReport

NAMED = 3
NOT_EVALUATED = "not evaluated"
SAME = "unchanged since the last iteration; reused its score"
CLOSE = "the first vote was close to the threshold"
UNCHANGED = "nothing was changed"
CONTROLS = {
    events.ControlOutcome.SOUND: "the work contains text aimed at the evaluator; a control run showed it had no effect",
    events.ControlOutcome.DICTATED: "text in the work dictated the score, so the score was discarded",
    events.ControlOutcome.BLIND: "the judge would accept half of the work as well, so its score was discarded",
}
COLUMN = 10


def why_lines(report: RunReport) -> Iterator[str]:
    """The thresholds that held, and each iteration with what it was decided on."""
    if report.task is None:
        yield "The start of this task is missing from the log, so its decision cannot be explained."
        return
    limits, there = report.task.effective_limits, report.iterations
    yield f"[why] {truncate_line(report.task.text, 60)}"
    yield f"  threshold {limits.quality_threshold:.2f}, {plural(limits.iterations, 'iteration')} at most"
    for one in there:
        yield from format_iteration(one, report.judgings.get(one.number, ()), limits.quality_threshold)
    if len(there) > 1 and report.completion:
        yield f"  the best is iteration {report.completion.best + 1}"
    if report.failed:
        yield f"  {truncate_line(report.failed, 160)}"


def format_iteration(one: IterationView, judgings: Sequence[events.JudgeVoted], threshold: float) -> Iterator[str]:
    """One iteration."""
    if one.decision:
        yield f"  iteration {one.number + 1}: {one.decision.action}: {truncate_line(one.decision.reason, 160)}"
        yield f"    {'facts':<{COLUMN}}{facts_text(one.facts)}"
    if one.classified:
        yield f"    {'request':<{COLUMN}}{request_text(one.classified)}"
    rows = format_judgment(one.evaluation, threshold) if one.evaluation else [("judged", NOT_EVALUATED)]
    reused = SAME if one.mode is EvaluationMode.CACHED and not judgings else ""
    cause = UNCHANGED if one.work and not one.work.changed else CLOSE
    votes = [line for judging in judgings for line in format_votes(judging, cause)]
    yield from (f"    {title:<{COLUMN}}{text}" for title, text in (*rows, ("judged", reused), *votes) if text)


def facts_text(facts: Facts) -> str:
    """The facts that the decision rests on, in a line."""
    end = f"ended: {facts.end}" + (f" ({facts.limit})" if facts.limit else "")
    judged = f"judged {facts.judged:.2f}" if facts.judged is not None else "not judged"
    named = ("answered", "changed", "green", "red", "question")
    turned = f"{len(facts.turned)} turned green" if facts.turned else ""
    held = [name for name in named if getattr(facts, name)]
    return ", ".join(filter(None, (end, *held, turned, judged, f"policy: {facts.policy}")))


def request_text(found: events.RequestClassified) -> str:
    """Say whether the request was taken for a question, and what decided it."""
    if found.by == events.WORDS:
        return "a question, by its words"
    kind = "a question" if found.question else "work"
    return f"{kind}: asked whether it wants anything changed, the {found.by} model {truncate_line(found.reason, 100)}"


def format_judgment(evaluation: Evaluation, threshold: float) -> Iterator[tuple[str, str]]:
    """Yield what gates, what counts, and the result."""
    yield "checks", format_check_count(evaluation.checks)
    yield from (("gate", sentence) for sentence in gates(evaluation))
    if evaluation.scores:
        yield "weights", ", ".join(weights(evaluation.scores))
    yield "findings", format_findings(evaluation.findings)
    yield "score", format_score(evaluation, threshold)


def format_check_count(checks: Sequence[Check]) -> str:
    """How many there were, and the first red ones by name."""
    if not checks:
        return "none were run, so none gate"
    red = [one for one in checks if not one.passed]
    named = f": {format_list([*map(format_failed_check, red)], NAMED, '; ')}" if red else ""
    return f"{plural(len(checks), 'check')}, {len(red) or 'none'} red{named}"


def format_failed_check(check: Check) -> str:
    """Return a failed check, and whether it gates."""
    return check.name if check.required else f"{check.name} (informs: it was red before the work began)"


def gates(evaluation: Evaluation) -> Iterator[str]:
    """What forbids acceptance, whatever the score is."""
    if evaluation.unavailable_reason:
        yield f"no judgment: {truncate_line(evaluation.unavailable_reason, 160)}"
    if evaluation.failing:
        count = plural(len(evaluation.failing), "required check")
        yield f"{count} red: the score is {RED_CAP:.2f} at most"
    yield from (f"a blocker is open: {format_finding(finding)}" for finding in evaluation.blockers)


def format_findings(findings: Sequence[Finding]) -> str:
    """How many of each severity, and what they do."""
    counts = {severity: sum(one.severity is severity for one in findings) for severity in Severity}
    told = [f"{count} {severity}" for severity, count in counts.items() if count]
    return f"{', '.join(told)} (a blocker caps its dimension at 0.30, important ones lower theirs)" if told else "none"


def format_finding(finding: Finding) -> str:
    return truncate_line(finding.title) + (f" ({finding.where})" if finding.where else "")


def weights(scores: Sequence[Score]) -> list[str]:
    """Each score with the share that it counts."""
    return [f"{one.dimension} {one.value:.2f} ({one.weight:.0%})" for one in shares(scores)]


def format_score(evaluation: Evaluation, threshold: float) -> str:
    """Return the score, its value before the cap, and its side of the threshold."""
    score, uncapped = evaluation.score, replace(evaluation, checks=()).score
    if score is None:
        return "none"
    capped = f", capped from {uncapped:.2f}" if uncapped is not None and uncapped > score else ""
    side = "reaches" if meets(score, threshold) else "is below"
    return f"{score:.2f}{capped}; it {side} {threshold:.2f}"


def format_votes(judging: events.JudgeVoted, cause: str) -> Iterator[tuple[str, str]]:
    """Who judged by what, each vote, what caused more than one, and what was odd."""
    yield "judge", f"{judging.rubric}, {judging.mode}{format_request_size(judging)}"
    for number, vote in enumerate(judging.votes, 1):
        yield f"  vote {number}", f"{mean(vote):.2f}  {', '.join(f'{one.dimension} {one.value:.2f}' for one in vote)}"
    if len(judging.votes) > 1:
        yield "  median", f"{', '.join(medians(judging.votes))}: {cause}"
    if judging.carried_over:
        yield "  carried", f"{', '.join(judging.carried_over)}, from the judgement before"
    yield "  note", judging.note
    yield "  note", CONTROLS.get(judging.control, "")


def format_request_size(judging: events.JudgeVoted) -> str:
    """How much was asked."""
    if judging.skipped:
        return ", no model was asked"
    share = share_saved([judging])
    return f", {plural(judging.calls, 'call')}" + (f", {share:.0%} of its tokens saved" if share >= 0.005 else "")


def mean(vote: Iterable[Score]) -> float:
    """What a vote gives over all."""
    return Evaluation(scores=tuple(vote)).score or 0.0


def medians(votes: Sequence[Sequence[Score]]) -> Iterator[str]:
    """The median of each dimension, as the judge takes it."""
    from statistics import median

    for name in [score.dimension for score in votes[0]]:
        values = [score.value for vote in votes for score in vote if score.dimension == name]
        yield f"{name} {median(values):.2f}"
