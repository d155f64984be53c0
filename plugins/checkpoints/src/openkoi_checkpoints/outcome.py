"""What comes of a plan: the merged files, the workspace after it, and a report. Knows entries; reads no disk itself."""

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, replace

from openkoi_hookspecs import KoiError, Restoration

from .difference import Reader
from .manifest import Entry, Kind
from .merge import merge
from .plan import Plan


@dataclass(frozen=True, slots=True)
class Merger:
    """Merges a file that others changed too, and keeps the result."""

    kept: Reader
    present: Reader
    put: Callable[[bytes], str]

    def __call__(self, base: Entry | None, want: Entry, here: Entry) -> Entry | None:
        """Return the merged file; None where changes conflict, or a content is lost."""
        try:
            data = merge(self.kept(base) if base else b"", self.kept(want), self.present(here))
        except (OSError, KoiError):
            return None
        return None if data is None else replace(want, size=len(data), digest=self.put(data), stamp=())


def after(todo: Plan, now: Mapping[str, Entry], left: Container[str]) -> dict[str, Entry]:
    """What the workspace contains after a restore."""
    entries = dict(now)
    for entry in todo.remove:
        if entry.path not in left:
            entries.pop(entry.path, None)
    made = (entry for entry in (*todo.make, *todo.modes) if entry.path not in left)
    return dict(sorted({**entries, **{entry.path: replace(entry, stamp=()) for entry in made}}.items()))


def restoration(todo: Plan, left: Mapping[str, str]) -> Restoration:
    """What was done, by file; folders count only where they were left."""
    changed = (entry for entry in (*todo.remove, *todo.make, *todo.modes) if entry.kind is not Kind.FOLDER)
    done = {entry.path for entry in changed if entry.path not in left}
    merged = done & set(todo.merged)
    return Restoration(
        tuple(sorted(done - merged)),
        tuple(sorted(merged)),
        tuple(sorted(todo.unchanged)),
        todo.conflicts,
        dict(sorted(left.items())),
    )
