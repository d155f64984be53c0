"""Proposals: what is found wrong again and again becomes a draft of an evaluator, which a person approves or not."""

from .hook import Proposals

__all__ = ["Proposals"]
