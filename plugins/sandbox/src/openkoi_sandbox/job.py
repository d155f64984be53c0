"""Run one command to its end in a thread. Knows processes and clocks; knows no event loop, and nothing of cages."""

import contextlib
import os
import secrets
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from openkoi_hookspecs import Command, CommandResult, KoiError
from openkoi_redact import current_redactor

from .capture import Capture
from .den import Den
from .ending import ESCAPED, NOT_FOUND, Why, exit_code, unstarted, with_notes
from .environment import child_environment
from .launch import Cage, Report, Start, Uncaged
from .limits import running_tasks
from .pipe import Drain
from .room import patiently
from .tree import Tree

TICK = 0.05
AFTERWARDS = 0.25
TRIES = 5


class NotPutUp(KoiError):
    """The cage could not be put up, so the command never ran: a socket to be hidden may have gone meanwhile."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What all commands have in common."""

    outputs: Path
    most: int
    grace: float
    passed: Sequence[str]


@dataclass(slots=True)
class Job:
    """One command under way. ``cancelled`` may be set from anywhere."""

    command: Command
    root: Path
    settings: Settings
    cage: Cage = field(default_factory=Uncaged)
    den: Den = field(default_factory=Den)
    sealed: tuple[Path, ...] = ()
    cancelled: threading.Event = field(default_factory=threading.Event)

    def run(self) -> CommandResult:
        """Start it, wait for it, leave no process behind, and say how it went."""
        if not self.root.is_dir():
            raise KoiError(f"The workspace {self.root} is not a folder. Name one that exists.")
        if not self.command.argv:
            return CommandResult(NOT_FOUND, "There is no command to run. Name a program.")
        mark = secrets.token_hex(16)
        ours = self.den.environment(os.environ)
        env = child_environment(ours, self.command, passed=self.settings.passed, mark=mark)
        start = Start(self.command.argv, self.root, env, self.command.seconds, den=self.den, sealed=self.sealed)
        if isinstance(self.cage, Uncaged):
            return self.started(start, mark, None)
        for _ in range(TRIES - 1):
            with contextlib.suppress(NotPutUp):
                return self.caged(start, mark)
        return self.caged(start, mark)

    def caged(self, start: Start, mark: str) -> CommandResult:
        """Put the cage up around it, as things are now, and start it."""
        with reporting() as (report, write), self.cage.dressed(start.reporting_to(write)) as dressed:
            return self.started(dressed, mark, report)

    def started(self, start: Start, mark: str, report: Report | None) -> CommandResult:
        """Start it, and see it through."""
        drain, write = draining(Capture(self.settings.outputs, self.settings.most, current_redactor()))
        try:
            process = patiently(lambda: begin(start, self.command.stdin, write))
        except (OSError, ValueError) as error:
            return unstarted(self.command.argv[0], error)
        finally:
            os.close(write)
        return self.finish(Tree.of(process, mark, report, whole=start.whole), drain)

    def finish(self, tree: Tree, drain: Drain) -> CommandResult:
        """See it through to its end."""
        why = self.wait(tree, drain)
        if why is Why.CROWDED:
            tree.strike()
        clean = tree.end(AFTERWARDS if why is Why.EXITED else self.settings.grace)
        drain.stop(AFTERWARDS)
        drain.capture.close()
        if tree.report and (failed := self.failed(tree.report, why, drain.capture.text)):
            return failed
        return CommandResult(
            exit_code(why, tree.status),
            with_notes(drain.capture.text, [*self.notes(why, drain), *([] if clean else [ESCAPED])]),
            timed_out=why is Why.TIMED_OUT,
            output_file=drain.capture.whole,
        )

    def failed(self, report: Report, why: Why, output: str) -> CommandResult | None:
        """What to answer when the command never ran; a cage that cannot be put up is an error, not an answer."""
        if report.fault and report.fault[0] == "exec":
            return unstarted(self.command.argv[0], report.fault[1])
        if report.fault:
            raise KoiError(f"The command was not run: {report.fault[0]} failed ({report.fault[1].strerror}).")
        if why is Why.EXITED and not report.started:
            said = " ".join(output.split()) or "it did not say why"
            raise NotPutUp(f"The command was not run, its sandbox cannot be put up: {said}.")
        return None

    def notes(self, why: Why, drain: Drain) -> Iterator[str]:
        """What a reader is told of limits that were reached."""
        if why is Why.TIMED_OUT:
            yield f"[Ended after {self.command.seconds:g} seconds, which is its time limit.]"
        if why is Why.CROWDED:
            yield f"[Ended because it started more than {self.cage.most_processes} processes, the most there may be.]"
        if drain.capture.full:
            most = self.settings.most / 1_000_000
            yield f"[It printed more than {most:g} MB, the most there may be; the rest is lost.]"

    def wait(self, tree: Tree, drain: Drain) -> Why:
        """Wait for what comes first: its end, a limit, or our being told to stop."""
        deadline = time.monotonic() + self.command.seconds
        most = running_tasks() + self.cage.most_processes
        while True:
            if self.cancelled.is_set():
                return Why.CANCELLED
            if drain.capture.full:
                return Why.FLOODED
            if tree.over():
                return Why.EXITED
            if time.monotonic() >= deadline:
                return Why.TIMED_OUT
            if self.cage.most_processes and running_tasks() > most and self.crowded(tree):
                return Why.CROWDED
            nap(tree, drain, min(TICK, max(0.0, deadline - time.monotonic())))

    def crowded(self, tree: Tree) -> bool:
        """Whether there are too many processes; only asked when the whole system has that many more than before."""
        return len(tree.members()) > self.cage.most_processes


def nap(tree: Tree, drain: Drain, seconds: float) -> None:
    """Sleep until the output ends; after that, until the process does."""
    if not drain.over.is_set():
        drain.over.wait(seconds)
        return
    tree.wait(seconds)


@contextlib.contextmanager
def reporting() -> Iterator[tuple[Report, int]]:
    """A pipe for a launcher to report through: our end, and the number of its."""
    read, write = os.pipe()
    report = Report(read, write)
    try:
        yield report, write
    finally:
        report.shut()
        os.close(read)


def draining(capture: Capture) -> tuple[Drain, int]:
    """A pipe that is read from now on; the end to write into is the caller's to close."""
    read, write = os.pipe()
    drain = Drain(read, capture)
    try:
        patiently(drain.start)
    except BaseException:
        os.close(read)
        os.close(write)
        raise
    return drain, write


def begin(start: Start, stdin: bytes, output: int) -> "subprocess.Popen[bytes]":
    """Start it in a session of its own, without a terminal; what it reads lies ready in a file."""
    with given(stdin) as file:
        return subprocess.Popen(
            list(start.argv),
            cwd=start.root,
            env=start.env,
            stdin=file,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=[handle for handle in (start.report, start.orders) if handle >= 0],
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )


def given(data: bytes) -> "IO[bytes]":
    """What a command reads: an unnamed file, or nothing."""
    if not data:
        return open(os.devnull, "rb")  # noqa: PTH123  # not a path of ours
    file = tempfile.TemporaryFile()  # noqa: SIM115  # the caller closes it
    file.write(data)
    file.seek(0)
    return file
