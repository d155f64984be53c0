"""What OpenKoi learned, with the evidence for it, and whether it helps."""

from .hook import Ledger

__all__ = ["Ledger"]
