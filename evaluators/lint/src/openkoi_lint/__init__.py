"""Run a project's own linters: ruff, mypy, eslint, tsc, clippy, go vet, shellcheck."""

from .evaluator import Lint

__all__ = ["Lint"]
