"""The `Sandbox` socket without a cage: commands run as we do, and end when they should. Enforces nothing."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from openkoi_hookspecs import Command, CommandResult, DataDir

from .den import without_room
from .job import Job, Settings
from .processes import PROCS
from .protecting import ProtectedJob
from .protection import Protections
from .running import check_writable, perform

WITHOUT_SEAL = "restored when a command ends; what it started elsewhere may change them later"


class Plain:
    """Runs commands with our own rights, secrets taken from their environment. Configured by ``[sandboxes.plain]``."""

    def __init__(
        self,
        *,
        folder: Annotated[Path, DataDir("outputs")],
        max_output_mb: float = 50.0,
        grace: float = 2.0,
        pass_env: tuple[str, ...] = (),
    ) -> None:
        self.folder = folder.expanduser().absolute()
        self.settings = Settings(self.folder, int(max_output_mb * 1_000_000), grace, pass_env)
        self.protections = Protections(self.folder.with_name("diverted"))

    async def probe_level(self) -> int:
        """Nothing is enforced."""
        return 0

    async def execute(self, command: Command, root: Path) -> CommandResult:
        """Run it in ``root``; when this returns, or is cancelled, no process of it is left."""
        job = Job(command, root, self.settings, den=without_room(root))
        return await perform(ProtectedJob(job, self.protections.of(root), "plain"))

    async def health(self) -> Mapping[str, str]:
        """Say that nothing is confined, and how far processes are followed."""
        await asyncio.to_thread(check_writable, self.folder)
        return {
            "level": "0 of 3, nothing is enforced: a command may do whatever you may",
            "processes": "followed by session and mark" if PROCS else "followed by process group only",
            "files that others run": WITHOUT_SEAL,
            "long outputs in": str(self.folder),
        }
