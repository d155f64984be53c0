"""The result of restoring files."""

from collections.abc import Mapping
from dataclasses import field

from .lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Restoration:
    """The outcome of a restore: each file is in one of these six lists, by its path from the workspace.

    ``deleted`` files are not in the checkpoint. ``merged`` files keep the changes of others; ``unchanged`` ones already
    were as required. ``conflicts`` were left as they are because others also changed them; ``left`` because their
    content was not saved, or cannot be written. Both give the reason. ``kept`` files did not have to change: others
    changed them.
    """

    restored: tuple[str, ...] = ()
    merged: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    conflicts: Mapping[str, str] = field(default_factory=dict)
    left: Mapping[str, str] = field(default_factory=dict)
    deleted: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()

    @property
    def not_restored(self) -> Mapping[str, str]:
        """The files that are not as required, with the reason for each."""
        return {**self.conflicts, **self.left}
