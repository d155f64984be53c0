"""What a run came to, and how it is told, from its records alone: a library for frontends, without entry points."""

from .costs import NOTHING, Charge, Costs, ModelCost, Phase, costs_of
from .cycles import CycleTree, cycles_of
from .figures import clipped, dollars, first_line, megabytes, plural, tokens_text
from .ledger import TOLD, Ledger, charges_of
from .progress import Progress
from .report import EXITS, Report, report_of
from .savings import SAVING_TITLES, Saved, Saving, saved_text, savings_of, totals
from .tree import tree_lines
from .why import why_lines

__all__ = [
    "EXITS",
    "NOTHING",
    "SAVING_TITLES",
    "TOLD",
    "Charge",
    "Costs",
    "CycleTree",
    "Ledger",
    "ModelCost",
    "Phase",
    "Progress",
    "Report",
    "Saved",
    "Saving",
    "charges_of",
    "clipped",
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
    "why_lines",
]
