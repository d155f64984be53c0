"""Provide what every tool of a run shares: the settings, what was shown, and one lock per file."""

import asyncio
from collections.abc import Callable
from dataclasses import field
from pathlib import Path
from threading import Lock
from typing import TypeVar
from weakref import WeakValueDictionary

from openkoi_hookspecs import Run, ToolError
from openkoi_hookspecs.lazy_dataclass import dataclass

from .read_tracker import ReadTracker
from .symlink_safe_paths import WorkspacePath, describe_refusal, resolve_path

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSettings:
    """The configuration, in the units that the tools count in."""

    result_bytes: int
    file_bytes: int
    command_seconds: int
    max_command_seconds: int
    search_seconds: float
    skip: frozenset[str]
    outputs: Path | None = None


@dataclass(slots=True)
class FileLocks:
    """Lock each file in use, whichever run uses it. A thread waits for it, never the event loop."""

    held: WeakValueDictionary[Path, Lock] = field(default_factory=WeakValueDictionary)
    gate: Lock = field(default_factory=Lock)

    def lock_for(self, path: Path) -> Lock:
        """Return a file's lock, the same one as long as it is in use."""
        with self.gate:
            return self.held.setdefault(path, Lock())


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What the tools of one run share."""

    run: Run
    settings: ToolSettings
    tracker: ReadTracker
    locks: FileLocks

    async def run_at(self, path: str, work: Callable[[WorkspacePath], T]) -> T:
        """Run blocking work with a path of the workspace; errors of the system become ToolErrors."""
        return await asyncio.to_thread(self.resolve_and_run, path, work)

    async def run_at_any(self, path: str, work: Callable[[WorkspacePath], T]) -> T:
        """Run work that only reads, also with an output that a command of this run returned."""
        output = Path(path)
        if output in self.tracker.outputs:
            return await asyncio.to_thread(explain_refusal, WorkspacePath(output.parent, output), work)
        return await self.run_at(path, work)

    def resolve(self, path: str) -> WorkspacePath:
        """Return a path of the workspace; raise ToolError for one that leads out of it."""
        return resolve_path(self.run.workspace, path)

    def resolve_and_run(self, path: str, work: Callable[[WorkspacePath], T]) -> T:
        """Resolve the path and run the work there."""
        return explain_refusal(self.resolve(path), work)


def shown_kilobytes(context: ToolContext) -> int:
    """Return how much of a file or an output is shown at once."""
    return context.settings.result_bytes // 1024


def explain_refusal(where: WorkspacePath, work: Callable[[WorkspacePath], T]) -> T:
    """Run the work at a path; errors of the system become ToolErrors."""
    try:
        return work(where)
    except OSError as error:
        raise ToolError(describe_refusal(where.name, error)) from None
