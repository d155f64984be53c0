"""Memory as runs use it: told what is new in the log, and asked. Knows the log and one socket; knows no run.

A run's records are taken in after its result. A search takes in what others have left: what a run that is still under
way has written so far does not hold up its start.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from openkoi_base.isolation import contain_exit, type_error_of
from openkoi_hookspecs import Hit, LimitExceededError, Memory, Query, Record, SupportsOffsets, events

from .packed import beyond, lines_from, name_of
from .reading import all_segments, is_held, read_segment
from .selecting import is_kind, spelled

BATCH = 5000
TO_SEARCH = spelled((events.RunCompleted, events.RunFailed, events.LearningSaved))


@dataclass(slots=True)
class MemorySync:
    """The memory that ``memory`` returns, over the log in ``folder``. ``warn`` hears of what goes wrong.

    ``asked`` counts the updates that were asked for, ``done`` is how many of them are done.
    """

    folder: Path
    warn: Callable[[str], None]
    memory: Callable[[], Awaitable[Memory | None]]
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    asked: int = 0
    done: int = 0

    async def search(self, query: Query) -> Sequence[Hit]:
        """Ask memory, after telling it of runs that have ended; without one, or where it fails, there are no hits."""
        if (memory := await self.memory()) is None:
            return ()
        try:
            with contain_exit():
                if self.is_behind(await seen_by(memory)):
                    await self.remember(memory)
        except LimitExceededError:
            raise
        except Exception as error:  # memory is a plugin: what it knew before can be asked all the same
            self.warn(f"Memory could not be told what is new: {error}")
        try:
            with contain_exit():
                return sound_hits(await memory.search(query))
        except LimitExceededError:
            raise
        except Exception as error:  # memory is a plugin: a run goes on without it
            self.warn(f"Memory could not be searched: {error} Going on without it.")
            return ()

    def is_behind(self, seen: Mapping[str, int]) -> bool:
        """Whether memory lacks something of a run that has ended, or whose process has."""
        return any(is_due(path, seen.get(name_of(path), 0)) for path in all_segments(self.folder))

    async def update(self) -> None:
        """Give the memory, if there is one, what is new; runs that end meanwhile share the next time."""
        if (memory := await self.memory()) is None:
            return
        self.asked += 1
        mine = self.asked
        async with self.lock:
            if self.done < mine:
                covered = self.asked
                await self.remember(memory)
                self.done = covered

    async def remember(self, memory: Memory) -> None:
        """Give memory the records that it has not seen; once more when it lost meanwhile what it had seen."""
        told = await self.ingest(memory, await seen_by(memory))
        if told and isinstance(memory, SupportsOffsets) and rewound(told, now := await memory.offsets()):
            await self.ingest(memory, now)

    async def ingest(self, memory: Memory, seen: Mapping[str, int]) -> Mapping[str, int]:
        """Give memory the records beyond what was seen of each segment; return what is seen then, if there were any."""
        told: dict[str, int] = {}
        for batch in batches(self.unread(seen), BATCH):
            await memory.ingest(batch)
            told |= {record.segment: record.end for record in batch}
        return {**seen, **told} if told else {}

    def unread(self, seen: Mapping[str, int]) -> Iterator[Record]:
        """Records beyond what was seen of each segment, those that were put away among them."""
        for path in all_segments(self.folder):
            start = seen.get(name_of(path), 0)
            if beyond(path, start):
                yield from read_segment(path, start, self.warn)


async def seen_by(memory: Memory) -> Mapping[str, int]:
    """How far a memory has read; one that does not know is told everything."""
    return await memory.offsets() if isinstance(memory, SupportsOffsets) else {}


def is_due(path: Path, start: int) -> bool:
    """Whether a segment has more than was seen of it, which its writer has ended with or a run in it."""
    if not beyond(path, start):
        return False
    return not is_held(path) or any(is_kind(line, TO_SEARCH) for line in lines_from(path, start))


def rewound(told: Mapping[str, int], seen: Mapping[str, int]) -> bool:
    """Whether less is seen than was told: a memory that was damaged begins anew."""
    return any(seen.get(segment, 0) < end for segment, end in told.items())


def batches(records: Iterator[Record], size: int) -> Iterator[list[Record]]:
    """Lists of so many records, the last one shorter."""
    while batch := list(islice(records, size)):
        yield batch


def sound_hits(hits: Sequence[Hit]) -> Sequence[Hit]:
    """What memory answers, if all of it are hits."""
    if wrong := type_error_of(hits, Sequence[Hit]):
        raise TypeError(f"it answered what is no hit: {wrong}")
    return tuple(hits)
