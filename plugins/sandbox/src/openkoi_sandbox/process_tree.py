"""Kill all processes of a command, including those that tried to leave its process tree.

Linux: by their session and by a mark in the environment they inherit, read from ``/proc``; in a sandbox by the
launcher, whose descendants they all are and which ends when the last of them has. Elsewhere on POSIX: by the process
group alone, so that what makes a session of its own escapes. Windows: the first process alone.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Collection

from openkoi_hookspecs.lazy_dataclass import dataclass

from .launch import LAUNCHER_STAYS, LauncherReport
from .processes import HAS_PROC, ProcessInfo, find_descendants, has_mark, list_processes, read_process

LAST_TRY_SECONDS = 3.0
LEAVING_SECONDS = 0.02
TERMINATE: int = signal.SIGTERM
KILL: int = getattr(signal, "SIGKILL", signal.SIGTERM)


@dataclass(frozen=True, slots=True)
class ProcessTree:
    """The command that was started, and all its descendants."""

    root: "subprocess.Popen[bytes]"
    mark: bytes
    born: int
    report: LauncherReport | None = None
    whole: bool = False

    @classmethod
    def from_process(
        cls, root: "subprocess.Popen[bytes]", mark: str, report: LauncherReport | None = None, *, whole: bool = False
    ) -> "ProcessTree":
        """Return the tree of a command that was just started and is not waited for yet."""
        if report:
            report.close_write_end()
        first = read_process(root.pid) if HAS_PROC else None
        return cls(root, mark.encode(), first.born if first else 0, report, whole)

    @property
    def has_launcher(self) -> bool:
        """Whether the first process only supervises the command, and ends when none of its processes is left."""
        return LAUNCHER_STAYS and self.report is not None

    @property
    def status(self) -> int | None:
        """How the command itself ended: an exit code, or a signal as a negative number."""
        reported = self.report.status if self.report else None
        return self.root.returncode if reported is None else os.waitstatus_to_exitcode(reported)

    def has_ended(self) -> bool:
        """Return whether the command itself has ended; processes that it started may continue."""
        if self.root.poll() is None and self.report:
            self.report.read_available()
            return self.report.status is not None
        if self.report:
            self.report.read_available()
        return self.root.returncode is not None

    def wait(self, seconds: float) -> None:
        """Wait that long for the command to end."""
        if self.report and self.report.open:
            self.report.read_within(seconds)
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.root.wait(seconds)

    def terminate(self, grace: float) -> bool:
        """Ask all processes to stop, then kill them; return whether none is left."""
        if self.wait_until_gone(LEAVING_SECONDS if self.has_launcher and self.has_ended() else 0.0):
            return True
        self.send_signal(TERMINATE)
        return self.wait_until_gone(grace) or self.wait_until_gone(LAST_TRY_SECONDS, killing=True)

    def wait_until_gone(self, seconds: float, *, killing: bool = False) -> bool:
        """Wait until no process is left; if requested, repeatedly kill new ones meanwhile."""
        deadline, pause = time.monotonic() + seconds, 0.002
        while self.is_alive():
            if time.monotonic() > deadline:
                return False
            if killing:
                self.kill_main_group()
                self.send_signal(KILL)
            time.sleep(pause)
            pause = min(2 * pause, 0.1)
        return True

    def is_alive(self) -> bool:
        """Return whether any process is left.

        This looks twice: a process may start behind the first look and its parent die.
        """
        if self.root.poll() is None:
            return True
        if self.has_launcher and self.root.returncode == 0:
            return False
        if not HAS_PROC:
            return is_group_alive(self.root.pid)
        return bool(self.members() or self.members())

    def kill_main_group(self) -> None:
        """Kill the main process group without listing processes, because some fork faster than they can be listed."""
        if self.whole:
            self.root.kill()
            return
        group = self.report.child if self.report and self.has_launcher else self.root.pid
        if group and self.is_same_group(group):
            signal_groups({group}, KILL)

    def is_same_group(self, group: int) -> bool:
        """Return whether the number of a process group was not reused meanwhile."""
        leader = read_process(group) if HAS_PROC else None
        return leader is None or has_mark(group, self.mark) or leader.session == self.root.pid

    def send_signal(self, number: int) -> None:
        """Send a signal to all processes, and continue stopped ones, so that they can react."""
        if sys.platform == "win32":
            self.root.terminate()
            return
        groups = {process.group for process in self.members()} if HAS_PROC else set[int]()
        signal_groups(groups or {self.root.pid}, number)

    def members(self) -> list[ProcessInfo]:
        """Return its living processes except the launcher, which must stay until the last."""
        found = [process for process in list_processes() if process.born >= self.born]
        below = find_descendants(self.root.pid, found) if self.has_launcher else set()
        return [process for process in found if process.pid in below or self.owns(process)]

    def owns(self, process: ProcessInfo) -> bool:
        """Return whether a process is of the command's session or carries its mark."""
        if self.has_launcher and process.pid == self.root.pid:
            return False
        return process.session == self.root.pid or has_mark(process.pid, self.mark)


def signal_groups(groups: Collection[int], number: int) -> None:
    """Send a signal to process groups; skip a group that has ended or may not be signalled."""
    if sys.platform == "win32":
        return
    for group in groups:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, number)
            os.killpg(group, signal.SIGCONT)


def is_group_alive(group: int) -> bool:
    """Return whether a process group has a member; Windows has none."""
    if sys.platform == "win32":
        return False
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
