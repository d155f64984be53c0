"""Record when this process ends, to distinguish a killed run's changes from the user's later ones.

A shell that outlives the process records its end to the millisecond. Where there is no shell, or it is killed as well,
the process is known to have lived until its last beat.
"""

import atexit
import math
import os
import secrets
import threading
import time
from contextlib import suppress
from dataclasses import field
from pathlib import Path

from openkoi_base.files import private_folder
from openkoi_hookspecs.lazy_dataclass import dataclass

from .errors import store_errors

BEAT_SECONDS = 1.0
BEAT_NS = 1_000_000_000
MISSED_BEATS = 5  # estimate: a busy machine delays a beat by less
RECORD_END = 'if read _; then rm -f "$1"; elif test -e "$1"; then echo ended >"$1"; fi'
SHELL = "/bin/sh"


@dataclass(slots=True)
class ProcessEnd:
    """Record the end of this process in a file, which is deleted when the process ends by itself."""

    folder: Path
    name: str = ""
    open_calls: set[str] = field(default_factory=set)
    working: threading.Event = field(default_factory=threading.Event)

    def start_call(self, call: str) -> str:
        """Beat until the call ends; return the name of the file."""
        if not self.name:
            self.name = f"{os.getpid()}-{secrets.token_hex(4)}"
            self.start_recording()
        self.open_calls.add(call)
        self.working.set()
        return self.name

    def finish_call(self, call: str) -> None:
        """Stop beating if this was the last open call."""
        self.open_calls.discard(call)
        if not self.open_calls:
            self.working.clear()

    def start_recording(self) -> None:
        """Make the file, start the shell that records the end in it, and the thread that beats."""
        with store_errors(self.folder):
            (private_folder(self.folder) / self.name).touch(0o600)
        start_shell(self.folder / self.name)
        threading.Thread(target=self.beat, daemon=True).start()

    def beat(self) -> None:
        """Update the file while a call is open, to show that the process is alive."""
        while self.working.wait():
            with suppress(OSError):
                os.utime(self.folder / self.name)
            time.sleep(BEAT_SECONDS)

    def ended_at(self, name: str) -> float:
        """Return the latest time at which a process can have ended, in nanoseconds; infinity if unknown."""
        try:
            status = (self.folder / name).stat() if name and name != self.name else None
        except OSError:
            status = None
        if status is None:
            return math.inf
        return status.st_mtime_ns + (0 if status.st_size else BEAT_NS)

    def is_running(self, name: str) -> bool:
        """Return whether a process with an open call is still running, or was a moment ago."""
        if name == self.name:
            return True
        ended = self.ended_at(name)
        return ended != math.inf and time.time_ns() - ended < MISSED_BEATS * BEAT_NS


def start_shell(path: Path) -> None:
    """Start a shell that waits for the end of this process."""
    if not (hasattr(os, "posix_spawn") and os.access(SHELL, os.X_OK)):
        return
    end, ours = os.pipe()
    silent = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_WRONLY, 0) for stream in (1, 2)]
    command = [SHELL, "-c", RECORD_END, SHELL, str(path)]
    try:
        os.posix_spawn(SHELL, command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, end, 0), *silent], setsid=True)
    except (OSError, RuntimeError):  # also where the system cannot do all of it
        os.close(ours)
    else:
        atexit.register(delete_record, ours)
    finally:
        os.close(end)


def delete_record(pipe: int) -> None:
    """Let the shell delete the record: this process ends by itself."""
    with suppress(OSError):
        os.write(pipe, b"\n")
