"""Find what calls of other runs changed in a workspace while a call of this run was open."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from openkoi_hookspecs.lazy_dataclass import dataclass

Look: TypeAlias = tuple[int, ...]
StatSnapshot: TypeAlias = dict[str, Look]
Notes: TypeAlias = list[Mapping[str, object]]


@dataclass(frozen=True, slots=True)
class OpenCall:
    """An open call: the workspace when it began, and the paths that it writes, if known."""

    looks: StatSnapshot | None = None
    writes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class CallChanges:
    """The skipped folders that a call changed, and the files that another run may have changed."""

    skipped: Sequence[str] = ()
    in_doubt: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class CallAtOnce:
    """A call that ends, the paths that it writes, if known, and the records of other runs' open calls."""

    call: str
    writes: Sequence[str]
    others: Sequence[Mapping[str, object]]


@dataclass(frozen=True, slots=True)
class DividedChanges:
    """What a call changed, and the paths that it or another run changed."""

    ours: StatSnapshot
    in_doubt: Sequence[str] = ()


def run_of(note: Mapping[str, object]) -> str:
    """Return the run that a record is about."""
    call = note.get("opened") or note.get("closed") or note.get("interrupted") or ""
    return str(note.get("since") or str(call).partition(" ")[0])


def snapshot_of(note: Mapping[str, object], name: str) -> StatSnapshot:
    """Return the snapshot in a record."""
    found = note.get(name)
    return {path: tuple(look) for path, look in found.items()} if isinstance(found, dict) else {}


def records_since(notes: Notes, call: str) -> Notes:
    """Return the records since a call began."""
    return notes[max((place for place, note in enumerate(notes) if note.get("opened") == call), default=0) :]


def changes_of_other_calls(notes: Notes, call: str) -> StatSnapshot:
    """Return how calls of other runs left paths, for those that ended since this call began."""
    run = run_of({"opened": call})
    others: StatSnapshot = {}
    for note in records_since(notes, call):
        others.update(snapshot_of(note, "ours") | snapshot_of(note, "done") if run_of(note) != run else {})
    return others


def open_calls_of_others(notes: Notes, call: str) -> Iterator[Mapping[str, object]]:
    """Yield the records of other runs' calls that began and have not ended."""
    run, ended = run_of({"opened": call}), {note.get(name) for note in notes for name in ("closed", "interrupted")}
    yield from (note for note in notes if "opened" in note and run_of(note) != run and note["opened"] not in ended)


def divide_changes(changed: StatSnapshot, notes: Notes, one: CallAtOnce) -> DividedChanges:
    """Divide the changes during a call between its run and others.

    Beyond the paths that it writes, if these are known, nothing is the call's while another run's call is open. What
    two commands change at the same time is in doubt for both: it counts as that of the one that ends first.
    """
    others = changes_of_other_calls(notes, one.call)
    if one.writes and one.others:
        return DividedChanges(select_paths(changed, one.writes))
    ours = {path: look for path, look in changed.items() if others.get(path) != look}
    doubtful = {path for note in records_since(notes, one.call) for path in paths_in_doubt(note)}
    if not one.writes and any(not other.get("writes") for other in one.others):
        doubtful |= ours.keys() - paths_written(notes, one.call)
    return DividedChanges(ours, sorted(doubtful & changed.keys()))


def paths_written(notes: Notes, call: str) -> set[str]:
    """Return the paths that other calls of a call's run changed."""
    run = run_of({"opened": call})
    return {path for note in notes if run_of(note) == run for path in snapshot_of(note, "ours")}


def paths_in_doubt(note: Mapping[str, object]) -> Sequence[str]:
    """Return the paths in a record that another run may have changed."""
    found = note.get("in_doubt")
    return found if isinstance(found, list) else ()


def select_paths(changed: StatSnapshot, writes: Sequence[str]) -> StatSnapshot:
    """Return the changes of these paths, their content, and their parent folders."""
    return {
        path: look
        for path, look in changed.items()
        if any(f"{path}/".startswith(f"{one}/") or one.startswith(f"{path}/") for one in writes)
    }
