"""Summarize a finished task for memory: what was asked, how it ended, and what was fixed, in a few lines."""

from collections.abc import Sequence

from openkoi_hookspecs import Finding, NextAction
from openkoi_hookspecs.events import RunCompleted

MAX_QUESTION_CHARACTERS = 600
MAX_FIX_CHARACTERS = 160
MAX_FIXES = 5
MAX_SKILLS = 3
OUTCOMES = {
    NextAction.ACCEPT: "Accepted",
    NextAction.ACCEPT_BEST: "Ended with the best result, below the threshold,",
    NextAction.ESCALATE: "Left to the user",
    NextAction.ABORT_BUDGET: "Stopped at the budget",
    NextAction.ABORT_TIMEOUT: "Stopped at the time limit",
    NextAction.ABORT_REGRESSION: "Stopped because the results got worse,",
    NextAction.ABORT_LOOP: "Stopped because the work repeated itself,",
}


def summarize_task(
    request: str, ending: RunCompleted, score: float | None, fixed: Sequence[Finding], skills: Sequence[str] = ()
) -> str:
    """Summarize a task in a few sentences after the request; name only the skills that led to acceptance."""
    lines = [truncate(request, MAX_QUESTION_CHARACTERS), describe_outcome(ending, score)]
    if fixed:
        lines.append(f"Fixed during the task: {'; '.join(describe_fix(finding) for finding in fixed[:MAX_FIXES])}.")
    if skills and ending.decision.action is NextAction.ACCEPT:
        lines.append(f"Used {' and '.join(f'the skill {name}' for name in list(dict.fromkeys(skills))[:MAX_SKILLS])}.")
    return "\n".join(lines)


def describe_outcome(ending: RunCompleted, score: float | None) -> str:
    """Describe how a task ended, after how many iterations and with which score."""
    turns = "1 iteration" if ending.iterations == 1 else f"{ending.iterations} iterations"
    judged = "" if score is None else f" with a score of {score:.2f}"
    return f"{OUTCOMES.get(ending.decision.action, 'Ended')} after {turns}{judged}."


def describe_fix(finding: Finding) -> str:
    """Return a finding, its location and how it was fixed."""
    where = f" ({finding.where})" if finding.where else ""
    fix = f": {finding.fix.rstrip('.')}" if finding.fix else ""
    return truncate(f"{finding.title.rstrip('.')}{where}{fix}", MAX_FIX_CHARACTERS)


def truncate(text: str, length: int) -> str:
    """Cut a text at a length."""
    return text if len(text) <= length else f"{text[: length - 1].rstrip()}…"
