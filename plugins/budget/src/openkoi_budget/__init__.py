"""What a task may still use, for whoever carries one out: a library, without entry points."""

from .budget import Budget, Purse
from .lease import Caution, Lease, cost, weight

__all__ = ["Budget", "Caution", "Lease", "Purse", "cost", "weight"]
