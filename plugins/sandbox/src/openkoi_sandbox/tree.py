"""All processes of a command, however they tried to get away: the door to what the platform knows of them.

Linux: by their session and by a mark in the environment they inherit, read from ``/proc``. Elsewhere on POSIX: by the
process group alone, so that what makes a session of its own escapes. Windows: the first process alone.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
PROCS = sys.platform.startswith("linux") and (PROC / "self" / "environ").exists()
LAST_TRY = 3.0
TERMINATE: int = signal.SIGTERM
KILL: int = getattr(signal, "SIGKILL", signal.SIGTERM)


@dataclass(frozen=True, slots=True)
class Running:
    """A process as the system lists it; ``born`` counts the system's ticks since it started."""

    pid: int
    group: int
    session: int
    born: int


@dataclass(frozen=True, slots=True)
class Tree:
    """The command that was started, and everything that came of it."""

    root: "subprocess.Popen[bytes]"
    mark: bytes
    born: int

    @classmethod
    def of(cls, root: "subprocess.Popen[bytes]", mark: str) -> "Tree":
        """The tree of a command that was just started and is not waited for yet."""
        first = running(root.pid) if PROCS else None
        return cls(root, mark.encode(), first.born if first else 0)

    def end(self, grace: float) -> bool:
        """Ask all of it to stop, then make it; return whether nothing is left."""
        if not self.alive():
            return True
        self.signal(TERMINATE)
        return self.gone_within(grace) or self.gone_within(LAST_TRY, killing=True)

    def gone_within(self, seconds: float, *, killing: bool = False) -> bool:
        """Wait until nothing is left; kill again and again, if at all, for what is born meanwhile."""
        deadline, pause = time.monotonic() + seconds, 0.002
        while self.alive():
            if time.monotonic() > deadline:
                return False
            if killing:
                self.signal(KILL)
            time.sleep(pause)
            pause = min(2 * pause, 0.1)
        return True

    def alive(self) -> bool:
        """Whether any of it is left. Looks twice: a process may be born behind the first look and its parent die."""
        if self.root.poll() is None:
            return True
        if not PROCS:
            return group_alive(self.root.pid)
        return bool(self.members() or self.members())

    def signal(self, number: int) -> None:
        """Send a signal to all of it, and wake what is stopped, so that it can heed it."""
        if sys.platform == "win32":
            self.root.terminate()
            return
        groups = {process.group for process in self.members()} if PROCS else {self.root.pid}
        signal_groups(groups, number)

    def members(self) -> list[Running]:
        """The living processes of it: those of its session, and those that carry its mark."""
        with os.scandir(PROC) as listing:
            found = [running(int(item.name)) for item in listing if item.name.isdecimal()]
        return [process for process in found if process and self.owns(process)]

    def owns(self, process: Running) -> bool:
        """Whether a process came of this command; what is older than it did not."""
        return process.born >= self.born and (process.session == self.root.pid or carries(process.pid, self.mark))


def signal_groups(groups: Collection[int], number: int) -> None:
    """Signal whole groups; one that has gone meanwhile, or is not ours to end, is passed over."""
    if sys.platform == "win32":
        return
    for group in groups:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, number)
            os.killpg(group, signal.SIGCONT)


def group_alive(group: int) -> bool:
    """Whether a process group has a member; Windows knows none."""
    if sys.platform == "win32":
        return False
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def running(pid: int) -> Running | None:
    """Read one process, None if it is dead; its name may hold anything, so fields are counted after it."""
    try:
        fields = (PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return None
    state, group, session, born = fields[0], int(fields[2]), int(fields[3]), int(fields[19])
    return None if state in (b"Z", b"X", b"x") else Running(pid, group, session, born)


def carries(pid: int, mark: bytes) -> bool:
    """Whether a process inherited the mark; another user's does not tell."""
    try:
        return mark in (PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return False
