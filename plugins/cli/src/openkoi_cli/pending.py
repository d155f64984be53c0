"""List the questions without an answer, each with the text of its task."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from openkoi_base.counts import format_count
from openkoi_hookspecs import Koi, PendingQuestion, events
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_runlog.report import truncate_line

from .escape import escape_controls

SHOWN_ID_LENGTH = 8
MAX_QUESTION_CHARACTERS = 2_000  # more does not fit a screen
UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"))


@dataclass(frozen=True, slots=True)
class Pending:
    """A question, and the text of the task that asks it."""

    waiting: PendingQuestion
    task: str = ""

    @property
    def id(self) -> str:
        """The part of the id that needs to be typed."""
        return self.waiting.id[:SHOWN_ID_LENGTH]

    @property
    def resume(self) -> str:
        """The task to resume after an answer; empty while its run is waiting."""
        return "" if self.waiting.alive else self.waiting.outermost

    @property
    def line(self) -> str:
        """The last line of the question, which follows the reasons."""
        return truncate_line(self.waiting.question.text.strip().rpartition("\n")[2], 160)


async def list_pending(koi: Koi) -> list[Pending]:
    """List the questions without an answer, oldest first."""
    return [Pending(one, find_task_text(one, koi)) for one in await koi.pending_questions()]


def find_task_text(question: PendingQuestion, koi: Koi) -> str:
    """Return the text of the task that asks; empty if the log does not contain it."""
    records = koi.records(question.session) if question.session else ()
    started = (one.event for one in records if one.run == question.run)
    return next((event.task.text for event in started if isinstance(event, events.TaskStarted)), "")


def format_age(at: str, now: datetime) -> str:
    """Return how long ago something was asked."""
    then = parse_time(at)
    seconds = int((now - then).total_seconds()) if then else 0
    count, unit = next(((seconds // size, unit) for size, unit in UNITS if seconds >= size), (0, ""))
    return f"{format_count(count, unit)} ago" if count else "just now"


def parse_time(at: str) -> datetime | None:
    """Parse a time; return None if it is invalid."""
    try:
        read = datetime.fromisoformat(at)
    except (TypeError, ValueError):
        return None
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def split_lines(text: str) -> Iterable[str]:
    """Yield the lines of a question; shorten a very long one."""
    more = len(text) - MAX_QUESTION_CHARACTERS
    yield from escape_controls(text[:MAX_QUESTION_CHARACTERS].strip()).split("\n")
    if more > 0:
        yield f"… and {format_count(more, 'character')} more (use --format json)"


def format_ids(there: Sequence[Pending]) -> str:
    """Return the ids, for a sentence."""
    return ", ".join(one.id for one in there)
