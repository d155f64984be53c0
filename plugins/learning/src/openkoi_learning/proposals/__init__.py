"""Draft an evaluator from recurring findings, which the user approves or dismisses."""

from .hook import ProposalsHook

__all__ = ["ProposalsHook"]
