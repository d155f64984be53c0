"""The `Sandbox` socket without a cage: commands run as we do, and end when they should. Enforces nothing."""

import asyncio
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Annotated

from openkoi_hookspecs import Command, Completed, Data, KoiError

from .job import Job, Settings
from .tree import PROCS


class Plain:
    """Runs commands with our own rights, secrets taken from their environment. Configured by ``[sandboxes.plain]``."""

    def __init__(
        self,
        *,
        folder: Annotated[Path, Data("outputs")],
        max_output_mb: float = 50.0,
        grace: float = 2.0,
        pass_env: tuple[str, ...] = (),
    ) -> None:
        self.folder = folder.expanduser().absolute()
        self.settings = Settings(self.folder, int(max_output_mb * 1_000_000), grace, pass_env)

    async def level(self) -> int:
        """Nothing is enforced."""
        return 0

    async def execute(self, command: Command, root: Path) -> Completed:
        """Run it in ``root``; when this returns, or is cancelled, no process of it is left."""
        job = Job(command, root, self.settings)
        done = asyncio.wrap_future(in_thread(job))
        try:
            return await asyncio.shield(done)
        except asyncio.CancelledError:
            job.cancelled.set()
            await ended(done)
            raise

    async def examine(self) -> Mapping[str, str]:
        """Say that nothing is confined, and how far processes are followed."""
        await asyncio.to_thread(check_writable, self.folder)
        return {
            "level": "0, nothing is enforced: a command may do whatever you may",
            "processes": "followed by session and mark" if PROCS else "followed by process group only",
            "outputs": str(self.folder),
        }


def in_thread(job: Job) -> "Future[Completed]":
    """Run a job in a thread of its own: a pool could be full of jobs that wait for others."""
    future: Future[Completed] = Future()

    def work() -> None:
        try:
            future.set_result(job.run())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=work, name="openkoi-command", daemon=True).start()
    return future


async def ended(done: "asyncio.Future[Completed]") -> None:
    """Wait until the tree is dead, even if told again not to."""
    while not done.done():
        try:
            await asyncio.wait([done])
        except asyncio.CancelledError:
            continue


def check_writable(folder: Path) -> None:
    """Make sure that long outputs can be kept."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        probe = folder / "examined"
        probe.touch(mode=0o600)
        probe.unlink()
    except OSError as error:
        raise KoiError(f"Long outputs cannot be kept in {folder}: {error.strerror}. Make it writable.") from error
