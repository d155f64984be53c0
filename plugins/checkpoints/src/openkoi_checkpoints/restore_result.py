"""Compute the result of a restore plan: merged files, the workspace after it, and the report."""

from collections.abc import Callable, Container, Mapping, Set
from dataclasses import replace

from openkoi_hookspecs import KoiError, Restoration
from openkoi_hookspecs.lazy_dataclass import dataclass

from .diff import Reader
from .manifest import PathEntry, PathKind, is_unchanged
from .merge import merge_files
from .restore_plan import RestorePlan, is_not_folder


@dataclass(frozen=True, slots=True)
class FileMerger:
    """Merge a file that others changed as well, and store the result."""

    kept: Reader
    present: Reader
    put: Callable[[bytes], str]

    def __call__(self, base: PathEntry | None, want: PathEntry, here: PathEntry) -> PathEntry | None:
        """Return the merged file, or None if changes conflict or a version is lost."""
        try:
            data = merge_files(self.kept(base) if base else b"", self.kept(want), self.present(here))
        except (OSError, KoiError):
            return None
        return None if data is None else replace(want, size=len(data), digest=self.put(data), stamp=())


def entries_after(todo: RestorePlan, now: Mapping[str, PathEntry], left: Container[str]) -> dict[str, PathEntry]:
    """Return what the workspace contains after a restore."""
    entries = dict(now)
    for entry in todo.remove:
        if entry.path not in left:
            entries.pop(entry.path, None)
    made = (entry for entry in (*todo.make, *todo.modes) if entry.path not in left)
    return dict(sorted({**entries, **{entry.path: replace(entry, stamp=()) for entry in made}}.items()))


def changed_by_others(base: Mapping[str, PathEntry], now: Mapping[str, PathEntry]) -> set[str]:
    """Return the files that others made, changed or deleted since the work."""
    changed = (path for path in {*base, *now} if not is_unchanged(base.get(path), now.get(path)))
    return {path for path in changed if is_not_folder(now.get(path)) or is_not_folder(base.get(path))}


def build_restoration(todo: RestorePlan, left: Mapping[str, str], others: Set[str]) -> Restoration:
    """Return what was done, by file; folders count only if they were left unrestored."""
    changed = (entry for entry in (*todo.remove, *todo.make, *todo.modes) if entry.kind is not PathKind.FOLDER)
    done = {entry.path for entry in changed if entry.path not in left}
    merged = done & set(todo.merged)
    made = {entry.path for entry in (*todo.make, *todo.modes)} | set(todo.moves.values())
    deleted = done - made
    return Restoration(
        tuple(sorted(done - merged - deleted)),
        tuple(sorted(merged)),
        tuple(sorted(todo.unchanged)),
        todo.conflicts,
        dict(sorted(left.items())),
        tuple(sorted(deleted)),
        tuple(sorted(others - done - {*todo.unchanged, *todo.conflicts, *left})),
    )
