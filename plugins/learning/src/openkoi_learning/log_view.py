"""Read what concerns learning from the run log, each line once."""

import asyncio
from collections.abc import Iterable, Iterator
from pathlib import Path
from threading import Lock

from openkoi_hookspecs import Event, Learning, Record, Result, Text, events
from openkoi_runlog import (
    COURSE_EVENTS,
    UNDO_EVENTS,
    ArchivedRecords,
    build_view,
    list_all_segments,
    list_grown_segments,
    read_new,
    select_from,
)

from .events import EntriesShown, EntryUpdated, OutcomeCredited, RunProcessed
from .state import LearningState

LEARNING_EVENTS: tuple[type[Event], ...] = (
    *(
        events.LearningSaved,
        EntryUpdated,
        EntriesShown,
        OutcomeCredited,
        RunProcessed,
        events.DecisionMade,
        events.RunCompleted,
        events.TaskStarted,
    ),
    *(events.QuestionAsked, events.QuestionAnswered, events.ConversationRewound, *UNDO_EVENTS),
)


class LearningLogView:
    """Keeps the state up to date with the log in ``folder``. Other threads read the files, not the state."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.archived = ArchivedRecords(folder.parent / "cache" / "hook.json", LEARNING_EVENTS)
        self.state = LearningState()
        self.ends: dict[str, int] = {}
        self.lock = Lock()

    async def read(self) -> LearningState:
        """Return the state with everything written until now."""
        return self.apply_records(await asyncio.to_thread(self.new_records))

    def read_now(self) -> LearningState:
        """Return the same state synchronously, for a command."""
        return self.apply_records(self.new_records())

    def apply_records(self, news: Iterable[Record]) -> LearningState:
        for record in news:
            self.state.apply(record)
        return self.state

    def new_records(self) -> list[Record]:
        """Return the records written since the last time, oldest first."""
        with self.lock:
            paths = list_grown_segments(self.folder, self.ends)
            new = list(self.archived.read(paths, self.ends) if not self.ends else ())
            new += (one for path in paths for one in read_new(path, LEARNING_EVENTS, self.ends))
            return sorted(new, key=lambda one: (one.at, one.id))

    def rebuild_result(self, run: str, session: str) -> Result | None:
        """Rebuild how a run ended from the log."""
        return build_view(self.records_of(COURSE_EVENTS, run, session), run).result

    def records_of(self, kinds: Iterable[type[Event]], run: str, session: str) -> Iterator[Record]:
        """Yield the records of a run in a session's files."""
        for path in list_all_segments(self.folder, session):
            yield from select_from(path, kinds, run)

    def read_messages(self, run: str, session: str) -> tuple[str, ...]:
        """Return what the user wrote to a run while it was under way."""
        added = (record.event for record in self.records_of((events.MessageAdded,), run, session))
        mine = (one.message for one in added if isinstance(one, events.MessageAdded) and one.from_user)
        return tuple("".join(part.text for part in one.parts if isinstance(part, Text)) for one in mine)

    def was_read(self, learning: Learning) -> bool:
        """Return whether a learning derives from untrusted text."""
        known = self.state.known.get(learning.id)
        return known.is_from_source if known else learning.untrusted
