"""Keep a server's standard error output, and its fault, for messages about its end."""

import asyncio
import os
import signal
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from threading import Thread

from openkoi_base.printable import visible

from .launch import PROCESS_MARK

READ_SECONDS = 0.5  # for the last lines; a process that outlives the server may keep its output open
SHOWN_LINES = 3  # the last line is often a hint, and the error is before it
SHOWN_CHARACTERS = 500  # of a line: the longest hint of the official SDK has 335
KEPT_LINES = 20  # of what a server writes to its standard error


class ErrorOutput:
    """Keeps the last lines that a child writes to its standard error.

    ``process`` is what the launcher writes first; ``fault`` is why OpenKoi disconnected the server or could not start
    it, if it knows that; ``is_unauthorized``: a request was refused with a 401.
    """

    def __init__(self) -> None:
        self.process = 0
        self.fault = ""
        self.is_unauthorized = False
        self.lines: deque[str] = deque(maxlen=KEPT_LINES)

    @asynccontextmanager
    async def pipe(self) -> AsyncIterator[int]:
        """Yield a descriptor for the child; what is written to it is read until the last process closes it."""
        reading, writing = os.pipe()
        reader = Thread(target=self.read, args=(reading,), daemon=True)
        reader.start()
        try:
            yield writing
        finally:
            os.close(writing)
            self.signal_group(getattr(signal, "SIGKILL", signal.SIGTERM))
            await asyncio.to_thread(reader.join, READ_SECONDS)

    def read(self, descriptor: int) -> None:
        with os.fdopen(descriptor, "rb") as file:
            while chunk := file.readline(10_000):
                line = chunk.decode(errors="replace").rstrip()
                if not self.process and line.startswith(PROCESS_MARK):
                    self.process = int(line.removeprefix(PROCESS_MARK))
                else:
                    self.lines.append(line)

    def signal_group(self, number: int) -> None:
        """Send a signal to the server and to the processes that it started in its own group, also once it has ended."""
        if self.process:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process, number)

    @property
    def tail(self) -> str:
        """The fault, and the last meaningful lines, as sentences."""
        written = [visible(line).strip() for line in self.lines if line.strip()][-SHOWN_LINES:]
        fault = f" {self.fault}." if self.fault else ""
        return fault + (f" It wrote: {' / '.join(map(cut, written)).rstrip('.')}." if written else "")


def cut(line: str) -> str:
    """Return a line, or the marked beginning of a long one."""
    return line if len(line) <= SHOWN_CHARACTERS else f"{line[:SHOWN_CHARACTERS]}…"
