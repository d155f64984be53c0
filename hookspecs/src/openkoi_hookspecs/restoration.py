"""The result of restoring files."""

from collections.abc import Mapping
from dataclasses import field

from .lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Restoration:
    """What a restore did: each file that had to change, by its path from the workspace, is in one of the six.

    ``deleted`` files are not in the checkpoint. ``merged`` files keep what others changed in them; ``unchanged`` ones
    already were as wanted. ``conflicts`` were left as they are because others changed them, too; ``left`` because their
    content was not kept, or cannot be written. Both say why. ``kept`` files had not to change: others changed them.
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
        """The files that are not as wanted, with the reason of each."""
        return {**self.conflicts, **self.left}
