"""What calls do that no checkpoint can take back, found by looking before and after each of them."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from openkoi_hookspecs import Run, ToolCall
from openkoi_hookspecs.events import GitRefChanged, OutsideFileWritten

from .refs import changes
from .repository import repository_of

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
        self.told: dict[str, GitRefChanged] = {}

    def before(self, call: ToolCall, run: Run, outside: Sequence[str]) -> None:
        """Look at the repository before a call."""
        if len(self.calls) >= MOST_CALLS:
            self.calls.pop(next(iter(self.calls)))
        self.calls[run.id, call.id] = Before(repository_of(run.workspace), outside)

    def after(self, call: ToolCall, run: Run, *, failed: bool) -> Iterator[GitRefChanged | OutsideFileWritten]:
        """Say what the call did; of calls at the same time the first to end tells what moved."""
        before = self.calls.pop((run.id, call.id), None)
        if before is None:
            return
        for change in changes(before.refs, repository_of(run.workspace)):
            key = f"{run.id} {change.ref}"
            if self.told.get(key) != change:
                self.told[key] = change
                yield change
        if not failed:
            yield from map(OutsideFileWritten, before.outside)


def effect_text(event: GitRefChanged | OutsideFileWritten) -> str:
    """Say what a call did that no diff shows."""
    if isinstance(event, OutsideFileWritten):
        return f"wrote {event.path}, outside the workspace"
    verb = "moved" if event.before and event.after else "created" if event.after else "deleted"
    return f"{verb} {event.ref} in the git repository"


def outside(names: Sequence[str], workspace: Path) -> list[str]:
    """The files among these that are not in the workspace, links resolved."""
    root = os.path.realpath(workspace)
    real = (os.path.realpath(workspace / Path(name).expanduser()) for name in names)
    return [path for path in real if path != root and not path.startswith(root + os.sep)]
