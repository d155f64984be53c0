"""Compute costs, progress and results of runs from their records: a library for frontends."""

from openkoi_hookspecs.lazy_exports import LazyExports

with LazyExports(globals()):
    from .charges import CHARGE_EVENTS, collect_charges
    from .claims import Verdict, check_claims
    from .costs import NO_COST, Costs, ModelCharge, ModelCost, Phase, sum_charges
    from .cycles import build_cycle_tree
    from .display import AnswerEnd, AnswerPiece, Line, RunDisplay
    from .formatting import first_line, format_count, format_dollars, format_size, format_tokens, truncate_line
    from .progress import Progress
    from .report import EXIT_STATUSES, RunReport, build_report
    from .savings import SAVING_TITLES, SavedTokens, Saving, format_savings, measure_savings, sum_savings
    from .tree_text import format_tree
    from .why import explain_run

__all__ = [
    "CHARGE_EVENTS",
    "EXIT_STATUSES",
    "NO_COST",
    "SAVING_TITLES",
    "AnswerEnd",
    "AnswerPiece",
    "Costs",
    "Line",
    "ModelCharge",
    "ModelCost",
    "Phase",
    "Progress",
    "RunDisplay",
    "RunReport",
    "SavedTokens",
    "Saving",
    "Verdict",
    "build_cycle_tree",
    "build_report",
    "check_claims",
    "collect_charges",
    "explain_run",
    "first_line",
    "format_count",
    "format_dollars",
    "format_savings",
    "format_size",
    "format_tokens",
    "format_tree",
    "measure_savings",
    "sum_charges",
    "sum_savings",
    "truncate_line",
]
