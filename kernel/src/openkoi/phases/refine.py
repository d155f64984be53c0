"""Turn an iteration into the next plan. Sends back only what is still open; makes no new plan."""

from dataclasses import replace

from openkoi_hookspecs import Finding, Iteration, Plan, Severity

from .shortfall import findings_of


def refine(plan: Plan, iteration: Iteration, advice: str = "") -> Plan:
    """Return the same plan with what has to be fixed; the user's advice is a blocker of its own."""
    advised = (Finding(advice, Severity.BLOCKER, rule="person", fix=advice),) if advice else ()
    wishes = (*advised, *findings_of(iteration))
    evaluation = iteration.evaluation
    if evaluation is None:
        return replace(plan, feedback=wishes, suggestion="")
    return replace(plan, feedback=wishes + evaluation.open, suggestion=evaluation.suggestion)
