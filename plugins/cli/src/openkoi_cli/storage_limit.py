"""Keep the log within its limit while a program lives: a daemon or a frontend has no end of a command to do it at."""

import asyncio
import time
from pathlib import Path
from typing import Annotated, Self

from openkoi_hookspecs import DataDir, Koi, Run, hookimpl


class StorageLimit:
    """After a run, look at the size of the log every so often. Configured by ``[hooks.storage] seconds = 600``."""

    def __init__(self, *, sessions: Annotated[Path, DataDir("sessions")], seconds: float = 600.0) -> None:
        self.sessions, self.seconds = sessions, seconds
        self.looked_at = time.monotonic()
        self.archiving: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        """Finish what is being archived."""
        if self.archiving:
            await self.archiving

    @hookimpl
    async def before_learn(self, run: Run) -> None:
        """Begin to archive, if it is time to look; learning does not wait for it."""
        if run.task.parent or time.monotonic() - self.looked_at < self.seconds:
            return
        self.looked_at = time.monotonic()
        if self.archiving is None or self.archiving.done():
            self.archiving = asyncio.create_task(self.archive(run.koi))

    async def archive(self, koi: Koi) -> None:
        """Archive the oldest sessions when the log has grown over its limit; warn if that is not possible."""
        from .archive import Log, keep_within, size_of
        from .memory_in_use import update_memory
        from .storing import ARCHIVED, NOT_KEPT, limit_of

        try:
            log, limit = Log(self.sessions.parent), limit_of(koi)
            if not limit or await asyncio.to_thread(size_of, log) <= limit:
                return
            await update_memory(koi, self.sessions)
            if names := await asyncio.to_thread(keep_within, log, limit):
                koi.warn(ARCHIVED.format(count=len(names)))
        except Exception as error:  # memory is a plugin, and the runs have their results
            koi.warn(NOT_KEPT.format(error))
