"""Turn an evaluation into the next plan. Sends back only what is still open; makes no new plan."""

from dataclasses import replace

from openkoi_hookspecs import Evaluation, Finding, Plan, Severity


def refine(plan: Plan, evaluation: Evaluation | None, advice: str = "") -> Plan:
    """The same plan with what is to be mended; a person's advice is a blocker of its own."""
    wishes = (Finding(advice, Severity.BLOCKER, rule="person", fix=advice),) if advice else ()
    if evaluation is None:
        return replace(plan, feedback=wishes, suggestion="")
    return replace(plan, feedback=wishes + evaluation.open, suggestion=evaluation.suggestion)
