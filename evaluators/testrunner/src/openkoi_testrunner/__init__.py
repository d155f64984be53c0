"""Run a project's own tests: pytest, unittest, vitest, jest, mocha, node, cargo, go, make."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .evaluator import TestRunner

__all__ = ["TestRunner"]


def __getattr__(name: str) -> Any:
    """Import the evaluator when it is asked for: a run without evaluation needs the hook alone."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from .evaluator import TestRunner

    return TestRunner
