"""Start a command inside a sandbox: the launcher's instructions, and what it reports back."""

import contextlib
import errno
import marshal
import os
import select
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import field, replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Protocol

from openkoi_hookspecs.lazy_dataclass import dataclass

from .private_dirs import PrivateDirs

LAUNCHER = Path(__file__).with_name("launcher.py")
LAUNCHER_STAYS = sys.platform.startswith("linux")


@dataclass(frozen=True, slots=True)
class CommandStart:
    """What to start: the command's arguments, the workspace, its private folders and the environment.

    ``report`` is the launcher's descriptor to report to, ``orders`` the one that it reads its orders from.
    ``read_only`` are paths in the workspace that it may not change, where the sandbox can refuse that.
    ``dies_together``: killing the first process kills all of it at once, because the kernel ends its namespace.
    """

    argv: Sequence[str]
    root: Path
    env: Mapping[str, str]
    seconds: float = 0.0
    report: int = -1
    orders: int = -1
    dies_together: bool = False
    private: PrivateDirs = field(default_factory=PrivateDirs)
    read_only: tuple[Path, ...] = ()

    def with_report(self, handle: int) -> "CommandStart":
        """Return the same start with a launcher that reports."""
        return replace(self, report=handle)


@dataclass(frozen=True, slots=True)
class Restrictions:
    """The restrictions of a command: limits, Landlock's rules, and the filter of system calls."""

    limits: Sequence[tuple[int, int]] = ()
    rules: tuple[bytes, list[tuple[str, int]]] | None = None
    program: bytes = b""


class Confinement(Protocol):
    """Wrap the start of a command."""

    @property
    def makes_read_only(self) -> bool:
        """Whether it can make single paths of the workspace read-only."""

    @property
    def most_processes(self) -> int:
        """The process limit that OpenKoi enforces if the kernel does not; 0 if it need not count."""

    def wrap(self, start: CommandStart) -> AbstractContextManager[CommandStart]:
        """Wrap the start; its resources exist until the command ends."""


class NoConfinement:
    """Start a command as it is."""

    most_processes = 0
    makes_read_only = False

    @contextlib.contextmanager
    def wrap(self, start: CommandStart) -> Iterator[CommandStart]:
        """Yield the same start."""
        yield start


@contextlib.contextmanager
def start_through_launcher(
    start: CommandStart, taken: Restrictions, *, prefix: Sequence[str] = ()
) -> Iterator[CommandStart]:
    """Yield a start that runs through the launcher, and through the program before it, if any.

    The orders are in an unnamed file: a large folder has more rules than an argument may be long.
    """
    coerced = "LC_CTYPE" not in start.env
    with unnamed_file() as file:
        marshal.dump((LAUNCHER_STAYS, coerced, list(taken.limits), taken.rules, taken.program), file)
        file.seek(0)
        orders = file.fileno()
        launcher = [sys.executable, "-I", "-S", str(LAUNCHER), str(start.report), str(orders)]
        yield replace(start, argv=[*prefix, *launcher, *start.argv], orders=orders)


def unnamed_file() -> IO[bytes]:
    """Return a file that no other process can find; in memory where system and interpreter support it."""
    if sys.platform.startswith("linux") and hasattr(os, "memfd_create"):
        return open(os.memfd_create("orders"), "w+b")  # noqa: PTH123  # a descriptor, no path
    return TemporaryFile()


@dataclass(slots=True)
class LauncherReport:
    """Read what a launcher reports; the ``write_handle`` is closed once the launcher has it."""

    handle: int
    write_handle: int
    received: bytes = b""
    open: bool = True

    def close_write_end(self) -> None:
        """Close the launcher's end."""
        if self.write_handle >= 0:
            os.close(self.write_handle)
            self.write_handle = -1

    def read_within(self, seconds: float) -> None:
        """Read what arrives within this time."""
        poll = select.poll()
        poll.register(self.handle, select.POLLIN)
        if poll.poll(seconds * 1000):
            piece = os.read(self.handle, 4096)
            self.received += piece
            self.open = bool(piece)

    def read_available(self) -> None:
        """Read what has arrived already."""
        before = -1
        while self.open and before < len(self.received):
            before = len(self.received)
            self.read_within(0.0)

    @property
    def has_started(self) -> bool:
        """Whether the launcher started, its confinement was set up, and the command's process exists."""
        return self.received.startswith(b"begun") and (bool(self.child) or not LAUNCHER_STAYS)

    @property
    def status(self) -> int | None:
        """The command's exit status, as the system reports it; None while it runs."""
        return next((int(line[1]) for line in self.complete_lines if line[0] == "ended"), None)

    @property
    def child(self) -> int:
        """The command's process id in its supervisor's namespace, which may differ from the one outside."""
        return next((int(line[1]) for line in self.complete_lines if line[0] == "child"), 0)

    @property
    def error(self) -> tuple[str, OSError] | None:
        """At which step the launcher failed, and why."""
        return next(((line[1], error_of(int(line[2]))) for line in self.complete_lines if line[0] == "fault"), None)

    @property
    def complete_lines(self) -> list[list[str]]:
        """The words of each line that is complete."""
        return [line.split() for line in self.received.decode().split("\n")[:-1]]


def error_of(number: int) -> OSError:
    """Return the error of this number; Python chooses the class."""
    return OSError(number or errno.EIO, os.strerror(number or errno.EIO))


def is_on_path(program: str) -> bool:
    """Return whether a program can be found; a folder on PATH without access hides its programs."""
    return os.sep in program or shutil.which(program) is not None
