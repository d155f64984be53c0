"""List past sessions from the log alone, and find those that mention some words."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from openkoi_hookspecs import Text, events
from openkoi_hookspecs.lazy_dataclass import dataclass

from .last_task import REWIND_EVENTS, find_rewound
from .past_tasks import PastTask, list_session_files, read_tasks
from .read_segments import list_all_segments
from .segment_names import parse_session
from .select_records import select_from

MENTIONING = (events.TaskStarted, events.MessageAdded, events.ExecutionFinished)


@dataclass(frozen=True, slots=True)
class PastSession:
    """The tasks of a session, oldest first; there is at least one."""

    id: str
    tasks: Sequence[PastTask]

    @property
    def title(self) -> str:
        """What it was started for."""
        return self.tasks[0].text

    @property
    def last(self) -> PastTask:
        """Its last task."""
        return self.tasks[-1]

    @property
    def usd(self) -> float:
        """What its tasks cost."""
        return sum(task.usd for task in self.tasks)


def iterate_past_sessions(folder: Path) -> Iterator[PastSession]:
    """Yield the sessions that have tasks, most recently written first."""
    for _, segments in sorted(list_session_files(folder), reverse=True):
        if tasks := sorted(read_tasks(segments).values(), key=lambda past: past.at):
            yield PastSession(parse_session(segments[0]), tasks)


def mentions_words(folder: Path, session: str, words: Sequence[str]) -> bool:
    """Return whether each of these words is in a request or an answer of a session, whatever its case."""
    left = {word.casefold() for word in words}
    for text in read_texts(folder, session) if left else ():
        plain = text.casefold()
        left -= {word for word in left if word in plain}
        if not left:
            break
    return not left


def read_texts(folder: Path, session: str) -> Iterator[str]:
    """Yield the requests, messages and answers of a session, without those that the user rewound."""
    paths = list_all_segments(folder, session)
    rewound = find_rewound(record for path in paths for record in select_from(path, REWIND_EVENTS))
    for path in paths:
        for record in select_from(path, MENTIONING):
            if record.run in rewound:
                continue
            match record.event:
                case events.TaskStarted(task=task):
                    yield task.text
                case events.MessageAdded(message=message, from_user=True):
                    yield from (part.text for part in message.parts if isinstance(part, Text))
                case events.ExecutionFinished(work=work):
                    yield work.text
