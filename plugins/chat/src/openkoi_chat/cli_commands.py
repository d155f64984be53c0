"""Run commands of ``openkoi`` from the chat, so that both do the same."""

import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from openkoi_hookspecs.lazy_dataclass import dataclass

WIDTH = "100"


@dataclass(frozen=True, slots=True)
class Finished:
    """How a command ended, and what it printed on both streams."""

    status: int
    text: str


async def run_openkoi(*words: str, folder: Path) -> Finished:
    """Run a command of ``openkoi`` in a folder."""
    return await run_program([sys.executable, "-m", "openkoi", *words], folder)


async def run_program(command: Sequence[str], folder: Path) -> Finished:
    """Run a program without input, in a process group of its own; it is stopped if the caller is."""
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=folder,
        env={**os.environ, "COLUMNS": WIDTH, "PAGER": "cat"},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        out, _ = await process.communicate()
    except asyncio.CancelledError:
        stop_group(process.pid)
        raise
    return Finished(process.returncode or 0, out.decode(errors="replace").rstrip("\n"))


def stop_group(pid: int) -> None:
    """Kill a program and its children."""
    import signal
    from contextlib import suppress

    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
