"""Run commands of ``openkoi`` from the chat, so that both do the same."""

import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from openkoi_hookspecs import KoiError
from openkoi_hookspecs.lazy_dataclass import dataclass

MAX_OUTPUT = 1_000_000  # bytes; a screen of them takes the terminal about a second
REMOVED = "{folder} was removed. Create it again, or leave the chat and run `openkoi` in another folder."
WIDTH = 100  # columns, where the view has none


@dataclass(frozen=True, slots=True)
class Finished:
    """How a command ended, and what it printed on both streams."""

    status: int
    text: str


def current_folder(workspace: Path) -> Path:
    """Return the current folder; that of the project where it was removed and created again. Raise KoiError without."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        require_folder(workspace)
        os.chdir(workspace)
        return workspace


def require_folder(folder: Path) -> None:
    """Raise KoiError if a folder was removed."""
    if not folder.is_dir():
        raise KoiError(REMOVED.format(folder=folder))


async def run_openkoi(*words: str, folder: Path, columns: int = 0) -> Finished:
    """Run a command of ``openkoi`` in a folder, for a screen of so many columns."""
    return await run_program([sys.executable, "-P", "-m", "openkoi", *words], folder, columns=columns)


async def run_program(command: Sequence[str], folder: Path, *, columns: int = 0) -> Finished:
    """Run a program without input, in a process group of its own; it is stopped if the caller is."""
    require_folder(folder)
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=folder,
        env={**os.environ, "COLUMNS": str(columns or WIDTH), "PAGER": "cat"},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        out = await read_start(process.stdout)
        status = await process.wait()
    except asyncio.CancelledError:
        stop_group(process.pid)
        raise
    return Finished(status, out.decode(errors="replace").rstrip("\n"))


async def read_start(stream: asyncio.StreamReader) -> bytes:
    """Read all that a program prints, and return the beginning: it may print forever."""
    kept = bytearray()
    left_out = 0
    while piece := await stream.read(65_536):
        room = max(MAX_OUTPUT - len(kept), 0)
        kept += piece[:room]
        left_out += len(piece[room:])
    return bytes(kept) + (f"\n… {left_out} more bytes".encode() if left_out else b"")


def stop_group(pid: int) -> None:
    """Kill a program and its children."""
    import signal
    from contextlib import suppress

    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)
