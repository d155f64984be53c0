"""Runs a project's own linters for OpenKoi: ruff, mypy, or what is configured."""

from .evaluator import Lint

__all__ = ["Lint"]
