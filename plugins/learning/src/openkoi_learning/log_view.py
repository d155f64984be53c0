"""Read the run log as far as it concerns learning, each line once."""

import asyncio
from collections.abc import Iterable, Iterator
from pathlib import Path
from threading import Lock

from openkoi_hookspecs import Event, Learning, Record, Result, events
from openkoi_runlog import (
    COURSE_EVENTS,
    UNDO_EVENTS,
    LineCache,
    build_view,
    encode_names,
    has_more,
    is_kind,
    is_packed,
    iterate_lines,
    list_all_segments,
    original_name,
    select_from,
    select_records,
    uncompressed_length,
)

from .events import EntriesShown, EntryUpdated, OutcomeCredited, RunProcessed
from .provenance import SourcesRead, is_own_output
from .state import LearningState

LEARNING_EVENTS: tuple[type[Event], ...] = (
    *(
        events.LearningSaved,
        EntryUpdated,
        EntriesShown,
        OutcomeCredited,
        RunProcessed,
        events.RunCompleted,
        events.TaskStarted,
    ),
    *(events.QuestionAsked, events.QuestionAnswered, *UNDO_EVENTS),
)
SOURCE_EVENTS = (
    events.TaskStarted,
    events.RecallFinished,
    events.EvaluationFinished,
    events.ToolCallStarted,
    events.ToolCallFinished,
)
NAMES = encode_names(LEARNING_EVENTS)


class LearningLogView:
    """Keeps the state up to date with the log in ``folder``. Other threads read the files, not the state."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.excerpts = LineCache(
            folder.parent / "cache" / "hook.json", b" ".join(NAMES), lambda line: is_kind(line, NAMES)
        )
        self.state = LearningState()
        self.ends: dict[str, int] = {}
        self.lock = Lock()

    async def read(self) -> LearningState:
        """Return the state with everything written until now."""
        return self.apply_records(await asyncio.to_thread(self.new_records))

    def read_now(self) -> LearningState:
        """Return the same, for a command that has nothing else to do."""
        return self.apply_records(self.new_records())

    def apply_records(self, news: Iterable[Record]) -> LearningState:
        for record in news:
            self.state.apply(record)
        return self.state

    def new_records(self) -> list[Record]:
        """Return the records written since the last time, oldest first."""
        with self.lock:
            paths = list_all_segments(self.folder)
            new = list(self.read_archived(paths) if not self.ends else ())
            new += (one for path in paths for one in self.read_new(path))
            return sorted(new, key=lambda one: (one.at, one.id))

    def read_archived(self, paths: Iterable[Path]) -> Iterator[Record]:
        """Yield the records of archived segments, from the excerpt that was made of them once."""
        packed = {original_name(path): path for path in paths if is_packed(path)}
        for name, lines in self.excerpts.load(packed.values()).items():
            self.ends[name] = uncompressed_length(packed[name])
            yield from select_records(lines, LEARNING_EVENTS)

    def read_new(self, path: Path) -> Iterator[Record]:
        """Yield the records of a segment that were not read yet, wherever it is now."""
        name = original_name(path)
        start = self.ends.get(name, 0)
        if not has_more(path, start):
            return
        lines = list(iterate_lines(path, start))
        if lines and path.name == name and not lines[-1].endswith(b"\n"):
            lines.pop()
        self.ends[name] = start + sum(map(len, lines))
        yield from select_records(lines, LEARNING_EVENTS)

    def rebuild_result(self, run: str, session: str) -> Result | None:
        """Rebuild how a run ended from the log."""
        return build_view(self.records_of(COURSE_EVENTS, run, session), run).result

    def records_of(self, kinds: Iterable[type[Event]], run: str, session: str) -> Iterator[Record]:
        """Yield the records of a run in a session's files."""
        for path in list_all_segments(self.folder, session):
            yield from select_from(path, kinds, run)

    def sources_read(self, run: str, session: str) -> SourcesRead:
        """Return what a run had read and was shown, to determine the origin of its words."""
        calls: dict[str, tuple[str, str]] = {}
        mine, foreign, recalled = list[str](), list[str](), list[str]()
        for record in self.records_of(SOURCE_EVENTS, run, session):
            match record.event:
                case events.TaskStarted(task=task) if task.context:
                    mine.append(task.context)
                case events.RecallFinished(recall=recall):
                    memos = [hit.item for hit in recall.hits]
                    learned = [memo for memo in memos if isinstance(memo, Learning)]
                    recalled += [memo.text for memo in learned]
                    foreign += [memo.text for memo in learned if self.was_read(memo)]
                    mine += [memo.text for memo in memos if not isinstance(memo, Learning)]
                case events.EvaluationFinished(evaluation=evaluation) if evaluation.log.strip():
                    mine.append(evaluation.log)
                case events.ToolCallStarted(call=call):
                    calls[call.id] = (call.tool, str(dict(call.arguments)))
                case events.ToolCallFinished(result=result) if result.text.strip():
                    (mine if is_own_output(*calls.get(result.call, ("", ""))) else foreign).append(result.text)
        return SourcesRead(tuple(mine), tuple(foreign), tuple(recalled))

    def was_read(self, learning: Learning) -> bool:
        """Return whether a learning derives from untrusted text."""
        known = self.state.entries.get(learning.id)
        return known.is_from_source if known else learning.untrusted
