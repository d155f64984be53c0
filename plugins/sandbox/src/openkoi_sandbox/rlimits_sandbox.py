"""Level 1, the entry ``limits``: each process may only take so much. Wherever there is POSIX; Windows has none."""

import contextlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from .caged import Caged
from .launch import Start, Taken, launched
from .limits import rlimits, watched
from .policy import Level, Policy
from .rung import Rung


@dataclass(frozen=True, slots=True)
class LimitsCage:
    """A command under limits."""

    policy: Policy

    @property
    def seals(self) -> bool:
        """Nothing here refuses single paths of a folder that may be written."""
        return False

    @property
    def most_processes(self) -> int:
        """We count when the kernel does not."""
        return watched(self.policy)

    @contextlib.contextmanager
    def dressed(self, start: Start) -> Iterator[Start]:
        """Through the launcher, with limits only."""
        with launched(start, Taken(rlimits(self.policy, start.seconds))) as ready:
            yield ready


def missing() -> str:
    """Windows has no such limits."""
    return "limits are POSIX's, and this is Windows; use the sandbox 'plain'" if sys.platform == "win32" else ""


CAVEAT = "a command may read, change and reach whatever you may; only how much it takes is bounded"
LIMITED = Rung("limits", Level.LIMITED, LimitsCage, missing, caveat=CAVEAT)


class Limits(Caged):
    """Limits on files, memory, processor time and processes. Configured by ``[sandboxes.limits]``."""

    rungs = (LIMITED,)
