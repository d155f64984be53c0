"""Say how a plugin's process ended and what it printed last."""

from asyncio import StreamReader
from collections import deque
from contextlib import suppress

from openkoi_base.child_process import signal_name


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
