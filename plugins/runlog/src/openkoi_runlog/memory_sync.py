"""Let memory ingest new records of the log, and search it.

A run's records are ingested after its result, those of a long run in parts while it is running. A search ingests
what other processes have left, except the records of runs that are still active, which would delay it.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import field
from itertools import chain, islice
from pathlib import Path

from openkoi_base.isolation import contain_exit, type_error_of
from openkoi_hookspecs import (
    Hit,
    LimitExceededError,
    Memory,
    Query,
    Record,
    SupportsOffsets,
    SupportsParts,
    SupportsSelection,
    events,
)
from openkoi_hookspecs.lazy_dataclass import dataclass

from .read_segments import has_writer, list_grown_segments, list_session_segments, read_segment
from .segment_files import has_more, original_name
from .segment_names import parse_session
from .select_records import is_needed, iterate_needed, name_needed

BATCH_SIZE = 5000
# Texts of a run, after which memory ingests what there is: they take it about 15 ms. With half as many, each text takes
# 50 us more, because there are more parts to write and to merge (measured over 2,000 texts of 25 words).
PART_TEXTS = 128
DUE_EVENTS = name_needed((events.RunCompleted, events.RunFailed, events.LearningSaved))


@dataclass(slots=True)
class MemorySync:
    """The memory that ``memory`` returns, over the log in ``folder``. ``warn`` is called with each error.

    ``pending`` are the sessions whose new records were asked for and are not read yet; an empty name is all of them.
    ``texts`` counts, for each run, the texts that memory has not received yet.
    """

    folder: Path
    warn: Callable[[str], None]
    memory: Callable[[], Awaitable[Memory | None]]
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    pending: set[str] = field(default_factory=set)
    texts: Counter[str] = field(default_factory=Counter)
    parts: set[asyncio.Task[None]] = field(default_factory=set)

    async def search(self, query: Query) -> Sequence[Hit]:
        """Search memory, after it has ingested runs that have ended; without one, or if it fails, there are no hits."""
        if (memory := await self.memory()) is None:
            return ()
        try:
            with contain_exit():
                if self.is_behind(await read_offsets(memory)):
                    await self.remember(memory)
        except LimitExceededError:
            raise
        except Exception as error:  # memory is a plugin: what it knew before can be asked all the same
            self.warn(f"Memory could not be updated: {error}")
        try:
            with contain_exit():
                return check_hits(await memory.search(query))
        except LimitExceededError:
            raise
        except Exception as error:  # memory is a plugin: a run continues without it
            self.warn(f"Memory could not be searched: {error} Continuing without memory.")
            return ()

    def is_behind(self, seen: Mapping[str, int]) -> bool:
        """Whether memory lacks records of a run that has ended, or whose process has."""
        return any(is_due(path, seen.get(original_name(path), 0)) for path in list_grown_segments(self.folder, seen))

    async def update(self, session: str = "") -> None:
        """Let memory, if there is one, ingest new records, at least of a session; pending updates are done together."""
        if (memory := await self.memory()) is None:
            self.texts.clear()
            return
        await asyncio.sleep(0)  # what was logged in this turn of the event loop is written when it ends
        self.pending.add(session)
        async with self.lock:
            if session in self.pending:
                sessions, self.pending = self.pending, set()
                await self.remember(memory, set() if "" in sessions else sessions)

    def count_text(self, record: Record) -> None:
        """Count a run's texts; once there are enough for a part, let memory ingest it while the run continues."""
        event = record.event
        if not (isinstance(event, events.ModelResponse) and event.response.text):
            return
        self.texts[record.run] += 1
        if self.texts[record.run] % PART_TEXTS == 0:
            session = parse_session(Path(record.segment))
            task = asyncio.get_running_loop().create_task(self.update_part(session))
            self.parts.add(task)
            task.add_done_callback(self.parts.discard)

    async def update_part(self, session: str) -> None:
        """Let memory ingest a session's records so far, if it ingests runs in parts; retry errors at the end."""
        with suppress(Exception), contain_exit():
            memory = await self.memory()
            if isinstance(memory, SupportsParts) and memory.ingests_parts:
                await self.update(session)

    async def remember(self, memory: Memory, sessions: Collection[str] = ()) -> None:
        """Let memory ingest the records that it has not seen, of some sessions or all.

        If it has meanwhile lost what it had seen, ingest all of them.
        """
        ingested = await self.ingest(memory, await read_offsets(memory), sessions)
        if ingested and isinstance(memory, SupportsOffsets) and is_rewound(ingested, now := await memory.offsets()):
            await self.ingest(memory, now)

    async def ingest(
        self, memory: Memory, seen: Mapping[str, int], sessions: Collection[str] = ()
    ) -> Mapping[str, int]:
        """Let memory ingest each segment's records beyond its offset; return the new offsets, if there were any."""
        ingested: dict[str, int] = {}
        counted = self.texts.copy()  # those of texts that are logged meanwhile remain
        kinds = memory.needs if isinstance(memory, SupportsSelection) else ()
        needed = name_needed(kinds, textless=False)
        batches = split_batches(self.read_new_records(seen, sessions, needed), BATCH_SIZE)
        while batch := await asyncio.to_thread(next, batches, None):
            await memory.ingest(batch)
            ingested |= {record.segment: record.end for record in batch}
            self.texts -= Counter({run: counted.pop(run, 0) for run in {record.run for record in batch}})
        return {**seen, **ingested} if ingested else {}

    def read_new_records(
        self, seen: Mapping[str, int], sessions: Collection[str], needed: Set[bytes]
    ) -> Iterator[Record]:
        """Yield the records beyond the offsets, archived ones included."""
        for path in self.segments(sessions) if sessions else list_grown_segments(self.folder, seen):
            start = seen.get(original_name(path), 0)
            if has_more(path, start):
                yield from read_segment(path, start, self.warn, needed)

    def segments(self, sessions: Collection[str]) -> Iterable[Path]:
        """Return the segments of some sessions that are not archived."""
        return chain.from_iterable(list_session_segments(self.folder, session) for session in sessions)


async def read_offsets(memory: Memory) -> Mapping[str, int]:
    """Return how far a memory has read; empty if it does not record that."""
    return await memory.offsets() if isinstance(memory, SupportsOffsets) else {}


def is_due(path: Path, start: int) -> bool:
    """Whether a segment has unread records that are complete: its writer, or a run in it, has ended."""
    return not has_writer(path) or any(
        is_needed(line, DUE_EVENTS) for _, line in iterate_needed(path, start, DUE_EVENTS)
    )


def is_rewound(ingested: Mapping[str, int], seen: Mapping[str, int]) -> bool:
    """Return whether memory has read less than it received, because it was damaged and rebuilt."""
    return any(seen.get(segment, 0) < end for segment, end in ingested.items())


def split_batches(records: Iterator[Record], size: int) -> Iterator[list[Record]]:
    """Yield lists of a size; the last one may be shorter."""
    while batch := list(islice(records, size)):
        yield batch


def check_hits(hits: Sequence[Hit]) -> Sequence[Hit]:
    """Return the hits; raise TypeError if memory returned anything else."""
    if wrong := type_error_of(hits, Sequence[Hit]):
        raise TypeError(f"it returned something other than hits: {wrong}")
    return tuple(hits)
