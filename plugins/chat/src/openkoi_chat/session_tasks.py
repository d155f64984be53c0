"""The tasks of a conversation, and those that a rewind removed from it."""

from collections.abc import Iterator, Mapping
from itertools import takewhile
from pathlib import Path

from openkoi_hookspecs import Message, events
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_runlog import RunView, build_views, list_all_segments
from openkoi_runlog.last_task import REWIND_EVENTS
from openkoi_runlog.select_records import select_from


@dataclass(frozen=True, slots=True)
class Exchange:
    """A task of the session: its run, the user's words, and the conversation before it."""

    run: str
    text: str
    history: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class SessionTasks:
    """The runs of a session in the log, in the order in which they started."""

    views: Mapping[str, RunView]

    @property
    def current(self) -> list[Exchange]:
        """The tasks of the conversation."""
        return [make_exchange(view) for view in self.tasks if not view.rewound_to]

    @property
    def rewound(self) -> list[Exchange]:
        """The tasks that the last rewind removed, if nothing was asked after it."""
        last = [*takewhile(lambda view: bool(view.rewound_to), reversed(self.tasks))][::-1]
        return [make_exchange(view) for view in last if view.rewound_to == last[0].rewound_to]

    @property
    def tasks(self) -> list[RunView]:
        """The tasks, without their sub-tasks."""
        return [view for view in self.views.values() if not view.task.parent]

    def parts(self, run: str) -> Iterator[str]:
        """Yield the runs that are part of a task, including those of its sub-tasks."""
        for part, view in self.views.items():
            if view.task.parent == run:
                yield part
                yield from self.parts(part)


def read_session_tasks(folder: Path, session: str) -> SessionTasks:
    """Read the tasks of a session from the log."""
    paths = list_all_segments(folder, session)
    kinds = (events.TaskStarted, *REWIND_EVENTS)
    return SessionTasks(build_views(record for path in paths for record in select_from(path, kinds)))


def make_exchange(view: RunView) -> Exchange:
    """Return a task as a part of the conversation."""
    return Exchange(view.run, view.task.text, view.task.history)
