"""Draft an evaluator from recurring findings, which the user approves or dismisses."""

from .hook import Proposals

__all__ = ["Proposals"]
