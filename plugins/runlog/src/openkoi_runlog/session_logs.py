"""The run logs of the sessions that a process writes to: its own, and those of runs that it resumes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import field
from pathlib import Path

from openkoi_hookspecs.lazy_dataclass import dataclass

from .read_segments import list_all_segments
from .runlog import RunLog
from .segment_names import segment_name


@dataclass(frozen=True, slots=True)
class SessionLogs:
    """A log for each session, open for as long as a run writes to it."""

    folder: Path
    redact: Callable[[str], str]
    logs: dict[str, RunLog] = field(default_factory=dict)
    writers: dict[str, int] = field(default_factory=dict)

    def open(self, session: str) -> RunLog:
        """Return the log of a session for one more writer; raise KoiError for an invalid name."""
        segment_name(session)
        self.writers[session] = self.writers.get(session, 0) + 1
        return self.logs.setdefault(session, RunLog(self.folder, session, self.redact))

    def close(self, session: str) -> None:
        """Record that a writer is done; close the log after the last one."""
        self.writers[session] -= 1
        if not self.writers[session]:
            del self.writers[session]
            self.logs.pop(session).close()

    def segments(self, session: str) -> list[Path]:
        """Return the files of a session in order, with everything logged so far."""
        if log := self.logs.get(session):
            log.end_turn()
        return list_all_segments(self.folder, session)

    @contextmanager
    def open_for_writing(self, session: str) -> Iterator[RunLog]:
        """Yield the log of a session."""
        log = self.open(session)
        log.runs += 1
        try:
            yield log
        finally:
            log.runs -= 1
            self.close(session)
