"""Turn an iteration into the plan of the next one: the same plan, with the open findings as feedback. Pure."""

from dataclasses import replace

from openkoi_hookspecs import Facts, Finding, Iteration, Plan, Severity, StopReason

ENDS = {
    StopReason.CYCLES: "stopped at the maximum number of cycles before the task was done",
    StopReason.BUDGET: "stopped at a limit before the task was done",
    StopReason.TIME: "stopped at the time limit before the task was done",
    StopReason.LOOP: "repeated the same calls without making progress",
    StopReason.UNMET: "none of the declared conditions was met",
    StopReason.PERSON: "waiting for approval",
}
CUT_OFF = "its answer was cut off at the model's length limit"
NOTHING_DONE = "nothing was done"
ADVICE = {
    StopReason.CYCLES: "Continue from the current state of the files and finish the task in fewer steps.",
    StopReason.LOOP: "Do not repeat calls whose result you know. Take another approach.",
    StopReason.UNMET: "Continue until one of the conditions is met.",
}
DO_IT = "Make the change that the task asks for. If it needs no change, answer and say why."


def refine(plan: Plan, iteration: Iteration, advice: str = "") -> Plan:
    """Return the same plan with what must be fixed; the user's advice is added as a blocker."""
    advised = (advice_to_finding(advice),) if advice else ()
    wishes = (*advised, *list_unfinished(iteration.facts))
    evaluation = iteration.evaluation
    if evaluation is None:
        return replace(plan, feedback=wishes, suggestion="")
    return replace(plan, feedback=wishes + evaluation.open, suggestion=evaluation.suggestion)


def advice_to_finding(advice: str) -> Finding:
    """Return the user's advice as a finding, which precedes all others."""
    return Finding(advice, Severity.BLOCKER, rule="person", fix=advice)


def list_unfinished(facts: Facts) -> tuple[Finding, ...]:
    """Return additional findings: that the model did nothing, or did not finish."""
    if facts.end in ADVICE:
        return (Finding(capitalize(how_it_ended(facts)), rule="unfinished", fix=ADVICE[facts.end]),)
    if not facts.changed and (not facts.answered or facts.green):
        return (Finding(capitalize(NOTHING_DONE), rule="unfinished", fix=DO_IT),)
    return ()


def how_it_ended(facts: Facts) -> str:
    """Return how unfinished work ended; cycles end at a limit only if the answer was too long."""
    return CUT_OFF if facts.end is StopReason.CYCLES and facts.limit else ENDS[facts.end]


def capitalize(text: str) -> str:
    return text[:1].upper() + text[1:]
