"""Limit the resources of each process, on POSIX: sandbox level 1, entry point ``limits``."""

import contextlib
import sys
from collections.abc import Iterator
from typing import ClassVar

from openkoi_hookspecs.lazy_dataclass import dataclass

from .base import BaseSandbox
from .launch import CommandStart, Restrictions, start_through_launcher
from .level import LevelDefinition
from .rlimits import compute_rlimits, max_processes_to_watch
from .sandbox_policy import SandboxLevel, SandboxPolicy


@dataclass(frozen=True, slots=True)
class RlimitsConfinement:
    """Run a command under limits."""

    makes_read_only: ClassVar[bool] = False
    policy: SandboxPolicy

    @property
    def most_processes(self) -> int:
        """We count when the kernel does not."""
        return max_processes_to_watch(self.policy)

    @contextlib.contextmanager
    def wrap(self, start: CommandStart) -> Iterator[CommandStart]:
        """Through the launcher, with limits only."""
        with start_through_launcher(start, Restrictions(compute_rlimits(self.policy, start.seconds))) as ready:
            yield ready


def missing_requirement() -> str:
    """Return what is missing: Windows has no such limits."""
    return "'limits' needs POSIX, but this is Windows; use the sandbox 'plain'" if sys.platform == "win32" else ""


CAVEAT = "a command can read, change and reach everything that you can; only its resources are limited"
RLIMITS_LEVEL = LevelDefinition("limits", SandboxLevel.LIMITED, RlimitsConfinement, missing_requirement, caveat=CAVEAT)


class RlimitsSandbox(BaseSandbox):
    """Limit files, memory, processor time and processes. Configured by ``[sandboxes.limits]``."""

    levels = (RLIMITS_LEVEL,)
