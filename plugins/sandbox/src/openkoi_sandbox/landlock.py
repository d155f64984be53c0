"""Level 2, the entry ``landlock``: rules of the kernel about files, signals and ports, and a filter of system calls."""

import contextlib
import platform
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from .caged import Caged
from .launch import Start, Taken, launched
from .limits import rlimits, watched
from .policy import Level, Policy
from .rules import attributes, rights, version
from .rung import Rung
from .seccomp import doors_closed

SHARED, TERMINALS = Path("/dev/shm"), Path("/dev/pts")


@dataclass(frozen=True, slots=True)
class LandlockCage:
    """A command that may write in its workspace and a temporary folder of its own, and reach no program outside."""

    policy: Policy
    abi: int

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
        """Through the launcher, with limits, rules and a filter."""
        room = {"TMPDIR": str(start.den.room)} if start.den.room else {}
        with launched(replace(start, env={**start.env, **room}), self.taken(start)) as ready:
            yield ready

    def taken(self, start: Start) -> Taken:
        """All that is taken from it."""
        den = start.den
        paths = rights(
            self.abi,
            writable=(*self.policy.writable, *den.writable, *filter(None, [den.room]), start.root.resolve(), SHARED),
            readable=(*self.policy.readable, *den.readable),
            hidden=(*self.policy.hidden, TERMINALS),
        )
        return Taken(
            rlimits(self.policy, start.seconds),
            (attributes(self.abi, network=self.policy.network), paths),
            doors_closed(platform.machine(), network=self.policy.network),
        )


def made(policy: Policy) -> LandlockCage:
    """Rules for this kernel's Landlock."""
    return LandlockCage(policy, version())


def missing() -> str:
    """It is Linux's, and may be switched off."""
    if version():
        return ""
    return "the kernel has no Landlock (Linux 6.12 on x86_64 or aarch64 has all of it, with 'landlock' among its LSMs)"


CAVEAT = (
    "modes and times of files outside and shared memory of your other programs can be changed, names of hidden files"
    " listed; a command itself cannot use sockets with a path, pseudo-terminals, or /tmp other than by TMPDIR"
)
AUTORUN = (
    "restored when a command ends (.git/hooks, .git/config, .envrc, editors, CI); until then others see the change"
)
CONFINED = Rung("landlock", Level.CONFINED, made, missing, caveat=CAVEAT, autorun=AUTORUN)


class Landlock(Caged):
    """Rules that need no rights to set up. Configured by ``[sandboxes.landlock]``."""

    rungs = (CONFINED,)
