"""Show the records of a task, live or from the log: the screen shows the same either way."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from openkoi_base.counts import format_count
from openkoi_base.redact import current_redactor
from openkoi_hookspecs import Record, events
from openkoi_hookspecs.lazy_dataclass import dataclass
from openkoi_hookspecs.lazy_pattern import lazy_pattern
from openkoi_runlog import redact_record
from openkoi_runlog.report import AnswerEnd, AnswerPiece, Line, RunDisplay, RunReport
from openkoi_terminal import strip_controls
from openkoi_terminal.end_summary import format_changes, format_claims, format_diff

from .messages import quote
from .view import View

NOT_SHOWN = ("[recall] 0 ", "  Changed: ")  # the files are listed at the end
NEXT = "  /diff shows the changes, /undo undoes them, /why explains the score"
EARLIER = "  … {steps} not shown; Ctrl-O shows all"
COMMAND = lazy_pattern(r"`openkoi (undo|redo|resume|diff|why|status)\b")
MAX_STEPS = 30  # of a task that is shown again, and lines of each answer: they fill a screen (estimate)


@dataclass(frozen=True, slots=True)
class UserMessage:
    """The user's message."""

    text: str


Shown: TypeAlias = UserMessage | Line | AnswerPiece | AnswerEnd


class TaskView:
    """Shows the records of one run: progress in lines, the answer as it streams, and its end."""

    def __init__(self, view: View, run: str, redact: Callable[[str], str]) -> None:
        self.view = view
        self.run = run
        self.redact = redact
        self.display = RunDisplay()
        self.report.run = run

    @property
    def report(self) -> RunReport:
        """The run's report so far."""
        return self.display.progress.report

    def replay(self, records: Iterable[Record], *, whole: bool = False) -> None:
        """Show the records of a task in the log; ``whole``: do not shorten long parts."""
        taken = (each for record in records for each in (*started_by(record, self.run), *self.take_record(record)))
        shown = [*join_pieces(taken)]
        for each in shorten_shown(shown) if self.report.completion and not whole else shown:
            self.show(each)
        self.view.end_answer()
        if self.report.completion:
            self.show_end()

    def add_record(self, record: Record) -> None:
        """Show one record."""
        for each in self.take_record(record):
            self.show(each)

    def take_record(self, record: Record) -> Sequence[Shown]:
        """Return what one record shows; of other runs, only those that are part of this one count."""
        known = record.run == self.run or record.run in self.report.subtasks
        if not known and not isinstance(record.event, events.TaskStarted):
            return ()
        record = redact_record(record, current_redactor())
        shown: list[Shown] = [*self.display.show_record(record)]
        if record.run != self.run and record.run not in self.report.subtasks:
            return ()
        self.note_record(record)
        if isinstance(record.event, events.MessageAdded) and record.event.from_user and record.run == self.run:
            text = "".join(getattr(part, "text", "") for part in record.event.message.parts)
            return [UserMessage(text), *shown]
        return shown

    def note_record(self, record: Record) -> None:
        """Process a record of this run or of a sub-task."""

    def show(self, each: Shown) -> None:
        """Show a message, a line of progress, or a piece of the answer."""
        match each:
            case UserMessage(text=text):
                self.view.print(quote(self.redact(text), self.view.style))
            case AnswerPiece(text=text):
                self.view.add_answer(self.redact(text))
            case AnswerEnd():
                self.view.end_answer()
            case Line(text=text) if not text.startswith(NOT_SHOWN):
                line = COMMAND.sub(r"`/\1", text)
                self.view.note(strip_controls(self.redact(line)), *("dim",) * (not line.startswith("  ! ")))

    def show_end(self) -> None:
        """Show what was changed, the evidence for the answer, and the next commands."""
        self.view.end_answer()
        if count := len(self.report.learnings):
            self.view.note(f"  {format_count(count, 'learning')} saved", "dim")
        style, changes = self.view.style, [*format_changes(self.report)]
        self.show_lines(self.view.note, changes)
        self.show_lines(self.view.print, format_diff(self.report, style, more="/diff"))
        self.show_lines(self.view.note, [*format_claims(self.report, style)])
        if changes:
            self.view.note(NEXT, "dim")

    def show_lines(self, show: Callable[[str], None], lines: Sequence[str]) -> None:
        """Show lines without secrets, if there are any."""
        if lines:
            show("\n".join(self.redact(line) for line in lines))


def started_by(record: Record, run: str) -> Sequence[UserMessage]:
    """Return the message with which a record starts a run; a live task's message is shown before it starts."""
    event = record.event
    return [UserMessage(event.task.text)] if isinstance(event, events.TaskStarted) and record.run == run else ()


def join_pieces(shown: Iterable[Shown]) -> Iterator[Shown]:
    """Yield the same items, with the pieces of each answer joined."""
    answer = ""
    for each in shown:
        if isinstance(each, AnswerPiece):
            answer += each.text
            continue
        if answer:
            yield AnswerPiece(answer)
            answer = ""
        yield each
    if answer:
        yield AnswerPiece(answer)


def shorten_shown(shown: Sequence[Shown]) -> Iterator[Shown]:
    """Yield the user's message, the last steps, and the end of each answer."""
    first, rest = shown[:1], shown[1:]
    yield from first
    if len(rest) > MAX_STEPS:
        yield Line(EARLIER.format(steps=format_count(len(rest) - MAX_STEPS, "step")))
    for each in rest[-MAX_STEPS:]:
        lines = each.text.split("\n") if isinstance(each, AnswerPiece) else []
        yield AnswerPiece("\n".join(["…", "", *lines[-MAX_STEPS:]])) if len(lines) > MAX_STEPS else each
