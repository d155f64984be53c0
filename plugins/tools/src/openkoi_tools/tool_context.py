"""What every tool works with: the run, the settings, what was shown, and one lock a file."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import TypeVar
from weakref import WeakValueDictionary

from openkoi_hookspecs import Run, ToolError

from .paths import Place, place, refusal
from .shown import Seen

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the configuration says, in the units that the tools count in."""

    result_bytes: int
    file_bytes: int
    command_seconds: int
    longest_seconds: int
    search_seconds: float
    skip: frozenset[str]
    outputs: Path | None = None


@dataclass(slots=True)
class Locks:
    """One lock for each file in use, whichever run uses it. A thread waits for it, never the event loop."""

    held: WeakValueDictionary[Path, Lock] = field(default_factory=WeakValueDictionary)
    gate: Lock = field(default_factory=Lock)

    def of(self, path: Path) -> Lock:
        """Return a file's lock, the same one for as long as anyone holds it."""
        with self.gate:
            return self.held.setdefault(path, Lock())


@dataclass(frozen=True, slots=True)
class Desk:
    """One run's tools share one of these."""

    run: Run
    settings: Settings
    seen: Seen
    locks: Locks

    async def at(self, path: str, work: Callable[[Place], T]) -> T:
        """Do something blocking with a path of the workspace; what the system refuses becomes a sentence."""
        return await asyncio.to_thread(self.told, path, work)

    async def at_any(self, path: str, work: Callable[[Place], T]) -> T:
        """The same, also with an output that a command of this run brought; for reading only."""
        output = Path(path)
        if output in self.seen.outputs:
            return await asyncio.to_thread(refused, Place(output.parent, output), work)
        return await self.at(path, work)

    def told(self, path: str, work: Callable[[Place], T]) -> T:
        """Find the place and do the work there."""
        return refused(place(self.run.workspace, path), work)


def kilobytes(desk: Desk) -> int:
    """Return how much of a file or an output is shown at once."""
    return desk.settings.result_bytes // 1024


def refused(where: Place, work: Callable[[Place], T]) -> T:
    """Do the work at a place; what the system refuses becomes a sentence."""
    try:
        return work(where)
    except OSError as error:
        raise ToolError(refusal(where.name, error)) from None
