"""Run one command in a thread until it ends, times out, exceeds another limit or is cancelled."""

import contextlib
import os
import secrets
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import field
from pathlib import Path
from typing import IO

from openkoi_base.redact import current_redactor
from openkoi_hookspecs import Command, CommandResult, KoiError
from openkoi_hookspecs.lazy_dataclass import dataclass

from .environment import child_environment
from .exit_codes import ESCAPED_NOTE, EXIT_NOT_FOUND, EndReason, append_notes, exit_code, failed_start
from .launch import CommandStart, Confinement, LauncherReport, NoConfinement
from .output_capture import OutputCapture
from .pipe_drain import PipeDrain
from .private_dirs import PrivateDirs
from .process_tree import ProcessTree
from .retry_when_full import retry_when_full
from .rlimits import count_tasks

POLL_SECONDS = 0.05
OUTPUT_GRACE_SECONDS = 0.25
MAX_SETUP_TRIES = 5
NOT_SET_UP = "The command was not run because its sandbox could not be set up"


class SandboxSetupError(KoiError):
    """Report that the sandbox could not be set up, so the command never ran.

    A socket to be hidden may have gone meanwhile.
    """


@dataclass(frozen=True, slots=True)
class JobSettings:
    """What all commands have in common."""

    outputs: Path
    most: int
    grace: float
    passed: Sequence[str]


@dataclass(slots=True)
class Job:
    """Run one command. ``cancelled`` may be set from any thread."""

    command: Command
    root: Path
    settings: JobSettings
    confinement: Confinement = field(default_factory=NoConfinement)
    private: PrivateDirs = field(default_factory=PrivateDirs)
    read_only: tuple[Path, ...] = ()
    cancelled: threading.Event = field(default_factory=threading.Event)

    def run(self) -> CommandResult:
        """Start the command, wait for it, leave no process behind, and return its result."""
        if not self.root.is_dir():
            raise KoiError(f"The workspace {self.root} is not a folder. Choose an existing folder.")
        if not self.command.argv:
            return CommandResult(EXIT_NOT_FOUND, "No command given. Name a program to run.")
        mark = secrets.token_hex(16)
        ours = self.private.environment(os.environ)
        env = child_environment(ours, self.command, passed=self.settings.passed, mark=mark)
        start = CommandStart(
            self.command.argv, self.root, env, self.command.seconds, private=self.private, read_only=self.read_only
        )
        if isinstance(self.confinement, NoConfinement):
            return self.run_started(start, mark, None)
        for _ in range(MAX_SETUP_TRIES - 1):
            with contextlib.suppress(SandboxSetupError):
                return self.run_confined(start, mark)
        return self.run_confined(start, mark)

    def run_confined(self, start: CommandStart, mark: str) -> CommandResult:
        """Set up the sandbox for the current state, and start the command in it."""
        with open_report() as (report, write), self.confinement.wrap(start.with_report(write)) as dressed:
            return self.run_started(dressed, mark, report)

    def run_started(self, start: CommandStart, mark: str, report: LauncherReport | None) -> CommandResult:
        """Start the command and run it to its end."""
        drain, write = start_drain(OutputCapture(self.settings.outputs, self.settings.most, current_redactor()))
        try:
            process = retry_when_full(lambda: start_process(start, self.command.stdin, write))
        except (OSError, ValueError) as error:
            return failed_start(self.command.argv[0], error)
        finally:
            os.close(write)
        return self.finish(ProcessTree.from_process(process, mark, report, whole=start.dies_together), drain)

    def finish(self, tree: ProcessTree, drain: PipeDrain) -> CommandResult:
        """Wait for the end and collect the result."""
        why = self.wait_for_end(tree, drain)
        if why is EndReason.CROWDED:
            tree.kill_main_group()
        clean = tree.terminate(OUTPUT_GRACE_SECONDS if why is EndReason.EXITED else self.settings.grace)
        drain.stop(OUTPUT_GRACE_SECONDS)
        drain.capture.close()
        if tree.report and (failed := self.setup_failure(tree.report, why, drain.capture.text)):
            return failed
        return CommandResult(
            exit_code(why, tree.status),
            append_notes(drain.capture.text, [*self.limit_notes(why, drain), *([] if clean else [ESCAPED_NOTE])]),
            timed_out=why is EndReason.TIMED_OUT,
            output_file=drain.capture.output_file,
        )

    def setup_failure(self, report: LauncherReport, why: EndReason, output: str) -> CommandResult | None:
        """Return the result of a command that never ran; a sandbox that cannot be set up is an error, not a result."""
        if report.error and report.error[0] == "exec":
            return failed_start(self.command.argv[0], report.error[1])
        if report.error:
            step, error = report.error
            raise KoiError(f"{NOT_SET_UP}: the step {step!r} failed ({error.strerror}). Run `openkoi doctor`.")
        if why is EndReason.EXITED and not report.has_started:
            reason = " ".join(output.split()) or "unknown reason"
            raise SandboxSetupError(f"{NOT_SET_UP}: {reason}.")
        return None

    def limit_notes(self, why: EndReason, drain: PipeDrain) -> Iterator[str]:
        """Yield notes about limits that were reached."""
        if why is EndReason.TIMED_OUT:
            yield f"[Timed out after {self.command.seconds:g} seconds.]"
        if why is EndReason.CROWDED:
            yield f"[Stopped because it started more than {self.confinement.most_processes} processes, the limit.]"
        if drain.capture.is_full:
            most = self.settings.most / 1_000_000
            yield f"[The output exceeded the limit of {most:g} MB; the rest was discarded.]"

    def wait_for_end(self, tree: ProcessTree, drain: PipeDrain) -> EndReason:
        """Wait for the end, a limit or cancellation, whichever is first."""
        deadline = time.monotonic() + self.command.seconds
        most = count_tasks() + self.confinement.most_processes
        while True:
            if self.cancelled.is_set():
                return EndReason.CANCELLED
            if drain.capture.is_full:
                return EndReason.FLOODED
            if tree.has_ended():
                return EndReason.EXITED
            if time.monotonic() >= deadline:
                return EndReason.TIMED_OUT
            if self.confinement.most_processes and count_tasks() > most and self.has_too_many_processes(tree):
                return EndReason.CROWDED
            sleep_until_output_ends(tree, drain, min(POLL_SECONDS, max(0.0, deadline - time.monotonic())))

    def has_too_many_processes(self, tree: ProcessTree) -> bool:
        """Return whether there are too many processes.

        Only asked when the whole system has that many more than before.
        """
        return len(tree.members()) > self.confinement.most_processes


