"""Run one command to its end in a thread. Knows processes and clocks; knows no event loop and no settings."""

import contextlib
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import IO

from openkoi_hookspecs import Command, Completed, KoiError

from .capture import Capture
from .environment import child_environment
from .pipe import Drain
from .tree import Tree

TICK = 0.05
AFTERWARDS = 0.25
TIMED_OUT = 124
CANNOT_RUN = 126
NOT_FOUND = 127
ESCAPED = "[Some of its processes could not be ended and still run.]"


class Why(StrEnum):
    """Why a command is over."""

    EXITED = "exited"
    TIMED_OUT = "timed out"
    FLOODED = "flooded"
    CANCELLED = "cancelled"


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
    cancelled: threading.Event = field(default_factory=threading.Event)

    def run(self) -> Completed:
        """Start it, wait for it, leave no process behind, and say how it went."""
        if not self.root.is_dir():
            raise KoiError(f"The workspace {self.root} is not a folder. Name one that exists.")
        if not self.command.argv:
            return Completed(NOT_FOUND, "There is no command to run. Name a program.")
        capture = Capture(self.settings.outputs, self.settings.most)
        mark = secrets.token_hex(16)
        env = child_environment(os.environ, self.command.env, passed=self.settings.passed, mark=mark)
        read, write = os.pipe()
        try:
            drain = Drain(read, capture)
            drain.start()
            process = start(self.command, self.root, env, write)
        except (OSError, ValueError) as error:
            return unstarted(self.command.argv[0], error)
        finally:
            os.close(write)
        return self.finish(Tree.of(process, mark), drain)

    def finish(self, tree: Tree, drain: Drain) -> Completed:
        """See it through to its end."""
        why = self.wait(tree.root, drain)
        clean = tree.end(AFTERWARDS if why is Why.EXITED else self.settings.grace)
        drain.stop(AFTERWARDS)
        drain.capture.close()
        notes = [self.out_of_time] * (why is Why.TIMED_OUT) + [self.out_of_room] * drain.capture.full
        return Completed(
            exit_code(why, tree.root.returncode),
            with_notes(drain.capture.text, notes if clean else [*notes, ESCAPED]),
            timed_out=why is Why.TIMED_OUT,
            whole=drain.capture.whole,
        )

    @property
    def out_of_time(self) -> str:
        """What a reader is told of the time limit."""
        return f"[Ended after {self.command.seconds:g} seconds, which is its time limit.]"

    @property
    def out_of_room(self) -> str:
        """What a reader is told of too much output."""
        return f"[It printed more than {self.settings.most / 1_000_000:g} MB, the most there may be; the rest is lost.]"

    def wait(self, process: "subprocess.Popen[bytes]", drain: Drain) -> Why:
        """Wait for what comes first: its end, the time limit, too much output, or our being told to stop."""
        deadline = time.monotonic() + self.command.seconds
        while True:
            if self.cancelled.is_set():
                return Why.CANCELLED
            if drain.capture.full:
                return Why.FLOODED
            if process.poll() is not None:
                return Why.EXITED
            if time.monotonic() >= deadline:
                return Why.TIMED_OUT
            nap(process, drain, min(TICK, max(0.0, deadline - time.monotonic())))


def nap(process: "subprocess.Popen[bytes]", drain: Drain, seconds: float) -> None:
    """Sleep until the output ends; after that, until the process does."""
    if not drain.over.is_set():
        drain.over.wait(seconds)
        return
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)


def start(command: Command, root: Path, env: Mapping[str, str], output: int) -> "subprocess.Popen[bytes]":
    """Start it in a session of its own, without a terminal; what it reads lies ready in a file."""
    with given(command.stdin) as stdin:
        return subprocess.Popen(
            list(command.argv),
            cwd=root,
            env=env,
            stdin=stdin,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
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


def unstarted(program: str, error: OSError | ValueError) -> Completed:
    """Say why nothing was run, as a shell does."""
    if isinstance(error, FileNotFoundError) or (isinstance(error, PermissionError) and not is_anywhere(program)):
        return Completed(NOT_FOUND, f"There is no program {program!r}. Install it, or check its name and PATH.")
    reason = getattr(error, "strerror", None) or str(error)
    return Completed(CANNOT_RUN, f"{program!r} cannot be run: {reason}.")


def is_anywhere(program: str) -> bool:
    """Whether a program can be found at all: a folder on PATH that is closed to us hides what is in it."""
    return os.sep in program or shutil.which(program) is not None


def exit_code(why: Why, status: int | None) -> int:
    """The status as a shell tells it: 128 and the signal; 124 when time was up, whatever it said then."""
    if why is Why.TIMED_OUT:
        return TIMED_OUT
    if status is None or (why is Why.FLOODED and status == 0):
        return 128 + 15
    return 128 - status if status < 0 and sys.platform != "win32" else status


def with_notes(text: str, notes: Sequence[str]) -> str:
    """Put remarks on lines of their own below the output."""
    between = "" if not notes or text.endswith("\n") or not text else "\n"
    return text + between + "\n".join(notes)
