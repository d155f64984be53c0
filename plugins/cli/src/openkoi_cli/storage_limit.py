"""Keep the log within its size limit while a long-running program, such as the daemon, runs."""

import asyncio
import time
from pathlib import Path
from typing import Annotated, Self

from openkoi_hookspecs import DataDir, Koi, Run, hookimpl


class StorageLimit:
    """Checks the log's size after a run, at most every ``seconds``. Settings: ``[hooks.storage]``."""

    def __init__(self, *, sessions: Annotated[Path, DataDir("sessions")], seconds: float = 600.0) -> None:
        self.sessions, self.seconds = sessions, seconds
        self.checked_at = time.monotonic()
        self.archiving: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        """Wait until the current archiving is done."""
        if self.archiving:
            await self.archiving

    @hookimpl
    async def before_learn(self, run: Run) -> None:
        """Start archiving in the background, if the interval has passed."""
        if run.task.parent or time.monotonic() - self.checked_at < self.seconds:
            return
        self.checked_at = time.monotonic()
        if self.archiving is None or self.archiving.done():
            self.archiving = asyncio.create_task(self.archive(run.koi))

    async def archive(self, koi: Koi) -> None:
        """Archive the oldest sessions if the log exceeds its limit; warn on errors."""
        from .archive.compress_log import archive_oldest, log_size
        from .archive.segments import Log
        from .log_limit import NOT_REDUCED, describe_archived, read_limit
        from .memory_in_use import update_memory

        try:
            log, limit = Log(self.sessions.parent), read_limit(koi)
            if not limit or await asyncio.to_thread(log_size, log) <= limit:
                return
            await update_memory(koi, self.sessions)
            if names := await asyncio.to_thread(archive_oldest, log, limit):
                koi.warn(describe_archived(len(names)))
        except Exception as error:  # memory is a plugin, and the runs have their results
            koi.warn(NOT_REDUCED.format(error))
