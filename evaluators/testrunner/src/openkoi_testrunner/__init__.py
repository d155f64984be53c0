"""Runs a project's own tests for OpenKoi: pytest, unittest, vitest, jest, mocha, node, cargo, go, make."""

from .evaluator import TestRunner

__all__ = ["TestRunner"]
