"""Confine commands with Landlock: sandbox level 2, entry point ``landlock``.

Kernel rules about files, signals and ports, and a filter of system calls.
"""

import contextlib
import platform
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from openkoi_hookspecs.lazy_dataclass import dataclass

from .base import BaseSandbox
from .landlock_rules import landlock_version, path_rights, ruleset_attributes
from .launch import CommandStart, Restrictions, start_through_launcher
from .level import LevelDefinition
from .rlimits import compute_rlimits
from .rlimits_sandbox import RlimitsConfinement
from .sandbox_policy import SandboxLevel, SandboxPolicy
from .seccomp import landlock_filter

SHARED, TERMINALS = Path("/dev/shm"), Path("/dev/pts")


@dataclass(frozen=True, slots=True)
class LandlockConfinement(RlimitsConfinement):
    """Confine a command so that it may write only in its workspace and a temporary folder.

    And reach no program outside.
    """

    abi: int

    @contextlib.contextmanager
    def wrap(self, start: CommandStart) -> Iterator[CommandStart]:
        """Through the launcher, with limits, rules and a filter."""
        room = {"TMPDIR": str(start.private.temporary)} if start.private.temporary else {}
        with start_through_launcher(replace(start, env={**start.env, **room}), self.restrictions(start)) as ready:
            yield ready

    def restrictions(self, start: CommandStart) -> Restrictions:
        """Return all restrictions of the command."""
        private = start.private
        paths = path_rights(
            self.abi,
            writable=(
                *self.policy.writable,
                *private.writable,
                *filter(None, [private.temporary]),
                start.root.resolve(),
                SHARED,
            ),
            readable=(*self.policy.readable, *private.readable),
            hidden=(*self.policy.hidden, TERMINALS),
        )
        return Restrictions(
            compute_rlimits(self.policy, start.seconds),
            (ruleset_attributes(self.abi, network=self.policy.network), paths),
            landlock_filter(platform.machine(), network=self.policy.network),
        )


def build_confinement(policy: SandboxPolicy) -> LandlockConfinement:
    """Return the rules for this kernel's Landlock."""
    return LandlockConfinement(policy, landlock_version())


def missing_requirement() -> str:
    """Return what is missing: it needs Linux, and may be switched off."""
    if landlock_version():
        return ""
    return (
        "the kernel does not support Landlock (needs Linux 6.12 on x86_64 or aarch64, with 'landlock' among its LSMs)"
    )


CAVEAT = (
    "a command can change modes and times of files outside the workspace, change the shared memory of your other"
    " programs, and list names of hidden files; it cannot use sockets with a path or pseudo-terminals, and can use /tmp"
    " only through TMPDIR"
)
AUTORUN = (
    "restored when a command ends (.git/hooks, .git/config, .envrc, editors, CI); until then, other programs see the"
    " change"
)
LANDLOCK_LEVEL = LevelDefinition(
    "landlock", SandboxLevel.CONFINED, build_confinement, missing_requirement, caveat=CAVEAT, autorun=AUTORUN
)


class LandlockSandbox(BaseSandbox):
    """Confine commands by rules that need no rights to set up. Configured by ``[sandboxes.landlock]``."""

    levels = (LANDLOCK_LEVEL,)
