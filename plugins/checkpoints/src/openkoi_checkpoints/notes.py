"""What calls do that no checkpoint can take back, found by looking before and after each of them."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

from openkoi_hookspecs import Run, ToolCall

from .refs import Move, moves
from .repository import repository_of
from .told import Moved, WroteOutside

MOST_CALLS = 1_000


@dataclass(frozen=True, slots=True)
class Before:
    """How things were before a call: the repository's names, and the files outside that it is about to write."""

    refs: Mapping[str, str]
    outside: Sequence[str]


class Notes:
    """The calls that are under way. One that was never answered, because nobody allowed it, is forgotten in time."""

    def __init__(self) -> None:
        self.calls: dict[tuple[str, str], Before] = {}
        self.told: dict[str, Move] = {}

    def before(self, call: ToolCall, run: Run, outside: Sequence[str]) -> None:
        """Look at the repository before a call."""
        if len(self.calls) >= MOST_CALLS:
            self.calls.pop(next(iter(self.calls)))
        self.calls[run.id, call.id] = Before(repository_of(run.workspace), outside)

    def after(self, call: ToolCall, run: Run, *, failed: bool) -> Iterator[Moved | WroteOutside]:
        """Say what the call did; of calls at the same time the first to end tells what moved."""
        before = self.calls.pop((run.id, call.id), None)
        if before is None:
            return
        for move in moves(before.refs, repository_of(run.workspace)):
            key = f"{run.id} {move.ref}"
            if self.told.get(key) != move:
                self.told[key] = move
                yield Moved(*astuple(move))
        if not failed:
            yield from (WroteOutside(path) for path in before.outside)


def outside(names: Sequence[str], workspace: Path) -> list[str]:
    """The files among these that are not in the workspace, links resolved."""
    root = os.path.realpath(workspace)
    real = (os.path.realpath(workspace / Path(name).expanduser()) for name in names)
    return [path for path in real if path != root and not path.startswith(root + os.sep)]
