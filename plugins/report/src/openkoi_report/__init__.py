"""What a run came to, and how it is told, from its records alone: a library for faces, without entry points."""

from .costs import NOTHING, Charge, Cost, Costs, Phase, costs_of
from .cycles import CycleTree, cycles_of
from .figures import clipped, dollars, first_line, megabytes, plural, tokens_text
from .ledger import TOLD, Ledger, charges_of
from .progress import Progress
from .report import EXITS, Report, report_of
from .tree import tree_lines

__all__ = [
    "EXITS",
    "NOTHING",
    "TOLD",
    "Charge",
    "Cost",
    "Costs",
    "CycleTree",
    "Ledger",
    "Phase",
    "Progress",
    "Report",
    "charges_of",
    "clipped",
    "costs_of",
    "cycles_of",
    "dollars",
    "first_line",
    "megabytes",
    "plural",
    "report_of",
    "tokens_text",
    "tree_lines",
]
