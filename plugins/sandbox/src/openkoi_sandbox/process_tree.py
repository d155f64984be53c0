"""All processes of a command, however they tried to get away: the door to what the platform knows of them.

Linux: by their session and by a mark in the environment they inherit, read from ``/proc``; in a cage by their keeper,
whose descendants they all are and who ends when the last of them has. Elsewhere on POSIX: by the process group alone,
so that what makes a session of its own escapes. Windows: the first process alone.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Collection
from dataclasses import dataclass

from .launch import KEEPS, Report
from .processes import PROCS, Running, carries, descendants, listed, running

LAST_TRY = 3.0
LEAVING = 0.02
TERMINATE: int = signal.SIGTERM
KILL: int = getattr(signal, "SIGKILL", signal.SIGTERM)


@dataclass(frozen=True, slots=True)
class Tree:
    """The command that was started, and everything that came of it."""

    root: "subprocess.Popen[bytes]"
    mark: bytes
    born: int
    report: Report | None = None
    whole: bool = False

    @classmethod
    def of(
        cls, root: "subprocess.Popen[bytes]", mark: str, report: Report | None = None, *, whole: bool = False
    ) -> "Tree":
        """The tree of a command that was just started and is not waited for yet."""
        if report:
            report.shut()
        first = running(root.pid) if PROCS else None
        return cls(root, mark.encode(), first.born if first else 0, report, whole)

    @property
    def kept(self) -> bool:
        """Whether the first process only keeps the command, and goes when nothing of it is left."""
        return KEEPS and self.report is not None

    @property
    def status(self) -> int | None:
        """How the command itself ended: an exit code, or a signal as a negative number."""
        told = self.report.status if self.report else None
        return self.root.returncode if told is None else os.waitstatus_to_exitcode(told)

    def over(self) -> bool:
        """Whether the command itself has ended; what it started may go on."""
        if self.root.poll() is None and self.report:
            self.report.all()
            return self.report.status is not None
        if self.report:
            self.report.all()
        return self.root.returncode is not None

    def wait(self, seconds: float) -> None:
        """Wait that long for the command to end."""
        if self.report and self.report.open:
            self.report.wait(seconds)
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.root.wait(seconds)

    def end(self, grace: float) -> bool:
        """Ask all of it to stop, then make it; return whether nothing is left."""
        if self.gone_within(LEAVING if self.kept and self.over() else 0.0):
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
                self.strike()
                self.signal(KILL)
            time.sleep(pause)
            pause = min(2 * pause, 0.1)
        return True

    def alive(self) -> bool:
        """Whether any of it is left. Looks twice: a process may be born behind the first look and its parent die."""
        if self.root.poll() is None:
            return True
        if self.kept and self.root.returncode == 0:
            return False
        if not PROCS:
            return group_alive(self.root.pid)
        return bool(self.members() or self.members())

    def strike(self) -> None:
        """Kill what can be killed at one blow, without looking for it: what forks faster than we look is in it."""
        if self.whole:
            self.root.kill()
            return
        group = self.report.child if self.report and self.kept else self.root.pid
        if group and self.is_ours(group):
            signal_groups({group}, KILL)

    def is_ours(self, group: int) -> bool:
        """Whether the number of a process group was not given to somebody else meanwhile."""
        leader = running(group) if PROCS else None
        return leader is None or carries(group, self.mark) or leader.session == self.root.pid

    def signal(self, number: int) -> None:
        """Send a signal to all of it, and wake what is stopped, so that it can heed it."""
        if sys.platform == "win32":
            self.root.terminate()
            return
        groups = {process.group for process in self.members()} if PROCS else set[int]()
        signal_groups(groups or {self.root.pid}, number)

    def members(self) -> list[Running]:
        """The living processes of it, but for the keeper, who has to stay until the last."""
        found = [process for process in listed() if process.born >= self.born]
        below = descendants(self.root.pid, found) if self.kept else set()
        return [process for process in found if process.pid in below or self.owns(process)]

    def owns(self, process: Running) -> bool:
        """Whether a process is of the command's session or carries its mark."""
        if self.kept and process.pid == self.root.pid:
            return False
        return process.session == self.root.pid or carries(process.pid, self.mark)


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
