"""Start a child process of the event loop, kill it with its children, and name the signal that ended it.

What is cancelled while it starts ends, on every version of Python.
"""

import asyncio
import os
import signal
from asyncio.subprocess import Process
from contextlib import suppress
from typing import Any

AGAIN_SECONDS = 0.1  # until a start that was cancelled, and hangs, is cancelled once more


async def start_process(program: str, *arguments: str, **options: Any) -> Process:
    """Start a process. If this is cancelled, kill the process.

    asyncio's own function, cancelled before the pipes are connected, kills the process and may wait for the pipes
    without end: asyncio.run, which cancels once, would never return.
    """
    starting = asyncio.ensure_future(asyncio.create_subprocess_exec(program, *arguments, **options))
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        while not starting.done():
            starting.cancel()
            await asyncio.wait([starting], timeout=AGAIN_SECONDS)
        if not starting.cancelled() and not starting.exception():
            starting.result()._transport.close()  # type: ignore[attr-defined]  # there is no public way
        raise


def kill_group(pid: int) -> None:
    """Kill a process group by its first process; on platforms without groups, kill only the process."""
    with suppress(ProcessLookupError, PermissionError):  # it has ended
        if hasattr(os, "killpg"):
            os.killpg(pid, signal.SIGKILL)
        else:
            os.kill(pid, signal.SIGTERM)  # which ends it at once on Windows


def signal_name(number: int) -> str:
    """Return the name of a signal, or its number if it has no name, as for real-time signals."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
