"""Implement what all sandboxes share: configuration, the self-test, and the report of both."""

import asyncio
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, ClassVar

from openkoi_hookspecs import Command, CommandResult, DataDir, KoiError

from .job_threads import check_writable, run_in_thread, run_job
from .level import LevelDefinition, TestedLevel, find_best_level
from .private_dirs import PrivateDirsFactory
from .protected_job import ProtectedJob
from .protection import ProtectionFactory
from .report import describe_sandbox
from .run_until_timeout import Job, JobSettings
from .sandbox_policy import CREDENTIALS, SandboxLevel, SandboxPolicy, expand_paths

MB = 1_000_000
# What lies beside the outputs in our data folder and does not concern a command: other projects' work, and questions.
PRIVATE_FOLDERS = ("sessions", "archive", "questions", "checkpoints", "diverted", "running", "days")
PRIVATE_DATA = (*PRIVATE_FOLDERS, "openkoi.db", "consents.json")


class BaseSandbox:
    """Run commands at the best level that passes its self-test; subclasses list their levels."""

    levels: ClassVar[Sequence[LevelDefinition]] = ()

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
        self.settings = JobSettings(self.folder, int(max_output_mb * MB), grace, pass_env)
        self.policy = SandboxPolicy(
            network=network,
            writable=expand_paths(writable),
            readable=(*expand_paths(readable), self.folder.resolve()),
            hidden=(*expand_paths(hidden), *(self.folder.parent.resolve() / name for name in PRIVATE_DATA)),
            memory=memory_mb * MB,
            file=file_mb * MB,
            processes=processes,
        )
        kept = caches.expanduser().absolute() if caches else None
        self.private_dirs = PrivateDirsFactory(kept, shared=self.policy.writable, passed=pass_env)
        self.protections = ProtectionFactory(self.folder.with_name("diverted"))
        self.testing = threading.Lock()
        self.reached: TestedLevel | None = None

    def tested_level(self) -> TestedLevel:
        """Return the level that passed the self-test: tested once, and remembered."""
        with self.testing:
            if self.reached is None:
                self.reached = find_best_level(self.levels, self.policy, self.settings)
            return self.reached

    def usable_level(self) -> LevelDefinition:
        """Return the level to run at. Raise when there is only one, and it is unavailable."""
        return usable_or_missing(self.levels[0]) if len(self.levels) == 1 else self.tested_level().level

    async def probe_level(self) -> int:
        """Return the level that passed the self-test."""
        return (await asyncio.to_thread(self.tested_level)).result.level

    async def execute(self, command: Command, root: Path) -> CommandResult:
        """Run a command in the sandbox; once this returns or is cancelled, none of its processes is left."""
        return await run_job(await (await run_in_thread(lambda: self.build_job(command, root))))

    def build_job(self, command: Command, root: Path) -> ProtectedJob:
        """Return a command with its confinement and, if it could write nowhere else, its private folders."""
        level = self.usable_level()
        confined = level.claim >= SandboxLevel.CONFINED and root.is_dir()
        private = self.private_dirs.dirs_for(root) if confined else self.private_dirs.shared_dirs(root)
        if confined and self.folder.is_relative_to(root.resolve()):
            make_private_folders(self.folder.parent)
        command = replace(command, approved=command.approved | {*map(str, self.policy.writable)})
        job = Job(command, root, self.settings, level.confinement(self.policy), private)
        return ProtectedJob(job, self.protections.protection_for(root), level.name)

    async def health(self) -> Mapping[str, str]:
        """Report what the self-test showed, what stays open, and why the level is not higher."""
        await asyncio.to_thread(check_writable, self.folder)
        standing = await asyncio.to_thread(self.tested_level)
        return {**describe_sandbox(standing, self.policy), "long outputs in": str(self.folder)}


def make_private_folders(data: Path) -> None:
    """Create the folders to hide; otherwise a command whose workspace contains them could create them itself."""
    for name in PRIVATE_FOLDERS:
        (data / name).mkdir(mode=0o700, parents=True, exist_ok=True)


def usable_or_missing(level: LevelDefinition) -> LevelDefinition:
    """Return the level itself, unless something it needs is missing."""
    if missing := level.missing():
        advice = 'To use the strongest sandbox available, set `sandbox = "ladder"` under [use].'
        raise KoiError(f"No command was run: {missing}. {advice}")
    return level
