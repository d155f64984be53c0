"""Turn an evaluation into the next plan. Sends back only what is still open."""

from dataclasses import replace

from openkoi_hookspecs import Evaluation, Finding, Plan, Severity


def refine(plan: Plan, evaluation: Evaluation | None, advice: str = "") -> Plan:
    wishes = (Finding(advice, Severity.BLOCKER, rule="person"),) if advice else ()
    return replace(plan, feedback=wishes + (evaluation.open if evaluation else ()))
