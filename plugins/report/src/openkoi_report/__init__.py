"""What a run came to, and how it is told, from its records alone: a library for frontends, without entry points."""

from .costs import NOTHING, Costs, ModelCharge, ModelCost, Phase, costs_of
from .cycles import CycleTree, cycles_of
from .figures import dollars, first_line, megabytes, plural, tokens_text, truncate_line
from .ledger import TOLD, RunCharges, charges_of
from .progress import Progress
from .report import EXITS, RunReport, report_of
from .savings import SAVING_TITLES, SavedTokens, Saving, saved_text, savings_of, totals
from .tree import tree_lines
from .why import why_lines

__all__ = [
    "EXITS",
    "NOTHING",
    "SAVING_TITLES",
    "TOLD",
    "Costs",
    "CycleTree",
    "ModelCharge",
    "ModelCost",
    "Phase",
    "Progress",
    "RunCharges",
    "RunReport",
    "SavedTokens",
    "Saving",
    "charges_of",
    "costs_of",
    "cycles_of",
    "dollars",
    "first_line",
    "megabytes",
    "plural",
    "report_of",
    "saved_text",
    "savings_of",
    "tokens_text",
    "totals",
    "tree_lines",
    "truncate_line",
    "why_lines",
]
