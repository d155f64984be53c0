"""Questions without an answer, with the words of the task that asks, as they are listed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from openkoi_hookspecs import Koi, PendingQuestion, events
from openkoi_report import format_count, truncate_line

from .plain import plain

SHORT = 8
LONGEST = 2_000
UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"))


@dataclass(frozen=True, slots=True)
class Pending:
    """A question, and the text of the task that asks it."""

    waiting: PendingQuestion
    task: str = ""

    @property
    def id(self) -> str:
        """As much of the id as has to be typed."""
        return self.waiting.id[:SHORT]

    @property
    def resume(self) -> str:
        """The task to resume after an answer; empty while the answer is heard at once."""
        return "" if self.waiting.alive else self.waiting.outermost

    @property
    def line(self) -> str:
        """The question in one line: its last one, because reasons stand before it."""
        return truncate_line(self.waiting.question.text.strip().rpartition("\n")[2], 160)


async def list_pending(koi: Koi) -> list[Pending]:
    """List the questions without an answer, the oldest first."""
    return [Pending(one, task_of(one, koi)) for one in await koi.pending_questions()]


def task_of(question: PendingQuestion, koi: Koi) -> str:
    """Return the text of the task that asks; empty where the log does not contain it."""
    records = koi.records(question.session) if question.session else ()
    started = (one.event for one in records if one.run == question.run)
    return next((event.task.text for event in started if isinstance(event, events.TaskStarted)), "")


def age(at: str, now: datetime) -> str:
    """Say how long ago something was asked."""
    then = parse_time(at)
    seconds = int((now - then).total_seconds()) if then else 0
    count, unit = next(((seconds // size, unit) for size, unit in UNITS if seconds >= size), (0, ""))
    return f"{format_count(count, unit)} ago" if count else "just now"


def parse_time(at: str) -> datetime | None:
    """Return the time of a text; None when it is not one."""
    try:
        read = datetime.fromisoformat(at)
    except (TypeError, ValueError):
        return None
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def shown(text: str) -> Iterable[str]:
    """Yield the lines of a question; what is very long is said to be longer."""
    more = len(text) - LONGEST
    yield from plain(text[:LONGEST].strip()).split("\n")
    if more > 0:
        yield f"… and {format_count(more, 'character')} more, which --format json shows"


def listed(there: Sequence[Pending]) -> str:
    """Return the ids, for a sentence."""
    return ", ".join(one.id for one in there)
