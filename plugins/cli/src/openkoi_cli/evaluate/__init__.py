"""Run OpenKoi's evaluators alone, on existing work that is not changed."""

from .noop_worker import NoOpWorker

__all__ = ["NoOpWorker"]
