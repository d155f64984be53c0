"""Read the run log as far as it concerns learning, each line once."""

import asyncio
from collections.abc import Iterable, Iterator
from pathlib import Path
from threading import Lock

from openkoi_hookspecs import Event, Learning, Record, Result, events
from openkoi_runlog import (
    Excerpts,
    all_segments,
    beyond,
    is_kind,
    is_packed,
    length_of,
    lines_from,
    name_of,
    select_from,
    select_records,
    spelled,
    view_of,
)

from .book import LearningState
from .events import Credited, Learned, Noted, Shown
from .trust import Read, own

MINE: tuple[type[Event], ...] = (
    *(events.LearningSaved, Noted, Shown, Credited, Learned, events.RunCompleted, events.TaskStarted),
    *(events.QuestionAsked, events.QuestionAnswered, events.WorkspaceRestored),
)
HEARD = (
    events.TaskStarted,
    events.RecallFinished,
    events.EvaluationFinished,
    events.ToolCallStarted,
    events.ToolCallFinished,
)
RESULT = (
    *(
        events.TaskStarted,
        events.PlanReady,
        events.ExecutionFinished,
        events.RequestClassified,
        events.EvaluationFinished,
    ),
    *(
        events.IterationFinished,
        events.DecisionMade,
        events.QuestionAsked,
        events.QuestionAnswered,
        events.RunResumed,
        events.RunCompleted,
    ),
)
NAMES = spelled(MINE)


class LearningLogView:
    """Keeps a book up to date with the log in ``folder``. Files are read in other threads; the book is not."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.excerpts = Excerpts(
            folder.parent / "cache" / "ledger.json", b" ".join(NAMES), lambda line: is_kind(line, NAMES)
        )
        self.book = LearningState()
        self.ends: dict[str, int] = {}
        self.lock = Lock()

    async def read(self) -> LearningState:
        """The book with all that was written until now."""
        return self.apply_records(await asyncio.to_thread(self.news))

    def read_now(self) -> LearningState:
        """The same, for a command that has nothing else to do."""
        return self.apply_records(self.news())

    def apply_records(self, news: Iterable[Record]) -> LearningState:
        for record in news:
            self.book.take(record)
        return self.book

    def news(self) -> list[Record]:
        """What was written since the last time, oldest first."""
        with self.lock:
            paths = all_segments(self.folder)
            new = list(self.put_away(paths) if not self.ends else ())
            new += (one for path in paths for one in self.unread(path))
            return sorted(new, key=lambda one: (one.at, one.id))

    def put_away(self, paths: Iterable[Path]) -> Iterator[Record]:
        """What all the segments say that were put away, as it was taken from them once."""
        packed = {name_of(path): path for path in paths if is_packed(path)}
        for name, lines in self.excerpts.of(packed.values()).items():
            self.ends[name] = length_of(packed[name])
            yield from select_records(lines, MINE)

    def unread(self, path: Path) -> Iterator[Record]:
        """What a segment says that was not read yet, wherever it lies by now."""
        name = name_of(path)
        start = self.ends.get(name, 0)
        if not beyond(path, start):
            return
        lines = list(lines_from(path, start))
        if lines and path.name == name and not lines[-1].endswith(b"\n"):
            lines.pop()
        self.ends[name] = start + sum(map(len, lines))
        yield from select_records(lines, MINE)

    def result(self, run: str, session: str) -> Result | None:
        """How a run ended, told from the log."""
        return view_of(self.told(RESULT, run, session), run).result

    def told(self, kinds: Iterable[type[Event]], run: str, session: str) -> Iterator[Record]:
        """Yield what the files of a session say about a run."""
        for path in all_segments(self.folder, session):
            yield from select_from(path, kinds, run)

    def heard(self, run: str, session: str) -> Read:
        """Return what a run had read and was shown, to determine the origin of its words."""
        calls: dict[str, tuple[str, str]] = {}
        mine, foreign, recalled = list[str](), list[str](), list[str]()
        for record in self.told(HEARD, run, session):
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
                    (mine if own(*calls.get(result.call, ("", ""))) else foreign).append(result.text)
        return Read(tuple(mine), tuple(foreign), tuple(recalled))

    def was_read(self, learning: Learning) -> bool:
        """Whether a learning was made of what was read somewhere; what is quoted and not known here may be."""
        known = self.book.entries.get(learning.id)
        return known.read if known else learning.untrusted
