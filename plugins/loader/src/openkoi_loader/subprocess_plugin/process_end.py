"""End a plugin's process, and say how one ended and what it printed last."""

import os
import signal
from asyncio import StreamReader
from asyncio.subprocess import Process
from collections import deque
from contextlib import suppress

from openkoi_base.child_process import signal_name


def end_process(process: Process) -> None:
    """End a process at once, with those that it started."""
    with suppress(ProcessLookupError, PermissionError):  # it has ended
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def describe_end(code: int) -> str:
    """Return how a process ended."""
    return f"was killed by {signal_name(-code)}" if code < 0 else f"ended with status {code}"


async def keep_last_lines(stream: StreamReader, lines: deque[str]) -> None:
    """Keep the last lines that a plugin prints, and read all others."""
    with suppress(ValueError):  # a line that is longer than a stream may hold
        async for line in stream:
            lines.append(line.decode(errors="replace").rstrip())
    while await stream.read(65_536):
        pass