def sleep_until_output_ends(tree: ProcessTree, drain: PipeDrain, seconds: float) -> None:
    """Sleep until the output ends; after that, until the process does."""
    if not drain.over.is_set():
        drain.over.wait(seconds)
        return
    tree.wait(seconds)


@contextlib.contextmanager
def open_report() -> Iterator[tuple[LauncherReport, int]]:
    """Open a pipe for a launcher to report through: yield our end, and the number of its."""
    read, write = os.pipe()
    report = LauncherReport(read, write)
    try:
        yield report, write
    finally:
        report.close_write_end()
        os.close(read)


def start_drain(capture: OutputCapture) -> tuple[PipeDrain, int]:
    """Return a pipe that is read from now on; the caller closes the end to write into."""
    read, write = os.pipe()
    drain = PipeDrain(read, capture)
    try:
        retry_when_full(drain.start)
    except BaseException:
        os.close(read)
        os.close(write)
        raise
    return drain, write


def start_process(start: CommandStart, stdin: bytes, output: int) -> "subprocess.Popen[bytes]":
    """Start a process in a session of its own, without a terminal; its input is ready in a file."""
    with input_file(stdin) as file:
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


def input_file(data: bytes) -> "IO[bytes]":
    """Return the input of a command: an unnamed file, or nothing."""
    if not data:
        return open(os.devnull, "rb")  # noqa: PTH123  # not a path of ours
    file = tempfile.TemporaryFile()  # noqa: SIM115  # the caller closes it
    file.write(data)
    file.seek(0)
    return file
