"""What all cages share: their configuration, the proof of what holds, and what a person is told of it."""

import asyncio
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, ClassVar

from openkoi_hookspecs import Command, CommandResult, DataDir, KoiError

from .den import Dens, without_room
from .job import Job, Settings
from .policy import CREDENTIALS, Level, Policy, places
from .protecting import ProtectedJob
from .protection import Protections
from .rung import Rung, Standing, climb
from .running import check_writable, in_thread, perform
from .told import described

MB = 1_000_000
# What lies beside the outputs in our data folder and is no business of a command: other projects' work, and questions.
OURS = ("sessions", "archive", "questions", "checkpoints", "openkoi.db", "consents.json", "diverted")


class Caged:
    """A sandbox that stands on the best of its rungs; subclasses name them."""

    rungs: ClassVar[Sequence[Rung]] = ()

    def __init__(
        self,
        *,
        folder: Annotated[Path, DataDir("outputs")],
        caches: Annotated[Path | None, DataDir("caches")] = None,
        network: bool = True,
        writable: tuple[str, ...] = (),
        readable: tuple[str, ...] = (),
        hidden: tuple[str, ...] = CREDENTIALS,
        memory_mb: int = 8_192,
        file_mb: int = 10_240,
        processes: int = 4_096,
        max_output_mb: float = 50.0,
        grace: float = 2.0,
        pass_env: tuple[str, ...] = (),
    ) -> None:
        self.folder = folder.expanduser().absolute()
        self.settings = Settings(self.folder, int(max_output_mb * MB), grace, pass_env)
        self.policy = Policy(
            network=network,
            writable=places(writable),
            readable=(*places(readable), self.folder.resolve()),
            hidden=(*places(hidden), *(self.folder.parent.resolve() / name for name in OURS)),
            memory=memory_mb * MB,
            file=file_mb * MB,
            processes=processes,
        )
        kept = caches.expanduser().absolute() if caches else None
        self.dens = Dens(kept, shared=self.policy.writable, passed=pass_env)
        self.protections = Protections(self.folder.with_name("diverted"))
        self.climbing = threading.Lock()
        self.reached: Standing | None = None

    def standing(self) -> Standing:
        """The rung that was proved: tried once, and remembered."""
        with self.climbing:
            if self.reached is None:
                self.reached = climb(self.rungs, self.policy, self.settings)
            return self.reached

    def chosen(self) -> Rung:
        """The rung to run on. Raises when there is only one, and it cannot be had."""
        return present(self.rungs[0]) if len(self.rungs) == 1 else self.standing().rung

    async def probe_level(self) -> int:
        """What was proved by trying."""
        return (await asyncio.to_thread(self.standing)).proof.level

    async def execute(self, command: Command, root: Path) -> CommandResult:
        """Run it in the cage; when this returns, or is cancelled, no process of it is left."""
        return await perform(await (await in_thread(lambda: self.job(command, root))))

    def job(self, command: Command, root: Path) -> ProtectedJob:
        """A command, its cage and, where it could write nowhere else, its den."""
        rung = self.chosen()
        confined = rung.claim >= Level.CONFINED and root.is_dir()
        cage, den = rung.cage(self.policy), self.dens.of(root) if confined else without_room(root)
        command = replace(command, approved=command.approved | {*map(str, self.policy.writable)})
        job = Job(command, root, self.settings, cage, den)
        return ProtectedJob(job, self.protections.of(root), rung.name)

    async def health(self) -> Mapping[str, str]:
        """Tell what was proved, what stays open, and why it is not more."""
        await asyncio.to_thread(check_writable, self.folder)
        standing = await asyncio.to_thread(self.standing)
        return {**described(standing, self.policy), "long outputs in": str(self.folder)}


def present(rung: Rung) -> Rung:
    """The rung itself, unless something it needs is missing."""
    if missing := rung.missing():
        raise KoiError(f"No command is run: {missing}. Or choose another sandbox, such as 'ladder'.")
    return rung
