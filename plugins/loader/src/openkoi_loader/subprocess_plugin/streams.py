"""Read a plugin's stream ahead, such as a model's response, and pass it on in batches."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

READ_AHEAD_ITEMS = 64  # estimate: a batch is small, and a fast stream costs few messages


class Stream:
    """The items of one method. A few are read ahead, until the reader takes them."""

    def __init__(self, items: AsyncIterator[Any]) -> None:
        self.items: list[Any] = []
        self.room = asyncio.Semaphore(READ_AHEAD_ITEMS)
        self.changed = asyncio.Event()
        self.task = asyncio.create_task(self.read(items))
        self.task.add_done_callback(lambda _: self.changed.set())

    async def read(self, items: AsyncIterator[Any]) -> None:
        """Read everything; always close the stream if it can be closed."""
        try:
            async for item in items:
                await self.room.acquire()
                self.items.append(item)
                self.changed.set()
        except (SystemExit, KeyboardInterrupt) as error:  # it would end the process before it is reported
            raise RuntimeError(f"it raised {type(error).__name__}") from error
        finally:
            if close := getattr(items, "aclose", None):
                await close()

    async def take(self) -> tuple[list[Any], bool]:
        """Return the next items, and whether they are the last; raise what the plugin raised after all others.

        A stream is ended if the reader stops waiting for it.
        """
        try:
            while not self.items and not self.task.done():
                self.changed.clear()
                await self.changed.wait()
        except asyncio.CancelledError:
            await self.end()
            raise
        taken, self.items = self.items, []
        for _ in taken:
            self.room.release()
        if not taken:
            await self.task
        return taken, self.task.done() and not self.task.cancelled() and not self.task.exception()

    async def end(self) -> None:
        """Stop reading."""
        self.task.cancel()
        with suppress(BaseException):
            await self.task
