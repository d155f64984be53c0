"""End a plugin's process, and report how it ended and what it printed last."""

import asyncio
from asyncio import StreamReader
from asyncio.subprocess import Process
from collections import deque
from contextlib import suppress

from openkoi_base.child_process import kill_group, signal_name

PRINTED_SECONDS = 0.25
POLL_SECONDS = 0.1
LAST_SECONDS = 1.0  # estimate: what the process wrote before it ended is read within that


def describe_end(code: int) -> str:
    """Return how a process ended."""
    return f"was killed by {signal_name(-code)}" if code < 0 else f"ended with status {code}"


async def close_pipes_at_end(process: Process) -> None:
    """Close the pipes of a process some time after it ended: a program that it started may keep them open."""
    while process.returncode is None:  # noqa: ASYNC110  # wait() may wait for the pipes
        await asyncio.sleep(POLL_SECONDS)
    await asyncio.sleep(LAST_SECONDS)
    process._transport.close()  # type: ignore[attr-defined]  # there is no public way


async def finish_process(process: Process, printed: "asyncio.Task[None]", closing: "asyncio.Task[None]") -> int:
    """End a process and the readers of its pipes, which a program may keep open; return how it ended."""
    kill_group(process.pid)
    code = await process.wait()
    await asyncio.wait([printed], timeout=PRINTED_SECONDS)
    printed.cancel()
    closing.cancel()
    process._transport.close()  # type: ignore[attr-defined]  # as above
    return code


async def keep_last_lines(stream: StreamReader, lines: deque[str]) -> None:
    """Keep the last lines that a plugin prints; read and discard the rest."""
    with suppress(ValueError):  # a line that is longer than a stream may hold
        async for line in stream:
            lines.append(line.decode(errors="replace").rstrip())
    while await stream.read(65_536):
        pass
