"""How a command is started inside a cage: what its launcher is told, and what the launcher reports back."""

import contextlib
import errno
import marshal
import os
import select
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Protocol

from .den import Den

LAUNCHER = Path(__file__).with_name("launcher.py")
KEEPS = sys.platform.startswith("linux")


@dataclass(frozen=True, slots=True)
class Start:
    """What is to be started: the words, the workspace and its den, the environment; and the launcher's
    descriptors: the one to report to, and the one that its orders are read from.

    ``sealed`` are paths in the workspace that it may not change, where the cage can refuse that.

    ``whole``: killing the first process kills all of it at once, because the kernel ends its namespace.
    """

    argv: Sequence[str]
    root: Path
    env: Mapping[str, str]
    seconds: float = 0.0
    report: int = -1
    orders: int = -1
    whole: bool = False
    den: Den = field(default_factory=Den)
    sealed: tuple[Path, ...] = ()

    def reporting_to(self, handle: int) -> "Start":
        """The same, with a launcher that reports."""
        return replace(self, report=handle)


@dataclass(frozen=True, slots=True)
class Taken:
    """What is taken from a command: limits, what Landlock's rules leave out, what a filter of calls refuses."""

    limits: Sequence[tuple[int, int]] = ()
    rules: tuple[bytes, list[tuple[str, int]]] | None = None
    program: bytes = b""


class Cage(Protocol):
    """What a command is started in."""

    @property
    def seals(self) -> bool:
        """Whether it can make single paths of the workspace read-only."""

    @property
    def most_processes(self) -> int:
        """How many there may be before we end it, when the kernel does not; 0 when we need not look."""

    def dressed(self, start: Start) -> AbstractContextManager[Start]:
        """The start, wrapped; what it needs besides is there until the command is over."""


class Uncaged:
    """No cage: started as it is."""

    most_processes = 0
    seals = False

    @contextlib.contextmanager
    def dressed(self, start: Start) -> Iterator[Start]:
        """The same start."""
        yield start


@contextlib.contextmanager
def launched(start: Start, taken: Taken, *, prefix: Sequence[str] = ()) -> Iterator[Start]:
    """A start that goes through the launcher, and through what comes before it.

    The orders are in a file without a name: in a crowded folder there are more rules than an argument may be long.
    """
    coerced = "LC_CTYPE" not in start.env
    with nameless() as file:
        marshal.dump((KEEPS, coerced, list(taken.limits), taken.rules, taken.program), file)
        file.seek(0)
        orders = file.fileno()
        launcher = [sys.executable, "-I", "-S", str(LAUNCHER), str(start.report), str(orders)]
        yield replace(start, argv=[*prefix, *launcher, *start.argv], orders=orders)


def nameless() -> IO[bytes]:
    """A file that nobody else can find; in memory where system and interpreter have such (many builds have not)."""
    if sys.platform.startswith("linux") and hasattr(os, "memfd_create"):
        return open(os.memfd_create("orders"), "w+b")  # noqa: PTH123  # a descriptor, no path
    return TemporaryFile()


@dataclass(slots=True)
class Report:
    """The reading end of what a launcher tells; the ``written`` end is ours to close once the launcher has it."""

    handle: int
    written: int
    told: bytes = b""
    open: bool = True

    def shut(self) -> None:
        """Let go of the end that is the launcher's."""
        if self.written >= 0:
            os.close(self.written)
            self.written = -1

    def wait(self, seconds: float) -> None:
        """Read what comes within this time."""
        poll = select.poll()
        poll.register(self.handle, select.POLLIN)
        if poll.poll(seconds * 1000):
            piece = os.read(self.handle, 4096)
            self.told += piece
            self.open = bool(piece)

    def all(self) -> None:
        """Read what is there already."""
        before = -1
        while self.open and before < len(self.told):
            before = len(self.told)
            self.wait(0.0)

    @property
    def started(self) -> bool:
        """Whether the launcher was reached, what is around it put up, and the command's process made."""
        return self.told.startswith(b"begun") and (bool(self.child) or not KEEPS)

    @property
    def status(self) -> int | None:
        """How the command ended, as the system tells it; None while it has not."""
        return next((int(line[1]) for line in self.lines if line[0] == "ended"), None)

    @property
    def child(self) -> int:
        """The number of the command itself, as its keeper knows it; in namespaces of its own it is another one here."""
        return next((int(line[1]) for line in self.lines if line[0] == "child"), 0)

    @property
    def fault(self) -> tuple[str, OSError] | None:
        """At which step the launcher failed, and why."""
        return next(((line[1], failure(int(line[2]))) for line in self.lines if line[0] == "fault"), None)

    @property
    def lines(self) -> list[list[str]]:
        """The words of each line that is complete."""
        return [line.split() for line in self.told.decode().split("\n")[:-1]]


def failure(number: int) -> OSError:
    """The error of this number; Python chooses the class."""
    return OSError(number or errno.EIO, os.strerror(number or errno.EIO))


def is_anywhere(program: str) -> bool:
    """Whether a program can be found at all: a folder on PATH that is closed to us hides what is in it."""
    return os.sep in program or shutil.which(program) is not None
