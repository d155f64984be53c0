"""Find what calls do that no checkpoint can undo, by comparing the state before and after each call."""

import os
from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path

from openkoi_hookspecs import Run, ToolCall
from openkoi_hookspecs.events import GitRefChanged, OutsideFileWritten
from openkoi_hookspecs.lazy_dataclass import dataclass

MAX_OPEN_CALLS = 1_000


@dataclass(frozen=True, slots=True)
class StateBeforeCall:
    """The state before a call: the refs of each repository, and the outside files that it is about to write.

    ``writes`` are all paths that it writes, if that is known.
    """

    refs: Mapping[str, Mapping[str, str]]
    outside: Sequence[str]
    writes: Sequence[Path] = ()


class SideEffects:
    """Track the open calls. A call that never ends, because it was not approved, is dropped after a while.

    Repositories in folders named in ``skip`` are ignored.
    """

    def __init__(self, skip: Container[str] = ()) -> None:
        self.skip = skip
        self.calls: dict[tuple[str, str], StateBeforeCall] = {}
        self.reported: dict[str, GitRefChanged] = {}

    def record_before(self, call: ToolCall, run: Run, outside: Sequence[str], writes: Sequence[Path]) -> None:
        """Record the state of the repositories before a call."""
        from .git_state import read_all_states

        if len(self.calls) >= MAX_OPEN_CALLS:
            self.calls.pop(next(iter(self.calls)))
        self.calls[run.id, call.id] = StateBeforeCall(read_all_states(run.workspace, self.skip), outside, writes)

    def side_effects_of(
        self, call: ToolCall, run: Run, *, failed: bool
    ) -> Iterator[GitRefChanged | OutsideFileWritten]:
        """Yield what the call did; among concurrent calls, the first to end reports what moved."""
        before = self.calls.pop((run.id, call.id), None)
        if before is None:
            return
        for change in self.changes_since(before.refs, run.workspace):
            key = f"{run.id} {change.repository} {change.ref}"
            if self.reported.get(key) != change:
                self.reported[key] = change
                yield change
        if not failed:
            yield from map(OutsideFileWritten, before.outside)

    def changes_since(self, before: Mapping[str, Mapping[str, str]], root: Path) -> Iterator[GitRefChanged]:
        """Yield what moved in each repository."""
        from .git_refs import compare_refs
        from .git_state import read_all_states

        after = read_all_states(root, self.skip)
        for repository in sorted({*before, *after}):
            yield from compare_refs(before.get(repository, {}), after.get(repository, {}), repository)


def describe_effect(event: GitRefChanged | OutsideFileWritten) -> str:
    """Describe what a call did that no diff shows."""
    if isinstance(event, OutsideFileWritten):
        return f"wrote {event.path}, outside the workspace"
    verb = "moved" if event.before and event.after else "created" if event.after else "deleted"
    return f"{verb} {event.ref} in the git repository {event.repository}".rstrip()


def paths_outside(names: Sequence[str], workspace: Path) -> list[str]:
    """Return the files among these that are not in the workspace, links resolved."""
    root = os.path.realpath(workspace)
    real = (os.path.realpath(workspace / expand_home(name, workspace)) for name in names)
    return [path for path in real if path != root and not path.startswith(root + os.sep)]


def expand_home(name: str, workspace: Path) -> Path:
    """Return a path with ``~`` as the home folder, unless something in the workspace has that name."""
    path = Path(name)
    return path if os.path.lexists(workspace / (path.parts or ("",))[0]) else path.expanduser()
