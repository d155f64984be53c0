"""What a task may still use, for whoever carries one out: a library, without entry points."""

from .budget import Budget, Purse
from .lease import INPUT_MARGIN, Caution, Lease, cost, tiered_cost, weight

__all__ = ["INPUT_MARGIN", "Budget", "Caution", "Lease", "Purse", "cost", "tiered_cost", "weight"]
