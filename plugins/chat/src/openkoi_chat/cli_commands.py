"""Run commands of ``openkoi`` from the chat, so that they work the same in both."""

import asyncio
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from openkoi_base.child_process import kill_group
from openkoi_hookspecs import KoiError
from openkoi_hookspecs.lazy_dataclass import dataclass

MAX_OUTPUT = 1_000_000  # bytes; a screen of them takes the terminal about a second
REMOVED = "{folder} was removed. Create it again, or leave the chat and run `openkoi` in another folder."
REST_SECONDS = 0.2  # to read what a stopped program had printed; a child that it left may keep the pipe open
WIDTH = 100  # columns, where the view has none


@dataclass(frozen=True, slots=True)
class Finished:
    """How a command ended, and what it printed on both streams."""

    status: int
    text: str


def current_folder(workspace: Path) -> Path:
    """Return the current folder, or the project's if that was removed and created again; raise KoiError without one."""
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


class ProgramOutput:
    """The start of a program's output, which may be endless; also available after the program is stopped."""

    def __init__(self) -> None:
        self.kept = bytearray()
        self.left_out = 0

    async def read(self, stream: asyncio.StreamReader | None) -> None:
        """Read a program's whole output."""
        while stream and (piece := await stream.read(65_536)):
            room = max(MAX_OUTPUT - len(self.kept), 0)
            self.kept += piece[:room]
            self.left_out += len(piece[room:])

    @property
    def text(self) -> str:
        """The output so far."""
        more = f"\n… {self.left_out} more bytes" if self.left_out else ""
        return (self.kept.decode(errors="replace") + more).rstrip("\n")


async def run_openkoi(*words: str, folder: Path, columns: int = 0) -> Finished:
    """Run a command of ``openkoi`` in a folder, for a screen with this many columns."""
    return await run_program([sys.executable, "-P", "-m", "openkoi", *words], folder, columns=columns)


async def run_program(
    command: Sequence[str], folder: Path, *, columns: int = 0, output: ProgramOutput | None = None
) -> Finished:
    """Run a program without input, in a separate process group; stop it if the caller is stopped."""
    require_folder(folder)
    output = output or ProgramOutput()
    starting = asyncio.ensure_future(start_program(command, folder, columns or WIDTH))
    try:
        process = await asyncio.shield(starting)  # one that is stopped while it starts has children as well
        status = await read_to_end(process, output)
    except asyncio.CancelledError:
        while not starting.done():
            with suppress(asyncio.CancelledError):  # stopped again, before there is something to stop
                await asyncio.shield(starting)
        process = starting.result()
        kill_group(process.pid)
        with suppress(TimeoutError):
            await asyncio.wait_for(read_to_end(process, output), REST_SECONDS)
        raise
    return Finished(status, output.text)


async def read_to_end(process: asyncio.subprocess.Process, output: ProgramOutput) -> int:
    """Read a program's whole output, and return its exit status."""
    await output.read(process.stdout)
    return await process.wait()


async def start_program(command: Sequence[str], folder: Path, columns: int) -> asyncio.subprocess.Process:
    """Start a program without input, in a separate process group, with one pipe for both streams."""
    return await asyncio.create_subprocess_exec(
        *command,
        cwd=folder,
        env={**os.environ, "COLUMNS": str(columns), "PAGER": "cat"},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )
