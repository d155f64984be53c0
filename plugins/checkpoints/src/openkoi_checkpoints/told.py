"""What this plugin writes to the log: what a task did that no checkpoint can take back."""

from dataclasses import dataclass

from openkoi_hookspecs.events import Event


@dataclass(frozen=True, slots=True)
class Moved(Event):
    """A call moved a name of the repository: a branch, a tag, the stash or HEAD.

    ``before`` and ``after`` are what it points to, empty where it is not there; HEAD stands on a ``current`` one.
    """

    name = "checkpoints.moved"
    ref: str
    before: str
    after: str
    current: bool = False

    @property
    def effect(self) -> str:
        """What it did, in words."""
        verb = "moved" if self.before and self.after else "created" if self.after else "deleted"
        return f"{verb} {self.ref} in the git repository"


@dataclass(frozen=True, slots=True)
class WroteOutside(Event):
    """A tool wrote a file that is not in the workspace, so it was not kept."""

    name = "checkpoints.wrote_outside"
    path: str

    @property
    def effect(self) -> str:
        """What it did, in words."""
        return f"wrote {self.path}, outside the workspace"


@dataclass(frozen=True, slots=True)
class WrotePassed(Event):
    """A call changed what is in a folder that is passed over, so it was not kept."""

    name = "checkpoints.wrote_passed"
    path: str
