"""Implement the `Sandbox` protocol without confinement: commands run with the user's rights."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from openkoi_hookspecs import Command, CommandResult, DataDir

from .job_threads import check_writable, run_job
from .private_dirs import PrivateDirsFactory
from .processes import HAS_PROC
from .protected_job import ProtectedJob
from .protection import ProtectionFactory
from .run_until_timeout import Job, JobSettings

UNSEALED_NOTE = "restored when a command ends; processes it leaves running may change them later"


class UnconfinedSandbox:
    """Run commands with the user's rights, without secrets in their environment.

    Configured by ``[sandboxes.plain]``.
    """

    def __init__(
        self,
        *,
        folder: Annotated[Path, DataDir("outputs")],
        caches: Annotated[Path | None, DataDir("caches")] = None,
        max_output_mb: float = 50.0,
        grace: float = 2.0,
        pass_env: tuple[str, ...] = (),
    ) -> None:
        self.folder = folder.expanduser().absolute()
        self.settings = JobSettings(self.folder, int(max_output_mb * 1_000_000), grace, pass_env)
        self.private_dirs = PrivateDirsFactory(caches.expanduser().absolute() if caches else None, shared=(), passed=())
        self.protections = ProtectionFactory(self.folder.with_name("diverted"))

    async def probe_level(self) -> int:
        """Return 0: nothing is enforced."""
        return 0

    async def execute(self, command: Command, root: Path) -> CommandResult:
        """Run a command in ``root``; when this returns, or is cancelled, none of its processes is left."""
        job = Job(command, root, self.settings, private=self.private_dirs.shared_dirs(root))
        return await run_job(ProtectedJob(job, self.protections.protection_for(root), "plain"))

    async def health(self) -> Mapping[str, str]:
        """Report that nothing is confined, and how far processes are followed."""
        await asyncio.to_thread(check_writable, self.folder)
        return {
            "level": "0 of 3, nothing is enforced: a command can do everything that you can",
            "processes": "tracked by session and environment" if HAS_PROC else "tracked by process group only",
            "files run automatically": UNSEALED_NOTE,
            "long outputs in": str(self.folder),
        }
